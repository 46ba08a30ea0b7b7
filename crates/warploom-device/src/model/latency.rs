//! Little's law for one scheduler: a loop of independent loads and dependent arithmetic.
//!
//! Each warp repeats: `loads` loads one after the other, then `math` arithmetic instructions for
//! each of them, of which each waits `math_cycles` for the one before. A scheduler issues at most
//! one instruction a cycle. One round of one warp takes `P = L + A·k·C` cycles and `I = k·(1 + C)`
//! issue slots, so `N` warps can fill at most `N·I / P` of them, and `⌈P / I⌉` warps fill all.

use serde::Serialize;

/// The loop of every warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpLoop {
    /// Latency of a load, cycles (L).
    pub load_cycles: u32,
    /// Arithmetic instructions after each load (C).
    pub math: u32,
    /// Cycles from one of them to the next (A).
    pub math_cycles: u32,
    /// Independent loads of a round (k); at least 1.
    pub loads: u32,
    /// Whether the arithmetic is issued twice, each time for half of the lanes.
    pub divergent: bool,
}

/// A scheduler's steady state on a loop: a period after which everything repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SteadyState {
    /// Instructions issued in the period.
    pub issues: u64,
    /// Its cycles; at least 1.
    pub cycles: u64,
}

impl SteadyState {
    /// Issues over cycles.
    pub fn utilization(self) -> f64 {
        self.issues as f64 / self.cycles.max(1) as f64
    }
}

/// Bytes that loads move, and what the memory delivers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bandwidth {
    /// Bytes of a warp's load.
    pub bytes_per_load: f64,
    /// Bytes a cycle that the memory delivers to this scheduler.
    pub bytes_per_cycle: f64,
}

impl WarpLoop {
    /// Arithmetic instructions of a round; twice as many when the warp diverges.
    fn math_of_round(&self) -> u64 {
        let paths = if self.divergent { 2 } else { 1 };
        (u64::from(self.math) * u64::from(self.loads)).saturating_mul(paths)
    }

    /// Cycles of one round of one warp that never waits for others (P).
    pub fn loop_cycles(&self) -> u64 {
        let math_cycles = self.math_of_round().saturating_mul(self.math_cycles.into());
        math_cycles.saturating_add(self.load_cycles.into())
    }

    /// Issue slots of one round of one warp (I).
    pub fn loop_instructions(&self) -> u64 {
        self.math_of_round().saturating_add(self.loads.into())
    }

    /// Warps that fill every issue slot of an ideal scheduler.
    pub fn warps_needed(&self) -> u64 {
        self.loop_cycles()
            .div_ceil(self.loop_instructions().max(1))
            .max(1)
    }

    /// Share of issue slots that `warps` fill at best.
    pub fn ideal_utilization(&self, warps: u32) -> f64 {
        let filled = f64::from(warps) * self.loop_instructions() as f64;
        (filled / self.loop_cycles().max(1) as f64).min(1.0)
    }

    /// What loose round-robin reaches, where that has a closed form: all warps issue their loads
    /// in one window, so their latency is exposed once a round. `None` outside `A ≤ N ≤ L`, and
    /// for several loads.
    pub fn round_robin(&self, warps: u32) -> Option<SteadyState> {
        let fits = (self.math_cycles..=self.load_cycles).contains(&warps);
        (fits && self.loads == 1 && warps > 0).then(|| SteadyState {
            issues: self.loop_instructions().saturating_mul(warps.into()),
            cycles: self
                .math_of_round()
                .saturating_mul(warps.into())
                .saturating_add(self.load_cycles.into()),
        })
    }

    /// Mean share of the lanes that works in an issued instruction.
    pub fn useful_lane_share(&self) -> f64 {
        let loads = f64::from(self.loads);
        let useful = loads + loads * f64::from(self.math);
        useful / (self.loop_instructions() as f64).max(1.0)
    }
}

impl Bandwidth {
    /// Share of issue slots that can be filled when the memory never rests.
    pub fn utilization(&self, warp_loop: &WarpLoop) -> f64 {
        let bytes = f64::from(warp_loop.loads) * self.bytes_per_load;
        (warp_loop.loop_instructions() as f64 * self.bytes_per_cycle / bytes).min(1.0)
    }

    /// Bytes that have to be on their way to keep the memory busy.
    pub fn bytes_in_flight(&self, warp_loop: &WarpLoop) -> f64 {
        f64::from(warp_loop.load_cycles) * self.bytes_per_cycle
    }

    /// Warps that keep the memory busy at best.
    pub fn warps_needed(&self, warp_loop: &WarpLoop) -> u64 {
        let bytes = f64::from(warp_loop.loads) * self.bytes_per_load;
        let warps = warp_loop.loop_cycles() as f64 * self.bytes_per_cycle / bytes;
        // A float to integer cast saturates.
        (warps.ceil() as u64).max(1)
    }
}

/// Everything there is to say about a loop; keys as in `--json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatencyReport {
    /// Resident warps.
    pub warps: u32,
    /// Cycles of a round (P).
    pub loop_cycles: u64,
    /// Issue slots of a round (I).
    pub loop_instructions: u64,
    /// Warps that fill every slot.
    pub warps_needed: u64,
    /// Share of slots filled at best, latency and bandwidth considered.
    pub ideal_utilization: f64,
    /// The bound of latency alone.
    pub latency_utilization: f64,
    /// The bound of bandwidth alone, if bandwidth is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_utilization: Option<f64>,
    /// Bytes on their way that keep the memory busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_in_flight_needed: Option<f64>,
    /// Warps that keep the memory busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warps_needed_for_bandwidth: Option<u64>,
    /// Loose round-robin by its closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_robin_utilization: Option<f64>,
    /// Share of slots that a simulated scheduler fills in its steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_slot_utilization: Option<f64>,
    /// Mean share of lanes that work in an issued instruction.
    pub useful_lanes_per_issue: f64,
    /// Useful lanes over all lanes of all slots: of the simulation if there is one, else at best.
    pub useful_lane_utilization: f64,
}

impl LatencyReport {
    /// The closed forms for `warps` warps, beside what a simulation of the same loop found.
    pub fn new(
        warp_loop: &WarpLoop,
        warps: u32,
        bandwidth: Option<Bandwidth>,
        simulated: Option<SteadyState>,
    ) -> LatencyReport {
        let latency_utilization = warp_loop.ideal_utilization(warps);
        let bandwidth_utilization = bandwidth.map(|b| b.utilization(warp_loop));
        let ideal = latency_utilization.min(bandwidth_utilization.unwrap_or(1.0));
        let share = warp_loop.useful_lane_share();
        let simulated = simulated.map(SteadyState::utilization);
        LatencyReport {
            warps,
            loop_cycles: warp_loop.loop_cycles(),
            loop_instructions: warp_loop.loop_instructions(),
            warps_needed: warp_loop.warps_needed(),
            ideal_utilization: ideal,
            latency_utilization,
            bandwidth_utilization,
            bytes_in_flight_needed: bandwidth.map(|b| b.bytes_in_flight(warp_loop)),
            warps_needed_for_bandwidth: bandwidth.map(|b| b.warps_needed(warp_loop)),
            round_robin_utilization: warp_loop.round_robin(warps).map(SteadyState::utilization),
            issue_slot_utilization: simulated,
            useful_lanes_per_issue: share,
            useful_lane_utilization: simulated.unwrap_or(ideal) * share,
        }
    }
}
