//! Counters of accesses that are on their way, for which programs wait (AMD).
//!
//! An access raises a counter when it issues and lowers it when it is done. Those that return in order
//! lower it in that order: one that is done before its elder counts until the elder is done too. Others,
//! of the scalar memory, lower it whenever they are done. A wait instruction goes on when no more than so
//! many are left.

use super::slot::UNKNOWN;
use crate::stream::WaitCounter;

/// An access that has raised a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    counter: WaitCounter,
    number: u32,
}

/// An access that may still be on its way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    number: u32,
    in_order: bool,
    /// When it is done, or [`UNKNOWN`].
    done: u64,
}

/// A warp's counters.
#[derive(Clone, Debug, Default)]
pub struct WaitCounters {
    /// By counter, in the order of issue.
    pending: [Vec<Pending>; WaitCounter::ALL.len()],
    issued: u32,
}

impl WaitCounters {
    /// An access issues.
    pub fn raise(&mut self, counter: WaitCounter, in_order: bool, now: u64) -> Ticket {
        self.forget(counter, now);
        self.issued = self.issued.wrapping_add(1);
        let number = self.issued;
        self.pending[counter as usize].push(Pending {
            number,
            in_order,
            done: UNKNOWN,
        });
        Ticket { counter, number }
    }

    /// It becomes known when an access is done.
    pub fn done(&mut self, ticket: Ticket, at: u64) {
        let pending = &mut self.pending[ticket.counter as usize];
        let mut found = pending.iter_mut().filter(|p| p.number == ticket.number);
        if let Some(pending) = found.next() {
            pending.done = at;
        }
    }

    /// The first cycle in which a counter is at most so high, as far as is known, or [`UNKNOWN`]; 0 if
    /// it already is. What is out of order may make it earlier when its own time becomes known.
    pub fn at_most(&self, counter: WaitCounter, most: u8) -> u64 {
        let mut times = self.lowered(counter);
        let Some(needed) = times.len().checked_sub(usize::from(most)) else {
            return 0;
        };
        times.sort_unstable();
        needed.checked_sub(1).map_or(0, |last| times[last])
    }

    /// When each access lowers its counter.
    fn lowered(&self, counter: WaitCounter) -> Vec<u64> {
        let mut elder = 0;
        let pending = self.pending[counter as usize].iter();
        let lowers = pending.map(|pending| {
            if !pending.in_order {
                return pending.done;
            }
            elder = pending.done.max(elder);
            elder
        });
        lowers.collect()
    }

    /// Forgets the accesses that have lowered a counter.
    fn forget(&mut self, counter: WaitCounter, now: u64) {
        let times = self.lowered(counter);
        let mut times = times.iter();
        self.pending[counter as usize].retain(|_| times.next().is_none_or(|&at| at > now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WaitCounter::{Export, Lgkm, Vector};

    #[test]
    fn without_accesses_nobody_waits() {
        let counters = WaitCounters::default();
        assert_eq!(counters.at_most(Vector, 0), 0);
        assert_eq!(counters.at_most(Lgkm, 3), 0);
    }

    /// Three loads; the second is a hit and done first.
    #[test]
    fn loads_return_in_order() {
        let mut counters = WaitCounters::default();
        let [first, second, third] = [0, 4, 8].map(|now| counters.raise(Vector, true, now));
        assert_eq!(counters.at_most(Vector, 3), 0);
        assert_eq!(counters.at_most(Vector, 2), UNKNOWN);
        counters.done(second, 140);
        assert_eq!(
            counters.at_most(Vector, 2),
            UNKNOWN,
            "the first is not done"
        );
        counters.done(first, 700);
        assert_eq!(counters.at_most(Vector, 2), 700);
        assert_eq!(counters.at_most(Vector, 1), 700);
        assert_eq!(counters.at_most(Vector, 0), UNKNOWN);
        counters.done(third, 710);
        assert_eq!(counters.at_most(Vector, 0), 710);
    }

    /// Of two scalar loads, whichever is done first lowers the counter; an access to shared memory beside
    /// them does so when it is done.
    #[test]
    fn scalar_loads_return_in_any_order() {
        let mut counters = WaitCounters::default();
        let first = counters.raise(Lgkm, false, 0);
        let second = counters.raise(Lgkm, false, 4);
        let shared = counters.raise(Lgkm, true, 8);
        counters.done(shared, 60);
        assert_eq!(counters.at_most(Lgkm, 2), 60);
        counters.done(second, 52);
        assert_eq!(counters.at_most(Lgkm, 2), 52, "earlier than was known");
        assert_eq!(counters.at_most(Lgkm, 1), 60);
        assert_eq!(counters.at_most(Lgkm, 0), UNKNOWN);
        counters.done(first, 200);
        assert_eq!(counters.at_most(Lgkm, 0), 200);
    }

    #[test]
    fn counters_are_apart() {
        let mut counters = WaitCounters::default();
        let load = counters.raise(Vector, true, 0);
        let export = counters.raise(Export, true, 4);
        counters.done(export, 20);
        assert_eq!(counters.at_most(Export, 0), 20);
        assert_eq!(counters.at_most(Lgkm, 0), 0);
        assert_eq!(counters.at_most(Vector, 0), UNKNOWN);
        counters.done(load, 90);
        assert_eq!(counters.at_most(Vector, 0), 90);
    }

    /// What has lowered the counter by then does not count any more.
    #[test]
    fn done_accesses_are_forgotten() {
        let mut counters = WaitCounters::default();
        let first = counters.raise(Vector, true, 0);
        counters.done(first, 100);
        let second = counters.raise(Vector, true, 100);
        assert_eq!(counters.at_most(Vector, 1), 0);
        counters.done(second, 300);
        assert_eq!(counters.at_most(Vector, 0), 300);
        assert_eq!(counters.pending[Vector as usize].len(), 1);
    }
}
