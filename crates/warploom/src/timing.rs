//! From the timing machine's counts to metrics.

use std::collections::BTreeMap;

use warploom_timing::{Issues, Stalls, Timing};

use crate::metrics::{LineTiming, TimingMetrics};

fn by_name(stalls: &Stalls) -> BTreeMap<&'static str, u64> {
    stalls
        .iter()
        .map(|(reason, cycles)| (reason.name(), cycles))
        .collect()
}

fn rate(hits: u64, all: u64) -> f64 {
    if all == 0 {
        0.0
    } else {
        hits as f64 / all as f64
    }
}

/// The metrics of a launch.
pub(crate) fn of_launch(timing: &Timing) -> TimingMetrics {
    let memory = &timing.memory;
    TimingMetrics {
        machine_instructions: timing.machine_instructions(),
        cycles: timing.cycles,
        time_us: timing.time_us,
        ipc: timing.ipc(),
        issue_slot_utilization: timing.issue_slot_utilization(),
        achieved_occupancy: timing.achieved_occupancy(),
        eligible_warps: timing.eligible_warps(),
        stalls: by_name(&timing.tally.total().stalls),
        dram_bytes: memory.dram_read_bytes + memory.dram_write_bytes,
        l1_hit_rate: rate(memory.l1_hit_sectors, memory.l1_sectors),
        l2_hit_rate: rate(
            memory.l2_hit_sectors + memory.l2_far_hit_sectors,
            memory.l2_sectors,
        ),
    }
}

/// The metrics of a source line.
pub(crate) fn of_line(issues: &Issues) -> LineTiming {
    LineTiming {
        machine_instructions: issues.issued,
        stalls: by_name(&issues.stalls),
    }
}
