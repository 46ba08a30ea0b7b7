//! Where an address lives, and how far it is from an SM.
//!
//! An L2 of several segments works in one of two ways. With a far latency, every address has a
//! *home* slice in one segment; an SM asks the slice of its own segment first, which keeps copies of
//! what comes from other homes. Without, each segment is an L2 of its own for its SMs.

use warploom_device::Device;

use super::coalesce::LineShape;
use super::spread::{Divider, Spread};

/// Places of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The slice that an SM asks.
    pub near: usize,
    /// The slice where it is read from and written to memory.
    pub home: usize,
    /// Counts the lines that can come to one slice.
    pub index: u64,
    /// Cycles by which the SM is farther from the slice than the average SM.
    pub offset_cycles: i64,
}

/// A place in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryPlace {
    pub channel: usize,
    /// Row of the channel, counted over all its banks.
    pub row: u64,
    /// Counts the lines of the channel.
    pub index: u64,
}

pub(crate) struct Topology {
    interleave_shift: u32,
    line_shift: u32,
    /// The slices that an address chooses from.
    slices: Spread,
    channels: Spread,
    rows: Divider,
    per_segment: usize,
    /// Segments that share one address space; 1 where each is an L2 of its own.
    homes: u64,
    by_homes: Divider,
    segments: usize,
    sms: Vec<SmPlace>,
    offsets: Vec<i64>,
}

/// Where an SM is.
#[derive(Debug, Clone, Copy)]
struct SmPlace {
    segment: usize,
    /// The slice whose distance is the first of the offsets.
    turn: usize,
}

impl Topology {
    pub(crate) fn new(device: &Device) -> Topology {
        let l2 = &device.timing.l2;
        let line = LineShape::l2(device).line_bytes();
        let interleave = u64::from(l2.interleave_bytes).max(line);
        let segments = device.memory.l2_segments.min(l2.slices).max(1) as usize;
        let per_segment = (l2.slices as usize / segments).max(1);
        let homes = if l2.far_cycles.is_some() { segments } else { 1 };
        Topology {
            interleave_shift: interleave.trailing_zeros(),
            line_shift: line.trailing_zeros(),
            slices: Spread::new((per_segment * homes) as u64, l2.hash),
            channels: Spread::new(u64::from(device.timing.dram.channels), l2.hash),
            rows: Divider::new(u64::from(device.timing.dram.row_bytes)),
            per_segment,
            homes: homes as u64,
            by_homes: Divider::new(homes as u64),
            segments,
            sms: (0..device.sms.max(1))
                .map(|sm| SmPlace {
                    // SMs are divided among the segments in order.
                    segment: (u64::from(sm) * segments as u64 / u64::from(device.sms.max(1)))
                        as usize,
                    // Each SM sees the same distances, beginning with another slice.
                    turn: (u64::from(sm).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
                        % per_segment,
                })
                .collect(),
            offsets: offsets(per_segment, device.timing.interconnect.spread_cycles),
        }
    }

    /// Slices of the device.
    pub(crate) fn slice_count(&self) -> usize {
        self.per_segment * self.segments
    }

    pub(crate) fn segment_count(&self) -> usize {
        self.segments
    }

    /// The segment of a slice.
    pub(crate) fn segment_of_slice(&self, slice: usize) -> usize {
        slice / self.per_segment
    }

    /// Where an address lives, as seen from an SM of the device.
    pub(crate) fn place(&self, sm: u32, address: u64) -> Place {
        let chunk = address >> self.interleave_shift;
        let (within, home_segment) = self.by_homes.divide(self.slices.part(chunk) as u64);
        let within = within as usize;
        let lines_shift = self.interleave_shift - self.line_shift;
        let line = (address >> self.line_shift) & ((1 << lines_shift) - 1);
        let index = (self.slices.rank(chunk) * self.homes + home_segment) << lines_shift | line;
        let sm = self.sms[sm as usize];
        let near = sm.segment * self.per_segment + within;
        let home = if self.homes == 1 {
            near
        } else {
            home_segment as usize * self.per_segment + within
        };
        let mut offset = within + sm.turn;
        if offset >= self.per_segment {
            offset -= self.per_segment;
        }
        Place {
            near,
            home,
            index,
            offset_cycles: self.offsets[offset],
        }
    }

    pub(crate) fn memory_place(&self, address: u64) -> MemoryPlace {
        let chunk = address >> self.interleave_shift;
        let local = (self.channels.rank(chunk) << self.interleave_shift)
            | (address & ((1 << self.interleave_shift) - 1));
        MemoryPlace {
            channel: self.channels.part(chunk),
            row: self.rows.divide(local).0,
            index: local >> self.line_shift,
        }
    }
}

/// Distances evenly from `-spread / 2` to `spread / 2`; they add up to 0.
fn offsets(count: usize, spread_cycles: u32) -> Vec<i64> {
    let last = count as i64 - 1;
    let spread = i64::from(spread_cycles);
    (0..count as i64)
        .map(|i| match last {
            0 => 0,
            last => spread * (2 * i - last) / (2 * last),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn topology(name: &str) -> Topology {
        Topology::new(&Device::by_name(name).unwrap())
    }

    #[test]
    fn distances_add_up_to_nothing() {
        assert_eq!(offsets(5, 70), [-35, -17, 0, 17, 35]);
        assert_eq!(offsets(2, 73), [-36, 36]);
        assert_eq!(offsets(1, 70), [0]);
        let v100 = topology("v100");
        for sm in [0, 1, 79] {
            let seen: i64 = (0..64).map(|i| v100.place(sm, 512 * i).offset_cycles).sum();
            assert_eq!(seen, 0);
        }
    }

    /// A line of the far segment has the same way in both, and no two lines of a slice share an
    /// index.
    #[test]
    fn every_line_has_a_home_and_a_copy() {
        let a100 = topology("a100-80");
        assert_eq!((a100.slice_count(), a100.segment_count()), (80, 2));
        let mut homes = vec![0; 80];
        let mut seen = BTreeSet::new();
        for line in 0..80 * 4 * 3 {
            let near = a100.place(0, 128 * line);
            let other = a100.place(107, 128 * line);
            assert_eq!(near.home, other.home);
            assert_eq!(near.near % 40, other.near % 40);
            assert!(near.near < 40 && other.near >= 40);
            assert!(near.home == near.near || near.home == other.near);
            homes[near.home] += 1;
            assert!(seen.insert((near.near, near.index)));
        }
        assert_eq!(homes, vec![12; 80]);
    }

    /// Without a far latency each segment is an L2 of its own.
    #[test]
    fn private_segments_are_all_at_home() {
        let mi300x = topology("mi300x");
        assert_eq!(mi300x.segment_count(), 8);
        for line in 0..1000 {
            let place = mi300x.place(303, 128 * line);
            assert_eq!(place.near, place.home);
            assert_eq!(mi300x.segment_of_slice(place.near), 7);
        }
    }

    /// 32 channels with rows of 1 KiB: rows change all together every 32 KiB.
    #[test]
    fn neighbouring_bytes_share_a_row() {
        let v100 = topology("v100");
        let mut bytes = std::collections::BTreeMap::new();
        for sector in 0..2048u64 {
            let place = v100.memory_place(32 * sector);
            *bytes.entry((place.channel, place.row)).or_insert(0) += 32;
        }
        assert_eq!(bytes.len(), 64);
        assert!(bytes.values().all(|bytes| *bytes == 1024));
    }
}
