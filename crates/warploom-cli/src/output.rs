//! Where everything goes: results to standard output, messages to standard error, JSON to its file.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use warploom::run::check_folder;
use warploom::text::{Diagnostic, Spot};
use warploom::{InputError, InputErrorKind};

use crate::args::Global;
use crate::draw::Drawer;

/// Why a command ended without its result.
pub enum Failure {
    /// The input or the command line is wrong.
    Input(InputError),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        Failure::Input(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// What a command returns: its exit code.
pub type Done = Result<u8, Failure>;

/// A wrong argument.
pub fn wrong_argument(diagnostic: Diagnostic) -> Failure {
    InputError::new(InputErrorKind::Argument, diagnostic).into()
}

/// Whether a stream is to have colours: a terminal, and nobody asked for none.
pub fn wants_colour(stream: &impl IsTerminal) -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !plain
}

/// Where everything goes.
pub struct Output {
    json: Option<PathBuf>,
    verbose: bool,
    drawer: Drawer,
}

impl Output {
    /// As the options say.
    pub fn new(global: &Global) -> Output {
        Output {
            json: global.json.clone(),
            verbose: global.verbose,
            drawer: Drawer::new(wants_colour(&io::stderr())),
        }
    }

    /// Whether standard output is for JSON alone.
    pub fn json_on_stdout(&self) -> bool {
        self.json
            .as_ref()
            .is_some_and(|path| path.as_os_str() == "-")
    }

    /// Checks that the JSON can be written, as far as its folder goes, before anything runs.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.json {
            Some(path) if !self.json_on_stdout() => {
                let shown = path.display().to_string();
                let spot = Spot::whole("--json", shown.as_str());
                Ok(check_folder(path, &shown, Some(&spot))?)
            }
            _ => Ok(()),
        }
    }

    /// Prints text for people, unless standard output is for JSON alone.
    pub fn text(&self, text: &str) -> io::Result<()> {
        if self.json_on_stdout() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Draws diagnostics that are the result, on standard output.
    pub fn drawn(&self, diagnostics: &[Diagnostic]) -> io::Result<()> {
        let drawer = Drawer::new(wants_colour(&io::stdout()));
        for diagnostic in diagnostics {
            self.text(&format!("{}\n\n", drawer.draw(diagnostic)))?;
        }
        Ok(())
    }

    /// Prints bytes that are the whole result, such as a script.
    pub fn raw(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Writes the result as JSON, if it was asked for.
    pub fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let Some(path) = &self.json else {
            return Ok(());
        };
        let write = |out: &mut dyn Write| -> io::Result<()> {
            serde_json::to_writer_pretty(&mut *out, value)?;
            out.write_all(b"\n")?;
            out.flush()
        };
        if self.json_on_stdout() {
            return Ok(write(&mut BufWriter::new(io::stdout().lock()))?);
        }
        let written = File::create(path).and_then(|file| write(&mut BufWriter::new(file)));
        written.map_err(|error| {
            let shown = path.display().to_string();
            let spot = Spot::whole("--json", shown.as_str());
            let message = format!("cannot write `{shown}`: {error}");
            wrong_argument(Diagnostic::error(message).at(&spot, ""))
        })
    }

    /// Draws diagnostics on standard error.
    pub fn diagnostics(&self, diagnostics: &[Diagnostic]) {
        let drawn: Vec<String> = diagnostics.iter().map(|d| self.drawer.draw(d)).collect();
        self.message(&drawn.join("\n\n"));
    }

    /// The same, if there are any.
    pub fn diagnostics_if_any(&self, diagnostics: &[Diagnostic]) {
        if !diagnostics.is_empty() {
            self.diagnostics(diagnostics);
        }
    }

    /// Prints a line or more on standard error.
    pub fn message(&self, text: &str) {
        // There is nowhere left to complain to.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Says how long steps took, if that was asked for.
    pub fn times(&self, steps: &[(&str, Duration)]) {
        if self.verbose {
            for (step, time) in steps {
                self.message(&format!("{step:>8} {:10.3} ms", time.as_secs_f64() * 1e3));
            }
        }
    }

    /// Whether details were asked for.
    pub fn verbose(&self) -> bool {
        self.verbose
    }
}
