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

use crate::dot::{self, DotRun};
use crate::env::LaunchEnv;
use crate::fold::{LaunchValue, fold};
use crate::operands::{self, Use};
use crate::warp::Row;

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
    /// The same, and the first of a [`DotRun`].
    Dot(u32),
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
fn memory_sites(code: &mut [Inst], lists: &mut [Vec<Slot>]) -> (Vec<MemorySite>, u32) {
    let mut patterns = 0;
    let mut sites: Vec<MemorySite> = Vec::with_capacity(code.len());
    // This basic block's leaders whose address register is unchanged since, and that register.
    let mut leaders: Vec<((usize, Inst), (Slot, RegClass))> = Vec::new();
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
            let mut found = leaders.iter().filter_map(|(leader, _)| {
                let distance = group_distance(&leader.1, inst)?;
                Some((leader.0, distance))
            });
            match found.next() {
                Some((leader, distance)) => {
                    let head = &mut sites[leader];
                    site.leader = head.pattern;
                    site.distance = distance;
                    head.reach = [head.reach[0].min(distance), head.reach[1].max(distance)];
                    head.group_writes |= inst.op == Op::St;
                }
                None if inst.guard().is_always() => {
                    let class = match access.narrow_address {
                        true => RegClass::Lane32,
                        false => RegClass::Lane64,
                    };
                    leaders.push(((sites.len(), *inst), (inst.a, class)));
                }
                None => {}
            }
        } else if !(inst.op.signature().is_some() || inst.op == Op::LdParam) {
            leaders.clear();
        }
        sites.push(site);
        // The program was checked: the visit has no error to report.
        let _ = operands::for_each(inst, lists, |usage, slot, class| {
            if usage == Use::Write && class != RegClass::Mask {
                leaders.retain(|&(_, address)| !overlap(address, (*slot, class)));
            }
            Ok(())
        });
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

/// Whether two registers share a row.
fn overlap((a, of_a): (Slot, RegClass), (b, of_b): (Slot, RegClass)) -> bool {
    let end = |slot: Slot, class| u32::from(slot.0) + if class == RegClass::Lane64 { 2 } else { 1 };
    u32::from(a.0) < end(b, of_b) && u32::from(b.0) < end(a, of_a)
}

/// A checked module.
#[derive(Debug)]
pub struct Program {
    /// The module as it was loaded.
    pub module: Arc<Module>,
    /// Its code, with absent results redirected to registers that nobody reads, and the number of
    /// counted instructions in each `Block`'s `high`.
    pub(crate) plain: Vec<Inst>,
    /// The same, instruction by instruction, without the work that is the same for a whole launch.
    /// What one reads of its operands is what the other would.
    pub(crate) code: Vec<Inst>,
    /// Of each function that is a kernel, the values that its launches share.
    pub(crate) launch_values: Vec<Vec<LaunchValue>>,
    /// Vector register lists, redirected alike.
    pub(crate) lists: Vec<Vec<Slot>>,
    /// Rows of a frame of each function, with the rows that nobody reads.
    pub(crate) rows: Vec<u32>,
    /// Masks of a frame of each function, likewise.
    pub(crate) masks: Vec<u32>,
    /// Rows of the constant file, without those of a launch.
    pub(crate) constant_rows: u32,
    /// Where each memory instruction remembers its pattern, by program counter.
    pub(crate) sites: Vec<MemorySite>,
    /// Memory instructions.
    pub(crate) patterns: u32,
    /// Stretches of code that can be executed at once.
    pub(crate) runs: Vec<DotRun>,
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
        let (mut sites, patterns) = memory_sites(&mut code, &mut lists);
        let plain = code.clone();
        let launch_values = module
            .functions
            .iter()
            .map(|function| match function.kernel {
                true => fold(&module, function, &mut code, &mut lists, constant_rows),
                false => Vec::new(),
            })
            .collect();
        let mut runs = Vec::new();
        for function in &module.functions {
            dot::find(
                &module, function, &plain, &mut code, &mut lists, &mut sites, &mut runs,
            );
        }
        Ok(Program {
            reads_clock: plain.iter().any(crate::special::reads_clock),
            shuffles: plain.iter().any(|inst| inst.op == Op::Shfl),
            plain,
            code,
            launch_values,
            lists,
            rows,
            masks,
            constant_rows,
            sites,
            patterns,
            runs,
            module,
        })
    }

    /// The constant file of a launch. `address` gives the place of a variable.
    pub(crate) fn constant_file<const L: usize>(
        &self,
        env: &LaunchEnv<L>,
        address: impl Fn(warploom_isa::VariableId) -> u64,
    ) -> Vec<Row<L>> {
        let module = &self.module;
        let launch = &self.launch_values[env.kernel.index()];
        let rows = launch.iter().map(LaunchValue::end).max();
        let rows = rows.unwrap_or(self.constant_rows) as usize;
        // Two more, so that an absent operand's slot could never matter; one at least, to point at.
        let mut file = vec![Row([0; L]); rows + 2];
        for (constant, &row) in module.constants.iter().zip(&module.constant_rows) {
            let value = match *constant {
                Constant::Bits32(bits) => u64::from(bits),
                Constant::Bits64(bits) => bits,
                Constant::Address(variable, addend) | Constant::Address32(variable, addend) => {
                    address(variable).wrapping_add_signed(addend)
                }
                Constant::Function(id) => function_address(id),
            };
            broadcast(&mut file[usize::from(row)..], value, constant.rows() == 2);
        }
        for shared in launch {
            let value = shared.source.value(env);
            broadcast(&mut file[usize::from(shared.row)..], value, shared.wide);
        }
        file
    }
}

