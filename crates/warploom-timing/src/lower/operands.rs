//! Which registers an instruction reads and writes.

use smallvec::SmallVec;
use warploom_isa::access::{Access, Atomic, Bar, BarKind, WarpKind, WarpOp};
use warploom_isa::{Function, Inst, Module, NO_SLOT, Op, RegClass, Slot};

/// An operand's place and kind.
pub(super) type Operand = (Slot, RegClass);

/// What an instruction reads and writes, absent operands left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Operands {
    /// Constants are among them. An address comes first.
    pub(super) sources: SmallVec<[Operand; 4]>,
    pub(super) results: SmallVec<[Operand; 2]>,
}

/// Registers of a function, each of 32 bits or a predicate: rows count from 0, masks go on after
/// the last row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    rows: u32,
    masks: u32,
}

impl Rows {
    pub(super) fn of(function: &Function) -> Rows {
        Rows {
            rows: function.rows,
            masks: function.masks.max(1),
        }
    }

    pub(super) fn count(self) -> u32 {
        self.rows + self.masks
    }

    /// The register or registers of an operand, low half first; none of a constant, nor of the
    /// mask that is always true.
    pub(super) fn find(self, (slot, class): Operand) -> Option<(u32, Option<u32>)> {
        match class {
            RegClass::Mask if slot.0 == 0 => None,
            RegClass::Mask => Some((self.rows + u32::from(slot.0), None)),
            _ if slot.is_constant() => None,
            RegClass::Lane32 => Some((slot.row() as u32, None)),
            RegClass::Lane64 => Some((slot.row() as u32, Some(slot.row() as u32 + 1))),
        }
    }
}

impl Operands {
    /// The operands of an instruction, its guard aside.
    pub(super) fn of(module: &Module, inst: &Inst) -> Operands {
        let mut found = Operands::default();
        match inst.op.signature() {
            Some(signature) => {
                let sources = [inst.a, inst.b, inst.c, inst.d];
                for (&slot, &class) in sources.iter().zip(signature.sources) {
                    found.uses(slot, class);
                }
                found.defines(inst.dst, signature.result);
                if signature.second {
                    found.defines(inst.dst2, RegClass::Mask);
                }
            }
            None => found.machine(module, inst),
        }
        found
    }

    fn uses(&mut self, slot: Slot, class: RegClass) {
        if slot != NO_SLOT {
            self.sources.push((slot, class));
        }
    }

    fn defines(&mut self, slot: Slot, class: RegClass) {
        if slot != NO_SLOT {
            self.results.push((slot, class));
        }
    }

    fn machine(&mut self, module: &Module, inst: &Inst) {
        use RegClass::{Lane32, Lane64, Mask};
        match inst.op {
            Op::Ld | Op::LdParam | Op::LdFrame | Op::St | Op::StFrame | Op::Prefetch => {
                self.memory(module, inst);
            }
            Op::Atom | Op::Red => self.atomic(module, inst),
            Op::Special => {
                let class = if inst.mods.variant() { Lane64 } else { Lane32 };
                self.defines(inst.dst, class);
            }
            Op::FrameAddress | Op::StackSave => self.defines(inst.dst, Lane64),
            Op::StackRestore | Op::CallIndirect => self.uses(inst.a, Lane64),
            Op::Brx | Op::Nanosleep => self.uses(inst.a, Lane32),
            Op::Alloca => {
                self.uses(inst.a, Lane64);
                self.defines(inst.dst, Lane64);
            }
            Op::Bar => {
                let bar = Bar::unpack(inst.mods);
                self.uses(inst.a, Lane32);
                if bar.has_count {
                    self.uses(inst.b, Lane32);
                }
                if !matches!(bar.kind, BarKind::Sync | BarKind::Arrive) {
                    self.uses(inst.c, Mask);
                    self.defines(inst.dst, Lane32);
                    self.defines(inst.dst2, Mask);
                }
            }
            Op::BarWarp | Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect => {
                let op = WarpOp::unpack(inst.mods);
                match op.kind {
                    WarpKind::VoteAll
                    | WarpKind::VoteAny
                    | WarpKind::VoteUni
                    | WarpKind::VoteBallot => self.uses(inst.a, Mask),
                    _ => self.uses(inst.a, if op.wide { Lane64 } else { Lane32 }),
                }
                for slot in [inst.b, inst.c, inst.d] {
                    self.uses(slot, Lane32);
                }
                self.defines(inst.dst, Lane32);
                self.defines(inst.dst2, Mask);
            }
            Op::ActiveMask => self.defines(inst.dst, Lane32),
            Op::MaskMov | Op::MaskNot | Op::MaskAnd | Op::MaskOr | Op::MaskXor => {
                self.uses(inst.a, Mask);
                self.uses(inst.b, Mask);
                self.defines(inst.dst, Mask);
            }
            _ => {}
        }
    }

    fn memory(&mut self, module: &Module, inst: &Inst) {
        let access = Access::unpack(inst.mods);
        if matches!(inst.op, Op::Ld | Op::St | Op::Prefetch) {
            self.uses(inst.a, address_class(access));
        }
        let stores = matches!(inst.op, Op::St | Op::StFrame);
        let class = value_class(access);
        let list = module.lists.get(inst.high as usize);
        match list.filter(|_| access.count_log2 > 0) {
            _ if inst.op == Op::Prefetch => {}
            Some(list) => {
                for &slot in list {
                    match stores {
                        true => self.uses(slot, class),
                        false => self.defines(slot, class),
                    }
                }
            }
            None if stores => self.uses(inst.b, class),
            None => self.defines(inst.dst, class),
        }
    }

    fn atomic(&mut self, module: &Module, inst: &Inst) {
        let access = Atomic::unpack(inst.mods).access;
        self.uses(inst.a, address_class(access));
        let class = value_class(access);
        let list = module.lists.get(inst.high as usize);
        match list.filter(|_| access.count_log2 > 0) {
            Some(list) => {
                let results = match inst.op {
                    Op::Atom => (access.count() as usize).min(list.len()),
                    _ => 0,
                };
                for &slot in &list[..results] {
                    self.defines(slot, class);
                }
                for &slot in &list[results..] {
                    self.uses(slot, class);
                }
            }
            None => {
                self.uses(inst.b, class);
                self.uses(inst.c, class);
                self.defines(inst.dst, class);
            }
        }
    }
}

fn address_class(access: Access) -> RegClass {
    match access.narrow_address {
        true => RegClass::Lane32,
        false => RegClass::Lane64,
    }
}

fn value_class(access: Access) -> RegClass {
    match access.wide_registers {
        true => RegClass::Lane64,
        false => RegClass::Lane32,
    }
}
