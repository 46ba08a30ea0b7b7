//! `cvt` between scalars, and the forms of `cvt` with more than four sources.

use warploom_isa::arith::{IntType, Mini, Narrow};
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Mods, Op, RegClass};

use crate::diagnostic::Diagnostic;
use crate::lower::context::{Lower, class_of};
use crate::lower::error;
use crate::lower::table::{Form, Word};
use crate::types::ScalarType;

const INTEGERS: &[(ScalarType, IntType)] = &[
    (ScalarType::U8, IntType::U8),
    (ScalarType::S8, IntType::S8),
    (ScalarType::U16, IntType::U16),
    (ScalarType::S16, IntType::S16),
    (ScalarType::U32, IntType::U32),
    (ScalarType::S32, IntType::S32),
    (ScalarType::U64, IntType::U64),
    (ScalarType::S64, IntType::S64),
];

/// What a scalar conversion reads or gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int(IntType),
    Half(Narrow),
    F32,
    F64,
}

fn kind(ty: ScalarType) -> Kind {
    match ty {
        ScalarType::F32 => Kind::F32,
        ScalarType::F64 => Kind::F64,
        ScalarType::F16 => Kind::Half(Narrow::F16),
        ScalarType::Bf16 => Kind::Half(Narrow::Bf16),
        _ => {
            let found = INTEGERS.iter().find(|&&(scalar, _)| scalar == ty);
            Kind::Int(found.map_or(IntType::U32, |&(_, int)| int))
        }
    }
}

/// A conversion as one lane operation.
struct Conversion {
    op: Op,
    mods: Mods,
    /// A second source.
    second: Option<u32>,
    /// The class of what it gives.
    class: RegClass,
}

impl Conversion {
    fn new(op: Op, mods: Mods, class: RegClass) -> Conversion {
        Conversion {
            op,
            mods,
            second: None,
            class,
        }
    }
}

/// `cvt.TO.FROM d, a`, whose registers may be wider than the types: the value is the low part of
/// the source, and is extended to the destination.
pub(crate) fn scalar(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [d, a] = ctx.exactly()?;
    let (to, from) = (form.ty(0), form.ty(1));
    // Only bf16 demands registers of just the width of the types.
    let (source, (dst, width_bits)) = if [to, from].contains(&ScalarType::Bf16) {
        (ctx.src(a, from)?, (ctx.dst(d, to)?, to.width_bits()))
    } else {
        (ctx.src_relaxed(a, from)?, ctx.dst_relaxed(d, to)?)
    };
    let class = if width_bits > 32 {
        RegClass::Lane64
    } else {
        RegClass::Lane32
    };
    let conversion = match (kind(to), kind(from)) {
        (Kind::Int(to), Kind::Int(from)) => {
            between_integers(to, from, form.mods.sat(), class, width_bits)
        }
        (Kind::Int(to), from) => to_integer(to, from, form.mods, class),
        (to, Kind::Int(from)) => from_integer(to, from, form),
        (to, from) => between_floats(to, from, form),
    };
    finish(ctx, conversion, source, dst, class);
    Ok(())
}

/// Writes the conversion, and extends what it gives to a wider register.
fn finish(ctx: &mut Lower<'_>, conversion: Conversion, source: Src, dst: VReg, class: RegClass) {
    let sources = [source, conversion.second.map_or(Src::None, Src::from)];
    let inst = ctx.op(conversion.op).src(&sources).mods(conversion.mods);
    if conversion.class == class {
        ctx.emit(inst.dst(dst));
        return;
    }
    let narrow = ctx.temp(conversion.class);
    ctx.helper(inst.dst(narrow));
    let wide = ctx.op(Op::ZextI32).dst(dst).src(&[narrow.into()]);
    ctx.emit(wide);
}

/// Integer to integer in a register of `width_bits`.
fn between_integers(
    to: IntType,
    from: IntType,
    sat: bool,
    class: RegClass,
    width_bits: u32,
) -> Conversion {
    let mods = Mods::NONE.with_from_int(from).with_to_int(to).with_sat(sat);
    let wide_source = from.bits() == 64;
    let wide_result = class == RegClass::Lane64;
    let general = match (wide_result, wide_source) {
        (false, false) => Op::I32FromI32,
        (false, true) => Op::I32FromI64,
        (true, false) => Op::I64FromI32,
        (true, true) => Op::I64FromI64,
    };
    let general = Conversion::new(general, mods, class);
    if sat {
        return general;
    }
    let plain = |op| Conversion::new(op, Mods::NONE, class);
    // Bits of a register above a narrower value are not specified, so a copy is enough where no
    // bit of the destination's width is new.
    let copies = to.bits() >= width_bits && from.bits() >= width_bits;
    match (wide_result, wide_source) {
        (false, false) if copies => plain(Op::MovB32),
        (false, true) if copies => plain(Op::TruncI64),
        (true, true) if copies => plain(Op::MovB64),
        (true, false) if from == IntType::S32 && to.bits() == 64 => plain(Op::SextI32),
        (true, false) if from == IntType::U32 && to.bits() == 64 => plain(Op::ZextI32),
        (false, false) if !to.is_signed() && (!from.is_signed() || from.bits() >= to.bits()) => {
            let bits = from.bits().min(to.bits());
            Conversion {
                second: Some(u32::MAX >> (32 - bits)),
                ..plain(Op::AndB32)
            }
        }
        _ => general,
    }
}

