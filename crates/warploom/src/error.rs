//! Who is to blame, kept apart: the input, or a feature that is not there. What a kernel does
//! wrong is neither; it is an outcome in the [report](crate::report).

use std::fmt;

use crate::text::{Diagnostic, Spot};

/// Why there is nothing to report: nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input or the command line is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The input is right, but needs something that is not supported.
    #[error(transparent)]
    Unsupported(#[from] Box<UnsupportedError>),
}

/// What part of the input is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputErrorKind {
    /// A file cannot be read or written.
    File,
    /// A launch file breaks its rules.
    LaunchFile,
    /// An argument of the command line, or a value given in its syntax.
    Argument,
    /// The program text does not parse or link.
    Module,
    /// `.cu` input could not be compiled.
    Compiler,
    /// An array is broken or does not fit what it is used for.
    Array,
    /// The module has no such kernel.
    Kernel,
    /// The arguments of a launch do not fit the kernel's parameters.
    Parameters,
    /// The launch asks for more than the device has.
    Limits,
    /// The buffers do not fit the device's or the host's memory.
    Memory,
    /// The device name, or an override of one of its figures.
    Device,
}

/// The input is wrong; at least one diagnostic says where and why.
#[derive(Debug)]
pub struct InputError {
    /// What part of the input.
    pub kind: InputErrorKind,
    /// What is wrong with it, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl InputError {
    /// One diagnostic.
    pub fn new(kind: InputErrorKind, diagnostic: Diagnostic) -> InputError {
        InputError {
            kind,
            diagnostics: vec![diagnostic],
        }
    }

    /// A file that cannot be read or written (the `verb`), named by the place that asks for it.
    pub(crate) fn file(
        verb: &str,
        path: &str,
        error: &std::io::Error,
        spot: Option<&Spot>,
    ) -> InputError {
        let message = format!("cannot {verb} `{path}`: {}", io_reason(error));
        InputError::new(
            InputErrorKind::File,
            Diagnostic::error(message).maybe_at(spot, ""),
        )
    }

    /// Adds a place to diagnostics that have none.
    pub(crate) fn located(mut self, spot: Option<&Spot>) -> InputError {
        for diagnostic in &mut self.diagnostics {
            if diagnostic.labels.is_empty() {
                *diagnostic = diagnostic.clone().maybe_at(spot, "");
            }
        }
        self
    }
}

/// The reason alone, without the number of the operating system's error.
pub(crate) fn io_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            text[..end].to_owned()
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InputError {}

/// A feature that the input needs and that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.diagnostic())]
pub struct UnsupportedError {
    /// The instruction or feature, as the input names it.
    pub what: String,
    /// The kernel that would reach it.
    pub kernel: String,
    /// The function that holds it, when that is not the kernel.
    pub function: Option<String>,
    /// File and line.
    pub file: String,
    /// Line in that file, from 1; 0 when unknown.
    pub line: u32,
    /// The line of the loaded text, for drawing.
    pub spot: Option<Spot>,
}

impl UnsupportedError {
    /// What to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let UnsupportedError { what, kernel, .. } = self;
        let through = match &self.function {
            Some(function) => format!(" through function `{function}`"),
            None => String::new(),
        };
        let at = match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        };
        let message =
            format!("`{what}` is not supported; kernel `{kernel}` would reach it{through} at {at}");
        Diagnostic::error(message).maybe_at(self.spot.as_ref(), "")
    }
}
