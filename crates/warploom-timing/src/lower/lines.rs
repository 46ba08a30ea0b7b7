//! The instructions of a function over values: what the lowering rewrites.

use smallvec::SmallVec;
use warploom_isa::access::Access;
use warploom_isa::{Constant, Function, Inst, Module, Op, Pc, RegClass, Slot, Space};

use super::flow::Block;
use super::operands::{Operands, Rows};
use super::values::{Value, Values, guard};

/// 32 bits of an operand, or a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Half {
    #[default]
    None,
    Value(Value),
    /// Known bits, held by the instruction itself.
    Number(u32),
    /// The address of the shared variable with this entry in the constant table: as a number.
    Symbol(u32),
    /// A place in constant memory that an instruction can name as its operand.
    Bank(Bank),
}

/// The [`Half::Symbol`] of the thread's frame.
pub(super) const FRAME: u32 = u32::MAX;

/// What constant memory holds for a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bank {
    /// Bytes of the kernel's parameters.
    Param(u32),
    /// A shape of the launch, by its number among the special registers.
    Shape(u16),
    /// A row of the constant table.
    Row(u32),
}

/// Where parameters begin in constant memory, behind the shapes of the launch, and where the
/// constants of the code begin, in a memory of their own. Only which of them share a line depends
/// on it.
const PARAMS: u32 = 0x160;
const ROWS: u32 = 1 << 16;

impl Bank {
    /// Its place in constant memory.
    pub(super) fn address(self) -> u32 {
        match self {
            Bank::Param(bytes) => PARAMS + bytes % (ROWS - PARAMS),
            Bank::Shape(number) => u32::from(number) * 4 % PARAMS,
            Bank::Row(row) => ROWS + row % ROWS * 4,
        }
    }
}

impl Half {
    pub(super) fn value(self) -> Option<Value> {
        match self {
            Half::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Takes an instruction's one place for a number or a constant. Zero is a register.
    pub(super) fn is_constant(self) -> bool {
        match self {
            Half::None | Half::Value(_) => false,
            Half::Number(bits) => bits != 0,
            Half::Symbol(_) | Half::Bank(_) => true,
        }
    }
}

/// An operand: its low and, if it has 64 bits, its high half.
pub(super) type Pair = [Half; 2];

/// Whether an instruction remains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// The machine carries it out.
    Done,
    /// Its values are there without an instruction, as those of a call's registers.
    Free,
    /// It has been folded into others.
    Gone,
}

/// A source instruction, together with what is fused to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    /// The counted instruction.
    pub(super) pc: Pc,
    /// What it does, once others have been folded into it.
    pub(super) op: Op,
    /// By position; of memory accesses the address first.
    pub(super) sources: SmallVec<[Pair; 3]>,
    pub(super) results: SmallVec<[Pair; 1]>,
    pub(super) guard: Option<Value>,
    /// Bytes added to the address of a memory access.
    pub(super) offset: i64,
    /// Accesses of neighbouring bytes that it makes at once.
    pub(super) accesses: u8,
    pub(super) work: Work,
}

impl Line {
    /// Values that it reads.
    pub(super) fn uses(&self) -> impl Iterator<Item = Value> + '_ {
        let halves = self.sources.iter().flatten();
        halves.filter_map(|half| half.value()).chain(self.guard)
    }

    /// Values that it writes.
    pub(super) fn defs(&self) -> impl Iterator<Item = Value> + '_ {
        self.results
            .iter()
            .flatten()
            .filter_map(|half| half.value())
    }

    /// Replaces values.
    pub(super) fn rename(&mut self, replace: impl Fn(&mut Value)) {
        let halves = self.sources.iter_mut().chain(&mut self.results).flatten();
        for half in halves {
            if let Half::Value(value) = half {
                replace(value);
            }
        }
        self.guard.iter_mut().for_each(replace);
    }

    /// Whether it is an access with an address, or one to the thread's frame.
    pub(super) fn is_memory(&self) -> bool {
        matches!(
            self.op,
            Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch | Op::LdFrame | Op::StFrame
        )
    }
}

/// The lines of a block of a function, in order.
pub(super) fn of_block(
    module: &Module,
    function: &Function,
    values: &Values,
    block: &Block,
) -> Vec<Line> {
    let reader = Reader {
        module,
        rows: Rows::of(function),
        values,
    };
    let mut lines: Vec<Line> = Vec::new();
    // Helpers of an instruction that comes after them.
    let mut helpers: Vec<Line> = Vec::new();
    for pc in block.start..block.end {
        let Some(inst) = module.code.get(pc as usize) else {
            break;
        };
        if inst.op == Op::Block {
            continue;
        }
        let mut line = reader.line(pc, inst);
        if !inst.flags.fused() {
            for helper in helpers.drain(..).rev() {
                prepend(&mut line, &helper);
            }
            lines.push(line);
            continue;
        }
        let finished = lines.last_mut().filter(|last| {
            helpers.is_empty()
                && module.origins.get(last.pc as usize) == module.origins.get(pc as usize)
                && last.defs().any(|def| line.uses().any(|used| used == def))
        });
        match finished {
            Some(last) => append(last, &line),
            None => helpers.push(line),
        }
    }
    // What prepares nothing finishes what went before.
    if let Some(last) = lines.last_mut() {
        for helper in &helpers {
            append(last, helper);
        }
    }
    lines
}

