//! Atomics, with and without a result.

use warploom_isa::access::{Access, Atomic, AtomicOp, AtomicType, Order, Scope};
use warploom_isa::builder::Src;
use warploom_isa::{Op, Space};

use super::context::{Lower, class_of};
use super::error;
use super::memory::Fit;
use super::parts::Parts;
use super::qualifiers::{self, ATOMIC_SPACES, SCOPES};
use crate::ast::{Operand, OperandKind, Target};
use crate::diagnostic::Diagnostic;
use crate::types::ScalarType;

/// An atomic opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    op: AtomicOp,
    ty: ScalarType,
    /// Elements as a power of two.
    vector: u8,
    space: Option<Space>,
    order: Order,
    scope: Scope,
    /// `atom`, not `red`.
    returns: bool,
    policy: bool,
}

const OPERATIONS: &[(&str, AtomicOp)] = &[
    ("add", AtomicOp::Add),
    ("min", AtomicOp::Min),
    ("max", AtomicOp::Max),
    ("inc", AtomicOp::Inc),
    ("dec", AtomicOp::Dec),
    ("and", AtomicOp::And),
    ("or", AtomicOp::Or),
    ("xor", AtomicOp::Xor),
    ("exch", AtomicOp::Exch),
    ("cas", AtomicOp::Cas),
];

const ORDERS: &[(&str, Order)] = &[
    ("relaxed", Order::Relaxed),
    ("acquire", Order::Acquire),
    ("release", Order::Release),
    ("acq_rel", Order::AcqRel),
];

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let returns = match parts.base() {
        "atom" => true,
        "red" => false,
        _ => return Ok(None),
    };
    // A plain reduction is relaxed as well; only these orders can be asked of it.
    let orders = if returns {
        ORDERS
    } else {
        &[("relaxed", Order::Relaxed), ("release", Order::Release)][..]
    };
    let order = parts.take_one(orders)?.unwrap_or(Order::Relaxed);
    let scope = parts.take_one(SCOPES)?.unwrap_or(Scope::Gpu);
    let space = parts.take_one(ATOMIC_SPACES)?;
    let operations = if returns {
        OPERATIONS
    } else {
        &OPERATIONS[..8]
    };
    let op = parts.require_one("operation", operations)?;
    let no_flush = parts.take("noftz");
    let vector = qualifiers::vector(parts)?;
    let policy = qualifiers::cache_hints(parts, &[])?;
    let ty = parts.type_among(types(op, vector))?;
    parts.finish()?;
    let half = matches!(
        ty,
        ScalarType::F16 | ScalarType::F16x2 | ScalarType::Bf16 | ScalarType::Bf16x2
    );
    if no_flush != half {
        return Err(parts.combination("`.noftz` goes with 16-bit floating point, which needs it"));
    }
    if vector > 0 && space.is_some_and(|space| space != Space::Global) {
        return Err(parts.combination("vector atomics reach `.global` memory only"));
    }
    if ty.size_bytes() << vector > 16 {
        return Err(parts.combination("an atomic moves 16 bytes at most"));
    }
    Ok(Some(Form {
        op,
        ty,
        vector,
        space,
        order,
        scope,
        returns,
        policy,
    }))
}

/// The types that an operation has.
fn types(op: AtomicOp, vector: u8) -> &'static [ScalarType] {
    use ScalarType::*;
    match op {
        AtomicOp::Add if vector > 0 => &[F32, F16, F16x2, Bf16, Bf16x2],
        AtomicOp::Min | AtomicOp::Max if vector > 0 => &[F16, F16x2, Bf16, Bf16x2],
        _ if vector > 0 => &[],
        AtomicOp::Add => &[U32, S32, U64, F32, F64, F16, F16x2, Bf16, Bf16x2],
        AtomicOp::Min | AtomicOp::Max => &[U32, S32, U64, S64],
        AtomicOp::Inc | AtomicOp::Dec => &[U32],
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => &[B32, B64],
        AtomicOp::Exch => &[B32, B64, B128],
        AtomicOp::Cas => &[B16, B32, B64, B128],
    }
}

