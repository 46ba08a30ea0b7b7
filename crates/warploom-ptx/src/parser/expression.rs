//! Constant expressions, folded as they are read.

use super::{Parse, Parser};
use crate::ast::Integer;
use crate::codes;
use crate::constant::{Binary, Constant, ConstantFault, Unary, parse_number};
use crate::diagnostic::Span;
use crate::lexer::Token;

/// Every architecture of PTX has warps of this many lanes. Only expressions such as
/// `WARP_SZ * 2` use it; on its own `WARP_SZ` stays symbolic.
const WARP_SIZE: i64 = 32;

const MAX_NESTING: u32 = 64;

/// How tightly addition binds, for `NAME + 4 - 8`.
pub(super) const ADDITIVE: u8 = 9;

fn binary(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::OrOr => (Binary::LogicalOr, 1),
        Token::AndAnd => (Binary::LogicalAnd, 2),
        Token::Or => (Binary::Or, 3),
        Token::Xor => (Binary::Xor, 4),
        Token::And => (Binary::And, 5),
        Token::EqualEqual => (Binary::Equal, 6),
        Token::NotEqual => (Binary::NotEqual, 6),
        Token::Less => (Binary::Less, 7),
        Token::LessEqual => (Binary::LessEqual, 7),
        Token::Greater => (Binary::Greater, 7),
        Token::GreaterEqual => (Binary::GreaterEqual, 7),
        Token::ShiftLeft => (Binary::ShiftLeft, 8),
        Token::ShiftRight => (Binary::ShiftRight, 8),
        Token::Plus => (Binary::Add, ADDITIVE),
        Token::Minus => (Binary::Subtract, ADDITIVE),
        Token::Star => (Binary::Multiply, 10),
        Token::Slash => (Binary::Divide, 10),
        Token::Percent => (Binary::Remainder, 10),
        _ => return None,
    })
}

fn unary(token: Token) -> Option<Unary> {
    Some(match token {
        Token::Plus => Unary::Plus,
        Token::Minus => Unary::Minus,
        Token::Bang => Unary::Not,
        Token::Tilde => Unary::Complement,
        _ => return None,
    })
}

