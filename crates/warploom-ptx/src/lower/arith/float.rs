//! Floating-point instructions that are more than one lane operation.

use warploom_isa::arith::Round;
use warploom_isa::{Mods, Op, RegClass};

use super::{destination, lane, sources};
use crate::diagnostic::Diagnostic;
use crate::lower::context::Lower;
use crate::lower::error;
use crate::lower::table::{self, Form};

/// `min` and `max` of two or three f32.
pub(crate) fn extremum(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let three = super::operands(ctx, form)?.len() == 4;
    let op = match (ctx.opcode.base(), three) {
        ("min", false) => Op::MinF32,
        ("min", true) => Op::Min3F32,
        (_, false) => Op::MaxF32,
        (_, true) => Op::Max3F32,
    };
    let module = ctx.module;
    if three && !table::THREE_OPERANDS.met_by(module.version, &module.target) {
        let needs = format!("{} for three operands", table::THREE_OPERANDS.text());
        let span = ctx.inst.opcode_span(ctx.opcode);
        return Err(error::too_new(span, ctx.opcode.text, &needs));
    }
    lane(ctx, form, op, form.mods, None)
}

/// `mad.f32` without rounding, of targets before `sm_20`: the product is cut to f32 before the sum
/// is rounded, and subnormal numbers are zero.
pub(crate) fn mad_of_sm_1x(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    if ctx.module.target.architecture >= 20 {
        let span = ctx.inst.opcode_span(ctx.opcode);
        let message = format!("`{}` needs one of .rn .rz .rm .rp", ctx.opcode.text);
        let label = "a modifier is missing";
        return Err(Diagnostic::new(
            error::MISSING_MODIFIER,
            span,
            message,
            label,
        ));
    }
    let sources = sources(ctx, form)?;
    let dst = destination(ctx, form)?;
    let &[a, b, c] = sources.as_slice() else {
        return Ok(());
    };
    let cut = Mods::NONE.with_ftz(true).with_round(Round::Zero);
    let product = ctx.temp(RegClass::Lane32);
    let inst = ctx.op(Op::MulWithF32).dst(product).src(&[a, b]).mods(cut);
    ctx.helper(inst);
    let mut sum = ctx
        .op(Op::AddWithF32)
        .src(&[product.into(), c])
        .mods(form.mods.with_ftz(true));
    sum.dst = dst;
    ctx.emit(sum);
    Ok(())
}
