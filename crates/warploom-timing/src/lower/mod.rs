//! From source order to machine order: what a compiler would make of a kernel, as far as it
//! matters for time.

mod operands;
mod recipe;

use smallvec::SmallVec;
use warploom_isa::{Function, FunctionId, Module, Op, Pc};

use crate::stream::{Reg, Segment, Stream, TimedInst};
use operands::Operands;

/// What the lowering is told from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// Registers that a thread may have; the chip's limit where absent.
    pub max_registers: Option<u32>,
}

/// Lowers a kernel and all functions that it may call.
pub fn lower(module: &Module, kernel: FunctionId, options: LowerOptions) -> Stream {
    let _ = options;
    let mut stream = Stream::default();
    for id in module.reachable(kernel) {
        let function = module.function(id);
        function_as_written(module, function, &mut stream);
        stream.registers_per_thread = stream.registers_per_thread.max(function.live_registers);
    }
    stream
        .segments
        .sort_unstable_by_key(|segment| segment.source.start);
    stream
}

/// Writes a function in the order of its source.
fn function_as_written(module: &Module, function: &Function, stream: &mut Stream) {
    let base = stream.registers;
    stream.registers += function.rows + function.masks.max(1);
    for source in segments(module, function) {
        let start = stream.insts.len() as u32;
        for pc in source.clone() {
            as_written(module, function, pc, base, stream);
        }
        let insts = start..stream.insts.len() as u32;
        stream.segments.push(Segment { source, insts });
    }
}

fn as_written(module: &Module, function: &Function, pc: Pc, base: Reg, stream: &mut Stream) {
    let Some(inst) = module.code.get(pc as usize) else {
        return;
    };
    if inst.flags.fused() {
        return;
    }
    let operands = Operands::of(module, function, inst);
    let sources: SmallVec<[Reg; 4]> = operands.uses.iter().map(|r| base + r.number).collect();
    let results: SmallVec<[Reg; 2]> = operands.defs.iter().map(|r| base + r.number).collect();
    let runs = recipe::recipe(inst);
    let mut left: u32 = runs.iter().map(|run| u32::from(run.count)).sum();
    let mut previous: Option<Reg> = None;
    for run in runs {
        for _ in 0..run.count {
            left -= 1;
            let uses = match previous.filter(|_| run.chained) {
                Some(reg) => SmallVec::from_slice(&[reg]),
                None => sources.clone(),
            };
            let defs = match left {
                0 => results.clone(),
                _ => SmallVec::from_slice(&[stream.registers]),
            };
            previous = (left > 0).then_some(stream.registers);
            stream.registers += u32::from(left > 0);
            stream.insts.push(TimedInst {
                class: run.class,
                source: pc,
                leads: left == 0,
                uses,
                defs,
            });
        }
    }
}

/// Cuts a function: at each block, and on both sides of what must execute at its time.
fn segments(module: &Module, function: &Function) -> Vec<std::ops::Range<Pc>> {
    let mut segments = Vec::new();
    let mut start = function.start;
    let mut cut_here = |start: &mut Pc, pc: Pc| {
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
            cut_here(&mut start, pc);
        } else if inst.is_cut() {
            cut_here(&mut start, pc);
            cut_here(&mut start, pc + 1);
        }
    }
    cut_here(&mut start, function.end);
    segments
}
