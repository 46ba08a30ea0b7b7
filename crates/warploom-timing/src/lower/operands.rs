//! Which registers an instruction reads and writes.

use smallvec::SmallVec;
use warploom_isa::access::{Access, Atomic, Bar, BarKind, WarpKind, WarpOp};
use warploom_isa::{Function, Inst, Module, NO_SLOT, Op, RegClass, Slot};

/// A register of a function: a row, a pair of rows by its first, or a mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Operand {
    /// Rows count from 0, masks after the last row.
    pub(super) number: u32,
    pub(super) class: RegClass,
}

/// What an instruction reads and writes. Constants are no registers, nor is the true mask.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Operands {
    /// Address registers first, the guard last.
    pub(super) uses: SmallVec<[Operand; 4]>,
    pub(super) defs: SmallVec<[Operand; 2]>,
}

impl Operands {
    /// The registers of `inst`, an instruction of `function`.
    pub(super) fn of(module: &Module, function: &Function, inst: &Inst) -> Operands {
        let mut reader = Reader {
            rows: function.rows,
            found: Operands::default(),
        };
        match inst.op.signature() {
            Some(signature) => {
                let sources = [inst.a, inst.b, inst.c, inst.d];
                for (&slot, &class) in sources.iter().zip(signature.sources) {
                    reader.uses(slot, class);
                }
                reader.defines(inst.dst, signature.result);
                if signature.second {
                    reader.defines(inst.dst2, RegClass::Mask);
                }
            }
            None => reader.machine(module, inst),
        }
        reader.uses(Slot(inst.guard.0), RegClass::Mask);
        reader.found
    }
}

struct Reader {
    rows: u32,
    found: Operands,
}

impl Reader {
    fn operand(&self, slot: Slot, class: RegClass) -> Option<Operand> {
        let number = match class {
            _ if slot == NO_SLOT => return None,
            RegClass::Mask if slot.0 == 0 => return None,
            RegClass::Mask => self.rows + u32::from(slot.0),
            _ if slot.is_constant() => return None,
            _ => slot.row() as u32,
        };
        Some(Operand { number, class })
    }

    fn uses(&mut self, slot: Slot, class: RegClass) {
        let operand = self.operand(slot, class);
        self.found.uses.extend(operand);
    }

    fn defines(&mut self, slot: Slot, class: RegClass) {
        let operand = self.operand(slot, class);
        self.found.defs.extend(operand);
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
