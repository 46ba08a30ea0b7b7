//! Generic addresses: `cvta` and `isspacep`.

use warploom_isa::address::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{Constant, Op, RegClass, Space, VariableId};

use super::context::Lower;
use super::parts::Parts;
use super::qualifiers::SPACES;
use super::{address, error};
use crate::ast::{Name, Operand, OperandKind, Target};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::ScalarType;

/// An address conversion or test, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// To the generic space, or from it.
    Convert {
        space: Space,
        to_space: bool,
        ty: ScalarType,
    },
    IsSpace(Space),
}

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let form = match parts.base() {
        "cvta" => Form::Convert {
            to_space: parts.take("to"),
            space: parts.require_one("state space", SPACES)?,
            ty: parts.type_among(&[ScalarType::U32, ScalarType::U64])?,
        },
        "isspacep" => Form::IsSpace(parts.require_one("state space", SPACES)?),
        _ => return Ok(None),
    };
    parts.finish()?;
    Ok(Some(form))
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match *form {
        Form::Convert {
            ty: ScalarType::U32,
            ..
        } => {
            ctx.unsupported_feature("32-bit generic addresses".to_owned());
            Ok(())
        }
        Form::Convert {
            space, to_space, ..
        } => ctx.convert_address(space, to_space),
        Form::IsSpace(space) => ctx.is_space(space),
    }
}

impl Lower<'_> {
    /// Where the generic window of a space starts; 0 where its addresses are generic as they are.
    fn window(&self, space: Space) -> u64 {
        match space {
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            // A function's parameters are in its frame.
            Space::Param if !self.kernel => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
            Space::Generic | Space::Global | Space::Const => 0,
        }
    }

    fn convert_address(&mut self, space: Space, to_space: bool) -> Result<(), Diagnostic> {
        let [target, source] = self.exactly::<2>()?;
        let reg = self.dst(target, ScalarType::U64)?;
        self.check_variable_space(source, space)?;
        let value = self.src(source, ScalarType::U64)?;
        match (self.window(space), to_space) {
            (0, _) => self.emit_to(reg, Op::MovB64, &[value]),
            (base, false) => self.emit_to(reg, Op::AddI64, &[value, base.into()]),
            (base, true) => self.emit_to(reg, Op::SubI64, &[value, base.into()]),
        }
        Ok(())
    }

    /// A variable whose address is converted must be in the space that is named.
    fn check_variable_space(&self, source: &Operand, space: Space) -> Result<(), Diagnostic> {
        let name: Option<Name> = match source.kind {
            OperandKind::Name(name) => Some(name),
            OperandKind::NameOffset(id) => self.body.address(id).base,
            _ => None,
        };
        let Some(Target::Variable(id)) = name.map(|name| name.target) else {
            return Ok(());
        };
        let variable = self.module.variable(id);
        let own = address::space_of(variable.space);
        if own == space {
            return Ok(());
        }
        let message = format!("the variable is in .{}, not .{}", own.name(), space.name());
        let label = format!("a .{} variable", own.name());
        Err(Diagnostic::new(error::SPACE, source.span, message, label)
            .with_label(variable.span, "declared here"))
    }

    fn is_space(&mut self, space: Space) -> Result<(), Diagnostic> {
        let [target, source] = self.exactly::<2>()?;
        let value = self.src(source, ScalarType::U64)?;
        let Some(reg) = self.mask_dst(target)? else {
            return Ok(());
        };
        match space {
            Space::Const => self.is_const(reg, value, source.span)?,
            Space::Global | Space::Generic => {
                // Parameters lie in a part of the global window.
                let offset = self.distance(value, SHARED_WINDOW.into());
                let least = PARAM_WINDOW - SHARED_WINDOW;
                self.emit_to(reg, Op::SetLtU64, &[(least - 1).into(), offset]);
            }
            _ => {
                let offset = self.distance(value, self.window(space).into());
                self.emit_to(reg, Op::SetLtU64, &[offset, (WINDOW_BYTES + 1).into()]);
            }
        }
        Ok(())
    }

    /// Bytes from `base` up to an address.
    fn distance(&mut self, address: Src, base: Src) -> Src {
        self.compute(RegClass::Lane64, Op::SubI64, &[address, base])
            .into()
    }

    /// Constant memory has no window: the address is compared with every constant variable.
    fn is_const(&mut self, reg: VReg, address: Src, span: Span) -> Result<(), Diagnostic> {
        let variables = self.link.builder.module_mut().variables.iter().zip(0..);
        let constants: Vec<(VariableId, u64)> = variables
            .filter(|(variable, _)| variable.space == Space::Const)
            .map(|(variable, id)| (VariableId(id), variable.bytes))
            .collect();
        self.link.spend(constants.len(), span)?;
        let mut inside = self.compute(RegClass::Mask, Op::SetNeI32, &[0u32.into(), 0u32.into()]);
        for (id, bytes) in constants {
            self.facts.variables.insert(id);
            let offset = self.distance(address, Src::Const(Constant::Address(id, 0)));
            let hit = self.compute(RegClass::Mask, Op::SetLtU64, &[offset, bytes.into()]);
            inside = self.compute(RegClass::Mask, Op::MaskOr, &[inside.into(), hit.into()]);
        }
        self.emit_to(reg, Op::MaskMov, &[inside.into()]);
        Ok(())
    }
}
