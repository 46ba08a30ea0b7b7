//! What registers hold: one value for each group of writes that meet in a read.
//!
//! The rows of a decoded function are shared by values that have nothing to do with each other.
//! Here a value is what a compiler would keep in one register: a write, the reads that it reaches,
//! and the other writes that reach those. A value is 32 bits or a predicate; a 64-bit register is
//! two of them.

use rustc_hash::FxHashMap;
use warploom_isa::{Function, Inst, Module, Pc, RegClass, Slot};

use super::flow::Block;
use super::operands::{Operand, Operands, Rows};

/// A value of a function.
pub(super) type Value = u32;

/// Registers live into blocks that are looked at one by one. In a function with more, all writes
/// to a row count as one value.
const LIVE_IN_LIMIT: usize = 1 << 22;

/// The values of a function, by instruction and operand.
#[derive(Debug)]
pub(super) struct Values {
    /// For each read in order of the code, and for each write after those of the same instruction.
    of_operand: Vec<Value>,
    /// Where the operands of each instruction start, by instruction.
    starts: Vec<u32>,
    first: Pc,
    predicates: Vec<bool>,
}

impl Values {
    pub(super) fn new(module: &Module, function: &Function, blocks: &[Block]) -> Values {
        let mut finder = Finder::new(function, blocks);
        finder.walk_code(module, function);
        finder.walk_back();
        finder.finish(function)
    }

    /// The values of an instruction's registers: those of its sources, of its guard, of its
    /// results, in this order, low halves before high ones.
    pub(super) fn of(&self, pc: Pc) -> &[Value] {
        let at = (pc - self.first) as usize;
        match self.starts.get(at..at + 2) {
            Some(&[start, end]) => &self.of_operand[start as usize..end as usize],
            _ => &[],
        }
    }

    /// For each value, whether it is a predicate.
    pub(super) fn predicates(&self) -> &[bool] {
        &self.predicates
    }
}

/// The operand that is an instruction's guard.
pub(super) fn guard(inst: &Inst) -> Operand {
    (Slot(inst.guard.0), RegClass::Mask)
}

struct Finder<'f> {
    rows: Rows,
    blocks: &'f [Block],
    of_operand: Vec<u32>,
    starts: Vec<u32>,
    /// By number of a found value: the row that holds it, and another that is the same.
    row: Vec<u32>,
    same: Vec<u32>,
    /// What a row holds at the entry of a block, and at its end.
    entry: FxHashMap<(u32, u32), u32>,
    end: FxHashMap<(u32, u32), u32>,
    /// Entries to look at.
    open: Vec<(u32, u32)>,
}

impl<'f> Finder<'f> {
    fn new(function: &Function, blocks: &'f [Block]) -> Finder<'f> {
        Finder {
            rows: Rows::of(function),
            blocks,
            of_operand: Vec::new(),
            starts: Vec::with_capacity((function.end - function.start) as usize + 1),
            row: Vec::new(),
            same: Vec::new(),
            entry: FxHashMap::default(),
            end: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    fn fresh(&mut self, row: u32) -> u32 {
        let value = self.row.len() as u32;
        self.row.push(row);
        self.same.push(value);
        value
    }

    fn root(&mut self, mut value: u32) -> u32 {
        while self.same[value as usize] != value {
            let above = self.same[self.same[value as usize] as usize];
            self.same[value as usize] = above;
            value = above;
        }
        value
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.same[a.max(b) as usize] = a.min(b);
    }

    fn at_entry(&mut self, block: u32, row: u32) -> u32 {
        if let Some(&value) = self.entry.get(&(block, row)) {
            return value;
        }
        let value = self.fresh(row);
        self.entry.insert((block, row), value);
        self.open.push((block, row));
        value
    }

    /// Gives each operand a value, block by block.
    fn walk_code(&mut self, module: &Module, function: &Function) {
        let mut held: Vec<Option<u32>> = vec![None; self.rows.count() as usize];
        let mut written: Vec<u32> = Vec::new();
        let mut block = None;
        for pc in function.start..function.end {
            self.starts.push(self.of_operand.len() as u32);
            let next = block.map_or(0, |block: u32| block + 1);
            if self
                .blocks
                .get(next as usize)
                .is_some_and(|b| b.start == pc)
            {
                self.leave(block, &mut held, &mut written);
                block = Some(next);
            }
            // What comes before the first block zeroes registers that nobody has written.
            let (Some(block), Some(inst)) = (block, module.code.get(pc as usize)) else {
                continue;
            };
            let operands = Operands::of(module, inst);
            let rows = self.rows;
            let sources = operands.sources.iter().copied().chain([guard(inst)]);
            for row in sources.flat_map(|operand| halves(rows, operand)) {
                let value = match held.get(row as usize).copied().flatten() {
                    Some(value) => value,
                    None => self.at_entry(block, row),
                };
                self.of_operand.push(value);
            }
            for &operand in &operands.results {
                for row in halves(rows, operand) {
                    let value = self.fresh(row);
                    let Some(now) = held.get_mut(row as usize) else {
                        continue;
                    };
                    let before = now.replace(value);
                    written.push(row);
                    if !inst.guard().is_always() {
                        let before = before.unwrap_or_else(|| self.at_entry(block, row));
                        self.join(before, value);
                    }
                    self.of_operand.push(value);
                }
            }
        }
        self.leave(block, &mut held, &mut written);
        self.starts.push(self.of_operand.len() as u32);
    }

    fn leave(&mut self, block: Option<u32>, held: &mut [Option<u32>], written: &mut Vec<u32>) {
        for row in written.drain(..) {
            let value = held[row as usize].take();
            if let (Some(block), Some(value)) = (block, value) {
                self.end.insert((block, row), value);
            }
        }
    }

    /// Joins what a block finds in a row with what the blocks before it leave there.
    fn walk_back(&mut self) {
        let blocks = self.blocks;
        while let Some((block, row)) = self.open.pop() {
            if self.entry.len() > LIVE_IN_LIMIT {
                self.join_rows();
                return;
            }
            let here = self.at_entry(block, row);
            for &before in &blocks[block as usize].predecessors {
                let left = match self.end.get(&(before, row)) {
                    Some(&value) => value,
                    None => self.at_entry(before, row),
                };
                self.join(here, left);
            }
        }
    }

    fn join_rows(&mut self) {
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        for value in 0..self.row.len() as u32 {
            let one = *first.entry(self.row[value as usize]).or_insert(value);
            self.join(one, value);
        }
    }

    fn finish(mut self, function: &Function) -> Values {
        let mut number = vec![u32::MAX; self.row.len()];
        let mut predicates = Vec::new();
        let mut of_operand = std::mem::take(&mut self.of_operand);
        for value in &mut of_operand {
            let root = self.root(*value) as usize;
            if number[root] == u32::MAX {
                number[root] = predicates.len() as u32;
                predicates.push(self.row[root] >= function.rows);
            }
            *value = number[root];
        }
        Values {
            of_operand,
            starts: self.starts,
            first: function.start,
            predicates,
        }
    }
}

/// The registers of an operand.
fn halves(rows: Rows, operand: Operand) -> impl Iterator<Item = u32> {
    let found = rows.find(operand);
    let high = found.and_then(|(_, high)| high);
    found.map(|(low, _)| low).into_iter().chain(high)
}
