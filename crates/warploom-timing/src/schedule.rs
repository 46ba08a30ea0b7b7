//! Warp schedulers: which of the ready warps issues.
//!
//! A policy is a type that implements [`WarpScheduler`], and a line in [`scheduler`], which finds it by
//! its name. Warps are known by their slot in the partition, 0 to 63; sets of them are bit masks.

use warploom_device::Scheduler;

/// What a scheduler sees of its warps in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Candidates {
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
pub trait WarpScheduler {
    /// The slot that issues now, one of `candidates.ready`; none to leave the cycle empty.
    fn pick(&mut self, candidates: &Candidates) -> Option<u32>;

    /// A warp took a slot; warps are told in the order of their age.
    fn enter(&mut self, slot: u32) {
        let _ = slot;
    }

    /// A warp lost a line of the L1 to others and missed it.
    fn lost_locality(&mut self, slot: u32) {
        let _ = slot;
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

/// Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012): a warp that keeps losing its
/// lines gains a score; the warps with the lowest scores may not load while the sum of all scores
/// is above what the base scores would be.
struct CacheConscious {
    greedy: Greedy,
    /// Above the base, each falls by one with every pick.
    scores: [u32; 64],
}

/// Score of a warp that loses nothing.
const BASE_SCORE: u32 = 100;
/// Score that a lost line adds. The paper scales it by the share of lost lines among instructions;
/// its product with the cut-off is near this for a thrashing kernel.
const LOST_SCORE: u32 = 160;
impl CacheConscious {
    fn new() -> CacheConscious {
        CacheConscious {
            greedy: Greedy::new(Age::Oldest),
            scores: [BASE_SCORE; 64],
        }
    }

    /// Warps that may load: by falling score (older first), as many as fit under the base sum.
    fn may_load(&self, live: u64) -> u64 {
        let warps = (0..64).filter(|slot| live >> slot & 1 != 0);
        if warps.clone().all(|slot| self.scores[slot] == BASE_SCORE) {
            return live;
        }
        let mut order: Vec<usize> = warps.collect();
        order.sort_by_key(|&slot| (u32::MAX - self.scores[slot], self.greedy.ages.arrival[slot]));
        let cut_off = BASE_SCORE * order.len() as u32;
        let mut sum = 0;
        let mut allowed = 0;
        for slot in order {
            sum += self.scores[slot];
            // The first one always may.
            if sum > cut_off && allowed != 0 {
                break;
            }
            allowed |= 1 << slot;
        }
        allowed
    }
}

impl WarpScheduler for CacheConscious {
    fn pick(&mut self, candidates: &Candidates) -> Option<u32> {
        let held = candidates.loads & !self.may_load(candidates.live);
        let ready = candidates.ready & !held;
        for score in &mut self.scores {
            *score = (*score - 1).max(BASE_SCORE);
        }
        self.greedy.pick(&Candidates {
            ready,
            ..*candidates
        })
    }

    fn enter(&mut self, slot: u32) {
        self.greedy.enter(slot);
        self.scores[slot as usize % 64] = BASE_SCORE;
    }

    fn lost_locality(&mut self, slot: u32) {
        let score = &mut self.scores[slot as usize % 64];
        *score = score.saturating_add(LOST_SCORE);
    }

    fn state(&self) -> Vec<u64> {
        let scores = self.scores.iter().map(|&score| u64::from(score));
        self.greedy.state().into_iter().chain(scores).collect()
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
                loads: 0,
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
        let loads = Candidates {
            ready: 0b1111,
            loads: 0b1111,
            live: 0b1111,
            memory: 0,
        };
        (0..3).for_each(|_| scheduler.lost_locality(3));
        // 100 + 3 x 160 is above the sum of the base scores: only warp 3 may load.
        assert_eq!(scheduler.pick(&loads), Some(3));
        let others = Candidates {
            ready: 0b0111,
            ..loads
        };
        assert_eq!(scheduler.pick(&others), None);
        let math = Candidates { loads: 0, ..others };
        assert_eq!(scheduler.pick(&math), Some(0));
    }
}
