//! A function's basic blocks, and which registers are read later.

use warploom_isa::{Function, Inst, Module, NO_SLOT, Op, Pc, RegClass, Slot};

use crate::operands::{self, Use};

/// Registers of interest, one bit each.
pub(crate) type Set = u64;

/// A basic block as analyses see it.
pub(crate) struct Node {
    /// Its [`Op::Block`].
    pub(crate) start: Pc,
    /// One past its last instruction.
    pub(crate) end: Pc,
    /// Blocks that it may go on to.
    pub(crate) successors: Vec<u32>,
}

/// Whether control may go from an instruction to others than the next.
fn branches(inst: &Inst) -> bool {
    matches!(inst.op, Op::Bra | Op::Brx)
}

/// The blocks of a function of a checked program, the entry first. `None` for blocks that are not
/// simple: with anything but branches and ends after a branch.
pub(crate) fn nodes(module: &Module, function: &Function, code: &[Inst]) -> Option<Vec<Node>> {
    let starts: Vec<Pc> = (function.start..function.end)
        .filter(|&pc| code[pc as usize].op == Op::Block)
        .collect();
    if starts.first() != Some(&function.start) {
        return None;
    }
    let node_of = |pc: Pc| starts.binary_search(&pc).ok().map(|node| node as u32);
    let ends = |inst: &Inst| branches(inst) || matches!(inst.op, Op::Ret | Op::Exit | Op::Trap);
    let mut nodes = Vec::with_capacity(starts.len());
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(function.end);
        let body = &code[start as usize..end as usize];
        let tail = body.iter().skip_while(|inst| !branches(inst));
        if !tail.clone().all(ends) {
            return None;
        }
        let mut successors = Vec::new();
        for inst in tail.filter(|inst| branches(inst)) {
            let targets = match inst.op {
                Op::Bra => std::slice::from_ref(&inst.low),
                _ => module.branch_tables[inst.low as usize].as_slice(),
            };
            for &target in targets {
                successors.push(node_of(target)?);
            }
        }
        let last = body.last()?;
        let goes_on = !ends(last) || !last.guard().is_always();
        if goes_on && i + 1 < starts.len() {
            successors.push(i as u32 + 1);
        }
        nodes.push(Node {
            start,
            end,
            successors,
        });
    }
    Some(nodes)
}

/// What an instruction does to registers of interest: those it reads, and those it writes in all
/// lanes that run it. `at` tells which bits a register of a class has, and which of these are for
/// exactly this register.
pub(crate) fn effect(
    inst: &mut Inst,
    lists: &mut [Vec<Slot>],
    at: impl Fn(Slot, RegClass) -> (Set, Set),
) -> Effect {
    let guarded = !inst.guard().is_always();
    let mut effect = Effect::default();
    // The program was checked: the visit has no error to report.
    let _ = operands::for_each(inst, lists, |usage, slot, class| {
        if *slot != NO_SLOT && !slot.is_constant() && class != RegClass::Mask {
            let (touched, exactly) = at(*slot, class);
            match usage {
                Use::Read => effect.read |= touched,
                Use::Write => {
                    effect.touched |= touched;
                    effect.written |= if guarded { 0 } else { exactly };
                }
            }
        }
        Ok(())
    });
    effect
}

/// See [`effect`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Effect {
    /// Read.
    pub(crate) read: Set,
    /// Written whole, whatever the guard.
    pub(crate) written: Set,
    /// Written in part or whole, by some lanes or all.
    pub(crate) touched: Set,
}

impl Effect {
    /// What is live before the instruction, from what is live after it.
    pub(crate) fn before(self, after: Set) -> Set {
        after & !self.written | self.read
    }
}

/// Which registers of interest are live at the end of each block: some way from there leads to a
/// read before a write. `effects` are the function's instructions', from its first on.
pub(crate) fn live_out(nodes: &[Node], effects: &[Effect]) -> Vec<Set> {
    let first = nodes.first().map_or(0, |node| node.start);
    let whole = |node: &Node| {
        let body = &effects[(node.start - first) as usize..(node.end - first) as usize];
        body.iter()
            .rev()
            .fold(Effect::default(), |later, effect| Effect {
                read: effect.before(later.read),
                written: later.written | effect.written,
                touched: 0,
            })
    };
    let blocks: Vec<Effect> = nodes.iter().map(whole).collect();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (number, node) in (0..).zip(nodes) {
        for &next in &node.successors {
            before[next as usize].push(number);
        }
    }
    // Every bit of a block is set at most once, so that this ends soon.
    let mut out: Vec<Set> = vec![0; nodes.len()];
    let mut pending: Vec<u32> = (0..nodes.len() as u32).collect();
    while let Some(number) = pending.pop() {
        let live_in = blocks[number as usize].before(out[number as usize]);
        for &previous in &before[number as usize] {
            let out = &mut out[previous as usize];
            if live_in & !*out != 0 {
                *out |= live_in;
                pending.push(previous);
            }
        }
    }
    out
}
