//! Which values are live where.
//!
//! A value is live at a place if a read of it can follow, and if a write of it can have gone
//! before: what has never been written takes no register.

use std::ops::Range;

use super::flow::Block;
use super::nodes::{Node, Piece};
use super::values::Value;

/// Entries of blocks at which values are noted as live. Beyond that a function is too large for
/// more; what is left out makes the estimate of its registers too low.
const ENTRY_LIMIT: usize = 1 << 24;

/// Values that are live at the borders of blocks.
#[derive(Debug)]
pub(super) struct Live {
    /// By block, ascending.
    pub(super) entry: Vec<Vec<Value>>,
    /// By block, ascending.
    pub(super) exit: Vec<Vec<Value>>,
}

/// The pieces of each block: ranges of the list of pieces.
pub(super) fn by_block(pieces: &[Piece], blocks: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(blocks);
    let mut at = pieces.partition_point(|piece| piece.block.is_none());
    for block in 0..blocks as u32 {
        let past = pieces[at..].partition_point(|piece| piece.block == Some(block));
        ranges.push(at..at + past);
        at += past;
    }
    ranges
}

impl Live {
    pub(super) fn new(blocks: &[Block], pieces: &[Piece], values: usize) -> Live {
        let (reads, writes) = crossing(blocks, pieces, values);
        let mut live = Live {
            entry: vec![Vec::new(); blocks.len()],
            exit: vec![Vec::new(); blocks.len()],
        };
        let mut noted = 0;
        // By block, the last value that was found wanted there, that was found to be there, and
        // that is written or only in part written there.
        let mut wanted = vec![Value::MAX; blocks.len()];
        let mut there = vec![Value::MAX; blocks.len()];
        let mut killed = vec![Value::MAX; blocks.len()];
        let mut open: Vec<u32> = Vec::new();
        let mut writes = writes.as_slice();
        for readers in reads.chunk_by(|a, b| a.0 == b.0) {
            let value = readers[0].0;
            writes = &writes[writes.partition_point(|write| write.0 < value)..];
            let (own, _) = writes.split_at(writes.partition_point(|write| write.0 == value));
            for &(_, block, whole) in own {
                if whole {
                    killed[block as usize] = value;
                }
            }
            for &(_, block) in readers {
                wanted[block as usize] = value;
                open.push(block);
            }
            while let Some(block) = open.pop() {
                for &before in &blocks[block as usize].predecessors {
                    let at = before as usize;
                    if killed[at] != value && wanted[at] != value {
                        wanted[at] = value;
                        open.push(before);
                    }
                }
            }
            open.extend(own.iter().map(|&(_, block, _)| block));
            while let Some(block) = open.pop() {
                for &next in &blocks[block as usize].successors {
                    let at = next as usize;
                    if wanted[at] == value && there[at] != value && noted < ENTRY_LIMIT {
                        there[at] = value;
                        live.entry[at].push(value);
                        noted += 1;
                        open.push(next);
                    }
                }
            }
        }
        live.find_exits(blocks, pieces, values);
        live
    }

    fn find_exits(&mut self, blocks: &[Block], pieces: &[Piece], values: usize) {
        let mut held = vec![u32::MAX; values];
        for (number, range) in (0..).zip(by_block(pieces, blocks.len())) {
            let written = pieces[range].iter().flat_map(|piece| &piece.nodes);
            let written = written.flat_map(|node| node.defs.iter().copied());
            for value in written.chain(self.entry[number as usize].iter().copied()) {
                held[value as usize] = number;
            }
            let successors = &blocks[number as usize].successors;
            let next = successors
                .iter()
                .flat_map(|&next| &self.entry[next as usize]);
            let mut exit: Vec<Value> = next
                .copied()
                .filter(|&value| held[value as usize] == number)
                .collect();
            exit.sort_unstable();
            exit.dedup();
            self.exit[number as usize] = exit;
        }
    }
}

/// Reads of values that their blocks have not written before, and writes of values with such
/// reads: value, block, and whether every lane is written. Both ascending.
type Crossing = (Vec<(Value, u32)>, Vec<(Value, u32, bool)>);

