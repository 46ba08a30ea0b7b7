//! Decoded code as text, one line per instruction.
//!
//! ```text
//! b0:
//!   | mov.special r0, tid.x
//!     setp.lt.s32 m1, r0, 16
//!     @!m1 bra b2, meet b2
//! ```
//!
//! `r` is a 32-bit register, `d` a 64-bit one, `m` a mask, each with its row. Constants stand for
//! themselves. A `|` marks what is fused to a neighbour and not counted.

use std::fmt::Write;

use crate::access::{
    Access, Atomic, AtomicType, Bar, BarKind, HostFunction, Order, Scope, Special, WarpKind, WarpOp,
};
use crate::address::Space;
use crate::inst::{EXIT_PC, Inst, NO_SLOT, Pc};
use crate::lane::RegClass;
use crate::module::{Constant, FrameRange, FunctionId, Module};
use crate::op::Op;
use crate::slot::Slot;

/// The code of a function.
pub fn function(module: &Module, id: FunctionId) -> String {
    let mut text = String::new();
    let Some(function) = module.functions.get(id.index()) else {
        return text;
    };
    for pc in function.start..function.end {
        text += &line(module, pc);
        text.push('\n');
    }
    text
}

/// One line of a listing; empty where there is no instruction.
pub fn line(module: &Module, pc: Pc) -> String {
    let Some(inst) = module.code.get(pc as usize) else {
        return String::new();
    };
    let printer = Printer { module };
    match (inst.op, inst.flags.fused()) {
        (Op::Block, _) => format!("b{}:", inst.low),
        (_, true) => format!("  | {}", printer.inst(inst)),
        (_, false) => format!("    {}", printer.inst(inst)),
    }
}

struct Printer<'m> {
    module: &'m Module,
}

