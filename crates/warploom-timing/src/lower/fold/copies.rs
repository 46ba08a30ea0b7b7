//! Copies and constants: users read the original.

use warploom_isa::access::Special;
use warploom_isa::address::SHARED_WINDOW;
use warploom_isa::arith::IntType;
use warploom_isa::{Inst, Op};

use crate::lower::code::Code;
use crate::lower::lines::{self, Bank, Half, Line, Pair, Work};
use crate::lower::values::Value;

/// Lets users read what was copied, in every line.
pub(super) fn forward(code: &mut Code<'_>) {
    let mut original = vec![Half::None; code.predicates.len()];
    for at in 0..code.lines.len() {
        redirect(&mut code.lines[at], &original);
        copy_halves(code, at, &mut original);
        let Some(copies) = copies(code, at) else {
            continue;
        };
        let line = &mut code.lines[at];
        let mut left: Vec<(Half, Half)> = Vec::new();
        for (to, from) in copies {
            let Half::Value(value) = to else {
                continue;
            };
            let lasting = from
                .value()
                .is_none_or(|from| code.defs[from as usize] <= 1);
            if code.defs[value as usize] == 1 && line.guard.is_none() && lasting {
                original[value as usize] = from;
            } else {
                left.push((to, from));
            }
        }
        // What remains is a move for each half.
        line.sources = left.iter().map(|&(_, from)| [from, Half::None]).collect();
        line.results = left.iter().map(|&(to, _)| [to, Half::None]).collect();
        line.op = match line.op {
            Op::MaskMov | Op::MaskNot => Op::MaskMov,
            _ => Op::MovB32,
        };
        if left.is_empty() {
            line.work = Work::Gone;
        }
    }
    // Blocks need not stand in the order in which they run.
    for line in &mut code.lines {
        redirect(line, &original);
    }
}

/// Lets users read what single halves of a 64-bit result are copies of.
fn copy_halves(code: &mut Code<'_>, at: usize, original: &mut [Half]) {
    let line = &code.lines[at];
    let &[result] = line.results.as_slice() else {
        return;
    };
    if line.work != Work::Done || line.guard.is_some() {
        return;
    }
    let single = |half: Half| {
        half.value()
            .is_none_or(|value| code.defs[value as usize] == 1)
    };
    let known = known_halves(line);
    let mut left = result;
    for n in [0, 1] {
        if let (Half::Value(value), Some(from)) = (result[n], known[n])
            && single(result[n])
            && single(from)
        {
            original[value as usize] = from;
            left[n] = Half::None;
        }
    }
    let line = &mut code.lines[at];
    line.results[0] = left;
    if left == [Half::None; 2] {
        line.work = Work::Gone;
    }
}

/// What the halves of a result are copies of.
fn known_halves(line: &Line) -> [Option<Half>; 2] {
    let source = |n: usize| line.sources.get(n).copied().unwrap_or_default();
    let ([a_low, a_high], [b_low, b_high]) = (source(0), source(1));
    let zero = Half::Number(0);
    let by_half =
        |known: fn(Half, Half) -> Option<Half>| [known(a_low, b_low), known(a_high, b_high)];
    match (line.op, b_low) {
        (Op::SextI32, _) => [Some(a_low), None],
        (Op::AndB64, _) => by_half(and),
        (Op::OrB64 | Op::XorB64, _) => by_half(or),
        (Op::ShlB64, Half::Number(32)) => [Some(zero), Some(a_low)],
        (Op::ShrU64, Half::Number(32)) => [Some(a_high), Some(zero)],
        (Op::ShrU64, Half::Number(33..)) => [None, Some(zero)],
        (Op::BfiB64, _) if source(2)[0] == Half::Number(32) && source(3)[0] == source(2)[0] => {
            [Some(b_low), Some(a_low)]
        }
        _ => [None; 2],
    }
}

/// What `a & b` is if one of them is a number that leaves nothing or all.
fn and(a: Half, b: Half) -> Option<Half> {
    match (a, b) {
        (Half::Number(u32::MAX), other) | (other, Half::Number(u32::MAX)) => Some(other),
        (Half::Number(0), _) | (_, Half::Number(0)) => Some(Half::Number(0)),
        _ => None,
    }
}

/// What `a | b` and `a ^ b` are if one of them is zero.
fn or(a: Half, b: Half) -> Option<Half> {
    match (a, b) {
        (Half::Number(0), other) | (other, Half::Number(0)) => Some(other),
        _ => None,
    }
}

/// Reads originals instead of copies.
fn redirect(line: &mut Line, original: &[Half]) {
    let resolve = |half: Half| {
        let mut found = half;
        // A copy of a copy has been redirected already where it stood; others are rare.
        for _ in 0..8 {
            match found.value().map(|value| original[value as usize]) {
                None | Some(Half::None) => break,
                Some(next) => found = next,
            }
        }
        found
    };
    for half in line.sources.iter_mut().flatten() {
        *half = resolve(*half);
    }
    line.guard = line.guard.map(|guard| match resolve(Half::Value(guard)) {
        Half::Value(value) => value,
        _ => guard,
    });
}

