//! Liveness and register packing.
//!
//! Rows are handed out by linear scan over live intervals. Lanes that took different paths may
//! use one row for different registers at the same time: every write is masked by the lanes that
//! execute, so each lane sees only its own path, on which the scan is right. A guarded write does
//! not end the life of the old value.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::builder::{Src, VInst, VReg};
use crate::cfg::Cfg;
use crate::lane::RegClass;
use crate::slot::Slot;

/// Where registers are live, as one interval each.
///
/// Instruction `i` reads at position `2 i` and writes at `2 i + 1`, so that a result may take the
/// row of a source that ends there: operations read all sources of a lane before they write.
#[derive(Debug)]
pub(crate) struct Live {
    intervals: Vec<Option<(u32, u32)>>,
    entry: Vec<VReg>,
}

struct BitSet(Vec<u64>);

impl BitSet {
    fn new(bits: usize) -> BitSet {
        BitSet(vec![0; bits.div_ceil(64)])
    }

    fn set(&mut self, bit: u32) {
        self.0[bit as usize / 64] |= 1 << (bit % 64);
    }

    fn has(&self, bit: u32) -> bool {
        self.0[bit as usize / 64] >> (bit % 64) & 1 != 0
    }

    fn ones(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(word as u32 * 64 + bit)
            })
        })
    }
}

fn uses(inst: &VInst, mut each: impl FnMut(VReg)) {
    let sources = inst.src.iter().chain(&inst.vector_src);
    for source in sources {
        if let Src::Reg(reg) = source {
            each(*reg);
        }
    }
    if let Some((mask, _)) = inst.guard {
        each(mask);
    }
}

fn definitions(inst: &VInst, mut each: impl FnMut(VReg)) {
    let all = inst
        .dst
        .iter()
        .chain(&inst.dst2)
        .chain(inst.vector_dst.iter().flatten());
    for &reg in all {
        each(reg);
    }
}

impl Live {
    pub(crate) fn new(
        insts: &[VInst],
        classes: &[RegClass],
        blocks: &[Range<u32>],
        cfg: &Cfg,
    ) -> Live {
        let count = classes.len();
        let mut reads = Vec::with_capacity(blocks.len());
        let mut kills = Vec::with_capacity(blocks.len());
        for range in blocks {
            let mut read = BitSet::new(count);
            let mut kill = BitSet::new(count);
            for inst in &insts[range.start as usize..range.end as usize] {
                uses(inst, |reg| {
                    if !kill.has(reg.0) {
                        read.set(reg.0);
                    }
                });
                if inst.guard.is_none() {
                    definitions(inst, |reg| kill.set(reg.0));
                }
            }
            reads.push(read);
            kills.push(kill);
        }
        let words = count.div_ceil(64);
        let mut live_in = reads;
        let mut live_out: Vec<BitSet> = blocks.iter().map(|_| BitSet::new(count)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks.len()).rev() {
                for &successor in &cfg.successors[block] {
                    for word in 0..words {
                        live_out[block].0[word] |= live_in[successor as usize].0[word];
                    }
                }
                for word in 0..words {
                    let more = live_out[block].0[word] & !kills[block].0[word];
                    changed |= more & !live_in[block].0[word] != 0;
                    live_in[block].0[word] |= more;
                }
            }
        }
        let mut intervals: Vec<Option<(u32, u32)>> = vec![None; count];
        let mut extend = |reg: u32, position: u32| {
            let (start, end) = intervals[reg as usize].get_or_insert((position, position));
            *start = (*start).min(position);
            *end = (*end).max(position);
        };
        for (block, range) in blocks.iter().enumerate() {
            for reg in live_in[block].ones() {
                extend(reg, 2 * range.start);
            }
            for reg in live_out[block].ones() {
                extend(reg, 2 * range.end - 1);
            }
            for i in range.clone() {
                uses(&insts[i as usize], |reg| extend(reg.0, 2 * i));
                definitions(&insts[i as usize], |reg| extend(reg.0, 2 * i + 1));
            }
        }
        let entry: Vec<VReg> = live_in
            .first()
            .map_or(Vec::new(), |set| set.ones().map(VReg).collect());
        // What is zeroed at the entry lives from before the first instruction.
        for reg in &entry {
            if let Some((start, _)) = &mut intervals[reg.0 as usize] {
                *start = 0;
            }
        }
        Live { intervals, entry }
    }

    /// Registers that can be read before they are written.
    pub(crate) fn at_entry(&self) -> impl Iterator<Item = VReg> + '_ {
        self.entry.iter().copied()
    }
}

/// The rows of all registers.
#[derive(Debug)]
pub(crate) struct Assignment {
    /// By virtual register; unused ones have row 0.
    pub(crate) slots: Vec<Slot>,
    /// Rows in all.
    pub(crate) rows: u32,
    /// Masks in all, the true mask included.
    pub(crate) masks: u32,
    /// Most rows in use at one point.
    pub(crate) live_rows: u32,
}

/// A stack of free row numbers, and how many were ever handed out.
///
/// Rows of pairs stay pairs. A 64-bit register has its lanes one after the other, so that a row of
/// it holds other lanes than a 32-bit register's row does: lanes on different paths, which may
/// share a row, would overwrite each other.
#[derive(Default)]
struct Pool {
    free_single: BinaryHeap<Reverse<u32>>,
    free_pair: BinaryHeap<Reverse<u32>>,
    rows: u32,
}

impl Pool {
    fn take(&mut self, pair: bool) -> u32 {
        let (free, size) = match pair {
            true => (&mut self.free_pair, 2),
            false => (&mut self.free_single, 1),
        };
        if let Some(Reverse(row)) = free.pop() {
            return row;
        }
        self.rows += size;
        self.rows - size
    }

    fn give_back(&mut self, row: u32, pair: bool) {
        if pair {
            self.free_pair.push(Reverse(row));
        } else {
            self.free_single.push(Reverse(row));
        }
    }
}

/// Hands out rows; `None` when the file is too small.
pub(crate) fn assign(live: &Live, classes: &[RegClass]) -> Option<Assignment> {
    let mut order: Vec<(u32, u32, usize)> = live
        .intervals
        .iter()
        .enumerate()
        .filter_map(|(reg, interval)| interval.map(|(start, end)| (start, end, reg)))
        .collect();
    order.sort_unstable();
    let mut slots = vec![Slot::register(0); classes.len()];
    let mut lanes = Pool::default();
    // Mask 0 is the true mask.
    let mut masks = Pool {
        rows: 1,
        ..Pool::default()
    };
    let mut active: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
    let (mut in_use, mut most) = (0, 0);
    for (start, end, reg) in order {
        while let Some(&Reverse((finished, old))) = active.peek() {
            if finished >= start {
                break;
            }
            active.pop();
            let row = u32::from(slots[old].0);
            match classes[old] {
                RegClass::Mask => masks.give_back(row, false),
                class => {
                    let pair = class == RegClass::Lane64;
                    in_use -= 1 + u32::from(pair);
                    lanes.give_back(row, pair);
                }
            }
        }
        let row = match classes[reg] {
            RegClass::Mask => masks.take(false),
            class => {
                let pair = class == RegClass::Lane64;
                in_use += 1 + u32::from(pair);
                most = most.max(in_use);
                lanes.take(pair)
            }
        };
        if row + 1 >= Slot::MAX_ROWS {
            return None;
        }
        slots[reg] = Slot(row as u16);
        active.push(Reverse((end, reg)));
    }
    Some(Assignment {
        slots,
        rows: lanes.rows,
        masks: masks.rows,
        live_rows: most,
    })
}
