//! Warp schedulers: which of the ready warps issues.
//!
//! A policy is a type that implements [`WarpScheduler`], and a line in [`scheduler`], which finds it by
//! its name. Warps are known by their slot in the partition, 0 to 63; sets of them are bit masks.

use std::cmp::Reverse;

use smallvec::SmallVec;
use warploom_device::Scheduler;

/// What a scheduler sees of its warps in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Candidates {
    /// The cycle.
    pub cycle: u64,
    /// Warps whose next instruction could issue now.
    pub ready: u64,
    /// Of them, those whose next instruction loads from memory.
    pub loads: u64,
    /// Warps that wait for memory.
    pub memory: u64,
    /// Warps that are there.
    pub live: u64,
}

/// Picks the warp that issues.
pub trait WarpScheduler: Send {
    /// The slot that issues now, one of `candidates.ready`; none to leave the cycle empty.
    fn pick(&mut self, candidates: &Candidates) -> Option<u32>;

    /// A warp took a slot; warps are told in the order of their age.
    fn enter(&mut self, slot: u32) {
        let _ = slot;
    }

    /// A warp missed a line of the L1 that it had brought before and lost.
    fn lost_locality(&mut self, slot: u32, cycle: u64) {
        let _ = (slot, cycle);
    }

    /// Everything that decides about later picks, for telling that a state comes back.
    fn state(&self) -> Vec<u64>;
}

/// The scheduler of a name. `group_warps` is the size of the active group of `two-level`.
pub fn scheduler(name: Scheduler, group_warps: u32) -> Box<dyn WarpScheduler> {
    match name {
        Scheduler::Lrr => Box::new(RoundRobin::default()),
        Scheduler::Gto => Box::new(Greedy::new(Age::Oldest)),
        Scheduler::Oldest => Box::new(Oldest(Ages::new())),
        Scheduler::TwoLevel => Box::new(TwoLevel::new(group_warps)),
        Scheduler::Youngest => Box::new(Greedy::new(Age::Youngest)),
        Scheduler::Ccws => Box::new(CacheConscious::new()),
    }
}

/// The first set bit of `set` at or after `from`, going round.
fn next_from(set: u64, from: u32) -> Option<u32> {
    let above = set & (!0u64).checked_shl(from).unwrap_or(0);
    let first = if above != 0 { above } else { set };
    (first != 0).then(|| first.trailing_zeros())
}

/// Loose round-robin: the next ready warp after the one that issued last. Cycles in which nobody
/// issues do not move it on.
#[derive(Default)]
struct RoundRobin {
    next: u32,
}

impl WarpScheduler for RoundRobin {
    fn pick(&mut self, candidates: &Candidates) -> Option<u32> {
        let slot = next_from(candidates.ready, self.next)?;
        self.next = (slot + 1) % 64;
        Some(slot)
    }

    fn state(&self) -> Vec<u64> {
        vec![self.next.into()]
    }
}

/// When each slot's warp came.
struct Ages {
    arrival: [u64; 64],
    arrivals: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    Oldest,
    Youngest,
}

impl Ages {
    fn new() -> Ages {
        Ages {
            arrival: [0; 64],
            arrivals: 0,
        }
    }

    fn enter(&mut self, slot: u32) {
        self.arrivals += 1;
        self.arrival[slot as usize % 64] = self.arrivals;
    }

    fn pick(&self, mut ready: u64, age: Age) -> Option<u32> {
        let mut best: Option<u32> = None;
        while ready != 0 {
            let slot = ready.trailing_zeros();
            ready &= ready - 1;
            let better = best.is_none_or(|best| {
                let (mine, other) = (self.arrival[slot as usize], self.arrival[best as usize]);
                match age {
                    Age::Oldest => mine < other,
                    Age::Youngest => mine > other,
                }
            });
            if better {
                best = Some(slot);
            }
        }
        best
    }

    fn state(&self) -> impl Iterator<Item = u64> {
        // Only the order counts.
        self.arrival.iter().map(|mine| {
            let older = self.arrival.iter().filter(|&other| other < mine);
            older.count() as u64
        })
    }
}

/// Greedy: the same warp while it can, then the oldest (`gto`) or youngest (`youngest`) ready one.
struct Greedy {
    age: Age,
    ages: Ages,
    last: u32,
}

impl Greedy {
    fn new(age: Age) -> Greedy {
        Greedy {
            age,
            ages: Ages::new(),
            last: 0,
        }
    }
}

impl WarpScheduler for Greedy {
    fn pick(&mut self, candidates: &Candidates) -> Option<u32> {
        if candidates.ready >> self.last & 1 == 0 {
            self.last = self.ages.pick(candidates.ready, self.age)?;
        }
        Some(self.last)
    }

