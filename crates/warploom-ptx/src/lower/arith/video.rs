//! The video instructions: what their operands pick goes into the modifier word.

use warploom_isa::arith::{Part, Secondary, SimdResult, VideoMad, VideoOp, VideoScalar, VideoSimd};
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Mods, Op};

use super::operands;
use crate::ast::{ByteSelection, Operand, OperandKind, Selector};
use crate::diagnostic::Diagnostic;
use crate::lower::context::Lower;
use crate::lower::error;
use crate::lower::operand::agrees;
use crate::lower::table::{Form, Word};
use crate::types::{ScalarType, TypeClass};

/// An operand without its selector and sign.
struct Picked {
    src: Src,
    selector: Option<Selector>,
    negated: bool,
}

fn source(ctx: &mut Lower<'_>, operand: &Operand) -> Result<Picked, Diagnostic> {
    let (name, negated) = match operand.kind {
        OperandKind::Name(name) if name.selector.is_some() => (name, false),
        OperandKind::Negate(name) => (name, true),
        _ => {
            return Ok(Picked {
                src: ctx.src(operand, ScalarType::B32)?,
                selector: None,
                negated: false,
            });
        }
    };
    let register = ctx.named_register(&name, operand.span)?;
    if register.vector != 1 || !agrees(register.ty, ScalarType::B32) {
        return Err(not_a_word(operand));
    }
    Ok(Picked {
        src: register.reg.into(),
        selector: register.selector,
        negated,
    })
}

fn not_a_word(operand: &Operand) -> Diagnostic {
    let message = "video instructions work on 32-bit registers";
    Diagnostic::new(
        error::OPERAND_TYPE,
        operand.span,
        message,
        "not 32 bits wide",
    )
}

fn destination(
    ctx: &mut Lower<'_>,
    operand: &Operand,
) -> Result<(VReg, Option<Selector>), Diagnostic> {
    match operand.kind {
        OperandKind::Name(name) if name.selector.is_some() => {
            let register = ctx.named_register(&name, operand.span)?;
            if register.vector != 1 || !agrees(register.ty, ScalarType::B32) {
                return Err(not_a_word(operand));
            }
            Ok((register.reg, register.selector))
        }
        _ => Ok((ctx.dst(operand, ScalarType::B32)?, None)),
    }
}

/// A third operand, which picks nothing.
fn whole(ctx: &mut Lower<'_>, operand: &Operand) -> Result<Picked, Diagnostic> {
    let picked = source(ctx, operand)?;
    match picked.selector {
        None => Ok(picked),
        Some(_) => Err(selector(operand, "a whole register")),
    }
}

fn selector(operand: &Operand, expected: &str) -> Diagnostic {
    let message = "the instruction has no such selector";
    let label = format!("expected {expected}");
    Diagnostic::new(error::OPERAND_KIND, operand.span, message, label)
}

/// The part that a scalar instruction picks.
fn part(operand: &Operand, picked: Option<Selector>) -> Result<Part, Diagnostic> {
    match picked {
        None => Ok(Part::Word),
        Some(Selector::Bytes(ByteSelection { digits, count: 1 })) => match digits[0] {
            0 => Ok(Part::B0),
            1 => Ok(Part::B1),
            2 => Ok(Part::B2),
            3 => Ok(Part::B3),
            _ => Err(selector(operand, ".b0 to .b3")),
        },
        Some(Selector::Halves(ByteSelection { digits, count: 1 })) => match digits[0] {
            0 => Ok(Part::H0),
            1 => Ok(Part::H1),
            _ => Err(selector(operand, ".h0 or .h1")),
        },
        Some(_) => Err(selector(operand, "one byte or half")),
    }
}

fn refuse_sign(operand: &Operand, picked: &Picked) -> Result<(), Diagnostic> {
    match picked.negated {
        false => Ok(()),
        true => Err(error::operand_kind(
            operand.span,
            "an operand without a sign",
        )),
    }
}

/// The operation, from the opcode's name without its number of lanes and from its modifiers.
fn operation(form: &Form, name: &str) -> VideoOp {
    let clamp = form.has(Word::Clamp);
    match name {
        "vadd" => VideoOp::Add,
        "vsub" => VideoOp::Sub,
        "vabsdiff" => VideoOp::AbsDiff,
        "vmin" => VideoOp::Min,
        "vmax" => VideoOp::Max,
        "vavrg" => VideoOp::Average,
        "vshl" if clamp => VideoOp::ShlClamp,
        "vshl" => VideoOp::ShlWrap,
        "vshr" if clamp => VideoOp::ShrClamp,
        "vshr" => VideoOp::ShrWrap,
        _ => {
            let sets = [
                (Word::Ne, VideoOp::SetNe),
                (Word::Lt, VideoOp::SetLt),
                (Word::Le, VideoOp::SetLe),
                (Word::Gt, VideoOp::SetGt),
                (Word::Ge, VideoOp::SetGe),
            ];
            let found = sets.into_iter().find(|&(word, _)| form.has(word));
            found.map_or(VideoOp::SetEq, |(_, op)| op)
        }
    }
}

