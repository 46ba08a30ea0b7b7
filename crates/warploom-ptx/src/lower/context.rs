//! Lowering one function: what every instruction family works with.
//!
//! One PTX instruction counts as exactly one issued instruction. A family writes its principal
//! operation with [`Lower::emit`] and whatever prepares or finishes it with [`Lower::helper`];
//! the guard and the place in the source are added here. A family that emits nothing gets a
//! `Nop`, a second `emit` within the same instruction is fused to the first.

use rustc_hash::FxHashSet;
use warploom_isa::builder::{FunctionBuilder, Label, Src, VInst, VReg};
use warploom_isa::watch::WatchList;
use warploom_isa::{self as isa, Flags, Loc, Op, Origin, RegClass, Unsupported};

use super::error;
use super::frame::RegisterParameter;
use super::link::Link;
use super::table::Needs;
use crate::ast::{
    Body, Instruction, Module, Name, Opcode, OperandKind, RegisterId, Target, VariableId,
};
use crate::diagnostic::{Diagnostic, LineIndex};
use crate::types::{ScalarType, TypeClass};

/// Registers that a watched kernel copies at most.
const MOST_WATCHED: usize = 256;

/// Where a variable of the syntax tree is at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A global, constant or shared variable.
    Module(isa::VariableId),
    /// Local variables, call parameters, and a device function's own: bytes into its frame.
    Frame(u32),
    /// A kernel's parameter: bytes into the parameter block.
    KernelParam(u32),
    /// Textures and the like, which nothing that runs can name.
    Opaque,
}

/// What the instructions of a function add up to.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) variables: FxHashSet<isa::VariableId>,
    pub(crate) callees: FxHashSet<isa::FunctionId>,
    pub(crate) calls_indirectly: bool,
    pub(crate) order_dependent: bool,
    pub(crate) unsupported: Vec<Unsupported>,
}

/// The function being lowered, at one of its instructions.
pub(crate) struct Lower<'a> {
    pub(crate) module: &'a Module<'a>,
    pub(crate) body: &'a Body,
    /// The instruction being lowered.
    pub(crate) inst: &'a Instruction,
    pub(crate) opcode: &'a Opcode<'a>,
    pub(crate) link: &'a mut Link,
    /// Number of `module` among those that are linked.
    pub(crate) module_number: usize,
    pub(crate) kernel: bool,
    pub(crate) code: FunctionBuilder,
    pub(crate) facts: Facts,
    /// Frame bytes in use so far.
    pub(crate) frame_bytes: u64,
    /// Largest alignment of anything in the frame.
    pub(crate) frame_align_bytes: u32,
    /// What has been reserved in the frame, in order.
    pub(crate) frame_places: Vec<warploom_isa::FrameRange>,
    /// `.reg` results of the function.
    pub(crate) results: Vec<RegisterParameter>,
    /// Bytes of the kernel's parameter block.
    pub(crate) param_bytes: u64,
    /// By label of the body.
    pub(crate) labels: Vec<Label>,
    /// Where this function's own variables are, by id; others are the linker's to know.
    pub(crate) places: Vec<(VariableId, Place)>,
    lines: &'a LineIndex,
    /// By location of the body.
    source_lines: Vec<Option<Loc>>,
    origin: Origin,
    guard: Option<(VReg, bool)>,
    /// By register of the body, the first of its virtual registers.
    registers: Vec<VReg>,
    /// By register of the body, how often the text names it, up to 2.
    mentions: Vec<u8>,
    /// The condition code: carry, or borrow, of the extended-precision instructions.
    carry: Option<VReg>,
    /// Virtual registers below this belong to the program, the others are temporary.
    first_temp: u32,
    /// The current instruction has its counted operation.
    counted: bool,
}

/// What a function starts from.
pub(crate) struct Start<'a> {
    pub(crate) module_number: usize,
    pub(crate) module: &'a Module<'a>,
    pub(crate) body: &'a Body,
    /// An instruction without anything, to stand before the first.
    pub(crate) before: (&'a Instruction, &'a Opcode<'a>),
    pub(crate) lines: &'a LineIndex,
    /// By location of the body.
    pub(crate) source_lines: Vec<Option<Loc>>,
    pub(crate) id: isa::FunctionId,
    pub(crate) kernel: bool,
}

