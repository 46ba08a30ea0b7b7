//! Instruction caches: what it costs a warp to go on at an instruction.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use warploom_device::Device;

/// A cache of whole lines that drops the line that came first.
#[derive(Clone, Debug)]
struct Lines {
    limit: usize,
    order: VecDeque<u64>,
    held: FxHashSet<u64>,
}

impl Lines {
    fn new(bytes: u32, line_bytes: u32) -> Lines {
        Lines {
            limit: (bytes / line_bytes).max(1) as usize,
            order: VecDeque::new(),
            held: FxHashSet::default(),
        }
    }

    /// Whether the line was there; it is now.
    fn touch(&mut self, line: u64) -> bool {
        if !self.held.insert(line) {
            return true;
        }
        self.order.push_back(line);
        if self.order.len() > self.limit
            && let Some(gone) = self.order.pop_front()
        {
            self.held.remove(&gone);
        }
        false
    }
}

/// A line far from every other.
const NOWHERE: u64 = u64::MAX / 2;

/// The instruction caches of an SM.
#[derive(Clone, Debug)]
pub struct Fetch {
    instruction_bytes: u64,
    line_bytes: u64,
    prefetch_lines: u64,
    l1_cycles: u64,
    l2_cycles: u64,
    partitions: Vec<(Lines, u64)>,
    sm: Lines,
}

impl Fetch {
    /// The caches of one SM.
    pub fn new(device: &Device) -> Fetch {
        let fetch = &device.timing.fetch;
        let partition = (Lines::new(fetch.l0_bytes, fetch.line_bytes), NOWHERE);
        Fetch {
            instruction_bytes: fetch.instruction_bytes.into(),
            line_bytes: fetch.line_bytes.into(),
            prefetch_lines: fetch.prefetch_lines.into(),
            l1_cycles: fetch.l1_cycles.into(),
            l2_cycles: fetch.l2_cycles.into(),
            partitions: vec![partition; device.schedulers_per_sm as usize],
            sm: Lines::new(fetch.l1_bytes, fetch.line_bytes),
        }
    }

    /// Cycles until a warp of a partition has the instruction at a position of the stream.
    pub fn cost(&mut self, partition: usize, position: u32) -> u64 {
        let line = u64::from(position) * self.instruction_bytes / self.line_bytes;
        let (cache, last) = &mut self.partitions[partition];
        let ahead = line.wrapping_sub(*last);
        *last = line;
        if cache.touch(line) {
            return 0;
        }
        let near = self.sm.touch(line);
        // The stream buffer has fetched the lines that follow from the SM's cache.
        if near && ahead <= self.prefetch_lines {
            0
        } else if near {
            self.l1_cycles
        } else {
            self.l2_cycles
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_costs_once() {
        let device = Device::by_name("v100").unwrap();
        let fetch = &device.timing.fetch;
        let mut caches = Fetch::new(&device);
        let per_line = fetch.line_bytes / fetch.instruction_bytes;
        assert_eq!(caches.cost(0, 0), u64::from(fetch.l2_cycles));
        assert_eq!(caches.cost(0, per_line - 1), 0);
        // Another partition finds it in the SM's cache.
        assert_eq!(caches.cost(1, 0), u64::from(fetch.l1_cycles));
        assert_eq!(caches.cost(1, 1), 0);
    }
}
