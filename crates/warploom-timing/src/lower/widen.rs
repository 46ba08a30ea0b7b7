//! Loads of neighbouring bytes that become one.
//!
//! `ptxas` merges loads of shared and local memory into 64 and 128 bits where it can tell that the
//! address is aligned so far. It places shared variables itself, on 16 bytes.

use rustc_hash::FxHashMap;
use warploom_isa::access::Order;
use warploom_isa::{Op, Space};

use super::code::Code;
use super::lines::{self, Half, Line, Pair, Work};
use super::values::Value;

/// Bytes that one access moves for a lane at most.
const ACCESS_BYTES: u32 = 16;

/// Powers of two that shared variables and frames are aligned to.
const VARIABLE_ALIGN: u32 = 4;

/// Instructions that are looked at to tell an address's alignment.
const ALIGN_STEPS: u32 = 64;

/// Loads that may become one: same base, guard and kind, and no store between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    base: Pair,
    guard: Option<Value>,
    space: Space,
    element_bytes: u32,
    /// Stores and other borders that went before.
    epoch: u32,
}

/// Merges the loads of each block.
pub(super) fn widen(code: &mut Code<'_>) {
    let mut epoch = 0;
    for block in 0..code.ranges.len() {
        let mut groups: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        let mut order: Vec<Key> = Vec::new();
        for at in code.ranges[block].clone() {
            let line = &code.lines[at];
            if line.work == Work::Gone {
                continue;
            }
            if ends_group(code, line) {
                epoch += 1;
            }
            if let Some(key) = key(code, line, epoch) {
                let group = groups.entry(key).or_default();
                if group.is_empty() {
                    order.push(key);
                }
                group.push(at);
            }
            // A base that changes is another base.
            let changed: Vec<Value> = line.defs().collect();
            let reads = |key: &Key| {
                key.base
                    .iter()
                    .any(|half| matches!(half, Half::Value(value) if changed.contains(value)))
            };
            if changed.iter().any(|&value| !code.is_single(value)) && order.iter().any(reads) {
                epoch += 1;
            }
        }
        for key in order {
            if let Some(group) = groups.remove(&key) {
                merge(code, key, group);
            }
        }
    }
}

/// Whether loads on the two sides of a line stay apart.
fn ends_group(code: &Code<'_>, line: &Line) -> bool {
    let stores = matches!(line.op, Op::St | Op::StFrame | Op::Atom | Op::Red);
    stores || code.inst(line).is_some_and(|inst| inst.is_cut())
}

fn key(code: &Code<'_>, line: &Line, epoch: u32) -> Option<Key> {
    let inst = code.inst(line)?;
    let access = lines::access(inst);
    let merges = line.op == Op::Ld
        && line.work == Work::Done
        && matches!(access.space, Space::Shared | Space::Local)
        && access.order == Order::Weak
        && access.width_log2 >= 2
        && line.results.len() == access.count() as usize;
    merges.then(|| Key {
        base: line.sources.first().copied().unwrap_or_default(),
        guard: line.guard,
        space: access.space,
        element_bytes: access.bytes(),
        epoch,
    })
}

/// Merges what lies side by side in a group.
fn merge(code: &mut Code<'_>, key: Key, mut group: Vec<usize>) {
    if group.len() < 2 {
        return;
    }
    let mut steps = ALIGN_STEPS;
    let align = key
        .base
        .first()
        .map_or(0, |&half| zeros(code, half, &mut steps));
    group.sort_by_key(|&at| (code.lines[at].offset, at));
    let bytes = i64::from(key.element_bytes);
    let mut rest = group.as_slice();
    while let [first, ..] = rest {
        let start = code.lines[*first].offset;
        let run = rest.iter().enumerate();
        let run = run.take_while(|&(n, &at)| code.lines[at].offset == start + n as i64 * bytes);
        let run = run.count();
        let fits = |&count: &usize| {
            let size = key.element_bytes * count as u32;
            let aligned = align.min(start.trailing_zeros()) >= size.trailing_zeros();
            count <= run && size <= ACCESS_BYTES && aligned
        };
        let count = [4, 2].into_iter().find(fits).unwrap_or(1);
        join(code, &rest[..count]);
        rest = &rest[count..];
    }
}

