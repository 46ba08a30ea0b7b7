//! The lesson language: a small readable program text in which every line is one issued warp
//! instruction.
//!
//! ```text
//! threads 32
//! array out n
//!
//! x = i
//! if i < 16
//!   x = x * 2
//! else
//!   x = x + 100
//! end
//! store out[i] = x
//! ```
//!
//! [`parse`] gives a [`Lesson`]: a module with one kernel, the launch it asks for, and a
//! description of its lines for whatever shows it. An assignment is one instruction however long
//! its expression is; `if`, `while` and `switch` are one each time they are evaluated; `else`,
//! `case` and `end` cost nothing. What is not counted is in the module all the same, marked as
//! fused to its line's instruction.
//!
//! | module | holds |
//! | --- | --- |
//! | `lexer`, `expression`, `parse`, `syntax` | text to statements, a line at a time |
//! | `operator` | every operator and function of the language, a row each |
//! | `outline` | which lines belong to which block |
//! | `check` | names and types |
//! | `lower` | warp instructions |
//! | `array` | the arrays' initial contents |
//! | `diagnostic` | what is wrong, and where |
//!
//! This crate knows the warp program ([`warploom_isa`]) and nothing else: no files, no terminal,
//! no machine.

mod array;
mod check;
mod diagnostic;
mod expression;
mod lexer;
mod lower;
mod operator;
mod outline;
mod parse;
mod syntax;

use warploom_isa::Module;

pub use array::{Array, Element};
pub use diagnostic::Diagnostic;
pub use outline::Path;

use diagnostic::{Sink, Span};
use lower::LowerError;
use outline::Place;
use syntax::{Line, Statement};

/// The name of a lesson's kernel.
pub const KERNEL: &str = "lesson";

/// Longest text, in bytes.
pub const MAX_TEXT_BYTES: usize = 256 << 10;
/// Most statements.
pub const MAX_LINES: usize = 2000;
/// Most machine operations, those fused to others included.
const MAX_OPERATIONS: usize = 20_000;
/// Most arrays.
pub const MAX_ARRAYS: usize = 16;
/// Most elements of an array.
pub const MAX_ARRAY_LENGTH: u32 = 1 << 20;
/// The largest number of a case.
pub const MAX_CASE: u32 = 255;

/// A program and the launch it asks for: a grid of [`Lesson::blocks`] blocks of
/// [`Lesson::threads`] threads, both in one dimension, in warps of [`Lesson::width`] lanes. The
/// kernel's arguments are the addresses of the [`Lesson::arrays`] in their order.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The first comment, when it stands above everything else; empty otherwise.
    pub title: String,
    /// The module; its one kernel is called [`KERNEL`].
    pub module: Module,
    /// Threads of a block, 1 to 1024.
    pub threads: u32,
    /// Blocks of the grid, 1 to 65535.
    pub blocks: u32,
    /// Lanes of a warp, a power of two from 4 to 64.
    pub width: u32,
    /// The arrays, in the order of the kernel's parameters.
    pub arrays: Vec<Array>,
    /// Every line of the text, in order.
    pub lines: Vec<LineInfo>,
}

impl Lesson {
    /// A line by its number, from 1.
    pub fn line(&self, number: u32) -> Option<&LineInfo> {
        self.lines.get((number as usize).checked_sub(1)?)
    }
}

/// What a view needs to know of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineInfo {
    /// Its number, from 1.
    pub number: u32,
    /// Its text, without indentation and comment.
    pub text: String,
    /// The path it is on.
    pub path: Path,
    /// Blocks around it.
    pub depth: u32,
    /// Whether it costs an issue each time it is executed. `else`, `case`, `end`, lines of the
    /// head, comments and empty lines do not.
    pub issues: bool,
    /// Whether it is predicated: a `where` line, which all lanes issue and some execute.
    pub predicated: bool,
}

/// Reads a lesson. `name` is the text's name in messages.
///
/// # Errors
///
/// All mistakes that were found, in the order of the text; at most 20, and at least one.
pub fn parse(name: &str, text: &str) -> Result<Lesson, Vec<Diagnostic>> {
    let mut sink = Sink::default();
    let lesson = build(name, text, false, &mut sink);
    lesson.ok_or_else(|| sink.finish(name, text))
}

/// [`parse`], for whoever shows the variables: they are copied to memory as they change
/// ([`warploom_isa::watch`]). The kernel takes the address of the copies behind those of the arrays.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_watched(name: &str, text: &str) -> Result<Lesson, Vec<Diagnostic>> {
    let mut sink = Sink::default();
    let lesson = build(name, text, true, &mut sink);
    lesson.ok_or_else(|| sink.finish(name, text))
}

fn build(name: &str, text: &str, watched: bool, sink: &mut Sink) -> Option<Lesson> {
    if text.len() > MAX_TEXT_BYTES {
        return sink.report(
            Span::default(),
            "the text is too long",
            format!("expected at most {MAX_TEXT_BYTES} bytes"),
            "a lesson is small; split it",
        );
    }
    let program = parse::parse(text, sink);
    let [threads, blocks, width] = program.settings;
    let places = outline::outline(&program.lines, sink);
    let typed = check::check(&program, threads * blocks, sink);
    if !sink.is_empty() {
        return None;
    }
    let numbers: Vec<u32> = program.lines.iter().map(|line| line.number).collect();
    let order = (places.as_slice(), numbers.as_slice());
    let module = match lower::lower(name, threads, &typed, order, watched) {
        Ok(module) => module,
        Err(error) => {
            let (line, message) = match error {
                LowerError::TooManyOperations(line) => (line, "the program is too long".to_owned()),
                LowerError::Build(error) => (0, error.to_string()),
            };
            let span = program
                .lines
                .get(line)
                .map_or(Span::default(), |line| line.span);
            let expected = format!("expected at most {MAX_OPERATIONS} operations");
            return sink.report(span, message, expected, "a lesson is small; split it");
        }
    };
    let arrays = typed.arrays.into_iter().map(|array| Array {
        name: array.name,
        element: if array.ty == operator::Type::Float {
            Element::Float
        } else {
            Element::Int
        },
        length: array.length,
        pattern: array.pattern,
    });
    Some(Lesson {
        title: title(text),
        module,
        threads,
        blocks,
        width,
        arrays: arrays.collect(),
        lines: describe(text, &program.lines, &places),
    })
}

/// The text of the first line, when it is a comment.
fn title(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let comment = first.and_then(|line| line.trim().strip_prefix('#'));
    comment.unwrap_or("").trim().to_owned()
}

fn describe(text: &str, lines: &[Line], places: &[Place]) -> Vec<LineInfo> {
    let plain = (1..).zip(text.lines()).map(|(number, line)| LineInfo {
        number,
        text: line.split('#').next().unwrap_or("").trim().to_owned(),
        path: Path::Common,
        depth: 0,
        issues: false,
        predicated: false,
    });
    let mut described: Vec<LineInfo> = plain.collect();
    for (line, place) in lines.iter().zip(places) {
        if let Some(info) = described.get_mut(line.number as usize - 1) {
            info.path = place.path;
            info.depth = place.depth;
            info.issues = !matches!(
                line.statement,
                Statement::Else | Statement::Case(_) | Statement::End
            );
            info.predicated = matches!(line.statement, Statement::Where(..));
        }
    }
    described
}
