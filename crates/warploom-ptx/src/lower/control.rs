//! Branches, the end of threads and functions, the stack, and what only takes time.

use warploom_isa::builder::{Label, VInst};
use warploom_isa::{Flags, Op, RegClass};

use super::context::Lower;
use super::error;
use super::parts::Parts;
use crate::ast::{Name, Operand, OperandKind, Target};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::ScalarType;

/// A control opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Bra,
    Brx,
    Ret,
    /// `exit`, `trap`, `brkpt`
    Plain(Op),
    Nanosleep,
    /// Takes an issue and so many operands, and does nothing.
    Nothing(usize),
    Alloca(ScalarType),
    StackSave(ScalarType),
    StackRestore(ScalarType),
}

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    const ADDRESS: &[ScalarType] = &[ScalarType::U32, ScalarType::U64];
    const STACK: &[ScalarType] = &[
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::B32,
        ScalarType::B64,
    ];
    let form = match parts.base() {
        "bra" => {
            parts.take("uni");
            Form::Bra
        }
        "brx" => {
            parts.require_one("`.idx`", &[("idx", ())])?;
            parts.take("uni");
            Form::Brx
        }
        "ret" => {
            parts.take("uni");
            Form::Ret
        }
        "exit" => Form::Plain(Op::Exit),
        "trap" => Form::Plain(Op::Trap),
        "brkpt" => Form::Plain(Op::Brkpt),
        "nanosleep" => {
            parts.type_among(&[ScalarType::U32])?;
            Form::Nanosleep
        }
        "pmevent" => {
            parts.take("mask");
            Form::Nothing(1)
        }
        "griddepcontrol" => {
            let actions = [("launch_dependents", ()), ("wait", ())];
            parts.require_one("action", &actions)?;
            Form::Nothing(0)
        }
        "alloca" => Form::Alloca(parts.type_among(ADDRESS)?),
        "stacksave" => Form::StackSave(parts.type_among(STACK)?),
        "stackrestore" => Form::StackRestore(parts.type_among(STACK)?),
        _ => return Ok(None),
    };
    parts.finish()?;
    Ok(Some(form))
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match *form {
        Form::Bra => {
            let [target] = ctx.exactly::<1>()?;
            let mut inst = ctx.op(Op::Bra);
            inst.targets = vec![ctx.label_operand(target)?];
            ctx.emit(inst);
        }
        Form::Brx => ctx.indexed_branch()?,
        Form::Ret => {
            ctx.operands(0, 0)?;
            ctx.ret();
        }
        Form::Plain(op) => {
            ctx.operands(0, 0)?;
            let inst = ctx.op(op);
            ctx.emit(inst);
        }
        Form::Nanosleep => {
            let [time] = ctx.exactly::<1>()?;
            let time = ctx.src(time, ScalarType::U32)?;
            let inst = ctx.op(Op::Nanosleep).src(&[time]);
            ctx.emit(inst);
        }
        Form::Nothing(operands) => {
            for operand in ctx.operands(operands, operands)? {
                ctx.constant(operand)?;
            }
        }
        Form::Alloca(ty) => ctx.alloca(ty)?,
        Form::StackSave(ty) => {
            let [target] = ctx.exactly::<1>()?;
            ctx.stack_result(target, ty, |inst| inst, Op::StackSave)?;
        }
        Form::StackRestore(ty) => {
            let [value] = ctx.exactly::<1>()?;
            let value = ctx.stack_value(value, ty)?;
            let inst = ctx.op(Op::StackRestore).src(&[value]);
            ctx.emit(inst);
        }
    }
    Ok(())
}

