//! Short branches that become guards.
//!
//! Where a branch only goes around a few instructions, `ptxas` lets them execute under the
//! branch's predicate instead. The branch then costs nothing. What it goes around is executed, and
//! costs, where at least one lane of the warp takes it: that it is issued on real hardware even
//! when no lane does is left out.

use warploom_isa::{Module, Op};

use super::code::Code;
use super::flow::Block;
use super::lines::{Line, Work};
use super::recipe;

/// Machine instructions that may become guarded.
const LIMIT: u32 = 7;

/// Removes the branches around short blocks.
pub(super) fn predicate(code: &mut Code<'_>) {
    for number in 1..code.blocks.len().saturating_sub(1) {
        let around = code.ranges[number - 1].clone().next_back();
        let Some(around) = around.filter(|&at| goes_around(code, at, number)) else {
            continue;
        };
        let lines = &code.lines[code.ranges[number].clone()];
        let done = lines.iter().filter(|line| line.work == Work::Done);
        let cost: u32 = done
            .clone()
            .map(|line| recipe::of(code, line).count(line))
            .sum();
        if cost <= LIMIT && done.clone().all(|line| may_be_guarded(code, line)) {
            code.lines[around].work = Work::Gone;
        }
    }
}

/// Whether a line is a branch around the block `number`, which nothing else goes to.
fn goes_around(code: &Code<'_>, at: usize, number: usize) -> bool {
    let line = &code.lines[at];
    let (block, next) = (&code.blocks[number], &code.blocks[number + 1]);
    let target = code.inst(line).map(|inst| inst.low);
    line.op == Op::Bra
        && line.work == Work::Done
        && line.guard.is_some()
        && target == Some(next.start)
        && block.predecessors.as_slice() == [number as u32 - 1]
        && falls_through(code.module, block)
}

/// Whether a block goes on to the next one by itself.
fn falls_through(module: &Module, block: &Block) -> bool {
    let last = module.code.get(block.end.saturating_sub(1) as usize);
    last.is_some_and(|inst| {
        !matches!(
            inst.op,
            Op::Bra
                | Op::Brx
                | Op::Call
                | Op::CallIndirect
                | Op::Ret
                | Op::Exit
                | Op::Trap
                | Op::Brkpt
        )
    })
}

fn may_be_guarded(code: &Code<'_>, line: &Line) -> bool {
    code.inst(line).is_some_and(|inst| match inst.op {
        Op::Atom | Op::Red | Op::Ld | Op::St => true,
        _ => !inst.is_cut(),
    })
}
