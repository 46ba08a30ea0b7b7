//! Instructions that become part of the one that reads their result.

use warploom_isa::{LatencyClass, Op};

use crate::lower::code::Code;
use crate::lower::lines::{Half, Line, Pair, Work};

/// Bytes that an access may add to its address, up and down.
const OFFSET_LIMIT: u64 = 1 << 23;

/// Additions that are folded into one address, one after the other.
const ADDRESS_STEPS: usize = 8;

/// Folds instructions into their users, block by block.
pub(super) fn combine(code: &mut Code<'_>) {
    let mut walk = Walk {
        written: vec![None; code.predicates.len()],
        code,
    };
    for block in 0..walk.code.ranges.len() {
        for at in walk.code.ranges[block].clone() {
            walk.line(at);
            let line = &walk.code.lines[at];
            if line.work != Work::Gone {
                for value in line.defs() {
                    walk.written[value as usize] = Some(at);
                }
            }
        }
    }
}

struct Walk<'c, 'm> {
    code: &'c mut Code<'m>,
    /// The last line so far that wrote each value.
    written: Vec<Option<usize>>,
}

impl Walk<'_, '_> {
    fn line(&mut self, at: usize) {
        let line = &self.code.lines[at];
        if line.work != Work::Done {
            return;
        }
        match line.op {
            Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch => self.address(at),
            Op::AddI64 => self.multiply_add(at),
            Op::AddI32 | Op::SubI32 => self.addition(at),
            Op::AndB32 | Op::OrB32 | Op::XorB32 | Op::NotB32 | Op::Lop3B32 => self.logic(at),
            Op::MaskAnd | Op::MaskOr | Op::MaskXor => self.predicates(at),
            Op::SetEqI32 | Op::SetNeI32 => self.test(at),
            _ => match line.op.class() {
                LatencyClass::Fp32 | LatencyClass::Fp64 | LatencyClass::Fp16 => self.signs(at),
                _ => {}
            },
        }
    }

    /// The line that alone writes what a line reads as source `n`, when nothing else reads it and
    /// it can be carried out by the reader as well.
    fn producer(&self, at: usize, n: usize) -> Option<usize> {
        let source = *self.code.lines[at].sources.get(n)?;
        let found = self.writer(&source)?;
        let only = |half: &Half| match half {
            Half::Value(value) => self.code.uses[*value as usize] == 1,
            // The low half of what has been extended is the original's own.
            _ => true,
        };
        let line = &self.code.lines[found];
        let written = line.results.first()?;
        let own = source.iter().filter(|half| written.contains(half));
        let alone = own.clone().count() > 0 && own.clone().all(only);
        (alone && line.results.len() == 1 && self.is_near(at, found)).then_some(found)
    }

    /// The line that multiplies to give source `n`, whoever else reads that: a multiply-add for
    /// each reader takes fewer instructions than a sum of 64 bits.
    fn product(&self, at: usize, n: usize) -> Option<usize> {
        let from = self.writer(self.code.lines[at].sources.get(n)?)?;
        let multiplies = matches!(self.code.lines[from].op, Op::MulWideS32 | Op::MulWideU32);
        (multiplies && self.is_near(at, from)).then_some(from)
    }

    /// The line that alone writes a pair; of an extended number, its high half.
    fn writer(&self, pair: &Pair) -> Option<usize> {
        let half = match pair[1] {
            Half::Value(high) => high,
            _ => pair[0].value()?,
        };
        let found = self.code.def_line[half as usize];
        let line = self.code.lines.get(found)?;
        let usable = line.work == Work::Done && line.guard.is_none();
        (usable && self.code.is_single(half)).then_some(found)
    }

    /// Whether what `from` reads is still there where `at` stands.
    fn is_near(&self, at: usize, from: usize) -> bool {
        let block = self.code.ranges.partition_point(|range| range.end <= at);
        let together = self.code.ranges[block].contains(&from);
        // Nothing is moved into a loop.
        let once = !self.code.blocks[block].in_loop;
        let unchanged = |value| {
            let written = self.written[value as usize];
            let here = together && written.is_none_or(|written| written < from);
            here || self.code.is_single(value)
        };
        (together || once) && self.code.lines[from].uses().all(unchanged)
    }

