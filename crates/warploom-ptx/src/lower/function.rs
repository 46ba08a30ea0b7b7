//! One function or kernel: its frame, its instructions, what it demands.

use warploom_isa::builder::{BuildError, VReg};
use warploom_isa::watch::WatchList;
use warploom_isa::{self as isa, KernelParam, LaunchBounds, Op};

use super::context::{Lower, Place, Start, registers_of};
use super::frame::{Layout, RegisterParameter};
use super::lines::source_lines;
use super::link::Link;
use super::parts::Parts;
use super::table::requirements;
use super::{Form, error};
use crate::ast::{
    Body, Function, FunctionId, FunctionKind, Instruction, Module, OpaqueType, Opcode,
    ParameterStorage, Variable, VariableId, VariableType,
};
use crate::diagnostic::{Diagnostic, Diagnostics, LineIndex};
use crate::types::ScalarType;

/// A module whose functions are being lowered.
pub(crate) struct Source<'a> {
    pub(crate) module: &'a Module<'a>,
    pub(crate) number: usize,
    pub(crate) lines: LineIndex,
    /// Decoded opcodes, by number.
    pub(crate) forms: Vec<Option<Form>>,
    /// The variables declared in each function.
    pub(crate) owned: Vec<Vec<VariableId>>,
    /// Whether a source file of this name is the author's.
    pub(crate) is_own: &'a dyn Fn(&str) -> bool,
    /// Kernels copy their registers to memory.
    pub(crate) watched: bool,
    /// What stands before a function's first instruction.
    pub(crate) before: (Instruction, Opcode<'a>),
}

/// Lowers the body of a function.
pub(crate) fn lower(
    link: &mut Link,
    source: &mut Source<'_>,
    id: FunctionId,
    body: &Body,
    errors: &mut Diagnostics,
) {
    let number = source.number;
    let module = source.module;
    let function = module.function(id);
    let target = link.function(number, id);
    let place = Start {
        module_number: number,
        module,
        body,
        before: (&source.before.0, &source.before.1),
        lines: &source.lines,
        source_lines: source_lines(link, number, &body.locations, source.is_own),
        id: target,
        kernel: function.kind == FunctionKind::Entry,
    };
    let mut ctx = Lower::new(link, place);
    let owned = source.owned.get(id.index()).map_or(&[][..], Vec::as_slice);
    let layout = match ctx.lay_out(function, owned) {
        Ok(layout) => layout,
        Err(error) => return errors.push(error),
    };
    ctx.results = layout.register_results.clone();
    ctx.load_parameters(&layout);
    let watch = (source.watched && ctx.kernel).then(|| ctx.watch_registers());
    let mut labels = labels_in_order(body);
    for (position, inst) in (0..).zip(&body.instructions) {
        ctx.place_labels(&mut labels, position);
        if let Err(error) = instruction(&mut ctx, &mut source.forms, inst) {
            errors.push(error);
            if errors.is_full() {
                return;
            }
        }
    }
    let jumped_to = !labels.is_empty();
    ctx.place_labels(&mut labels, u32::MAX);
    if jumped_to || !ctx.ends_function() {
        ctx.store_results();
    }
    if body.instructions.is_empty() {
        // So that there is an instruction with a place in the text.
        let ret = ctx.op(Op::Ret);
        ctx.helper(ret);
    }
    if !errors.has_errors() {
        finish(ctx, function, (layout, watch), target, errors);
    }
}

/// Lowers one instruction.
fn instruction<'a>(
    ctx: &mut Lower<'a>,
    forms: &mut [Option<Form>],
    inst: &'a Instruction,
) -> Result<(), Diagnostic> {
    ctx.begin(inst)?;
    let form = match forms.get(inst.opcode.index()) {
        Some(&Some(form)) => form,
        _ => {
            let mut parts = Parts::new(ctx.opcode, inst.opcode_start)?;
            let form = Form::decode(ctx.opcode, &mut parts)?;
            ctx.require(requirements(ctx.opcode))?;
            if let Some(known) = forms.get_mut(inst.opcode.index()) {
                *known = Some(form);
            }
            form
        }
    };
    form.lower(ctx)?;
    ctx.end();
    Ok(())
}

/// Label numbers with their positions, first positions last.
fn labels_in_order(body: &Body) -> Vec<(u32, usize)> {
    let labels = body.labels.iter().enumerate();
    let mut order: Vec<_> = labels.map(|(n, label)| (label.position, n)).collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    order
}

