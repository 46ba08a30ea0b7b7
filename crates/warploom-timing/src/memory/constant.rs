//! The constant caches of an SM: two levels, then the L2.
//!
//! What both levels miss is taken to be in the L2, and its traffic is not counted: constant memory
//! is small and all SMs share it. How many lines a set has is not known, so that both levels are
//! fully associative.

use warploom_device::Device;
use warploom_device::schema::AddressHash;

use super::cache::Cache;
use super::coalesce::LineShape;

/// Where a constant was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantLevel {
    /// First level.
    L1,
    /// Second level.
    L15,
    /// The L2.
    L2,
}

/// The constant caches of one SM.
#[derive(Debug, Clone)]
pub struct ConstantCaches {
    l1: Cache,
    l1_shape: LineShape,
    l15: Cache,
    l15_shape: LineShape,
    /// By level.
    load_cycles: [u32; 3],
    operand_miss_cycles: u32,
}

impl ConstantCaches {
    /// Empty caches.
    pub fn new(device: &Device) -> ConstantCaches {
        let constant = &device.timing.constant;
        let full = |bytes: u32, line_bytes: u32| {
            let lines = bytes / line_bytes.max(1);
            Cache::new(u64::from(lines), lines.max(1), AddressHash::Xor)
        };
        ConstantCaches {
            l1: full(constant.l1_bytes, constant.l1_line_bytes),
            l1_shape: LineShape::new(constant.l1_line_bytes, constant.l1_line_bytes),
            l15: full(constant.l15_bytes, constant.l15_line_bytes),
            l15_shape: LineShape::new(constant.l15_line_bytes, constant.l15_line_bytes),
            load_cycles: [
                constant.l1_cycles,
                constant.l15_cycles,
                device.timing.l2.hit_cycles.max(constant.l15_cycles),
            ],
            operand_miss_cycles: constant.operand_miss_cycles,
        }
    }

    /// Looks the constant at an address up; both levels have it from then on.
    pub fn look_up(&mut self, address: u64) -> ConstantLevel {
        let line = self.l1_shape.number(address);
        if self.l1.find(line, line).is_some() {
            return ConstantLevel::L1;
        }
        self.l1.place(line, line);
        let line = self.l15_shape.number(address);
        if self.l15.find(line, line).is_some() {
            return ConstantLevel::L15;
        }
        self.l15.place(line, line);
        ConstantLevel::L2
    }

    /// Cycles of a load from an address.
    pub fn load_cycles(&mut self, address: u64) -> u32 {
        self.load_cycles[self.look_up(address) as usize]
    }

    /// Cycles by which an operand from an address delays its instruction.
    pub fn operand_cycles(&mut self, address: u64) -> u32 {
        match self.look_up(address) {
            ConstantLevel::L1 => 0,
            _ => self.operand_miss_cycles,
        }
    }

    /// Drops all lines.
    pub fn clear(&mut self) {
        self.l1.clear();
        self.l15.clear();
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
        let cycles: Vec<u32> = [0, 4, 64, 128, 255, 256, 0]
            .map(|address| caches.load_cycles(address))
            .into();
        assert_eq!(cycles, [212, 40, 114, 114, 114, 212, 40]);
    }

    /// Walking in a circle through 2112 bytes hits, through two lines more misses the first level.
    #[test]
    fn edges_are_at_the_capacity() {
        for (bytes, expected) in [(2112, 40), (2240, 114), (65_536, 114), (65_792, 212)] {
            let mut caches = ConstantCaches::new(&Device::by_name("v100").unwrap());
            let mut walk = || (0..bytes / 64).map(|l| caches.load_cycles(64 * l)).max();
            walk();
            assert_eq!(walk(), Some(expected), "{bytes} bytes");
        }
    }

    #[test]
    fn operands_wait_only_for_misses() {
        let mut caches = ConstantCaches::new(&Device::by_name("v100").unwrap());
        assert_eq!(caches.operand_cycles(8), 79);
        assert_eq!(caches.operand_cycles(8), 0);
        caches.clear();
        assert_eq!(caches.look_up(8), ConstantLevel::L2);
    }
}
