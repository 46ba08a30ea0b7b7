//! The one test command: everything that must hold, step by step.

use std::time::Instant;

use crate::{accuracy, docs, fuzz, licences, shell, tools, transcripts, web};

/// One step of `cargo xtask test`.
pub struct Step {
    /// What to call it on the command line.
    pub name: &'static str,
    /// What it checks.
    pub what: &'static str,
    run: fn() -> Result<(), String>,
}

/// The steps, cheap ones first where nothing else decides.
pub const STEPS: &[Step] = &[
    Step {
        name: "tools",
        what: "set up what the tests need besides Rust, where it is missing",
        run: tools::set_up,
    },
    Step {
        name: "format",
        what: "the code is formatted",
        run: || shell::run(shell::cargo().args(["fmt", "--all", "--check"])),
    },
    Step {
        name: "licences",
        what: "every dependency has a permissive licence",
        run: licences::check,
    },
    Step {
        name: "lints",
        what: "clippy has nothing to say",
        run: || {
            let lints = [
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ];
            shell::run(shell::cargo().args(lints))
        },
    },
    Step {
        name: "tests",
        what: "unit, integration and documentation tests",
        run: || {
            let mut command = shell::cargo();
            command.args(["test", "--workspace", "--no-fail-fast"]);
            shell::run(command.envs(tools::environment()))
        },
    },
    Step {
        name: "links",
        what: "the API's documentation builds and its links lead somewhere",
        run: || {
            let mut command = shell::cargo();
            command.args(["doc", "--workspace", "--no-deps", "--keep-going"]);
            shell::run(command.env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Step {
        name: "generated",
        what: "the generated pages of docs/ are fresh",
        run: docs::check,
    },
    Step {
        name: "fuzz",
        what: "random inputs neither crash nor hang anything, for about a minute",
        run: fuzz::check,
    },
    Step {
        name: "release",
        what: "the release build",
        run: || shell::run(shell::cargo().args(["build", "--release"])),
    },
    Step {
        name: "web",
        what: "the page builds, and works in a browser",
        run: web::check,
    },
    Step {
        name: "accuracy",
        what: "docs/accuracy.md says what the model predicts, for some minutes",
        run: accuracy::check,
    },
    Step {
        name: "transcripts",
        what: "commands in the documents print what the documents show",
        run: transcripts::check,
    },
];

/// Runs the named steps, or all, and goes on after one that fails.
///
/// # Errors
///
/// When there is no step of a name, or a step failed; the latter is said already.
pub fn run(names: &[String]) -> Result<(), String> {
    if let Some(name) = names
        .iter()
        .find(|name| STEPS.iter().all(|s| s.name != **name))
    {
        return Err(format!(
            "there is no step `{name}`; `cargo xtask help` lists them"
        ));
    }
    let chosen = STEPS
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name));
    let mut failures = Vec::new();
    let mut passed = 0;
    for step in chosen {
        println!("\n== {}: {}", step.name, step.what);
        let start = Instant::now();
        let result = (step.run)();
        let seconds = start.elapsed().as_secs();
        match result {
            Ok(()) => {
                passed += 1;
                println!("== {} passed ({seconds} s)", step.name);
            }
            Err(message) => {
                println!("{message}\n== {} FAILED ({seconds} s)", step.name);
                failures.push(step.name);
            }
        }
    }
    println!();
    for name in &failures {
        println!("failed: {name}");
    }
    println!("{passed} passed, {} failed", failures.len());
    if failures.is_empty() {
        Ok(())
    } else {
        Err(String::new())
    }
}
