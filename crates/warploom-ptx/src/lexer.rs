//! Tokens of PTX. Dotted names (`ld.global.f32`, `%tid.x`) are one token, since white space
//! never stands inside them in practice and most of the text is made of them.

use crate::diagnostic::Span;
use logos::{FilterResult, Logos, Skip};

/// A kind of token; its text is found by its span.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = Fault)]
#[logos(skip r"[ \t\r\n\f\x0b]+")]
pub(crate) enum Token {
    /// `name`
    #[regex(r"[A-Za-z][A-Za-z0-9_$]*")]
    #[regex(r"[_$%][A-Za-z0-9_$]+")]
    Name,
    /// `name.part.part::part`
    #[regex(r"[A-Za-z][A-Za-z0-9_$]*(\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*)+")]
    #[regex(r"[_$%][A-Za-z0-9_$]+(\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*)+")]
    Dotted,
    /// `_`
    #[token("_")]
    Underscore,
    /// `.part::part`
    #[regex(r"\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*")]
    Directive,
    #[regex(r"[0-9][0-9A-Za-z_]*")]
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?", priority = 20)]
    #[regex(r"[0-9]+[eE][+-][0-9]+")]
    Number,
    #[token("\"", string)]
    String,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("@")]
    At,
    #[token("?")]
    Question,
    #[token("=")]
    Equals,
    #[token("!")]
    Bang,
    #[token("~")]
    Tilde,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    #[token("&")]
    And,
    #[token("^")]
    Xor,
    #[token("|")]
    Or,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    /// Never seen: comments, debug lines of old PTX, line markers.
    #[token("//", rest_of_line)]
    #[token("@@DWARF", rest_of_line)]
    #[token("/*", block_comment)]
    #[token("#", preprocessor_line)]
    Skipped,
    /// Not a token, and why.
    Bad(Fault),
    /// After the last token, for ever.
    End,
}

/// Why some text is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    Character,
    OpenComment,
    OpenString,
    Preprocessor,
}

fn rest_of_line<'s>(lexer: &mut logos::Lexer<'s, Token>) -> Skip {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
    Skip
}

fn block_comment<'s>(lexer: &mut logos::Lexer<'s, Token>) -> FilterResult<(), Fault> {
    match lexer.remainder().find("*/") {
        Some(length) => {
            lexer.bump(length + 2);
            FilterResult::Skip
        }
        None => {
            lexer.bump(lexer.remainder().len());
            FilterResult::Error(Fault::OpenComment)
        }
    }
}

/// Strings have no escapes that matter here, except that `\"` does not end one.
fn string<'s>(lexer: &mut logos::Lexer<'s, Token>) -> Result<(), Fault> {
    let mut escaped = false;
    for (at, byte) in lexer.remainder().bytes().enumerate() {
        match byte {
            b'\n' => break,
            b'"' if !escaped => {
                lexer.bump(at + 1);
                return Ok(());
            }
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    Err(Fault::OpenString)
}

/// Line markers are left by preprocessors and say nothing about the program; anything that
/// would change the program needs a preprocessor.
fn preprocessor_line<'s>(lexer: &mut logos::Lexer<'s, Token>) -> FilterResult<(), Fault> {
    let start = lexer.span().start;
    rest_of_line(lexer);
    let before = lexer.source()[..start].rsplit('\n').next().unwrap_or("");
    let words = lexer.slice().trim_start_matches('#').trim_start();
    let word = words.split(|c: char| !c.is_ascii_alphanumeric()).next();
    let harmless = match word.unwrap_or("") {
        "" => words.is_empty(),
        "line" | "pragma" | "ident" => true,
        number => number.bytes().all(|b| b.is_ascii_digit()),
    };
    if harmless && before.trim().is_empty() {
        FilterResult::Skip
    } else {
        FilterResult::Error(Fault::Preprocessor)
    }
}

/// The tokens of a text, one at a time.
pub(crate) struct Lexer<'s> {
    tokens: logos::Lexer<'s, Token>,
}

impl<'s> Lexer<'s> {
    /// Starts after a byte-order mark, if there is one.
    pub(crate) fn new(source: &'s str) -> Lexer<'s> {
        let mut tokens = Token::lexer(source);
        if source.starts_with('\u{FEFF}') {
            tokens.bump('\u{FEFF}'.len_utf8());
        }
        Lexer { tokens }
    }

    /// The next token and its place.
    #[inline]
    pub(crate) fn next(&mut self) -> (Token, Span) {
        let token = match self.tokens.next() {
            Some(Ok(token)) => token,
            Some(Err(fault)) => Token::Bad(fault),
            None => Token::End,
        };
        let span = self.tokens.span();
        (token, Span::new(span.start as u32, span.end as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Vec<(Token, &str)> {
        let mut lexer = Lexer::new(source);
        std::iter::from_fn(|| match lexer.next() {
            (Token::End, _) => None,
            (token, span) => Some((token, span.text(source))),
        })
        .collect()
    }

    #[test]
    fn dotted_names_are_one_token() {
        use Token::*;
        assert_eq!(
            tokens("ld.global.L2::128B.v4.f32 {%f1,_}, [$x+4];"),
            [
                (Dotted, "ld.global.L2::128B.v4.f32"),
                (OpenBrace, "{"),
                (Name, "%f1"),
                (Comma, ","),
                (Underscore, "_"),
                (CloseBrace, "}"),
                (Comma, ","),
                (OpenBracket, "["),
                (Name, "$x"),
                (Plus, "+"),
                (Number, "4"),
                (CloseBracket, "]"),
                (Semicolon, ";"),
            ]
        );
        assert_eq!(
            tokens("tex .1d.v4 %r<10> L:"),
            [
                (Name, "tex"),
                (Directive, ".1d"),
                (Directive, ".v4"),
                (Name, "%r"),
                (Less, "<"),
                (Number, "10"),
                (Greater, ">"),
                (Name, "L"),
                (Colon, ":"),
            ]
        );
    }

    #[test]
    fn numbers() {
        for text in [
            "0",
            "017",
            "0x1F",
            "0XffU",
            "0b10U",
            "0f3F800000",
            "0d3FF0000000000000",
            "1.5",
            "1.",
            ".5",
            "1e3",
            "1.5e-3",
            "2E+7",
            ".5e3",
            "7.0",
        ] {
            assert_eq!(tokens(text), [(Token::Number, text)], "{text}");
        }
    }

    #[test]
    fn comments_line_markers_and_debug_lines_vanish() {
        let text = "\u{FEFF}a // x\r\n/* y\n * z **/ b\n#line 3 \"f.cu\"\n  # 1 \"f\"\nc\n@@DWARF .byte 1\nd";
        let names: Vec<_> = tokens(text).into_iter().map(|(_, text)| text).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
    }

    #[test]
    fn faults() {
        let bad = |text| {
            tokens(text).into_iter().find_map(|(token, _)| match token {
                Token::Bad(fault) => Some(fault),
                _ => None,
            })
        };
        assert_eq!(bad("a ` b"), Some(Fault::Character));
        assert_eq!(bad("a é b"), Some(Fault::Character));
        assert_eq!(bad("a /* b"), Some(Fault::OpenComment));
        assert_eq!(bad("\"abc\n\""), Some(Fault::OpenString));
        assert_eq!(bad("#define X 1\n"), Some(Fault::Preprocessor));
        assert_eq!(bad("a # 1\n"), Some(Fault::Preprocessor));
        assert_eq!(bad("\"a\\\"b\""), None);
    }
}
