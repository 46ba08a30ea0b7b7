//! Where a function keeps what is not in registers.
//!
//! A frame holds, in this order, the function's parameters and results, its `.local` variables,
//! and the `.param` variables that it hands to the functions it calls. Call parameters whose uses
//! do not overlap share their bytes.

use rustc_hash::{FxHashMap, FxHashSet};
use warploom_isa::FrameRange;

use super::context::{Lower, Place};
use super::error;
use crate::ast::{
    Body, Function, Module, OperandKind, Parameter, ParameterStorage, RegisterId, Target,
    VariableId,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::{ScalarType, StateSpace};

/// Bytes that frames and parameter blocks can have.
const LIMIT_BYTES: u64 = i32::MAX as u64 & !0xffff;

/// A `.reg` parameter or result, and where it is passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterParameter {
    pub(crate) register: RegisterId,
    pub(crate) ty: ScalarType,
    pub(crate) offset: u32,
}

/// What a function's signature asks of its frame.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) formals: Vec<FrameRange>,
    pub(crate) returns: Vec<FrameRange>,
    pub(crate) register_parameters: Vec<RegisterParameter>,
    pub(crate) register_results: Vec<RegisterParameter>,
}

/// Places `bytes` behind `used`, aligned; gives the offset and what is used then.
pub(crate) fn place(
    used: u64,
    bytes: u64,
    align_bytes: u32,
    span: Span,
) -> Result<(u32, u64), Diagnostic> {
    let start = used.next_multiple_of(u64::from(align_bytes.max(1)));
    let end = start.saturating_add(bytes);
    if end > LIMIT_BYTES {
        return Err(Diagnostic::new(
            error::CAPACITY,
            span,
            "parameters and local variables take too many bytes",
            format!("no room for {bytes} bytes here"),
        ));
    }
    Ok((start as u32, end))
}

impl Lower<'_> {
    /// Reserves bytes at the end of the frame.
    pub(crate) fn reserve(
        &mut self,
        bytes: u64,
        align_bytes: u32,
        span: Span,
    ) -> Result<u32, Diagnostic> {
        let (offset, end) = place(self.frame_bytes, bytes, align_bytes, span)?;
        self.frame_bytes = end;
        if bytes > 0 {
            let bytes = bytes as u32;
            self.frame_places.push(FrameRange { offset, bytes });
        }
        self.frame_align_bytes = self.frame_align_bytes.max(align_bytes);
        Ok(offset)
    }

    fn reserve_variable(&mut self, id: VariableId) -> Result<FrameRange, Diagnostic> {
        let variable = self.module.variable(id);
        let bytes = variable.size_bytes();
        let offset = self.reserve(bytes, variable.align_bytes, variable.span)?;
        self.places.push((id, Place::Frame(offset)));
        Ok(FrameRange {
            offset,
            bytes: bytes as u32,
        })
    }

    fn reserve_parameter(
        &mut self,
        parameter: &Parameter,
        registers: &mut Vec<RegisterParameter>,
    ) -> Result<FrameRange, Diagnostic> {
        match parameter.storage {
            ParameterStorage::Variable(id) => self.reserve_variable(id),
            ParameterStorage::Register { ty, vector } => {
                let bytes = super::call::register_bytes(ty) * u32::from(vector);
                let offset = self.reserve(u64::from(bytes), bytes, parameter.span)?;
                if let Target::Register(register) = parameter.name.target {
                    registers.push(RegisterParameter {
                        register,
                        ty,
                        offset,
                    });
                }
                Ok(FrameRange { offset, bytes })
            }
        }
    }

    /// Lays out the frame of a function, and the parameter block of a kernel beside it.
    /// `owned` are the variables declared in it.
    pub(crate) fn lay_out(
        &mut self,
        function: &Function,
        owned: &[VariableId],
    ) -> Result<Layout, Diagnostic> {
        let mut layout = Layout::default();
        if self.kernel {
            self.lay_out_kernel_parameters(function)?;
        } else {
            for parameter in &function.signature.parameters {
                let range = self.reserve_parameter(parameter, &mut layout.register_parameters)?;
                layout.formals.push(range);
            }
            for result in &function.signature.results {
                let range = self.reserve_parameter(result, &mut layout.register_results)?;
                layout.returns.push(range);
            }
        }
        let placed: FxHashSet<VariableId> = self.places.iter().map(|&(id, _)| id).collect();
        for &id in owned {
            let space = self.module.variable(id).space;
            if space == StateSpace::Local && !placed.contains(&id) {
                self.reserve_variable(id)?;
            }
        }
        let call_parameters = call_parameters(self.module, self.body);
        let mine = |parameter: &CallParameter| !placed.contains(&parameter.id);
        self.lay_out_call_parameters(call_parameters.into_iter().filter(mine))?;
        self.places.sort_unstable_by_key(|&(id, _)| id);
        Ok(layout)
    }

    /// Gives call parameters their bytes, in the order of their first use: those of others that
    /// are done with, where possible.
    fn lay_out_call_parameters(
        &mut self,
        parameters: impl Iterator<Item = CallParameter>,
    ) -> Result<(), Diagnostic> {
        let (mut used, mut bytes, mut align_bytes, mut last_use) = (0, 0, 1, 0);
        let mut shared = Vec::new();
        for parameter in parameters {
            if !parameter.self_contained {
                self.reserve_variable(parameter.id)?;
                continue;
            }
            if parameter.first > last_use {
                used = 0;
            }
            let variable = self.module.variable(parameter.id);
            let align = variable.align_bytes;
            let (offset, end) = place(used, variable.size_bytes(), align, variable.span)?;
            used = end;
            bytes = end.max(bytes);
            align_bytes = align.max(align_bytes);
            last_use = parameter.last.max(last_use);
            shared.push((parameter.id, offset));
        }
        let base = self.reserve(bytes, align_bytes, self.body.span)?;
        let places = shared.into_iter();
        self.places
            .extend(places.map(|(id, offset)| (id, Place::Frame(base + offset))));
        Ok(())
    }

    fn lay_out_kernel_parameters(&mut self, function: &Function) -> Result<(), Diagnostic> {
        for parameter in &function.signature.parameters {
            if let ParameterStorage::Variable(id) = parameter.storage {
                let variable = self.module.variable(id);
                let (offset, end) = place(
                    self.param_bytes,
                    variable.size_bytes(),
                    variable.align_bytes,
                    variable.span,
                )?;
                self.param_bytes = end;
                self.places.push((id, Place::KernelParam(offset)));
            }
        }
        Ok(())
    }
}

