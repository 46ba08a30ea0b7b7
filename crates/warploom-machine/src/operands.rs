//! Which registers an instruction reads and writes.
//!
//! The one list of every operation's operands: what checks a program and what analyses it both
//! walk it.

use warploom_isa::access::{Access, Atomic, AtomicOp, Bar, BarKind, WarpKind, WarpOp};
use warploom_isa::{Inst, Op, RegClass, Slot};

/// What an instruction does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// It reads it.
    Read,
    /// It writes it in the lanes that execute.
    Write,
}

/// Shows `visit` every register operand, the guard among them, what is done with it and its class.
/// Operands of lists are in `lists`. Ends at the first error of `visit`, or with one of its own
/// where a list is missing or has the wrong length.
#[inline(always)]
pub(crate) fn for_each(
    inst: &mut Inst,
    lists: &mut [Vec<Slot>],
    mut visit: impl FnMut(Use, &mut Slot, RegClass) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    use RegClass::{Lane32, Lane64, Mask};
    use Use::{Read, Write};
    visit(Read, &mut Slot(inst.guard.0), Mask)?;
    if let Some(signature) = inst.op.signature() {
        let sources = [&mut inst.a, &mut inst.b, &mut inst.c, &mut inst.d];
        for (slot, &class) in sources.into_iter().zip(signature.sources) {
            visit(Read, slot, class)?;
        }
        visit(Write, &mut inst.dst, signature.result)?;
        if signature.second {
            visit(Write, &mut inst.dst2, Mask)?;
        }
        return Ok(());
    }
    match inst.op {
        Op::Brx | Op::Nanosleep => visit(Read, &mut inst.a, Lane32),
        Op::CallIndirect | Op::StackRestore => visit(Read, &mut inst.a, Lane64),
        Op::Special => {
            let class = if inst.mods.variant() { Lane64 } else { Lane32 };
            visit(Write, &mut inst.dst, class)
        }
        Op::LdParam
        | Op::LdFrame
        | Op::Ld
        | Op::St
        | Op::StFrame
        | Op::Atom
        | Op::Red
        | Op::Prefetch => memory(inst, lists, visit),
        Op::FrameAddress | Op::StackSave => visit(Write, &mut inst.dst, Lane64),
        Op::Alloca => {
            visit(Read, &mut inst.a, Lane64)?;
            visit(Write, &mut inst.dst, Lane64)
        }
        Op::Bar => {
            let bar = Bar::unpack(inst.mods);
            visit(Read, &mut inst.a, Lane32)?;
            if bar.has_count {
                visit(Read, &mut inst.b, Lane32)?;
            }
            match bar.kind {
                BarKind::RedPopc => {
                    visit(Read, &mut inst.c, Mask)?;
                    visit(Write, &mut inst.dst, Lane32)
                }
                BarKind::RedAnd | BarKind::RedOr => {
                    visit(Read, &mut inst.c, Mask)?;
                    visit(Write, &mut inst.dst2, Mask)
                }
                _ => Ok(()),
            }
        }
        Op::BarWarp | Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect => {
            warp_op(inst, visit)
        }
        Op::ActiveMask => visit(Write, &mut inst.dst, Lane32),
        Op::MaskMov | Op::MaskNot => {
            visit(Read, &mut inst.a, Mask)?;
            visit(Write, &mut inst.dst, Mask)
        }
        Op::MaskAnd | Op::MaskOr | Op::MaskXor => {
            visit(Read, &mut inst.a, Mask)?;
            visit(Read, &mut inst.b, Mask)?;
            visit(Write, &mut inst.dst, Mask)
        }
        Op::Block | Op::Bra | Op::Call | Op::HostCall | Op::Ret | Op::Exit => Ok(()),
        Op::Trap | Op::Brkpt | Op::Nop | Op::Fence => Ok(()),
        _ => Err("unknown operation"),
    }
}

fn warp_op(
    inst: &mut Inst,
    mut visit: impl FnMut(Use, &mut Slot, RegClass) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    use RegClass::{Lane32, Lane64, Mask};
    use Use::{Read, Write};
    let op = WarpOp::unpack(inst.mods);
    if op.sync {
        visit(Read, &mut inst.d, Lane32)?;
    }
    match inst.op {
        Op::Vote => {
            visit(Read, &mut inst.a, Mask)?;
            if op.kind == WarpKind::VoteBallot {
                return visit(Write, &mut inst.dst, Lane32);
            }
            visit(Write, &mut inst.dst2, Mask)
        }
        Op::Match => {
            visit(Read, &mut inst.a, if op.wide { Lane64 } else { Lane32 })?;
            visit(Write, &mut inst.dst, Lane32)?;
            visit(Write, &mut inst.dst2, Mask)
        }
        Op::Shfl => {
            visit(Read, &mut inst.a, Lane32)?;
            visit(Read, &mut inst.b, Lane32)?;
            visit(Read, &mut inst.c, Lane32)?;
            visit(Write, &mut inst.dst, Lane32)?;
            visit(Write, &mut inst.dst2, Mask)
        }
        Op::Redux => {
            visit(Read, &mut inst.a, Lane32)?;
            visit(Write, &mut inst.dst, Lane32)
        }
        Op::Elect => {
            visit(Write, &mut inst.dst, Lane32)?;
            visit(Write, &mut inst.dst2, Mask)
        }
        _ => Ok(()),
    }
}

fn memory(
    inst: &mut Inst,
    lists: &mut [Vec<Slot>],
    mut visit: impl FnMut(Use, &mut Slot, RegClass) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    use RegClass::{Lane32, Lane64};
    use Use::{Read, Write};
    let access = Access::unpack(inst.mods);
    let of = |wide| if wide { Lane64 } else { Lane32 };
    let class = of(access.wide_registers);
    if !matches!(inst.op, Op::LdParam | Op::LdFrame | Op::StFrame) {
        visit(Read, &mut inst.a, of(!access.narrow_address))?;
    }
    let (results, sources) = match inst.op {
        Op::Prefetch => return Ok(()),
        Op::LdParam | Op::LdFrame | Op::Ld => (1, 0),
        Op::St | Op::StFrame => (0, 1),
        _ => {
            let swaps = Atomic::unpack(inst.mods).op == AtomicOp::Cas;
            let returns = inst.op == Op::Atom;
            (usize::from(returns), 1 + usize::from(swaps))
        }
    };
    let count = access.count() as usize;
    if count == 1 {
        let read = [&mut inst.b, &mut inst.c].into_iter().take(sources);
        for slot in read {
            visit(Read, slot, class)?;
        }
        if results == 1 {
            visit(Write, &mut inst.dst, class)?;
        }
        return Ok(());
    }
    let list = lists.get_mut(inst.high as usize).ok_or("register list")?;
    if list.len() != (results + sources) * count {
        return Err("register list length");
    }
    let (written, read) = list.split_at_mut(results * count);
    for slot in written {
        visit(Write, slot, class)?;
    }
    read.iter_mut()
        .try_for_each(|slot| visit(Read, slot, class))
}
