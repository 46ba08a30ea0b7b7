//! One memory instruction of a warp: what its lanes' addresses cost.
//!
//! Counted by the code that counts in a run: the coalescer of the timing model, and the machine's
//! passes of shared memory.

use serde::Serialize;
use warploom_device::Device;
use warploom_machine::shared_passes;
use warploom_timing::memory::coalesce::{L1Passes, LineShape, lines};

/// A line of global memory and the sectors of it that are touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TouchedLine {
    /// Its address.
    pub address: u64,
    /// By sector: whether a lane touches it.
    pub sectors: Vec<bool>,
}

/// What an access costs in global memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GlobalCost {
    /// Size of a line.
    pub line_bytes: u64,
    /// Size of a sector.
    pub sector_bytes: u64,
    /// The lines, by address.
    pub lines: Vec<TouchedLine>,
    /// Sectors that move.
    pub sectors: u32,
    /// Sectors that the same bytes would take side by side.
    pub ideal_sectors: u32,
    /// Different bytes that the lanes touch.
    pub used_bytes: u64,
    /// Those over the bytes that move.
    pub efficiency: f64,
    /// Cycles for which a load occupies the L1.
    pub l1_cycles: u32,
}

/// What an access costs in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedCost {
    /// Banks.
    pub banks: u32,
    /// Width of a bank.
    pub bank_bytes: u32,
    /// Passes.
    pub passes: u32,
    /// Passes that the same bytes need at least.
    pub ideal_passes: u32,
    /// By bank: the different words that lanes want of it, as word numbers.
    pub words: Vec<Vec<u64>>,
}

/// What the lanes' addresses cost on a device; each lane touches `bytes` from its address on.
pub fn cost(device: &Device, addresses: &[u64], bytes: u32) -> (GlobalCost, SharedCost) {
    let lanes = addresses.len().min(64);
    let addresses = &addresses[..lanes];
    let all = if lanes == 64 { !0 } else { (1 << lanes) - 1 };
    (
        global(device, addresses, all, bytes),
        shared(device, addresses, all, bytes),
    )
}

fn global(device: &Device, addresses: &[u64], all: u64, bytes: u32) -> GlobalCost {
    let shape = LineShape::l1(device);
    let found = lines(addresses, all, bytes, shape);
    let per_line = shape.line_bytes() / shape.sector_bytes();
    let l1_cycles = L1Passes::new(device).load(addresses, all, bytes, found.len());
    let mut touched: Vec<TouchedLine> = found
        .iter()
        .map(|line| TouchedLine {
            address: line.line,
            sectors: (0..per_line).map(|k| line.sectors >> k & 1 != 0).collect(),
        })
        .collect();
    touched.sort_by_key(|line| line.address);
    let sectors: u32 = found.iter().map(|line| line.sectors.count_ones()).sum();
    let used_bytes = used(addresses, bytes);
    let moved = u64::from(sectors) * shape.sector_bytes();
    GlobalCost {
        line_bytes: shape.line_bytes(),
        sector_bytes: shape.sector_bytes(),
        lines: touched,
        sectors,
        ideal_sectors: used_bytes.div_ceil(shape.sector_bytes()) as u32,
        used_bytes,
        efficiency: used_bytes as f64 / moved.max(1) as f64,
        l1_cycles,
    }
}

/// Different bytes that the lanes touch.
fn used(addresses: &[u64], bytes: u32) -> u64 {
    let mut ranges: Vec<(u64, u64)> = addresses
        .iter()
        .map(|&from| (from, from.saturating_add(bytes.into())))
        .collect();
    ranges.sort_unstable();
    let (mut sum, mut end) = (0, 0);
    for (from, to) in ranges {
        sum += to.saturating_sub(from.max(end));
        end = to.max(end);
    }
    sum
}

fn shared(device: &Device, addresses: &[u64], all: u64, bytes: u32) -> SharedCost {
    let (banks, bank_bytes) = (device.shared.banks, device.shared.bank_bytes);
    let mut words = vec![Vec::new(); banks as usize];
    for &address in addresses {
        let first = address / u64::from(bank_bytes);
        let last = address.saturating_add(u64::from(bytes.max(1)) - 1) / u64::from(bank_bytes);
        for word in first..=last {
            let of_bank: &mut Vec<u64> = &mut words[(word % u64::from(banks)) as usize];
            if !of_bank.contains(&word) {
                of_bank.push(word);
            }
        }
    }
    let together = (0..addresses.len() as u64).map(|lane| lane * u64::from(bytes));
    let together: Vec<u64> = together.collect();
    SharedCost {
        banks,
        bank_bytes,
        passes: shared_passes(addresses, all, bytes),
        ideal_passes: shared_passes(&together, all, bytes),
        words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(words: u64) -> Vec<u64> {
        (0..32).map(|lane| lane * 4 * words).collect()
    }

    fn at(addresses: &[u64], bytes: u32) -> (GlobalCost, SharedCost) {
        cost(&Device::by_name("h100").unwrap(), addresses, bytes)
    }

    /// 32 lanes of 4 bytes side by side are 128 bytes, 4 sectors of 32; every second word takes
    /// twice as many, and from every eighth on each lane has its own.
    #[test]
    fn sectors_by_stride() {
        for (stride, sectors, efficiency) in
            [(1, 4, 1.0), (2, 8, 0.5), (8, 32, 0.125), (40, 32, 0.125)]
        {
            let (global, _) = at(&strided(stride), 4);
            assert_eq!(
                (global.sectors, global.ideal_sectors),
                (sectors, 4),
                "{stride}"
            );
            assert_eq!(global.efficiency, efficiency, "{stride}");
        }
        let (global, _) = at(&strided(2), 4);
        assert_eq!(global.lines.len(), 2);
        assert_eq!(global.lines[1].address, 128);
        assert_eq!(global.lines[0].sectors, [true; 4]);
    }

    #[test]
    fn an_offset_costs_a_sector() {
        let shifted: Vec<u64> = strided(1).iter().map(|address| address + 4).collect();
        let (global, _) = at(&shifted, 4);
        assert_eq!((global.sectors, global.used_bytes), (5, 128));
    }

    /// A stride of s words puts gcd(s, 32) lanes on each bank that is used.
    #[test]
    fn passes_by_stride() {
        for (stride, passes) in [(1, 1), (2, 2), (3, 1), (8, 8), (12, 4), (32, 32), (33, 1)] {
            let (_, shared) = at(&strided(stride), 4);
            assert_eq!(shared.passes, passes, "{stride}");
            let most = shared.words.iter().map(Vec::len).max();
            assert_eq!(most, Some(passes as usize), "{stride}");
        }
    }

    #[test]
    fn lanes_share_a_word() {
        let (global, shared) = at(&[64; 32], 4);
        assert_eq!(
            (shared.passes, global.sectors, global.used_bytes),
            (1, 1, 4)
        );
    }

    /// 16 bytes a lane: 512 bytes need four passes of 128 at least.
    #[test]
    fn wide_lanes_need_several_passes() {
        let wide: Vec<u64> = (0..32).map(|lane| lane * 16).collect();
        let (global, shared) = at(&wide, 16);
        assert_eq!(
            (global.sectors, shared.passes, shared.ideal_passes),
            (16, 4, 4)
        );
    }
}
