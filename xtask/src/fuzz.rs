//! Random inputs, on the stable compiler. The targets and the loop are in `fuzz/`.

use crate::shell;

/// Seconds for all targets together in `cargo xtask test`.
const CHECK_SECONDS: u32 = 75;

/// `cargo xtask fuzz [TARGET] [SECONDS|FILE]`.
///
/// # Errors
///
/// When an input crashes or hangs a target, or the arguments are wrong.
pub fn command(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => search("all", "300"),
        [seconds] if seconds.parse::<u32>().is_ok() => search("all", seconds),
        [target] => search(target, "60"),
        [target, rest, ..] => search(target, rest),
    }
}

/// All targets, for a time that suits `cargo xtask test`.
///
/// # Errors
///
/// When an input crashes or hangs a target.
pub fn check() -> Result<(), String> {
    search("all", &CHECK_SECONDS.to_string())
}

fn search(target: &str, rest: &str) -> Result<(), String> {
    let mut command = shell::cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        "warploom-fuzz",
        "--bin",
        "warploom-fuzz",
        "--",
    ]);
    shell::run(command.args([target, rest]))
}
