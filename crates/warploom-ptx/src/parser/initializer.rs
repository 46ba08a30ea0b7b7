//! Initial values of variables, flattened to a list of scalars and where they go.

use super::{Parse, Parser, unresolved};
use crate::ast::{
    Float, InitialAddress, InitialAddressId, InitialValue, ListRange, Value, Variable, VariableType,
};
use crate::codes;
use crate::constant::Constant;
use crate::diagnostic::Span;
use crate::lexer::Token;
use crate::types::{ScalarType, StateSpace, TypeClass};
use smallvec::SmallVec;

const HELP: &str = "values are constants, variable or function names with an offset, \
                    `generic(NAME)` or `0xFF(NAME)`; arrays and vectors take a list in braces for \
                    each dimension";

/// How the elements of a variable are nested.
struct Shape {
    /// Elements of each level, vectors being the innermost one.
    counts: SmallVec<[u64; 4]>,
    /// Scalars in an element of each level.
    strides: SmallVec<[u64; 4]>,
    /// The outermost level grows with its list.
    open: bool,
    ty: ScalarType,
}

impl Shape {
    fn new(variable: &Variable, ty: ScalarType, open: bool) -> Shape {
        let mut counts: SmallVec<[u64; 4]> = variable.dimensions.iter().copied().collect();
        if variable.vector > 1 {
            counts.push(u64::from(variable.vector));
        }
        let mut stride = 1u64;
        let mut strides: SmallVec<[u64; 4]> = SmallVec::from_elem(0, counts.len());
        for (slot, &count) in strides.iter_mut().zip(&counts).rev() {
            *slot = stride;
            stride = stride.saturating_mul(count);
        }
        Shape {
            counts,
            strides,
            open,
            ty,
        }
    }
}

