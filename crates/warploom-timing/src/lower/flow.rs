//! The basic blocks of a function and the way between them.

use smallvec::SmallVec;
use warploom_isa::{Function, Module, Op, Pc};

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Its [`Op::Block`] instruction.
    pub(super) start: Pc,
    pub(super) end: Pc,
    pub(super) successors: SmallVec<[u32; 2]>,
    pub(super) predecessors: SmallVec<[u32; 2]>,
    /// Lies between a branch and an earlier block that it goes to.
    pub(super) in_loop: bool,
}

/// The blocks of a function in the order of the code.
pub(super) fn blocks(module: &Module, function: &Function) -> Vec<Block> {
    let all = &module.blocks;
    let first = all.partition_point(|block| block.start < function.start);
    let past = all.partition_point(|block| block.start < function.end);
    let own = all.get(first..past).unwrap_or_default();
    let mut blocks: Vec<Block> = own
        .iter()
        .map(|block| Block {
            start: block.start,
            end: block.end,
            successors: SmallVec::new(),
            predecessors: SmallVec::new(),
            in_loop: false,
        })
        .collect();
    for number in 0..blocks.len() {
        let successors = successors(module, &blocks, number);
        for &next in &successors {
            blocks[next as usize].predecessors.push(number as u32);
        }
        blocks[number].successors = successors;
    }
    mark_loops(&mut blocks);
    blocks
}

fn successors(module: &Module, blocks: &[Block], number: usize) -> SmallVec<[u32; 2]> {
    let mut found: SmallVec<[u32; 2]> = SmallVec::new();
    let last = blocks[number].end.checked_sub(1);
    let Some(last) = last.and_then(|pc| module.code.get(pc as usize)) else {
        return found;
    };
    let find = |pc: Pc| {
        let at = blocks.binary_search_by_key(&pc, |block| block.start);
        at.ok().map(|at| at as u32)
    };
    let table = module.branch_tables.get(last.low as usize);
    let (goes_on, targets): (bool, &[Pc]) = match last.op {
        Op::Bra => (false, &[last.low]),
        Op::Brx => (false, table.map_or(&[], Vec::as_slice)),
        Op::Ret | Op::Exit | Op::Trap | Op::Brkpt => (false, &[]),
        _ => (true, &[]),
    };
    found.extend(targets.iter().filter_map(|&pc| find(pc)));
    if (goes_on || !last.guard().is_always()) && number + 1 < blocks.len() {
        found.push(number as u32 + 1);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Marks what lies between a branch and an earlier block that it goes to.
fn mark_loops(blocks: &mut [Block]) {
    // The last block that goes back to each block or to one before it.
    let mut until: Option<usize> = None;
    let mut back: Vec<Option<usize>> = vec![None; blocks.len()];
    for (number, block) in blocks.iter().enumerate() {
        for &next in &block.successors {
            if next as usize <= number {
                back[next as usize] = Some(number);
            }
        }
    }
    for (number, block) in blocks.iter_mut().enumerate() {
        until = until.max(back[number]);
        block.in_loop = until.is_some_and(|until| number <= until);
    }
}
