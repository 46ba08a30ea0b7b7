//! The report of a run, for people.

use std::fmt::Write;

use warploom::metrics::{COUNTERS, Tally};
use warploom::report::{
    ExpectationReport, Failure, LaunchReport, Note, Outcome, Place, Report, Traced, Waiting,
};

use crate::human_lines::hot_lines;
use crate::human_timing;
use crate::names::kernel_name;
use crate::table::{Align, Rows, clean, count, number, percent, shorten, widest};

/// Launches that are shown side by side; more are shown in a row each.
const SIDE_BY_SIDE: usize = 4;
/// Characters of a kernel's name in a table.
pub const NAME_WIDTH: usize = 28;

/// How much is shown.
#[derive(Clone, Copy)]
pub struct View {
    /// Source lines with the most instructions.
    pub lines: usize,
    /// Columns of the terminal, if it is one.
    pub width: Option<usize>,
}

/// Everything but what ended the run early.
pub fn report(report: &Report, view: View) -> String {
    let mut text = format!(
        "device {}, divergence {}\n",
        report.device, report.divergence
    );
    for note in &report.notes {
        text.push_str(&note_line(note, None));
    }
    match report.launches.as_slice() {
        [] => {}
        few if few.len() <= SIDE_BY_SIDE => text.push_str(&columns(few, view)),
        many => text.push_str(&rows(many)),
    }
    text.push_str(&human_timing::stalls(&report.launches));
    text.push_str(&hot_lines(&report.launches, view));
    text.push_str(&human_timing::advice(&report.launches));
    for launch in &report.launches {
        let kernel = (report.launches.len() > 1).then(|| kernel_name(&launch.kernel));
        for note in &launch.notes {
            text.push_str(&note_line(note, kernel.as_deref()));
        }
    }
    if !report.expectations.is_empty() {
        text.push('\n');
        text.push_str(&expectations(&report.expectations));
    }
    for saved in &report.saved {
        let _ = writeln!(
            text,
            "saved `{}` to {}",
            clean(&saved.buffer),
            clean(&saved.path)
        );
    }
    if let Some(traced) = &report.trace {
        text.push_str(&self::traced(traced));
    }
    text
}

/// What a trace holds, and what it leaves out.
fn traced(traced: &Traced) -> String {
    let Traced {
        sms: [first, end],
        window: [from, to],
        ..
    } = *traced;
    let mut text = format!(
        "traced SMs {first} to {} in cycles {from} to {to} of {} into {}: {} events",
        end.saturating_sub(1),
        count(traced.cycles),
        clean(&traced.path),
        count(traced.events)
    );
    if let Some(cycle) = traced.complete_to {
        let _ = write!(
            text,
            "; {} were too many, and from cycle {cycle} on some are missing (--trace-events)",
            count(traced.left_out)
        );
    }
    text.push('\n');
    text
}

pub fn note_line(note: &Note, kernel: Option<&str>) -> String {
    let at = note
        .place
        .as_ref()
        .map(|place| format!("{}: ", place.at()))
        .unwrap_or_default();
    let kernel = kernel.map(|name| format!("{name}: ")).unwrap_or_default();
    format!(
        "note: {}\n",
        clean(&format!("{kernel}{at}{}", note.message))
    )
}

