//! Where a memory instruction goes: its state space and how its address is found.

use warploom_isa::builder::{Src, VInst};
use warploom_isa::{Constant, Flags, Op, RegClass, Space};

use super::context::{Lower, Place};
use super::error;
use crate::ast::{Address, Name, Operand, OperandKind, Target, VariableId};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::{ScalarType, StateSpace, TypeClass};

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub(crate) space: Space,
    pub(crate) at: At,
    /// Bytes added to the address, or the whole offset without one.
    pub(crate) offset: i32,
}

/// How the address is found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// An offset in the kernel's parameter block.
    KernelParam,
    /// An offset in the frame.
    Frame {
        /// The place belongs to the calling convention.
        convention: bool,
    },
    /// An address.
    Pointer {
        base: Src,
        /// The base is a 32-bit register.
        narrow: bool,
    },
}

impl Location {
    /// Puts address, offset and flags into a memory operation.
    pub(crate) fn apply(self, mut inst: VInst) -> VInst {
        match self.at {
            At::KernelParam => {}
            At::Frame { convention } => {
                if convention {
                    inst.flags |= Flags::CONVENTION;
                }
            }
            At::Pointer { base, .. } => inst.src[0] = base,
        }
        inst.low = self.offset as u32;
        inst
    }

    /// Whether the address is in a 32-bit register.
    pub(crate) fn narrow(self) -> bool {
        matches!(self.at, At::Pointer { narrow: true, .. })
    }
}

/// The state space of a variable, as accesses name it.
pub(crate) fn space_of(space: StateSpace) -> Space {
    match space {
        StateSpace::Const => Space::Const,
        StateSpace::Global | StateSpace::Tex => Space::Global,
        StateSpace::Local => Space::Local,
        StateSpace::Param => Space::Param,
        StateSpace::Shared => Space::Shared,
    }
}

