//! A module prepared for execution: checked, with unused operands given a place.
//!
//! The interpreter reads registers and code through pointers without looking at bounds. What makes
//! that sound is [`Program::new`]: it checks every slot, target and table index of every
//! instruction once. After it, nothing that executes can leave the register files, the code or
//! the tables, whatever the module holds.

use std::sync::Arc;

use warploom_isa::access::{Access, Atomic};
use warploom_isa::{
    Constant, EXIT_PC, FunctionId, Inst, Module, NO_SLOT, Op, Pc, RegClass, Slot, Space,
};

/// Why a module cannot be executed. These are errors of a front end, not of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed program at instruction {pc} ({op}): {what}")]
pub struct ProgramError {
    /// The instruction.
    pub pc: Pc,
    /// Its name.
    pub op: &'static str,
    /// What is wrong.
    pub what: &'static str,
}

/// A bit of [`Inst::flags`] in a checked program: not every active lane need execute.
pub(crate) const GUARDED: u16 = 1 << 15;

/// A memory instruction's place among the patterns of a run, and in its group.
///
/// Accesses through the same unchanged register, in the same space and of the same size, are a
/// *group*: their addresses differ by constants, so that their leader, the first of them, can
/// check them all at once. Between the leader and a follower nothing changes the active lanes or
/// lets another warp run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemorySite {
    /// Which pattern is its own.
    pub(crate) pattern: u32,
    /// The pattern of its group's leader; its own if it leads or is alone.
    pub(crate) leader: u32,
    /// Bytes from the leader's address to this one.
    pub(crate) distance: i32,
    /// For a leader: the least and the greatest distance in its group.
    pub(crate) reach: [i32; 2],
    /// For a leader: somebody in its group writes.
    pub(crate) group_writes: bool,
    /// The instruction names shared memory.
    pub(crate) shared: bool,
    /// The address register holds 32 bits.
    pub(crate) narrow_address: bool,
    /// How its data moves.
    pub(crate) transfer: Transfer,
    /// Bytes of each lane.
    pub(crate) bytes: u32,
}

/// How the data of a memory instruction moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transfer {
    /// A 32-bit load to one register.
    LoadWord,
    /// A 32-bit store of one register.
    StoreWord,
    /// Anything else.
    Other,
}

impl MemorySite {
    /// Whether it goes where its leader went.
    #[inline(always)]
    pub(crate) fn follows(&self) -> bool {
        self.leader != self.pattern
    }
}

/// The memory instructions of a program, by program counter, and how many there are.
fn memory_sites(code: &[Inst], lists: &[Vec<Slot>]) -> (Vec<MemorySite>, u32) {
    let mut patterns = 0;
    let mut sites: Vec<MemorySite> = Vec::with_capacity(code.len());
    // Program counters of this basic block's leaders whose register is unchanged since.
    let mut leaders: Vec<usize> = Vec::new();
    for inst in code {
        let own = patterns;
        let access = Access::unpack(inst.mods);
        let word = access.bytes() == 4 && access.count_log2 == 0 && !access.wide_registers;
        let mut site = MemorySite {
            pattern: own,
            leader: own,
            distance: 0,
            reach: [0; 2],
            group_writes: inst.op == Op::St,
            shared: access.space == Space::Shared,
            narrow_address: access.narrow_address,
            transfer: match inst.op {
                Op::Ld if word => Transfer::LoadWord,
                Op::St if word => Transfer::StoreWord,
                _ => Transfer::Other,
            },
            bytes: access.bytes(),
        };
        let memory = matches!(inst.op, Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch);
        patterns += u32::from(memory);
        if matches!(inst.op, Op::Ld | Op::St) {
            let mut found = leaders.iter().filter_map(|&leader| {
                let distance = group_distance(&code[leader], inst)?;
                Some((leader, distance))
            });
            match found.next() {
                Some((leader, distance)) => {
                    let head = &mut sites[leader];
                    site.leader = head.pattern;
                    site.distance = distance;
                    head.reach = [head.reach[0].min(distance), head.reach[1].max(distance)];
                    head.group_writes |= inst.op == Op::St;
                }
                None if inst.guard().is_always() => leaders.push(sites.len()),
                None => {}
            }
            if access.count_log2 > 0 {
                let written = &lists[inst.high as usize];
                let written = |slot| written.iter().any(|&w| overlap(slot, w));
                sites.push(site);
                leaders.retain(|&leader| !written(code[leader].a));
                continue;
            }
        } else if !(inst.op.signature().is_some() || inst.op == Op::LdParam) {
            leaders.clear();
        }
        sites.push(site);
        leaders.retain(|&leader| !overlap(code[leader].a, inst.dst));
    }
    (sites, patterns)
}

