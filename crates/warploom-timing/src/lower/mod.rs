//! From source order to machine order: what a compiler would make of a kernel, as far as it
//! matters for time.
//!
//! | step | module |
//! | --- | --- |
//! | rows to values, instructions over values | `values`, `lines`, `code` |
//! | what becomes part of another instruction | `fold` |
//! | neighbouring loads become one; short branches become guards | `widen`, `predicate` |
//! | operations to machine instructions | `recipe`, `nodes` |
//! | copies that need no register of their own | `coalesce` |
//! | the order within a segment | `schedule` |
//! | registers, and what does not fit into them | `live`, `registers`, `spill` |
//!
//! The function machine knows nothing of all this: it executes the source.

mod coalesce;
mod code;
mod emit;
mod flow;
mod fold;
mod lines;
mod live;
mod nodes;
mod operands;
mod predicate;
mod recipe;
mod registers;
mod schedule;
mod segments;
mod spill;
mod values;
mod widen;

use std::ops::Range;

use warploom_isa::{Function, FunctionId, LaunchBounds, Module, Pc};

use crate::stream::Stream;
use code::Code;
use live::{Held, Live};
use nodes::Piece;
use registers::Registers;

/// What the lowering is told from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// Registers that a thread may have; the chip's limit where absent.
    pub max_registers: Option<u32>,
    /// Take the source as it is: each counted instruction is one that the machine issues, in this
    /// order. For sources that are no compiler's input, as those of lessons.
    pub as_written: bool,
}

/// Lowers a kernel and all functions that it may call.
pub fn lower(module: &Module, kernel: FunctionId, options: LowerOptions) -> Stream {
    let mut stream = Stream::default();
    let limit = budget(&module.function(kernel).bounds, options).saturating_sub(registers::EXTRA);
    for id in module.reachable(kernel) {
        function(
            module,
            module.function(id),
            options.as_written,
            limit,
            &mut stream,
        );
    }
    stream
        .segments
        .sort_unstable_by_key(|segment| segment.source.start);
    stream
}

/// Registers that a thread may have.
fn budget(bounds: &LaunchBounds, options: LowerOptions) -> u32 {
    let product = |block: [u32; 3]| {
        block
            .iter()
            .fold(1u32, |all, &side| all.saturating_mul(side))
    };
    let block = bounds.required_block.or(bounds.max_block).map(product);
    let blocks = bounds.min_blocks_per_sm.unwrap_or(1).max(1);
    // As many blocks as are asked for shall fit an SM.
    let resident = block.map(|threads| {
        let threads = threads
            .max(1)
            .next_multiple_of(WARP_LANES)
            .saturating_mul(blocks);
        SM_REGISTERS / threads / UNIT * UNIT
    });
    let all = [options.max_registers, bounds.max_registers, resident];
    let least = all.into_iter().flatten().min().unwrap_or(MOST_REGISTERS);
    least.clamp(FEWEST_REGISTERS, MOST_REGISTERS)
}

fn function(
    module: &Module,
    function: &Function,
    as_written: bool,
    limit: u32,
    stream: &mut Stream,
) {
    let mut code = Code::new(module, function);
    let segments = segments::of_function(module, function);
    let (pieces, registers, count) = match as_written {
        true => {
            let pieces = nodes::build(&mut code, segments, true);
            let registers = Registers::unlimited(&code);
            (pieces, registers, function.live_registers)
        }
        false => compile(&mut code, segments, limit, stream),
    };
    stream.registers_per_thread = stream.registers_per_thread.max(count);
    emit::emit(&pieces, &code, &registers, stream);
}

/// Does with a function what a compiler does. Returns its registers, and how many a thread has.
fn compile(
    code: &mut Code<'_>,
    segments: Vec<Range<Pc>>,
    limit: u32,
    stream: &mut Stream,
) -> (Vec<Piece>, Registers, u32) {
    fold::fold(code);
    widen::widen(code);
    predicate::predicate(code);
    code.count();
    let mut pieces = nodes::build(code, segments, false);
    coalesce::coalesce(code, &mut pieces);
    let mut live = Live::new(&code.blocks, &pieces, code.predicates.len());
    live::mark_beginnings(&live, &code.blocks, &mut pieces, code.predicates.len());
    let target = order(code, &live, &mut pieces, limit);
    let mut most = pressure(code, &live, &pieces);
    if most > limit {
        stream.spill_bytes_per_thread += spill::spill(code, &mut pieces, limit);
        live = Live::new(&code.blocks, &pieces, code.predicates.len());
        most = pressure(code, &live, &pieces);
    }
    if most > MOST_REGISTERS {
        // Too much code at once to find what to spill.
        return (pieces, Registers::unlimited(code), MOST_REGISTERS);
    }
    // What no order of taking registers fits, moves between them would.
    let most = most.max(target) + registers::EXTRA;
    let registers = Registers::new(code, &live, &pieces, target + 1);
    let count = (registers.count + registers::RESERVED).min(most);
    (pieces, registers, count)
}

/// Registers of an SM, and lanes of a warp, of every chip that there is a `.target` for.
const SM_REGISTERS: u32 = 1 << 16;
const WARP_LANES: u32 = 32;

/// The most registers that an instruction can name, and the fewest that a compiler accepts.
const MOST_REGISTERS: u32 = 255;
const FEWEST_REGISTERS: u32 = 16;

/// Registers that a warp's threads are given at a time, and as many as leave room for all the
/// warps of an SM.
const UNIT: u32 = 8;
const FREE: u32 = 32;

/// Most registers that are live at once.
fn pressure(code: &Code<'_>, live: &Live, pieces: &[Piece]) -> u32 {
    let mut held = Held::new(&code.predicates);
    let mut most = 0;
    for (block, range) in live::by_block(pieces, code.blocks.len())
        .into_iter()
        .enumerate()
    {
        held.reset(&live.exit[block]);
        most = most.max(held.registers);
        for node in pieces[range]
            .iter()
            .rev()
            .flat_map(|piece| piece.nodes.iter().rev())
        {
            most = most.max(held.step_back(node));
        }
    }
    most
}

/// Orders the instructions of each segment. Returns the registers that were aimed at.
fn order(code: &Code<'_>, live: &Live, pieces: &mut [Piece], limit: u32) -> u32 {
    let by_block = live::by_block(pieces, code.blocks.len());
    let mut held = Held::new(&code.predicates);
    // The fewest registers that each segment can do with decide how many there should be.
    let mut needed = 0;
    for (block, range) in by_block.iter().cloned().enumerate() {
        held.reset(&live.exit[block]);
        for piece in pieces[range].iter().rev() {
            let (fewest, _) = schedule::fewest(&piece.nodes, &mut held);
            needed = fewest.max(needed);
        }
    }
    // Up to the next unit of allocation, registers cost nothing.
    let target = (needed + registers::EXTRA).next_multiple_of(UNIT).max(FREE) - registers::EXTRA;
    let target = target.min(limit);
    for (block, range) in by_block.into_iter().enumerate() {
        held.reset(&live.exit[block]);
        for piece in pieces[range].iter_mut().rev() {
            let nodes = std::mem::take(&mut piece.nodes);
            piece.nodes = schedule::within(nodes, &mut held, target);
        }
    }
    target
}
