//! `warploom model latency`.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use warploom::device::model::latency::{Bandwidth, LatencyReport, SteadyState, WarpLoop};
use warploom::device::{Device, Rule, Scheduler, warps_per_scheduler};
use warploom::latency;
use warploom::report::SCHEMA_VERSION;
use warploom::text::{Diagnostic, Spot};

use super::args::{LatencyArgs, LoopScheduler};
use super::chosen;
use super::quantity::digits;
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::table::{Align, Rows};

/// Warp counts of the table.
const STEPS: [u32; 13] = [1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64];

/// Says how many warps hide the latency.
pub fn run(args: &LatencyArgs, output: &mut Output) -> Done {
    let device = chosen(&args.device)?;
    let warp_loop = WarpLoop {
        load_cycles: args.latency,
        math: args.math,
        math_cycles: args.math_latency,
        loads: args.loads,
        divergent: args.divergent,
    };
    let held = args
        .regs
        .map(|registers| warps_per_scheduler(&device, registers, Rule::Simple));
    let warps = args.warps.min(held.unwrap_or(u32::MAX));
    let bandwidth = bandwidth(args)?;
    let report_of = |warps| {
        let simulated = simulated(args, &warp_loop, warps, bandwidth.as_ref());
        LatencyReport::new(&warp_loop, warps, bandwidth, simulated)
    };
    let report = report_of(warps);
    let mut text = formulas(args, &report);
    if let Some(held) = held {
        text.push_str(&registers(args, &device, held, warps));
    }
    if let Some(bandwidth) = &bandwidth {
        text.push_str(&in_flight(bandwidth, &report));
    }
    let rows = STEPS
        .into_iter()
        .filter(|step| *step < warps)
        .chain([warps]);
    text.push('\n');
    text.push_str(&table(&rows.map(report_of).collect::<Vec<_>>()));
    output.text(&text)?;
    output.json(&as_json(args, &report, held))?;
    Ok(0)
}

fn bandwidth(args: &LatencyArgs) -> Result<Option<Bandwidth>, Failure> {
    let (Some(bytes_per_load), Some(bytes_per_cycle)) = (args.bytes_per_load, args.bytes_per_cycle)
    else {
        return Ok(None);
    };
    for (option, value) in [
        ("--bytes-per-load", bytes_per_load),
        ("--bytes-per-cycle", bytes_per_cycle),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            let spot = Spot::whole(option, value.to_string());
            let message = format!("{value} is not a positive number");
            return Err(wrong_argument(Diagnostic::error(message).at(&spot, "")));
        }
    }
    Ok(Some(Bandwidth {
        bytes_per_load,
        bytes_per_cycle,
    }))
}

/// The steady state of the chosen scheduler. The ideal one needs no simulation; the others are those
/// of an SM, which has room for no more warps than [`latency::MOST_WARPS`].
fn simulated(
    args: &LatencyArgs,
    warp_loop: &WarpLoop,
    warps: u32,
    bandwidth: Option<&Bandwidth>,
) -> Option<SteadyState> {
    let scheduler = match args.scheduler {
        LoopScheduler::Ideal => {
            let issues = warp_loop.loop_instructions().saturating_mul(warps.into());
            return Some(SteadyState {
                issues,
                cycles: warp_loop.loop_cycles().max(issues),
            });
        }
        LoopScheduler::Gto => Scheduler::Gto,
        LoopScheduler::Lrr => Scheduler::Lrr,
        LoopScheduler::TwoLevel => Scheduler::TwoLevel,
    };
    if warps == 0 || warps > latency::MOST_WARPS {
        return None;
    }
    let sides = if warp_loop.divergent { 2 } else { 1 };
    let steady = latency::steady(&latency::LatencyModel {
        warps,
        load_cycles: warp_loop.load_cycles,
        math: warp_loop.math.saturating_mul(sides),
        math_cycles: warp_loop.math_cycles,
        loads: warp_loop.loads,
        load_interval_cycles: bandwidth.map_or(0.0, |b| b.bytes_per_load / b.bytes_per_cycle),
        scheduler,
        group_warps: args.group,
    });
    Some(SteadyState {
        issues: steady.issues,
        cycles: steady.cycles,
    })
}