impl Parser<'_> {
    /// Reads from the `=` on.
    pub(super) fn initializer(&mut self, variable: &mut Variable, open: bool) -> Parse<()> {
        let equals = self.span;
        self.bump();
        if !matches!(variable.space, StateSpace::Global | StateSpace::Const) {
            let space = variable.space.name();
            return self.error_at(
                codes::INITIALIZER,
                equals,
                format!("variables in `.{space}` have no initial value"),
                "not allowed here",
                "store the value at the start of the kernel; only `.global` and `.const` \
                 variables are initialised",
            );
        }
        let VariableType::Scalar(ty) = variable.ty else {
            return self.opaque_value();
        };
        let shape = Shape::new(variable, ty, open);
        let start = self.module.initial_values.len() as u32;
        if shape.counts.is_empty() {
            self.scalar(&shape, 0)?;
        } else {
            let count = self.list(&shape, 0, 0)?;
            if let (true, Some(outermost)) = (open, variable.dimensions.first_mut()) {
                *outermost = count;
            }
        }
        let count = self.module.initial_values.len() as u32 - start;
        variable.initial_values = Some(ListRange { start, count });
        Ok(())
    }

    /// `{ ... }` for the level `level`, whose first scalar is number `base`: how many elements.
    fn list(&mut self, shape: &Shape, level: usize, base: u64) -> Parse<u64> {
        let (Some(&limit), Some(&stride)) = (shape.counts.get(level), shape.strides.get(level))
        else {
            return Ok(0);
        };
        self.expect(Token::OpenBrace, "`{`", HELP)?;
        let mut count = 0;
        if self.eat(Token::CloseBrace) {
            return Ok(count);
        }
        loop {
            if count >= limit && !(shape.open && level == 0) {
                return self.error_at(
                    codes::INITIALIZER,
                    self.span,
                    format!("more values than the {limit} elements there are"),
                    "surplus value",
                    HELP,
                );
            }
            let index = base.saturating_add(count.saturating_mul(stride));
            if level + 1 < shape.counts.len() {
                self.list(shape, level + 1, index)?;
            } else {
                self.scalar(shape, index)?;
            }
            count += 1;
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseBrace, "`,` or `}`", HELP)?;
        Ok(count)
    }

    fn scalar(&mut self, shape: &Shape, index: u64) -> Parse<()> {
        let start = self.span;
        let value = match self.token {
            Token::Number => {
                let number = self.number()?;
                self.bump();
                match self.token {
                    Token::Comma | Token::CloseBrace | Token::Semicolon => {
                        self.checked(shape.ty, number, start)?
                    }
                    Token::OpenParen => self.masked(shape.ty, number, start)?,
                    _ => {
                        let value = self.expression_from(number, start)?;
                        self.checked(shape.ty, value, start)?
                    }
                }
            }
            Token::Name if self.text() != "WARP_SZ" => self.initial_address(shape.ty, None)?,
            _ => {
                let value = self.expression()?;
                self.checked(shape.ty, value, start)?
            }
        };
        let Ok(index) = u32::try_from(index) else {
            return self.error_at(
                codes::SIZE,
                start,
                "the variable is too large to be initialised",
                "more than 2^32 elements before this one",
                "initialise it in a kernel",
            );
        };
        self.module.initial_values.push(InitialValue {
            index,
            start: start.start,
            value,
        });
        Ok(())
    }

    /// A constant, if it goes with the type of the variable.
    fn checked(&mut self, ty: ScalarType, value: Constant, start: Span) -> Parse<Value> {
        let (message, help) = match (value, ty.class()) {
            (Constant::Integer(_), TypeClass::Float) => (
                format!(
                    "an integer can't be the value of a `.{}` variable",
                    ty.name()
                ),
                "write it with a decimal point, as 5.0, or as 0f or 0d and hexadecimal digits",
            ),
            (Constant::Float(_), TypeClass::Signed | TypeClass::Unsigned) => (
                format!(
                    "a floating-point number can't be the value of a `.{}` variable",
                    ty.name()
                ),
                "write an integer, or declare the variable with a `.f` or `.b` type",
            ),
            (Constant::Integer(value), _) => return Ok(Value::Integer(value)),
            (Constant::Float(Float::Single(bits)), _) => return Ok(Value::Single(bits)),
            (Constant::Float(Float::Double(bits)), _) => return Ok(Value::Double(bits)),
        };
        let span = start.to(self.previous);
        self.error_at(codes::INITIALIZER, span, message, "wrong type", help)
    }

    /// `0xFF00(ADDRESS)`, from the parenthesis on.
    fn masked(&mut self, ty: ScalarType, mask: Constant, start: Span) -> Parse<Value> {
        let bits = mask.integer().map_or(0, |mask| mask.bits);
        let byte = (0..8u8).find(|byte| bits == 0xFF << (8 * byte));
        let Some(byte) = byte else {
            return self.error_at(
                codes::INITIALIZER,
                start,
                "an address mask picks one byte",
                "not a mask",
                "masks are 0xFF, 0xFF00, 0xFF0000 and so on",
            );
        };
        self.bump();
        let value = self.initial_address(ty, Some(byte))?;
        self.expect(Token::CloseParen, "`)`", HELP)?;
        Ok(value)
    }

    /// `NAME + OFFSET` or `generic(NAME + OFFSET) + OFFSET`.
    fn initial_address(&mut self, ty: ScalarType, byte: Option<u8>) -> Parse<Value> {
        let (mut symbol, mut span) = self.name("a name", HELP)?;
        if ty.is_float() {
            let message = format!(
                "an address can't be the value of a `.{}` variable",
                ty.name()
            );
            let help = "declare the variable as `.u64` or `.b64`";
            return self.error_at(codes::INITIALIZER, span, message, "an address", help);
        }
        let generic = self.token == Token::OpenParen;
        let mut offset = 0;
        if generic {
            if self.text_at(span) != "generic" {
                return self.expected("`,`, `}` or `;`", HELP);
            }
            self.bump();
            (symbol, span) = self.name("a name", HELP)?;
            offset = self.offset()?;
            self.expect(Token::CloseParen, "`)`", HELP)?;
        }
        offset = self.offset()?.wrapping_add(offset);
        let id = InitialAddressId(self.module.initial_addresses.len() as u32);
        self.module.initial_addresses.push(InitialAddress {
            name: unresolved(symbol),
            span,
            offset,
            generic,
            byte,
        });
        Ok(Value::Address(id))
    }

    /// `{ FIELD = VALUE, ... }` of a sampler or texture, or a list of them. The fields describe
    /// hardware that only texture instructions would use.
    fn opaque_value(&mut self) -> Parse<()> {
        let help = "write `{ FIELD = VALUE, ... }`, such as `{ filter_mode = nearest }`";
        if self.token != Token::OpenBrace {
            return self.expected("`{`", help);
        }
        let mut depth = 0u32;
        loop {
            match self.token {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => depth -= 1,
                Token::Name | Token::Number | Token::Equals | Token::Comma => {}
                _ => return self.expected("a field, a value or `}`", help),
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