    fn enter(&mut self, slot: u32) {
        self.ages.enter(slot);
    }

    fn state(&self) -> Vec<u64> {
        self.ages.state().chain([self.last.into()]).collect()
    }
}

/// The oldest ready warp, each cycle anew.
struct Oldest(Ages);

impl WarpScheduler for Oldest {
    fn pick(&mut self, candidates: &Candidates) -> Option<u32> {
        self.0.pick(candidates.ready, Age::Oldest)
    }

    fn enter(&mut self, slot: u32) {
        self.0.enter(slot);
    }

    fn state(&self) -> Vec<u64> {
        self.0.state().collect()
    }
}

/// Two-level: round-robin within a group of neighbouring slots, which is left only when all its
/// warps wait for memory (or none is there).
struct TwoLevel {
    group_warps: u32,
    group: u32,
    next: u32,
}

impl TwoLevel {
    fn new(group_warps: u32) -> TwoLevel {
        TwoLevel {
            group_warps: group_warps.clamp(1, 64),
            group: 0,
            next: 0,
        }
    }

    fn members(&self, group: u32) -> u64 {
        let all = if self.group_warps >= 64 {
            !0
        } else {
            (1u64 << self.group_warps) - 1
        };
        all.checked_shl(group * self.group_warps).unwrap_or(0)
    }
}

impl WarpScheduler for TwoLevel {
    fn pick(&mut self, candidates: &Candidates) -> Option<u32> {
        let groups = 64u32.div_ceil(self.group_warps);
        let members = self.members(self.group);
        if candidates.live & members & !candidates.memory == 0 {
            // The next group that has a ready warp becomes active.
            let others = (1..=groups).map(|step| (self.group + step) % groups);
            let mut ready = others.filter(|&g| candidates.ready & self.members(g) != 0);
            self.group = ready.next()?;
            self.next = self.group * self.group_warps;
        }
        let slot = next_from(candidates.ready & self.members(self.group), self.next)?;
        self.next = (slot + 1) % 64;
        Some(slot)
    }

    fn state(&self) -> Vec<u64> {
        vec![self.group.into(), self.next.into()]
    }
}

/// Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012): a warp that misses a line which
/// it has lost gains a score; the warps with the lowest scores may not load while the sum of all
/// scores is above what the base scores would be.
struct CacheConscious {
    greedy: Greedy,
    /// When each score is back at the base: it falls by one a cycle.
    base_from: [u64; 64],
    /// When all of them are.
    calm_from: u64,
    /// The cycle of the last pick, and the warps that were there.
    last: (u64, u64),
    /// Lost lines that were missed so far.
    lost: u64,
    /// Instructions issued so far.
    issued: u64,
}

/// Score of a warp that loses nothing.
const BASE_SCORE: u64 = 100;
/// How strongly lost lines hold others back.
const THROTTLE: u64 = 8;

impl CacheConscious {
    fn new() -> CacheConscious {
        CacheConscious {
            greedy: Greedy::new(Age::Oldest),
            base_from: [0; 64],
            calm_from: 0,
            last: (0, 0),
            lost: 0,
            issued: 0,
        }
    }

    fn score(&self, slot: usize, cycle: u64) -> u64 {
        BASE_SCORE + self.base_from[slot].saturating_sub(cycle)
    }

    /// The most that the scores of the warps that load may add up to.
    fn cut_off(live: u64) -> u64 {
        BASE_SCORE * u64::from(live.count_ones())
    }

    /// Warps that may load: by falling score (older first), as many as fit under the base sum.
    fn may_load(&self, live: u64, cycle: u64) -> u64 {
        if cycle >= self.calm_from {
            return live;
        }
        let warps = (0..64).filter(|slot| live >> slot & 1 != 0);
        let mut order: SmallVec<[(Reverse<u64>, u64, usize); 64]> = warps
            .map(|slot| {
                let age = self.greedy.ages.arrival[slot];
                (Reverse(self.score(slot, cycle)), age, slot)
            })
            .collect();
        order.sort_unstable();
        let mut left = Self::cut_off(live);
        let mut allowed = 0;
        for (Reverse(score), _, slot) in order {
            // The first one always may.
            if score > left && allowed != 0 {
                break;
            }
            left = left.saturating_sub(score);
            allowed |= 1 << slot;
        }
        allowed
    }
}

