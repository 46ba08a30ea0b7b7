//! What a memory instruction of a warp asks of the L1: lines, sectors, and passes.
//!
//! # Passes
//!
//! The data array has the banks of shared memory. A load takes the largest of
//!
//! - its bank passes: each pass delivers one word from every bank, and lanes that want the same
//!   word share it; accesses of 8 bytes go by half warps, of 16 bytes by quarters;
//! - its result over the bytes that the L1 returns a cycle;
//! - its lines over those that are looked up in a cycle.
//!
//! A stride of a power of two therefore costs exactly itself in cycles, up to the warp's width.

use smallvec::SmallVec;
use warploom_device::Device;

/// Sectors that a mask has room for.
const MAX_SECTORS: u32 = 16;

/// Size of lines and sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineShape {
    line_shift: u32,
    sector_shift: u32,
}

impl LineShape {
    /// Sizes in bytes are rounded up to powers of two. A line has at most 16 sectors: larger lines
    /// have larger sectors.
    pub fn new(line_bytes: u32, sector_bytes: u32) -> LineShape {
        let line_shift = line_bytes.max(1).next_power_of_two().trailing_zeros();
        let sector_shift = sector_bytes.max(1).next_power_of_two().trailing_zeros();
        let least = line_shift.saturating_sub(MAX_SECTORS.trailing_zeros());
        LineShape {
            line_shift,
            sector_shift: sector_shift.clamp(least, line_shift),
        }
    }

    /// The lines of a device's L1.
    pub fn l1(device: &Device) -> LineShape {
        LineShape::new(device.memory.line_bytes, device.memory.sector_bytes)
    }

    /// The lines of a device's L2.
    pub fn l2(device: &Device) -> LineShape {
        LineShape::new(device.timing.l2.line_bytes, device.memory.sector_bytes)
    }

    /// Bytes of a line.
    pub fn line_bytes(self) -> u64 {
        1 << self.line_shift
    }

    /// Bytes of a sector.
    pub fn sector_bytes(self) -> u64 {
        1 << self.sector_shift
    }

    /// Number of the line at an address.
    pub fn number(self, address: u64) -> u64 {
        address >> self.line_shift
    }

    /// Address of the line that an address is in.
    pub fn line(self, address: u64) -> u64 {
        address >> self.line_shift << self.line_shift
    }

    /// The sector of its line that an address is in, as a bit.
    pub fn sector(self, address: u64) -> u16 {
        let sectors = 1u64 << (self.line_shift - self.sector_shift);
        1 << ((address >> self.sector_shift) & (sectors - 1))
    }

    /// Bytes of some sectors.
    pub fn bytes(self, sectors: u16) -> u32 {
        sectors.count_ones() << self.sector_shift
    }
}

/// Some sectors of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineAccess {
    /// Address of the line.
    pub line: u64,
    /// Its sectors, the first one in the lowest bit.
    pub sectors: u16,
}

/// Lines of one instruction.
pub type Lines = SmallVec<[LineAccess; 4]>;

/// What atomics of one instruction do in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AtomicAccess {
    /// Where.
    pub access: LineAccess,
    /// Operations there.
    pub operations: u32,
    /// The most of them that are at one address, which have to go one after the other.
    pub same_address: u32,
}

impl From<LineAccess> for AtomicAccess {
    /// An access without atomics.
    fn from(access: LineAccess) -> AtomicAccess {
        AtomicAccess {
            access,
            operations: 0,
            same_address: 0,
        }
    }
}

/// Atomics of one instruction, by line.
pub type AtomicLines = SmallVec<[AtomicAccess; 4]>;

/// The active lanes among those that have an address.
fn present(addresses: &[u64], exec: u64) -> u64 {
    match addresses.len() {
        0 => 0,
        lanes @ 1..=63 => exec & ((1 << lanes) - 1),
        _ => exec,
    }
}

/// Active lanes in order, with their addresses.
fn active(addresses: &[u64], exec: u64) -> impl Iterator<Item = (usize, u64)> + '_ {
    let mut left = present(addresses, exec);
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        Some((lane, addresses[lane]))
    })
}

