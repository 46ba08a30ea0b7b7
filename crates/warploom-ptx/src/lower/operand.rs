//! Operands: registers, constants, addresses and predicates as sources and destinations.
//!
//! A register agrees with an instruction's type when both have the same width and either is
//! untyped bits, both are integers, or the types are equal. Loads, stores and conversions are
//! more lenient: their registers may be wider than the type ([`Lower::src_relaxed`],
//! [`Lower::dst_relaxed`]). Bits of a 32-bit register above a narrower value are unspecified;
//! every operation on narrow values reads them by truncation.

use smallvec::SmallVec;
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Constant, Op, RegClass};

use super::context::{Lower, Place, class_of, registers_of};
use super::error;
use super::special::SpecialRead;
use crate::ast::{Float, Integer, ListRange, Name, Operand, OperandKind, Selector, Target};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::{ScalarType, TypeClass};

/// Warp width that PTX is defined for.
const WARP_SIZE: u64 = 32;

/// A register as an operand names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedRegister {
    /// The register, or the low half of a 128-bit one.
    pub(crate) reg: VReg,
    /// Type it is declared with.
    pub(crate) ty: ScalarType,
    /// Elements, where the operand is a whole vector register; otherwise 1.
    pub(crate) vector: u8,
    /// Bytes or halves picked by a video instruction.
    pub(crate) selector: Option<Selector>,
}

/// Whether a register declared `register` can be an operand of type `ty`.
pub(crate) fn agrees(register: ScalarType, ty: ScalarType) -> bool {
    register.width_bits() == ty.width_bits() && classes_agree(register, ty)
}

fn classes_agree(register: ScalarType, ty: ScalarType) -> bool {
    let (a, b) = (register.class(), ty.class());
    if a == TypeClass::Predicate || b == TypeClass::Predicate {
        return a == b;
    }
    register == ty
        || a == TypeClass::Bits
        || b == TypeClass::Bits
        || (register.is_integer() && ty.is_integer())
}

/// As [`agrees`], for an operand that may be wider than the type.
fn agrees_relaxed(register: ScalarType, ty: ScalarType) -> bool {
    if register.width_bits() == ty.width_bits() {
        return agrees(register, ty);
    }
    // Only whole numbers and bits have a wider form of the same value.
    (ty.width_bits()..=64).contains(&register.width_bits())
        && (register.class() == TypeClass::Bits || (register.is_integer() && !ty.is_float()))
        && ty.class() != TypeClass::Predicate
}

