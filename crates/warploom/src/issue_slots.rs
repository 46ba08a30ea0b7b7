//! One scheduler, cycle by cycle: which warp issues, and what the others wait for.
//!
//! The loop of [`warploom_timing::latency`], whose steady state that module tells, drawn out in time.
//! The scheduler is the one of an SM.

use warploom_timing::latency::{LatencyModel, MOST_WARPS};
use warploom_timing::schedule::{Candidates, scheduler};

/// What a warp does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// It issues a load.
    Load,
    /// It issues a math instruction.
    Math,
    /// It waits for a load.
    WaitsForLoad,
    /// It waits for a math result.
    WaitsForMath,
    /// It could issue, but another warp does.
    PassedOver,
    /// It has done all its rounds.
    Done,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueSlots {
    /// By warp, its cycles in order.
    pub warps: Vec<Vec<Slot>>,
    /// The warp that issued, by cycle.
    pub issued: Vec<Option<u32>>,
}

impl IssueSlots {
    /// Issued instructions.
    pub fn issues(&self) -> usize {
        self.issued.iter().flatten().count()
    }

    /// Cycles up to the last issue.
    pub fn busy_until(&self) -> usize {
        let last = self.issued.iter().rposition(Option::is_some);
        last.map_or(0, |last| last + 1)
    }
}

#[derive(Clone, Copy)]
struct Warp {
    position: u32,
    ready: u64,
    loaded: u64,
    rounds: u32,
}

