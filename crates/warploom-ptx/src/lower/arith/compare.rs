//! `setp`, `set` and `slct`.

use smallvec::SmallVec;
use warploom_isa::arith::{Cmp, Narrow};
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Mods, Op, RegClass};

use crate::ast::Operand;
use crate::diagnostic::Diagnostic;
use crate::lower::context::Lower;
use crate::lower::error;
use crate::lower::table::{Form, Word};
use crate::types::{ScalarType, TypeClass};

const COMPARISONS: &[(Word, Cmp)] = &[
    (Word::Eq, Cmp::Eq),
    (Word::Ne, Cmp::Ne),
    (Word::Lt, Cmp::Lt),
    (Word::Le, Cmp::Le),
    (Word::Gt, Cmp::Gt),
    (Word::Ge, Cmp::Ge),
    (Word::Lo, Cmp::Lt),
    (Word::Ls, Cmp::Le),
    (Word::Hi, Cmp::Gt),
    (Word::Hs, Cmp::Ge),
    (Word::Equ, Cmp::Equ),
    (Word::Neu, Cmp::Neu),
    (Word::Ltu, Cmp::Ltu),
    (Word::Leu, Cmp::Leu),
    (Word::Gtu, Cmp::Gtu),
    (Word::Geu, Cmp::Geu),
    (Word::Num, Cmp::Num),
    (Word::IsNan, Cmp::Nan),
];

fn comparison(form: &Form) -> Cmp {
    let found = COMPARISONS.iter().find(|&&(word, _)| form.has(word));
    found.map_or(Cmp::Eq, |&(_, cmp)| cmp)
}

/// The mask operation of `.and`, `.or` or `.xor`.
fn combination(form: &Form) -> Option<Op> {
    let words = [
        (Word::And, Op::MaskAnd),
        (Word::Or, Op::MaskOr),
        (Word::Xor, Op::MaskXor),
    ];
    let found = words.into_iter().find(|&(word, _)| form.has(word));
    found.map(|(_, op)| op)
}

/// The 16-bit format of a type.
fn format(ty: ScalarType) -> Narrow {
    match ty {
        ScalarType::Bf16 | ScalarType::Bf16x2 => Narrow::Bf16,
        _ => Narrow::F16,
    }
}

/// The lane operation of a comparison, whether its sources are swapped, and its modifiers.
fn operation(ty: ScalarType, cmp: Cmp, ftz: bool) -> (Op, bool, Mods) {
    let mods = Mods::NONE.with_cmp(cmp).with_ftz(ftz);
    let general = |op| (op, false, mods.with_format(format(ty)));
    let plain = |op| (op, false, Mods::NONE);
    let swapped = |op| (op, true, Mods::NONE);
    let signed = ty.class() == TypeClass::Signed;
    match (ty, ty.width_bits(), cmp) {
        (ScalarType::F32, _, Cmp::Lt) if !ftz => plain(Op::SetLtF32),
        (ScalarType::F32, _, Cmp::Gt) if !ftz => plain(Op::SetGtF32),
        (ScalarType::F32, _, Cmp::Le) if !ftz => plain(Op::SetLeF32),
        (ScalarType::F32, _, Cmp::Ge) if !ftz => plain(Op::SetGeF32),
        (ScalarType::F32, _, Cmp::Eq) if !ftz => plain(Op::SetEqF32),
        (ScalarType::F32, _, Cmp::Neu) if !ftz => plain(Op::SetNeuF32),
        (ScalarType::F32, ..) => general(Op::SetF32),
        (ScalarType::F64, ..) => general(Op::SetF64),
        (ScalarType::F16 | ScalarType::Bf16, ..) => general(Op::SetF16),
        (ScalarType::F16x2 | ScalarType::Bf16x2, ..) => general(Op::SetH2),
        (_, 16, _) if signed => general(Op::SetS16),
        (_, 16, _) => general(Op::SetU16),
        (_, 64, Cmp::Eq) => plain(Op::SetEqI64),
        (_, 64, Cmp::Ne) => plain(Op::SetNeI64),
        (_, 64, Cmp::Lt) if signed => plain(Op::SetLtS64),
        (_, 64, Cmp::Gt) if signed => swapped(Op::SetLtS64),
        (_, 64, _) if signed => general(Op::SetS64),
        (_, 64, Cmp::Lt) => plain(Op::SetLtU64),
        (_, 64, Cmp::Gt) => swapped(Op::SetLtU64),
        (_, 64, _) => general(Op::SetU64),
        (_, _, Cmp::Eq) => plain(Op::SetEqI32),
        (_, _, Cmp::Ne) => plain(Op::SetNeI32),
        (_, _, Cmp::Lt) if signed => plain(Op::SetLtS32),
        (_, _, Cmp::Le) if signed => plain(Op::SetLeS32),
        (_, _, Cmp::Gt) if signed => swapped(Op::SetLtS32),
        (_, _, _) if signed => swapped(Op::SetLeS32),
        (_, _, Cmp::Lt) => plain(Op::SetLtU32),
        (_, _, Cmp::Le) => plain(Op::SetLeU32),
        (_, _, Cmp::Gt) => swapped(Op::SetLtU32),
        _ => swapped(Op::SetLeU32),
    }
}

