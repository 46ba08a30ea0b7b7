//! How a front end writes a program: virtual registers and labels in, decoded code out.
//!
//! A [`FunctionBuilder`] collects instructions over unlimited virtual registers.
//! [`FunctionBuilder::finish`] cuts them into basic blocks, finds the reconvergence point of every
//! branch, packs the registers by liveness and appends the decoded code to a [`ModuleBuilder`].

use std::collections::HashMap;

use crate::access::{Access, Special};
use crate::address::Space;
use crate::allocate::{self, Live};
use crate::cfg::Cfg;
use crate::inst::{EXIT_PC, Flags, Inst, NO_SLOT};
use crate::lane::RegClass;
use crate::mods::Mods;
use crate::module::{
    BasicBlock, BlockId, CallSite, Constant, Function, FunctionId, Module, Variable, VariableId,
};
use crate::op::Op;
use crate::slot::{MaskSlot, Slot};
use crate::source::Origin;
use crate::watch::{Copied, Watch, WatchList};

/// A virtual register of the function being built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VReg(pub u32);

/// A branch target of the function being built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A virtual register.
    Reg(VReg),
    /// A constant.
    Const(Constant),
    /// No operand.
    None,
}

impl From<VReg> for Src {
    fn from(reg: VReg) -> Src {
        Src::Reg(reg)
    }
}

impl From<u32> for Src {
    fn from(bits: u32) -> Src {
        Src::Const(Constant::Bits32(bits))
    }
}

impl From<u64> for Src {
    fn from(bits: u64) -> Src {
        Src::Const(Constant::Bits64(bits))
    }
}

/// An instruction before registers are assigned. Fields follow [`Inst`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VInst {
    /// The operation.
    pub op: Op,
    /// Guard mask register, and whether it is complemented.
    pub guard: Option<(VReg, bool)>,
    /// First destination.
    pub dst: Option<VReg>,
    /// Second destination.
    pub dst2: Option<VReg>,
    /// Sources `a` to `d`.
    pub src: [Src; 4],
    /// Destinations of a vector load or atomic; `None` throws the element away.
    pub vector_dst: Vec<Option<VReg>>,
    /// Sources of a vector store or atomic.
    pub vector_src: Vec<Src>,
    /// Modifiers.
    pub mods: Mods,
    /// [`Inst::low`], unless a label or table is given.
    pub low: u32,
    /// [`Inst::high`], unless the operation computes it.
    pub high: u32,
    /// Branch targets: one of `Bra`, all of `Brx`.
    pub targets: Vec<Label>,
    /// See [`Flags`].
    pub flags: u16,
    /// Where it comes from.
    pub origin: Origin,
}

impl VInst {
    /// An instruction without operands.
    pub fn new(op: Op, origin: Origin) -> VInst {
        VInst {
            op,
            guard: None,
            dst: None,
            dst2: None,
            src: [Src::None; 4],
            vector_dst: Vec::new(),
            vector_src: Vec::new(),
            mods: Mods::NONE,
            low: 0,
            high: 0,
            targets: Vec::new(),
            flags: 0,
            origin,
        }
    }

    /// Sets the first destination.
    pub fn dst(mut self, reg: VReg) -> VInst {
        self.dst = Some(reg);
        self
    }

    /// Sets the second destination.
    pub fn dst2(mut self, reg: VReg) -> VInst {
        self.dst2 = Some(reg);
        self
    }

    /// Sets the sources, from `a` on; at most four.
    pub fn src(mut self, sources: &[Src]) -> VInst {
        for (place, &source) in self.src.iter_mut().zip(sources) {
            *place = source;
        }
        self
    }

    /// Sets the modifiers.
    pub fn mods(mut self, mods: Mods) -> VInst {
        self.mods = mods;
        self
    }

    /// Sets [`Inst::low`].
    pub fn low(mut self, low: u32) -> VInst {
        self.low = low;
        self
    }

    /// Marks the instruction as part of its neighbour: not counted, no issue of its own.
    pub fn fused(mut self) -> VInst {
        self.flags |= Flags::FUSED;
        self
    }
}

/// Why a function does not fit the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// More registers live at once than the register file has rows.
    #[error("the function needs more than {} registers at once", Slot::MAX_ROWS)]
    TooManyRegisters,
    /// Registers that live across basic blocks make more work than one function may.
    #[error("the function is too large: too many registers live across too many basic blocks")]
    TooLarge,
    /// More distinct constants than the constant file has rows.
    #[error("the module has more than {} distinct constants", Slot::MAX_ROWS)]
    TooManyConstants,
    /// A label that no instruction bears.
    #[error("branch to a label that is not placed")]
    UnplacedLabel,
    /// Code is addressed by 32-bit numbers.
    #[error("the module has too many instructions")]
    TooMuchCode,
}

