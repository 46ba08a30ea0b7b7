//! Tokens of one line. Which word or sign a token is, its text says.

use logos::Logos;

use crate::diagnostic::Span;

/// The kind of a token.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\f]+")]
pub(crate) enum Kind {
    /// A keyword or a name.
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    /// A number; what is glued to it belongs to it, so that a misspelt one is one mistake.
    #[regex(r"[0-9][0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?[A-Za-z0-9_.]*")]
    #[regex("0[xX][A-Za-z0-9_.]*", priority = 20)]
    Number,
    #[regex(r"<<|>>|==|!=|<=|>=|[-+*/%&|^~()\[\],:=<>]")]
    Sign,
    /// A sign of other languages.
    #[regex(r"&&|\|\||\*\*|//|\+\+|--|(<<|>>|[-+*/%&|^])=|[;{}!?@$.]")]
    Foreign,
    /// Nothing that a program can hold.
    Stray,
}

/// A token and its place in the whole text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// The tokens of a line that starts at byte `start` of the text, without its comment.
pub(crate) fn tokens(line: &str, start: u32) -> Vec<Token> {
    let code = line.split('#').next().unwrap_or("");
    Kind::lexer(code)
        .spanned()
        .map(|(kind, range)| Token {
            kind: kind.unwrap_or(Kind::Stray),
            span: Span::new(start + range.start as u32, start + range.end as u32),
        })
        .collect()
}

/// A number of the source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Literal {
    Int(u32),
    Float(f32),
}

/// The value of a number; `None` when it is malformed or does not fit.
///
/// A decimal integer is at most 2147483647; a hexadecimal one gives the 32 bits themselves.
pub(crate) fn literal(text: &str) -> Option<Literal> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        return u32::from_str_radix(hex, 16).ok().map(Literal::Int);
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = digits.parse::<i32>().ok()?;
        return Some(Literal::Int(value as u32));
    }
    let value = digits.parse::<f32>().ok().filter(|v| v.is_finite())?;
    Some(Literal::Float(value))
}
