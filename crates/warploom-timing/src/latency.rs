//! One scheduler over time: warps that load, compute, and load again. The same scheduler code as in
//! an SM, and nothing else, so that its closed forms can be checked.
//!
//! Each warp goes round a loop: `loads` independent loads, then `loads` × `math` dependent math
//! instructions, each of which waits for the one before; the first waits for the loads, and the next
//! round's loads wait for the last.

use rustc_hash::FxHashMap;
use warploom_device::Scheduler;

use crate::schedule::{Candidates, scheduler};

/// Warps that a scheduler knows at most.
pub const MOST_WARPS: u32 = 64;

/// The loop and who runs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LatencyModel {
    /// Warps, 1 to [`MOST_WARPS`].
    pub warps: u32,
    /// Cycles until a load's value can be used.
    pub load_cycles: u32,
    /// Math instructions per load.
    pub math: u32,
    /// Cycles until a math result can be used, at least 1.
    pub math_cycles: u32,
    /// Loads that are in flight together.
    pub loads: u32,
    /// Cycles for which a load keeps the way to memory from others; 0 where nobody waits for it.
    pub load_interval_cycles: f64,
    /// The policy.
    pub scheduler: Scheduler,
    /// Warps of a group of `two-level`.
    pub group_warps: u32,
}

/// What one exact period of the steady state holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steady {
    /// Issued instructions.
    pub issues: u64,
    /// Cycles.
    pub cycles: u64,
}

impl Steady {
    /// Share of the issue slots that are used.
    pub fn utilization(self) -> f64 {
        self.issues as f64 / self.cycles as f64
    }
}

/// Cycles after which a model that has not come back to an earlier state is measured as it stands.
const CYCLE_LIMIT: u64 = 1 << 22;

#[derive(Clone, Copy)]
struct Warp {
    /// Next instruction of the loop: loads first.
    position: u32,
    /// Cycle in which it can issue.
    ready: u64,
    /// Cycle in which the loads of this round are there.
    loaded: u64,
}

