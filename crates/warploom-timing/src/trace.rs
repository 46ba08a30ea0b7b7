//! What a launch tells of itself while it runs: what each warp did in each cycle, and how full the
//! queues of memory were.
//!
//! A [`Trace`] says whose events are wanted and when; the [`TraceSink`] behind it takes them. Events of
//! one track come in the order of time, tracks side by side do not: SMs run one after the other
//! through an epoch.

use std::ops::Range;

use warploom_isa::Pc;

use crate::stall::Reason;

/// A warp where it was in some cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WarpPlace {
    /// The SM.
    pub sm: u32,
    /// The scheduler of the SM.
    pub scheduler: u32,
    /// Where the SM keeps the warp.
    pub slot: u32,
    /// Its block's number in the grid.
    pub block: u64,
    /// Its number in the block.
    pub warp: u32,
    /// The source instruction that it issues or is about to.
    pub source: Pc,
}

/// Cycles of a warp that have one reason; an issue has [`Reason::Selected`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Which warp.
    pub place: WarpPlace,
    /// Why.
    pub reason: Reason,
    /// SM cycles.
    pub cycles: (u64, u64),
}

/// What a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gauge {
    /// Warps of an SM.
    ResidentWarps,
    /// Memory instructions in an SM's queue.
    MemoryQueue,
    /// Sectors that an SM's L1 waits for.
    OutstandingSectors,
    /// Stores and atomics of an SM that are not done.
    OutstandingStores,
    /// Work of the L2's data ports that waits, in cycles of the average slice.
    L2Backlog,
    /// The same of the channels of device memory.
    DramBacklog,
}

impl Gauge {
    /// Those of an SM.
    pub const OF_SM: [Gauge; 4] = [
        Gauge::ResidentWarps,
        Gauge::MemoryQueue,
        Gauge::OutstandingSectors,
        Gauge::OutstandingStores,
    ];

    /// Those of the memory that SMs share.
    pub const OF_MEMORY: [Gauge; 2] = [Gauge::L2Backlog, Gauge::DramBacklog];
}

/// A counter's value from a cycle on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// SM cycle.
    pub cycle: u64,
    /// Whose it is; none for the memory that they share.
    pub sm: Option<u32>,
    /// What it counts.
    pub gauge: Gauge,
    /// How many.
    pub value: f64,
}

/// Takes events.
pub trait TraceSink {
    /// A warp spent cycles in one way.
    fn slice(&mut self, slice: &Slice);

    /// A counter has changed.
    fn reading(&mut self, reading: &Reading);
}

/// Which events are wanted, and who takes them.
pub struct Trace<'a> {
    sms: Range<u32>,
    window: Range<u64>,
    sink: &'a mut (dyn TraceSink + 'static),
    /// The last readings, by SM.
    of_sms: Vec<[u32; Gauge::OF_SM.len()]>,
    of_memory: [f64; Gauge::OF_MEMORY.len()],
}

/// SMs that are told apart at most.
const SM_LIMIT: u32 = 1 << 16;

