//! Reading text files within bounds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{InputError, InputErrorKind};
use crate::text::{Diagnostic, Spot, bytes};

/// The text at `path`, at most `limit_bytes`. `shown` names it in errors, `spot` is where it was
/// asked for.
pub(crate) fn read_text(
    path: &Path,
    shown: &str,
    limit_bytes: u64,
    spot: Option<&Spot>,
) -> Result<String, InputError> {
    let wrong = |message: String| {
        let diagnostic = Diagnostic::error(message).maybe_at(spot, "");
        Err(InputError::new(InputErrorKind::File, diagnostic))
    };
    let read = || -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut text = Vec::new();
        file.take(limit_bytes + 1).read_to_end(&mut text)?;
        Ok(text)
    };
    let text = read().map_err(|error| InputError::file("read", shown, &error, spot))?;
    if text.len() as u64 > limit_bytes {
        let limit = bytes(limit_bytes.into());
        return wrong(format!(
            "`{shown}` is longer than {limit}, the most that is read"
        ));
    }
    String::from_utf8(text).or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at]
            .iter()
            .filter(|&&b| b == b'\n')
            .count();
        wrong(format!(
            "`{shown}` is not UTF-8 text: line {line} has a byte that is no character"
        ))
    })
}