/// Lines that the active lanes touch, in the order of their first lanes. Each lane touches `bytes`
/// from its address on.
pub fn lines(addresses: &[u64], exec: u64, bytes: u32, shape: LineShape) -> Lines {
    let mut found = Found::default();
    let rest = u64::from(bytes.max(1)) - 1;
    let mut sector = None;
    for (_, address) in active(addresses, exec) {
        let end = address.saturating_add(rest);
        let (mut at, last) = (address >> shape.sector_shift, end >> shape.sector_shift);
        // Lanes mostly go on where the one before was.
        if sector == Some(at) && at == last {
            continue;
        }
        sector = Some(last);
        loop {
            let start = at << shape.sector_shift;
            found.add(shape.line(start), shape.sector(start));
            if at == last {
                break;
            }
            at += 1;
        }
    }
    found.lines
}

/// Lines found so far.
#[derive(Default)]
struct Found {
    lines: Lines,
    /// Place of the line found last.
    recent: usize,
    /// The lowest and the highest line.
    range: Option<(u64, u64)>,
}

impl Found {
    fn add(&mut self, line: u64, sector: u16) {
        let same = |found: &LineAccess| found.line == line;
        let (low, high) = self.range.unwrap_or((line, line));
        // Lanes that walk up or down need no search.
        let known = match self.lines.get(self.recent) {
            Some(found) if same(found) => Some(self.recent),
            Some(_) if line < low || line > high => None,
            _ => self.lines.iter().position(same),
        };
        self.range = Some((low.min(line), high.max(line)));
        self.recent = known.unwrap_or(self.lines.len());
        match self.lines.get_mut(self.recent) {
            Some(found) => found.sectors |= sector,
            None => self.lines.push(LineAccess {
                line,
                sectors: sector,
            }),
        }
    }
}

/// What atomics of the active lanes do, by line, in the order of their first lanes.
pub fn atomic_lines(addresses: &[u64], exec: u64, bytes: u32, shape: LineShape) -> AtomicLines {
    let mut atomics: AtomicLines = lines(addresses, exec, bytes, shape)
        .into_iter()
        .map(AtomicAccess::from)
        .collect();
    let mut left = exec;
    for (lane, address) in active(addresses, exec) {
        if left >> lane & 1 == 0 {
            continue;
        }
        let mut same = 0;
        for (other, at) in active(addresses, left) {
            if at == address {
                left &= !(1 << other);
                same += 1;
            }
        }
        let line = shape.line(address);
        if let Some(found) = atomics.iter_mut().find(|a| a.access.line == line) {
            found.operations += same;
            found.same_address = found.same_address.max(same);
        }
    }
    atomics
}

/// Banks that are told apart; more of them count as this many.
const MAX_BANKS: usize = 64;

/// How fast the L1 serves the lanes of a load.
#[derive(Debug, Clone, Copy)]
pub struct L1Passes {
    banks: usize,
    word_shift: u32,
    result_bytes_per_cycle: u32,
    lines_per_cycle: u32,
}

impl L1Passes {
    /// The rule of a device.
    pub fn new(device: &Device) -> L1Passes {
        let banks = device.shared.banks.next_power_of_two() as usize;
        L1Passes {
            banks: banks.min(MAX_BANKS),
            word_shift: device.shared.bank_bytes.trailing_zeros(),
            result_bytes_per_cycle: device.memory.l1_bytes_per_cycle.max(1),
            lines_per_cycle: device.timing.l1.lines_per_cycle.max(1),
        }
    }

    /// Cycles for which a load of `bytes` a lane occupies the L1, which touches `lines` lines.
    pub fn load(&self, addresses: &[u64], exec: u64, bytes: u32, lines: usize) -> u32 {
        let lanes = present(addresses, exec).count_ones();
        let result = lanes
            .saturating_mul(bytes)
            .div_ceil(self.result_bytes_per_cycle);
        let lookups = (lines as u32).div_ceil(self.lines_per_cycle);
        self.bank_passes(addresses, exec, bytes)
            .max(result)
            .max(lookups)
    }

