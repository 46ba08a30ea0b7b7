//! Arithmetic, logic, comparison and conversion.
//!
//! What there is stands in [`super::table`]; most rows are one lane operation, written here. The
//! modules below write the rows that are more than that.

pub(super) mod compare;
pub(super) mod convert;
pub(super) mod float;
pub(super) mod logic;
pub(super) mod video;

use smallvec::SmallVec;
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Mods, Op};

use super::context::Lower;
use super::parts::Parts;
use super::table::{self, Lowering, OperandType, Word};
use crate::ast::Operand;
use crate::diagnostic::Diagnostic;
use crate::types::ScalarType;

pub(crate) use super::table::{Form, operations};

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    table::decode(parts)
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    ctx.require(form.row.needs)?;
    match form.row.lowering {
        Lowering::Bare(op) => lane(ctx, form, op, Mods::NONE, None),
        Lowering::Lane(op, mods) => lane(ctx, form, op, Mods(form.mods.0 | mods.0), None),
        Lowering::LaneAnd(op, mods, last) => {
            lane(ctx, form, op, Mods(form.mods.0 | mods.0), Some(last.into()))
        }
        Lowering::Fast(plain, _) if form.mods == Mods::NONE => {
            lane(ctx, form, plain, Mods::NONE, None)
        }
        Lowering::Fast(_, general) => lane(ctx, form, general, form.mods, None),
        Lowering::Carry(op, reads) => carry(ctx, form, op, reads),
        Lowering::Custom(write) => write(ctx, form),
    }
}

/// The type of operand `n` of the row, the destination being 0.
fn operand_type(form: &Form, n: usize) -> ScalarType {
    match form.row.grammar.operands().get(n) {
        Some(&OperandType::Fixed(ty)) => ty,
        Some(&OperandType::Opcode(n)) => form.ty(n.into()),
        None => ScalarType::B32,
    }
}

/// The operands, if there are as many as the row takes.
fn operands<'a>(ctx: &Lower<'a>, form: &Form) -> Result<&'a [Operand], Diagnostic> {
    let grammar = &form.row.grammar;
    ctx.operands(grammar.required_operands(), grammar.operands().len())
}

/// The sources that are written, in order.
fn sources(ctx: &mut Lower<'_>, form: &Form) -> Result<SmallVec<[Src; 4]>, Diagnostic> {
    let operands = operands(ctx, form)?;
    let written = operands.iter().enumerate().skip(1);
    written
        .map(|(n, operand)| match operand_type(form, n) {
            ScalarType::Pred => ctx.mask_src(operand),
            ty => ctx.src(operand, ty),
        })
        .collect()
}

/// The destination; nothing for a predicate that is thrown away.
fn destination(ctx: &mut Lower<'_>, form: &Form) -> Result<Option<VReg>, Diagnostic> {
    let Some(operand) = operands(ctx, form)?.first() else {
        return Ok(None);
    };
    match operand_type(form, 0) {
        ScalarType::Pred => ctx.mask_dst(operand),
        ty => ctx.dst(operand, ty).map(Some),
    }
}

/// A row that is one lane operation.
fn lane(
    ctx: &mut Lower<'_>,
    form: &Form,
    op: Op,
    mods: Mods,
    last: Option<Src>,
) -> Result<(), Diagnostic> {
    let mut sources = sources(ctx, form)?;
    sources.extend(last);
    let dst = destination(ctx, form)?;
    let mut inst = ctx.op(op).src(&sources).mods(mods);
    inst.dst = dst;
    ctx.emit(inst);
    Ok(())
}

/// A row that sets the condition code with `.cc` and, if `reads`, reads it.
fn carry(ctx: &mut Lower<'_>, form: &Form, op: Op, reads: bool) -> Result<(), Diagnostic> {
    let mut sources = sources(ctx, form)?;
    let code = ctx.carry();
    if reads {
        sources.push(code.into());
    }
    let mut inst = ctx.op(op).src(&sources);
    inst.dst = destination(ctx, form)?;
    inst.dst2 = form.has(Word::Cc).then_some(code);
    ctx.emit(inst);
    Ok(())
}
