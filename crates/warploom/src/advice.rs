//! What limits a launch and what would help, drawn from its metrics. Each sentence carries the
//! figure that it rests on.

use warploom_device::Device;

use crate::metrics::{Metrics, TimingMetrics};

/// Share of something from which on it is worth a sentence.
const NOTABLE: f64 = 0.2;
/// Share of a peak from which on it is the limit.
const NEAR_PEAK: f64 = 0.7;

/// Sentences on a timed launch, what limits it first; none for one that was not timed.
pub(crate) fn of(metrics: &Metrics, device: &Device) -> Vec<String> {
    let Some(timing) = &metrics.timing else {
        return Vec::new();
    };
    let mut all = Vec::new();
    throughput(timing, device, &mut all);
    waits(timing, metrics, &mut all);
    waste(metrics, &mut all);
    if all.is_empty() {
        let used = percent(timing.issue_slot_utilization);
        all.push(format!(
            "Nothing stands out: schedulers issue in {used} of their slots, and no stall reason takes \
             a fifth of the warps' time."
        ));
    }
    all
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// What is near its peak.
fn throughput(timing: &TimingMetrics, device: &Device, all: &mut Vec<String>) {
    let issue = timing.issue_slot_utilization;
    if issue > NEAR_PEAK {
        all.push(format!(
            "Issue is the limit: schedulers use {} of their slots. Fewer instructions for the same \
             work would help: wider loads, less address arithmetic, unrolling.",
            percent(issue)
        ));
    }
    if timing.time_us > 0.0 {
        let reached = timing.dram_bytes as f64 / timing.time_us / 1e3;
        let share = reached / device.memory.dram_gb_per_s;
        if share > NEAR_PEAK {
            all.push(format!(
                "Device memory is the limit: {reached:.0} GB/s, {} of {:.0} GB/s. Moving fewer bytes \
                 would help: reuse through shared memory, smaller types.",
                percent(share),
                device.memory.dram_gb_per_s
            ));
        }
    }
}

/// What warps wait for.
fn waits(timing: &TimingMetrics, metrics: &Metrics, all: &mut Vec<String>) {
    let total: u64 = timing.stalls.values().sum();
    let share = |reason: &str| {
        let cycles = timing.stalls.get(reason).copied().unwrap_or(0);
        cycles as f64 / total.max(1) as f64
    };
    let mut say = |reason: &str, text: &dyn Fn(&str) -> String| {
        let part = share(reason);
        if part > NOTABLE {
            all.push(text(&percent(part)));
        }
    };
    let occupancy = percent(timing.achieved_occupancy);
    let limiter = metrics.footprint.occupancy_limiter;
    say("long_scoreboard", &|part| {
        format!(
            "Warps wait for global or local memory in {part} of their time (long scoreboard), at \
             {occupancy} occupancy (residency is limited by {limiter}) and an L1 hit rate of {}. More \
             independent loads in flight or more resident warps would help.",
            percent(timing.l1_hit_rate)
        )
    });
    say("short_scoreboard", &|part| {
        format!(
            "Warps wait for shared memory or special functions in {part} of their time (short \
             scoreboard). Fewer bank conflicts, or independent work between request and use, would \
             help."
        )
    });
    say("wait", &|part| {
        format!(
            "Warps wait for the result before in {part} of their time (wait): dependent arithmetic. \
             More warps or more independent chains in each thread would help."
        )
    });
    say("barrier", &|part| {
        format!(
            "Warps wait at barriers in {part} of their time. Smaller blocks, a second resident block, \
             or more even work between barriers would help."
        )
    });
    say("math_pipe_throttle", &|part| {
        format!(
            "A pipeline is busy in {part} of the warps' time (math pipe throttle): its throughput is \
             the limit."
        )
    });
    say("lg_throttle", &|part| {
        format!(
            "The queue for global and local memory is full in {part} of the warps' time (LG throttle). \
             Fewer, wider or better coalesced accesses would help."
        )
    });
    say("mio_throttle", &|part| {
        format!(
            "The queue for shared memory is full in {part} of the warps' time (MIO throttle). Fewer or \
             wider shared-memory accesses, or fewer conflicts, would help."
        )
    });
    say("branch_resolving", &|part| {
        format!("Warps wait for branch targets in {part} of their time. Unrolling would help.")
    });
    say("no_instruction", &|part| {
        format!(
            "Warps wait for instructions in {part} of their time: the code does not fit the \
             instruction caches, or the launch is too short to fill them."
        )
    });
}

/// What the counters say beside the time.
fn waste(metrics: &Metrics, all: &mut Vec<String>) {
    let tally = &metrics.tally;
    let efficiency = tally.simt_efficiency(metrics.warp_width);
    if efficiency < 1.0 - NOTABLE {
        all.push(format!(
            "Divergence leaves lanes idle: SIMT efficiency is {}.",
            percent(efficiency)
        ));
    }
    let sectors = tally.global_load_sectors + tally.global_store_sectors;
    let ideal = tally.global_load_ideal_sectors + tally.global_store_ideal_sectors;
    if sectors as f64 > (1.0 + NOTABLE) * ideal as f64 {
        all.push(format!(
            "Accesses to global memory are not coalesced: {sectors} sectors where {ideal} would do."
        ));
    }
    let conflicts = tally.shared_bank_conflicts as f64;
    let share = conflicts / (tally.shared_wavefronts.max(1) as f64);
    if share > NOTABLE {
        all.push(format!(
            "Bank conflicts cost {} of the passes over shared memory.",
            percent(share)
        ));
    }
}