/// Bytes from a leader's address to that of another access, if the two can be of one group.
fn group_distance(leader: &Inst, inst: &Inst) -> Option<i32> {
    let (first, access) = (Access::unpack(leader.mods), Access::unpack(inst.mods));
    let alike = leader.a == inst.a
        && first.narrow_address == access.narrow_address
        && first.space == access.space
        && first.bytes() == access.bytes();
    let distance = if access.narrow_address {
        Some(inst.low.wrapping_sub(leader.low) as i32)
    } else {
        inst.offset().checked_sub(leader.offset())
    };
    distance.filter(|distance| alike && distance % access.bytes() as i32 == 0)
}

/// Whether two registers of one or two rows may share a row.
fn overlap(a: Slot, b: Slot) -> bool {
    a.0.abs_diff(b.0) <= 1
}

/// A checked module.
#[derive(Debug)]
pub struct Program {
    /// The module as it was loaded.
    pub module: Arc<Module>,
    /// Its code, with absent results redirected to registers that nobody reads, and the number of
    /// counted instructions in each `Block`'s `high`.
    pub(crate) code: Vec<Inst>,
    /// Vector register lists, redirected alike.
    pub(crate) lists: Vec<Vec<Slot>>,
    /// Rows of a frame of each function, with the rows that nobody reads.
    pub(crate) rows: Vec<u32>,
    /// Masks of a frame of each function, likewise.
    pub(crate) masks: Vec<u32>,
    /// Rows of the constant file.
    pub(crate) constant_rows: u32,
    /// Where each memory instruction remembers its pattern, by program counter.
    pub(crate) sites: Vec<MemorySite>,
    /// Memory instructions.
    pub(crate) patterns: u32,
    /// There are shuffles.
    pub(crate) shuffles: bool,
    /// Something asks for the time.
    pub(crate) reads_clock: bool,
}

/// Largest alignment that `alloca` may ask for, in bytes.
const ALLOCA_ALIGN_LIMIT: u32 = 1 << 16;

struct Checker<'m> {
    module: &'m Module,
    /// Rows and masks of the function that is being checked, without the unread ones.
    rows: u32,
    masks: u32,
    constant_rows: u32,
    function: FunctionId,
}

impl Program {
    /// Checks a module.
    pub fn new(module: Arc<Module>) -> Result<Program, ProgramError> {
        let constants = module.constants.iter().zip(&module.constant_rows);
        let constant_rows = constants
            .map(|(c, &row)| u32::from(row) + c.rows())
            .max()
            .unwrap_or(0);
        let mut code = module.code.clone();
        let mut lists = module.lists.clone();
        let whole = |what| ProgramError {
            pc: 0,
            op: "module",
            what,
        };
        if module.constants.len() != module.constant_rows.len() || constant_rows > Slot::MAX_ROWS {
            return Err(whole("constant file"));
        }
        if module.origins.len() != code.len() {
            return Err(whole("source map"));
        }
        let mut rows = Vec::new();
        let mut masks = Vec::new();
        let mut covered = 0;
        for (number, function) in module.functions.iter().enumerate() {
            let mut checker = Checker {
                module: &module,
                rows: function.rows,
                masks: function.masks.max(1),
                constant_rows,
                function: FunctionId(number as u32),
            };
            if function.start > function.end || function.end as usize > code.len() {
                return Err(whole("function range"));
            }
            if function.rows + 2 > Slot::MAX_ROWS || function.masks + 1 > Slot::MAX_ROWS {
                return Err(whole("function registers"));
            }
            covered += function.end - function.start;
            for pc in function.start..function.end {
                let inst = &mut code[pc as usize];
                let op = inst.op.name();
                let error = |what| ProgramError { pc, op, what };
                checker.check(pc, inst, &mut lists).map_err(error)?;
                inst.flags.0 &= !GUARDED;
                if !inst.guard().is_always() {
                    inst.flags.0 |= GUARDED;
                }
            }
            if function.end > function.start {
                // Execution must not run off the end.
                let last = code[function.end as usize - 1];
                let stops = matches!(last.op, Op::Ret | Op::Exit | Op::Trap | Op::Bra);
                if !stops || !last.guard().is_always() {
                    return Err(ProgramError {
                        pc: function.end - 1,
                        op: last.op.name(),
                        what: "end of function",
                    });
                }
            }
            rows.push(function.rows + 2);
            masks.push(function.masks.max(1) + 1);
        }
        if covered as usize != code.len() {
            return Err(whole("code outside of functions"));
        }
        let (sites, patterns) = memory_sites(&code, &lists);
        Ok(Program {
            reads_clock: code.iter().any(crate::special::reads_clock),
            shuffles: code.iter().any(|inst| inst.op == Op::Shfl),
            code,
            lists,
            rows,
            masks,
            constant_rows,
            sites,
            patterns,
            module,
        })
    }

