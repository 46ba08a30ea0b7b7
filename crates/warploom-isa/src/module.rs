//! A loaded program: code, functions, variables.

use crate::address::Space;
use crate::inst::{Inst, Pc};
use crate::slot::Slot;
use crate::source::Origin;
use crate::watch::WatchList;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the module's table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}

ids! {
    /// A function or kernel of a module.
    FunctionId;
    /// A basic block of a module.
    BlockId;
    /// A global, constant or shared variable of a module.
    VariableId;
}

/// A run of instructions that is entered at its first and left at its last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BasicBlock {
    /// The function it belongs to.
    pub function: FunctionId,
    /// Its [`crate::Op::Block`] instruction.
    pub start: Pc,
    /// One past its last instruction.
    pub end: Pc,
    /// Instructions that count as issued: those not fused to another.
    pub counted: u32,
}

/// A value of the constant file, fixed when a kernel is launched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// 32 bits, one row.
    Bits32(u32),
    /// 64 bits, two rows.
    Bits64(u64),
    /// Address of a variable plus bytes, as 64 bits. Shared variables have their address in the
    /// block's shared memory.
    Address(VariableId, i64),
    /// The same in 32 bits.
    Address32(VariableId, i64),
    /// Address of a function.
    Function(FunctionId),
}

impl Constant {
    /// Rows of the constant file that it takes.
    pub const fn rows(self) -> u32 {
        match self {
            Constant::Bits32(_) | Constant::Address32(..) => 1,
            _ => 2,
        }
    }
}

/// A piece of a variable's initial value that is only known once addresses are given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Byte offset in the variable.
    pub offset: u64,
    /// Bytes to store, 1 to 8.
    pub bytes: u8,
    /// What to store.
    pub value: RelocationValue,
    /// Right shift before storing (PTX's `0xFF00(symbol)` selects a byte of an address).
    pub shift: u8,
}

/// What a [`Relocation`] stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelocationValue {
    /// Address of a variable plus bytes.
    Variable {
        /// The variable.
        variable: VariableId,
        /// Bytes added.
        addend: i64,
        /// The address in the generic space rather than in the variable's own.
        generic: bool,
    },
    /// Address of a function.
    Function(FunctionId),
}

/// A variable with a fixed place in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Name in the source.
    pub name: String,
    /// `Global`, `Const` or `Shared`.
    pub space: Space,
    /// Size; 0 for an external shared array, whose size the launch gives.
    pub bytes: u64,
    /// Alignment, a power of two.
    pub align_bytes: u32,
    /// First bytes of the initial value; the rest is zero.
    pub init: Vec<u8>,
    /// Pieces of the initial value that are addresses.
    pub relocations: Vec<Relocation>,
    /// Declared without a definition (and not an external shared array).
    pub external: bool,
    /// The dynamic shared array.
    pub dynamic_shared: bool,
    /// Whether other modules may name it.
    pub visible: bool,
}

/// A formal parameter, or the place of a value in a call frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameRange {
    /// Byte offset in the frame.
    pub offset: u32,
    /// Size.
    pub bytes: u32,
}

/// What a call hands over: places in the caller's frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallSite {
    /// Arguments in order.
    pub arguments: Vec<FrameRange>,
    /// Returned values in order.
    pub returns: Vec<FrameRange>,
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelParam {
    /// Name in the source.
    pub name: String,
    /// Type as written in the source, for messages (`.u64`, `.align 8 .b8[24]`).
    pub ty: String,
    /// Byte offset in the parameter block.
    pub offset: u32,
    /// Size.
    pub bytes: u32,
    /// Alignment, a power of two.
    pub align_bytes: u32,
    /// A pointer, as far as the source says so.
    pub pointer: bool,
}

/// What a kernel demands of its launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchBounds {
    /// `.reqntid`: exactly this block.
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`: at most this many threads per block (the product).
    pub max_block: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub min_blocks_per_sm: Option<u32>,
    /// `.maxnreg`.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`.
    pub required_cluster: Option<[u32; 3]>,
}

/// An instruction that the front end read but the machine cannot execute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The instruction or feature, as written.
    pub what: String,
    /// Where.
    pub origin: Origin,
}

/// A function or kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// Name in the source.
    pub name: String,
    /// Whether it can be launched.
    pub kernel: bool,
    /// First instruction; the code ends at `end`. Empty for a declaration.
    pub start: Pc,
    /// One past the last instruction.
    pub end: Pc,
    /// Rows of the lane register file that a frame takes.
    pub rows: u32,
    /// Mask registers that a frame takes, the true mask included.
    pub masks: u32,
    /// Most 32-bit registers live at once in a thread.
    pub live_registers: u32,
    /// Bytes of local memory that a frame takes: parameters, variables, call areas.
    pub frame_bytes: u32,
    /// What lies in a frame, by offset and without overlaps: an access has to stay inside one of
    /// them. Empty where the whole frame may be accessed.
    pub frame_places: Vec<FrameRange>,
    /// Formal parameters of a function, in its frame.
    pub formals: Vec<FrameRange>,
    /// Returned values of a function, in its frame.
    pub returns: Vec<FrameRange>,
    /// Parameters of a kernel.
    pub params: Vec<KernelParam>,
    /// Bytes of the kernel's parameter block.
    pub param_bytes: u32,
    /// What a kernel demands of its launch.
    pub bounds: LaunchBounds,
    /// Functions it calls by name.
    pub callees: Vec<FunctionId>,
    /// Whether it calls through addresses.
    pub calls_indirectly: bool,
    /// Variables it names.
    pub variables: Vec<VariableId>,
    /// Instructions it holds that cannot be executed.
    pub unsupported: Vec<Unsupported>,
    /// Whether it has an effect whose order between blocks can show: a float or value-returning
    /// atomic, a strong access, or a call of the host.
    pub order_dependent: bool,
    /// The registers that it copies to memory, if its front end was asked for that.
    pub watch: Option<WatchList>,
    /// Where it was declared.
    pub origin: Origin,
}

