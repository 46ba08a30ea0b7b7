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

/// Steps from block to predecessor that finding the live blocks of all registers may take, for
/// each block of the function, and for a small one. Each step is a register that lives across a
/// block, so this is about the mean number of them: far more than a thread of any chip holds.
const STEPS_PER_BLOCK: u64 = 1024;
const STEPS_OF_SMALL: u64 = 1 << 24;

/// For each block, the blocks that go on to it.
struct Predecessors {
    starts: Vec<u32>,
    blocks: Vec<u32>,
}

impl Predecessors {
    fn new(cfg: &Cfg) -> Predecessors {
        let mut starts = vec![0u32; cfg.successors.len() + 1];
        for &successor in cfg.successors.iter().flatten() {
            starts[successor as usize + 1] += 1;
        }
        for block in 1..starts.len() {
            starts[block] += starts[block - 1];
        }
        let mut next = starts.clone();
        let mut blocks = vec![0; starts.last().map_or(0, |&end| end as usize)];
        for (block, successors) in (0..).zip(&cfg.successors) {
            for &successor in successors {
                let at = &mut next[successor as usize];
                blocks[*at as usize] = block;
                *at += 1;
            }
        }
        Predecessors { starts, blocks }
    }

    fn of(&self, block: u32) -> &[u32] {
        let [start, end] = [block, block + 1].map(|b| self.starts[b as usize] as usize);
        &self.blocks[start..end]
    }
}

/// Which registers a block reads before it writes them, and which it writes whatever happens:
/// pairs of a register and a block, in this order. Of those that are written, only the ones that
/// some block reads first.
struct Crossing {
    reads: Vec<(u32, u32)>,
    kills: Vec<(u32, u32)>,
}

impl Crossing {
    fn new(insts: &[VInst], registers: usize, blocks: &[Range<u32>]) -> Crossing {
        let mut reads = Vec::new();
        let mut kills = Vec::new();
        // The last block that read or killed each register.
        let mut read_in = vec![u32::MAX; registers];
        let mut killed_in = vec![u32::MAX; registers];
        for (block, range) in (0..).zip(blocks) {
            for inst in &insts[range.start as usize..range.end as usize] {
                uses(inst, |VReg(reg)| {
                    let at = reg as usize;
                    if killed_in[at] != block && read_in[at] != block {
                        read_in[at] = block;
                        reads.push((reg, block));
                    }
                });
                if inst.guard.is_none() {
                    definitions(inst, |VReg(reg)| {
                        if killed_in[reg as usize] != block {
                            killed_in[reg as usize] = block;
                            kills.push((reg, block));
                        }
                    });
                }
            }
        }
        kills.retain(|&(reg, _)| read_in[reg as usize] != u32::MAX);
        reads.sort_unstable();
        kills.sort_unstable();
        Crossing { reads, kills }
    }
}

impl Live {
    /// Where registers are live; `None` when the function is too large to tell.
    ///
    /// Most registers live within one block. For each other, the search goes from the blocks that
    /// read it upward to those that write it, so that memory is in proportion to the code.
    pub(crate) fn new(
        insts: &[VInst],
        classes: &[RegClass],
        blocks: &[Range<u32>],
        cfg: &Cfg,
    ) -> Option<Live> {
        let mut intervals: Vec<Option<(u32, u32)>> = vec![None; classes.len()];
        let mut extend = |reg: u32, position: u32| {
            let (start, end) = intervals[reg as usize].get_or_insert((position, position));
            *start = (*start).min(position);
            *end = (*end).max(position);
        };
        for (i, inst) in (0..).zip(insts) {
            uses(inst, |reg| extend(reg.0, 2 * i));
            definitions(inst, |reg| extend(reg.0, 2 * i + 1));
        }
        let Crossing { reads, kills } = Crossing::new(insts, classes.len(), blocks);
        let predecessors = Predecessors::new(cfg);
        let mut steps = STEPS_OF_SMALL.max(STEPS_PER_BLOCK * blocks.len() as u64);
        let mut entry = Vec::new();
        // The last register that was found live into, or killed by, each block.
        let mut live_in = vec![u32::MAX; blocks.len()];
        let mut killed = vec![u32::MAX; blocks.len()];
        let mut stack: Vec<u32> = Vec::new();
        let mut kills = kills.as_slice();
        for readers in reads.chunk_by(|(a, _), (b, _)| a == b) {
            let reg = readers[0].0;
            let first = kills.partition_point(|&(killed, _)| killed < reg);
            let past = kills.partition_point(|&(killed, _)| killed <= reg);
            for &(_, block) in &kills[first..past] {
                killed[block as usize] = reg;
            }
            kills = &kills[past..];
            for &(_, block) in readers {
                live_in[block as usize] = reg;
                stack.push(block);
            }
            while let Some(block) = stack.pop() {
                extend(reg, 2 * blocks[block as usize].start);
                let before = predecessors.of(block);
                steps = steps.checked_sub(before.len() as u64)?;
                for &block in before {
                    let at = block as usize;
                    extend(reg, 2 * blocks[at].end - 1);
                    if killed[at] != reg && live_in[at] != reg {
                        live_in[at] = reg;
                        stack.push(block);
                    }
                }
            }
            if live_in.first() == Some(&reg) {
                entry.push(VReg(reg));
            }
        }
        // What is zeroed at the entry lives from before the first instruction.
        for reg in &entry {
            extend(reg.0, 0);
        }
        Some(Live { intervals, entry })
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

#[cfg(test)]
mod tests;
