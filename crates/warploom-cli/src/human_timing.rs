//! The part of a report that says how long launches take on the chip, and why.

use std::collections::BTreeMap;
use std::fmt::Write;

use warploom::metrics::TimingMetrics;
use warploom::report::LaunchReport;

use crate::human::Metric;
use crate::table::{Align, Rows, clean, count, percent};

fn timed(launch: &LaunchReport, show: fn(&TimingMetrics) -> String) -> String {
    launch.metrics.timing.as_ref().map(show).unwrap_or_default()
}

/// The timing metrics, after the counters.
pub const METRICS: &[Metric] = &[
    Metric {
        key: "machine_instructions",
        nsight: "smsp__inst_issued.sum",
        get: |launch| timed(launch, |t| count(t.machine_instructions)),
    },
    Metric {
        key: "cycles",
        nsight: "sm__cycles_elapsed.max",
        get: |launch| timed(launch, |t| count(t.cycles)),
    },
    Metric {
        key: "time_us",
        nsight: "gpu__time_duration.sum",
        get: |launch| timed(launch, |t| format!("{:.2}", t.time_us)),
    },
    Metric {
        key: "ipc",
        nsight: "sm__inst_executed.sum.per_cycle_elapsed",
        get: |launch| timed(launch, |t| format!("{:.2}", t.ipc)),
    },
    Metric {
        key: "issue_slot_utilization",
        nsight: "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
        get: |launch| timed(launch, |t| percent(t.issue_slot_utilization)),
    },
    Metric {
        key: "achieved_occupancy",
        nsight: "sm__warps_active.avg.pct_of_peak_sustained_active",
        get: |launch| timed(launch, |t| percent(t.achieved_occupancy)),
    },
    Metric {
        key: "eligible_warps",
        nsight: "smsp__warps_eligible.avg.per_cycle_active",
        get: |launch| timed(launch, |t| format!("{:.2}", t.eligible_warps)),
    },
    Metric {
        key: "dram_bytes",
        nsight: "dram__bytes.sum",
        get: |launch| timed(launch, |t| count(t.dram_bytes)),
    },
    Metric {
        key: "l1_hit_rate",
        nsight: "l1tex__t_sector_hit_rate.pct",
        get: |launch| timed(launch, |t| percent(t.l1_hit_rate)),
    },
    Metric {
        key: "l2_hit_rate",
        nsight: "lts__t_sector_hit_rate.pct",
        get: |launch| timed(launch, |t| percent(t.l2_hit_rate)),
    },
];

/// What warps did with their cycles, over all launches; nothing if none was timed.
pub fn stalls(launches: &[LaunchReport]) -> String {
    let mut sum: BTreeMap<&str, u64> = BTreeMap::new();
    let timings = launches
        .iter()
        .filter_map(|launch| launch.metrics.timing.as_ref());
    for (reason, cycles) in timings.flat_map(|timing| &timing.stalls) {
        *sum.entry(reason).or_default() += cycles;
    }
    let total: u64 = sum.values().sum();
    if total == 0 {
        return String::new();
    }
    let mut order: Vec<_> = sum.into_iter().collect();
    order.sort_by_key(|&(_, cycles)| std::cmp::Reverse(cycles));
    let mut table = Rows::new(&[
        ("warps", Align::Left),
        ("warp-cycles", Align::Right),
        ("share", Align::Right),
    ]);
    for (reason, cycles) in order {
        let share = cycles as f64 / total as f64;
        table.row([reason.to_owned(), count(cycles), percent(share)]);
    }
    format!("\n{}", table.draw())
}

/// What limits each timed launch.
pub fn advice(launches: &[LaunchReport]) -> String {
    let mut text = String::new();
    for launch in launches.iter().filter(|launch| !launch.advice.is_empty()) {
        let _ = writeln!(text, "\n{}: what limits it", clean(&launch.kernel));
        for sentence in &launch.advice {
            let _ = writeln!(text, "- {}", clean(sentence));
        }
    }
    text
}