/// A shared variable's place in a block's shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedPlace {
    /// The variable.
    pub variable: VariableId,
    /// Its first byte.
    pub start_bytes: u64,
    /// Its size; 0 for a dynamic array, which takes what the launch gives.
    pub bytes: u64,
}

/// How the shared variables of a kernel lie in a block's shared memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharedLayout {
    /// The variables by address; dynamic arrays last, all at one place.
    pub places: Vec<SharedPlace>,
    /// Bytes before what a launch adds.
    pub static_bytes: u64,
}

/// Least alignment of dynamic shared memory.
const DYNAMIC_SHARED_ALIGN_BYTES: u32 = 16;

/// A program, decoded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Name of the text it was loaded from, for messages.
    pub name: String,
    /// Instructions of all functions.
    pub code: Vec<Inst>,
    /// Where each instruction comes from.
    pub origins: Vec<Origin>,
    /// Basic blocks of all functions.
    pub blocks: Vec<BasicBlock>,
    /// Functions and kernels.
    pub functions: Vec<Function>,
    /// Variables.
    pub variables: Vec<Variable>,
    /// The constant file, row by row: a 64-bit constant is followed by a row for its high half.
    pub constants: Vec<Constant>,
    /// First row of each entry of `constants`.
    pub constant_rows: Vec<u16>,
    /// Registers of vector instructions, one list each.
    pub lists: Vec<Vec<Slot>>,
    /// Targets of indexed branches.
    pub branch_tables: Vec<Vec<Pc>>,
    /// Call sites.
    pub call_sites: Vec<CallSite>,
    /// Source files by [`crate::FileId`]; the first is the loaded text itself.
    pub files: Vec<String>,
    /// The device architecture that the program was written for, as in `sm_90a`.
    pub target: String,
    /// Version of the source language.
    pub language_version: String,
}

impl Module {
    /// The kernels, in the order of the source.
    pub fn kernels(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, function)| function.kernel)
            .map(|(i, function)| (FunctionId(i as u32), function))
    }

    /// The kernel called `name`.
    pub fn kernel(&self, name: &str) -> Option<FunctionId> {
        self.kernels()
            .find(|(_, function)| function.name == name)
            .map(|(id, _)| id)
    }

    /// A function by id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// Every function that a launch of `kernel` can reach. Indirect calls reach every function
    /// whose address the module takes.
    pub fn reachable(&self, kernel: FunctionId) -> Vec<FunctionId> {
        let mut seen = vec![false; self.functions.len()];
        let mut order = Vec::new();
        let mut stack = vec![kernel];
        let mut addressed = false;
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            order.push(id);
            let function = self.function(id);
            stack.extend(function.callees.iter().copied());
            if function.calls_indirectly && !std::mem::replace(&mut addressed, true) {
                stack.extend(self.addressed_functions());
            }
        }
        order.sort_unstable();
        order
    }

    /// Lays out the shared variables that `functions` name: in the order of the module, each on
    /// its own alignment, and behind them the dynamic arrays.
    pub fn shared_layout(&self, functions: &[FunctionId]) -> SharedLayout {
        let named = functions
            .iter()
            .flat_map(|&id| &self.function(id).variables);
        let mut named: Vec<VariableId> = named.copied().collect();
        named.sort_unstable();
        named.dedup();
        let shared = named.into_iter().filter_map(|id| {
            let variable = self.variables.get(id.index())?;
            (variable.space == Space::Shared).then_some((id, variable))
        });
        let (dynamic, fixed): (Vec<_>, Vec<_>) = shared.partition(|(_, v)| v.dynamic_shared);
        let mut layout = SharedLayout::default();
        let aligned = |end: u64, align_bytes: u32| {
            let align = u64::from(align_bytes.max(1));
            end.checked_next_multiple_of(align).unwrap_or(u64::MAX)
        };
        for (id, variable) in fixed {
            let start_bytes = aligned(layout.static_bytes, variable.align_bytes);
            layout.static_bytes = start_bytes.saturating_add(variable.bytes);
            layout.places.push(SharedPlace {
                variable: id,
                start_bytes,
                bytes: variable.bytes,
            });
        }
        let align = dynamic
            .iter()
            .map(|(_, variable)| variable.align_bytes)
            .max();
        if let Some(align) = align {
            let align = align.max(DYNAMIC_SHARED_ALIGN_BYTES);
            layout.static_bytes = aligned(layout.static_bytes, align);
        }
        let start_bytes = layout.static_bytes;
        layout
            .places
            .extend(dynamic.iter().map(|&(variable, _)| SharedPlace {
                variable,
                start_bytes,
                bytes: 0,
            }));
        layout
    }

    /// Functions whose address appears in code or in a variable.
    pub fn addressed_functions(&self) -> Vec<FunctionId> {
        let in_code = self.constants.iter().filter_map(|constant| match constant {
            Constant::Function(id) => Some(*id),
            _ => None,
        });
        let in_data = self
            .variables
            .iter()
            .flat_map(|variable| &variable.relocations);
        let in_data = in_data.filter_map(|relocation| match relocation.value {
            RelocationValue::Function(id) => Some(id),
            RelocationValue::Variable { .. } => None,
        });
        let mut all: Vec<_> = in_code.chain(in_data).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The function that holds an instruction.
    pub fn function_at(&self, pc: Pc) -> Option<FunctionId> {
        let i = self
            .functions
            .iter()
            .position(|f| f.start <= pc && pc < f.end)?;
        Some(FunctionId(i as u32))
    }
}
