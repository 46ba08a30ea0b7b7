//! Operands of instructions.

use super::{Parse, Parser, unresolved};
use crate::ast::{
    Address, AddressId, Body, ByteSelection, ListRange, Name, Operand, OperandKind, Selector,
};
use crate::codes;
use crate::constant::{Constant, Unary};
use crate::diagnostic::Span;
use crate::lexer::Token;

const MAX_NESTING: u32 = 8;

const HELP: &str = "operands are registers, names, constants, vectors `{a, b}`, addresses \
                    `[%rd1+8]`, `_`, `p|q` and `!p`";
const ADDRESS_HELP: &str = "addresses are `[REGISTER+OFFSET]`, `[NAME+OFFSET]` or `[CONSTANT]`";

impl Parser<'_> {
    /// Operands up to something that is no comma.
    pub(super) fn operands(&mut self, body: &mut Body, is_call: bool) -> Parse<ListRange> {
        let from = self.scratch.len();
        self.operand_list(body, is_call, 0)?;
        Ok(self.take_list(body, from))
    }

    fn operand_list(&mut self, body: &mut Body, is_call: bool, depth: u32) -> Parse<()> {
        loop {
            let operand = self.operand(body, is_call, depth)?;
            self.scratch.push(operand);
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
    }

    /// Moves the operands that were collected since `from` into the tree.
    fn take_list(&mut self, body: &mut Body, from: usize) -> ListRange {
        let start = body.operands.len() as u32;
        body.operands.extend(self.scratch.drain(from..));
        let count = body.operands.len() as u32 - start;
        ListRange { start, count }
    }

    /// One operand, or two with a bar between them.
    fn operand(&mut self, body: &mut Body, is_call: bool, depth: u32) -> Parse<Operand> {
        let first = self.single(body, is_call, depth)?;
        let pairs = matches!(
            first.kind,
            OperandKind::Name(_) | OperandKind::Sink | OperandKind::Vector(_)
        );
        if !pairs || !self.eat(Token::Or) {
            return Ok(first);
        }
        let start = first.span;
        let from = self.scratch.len();
        self.scratch.push(first);
        let second = self.single(body, false, depth)?;
        self.scratch.push(second);
        let list = self.take_list(body, from);
        Ok(self.finished(start, OperandKind::Pair(list)))
    }

    /// The operand from `start` to the token before the current one.
    fn finished(&self, start: Span, kind: OperandKind) -> Operand {
        Operand {
            span: start.to(self.previous),
            kind,
        }
    }

    fn single(&mut self, body: &mut Body, is_call: bool, depth: u32) -> Parse<Operand> {
        let start = self.span;
        if depth > MAX_NESTING {
            return self.error_at(
                codes::NESTING,
                start,
                "the operand is nested too deeply",
                "one level too many",
                "vectors don't contain vectors",
            );
        }
        let kind = match self.token {
            Token::Name if self.text() == "WARP_SZ" => self.constant()?,
            Token::Name | Token::Dotted => self.named(body)?,
            Token::Underscore => {
                self.bump();
                OperandKind::Sink
            }
            Token::OpenBrace => {
                let list = self.enclosed(body, depth, Token::CloseBrace, "`,` or `}`")?;
                if list.count == 0 {
                    return self.error_at(
                        codes::SYNTAX,
                        start.to(self.previous),
                        "expected an operand in the vector, found none",
                        "empty",
                        HELP,
                    );
                }
                OperandKind::Vector(list)
            }
            Token::OpenParen if is_call => {
                let list = self.enclosed(body, depth, Token::CloseParen, "`,` or `)`")?;
                OperandKind::List(list)
            }
            Token::OpenBracket => self.address(body, depth)?,
            Token::Bang => {
                self.bump();
                match self.token {
                    Token::Name | Token::Dotted if self.text() != "WARP_SZ" => {
                        OperandKind::Not(self.selected_name()?)
                    }
                    _ => self.constant_after(Unary::Not, start)?,
                }
            }
            Token::Minus => {
                self.bump();
                match self.token {
                    Token::Name | Token::Dotted if self.text() != "WARP_SZ" => {
                        OperandKind::Negate(self.selected_name()?)
                    }
                    _ => self.constant_after(Unary::Minus, start)?,
                }
            }
            Token::Number | Token::OpenParen | Token::Tilde | Token::Plus => self.constant()?,
            _ => return self.expected("an operand", HELP),
        };
        Ok(self.finished(start, kind))
    }

    fn constant(&mut self) -> Parse<OperandKind> {
        let start = self.span;
        let value = self.expression()?;
        if self.text_at(start.to(self.previous)) == "WARP_SZ" {
            return Ok(OperandKind::WarpSize);
        }
        Ok(constant_kind(value))
    }

    fn constant_after(&mut self, operator: Unary, start: Span) -> Parse<OperandKind> {
        Ok(constant_kind(self.expression_after(operator, start)?))
    }

    /// The list between the current token and `close`.
    fn enclosed(
        &mut self,
        body: &mut Body,
        depth: u32,
        close: Token,
        what: &str,
    ) -> Parse<ListRange> {
        self.bump();
        let from = self.scratch.len();
        if self.token != close {
            self.operand_list(body, false, depth + 1)?;
        }
        self.expect(close, what, HELP)?;
        Ok(self.take_list(body, from))
    }

    /// An operand that begins with a name.
    fn named(&mut self, body: &mut Body) -> Parse<OperandKind> {
        let span = self.span;
        let name = self.selected_name()?;
        match self.token {
            // Not `-`: a comma forgotten before a negative constant is likelier.
            Token::Plus => {
                let offset = self.offset()?;
                let id = push_address(body, Some(name), span, offset);
                Ok(OperandKind::NameOffset(id))
            }
            Token::OpenBracket => self.element(body, name, span),
            _ => Ok(OperandKind::Name(name)),
        }
    }

    /// `[INDEX]` after the name of an array.
    fn element(&mut self, body: &mut Body, base: Name, base_span: Span) -> Parse<OperandKind> {
        let help = "array elements are `NAME[CONSTANT]` or `NAME[REGISTER+CONSTANT]`";
        self.bump();
        let (index, offset) = match self.token {
            Token::Name | Token::Dotted if self.text() != "WARP_SZ" => {
                (Some(self.selected_name()?), self.offset()?)
            }
            _ => {
                let value = self.integer_expression("an index", help)?;
                (None, value.bits as i64)
            }
        };
        self.expect(Token::CloseBracket, "`]`", help)?;
        let id = push_address(body, Some(base), base_span, offset);
        if let Some(address) = body.addresses.last_mut() {
            address.index = index;
            // The size of an element is known when the name is resolved.
            address.scale_bytes = 1;
        }
        Ok(OperandKind::Element(id))
    }

    /// `[BASE + OFFSET, ARGUMENTS]`
    fn address(&mut self, body: &mut Body, depth: u32) -> Parse<OperandKind> {
        self.bump();
        let base_span = self.span;
        let (base, offset) = match self.token {
            Token::Name | Token::Dotted if self.text() != "WARP_SZ" => {
                (Some(self.selected_name()?), self.offset()?)
            }
            _ => {
                let value = self.integer_expression("an address", ADDRESS_HELP)?;
                (None, value.bits as i64)
            }
        };
        let arguments = if self.eat(Token::Comma) {
            let from = self.scratch.len();
            self.operand_list(body, false, depth + 1)?;
            self.take_list(body, from)
        } else {
            ListRange::default()
        };
        self.expect(Token::CloseBracket, "`]`", ADDRESS_HELP)?;
        let unified = self.eat_directive("unified");
        let id = push_address(body, base, base_span, offset);
        if let Some(address) = body.addresses.last_mut() {
            address.arguments = arguments;
            address.unified = unified;
        }
        Ok(OperandKind::Address(id))
    }

    /// The name in the current token, with a selector if it is dotted.
    fn selected_name(&mut self) -> Parse<Name> {
        let text = self.text();
        if self.token == Token::Name {
            let symbol = self.module.names.intern(text);
            self.bump();
            return Ok(unresolved(symbol));
        }
        let name = match text.split_once('.') {
            None => unresolved(self.module.names.intern(text)),
            // A forgotten semicolon makes the next opcode look like this.
            Some((base, dotted))
                if self.starts_line()
                    && !base.starts_with('%')
                    && !matches!(selector(dotted), Some(Selector::Element(_))) =>
            {
                return self.expected(
                    "`;`",
                    "operands are separated by commas, and an instruction ends with `;`",
                );
            }
            Some((base, dotted)) => {
                let start = self.span.start + base.len() as u32;
                let Some(selector) = selector(dotted) else {
                    let span = Span::new(start, self.span.end);
                    return self.error_at(
                        codes::SELECTOR,
                        span,
                        format!("`.{dotted}` selects nothing"),
                        "unknown selector",
                        "selectors are .x .y .z .w (or .r .g .b .a) of vectors, and .b0 to .b7 \
                         and .h0 to .h3 of video instructions",
                    );
                };
                Name {
                    selector: Some(selector),
                    ..unresolved(self.module.names.intern(base))
                }
            }
        };
        self.bump();
        Ok(name)
    }
}