/// The comparison of two operands, as the counted operation, into one mask or, of packed types,
/// two.
fn compare(
    ctx: &mut Lower<'_>,
    form: &Form,
    ty: ScalarType,
    [a, b]: [&Operand; 2],
    results: [Option<VReg>; 2],
) -> Result<(), Diagnostic> {
    let (op, swap, mods) = operation(ty, comparison(form), form.has(Word::Ftz));
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    let mut inst = ctx
        .op(op)
        .src(&if swap { [b, a] } else { [a, b] })
        .mods(mods);
    [inst.dst, inst.dst2] = results;
    ctx.emit(inst);
    Ok(())
}

/// The predicate that a comparison is combined with; there is one exactly if the opcode says so.
fn third(ctx: &mut Lower<'_>, form: &Form) -> Result<Option<(Op, Src)>, Diagnostic> {
    let combine = combination(form);
    let count = if combine.is_some() { 4 } else { 3 };
    let operands = ctx.operands(count, count)?;
    match (combine, operands.get(3)) {
        (Some(op), Some(operand)) => Ok(Some((op, ctx.mask_src(operand)?))),
        _ => Ok(None),
    }
}

/// `setp`: `p` is the comparison, `q` its opposite or, of packed types, the comparison of the
/// upper elements; each combined with a third predicate.
pub(crate) fn setp(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let ty = form.ty(0);
    let combine = third(ctx, form)?;
    let [d, a, b, ..] = super::operands(ctx, form)? else {
        return Ok(());
    };
    let packed = ty.elements() == 2;
    let (p, q) = ctx.pair(d);
    if let Some(q) = q
        && matches!(ty, ScalarType::F16 | ScalarType::Bf16)
    {
        let message = format!("`{}` gives one predicate", ctx.opcode.text);
        return Err(Diagnostic::new(
            error::OPERAND_COUNT,
            q.span,
            message,
            "one too many",
        ));
    }
    let p = ctx.mask_dst(p)?;
    let q = match q {
        Some(q) => ctx.mask_dst(q)?,
        None => None,
    };
    let third_register = match combine {
        Some((_, Src::Reg(reg))) => Some(reg),
        _ => None,
    };
    let guard = ctx.guard().map(|(guard, _)| guard);
    let is_read_later =
        |dst: Option<VReg>| dst.is_some() && (dst == guard || dst == third_register);
    let overlap = p.is_some() && q.is_some() && (is_read_later(p) || is_read_later(q));
    // With nothing to combine, the comparison writes the destinations itself.
    let direct = combine.is_none() && !overlap;
    let place = |ctx: &mut Lower<'_>, dst: Option<VReg>| match dst {
        Some(dst) if direct => dst,
        _ => ctx.temp(RegClass::Mask),
    };
    let low = place(ctx, p);
    let high = q.map(|_| place(ctx, q));
    compare(ctx, form, ty, [a, b], [Some(low), high.filter(|_| packed)])?;
    if let Some(high) = high.filter(|_| !packed) {
        let inst = ctx.op(Op::MaskNot).dst(high).src(&[low.into()]);
        ctx.helper(inst);
    }
    if direct {
        return Ok(());
    }
    let values = [(p, Some(low)), (q, high)];
    let mut results: SmallVec<[(VReg, VReg); 2]> = SmallVec::new();
    for (dst, value) in values {
        let (Some(dst), Some(value)) = (dst, value) else {
            continue;
        };
        let Some((op, third)) = combine else {
            results.push((dst, value));
            continue;
        };
        let to = if overlap {
            ctx.temp(RegClass::Mask)
        } else {
            dst
        };
        let inst = ctx.op(op).dst(to).src(&[value.into(), third]);
        ctx.helper(inst);
        if overlap {
            results.push((dst, to));
        }
    }
    // The guard is written last: it decides about both.
    results.sort_by_key(|&(dst, _)| Some(dst) == guard);
    for (dst, value) in results {
        let inst = ctx.op(Op::MaskMov).dst(dst).src(&[value.into()]);
        ctx.helper(inst);
    }
    Ok(())
}