fn extent([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// A metric's value in each launch.
pub struct Metric {
    /// The key in reports.
    pub key: &'static str,
    /// The metric of Nsight Compute with this meaning.
    pub nsight: &'static str,
    /// Reads it.
    pub get: fn(&LaunchReport) -> String,
}

/// What follows the counters.
const MORE: [Metric; 5] = [
    Metric {
        key: "simt_efficiency",
        nsight: "smsp__thread_inst_executed_per_inst_executed.pct",
        get: |launch| percent(efficiency(launch)),
    },
    Metric {
        key: "registers_per_thread",
        nsight: "launch__registers_per_thread",
        get: |launch| launch.metrics.footprint.registers_per_thread.to_string(),
    },
    Metric {
        key: "shared_bytes_per_block",
        nsight: "launch__shared_mem_per_block",
        get: |launch| count(launch.metrics.footprint.shared_bytes_per_block.into()),
    },
    Metric {
        key: "theoretical_occupancy",
        nsight: "sm__maximum_warps_per_active_cycle_pct",
        get: |launch| percent(launch.metrics.footprint.theoretical_occupancy),
    },
    Metric {
        key: "occupancy_limiter",
        nsight: "launch__occupancy_limit_*",
        get: |launch| launch.metrics.footprint.occupancy_limiter.to_string(),
    },
];

fn efficiency(launch: &LaunchReport) -> f64 {
    launch
        .metrics
        .tally
        .simt_efficiency(launch.metrics.warp_width)
}

/// Few launches, a column each. The profiler's names give way where the terminal is too narrow.
fn columns(launches: &[LaunchReport], view: View) -> String {
    let full = column_table(launches, true);
    match view.width {
        Some(width) if widest(&full) > width => column_table(launches, false),
        _ => full,
    }
}

fn column_table(launches: &[LaunchReport], nsight: bool) -> String {
    let names: Vec<String> = launches
        .iter()
        .map(|launch| shorten(&kernel_name(&launch.kernel), NAME_WIDTH))
        .collect();
    let mut head = vec![("", Align::Left)];
    head.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    if nsight {
        head.push(("Nsight Compute", Align::Left));
    }
    let mut table = Rows::new(&head);
    let mut row = |key: &str, values: Vec<String>, nsight: &str| {
        let values = [key.to_owned()].into_iter().chain(values);
        table.row(values.chain([nsight.to_owned()]));
    };
    let each = |get: &dyn Fn(&LaunchReport) -> String| launches.iter().map(get).collect();
    row("grid", each(&|launch| extent(launch.grid)), "");
    row("block", each(&|launch| extent(launch.block)), "");
    for counter in COUNTERS {
        let value = |launch: &LaunchReport| (counter.get)(&launch.metrics.tally);
        if launches.iter().any(|launch| value(launch) != 0) {
            row(
                counter.key,
                each(&|launch| count(value(launch))),
                counter.nsight,
            );
        }
    }
    for metric in &MORE {
        row(metric.key, each(&metric.get), metric.nsight);
    }
    if launches
        .iter()
        .any(|launch| launch.metrics.timing.is_some())
    {
        for metric in human_timing::METRICS {
            row(metric.key, each(&metric.get), metric.nsight);
        }
    }
    table.draw()
}

/// Many launches, a row each.
fn rows(launches: &[LaunchReport]) -> String {
    let mut table = Rows::new(&[
        ("", Align::Right),
        ("kernel", Align::Left),
        ("grid", Align::Right),
        ("block", Align::Right),
        ("warp instructions", Align::Right),
        ("simt", Align::Right),
        ("divergent", Align::Right),
        ("sectors (ideal)", Align::Right),
        ("conflicts", Align::Right),
        ("occupancy", Align::Right),
    ]);
    for (number, launch) in launches.iter().enumerate() {
        let tally = &launch.metrics.tally;
        table.row([
            (number + 1).to_string(),
            shorten(&kernel_name(&launch.kernel), NAME_WIDTH),
            extent(launch.grid),
            extent(launch.block),
            count(tally.warp_instructions),
            percent(efficiency(launch)),
            count(tally.divergent_branches),
            sectors(tally),
            count(tally.shared_bank_conflicts),
            percent(launch.metrics.footprint.theoretical_occupancy),
        ]);
    }
    table.draw()
}

/// Sectors of loads and stores, and what they would be side by side.
pub fn sectors(tally: &Tally) -> String {
    let touched = tally.global_load_sectors + tally.global_store_sectors;
    let ideal = tally.global_load_ideal_sectors + tally.global_store_ideal_sectors;
    match touched {
        0 => String::new(),
        _ => format!("{} ({})", count(touched), count(ideal)),
    }
}

/// What became of the expectations.
pub fn expectations(expectations: &[ExpectationReport]) -> String {
    let mut text = String::new();
    for expectation in expectations {
        let ExpectationReport {
            elements,
            differing,
            rtol,
            atol,
            ..
        } = expectation;
        let buffer = clean(&expectation.buffer);
        let error = match expectation.largest_error {
            Some(error) => format!("largest error {}", number(error)),
            None => "a number stands against a NaN or infinity".to_owned(),
        };
        if expectation.ok {
            let _ = writeln!(
                text,
                "expected `{buffer}`: holds, {elements} elements, {error}"
            );
            continue;
        }
        let tolerance = tolerance(*rtol, *atol);
        let _ = writeln!(
            text,
            "expected `{buffer}`: FAILED, {differing} of {elements} elements differ {tolerance}; \
             {error}"
        );
        let columns = [
            ("index", Align::Left),
            ("found", Align::Right),
            ("expected", Align::Right),
        ];
        let mut table = Rows::new(&columns);
        for first in &expectation.first_differences {
            table.row([
                first.index.clone(),
                first.found.clone(),
                first.expected.clone(),
            ]);
        }
        text.push_str(&table.draw());
    }
    text
}

/// How much elements may differ.
fn tolerance(rtol: f64, atol: f64) -> String {
    let relative = || format!("{} * |expected|", number(rtol));
    match (rtol == 0.0, atol == 0.0) {
        (true, true) => "(exact comparison)".to_owned(),
        (true, false) => format!("by more than {}", number(atol)),
        (false, true) => format!("by more than {}", relative()),
        (false, false) => format!("by more than {} + {}", number(atol), relative()),
    }
}

/// What ended the run early.
pub fn failure(failure: &Failure, outcome: Outcome) -> String {
    let word = match outcome {
        Outcome::Fault => "fault",
        Outcome::Limit => "stopped",
        _ => "unsupported",
    };
    let mut lines = failure.message.lines().map(clean);
    let mut text = format!("{word}: {}", lines.next().unwrap_or_default());
    if failure.waits.is_empty() {
        for line in lines {
            let _ = write!(text, "\n  {line}");
        }
    }
    let mut place = format!("kernel {}", clean(&failure.kernel));
    if let (Some(block), Some(thread)) = (failure.block, failure.thread) {
        let _ = write!(place, ", block {}, thread {}", index(block), index(thread));
        if let Some(lanes) = &failure.lanes {
            let _ = write!(place, ", lanes {lanes}");
        }
    }
    let _ = write!(text, "\n  in {place}");
    source(&mut text, "  ", &failure.place);
    if let Some(instruction) = &failure.instruction {
        let _ = write!(text, "\n  instruction: {}", clean(instruction));
    }
    for wait in &failure.waits {
        let Waiting {
            block,
            warp,
            lanes,
            reason,
            place,
            ..
        } = wait;
        let (block, reason) = (index(*block), clean(reason));
        let _ = write!(
            text,
            "\n  block {block} warp {warp} lanes {lanes}: {reason}"
        );
        source(&mut text, "    ", place);
    }
    text
}

fn index([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

fn source(text: &mut String, indent: &str, place: &Place) {
    if !place.file.is_empty() {
        let _ = write!(text, "\n{indent}at {}", clean(&place.at()));
        if let Some(line) = &place.text {
            let _ = write!(text, ": {}", clean(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_told_as_far_as_they_matter() {
        assert_eq!(tolerance(0.0, 0.0), "(exact comparison)");
        assert_eq!(tolerance(0.0, 5.0), "by more than 5");
        assert_eq!(tolerance(1e-6, 0.0), "by more than 1e-6 * |expected|");
        assert_eq!(tolerance(0.5, 0.25), "by more than 0.25 + 0.5 * |expected|");
    }

    #[test]
    fn the_page_of_counters_names_the_same_metrics() {
        let page = include_str!("../../../docs/counters.md");
        for Metric { key, nsight, .. } in &MORE {
            let rows = page
                .lines()
                .filter(|line| line.starts_with(&format!("| `{key}` |")));
            assert!(rows.clone().count() == 1, "{key}");
            assert!(rows.clone().all(|row| row.contains(nsight)), "{nsight}");
        }
    }
}
