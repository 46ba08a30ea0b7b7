//! Removal of what nobody reads.

use warploom_isa::Op;

use crate::lower::code::Code;
use crate::lower::lines::{Line, Work};

/// Removes lines without effect whose results nobody reads.
pub(super) fn remove(code: &mut Code<'_>) {
    code.count();
    for at in (0..code.lines.len()).rev() {
        let line = &code.lines[at];
        let read = |value| code.uses[value as usize] > 0;
        if line.work == Work::Gone || !is_pure(code, line) || line.defs().any(read) {
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

/// Whether a line does nothing but write its results.
fn is_pure(code: &Code<'_>, line: &Line) -> bool {
    let cut = code.inst(line).is_some_and(|inst| inst.is_cut());
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
    );
    !cut && (pure || line.op.signature().is_some())
}
