//! `warploom check`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use warploom::report::{Finding, Outcome, Report, Severity};
use warploom::run::check_folder;
use warploom::text::{Diagnostic, Spot};
use warploom::{Finished, Options, junit, sarif};

use crate::args::CheckArgs;
use crate::human;
use crate::interrupt;
use crate::names::kernel_name;
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::progress::Progress;
use crate::run;

/// Runs it.
pub fn run(args: &CheckArgs, output: &mut Output) -> Done {
    if args.machine.timing {
        let message = "`check` predicts no times; `warploom run --timing` does";
        return Err(wrong_argument(Diagnostic::error(message)));
    }
    for (path, option) in [(&args.sarif, "--sarif"), (&args.junit, "--junit")] {
        if let Some(path) = path {
            let shown = path.display().to_string();
            check_folder(path, &shown, Some(&Spot::whole(option, shown.as_str())))?;
        }
    }
    let mut plan = run::plan(&args.file, &args.launch)?;
    // What a checked run leaves is what `run` leaves: there is nothing to save again.
    plan.save.clear();
    let options = Options {
        check: true,
        allow: args.allow.clone(),
        interrupt: Some(interrupt::flag()),
        ..args.machine.options()
    };
    let progress = Progress::begin(plan.launches.len(), output.json_on_stdout());
    let finished = warploom::run(&plan, &options, &progress);
    progress.end();
    let Finished {
        report, session, ..
    } = finished?;
    output.diagnostics_if_any(&session.program().warnings);
    output.json(&report)?;
    if let Some(path) = &args.sarif {
        let text = format!("{:#}\n", sarif::of(&report));
        save(path, "--sarif", &text)?;
    }
    if let Some(path) = &args.junit {
        save(path, "--junit", &junit::of(&report))?;
    }
    let found = report.launches.iter().flat_map(|launch| &launch.findings);
    let shown: Vec<Diagnostic> = found
        .take(args.limit)
        .map(|f| f.diagnostic.clone())
        .collect();
    output.drawn(&shown)?;
    output.text(&summary(&report, args.limit))?;
    if let Some(failure) = &report.error {
        output.message(&human::failure(failure, report.outcome));
    }
    Ok(report.outcome.exit_code())
}

/// Writes a file that an option names.
fn save(path: &Path, option: &str, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| {
        let shown = path.display().to_string();
        let message = format!("cannot write `{shown}`: {error}");
        wrong_argument(Diagnostic::error(message).at(&Spot::whole(option, shown), ""))
    })
}

/// How many findings each launch has.
fn summary(report: &Report, limit: usize) -> String {
    let mut text = format!(
        "device {}, divergence {}\n",
        report.device, report.divergence
    );
    for note in &report.notes {
        text.push_str(&human::note_line(note, None));
    }
    let mut all = 0;
    for launch in &report.launches {
        let findings = &launch.findings;
        all += findings.len();
        let count = |severity: Severity| {
            let alike = |finding: &&Finding| finding.severity == severity;
            findings.iter().filter(alike).count()
        };
        let [x, y, z] = launch.grid;
        let [i, j, k] = launch.block;
        let _ = writeln!(
            text,
            "{}, grid ({x},{y},{z}), block ({i},{j},{k}): {}",
            kernel_name(&launch.kernel),
            counts(count(Severity::Error), count(Severity::Note)),
        );
        for note in &launch.notes {
            text.push_str(&human::note_line(note, None));
        }
    }
    if all > limit {
        let _ = writeln!(text, "{} more are in the JSON report (--json)", all - limit);
    }
    if !report.expectations.is_empty() && report.outcome != Outcome::Ok {
        text.push_str(&human::expectations(&report.expectations));
    }
    text
}

fn counts(errors: usize, notes: usize) -> String {
    let of = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    match (errors, notes) {
        (0, 0) => "nothing found".to_owned(),
        (errors, 0) => of(errors, "error"),
        (0, notes) => of(notes, "note"),
        (errors, notes) => format!("{}, {}", of(errors, "error"), of(notes, "note")),
    }
}
