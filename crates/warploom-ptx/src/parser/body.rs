//! The statements of a function.

use super::{Parse, Parser};
use crate::ast::{
    Body, BranchTable, BranchTableId, CallTable, CallTableId, FunctionId, Guard, InlinedAt,
    Instruction, Label, LabelId, Linkage, ListRange, Location, LocationId, Mark, MarkKind, Name,
    Opcode, OpcodeId, OpcodePart, Prototype, PrototypeId,
};
use crate::codes;
use crate::diagnostic::{Diagnostic, Span};
use crate::lexer::Token;
use smallvec::SmallVec;

const MAX_SCOPES: usize = 256;

/// The directives that can begin a statement.
const STATEMENT_DIRECTIVES: &[&str] = &[
    "reg", "param", "local", "shared", "global", "const", "loc", "file", "pragma", "section",
    "extern", "tex",
];

const STATEMENT_HELP: &str = "a statement is an instruction such as `add.s32 %r1, %r2, %r3;`, a \
                              label `NAME:`, a declaration such as `.reg .b32 %r<4>;`, or a block \
                              in braces";

/// What goes on while a body is read.
struct Reading {
    owner: FunctionId,
    body: Body,
    /// Opening braces of the blocks that are not closed yet.
    open: Vec<Span>,
    location: Option<LocationId>,
}

impl Reading {
    fn mark(&mut self, kind: MarkKind) {
        self.body.marks.push(Mark {
            position: self.body.instructions.len() as u32,
            kind,
        });
    }
}

impl<'s> Parser<'s> {
    /// From the opening to the closing brace. Reports errors itself and always gives what it
    /// could read.
    pub(super) fn body(&mut self, owner: FunctionId) -> Body {
        let start = self.span;
        let mut reading = Reading {
            owner,
            body: Body::default(),
            open: vec![start],
            location: None,
        };
        self.bump();
        while !reading.open.is_empty() && !self.diagnostics.is_full() {
            if self.token == Token::End {
                let open = reading.open.last().copied().unwrap_or(start);
                let message = "the file ends inside a function";
                let report = Diagnostic::new(codes::UNCLOSED, open, message, "not closed");
                self.diagnostics
                    .push(report.with_help("add the missing `}`"));
                break;
            }
            let before = self.span;
            let declares = self.token == Token::Directive;
            let operands = reading.body.operands.len();
            let addresses = reading.body.addresses.len();
            if self.statement(&mut reading).is_err() {
                self.names_lost |= declares;
                self.scratch.clear();
                reading.body.operands.truncate(operands);
                reading.body.addresses.truncate(addresses);
                self.recover_statement();
                if self.span == before {
                    self.bump();
                }
            }
        }
        // Name resolution can rely on scopes being closed.
        for _ in 1..reading.open.len() {
            reading.mark(MarkKind::CloseScope);
        }
        reading.body.span = start.to(self.previous);
        reading.body
    }

    fn statement(&mut self, reading: &mut Reading) -> Parse<()> {
        match self.token {
            Token::Name | Token::Dotted => {
                let span = self.span;
                let dotted = self.token == Token::Dotted;
                self.bump();
                if !dotted && self.eat(Token::Colon) {
                    return self.label(reading, span);
                }
                self.instruction(reading, span, None)
            }
            Token::At => {
                let guard = self.guard()?;
                let span = self.span;
                if !matches!(self.token, Token::Name | Token::Dotted) {
                    let help = "only instructions can be guarded; branch around anything longer";
                    let result = self.expected("an instruction", help);
                    // A block can be read all the same.
                    return if self.token == Token::OpenBrace {
                        Ok(())
                    } else {
                        result
                    };
                }
                self.bump();
                if self.token == Token::Colon {
                    let message = "a label can't be guarded";
                    let help = "write the label first: `LABEL: @PREDICATE INSTRUCTION;`";
                    return self.error_at(codes::SYNTAX, span, message, "a label", help);
                }
                self.instruction(reading, span, Some(guard))
            }
            Token::Directive => self.statement_directive(reading),
            Token::OpenBrace => {
                if reading.open.len() > MAX_SCOPES {
                    return self.error_at(
                        codes::NESTING,
                        self.span,
                        "blocks are nested too deeply",
                        "one level too many",
                        format!("blocks may be nested {MAX_SCOPES} deep"),
                    );
                }
                reading.open.push(self.span);
                reading.mark(MarkKind::OpenScope);
                self.bump();
                Ok(())
            }
            Token::CloseBrace => {
                reading.open.pop();
                if !reading.open.is_empty() {
                    reading.mark(MarkKind::CloseScope);
                }
                self.bump();
                Ok(())
            }
            _ => self.expected_here("a statement", STATEMENT_HELP),
        }
    }

