//! Places in texts and what there is to say about them, as plain data: nothing here prints.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that messages point into: a launch file, a module, an argument of the command line.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Where it came from: a path as it was given, or the name of an option.
    pub origin: String,
    /// All of it.
    pub text: String,
}

/// A byte range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The text.
    pub source: Arc<SourceText>,
    /// The bytes; always inside the text and on character boundaries.
    pub span: Range<usize>,
}

impl Spot {
    /// The bytes `span` of `source`, cut down to what the text has.
    pub fn new(source: &Arc<SourceText>, span: Range<usize>) -> Spot {
        let text = &source.text;
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end).max(start);
        Spot {
            source: Arc::clone(source),
            span: start..end,
        }
    }

    /// A text of its own, whole: what the user typed after an option.
    pub fn whole(origin: impl Into<String>, text: impl Into<String>) -> Spot {
        let text = text.into();
        let span = 0..text.len();
        let origin = origin.into();
        Spot {
            source: Arc::new(SourceText { origin, text }),
            span,
        }
    }

    /// Bytes `range` of this place, counted from its start.
    pub fn part(&self, range: Range<usize>) -> Spot {
        let start = self.span.start;
        let clamp = |offset: usize| start.saturating_add(offset).min(self.span.end);
        Spot::new(&self.source, clamp(range.start)..clamp(range.end))
    }

    /// The text at this place.
    pub fn text(&self) -> &str {
        self.source.text.get(self.span.clone()).unwrap_or("")
    }

    /// Line and column of the start, from 1, columns in characters.
    pub fn line_column(&self) -> (usize, usize) {
        let before = self.source.text.get(..self.span.start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = 1 + before.bytes().filter(|&b| b == b'\n').count();
        (line, 1 + before[line_start..].chars().count())
    }
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input can't be used.
    Error,
    /// It can, perhaps not as its author meant.
    Warning,
}

/// A place and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub spot: Spot,
    /// What was found or expected there; may be empty.
    pub text: String,
}

/// One report: what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable identifier, where the reporter gives one (`E0012`).
    pub code: Option<&'static str>,
    /// One sentence without a full stop.
    pub message: String,
    /// The first is the place of the problem; others point at related places.
    pub labels: Vec<Label>,
    /// What the author could do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: None,
            message: message.into(),
            labels: Vec::new(),
            help: None,
        }
    }

    /// Adds a place; the first added is that of the problem.
    #[must_use]
    pub fn at(mut self, spot: &Spot, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            spot: spot.clone(),
            text: text.into(),
        });
        self
    }

    /// Adds a place if there is one.
    #[must_use]
    pub fn maybe_at(self, spot: Option<&Spot>, text: impl Into<String>) -> Diagnostic {
        match spot {
            Some(spot) => self.at(spot, text),
            None => self,
        }
    }

    /// Adds the help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// `origin:line:column: message: label`, and the help on a line of its own.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = self.labels.first() {
            let (line, column) = label.spot.line_column();
            write!(f, "{}:{line}:{column}: ", label.spot.source.origin)?;
        }
        f.write_str(&self.message)?;
        match self.labels.first().map(|label| label.text.as_str()) {
            Some("") | None => {}
            Some(text) => write!(f, ": {text}")?,
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

/// Joins names for a message: `a`, `a and b`, `a, b and c`.
pub fn list<T: fmt::Display>(items: impl IntoIterator<Item = T>, last: &str) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.pop() {
        None => String::new(),
        Some(only) if items.is_empty() => only,
        Some(end) => format!("{} {last} {end}", items.join(", ")),
    }
}

/// The known name nearest to a misspelt one, if any is near enough to be meant.
pub(crate) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// "did you mean `x`?" in front of `otherwise`, or `otherwise` alone.
pub fn did_you_mean<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: String,
) -> String {
    match nearest(given, known) {
        Some(name) => format!("did you mean `{name}`? {otherwise}"),
        None => otherwise,
    }
}

/// `12 bytes`, `1.5 KiB`, `64 MiB`: sizes in messages, 1024-based.
pub fn bytes(count: u128) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if count == 1 {
        return "1 byte".into();
    }
    if count < 10 * 1024 {
        return format!("{count} bytes");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(value.fract() >= 0.05 && value < 100.0);
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = Arc::new(SourceText {
            origin: "a.toml".into(),
            text: "x\nä = b\n".into(),
        });
        let spot = Spot::new(&source, 7..8);
        assert_eq!(spot.text(), "b");
        assert_eq!(spot.line_column(), (2, 5));
        let message = Diagnostic::error("no").at(&spot, "here").help("go");
        assert_eq!(message.to_string(), "a.toml:2:5: no: here\n  help: go");
        assert_eq!(Spot::new(&source, 3..900).span, 2..9);
        assert_eq!(Spot::new(&source, 900..900).text(), "");
    }

    #[test]
    fn sizes_and_lists_read_well() {
        let shown = [1, 900, 9999, 1 << 20, 3 << 19, 5 << 70].map(bytes);
        let wanted = [
            "1 byte",
            "900 bytes",
            "9999 bytes",
            "1 MiB",
            "1.5 MiB",
            "5120 EiB",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(list(["a"], "or"), "a");
        assert_eq!(list(["a", "b", "c"], "or"), "a, b or c");
    }
}