/// What a line copies, as pairs of target and source; nothing if it does more than copy.
fn copies(code: &Code<'_>, at: usize) -> Option<Vec<(Half, Half)>> {
    let line = &code.lines[at];
    let inst = code.inst(line)?;
    if line.work != Work::Done || line.results.len() != 1 {
        return vector_parameter(line, inst);
    }
    let to = line.results[0];
    let source = |n: usize| line.sources.get(n).copied().unwrap_or_default();
    let zero = Half::Number(0);
    let from: Pair = match line.op {
        Op::MovB32 | Op::MovB64 | Op::MaskMov | Op::MaskNot => source(0),
        Op::TruncI64 => [source(0)[0], Half::None],
        Op::HighB64 => [source(0)[1], Half::None],
        Op::PackB64 => [source(0)[0], source(1)[0]],
        Op::ZextI32 => [source(0)[0], zero],
        Op::SextI32 => match source(0)[0] {
            Half::Number(bits) => {
                let high = if (bits as i32) < 0 { u32::MAX } else { 0 };
                [Half::Number(bits), Half::Number(high)]
            }
            _ => return None,
        },
        Op::I32FromI32 | Op::I32FromI64 if converts_nothing(code, line, inst) => {
            [source(0)[0], Half::None]
        }
        Op::AndB32 if masks_nothing(code, source(0)[0], source(1)[0]) => source(0),
        Op::SubI64 if source(1)[1] == Half::Number((SHARED_WINDOW >> 32) as u32) => {
            [source(0)[0], zero]
        }
        Op::LdParam => return parameter(line, inst),
        // The stack pointer is always there.
        Op::FrameAddress => [Half::Symbol(lines::FRAME), zero],
        Op::Special => [shape(inst)?, zero],
        _ => return None,
    };
    let pairs = to.into_iter().zip(from);
    Some(pairs.filter(|(to, _)| *to != Half::None).collect())
}

/// A whole number of 32-bit words of the kernel's parameters.
fn parameter(line: &Line, inst: &Inst) -> Option<Vec<(Half, Half)>> {
    let access = lines::access(inst);
    if access.width_log2 < 2 {
        return None;
    }
    let mut found = Vec::new();
    for (element, result) in (0..).zip(&line.results) {
        let low = inst.low.wrapping_add(element * access.element_bytes());
        let halves = [low, low.wrapping_add(4)].map(|at| Half::Bank(Bank::Param(at)));
        let pairs = result.iter().copied().zip(halves);
        found.extend(pairs.filter(|(to, _)| *to != Half::None));
    }
    Some(found)
}

fn vector_parameter(line: &Line, inst: &Inst) -> Option<Vec<(Half, Half)>> {
    let whole = line.op == Op::LdParam && line.work == Work::Done;
    // A list leaves out elements that nobody wants: their places would not be known.
    let full = line.results.len() == lines::access(inst).count() as usize;
    (whole && full).then(|| parameter(line, inst)).flatten()
}

/// The launch's shape lies in constant memory.
fn shape(inst: &Inst) -> Option<Half> {
    let register = Special::from_code(inst.mods.high().into());
    let in_bank = matches!(
        register,
        Special::NtidX
            | Special::NtidY
            | Special::NtidZ
            | Special::NctaidX
            | Special::NctaidY
            | Special::NctaidZ
    );
    let zero = register == Special::Zero;
    match (in_bank, zero) {
        (true, _) => Some(Half::Bank(Bank::Shape(inst.mods.high()))),
        (_, true) => Some(Half::Number(0)),
        _ => None,
    }
}

/// Whether a conversion between integers leaves the bits as they are: the source's register holds
/// nothing beyond the narrower type.
fn converts_nothing(code: &Code<'_>, line: &Line, inst: &Inst) -> bool {
    let mods = inst.mods;
    if mods.sat() {
        return false;
    }
    let (from, to) = (mods.from_int(), mods.to_int());
    let bits = from.bits().min(to.bits());
    if bits >= 32 {
        return true;
    }
    let Some(value) = line.sources.first().and_then(|pair| pair[0].value()) else {
        return false;
    };
    let narrow: IntType = if from.bits() <= to.bits() { from } else { to };
    loaded(code, value).is_some_and(|(loaded, signed)| {
        loaded <= bits && (signed == narrow.is_signed() || loaded < bits)
    })
}

/// The bits of a load that gives a value, and whether it extends their sign.
fn loaded(code: &Code<'_>, value: Value) -> Option<(u32, bool)> {
    let definition = code.lines.get(code.def_line[value as usize])?;
    let access = lines::access(code.inst(definition)?);
    let loads = definition.op == Op::Ld && code.is_single(value);
    loads.then(|| (8 * access.element_bytes(), access.signed))
}

/// Whether `a & b` is `a`, since `a` was loaded with no more bits than the number `b` has.
fn masks_nothing(code: &Code<'_>, a: Half, b: Half) -> bool {
    let (Half::Value(value), Half::Number(mask)) = (a, b) else {
        return false;
    };
    loaded(code, value).is_some_and(|(bits, signed)| !signed && bits <= mask.trailing_ones())
}