/// Runs the model until its state comes back.
pub fn steady(model: &LatencyModel) -> Steady {
    let round = model.loads + model.loads * model.math;
    let warps = model.warps.clamp(1, MOST_WARPS) as usize;
    let mut scheduler = scheduler(model.scheduler, model.group_warps);
    let mut state = vec![
        Warp {
            position: 0,
            ready: 0,
            loaded: 0,
        };
        warps
    ];
    (0..warps as u32).for_each(|slot| scheduler.enter(slot));
    let live = if warps == MOST_WARPS as usize {
        !0
    } else {
        (1 << warps) - 1
    };
    let mut seen: FxHashMap<Vec<u64>, (u64, u64)> = FxHashMap::default();
    let (mut now, mut issues) = (0u64, 0u64);
    let mut path_free = 0.0f64;
    while now < CYCLE_LIMIT {
        let mut candidates = Candidates {
            live,
            ..Candidates::default()
        };
        for (slot, warp) in state.iter().enumerate() {
            let bit = 1u64 << slot;
            let loads = warp.position < model.loads;
            if warp.ready > now {
                if warp.position == model.loads && warp.loaded > now {
                    candidates.memory |= bit;
                }
            } else if !loads || path_free < (now + 1) as f64 {
                candidates.ready |= bit;
                candidates.loads |= if loads { bit } else { 0 };
            }
        }
        if let Some(slot) = scheduler.pick(&candidates) {
            let warp = &mut state[slot as usize];
            issues += 1;
            if warp.position < model.loads {
                let start = path_free.max(now as f64);
                path_free = start + model.load_interval_cycles;
                let wait = start.ceil() as u64 - now;
                warp.loaded = warp.loaded.max(now + wait + u64::from(model.load_cycles));
            }
            warp.position = (warp.position + 1) % round.max(1);
            warp.ready = if warp.position == model.loads {
                warp.loaded
            } else if warp.position != 0 && warp.position < model.loads {
                now + 1
            } else if warp.position == 0 && model.math == 0 {
                warp.loaded
            } else {
                now + u64::from(model.math_cycles)
            };
            // Once in a round of the first warp is often enough to look.
            if slot == 0 && warp.position == 0 {
                let relative = |at: u64| at.saturating_sub(now);
                let warps = state.iter().flat_map(|warp| {
                    [
                        u64::from(warp.position),
                        relative(warp.ready),
                        relative(warp.loaded),
                    ]
                });
                let path = [((path_free - now as f64).max(0.0)).to_bits()];
                let key: Vec<u64> = warps.chain(path).chain(scheduler.state()).collect();
                if let Some((cycles, before)) = seen.insert(key, (now, issues)) {
                    return Steady {
                        issues: issues - before,
                        cycles: now - cycles,
                    };
                }
            }
        }
        now += 1;
    }
    Steady {
        issues,
        cycles: now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(scheduler: Scheduler, warps: u32) -> LatencyModel {
        LatencyModel {
            warps,
            load_cycles: 200,
            math: 16,
            math_cycles: 4,
            loads: 1,
            load_interval_cycles: 0.0,
            scheduler,
            group_warps: 4,
        }
    }

    /// The utilization as a reduced fraction.
    fn fraction(model: LatencyModel) -> (u64, u64) {
        let Steady { issues, cycles } = steady(&model);
        let (mut a, mut b) = (issues, cycles);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        (issues / a, cycles / a)
    }

    /// Sixteen warps, loads of 200 cycles, sixteen dependent math instructions of four.
    #[test]
    fn sixteen_warps() {
        assert_eq!(fraction(model(Scheduler::Gto, 16)), (119, 132));
        assert_eq!(fraction(model(Scheduler::Lrr, 16)), (34, 57));
        let groups = |group_warps| {
            fraction(LatencyModel {
                group_warps,
                ..model(Scheduler::TwoLevel, 16)
            })
        };
        assert_eq!(groups(4), (1, 1));
        assert_eq!(groups(8), (34, 41));
        assert_eq!(groups(2), (17, 33));
    }

    fn percent(model: LatencyModel) -> f64 {
        (steady(&model).utilization() * 1e4).round() / 100.0
    }

    #[test]
    fn by_math_latency() {
        let at = |scheduler, math_cycles| {
            percent(LatencyModel {
                math_cycles,
                ..model(scheduler, 16)
            })
        };
        let gto = [1, 2, 4, 6, 8].map(|a| at(Scheduler::Gto, a));
        assert_eq!(gto, [100.0, 98.92, 90.15, 80.41, 82.93]);
        let lrr = [1, 2, 4, 6, 8].map(|a| at(Scheduler::Lrr, a));
        assert_eq!(lrr, [59.65; 5]);
    }

    #[test]
    fn by_warps() {
        let warps = [1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16];
        let gto = warps.map(|n| percent(model(Scheduler::Gto, n)));
        let expected = [
            6.44, 12.88, 19.32, 25.76, 32.20, 38.64, 51.52, 64.39, 77.27, 80.34, 83.71, 86.93,
            90.15,
        ];
        assert_eq!(gto, expected);
        let lrr = warps.map(|n| percent(model(Scheduler::Lrr, n)));
        let expected = [
            6.44, 12.88, 19.32, 25.76, 30.36, 34.46, 41.46, 47.22, 52.04, 54.17, 56.13, 57.95,
            59.65,
        ];
        assert_eq!(lrr, expected);
    }

    /// Divergence issues the math twice.
    #[test]
    fn divergent_math() {
        let divergent = |scheduler| LatencyModel {
            math: 32,
            ..model(scheduler, 16)
        };
        assert_eq!(fraction(divergent(Scheduler::Gto)), (121, 123));
        assert_eq!(fraction(divergent(Scheduler::Lrr)), (66, 89));
    }

    #[test]
    fn long_loads() {
        let at = |scheduler, math| {
            percent(LatencyModel {
                load_cycles: 375,
                math,
                ..model(scheduler, 16)
            })
        };
        assert_eq!(at(Scheduler::Gto, 8), 35.38);
        assert_eq!(at(Scheduler::Lrr, 8), 28.63);
        assert_eq!(at(Scheduler::Gto, 32), 91.85);
        assert_eq!(at(Scheduler::Lrr, 32), 59.53);
    }

    /// Loads that take turns on the way to memory bound the rate: one in ten cycles here.
    #[test]
    fn bandwidth_bounds_loads() {
        let model = LatencyModel {
            load_interval_cycles: 100.0,
            ..model(Scheduler::Gto, 16)
        };
        let Steady { issues, cycles } = steady(&model);
        let rate = issues as f64 / cycles as f64;
        assert!((rate - 0.17).abs() < 0.001, "{rate}");
    }
}
