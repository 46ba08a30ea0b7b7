//! What is wrong with a program, as plain data: nothing here prints or knows a terminal.

use std::fmt;
use std::ops::Range;

/// A byte range of the program's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// From the start of `self` to the end of `other`.
    pub(crate) const fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end)
    }

    pub(crate) const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One mistake in a program, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Name of the text, as given to [`crate::parse`].
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The first column, in characters from 1.
    pub column: u32,
    /// The bytes of the text that are meant. May be empty, at the end of a line.
    pub span: Range<usize>,
    /// The source line, without its line end.
    pub text: String,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What was expected at the place.
    pub expected: String,
    /// What the author can do about it.
    pub help: String,
}

impl fmt::Display for Diagnostic {
    /// One line, as compilers print it; the other fields are for a longer report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic {
            file,
            line,
            column,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl std::error::Error for Diagnostic {}

/// Collects mistakes up to a limit, so that a broken text ends soon and its report stays readable.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    found: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    span: Span,
    message: String,
    expected: String,
    help: String,
}

impl Sink {
    /// Mistakes kept; those found after them are dropped.
    const LIMIT: usize = 20;

    /// Notes a mistake. Gives `None`, for callers to return.
    pub(crate) fn report<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        if !self.is_full() {
            self.found.push(Found {
                span,
                message: message.into(),
                expected: expected.into(),
                help: help.into(),
            });
        }
        None
    }

    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= Self::LIMIT
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The mistakes in the order of the text.
    pub(crate) fn finish(mut self, file: &str, source: &str) -> Vec<Diagnostic> {
        self.found.sort_by_key(|found| found.span.start);
        self.found
            .into_iter()
            .map(|found| {
                let start = found.span.start as usize;
                let before = source.get(..start).unwrap_or(source);
                let line_start = before.rfind('\n').map_or(0, |end| end + 1);
                let line = source.get(line_start..).unwrap_or("").lines().next();
                Diagnostic {
                    file: file.to_owned(),
                    line: 1 + before.matches('\n').count() as u32,
                    column: 1 + before[line_start..].chars().count() as u32,
                    span: found.span.range(),
                    text: line.unwrap_or("").to_owned(),
                    message: found.message,
                    expected: found.expected,
                    help: found.help,
                }
            })
            .collect()
    }
}
