//! docs/accuracy.md, which the release build writes.

use std::fs;

use crate::shell;

const PAGE: &str = "docs/accuracy.md";

/// Writes the page.
///
/// # Errors
///
/// When the targets cannot be run or the file cannot be written.
pub fn write() -> Result<(), String> {
    let path = shell::root().join(PAGE);
    fs::write(&path, print()?).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{PAGE}");
    Ok(())
}

/// Checks that the committed page is what `warploom validate` prints.
///
/// # Errors
///
/// When it is not.
pub fn check() -> Result<(), String> {
    let committed = fs::read_to_string(shell::root().join(PAGE)).unwrap_or_default();
    let printed = print()?;
    let lines = committed.lines().zip(printed.lines());
    let differs = lines.enumerate().find(|(_, (old, new))| old != new);
    match differs {
        _ if committed == printed => Ok(()),
        Some((line, (old, new))) => Err(format!(
            "{PAGE}:{} is stale: run `cargo xtask accuracy`\n  it says  {old}\n  now it is {new}",
            line + 1
        )),
        None => Err(format!("{PAGE} is stale: run `cargo xtask accuracy`")),
    }
}

/// What `warploom validate --page` prints. It ends with 1 where a bar is missed, which the page
/// says as well.
fn print() -> Result<String, String> {
    let output = shell::cargo()
        .args(["run", "--release", "--quiet", "--", "validate", "--page"])
        .output()
        .map_err(|error| format!("cargo run: {error}"))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
