//! The `warploom` command.
//!
//! | module | holds |
//! | --- | --- |
//! | `args`, `trace_args` | every command and option, from which help, completions and manual come |
//! | `run`, `check`, `lesson`, `devices`, `occupancy`, `model`, `validate`, `serve`, `doctor`, `manual` | a command each |
//! | `output` | where results, messages and kernel output go |
//! | `draw` | diagnostics with their source lines |
//! | `human`, `table`, `names` | the report for people |
//! | `progress`, `interrupt` | what happens while a run goes on |

mod args;
mod check;
mod devices;
mod devices_sheet;
mod devices_tree;
mod doctor;
mod draw;
mod human;
mod human_lines;
mod human_timing;
mod interrupt;
mod lesson;
mod lesson_grid;
mod lesson_timeline;
mod manual;
mod model;
mod names;
mod occupancy;
mod occupancy_sweep;
mod output;
mod progress;
mod run;
mod serve;
mod table;
mod trace_args;
mod validate;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::{Failure, Output};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output::new(&cli.global);
    let done = output.check().and_then(|()| match &cli.command {
        Command::Run(args) => run::run(args, &mut output),
        Command::Check(args) => check::run(args, &mut output),
        Command::Lesson(args) => lesson::run(args, &mut output),
        Command::Devices(args) => devices::run(args, &mut output),
        Command::Occupancy(args) => occupancy::run(args, &mut output),
        Command::Model(args) => model::run(&args.command, &mut output),
        Command::Validate(args) => validate::run(args, &mut output),
        Command::Serve(args) => serve::run(args, &mut output),
        Command::Doctor => doctor::run(&mut output),
        Command::Completions(args) => manual::completions(args, &mut output),
        Command::Man(args) => manual::page(args, &mut output),
    });
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Failure::Input(error)) => {
            output.diagnostics(&error.diagnostics);
            ExitCode::from(2)
        }
        // Whoever reads the output has gone; there is nobody to tell.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(Failure::Output(error)) => {
            output.message(&format!("error: cannot write the output: {error}"));
            ExitCode::from(2)
        }
    }
}