fn crossing(blocks: &[Block], pieces: &[Piece], values: usize) -> Crossing {
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    // The last block that read, wrote in part, or wrote each value.
    let mut read_in = vec![u32::MAX; values];
    let mut part_in = vec![u32::MAX; values];
    let mut whole_in = vec![u32::MAX; values];
    for (block, range) in (0..).zip(by_block(pieces, blocks.len())) {
        for node in pieces[range].iter().flat_map(|piece| &piece.nodes) {
            for &value in &node.uses {
                let at = value as usize;
                if whole_in[at] != block && read_in[at] != block {
                    read_in[at] = block;
                    reads.push((value, block));
                }
            }
            for &value in &node.defs {
                let at = value as usize;
                if node.guarded {
                    if part_in[at] != block && whole_in[at] != block {
                        part_in[at] = block;
                        writes.push((value, block, false));
                    }
                } else if whole_in[at] != block {
                    whole_in[at] = block;
                    writes.push((value, block, true));
                }
            }
        }
    }
    writes.retain(|&(value, ..)| read_in[value as usize] != u32::MAX);
    reads.sort_unstable();
    writes.sort_unstable();
    (reads, writes)
}

/// Marks writes under a guard that begin a value: no lane has had one before.
pub(super) fn mark_beginnings(live: &Live, blocks: &[Block], pieces: &mut [Piece], values: usize) {
    let mut held = vec![u32::MAX; values];
    for (block, range) in (0..).zip(by_block(pieces, blocks.len())) {
        for &value in &live.entry[block as usize] {
            held[value as usize] = block;
        }
        for node in pieces[range].iter_mut().flat_map(|piece| &mut piece.nodes) {
            let begins = |value: &Value| held[*value as usize] != block;
            node.guarded &= !node.defs.iter().all(begins);
            for &value in &node.defs {
                held[value as usize] = block;
            }
        }
    }
}

/// A set of values that counts the registers it takes.
#[derive(Debug)]
pub(super) struct Held<'p> {
    pub(super) predicates: &'p [bool],
    /// The number of the walk that each value is held in.
    inside: Vec<u32>,
    walk: u32,
    /// Values in the set, predicates aside.
    pub(super) registers: u32,
}

impl<'p> Held<'p> {
    pub(super) fn new(predicates: &'p [bool]) -> Held<'p> {
        Held {
            predicates,
            inside: vec![0; predicates.len()],
            walk: 0,
            registers: 0,
        }
    }

    /// Starts anew with some values.
    pub(super) fn reset(&mut self, values: &[Value]) {
        self.walk += 1;
        self.registers = 0;
        for &value in values {
            self.insert(value);
        }
    }

    pub(super) fn contains(&self, value: Value) -> bool {
        self.inside[value as usize] == self.walk
    }

    /// Adds a value; whether it was missing.
    pub(super) fn insert(&mut self, value: Value) -> bool {
        let new = !self.contains(value);
        if new {
            self.inside[value as usize] = self.walk;
            self.registers += u32::from(!self.predicates[value as usize]);
        }
        new
    }

    /// Takes a value out, if it is there.
    pub(super) fn remove(&mut self, value: Value) {
        if self.contains(value) {
            self.inside[value as usize] = 0;
            self.registers -= u32::from(!self.predicates[value as usize]);
        }
    }

    /// Those of the set that some instructions can change.
    pub(super) fn snapshot(&self, nodes: &[Node]) -> Vec<(Value, bool)> {
        let values = nodes
            .iter()
            .flat_map(|node| node.uses.iter().chain(&node.defs));
        values.map(|&value| (value, self.contains(value))).collect()
    }

    /// Goes back to a snapshot.
    pub(super) fn restore(&mut self, snapshot: &[(Value, bool)]) {
        for &(value, inside) in snapshot {
            match inside {
                true => {
                    self.insert(value);
                }
                false => self.remove(value),
            }
        }
    }

    /// Steps back over instructions in some order. Returns the most registers in use at once.
    pub(super) fn walk_back(&mut self, nodes: &[Node], order: &[u32]) -> u32 {
        let steps = order
            .iter()
            .rev()
            .map(|&at| self.step_back(&nodes[at as usize]));
        steps.max().unwrap_or(0)
    }

    /// Steps back over an instruction. Returns the registers in use while it executes: what it
    /// reads, what it writes even if nobody reads it, and what lives on.
    pub(super) fn step_back(&mut self, node: &Node) -> u32 {
        let unread = |value: &&Value| !self.contains(**value) && !self.predicates[**value as usize];
        let mut most = self.registers + node.defs.iter().filter(unread).count() as u32;
        if !node.guarded {
            for &value in &node.defs {
                self.remove(value);
            }
        }
        for &value in &node.uses {
            self.insert(value);
        }
        most = most.max(self.registers);
        most
    }
}