/// Whether destination, first and second operand are signed. `vset` has no destination type; its
/// result is unsigned.
fn signs(form: &Form) -> [bool; 3] {
    let signed = |n: usize| form.ty(n).class() == TypeClass::Signed;
    match form.row.grammar.types().len() {
        3 => [signed(0), signed(1), signed(2)],
        _ => [false, signed(0), signed(1)],
    }
}

/// `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vset`
pub(crate) fn scalar(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let operands = operands(ctx, form)?;
    let [d, a, b, ..] = operands else {
        return Ok(());
    };
    let secondary = match (
        form.has(Word::Add),
        form.has(Word::Min),
        form.has(Word::Max),
    ) {
        (true, ..) => Secondary::Add,
        (_, true, _) => Secondary::Min,
        (.., true) => Secondary::Max,
        _ => Secondary::None,
    };
    let (dst, picked) = destination(ctx, d)?;
    let written = part(d, picked)?;
    let needs_third = written != Part::Word || secondary != Secondary::None;
    if written != Part::Word && secondary != Secondary::None {
        return Err(selector(d, "a whole register, for the second operation"));
    }
    if needs_third {
        ctx.operands(4, 4)?;
    }
    let first = source(ctx, a)?;
    let second = source(ctx, b)?;
    refuse_sign(a, &first)?;
    refuse_sign(b, &second)?;
    let third = match operands.get(3) {
        Some(c) => {
            let third = whole(ctx, c)?;
            refuse_sign(c, &third)?;
            third.src
        }
        None => 0u32.into(),
    };
    let [d_signed, a_signed, b_signed] = signs(form);
    let how = VideoScalar {
        op: operation(form, ctx.opcode.base()),
        a: part(a, first.selector)?,
        b: part(b, second.selector)?,
        d: written,
        a_signed,
        b_signed,
        d_signed,
        sat: form.has(Word::Sat),
        secondary,
    };
    let inst = ctx
        .op(Op::VideoScalar)
        .dst(dst)
        .src(&[first.src, second.src, third])
        .mods(Mods(how.to_bits()));
    ctx.emit(inst);
    Ok(())
}

/// `vmad`
pub(crate) fn mad(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [d, a, b, c] = ctx.exactly()?;
    let dst = ctx.dst(d, ScalarType::B32)?;
    let first = source(ctx, a)?;
    let second = source(ctx, b)?;
    let third = whole(ctx, c)?;
    let negate_product = first.negated != second.negated;
    let plus_one = form.has(Word::Po);
    if negate_product && third.negated {
        let expected = "one sign, of a factor or of the addend";
        return Err(error::operand_kind(c.span, expected));
    }
    if plus_one && (negate_product || third.negated) {
        return Err(error::operand_kind(
            c.span,
            "without a sign, as the factors, with `.po`",
        ));
    }
    let [_, a_signed, b_signed] = signs(form);
    let how = VideoMad {
        a: part(a, first.selector)?,
        b: part(b, second.selector)?,
        a_signed,
        b_signed,
        negate_product,
        negate_addend: third.negated,
        plus_one,
        sat: form.has(Word::Sat),
        shift_bits: match (form.has(Word::Shr7), form.has(Word::Shr15)) {
            (true, _) => 7,
            (_, true) => 15,
            _ => 0,
        },
    };
    let inst = ctx
        .op(Op::VideoMad)
        .dst(dst)
        .src(&[first.src, second.src, third.src])
        .mods(Mods(how.to_bits()));
    ctx.emit(inst);
    Ok(())
}

/// The lanes that a SIMD operand picks, from the highest down.
fn lanes(
    operand: &Operand,
    picked: Option<Selector>,
    count: u8,
    default: [u8; 4],
) -> Result<u16, Diagnostic> {
    let digits = match (picked, count) {
        (None, _) => default,
        (Some(Selector::Halves(selection)), 2) if selection.count == 2 => {
            let [high, low, ..] = selection.digits;
            [0, 0, high, low]
        }
        (Some(Selector::Bytes(selection)), 4) if selection.count == 4 => selection.digits,
        (Some(_), 2) => return Err(selector(operand, "two halves, such as .h10")),
        (Some(_), _) => return Err(selector(operand, "four bytes, such as .b3210")),
    };
    match digits.iter().all(|&digit| digit < 2 * count) {
        true => Ok(VideoSimd::selection(digits)),
        false => Err(selector(operand, "parts of the two operands")),
    }
}

