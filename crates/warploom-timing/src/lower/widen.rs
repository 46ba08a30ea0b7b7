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
    /// Stores and other borders that went before, and writes of the base.
    epoch: u32,
    written: u32,
}

/// Merges the loads of each block.
pub(super) fn widen(code: &mut Code<'_>) {
    let writers = code.writers();
    let mut epoch = 0;
    for block in 0..code.ranges.len() {
        let mut groups: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        let mut order: Vec<Key> = Vec::new();
        // Writes of values that are written more than once.
        let mut written: FxHashMap<Value, u32> = FxHashMap::default();
        epoch += 1;
        for at in code.ranges[block].clone() {
            let line = &code.lines[at];
            if line.work == Work::Gone {
                continue;
            }
            epoch += u32::from(ends_group(code, line));
            if let Some(key) = key(code, line, epoch, &written) {
                let group = groups.entry(key).or_default();
                if group.is_empty() {
                    order.push(key);
                }
                group.push(at);
            }
            for value in line.defs().filter(|&value| !code.is_single(value)) {
                *written.entry(value).or_default() += 1;
            }
        }
        for key in order {
            if let Some(group) = groups.remove(&key) {
                merge(code, &writers, key, group);
            }
        }
    }
}

/// Whether loads on the two sides of a line stay apart.
fn ends_group(code: &Code<'_>, line: &Line) -> bool {
    let stores = matches!(line.op, Op::St | Op::StFrame | Op::Atom | Op::Red);
    stores || code.inst(line).is_some_and(|inst| inst.is_cut())
}

fn key(code: &Code<'_>, line: &Line, epoch: u32, written: &FxHashMap<Value, u32>) -> Option<Key> {
    let inst = code.inst(line)?;
    let access = lines::access(inst);
    let merges = line.op == Op::Ld
        && line.work == Work::Done
        && matches!(access.space, Space::Shared | Space::Local)
        && access.order == Order::Weak
        && access.width_log2 >= 2
        && line.results.len() == access.count() as usize;
    let base = line.sources.first().copied().unwrap_or_default();
    let writes = |half: &Half| half.value().and_then(|value| written.get(&value)).copied();
    merges.then(|| Key {
        base,
        written: base.iter().filter_map(writes).sum(),
        guard: line.guard,
        space: access.space,
        element_bytes: access.bytes(),
        epoch,
    })
}

/// Merges what lies side by side in a group.
fn merge(code: &mut Code<'_>, writers: &[(Value, usize)], key: Key, mut group: Vec<usize>) {
    if group.len() < 2 {
        return;
    }
    let mut address = Address {
        code,
        writers,
        steps: ALIGN_STEPS,
    };
    let align = address.zeros(key.base[0]);
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

/// What is known of an address.
struct Address<'c, 'm> {
    code: &'c Code<'m>,
    /// The lines that write each value.
    writers: &'c [(Value, usize)],
    /// Instructions that may still be looked at.
    steps: u32,
}

impl Address<'_, '_> {
    /// How many low bits of a value are known to be zero.
    fn zeros(&mut self, half: Half) -> u32 {
        let value = match half {
            Half::Number(bits) => return bits.trailing_zeros(),
            Half::Symbol(_) => return VARIABLE_ALIGN,
            Half::Value(value) => value,
            Half::None | Half::Bank(_) => return 0,
        };
        let first = self.writers.partition_point(|&(writes, _)| writes < value);
        let own = self.writers[first..]
            .iter()
            .take_while(|&&(writes, _)| writes == value);
        let mut least = None;
        for &(_, at) in own {
            self.steps = match self.steps.checked_sub(1) {
                Some(left) => left,
                None => return 0,
            };
            let zeros = self.result_zeros(&self.code.lines[at], value);
            least = Some(least.map_or(zeros, |least: u32| least.min(zeros)));
        }
        least.unwrap_or(0)
    }

    /// The same of what a line writes to `value`.
    fn result_zeros(&mut self, line: &Line, value: Value) -> u32 {
        let mut source = |n: usize| {
            let [half, _] = line.sources.get(n).copied().unwrap_or_default();
            match half == Half::Value(value) {
                // What a loop adds to counts, not what was there.
                true => u32::BITS,
                false => self.zeros(half),
            }
        };
        match line.op {
            Op::MovB32 | Op::MovB64 | Op::TruncI64 | Op::ZextI32 | Op::SextI32 => source(0),
            Op::AddI32 | Op::SubI32 | Op::OrB32 | Op::XorB32 | Op::AddI64 | Op::SubI64 => {
                (0..line.sources.len()).map(source).min().unwrap_or(0)
            }
            Op::AndB32 => source(0).max(source(1)),
            Op::MulLoI32 | Op::MulWideS32 | Op::MulWideU32 => source(0) + source(1),
            Op::MadLoI32 | Op::MadWideS32 | Op::MadWideU32 => {
                (source(0) + source(1)).min(source(2))
            }
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
}