/// What `set` writes for true.
fn truth(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::F32 => 1f32.to_bits(),
        ScalarType::F16 | ScalarType::F16x2 => Narrow::F16.one().into(),
        ScalarType::Bf16 | ScalarType::Bf16x2 => Narrow::Bf16.one().into(),
        ScalarType::U16 | ScalarType::S16 => 0xffff,
        _ => u32::MAX,
    }
}

/// `set`: a comparison as a number, of packed types in each half.
pub(crate) fn set(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let (to, from) = (form.ty(0), form.ty(1));
    let combine = third(ctx, form)?;
    let [d, a, b, ..] = super::operands(ctx, form)? else {
        return Ok(());
    };
    let dst = ctx.dst(d, to)?;
    let packed = from.elements() == 2;
    let low = ctx.temp(RegClass::Mask);
    let high = packed.then(|| ctx.temp(RegClass::Mask));
    compare(ctx, form, from, [a, b], [Some(low), high])?;
    let mut choose = |mask: VReg, value: u32| {
        let mask = match combine {
            Some((op, third)) => ctx.compute(RegClass::Mask, op, &[mask.into(), third]),
            None => mask,
        };
        [value.into(), 0u32.into(), mask.into()]
    };
    let Some(high) = high else {
        let sources = choose(low, truth(to));
        let inst = ctx.op(Op::SelB32).dst(dst).src(&sources);
        ctx.helper(inst);
        return Ok(());
    };
    let one = truth(to) & 0xffff;
    let (low, high) = (choose(low, one), choose(high, one << 16));
    let low = ctx.compute(RegClass::Lane32, Op::SelB32, &low);
    let high = ctx.compute(RegClass::Lane32, Op::SelB32, &high);
    let inst = ctx.op(Op::OrB32).dst(dst).src(&[low.into(), high.into()]);
    ctx.helper(inst);
    Ok(())
}

/// `slct`: the first operand if the third is not negative, else the second.
pub(crate) fn slct(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [d, a, b, c] = ctx.exactly()?;
    let (ty, selector) = (form.ty(0), form.ty(1));
    let (op, swap, mods) = operation(selector, Cmp::Ge, form.has(Word::Ftz));
    let c = ctx.src(c, selector)?;
    let zero = Src::from(0u32);
    let mask = ctx.temp(RegClass::Mask);
    let inst = ctx.op(op).dst(mask).mods(mods);
    ctx.helper(inst.src(&if swap { [zero, c] } else { [c, zero] }));
    let sources = [ctx.src(a, ty)?, ctx.src(b, ty)?, mask.into()];
    let op = if ty.width_bits() == 64 {
        Op::SelB64
    } else {
        Op::SelB32
    };
    let dst = ctx.dst(d, ty)?;
    let inst = ctx.op(op).dst(dst).src(&sources);
    ctx.emit(inst);
    Ok(())
}