impl Lower<'_> {
    fn label(&self, name: &Name, span: Span) -> Result<Label, Diagnostic> {
        match name.target {
            Target::Label(id) => self.labels.get(id.index()).copied(),
            _ => None,
        }
        .ok_or_else(|| error::operand_kind(span, "a label"))
    }

    fn label_operand(&self, operand: &Operand) -> Result<Label, Diagnostic> {
        match operand.kind {
            OperandKind::Name(name) => self.label(&name, operand.span),
            _ => Err(error::operand_kind(operand.span, "a label")),
        }
    }

    fn indexed_branch(&mut self) -> Result<(), Diagnostic> {
        let [index, table] = self.exactly::<2>()?;
        let not_table = || error::operand_kind(table.span, "the name of a .branchtargets list");
        let OperandKind::Name(Name {
            target: Target::BranchTable(id),
            ..
        }) = table.kind
        else {
            return Err(not_table());
        };
        let body = self.body;
        let targets = body.branch_tables.get(id.index()).ok_or_else(not_table)?;
        self.link.spend(targets.targets.len(), table.span)?;
        let mut inst = self.op(Op::Brx);
        for (name, span) in &targets.targets {
            inst.targets.push(self.label(name, *span)?);
        }
        inst.src[0] = self.src(index, ScalarType::U32)?;
        self.emit(inst);
        Ok(())
    }

    /// Jumps around what follows where the guard is false, and drops the guard. The label, if
    /// there is one, is to be placed behind. The instruction issues here, where all its lanes
    /// still are together.
    pub(crate) fn branch_around(&mut self) -> Option<Label> {
        self.guard()?;
        let (into, behind) = (self.code.label(), self.code.label());
        let mut inst = self.op(Op::Bra);
        inst.flags |= Flags::CONVENTION;
        inst.targets = vec![into];
        self.emit(inst);
        self.drop_guard();
        let mut inst = self.op(Op::Bra).fused();
        inst.targets = vec![behind];
        self.code.push(inst);
        self.code.place(into);
        Some(behind)
    }

    fn ret(&mut self) {
        if self.kernel {
            let op = match self.guard() {
                Some(_) => Op::Exit,
                None => Op::Ret,
            };
            let inst = self.op(op);
            self.emit(inst);
            return;
        }
        let behind = self.branch_around();
        self.store_results();
        let inst = self.op(Op::Ret);
        self.emit(inst);
        if let Some(label) = behind {
            self.code.place(label);
        }
    }

    /// Writes an operation whose 64-bit result goes to a register of type `ty`.
    fn stack_result(
        &mut self,
        target: &Operand,
        ty: ScalarType,
        fill: impl Fn(VInst) -> VInst,
        op: Op,
    ) -> Result<(), Diagnostic> {
        let reg = self.dst(target, ty)?;
        let narrow = ty.width_bits() == 32;
        let wide = match narrow {
            true => self.temp(RegClass::Lane64),
            false => reg,
        };
        let inst = self.op(op).dst(wide);
        self.emit(fill(inst));
        if narrow {
            let inst = self.op(Op::TruncI64).dst(reg).src(&[wide.into()]);
            self.helper(inst);
        }
        Ok(())
    }

    /// A source of type `ty` as 64 bits.
    fn stack_value(
        &mut self,
        operand: &Operand,
        ty: ScalarType,
    ) -> Result<warploom_isa::builder::Src, Diagnostic> {
        let value = self.src(operand, ty)?;
        Ok(match ty.width_bits() {
            32 => self.compute(RegClass::Lane64, Op::ZextI32, &[value]).into(),
            _ => value,
        })
    }

    fn alloca(&mut self, ty: ScalarType) -> Result<(), Diagnostic> {
        const DEFAULT_ALIGN_BYTES: i64 = 8;
        let operands = self.operands(2, 3)?;
        let [target, size, align @ ..] = operands else {
            return Ok(());
        };
        let align_bytes = match align.first() {
            Some(operand) => self.constant(operand)?,
            None => DEFAULT_ALIGN_BYTES,
        };
        let align = u32::try_from(align_bytes).ok();
        let Some(align) = align.filter(|n| n.is_power_of_two() && *n <= MAX_ALIGN_BYTES) else {
            let span = align_span(operands);
            return Err(Diagnostic::new(
                error::CONSTANT_RANGE,
                span,
                "an alignment is a power of two",
                format!("not a power of two up to {MAX_ALIGN_BYTES}"),
            ));
        };
        let size = self.stack_value(size, ty)?;
        self.stack_result(target, ty, |inst| inst.src(&[size]).low(align), Op::Alloca)
    }
}

/// The largest alignment of a place on the stack.
const MAX_ALIGN_BYTES: u32 = 1 << 16;

fn align_span(operands: &[Operand]) -> Span {
    operands
        .last()
        .map_or(Span::default(), |operand| operand.span)
}