/// How a body uses a `.param` variable.
struct CallParameter {
    id: VariableId,
    /// The first instruction that names it.
    first: u32,
    /// The last one.
    last: u32,
    /// It is written at its first use and nothing can jump in between that and its last: what
    /// is in it before and after does not matter.
    self_contained: bool,
}

/// The `.param` variables that a body names, in the order of their first use.
fn call_parameters(module: &Module<'_>, body: &Body) -> Vec<CallParameter> {
    let mut found: Vec<CallParameter> = Vec::new();
    let mut numbers: FxHashMap<VariableId, usize> = FxHashMap::default();
    // Operands of an instruction stand together, those inside vectors and lists first.
    let mut next = 0;
    for (position, inst) in (0..).zip(&body.instructions) {
        let end = inst.operands.range().end;
        let operands = body.operands.get(next..end).unwrap_or(&[]);
        next = end.max(next);
        for operand in operands {
            let name = match operand.kind {
                OperandKind::Name(name) => Some(name),
                OperandKind::Address(id) | OperandKind::NameOffset(id) => body.address(id).base,
                OperandKind::Element(id) => body.address(id).base,
                _ => None,
            };
            let Some(Target::Variable(id)) = name.map(|name| name.target) else {
                continue;
            };
            if module.variable(id).space != StateSpace::Param {
                continue;
            }
            match numbers.get(&id).and_then(|&number| found.get_mut(number)) {
                Some(parameter) => parameter.last = position,
                None => {
                    numbers.insert(id, found.len());
                    found.push(CallParameter {
                        id,
                        first: position,
                        last: position,
                        self_contained: matches!(module.opcode(inst.opcode).base(), "st" | "call"),
                    });
                }
            }
        }
    }
    let mut labels: Vec<u32> = body.labels.iter().map(|label| label.position).collect();
    labels.sort_unstable();
    for parameter in &mut found {
        let after = labels.partition_point(|&at| at <= parameter.first);
        let jumped_into = labels.get(after).is_some_and(|&at| at <= parameter.last);
        parameter.self_contained &= !jumped_into;
    }
    found
}