impl Printer<'_> {
    fn inst(&self, inst: &Inst) -> String {
        let mut text = String::new();
        if !inst.guard().is_always() {
            let sign = if inst.flags.negated_guard() { "!" } else { "" };
            let _ = write!(text, "@{sign}m{} ", inst.guard.0);
        }
        text += &self.name(inst);
        let operands = self.operands(inst);
        if !operands.is_empty() {
            text.push(' ');
            text += &operands.join(", ");
        }
        text
    }

    fn name(&self, inst: &Inst) -> String {
        let name = inst.op.name();
        match inst.op {
            Op::Ld | Op::St | Op::LdParam | Op::LdFrame | Op::StFrame | Op::Prefetch => {
                let access = Access::unpack(inst.mods);
                let convention = if inst.flags.convention() { ".call" } else { "" };
                let space = match inst.op {
                    Op::Ld | Op::St | Op::Prefetch => space_suffix(access.space),
                    _ => String::new(),
                };
                let read_only = if access.read_only { ".nc" } else { "" };
                let order = order_suffix(access.order, access.scope);
                let vector = vector_suffix(access);
                let kind = if access.signed { "s" } else { "b" };
                let bits = 8 * access.element_bytes();
                format!("{name}{convention}{space}{order}{read_only}{vector}.{kind}{bits}")
            }
            Op::Atom | Op::Red => {
                let atomic = Atomic::unpack(inst.mods);
                let access = atomic.access;
                let space = space_suffix(access.space);
                let order = order_suffix(access.order, access.scope);
                let vector = vector_suffix(access);
                let mut ty = atomic.ty.name().to_owned();
                if let AtomicType::U | AtomicType::S | AtomicType::F = atomic.ty {
                    ty += &(8 * access.element_bytes()).to_string();
                }
                format!("{name}{space}{order}.{}{vector}.{ty}", atomic.op.name())
            }
            Op::Fence => {
                let access = Access::unpack(inst.mods);
                format!("{name}{}", order_suffix(access.order, access.scope))
            }
            Op::Bar => {
                let bar = Bar::unpack(inst.mods);
                let aligned = if bar.aligned { ".aligned" } else { "" };
                format!("{name}.{}{aligned}", bar.kind.name())
            }
            Op::Vote | Op::Match | Op::Shfl | Op::Redux => self.warp_name(inst),
            _ if inst.op.signature().is_some() && inst.mods.raw() != 0 => {
                format!("{name}/{:#x}", inst.mods.raw())
            }
            _ => name.to_owned(),
        }
    }

    fn warp_name(&self, inst: &Inst) -> String {
        let op = WarpOp::unpack(inst.mods);
        let mut name = format!("{}.{}", inst.op.name(), op.kind.name());
        let flags = [
            (op.sync, ".sync"),
            (op.abs, ".abs"),
            (op.nan, ".NaN"),
            (op.wide, ".b64"),
            (op.signed, ".s32"),
            (op.float, ".f32"),
        ];
        for (_, suffix) in flags.iter().filter(|(on, _)| *on) {
            name += suffix;
        }
        name
    }

    fn operands(&self, inst: &Inst) -> Vec<String> {
        if let Some(signature) = inst.op.signature() {
            let mut operands = vec![self.slot(inst.dst, signature.result)];
            if signature.second {
                operands.push(self.slot(inst.dst2, RegClass::Mask));
            }
            let sources = [inst.a, inst.b, inst.c, inst.d];
            let classed = sources.iter().zip(signature.sources);
            operands.extend(classed.map(|(&slot, &class)| self.slot(slot, class)));
            return operands;
        }
        self.machine_operands(inst)
    }

    fn machine_operands(&self, inst: &Inst) -> Vec<String> {
        use RegClass::{Lane32, Lane64, Mask};
        let slot = |slot: Slot, class: RegClass| self.slot(slot, class);
        match inst.op {
            Op::Bra => vec![
                self.target(inst.low),
                format!("meet {}", self.target(inst.high)),
            ],
            Op::Brx => {
                let table = self.module.branch_tables.get(inst.low as usize);
                let targets = table.into_iter().flatten().map(|&pc| self.target(pc));
                let targets: Vec<String> = targets.collect();
                let table = format!("{{{}}}", targets.join(", "));
                let meet = format!("meet {}", self.target(inst.high));
                vec![slot(inst.a, Lane32), table, meet]
            }
            Op::Call => {
                let callee = self.module.functions.get(inst.low as usize);
                let name = callee.map_or("?", |function| function.name.as_str());
                self.call(inst, name.to_owned())
            }
            Op::CallIndirect => self.call(inst, slot(inst.a, Lane64)),
            Op::HostCall => self.call(inst, HostFunction::from_code(inst.low).name().to_owned()),
            Op::Special => {
                let class = if inst.mods.variant() { Lane64 } else { Lane32 };
                let register = Special::from_code(inst.mods.high().into());
                let mut name = register.name().to_owned();
                if inst.low != 0 {
                    name += &inst.low.to_string();
                }
                vec![slot(inst.dst, class), name]
            }
            Op::Ld | Op::LdParam | Op::LdFrame => {
                let access = Access::unpack(inst.mods);
                vec![self.destinations(inst, access), self.address(inst)]
            }
            Op::St | Op::StFrame => {
                let access = Access::unpack(inst.mods);
                let class = register_class(access);
                let value = match access.count_log2 {
                    0 => slot(inst.b, class),
                    _ => self.list(inst.high, 0, access.count() as usize, class),
                };
                vec![self.address(inst), value]
            }
            Op::Prefetch => vec![self.address(inst)],
            Op::FrameAddress => vec![slot(inst.dst, Lane64), inst.low.to_string()],
            Op::Atom | Op::Red => self.atomic(inst),
            Op::Bar => {
                let bar = Bar::unpack(inst.mods);
                let mut operands = Vec::new();
                match bar.kind {
                    BarKind::RedPopc => operands.push(slot(inst.dst, Lane32)),
                    BarKind::RedAnd | BarKind::RedOr => operands.push(slot(inst.dst2, Mask)),
                    BarKind::Sync | BarKind::Arrive => {}
                }
                operands.push(slot(inst.a, Lane32));
                if bar.has_count {
                    operands.push(slot(inst.b, Lane32));
                }
                if inst.c != NO_SLOT {
                    operands.push(signed_mask(inst.c, bar.negated));
                }
                operands
            }
            Op::BarWarp => vec![slot(inst.d, Lane32)],
            Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect => self.warp(inst),
            Op::ActiveMask => vec![slot(inst.dst, Lane32)],
            Op::MaskMov | Op::MaskNot => vec![slot(inst.dst, Mask), slot(inst.a, Mask)],
            Op::MaskAnd | Op::MaskOr | Op::MaskXor => {
                vec![slot(inst.dst, Mask), slot(inst.a, Mask), slot(inst.b, Mask)]
            }
            Op::Alloca => {
                let align = format!("align {}", inst.low);
                vec![slot(inst.dst, Lane64), slot(inst.a, Lane64), align]
            }
            Op::StackSave => vec![slot(inst.dst, Lane64)],
            Op::StackRestore => vec![slot(inst.a, Lane64)],
            Op::Nanosleep => vec![slot(inst.a, Lane32)],
            _ => Vec::new(),
        }
    }

    fn warp(&self, inst: &Inst) -> Vec<String> {
        use RegClass::{Lane32, Lane64, Mask};
        let op = WarpOp::unpack(inst.mods);
        let mut operands = Vec::new();
        if inst.dst != NO_SLOT {
            operands.push(self.slot(inst.dst, Lane32));
        }
        if inst.dst2 != NO_SLOT {
            operands.push(self.slot(inst.dst2, Mask));
        }
        match op.kind {
            WarpKind::VoteAll | WarpKind::VoteAny | WarpKind::VoteUni | WarpKind::VoteBallot => {
                operands.push(signed_mask(inst.a, op.negated));
            }
            WarpKind::Elect | WarpKind::Bar => {}
            _ => {
                let class = if op.wide { Lane64 } else { Lane32 };
                operands.push(self.slot(inst.a, class));
            }
        }
        for source in [inst.b, inst.c, inst.d] {
            if source != NO_SLOT {
                operands.push(self.slot(source, Lane32));
            }
        }
        operands
    }

    fn atomic(&self, inst: &Inst) -> Vec<String> {
        let access = Atomic::unpack(inst.mods).access;
        let class = register_class(access);
        let returns = inst.op == Op::Atom;
        let mut operands = Vec::new();
        let list = self.module.lists.get(inst.high as usize);
        let each = access.count() as usize;
        match list.filter(|_| each > 1) {
            Some(list) => {
                let groups =
                    (0..list.len() / each).map(|n| self.list(inst.high, n * each, each, class));
                operands.extend(groups);
                operands.insert(usize::from(returns), self.address(inst));
            }
            None => {
                if returns {
                    operands.push(self.slot(inst.dst, class));
                }
                operands.push(self.address(inst));
                for source in [inst.b, inst.c] {
                    if source != NO_SLOT {
                        operands.push(self.slot(source, class));
                    }
                }
            }
        }
        operands
    }

    fn call(&self, inst: &Inst, callee: String) -> Vec<String> {
        let ranges = |ranges: &[FrameRange]| {
            let texts = ranges
                .iter()
                .map(|range| format!("{}:{}", range.offset, range.bytes));
            format!("({})", texts.collect::<Vec<_>>().join(", "))
        };
        match self.module.call_sites.get(inst.high as usize) {
            Some(site) => vec![ranges(&site.returns), callee, ranges(&site.arguments)],
            None => vec![callee],
        }
    }

    fn destinations(&self, inst: &Inst, access: Access) -> String {
        let class = register_class(access);
        match access.count_log2 {
            0 => self.slot(inst.dst, class),
            _ => self.list(inst.high, 0, access.count() as usize, class),
        }
    }

    fn list(&self, number: u32, start: usize, count: usize, class: RegClass) -> String {
        let list = self.module.lists.get(number as usize);
        let slots = list.and_then(|list| list.get(start..start + count));
        let texts = slots
            .into_iter()
            .flatten()
            .map(|&slot| self.slot(slot, class));
        format!("{{{}}}", texts.collect::<Vec<_>>().join(", "))
    }

    fn address(&self, inst: &Inst) -> String {
        let offset = inst.offset();
        if matches!(inst.op, Op::LdParam | Op::LdFrame | Op::StFrame) {
            return format!("[{offset}]");
        }
        let class = match Access::unpack(inst.mods).narrow_address {
            true => RegClass::Lane32,
            false => RegClass::Lane64,
        };
        match offset {
            0 => format!("[{}]", self.slot(inst.a, class)),
            _ => format!("[{}{offset:+}]", self.slot(inst.a, class)),
        }
    }

    fn slot(&self, slot: Slot, class: RegClass) -> String {
        if slot == NO_SLOT {
            return "_".to_owned();
        }
        if class == RegClass::Mask {
            return format!("m{}", slot.0);
        }
        if slot.is_constant() {
            return self.constant(slot.row());
        }
        match class {
            RegClass::Lane64 => format!("d{}", slot.0),
            _ => format!("r{}", slot.0),
        }
    }

    fn constant(&self, row: usize) -> String {
        let rows = &self.module.constant_rows;
        let at = rows.binary_search_by_key(&row, |&first| usize::from(first));
        let constant = at.ok().and_then(|at| self.module.constants.get(at));
        match constant {
            Some(Constant::Bits32(bits)) => number(u64::from(*bits)),
            Some(Constant::Bits64(bits)) => number(*bits),
            Some(&Constant::Address(id, offset) | &Constant::Address32(id, offset)) => {
                let variable = self.module.variables.get(id.index());
                let name = variable.map_or("?", |variable| variable.name.as_str());
                match offset {
                    0 => format!("&{name}"),
                    _ => format!("&{name}{offset:+}"),
                }
            }
            Some(Constant::Function(id)) => {
                let function = self.module.functions.get(id.index());
                let name = function.map_or("?", |function| function.name.as_str());
                format!("&{name}")
            }
            None => "?".to_owned(),
        }
    }

    /// A branch target by its block.
    fn target(&self, pc: Pc) -> String {
        if pc == EXIT_PC {
            return "exit".to_owned();
        }
        match self.module.code.get(pc as usize) {
            Some(inst) if inst.op == Op::Block => format!("b{}", inst.low),
            _ => format!("{pc}"),
        }
    }
}

/// Small numbers as people write them, others by their bits.
fn number(bits: u64) -> String {
    if bits < 10_000 {
        bits.to_string()
    } else {
        format!("{bits:#x}")
    }
}

fn signed_mask(slot: Slot, negated: bool) -> String {
    let sign = if negated { "!" } else { "" };
    format!("{sign}m{}", slot.0)
}

fn register_class(access: Access) -> RegClass {
    match access.wide_registers {
        true => RegClass::Lane64,
        false => RegClass::Lane32,
    }
}

fn space_suffix(space: Space) -> String {
    format!(".{}", space.name())
}

fn vector_suffix(access: Access) -> String {
    match access.count_log2 {
        0 => String::new(),
        _ => format!(".v{}", access.count()),
    }
}

fn order_suffix(order: Order, scope: Scope) -> String {
    let order = match order {
        Order::Weak => return String::new(),
        Order::Volatile => return ".volatile".to_owned(),
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "sc",
        Order::Mmio => "mmio",
    };
    let scope = match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    };
    format!(".{order}.{scope}")
}
