//! Registers of the machine for values.
//!
//! A linear scan over the ordered instructions. 64-bit values lie in pairs and what one access
//! moves lies side by side, on their own size. Like `ptxas`, the scan does not take a register
//! again right after its last read: as long as a thread has few, others are taken, so that
//! instructions need not wait for each other.

use std::collections::BTreeMap;
use std::ops::Range;

use super::code::Code;
use super::lines::{Line, Pair, Work};
use super::live::{self, Live};
use super::nodes::{Node, Piece};
use super::values::Value;

/// Instructions after which a register is taken again.
const REST: u32 = 8;

/// Registers that a thread has beside those that its code names.
pub(super) const RESERVED: u32 = 2;

/// Those, and the stack pointer.
pub(super) const EXTRA: u32 = RESERVED + 1;

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
    /// A register for each value, none taken again.
    pub(super) fn unlimited(code: &Code<'_>) -> Registers {
        let mut counts = [0, 0];
        let mut of_value = Vec::with_capacity(code.predicates.len());
        for &predicate in &code.predicates {
            let count = &mut counts[usize::from(predicate)];
            of_value.push(*count);
            *count += 1;
        }
        let [count, predicates] = counts;
        Registers {
            of_value,
            count,
            predicates,
        }
    }

    /// Gives registers to all values; up to `sparse` of them without need.
    pub(super) fn new(code: &Code<'_>, live: &Live, pieces: &[Piece], sparse: u32) -> Registers {
        let (spans, nodes) = spans(code, live, pieces);
        let mut groups = groups(code, &spans);
        groups.sort_by_key(|group| group.start);
        let mut registers = File::new(sparse);
        registers.occupy(STACK, &[(0, u32::MAX)]);
        let mut predicates = File::new(0);
        let mut of_value = vec![0; spans.len()];
        for group in &groups {
            let predicate = code.predicates[group.values[0] as usize];
            let file = if predicate {
                &mut predicates
            } else {
                &mut registers
            };
            let wanted: Vec<&[Span]> = group
                .values
                .iter()
                .map(|&value| spans[value as usize].as_slice())
                .collect();
            // The result goes where an operand was that nobody reads again.
            let writer = nodes.get(group.start as usize / 2).copied().flatten();
            let operands = writer.iter().flat_map(|node| node.uses.iter().rev());
            let hint = operands
                .filter(|&&value| code.predicates[value as usize] == predicate)
                .map(|&value| of_value[value as usize] as usize)
                .find(|&first| first % wanted.len() == 0 && file.is_free(first, &wanted, 0));
            let first = hint.unwrap_or_else(|| file.find(&wanted));
            for (n, &value) in group.values.iter().enumerate() {
                of_value[value as usize] = (first + n) as u32;
                file.occupy(first + n, wanted[n]);
            }
        }
        Registers {
            of_value,
            count: registers.taken.len() as u32,
            predicates: predicates.taken.len() as u32,
        }
    }
}

/// Places from which to before which a value is live. An instruction reads at an even place and
/// writes at the next.
type Span = (u32, u32);

/// Where values are live, ascending, and the instruction at each second place.
fn spans<'p>(
    code: &Code<'_>,
    live: &Live,
    pieces: &'p [Piece],
) -> (Vec<Vec<Span>>, Vec<Option<&'p Node>>) {
    let by_block = live::by_block(pieces, code.blocks.len());
    let count = |range: &Range<usize>| pieces[range.clone()].iter().map(|p| p.nodes.len()).sum();
    let counts: Vec<usize> = by_block.iter().map(count).collect();
    let total: usize = counts.iter().map(|count| count + 1).sum();
    let mut nodes = vec![None; total];
    let mut spans: Vec<Vec<Span>> = vec![Vec::new(); code.predicates.len()];
    let extend = |spans: &mut Vec<Vec<Span>>, value: Value, start: u32, end: u32| match spans
        [value as usize]
        .last_mut()
    {
        Some(last) if last.0 <= end => last.0 = last.0.min(start),
        _ => spans[value as usize].push((start, end)),
    };
    let mut at = total;
    for (block, range) in by_block.into_iter().enumerate().rev() {
        let end = 2 * at as u32;
        at -= 1;
        let start = 2 * (at - counts[block]) as u32;
        for &value in &live.exit[block] {
            extend(&mut spans, value, start, end);
        }
        for node in pieces[range]
            .iter()
            .rev()
            .flat_map(|piece| piece.nodes.iter().rev())
        {
            at -= 1;
            nodes[at] = Some(node);
            let reads = 2 * at as u32;
            for &value in &node.defs {
                // A value that nobody reads has its register for a moment.
                extend(&mut spans, value, reads + 1, reads + 2);
                if let Some(last) = spans[value as usize].last_mut().filter(|_| !node.guarded) {
                    last.0 = reads + 1;
                }
            }
            for &value in &node.uses {
                extend(&mut spans, value, start, reads + 1);
            }
        }
    }
    for spans in &mut spans {
        spans.reverse();
    }
    (spans, nodes)
}

