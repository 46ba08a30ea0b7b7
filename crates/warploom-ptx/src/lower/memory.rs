//! Loads, stores and prefetches.

use smallvec::SmallVec;
use warploom_isa::access::{Access, Order, Scope};
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Op, RegClass, Space};

use super::address::{At, Location};
use super::context::{Lower, registers_of};
use super::error;
use super::parts::Parts;
use super::qualifiers::{self, MEMORY_TYPES, SPACES};
use crate::ast::Operand;
use crate::diagnostic::{Diagnostic, Span};
use crate::types::{ScalarType, TypeClass};

/// A memory opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Load(Transfer),
    Store(Transfer),
    /// `prefetch`, `prefetchu`
    Prefetch(Option<Space>),
}

/// Which registers an operand can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Those of the type's width.
    Exact,
    /// Wider ones too.
    Wider,
}

/// What a load or store moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    /// As written; nothing means generic, or the variable's own.
    space: Option<Space>,
    ty: ScalarType,
    /// Elements as a power of two.
    vector: u8,
    order: Order,
    scope: Scope,
    read_only: bool,
    /// A cache policy follows the operands.
    policy: bool,
}

const LOAD_CACHE: &[(&str, ())] = &[("ca", ()), ("cg", ()), ("cs", ()), ("lu", ()), ("cv", ())];
const STORE_CACHE: &[(&str, ())] = &[("wb", ()), ("cg", ()), ("cs", ()), ("wt", ())];

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let form = match parts.base() {
        "ld" => Form::Load(load(parts)?),
        "ldu" => Form::Load(load_uniform(parts)?),
        "st" => Form::Store(store(parts)?),
        "prefetch" => Form::Prefetch(prefetch(parts)?),
        "prefetchu" => {
            parts.require_one("cache level", &[("L1", ())])?;
            Form::Prefetch(None)
        }
        _ => return Ok(None),
    };
    Ok(Some(form))
}

fn load(parts: &mut Parts<'_>) -> Result<Transfer, Diagnostic> {
    let (order, scope) = qualifiers::order(parts, ("acquire", Order::Acquire))?;
    let space = parts.take_one(SPACES)?;
    let read_only = parts.take("nc");
    if read_only && (space != Some(Space::Global) || order != Order::Weak) {
        return Err(parts.combination("`.nc` goes with weak loads from `.global` only"));
    }
    let transfer = Transfer {
        order,
        scope,
        read_only,
        policy: qualifiers::cache_hints(parts, LOAD_CACHE)?,
        ..element(parts, space)?
    };
    parts.finish()?;
    Ok(transfer)
}

fn load_uniform(parts: &mut Parts<'_>) -> Result<Transfer, Diagnostic> {
    let space = parts.take_one(&[("global", Space::Global)])?;
    let transfer = Transfer {
        read_only: true,
        ..element(parts, space)?
    };
    parts.finish()?;
    Ok(transfer)
}

fn store(parts: &mut Parts<'_>) -> Result<Transfer, Diagnostic> {
    let (order, scope) = qualifiers::order(parts, ("release", Order::Release))?;
    let space = parts.take_one(SPACES)?;
    if space == Some(Space::Const) {
        return Err(parts.combination("`.const` memory cannot be stored to"));
    }
    let transfer = Transfer {
        order,
        scope,
        policy: qualifiers::cache_hints(parts, STORE_CACHE)?,
        ..element(parts, space)?
    };
    parts.finish()?;
    Ok(transfer)
}

/// The type and vector of a plain transfer.
fn element(parts: &mut Parts<'_>, space: Option<Space>) -> Result<Transfer, Diagnostic> {
    let vector = qualifiers::vector(parts)?;
    let ty = parts.type_among(MEMORY_TYPES)?;
    if ty.size_bytes() << vector > 32 {
        return Err(parts.combination("a lane moves 32 bytes at most"));
    }
    Ok(Transfer {
        space,
        ty,
        vector,
        order: Order::Weak,
        scope: Scope::Sys,
        read_only: false,
        policy: false,
    })
}

fn prefetch(parts: &mut Parts<'_>) -> Result<Option<Space>, Diagnostic> {
    let space = parts.take_one(&[("global", Space::Global), ("local", Space::Local)])?;
    let levels = [
        ("L1", ()),
        ("L2", ()),
        ("L2::evict_last", ()),
        ("L2::evict_normal", ()),
    ];
    parts.require_one("cache level", &levels)?;
    parts.finish()?;
    Ok(space)
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match form {
        Form::Load(transfer) => ctx.load(transfer),
        Form::Store(transfer) => ctx.store(transfer),
        Form::Prefetch(space) => ctx.prefetch(*space),
    }
}

