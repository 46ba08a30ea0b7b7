//! Running programs in the workspace.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Shows a command, runs it, and lets its output through.
///
/// # Errors
///
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    println!("$ {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}`: {status}")),
        Err(error) => Err(format!("`{shown}`: {error}")),
    }
}

/// Runs a command and returns its standard output.
///
/// # Errors
///
/// When it cannot be started or does not succeed; with its standard error.
pub fn capture(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("`{}`: {error}", shown(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}`: {}\n{stderr}", shown(command), output.status))
}

/// The command as one would type it; programs are shown without their folder.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words = [program].into_iter().chain(command.get_args());
    let words = words.map(|word| {
        let word = word.to_string_lossy();
        if word.contains(char::is_whitespace) {
            format!("'{word}'")
        } else {
            word.into_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
