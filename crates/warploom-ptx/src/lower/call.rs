//! Calls. Arguments and results travel through the caller's frame.

use warploom_isa::access::{Access, HostFunction};
use warploom_isa::builder::{Src, VReg};
use warploom_isa::{self as isa, CallSite, Flags, FrameRange, Op, RegClass, Space};

use super::context::{Lower, Place, class_of};
use super::error;
use super::link::Callee;
use super::parts::Parts;
use crate::ast::{
    Module, Name, Operand, OperandKind, Parameter, ParameterStorage, Signature, Target,
    VariableType,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::{ScalarType, TypeClass};

/// A `call` opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form;

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    if parts.base() != "call" {
        return Ok(None);
    }
    parts.take("uni");
    parts.finish()?;
    Ok(Some(Form))
}

/// The operands of a call by their roles.
struct Roles<'a> {
    results: &'a [Operand],
    callee: &'a Operand,
    arguments: &'a [Operand],
    /// A prototype or a list of targets.
    shape: Option<&'a Operand>,
}

/// A register that a call writes: where its value comes back, and the type it has there.
struct Returned {
    reg: VReg,
    ty: ScalarType,
    offset: u32,
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, _form: &Form) -> Result<(), Diagnostic> {
    let roles = ctx.call_roles()?;
    let behind = ctx.branch_around();
    ctx.call(&roles)?;
    if let Some(label) = behind {
        ctx.code.place(label);
    }
    Ok(())
}

/// Bytes that a parameter takes.
pub(crate) fn parameter_bytes(module: &Module<'_>, parameter: &Parameter) -> u64 {
    match parameter.storage {
        ParameterStorage::Variable(id) => module.variable(id).size_bytes(),
        ParameterStorage::Register { ty, vector } => {
            u64::from(register_bytes(ty)) * u64::from(vector)
        }
    }
}

/// Bytes that a register takes in a frame; a predicate travels as a byte.
pub(crate) fn register_bytes(ty: ScalarType) -> u32 {
    ty.size_bytes()
}

