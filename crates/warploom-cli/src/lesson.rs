//! `warploom lesson`.

use std::fmt::Write;
use std::io;

use warploom::lesson::{Keep, Played, play_file};
use warploom::plan::FilePlan;
use warploom::text::Diagnostic;

use crate::args::LessonArgs;
use crate::human;
use crate::human_timing;
use crate::interrupt;
use crate::lesson_grid::grid;
use crate::lesson_timeline::timeline;
use crate::output::{Done, Failure, Output, wants_colour, wrong_argument};
use crate::progress::Progress;
use crate::run::ending;
use crate::table::{Align, Rows, clean, count};

/// Runs a lesson and draws what it issued.
pub fn run(args: &LessonArgs, output: &mut Output) -> Done {
    if ending(&args.file) != "simt" {
        return Err(wrong_file(args));
    }
    let mut options = args.machine.options();
    options.interrupt = Some(interrupt::flag());
    let keep = Keep {
        warp: args.warp,
        most: args.rows,
    };
    let progress = Progress::begin(1, output.json_on_stdout());
    let played = play_file(&FilePlan::new(&args.file), &options, keep, &progress);
    progress.end();
    let played = played?;
    output.json(&played)?;
    output.text(&draw(&played, args, wants_colour(&io::stdout())))?;
    if let Some(failure) = &played.report.error {
        output.message(&human::failure(failure, played.report.outcome));
    }
    Ok(played.report.outcome.exit_code())
}

fn wrong_file(args: &LessonArgs) -> Failure {
    let file = args.file.display();
    let help = match ending(&args.file).as_str() {
        "toml" => format!("`warploom run {file}` runs a launch file"),
        "ptx" | "cu" => format!("`warploom run {file}` runs a module"),
        _ => "a lesson is a `.simt` file; docs/lesson-language.md describes them".to_owned(),
    };
    wrong_argument(Diagnostic::error(format!("`{file}` is no lesson")).help(help))
}

fn draw(played: &Played, args: &LessonArgs, colour: bool) -> String {
    let Played {
        lesson,
        report,
        issues,
        left_out,
        ..
    } = played;
    let mut text = String::new();
    if !lesson.title.is_empty() {
        let _ = writeln!(text, "{}", clean(&lesson.title));
    }
    let _ = writeln!(
        text,
        "{} of {}, warps of {} lanes; device {}, divergence {}\n",
        plural(lesson.blocks, "block"),
        plural(lesson.threads, "thread"),
        lesson.width,
        report.device,
        report.divergence,
    );
    text.push_str(&grid(lesson, issues, colour));
    if *left_out > 0 {
        let issues = if *left_out == 1 { "issue" } else { "issues" };
        let one_warp = if args.warp.is_none() {
            ", `--warp N` one warp"
        } else {
            ""
        };
        let left_out = count(*left_out);
        let _ = writeln!(
            text,
            "… and {left_out} {issues} more: `--rows N` draws more{one_warp}"
        );
    }
    text.push('\n');
    text.push_str(&totals(played));
    if let Some(launch) = report.launches.first()
        && let Some(timing) = &launch.metrics.timing
    {
        text.push('\n');
        text.push_str(&timeline(&played.timeline, timing.cycles));
        text.push_str(&human_timing::stalls(&report.launches));
    }
    for note in report.launches.iter().flat_map(|launch| &launch.notes) {
        let _ = writeln!(text, "note: {}", clean(&note.message));
    }
    text
}

fn plural(number: u32, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

/// Issues and lane slots, by path and in all.
fn totals(played: &Played) -> String {
    let width = played.lesson.width;
    let paths = played.paths();
    let predicated = paths
        .iter()
        .any(|sum| sum.thread_instructions_executed != sum.thread_instructions);
    let mut columns = vec![
        ("path", Align::Left),
        ("depth", Align::Right),
        ("issues", Align::Right),
        ("lanes used", Align::Right),
        ("lane slots", Align::Right),
        ("efficiency", Align::Right),
    ];
    if predicated {
        columns.push(("executed", Align::Right));
    }
    let mut table = Rows::new(&columns);
    let mut executed = 0;
    for sum in &paths {
        executed += sum.thread_instructions_executed;
        table.row([
            sum.path.to_owned(),
            sum.depth.to_string(),
            count(sum.warp_instructions),
            count(sum.thread_instructions),
            count(sum.lane_slots),
            share(sum.simt_efficiency),
            count(sum.thread_instructions_executed),
        ]);
    }
    if let Some(launch) = played.report.launches.first() {
        let all = &launch.metrics.tally;
        table.row([
            "all".to_owned(),
            String::new(),
            count(all.warp_instructions),
            count(all.thread_instructions),
            count(all.warp_instructions * u64::from(width)),
            share(all.simt_efficiency(width)),
            count(executed),
        ]);
    }
    table.draw()
}

/// A share in percent, as finely as the sums deserve: `71.43 %`.
fn share(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
