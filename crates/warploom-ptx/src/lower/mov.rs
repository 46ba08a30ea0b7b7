//! `mov`: copies, packing and unpacking, addresses, special registers.

use smallvec::SmallVec;
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Op, RegClass};

use super::context::{Lower, Place, class_of};
use super::error;
use super::memory::Fit;
use super::parts::Parts;
use super::qualifiers;
use crate::ast::{Operand, OperandKind, Target};
use crate::diagnostic::Diagnostic;
use crate::types::ScalarType;

/// A `mov` opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    ty: ScalarType,
    /// Elements as a power of two.
    vector: u8,
}

const TYPES: &[ScalarType] = {
    use ScalarType::*;
    &[
        Pred, B16, B32, B64, B128, U16, U32, U64, S16, S32, S64, F32, F64,
    ]
};

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    if parts.base() != "mov" {
        return Ok(None);
    }
    let vector = qualifiers::vector(parts)?;
    let ty = parts.type_among(TYPES)?;
    parts.finish()?;
    Ok(Some(Form { ty, vector }))
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    let [target, source] = ctx.exactly::<2>()?;
    if form.vector > 0 {
        return ctx.copy_elements(target, source, form);
    }
    let packs = matches!(source.kind, OperandKind::Vector(_));
    let unpacks = matches!(target.kind, OperandKind::Vector(_));
    match (packs, unpacks, form.ty) {
        (true, true, _) => Err(error::operand_kind(source.span, "a register")),
        (true, false, _) => ctx.pack(target, source, form.ty),
        (false, true, _) => ctx.unpack(target, source, form.ty),
        (_, _, ScalarType::Pred) => {
            let value = ctx.mask_src(source)?;
            if let Some(reg) = ctx.mask_dst(target)? {
                ctx.emit_to(reg, Op::MaskMov, &[value]);
            }
            Ok(())
        }
        (_, _, ScalarType::B128) => {
            let values = ctx.halves(source)?;
            let targets = ctx.halves_written(target)?;
            for (reg, value) in targets.into_iter().zip(values) {
                ctx.emit_to(reg, Op::MovB64, &[value.into()]);
            }
            Ok(())
        }
        _ => ctx.copy(target, source, form.ty),
    }
}

/// The copy of a register of `class`.
fn copy_op(class: RegClass) -> Op {
    match class {
        RegClass::Lane32 => Op::MovB32,
        RegClass::Lane64 => Op::MovB64,
        RegClass::Mask => Op::MaskMov,
    }
}

/// Untyped bits of a width.
fn bits(width_bits: u32) -> Option<ScalarType> {
    Some(match width_bits {
        8 => ScalarType::B8,
        16 => ScalarType::B16,
        32 => ScalarType::B32,
        64 => ScalarType::B64,
        _ => return None,
    })
}

