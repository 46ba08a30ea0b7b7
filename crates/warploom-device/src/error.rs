//! The one error of loading a device: where, which field, what, and what to do.

use std::ops::Range;

/// A place in a text, counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Position {
    /// The place of byte `offset` in `text`; past the end it is the end.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.char_indices().take_while(|(at, _)| *at < offset);
        before.fold(Position { line: 1, column: 1 }, |at, (_, c)| match c {
            '\n' => Position {
                line: at.line.saturating_add(1),
                column: 1,
            },
            _ => Position {
                column: at.column.saturating_add(1),
                ..at
            },
        })
    }
}

/// Why a device description, an override or a device name was refused. The input is to blame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct DeviceError {
    /// Where the text came from, as the caller named it.
    pub origin: Box<str>,
    /// Place in that text; `None` when there is none (a device name, a whole override).
    pub position: Option<Position>,
    /// Bytes of the text that are at fault, for drawing; empty when unknown.
    pub span: Range<usize>,
    /// Path of the field at fault (`registers.per_sm`); empty when it concerns the whole text.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What would make it right, when that can be said.
    pub help: Option<String>,
}

impl std::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some(at) = self.position {
            write!(f, ":{}:{}", at.line, at.column)?;
        }
        write!(f, ": ")?;
        if !self.field.is_empty() {
            write!(f, "`{}`: ", self.field)?;
        }
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
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

/// "did you mean `X`?" in front of `otherwise`, or `otherwise` alone.
pub(crate) fn did_you_mean<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: String,
) -> String {
    match nearest(given, known) {
        Some(name) => format!("did you mean `{name}`? {otherwise}"),
        None => otherwise,
    }
}