/// Makes a helper part of the line that it prepares.
fn prepend(line: &mut Line, helper: &Line) {
    let own = |half: &Half| helper.defs().any(|def| *half == Half::Value(def));
    let read = line.sources.iter().any(|pair| pair.iter().any(own));
    if !read {
        line.sources.extend(helper.sources.iter().copied());
        line.results.extend(helper.results.iter().copied());
        return;
    }
    // The first operand that it prepares is replaced by its first source, the rest comes behind.
    let mut sources = helper.sources.iter().copied();
    for pair in &mut line.sources {
        if pair.iter().any(own) {
            *pair = sources.next().unwrap_or_default();
        }
    }
    line.sources.extend(sources);
}

/// Makes a helper part of the line that it finishes.
fn append(line: &mut Line, helper: &Line) {
    let known: SmallVec<[Value; 4]> = line.defs().collect();
    let new = |pair: &&Pair| {
        !pair
            .iter()
            .any(|h| h.value().is_some_and(|v| known.contains(&v)))
    };
    line.sources
        .extend(helper.sources.iter().filter(new).copied());
    line.results.extend(helper.results.iter().copied());
}

struct Reader<'m> {
    module: &'m Module,
    rows: Rows,
    values: &'m Values,
}

impl Reader<'_> {
    fn line(&self, pc: Pc, inst: &Inst) -> Line {
        let operands = Operands::of(self.module, inst);
        let mut known = self.values.of(pc).iter().copied();
        let mut pair = |(slot, class): (Slot, RegClass)| -> Pair {
            match self.rows.find((slot, class)) {
                Some((_, high)) => {
                    let mut take = || known.next().map_or(Half::None, Half::Value);
                    let low = take();
                    [low, if high.is_some() { take() } else { Half::None }]
                }
                None => self.constant(slot, class),
            }
        };
        let sources = operands
            .sources
            .iter()
            .map(|&operand| pair(operand))
            .collect();
        let [guard, _] = pair(guard(inst));
        let results = operands
            .results
            .iter()
            .map(|&operand| pair(operand))
            .collect();
        let mut line = Line {
            pc,
            op: inst.op,
            sources,
            results,
            guard: guard.value(),
            offset: 0,
            accesses: 1,
            work: Work::Done,
        };
        if line.is_memory() {
            line.offset = i64::from(inst.offset());
        }
        if line.is_memory() && inst.flags.convention() {
            line.work = Work::Free;
        }
        line
    }

    fn constant(&self, slot: Slot, class: RegClass) -> Pair {
        if class == RegClass::Mask || !slot.is_constant() {
            return [Half::None; 2];
        }
        let low = self.constant_row(slot.row());
        let high = match class {
            RegClass::Lane64 => self.constant_row(slot.row() + 1),
            _ => Half::None,
        };
        [low, high]
    }

    fn constant_row(&self, row: usize) -> Half {
        let rows = &self.module.constant_rows;
        let after = rows.partition_point(|&first| usize::from(first) <= row);
        let Some(at) = after.checked_sub(1) else {
            return Half::None;
        };
        let high = usize::from(rows[at]) != row;
        let shared = |id: warploom_isa::VariableId| {
            let variable = self.module.variables.get(id.index());
            variable.is_some_and(|variable| variable.space == Space::Shared)
        };
        match self.module.constants.get(at) {
            Some(&Constant::Bits32(bits)) => Half::Number(bits),
            Some(&Constant::Bits64(bits)) if high => Half::Number((bits >> 32) as u32),
            Some(&Constant::Bits64(bits)) => Half::Number(bits as u32),
            Some(&Constant::Address(id, _)) if shared(id) && high => Half::Number(0),
            Some(&Constant::Address(id, _) | &Constant::Address32(id, _)) if shared(id) => {
                Half::Symbol(at as u32)
            }
            Some(_) => Half::Bank(Bank::Row(row as u32)),
            None => Half::None,
        }
    }
}

/// The width of an access's elements and how many there are, in bytes.
pub(super) fn access(inst: &Inst) -> Access {
    Access::unpack(inst.mods)
}
