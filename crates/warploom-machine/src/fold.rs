//! Values that all warps of a launch share are computed once, not by each of them.
//!
//! Most kernels begin by loading their parameters, reading their shape, and moving the results
//! about (PTX turns pointers into global ones by moves). Every warp would write the same values to
//! all lanes of a row. Here such a value becomes a row of the launch's constant file, as immediates
//! are: instructions that are sure to see it read it there, and if then nobody reads the register
//! any more, the instruction that wrote it is stepped over. It is counted all the same, since
//! counts are of basic blocks.
//!
//! Two analyses over a kernel's basic blocks decide, each with one bit for each candidate: forward,
//! which candidates reach a point unchanged on *every* way to it; then backward, with the reads that
//! the first has redirected taken out, whether *any* way leads to a read. Lanes on different ways
//! do not disturb this: each lane has its own register, and both hold for its own way. The
//! exception is a shuffle, which reads other lanes' registers: what it reads is left alone.

use warploom_isa::access::{Access, Special};
use warploom_isa::{Function, Inst, Module, NO_SLOT, Op, Pc, RegClass, Slot};

use crate::access;
use crate::env::LaunchEnv;
use crate::flow::{self, Effect, Node, Set};
use crate::operands::{self, Use};
use crate::special;

/// Where a value that a whole launch shares comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The parameter block at an offset in bytes.
    Param(u32, Access),
    /// A special register, by its operation's modifiers.
    Special(Special, u32),
}

impl Source {
    /// The value in a launch.
    pub(crate) fn value<const L: usize>(self, env: &LaunchEnv<L>) -> u64 {
        match self {
            Source::Param(offset, access) => access::param_element(env, offset as usize, access),
            Source::Special(special, number) => special::of_launch(env, special, number),
        }
    }
}

/// A value that a whole launch shares, and its rows in the constant file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LaunchValue {
    /// The first row.
    pub(crate) row: u16,
    /// It takes two rows.
    pub(crate) wide: bool,
    /// Where it comes from.
    pub(crate) source: Source,
}

impl LaunchValue {
    /// The row after it.
    pub(crate) fn end(&self) -> u32 {
        u32::from(self.row) + if self.wide { 2 } else { 1 }
    }
}

/// Moves of moves take a round each.
const ROUNDS: usize = 4;

/// Most values of a kernel.
const VALUE_LIMIT: usize = 64;

/// A register that is given a value which the whole launch shares.
#[derive(Clone, Copy)]
struct Candidate {
    pc: Pc,
    dst: Slot,
    wide: bool,
    /// The value's place in the constant file.
    value: Slot,
}

/// Rewrites a kernel of a checked program. Returns what a launch of it needs in the constant file
/// after its first `constant_rows` rows.
pub(crate) fn fold(
    module: &Module,
    function: &Function,
    code: &mut [Inst],
    lists: &mut [Vec<Slot>],
    constant_rows: u32,
) -> Vec<LaunchValue> {
    let mut values = Values {
        values: Vec::new(),
        rows: constant_rows,
    };
    if let Some(mut kernel) = Kernel::new(module, function, code) {
        for _ in 0..ROUNDS {
            if !kernel.round(code, lists, &mut values) {
                break;
            }
        }
        kernel.join_steps(code);
    }
    values.values
}

/// The values of a kernel.
struct Values {
    values: Vec<LaunchValue>,
    rows: u32,
}

impl Values {
    /// The constant row of a value; `None` when the file is full.
    fn row(&mut self, source: Source, wide: bool) -> Option<Slot> {
        let known = |value: &&LaunchValue| value.source == source && value.wide == wide;
        if let Some(value) = self.values.iter().find(known) {
            return Some(Slot::constant(value.row));
        }
        let row = self.rows as u16;
        let rows = self.rows + if wide { 2 } else { 1 };
        if rows > Slot::MAX_ROWS || self.values.len() >= VALUE_LIMIT {
            return None;
        }
        self.rows = rows;
        self.values.push(LaunchValue { row, wide, source });
        Some(Slot::constant(row))
    }
}

struct Kernel<'m> {
    function: &'m Function,
    nodes: Vec<Node>,
    /// Rows that shuffles read in other lanes.
    shuffled: Vec<bool>,
    /// For each row, the candidates of this round that lie there.
    by_row: Vec<Set>,
    candidates: Vec<Candidate>,
}