impl<'a> Lower<'a> {
    fn call_roles(&self) -> Result<Roles<'a>, Diagnostic> {
        let mut rest = self.operands(1, 4)?;
        let mut roles = Roles {
            results: &[],
            callee: &rest[0],
            arguments: &[],
            shape: None,
        };
        if let [first, more @ ..] = rest
            && let OperandKind::List(list) = first.kind
        {
            roles.results = self.list(list);
            rest = more;
        }
        let [callee, more @ ..] = rest else {
            return Err(error::operand_kind(
                self.inst.span,
                "followed by a function",
            ));
        };
        roles.callee = callee;
        rest = more;
        if let [first, more @ ..] = rest
            && let OperandKind::List(list) = first.kind
        {
            roles.arguments = self.list(list);
            rest = more;
        }
        match rest {
            [] => {}
            [shape] => roles.shape = Some(shape),
            [_, extra, ..] => return Err(error::operand_kind(extra.span, "left out")),
        }
        Ok(roles)
    }

    fn call(&mut self, roles: &Roles<'a>) -> Result<(), Diagnostic> {
        let module = self.module;
        let direct = match roles.callee.kind {
            OperandKind::Name(Name {
                target: Target::Function(id),
                ..
            }) => Some(id),
            _ => None,
        };
        let Some(id) = direct else {
            return self.call_indirect(roles);
        };
        let function = self.link.function(self.module_number, id);
        let signature = &module.function(id).signature;
        match self.link.callee(function) {
            Callee::Defined => {
                self.facts.callees.insert(function);
                let inst = self.op(Op::Call).low(function.0);
                self.finish_call(roles, signature, inst)
            }
            Callee::Host(host) => {
                self.facts.order_dependent = true;
                let inst = self.op(Op::HostCall).low(host.code());
                self.finish_call(roles, signature, inst)
            }
            Callee::Undefined => {
                let name = module.text(module.function(id).name);
                self.unsupported_feature(format!("call of `{name}`, which no module defines"));
                Ok(())
            }
            Callee::Kernel => {
                let name = module.text(module.function(id).name);
                self.unsupported_feature(format!("call of the kernel `{name}`"));
                Ok(())
            }
        }
    }

    fn call_indirect(&mut self, roles: &Roles<'a>) -> Result<(), Diagnostic> {
        let module = self.module;
        let body = self.body;
        let expected = "a .callprototype or .calltargets name";
        let Some(shape) = roles.shape else {
            return Err(error::operand_kind(roles.callee.span, "a function")
                .with_help(format!("an indirect call ends with {expected}")));
        };
        let target = match shape.kind {
            OperandKind::Name(name) => name.target,
            _ => Target::Unresolved,
        };
        let signature = match target {
            Target::Prototype(id) => body.prototypes.get(id.index()).map(|p| &p.signature),
            Target::CallTable(id) => {
                let table = body.call_tables.get(id.index());
                let entries = table.map_or(0, |table| table.targets.len());
                self.link.spend(entries, shape.span)?;
                let mut first = None;
                for (name, _) in table.into_iter().flat_map(|table| &table.targets) {
                    if let Target::Function(id) = name.target {
                        first = first.or(Some(&module.function(id).signature));
                        let function = self.link.function(self.module_number, id);
                        self.facts.callees.insert(function);
                    }
                }
                first
            }
            _ => None,
        };
        let Some(signature) = signature else {
            return Err(error::operand_kind(shape.span, expected));
        };
        self.facts.calls_indirectly = true;
        let address = self.src(roles.callee, ScalarType::B64)?;
        let inst = self.op(Op::CallIndirect).src(&[address]);
        self.finish_call(roles, signature, inst)
    }

    fn finish_call(
        &mut self,
        roles: &Roles<'a>,
        signature: &Signature,
        mut inst: isa::builder::VInst,
    ) -> Result<(), Diagnostic> {
        self.check_count(
            "argument",
            roles.arguments,
            &signature.parameters,
            roles.callee,
        )?;
        self.check_count("result", roles.results, &signature.results, roles.callee)?;
        let mut site = CallSite::default();
        for (operand, formal) in roles.arguments.iter().zip(&signature.parameters) {
            site.arguments.push(self.argument(operand, formal)?);
        }
        let mut returned = Vec::new();
        for (operand, formal) in roles.results.iter().zip(&signature.results) {
            site.returns
                .push(self.result(operand, formal, &mut returned)?);
        }
        inst.high = self.link.builder.call_site(site);
        self.emit(inst);
        for Returned { reg, ty, offset } in returned {
            self.load_register(reg, ty, offset);
        }
        Ok(())
    }

    fn check_count(
        &self,
        what: &str,
        actual: &[Operand],
        formal: &[Parameter],
        callee: &Operand,
    ) -> Result<(), Diagnostic> {
        if actual.len() == formal.len() {
            return Ok(());
        }
        let span = actual
            .get(formal.len())
            .map_or(callee.span, |extra| extra.span);
        let message = format!(
            "the function has {} {what}(s), the call {}",
            formal.len(),
            actual.len()
        );
        let label = format!("expected {} {what}(s)", formal.len());
        let diagnostic = Diagnostic::new(error::CALL, span, message, label);
        Err(match formal.first() {
            Some(first) => {
                diagnostic.with_label(first.span, format!("the {what}s are declared here"))
            }
            None => diagnostic,
        })
    }

    /// The place of a `.param` variable that stands for `formal`; nothing for other operands.
    fn passed_variable(
        &mut self,
        operand: &Operand,
        formal: &Parameter,
    ) -> Result<Option<FrameRange>, Diagnostic> {
        let OperandKind::Name(Name {
            target: Target::Variable(id),
            ..
        }) = operand.kind
        else {
            return Ok(None);
        };
        let bytes = parameter_bytes(self.module, formal);
        let variable = self.module.variable(id);
        match self.place(id) {
            Place::Frame(offset) if variable.space == crate::types::StateSpace::Param => {
                if variable.size_bytes() != bytes {
                    let message = format!(
                        "`{}` has {} bytes, the function expects {bytes}",
                        self.module.text(variable.name),
                        variable.size_bytes(),
                    );
                    let label = format!("expected {bytes} bytes");
                    return Err(Diagnostic::new(error::CALL, operand.span, message, label)
                        .with_label(formal.span, "declared here"));
                }
                let bytes = bytes as u32;
                Ok(Some(FrameRange { offset, bytes }))
            }
            _ => Err(error::operand_kind(
                operand.span,
                "a .param variable of this function",
            )),
        }
    }

    /// The type of a formal parameter that a register can stand for.
    fn formal_type(&self, formal: &Parameter, span: Span) -> Result<ScalarType, Diagnostic> {
        let ty = match formal.storage {
            ParameterStorage::Register { ty, vector: 1 } => Some(ty),
            ParameterStorage::Register { .. } => None,
            ParameterStorage::Variable(id) => {
                let variable = self.module.variable(id);
                match variable.ty {
                    VariableType::Scalar(ty)
                        if variable.vector == 1 && variable.dimensions.is_empty() =>
                    {
                        Some(ty)
                    }
                    _ => None,
                }
            }
        };
        ty.ok_or_else(|| error::operand_kind(span, "a .param variable"))
    }

    /// Room for a register in the frame.
    fn scratch(&mut self, ty: ScalarType, span: Span) -> Result<FrameRange, Diagnostic> {
        let bytes = register_bytes(ty);
        let offset = self.reserve(u64::from(bytes), bytes, span)?;
        Ok(FrameRange { offset, bytes })
    }

    fn argument(
        &mut self,
        operand: &Operand,
        formal: &Parameter,
    ) -> Result<FrameRange, Diagnostic> {
        if let Some(range) = self.passed_variable(operand, formal)? {
            return Ok(range);
        }
        let ty = self.formal_type(formal, operand.span)?;
        let range = self.scratch(ty, operand.span)?;
        let value = match (ty.class(), ty.width_bits()) {
            (TypeClass::Predicate, _) => self.mask_src(operand)?,
            (_, 128) => return Err(error::operand_kind(operand.span, "a .param variable")),
            _ => self.src(operand, ty)?,
        };
        self.store_value(value, ty, range.offset);
        Ok(range)
    }

    fn result(
        &mut self,
        operand: &Operand,
        formal: &Parameter,
        returned: &mut Vec<Returned>,
    ) -> Result<FrameRange, Diagnostic> {
        if let Some(range) = self.passed_variable(operand, formal)? {
            return Ok(range);
        }
        if self.is_sink(operand) {
            let bytes = parameter_bytes(self.module, formal);
            let offset = self.reserve(bytes, 16, operand.span)?;
            let bytes = bytes as u32;
            return Ok(FrameRange { offset, bytes });
        }
        let ty = self.formal_type(formal, operand.span)?;
        let range = self.scratch(ty, operand.span)?;
        let reg = self.dst(operand, ty)?;
        let offset = range.offset;
        returned.push(Returned { reg, ty, offset });
        Ok(range)
    }

    /// Stores a register's value in the frame, as part of the calling convention. A predicate
    /// becomes a byte.
    pub(crate) fn store_value(&mut self, value: Src, ty: ScalarType, offset: u32) {
        let stored = match ty.class() {
            TypeClass::Predicate => {
                let sources = [1u32.into(), 0u32.into(), value];
                self.compute(RegClass::Lane32, Op::SelB32, &sources).into()
            }
            _ => value,
        };
        let mut inst = self.frame_op(Op::StFrame, ty, offset);
        inst.src[1] = stored;
        self.helper(inst);
    }

    /// Loads a register from the frame, as part of the calling convention.
    pub(crate) fn load_register(&mut self, reg: VReg, ty: ScalarType, offset: u32) {
        if ty.class() != TypeClass::Predicate {
            let inst = self.frame_op(Op::LdFrame, ty, offset).dst(reg);
            return self.helper(inst);
        }
        let byte = self.temp(RegClass::Lane32);
        let inst = self.frame_op(Op::LdFrame, ty, offset).dst(byte);
        self.helper(inst);
        let inst = self.op(Op::SetNeI32).dst(reg);
        self.helper(inst.src(&[byte.into(), 0u32.into()]));
    }

    fn frame_op(&self, op: Op, ty: ScalarType, offset: u32) -> isa::builder::VInst {
        let width_log2 = ty.size_bytes().trailing_zeros() as u8;
        let access = Access {
            signed: ty.class() == TypeClass::Signed,
            wide_registers: class_of(ty) == RegClass::Lane64,
            ..Access::plain(Space::Local, width_log2)
        };
        let mut inst = self.op(op).mods(access.pack()).low(offset);
        inst.flags |= Flags::CONVENTION;
        inst
    }
}

/// The host function called `name`.
pub(crate) fn host_function(name: &str) -> Option<HostFunction> {
    let all = [
        HostFunction::Vprintf,
        HostFunction::AssertFail,
        HostFunction::Malloc,
        HostFunction::Free,
    ];
    all.into_iter().find(|function| function.name() == name)
}
