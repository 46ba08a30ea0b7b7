//! `latency`, `latency_point`: one scheduler over time, and how many warps it needs.

use serde::{Deserialize, Serialize};
use warploom::device::model::latency::{LatencyReport, SteadyState, WarpLoop};
use warploom::device::{Rule, Scheduler, warps_per_scheduler};
use warploom::issue_slots::{Slot, issue_slots};
use warploom::latency::{LatencyModel, MOST_WARPS, steady};

use crate::error::Refusal;
use crate::memory::named;

/// Largest latency and instruction count: what a slider reaches, and a run can be waited for.
const MOST_CYCLES: u32 = 4096;
const MOST_MATH: u32 = 512;
const MOST_LOADS: u32 = 16;
/// Cycles that are drawn at most.
const MOST_DRAWN: u32 = 4096;

/// The loop of every warp, and who schedules it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyRequest {
    /// Warps.
    pub warps: u32,
    /// Cycles until a load's value can be used.
    pub load_cycles: u32,
    /// Math instructions per load.
    pub math: u32,
    /// Cycles until a math result can be used.
    pub math_cycles: u32,
    /// Independent loads of a round.
    pub loads: u32,
    /// The math is issued twice, for half of the lanes each time.
    pub divergent: bool,
    /// Registers of a thread, which cap the warps; none for no cap.
    pub registers: Option<u32>,
    /// Whose register file that is.
    pub device: String,
    /// The policy.
    pub scheduler: Policy,
    /// Warps of a group of `two-level`.
    pub group_warps: u32,
    /// Cycles to draw.
    pub drawn_cycles: u32,
    /// Rounds of each warp; none for a loop without end.
    pub rounds: Option<u32>,
    /// Look for the steady state as well, which may take long where it repeats late.
    pub steady: bool,
}

/// A scheduler.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Greedy, then oldest.
    Gto,
    /// Loose round-robin.
    Lrr,
    /// Round-robin in a group that changes when all its warps wait for memory.
    TwoLevel,
    /// Greedy, then youngest.
    Youngest,
}

/// What came.
#[derive(Debug, Serialize)]
pub struct LatencyAnswer {
    report: LatencyReport,
    /// Warps that registers leave room for.
    cap: Option<u32>,
    /// By warp, a letter per cycle: `L` load, `M` math, `.` waits for a load, `-` for math, `p` is
    /// passed over, a space when it is done.
    timeline: Vec<String>,
    /// Issues of what is drawn, and cycles up to the last of them.
    drawn_issues: usize,
    drawn_cycles: usize,
}

/// A point of the curve.
#[derive(Debug, Serialize)]
pub struct CurvePoint {
    warps: u32,
    ideal: f64,
    simulated: f64,
}

impl LatencyRequest {
    fn check(&self) -> Result<(), Refusal> {
        let bounds = [
            ("warps", self.warps, 1, MOST_WARPS),
            ("load_cycles", self.load_cycles, 1, MOST_CYCLES),
            ("math", self.math, 0, MOST_MATH),
            ("math_cycles", self.math_cycles, 1, MOST_CYCLES),
            ("loads", self.loads, 1, MOST_LOADS),
            ("group_warps", self.group_warps, 1, MOST_WARPS),
            ("drawn_cycles", self.drawn_cycles, 0, MOST_DRAWN),
        ];
        match bounds
            .iter()
            .find(|(_, value, least, most)| !(least..=most).contains(&value))
        {
            None => Ok(()),
            Some((name, value, least, most)) => Err(Refusal::new(format!(
                "`{name}` is {value}; it must be {least} to {most}"
            ))),
        }
    }

    fn warp_loop(&self) -> WarpLoop {
        WarpLoop {
            load_cycles: self.load_cycles,
            math: self.math,
            math_cycles: self.math_cycles,
            loads: self.loads,
            divergent: self.divergent,
        }
    }

    fn model(&self, warps: u32) -> LatencyModel {
        LatencyModel {
            warps,
            load_cycles: self.load_cycles,
            math: if self.divergent {
                2 * self.math
            } else {
                self.math
            },
            math_cycles: self.math_cycles,
            loads: self.loads,
            load_interval_cycles: 0.0,
            scheduler: match self.scheduler {
                Policy::Gto => Scheduler::Gto,
                Policy::Lrr => Scheduler::Lrr,
                Policy::TwoLevel => Scheduler::TwoLevel,
                Policy::Youngest => Scheduler::Youngest,
            },
            group_warps: self.group_warps,
        }
    }
}

/// `latency`
///
/// # Errors
/// When a number is out of bounds, or there is no such device.
pub fn latency(request: &LatencyRequest) -> Result<LatencyAnswer, Refusal> {
    request.check()?;
    let cap = match request.registers {
        None => None,
        Some(registers) => {
            let device = named(&request.device)?;
            Some(warps_per_scheduler(&device, registers, Rule::Simple))
        }
    };
    let warps = request.warps.min(cap.unwrap_or(u32::MAX));
    let simulated = (warps > 0 && request.steady).then(|| {
        let found = steady(&request.model(warps));
        SteadyState {
            issues: found.issues,
            cycles: found.cycles,
        }
    });
    let report = LatencyReport::new(&request.warp_loop(), warps, None, simulated);
    let (mut timeline, mut drawn_issues, mut drawn_cycles) = (Vec::new(), 0, 0);
    if warps > 0 {
        let slots = issue_slots(&request.model(warps), request.rounds, request.drawn_cycles);
        let row = |row: &Vec<Slot>| row.iter().map(letter).collect();
        timeline = slots.warps.iter().map(row).collect();
        drawn_issues = slots.issues();
        drawn_cycles = slots.busy_until();
    }
    Ok(LatencyAnswer {
        report,
        cap,
        timeline,
        drawn_issues,
        drawn_cycles,
    })
}

/// `latency_point`: utilization at a number of warps. A curve is asked for point by point, so that
/// whoever has changed the parameters meanwhile need not wait for its end.
///
/// # Errors
/// When a number is out of bounds.
pub fn latency_point(request: &LatencyRequest) -> Result<CurvePoint, Refusal> {
    request.check()?;
    Ok(CurvePoint {
        warps: request.warps,
        ideal: request.warp_loop().ideal_utilization(request.warps),
        simulated: steady(&request.model(request.warps)).utilization(),
    })
}

fn letter(slot: &Slot) -> char {
    match slot {
        Slot::Load => 'L',
        Slot::Math => 'M',
        Slot::WaitsForLoad => '.',
        Slot::WaitsForMath => '-',
        Slot::PassedOver => 'p',
        Slot::Done => ' ',
    }
}