impl<'m> Kernel<'m> {
    fn new(module: &'m Module, function: &'m Function, code: &[Inst]) -> Option<Kernel<'m>> {
        let nodes = flow::nodes(module, function, code)?;
        let mut shuffled = vec![false; function.rows as usize + 2];
        let body = &code[function.start as usize..function.end as usize];
        for inst in body.iter().filter(|inst| inst.op == Op::Shfl) {
            if let Some(row) = shuffled.get_mut(usize::from(inst.a.0)) {
                *row = true;
            }
        }
        Some(Kernel {
            function,
            nodes,
            by_row: vec![0; shuffled.len()],
            shuffled,
            candidates: Vec::new(),
        })
    }

    /// Redirects reads of what can be told now, and takes out the writes that nobody reads. Whether
    /// anything changed.
    fn round(&mut self, code: &mut [Inst], lists: &mut [Vec<Slot>], values: &mut Values) -> bool {
        self.find(code, values);
        if self.candidates.is_empty() {
            return false;
        }
        let effects = self.effects(code, lists);
        let redirected = self.redirect(code, &effects);
        let effects = self.effects(code, lists);
        redirected | self.remove(code, &effects)
    }

    /// Collects this round's candidates.
    fn find(&mut self, code: &[Inst], values: &mut Values) {
        self.candidates.clear();
        self.by_row.fill(0);
        for pc in self.function.start..self.function.end {
            let inst = &code[pc as usize];
            let shuffled = self.shuffled.get(usize::from(inst.dst.0));
            if inst.dst == NO_SLOT || !inst.guard().is_always() || shuffled != Some(&false) {
                continue;
            }
            let Some((value, wide)) = self.value(inst, values) else {
                continue;
            };
            let bit = 1 << self.candidates.len();
            let rows = if wide { 2 } else { 1 };
            for candidates in self.by_row.iter_mut().skip(inst.dst.row()).take(rows) {
                *candidates |= bit;
            }
            self.candidates.push(Candidate {
                pc,
                dst: inst.dst,
                wide,
                value,
            });
            if self.candidates.len() == Set::BITS as usize {
                break;
            }
        }
    }

    /// The constant that an instruction writes to all lanes, and whether it takes two rows.
    fn value(&self, inst: &Inst, values: &mut Values) -> Option<(Slot, bool)> {
        match inst.op {
            Op::MovB32 if inst.a.is_constant() => Some((inst.a, false)),
            Op::MovB64 if inst.a.is_constant() => Some((inst.a, true)),
            Op::LdParam => {
                let access = Access::unpack(inst.mods);
                let end = u64::from(inst.low) + u64::from(access.bytes());
                let fits = end <= self.function.param_bytes.into()
                    && inst.low.is_multiple_of(access.bytes());
                let wide = access.wide_registers;
                let source = Source::Param(inst.low, access);
                let single = access.count_log2 == 0;
                let row = (fits && single).then(|| values.row(source, wide))?;
                Some((row?, wide))
            }
            Op::Special => {
                let register = Special::from_code(u32::from(inst.mods.high()));
                let wide = inst.mods.variant();
                let source = Source::Special(register, inst.low);
                let row = (!special::varies(register)).then(|| values.row(source, wide))?;
                Some((row?, wide))
            }
            _ => None,
        }
    }

    /// The candidates that may share a row with a register, and those of exactly its rows.
    fn at(&self, slot: Slot, class: RegClass) -> (Set, Set) {
        let wide = class == RegClass::Lane64;
        let row = |n: usize| self.by_row.get(slot.row() + n).copied().unwrap_or(0);
        let touched = row(0) | if wide { row(1) } else { 0 };
        let (mut exactly, mut rest) = (0, touched);
        while rest != 0 {
            let number = rest.trailing_zeros();
            rest &= rest - 1;
            let candidate = &self.candidates[number as usize];
            let same = candidate.dst == slot && candidate.wide == wide;
            exactly |= Set::from(same) << number;
        }
        (touched, exactly)
    }

    /// What all instructions do to the candidates.
    fn effects(&self, code: &mut [Inst], lists: &mut [Vec<Slot>]) -> Vec<Effect> {
        code[self.function.start as usize..self.function.end as usize]
            .iter_mut()
            .map(|inst| flow::effect(inst, lists, |slot, class| self.at(slot, class)))
            .collect()
    }

    /// Which candidate an instruction is.
    fn number(&self, pc: Pc) -> Option<usize> {
        self.candidates.binary_search_by_key(&pc, |c| c.pc).ok()
    }

    /// The candidates that reach a point, from those that reach the instruction before it.
    fn reach(&self, pc: Pc, effect: Effect, before: Set) -> Set {
        before & !effect.touched | self.number(pc).map_or(0, |number| 1 << number)
    }

    /// The forward analysis, and what follows from it: reads of candidates become reads of their
    /// constants.
    fn redirect(&self, code: &mut [Inst], effects: &[Effect]) -> bool {
        let effect = |pc: Pc| effects[(pc - self.function.start) as usize];
        // What each block lets through, and what it adds.
        let summary = |node: &Node| {
            (node.start..node.end).fold((!0, 0), |(kept, added), pc| {
                let touched = effect(pc).touched;
                (kept & !touched, self.reach(pc, effect(pc), added))
            })
        };
        let summaries: Vec<(Set, Set)> = self.nodes.iter().map(summary).collect();
        // Every bit of a block is cleared at most once, so that this ends soon.
        let mut reaching: Vec<Set> = vec![!0; self.nodes.len()];
        reaching[0] = 0;
        let mut pending: Vec<u32> = (0..self.nodes.len() as u32).rev().collect();
        while let Some(number) = pending.pop() {
            let (kept, added) = summaries[number as usize];
            let out = reaching[number as usize] & kept | added;
            for &next in &self.nodes[number as usize].successors {
                let into = &mut reaching[next as usize];
                if *into & !out != 0 {
                    *into &= out;
                    pending.push(next);
                }
            }
        }
        let mut changed = false;
        for (node, &reaching) in self.nodes.iter().zip(&reaching) {
            let mut here = reaching;
            for pc in node.start..node.end {
                let inst = &mut code[pc as usize];
                if here != 0 && redirects(inst) {
                    let _ = operands::for_each(inst, &mut [], |usage, slot, class| {
                        if usage == Use::Read && !slot.is_constant() && class != RegClass::Mask {
                            let found = (self.at(*slot, class).1 & here).trailing_zeros();
                            if let Some(candidate) = self.candidates.get(found as usize) {
                                *slot = candidate.value;
                                changed = true;
                            }
                        }
                        Ok(())
                    });
                }
                here = self.reach(pc, effect(pc), here);
            }
        }
        changed
    }

    /// The backward analysis: candidates that nobody reads any more are stepped over.
    fn remove(&self, code: &mut [Inst], effects: &[Effect]) -> bool {
        let live_out = flow::live_out(&self.nodes, effects);
        let mut removed = false;
        for (node, &after) in self.nodes.iter().zip(&live_out) {
            let mut live = after;
            for pc in (node.start..node.end).rev() {
                if self
                    .number(pc)
                    .is_some_and(|number| live >> number & 1 == 0)
                {
                    step_over(&mut code[pc as usize], pc + 1);
                    removed = true;
                }
                live = effects[(pc - self.function.start) as usize].before(live);
            }
        }
        removed
    }

    /// Lets the first of several instructions that are stepped over lead behind the last.
    fn join_steps(&self, code: &mut [Inst]) {
        for pc in (self.function.start + 1..self.function.end).rev() {
            let [before, inst] = [pc - 1, pc].map(|pc| code[pc as usize]);
            if is_step(&before, pc - 1) && is_step(&inst, pc) {
                code[pc as usize - 1].low = inst.low;
            }
        }
    }
}

/// Whether reads of an instruction may go to the constant file: those of others are few, or are of
/// other lanes.
fn redirects(inst: &Inst) -> bool {
    let single = || Access::unpack(inst.mods).count_log2 == 0;
    inst.op.signature().is_some() || matches!(inst.op, Op::Ld | Op::St) && single()
}

/// Makes an instruction a jump that is not counted.
fn step_over(inst: &mut Inst, to: Pc) {
    *inst = Inst {
        low: to,
        flags: warploom_isa::Flags(warploom_isa::Flags::FUSED),
        ..Inst::new(Op::Bra)
    };
}

/// Whether an instruction is such a jump.
fn is_step(inst: &Inst, pc: Pc) -> bool {
    inst.op == Op::Bra
        && inst.flags.fused()
        && inst.guard().is_always()
        && inst.low > pc
        && inst.high == 0
}