/// The type that the machine computes in.
fn machine_type(ty: ScalarType) -> AtomicType {
    match ty {
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => AtomicType::F,
        ScalarType::F16x2 => AtomicType::F16x2,
        ScalarType::Bf16 => AtomicType::Bf16,
        ScalarType::Bf16x2 => AtomicType::Bf16x2,
        _ if ty.class() == crate::types::TypeClass::Signed => AtomicType::S,
        _ => AtomicType::U,
    }
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let sources = if form.op == AtomicOp::Cas { 2 } else { 1 };
    let fixed = usize::from(form.returns) + 1 + sources;
    let operands = ctx.operands(fixed, fixed + usize::from(form.policy))?;
    let (target, rest) = match (form.returns, operands) {
        (true, [target, rest @ ..]) => (Some(target), rest),
        _ => (None, operands),
    };
    let [address, rest @ ..] = rest else {
        return Ok(());
    };
    let count = 1 << form.vector;
    let mut values: Vec<Src> = Vec::new();
    for operand in &rest[..sources] {
        values.extend(ctx.values(operand, form.ty, count, Fit::Exact)?);
    }
    ctx.cache_policy(rest.get(sources))?;
    let targets = match target {
        Some(target) => ctx
            .destinations(target, form.ty, count, Fit::Exact)?
            .into_vec(),
        None => Vec::new(),
    };
    let bytes = form.ty.size_bytes() << form.vector;
    let location = ctx.location(address, form.space, bytes)?;
    if !matches!(
        location.space,
        Space::Generic | Space::Global | Space::Shared
    ) {
        return Err(error::operand_kind(address.span, "global or shared memory"));
    }
    // Exchanges are no reductions, even where nobody looks at the old value.
    let reduces = !matches!(form.op, AtomicOp::Exch | AtomicOp::Cas);
    let returns =
        target.is_some_and(|target| ctx.is_read(target)) || (target.is_some() && !reduces);
    let commutes = reduces && !matches!(form.op, AtomicOp::Inc | AtomicOp::Dec);
    let whole = !form.ty.is_float();
    if (returns || !commutes || !whole) && location.space != Space::Shared {
        ctx.facts.order_dependent = true;
    }
    // A 128-bit value is a pair of 64-bit ones.
    let halves = u8::from(form.ty == ScalarType::B128);
    let atomic = Atomic {
        access: Access {
            width_log2: form.ty.size_bytes().trailing_zeros() as u8 - halves,
            count_log2: form.vector + halves,
            signed: false,
            wide_registers: form.ty.width_bits() >= 64,
            narrow_address: location.narrow(),
            space: location.space,
            order: form.order,
            scope: form.scope,
            read_only: false,
        },
        op: form.op,
        ty: machine_type(form.ty),
    };
    let op = if returns { Op::Atom } else { Op::Red };
    let mut inst = location.apply(ctx.op(op)).mods(atomic.pack());
    if values.len() > sources {
        if returns {
            inst.vector_dst = targets;
        }
        inst.vector_src = values;
    } else {
        for (place, value) in inst.src[1..].iter_mut().zip(values) {
            *place = value;
        }
        if returns {
            let sink = |ctx: &mut Lower<'_>| ctx.temp(class_of(form.ty));
            inst.dst = Some(match targets.first() {
                Some(&Some(reg)) => reg,
                _ => sink(ctx),
            });
        }
    }
    ctx.emit(inst);
    Ok(())
}

impl Lower<'_> {
    /// Whether anything reads what an atomic returns into `target`.
    fn is_read(&self, target: &Operand) -> bool {
        self.elements(target).iter().any(|element| {
            let OperandKind::Name(name) = element.kind else {
                return false;
            };
            match name.target {
                // The one mention is the destination itself.
                Target::Register(id) => self.mentions(id) > 1,
                _ => true,
            }
        })
    }
}
