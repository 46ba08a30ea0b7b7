//! A function on its way from source to machine.

use std::ops::Range;

use warploom_isa::{Function, Inst, Module};

use super::flow::{self, Block};
use super::lines::{self, Line, Work};
use super::values::{Value, Values};

/// A function's lines, by block, and what is known of its values.
#[derive(Debug)]
pub(super) struct Code<'m> {
    pub(super) module: &'m Module,
    pub(super) blocks: Vec<Block>,
    pub(super) lines: Vec<Line>,
    /// The lines of each block.
    pub(super) ranges: Vec<Range<usize>>,
    /// Whether each value is a predicate.
    pub(super) predicates: Vec<bool>,
    /// Lines that write each value.
    pub(super) defs: Vec<u32>,
    /// Operands that read each value.
    pub(super) uses: Vec<u32>,
    /// The last line that writes each value.
    pub(super) def_line: Vec<usize>,
}

impl<'m> Code<'m> {
    pub(super) fn new(module: &'m Module, function: &Function) -> Code<'m> {
        let blocks = flow::blocks(module, function);
        let values = Values::new(module, function, &blocks);
        let mut lines = Vec::new();
        let mut ranges = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let start = lines.len();
            lines.extend(lines::of_block(module, function, &values, block));
            ranges.push(start..lines.len());
        }
        let mut code = Code {
            module,
            blocks,
            lines,
            ranges,
            predicates: values.predicates().to_vec(),
            defs: Vec::new(),
            uses: Vec::new(),
            def_line: Vec::new(),
        };
        code.count();
        code
    }

    /// Counts reads and writes of the lines that remain.
    pub(super) fn count(&mut self) {
        let values = self.predicates.len();
        self.defs = vec![0; values];
        self.uses = vec![0; values];
        self.def_line = vec![usize::MAX; values];
        for (at, line) in self.lines.iter().enumerate() {
            if line.work == Work::Gone {
                continue;
            }
            for value in line.uses() {
                self.uses[value as usize] += 1;
            }
            for value in line.defs() {
                self.defs[value as usize] += 1;
                self.def_line[value as usize] = at;
            }
        }
    }

    /// The lines that write each value, as pairs in order of the values.
    pub(super) fn writers(&self) -> Vec<(Value, usize)> {
        let remain = self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.work != Work::Gone);
        let pairs = remain.flat_map(|(at, line)| line.defs().map(move |value| (value, at)));
        let mut pairs: Vec<(Value, usize)> = pairs.collect();
        pairs.sort_unstable();
        pairs
    }

    /// Whether exactly one line writes a value.
    pub(super) fn is_single(&self, value: Value) -> bool {
        self.defs[value as usize] == 1
    }

    /// The decoded instruction of a line.
    pub(super) fn inst(&self, line: &Line) -> Option<&'m Inst> {
        self.module.code.get(line.pc as usize)
    }

    /// A new value.
    pub(super) fn fresh(&mut self, predicate: bool) -> Value {
        self.predicates.push(predicate);
        self.predicates.len() as Value - 1
    }
}