fn to_integer(to: IntType, from: Kind, mods: Mods, class: RegClass) -> Conversion {
    let wide = class == RegClass::Lane64;
    let (op, mods) = match (from, wide) {
        (Kind::F64, false) => (Op::I32FromF64, mods),
        (Kind::F64, true) => (Op::I64FromF64, mods),
        (Kind::Half(format), false) => (Op::I32FromF16, mods.with_format(format)),
        (Kind::Half(format), true) => (Op::I64FromF16, mods.with_format(format)),
        (_, false) => (Op::I32FromF32, mods),
        (_, true) => (Op::I64FromF32, mods),
    };
    // The result is always limited to the range.
    Conversion::new(op, mods.with_sat(false).with_to_int(to), class)
}

fn from_integer(to: Kind, from: IntType, form: &Form) -> Conversion {
    let class = class_of(form.ty(0));
    if (to, from) == (Kind::F32, IntType::S32) && form.is_plain() {
        return Conversion::new(Op::F32FromS32, Mods::NONE, class);
    }
    let mods = form.mods.with_from_int(from);
    let wide = from.bits() == 64;
    let (op, mods) = match (to, wide) {
        (Kind::F64, false) => (Op::F64FromI32, mods),
        (Kind::F64, true) => (Op::F64FromI64, mods),
        (Kind::Half(format), false) => (Op::F16FromI32, mods.with_format(format)),
        (Kind::Half(format), true) => (Op::F16FromI64, mods.with_format(format)),
        (_, false) => (Op::F32FromI32, mods),
        (_, true) => (Op::F32FromI64, mods),
    };
    Conversion::new(op, mods, class)
}

fn between_floats(to: Kind, from: Kind, form: &Form) -> Conversion {
    let class = class_of(form.ty(0));
    let integral = [Word::Rni, Word::Rzi, Word::Rmi, Word::Rpi];
    let integral = integral.into_iter().any(|word| form.has(word));
    let mods = form.mods;
    let (op, mods) = match (to, from) {
        (Kind::F32, Kind::F32) if integral => (Op::RoundF32, mods),
        (Kind::F64, Kind::F64) if integral => (Op::RoundF64, mods),
        (Kind::Half(format), Kind::Half(other)) if integral && format == other => {
            (Op::RoundF16, mods.with_format(format))
        }
        (Kind::F32, Kind::F32) if form.is_plain() => (Op::MovB32, mods),
        (Kind::F32, Kind::F32) => (Op::F32FromF32, mods),
        (Kind::F64, Kind::F64) if form.is_plain() => (Op::MovB64, mods),
        (Kind::F64, Kind::F64) => (Op::SatF64, Mods::NONE),
        (Kind::Half(format), Kind::Half(other)) if format != other => {
            (Op::F16FromF16, mods.with_format(format))
        }
        (Kind::Half(_), Kind::Half(_)) if form.is_plain() => (Op::MovB32, mods),
        (Kind::Half(format), Kind::Half(_)) => {
            (Op::SatF16, mods.with_sat(false).with_format(format))
        }
        (Kind::F32, Kind::F64) => (Op::F32FromF64, mods),
        (Kind::F64, Kind::Half(format)) => (Op::F64FromF16, mods.with_format(format)),
        (Kind::F64, _) => (Op::F64FromF32, mods),
        (Kind::Half(format), Kind::F64) => (Op::F16FromF64, mods.with_format(format)),
        (Kind::Half(format), _) => (Op::F16FromF32, mods.with_format(format)),
        (_, Kind::Half(format)) => (Op::F32FromF16, mods.with_format(format)),
        _ => (Op::F32FromF32, mods),
    };
    Conversion::new(op, mods, class)
}

/// `cvt.rs` of four f32 to four small numbers: `d, {a, b, e, f}, random`
pub(crate) fn four_random(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [d, vector, random] = ctx.exactly()?;
    let to = form.ty(0);
    let elements = ctx.elements(vector);
    let [a, b, e, f] = elements.as_slice() else {
        return Err(error::operand_kind(
            vector.span,
            "a vector of four elements",
        ));
    };
    let [a, b, e, f] = [
        ctx.src(a, ScalarType::F32)?,
        ctx.src(b, ScalarType::F32)?,
        ctx.src(e, ScalarType::F32)?,
        ctx.src(f, ScalarType::F32)?,
    ];
    let random = ctx.src(random, ScalarType::B32)?;
    let dst = ctx.dst(d, to)?;
    let upper = ctx.compute(RegClass::Lane64, Op::PackB64, &[b, a]);
    let lower = ctx.compute(RegClass::Lane64, Op::PackB64, &[f, e]);
    let mini = match to {
        ScalarType::E5m2x4 => Mini::E5m2,
        ScalarType::E2m3x4 => Mini::E2m3,
        ScalarType::E3m2x4 => Mini::E3m2,
        ScalarType::E2m1x4 => Mini::E2m1,
        _ => Mini::E4m3,
    };
    let inst = ctx
        .op(Op::Mini4FromF32Random)
        .dst(dst)
        .src(&[upper.into(), lower.into(), random])
        .mods(form.mods.with_high(mini as u16));
    ctx.emit(inst);
    Ok(())
}