    /// The constant file of a launch, as 32-bit rows' values.
    ///
    /// `address` gives the place of a variable.
    pub(crate) fn constant_values(
        &self,
        address: impl Fn(warploom_isa::VariableId) -> u64,
    ) -> Vec<(u16, u64, bool)> {
        let module = &self.module;
        let rows = module.constants.iter().zip(&module.constant_rows);
        rows.map(|(constant, &row)| {
            let value = match *constant {
                Constant::Bits32(bits) => u64::from(bits),
                Constant::Bits64(bits) => bits,
                Constant::Address(variable, addend) | Constant::Address32(variable, addend) => {
                    address(variable).wrapping_add_signed(addend)
                }
                Constant::Function(id) => function_address(id),
            };
            (row, value, constant.rows() == 2)
        })
        .collect()
    }
}

/// Address of a function, for indirect calls.
pub fn function_address(id: FunctionId) -> u64 {
    warploom_isa::address::FUNCTION_BASE + 16 * u64::from(id.0)
}

/// The function at an address.
pub(crate) fn function_at_address(module: &Module, address: u64) -> Option<FunctionId> {
    let offset = address.checked_sub(warploom_isa::address::FUNCTION_BASE)?;
    let id = u32::try_from(offset / 16).ok()?;
    let defined = module
        .functions
        .get(id as usize)
        .is_some_and(|f| f.start < f.end && !f.kernel);
    (offset % 16 == 0 && defined).then_some(FunctionId(id))
}