/// The first `cycles` cycles of a model, from a cold start. Each warp goes round `rounds` times; for
/// ever, without a number.
pub fn issue_slots(model: &LatencyModel, rounds: Option<u32>, cycles: u32) -> IssueSlots {
    let count = model.warps.clamp(1, MOST_WARPS) as usize;
    let round = (model.loads + model.loads * model.math).max(1);
    let mut policy = scheduler(model.scheduler, model.group_warps);
    (0..count as u32).for_each(|slot| policy.enter(slot));
    let mut warps = vec![
        Warp {
            position: 0,
            ready: 0,
            loaded: 0,
            rounds: 0,
        };
        count
    ];
    let done = |warp: &Warp| rounds.is_some_and(|most| warp.rounds >= most);
    let mut slots = IssueSlots {
        warps: vec![Vec::new(); count],
        issued: Vec::new(),
    };
    let mut path_free = 0.0f64;
    for now in 0..u64::from(cycles) {
        if warps.iter().all(done) {
            break;
        }
        let mut candidates = Candidates {
            cycle: now,
            ..Candidates::default()
        };
        let mut states = Vec::with_capacity(count);
        for (slot, warp) in warps.iter().enumerate() {
            let bit = 1u64 << slot;
            let loads = warp.position < model.loads;
            if done(warp) {
                states.push(Slot::Done);
                continue;
            }
            candidates.live |= bit;
            states.push(if warp.ready > now {
                let waits = warp.loaded > now && (warp.position == model.loads || model.math == 0);
                candidates.memory |= if waits { bit } else { 0 };
                if waits {
                    Slot::WaitsForLoad
                } else {
                    Slot::WaitsForMath
                }
            } else if loads && path_free >= (now + 1) as f64 {
                Slot::WaitsForLoad
            } else {
                candidates.ready |= bit;
                candidates.loads |= if loads { bit } else { 0 };
                Slot::PassedOver
            });
        }
        let picked = policy.pick(&candidates);
        if let Some(slot) = picked {
            let warp = &mut warps[slot as usize];
            let load = warp.position < model.loads;
            states[slot as usize] = if load { Slot::Load } else { Slot::Math };
            if load {
                let start = path_free.max(now as f64);
                path_free = start + model.load_interval_cycles;
                warp.loaded = warp
                    .loaded
                    .max(start.ceil() as u64 + u64::from(model.load_cycles));
            }
            warp.position = (warp.position + 1) % round;
            warp.rounds += u32::from(warp.position == 0);
            let without_math = warp.position == 0 && model.math == 0;
            warp.ready = if warp.position == model.loads || without_math {
                warp.loaded
            } else if load {
                now + 1
            } else {
                now + u64::from(model.math_cycles)
            };
        }
        slots.issued.push(picked);
        for (row, state) in slots.warps.iter_mut().zip(states) {
            row.push(state);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use warploom_device::Scheduler;
    use warploom_timing::latency::steady;

    fn model(warps: u32, scheduler: Scheduler) -> LatencyModel {
        LatencyModel {
            warps,
            load_cycles: 8,
            math: 3,
            math_cycles: 1,
            loads: 1,
            load_interval_cycles: 0.0,
            scheduler,
            group_warps: 4,
        }
    }

    fn once(warps: u32, scheduler: Scheduler) -> IssueSlots {
        issue_slots(&model(warps, scheduler), Some(1), 1000)
    }

    fn trace(slots: &IssueSlots) -> String {
        let digit = |issued: &Option<u32>| issued.map_or(".".to_owned(), |warp| warp.to_string());
        slots.issued.iter().map(digit).collect()
    }

    /// A load of 8 cycles, then three instructions of one.
    #[test]
    fn four_instructions_each() {
        assert_eq!(trace(&once(1, Scheduler::Lrr)), "0.......000");
        assert_eq!(trace(&once(4, Scheduler::Lrr)), "0123....012301230123");
        assert_eq!(trace(&once(8, Scheduler::Lrr)), "01234567".repeat(4));
        assert_eq!(once(4, Scheduler::Gto).issues(), 16);
    }

    /// Nine take turns at first: greedy lets the ninth load only when all others are done, at cycle
    /// 32, so its last instructions come from 40 to 42.
    #[test]
    fn cycles_by_warps() {
        let cycles = |scheduler| {
            let all = (1..=9).map(move |warps| once(warps, scheduler).busy_until());
            all.collect::<Vec<_>>()
        };
        assert_eq!(cycles(Scheduler::Lrr), [11, 14, 17, 20, 23, 26, 29, 32, 36]);
        assert_eq!(cycles(Scheduler::Gto), [11, 14, 17, 20, 23, 26, 29, 32, 43]);
    }

    #[test]
    fn a_row_says_what_its_warp_waits_for() {
        let slots = once(2, Scheduler::Lrr);
        let letter = |slot: &Slot| match slot {
            Slot::Load => 'L',
            Slot::Math => 'M',
            Slot::WaitsForLoad => '.',
            Slot::WaitsForMath => '-',
            Slot::PassedOver => 'p',
            Slot::Done => ' ',
        };
        let rows = slots
            .warps
            .iter()
            .map(|row| row.iter().map(letter).collect::<String>());
        // Warp 0 is back at cycle 8, warp 1 at 9; from there they take turns.
        let expected = ["L.......MpMpM ", "pL.......MpMpM"];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    /// A whole number of periods, late in the run, has the issues of the steady state.
    #[test]
    fn late_cycles_are_those_of_the_steady_state() {
        let policies = [
            Scheduler::Gto,
            Scheduler::Lrr,
            Scheduler::TwoLevel,
            Scheduler::Youngest,
        ];
        let loops = [(16, 1), (5, 2), (12, 1)];
        let free = policies.iter().flat_map(|&policy| {
            let of = move |(warps, loads)| (policy, warps, loads, 0.0);
            loops.map(of)
        });
        let queued = [(Scheduler::Lrr, 16, 1, 30.0)];
        for (policy, warps, loads, interval) in free.chain(queued) {
            let model = LatencyModel {
                load_cycles: 200,
                math: 16,
                math_cycles: 4,
                loads,
                load_interval_cycles: interval,
                ..model(warps, policy)
            };
            let found = steady(&model);
            let cycles = 40_000 + found.cycles as usize;
            let slots = issue_slots(&model, None, cycles as u32);
            let late = slots.issued[cycles - found.cycles as usize..].iter();
            assert_eq!(late.flatten().count() as u64, found.issues, "{model:?}");
        }
    }
}
