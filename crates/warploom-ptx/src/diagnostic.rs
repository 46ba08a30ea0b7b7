//! What the front end reports, as plain data: nothing here prints or knows a terminal.

use crate::codes;
use std::fmt;

/// A byte range of the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// From the start of `self` to the end of `other`.
    pub const fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end)
    }

    /// The range in the form that slices take.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text at this place; empty where the span does not fit `source`.
    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or("")
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The module can't be used.
    Error,
    /// The module can be used, perhaps not as its author meant.
    Warning,
}

/// A stable identifier of one kind of diagnostic, such as `E0012`. Errors start with `E`,
/// warnings with `W`; `E00..`/`W00..` are the lexer's and parser's, `E01..`/`W01..` those of name
/// resolution, and lowering has its own from `E02..` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub &'static str);

impl Code {
    /// Errors and warnings are told apart by the first letter.
    pub fn severity(self) -> Severity {
        if self.0.starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A place in the source and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What was found or expected there.
    pub text: String,
}

/// One report: what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Which kind of problem.
    pub code: Code,
    /// One sentence without a full stop.
    pub message: String,
    /// The first label is the place of the problem; others point at related declarations.
    pub labels: Vec<Label>,
    /// What the author could do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A report at `span`; `label` says what is wrong or expected right there.
    pub fn new(
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity: code.severity(),
            code,
            message: message.into(),
            labels: vec![Label {
                span,
                text: label.into(),
            }],
            help: None,
        }
    }

    /// Adds the help line.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a related place, such as an earlier declaration.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// The place of the problem.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::default(), |l| l.span)
    }

    /// Whether the module can't be used because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Collects reports up to a limit, so that a broken or hostile input ends soon and its report
/// stays readable.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// Errors kept per module, and as many warnings.
    pub const LIMIT: usize = 50;

    /// An empty collection.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Keeps `diagnostic` while there is room.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let seen = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *seen += 1;
        if *seen <= Self::LIMIT {
            self.list.push(diagnostic);
        }
    }

    /// Whether so many errors were met that it is no use to look for more.
    pub fn is_full(&self) -> bool {
        self.errors >= Self::LIMIT
    }

    /// Whether any error was met, kept or not.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The reports in source order, and last a word about those that may be missing.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| d.span().start);
        if let (true, Some(last)) = (self.is_full(), self.list.last()) {
            let message = format!("stopped after {} errors", Self::LIMIT);
            let report = Diagnostic::new(codes::STOPPED, last.span(), message, "the last of them");
            self.list
                .push(report.with_help("correct these first, then look for more"));
        }
        self.list
    }
}

/// Finds the line and column of a byte offset.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl LineIndex {
    /// Indexes the line starts of `source`. `\n` and `\r\n` end lines.
    pub fn new(source: &str) -> LineIndex {
        let ends = source.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1));
        LineIndex {
            starts: starts.collect(),
        }
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset).max(1) as u32
    }

    /// Line and column of `offset` in the `source` this index was made from.
    pub fn line_column(&self, source: &str, offset: u32) -> LineColumn {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let end = (offset as usize).min(source.len());
        let before = source.as_bytes().get(start..end).unwrap_or(&[]);
        // Continuation bytes of UTF-8 don't start a character.
        let column = 1 + before.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u32;
        LineColumn { line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let source = "ab\r\ncé d\n";
        let index = LineIndex::new(source);
        let at = |offset| {
            let place = index.line_column(source, offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(1), (1, 2));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(8), (2, 4));
        assert_eq!(at(10), (3, 1));
        assert_eq!(at(999), (3, 1));
    }

    #[test]
    fn reports_beyond_the_limit_are_counted_but_not_kept() {
        let mut all = Diagnostics::new();
        for n in 0..70 {
            let span = Span::new(70 - n, 71 - n);
            all.push(Diagnostic::new(Code("E0001"), span, "m", "l"));
        }
        all.push(Diagnostic::new(Code("W0001"), Span::new(0, 1), "m", "l"));
        assert!(all.is_full());
        let kept = all.finish();
        assert_eq!(kept.len(), Diagnostics::LIMIT + 2);
        assert_eq!(kept[0].severity, Severity::Warning);
        assert_eq!(
            kept[Diagnostics::LIMIT + 1].message,
            "stopped after 50 errors"
        );
    }
}