const HELP: &str = "constants are numbers such as 12, 0x1F, 1.5 or 0f3F800000, and expressions \
                    of them";

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn expression(&mut self) -> Parse<Constant> {
        self.conditional(0)
    }

    /// The expression `OPERATOR EXPRESSION` whose operator, at `start`, has been read already.
    pub(super) fn expression_after(&mut self, operator: Unary, start: Span) -> Parse<Constant> {
        let operand = self.operand_of_expression(0)?;
        let left = self.folded(operand.unary(operator), start)?;
        self.expression_from(left, start)
    }

    /// The expression whose first operand, at `start`, has been read already.
    pub(super) fn expression_from(&mut self, left: Constant, start: Span) -> Parse<Constant> {
        let left = self.binary_tail(left, start, 0, 0)?;
        self.conditional_tail(left, start, 0)
    }

    /// What is added to a name: from `+` or `-` on.
    pub(super) fn offset(&mut self) -> Parse<i64> {
        let start = self.span;
        let zero = Constant::Integer(Integer {
            bits: 0,
            unsigned: false,
        });
        let sum = self.binary_tail(zero, start, ADDITIVE, 0)?;
        let sum = self.folded(sum.integer(), start)?;
        Ok(sum.bits as i64)
    }

    /// An expression with an integer value.
    pub(super) fn integer_expression(&mut self, what: &str, help: &str) -> Parse<Integer> {
        let start = self.span;
        match self.expression()? {
            Constant::Integer(value) => Ok(value),
            Constant::Float(_) => {
                let span = start.to(self.previous);
                let message = format!("expected {what}, found a floating-point number");
                self.error_at(
                    codes::EXPRESSION_TYPE,
                    span,
                    message,
                    "not an integer",
                    help,
                )
            }
        }
    }

    fn conditional(&mut self, depth: u32) -> Parse<Constant> {
        let start = self.span;
        let first = self.operand_of_expression(depth)?;
        let condition = self.binary_tail(first, start, 0, depth)?;
        self.conditional_tail(condition, start, depth)
    }

    fn conditional_tail(
        &mut self,
        condition: Constant,
        start: Span,
        depth: u32,
    ) -> Parse<Constant> {
        if !self.eat(Token::Question) {
            return Ok(condition);
        }
        let yes = self.conditional(depth + 1)?;
        self.expect(Token::Colon, "`:`", "write `CONDITION ? VALUE : VALUE`")?;
        let no = self.conditional(depth + 1)?;
        self.folded(condition.select(yes, no), start)
    }

    /// Folds operators that bind at least as tightly as `least` into `left`.
    fn binary_tail(
        &mut self,
        mut left: Constant,
        start: Span,
        least: u8,
        depth: u32,
    ) -> Parse<Constant> {
        while let Some((operator, tightness)) = binary(self.token) {
            if tightness < least {
                break;
            }
            self.bump();
            let first = self.operand_of_expression(depth)?;
            let right = self.binary_tail(first, start, tightness + 1, depth)?;
            left = self.folded(left.binary(operator, right), start)?;
        }
        Ok(left)
    }

    fn operand_of_expression(&mut self, depth: u32) -> Parse<Constant> {
        let start = self.span;
        if depth > MAX_NESTING {
            return self.error_at(
                codes::NESTING,
                start,
                "the expression is nested too deeply",
                "one level too many",
                "write the value itself",
            );
        }
        if let Some(operator) = unary(self.token) {
            self.bump();
            let operand = self.operand_of_expression(depth + 1)?;
            return self.folded(operand.unary(operator), start);
        }
        match self.token {
            Token::Number => {
                let value = self.number()?;
                self.bump();
                Ok(value)
            }
            Token::OpenParen => {
                self.bump();
                if self.token == Token::Directive {
                    return self.cast(start, depth);
                }
                let value = self.conditional(depth + 1)?;
                self.expect(Token::CloseParen, "`)`", "close the parenthesis")?;
                Ok(value)
            }
            Token::Name if self.text() == "WARP_SZ" => {
                self.bump();
                Ok(Constant::Integer(Integer {
                    bits: WARP_SIZE as u64,
                    unsigned: false,
                }))
            }
            _ => self.expected("a constant", HELP),
        }
    }

    /// `.s64) OPERAND`, after the parenthesis.
    fn cast(&mut self, start: Span, depth: u32) -> Parse<Constant> {
        let help = "the casts are `(.s64)` and `(.u64)`";
        let unsigned = match self.directive() {
            Some("s64") => false,
            Some("u64") => true,
            _ => return self.expected("`.s64` or `.u64`", help),
        };
        self.bump();
        self.expect(Token::CloseParen, "`)`", help)?;
        let operand = self.operand_of_expression(depth + 1)?;
        self.folded(operand.cast(unsigned), start)
    }

    /// The value of the current token, a number.
    pub(super) fn number(&mut self) -> Parse<Constant> {
        self.folded(parse_number(self.text()), self.span)
    }

    /// Reports a fault; the faulty text goes from `start` to the token before the current one,
    /// or is the current token if that is at `start`.
    fn folded<T>(&mut self, result: Result<T, ConstantFault>, start: Span) -> Parse<T> {
        let fault = match result {
            Ok(value) => return Ok(value),
            Err(fault) => fault,
        };
        let span = if self.span.start == start.start {
            self.span
        } else {
            start.to(self.previous)
        };
        let text = self.text_at(span);
        match fault {
            ConstantFault::Malformed(help) => {
                let message = format!("`{text}` is not a number");
                self.error_at(codes::NUMBER, span, message, "malformed number", help)
            }
            ConstantFault::TooLarge => self.error_at(
                codes::RANGE,
                span,
                format!("`{text}` is too large"),
                "does not fit 64 bits",
                "integer constants go up to 0xFFFFFFFFFFFFFFFF",
            ),
            ConstantFault::DivisionByZero => self.error_at(
                codes::ZERO_DIVISION,
                span,
                "the constant expression divides by zero",
                "divisor is zero",
                "change the divisor",
            ),
            ConstantFault::Type => self.error_at(
                codes::EXPRESSION_TYPE,
                span,
                "the constant expression mixes integers and floating-point numbers",
                "operands don't fit together",
                "write all operands of an operator as integers, or all as floating-point \
                 numbers; only + - * / and comparisons take floating-point numbers",
            ),
        }
    }
}