/// Collects a module.
#[derive(Debug, Default)]
pub struct ModuleBuilder {
    module: Module,
    constants: HashMap<Constant, u16>,
    constant_rows: u32,
}

impl ModuleBuilder {
    /// An empty module. `name` is that of the loaded text, file 0 of the module.
    pub fn new(name: &str) -> ModuleBuilder {
        let module = Module {
            name: name.to_owned(),
            files: vec![name.to_owned()],
            ..Module::default()
        };
        ModuleBuilder {
            module,
            ..ModuleBuilder::default()
        }
    }

    /// The module so far, to fill in files, target and version.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.module
    }

    /// Adds a variable.
    pub fn variable(&mut self, variable: Variable) -> VariableId {
        self.module.variables.push(variable);
        VariableId(self.module.variables.len() as u32 - 1)
    }

    /// Declares a function, so that calls can name it before its body is built.
    pub fn declare(&mut self, function: Function) -> FunctionId {
        self.module.functions.push(function);
        FunctionId(self.module.functions.len() as u32 - 1)
    }

    /// Adds a call site.
    pub fn call_site(&mut self, site: CallSite) -> u32 {
        self.module.call_sites.push(site);
        self.module.call_sites.len() as u32 - 1
    }

    /// The module.
    pub fn finish(self) -> Module {
        self.module
    }

    fn constant(&mut self, constant: Constant) -> Result<Slot, BuildError> {
        if let Some(&row) = self.constants.get(&constant) {
            return Ok(Slot::constant(row));
        }
        let row = self.constant_rows;
        // The last row's slot would read as `NO_SLOT`.
        if row + constant.rows() >= Slot::MAX_ROWS {
            return Err(BuildError::TooManyConstants);
        }
        self.constant_rows += constant.rows();
        self.constants.insert(constant, row as u16);
        self.module.constants.push(constant);
        self.module.constant_rows.push(row as u16);
        Ok(Slot::constant(row as u16))
    }
}

/// Collects a function's instructions.
#[derive(Debug)]
pub struct FunctionBuilder {
    id: FunctionId,
    insts: Vec<VInst>,
    classes: Vec<RegClass>,
    labels: Vec<Option<u32>>,
    watch: Option<Watch>,
}

impl FunctionBuilder {
    /// Starts the body of a declared function.
    pub fn new(id: FunctionId) -> FunctionBuilder {
        FunctionBuilder {
            id,
            insts: Vec::new(),
            classes: Vec::new(),
            labels: Vec::new(),
            watch: None,
        }
    }

    /// Keeps a copy of registers in memory from here on, for whoever shows them: behind every
    /// instruction that writes one of them comes a store that is fused to it. `registers` go with
    /// those of the list one by one; the kernel's parameter at `param_bytes` is where the copies
    /// begin.
    pub fn watch(
        &mut self,
        list: &WatchList,
        registers: impl IntoIterator<Item = VReg>,
        param_bytes: u32,
        origin: Origin,
    ) {
        let first = self.reg(RegClass::Lane64);
        let thread = self.reg(RegClass::Lane32);
        let base = self.reg(RegClass::Lane64);
        let load = VInst::new(Op::LdParam, origin)
            .dst(first)
            .low(param_bytes)
            .mods(Access::plain(Space::Param, 3).pack());
        let index = Mods::NONE.with_high(Special::GlobalIndex.code() as u16);
        let index = VInst::new(Op::Special, origin).dst(thread).mods(index);
        let sources = [thread.into(), list.thread_bytes.into(), first.into()];
        let address = VInst::new(Op::MadWideS32, origin).dst(base).src(&sources);
        for inst in [load, index, address] {
            self.insts.push(inst.fused());
        }
        let offsets = list.registers.iter().map(|watched| watched.offset_bytes);
        self.watch = Some(Watch::new(base, registers.into_iter().zip(offsets)));
    }

    /// A new virtual register.
    pub fn reg(&mut self, class: RegClass) -> VReg {
        self.classes.push(class);
        VReg(self.classes.len() as u32 - 1)
    }

    /// The class of a register.
    pub fn class(&self, reg: VReg) -> RegClass {
        self.classes[reg.0 as usize]
    }