impl WarpScheduler for CacheConscious {
    fn pick(&mut self, candidates: &Candidates) -> Option<u32> {
        let Candidates { live, cycle, .. } = *candidates;
        self.last = (cycle, live);
        let held = candidates.loads & !self.may_load(live, cycle);
        let picked = self.greedy.pick(&Candidates {
            ready: candidates.ready & !held,
            ..*candidates
        });
        self.issued += u64::from(picked.is_some());
        picked
    }

    fn enter(&mut self, slot: u32) {
        self.greedy.enter(slot);
        self.base_from[slot as usize % 64] = 0;
    }

    /// The warp's score becomes what the rate of lost lines among all instructions makes of the
    /// cut-off.
    fn lost_locality(&mut self, slot: u32, cycle: u64) {
        self.lost += 1;
        let gain = self.lost * THROTTLE * Self::cut_off(self.last.1) / self.issued.max(1);
        self.base_from[slot as usize % 64] = cycle + gain;
        self.calm_from = self.calm_from.max(cycle + gain);
    }

    fn state(&self) -> Vec<u64> {
        let mut state = self.greedy.state();
        let (cycle, _) = self.last;
        state.extend(self.base_from.map(|at| at.saturating_sub(cycle)));
        if self.lost > 0 {
            state.extend([self.lost, self.issued]);
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(ready: u64) -> Candidates {
        Candidates {
            ready,
            live: 0xff,
            ..Candidates::default()
        }
    }

    fn picks(name: Scheduler, cycles: &[u64]) -> Vec<Option<u32>> {
        let mut scheduler = scheduler(name, 2);
        (0..8).for_each(|slot| scheduler.enter(slot));
        cycles
            .iter()
            .map(|&set| scheduler.pick(&ready(set)))
            .collect()
    }

    #[test]
    fn round_robin_goes_on_after_the_last_issued() {
        let got = picks(Scheduler::Lrr, &[0b111, 0b111, 0, 0b011, 0b011]);
        assert_eq!(got, [Some(0), Some(1), None, Some(0), Some(1)]);
    }

    #[test]
    fn greedy_keeps_its_warp_then_takes_by_age() {
        let got = picks(Scheduler::Gto, &[0b100, 0b111, 0b011, 0b111]);
        assert_eq!(got, [Some(2), Some(2), Some(0), Some(0)]);
        let got = picks(Scheduler::Youngest, &[0b001, 0b111, 0b110, 0b111]);
        assert_eq!(got, [Some(0), Some(0), Some(2), Some(2)]);
        let got = picks(Scheduler::Oldest, &[0b100, 0b111, 0b110]);
        assert_eq!(got, [Some(2), Some(0), Some(1)]);
    }

    #[test]
    fn a_group_is_left_when_all_of_it_waits_for_memory() {
        let mut scheduler = scheduler(Scheduler::TwoLevel, 2);
        let mut pick = |ready, memory| {
            scheduler.pick(&Candidates {
                ready,
                memory,
                live: 0b1111,
                ..Candidates::default()
            })
        };
        assert_eq!(pick(0b1111, 0), Some(0));
        // Warp 1 waits for memory, warp 0 for its last result: the group stays.
        assert_eq!(pick(0b1100, 0b0010), None);
        assert_eq!(pick(0b1100, 0b0011), Some(2));
        assert_eq!(pick(0b1011, 0), Some(3));
    }

    #[test]
    fn warps_that_lose_lines_keep_others_from_loading() {
        let mut scheduler = scheduler(Scheduler::Ccws, 0);
        (0..4).for_each(|slot| scheduler.enter(slot));
        let math = Candidates {
            ready: 0b1111,
            live: 0b1111,
            ..Candidates::default()
        };
        for cycle in 0..64 {
            scheduler.pick(&Candidates { cycle, ..math });
        }
        // A line in 64 instructions, times 8, times 4 warps of 100: 50 above the base at cycle 100.
        // Of a sum of 400 that leaves 250, which is enough for two of the others.
        scheduler.lost_locality(3, 100);
        let mut pick = |ready, cycle| {
            scheduler.pick(&Candidates {
                cycle,
                ready,
                loads: ready,
                ..math
            })
        };
        assert_eq!(pick(0b0100, 100), None);
        assert_eq!(pick(0b0100, 149), None);
        assert_eq!(pick(0b0110, 100), Some(1));
        assert_eq!(pick(0b0001, 100), Some(0));
        assert_eq!(pick(0b1000, 100), Some(3));
        assert_eq!(pick(0b0100, 150), Some(2));
        // What does not load is never held back.
        scheduler.lost_locality(3, 200);
        let others = Candidates {
            cycle: 200,
            ready: 0b0100,
            ..math
        };
        assert_eq!(scheduler.pick(&others), Some(2));
    }
}