impl Lower<'_> {
    /// Places the labels up to an instruction of the body.
    fn place_labels(&mut self, labels: &mut Vec<(u32, usize)>, position: u32) {
        while let Some((_, n)) = labels.pop_if(|&mut (at, _)| at <= position) {
            if let Some(&label) = self.labels.get(n) {
                self.code.place(label);
            }
        }
    }

    /// Whether nothing runs on behind the current instruction.
    fn ends_function(&self) -> bool {
        let leaves = matches!(self.opcode.base(), "ret" | "exit" | "trap" | "bra");
        leaves && self.inst.guard.is_none()
    }

    /// Loads the `.reg` parameters from where the caller put them.
    fn load_parameters(&mut self, layout: &Layout) {
        for parameter in &layout.register_parameters {
            for (reg, ty, offset) in self.pieces(parameter) {
                self.load_register(reg, ty, offset);
            }
        }
    }

    /// Stores the `.reg` results where the caller finds them.
    pub(crate) fn store_results(&mut self) {
        let results = std::mem::take(&mut self.results);
        for result in &results {
            for (reg, ty, offset) in self.pieces(result) {
                self.store_value(reg.into(), ty, offset);
            }
        }
        self.results = results;
    }

    /// The virtual registers of a register parameter with their types and offsets.
    fn pieces(&self, parameter: &RegisterParameter) -> Vec<(VReg, ScalarType, u32)> {
        let (ty, per_element) = match registers_of(parameter.ty) {
            1 => (parameter.ty, 1),
            n => (ScalarType::B64, n),
        };
        let vector = u32::from(self.body.register(parameter.register).vector);
        (0..vector * per_element)
            .map(|n| {
                let reg = self.register(parameter.register, n);
                (reg, ty, parameter.offset + n * ty.size_bytes())
            })
            .collect()
    }
}

/// Closes a function: decoded code, and what the module says about it.
fn finish(
    ctx: Lower<'_>,
    function: &Function,
    (layout, watch): (Layout, Option<WatchList>),
    id: isa::FunctionId,
    errors: &mut Diagnostics,
) {
    let mut params = kernel_parameters(&ctx, function);
    let mut param_bytes = ctx.param_bytes as u32;
    if let Some(watch) = &watch {
        let param = watch.param(param_bytes);
        param_bytes = param.offset + param.bytes;
        params.push(param);
    }
    let Lower {
        code,
        link,
        facts,
        frame_bytes,
        frame_align_bytes,
        frame_places,
        ..
    } = ctx;
    if let Err(error) = code.finish(&mut link.builder) {
        return errors.push(build_error(error, function));
    }
    link.frame_align_bytes = link.frame_align_bytes.max(frame_align_bytes);
    let Some(built) = link.builder.module_mut().functions.get_mut(id.index()) else {
        return;
    };
    built.frame_bytes = frame_bytes as u32;
    built.frame_places = frame_places;
    built.formals = layout.formals;
    built.returns = layout.returns;
    built.watch = watch;
    built.params = params;
    built.param_bytes = param_bytes;
    built.callees = facts.callees.into_iter().collect();
    built.callees.sort_unstable();
    built.variables = facts.variables.into_iter().collect();
    built.variables.sort_unstable();
    built.calls_indirectly = facts.calls_indirectly;
    built.order_dependent = facts.order_dependent;
    built.unsupported = facts.unsupported;
}

fn build_error(error: BuildError, function: &Function) -> Diagnostic {
    let label = "this function does not fit";
    Diagnostic::new(
        error::CAPACITY,
        function.name_span,
        error.to_string(),
        label,
    )
}

fn kernel_parameters(ctx: &Lower<'_>, function: &Function) -> Vec<KernelParam> {
    let parameters = function.signature.parameters.iter();
    let variables = parameters.filter_map(|parameter| match parameter.storage {
        ParameterStorage::Variable(id) if ctx.kernel => Some(id),
        _ => None,
    });
    let placed = variables.filter_map(|id| match ctx.place(id) {
        Place::KernelParam(offset) => Some((ctx.module.variable(id), offset)),
        _ => None,
    });
    placed
        .map(|(variable, offset)| KernelParam {
            name: ctx.module.text(variable.name).to_owned(),
            ty: type_text(variable),
            offset,
            bytes: variable.size_bytes() as u32,
            align_bytes: variable.align_bytes,
            pointer: variable.pointer.is_some(),
        })
        .collect()
}

/// A variable's type as one would write it: `.u64`, `.align 8 .b8[24]`.
fn type_text(variable: &Variable) -> String {
    let mut text = String::new();
    if u64::from(variable.align_bytes) != variable.element_bytes() {
        text += &format!(".align {} ", variable.align_bytes);
    }
    if variable.vector > 1 {
        text += &format!(".v{} ", variable.vector);
    }
    text += match variable.ty {
        VariableType::Scalar(ty) => return text + "." + ty.name() + &dimensions(variable),
        VariableType::Opaque(OpaqueType::Texture) => ".texref",
        VariableType::Opaque(OpaqueType::Sampler) => ".samplerref",
        VariableType::Opaque(OpaqueType::Surface) => ".surfref",
    };
    text + &dimensions(variable)
}

fn dimensions(variable: &Variable) -> String {
    let lengths = variable.dimensions.iter();
    lengths.map(|length| format!("[{length}]")).collect()
}

/// What a kernel demands of its launch.
pub(crate) fn launch_bounds(function: &Function) -> LaunchBounds {
    LaunchBounds {
        required_block: function.bounds.required_threads,
        max_block: function.bounds.max_threads,
        min_blocks_per_sm: function.bounds.min_blocks_per_sm,
        max_registers: function.bounds.max_registers,
        required_cluster: function.bounds.required_cluster,
    }
}