impl<'a> Lower<'a> {
    /// The address in an operand `[...]`.
    pub(crate) fn address_operand(&self, operand: &Operand) -> Result<&'a Address, Diagnostic> {
        match operand.kind {
            OperandKind::Address(id) => Ok(self.body.address(id)),
            _ => Err(error::operand_kind(operand.span, "an address in brackets")),
        }
    }

    /// Where an operand `[...]` points, for an access of `bytes` that names `space`, or no space
    /// at all: then a variable is found in its own and a register holds a generic address.
    pub(crate) fn location(
        &mut self,
        operand: &Operand,
        space: Option<Space>,
        bytes: u32,
    ) -> Result<Location, Diagnostic> {
        if let OperandKind::Element(id) = operand.kind {
            return self.element_location(self.body.address(id), operand.span, space, bytes);
        }
        let address = self.address_operand(operand)?;
        if let Some(extra) = self.list(address.arguments).first() {
            return Err(error::operand_kind(extra.span, "left out"));
        }
        let Some(name) = address.base else {
            let base = Src::from(address.offset as u64);
            return Ok(self.pointer(base, false, space, 0));
        };
        match name.target {
            Target::Variable(id) => {
                let offset = address.offset;
                self.variable_location(&name, id, offset, address.base_span, space, bytes)
            }
            Target::Register(_) => {
                let offset = small_offset(address.offset, operand.span)?;
                let register = self.named_register(&name, address.base_span)?;
                let narrow = match (register.ty, register.ty.width_bits()) {
                    _ if register.vector > 1 || register.ty.is_float() => None,
                    (_, 64) => Some(false),
                    (_, 32) => Some(true),
                    _ => None,
                };
                let Some(narrow) = narrow else {
                    let expected = "a 64-bit (or 32-bit) integer register";
                    return Err(error::operand_kind(address.base_span, expected));
                };
                Ok(self.pointer(register.reg.into(), narrow, space, offset))
            }
            _ => Err(error::operand_kind(
                address.base_span,
                "a register or a variable",
            )),
        }
    }

    /// Where an array element is.
    fn element_location(
        &mut self,
        address: &Address,
        span: Span,
        space: Option<Space>,
        bytes: u32,
    ) -> Result<Location, Diagnostic> {
        let Some(name) = address.base else {
            return Err(error::operand_kind(span, "an array element"));
        };
        let Target::Variable(id) = name.target else {
            return Err(error::operand_kind(address.base_span, "an array"));
        };
        let plain = self.variable_location(&name, id, address.offset, span, space, bytes)?;
        if address.index.is_none() {
            return Ok(plain);
        }
        let base = self.element_address(address, span)?;
        let space = Some(space_of(self.module.variable(id).space));
        Ok(self.pointer(base, false, space, 0))
    }

    /// The address of an array element, in the array's own space.
    pub(crate) fn element_address(
        &mut self,
        address: &Address,
        span: Span,
    ) -> Result<Src, Diagnostic> {
        let Some(name) = address.base else {
            return Err(error::operand_kind(span, "an array element"));
        };
        let base = self.address_source(&name, address.offset, span, ScalarType::U64)?;
        let Some(index) = address.index else {
            return Ok(base);
        };
        let register = self.named_register(&index, span)?;
        let value = Src::from(register.reg);
        let scale = address.scale_bytes;
        let (op, sources) = match (register.ty.class(), register.ty.width_bits()) {
            (TypeClass::Signed, 32) => (Op::MadWideS32, [value, scale.into(), base]),
            (TypeClass::Unsigned | TypeClass::Bits, 32) => {
                (Op::MadWideU32, [value, scale.into(), base])
            }
            (TypeClass::Signed | TypeClass::Unsigned | TypeClass::Bits, 64) => {
                let scaled = [value, u64::from(scale).into()];
                let offset = self.compute(RegClass::Lane64, Op::MulLoI64, &scaled);
                (Op::AddI64, [offset.into(), base, Src::None])
            }
            _ => {
                let expected = "indexed by a 32-bit or 64-bit integer register";
                return Err(error::operand_kind(span, expected));
            }
        };
        Ok(self.compute(RegClass::Lane64, op, &sources).into())
    }

    fn pointer(&self, base: Src, narrow: bool, space: Option<Space>, offset: i32) -> Location {
        let space = match space {
            // A function's parameters are in its frame.
            Some(Space::Param) if !self.kernel => Space::Local,
            space => space.unwrap_or(Space::Generic),
        };
        Location {
            space,
            at: At::Pointer { base, narrow },
            offset,
        }
    }

    fn variable_location(
        &mut self,
        name: &Name,
        id: VariableId,
        offset: i64,
        span: Span,
        space: Option<Space>,
        bytes: u32,
    ) -> Result<Location, Diagnostic> {
        let variable = self.module.variable(id);
        let own = space_of(variable.space);
        if space.is_some_and(|space| space != own) {
            let text = self.module.text(name.symbol);
            let message = format!(
                "`{text}` is in .{}, which `{}` cannot reach",
                own.name(),
                self.opcode.text
            );
            return Err(Diagnostic::new(
                error::SPACE,
                span,
                message,
                format!("a .{} variable", own.name()),
            )
            .with_label(variable.span, "declared here"));
        }
        let inside = |at: u32, size: u64| {
            let start = i64::from(at).checked_add(offset)?;
            let end = start.checked_add(i64::from(bytes))?;
            (start >= 0 && end as u64 <= size).then_some(start as i32)
        };
        match self.place(id) {
            Place::Module(id) => {
                self.facts.variables.insert(id);
                let (addend, offset) = match i32::try_from(offset) {
                    Ok(offset) => (0, offset),
                    Err(_) => (offset, 0),
                };
                let base = Src::Const(Constant::Address(id, addend));
                Ok(self.pointer(base, false, Some(own), offset))
            }
            Place::Frame(at) => {
                let convention = own == Space::Param;
                if let Some(offset) = inside(at, self.frame_bytes) {
                    return Ok(Location {
                        space: Space::Local,
                        at: At::Frame { convention },
                        offset,
                    });
                }
                // Outside the frame: the machine is to report it, should it ever get there.
                let base = self.temp(RegClass::Lane64);
                let inst = self.op(Op::FrameAddress).dst(base).low(at);
                self.helper(inst);
                let offset = small_offset(offset, span)?;
                Ok(self.pointer(base.into(), false, Some(Space::Local), offset))
            }
            Place::KernelParam(at) => Ok(match inside(at, self.param_bytes) {
                Some(offset) => Location {
                    space: Space::Param,
                    at: At::KernelParam,
                    offset,
                },
                None => {
                    let address = i64::from(at).wrapping_add(offset) as u64;
                    self.pointer(address.into(), false, Some(Space::Param), 0)
                }
            }),
            Place::Opaque => Err(error::operand_kind(span, "a variable in memory")),
        }
    }
}

/// An offset that fits the instruction.
fn small_offset(offset: i64, span: Span) -> Result<i32, Diagnostic> {
    i32::try_from(offset).map_err(|_| {
        Diagnostic::new(
            error::CONSTANT_RANGE,
            span,
            "the offset of an address has 32 bits, with its sign",
            "outside -2147483648 to 2147483647",
        )
    })
}
