//! Where source instructions are cut into what is executed together.

use std::ops::Range;

use warploom_isa::{Function, Module, Op, Pc};

/// Cuts a function: at each block, and on both sides of what must execute at its time.
pub(super) fn of_function(module: &Module, function: &Function) -> Vec<Range<Pc>> {
    let mut segments = Vec::new();
    let mut start = function.start;
    let mut cut_before = |start: &mut Pc, pc: Pc| {
        if *start < pc {
            segments.push(*start..pc);
            *start = pc;
        }
    };
    for pc in function.start..function.end {
        let Some(inst) = module.code.get(pc as usize) else {
            break;
        };
        if inst.op == Op::Block {
            cut_before(&mut start, pc);
        } else if inst.is_cut() {
            cut_before(&mut start, pc);
            cut_before(&mut start, pc + 1);
        }
    }
    cut_before(&mut start, function.end);
    segments
}