    fn bank_passes(&self, addresses: &[u64], exec: u64, bytes: u32) -> u32 {
        let words = (bytes.max(1) as usize).div_ceil(1 << self.word_shift);
        let group = (self.banks / words).clamp(1, u64::BITS as usize);
        let lanes = addresses.len().min(u64::BITS as usize);
        let mut passes = 0;
        for start in (0..lanes).step_by(group) {
            let group_mask = u64::MAX >> (u64::BITS as usize - group);
            let exec = exec & group_mask << start;
            if exec != 0 {
                passes += self.group_passes(addresses, exec, words.min(self.banks));
            }
        }
        passes
    }

    /// The most different words that the lanes want of one bank.
    fn group_passes(&self, addresses: &[u64], exec: u64, words: usize) -> u32 {
        let mut least = u64::MAX;
        let mut most = 0;
        for (_, address) in active(addresses, exec) {
            least = least.min(address);
            most = most.max(address);
        }
        let span = (most >> self.word_shift) - (least >> self.word_shift);
        if span + words as u64 <= self.banks as u64 {
            return 1;
        }
        // Words of a bank are chained: `last[bank]` is the newest and `before` goes on from there.
        const NONE: u8 = u8::MAX;
        let mut last = [NONE; MAX_BANKS];
        let mut count = [0u8; MAX_BANKS];
        let mut before = [NONE; MAX_BANKS];
        let mut wanted = [0u64; MAX_BANKS];
        let mut next = 0;
        let mut passes = 0;
        for (_, address) in active(addresses, exec) {
            let first = address >> self.word_shift;
            for word in (0..words as u64).map(|w| first.wrapping_add(w)) {
                let bank = word as usize & (self.banks - 1);
                let mut at = last[bank];
                while at != NONE && wanted[at as usize] != word {
                    at = before[at as usize];
                }
                if at == NONE && next < MAX_BANKS {
                    wanted[next] = word;
                    before[next] = last[bank];
                    last[bank] = next as u8;
                    next += 1;
                    count[bank] += 1;
                    passes = passes.max(count[bank]);
                }
            }
        }
        u32::from(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u64 = 0xffff_ffff;

    fn strided(base: u64, stride_bytes: u64) -> [u64; 32] {
        std::array::from_fn(|lane| base + lane as u64 * stride_bytes)
    }

    fn shape() -> LineShape {
        LineShape::new(128, 32)
    }

    fn access(line: u64, sectors: u16) -> LineAccess {
        LineAccess { line, sectors }
    }

    #[test]
    fn neighbours_share_a_line() {
        let found = lines(&strided(4096, 4), FULL, 4, shape());
        assert_eq!(found[..], [access(4096, 0b1111)]);
        // Eight bytes a lane: two lines.
        let found = lines(&strided(4096, 8), FULL, 8, shape());
        assert_eq!(found[..], [access(4096, 0b1111), access(4224, 0b1111)]);
        // One word off: the last lane is alone in the next line.
        let found = lines(&strided(4100, 4), FULL, 4, shape());
        assert_eq!(found[..], [access(4096, 0b1111), access(4224, 0b0001)]);
    }

    #[test]
    fn lines_are_in_the_order_of_their_lanes() {
        let down: [u64; 32] = std::array::from_fn(|lane| 4096 - 64 * lane as u64);
        let found = lines(&down, 0b111, 4, shape());
        assert_eq!(found[..], [access(4096, 0b0001), access(3968, 0b0101)]);
    }

    #[test]
    fn inactive_and_missing_lanes_touch_nothing() {
        assert!(lines(&strided(0, 128), 0, 4, shape()).is_empty());
        let found = lines(&strided(0, 128)[..2], u64::MAX, 4, shape());
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn an_access_over_an_edge_touches_both_sides() {
        let found = lines(&[126], 1, 4, shape());
        assert_eq!(found[..], [access(0, 0b1000), access(128, 0b0001)]);
        let found = lines(&[u64::MAX - 1], 1, 8, shape());
        assert_eq!(found[..], [access(u64::MAX - 127, 0b1000)]);
    }

    #[test]
    fn long_lines_have_large_sectors() {
        let shape = LineShape::new(4096, 32);
        assert_eq!(shape.sector_bytes(), 256);
        let found = lines(&[4095], 1, 1, shape);
        assert_eq!(found[..], [access(0, 1 << 15)]);
    }

    #[test]
    fn atomics_are_counted_by_line() {
        // All lanes at one address.
        let found = atomic_lines(&[256; 32], FULL, 4, shape());
        let expected = AtomicAccess {
            access: access(256, 0b0001),
            operations: 32,
            same_address: 32,
        };
        assert_eq!(found[..], [expected]);
        // Lanes 0 to 15 take turns on three words of one line; the others each have a line.
        let addresses: [u64; 32] = std::array::from_fn(|lane| match lane as u64 {
            lane @ 0..16 => 4 * (lane % 3),
            lane => 128 * lane,
        });
        let found = atomic_lines(&addresses, FULL, 4, shape());
        assert_eq!(found.len(), 17);
        assert_eq!((found[0].operations, found[0].same_address), (16, 6));
        assert_eq!((found[9].operations, found[9].same_address), (1, 1));
    }

    fn passes(device: &str, stride_bytes: u64, bytes: u32) -> u32 {
        let device = Device::by_name(device).unwrap();
        let addresses = strided(0, stride_bytes);
        let count = lines(&addresses, FULL, bytes, LineShape::l1(&device)).len();
        L1Passes::new(&device).load(&addresses, FULL, bytes, count)
    }

    /// Measured on an A100 and others, cycles per load: power-of-two strides of words cost exactly the
    /// stride, those of doubles twice that until each lane has its line.
    #[test]
    fn power_of_two_strides_cost_themselves() {
        for stride in [1, 2, 4, 8, 16, 32] {
            assert_eq!(passes("a100-80", 4 * stride, 4), stride as u32);
            assert_eq!(passes("h200", 4 * stride, 4), stride as u32);
            assert_eq!(passes("rx-6900-xt", 4 * stride, 4), stride as u32);
        }
        for (stride, cycles) in [(0, 2), (1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (32, 32)] {
            assert_eq!(passes("a100-80", 8 * stride, 8), cycles, "double {stride}");
        }
        assert_eq!(passes("a100-80", 0, 4), 1);
    }

    /// A chip that returns 64 bytes a cycle needs two cycles for whatever its lanes load.
    #[test]
    fn narrow_chips_need_two_cycles_at_least() {
        for (stride, cycles) in [(0, 2), (1, 2), (2, 2), (3, 2), (4, 4), (8, 8), (32, 32)] {
            assert_eq!(passes("a40", 4 * stride, 4), cycles, "stride {stride}");
        }
    }

    /// Odd strides have no bank conflict; they cost their lines, four of which are looked up a
    /// cycle. Measured: 3.03, 4.02, 5.1, 6.0, 7.0, 8.0.
    #[test]
    fn odd_strides_cost_their_lines() {
        for (stride, cycles) in [(9, 3), (13, 4), (17, 5), (21, 6), (25, 7), (29, 8)] {
            assert_eq!(passes("a100-80", 4 * stride, 4), cycles, "stride {stride}");
        }
    }

    #[test]
    fn wide_accesses_go_by_parts_of_the_warp() {
        // 16 bytes a lane in a row: four quarters of 128 bytes.
        assert_eq!(passes("v100", 16, 16), 4);
        // Every second 16 bytes: two lanes of a quarter meet in each bank.
        assert_eq!(passes("v100", 32, 16), 8);
        // Bytes of one word are one word.
        assert_eq!(passes("v100", 1, 1), 1);
    }

    #[test]
    fn inactive_quarters_cost_nothing() {
        let device = Device::by_name("v100").unwrap();
        let rule = L1Passes::new(&device);
        assert_eq!(rule.load(&strided(0, 16), 0xff, 16, 1), 1);
        assert_eq!(rule.load(&strided(0, 16), 0, 16, 0), 0);
    }
}
