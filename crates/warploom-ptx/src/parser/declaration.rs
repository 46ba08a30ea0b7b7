//! Variables and registers.

use super::{Parse, Parser};
use crate::ast::{
    Body, FunctionId, Linkage, Mark, MarkKind, OpaqueType, PointerAttribute, RegisterDeclaration,
    RegisterDeclarationId, Variable, VariableId, VariableTemplate, VariableTemplateId,
    VariableType,
};
use crate::codes;
use crate::diagnostic::Span;
use crate::lexer::Token;
use crate::suggest::nearest;
use crate::types::{ScalarType, StateSpace};
use smallvec::SmallVec;

/// No memory of any device holds more than this.
const MAX_VARIABLE_BYTES: u64 = 1 << 40;
/// The manual knows no more than three; this only keeps the tree small.
const MAX_DIMENSIONS: usize = 16;

/// What comes before the names of a declaration.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) space: StateSpace,
    pub(super) linkage: Linkage,
    pub(super) owner: Option<FunctionId>,
    ty: VariableType,
    vector: u8,
    align_bytes: Option<u32>,
    managed: bool,
    pointer: Option<PointerAttribute>,
}

/// Whether a dimension of `[]` or 0 is more than a slip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsized {
    Allowed,
    Forbidden,
}

impl Parser<'_> {
    /// The declarations after a state space: `.align 4 .b8 a[4], b = 3;`
    pub(super) fn variables(
        &mut self,
        space: StateSpace,
        linkage: Linkage,
        mut body: Option<(&mut Body, FunctionId)>,
    ) -> Parse<()> {
        let owner = body.as_ref().map(|(_, owner)| *owner);
        let head = self.variable_head(space, linkage, owner)?;
        loop {
            let position = |body: &Body| body.instructions.len() as u32;
            let (symbol, span) = self.name(
                "the name of a variable",
                "a declaration is `.SPACE .TYPE NAME;`, such as `.global .u32 counter;`",
            )?;
            let kind = if self.token == Token::Less {
                let count = self.name_count()?;
                let variable = head.variable(symbol, span, SmallVec::new());
                let id = VariableTemplateId(self.module.variable_templates.len() as u32);
                let template = VariableTemplate { variable, count };
                self.module.variable_templates.push(template);
                MarkKind::VariableTemplate(id)
            } else {
                let allowed = match linkage {
                    Linkage::Extern => Unsized::Allowed,
                    _ => Unsized::Forbidden,
                };
                MarkKind::Variable(self.variable(head, symbol, span, allowed)?)
            };
            if let Some((body, _)) = &mut body {
                let position = position(body);
                body.marks.push(Mark { position, kind });
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(
            Token::Semicolon,
            "`;`",
            "a declaration ends with `;`; several names are separated by commas",
        )
    }

    /// Everything between the state space and the first name.
    pub(super) fn variable_head(
        &mut self,
        space: StateSpace,
        linkage: Linkage,
        owner: Option<FunctionId>,
    ) -> Parse<Head> {
        if space == StateSpace::Const && self.eat(Token::OpenBracket) {
            // Constant banks of old PTX; there is one bank now.
            let help = "write `.const`, without a bank";
            self.u32_number("a bank number", help)?;
            self.expect(Token::CloseBracket, "`]`", help)?;
        }
        let mut ty = None;
        let mut head = Head {
            space,
            linkage,
            owner,
            ty: VariableType::Scalar(ScalarType::B8),
            vector: 1,
            align_bytes: None,
            managed: false,
            pointer: None,
        };
        while let Some(name) = self.directive() {
            let span = self.span;
            self.bump();
            match name {
                "align" => {
                    let align_bytes = self.alignment()?;
                    match &mut head.pointer {
                        Some(pointer) => pointer.align_bytes = align_bytes,
                        None => head.align_bytes = Some(align_bytes),
                    }
                }
                "attribute" => head.managed |= self.attributes()?,
                "v2" => head.vector = 2,
                "v4" => head.vector = 4,
                "v8" => head.vector = 8,
                "ptr" if space == StateSpace::Param => {
                    let space = self.state_space();
                    head.pointer = Some(PointerAttribute {
                        space,
                        align_bytes: 4,
                    });
                }
                "texref" => ty = Some(VariableType::Opaque(OpaqueType::Texture)),
                "samplerref" => ty = Some(VariableType::Opaque(OpaqueType::Sampler)),
                "surfref" => ty = Some(VariableType::Opaque(OpaqueType::Surface)),
                _ if ty.is_none() => {
                    ty = Some(VariableType::Scalar(self.scalar_type(name, span, false)));
                }
                _ => return self.second_type(name, span),
            }
        }
        match ty {
            Some(ty) => Ok(Head { ty, ..head }),
            None => self.expected(
                "a type",
                "a declaration needs a type, such as `.u32` or `.f32`, before the name",
            ),
        }
    }

    /// A type that can be declared; after a report some other, so that the names get known.
    fn scalar_type(&mut self, name: &str, span: Span, register: bool) -> ScalarType {
        let declarable =
            |ty: ScalarType| ty.is_declarable() && (register || ty != ScalarType::Pred);
        let (message, help) = match ScalarType::from_name(name) {
            Some(ty) if declarable(ty) => return ty,
            Some(ScalarType::Pred) => (
                "predicates live in registers only".to_owned(),
                "declare it with `.reg .pred`, or store the value as `.u8`".to_owned(),
            ),
            Some(_) => (
                format!("nothing can be declared with type `.{name}`"),
                "use an untyped container such as `.b8` or `.b16`".to_owned(),
            ),
            None => {
                let types = ScalarType::ALL.iter().map(|ty| ty.name());
                let help = match nearest(name, types) {
                    Some(near) => format!("did you mean `.{near}`?"),
                    None => "types are `.b8` to `.b128`, `.u8` to `.u64`, `.s8` to `.s64`, \
                             `.f16`, `.f32`, `.f64` and so on"
                        .to_owned(),
                };
                (format!("unknown type `.{name}`"), help)
            }
        };
        self.report_at(codes::TYPE, span, message, "not a type for this", help);
        ScalarType::B32
    }

    fn second_type<T>(&mut self, name: &str, span: Span) -> Parse<T> {
        let message = format!("expected a name, found `.{name}`");
        let help = "a declaration has one type, and the name comes after it";
        self.error_at(codes::SYNTAX, span, message, "second type", help)
    }

    fn alignment(&mut self) -> Parse<u32> {
        let span = self.span;
        let help = "alignments are 1, 2, 4, 8, 16 and further powers of two";
        let align_bytes = self.u32_number("an alignment in bytes", help)?;
        if align_bytes.is_power_of_two() {
            return Ok(align_bytes);
        }
        let message = format!("an alignment of {align_bytes} bytes is not a power of two");
        self.report_at(codes::ALIGNMENT, span, message, "not a power of two", help);
        Ok(1)
    }

    /// `(.managed, .unified(1, 2))`: whether `.managed` is there.
    pub(super) fn attributes(&mut self) -> Parse<bool> {
        let help = "attributes are `.attribute(.managed)` and `.attribute(.unified(UUID1, UUID2))`";
        self.expect(Token::OpenParen, "`(`", help)?;
        let mut managed = false;
        loop {
            if self.eat_directive("managed") {
                managed = true;
            } else if self.eat_directive("unified") {
                self.expect(Token::OpenParen, "`(`", help)?;
                self.expect(Token::Number, "a number", help)?;
                self.expect(Token::Comma, "`,`", help)?;
                self.expect(Token::Number, "a number", help)?;
                self.expect(Token::CloseParen, "`)`", help)?;
            } else {
                return self.expected("`.managed` or `.unified`", help);
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseParen, "`)`", help)?;
        Ok(managed)
    }

    /// Dimensions and initialiser of one variable, whose name has been read.
    pub(super) fn variable(
        &mut self,
        head: Head,
        symbol: crate::ast::Symbol,
        span: Span,
        unsized_array: Unsized,
    ) -> Parse<VariableId> {
        let (dimensions, open) = self.dimensions()?;
        let mut variable = head.variable(symbol, span, dimensions);
        if self.token == Token::Equals {
            self.initializer(&mut variable, open)?;
        } else if open || variable.element_count() == 0 {
            variable.unsized_array = open;
            if unsized_array == Unsized::Forbidden {
                let name = self.text_at(span);
                self.report_at(
                    codes::SIZE,
                    span,
                    format!("the size of `{name}` is not known"),
                    "has no elements",
                    "give the number of elements in the brackets, or declare it `.extern`",
                );
            }
        }
        if variable.size_bytes() > MAX_VARIABLE_BYTES {
            let name = self.text_at(span);
            self.report_at(
                codes::SIZE,
                span,
                format!("`{name}` is larger than any memory"),
                "too large",
                "a variable holds at most 2^40 bytes",
            );
        }
        let id = self.next_variable();
        variable.canonical = id;
        self.module.variables.push(variable);
        Ok(id)
    }

    /// `[2][3]`, and whether the first is `[]`.
    fn dimensions(&mut self) -> Parse<(SmallVec<[u64; 2]>, bool)> {
        let mut dimensions = SmallVec::new();
        let mut open = false;
        while self.token == Token::OpenBracket {
            let span = self.span;
            self.bump();
            if dimensions.is_empty() && self.eat(Token::CloseBracket) {
                open = true;
                dimensions.push(0);
                continue;
            }
            let help = "array dimensions are constant: `NAME[4]`";
            dimensions.push(self.dimension(help)?);
            self.expect(Token::CloseBracket, "`]`", help)?;
            if dimensions.len() > MAX_DIMENSIONS {
                let message = format!("an array has at most {MAX_DIMENSIONS} dimensions");
                let help = "declare it with fewer dimensions";
                return self.error_at(codes::SIZE, span, message, "one too many", help);
            }
        }
        Ok((dimensions, open))
    }

    fn dimension(&mut self, help: &str) -> Parse<u64> {
        let span = self.span;
        let value = self.integer_expression("the number of elements", help)?;
        match u64::try_from(value.value()) {
            Ok(count) => Ok(count),
            Err(_) => {
                let span = span.to(self.previous);
                self.error_at(
                    codes::SIZE,
                    span,
                    "an array can't have a negative size",
                    "negative",
                    help,
                )
            }
        }
    }

    /// `<COUNT>` after a name.
    fn name_count(&mut self) -> Parse<u32> {
        let help = "`NAME<4>` declares NAME0, NAME1, NAME2 and NAME3";
        self.expect(Token::Less, "`<`", help)?;
        let count = self.u32_number("the number of names", help)?;
        self.expect(Token::Greater, "`>`", help)?;
        Ok(count)
    }

    /// The declarations after `.reg`.
    pub(super) fn registers(&mut self, body: &mut Body) -> Parse<()> {
        let (ty, vector) = self.register_type()?;
        let help = "registers are declared as `.reg .TYPE NAME;` or `.reg .TYPE NAME<COUNT>;`";
        loop {
            let (name, span) = self.name("the name of a register", help)?;
            let count = match self.token {
                Token::Less => Some(self.name_count()?),
                _ => None,
            };
            let id = RegisterDeclarationId(body.register_declarations.len() as u32);
            body.register_declarations.push(RegisterDeclaration {
                name,
                span,
                count,
                ty,
                vector,
            });
            body.marks.push(Mark {
                position: body.instructions.len() as u32,
                kind: MarkKind::Register(id),
            });
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon, "`;`", help)
    }

    /// `.v2 .f32`
    pub(super) fn register_type(&mut self) -> Parse<(ScalarType, u8)> {
        let mut ty = None;
        let mut vector = 1;
        while let Some(name) = self.directive() {
            let span = self.span;
            self.bump();
            match name {
                "v2" => vector = 2,
                "v4" => vector = 4,
                "v8" => vector = 8,
                "align" => drop(self.alignment()?),
                _ if ty.is_none() => ty = Some(self.scalar_type(name, span, true)),
                _ => return self.second_type(name, span),
            }
        }
        match ty {
            Some(ty) => Ok((ty, vector)),
            None => self.expected(
                "the type of a register",
                "registers are declared as `.reg .TYPE NAME;`, such as `.reg .b32 %r<10>;`",
            ),
        }
    }
}

impl Head {
    fn variable(
        &self,
        name: crate::ast::Symbol,
        span: Span,
        dimensions: SmallVec<[u64; 2]>,
    ) -> Variable {
        let natural = match self.ty {
            VariableType::Scalar(ty) => ty.size_bytes() * u32::from(self.vector),
            VariableType::Opaque(_) => 8,
        };
        Variable {
            name,
            span,
            space: self.space,
            ty: self.ty,
            vector: self.vector,
            dimensions,
            unsized_array: false,
            align_bytes: self.align_bytes.unwrap_or(natural),
            linkage: self.linkage,
            managed: self.managed,
            pointer: self.pointer,
            owner: self.owner,
            initial_values: None,
            canonical: VariableId(0),
        }
    }
}