/// Register class of a value of `ty`; of each half for 128 bits.
pub(crate) fn class_of(ty: ScalarType) -> RegClass {
    match (ty.class(), ty.width_bits()) {
        (TypeClass::Predicate, _) => RegClass::Mask,
        (_, 64 | 128) => RegClass::Lane64,
        _ => RegClass::Lane32,
    }
}

/// Virtual registers that one value of `ty` takes.
pub(crate) fn registers_of(ty: ScalarType) -> u32 {
    if ty.width_bits() == 128 { 2 } else { 1 }
}

impl<'a> Lower<'a> {
    /// Starts a function with its registers.
    pub(crate) fn new(link: &'a mut Link, start: Start<'a>) -> Lower<'a> {
        let Start {
            module_number,
            module,
            body,
            before,
            lines,
            source_lines,
            id,
            kernel,
        } = start;
        let origin = link.origin(module_number, lines.line(body.span.start));
        let mut code = FunctionBuilder::new(id);
        let mut registers = Vec::with_capacity(body.registers.len());
        let mut count = 0;
        for register in &body.registers {
            registers.push(VReg(count));
            for _ in 0..u32::from(register.vector) * registers_of(register.ty) {
                code.reg(class_of(register.ty));
                count += 1;
            }
        }
        Lower {
            module,
            body,
            inst: before.0,
            opcode: before.1,
            link,
            module_number,
            kernel,
            facts: Facts::default(),
            frame_bytes: 0,
            frame_align_bytes: 1,
            frame_places: Vec::new(),
            results: Vec::new(),
            param_bytes: 0,
            labels: (0..body.labels.len()).map(|_| code.label()).collect(),
            places: Vec::new(),
            lines,
            source_lines,
            origin,
            code,
            guard: None,
            registers,
            mentions: mentions(body),
            carry: None,
            first_temp: count,
            counted: false,
        }
    }

    /// Lets the kernel copy the registers that its text names to memory, up to [`MOST_WATCHED`].
    pub(crate) fn watch_registers(&mut self) -> WatchList {
        let mut list = WatchList::default();
        let mut watched = Vec::new();
        let named = self.body.registers.iter().zip(&self.mentions);
        let named = named.zip(&self.registers).filter(|((_, n), _)| **n > 0);
        for ((register, _), first) in named {
            let name = self.module.text(register.name);
            let pieces = u32::from(register.vector) * registers_of(register.ty);
            for n in 0..pieces {
                if watched.len() == MOST_WATCHED {
                    break;
                }
                let name = match pieces {
                    1 => name.to_owned(),
                    _ => format!("{name}.{n}"),
                };
                list.add(name, register.ty.name(), class_of(register.ty));
                watched.push(VReg(first.0 + n));
            }
        }
        let param_bytes = list.param(self.param_bytes as u32).offset;
        self.code.watch(&list, watched, param_bytes, self.origin);
        list
    }

    /// Moves on to `inst`: its guard, its place, nothing counted yet.
    pub(crate) fn begin(&mut self, inst: &'a Instruction) -> Result<(), Diagnostic> {
        self.inst = inst;
        self.opcode = self.module.opcode(inst.opcode);
        self.origin = self.origin_of(inst);
        self.counted = false;
        self.guard = None;
        if let Some(guard) = inst.guard {
            let register = self.predicate(&guard.predicate, guard.span)?;
            self.guard = Some((register, guard.negated));
        }
        Ok(())
    }

    /// Ends the instruction: one that needs no operation still costs its issue.
    pub(crate) fn end(&mut self) {
        if !self.counted {
            let nop = self.op(Op::Nop);
            self.emit(nop);
        }
    }

    fn origin_of(&self, inst: &Instruction) -> Origin {
        let text_line = self.lines.line(inst.opcode_start);
        let known = inst
            .location
            .and_then(|id| self.source_lines.get(id.index()));
        let loc = known.copied().flatten();
        let text = self.link.origin(self.module_number, text_line);
        Origin {
            loc: loc.unwrap_or(text.loc),
            text_line,
        }
    }

    /// An operation at the current place in the source.
    pub(crate) fn op(&self, op: Op) -> VInst {
        VInst::new(op, self.origin)
    }

    /// Writes the instruction's principal operation, under its guard. It is the counted one; a
    /// second one within the same instruction is fused to it.
    pub(crate) fn emit(&mut self, mut inst: VInst) {
        inst.guard = self.guard;
        if self.counted {
            inst.flags |= Flags::FUSED;
        }
        self.counted |= inst.flags & Flags::FUSED == 0;
        self.code.push(inst);
    }

    /// Writes an uncounted operation that prepares or finishes the principal one. It is guarded
    /// only where it writes a register of the program or touches more than registers: a guarded
    /// write to a temporary would keep that temporary alive from the function's start.
    pub(crate) fn helper(&mut self, inst: VInst) {
        let mut inst = inst.fused();
        let pure = inst.op.signature().is_some()
            || matches!(
                inst.op,
                Op::Special
                    | Op::FrameAddress
                    | Op::LdFrame
                    | Op::MaskMov
                    | Op::MaskAnd
                    | Op::MaskOr
                    | Op::MaskXor
                    | Op::MaskNot
            );
        let temporary = |reg: &VReg| reg.0 >= self.first_temp;
        let mut written = inst.dst.iter().chain(&inst.dst2);
        if !(pure && written.all(temporary) && inst.vector_dst.iter().flatten().all(temporary)) {
            inst.guard = self.guard;
        }
        self.code.push(inst);
    }

    /// The module must declare what the current instruction needs.
    pub(crate) fn require(&self, needs: Needs) -> Result<(), Diagnostic> {
        if needs.met_by(self.module.version, &self.module.target) {
            return Ok(());
        }
        let span = self.inst.opcode_span(self.opcode);
        Err(error::too_new(span, self.opcode.text, &needs.text()))
    }

    /// A register that only the current instruction uses.
    pub(crate) fn temp(&mut self, class: RegClass) -> VReg {
        self.code.reg(class)
    }

    /// The register of the function's condition code.
    pub(crate) fn carry(&mut self) -> VReg {
        let code = &mut self.code;
        *self.carry.get_or_insert_with(|| code.reg(RegClass::Mask))
    }

    /// A helper operation into a new temporary of `class`.
    pub(crate) fn compute(&mut self, class: RegClass, op: Op, sources: &[Src]) -> VReg {
        let temp = self.temp(class);
        let inst = self.op(op).dst(temp).src(sources);
        self.helper(inst);
        temp
    }

    /// The guard of the current instruction.
    pub(crate) fn guard(&self) -> Option<(VReg, bool)> {
        self.guard
    }

    /// Writes what follows unguarded: the caller branches around it instead.
    pub(crate) fn drop_guard(&mut self) {
        self.guard = None;
    }

    /// Notes that PTX has this instruction and the machine does not; a launch that can reach it
    /// is refused, and a trap stands in its place.
    pub(crate) fn unsupported(&mut self) {
        let what = self.opcode.text.to_owned();
        self.unsupported_feature(what);
    }

    /// As [`Lower::unsupported`], for something other than the opcode itself.
    pub(crate) fn unsupported_feature(&mut self, what: String) {
        self.facts.unsupported.push(Unsupported {
            what,
            origin: self.origin,
        });
        let trap = self.op(Op::Trap);
        self.emit(trap);
    }

    /// Virtual register `n` of a register of the body.
    pub(crate) fn register(&self, id: RegisterId, n: u32) -> VReg {
        VReg(self.registers.get(id.index()).map_or(0, |first| first.0) + n)
    }

    /// How often the text names a register; 2 stands for more.
    pub(crate) fn mentions(&self, id: RegisterId) -> u8 {
        self.mentions.get(id.index()).copied().unwrap_or(2)
    }

    /// Where a variable is.
    pub(crate) fn place(&self, id: VariableId) -> Place {
        let own = self.places.binary_search_by_key(&id, |&(id, _)| id);
        match own {
            Ok(at) => self.places[at].1,
            Err(_) => self.link.place(self.module_number, id),
        }
    }
}

/// Counts the places in the code where each register is named, up to 2.
fn mentions(body: &Body) -> Vec<u8> {
    let mut counts = vec![0u8; body.registers.len()];
    let mut count = |name: &Name| {
        if let Target::Register(id) = name.target
            && let Some(n) = counts.get_mut(id.index())
        {
            *n = (*n + 1).min(2);
        }
    };
    for operand in &body.operands {
        if let OperandKind::Name(name) | OperandKind::Not(name) | OperandKind::Negate(name) =
            &operand.kind
        {
            count(name);
        }
    }
    for address in &body.addresses {
        address.base.iter().for_each(&mut count);
    }
    for inst in &body.instructions {
        if let Some(guard) = &inst.guard {
            count(&guard.predicate);
        }
    }
    counts
}
