//! Removal of what nobody reads.

use warploom_isa::Op;

use crate::lower::code::Code;
use crate::lower::lines::{Half, Line, Work};

/// Removes lines without effect whose results nobody reads, and halves of results.
pub(super) fn remove(code: &mut Code<'_>) {
    code.count();
    for at in (0..code.lines.len()).rev() {
        let line = &code.lines[at];
        let read = |value| code.uses[value as usize] > 0;
        if line.op == Op::Nop {
            code.lines[at].work = Work::Gone;
            continue;
        }
        if line.work == Work::Gone || !is_pure(code, line) {
            continue;
        }
        if line.defs().any(read) {
            narrow(code, at);
            continue;
        }
        for value in line.uses() {
            code.uses[value as usize] -= 1;
        }
        for value in line.defs() {
            code.defs[value as usize] -= 1;
        }
        code.lines[at].work = Work::Gone;
    }
}

/// Makes a 64-bit operation one of 32 bits where nobody reads the high half of its result.
fn narrow(code: &mut Code<'_>, at: usize) {
    let line = &mut code.lines[at];
    let narrower = match line.op {
        Op::AddI64 => Op::AddI32,
        Op::SubI64 => Op::SubI32,
        Op::AndB64 => Op::AndB32,
        Op::OrB64 => Op::OrB32,
        Op::XorB64 => Op::XorB32,
        Op::NotB64 => Op::NotB32,
        Op::SelB64 => Op::SelB32,
        Op::MulWideS32 | Op::MulWideU32 => Op::MulLoI32,
        Op::MadWideS32 | Op::MadWideU32 => Op::MadLoI32,
        _ => return,
    };
    let &mut [[low, high]] = line.results.as_mut_slice() else {
        return;
    };
    let Half::Value(high) = high else {
        return;
    };
    if code.uses[high as usize] > 0 || low == Half::None {
        return;
    }
    line.op = narrower;
    line.results[0] = [low, Half::None];
    code.defs[high as usize] -= 1;
    for pair in &mut line.sources {
        if let Half::Value(unread) = std::mem::take(&mut pair[1]) {
            code.uses[unread as usize] -= 1;
        }
    }
}

/// Whether a line does nothing but write its results.
fn is_pure(code: &Code<'_>, line: &Line) -> bool {
    // An exchange between lanes is no more than its result.
    let exchanges = matches!(line.op, Op::Shfl | Op::Match | Op::Vote | Op::Redux);
    let cut = !exchanges && code.inst(line).is_some_and(|inst| inst.is_cut());
    let pure = matches!(
        line.op,
        Op::Special
            | Op::LdParam
            | Op::Ld
            | Op::LdFrame
            | Op::FrameAddress
            | Op::MaskMov
            | Op::MaskAnd
            | Op::MaskOr
            | Op::MaskXor
            | Op::MaskNot
            | Op::ActiveMask
            | Op::Shfl
            | Op::Match
            | Op::Vote
            | Op::Redux
    );
    !cut && (pure || line.op.signature().is_some())
}