fn constant_kind(value: Constant) -> OperandKind {
    match value {
        Constant::Integer(value) => OperandKind::Integer(value),
        Constant::Float(value) => OperandKind::Float(value),
    }
}

fn push_address(body: &mut Body, base: Option<Name>, base_span: Span, offset: i64) -> AddressId {
    let id = AddressId(body.addresses.len() as u32);
    body.addresses.push(Address {
        base,
        base_span,
        offset,
        index: None,
        scale_bytes: 0,
        arguments: ListRange::default(),
        unified: false,
    });
    id
}

fn selector(text: &str) -> Option<Selector> {
    Some(match text {
        "x" | "r" => Selector::Element(0),
        "y" | "g" => Selector::Element(1),
        "z" | "b" => Selector::Element(2),
        "w" | "a" => Selector::Element(3),
        _ => {
            let digits = text.get(1..)?;
            match text.bytes().next()? {
                b'b' => Selector::Bytes(selection(digits, 8, 4)?),
                b'h' => Selector::Halves(selection(digits, 4, 2)?),
                _ => return None,
            }
        }
    })
}

/// One to `most` digits below `limit`.
fn selection(text: &str, limit: u8, most: usize) -> Option<ByteSelection> {
    let mut selection = ByteSelection {
        digits: [0; 4],
        count: 0,
    };
    if text.is_empty() || text.len() > most {
        return None;
    }
    for (slot, byte) in selection.digits.iter_mut().zip(text.bytes()) {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit < limit)?;
        *slot = digit;
        selection.count += 1;
    }
    Some(selection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors() {
        assert_eq!(selector("x"), Some(Selector::Element(0)));
        assert_eq!(selector("a"), Some(Selector::Element(3)));
        assert_eq!(selector("b"), Some(Selector::Element(2)));
        let bytes = |digits, count| Some(Selector::Bytes(ByteSelection { digits, count }));
        assert_eq!(selector("b7"), bytes([7, 0, 0, 0], 1));
        assert_eq!(selector("b3210"), bytes([3, 2, 1, 0], 4));
        let halves = |digits, count| Some(Selector::Halves(ByteSelection { digits, count }));
        assert_eq!(selector("h10"), halves([1, 0, 0, 0], 2));
        for text in ["", "b8", "h4", "h000", "b01234", "q", "xy", "h"] {
            assert_eq!(selector(text), None, "{text}");
        }
    }
}
