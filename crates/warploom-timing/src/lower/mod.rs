//! From source order to machine order: what a compiler would make of a kernel, as far as it
//! matters for time.
//!
//! | step | module |
//! | --- | --- |
//! | rows to values, instructions over values | [`values`], [`lines`], [`code`] |
//! | what becomes part of another instruction | [`fold`] |
//! | neighbouring loads become one; short branches become guards | [`widen`], [`predicate`] |
//! | operations to machine instructions | [`recipe`], [`nodes`] |
//! | copies that need no register of their own | [`coalesce`] |
//! | the order within a segment | [`schedule`] |
//! | registers, and what does not fit into them | [`live`], [`registers`], [`spill`] |
//!
//! The function machine knows nothing of all this: it executes the source.

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
mod values;
mod widen;

use warploom_isa::{Function, FunctionId, Module};

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
    for id in module.reachable(kernel) {
        function(module, module.function(id), options, &mut stream);
    }
    stream
        .segments
        .sort_unstable_by_key(|segment| segment.source.start);
    stream
}

fn function(module: &Module, function: &Function, options: LowerOptions, stream: &mut Stream) {
    let mut code = Code::new(module, function);
    if !options.as_written {
        fold::fold(&mut code);
        widen::widen(&mut code);
        predicate::predicate(&mut code);
    }
    code.count();
    let mut pieces = nodes::build(&mut code, segments::of_function(module, function));
    let values = code.predicates.len();
    let live = Live::new(&code.blocks, &pieces, values);
    live::mark_beginnings(&live, &code.blocks, &mut pieces, values);
    if !options.as_written {
        order(&code, &live, &mut pieces);
    }
    let registers = Registers::new(&code, &live, &pieces);
    let count = registers.count + registers::RESERVED;
    stream.registers_per_thread = stream.registers_per_thread.max(count);
    emit::emit(&pieces, &code, &registers, stream);
}

/// Orders the instructions of each segment.
fn order(code: &Code<'_>, live: &Live, pieces: &mut [Piece]) {
    let mut held = Held::new(&code.predicates);
    for (block, range) in live::by_block(pieces, code.blocks.len())
        .into_iter()
        .enumerate()
    {
        held.reset(&live.exit[block]);
        for piece in pieces[range].iter_mut().rev() {
            let nodes = std::mem::take(&mut piece.nodes);
            piece.nodes = schedule::schedule(nodes, &held, &code.predicates, 30);
            for node in piece.nodes.iter().rev() {
                held.step_back(node);
            }
        }
    }
}
