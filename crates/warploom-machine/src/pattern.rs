//! The shape of a warp's addresses, and what it costs.
//!
//! How many sectors or shared-memory passes an access needs depends on the distances between its
//! lanes' addresses, not on where they are (up to the first address's place in a sector). A loop
//! walks the same shape again and again, so each memory instruction remembers its last one: while
//! the distances stay, counting is a look-up, and the bounds of all lanes are checked by their
//! lowest and highest address.

use std::ptr::NonNull;

use crate::lanes::{full_mask, select32, select64};
use crate::memory::Window;

/// Bytes of a sector, the unit of global and local memory traffic.
pub const SECTOR_BYTES: u64 = 32;
/// Shared-memory banks.
pub const BANKS: usize = 32;
/// Bytes of a bank's word.
pub const BANK_BYTES: u64 = 4;
/// Bytes that all banks deliver in one pass.
const PASS_BYTES: u32 = 128;

/// Lanes of a segment: as many 32-bit elements as a vector register of 32 bytes holds. Tiles whose
/// rows are shorter than a warp are regular in segments, not in the whole.
pub(crate) const SEGMENT: usize = 8;

/// How the lanes' addresses lie, where it allows a faster transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// All executing lanes have the same address.
    Uniform,
    /// All lanes of the row execute, and in each [`SEGMENT`] of them all have the same address.
    UniformSegments,
    /// All lanes of the row execute, and in each [`SEGMENT`] each is one element after the one
    /// before.
    UnitSegments,
    /// Anything else.
    General,
}

/// What an access costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cost {
    /// Sectors, or shared-memory passes.
    pub(crate) parts: u32,
    /// Passes beyond the minimum.
    pub(crate) conflicts: u32,
}

/// The last shape of a memory instruction's addresses.
#[derive(Clone)]
pub(crate) struct Pattern<const L: usize> {
    /// Address minus the first executing lane's; wraps for smaller ones, 0 for idle lanes.
    pub(crate) delta: [u64; L],
    /// The same in 32 bits.
    delta32: [u32; L],
    /// The executing lanes.
    mask: u64,
    /// Distance from the first lane's address down to the lowest.
    pub(crate) below: u64,
    /// Bytes from the lowest address to the end of the highest access.
    pub(crate) extent: u64,
    /// All distances are multiples of the access's size.
    pub(crate) aligned: bool,
    /// How the addresses lie.
    pub(crate) shape: Shape,
    /// Costs by the first address's place in a sector or word; `parts` 0 when not known yet.
    costs: [Cost; SECTOR_BYTES as usize],
    /// The allocation that the last access hit.
    pub(crate) window: Window,
    /// What the leader of a group leaves to its followers: the first lane's address and where it
    /// is on the host. Nothing where they must look for themselves.
    pub(crate) led: Option<(u64, NonNull<u8>)>,
}

// SAFETY: its pointers are only followed by whoever may touch the memory that they lead to, on
// whichever thread that is.
unsafe impl<const L: usize> Send for Pattern<L> {}

impl<const L: usize> Pattern<L> {
    /// Matches no access.
    pub(crate) fn new() -> Pattern<L> {
        Pattern {
            delta: [0; L],
            delta32: [0; L],
            mask: 0,
            below: 0,
            extent: 0,
            aligned: false,
            shape: Shape::General,
            costs: [Cost::default(); SECTOR_BYTES as usize],
            window: Window::EMPTY,
            led: None,
        }
    }

    /// For a leader's pattern: where a follower's first lane, `distance` bytes from the leader's,
    /// accesses memory, and the host's place of it. The leader has just executed.
    #[inline(always)]
    pub(crate) fn follower(&self, distance: i32, exec: u64) -> Option<(u64, *mut u8)> {
        let (first, host) = self.led.filter(|_| self.mask == exec)?;
        Some((
            first.wrapping_add_signed(distance.into()),
            host.as_ptr().wrapping_offset(distance as isize),
        ))
    }

    /// Matches no access until the next is learned.
    pub(crate) fn forget(&mut self) {
        self.mask = 0;
        self.led = None;
    }

    /// Whether 64-bit addresses have this shape.
    #[inline(always)]
    pub(crate) fn matches64(&self, address: &[u64; L], first: u64, exec: u64) -> bool {
        if self.mask != exec {
            return false;
        }
        let mut difference = 0;
        if exec == full_mask::<L>() {
            for lane in 0..L {
                difference |= address[lane].wrapping_sub(first) ^ self.delta[lane];
            }
        } else {
            for lane in 0..L {
                let d = address[lane].wrapping_sub(first) ^ self.delta[lane];
                difference |= d & select64(exec, lane);
            }
        }
        difference == 0
    }

    /// Whether 32-bit addresses have this shape.
    #[inline(always)]
    pub(crate) fn matches32(&self, address: &[u32; L], first: u32, exec: u64) -> bool {
        if self.mask != exec {
            return false;
        }
        let mut difference = 0;
        if exec == full_mask::<L>() {
            for lane in 0..L {
                difference |= address[lane].wrapping_sub(first) ^ self.delta32[lane];
            }
        } else {
            for lane in 0..L {
                let d = address[lane].wrapping_sub(first) ^ self.delta32[lane];
                difference |= d & select32(exec, lane);
            }
        }
        difference == 0
    }