/// All values that are used, in groups.
fn groups(code: &Code<'_>, spans: &[Vec<Span>]) -> Vec<Group> {
    let mut taken = vec![false; spans.len()];
    let mut groups = Vec::new();
    let mut add = |values: Vec<Value>| {
        let free = |&value: &Value| !spans[value as usize].is_empty() && !taken[value as usize];
        if values.is_empty() || !values.iter().all(free) {
            return;
        }
        for &value in &values {
            taken[value as usize] = true;
        }
        let first = |&value: &Value| spans[value as usize].first().map(|span| span.0);
        let start = values.iter().filter_map(first).min();
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

/// Registers, and when each is taken.
#[derive(Debug)]
struct File {
    /// By register, from where to where.
    taken: Vec<BTreeMap<u32, u32>>,
    sparse: u32,
}

impl File {
    fn new(sparse: u32) -> File {
        File {
            taken: Vec::new(),
            sparse,
        }
    }

    fn occupy(&mut self, register: usize, spans: &[Span]) {
        if self.taken.len() <= register {
            self.taken.resize(register + 1, BTreeMap::new());
        }
        self.taken[register].extend(spans.iter().copied());
    }

    /// Whether a register for each of `wanted` is free from `first` on, and has been for `rest`
    /// places.
    fn is_free(&self, first: usize, wanted: &[&[Span]], rest: u32) -> bool {
        let meets = |taken: &BTreeMap<u32, u32>, &(start, end): &Span| {
            let last = taken.range(..end).next_back();
            last.is_some_and(|(_, &until)| until > start)
        };
        wanted.iter().enumerate().all(|(n, spans)| {
            let Some(taken) = self.taken.get(first + n) else {
                return true;
            };
            let Some((&(start, end), later)) = spans.split_first() else {
                return true;
            };
            let begin = (start.saturating_sub(rest), end);
            !meets(taken, &begin) && !later.iter().any(|span| meets(taken, span))
        })
    }

    /// The first of as many registers as are wanted.
    fn find(&self, wanted: &[&[Span]]) -> usize {
        let size = wanted.len().max(1);
        let end = self.taken.len().next_multiple_of(size);
        let all = || (0..end).step_by(size);
        let rested = all().find(|&first| self.is_free(first, wanted, 2 * REST));
        if let Some(first) = rested.filter(|_| self.taken.len() < self.sparse as usize) {
            return first;
        }
        if end + size <= self.sparse as usize {
            return end;
        }
        // Close gaps: first where a neighbour is taken, so that room for larger ones remains.
        let start = wanted
            .first()
            .and_then(|spans| spans.first())
            .map_or(0, |span| span.0);
        let fits = |&first: &usize| self.is_free(first, wanted, 0);
        let gap = |&first: &usize| {
            let neighbours = (first ^ size)..(first ^ size) + size;
            neighbours
                .into_iter()
                .any(|register| self.is_taken(register, start))
        };
        let mut free = all().filter(fits);
        let in_gap = free.clone().find(gap);
        in_gap.or_else(|| free.next()).unwrap_or(end)
    }

    fn is_taken(&self, register: usize, at: u32) -> bool {
        self.taken.get(register).is_none_or(|taken| {
            let last = taken.range(..=at).next_back();
            last.is_some_and(|(_, &until)| until > at)
        })
    }
}