/// The lanes that a SIMD instruction writes, one bit each. They are named from the highest down.
fn mask(operand: &Operand, picked: Option<Selector>, count: u8) -> Result<u8, Diagnostic> {
    let selection = match (picked, count) {
        (None, _) => return Ok((1 << count) - 1),
        (Some(Selector::Halves(selection)), 2) | (Some(Selector::Bytes(selection)), 4) => selection,
        (Some(_), 2) => return Err(selector(operand, "halves, such as .h1")),
        (Some(_), _) => return Err(selector(operand, "bytes, such as .b31")),
    };
    let digits = selection
        .digits
        .get(..selection.count.into())
        .unwrap_or(&[]);
    let falling = digits.windows(2).all(|pair| pair[0] > pair[1]);
    if !falling || digits.iter().any(|&digit| digit >= count) {
        return Err(selector(operand, "lanes from the highest down"));
    }
    Ok(digits.iter().fold(0, |mask, &digit| mask | 1 << digit))
}

/// The row of a SIMD instruction in the operation table.
fn simd_row(op: VideoOp, four: bool) -> Op {
    match (op, four) {
        (VideoOp::Add, false) => Op::VAdd2,
        (VideoOp::Add, true) => Op::VAdd4,
        (VideoOp::Sub, false) => Op::VSub2,
        (VideoOp::Sub, true) => Op::VSub4,
        (VideoOp::Average, false) => Op::VAverage2,
        (VideoOp::Average, true) => Op::VAverage4,
        (VideoOp::AbsDiff, false) => Op::VAbsDiff2,
        (VideoOp::AbsDiff, true) => Op::VAbsDiff4,
        (VideoOp::Min, false) => Op::VMin2,
        (VideoOp::Min, true) => Op::VMin4,
        (VideoOp::Max, false) => Op::VMax2,
        (VideoOp::Max, true) => Op::VMax4,
        (VideoOp::SetNe, false) => Op::VSetNe2,
        (VideoOp::SetNe, true) => Op::VSetNe4,
        (VideoOp::SetLt, false) => Op::VSetLt2,
        (VideoOp::SetLt, true) => Op::VSetLt4,
        (VideoOp::SetLe, false) => Op::VSetLe2,
        (VideoOp::SetLe, true) => Op::VSetLe4,
        (VideoOp::SetGt, false) => Op::VSetGt2,
        (VideoOp::SetGt, true) => Op::VSetGt4,
        (VideoOp::SetGe, false) => Op::VSetGe2,
        (VideoOp::SetGe, true) => Op::VSetGe4,
        (_, false) => Op::VSetEq2,
        (_, true) => Op::VSetEq4,
    }
}

/// The instructions on two halves or four bytes.
pub(crate) fn simd(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [d, a, b, c] = ctx.exactly()?;
    let name = ctx.opcode.base();
    let four = name.ends_with('4');
    let count = if four { 4 } else { 2 };
    let (first_lanes, second_lanes) = match four {
        true => ([3, 2, 1, 0], [7, 6, 5, 4]),
        false => ([0, 0, 1, 0], [0, 0, 3, 2]),
    };
    let (dst, written) = destination(ctx, d)?;
    let first = source(ctx, a)?;
    let second = source(ctx, b)?;
    let third = whole(ctx, c)?;
    refuse_sign(a, &first)?;
    refuse_sign(b, &second)?;
    refuse_sign(c, &third)?;
    let [d_signed, a_signed, b_signed] = signs(form);
    let how = VideoSimd {
        a_select: lanes(a, first.selector, count, first_lanes)?,
        b_select: lanes(b, second.selector, count, second_lanes)?,
        a_signed,
        b_signed,
        result: match (form.has(Word::Add), form.has(Word::Sat), d_signed) {
            (true, ..) => SimdResult::Accumulate,
            (_, true, true) => SimdResult::MergeSatS,
            (_, true, false) => SimdResult::MergeSatU,
            _ => SimdResult::Merge,
        },
        mask: mask(d, written, count)?,
    };
    let op = operation(form, name.trim_end_matches(['2', '4']));
    let inst = ctx
        .op(simd_row(op, four))
        .dst(dst)
        .src(&[first.src, second.src, third.src])
        .mods(Mods(how.to_bits()));
    ctx.emit(inst);
    Ok(())
}
