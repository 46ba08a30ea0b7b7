//! Expressions: precedence climbing over the operator table.

use crate::diagnostic::Span;
use crate::lexer::{Kind, literal};
use crate::operator::{self, COMPARISON, Operator};
use crate::parse::Cursor;
use crate::syntax::{Expr, Node, STATEMENTS, WORDS};

/// Parentheses, prefixes and right operands that may be open at once.
const MAX_NESTING: u32 = 32;
/// Operators on the longest way from the root of an expression to a leaf.
const MAX_DEPTH: u32 = 100;

impl Cursor<'_> {
    /// An expression.
    pub(crate) fn expression(&mut self) -> Option<Expr> {
        self.infix(0, 0)
    }

    fn infix(&mut self, least: u8, nesting: u32) -> Option<Expr> {
        let mut left = self.operand(nesting)?;
        let mut compared = false;
        while let Some((operator, precedence)) = operator::infix(self.text()) {
            if precedence < least {
                break;
            }
            if precedence == COMPARISON && std::mem::replace(&mut compared, true) {
                return self.fail(
                    self.span(),
                    "comparisons can't be chained",
                    "expected the end of the comparison",
                    "compare twice and join with `and`: `0 < x and x < 8`",
                );
            }
            self.advance();
            let right = self.infix(precedence + 1, nesting + 1)?;
            let span = left.span.to(right.span);
            left = self.apply(operator, vec![left, right], span)?;
        }
        Some(left)
    }

    fn operand(&mut self, nesting: u32) -> Option<Expr> {
        let span = self.span();
        if nesting > MAX_NESTING {
            return self.too_deep(span);
        }
        if let Some((operator, precedence)) = operator::prefix(self.text()) {
            self.advance();
            let operand = self.infix(precedence, nesting + 1)?;
            let span = span.to(operand.span);
            return self.apply(operator, vec![operand], span);
        }
        if self.eat("(") {
            let inner = self.infix(0, nesting + 1)?;
            self.expect(")", "close the parenthesis, or remove the one that is open")?;
            return Some(inner);
        }
        let text = self.text();
        match self.kind() {
            Some(Kind::Number) => {
                let Some(value) = literal(text) else {
                    return self.fail(
                        span,
                        format!("`{text}` is not a number of the language"),
                        "expected an int up to 2147483647, hexadecimal (0x1f), or a float (1.5)",
                        "write a float with a point; bits beyond 31 in hexadecimal",
                    );
                };
                self.advance();
                Some(leaf(Node::Number(value), span))
            }
            Some(Kind::Word) if STATEMENTS.contains(&text) || WORDS.contains(&text) => {
                let help = if text == "load" {
                    "a load is a line of its own: `x = load data[i]`; use `x` afterwards"
                } else {
                    "a keyword can't be a name"
                };
                let message = format!("`{text}` can't stand in an expression");
                self.fail(span, message, "expected a value", help)
            }
            Some(Kind::Word) => {
                self.advance();
                if self.text() == "(" {
                    self.call(text.to_owned(), span, nesting)
                } else if self.text() == "[" {
                    self.fail(
                        span.to(self.span()),
                        "an array element can't stand in an expression",
                        "expected a variable or a number",
                        format!("load it first, on a line of its own: `x = load {text}[i]`"),
                    )
                } else {
                    Some(leaf(Node::Name(text.to_owned()), span))
                }
            }
            _ => self.unexpected(
                "a value",
                "a value is a number, a name, `-x`, `not x`, `min(a, b)` or a parenthesis",
            ),
        }
    }

    /// `name(argument, …)`, at the parenthesis.
    fn call(&mut self, name: String, span: Span, nesting: u32) -> Option<Expr> {
        let Some((operator, count)) = operator::function(&name) else {
            let functions = operator::all().filter(|row| row.is_function());
            let names: Vec<&str> = functions.map(|row| row.spelling).collect();
            return self.fail(
                span,
                format!("there is no function `{name}`"),
                "expected a function",
                format!("the functions are {}", names.join(", ")),
            );
        };
        self.advance();
        let mut arguments = Vec::new();
        while self.text() != ")" {
            arguments.push(self.infix(0, nesting + 1)?);
            if !self.eat(",") {
                break;
            }
        }
        let end = self.span();
        self.expect(")", "arguments are separated by commas, in parentheses")?;
        if arguments.len() != usize::from(count) {
            let plural = if count == 1 { "" } else { "s" };
            return self.fail(
                span.to(end),
                format!(
                    "`{name}` takes {count} argument{plural}, not {}",
                    arguments.len()
                ),
                format!("expected {count} argument{plural}"),
                "add what is missing, or remove what is too much",
            );
        }
        self.apply(operator, arguments, span.to(end))
    }

    fn apply(
        &mut self,
        operator: &'static Operator,
        operands: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let depth = 1 + operands
            .iter()
            .map(|operand| operand.depth)
            .max()
            .unwrap_or(0);
        if depth > MAX_DEPTH {
            return self.too_deep(span);
        }
        Some(Expr {
            node: Node::Apply(operator, operands),
            span,
            depth,
        })
    }

    fn too_deep(&mut self, span: Span) -> Option<Expr> {
        self.fail(
            span,
            "the expression is nested too deeply",
            format!("expected at most {MAX_NESTING} levels of nesting and {MAX_DEPTH} operators in a row"),
            "split it: assign a part to a variable first",
        )
    }
}

fn leaf(node: Node, span: Span) -> Expr {
    Expr {
        node,
        span,
        depth: 0,
    }
}