    /// Takes on the shape of a new access of `bytes` bytes a lane. `address` is meaningful in the
    /// executing lanes; there is at least one.
    #[inline(never)]
    pub(crate) fn learn(&mut self, address: &[u64; L], exec: u64, bytes: u32) {
        let first = address[exec.trailing_zeros() as usize % L];
        let (mut low, mut high) = (0i64, 0i64);
        let (mut misaligned, mut uniform) = (0, true);
        let mut unit = exec == full_mask::<L>();
        let mut same = unit;
        for lane in 0..L {
            let on = exec >> lane & 1 != 0;
            let delta = if on {
                address[lane].wrapping_sub(first)
            } else {
                0
            };
            self.delta[lane] = delta;
            self.delta32[lane] = delta as u32;
            low = low.min(delta as i64);
            high = high.max(delta as i64);
            misaligned |= delta & u64::from(bytes - 1);
            uniform &= delta == 0;
            let in_segment = delta.wrapping_sub(self.delta[lane & !(SEGMENT - 1)]);
            unit &= in_segment == u64::from(bytes) * (lane % SEGMENT) as u64;
            same &= in_segment == 0;
        }
        self.mask = exec;
        self.below = (low as u64).wrapping_neg();
        // Distances of more than half the address space saturate: no allocation is that large.
        let extent = (high as i128 - low as i128) as u128 + u128::from(bytes);
        self.extent = u64::try_from(extent).unwrap_or(u64::MAX);
        self.aligned = misaligned == 0;
        self.shape = match (uniform, same, unit) {
            (true, _, _) => Shape::Uniform,
            (_, true, _) => Shape::UniformSegments,
            (_, _, true) => Shape::UnitSegments,
            _ => Shape::General,
        };
        self.costs = [Cost::default(); SECTOR_BYTES as usize];
    }

    /// What the access costs when the first lane's address is `first`, in shared memory or outside.
    #[inline(always)]
    pub(crate) fn cost(&mut self, shared: bool, first: u64, bytes: u32) -> Cost {
        let place = first % if shared { BANK_BYTES } else { SECTOR_BYTES };
        let known = self.costs[place as usize];
        if known.parts != 0 {
            known
        } else {
            self.work_out(shared, place, bytes)
        }
    }

    #[inline(never)]
    fn work_out(&mut self, shared: bool, place: u64, bytes: u32) -> Cost {
        let cost = if shared {
            passes(&self.delta, self.mask, place, bytes)
        } else {
            Cost {
                parts: sectors(&self.delta, self.mask, place),
                conflicts: 0,
            }
        };
        self.costs[place as usize] = cost;
        cost
    }
}

/// Distinct values, in the order of their first appearance.
struct Distinct<const N: usize> {
    values: [u64; N],
    count: usize,
    /// One bit per low six bits of the values seen, so that most new values need no search.
    seen: u64,
}

impl<const N: usize> Distinct<N> {
    fn new() -> Distinct<N> {
        Distinct {
            values: [0; N],
            count: 0,
            seen: 0,
        }
    }

    /// Adds a value; whether it is new.
    fn add(&mut self, value: u64) -> bool {
        let bit = 1 << (value & 63);
        if self.seen & bit != 0 && self.values[..self.count].contains(&value) {
            return false;
        }
        self.seen |= bit;
        self.values[self.count] = value;
        self.count += 1;
        true
    }
}

/// Sectors that lanes touch whose addresses are `place + delta`. An access lies in one sector: it
/// is aligned to its size, which is at most a sector's.
fn sectors<const L: usize>(delta: &[u64; L], mask: u64, place: u64) -> u32 {
    let mut distinct = Distinct::<L>::new();
    for lane in (0..L).filter(|lane| mask >> lane & 1 != 0) {
        // An arithmetic shift, since distances can be negative.
        distinct.add((delta[lane].wrapping_add(place) as i64 >> 5) as u64);
    }
    distinct.count as u32
}

/// Shared-memory passes of an access.
///
/// Each pass delivers one word from every bank; lanes that want the same word share it. Accesses of
/// 8 bytes go by half warps, of 16 bytes by quarters, of 32 by eighths: as many lanes at a time as
/// the banks could serve without conflict.
fn passes<const L: usize>(delta: &[u64; L], mask: u64, place: u64, bytes: u32) -> Cost {
    let group = (PASS_BYTES / bytes).min(32) as usize;
    let words = u64::from(bytes).div_ceil(BANK_BYTES);
    let mut cost = Cost::default();
    for start in (0..L).step_by(group) {
        let lanes = (start..(start + group).min(L)).filter(|lane| mask >> lane & 1 != 0);
        let mut distinct = Distinct::<{ BANKS * 8 }>::new();
        let mut per_bank = [0u32; BANKS];
        for lane in lanes {
            let word = (delta[lane].wrapping_add(place) as i64 >> 2) as u64;
            for word in (0..words).map(|w| word.wrapping_add(w)) {
                if distinct.add(word) {
                    per_bank[word as usize % BANKS] += 1;
                }
            }
        }
        let most = per_bank.into_iter().max().unwrap_or(0);
        cost.parts += most;
        cost.conflicts += most.saturating_sub(1);
    }
    cost
}