impl<'a> Lower<'a> {
    /// The operands of the current instruction, if there are `least` to `most`.
    pub(crate) fn operands(&self, least: usize, most: usize) -> Result<&'a [Operand], Diagnostic> {
        let operands = self.body.operands(self.inst.operands);
        if (least..=most).contains(&operands.len()) {
            return Ok(operands);
        }
        let expected = match (least, most) {
            (0, 0) => "no operands".to_owned(),
            (1, 1) => "1 operand".to_owned(),
            _ if least == most => format!("{least} operands"),
            _ => format!("{least} to {most} operands"),
        };
        let span = match operands.get(most) {
            Some(operand) => operand.span,
            None => self.inst.opcode_span(self.opcode),
        };
        Err(Diagnostic::new(
            error::OPERAND_COUNT,
            span,
            format!(
                "`{}` takes {expected}, not {}",
                self.opcode.text,
                operands.len()
            ),
            format!("expected {expected}"),
        ))
    }

    /// Exactly `N` operands.
    pub(crate) fn exactly<const N: usize>(&self) -> Result<&'a [Operand; N], Diagnostic> {
        let operands = self.operands(N, N)?;
        operands
            .try_into()
            .map_err(|_| error::operand_kind(self.inst.span, "complete"))
    }

    /// The operands of a vector, list or pair.
    pub(crate) fn list(&self, list: ListRange) -> &'a [Operand] {
        self.body.operands(list)
    }

    /// `d|p` as two operands, or one operand alone.
    pub(crate) fn pair(&self, operand: &'a Operand) -> (&'a Operand, Option<&'a Operand>) {
        match operand.kind {
            OperandKind::Pair(list) => match self.list(list) {
                [first, second] => (first, Some(second)),
                _ => (operand, None),
            },
            _ => (operand, None),
        }
    }

    /// The elements of `{a, b}`, of a vector register, or the operand itself.
    pub(crate) fn elements(&self, operand: &Operand) -> SmallVec<[Operand; 8]> {
        match operand.kind {
            OperandKind::Vector(list) => self.list(list).iter().cloned().collect(),
            OperandKind::Name(name) if name.selector.is_none() => {
                let count = match name.target {
                    Target::Register(id) => self.body.register(id).vector,
                    Target::Special(register) if register.has_dimensions() => 4,
                    _ => 1,
                };
                if count == 1 {
                    return SmallVec::from_iter([operand.clone()]);
                }
                let element = |n| Operand {
                    span: operand.span,
                    kind: OperandKind::Name(Name {
                        selector: Some(Selector::Element(n)),
                        ..name
                    }),
                };
                (0..count).map(element).collect()
            }
            _ => SmallVec::from_iter([operand.clone()]),
        }
    }

    /// The register that `name` stands for, with any selector that is not a vector element.
    pub(crate) fn named_register(
        &self,
        name: &Name,
        span: Span,
    ) -> Result<NamedRegister, Diagnostic> {
        let Target::Register(id) = name.target else {
            return Err(error::operand_kind(span, "a register"));
        };
        let register = self.body.register(id);
        let (element, vector, selector) = match name.selector {
            Some(Selector::Element(n)) if n < register.vector && register.vector > 1 => {
                (n, 1, None)
            }
            Some(Selector::Element(_)) => {
                return Err(Diagnostic::new(
                    error::OPERAND_KIND,
                    span,
                    "the register has no such element",
                    format!("declared with {} element(s)", register.vector),
                )
                .with_label(register.declared, "declared here"));
            }
            selector => (0, register.vector, selector),
        };
        Ok(NamedRegister {
            reg: self.register(id, u32::from(element) * registers_of(register.ty)),
            ty: register.ty,
            vector,
            selector,
        })
    }

    fn checked(
        &self,
        name: &Name,
        span: Span,
        ty: ScalarType,
        agrees: fn(ScalarType, ScalarType) -> bool,
    ) -> Result<NamedRegister, Diagnostic> {
        let register = self.named_register(name, span)?;
        if register.vector == 1 && register.selector.is_none() && agrees(register.ty, ty) {
            return Ok(register);
        }
        Err(self.wrong_type(name, span, register, ty))
    }

    fn wrong_type(
        &self,
        name: &Name,
        span: Span,
        register: NamedRegister,
        ty: ScalarType,
    ) -> Diagnostic {
        let text = self.module.text(name.symbol);
        let (kind, expected) = (register.ty.name(), ty.name());
        let (message, label) = if register.selector.is_some() {
            (
                format!("`{}` cannot pick parts of a register", self.opcode.text),
                "a selector of video instructions".to_owned(),
            )
        } else if register.vector > 1 {
            (
                format!("`{}` takes one element, not a vector", self.opcode.text),
                format!("`{text}` has {} elements", register.vector),
            )
        } else {
            (
                format!("`{text}` is `.{kind}`, which is no `.{expected}`"),
                format!("`{}` takes `.{expected}` here", self.opcode.text),
            )
        };
        let diagnostic = Diagnostic::new(error::OPERAND_TYPE, span, message, label);
        match name.target {
            Target::Register(id) => {
                diagnostic.with_label(self.body.register(id).declared, "declared here")
            }
            _ => diagnostic,
        }
    }

    /// A source of type `ty`, of up to 64 bits: a register, a constant, the address of a
    /// variable or a special register.
    pub(crate) fn src(&mut self, operand: &Operand, ty: ScalarType) -> Result<Src, Diagnostic> {
        self.source(operand, ty, agrees)
    }

    /// A source whose register may be wider than `ty`; the value is its low part, in a register
    /// of the class that `ty` has.
    pub(crate) fn src_relaxed(
        &mut self,
        operand: &Operand,
        ty: ScalarType,
    ) -> Result<Src, Diagnostic> {
        let source = self.source(operand, ty, agrees_relaxed)?;
        match source {
            Src::Reg(reg)
                if class_of(ty) == RegClass::Lane32 && self.code.class(reg) == RegClass::Lane64 =>
            {
                Ok(self
                    .compute(RegClass::Lane32, Op::TruncI64, &[source])
                    .into())
            }
            _ => Ok(source),
        }
    }

    fn source(
        &mut self,
        operand: &Operand,
        ty: ScalarType,
        agrees: fn(ScalarType, ScalarType) -> bool,
    ) -> Result<Src, Diagnostic> {
        let span = operand.span;
        match operand.kind {
            OperandKind::Name(name) => match name.target {
                Target::Register(_) => Ok(self.checked(&name, span, ty, agrees)?.reg.into()),
                Target::Special(_) => self.special_source(&name, span, ty),
                Target::Variable(_) | Target::Function(_) => {
                    self.address_source(&name, 0, span, ty)
                }
                _ => Err(error::operand_kind(span, "a register or a constant")),
            },
            OperandKind::NameOffset(id) => {
                let address = self.body.address(id);
                match &address.base {
                    Some(name) => self.address_source(name, address.offset, span, ty),
                    None => Err(error::operand_kind(span, "a register or a constant")),
                }
            }
            OperandKind::Element(id) if ty.width_bits() == 64 && !ty.is_float() => {
                self.element_address(self.body.address(id), span)
            }
            OperandKind::Integer(value) => self.integer(value, span, ty),
            OperandKind::Float(value) => self.float(value, span, ty),
            OperandKind::WarpSize => {
                let value = Integer {
                    bits: WARP_SIZE,
                    unsigned: false,
                };
                self.integer(value, span, ty)
            }
            _ => Err(error::operand_kind(span, "a register or a constant")),
        }
    }

    fn integer(&self, value: Integer, span: Span, ty: ScalarType) -> Result<Src, Diagnostic> {
        // There is no way to write a 16-bit float but by its bits.
        let whole = !ty.is_float() || !matches!(ty, ScalarType::F32 | ScalarType::F64);
        match (whole, ty.width_bits()) {
            (true, 64) => Ok(value.bits.into()),
            (true, bits @ 8..=32) => Ok((value.bits as u32 & (u32::MAX >> (32 - bits))).into()),
            _ => Err(self.wrong_constant(span, "an integer", ty)),
        }
    }

    fn float(&self, value: Float, span: Span, ty: ScalarType) -> Result<Src, Diagnostic> {
        let (single, double) = match value {
            Float::Single(bits) => (bits, f64::from(f32::from_bits(bits)).to_bits()),
            Float::Double(bits) => ((f64::from_bits(bits) as f32).to_bits(), bits),
        };
        match (ty, value) {
            (ScalarType::F32, _) => Ok(single.into()),
            (ScalarType::F64, _) => Ok(double.into()),
            (ScalarType::B32, Float::Single(bits)) => Ok(bits.into()),
            (ScalarType::B64, Float::Double(bits)) => Ok(bits.into()),
            (ScalarType::B32, Float::Double(_)) => Ok(single.into()),
            _ => Err(self.wrong_constant(span, "a floating-point number", ty)),
        }
    }

    fn wrong_constant(&self, span: Span, what: &str, ty: ScalarType) -> Diagnostic {
        let message = format!("{what} is no constant of type `.{}`", ty.name());
        let label = format!("`{}` takes `.{}` here", self.opcode.text, ty.name());
        let diagnostic = Diagnostic::new(error::OPERAND_TYPE, span, message, label);
        match ty {
            ScalarType::F32 => diagnostic.with_help("write 1.0 or, by its bits, 0f3F800000"),
            ScalarType::F64 => {
                diagnostic.with_help("write 1.0 or, by its bits, 0d3FF0000000000000")
            }
            _ => diagnostic,
        }
    }

    fn special_source(
        &mut self,
        name: &Name,
        span: Span,
        ty: ScalarType,
    ) -> Result<Src, Diagnostic> {
        let read = self.special(name, span)?;
        let narrow = ty.width_bits() == 64 && !read.wide;
        if ty.is_float() || narrow || read.predicate || class_of(ty) == RegClass::Mask {
            let message = format!(
                "`{}` is `.{}`, which is no `.{}`",
                self.module.text(name.symbol),
                if read.predicate {
                    "pred"
                } else {
                    read.ty().name()
                },
                ty.name()
            );
            let label = format!("`{}` takes `.{}` here", self.opcode.text, ty.name());
            return Err(Diagnostic::new(error::OPERAND_TYPE, span, message, label));
        }
        let value = self.special_read(read);
        if read.wide && ty.width_bits() < 64 {
            return Ok(self
                .compute(RegClass::Lane32, Op::TruncI64, &[value.into()])
                .into());
        }
        Ok(value.into())
    }

    /// Reads a special register into a temporary.
    fn special_read(&mut self, read: SpecialRead) -> VReg {
        let class = class_of(read.ty());
        let temp = self.temp(class);
        let inst = self
            .op(Op::Special)
            .dst(temp)
            .mods(read.mods())
            .low(read.number);
        self.helper(inst);
        temp
    }

    /// The address of a variable or function, in its own space, as a value.
    pub(crate) fn address_source(
        &mut self,
        name: &Name,
        offset: i64,
        span: Span,
        ty: ScalarType,
    ) -> Result<Src, Diagnostic> {
        let wide = match (ty.is_float(), ty.width_bits()) {
            (false, 64) => true,
            (false, 32) => false,
            _ => return Err(self.wrong_constant(span, "an address", ty)),
        };
        match name.target {
            Target::Variable(id) => match self.place(id) {
                Place::Module(variable) => {
                    self.facts.variables.insert(variable);
                    Ok(Src::Const(if wide {
                        Constant::Address(variable, offset)
                    } else {
                        Constant::Address32(variable, offset)
                    }))
                }
                Place::Frame(at) => {
                    let low = (i64::from(at) + offset) as u32;
                    let address = self.temp(RegClass::Lane64);
                    let inst = self.op(Op::FrameAddress).dst(address).low(low);
                    self.helper(inst);
                    if wide {
                        return Ok(address.into());
                    }
                    let narrow = self.compute(RegClass::Lane32, Op::TruncI64, &[address.into()]);
                    Ok(narrow.into())
                }
                Place::KernelParam(at) => {
                    let at = i64::from(at) + offset;
                    Ok(if wide {
                        (at as u64).into()
                    } else {
                        (at as u32).into()
                    })
                }
                Place::Opaque => Err(error::operand_kind(span, "a variable in memory")),
            },
            Target::Function(id) if wide && offset == 0 => {
                let function = self.link.function(self.module_number, id);
                Ok(Src::Const(Constant::Function(function)))
            }
            _ => Err(error::operand_kind(span, "a register or a constant")),
        }
    }

    /// A destination of type `ty`, of up to 64 bits. A sink is a register nobody reads.
    pub(crate) fn dst(&mut self, operand: &Operand, ty: ScalarType) -> Result<VReg, Diagnostic> {
        match operand.kind {
            OperandKind::Sink => Ok(self.temp(class_of(ty))),
            OperandKind::Name(name) => Ok(self.checked(&name, operand.span, ty, agrees)?.reg),
            _ => Err(error::operand_kind(operand.span, "a register")),
        }
    }

    /// A destination that may be wider than `ty`, with the width in bits of the register it is
    /// declared as: the value is to be extended to that, by its sign if `ty` is signed.
    pub(crate) fn dst_relaxed(
        &mut self,
        operand: &Operand,
        ty: ScalarType,
    ) -> Result<(VReg, u32), Diagnostic> {
        match operand.kind {
            OperandKind::Sink => Ok((self.temp(class_of(ty)), ty.width_bits())),
            OperandKind::Name(name) => {
                let register = self.checked(&name, operand.span, ty, agrees_relaxed)?;
                Ok((register.reg, register.ty.width_bits()))
            }
            _ => Err(error::operand_kind(operand.span, "a register")),
        }
    }

    /// Whether the operand throws a result away.
    pub(crate) fn is_sink(&self, operand: &Operand) -> bool {
        operand.kind == OperandKind::Sink
    }

    /// The predicate register behind a name.
    pub(crate) fn predicate(&self, name: &Name, span: Span) -> Result<VReg, Diagnostic> {
        Ok(self.checked(name, span, ScalarType::Pred, agrees)?.reg)
    }

    /// A predicate to be written; nothing for a sink.
    pub(crate) fn mask_dst(&mut self, operand: &Operand) -> Result<Option<VReg>, Diagnostic> {
        match operand.kind {
            OperandKind::Sink => Ok(None),
            OperandKind::Name(name) => self.predicate(&name, operand.span).map(Some),
            _ => Err(error::operand_kind(operand.span, "a predicate register")),
        }
    }

    /// A predicate to be read, and whether it is complemented. A constant is true unless zero.
    pub(crate) fn mask_operand(&mut self, operand: &Operand) -> Result<(VReg, bool), Diagnostic> {
        match operand.kind {
            OperandKind::Name(name) if matches!(name.target, Target::Special(_)) => {
                let read = self.special(&name, operand.span)?;
                if !read.predicate {
                    return Err(error::operand_kind(operand.span, "a predicate"));
                }
                let value = self.special_read(read);
                let mask = self.compute(RegClass::Mask, Op::SetNeI32, &[value.into(), 0u32.into()]);
                Ok((mask, false))
            }
            OperandKind::Name(name) => Ok((self.predicate(&name, operand.span)?, false)),
            OperandKind::Not(name) => Ok((self.predicate(&name, operand.span)?, true)),
            OperandKind::Integer(value) => {
                let bit = u32::from(value.bits != 0);
                let mask = self.compute(RegClass::Mask, Op::SetNeI32, &[bit.into(), 0u32.into()]);
                Ok((mask, false))
            }
            _ => Err(error::operand_kind(operand.span, "a predicate")),
        }
    }

    /// A predicate to be read, complemented by a helper where the operand says so.
    pub(crate) fn mask_src(&mut self, operand: &Operand) -> Result<Src, Diagnostic> {
        let (mask, negated) = self.mask_operand(operand)?;
        if !negated {
            return Ok(mask.into());
        }
        Ok(self
            .compute(RegClass::Mask, Op::MaskNot, &[mask.into()])
            .into())
    }

    /// An integer that must be written as a constant.
    pub(crate) fn constant(&self, operand: &Operand) -> Result<i64, Diagnostic> {
        match operand.kind {
            OperandKind::Integer(value) => Ok(value.bits as i64),
            OperandKind::WarpSize => Ok(WARP_SIZE as i64),
            _ => Err(error::operand_kind(operand.span, "an integer constant")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::*;

    #[test]
    fn registers_agree_by_width_and_kind() {
        let yes = [
            (B32, F32),
            (U32, S32),
            (B64, F64),
            (B32, F16x2),
            (B16, Bf16),
            (F32, B32),
        ];
        let no = [
            (F32, U32),
            (S32, F32),
            (B32, B64),
            (U64, U32),
            (F16, Bf16),
            (Pred, B8),
            (F32, F16x2),
        ];
        for (register, ty) in yes {
            assert!(agrees(register, ty), "{register:?} {ty:?}");
        }
        for (register, ty) in no {
            assert!(!agrees(register, ty), "{register:?} {ty:?}");
        }
    }

    #[test]
    fn relaxed_operands_may_be_wider() {
        let yes = [(U32, U8), (B64, S16), (S64, U32), (B32, F16)];
        let no = [
            (U16, U32),
            (F32, U8),
            (F64, F32),
            (Pred, U8),
            (B128, B32),
            (U32, F16),
        ];
        for (register, ty) in yes {
            assert!(agrees_relaxed(register, ty), "{register:?} {ty:?}");
        }
        for (register, ty) in no {
            assert!(!agrees_relaxed(register, ty), "{register:?} {ty:?}");
        }
    }
}