    /// What follows `NAME:`.
    fn label(&mut self, reading: &mut Reading, span: Span) -> Parse<()> {
        let name = self.module.names.intern(self.text_at(span));
        if self.eat_directive("branchtargets") {
            let targets = self.targets("a label", "write `NAME: .branchtargets LABEL, LABEL;`")?;
            let id = BranchTableId(reading.body.branch_tables.len() as u32);
            reading.body.branch_tables.push(BranchTable {
                name,
                span,
                targets,
            });
            reading.mark(MarkKind::BranchTable(id));
        } else if self.eat_directive("calltargets") {
            let help = "write `NAME: .calltargets FUNCTION, FUNCTION;`";
            let targets = self.targets("a function name", help)?;
            let id = CallTableId(reading.body.call_tables.len() as u32);
            reading.body.call_tables.push(CallTable {
                name,
                span,
                targets,
            });
            reading.mark(MarkKind::CallTable(id));
        } else if self.eat_directive("callprototype") {
            let signature = self.prototype(reading.owner)?;
            let id = PrototypeId(reading.body.prototypes.len() as u32);
            reading.body.prototypes.push(Prototype {
                name,
                span,
                signature,
            });
            reading.mark(MarkKind::Prototype(id));
        } else {
            let id = LabelId(reading.body.labels.len() as u32);
            reading.body.labels.push(Label {
                name,
                span,
                position: reading.body.instructions.len() as u32,
            });
            reading.mark(MarkKind::Label(id));
        }
        Ok(())
    }

    fn targets(&mut self, what: &str, help: &str) -> Parse<Vec<(Name, Span)>> {
        let mut targets = Vec::new();
        loop {
            let (symbol, span) = self.name(what, help)?;
            targets.push((super::unresolved(symbol), span));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon, "`,` or `;`", help)?;
        Ok(targets)
    }

    fn statement_directive(&mut self, reading: &mut Reading) -> Parse<()> {
        let linkage = self.linkage();
        let span = self.span;
        let Some(name) = self.directive() else {
            return self.expected("a state space", "write `.extern .shared .TYPE NAME[];`");
        };
        if let Some(space) = self.state_space() {
            let owner = reading.owner;
            return self.variables(space, linkage, Some((&mut reading.body, owner)));
        }
        self.bump();
        match name {
            "reg" if linkage == Linkage::Internal => self.registers(&mut reading.body),
            "loc" => {
                let location = self.location()?;
                let id = LocationId(reading.body.locations.len() as u32);
                reading.body.locations.push(location);
                reading.location = Some(id);
                Ok(())
            }
            "file" => self.file(),
            "pragma" => self.pragma().map(drop),
            "branchtargets" | "calltargets" | "callprototype" => self.error_at(
                codes::DIRECTIVE,
                span,
                format!("`.{name}` has no label"),
                "expected a label before this",
                format!("write `NAME: .{name} ...;`"),
            ),
            _ => self.unknown_directive(name, span, STATEMENT_DIRECTIVES),
        }
    }

    /// `FILE LINE COLUMN, function_name NAME + OFFSET, inlined_at FILE LINE COLUMN`
    pub(super) fn location(&mut self) -> Parse<Location> {
        let help = "write `.loc FILE LINE COLUMN`";
        let file = self.u32_number("a file number", help)?;
        let line = self.u32_number("a line number", help)?;
        let column = self.u32_number("a column number", help)?;
        let mut location = Location {
            file,
            line,
            column,
            inlined_at: None,
        };
        while self.eat(Token::Comma) {
            let (word, span) = self.name("`function_name` or `inlined_at`", help)?;
            match self.module.text(word) {
                "function_name" => {
                    // The name is in the debug strings, which are not kept.
                    self.name("a label", help)?;
                    self.offset()?;
                }
                "inlined_at" => {
                    location.inlined_at = Some(InlinedAt {
                        file: self.u32_number("a file number", help)?,
                        line: self.u32_number("a line number", help)?,
                        column: self.u32_number("a column number", help)?,
                    });
                }
                word => {
                    let message = format!("`.loc` has no part `{word}`");
                    let help = "the parts are `function_name` and `inlined_at`";
                    return self.error_at(codes::SYNTAX, span, message, "unknown part", help);
                }
            }
        }
        self.eat(Token::Semicolon);
        Ok(location)
    }