impl Checker<'_> {
    fn source(&self, slot: Slot, class: RegClass) -> Result<(), &'static str> {
        match class {
            RegClass::Mask if u32::from(slot.0) < self.masks => Ok(()),
            RegClass::Mask => Err("mask source"),
            class => {
                let rows = if slot.is_constant() {
                    self.constant_rows
                } else {
                    self.rows
                };
                let needed = if class == RegClass::Lane64 { 2 } else { 1 };
                let fits = slot != NO_SLOT && slot.row() as u32 + needed <= rows;
                if fits { Ok(()) } else { Err("register source") }
            }
        }
    }

    /// Checks a destination; an absent one becomes a register that nobody reads.
    fn result(&self, slot: &mut Slot, class: RegClass) -> Result<(), &'static str> {
        if *slot == NO_SLOT {
            *slot = match class {
                RegClass::Mask => Slot(self.masks as u16),
                _ => Slot::register(self.rows as u16),
            };
            return Ok(());
        }
        if slot.is_constant() || (class == RegClass::Mask && slot.0 == 0) {
            return Err("constant destination");
        }
        self.source(*slot, class)
    }

    fn address(&self, inst: &Inst, access: Access) -> Result<(), &'static str> {
        let class = if access.narrow_address {
            RegClass::Lane32
        } else {
            RegClass::Lane64
        };
        self.source(inst.a, class)
    }

    fn target(&self, pc: Pc) -> Result<(), &'static str> {
        let module = self.module;
        let function = &module.functions[self.function.index()];
        let block = module
            .code
            .get(pc as usize)
            .is_some_and(|inst| inst.op == Op::Block);
        let inside = function.start <= pc && pc < function.end;
        if block && inside {
            Ok(())
        } else {
            Err("branch target")
        }
    }

    fn call_site(&self, index: u32) -> Result<(), &'static str> {
        if (index as usize) < self.module.call_sites.len() {
            Ok(())
        } else {
            Err("call site")
        }
    }

    fn check(
        &mut self,
        pc: Pc,
        inst: &mut Inst,
        lists: &mut [Vec<Slot>],
    ) -> Result<(), &'static str> {
        use RegClass::{Lane32, Lane64, Mask};
        self.source(Slot(inst.guard.0), Mask)?;
        if let Some(signature) = inst.op.signature() {
            let sources = [inst.a, inst.b, inst.c, inst.d];
            for (&slot, &class) in sources.iter().zip(signature.sources) {
                self.source(slot, class)?;
            }
            self.result(&mut inst.dst, signature.result)?;
            if signature.second {
                self.result(&mut inst.dst2, Mask)?;
            }
            return Ok(());
        }
        let module = self.module;
        let calls = matches!(inst.op, Op::Call | Op::CallIndirect | Op::HostCall);
        if calls && !inst.guard().is_always() {
            return Err("guarded call");
        }
        match inst.op {
            Op::Block => {
                let block = module.blocks.get(inst.low as usize).ok_or("block number")?;
                inst.high = block.counted;
                let known =
                    block.start == pc && block.end > pc && block.end as usize <= module.code.len();
                if known { Ok(()) } else { Err("block range") }
            }
            Op::Bra | Op::Brx => {
                if inst.high != EXIT_PC {
                    self.target(inst.high)?;
                }
                if inst.op == Op::Bra {
                    return self.target(inst.low);
                }
                self.source(inst.a, Lane32)?;
                let table = module
                    .branch_tables
                    .get(inst.low as usize)
                    .ok_or("branch table")?;
                table.iter().try_for_each(|&target| self.target(target))
            }
            Op::Call => {
                let callee = module.functions.get(inst.low as usize).ok_or("callee")?;
                let site = module
                    .call_sites
                    .get(inst.high as usize)
                    .ok_or("call site")?;
                let fits = callee.formals.len() == site.arguments.len()
                    && callee.returns.len() == site.returns.len()
                    && !callee.kernel;
                if fits { Ok(()) } else { Err("call signature") }
            }
            Op::CallIndirect => {
                self.source(inst.a, Lane64)?;
                self.call_site(inst.high)
            }
            Op::HostCall => self.call_site(inst.high),
            Op::Ret if !inst.guard().is_always() && !module.function(self.function).kernel => {
                Err("guarded return from a function")
            }
            Op::Ret | Op::Exit | Op::Trap | Op::Brkpt | Op::Nop | Op::Fence => Ok(()),
            Op::Special => self.result(
                &mut inst.dst,
                if inst.mods.variant() { Lane64 } else { Lane32 },
            ),
            Op::LdParam
            | Op::LdFrame
            | Op::Ld
            | Op::St
            | Op::StFrame
            | Op::Atom
            | Op::Red
            | Op::Prefetch => self.check_memory(inst, lists),
            Op::FrameAddress | Op::StackSave => self.result(&mut inst.dst, Lane64),
            Op::StackRestore => self.source(inst.a, Lane64),
            Op::Alloca => {
                self.source(inst.a, Lane64)?;
                self.result(&mut inst.dst, Lane64)?;
                let fits = inst.low.is_power_of_two() && inst.low <= ALLOCA_ALIGN_LIMIT;
                if fits { Ok(()) } else { Err("alignment") }
            }
            Op::Nanosleep => self.source(inst.a, Lane32),
            Op::Bar => {
                let bar = warploom_isa::access::Bar::unpack(inst.mods);
                self.source(inst.a, Lane32)?;
                if bar.has_count {
                    self.source(inst.b, Lane32)?;
                }
                use warploom_isa::access::BarKind::{RedAnd, RedOr, RedPopc};
                match bar.kind {
                    RedPopc => {
                        self.source(inst.c, Mask)?;
                        self.result(&mut inst.dst, Lane32)
                    }
                    RedAnd | RedOr => {
                        self.source(inst.c, Mask)?;
                        self.result(&mut inst.dst2, Mask)
                    }
                    _ => Ok(()),
                }
            }
            Op::BarWarp | Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect => {
                self.check_warp_op(inst)
            }
            Op::ActiveMask => self.result(&mut inst.dst, Lane32),
            Op::MaskMov | Op::MaskNot => {
                self.source(inst.a, Mask)?;
                self.result(&mut inst.dst, Mask)
            }
            Op::MaskAnd | Op::MaskOr | Op::MaskXor => {
                self.source(inst.a, Mask)?;
                self.source(inst.b, Mask)?;
                self.result(&mut inst.dst, Mask)
            }
            _ => Err("unknown operation"),
        }
    }

    fn check_warp_op(&self, inst: &mut Inst) -> Result<(), &'static str> {
        use RegClass::{Lane32, Lane64, Mask};
        use warploom_isa::access::{WarpKind, WarpOp};
        let op = WarpOp::unpack(inst.mods);
        if op.sync {
            self.source(inst.d, Lane32)?;
        }
        let kind_fits = match inst.op {
            Op::Vote => matches!(
                op.kind,
                WarpKind::VoteAll | WarpKind::VoteAny | WarpKind::VoteUni | WarpKind::VoteBallot
            ),
            Op::Match => matches!(op.kind, WarpKind::MatchAny | WarpKind::MatchAll),
            Op::Shfl => matches!(
                op.kind,
                WarpKind::ShflUp | WarpKind::ShflDown | WarpKind::ShflBfly | WarpKind::ShflIdx
            ),
            Op::Redux => {
                (WarpKind::ReduxAdd.code()..=WarpKind::ReduxXor.code()).contains(&op.kind.code())
            }
            Op::Elect => op.kind == WarpKind::Elect,
            _ => op.kind == WarpKind::Bar,
        };
        if !kind_fits {
            return Err("kind of warp operation");
        }
        match inst.op {
            Op::Vote => {
                self.source(inst.a, Mask)?;
                if op.kind == WarpKind::VoteBallot {
                    return self.result(&mut inst.dst, Lane32);
                }
                self.result(&mut inst.dst2, Mask)
            }
            Op::Match => {
                self.source(inst.a, if op.wide { Lane64 } else { Lane32 })?;
                self.result(&mut inst.dst, Lane32)?;
                self.result(&mut inst.dst2, Mask)
            }
            Op::Shfl => {
                self.source(inst.a, Lane32)?;
                self.source(inst.b, Lane32)?;
                self.source(inst.c, Lane32)?;
                self.result(&mut inst.dst, Lane32)?;
                self.result(&mut inst.dst2, Mask)
            }
            Op::Redux => {
                self.source(inst.a, Lane32)?;
                self.result(&mut inst.dst, Lane32)
            }
            Op::Elect => {
                self.result(&mut inst.dst, Lane32)?;
                self.result(&mut inst.dst2, Mask)
            }
            _ => Ok(()),
        }
    }

    fn check_memory(&self, inst: &mut Inst, lists: &mut [Vec<Slot>]) -> Result<(), &'static str> {
        use RegClass::{Lane32, Lane64};
        let access = Access::unpack(inst.mods);
        let register = if access.wide_registers {
            Lane64
        } else {
            Lane32
        };
        if access.width_log2 > 3 || (access.width_log2 == 3 && !access.wide_registers) {
            return Err("access width");
        }
        if access.bytes() > 32 {
            return Err("access size");
        }
        if !matches!(inst.op, Op::LdParam | Op::LdFrame | Op::StFrame) {
            self.address(inst, access)?;
        }
        if inst.op == Op::Prefetch {
            return Ok(());
        }
        let count = access.count() as usize;
        if matches!(inst.op, Op::Atom | Op::Red) {
            let atomic = Atomic::unpack(inst.mods);
            if atomic.access.width_log2 == 0 {
                return Err("atomic width");
            }
            use warploom_isa::access::AtomicType as T;
            let fits = match atomic.ty {
                T::U | T::S | T::F => true,
                T::Bf16 => access.width_log2 == 1,
                T::F16x2 | T::Bf16x2 => access.width_log2 == 2,
            };
            if !fits {
                return Err("atomic type");
            }
            let sources = if atomic.op == warploom_isa::access::AtomicOp::Cas {
                2
            } else {
                1
            };
            if count == 1 {
                self.source(inst.b, register)?;
                if sources == 2 {
                    self.source(inst.c, register)?;
                }
                if inst.op == Op::Atom {
                    self.result(&mut inst.dst, register)?;
                }
                return Ok(());
            }
            let list = lists.get_mut(inst.high as usize).ok_or("register list")?;
            let results = if inst.op == Op::Atom { count } else { 0 };
            if list.len() != results + sources * count {
                return Err("register list length");
            }
            let (dst, src) = list.split_at_mut(results);
            dst.iter_mut()
                .try_for_each(|slot| self.result(slot, register))?;
            return src.iter().try_for_each(|&slot| self.source(slot, register));
        }
        let store = matches!(inst.op, Op::St | Op::StFrame);
        if count == 1 {
            return if store {
                self.source(inst.b, register)
            } else {
                self.result(&mut inst.dst, register)
            };
        }
        let list = lists.get_mut(inst.high as usize).ok_or("register list")?;
        if list.len() != count {
            return Err("register list length");
        }
        if store {
            list.iter()
                .try_for_each(|&slot| self.source(slot, register))
        } else {
            list.iter_mut()
                .try_for_each(|slot| self.result(slot, register))
        }
    }
}
