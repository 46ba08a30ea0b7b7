//! The program as written: one statement a line.

use crate::diagnostic::Span;
use crate::lexer::Literal;
use crate::operator::{Operator, Type};

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An expression. Its depth is limited by the parser, so that recursion over it is safe.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    pub(crate) span: Span,
    pub(crate) depth: u32,
}

#[derive(Debug)]
pub(crate) enum Node {
    /// What the parser has reported.
    Broken,
    Number(Literal),
    Name(String),
    /// An operator or function and its operands, as many as its syntax says.
    Apply(&'static Operator, Vec<Expr>),
}

/// An element of an array.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) array: Name,
    pub(crate) index: Expr,
}

/// What a line does in lanes. It may stand behind `where`.
#[derive(Debug)]
pub(crate) enum Action {
    /// `name = value`
    Assign(Name, Expr),
    /// `name = load element`
    Load(Name, Element),
    /// `store element = value`
    Store(Element, Expr),
}

/// A line of the program's body.
#[derive(Debug)]
pub(crate) enum Statement {
    Action(Action),
    /// `where condition: action`
    Where(Expr, Action),
    If(Expr),
    Else,
    End,
    While(Expr),
    Switch(Expr),
    /// `case number`; without a number when that is reported.
    Case(Option<u32>),
}

/// A statement and where it stands.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) number: u32,
    /// From its first to its last token.
    pub(crate) span: Span,
    pub(crate) statement: Statement,
}

/// `array name length type = pattern`
#[derive(Debug)]
pub(crate) struct ArrayLine {
    pub(crate) number: u32,
    pub(crate) name: Name,
    /// In elements; `None` is one per thread of the grid (`n`).
    pub(crate) length: Option<u32>,
    pub(crate) ty: Option<Type>,
    pub(crate) pattern: Option<Expr>,
}

/// A number that the head of a program sets: the launch's shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) least: u32,
    pub(crate) most: u32,
    pub(crate) default: u32,
    pub(crate) power_of_two: bool,
}

/// Threads of a block, blocks of the grid, lanes of a warp.
pub(crate) const SETTINGS: [Setting; 3] = [
    Setting {
        name: "threads",
        least: 1,
        most: 1024,
        default: 32,
        power_of_two: false,
    },
    Setting {
        name: "blocks",
        least: 1,
        most: 65535,
        default: 1,
        power_of_two: false,
    },
    Setting {
        name: "width",
        least: 4,
        most: 64,
        default: 32,
        power_of_two: true,
    },
];

/// A parsed text.
#[derive(Debug)]
pub(crate) struct Program {
    /// Values of [`SETTINGS`].
    pub(crate) settings: [u32; 3],
    pub(crate) arrays: Vec<ArrayLine>,
    pub(crate) lines: Vec<Line>,
}

/// Words that start a line.
pub(crate) const STATEMENTS: [&str; 9] = [
    "if", "else", "end", "while", "where", "switch", "case", "store", "array",
];

/// Other words that no variable or array can be called.
pub(crate) const WORDS: [&str; 3] = ["load", "and", "or"];

/// Values that the machine gives.
pub(crate) const GIVEN: [&str; 5] = ["i", "n", "warp", "lane", "block"];