impl<'a> Trace<'a> {
    /// Events of some SMs, in cycles of a window.
    pub fn new(
        sms: Range<u32>,
        window: Range<u64>,
        sink: &'a mut (dyn TraceSink + 'static),
    ) -> Trace<'a> {
        let sms = sms.start..sms.end.min(sms.start.saturating_add(SM_LIMIT));
        Trace {
            of_sms: vec![[0; Gauge::OF_SM.len()]; sms.len()],
            sms,
            window,
            sink,
            of_memory: [0.0; Gauge::OF_MEMORY.len()],
        }
    }

    /// A warp's cycles from `start` on: so many for each reason, one after the other.
    pub(crate) fn warp(&mut self, place: WarpPlace, start: u64, parts: &[(Reason, u64)]) {
        if !self.sms.contains(&place.sm) {
            return;
        }
        let mut at = start;
        for &(reason, cycles) in parts {
            let end = at + cycles;
            let cycles = (at.max(self.window.start), end.min(self.window.end));
            if cycles.0 < cycles.1 {
                self.sink.slice(&Slice {
                    place,
                    reason,
                    cycles,
                });
            }
            at = end;
        }
    }

    /// Looks at an SM's counters, in the order of [`Gauge::OF_SM`].
    pub(crate) fn sm(&mut self, sm: u32, cycle: u64, values: [u32; Gauge::OF_SM.len()]) {
        if !self.sms.contains(&sm) || !self.window.contains(&cycle) {
            return;
        }
        let old = &mut self.of_sms[(sm - self.sms.start) as usize];
        for ((gauge, value), old) in Gauge::OF_SM.into_iter().zip(values).zip(old) {
            if *old != value {
                *old = value;
                self.sink.reading(&Reading {
                    cycle,
                    sm: Some(sm),
                    gauge,
                    value: f64::from(value),
                });
            }
        }
    }

    /// Looks at the counters of memory, in the order of [`Gauge::OF_MEMORY`].
    pub(crate) fn memory(&mut self, cycle: u64, values: [f64; Gauge::OF_MEMORY.len()]) {
        if !self.window.contains(&cycle) {
            return;
        }
        let old = &mut self.of_memory;
        for ((gauge, value), old) in Gauge::OF_MEMORY.into_iter().zip(values).zip(old) {
            if *old != value {
                *old = value;
                self.sink.reading(&Reading {
                    cycle,
                    sm: None,
                    gauge,
                    value,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Kept {
        slices: Vec<(Reason, u64, u64)>,
        readings: Vec<(u64, Gauge, f64)>,
    }

    impl TraceSink for Kept {
        fn slice(&mut self, slice: &Slice) {
            let (from, to) = slice.cycles;
            self.slices.push((slice.reason, from, to));
        }

        fn reading(&mut self, reading: &Reading) {
            self.readings
                .push((reading.cycle, reading.gauge, reading.value));
        }
    }

    fn place(sm: u32) -> WarpPlace {
        WarpPlace {
            sm,
            scheduler: 0,
            slot: 0,
            block: 0,
            warp: 0,
            source: 0,
        }
    }

    /// Ten cycles of waiting from 95 on, none of throttling, then the issue; the window begins at 100.
    #[test]
    fn slices_are_cut_to_the_window() {
        let mut kept = Kept::default();
        let mut trace = Trace::new(1..3, 100..106, &mut kept);
        let parts = [
            (Reason::Wait, 10),
            (Reason::LgThrottle, 0),
            (Reason::Selected, 1),
        ];
        trace.warp(place(1), 95, &parts);
        trace.warp(place(2), 103, &parts);
        trace.warp(place(2), 106, &parts);
        trace.warp(place(0), 100, &parts);
        trace.warp(place(3), 100, &parts);
        let expected = [
            (Reason::Wait, 100, 105),
            (Reason::Selected, 105, 106),
            (Reason::Wait, 103, 106),
        ];
        assert_eq!(kept.slices, expected);
    }

    #[test]
    fn only_changes_are_told() {
        let mut kept = Kept::default();
        let mut trace = Trace::new(1..2, 10..20, &mut kept);
        trace.sm(1, 10, [4, 0, 0, 0]);
        trace.sm(1, 11, [4, 0, 2, 0]);
        trace.sm(1, 12, [4, 0, 2, 0]);
        trace.sm(1, 20, [0, 0, 0, 0]);
        trace.sm(0, 12, [1, 1, 1, 1]);
        trace.memory(12, [0.0, 1.5]);
        let expected = [
            (10, Gauge::ResidentWarps, 4.0),
            (11, Gauge::OutstandingSectors, 2.0),
            (12, Gauge::DramBacklog, 1.5),
        ];
        assert_eq!(kept.readings, expected);
    }
}
