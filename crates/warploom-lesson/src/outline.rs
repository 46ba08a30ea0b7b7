//! Which lines belong to which block, and what path of the program each is on.

use crate::diagnostic::{Sink, Span};
use crate::syntax::{Line, Statement};

/// Blocks that may be open at once.
pub(crate) const MAX_NESTING: usize = 32;

/// The path that a line is on, as its innermost block says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Path {
    /// Not inside any block: all lanes of the warp take it.
    Common,
    /// Between `if` and its `else` or `end`.
    Then,
    /// Between `else` and `end`.
    Else,
    /// A `while` and the lines up to its `end`.
    Loop,
    /// The lines of a case of a `switch`, by its number.
    Case(u32),
}

/// The block that a line opens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    If {
        has_else: bool,
    },
    While,
    /// Cases in the order of the text.
    Switch {
        cases: Vec<Option<u32>>,
        has_else: bool,
    },
}

/// A line's place in the blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) path: Path,
    /// Blocks around it.
    pub(crate) depth: u32,
    pub(crate) opens: Option<Shape>,
}

/// An open block: the line that opened it, by index, and where its text stands.
struct Open {
    line: usize,
    span: Span,
    number: u32,
    path: Path,
}

/// The place of every line. Only right when nothing was reported.
pub(crate) fn outline(lines: &[Line], sink: &mut Sink) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(lines.len());
    let mut open: Vec<Open> = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        let opens = match &line.statement {
            Statement::If(_) => Some((Shape::If { has_else: false }, Path::Then)),
            Statement::While(_) => Some((Shape::While, Path::Loop)),
            Statement::Switch(_) => {
                let cases = Vec::new();
                let has_else = false;
                Some((Shape::Switch { cases, has_else }, Path::Common))
            }
            _ => None,
        };
        match &line.statement {
            Statement::Else => else_line(line, &mut open, &mut places, sink),
            Statement::Case(value) => case_line(line, *value, &mut open, &mut places, sink),
            Statement::End => {
                if open.pop().is_none() {
                    sink.report::<()>(
                        line.span,
                        "`end` without a block",
                        "expected an open `if`, `while` or `switch`",
                        "remove the line, or open the block above",
                    );
                }
            }
            _ => before_first_case(line, &open, &places, sink),
        }
        // `else`, `case` and `end` stand beside the line that opened their block.
        let outer = match &line.statement {
            Statement::Else | Statement::Case(_) => open.len().saturating_sub(1),
            _ => open.len(),
        };
        let around = outer.checked_sub(1).and_then(|k| open.get(k));
        let mut path = around.map_or(Path::Common, |block| block.path);
        if let Statement::While(_) = line.statement {
            path = Path::Loop;
        }
        if let Some((_, inside)) = opens {
            if open.len() == MAX_NESTING {
                sink.report::<()>(
                    line.span,
                    "too many blocks inside one another",
                    format!("expected at most {MAX_NESTING}"),
                    "join conditions with `and`",
                );
                return places;
            }
            open.push(Open {
                line: k,
                span: line.span,
                number: line.number,
                path: inside,
            });
        }
        places.push(Place {
            path,
            depth: outer as u32,
            opens: opens.map(|(shape, _)| shape),
        });
    }
    for block in open {
        sink.report::<()>(
            block.span,
            "the block is not closed",
            "expected an `end` on a line below",
            "every `if`, `while` and `switch` needs its own `end`",
        );
    }
    places
}

fn else_line(line: &Line, open: &mut [Open], places: &mut [Place], sink: &mut Sink) {
    let block = open.last_mut();
    let shape = block
        .as_ref()
        .and_then(|block| places[block.line].opens.as_mut());
    let (Some(block), Some(Shape::If { has_else } | Shape::Switch { has_else, .. })) =
        (block, shape)
    else {
        sink.report::<()>(
            line.span,
            "`else` without `if`",
            "expected an open `if` or `switch`",
            "remove the line, or check the `end` lines above",
        );
        return;
    };
    if std::mem::replace(has_else, true) {
        sink.report::<()>(
            line.span,
            format!("a second `else` for the block of line {}", block.number),
            "expected `end`",
            "a block has at most one `else`",
        );
    }
    block.path = Path::Else;
}

fn case_line(
    line: &Line,
    value: Option<u32>,
    open: &mut [Open],
    places: &mut [Place],
    sink: &mut Sink,
) {
    let block = open.last_mut();
    let shape = block
        .as_ref()
        .and_then(|block| places[block.line].opens.as_mut());
    let (Some(block), Some(Shape::Switch { cases, has_else })) = (block, shape) else {
        sink.report::<()>(
            line.span,
            "`case` outside of a `switch`",
            "expected an open `switch`",
            "write `switch value` above, or check the `end` lines",
        );
        return;
    };
    block.path = Path::Case(value.unwrap_or(0));
    if *has_else {
        sink.report::<()>(
            line.span,
            "`case` after `else`",
            "expected `end`",
            "put the `else` of a `switch` after its cases",
        );
    } else if let Some(value) = value.filter(|_| cases.contains(&value)) {
        sink.report::<()>(
            line.span,
            format!(
                "case {value} stands twice in the `switch` of line {}",
                block.number
            ),
            "expected another number",
            "a value has one case",
        );
    } else {
        cases.push(value);
    }
}

/// Reports a statement between `switch` and its first case.
fn before_first_case(line: &Line, open: &[Open], places: &[Place], sink: &mut Sink) {
    let shape = open
        .last()
        .and_then(|block| places[block.line].opens.as_ref());
    if let Some(Shape::Switch { cases, has_else }) = shape
        && cases.is_empty()
        && !has_else
    {
        sink.report::<()>(
            line.span,
            "a statement before the first case",
            "expected `case` and a number",
            "put the line above the `switch`, or into a case",
        );
    }
}
