//! `lop3`, whose truth table is an operand and which can set a predicate.

use warploom_isa::builder::VReg;
use warploom_isa::{Mods, Op, RegClass};

use crate::ast::Operand;
use crate::diagnostic::Diagnostic;
use crate::lower::context::Lower;
use crate::lower::error;
use crate::lower::table::{Form, Word};
use crate::types::ScalarType;

/// `lop3.b32 d, a, b, c, table`
pub(crate) fn lop3(ctx: &mut Lower<'_>, _form: &Form) -> Result<(), Diagnostic> {
    let [d, a, b, c, table] = ctx.exactly()?;
    let dst = ctx.dst(d, ScalarType::B32)?;
    emit(ctx, dst, [a, b, c], table)
}

/// `lop3.BOOL.b32 d|p, a, b, c, table, q`: `p` is whether the result is not zero, combined with
/// `q`.
pub(crate) fn lop3_with_predicate(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [results, a, b, c, table, q] = ctx.exactly()?;
    let (d, p) = ctx.pair(results);
    let Some(p) = p else {
        return Err(error::operand_kind(results.span, "a pair `d|p`"));
    };
    let dst = ctx.dst(d, ScalarType::B32)?;
    let predicate = ctx.mask_dst(p)?;
    let q = ctx.mask_src(q)?;
    emit(ctx, dst, [a, b, c], table)?;
    let set = ctx.compute(RegClass::Mask, Op::SetNeI32, &[dst.into(), 0u32.into()]);
    let combine = if form.has(Word::And) {
        Op::MaskAnd
    } else {
        Op::MaskOr
    };
    if let Some(predicate) = predicate {
        let inst = ctx.op(combine).dst(predicate).src(&[set.into(), q]);
        ctx.helper(inst);
    }
    Ok(())
}

fn emit(
    ctx: &mut Lower<'_>,
    dst: VReg,
    sources: [&Operand; 3],
    table: &Operand,
) -> Result<(), Diagnostic> {
    let number = ctx.constant(table)?;
    let Ok(number) = u8::try_from(number) else {
        let message = "a truth table of three inputs has 8 bits";
        let label = "not from 0 to 255";
        return Err(Diagnostic::new(
            error::CONSTANT_RANGE,
            table.span,
            message,
            label,
        ));
    };
    let [a, b, c] = sources;
    let sources = [
        ctx.src(a, ScalarType::B32)?,
        ctx.src(b, ScalarType::B32)?,
        ctx.src(c, ScalarType::B32)?,
    ];
    let mods = Mods::NONE.with_high(number.into());
    let inst = ctx.op(Op::Lop3B32).dst(dst).src(&sources).mods(mods);
    ctx.emit(inst);
    Ok(())
}