/// Writes a value to all lanes of a row, or of a pair: a 64-bit value takes two rows, lane after
/// lane.
fn broadcast<const L: usize>(rows: &mut [Row<L>], value: u64, wide: bool) {
    if !wide {
        rows[0] = Row([value as u32; L]);
        return;
    }
    let words = [value as u32, (value >> 32) as u32];
    for at in 0..2 * L {
        rows[at / L].0[at % L] = words[at % 2];
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
        self.check_form(pc, inst)?;
        operands::for_each(inst, lists, |usage, slot, class| match usage {
            Use::Read => self.source(*slot, class),
            Use::Write => self.result(slot, class),
        })
    }

    /// What does not concern registers.
    fn check_form(&self, pc: Pc, inst: &mut Inst) -> Result<(), &'static str> {
        if inst.op.signature().is_some() {
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
            Op::CallIndirect | Op::HostCall => self.call_site(inst.high),
            Op::Ret if !inst.guard().is_always() && !module.function(self.function).kernel => {
                Err("guarded return from a function")
            }
            Op::LdParam
            | Op::LdFrame
            | Op::Ld
            | Op::St
            | Op::StFrame
            | Op::Atom
            | Op::Red
            | Op::Prefetch => check_memory(inst),
            Op::Alloca => {
                let fits = inst.low.is_power_of_two() && inst.low <= ALLOCA_ALIGN_LIMIT;
                if fits { Ok(()) } else { Err("alignment") }
            }
            Op::BarWarp | Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect => {
                check_warp_op(inst)
            }
            _ => Ok(()),
        }
    }
}

fn check_warp_op(inst: &Inst) -> Result<(), &'static str> {
    use warploom_isa::access::{WarpKind, WarpOp};
    let op = WarpOp::unpack(inst.mods);
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
    if kind_fits {
        Ok(())
    } else {
        Err("kind of warp operation")
    }
}

fn check_memory(inst: &Inst) -> Result<(), &'static str> {
    let access = Access::unpack(inst.mods);
    if access.width_log2 > 3 || (access.width_log2 == 3 && !access.wide_registers) {
        return Err("access width");
    }
    if access.bytes() > 32 {
        return Err("access size");
    }
    if !matches!(inst.op, Op::Atom | Op::Red) {
        return Ok(());
    }
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
    if fits { Ok(()) } else { Err("atomic type") }
}