impl Transfer {
    /// The modifier word, with 128-bit elements as pairs of 64-bit ones.
    fn access(&self, location: Location, wide_registers: bool) -> Access {
        let halves = u8::from(self.ty == ScalarType::B128);
        Access {
            width_log2: self.ty.size_bytes().trailing_zeros() as u8 - halves,
            count_log2: self.vector + halves,
            signed: self.ty.class() == TypeClass::Signed,
            wide_registers,
            narrow_address: location.narrow(),
            space: location.space,
            order: self.order,
            scope: self.scope,
            read_only: self.read_only,
        }
    }

    /// Bytes each lane moves.
    fn bytes(&self) -> u32 {
        self.ty.size_bytes() << self.vector
    }

    /// The type of the values that registers hold.
    fn register_type(&self) -> ScalarType {
        if self.ty == ScalarType::B128 {
            ScalarType::B64
        } else {
            self.ty
        }
    }
}

impl Lower<'_> {
    fn load(&mut self, transfer: &Transfer) -> Result<(), Diagnostic> {
        let operands = self.operands(2, 2 + usize::from(transfer.policy))?;
        let [target, address, policy @ ..] = operands else {
            return Ok(());
        };
        self.cache_policy(policy.first())?;
        let targets = self.destinations(target, transfer.ty, 1 << transfer.vector, Fit::Wider)?;
        let location = self.location(address, transfer.space, transfer.bytes())?;
        self.note_order(transfer.order, location.space);
        let wide = |ctx: &Self, reg: VReg| ctx.code.class(reg) == RegClass::Lane64;
        let mut written = targets.iter().flatten();
        let wide_type = transfer.register_type().width_bits() == 64;
        let any_wide = wide_type || written.clone().any(|&reg| wide(self, reg));
        let all_wide = wide_type || written.all(|&reg| wide(self, reg));
        // Registers of both widths: load narrow values, then extend those of the wide ones.
        let mixed = any_wide && !all_wide;
        let loaded: Vec<Option<VReg>> = targets
            .iter()
            .map(|&target| match target {
                Some(reg) if mixed && wide(self, reg) => Some(self.temp(RegClass::Lane32)),
                _ => target,
            })
            .collect();
        let access = transfer.access(location, any_wide && !mixed);
        let op = match location.at {
            At::KernelParam => Op::LdParam,
            At::Frame { .. } => Op::LdFrame,
            At::Pointer { .. } => Op::Ld,
        };
        let mut inst = location.apply(self.op(op)).mods(access.pack());
        if let [single] = loaded.as_slice() {
            inst.dst = Some(match *single {
                Some(reg) => reg,
                None => self.temp(super::context::class_of(transfer.register_type())),
            });
        } else {
            inst.vector_dst = loaded.clone();
        }
        self.emit(inst);
        let extend = match access.signed {
            true => Op::SextI32,
            false => Op::ZextI32,
        };
        for (target, loaded) in targets.into_iter().zip(loaded) {
            if let (Some(target), Some(loaded)) = (target, loaded)
                && target != loaded
            {
                let inst = self.op(extend).dst(target).src(&[loaded.into()]);
                self.helper(inst);
            }
        }
        Ok(())
    }

    fn store(&mut self, transfer: &Transfer) -> Result<(), Diagnostic> {
        let operands = self.operands(2, 2 + usize::from(transfer.policy))?;
        let [address, value, policy @ ..] = operands else {
            return Ok(());
        };
        self.cache_policy(policy.first())?;
        let values = self.values(value, transfer.ty, 1 << transfer.vector, Fit::Wider)?;
        let location = self.location(address, transfer.space, transfer.bytes())?;
        self.note_order(transfer.order, location.space);
        let op = match location.at {
            At::KernelParam => return Err(self.parameter_store(address.span)),
            At::Frame { .. } => Op::StFrame,
            At::Pointer { .. } if location.space == Space::Const => {
                return Err(error::operand_kind(
                    address.span,
                    "memory that can be written",
                ));
            }
            At::Pointer { .. } => Op::St,
        };
        let wide = transfer.register_type().width_bits() == 64;
        let access = transfer.access(location, wide);
        let mut inst = location.apply(self.op(op)).mods(access.pack());
        match values.as_slice() {
            [single] => inst.src[1] = *single,
            all => inst.vector_src = all.to_vec(),
        }
        self.emit(inst);
        Ok(())
    }

    fn parameter_store(&self, span: Span) -> Diagnostic {
        let message = "a kernel's parameters cannot be stored to";
        Diagnostic::new(
            error::PARAMETER_USE,
            span,
            message,
            "a parameter of the kernel",
        )
    }

    fn prefetch(&mut self, space: Option<Space>) -> Result<(), Diagnostic> {
        let [address] = self.exactly::<1>()?;
        self.advise(address, space)
    }

    /// Advice to the caches about what lies at an address, which changes no result.
    pub(crate) fn advise(
        &mut self,
        address: &Operand,
        space: Option<Space>,
    ) -> Result<(), Diagnostic> {
        let location = self.location(address, space, 1)?;
        // What is in the frame or among the parameters needs no fetching.
        if let At::Pointer { narrow, .. } = location.at {
            let access = Access {
                narrow_address: narrow,
                ..Access::plain(location.space, 0)
            };
            let inst = location.apply(self.op(Op::Prefetch)).mods(access.pack());
            self.emit(inst);
        }
        Ok(())
    }

    /// Strong accesses to memory that blocks share can show the order of blocks.
    pub(crate) fn note_order(&mut self, order: Order, space: Space) {
        if order != Order::Weak && matches!(space, Space::Global | Space::Generic) {
            self.facts.order_dependent = true;
        }
    }

    /// `count` destinations of type `ty`; nothing for a sink, two registers for 128 bits.
    pub(crate) fn destinations(
        &mut self,
        operand: &Operand,
        ty: ScalarType,
        count: usize,
        fit: Fit,
    ) -> Result<SmallVec<[Option<VReg>; 8]>, Diagnostic> {
        let elements = self.counted_elements(operand, count)?;
        let mut all = SmallVec::new();
        for element in &elements {
            if self.is_sink(element) {
                all.extend((0..registers_of(ty)).map(|_| None));
                continue;
            }
            let reg = match fit {
                Fit::Exact => self.dst(element, ty)?,
                Fit::Wider => self.dst_relaxed(element, ty)?.0,
            };
            all.extend((0..registers_of(ty)).map(|half| Some(VReg(reg.0 + half))));
        }
        Ok(all)
    }

    /// `count` sources of type `ty`; two for 128 bits.
    pub(crate) fn values(
        &mut self,
        operand: &Operand,
        ty: ScalarType,
        count: usize,
        fit: Fit,
    ) -> Result<SmallVec<[Src; 8]>, Diagnostic> {
        let elements = self.counted_elements(operand, count)?;
        let mut all = SmallVec::new();
        for element in &elements {
            match (registers_of(ty), fit) {
                (1, Fit::Exact) => all.push(self.src(element, ty)?),
                (1, Fit::Wider) => all.push(self.src_relaxed(element, ty)?),
                _ => all.extend(self.halves(element)?.map(Src::from)),
            }
        }
        Ok(all)
    }

    /// The two halves of a 128-bit register that is read.
    pub(crate) fn halves(&mut self, operand: &Operand) -> Result<[VReg; 2], Diagnostic> {
        if self.is_sink(operand) {
            return Err(error::operand_kind(operand.span, "a 128-bit register"));
        }
        let low = self.dst(operand, ScalarType::B128)?;
        Ok([low, VReg(low.0 + 1)])
    }

    /// The two halves of a 128-bit register that is written.
    pub(crate) fn halves_written(&mut self, operand: &Operand) -> Result<[VReg; 2], Diagnostic> {
        if self.is_sink(operand) {
            return Ok([self.temp(RegClass::Lane64), self.temp(RegClass::Lane64)]);
        }
        self.halves(operand)
    }

    fn counted_elements(
        &self,
        operand: &Operand,
        count: usize,
    ) -> Result<SmallVec<[Operand; 8]>, Diagnostic> {
        let elements = self.elements(operand);
        if elements.len() == count {
            return Ok(elements);
        }
        let message = format!(
            "`{}` moves {count} element(s), this operand has {}",
            self.opcode.text,
            elements.len()
        );
        let label = format!("expected {count} element(s)");
        Err(Diagnostic::new(
            error::OPERAND_COUNT,
            operand.span,
            message,
            label,
        ))
    }
}
