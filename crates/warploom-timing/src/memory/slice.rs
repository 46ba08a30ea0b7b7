//! A slice of the L2: its tags, its data port, its atomic unit, its outstanding misses.

use warploom_device::Device;

use super::coalesce::LineShape;
use super::filling::FillingCache;
use super::queue::{Queue, Rate, Ticks, ticks};

/// What all slices have in common.
#[derive(Debug, Clone)]
pub(crate) struct SliceRates {
    /// Bytes through the data port.
    port: Rate,
    /// Operations of the atomic unit, at different addresses.
    atomics: Rate,
    same_address: Ticks,
}

impl SliceRates {
    pub(crate) fn new(device: &Device) -> SliceRates {
        let l2 = &device.timing.l2;
        let clocks = l2.clock_mhz.unwrap_or(device.clock_mhz) / device.clock_mhz;
        let atomics = &device.timing.atomics;
        SliceRates {
            port: Rate::new(f64::from(l2.slice_bytes_per_cycle) * l2.efficiency * clocks),
            atomics: Rate::new(f64::from(atomics.slice_per_cycle) * clocks),
            same_address: ticks(u64::from(atomics.same_address_cycles)),
        }
    }
}

pub(crate) struct Slice {
    pub tags: FillingCache,
    port: Queue,
    atomics: Queue,
    /// Lines whose atomics wait for each other, by line number; empty until there are some.
    busy_lines: Vec<(u64, Queue)>,
    most_busy_lines: usize,
    /// When the entries for outstanding misses are free again, in a circle once all have been used.
    misses: Vec<Ticks>,
    next_miss: usize,
    most_misses: usize,
}

impl Slice {
    /// One of `slices` of a device.
    pub(crate) fn new(device: &Device, slices: usize) -> Slice {
        let l2 = &device.timing.l2;
        let line_bytes = LineShape::l2(device).line_bytes();
        let lines = device.memory.l2_bytes / slices.max(1) as u64 / line_bytes;
        Slice {
            tags: FillingCache::new(lines, l2.ways, l2.hash),
            port: Queue::default(),
            atomics: Queue::default(),
            busy_lines: Vec::new(),
            most_busy_lines: l2.queue_entries as usize,
            misses: Vec::new(),
            next_miss: 0,
            most_misses: l2.mshr_entries as usize,
        }
    }

    /// Moves bytes through the data port; gives the wait.
    pub(crate) fn transfer(&mut self, now: Ticks, bytes: u32, rates: &SliceRates) -> Ticks {
        self.port.take(now, rates.port.cost(bytes))
    }

    /// How long the data port is taken beyond `now`.
    pub(crate) fn backlog(&self, now: Ticks) -> Ticks {
        self.port.backlog(now)
    }

    /// Performs atomics on a line, `same_address` of them at one address; gives the wait, and how
    /// much longer than a single operation they take.
    pub(crate) fn perform(
        &mut self,
        now: Ticks,
        line: u64,
        operations: u32,
        same_address: u32,
        rates: &SliceRates,
    ) -> (Ticks, Ticks) {
        let unit = rates.atomics.cost(operations);
        let serial = rates.same_address * u64::from(same_address);
        let mut wait = self.atomics.take(now, unit);
        let lines = self.most_busy_lines;
        if self.busy_lines.is_empty() {
            self.busy_lines.resize(lines, (u64::MAX, Queue::default()));
        }
        let (known, queue) = &mut self.busy_lines[line as usize % lines];
        if *known != line {
            *known = line;
            *queue = Queue::default();
        }
        wait = wait.max(queue.take(now, serial));
        let longer = unit
            .saturating_sub(rates.atomics.cost(1))
            .max(serial.saturating_sub(rates.same_address));
        (wait, longer)
    }

    /// How long a miss waits for an entry.
    pub(crate) fn miss_wait(&self, now: Ticks) -> Ticks {
        match self.misses.get(self.next_miss) {
            Some(end) if self.misses.len() == self.most_misses => end.saturating_sub(now),
            _ => 0,
        }
    }

    /// Occupies an entry until `end`.
    pub(crate) fn miss_until(&mut self, end: Ticks) {
        if self.misses.len() < self.most_misses {
            self.misses.push(end);
            return;
        }
        self.misses[self.next_miss] = end;
        self.next_miss = (self.next_miss + 1) % self.most_misses;
    }

    /// All queues are empty and everything has arrived.
    pub(crate) fn settle(&mut self) {
        self.port = Queue::default();
        self.atomics = Queue::default();
        self.busy_lines.clear();
        self.misses.clear();
        self.next_miss = 0;
        self.tags.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice() -> (Slice, SliceRates) {
        let device = Device::by_name("v100").unwrap();
        (Slice::new(&device, 64), SliceRates::new(&device))
    }

    /// Eight operations a cycle, one a cycle at one address.
    #[test]
    fn atomics_at_one_address_go_one_by_one() {
        let (mut slice, rates) = slice();
        let mut perform = |line, operations, same| {
            let (wait, longer) = slice.perform(0, line, operations, same, &rates);
            (wait as f64 / 4096.0, longer as f64 / 4096.0)
        };
        assert_eq!(perform(1, 32, 32), (0.0, 31.0));
        assert_eq!(perform(1, 1, 1), (32.0, 0.0));
        // Another line waits for the unit alone: 33 operations.
        assert_eq!(perform(2, 8, 1), (33.0 / 8.0, 7.0 / 8.0));
    }

    #[test]
    fn a_miss_waits_for_an_entry() {
        let (mut slice, _) = slice();
        for end in 0..192 {
            assert_eq!(slice.miss_wait(10), 0);
            slice.miss_until(1000 + end);
        }
        assert_eq!(slice.miss_wait(10), 990);
        assert_eq!(slice.miss_wait(2000), 0);
    }

    /// 27.84 bytes a cycle: a sector every 1.149 cycles.
    #[test]
    fn the_port_has_its_plateau() {
        let (mut slice, rates) = slice();
        let last = (0..1000).map(|_| slice.transfer(0, 32, &rates)).last();
        let wait = last.unwrap() as f64 / 4096.0;
        assert!((wait / (999.0 * 32.0 / 27.84) - 1.0).abs() < 1e-3, "{wait}");
    }
}
