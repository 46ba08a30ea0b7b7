//! Registers of the machine for values.
//!
//! A linear scan over the ordered instructions. 64-bit values lie in pairs and what one access
//! moves lies side by side, on their own size. Like `ptxas`, the scan does not take a register
//! again right after its last read: as long as a thread has few, others are taken, so that
//! instructions need not wait for each other.

use super::code::Code;
use super::lines::{Line, Pair, Work};
use super::live::{self, Live};
use super::nodes::Piece;
use super::values::Value;

/// Registers up to which others are taken rather than one that has just been read. A thread with
/// as many still leaves room for all the warps that an SM can hold.
const SPARSE: u32 = 30;

/// Instructions after which a register is taken again.
const REST: u32 = 4;

/// Registers that a thread has beside those that its code names.
pub(super) const RESERVED: u32 = 2;

/// The stack pointer.
const STACK: usize = 1;

/// Where values are.
#[derive(Debug)]
pub(super) struct Registers {
    /// By value; predicates are counted on their own.
    pub(super) of_value: Vec<u32>,
    /// Registers that the code names.
    pub(super) count: u32,
    pub(super) predicates: u32,
}

/// A group of values that lie side by side.
#[derive(Clone, Debug)]
struct Group {
    values: Vec<Value>,
    start: u32,
}

impl Registers {
    pub(super) fn new(code: &Code<'_>, live: &Live, pieces: &[Piece]) -> Registers {
        let spans = spans(code, live, pieces);
        let mut groups = groups(code, &spans);
        groups.sort_by_key(|group| group.start);
        let mut registers = File::new(SPARSE);
        registers.free_at(STACK, u32::MAX);
        let mut predicates = File::new(0);
        let mut of_value = vec![0; spans.len()];
        for group in &groups {
            let predicate = code.predicates[group.values[0] as usize];
            let file = if predicate {
                &mut predicates
            } else {
                &mut registers
            };
            let first = file.take(group.start, group.values.len());
            for (n, &value) in group.values.iter().enumerate() {
                of_value[value as usize] = (first + n) as u32;
                file.free_at(first + n, spans[value as usize].1);
            }
        }
        Registers {
            of_value,
            count: registers.free_at.len() as u32,
            predicates: predicates.free_at.len() as u32,
        }
    }
}

/// From where to where each value is live; the start of unused ones is behind their end.
fn spans(code: &Code<'_>, live: &Live, pieces: &[Piece]) -> Vec<(u32, u32)> {
    let mut spans = vec![(u32::MAX, 0); code.predicates.len()];
    let mut extend = |value: Value, at: u32| {
        let (start, end) = &mut spans[value as usize];
        *start = (*start).min(at);
        *end = (*end).max(at);
    };
    // An instruction reads at an even place and writes at the next.
    let mut at = 0;
    for (block, range) in live::by_block(pieces, code.blocks.len())
        .into_iter()
        .enumerate()
    {
        for &value in &live.entry[block] {
            extend(value, at);
        }
        for node in pieces[range].iter().flat_map(|piece| &piece.nodes) {
            for &value in &node.uses {
                extend(value, at);
            }
            for &value in &node.defs {
                extend(value, at + 1);
            }
            at += 2;
        }
        for &value in &live.exit[block] {
            extend(value, at);
        }
        at += 2;
    }
    spans
}

/// All values that are used, in groups.
fn groups(code: &Code<'_>, spans: &[(u32, u32)]) -> Vec<Group> {
    let mut taken = vec![false; spans.len()];
    let mut groups = Vec::new();
    let mut add = |values: Vec<Value>| {
        let free = |&value: &Value| {
            let (start, end) = spans[value as usize];
            start <= end && !taken[value as usize]
        };
        if values.is_empty() || !values.iter().all(free) {
            return;
        }
        for &value in &values {
            taken[value as usize] = true;
        }
        let start = values.iter().map(|&value| spans[value as usize].0).min();
        groups.push(Group {
            values,
            start: start.unwrap_or(0),
        });
    };
    let remain = || code.lines.iter().filter(|line| line.work != Work::Gone);
    for line in remain().filter(|line| line.is_memory()) {
        add(list(&line.results));
        add(list(line.sources.get(1..).unwrap_or_default()));
    }
    for pair in remain().flat_map(pairs) {
        if let [Some(low), Some(high)] = pair.map(|half| half.value()) {
            add(vec![low, high]);
        }
    }
    for value in 0..spans.len() as Value {
        add(vec![value]);
    }
    groups
}

/// What one access moves, if that is more than one register.
fn list(pairs: &[Pair]) -> Vec<Value> {
    let values: Vec<Value> = pairs
        .iter()
        .flatten()
        .filter_map(|half| half.value())
        .collect();
    match values.len() {
        2 | 4 => values,
        _ => Vec::new(),
    }
}

fn pairs(line: &Line) -> impl Iterator<Item = Pair> + '_ {
    line.results.iter().chain(&line.sources).copied()
}

/// Registers, and when each is free again.
#[derive(Debug)]
struct File {
    free_at: Vec<u32>,
    sparse: u32,
}

impl File {
    fn new(sparse: u32) -> File {
        File {
            free_at: Vec::new(),
            sparse,
        }
    }

    fn free_at(&mut self, register: usize, at: u32) {
        if self.free_at.len() <= register {
            self.free_at.resize(register + 1, 0);
        }
        self.free_at[register] = at;
    }

    /// The first of `size` registers that are free at a place.
    fn take(&mut self, at: u32, size: usize) -> usize {
        let end = self.free_at.len().next_multiple_of(size);
        let find = |rest: u32| {
            let free = |register: usize| {
                self.free_at
                    .get(register)
                    .is_none_or(|&free_at| free_at == 0 || free_at.saturating_add(rest) <= at)
            };
            (0..end)
                .step_by(size)
                .find(|&first| (first..first + size).all(free))
        };
        match find(2 * REST) {
            Some(first) => first,
            None if end + size <= self.sparse as usize => end,
            None => find(0).unwrap_or(end),
        }
    }
}

#[cfg(test)]
mod tests;