/// Lets the earliest of some neighbours load for all of them.
fn join(code: &mut Code<'_>, neighbours: &[usize]) {
    let &[first, _, ..] = neighbours else {
        return;
    };
    let earliest = neighbours.iter().copied().min().unwrap_or(first);
    let results = neighbours
        .iter()
        .flat_map(|&at| code.lines[at].results.iter().copied());
    let mut whole = Line {
        results: results.collect(),
        accesses: neighbours.len() as u8,
        ..code.lines[first].clone()
    };
    whole.work = Work::Done;
    for &at in neighbours {
        code.lines[at].work = Work::Gone;
    }
    code.lines[earliest] = whole;
}

/// How many low bits of a value are known to be zero.
fn zeros(code: &Code<'_>, half: Half, steps: &mut u32) -> u32 {
    let value = match half {
        Half::Number(bits) => return bits.trailing_zeros(),
        Half::Symbol(_) => return VARIABLE_ALIGN,
        Half::Value(value) => value,
        Half::None | Half::Bank(_) => return 0,
    };
    if !code.is_single(value) {
        return loop_zeros(code, value, steps);
    }
    let Some(line) = code.lines.get(code.def_line[value as usize]) else {
        return 0;
    };
    *steps = match steps.checked_sub(1) {
        Some(left) => left,
        None => return 0,
    };
    let mut source = |n: usize| {
        let pair = line.sources.get(n).copied().unwrap_or_default();
        zeros(code, pair[0], steps)
    };
    match line.op {
        Op::MovB32 | Op::MovB64 | Op::TruncI64 | Op::ZextI32 | Op::SextI32 => source(0),
        Op::AddI32 | Op::SubI32 | Op::OrB32 | Op::XorB32 | Op::AddI64 | Op::SubI64 => {
            (0..line.sources.len()).map(source).min().unwrap_or(0)
        }
        Op::AndB32 => source(0).max(source(1)),
        Op::MulLoI32 | Op::MulWideS32 | Op::MulWideU32 => source(0) + source(1),
        Op::MadLoI32 | Op::MadWideS32 | Op::MadWideU32 => (source(0) + source(1)).min(source(2)),
        Op::ShlB32 | Op::ShlB64 => {
            let count = match line.sources.get(1) {
                Some([Half::Number(count), _]) => *count,
                _ => 0,
            };
            let shifted = source(0).saturating_add(count);
            match line.sources.len() {
                // Shifted and added.
                3 => shifted.min(source(2)),
                _ => shifted,
            }
        }
        _ => 0,
    }
}

/// The same of a value that a loop counts up: what all its writes have in common.
fn loop_zeros(code: &Code<'_>, value: Value, steps: &mut u32) -> u32 {
    let mut least = u32::MAX;
    for line in &code.lines {
        if line.work == Work::Gone || !line.defs().any(|def| def == value) {
            continue;
        }
        *steps = match steps.checked_sub(1) {
            Some(left) => left,
            None => return 0,
        };
        let itself = Half::Value(value);
        let adds = matches!(line.op, Op::AddI32 | Op::SubI32 | Op::AddI64 | Op::SubI64);
        let copies = matches!(line.op, Op::MovB32);
        for pair in &line.sources {
            let zeros = match pair[0] {
                half if half == itself && adds => continue,
                half if adds || copies => zeros(code, half, steps),
                _ => 0,
            };
            least = least.min(zeros);
        }
    }
    match least {
        u32::MAX => 0,
        least => least,
    }
}

#[cfg(test)]
mod tests;
