//! Fences and block barriers.

use warploom_isa::access::{Access, Bar, BarKind, Order, Scope};
use warploom_isa::builder::Src;
use warploom_isa::{Op, Space};

use super::context::Lower;
use super::error;
use super::parts::Parts;
use super::qualifiers::SCOPES;
use crate::ast::{Operand, OperandKind};
use crate::diagnostic::Diagnostic;
use crate::types::ScalarType;

/// A fence or barrier opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Fence(Order, Scope),
    Bar { kind: BarKind, aligned: bool },
}

/// Block barriers that a program can number.
const BARRIERS: i64 = 16;

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let form = match parts.base() {
        "membar" if parts.take("proxy") => proxy(parts)?,
        "membar" => {
            let scopes = [("cta", Scope::Cta), ("gl", Scope::Gpu), ("sys", Scope::Sys)];
            Form::Fence(Order::SeqCst, parts.require_one("level", &scopes)?)
        }
        "fence" if parts.take("proxy") => proxy(parts)?,
        "fence" => fence(parts)?,
        // Members of the warp meet in another family.
        "bar" if parts.has("warp") => return Ok(None),
        base @ ("bar" | "barrier") => {
            parts.take("cta");
            let kinds = [
                ("sync", BarKind::Sync),
                ("arrive", BarKind::Arrive),
                ("red", BarKind::RedPopc),
            ];
            let mut kind = parts.require_one("kind", &kinds)?;
            if kind == BarKind::RedPopc {
                kind = reduction(parts)?;
            }
            Form::Bar {
                kind,
                aligned: parts.take("aligned") || base == "bar",
            }
        }
        _ => return Ok(None),
    };
    parts.finish()?;
    Ok(Some(form))
}

fn reduction(parts: &mut Parts<'_>) -> Result<BarKind, Diagnostic> {
    let reductions = [
        ("popc", BarKind::RedPopc),
        ("and", BarKind::RedAnd),
        ("or", BarKind::RedOr),
    ];
    let kind = parts.require_one("reduction", &reductions)?;
    let result = match kind {
        BarKind::RedPopc => ScalarType::U32,
        _ => ScalarType::Pred,
    };
    parts.type_among(&[result])?;
    Ok(kind)
}

fn fence(parts: &mut Parts<'_>) -> Result<Form, Diagnostic> {
    let orders = [
        ("sc", Order::SeqCst),
        ("acq_rel", Order::AcqRel),
        ("acquire", Order::Acquire),
        ("release", Order::Release),
    ];
    let order = parts.take_one(&orders)?.unwrap_or(Order::AcqRel);
    // A restriction to some of the accesses: ordering all of them is right as well.
    let restrictions = [
        ("sync_restrict::shared::cta", ()),
        ("sync_restrict::shared::cluster", ()),
    ];
    parts.take_one(&restrictions)?;
    Ok(Form::Fence(order, parts.require_one("scope", SCOPES)?))
}

/// There is one way to memory, so that a fence between ways only orders.
fn proxy(parts: &mut Parts<'_>) -> Result<Form, Diagnostic> {
    let proxies = [("alias", ()), ("async", ()), ("async::generic", ())];
    parts.require_one("proxy", &proxies)?;
    let orders = [("acquire", Order::Acquire), ("release", Order::Release)];
    let order = parts.take_one(&orders)?.unwrap_or(Order::AcqRel);
    let spaces = [
        ("global", ()),
        ("shared::cta", ()),
        ("shared::cluster", ()),
        ("sync_restrict::shared::cta", ()),
        ("sync_restrict::shared::cluster", ()),
    ];
    parts.take_one(&spaces)?;
    let scope = parts.take_one(SCOPES)?.unwrap_or(Scope::Cta);
    Ok(Form::Fence(order, scope))
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match *form {
        Form::Fence(order, scope) => {
            ctx.operands(0, 0)?;
            let access = Access {
                order,
                scope,
                ..Access::plain(Space::Generic, 0)
            };
            // Who fences towards other blocks lets them see something in some order.
            if scope != Scope::Cta {
                ctx.facts.order_dependent = true;
            }
            let inst = ctx.op(Op::Fence).mods(access.pack());
            ctx.emit(inst);
            Ok(())
        }
        Form::Bar { kind, aligned } => ctx.bar(kind, aligned),
    }
}

impl Lower<'_> {
    fn bar(&mut self, kind: BarKind, aligned: bool) -> Result<(), Diagnostic> {
        let (least, most) = match kind {
            BarKind::Sync => (1, 2),
            BarKind::Arrive => (2, 2),
            BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr => (3, 4),
        };
        let operands = self.operands(least, most)?;
        let (target, rest) = match operands {
            [target, rest @ ..] if least == 3 => (Some(target), rest),
            _ => (None, operands),
        };
        let (predicate, rest) = match (target, rest) {
            (Some(_), [rest @ .., predicate]) => (Some(predicate), rest),
            _ => (None, rest),
        };
        let [number, count @ ..] = rest else {
            return Ok(());
        };
        self.check_barrier_number(number)?;
        let number = self.src(number, ScalarType::U32)?;
        let count = count.first();
        let threads = match count {
            Some(count) => self.src(count, ScalarType::U32)?,
            None => Src::None,
        };
        let mut inst = self.op(Op::Bar).src(&[number, threads]);
        let mut negated = false;
        if let Some(predicate) = predicate {
            let (mask, complement) = self.mask_operand(predicate)?;
            inst.src[2] = mask.into();
            negated = complement;
        }
        match (target, kind) {
            (Some(target), BarKind::RedPopc) => {
                inst.dst = Some(self.dst(target, ScalarType::U32)?);
            }
            (Some(target), _) => inst.dst2 = self.mask_dst(target)?,
            (None, _) => {}
        }
        let bar = Bar {
            kind,
            aligned,
            has_count: count.is_some(),
            negated,
        };
        self.emit(inst.mods(bar.pack()));
        Ok(())
    }

    fn check_barrier_number(&self, operand: &Operand) -> Result<(), Diagnostic> {
        match operand.kind {
            OperandKind::Integer(value) if !(0..BARRIERS).contains(&(value.bits as i64)) => {
                Err(Diagnostic::new(
                    error::CONSTANT_RANGE,
                    operand.span,
                    "a block has 16 barriers",
                    "not from 0 to 15",
                ))
            }
            _ => Ok(()),
        }
    }
}