    /// Makes `from` part of `at`, whose sources are replaced. Others may still read it.
    fn absorb(&mut self, at: usize, from: usize, op: Op, sources: impl IntoIterator<Item = Pair>) {
        let code = &mut *self.code;
        let line = &mut code.lines[at];
        line.op = op;
        for value in line.uses() {
            code.uses[value as usize] -= 1;
        }
        line.sources = sources.into_iter().collect();
        for value in line.uses() {
            code.uses[value as usize] += 1;
        }
        let part = &mut code.lines[from];
        if !part.defs().any(|value| code.uses[value as usize] > 0) {
            part.work = Work::Gone;
            for value in code.lines[from].uses() {
                code.uses[value as usize] -= 1;
            }
        }
    }

    /// Additions of numbers to an address become the access's offset.
    fn address(&mut self, at: usize) {
        for _ in 0..ADDRESS_STEPS {
            let line = &self.code.lines[at];
            let Some(address) = line.sources.first() else {
                return;
            };
            let Some((base, added)) = self.base_and_number(at, address) else {
                return;
            };
            let offset = line.offset.checked_add(added);
            let Some(offset) = offset.filter(|offset| offset.unsigned_abs() < OFFSET_LIMIT) else {
                return;
            };
            let old: Pair = *address;
            for half in old.iter().filter_map(|half| half.value()) {
                self.code.uses[half as usize] -= 1;
            }
            for half in base.iter().filter_map(|half| half.value()) {
                self.code.uses[half as usize] += 1;
            }
            let line = &mut self.code.lines[at];
            line.offset = offset;
            line.sources[0] = base;
        }
    }

    /// What an address is the sum of, if one part is a number.
    fn base_and_number(&self, at: usize, address: &Pair) -> Option<(Pair, i64)> {
        let from = self.writer(address)?;
        let line = &self.code.lines[from];
        let sign = match line.op {
            Op::AddI64 | Op::AddI32 => 1,
            Op::SubI64 | Op::SubI32 => -1,
            _ => return None,
        };
        let &[a, b] = line.sources.as_slice() else {
            return None;
        };
        let (base, added) = match (number(&a), number(&b)) {
            (_, Some(added)) => (a, added.checked_mul(sign)?),
            (Some(added), None) if sign > 0 => (b, added),
            _ => return None,
        };
        let lasts = |half: &Half| match half {
            Half::Value(value) => self.code.is_single(*value),
            half => *half == Half::None || *half == Half::Number(0),
        };
        let register = base[0].value().is_some();
        let whole = line.results.first().is_some_and(|result| result == address);
        let fits = base.iter().all(lasts) || self.is_near(at, from);
        (register && whole && fits).then_some((base, added))
    }

    /// A product or shifted number, and an addition: one multiply-add.
    fn multiply_add(&mut self, at: usize) {
        for n in [0, 1] {
            let Some(from) = self.product(at, n).or_else(|| self.producer(at, n)) else {
                continue;
            };
            let other = self.code.lines[at].sources[1 - n];
            let product = &self.code.lines[from];
            let &[a, b] = product.sources.as_slice() else {
                continue;
            };
            match product.op {
                Op::MulWideS32 | Op::MulWideU32 => {
                    self.absorb(at, from, Op::MadWideS32, [a, b, other]);
                    return;
                }
                Op::ShlB64 if number(&b).is_some() => {
                    if self.is_extended(from, &a) {
                        let low = [a[0], Half::None];
                        self.absorb(at, from, Op::MadWideS32, [low, b, other]);
                    } else {
                        // Two instructions that shift and add.
                        self.absorb(at, from, Op::AddI64, [a, other]);
                    }
                    return;
                }
                _ => {}
            }
        }
    }

    /// Whether a pair is an extended 32-bit number.
    fn is_extended(&self, at: usize, pair: &Pair) -> bool {
        let from = self.writer(pair);
        let extends =
            |from: usize| self.code.lines[from].op == Op::SextI32 && self.is_near(at, from);
        pair[1] == Half::Number(0) || from.is_some_and(extends)
    }

