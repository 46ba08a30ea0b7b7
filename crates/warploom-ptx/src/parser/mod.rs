//! Recursive descent from tokens to the syntax tree.
//!
//! One token is looked at; nothing is ever read twice. A method that meets something wrong
//! reports it and returns `Err(Reported)`; the statement or module loop that called it skips to
//! a place where reading makes sense again and goes on.

mod body;
mod declaration;
mod expression;
mod function;
mod header;
mod initializer;
mod operand;

use crate::ast::{
    FunctionId, Module, Name, Names, OpcodeId, Operand, Symbol, Target, TargetPlatform,
    TargetSuffix, VariableId, Version,
};
use crate::codes;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::lexer::{Fault, Lexer, Token};
use rustc_hash::FxHashMap;

/// Says that an error has been reported and the caller has to find its way.
#[derive(Debug)]
pub(crate) struct Reported;

pub(crate) type Parse<T> = Result<T, Reported>;

/// Reads one module.
pub(crate) struct Parser<'s> {
    lexer: Lexer<'s>,
    token: Token,
    span: Span,
    /// The token before the current one.
    previous: Span,
    module: Module<'s>,
    opcode_ids: FxHashMap<&'s str, OpcodeId>,
    diagnostics: Diagnostics,
    /// A declaration was unreadable, so names may be missing.
    names_lost: bool,
    /// Operands under construction.
    scratch: Vec<Operand>,
}

/// What parsing gives.
pub(crate) struct Parsed<'s> {
    pub(crate) module: Module<'s>,
    pub(crate) diagnostics: Diagnostics,
    /// A declaration was unreadable, so that its names seem to be unknown.
    pub(crate) names_lost: bool,
}

/// Parses `source`, which must be shorter than 4 GiB, without looking at what names mean.
pub(crate) fn parse_syntax<'s>(source: &'s str, file_name: &str) -> Parsed<'s> {
    let mut diagnostics = Diagnostics::new();
    let (source, rest) = match source.find('\0') {
        Some(end) => source.split_at(end),
        None => (source, ""),
    };
    let surplus = rest.trim_start_matches(|c: char| c == '\0' || c.is_whitespace());
    if !surplus.is_empty() {
        let start = (source.len() + rest.len() - surplus.len()) as u32;
        let message = "the text after the NUL byte is ignored";
        let at = Span::new(start, start + 1);
        let report = Diagnostic::new(codes::TRAILING_TEXT, at, message, "ignored from here on");
        diagnostics.push(report.with_help("a NUL byte ends a module; remove it or what follows"));
    }
    let mut parser = Parser {
        lexer: Lexer::new(source),
        token: Token::End,
        span: Span::default(),
        previous: Span::default(),
        module: empty_module(source, file_name),
        opcode_ids: FxHashMap::default(),
        diagnostics,
        names_lost: false,
        scratch: Vec::new(),
    };
    parser.bump();
    parser.module();
    Parsed {
        module: parser.module,
        diagnostics: parser.diagnostics,
        names_lost: parser.names_lost,
    }
}

/// A module with nothing in it.
pub(crate) fn empty_module<'s>(source: &'s str, file_name: &str) -> Module<'s> {
    Module {
        source,
        file_name: file_name.to_owned(),
        version: Version { major: 0, minor: 0 },
        target: TargetPlatform {
            architecture: 0,
            suffix: TargetSuffix::Baseline,
            options: Vec::new(),
        },
        address_size_bits: 64,
        functions: Vec::new(),
        variables: Vec::new(),
        variable_templates: Vec::new(),
        initial_values: Vec::new(),
        initial_addresses: Vec::new(),
        opcodes: Vec::new(),
        aliases: Vec::new(),
        files: Vec::new(),
        sections: Vec::new(),
        pragmas: Vec::new(),
        names: Names::for_text(source.len()),
    }
}

/// Looking at and moving over tokens.
impl<'s> Parser<'s> {
    #[inline]
    fn bump(&mut self) {
        self.previous = self.span;
        (self.token, self.span) = self.lexer.next();
    }

