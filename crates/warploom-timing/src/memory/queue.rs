//! A server with a queue before it, as the time at which it will be free.
//!
//! Times are *ticks*, fractions of a cycle, so that rates that are no whole number of bytes a cycle
//! add up without drift.

/// Fractions of an SM cycle.
pub(crate) type Ticks = u64;

const TICK_BITS: u32 = 12;
const RATE_BITS: u32 = 12;

/// Ticks of a whole number of cycles.
pub(crate) fn ticks(cycles: u64) -> Ticks {
    cycles << TICK_BITS
}

/// Ticks of any number of cycles, to the nearest.
pub(crate) fn ticks_f64(cycles: f64) -> Ticks {
    (cycles * f64::from(1u32 << TICK_BITS)).round() as Ticks
}

/// The first cycle that does not begin before `time`.
pub(crate) fn cycle_from(time: Ticks) -> u64 {
    time.div_ceil(1 << TICK_BITS)
}

/// Whole cycles of a duration.
pub(crate) fn whole_cycles(duration: Ticks) -> u64 {
    duration >> TICK_BITS
}

/// How long a server needs for some units of work: bytes, operations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// Ticks a unit, with `RATE_BITS` of fraction.
    scaled: u64,
}

impl Rate {
    /// `units_per_cycle` above 0.
    pub(crate) fn new(units_per_cycle: f64) -> Rate {
        let one = f64::from(1u32 << (TICK_BITS + RATE_BITS));
        Rate {
            scaled: (one / units_per_cycle).round() as u64,
        }
    }

    pub(crate) fn cost(self, units: u32) -> Ticks {
        self.scaled.saturating_mul(u64::from(units)) >> RATE_BITS
    }
}

/// A server that takes one thing after the other. Arrivals have to come in ascending time for it to
/// know which waits for which.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Queue {
    free: Ticks,
}

impl Queue {
    /// Takes what arrives at `now` and occupies the server for `cost`; gives how long it waits for
    /// those before it.
    pub(crate) fn take(&mut self, now: Ticks, cost: Ticks) -> Ticks {
        let start = self.free.max(now);
        self.free = start.saturating_add(cost);
        start - now
    }

    /// How long what arrives at `now` would wait.
    pub(crate) fn backlog(self, now: Ticks) -> Ticks {
        self.free.saturating_sub(now)
    }
}

/// The mean of so many durations, in cycles; 0 of none.
pub(crate) fn mean_cycles(durations: impl ExactSizeIterator<Item = Ticks>) -> f64 {
    let count = durations.len().max(1) as f64;
    let sum: Ticks = durations.sum();
    sum as f64 / f64::from(1u32 << TICK_BITS) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_waits_for_those_before() {
        let mut queue = Queue::default();
        assert_eq!(queue.take(ticks(10), ticks(4)), 0);
        assert_eq!(queue.take(ticks(11), ticks(4)), ticks(3));
        assert_eq!(queue.take(ticks(12), ticks(4)), ticks(6));
        // Twelve cycles of work since 10.
        assert_eq!(queue.backlog(ticks(20)), ticks(2));
        assert_eq!(queue.backlog(ticks(30)), 0);
        assert_eq!(queue.take(ticks(40), ticks(4)), 0);
    }

    #[test]
    fn means_are_in_cycles() {
        assert_eq!(mean_cycles([ticks(3), 0].into_iter()), 1.5);
        assert_eq!(mean_cycles([].into_iter()), 0.0);
    }

    #[test]
    fn rates_add_up() {
        // 27.84 bytes a cycle: a million transfers of 32 bytes take 1 149 425.3 cycles.
        let rate = Rate::new(27.84);
        let total: Ticks = (0..1_000_000).map(|_| rate.cost(32)).sum();
        let exact = 32e6 / 27.84;
        assert!((whole_cycles(total) as f64 / exact - 1.0).abs() < 3e-4);
        assert_eq!(Rate::new(64.0).cost(128), ticks(2));
    }

    #[test]
    fn cycles_round_up() {
        assert_eq!(cycle_from(ticks(7)), 7);
        assert_eq!(cycle_from(ticks(7) + 1), 8);
        assert_eq!(ticks_f64(1.5), ticks(3) / 2);
    }
}