    /// A product, a shifted number or another sum becomes part of a sum.
    fn addition(&mut self, at: usize) {
        for n in [1, 0] {
            let line = &self.code.lines[at];
            let subtracts = line.op == Op::SubI32;
            let Some(from) = self.producer(at, n) else {
                continue;
            };
            let others: Vec<Pair> = line
                .sources
                .iter()
                .enumerate()
                .filter_map(|(m, pair)| (m != n).then_some(*pair))
                .collect();
            let part = &self.code.lines[from];
            let parts = part.sources.clone();
            let shifts = parts.len() == 2 && parts.get(1).and_then(number).is_some();
            match part.op {
                Op::MulLoI32 if others.len() == 1 && (!subtracts || has_number(part)) => {
                    self.absorb(at, from, Op::MadLoI32, [parts[0], parts[1], others[0]]);
                    return;
                }
                Op::ShlB32 if shifts && others.len() == 1 && !subtracts => {
                    let sources = [parts[0], parts[1], others[0]];
                    self.absorb(at, from, Op::ShlB32, sources);
                    return;
                }
                Op::AddI32 | Op::SubI32 if parts.len() == 2 && others.len() == 1 => {
                    let sources = [parts[0], parts[1], others[0]];
                    let op = self.code.lines[at].op;
                    if sources.iter().filter(|pair| pair[0].is_constant()).count() <= 1 {
                        self.absorb(at, from, op, sources);
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Logical operations on up to three operands become one.
    fn logic(&mut self, at: usize) {
        for n in [1, 0] {
            let Some(from) = self.producer(at, n) else {
                continue;
            };
            let part = &self.code.lines[from];
            let logical = matches!(
                part.op,
                Op::AndB32 | Op::OrB32 | Op::XorB32 | Op::NotB32 | Op::Lop3B32
            );
            let line = &self.code.lines[at];
            let others = line.sources.iter().enumerate();
            let others = others.filter_map(|(m, pair)| (m != n).then_some(*pair));
            let mut sources: Vec<Pair> = part.sources.iter().copied().collect();
            for other in others {
                if !sources.contains(&other) {
                    sources.push(other);
                }
            }
            let constants = sources.iter().filter(|pair| pair[0].is_constant()).count();
            if logical && sources.len() <= 3 && constants <= 1 {
                self.absorb(at, from, Op::Lop3B32, sources);
            }
        }
    }

    /// A comparison takes a predicate that its result is combined with.
    fn predicates(&mut self, at: usize) {
        for n in [1, 0] {
            let Some(from) = self.producer(at, n) else {
                continue;
            };
            let line = &self.code.lines[at];
            let part = &self.code.lines[from];
            let Some(&other) = line.sources.get(1 - n).filter(|_| line.sources.len() == 2) else {
                return;
            };
            let compares = matches!(
                part.op.class(),
                LatencyClass::IntAlu | LatencyClass::Fp32 | LatencyClass::Fp64
            );
            if compares && part.sources.len() == 2 {
                let (op, [a, b]) = (part.op, [part.sources[0], part.sources[1]]);
                self.absorb(at, from, op, [a, b, other]);
                return;
            }
        }
    }

    /// A comparison with zero of a logical result is that operation's own predicate.
    fn test(&mut self, at: usize) {
        let line = &self.code.lines[at];
        if line.sources.get(1) != Some(&[Half::Number(0), Half::None]) {
            return;
        }
        let Some(from) = self.producer(at, 0) else {
            return;
        };
        let part = &self.code.lines[from];
        if matches!(part.op, Op::AndB32 | Op::OrB32 | Op::XorB32 | Op::Lop3B32) {
            let sources = part.sources.clone();
            self.absorb(at, from, Op::Lop3B32, sources);
        }
    }

    /// Floating-point operands bring their sign with them.
    fn signs(&mut self, at: usize) {
        for n in 0..self.code.lines[at].sources.len() {
            let from = self.writer(&self.code.lines[at].sources[n]);
            let Some(from) = from.filter(|&from| self.is_near(at, from)) else {
                continue;
            };
            let part = &self.code.lines[from];
            let sign = matches!(
                part.op,
                Op::NegF32
                    | Op::AbsF32
                    | Op::NegF64
                    | Op::AbsF64
                    | Op::NegF16
                    | Op::AbsF16
                    | Op::NegH2
                    | Op::AbsH2
            );
            if sign && let Some(&source) = part.sources.first() {
                let line = &self.code.lines[at];
                let (op, mut sources) = (line.op, line.sources.clone());
                sources[n] = source;
                self.absorb(at, from, op, sources);
            }
        }
    }
}

/// The number that a pair is, taken as signed.
fn number(pair: &Pair) -> Option<i64> {
    match *pair {
        [Half::Number(low), Half::None] => Some(i64::from(low as i32)),
        [Half::Number(low), Half::Number(high)] => {
            Some((u64::from(high) << 32 | u64::from(low)) as i64)
        }
        _ => None,
    }
}

fn has_number(line: &Line) -> bool {
    line.sources.iter().any(|pair| number(pair).is_some())
}
