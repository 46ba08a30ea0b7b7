//! Counters by name: what they mean, and what the profiler calls them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use warploom_device::Limiter;

/// Defines the counters once: field, meaning, the profiler's name.
macro_rules! counters {
    ($($(#[doc = $meaning:literal])+ $name:ident, $nsight:literal;)*) => {
        /// Exact counts of a launch or of a source line.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Tally {
            $($(#[doc = $meaning])+ pub $name: u64,)*
        }

        /// Every counter, in the order of reports.
        pub const COUNTERS: &[Counter] = &[
            $(Counter {
                key: stringify!($name),
                meaning: concat!($($meaning),+),
                nsight: $nsight,
                get: |tally| tally.$name,
            },)*
        ];

        impl Tally {
            /// Adds another part.
            pub fn add(&mut self, part: &Tally) {
                $(self.$name += part.$name;)*
            }
        }
    };
}

/// A counter's name and meaning.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// The key in reports.
    pub key: &'static str,
    /// What it counts.
    pub meaning: &'static str,
    /// The metric of Nsight Compute with this meaning; empty where there is none.
    pub nsight: &'static str,
    /// Reads it.
    pub get: fn(&Tally) -> u64,
}

counters! {
    /// Warp instructions issued.
    warp_instructions, "smsp__inst_executed.sum";
    /// Sum of active lanes over them, whatever their guard.
    thread_instructions, "smsp__thread_inst_executed.sum";
    /// Sum of active lanes whose guard is true.
    thread_instructions_predicated_on, "smsp__thread_inst_executed_pred_on.sum";
    /// Warp branch instructions executed.
    branches, "smsp__sass_branch_targets.sum";
    /// Branches whose active lanes went different ways.
    divergent_branches, "smsp__sass_branch_targets_threads_divergent.sum";
    /// Warp load instructions on global memory.
    global_load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
    /// Distinct 32-byte sectors that they touch.
    global_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    /// Sectors that they would touch if their lanes' bytes lay side by side.
    global_load_ideal_sectors, "memory_l2_theoretical_sectors_global_ideal";
    /// Warp store instructions on global memory.
    global_store_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
    /// Distinct 32-byte sectors that they touch.
    global_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
    /// Sectors that they would touch if their lanes' bytes lay side by side.
    global_store_ideal_sectors, "memory_l2_theoretical_sectors_global_ideal";
    /// Warp instructions on shared memory.
    shared_requests, "smsp__inst_executed_op_shared.sum";
    /// Passes that they need.
    shared_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
    /// Passes beyond the minimum.
    shared_bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
    /// Distinct 32-byte sectors of loads from local memory.
    local_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
    /// Distinct 32-byte sectors of stores to local memory.
    local_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
    /// Warp atomic instructions, on any memory.
    atomics, "";
    /// Warp instructions at block barriers.
    barriers, "";
}

impl Tally {
    /// Active lanes over lanes: 1 when every instruction had all of its warp's lanes, and where
    /// nothing was issued.
    pub fn simt_efficiency(&self, warp_width: u32) -> f64 {
        match self.warp_instructions {
            0 => 1.0,
            issued => self.thread_instructions as f64 / (issued as f64 * f64::from(warp_width)),
        }
    }
}

/// The counters that are not zero, as a JSON object.
impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for counter in COUNTERS {
            let value = (counter.get)(self);
            if value != 0 {
                map.serialize_entry(counter.key, &value)?;
            }
        }
        map.end()
    }
}

/// What a launch takes of an SM.
#[derive(Clone, Debug, PartialEq)]
pub struct Footprint {
    /// 32-bit registers of a thread: those live at once, as an allocator without spills would
    /// need. A compiler for the real chip may use a few more.
    pub registers_per_thread: u32,
    /// Static and dynamic shared memory of a block.
    pub shared_bytes_per_block: u32,
    /// Resident warps over warp slots.
    pub theoretical_occupancy: f64,
    /// The resource that decides.
    pub occupancy_limiter: Limiter,
    /// Resident blocks of an SM.
    pub blocks_per_sm: u32,
}

