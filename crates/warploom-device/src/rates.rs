//! Closed forms on lanes and latency.

use crate::schema::Device;

impl Device {
    /// Cycles for which one warp instruction occupies its partition's share of a pipeline with
    /// `lanes_per_sm` lanes: a warp of 32 on 16 lanes takes 2. At least 1.
    pub fn issue_cycles(&self, lanes_per_sm: u32) -> u32 {
        let threads = u64::from(self.warp_width) * u64::from(self.schedulers_per_sm);
        let cycles = threads.div_ceil(u64::from(lanes_per_sm.max(1)));
        u32::try_from(cycles).unwrap_or(u32::MAX).max(1)
    }
}

/// Little's law: operations in flight that keep a unit of `latency_cycles` busy at
/// `per_cycle` operations a cycle.
pub fn in_flight(latency_cycles: f64, per_cycle: f64) -> f64 {
    latency_cycles * per_cycle
}
