//! Chores of the workspace, one command each; `cargo xtask help` lists them.

mod accuracy;
mod docs;
mod examples;
mod fuzz;
mod lab;
mod licences;
mod shell;
mod steps;
mod tools;
mod transcripts;
mod web;

use std::env;
use std::process::ExitCode;

/// A command: its name, its arguments, what it does, and the doing.
type Chore = (
    &'static str,
    &'static str,
    &'static str,
    fn(&[String]) -> Result<(), String>,
);

const CHORES: &[Chore] = &[
    (
        "test",
        "[STEP…]",
        "everything that must hold, or the named steps of it",
        steps::run,
    ),
    (
        "fuzz",
        "[TARGET] [SECONDS|FILE]",
        "random inputs for one target or for all; or one input",
        fuzz::command,
    ),
    (
        "docs",
        "",
        "write the generated pages of docs/ again",
        |_| docs::write(),
    ),
    (
        "accuracy",
        "",
        "run every validation target and write docs/accuracy.md again",
        |_| accuracy::write(),
    ),
    (
        "examples",
        "",
        "compile the sources of examples and validation to PTX again",
        |_| examples::rebuild(),
    ),
    ("web", "", "build the page into web/dist", |_| web::build()),
    (
        "lab",
        "[FOLDER]",
        "run the divergence lab and keep its evidence in a folder",
        lab::command,
    ),
    ("bench", "[FILTER]", "the benchmarks", |arguments| {
        shell::run(
            shell::cargo()
                .args(["bench", "--workspace"])
                .args(arguments),
        )
    }),
    ("help", "", "this list", |_| {
        help();
        Ok(())
    }),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        help();
        return ExitCode::from(2);
    };
    let Some((.., chore)) = CHORES.iter().find(|(known, ..)| known == name) else {
        eprintln!("there is no `{name}`\n");
        help();
        return ExitCode::from(2);
    };
    match chore(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            if !message.is_empty() {
                eprintln!("{message}");
            }
            ExitCode::FAILURE
        }
    }
}

fn help() {
    println!("cargo xtask COMMAND\n");
    for (name, arguments, what, _) in CHORES {
        println!("  {:<28} {what}", format!("{name} {arguments}"));
    }
    println!("\nSteps of `test`, in their order:\n");
    for step in steps::STEPS {
        println!("  {:<12} {}", step.name, step.what);
    }
}