    /// A new label, to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.insts.len() as u32);
    }

    /// Appends an instruction.
    pub fn push(&mut self, inst: VInst) {
        let origin = inst.origin;
        let watch = self.watch.as_ref();
        let written = watch.map_or(Vec::new(), |watch| watch.written_by(&inst));
        self.insts.push(inst);
        for copy in written {
            self.keep(copy, origin);
        }
    }

    /// Stores a watched register. All active lanes do, whatever the guard of the instruction that
    /// has written it: where it did not write, the copy is the same as before.
    fn keep(&mut self, copy: Copied, origin: Origin) {
        let class = self.class(copy.reg);
        let (value, width_log2) = match class {
            RegClass::Lane32 => (copy.reg, 2),
            RegClass::Lane64 => (copy.reg, 3),
            RegClass::Mask => {
                let number = self.reg(RegClass::Lane32);
                let sources = [1u32.into(), 0u32.into(), copy.reg.into()];
                let inst = VInst::new(Op::SelB32, origin).dst(number).src(&sources);
                self.insts.push(inst.fused());
                (number, 2)
            }
        };
        let store = VInst::new(Op::St, origin)
            .src(&[copy.base.into(), value.into()])
            .low(copy.offset_bytes)
            .mods(Access::plain(Space::Global, width_log2).pack());
        self.insts.push(store.fused());
    }

    /// Instructions so far.
    pub fn len(&self) -> usize {
        self.insts.len()
    }

    /// Whether there is no instruction yet.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// Decodes the body into the module.
    ///
    /// A body that can run off its end returns there. Registers that are read before they are
    /// written start as zero.
    pub fn finish(mut self, module: &mut ModuleBuilder) -> Result<(), BuildError> {
        let last = self
            .insts
            .last()
            .map(|inst| inst.origin)
            .unwrap_or_default();
        self.insts.push(VInst::new(Op::Ret, last).fused());
        let blocks = self.cut()?;
        let cfg = self.graph(&blocks)?;
        let dominators = cfg.post_dominators();
        let live = Live::new(&self.insts, &self.classes, &blocks, &cfg);
        let live = live.ok_or(BuildError::TooLarge)?;
        let rows = allocate::assign(&live, &self.classes).ok_or(BuildError::TooManyRegisters)?;

        // Addresses of the blocks: each has its Block instruction in front; the first block of a
        // function is preceded by the zeroing of registers that are read before written.
        let start = module.module.code.len();
        let zeroed: Vec<VReg> = live.at_entry().collect();
        let mut pc = start + zeroed.len();
        let mut addresses = Vec::with_capacity(blocks.len());
        for range in &blocks {
            addresses.push(pc as u32);
            pc += 1 + range.len();
        }
        if pc >= EXIT_PC as usize {
            return Err(BuildError::TooMuchCode);
        }
        let origin = self.insts[0].origin;
        for reg in zeroed {
            let inst = self.zero(reg, &rows, module)?;
            module.module.code.push(inst);
            module.module.origins.push(origin);
        }
        let block_of = |target: u32| blocks.partition_point(|range| range.start < target);
        for (number, range) in blocks.iter().enumerate() {
            let id = module.module.blocks.len() as u32;
            let first = self.insts[range.start as usize].origin;
            module.module.code.push(Inst {
                low: id,
                ..Inst::new(Op::Block)
            });
            module.module.origins.push(first);
            let rpc = dominators[number].map_or(EXIT_PC, |block| addresses[block as usize]);
            for inst in &self.insts[range.start as usize..range.end as usize] {
                let mut decoded = self.decode(inst, &rows, module)?;
                match inst.op {
                    Op::Bra => {
                        decoded.low = addresses[block_of(self.target(inst.targets[0])?)];
                        decoded.high = rpc;
                    }
                    Op::Brx => {
                        let mut table = Vec::with_capacity(inst.targets.len());
                        for &label in &inst.targets {
                            table.push(addresses[block_of(self.target(label)?)]);
                        }
                        decoded.low = module.module.branch_tables.len() as u32;
                        decoded.high = rpc;
                        module.module.branch_tables.push(table);
                    }
                    _ => {}
                }
                module.module.code.push(decoded);
                module.module.origins.push(inst.origin);
            }
            let counted = &self.insts[range.start as usize..range.end as usize];
            let counted = counted
                .iter()
                .filter(|inst| inst.flags & Flags::FUSED == 0)
                .count();
            module.module.blocks.push(BasicBlock {
                function: self.id,
                start: addresses[number],
                end: module.module.code.len() as u32,
                counted: counted as u32,
            });
        }
        let end = module.module.code.len() as u32;
        let function = &mut module.module.functions[self.id.index()];
        function.start = start as u32;
        function.end = end;
        function.rows = rows.rows;
        function.masks = rows.masks;
        function.live_registers = rows.live_rows;
        Ok(())
    }

    fn target(&self, label: Label) -> Result<u32, BuildError> {
        self.labels[label.0 as usize].ok_or(BuildError::UnplacedLabel)
    }

    /// Basic blocks as ranges of instructions, in order.
    fn cut(&self) -> Result<Vec<std::ops::Range<u32>>, BuildError> {
        let count = self.insts.len() as u32;
        let mut leader = vec![false; count as usize + 1];
        leader[0] = true;
        for inst in &self.insts {
            for &label in &inst.targets {
                leader[self.target(label)? as usize] = true;
            }
        }
        for (i, inst) in self.insts.iter().enumerate() {
            leader[i + 1] |= ends_block(inst.op);
        }
        let starts: Vec<u32> = (0..count).filter(|&i| leader[i as usize]).collect();
        let ends = starts.iter().skip(1).copied().chain([count]);
        Ok(starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
            .collect())
    }

    fn graph(&self, blocks: &[std::ops::Range<u32>]) -> Result<Cfg, BuildError> {
        let block_of = |target: u32| blocks.partition_point(|range| range.start < target) as u32;
        let mut cfg = Cfg::default();
        for (number, range) in blocks.iter().enumerate() {
            let last = &self.insts[range.end as usize - 1];
            let mut successors = Vec::new();
            for &label in &last.targets {
                successors.push(block_of(self.target(label)?));
            }
            let leaves = matches!(last.op, Op::Ret | Op::Exit | Op::Trap | Op::Brkpt);
            let jumps = matches!(last.op, Op::Bra | Op::Brx);
            // A guarded indexed branch falls through like a guarded branch.
            if (!leaves && !jumps) || last.guard.is_some() {
                successors.push(number as u32 + 1);
            }
            successors.retain(|&s| (s as usize) < blocks.len());
            successors.sort_unstable();
            successors.dedup();
            cfg.exits.push(leaves || successors.is_empty());
            cfg.successors.push(successors);
        }
        Ok(cfg)
    }

    fn zero(
        &self,
        reg: VReg,
        rows: &allocate::Assignment,
        module: &mut ModuleBuilder,
    ) -> Result<Inst, BuildError> {
        let slot = rows.slots[reg.0 as usize];
        let mut inst = match self.class(reg) {
            RegClass::Lane32 => Inst {
                a: module.constant(Constant::Bits32(0))?,
                ..Inst::new(Op::MovB32)
            },
            RegClass::Lane64 => Inst {
                a: module.constant(Constant::Bits64(0))?,
                ..Inst::new(Op::MovB64)
            },
            RegClass::Mask => Inst {
                a: Slot(MaskSlot::TRUE.0),
                b: Slot(MaskSlot::TRUE.0),
                ..Inst::new(Op::MaskXor)
            },
        };
        inst.dst = slot;
        inst.flags = Flags(Flags::FUSED);
        Ok(inst)
    }

    fn decode(
        &self,
        inst: &VInst,
        rows: &allocate::Assignment,
        module: &mut ModuleBuilder,
    ) -> Result<Inst, BuildError> {
        let slot = |reg: VReg| rows.slots[reg.0 as usize];
        let mut source = |src: Src| match src {
            Src::Reg(reg) => Ok(slot(reg)),
            Src::Const(constant) => module.constant(constant),
            Src::None => Ok(NO_SLOT),
        };
        let mut decoded = Inst {
            dst: inst.dst.map_or(NO_SLOT, slot),
            dst2: inst.dst2.map_or(NO_SLOT, slot),
            a: source(inst.src[0])?,
            b: source(inst.src[1])?,
            c: source(inst.src[2])?,
            d: source(inst.src[3])?,
            mods: inst.mods,
            low: inst.low,
            high: inst.high,
            flags: Flags(inst.flags),
            ..Inst::new(inst.op)
        };
        if let Some((mask, negated)) = inst.guard {
            decoded.guard = MaskSlot(slot(mask).0);
            if negated {
                decoded.flags.0 |= Flags::NEGATED_GUARD;
            }
        }
        if !inst.vector_dst.is_empty() || !inst.vector_src.is_empty() {
            let mut list: Vec<Slot> = inst
                .vector_dst
                .iter()
                .map(|reg| reg.map_or(NO_SLOT, slot))
                .collect();
            for &src in &inst.vector_src {
                list.push(source(src)?);
            }
            debug_assert!(list.len() >= Access::unpack(inst.mods).count() as usize);
            decoded.high = module.module.lists.len() as u32;
            module.module.lists.push(list);
        }
        Ok(decoded)
    }
}

fn ends_block(op: Op) -> bool {
    matches!(
        op,
        Op::Bra | Op::Brx | Op::Call | Op::CallIndirect | Op::Ret | Op::Exit | Op::Trap | Op::Brkpt
    )
}

/// Numbers a block within its module.
impl BlockId {
    /// The block that an [`Op::Block`] instruction enters.
    pub const fn of(inst: &Inst) -> BlockId {
        BlockId(inst.low)
    }
}