/// Shared-memory passes of an access of `bytes` bytes a lane, at least 1: each delivers one word from
/// every bank. `addresses` has one for each lane, meaningful for `lanes`; more than 64 are ignored.
pub fn shared_passes(addresses: &[u64], lanes: u64, bytes: u32) -> u32 {
    let mut all = [0u64; 64];
    for (lane, &address) in all.iter_mut().zip(addresses) {
        *lane = address;
    }
    passes(&all, lanes, 0, bytes.clamp(1, PASS_BYTES))
        .parts
        .max(1)
}

/// Sectors of a local access. The hardware interleaves local memory so that the same word of
/// neighbouring threads is adjacent: word `w` of lane `l` lies at byte `128 w + 4 l`.
pub(crate) fn local_sectors<const L: usize>(
    offset: impl Fn(usize) -> u64,
    mask: u64,
    bytes: u32,
) -> u32 {
    let words = u64::from(bytes).div_ceil(BANK_BYTES);
    let first = offset(mask.trailing_zeros() as usize % L);
    if (0..L).all(|lane| mask >> lane & 1 == 0 || offset(lane) == first) {
        // The usual case, a variable of all lanes: a sector for every eight neighbours.
        let octets = (0..L)
            .step_by(8)
            .filter(|lane| mask >> lane & 0xff != 0)
            .count();
        return octets as u32 * words as u32;
    }
    let mut distinct = std::collections::BTreeSet::new();
    for lane in (0..L).filter(|lane| mask >> lane & 1 != 0) {
        let first = offset(lane) / BANK_BYTES;
        for word in first..first + words {
            distinct.insert(word * (L as u64 / 8) + lane as u64 / 8);
        }
    }
    distinct.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(stride_bytes: u64) -> [u64; 32] {
        std::array::from_fn(|lane| lane as u64 * stride_bytes)
    }

    const FULL: u64 = 0xffff_ffff;

    /// Coalescing: unit stride, stride 2 and stride 8 words take 4, 8 and 32 sectors.
    #[test]
    fn sectors_by_stride() {
        for (words, expected) in [(1, 4), (2, 8), (4, 16), (8, 32), (9, 32)] {
            assert_eq!(
                sectors(&strided(4 * words), FULL, 0),
                expected,
                "stride {words}"
            );
        }
        // Off by one word, a unit-stride warp touches a fifth sector.
        assert_eq!(sectors(&strided(4), FULL, 4), 5);
        assert_eq!(sectors(&[0; 32], FULL, 0), 1);
        // Walking down from the end of a sector.
        let down: [u64; 32] = std::array::from_fn(|lane| (lane as u64 * 4).wrapping_neg());
        assert_eq!(sectors(&down, FULL, 28), 4);
    }

    /// A stride of s words is served in gcd(s, 32) passes.
    #[test]
    fn passes_by_stride() {
        for stride in 1..=64u64 {
            let expected = (1..=32)
                .rev()
                .find(|d| stride % d == 0 && 32 % d == 0)
                .unwrap();
            let cost = passes(&strided(4 * stride), FULL, 0, 4);
            assert_eq!(u64::from(cost.parts), expected, "stride {stride}");
            assert_eq!(u64::from(cost.conflicts), expected - 1, "stride {stride}");
        }
    }

    /// Wide accesses go by halves and quarters of the warp; contiguous ones conflict with nobody.
    #[test]
    fn passes_by_width() {
        for (bytes, expected) in [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4), (32, 8)] {
            let cost = passes(&strided(u64::from(bytes)), FULL, 0, bytes);
            assert_eq!((cost.parts, cost.conflicts), (expected, 0), "{bytes} bytes");
        }
        // Every lane a 16-byte element two apart: in each quarter, lanes i and i + 4 share banks.
        let cost = passes(&strided(32), FULL, 0, 16);
        assert_eq!((cost.parts, cost.conflicts), (8, 4));
        // Broadcast.
        assert_eq!(
            passes(&[0; 32], FULL, 0, 4),
            Cost {
                parts: 1,
                conflicts: 0
            }
        );
    }

    #[test]
    fn local_memory_is_interleaved() {
        // The same 4-byte word in all lanes: 128 contiguous bytes.
        assert_eq!(local_sectors::<32>(|_| 8, FULL, 4), 4);
        assert_eq!(local_sectors::<32>(|_| 8, FULL, 8), 8);
        // Another word in each lane: nothing is shared.
        assert_eq!(local_sectors::<32>(|lane| 4 * lane as u64, FULL, 4), 32);
        assert_eq!(local_sectors::<32>(|_| 0, 0xff, 4), 1);
    }
}