fn formulas(args: &LatencyArgs, report: &LatencyReport) -> String {
    let (load, math_latency, loads) = (args.latency, args.math_latency, args.loads);
    let math = u64::from(args.math) * if args.divergent { 2 } else { 1 };
    let (cycles, slots) = (report.loop_cycles, report.loop_instructions);
    let mut text = String::new();
    if args.divergent {
        let _ = writeln!(
            text,
            "C = {math}: both sides of a branch are issued, {} instructions each",
            args.math
        );
    }
    let _ = writeln!(
        text,
        "P = L + A·k·C = {load} + {math_latency}·{loads}·{math} = {cycles} cycles of a round"
    );
    let _ = writeln!(
        text,
        "I = k·(1 + C) = {loads}·(1 + {math}) = {slots} issue slots of a round"
    );
    let _ = writeln!(
        text,
        "warps needed = ⌈P / I⌉ = ⌈{cycles} / {slots}⌉ = {}",
        report.warps_needed
    );
    text
}

fn registers(args: &LatencyArgs, device: &Device, held: u32, warps: u32) -> String {
    let registers = args.regs.unwrap_or(0);
    let rounded = warps_per_scheduler(device, registers, Rule::Toolkit);
    format!(
        "{registers} registers a thread leave room for {held} warps of a scheduler of {} \
         ({rounded} with its allocation units): {warps} resident\n",
        device.name
    )
}

fn in_flight(bandwidth: &Bandwidth, report: &LatencyReport) -> String {
    format!(
        "L·W = {} bytes on their way keep the memory busy; {} warps can, and then at most {:.2}% \
         of the slots are filled\n",
        digits(report.bytes_in_flight_needed.unwrap_or(0.0)),
        report.warps_needed_for_bandwidth.unwrap_or(0),
        100.0 * report.bandwidth_utilization.unwrap_or(0.0),
    ) + &format!(
        "({} bytes a load, {} bytes a cycle)\n",
        digits(bandwidth.bytes_per_load),
        digits(bandwidth.bytes_per_cycle)
    )
}

fn table(reports: &[LatencyReport]) -> String {
    let exact = |share: f64| format!("{:.2}%", 100.0 * share);
    let simulated = reports.iter().any(|r| r.issue_slot_utilization.is_some());
    let mut columns = vec![
        ("warps", Align::Right),
        ("at best", Align::Right),
        ("round-robin", Align::Right),
    ];
    if simulated {
        columns.push(("scheduler", Align::Right));
    }
    columns.push(("useful lanes", Align::Right));
    let mut rows = Rows::new(&columns);
    for report in reports {
        let mut row = vec![
            report.warps.to_string(),
            exact(report.ideal_utilization),
            report
                .round_robin_utilization
                .map(exact)
                .unwrap_or_default(),
        ];
        if simulated {
            row.push(report.issue_slot_utilization.map(exact).unwrap_or_default());
        }
        row.push(exact(report.useful_lane_utilization));
        rows.row(row);
    }
    rows.draw()
}

fn as_json(args: &LatencyArgs, report: &LatencyReport, held: Option<u32>) -> Value {
    let mut object = Map::new();
    let scheduler = match args.scheduler {
        LoopScheduler::Gto => "gto",
        LoopScheduler::Lrr => "lrr",
        LoopScheduler::TwoLevel => "two-level",
        LoopScheduler::Ideal => "ideal",
    };
    object.insert("schema_version".into(), json!(SCHEMA_VERSION));
    object.insert("scheduler".into(), json!(scheduler));
    if let Some(held) = held {
        object.insert("warps_held_by_registers".into(), json!(held));
    }
    if let Ok(Value::Object(fields)) = serde_json::to_value(report) {
        object.extend(fields);
    }
    Value::Object(object)
}