/// All metrics of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// Counters.
    pub tally: Tally,
    /// Lanes of a warp.
    pub warp_width: u32,
    /// What it takes of an SM.
    pub footprint: Footprint,
    /// How long it took, where it was timed.
    pub timing: Option<TimingMetrics>,
}

/// How long a launch takes on a chip, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingMetrics {
    /// Machine instructions issued, after lowering.
    pub machine_instructions: u64,
    /// SM clocks from the first issue to the last retirement.
    pub cycles: u64,
    /// The same at the device's clock, microseconds.
    pub time_us: f64,
    /// Machine instructions per cycle, all SMs together.
    pub ipc: f64,
    /// Share of the schedulers' issue slots that were used.
    pub issue_slot_utilization: f64,
    /// Resident warps over warp slots, on average over the time and all SMs.
    pub achieved_occupancy: f64,
    /// Warps that could issue, per scheduler and cycle.
    pub eligible_warps: f64,
    /// Warp-cycles by what the warp did or waited for.
    pub stalls: BTreeMap<&'static str, u64>,
    /// Bytes read from and written to device memory.
    pub dram_bytes: u64,
    /// Sectors of loads that the L1 had, over those asked for; 0 where there were none.
    pub l1_hit_rate: f64,
    /// The same for the L2.
    pub l2_hit_rate: f64,
}

/// What a source line cost in time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineTiming {
    /// Machine instructions issued.
    pub machine_instructions: u64,
    /// Warp-cycles by what the warp did or waited for, before or at the line's instructions.
    pub stalls: BTreeMap<&'static str, u64>,
}

/// Every counter, zero or not, with the ratio after the counts that it comes from.
impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for counter in COUNTERS {
            map.serialize_entry(counter.key, &(counter.get)(&self.tally))?;
            if counter.key == "thread_instructions_predicated_on" {
                let efficiency = self.tally.simt_efficiency(self.warp_width);
                map.serialize_entry("simt_efficiency", &efficiency)?;
            }
        }
        let footprint = &self.footprint;
        map.serialize_entry("registers_per_thread", &footprint.registers_per_thread)?;
        map.serialize_entry("shared_bytes_per_block", &footprint.shared_bytes_per_block)?;
        map.serialize_entry("theoretical_occupancy", &footprint.theoretical_occupancy)?;
        map.serialize_entry("occupancy_limiter", &footprint.occupancy_limiter)?;
        if let Some(timing) = &self.timing {
            serialize_flat(timing, &mut map)?;
        }
        map.end()
    }
}

/// The timing metrics, key by key, into the map of all metrics.
fn serialize_flat<M: SerializeMap>(timing: &TimingMetrics, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("machine_instructions", &timing.machine_instructions)?;
    map.serialize_entry("cycles", &timing.cycles)?;
    map.serialize_entry("time_us", &timing.time_us)?;
    map.serialize_entry("ipc", &timing.ipc)?;
    map.serialize_entry("issue_slot_utilization", &timing.issue_slot_utilization)?;
    map.serialize_entry("achieved_occupancy", &timing.achieved_occupancy)?;
    map.serialize_entry("eligible_warps", &timing.eligible_warps)?;
    map.serialize_entry("stalls", &timing.stalls)?;
    map.serialize_entry("dram_bytes", &timing.dram_bytes)?;
    map.serialize_entry("l1_hit_rate", &timing.l1_hit_rate)?;
    map.serialize_entry("l2_hit_rate", &timing.l2_hit_rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efficiency_is_active_lanes_over_lanes() {
        // Seven issues of a warp of 32 whose lanes were 160 in all: 160 / 224.
        let tally = Tally {
            warp_instructions: 7,
            thread_instructions: 160,
            ..Tally::default()
        };
        assert_eq!(tally.simt_efficiency(32), 160.0 / 224.0);
        assert_eq!(Tally::default().simt_efficiency(32), 1.0);
    }

    #[test]
    fn lines_name_only_what_is_not_zero() {
        let tally = Tally {
            warp_instructions: 2,
            barriers: 1,
            ..Tally::default()
        };
        let json = serde_json::to_string(&tally).unwrap();
        assert_eq!(json, r#"{"warp_instructions":2,"barriers":1}"#);
    }
}
