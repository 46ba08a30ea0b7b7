//! Cache policies: what tells a cache how long to keep a line. They change no result, so that a
//! policy is an opaque number here, and advice about a line is a prefetch to the machine.

use warploom_isa::{Op, Space};

use super::context::Lower;
use super::error;
use super::parts::Parts;
use crate::diagnostic::Diagnostic;
use crate::types::ScalarType;

/// An opcode about cache policies, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// `createpolicy.fractional`: for a share of the accesses.
    Fraction,
    /// `createpolicy.range`: for the addresses of a window.
    Range(Option<Space>),
    /// `createpolicy.cvt`: from an access property of the CUDA runtime.
    Convert,
    /// `applypriority` and `discard`, of a line.
    Line(Option<Space>),
}

/// The only size of a line that `applypriority` and `discard` take, in bytes.
const LINE_BYTES: i64 = 128;

/// What every policy is.
const POLICY: u64 = 0;

const GLOBAL: &[(&str, Space)] = &[("global", Space::Global)];

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let form = match parts.base() {
        "createpolicy" => create(parts)?,
        "applypriority" => {
            let space = parts.take_one(GLOBAL)?;
            parts.require_one("eviction priority", &[("L2::evict_normal", ())])?;
            Form::Line(space)
        }
        "discard" => {
            let space = parts.take_one(GLOBAL)?;
            parts.require_one("cache level", &[("L2", ())])?;
            Form::Line(space)
        }
        _ => return Ok(None),
    };
    parts.finish()?;
    Ok(Some(form))
}

fn create(parts: &mut Parts<'_>) -> Result<Form, Diagnostic> {
    const KINDS: &[(&str, Form)] = &[
        ("fractional", Form::Fraction),
        ("range", Form::Range(None)),
        ("cvt", Form::Convert),
    ];
    let form = match parts.require_one("kind", KINDS)? {
        Form::Range(_) => Form::Range(parts.take_one(GLOBAL)?),
        kind => kind,
    };
    if matches!(form, Form::Convert) {
        parts.require_one("cache level", &[("L2", ())])?;
    } else {
        priorities(parts)?;
    }
    parts.type_among(&[ScalarType::B64])?;
    Ok(form)
}

/// A priority for the accesses that the policy is meant for, and perhaps one for the others.
fn priorities(parts: &mut Parts<'_>) -> Result<(), Diagnostic> {
    let mut count = |names: [&'static str; 2]| {
        names
            .map(|name| parts.take(name))
            .iter()
            .filter(|&&taken| taken)
            .count()
    };
    let primary = count(["L2::evict_last", "L2::evict_normal"]);
    let either = count(["L2::evict_first", "L2::evict_unchanged"]);
    match (primary, either) {
        (0, 0) => Err(parts.missing("primary priority").with_help(
            "one of .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged",
        )),
        (0, _) | (1, 0 | 1) => Ok(()),
        _ => Err(parts.combination("the second priority is evict_first or evict_unchanged")),
    }
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match *form {
        Form::Fraction => {
            let operands = ctx.operands(1, 2)?;
            for fraction in operands.iter().skip(1) {
                ctx.src(fraction, ScalarType::F32)?;
            }
        }
        Form::Range(space) => {
            let [_, address, primary, total] = ctx.exactly::<4>()?;
            ctx.location(address, space, 1)?;
            for size in [primary, total] {
                ctx.src(size, ScalarType::U32)?;
            }
        }
        Form::Convert => {
            let [_, property] = ctx.exactly::<2>()?;
            ctx.src(property, ScalarType::B64)?;
        }
        Form::Line(space) => {
            let [address, size] = ctx.exactly::<2>()?;
            if ctx.constant(size)? != LINE_BYTES {
                return Err(error::operand_kind(size.span, "128, the bytes of a line"));
            }
            return ctx.advise(address, space);
        }
    }
    if let [policy, ..] = ctx.operands(1, 4)? {
        let policy = ctx.dst(policy, ScalarType::B64)?;
        let inst = ctx.op(Op::MovB64).dst(policy).src(&[POLICY.into()]);
        ctx.emit(inst);
    }
    Ok(())
}
