//! The constant caches of an SM: two levels, then the L2.
//!
//! What both levels miss is taken to be in the L2, and its traffic is not counted: constant memory
//! is small and all SMs share it. How many lines a set has is not known, so that both levels are
//! fully associative.

use warploom_device::Device;
use warploom_device::schema::AddressHash;

use super::cache::Cache;
use super::coalesce::LineShape;

/// The constant caches of one SM.
#[derive(Debug, Clone)]
pub struct ConstantCaches {
    /// With the cycle in which each line arrives.
    l1: Cache<u64>,
    l1_shape: LineShape,
    l15: Cache,
    l15_shape: LineShape,
    /// By level.
    load_cycles: [u32; 3],
    operand_miss_cycles: u32,
    /// The line of the last operand, if it was there.
    recent: Option<u64>,
}

impl ConstantCaches {
    /// Empty caches.
    pub fn new(device: &Device) -> ConstantCaches {
        let constant = &device.timing.constant;
        let lines = |bytes: u32, line_bytes: u32| bytes / line_bytes.max(1);
        let l1_lines = lines(constant.l1_bytes, constant.l1_line_bytes);
        let l15_lines = lines(constant.l15_bytes, constant.l15_line_bytes);
        ConstantCaches {
            l1: Cache::new(l1_lines.into(), l1_lines.max(1), AddressHash::Xor),
            l1_shape: LineShape::new(constant.l1_line_bytes, constant.l1_line_bytes),
            l15: Cache::new(l15_lines.into(), l15_lines.max(1), AddressHash::Xor),
            l15_shape: LineShape::new(constant.l15_line_bytes, constant.l15_line_bytes),
            load_cycles: [
                constant.l1_cycles,
                constant.l15_cycles,
                device.timing.l2.hit_cycles.max(constant.l15_cycles),
            ],
            operand_miss_cycles: constant.operand_miss_cycles,
            recent: None,
        }
    }

    /// Looks the constant at an address up; both levels have it from then on. Gives the cycles
    /// until it is in the first one, where those of a miss are told by the level that has it.
    fn look_up(&mut self, address: u64, now: u64, [l15, l2]: [u32; 2]) -> u64 {
        let line = self.l1_shape.number(address);
        if let Some(slot) = self.l1.find(line, line) {
            return self.l1.more(slot).saturating_sub(now);
        }
        let long = self.l15_shape.number(address);
        let cycles = u64::from(match self.l15.find(long, long) {
            Some(_) => l15,
            None => {
                self.l15.place(long, long);
                l2
            }
        });
        let (slot, _) = self.l1.place(line, line);
        *self.l1.more(slot) = now + cycles;
        cycles
    }

    /// Cycles of a load from an address.
    pub fn load_cycles(&mut self, address: u64, now: u64) -> u64 {
        let [l1, misses @ ..] = self.load_cycles;
        self.look_up(address, now, misses).max(l1.into())
    }

    /// Cycles by which an operand from an address delays its instruction.
    pub fn operand_cycles(&mut self, address: u64, now: u64) -> u64 {
        let line = self.l1_shape.number(address);
        // The line used last is the newest already.
        if self.recent == Some(line) {
            return 0;
        }
        let cycles = self.look_up(address, now, [self.operand_miss_cycles; 2]);
        self.recent = (cycles == 0).then_some(line);
        cycles
    }

    /// Drops all lines.
    pub fn clear(&mut self) {
        self.l1.clear();
        self.l15.clear();
        self.recent = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A V100 has 2 KiB in lines of 64 bytes, then 64 KiB in lines of 256: the first touch comes
    /// from the L2, the rest of a long line from the second level, and what was read before and
    /// fits from the first.
    #[test]
    fn levels_have_their_latencies() {
        let mut caches = ConstantCaches::new(&Device::by_name("v100").unwrap());
        let mut now = 0;
        let cycles = [0, 4, 64, 128, 255, 256, 0].map(|address| {
            now += 1000;
            caches.load_cycles(address, now)
        });
        assert_eq!(cycles, [212, 40, 114, 114, 114, 212, 40]);
    }

    /// Walking in a circle through 2112 bytes hits, through two lines more misses the first level.
    #[test]
    fn edges_are_at_the_capacity() {
        for (bytes, expected) in [(2112, 40), (2240, 114), (65_536, 114), (65_792, 212)] {
            let mut caches = ConstantCaches::new(&Device::by_name("v100").unwrap());
            let lines = bytes / 64;
            let mut walk = |from| {
                let cycles = (0..lines).map(|l| caches.load_cycles(64 * l, from + 1000 * l));
                cycles.max()
            };
            walk(0);
            assert_eq!(walk(1000 * lines), Some(expected), "{bytes} bytes");
        }
    }

    #[test]
    fn operands_wait_only_for_misses() {
        let mut caches = ConstantCaches::new(&Device::by_name("v100").unwrap());
        assert_eq!(caches.operand_cycles(8, 100), 79);
        assert_eq!(caches.operand_cycles(8, 400), 0);
        assert_eq!(caches.operand_cycles(12, 400), 0);
        caches.clear();
        assert_eq!(caches.operand_cycles(8, 500), 79);
    }

    /// The line comes 212 cycles after the first who asks for it.
    #[test]
    fn who_asks_later_waits_for_the_rest() {
        let mut caches = ConstantCaches::new(&Device::by_name("v100").unwrap());
        assert_eq!(caches.load_cycles(0, 1000), 212);
        assert_eq!(caches.load_cycles(4, 1010), 202);
        assert_eq!(caches.load_cycles(8, 1200), 40);
        assert_eq!(caches.operand_cycles(12, 1200), 12);
        assert_eq!(caches.operand_cycles(12, 1212), 0);
        // An operand's miss takes 79.
        assert_eq!(caches.operand_cycles(512, 2000), 79);
        assert_eq!(caches.operand_cycles(512, 2029), 50);
    }
}