    #[inline]
    fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.bump();
        }
        found
    }

    /// Text of the current token.
    #[inline]
    fn text(&self) -> &'s str {
        self.text_at(self.span)
    }

    #[inline]
    fn text_at(&self, span: Span) -> &'s str {
        span.text(self.module.source)
    }

    /// The text of the current token without its dot, if it is a directive.
    fn directive(&self) -> Option<&'s str> {
        match self.token {
            Token::Directive => self.text().get(1..),
            _ => None,
        }
    }

    fn eat_directive(&mut self, name: &str) -> bool {
        let found = self.directive() == Some(name);
        if found {
            self.bump();
        }
        found
    }

    /// Whether the current token is the first on its line.
    fn starts_line(&self) -> bool {
        let between = Span::new(self.previous.end, self.span.start);
        self.text_at(between).contains('\n')
    }

    /// A name that is declared or used here, without selector.
    fn name(&mut self, what: &str, help: &str) -> Parse<(Symbol, Span)> {
        if self.token != Token::Name {
            return self.expected(what, help);
        }
        let symbol = self.module.names.intern(self.text());
        self.bump();
        Ok((symbol, self.previous))
    }

    /// As `name`, or `_`.
    fn name_or_underscore(&mut self, what: &str, help: &str) -> Parse<(Symbol, Span)> {
        if self.token != Token::Underscore {
            return self.name(what, help);
        }
        let symbol = self.module.names.intern("_");
        self.bump();
        Ok((symbol, self.previous))
    }

    fn expect(&mut self, token: Token, what: &str, help: &str) -> Parse<()> {
        if self.eat(token) {
            Ok(())
        } else {
            self.expected(what, help)
        }
    }

    /// A string's text between its quotes.
    fn string(&mut self, what: &str, help: &str) -> Parse<&'s str> {
        if self.token != Token::String {
            return self.expected(what, help);
        }
        let text = self.text();
        self.bump();
        Ok(text.get(1..text.len() - 1).unwrap_or(""))
    }

    fn next_function(&self) -> FunctionId {
        FunctionId(self.module.functions.len() as u32)
    }

    fn next_variable(&self) -> VariableId {
        VariableId(self.module.variables.len() as u32)
    }
}

/// Reporting and recovering.
impl Parser<'_> {
    /// Reports and goes on, where something can be made of it.
    fn report_at(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        let report = Diagnostic::new(code, span, message, label);
        self.diagnostics.push(report.with_help(help));
    }

    fn error_at<T>(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Parse<T> {
        self.report_at(code, span, message, label, help);
        Err(Reported)
    }

    /// Reports that the current token is not `what`, which would have continued the statement.
    fn expected<T>(&mut self, what: &str, help: &str) -> Parse<T> {
        if self.starts_line() || self.token == Token::End {
            let label = format!("expected {what} after this");
            self.expected_at(self.previous, what, label, help)
        } else {
            self.expected_here(what, help)
        }
    }

    /// Reports that the current token is not `what`, which would have begun something.
    fn expected_here<T>(&mut self, what: &str, help: &str) -> Parse<T> {
        self.expected_at(self.span, what, format!("expected {what}"), help)
    }

    fn expected_at<T>(&mut self, span: Span, what: &str, label: String, help: &str) -> Parse<T> {
        if let Token::Bad(fault) = self.token {
            return self.bad_token(fault);
        }
        let found = match self.token {
            Token::End => "the end of the file".to_owned(),
            _ => format!("`{}`", shortened(self.text())),
        };
        let message = format!("expected {what}, found {found}");
        self.error_at(codes::SYNTAX, span, message, label, help)
    }

    fn bad_token<T>(&mut self, fault: Fault) -> Parse<T> {
        let text = shortened(self.text());
        let (code, message, label, help) = match fault {
            Fault::Character => (
                codes::CHARACTER,
                format!("`{text}` is no part of PTX"),
                "unexpected character",
                "outside comments and strings PTX is written in ASCII letters, digits and the \
                 usual punctuation; remove it",
            ),
            Fault::OpenComment => (
                codes::UNTERMINATED,
                "the comment has no end".to_owned(),
                "starts here",
                "close it with `*/`",
            ),
            Fault::OpenString => (
                codes::UNTERMINATED,
                "the string has no end".to_owned(),
                "starts here",
                "close it with `\"` on the same line",
            ),
            Fault::Preprocessor => (
                codes::PREPROCESSOR,
                "preprocessor directives are not carried out".to_owned(),
                "not a line marker",
                "only `#line`, `#pragma` and line markers may stand in a module; run the \
                 preprocessor first, for example `cpp -P`",
            ),
        };
        let span = match fault {
            Fault::Preprocessor => self.span,
            _ => Span::new(
                self.span.start,
                self.span.start + first_char_len(self.text()),
            ),
        };
        self.bump();
        self.error_at(code, span, message, label, help)
    }
}

fn first_char_len(text: &str) -> u32 {
    text.chars().next().map_or(0, |c| c.len_utf8() as u32)
}

/// `text`, cut where it would make a message unreadable.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A name that nobody has looked up yet.
fn unresolved(symbol: Symbol) -> Name {
    Name {
        symbol,
        selector: None,
        target: Target::Unresolved,
    }
}