impl Lower<'_> {
    /// The principal operation, without modifiers.
    pub(crate) fn emit_to(&mut self, target: VReg, op: Op, sources: &[Src]) {
        let inst = self.op(op).dst(target).src(sources);
        self.emit(inst);
    }

    fn copy(
        &mut self,
        target: &Operand,
        source: &Operand,
        ty: ScalarType,
    ) -> Result<(), Diagnostic> {
        let reg = self.dst(target, ty)?;
        let name = match source.kind {
            OperandKind::Name(name) => Some((name, 0)),
            OperandKind::NameOffset(id) => {
                let address = self.body.address(id);
                address.base.map(|name| (name, address.offset))
            }
            _ => None,
        };
        match name.map(|(name, offset)| (name, name.target, offset)) {
            Some((_, Target::Label(_), _)) => {
                self.unsupported_feature("the address of a label".to_owned());
                return Ok(());
            }
            Some((name, Target::Special(_), _)) => {
                let read = self.special(&name, source.span)?;
                if class_of(read.ty()) == class_of(ty) && !ty.is_float() && !read.predicate {
                    let inst = self.op(Op::Special).dst(reg).mods(read.mods());
                    self.emit(inst.low(read.number));
                    return Ok(());
                }
            }
            Some((_, Target::Variable(id), offset))
                if class_of(ty) == RegClass::Lane64 && !ty.is_float() =>
            {
                if let Place::Frame(at) = self.place(id) {
                    let low = i64::from(at).wrapping_add(offset) as u32;
                    let inst = self.op(Op::FrameAddress).dst(reg).low(low);
                    self.emit(inst);
                    return Ok(());
                }
            }
            _ => {}
        }
        let value = self.src(source, ty)?;
        self.emit_to(reg, copy_op(class_of(ty)), &[value]);
        Ok(())
    }

    /// `mov.v4.u32 {a, b, c, d}, {e, f, g, h}`: all sources are read before any is written.
    fn copy_elements(
        &mut self,
        target: &Operand,
        source: &Operand,
        form: &Form,
    ) -> Result<(), Diagnostic> {
        if matches!(form.ty, ScalarType::Pred | ScalarType::B128) {
            return Err(error::operand_kind(target.span, "a vector of numbers"));
        }
        let count = 1 << form.vector;
        let mut values = self.values(source, form.ty, count, Fit::Exact)?;
        let targets = self.destinations(target, form.ty, count, Fit::Exact)?;
        let op = copy_op(class_of(form.ty));
        for value in &mut values {
            let overwritten = |reg: &VReg| *value == Src::Reg(*reg);
            if targets.iter().flatten().any(overwritten) {
                *value = self.compute(class_of(form.ty), op, &[*value]).into();
            }
        }
        for (reg, value) in targets.into_iter().zip(values) {
            if let Some(reg) = reg {
                self.emit_to(reg, op, &[value]);
            }
        }
        Ok(())
    }

    /// The type of the elements that `whole` is packed from.
    fn element_type(
        &self,
        vector: &Operand,
        whole: ScalarType,
        count: usize,
    ) -> Result<ScalarType, Diagnostic> {
        let width = whole.width_bits();
        let element = match count {
            2 | 4 => bits(width / count as u32),
            _ => None,
        };
        element.ok_or_else(|| {
            let message = format!("`.{}` is not made of {count} elements", whole.name());
            let label = "expected 2 or 4 elements of at least 8 bits";
            Diagnostic::new(error::OPERAND_COUNT, vector.span, message, label)
        })
    }

    fn pack(
        &mut self,
        target: &Operand,
        source: &Operand,
        ty: ScalarType,
    ) -> Result<(), Diagnostic> {
        let elements = self.elements(source);
        let element_type = self.element_type(source, ty, elements.len())?;
        let mut values: SmallVec<[Src; 4]> = SmallVec::new();
        for element in &elements {
            values.push(self.src(element, element_type)?);
        }
        match ty {
            ScalarType::B128 => {
                let halves = self.halves_written(target)?;
                let each = values.len() / 2;
                for (half, values) in halves.into_iter().zip(values.chunks(each)) {
                    self.pack_into(half, 64, values);
                }
            }
            _ => {
                let reg = self.dst(target, ty)?;
                self.pack_into(reg, ty.width_bits(), &values);
            }
        }
        Ok(())
    }

    /// Packs 1, 2 or 4 values, lowest first, into `width_bits` bits.
    fn pack_into(&mut self, reg: VReg, width_bits: u32, values: &[Src]) {
        /// The low 16 bits of both sources; the low 8 bits of both.
        const HALVES: u32 = 0x5410;
        const BYTES: u32 = 0x0040;
        let permute = |ctx: &mut Self, pair: &[Src], control: u32| -> Src {
            let sources = [pair[0], pair[1], control.into()];
            ctx.compute(RegClass::Lane32, Op::PrmtB32, &sources).into()
        };
        match (width_bits, values) {
            (64, &[low, high]) => self.emit_to(reg, Op::PackB64, &[low, high]),
            (64, &[a, b, c, d]) => {
                let low = permute(self, &[a, b], HALVES);
                let high = permute(self, &[c, d], HALVES);
                self.emit_to(reg, Op::PackB64, &[low, high]);
            }
            (32, &[a, b, c, d]) => {
                let low = permute(self, &[a, b], BYTES);
                let high = permute(self, &[c, d], BYTES);
                self.emit_to(reg, Op::PrmtB32, &[low, high, HALVES.into()]);
            }
            (32, &[low, high]) => self.emit_to(reg, Op::PrmtB32, &[low, high, HALVES.into()]),
            (_, &[low, high]) => self.emit_to(reg, Op::PrmtB32, &[low, high, BYTES.into()]),
            (_, &[value, ..]) => self.emit_to(reg, copy_op(self.code.class(reg)), &[value]),
            (_, &[]) => {}
        }
    }

    fn unpack(
        &mut self,
        target: &Operand,
        source: &Operand,
        ty: ScalarType,
    ) -> Result<(), Diagnostic> {
        let elements = self.elements(target);
        let element_type = self.element_type(target, ty, elements.len())?;
        let mut targets: SmallVec<[Option<VReg>; 4]> = SmallVec::new();
        for element in &elements {
            targets.push(match self.is_sink(element) {
                true => None,
                false => Some(self.dst(element, element_type)?),
            });
        }
        match ty {
            ScalarType::B128 => {
                let halves = self.halves(source)?;
                let each = targets.len() / 2;
                for (half, targets) in halves.into_iter().zip(targets.chunks(each)) {
                    self.unpack_from(half.into(), 64, targets);
                }
            }
            _ => {
                let value = self.src(source, ty)?;
                self.unpack_from(value, ty.width_bits(), &targets);
            }
        }
        Ok(())
    }

    /// Takes a value of `width_bits` bits apart, lowest element first.
    fn unpack_from(&mut self, value: Src, width_bits: u32, targets: &[Option<VReg>]) {
        match (width_bits, targets) {
            (64, &[Some(whole)]) => self.emit_to(whole, Op::MovB64, &[value]),
            (64, [a, b, c, d]) => {
                let (low, high) = ([*a, *b], [*c, *d]);
                for (op, half) in [(Op::TruncI64, low), (Op::HighB64, high)] {
                    if half.iter().any(Option::is_some) {
                        let word = self.compute(RegClass::Lane32, op, &[value]);
                        self.unpack_from(word.into(), 32, &half);
                    }
                }
            }
            (64, &[low, high]) => {
                for (op, half) in [(Op::TruncI64, low), (Op::HighB64, high)] {
                    if let Some(reg) = half {
                        self.emit_to(reg, op, &[value]);
                    }
                }
            }
            _ => {
                let step = width_bits / targets.len().max(1) as u32;
                for (n, target) in (0..).zip(targets) {
                    match (n, target) {
                        (_, None) => {}
                        (0, &Some(reg)) => self.emit_to(reg, Op::MovB32, &[value]),
                        (n, &Some(reg)) => {
                            let amount: u32 = n * step;
                            self.emit_to(reg, Op::ShrU32, &[value, amount.into()]);
                        }
                    }
                }
            }
        }
    }
}
