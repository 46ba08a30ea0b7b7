//! Random inputs, on the stable compiler. The targets and the loop are in `fuzz/`.

use crate::shell;

/// The targets and how many seconds each gets in `cargo xtask test`.
const TARGETS: &[(&str, u32)] = &[
    ("ptx_text", 30),
    ("lesson_text", 15),
    ("launch_file", 10),
    ("argument", 5),
    ("npy", 5),
];

/// `cargo xtask fuzz [TARGET] [SECONDS]`.
///
/// # Errors
///
/// When an input crashes or hangs a target, or the arguments are wrong.
pub fn command(arguments: &[String]) -> Result<(), String> {
    let seconds = arguments
        .iter()
        .find_map(|word| word.parse().ok())
        .unwrap_or(60);
    let names: Vec<&String> = arguments
        .iter()
        .filter(|w| w.parse::<u32>().is_err())
        .collect();
    let known = |name: &str| TARGETS.iter().any(|(target, _)| *target == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let list: Vec<&str> = TARGETS.iter().map(|(target, _)| *target).collect();
        return Err(format!(
            "there is no target `{name}`; there are {}",
            list.join(", ")
        ));
    }
    let chosen = TARGETS
        .iter()
        .filter(|(target, _)| names.is_empty() || names.iter().any(|name| name == target));
    each(chosen.map(|(target, _)| (*target, seconds)))
}

/// All targets, for a time that suits `cargo xtask test`.
///
/// # Errors
///
/// When an input crashes or hangs a target.
pub fn check() -> Result<(), String> {
    each(TARGETS.iter().copied())
}

fn each(targets: impl Iterator<Item = (&'static str, u32)>) -> Result<(), String> {
    let mut failures = Vec::new();
    for (target, seconds) in targets {
        let mut command = shell::cargo();
        command.args(["run", "--quiet", "--package", "warploom-fuzz", "--", target]);
        failures.extend(shell::run(command.arg(seconds.to_string())).err());
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n"))
    }
}