    /// `@p` or `@!p`
    fn guard(&mut self) -> Parse<Guard> {
        let start = self.span;
        self.bump();
        let negated = self.eat(Token::Bang);
        let help = "a guard is `@PREDICATE` or `@!PREDICATE`";
        let (symbol, _) = self.name("a predicate register", help)?;
        Ok(Guard {
            predicate: super::unresolved(symbol),
            negated,
            span: start.to(self.previous),
        })
    }

    /// The instruction whose opcode begins at `first`; that token has been read.
    fn instruction(
        &mut self,
        reading: &mut Reading,
        first: Span,
        guard: Option<Guard>,
    ) -> Parse<()> {
        let spaced = self.spaced_parts();
        let opcode_span = first.to(spaced.last().copied().unwrap_or(first));
        let opcode = self.opcode(first, opcode_span, &spaced);
        let operands = if self.token == Token::Semicolon {
            ListRange::default()
        } else {
            let is_call = self.module.opcode(opcode).base() == "call";
            self.operands(&mut reading.body, is_call)?
        };
        if self.token != Token::Semicolon {
            let help = "operands are separated by commas, and an instruction ends with `;`";
            let what = if operands.count == 0 {
                "an operand or `;`"
            } else {
                "`,` or `;`"
            };
            return self.expected(what, help);
        }
        let start = guard.map_or(first, |guard| guard.span);
        reading.body.instructions.push(Instruction {
            span: start.to(self.span),
            guard,
            opcode,
            opcode_start: opcode_span.start,
            operands,
            location: reading.location,
        });
        self.bump();
        Ok(())
    }

    /// Parts of an opcode may be set off by white space, though hardly anybody does.
    fn spaced_parts(&mut self) -> SmallVec<[Span; 2]> {
        let mut parts = SmallVec::new();
        while let Some(name) = self.directive() {
            if self.starts_line() && STATEMENT_DIRECTIVES.contains(&name) {
                break;
            }
            parts.push(self.span);
            self.bump();
        }
        parts
    }

    fn opcode(&mut self, first: Span, whole: Span, spaced: &[Span]) -> OpcodeId {
        let text = self.text_at(whole);
        if let Some(&id) = self.opcode_ids.get(text) {
            return id;
        }
        let mut parts = Vec::new();
        for token in std::iter::once(&first).chain(spaced) {
            let mut offset = token.start - whole.start;
            for part in self.text_at(*token).split('.') {
                if !part.is_empty() {
                    parts.push(OpcodePart { text: part, offset });
                }
                offset += part.len() as u32 + 1;
            }
        }
        let id = OpcodeId(self.module.opcodes.len() as u32);
        self.module.opcodes.push(Opcode { text, parts });
        self.opcode_ids.insert(text, id);
        id
    }

    /// Skips to behind the `;` of the broken statement. A new line that begins with what looks
    /// like a statement, a brace that closes no vector, and an opening brace on its own end it
    /// too.
    fn recover_statement(&mut self) {
        if self.starts_line() && self.begins_statement() {
            return;
        }
        loop {
            match self.token {
                Token::End => return,
                Token::Semicolon => return self.bump(),
                Token::OpenBrace if self.starts_line() => return,
                Token::CloseBrace if self.starts_line() => return,
                _ => self.bump(),
            }
        }
    }

    fn begins_statement(&self) -> bool {
        match self.token {
            Token::At | Token::Name | Token::Dotted => true,
            Token::CloseBrace | Token::OpenBrace => true,
            Token::Directive => {
                let name = self.directive().unwrap_or("");
                STATEMENT_DIRECTIVES.contains(&name)
            }
            _ => false,
        }
    }
}
