//! What a request that fails answers.

use serde::Serialize;
use warploom::text::{Diagnostic, Severity};
use warploom::{Error, InputError};

/// Why there is no answer: something to say, and where in the texts of the request.
#[derive(Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// In one line.
    pub message: String,
    /// The input is right, but needs a feature that is not there.
    pub unsupported: bool,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Remark>,
}

/// A diagnostic with its place.
#[derive(Debug, PartialEq, Serialize)]
pub struct Remark {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// What was found or expected at the place.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The text that it is about: the program, or an argument.
    pub origin: Option<String>,
    /// The place, in lines and columns from 1; columns count characters.
    pub line: usize,
    /// See `line`.
    pub column: usize,
    /// The line and column behind the place.
    pub end_line: usize,
    /// See `end_line`.
    pub end_column: usize,
}

impl Refusal {
    /// Something to say about no place.
    pub fn new(message: impl Into<String>) -> Refusal {
        Refusal {
            message: message.into(),
            unsupported: false,
            diagnostics: Vec::new(),
        }
    }
}

impl From<&Diagnostic> for Remark {
    fn from(diagnostic: &Diagnostic) -> Remark {
        let label = diagnostic.labels.first();
        let spot = label.map(|label| &label.spot);
        let (line, column) = spot.map_or((0, 0), |spot| spot.line_column());
        let (end_line, end_column) = spot.map_or((0, 0), |spot| {
            let whole = spot.source.text.len();
            let end = warploom::text::Spot::new(&spot.source, spot.span.end..whole);
            end.line_column()
        });
        Remark {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message.clone(),
            label: label.map_or(String::new(), |label| label.text.clone()),
            help: diagnostic.help.clone(),
            origin: spot.map(|spot| spot.source.origin.clone()),
            line,
            column,
            end_line,
            end_column,
        }
    }
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Refusal {
        let diagnostics: Vec<Remark> = error.diagnostics.iter().map(Remark::from).collect();
        let first = diagnostics.first();
        Refusal {
            message: first.map_or(String::new(), |first| first.message.clone()),
            unsupported: false,
            diagnostics,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error {
            Error::Input(error) => error.into(),
            Error::Unsupported(error) => {
                let diagnostic = error.diagnostic();
                Refusal {
                    message: diagnostic.message.clone(),
                    unsupported: true,
                    diagnostics: vec![(&diagnostic).into()],
                }
            }
        }
    }
}
