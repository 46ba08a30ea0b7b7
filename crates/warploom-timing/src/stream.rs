//! The machine's stream: what the hardware issues, as against what the source says.
//!
//! A [`Stream`] holds, for each segment of a kernel's code, the machine instructions that carry it
//! out, in the order in which they are issued. It says nothing about values: the functional machine
//! executes a segment as it stands in the source, and its events (which lanes, which addresses) are
//! looked up by the source instruction that a machine instruction belongs to.

use std::ops::Range;

use smallvec::SmallVec;
use warploom_isa::Pc;

/// A register as the scoreboard knows it. Registers of different functions have different numbers.
pub type Reg = u32;

/// What an instruction needs: the pipeline, or the part of the SM that serves it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// 32-bit integer add, logic, compare, select, move.
    Int32,
    /// 32-bit integer multiply and multiply-add.
    IntMul,
    /// 32-bit float.
    Fp32,
    /// 16-bit float.
    Half,
    /// 64-bit float.
    Fp64,
    /// Reciprocal, square root, exponential, logarithm, sine, cosine.
    Sfu,
    /// Conversion between 32-bit types.
    Convert,
    /// Conversion from and to 64-bit types.
    Convert64,
    /// Population count, leading zeros, bit reversal.
    Bit,
    /// Exchange between lanes.
    Shuffle,
    /// Votes and matches.
    Vote,
    /// Scalar operations; special registers.
    Uniform,
    /// Branches, calls, returns.
    Branch,
    /// The branch around code for unusual numbers, which ordinary ones take: part of a division or
    /// root, not in the source.
    Check,
    /// Load, store or atomic with an address; the space is in the event.
    Memory,
    /// Load of a kernel parameter or constant.
    Constant,
    /// Register spill to local memory; not in the source.
    SpillStore,
    /// Reload of a spilled register; not in the source.
    SpillLoad,
    /// Barrier of a block.
    Barrier,
    /// Barrier of a warp's lanes.
    WarpBarrier,
    /// Memory fence.
    Fence,
    /// The end of a thread.
    Exit,
    /// Waits for some time.
    Sleep,
    /// Load, store or atomic of shared memory, where its instructions go to a unit of their own (AMD).
    SharedMemory,
    /// Load through the scalar cache (AMD).
    ScalarMemory,
    /// Waits for counters (AMD); see [`Counting`].
    WaitCount,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 26] = [
        Class::Int32,
        Class::IntMul,
        Class::Fp32,
        Class::Half,
        Class::Fp64,
        Class::Sfu,
        Class::Convert,
        Class::Convert64,
        Class::Bit,
        Class::Shuffle,
        Class::Vote,
        Class::Uniform,
        Class::Branch,
        Class::Check,
        Class::Memory,
        Class::Constant,
        Class::SpillStore,
        Class::SpillLoad,
        Class::Barrier,
        Class::WarpBarrier,
        Class::Fence,
        Class::Exit,
        Class::Sleep,
        Class::SharedMemory,
        Class::ScalarMemory,
        Class::WaitCount,
    ];

    /// Whether it makes the accesses that its source instruction's event tells.
    pub fn accesses(self) -> bool {
        matches!(
            self,
            Class::Memory | Class::SharedMemory | Class::ScalarMemory
        )
    }

    /// The way out of its partition that a memory instruction takes.
    pub fn memory_port(self) -> usize {
        match self {
            Class::SharedMemory => 1,
            Class::ScalarMemory => 2,
            _ => 0,
        }
    }
}

/// Ways by which memory instructions leave a partition.
pub const MEMORY_PORTS: usize = 3;

/// Counters of accesses that are on their way (AMD).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitCounter {
    /// Of vector memory (`vmcnt`).
    Vector,
    /// Of shared and scalar memory (`lgkmcnt`).
    Lgkm,
    /// Of exports (`expcnt`).
    Export,
}

impl WaitCounter {
    /// All counters.
    pub const ALL: [WaitCounter; 3] = [WaitCounter::Vector, WaitCounter::Lgkm, WaitCounter::Export];
}

/// What an instruction has to do with counters of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Nothing: registers that are on their way are waited for as such.
    #[default]
    Nothing,
    /// Its access raises one until it is done, and nothing but the program waits for it.
    Raises {
        /// Which one.
        counter: WaitCounter,
        /// It is lowered in the order in which the accesses issued.
        in_order: bool,
    },
    /// It waits until each, in the order of [`WaitCounter::ALL`], is at most so high.
    Waits([u8; WaitCounter::ALL.len()]),
}

/// One machine instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedInst {
    /// What it needs.
    pub class: Class,
    /// The source instruction that it carries out, or a part of.
    pub source: Pc,
    /// It is the part of its source instruction that accesses memory, branches or synchronises: the
    /// event of the source instruction happens here. Exactly one part does.
    pub leads: bool,
    /// Accesses of neighbouring bytes that it makes at once: 1, or 2 or 4 where a compiler merges
    /// loads. The event of the source instruction has the first one's addresses; the others have
    /// no machine instruction of their own.
    pub accesses: u8,
    /// Registers it reads.
    pub uses: SmallVec<[Reg; 4]>,
    /// Registers it writes.
    pub defs: SmallVec<[Reg; 2]>,
    /// Where in constant memory an operand of it is.
    pub constant: Option<u32>,
    /// What it has to do with counters of accesses.
    pub counting: Counting,
}

/// Source instructions that are executed together, and what the hardware issues for them.
///
/// A segment lies in one basic block. A new one begins at each block, and at each instruction before
/// which function must not run ahead of time: barriers, atomics, strong accesses, clocks, calls of
/// the host (see `cut` in the functional machine's stepper).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Source instructions.
    pub source: Range<Pc>,
    /// Machine instructions, in [`Stream::insts`].
    pub insts: Range<u32>,
}

/// The machine code of a kernel and the functions that it may call.
#[derive(Clone, Default, Debug)]
pub struct Stream {
    /// Machine instructions of all segments.
    pub insts: Vec<TimedInst>,
    /// Segments by source, ascending; they cover every instruction of the functions.
    pub segments: Vec<Segment>,
    /// Registers that the scoreboard has to know.
    pub registers: u32,
    /// Estimated 32-bit registers of a thread, as a compiler would allocate them.
    pub registers_per_thread: u32,
    /// Bytes that a thread spills to local memory.
    pub spill_bytes_per_thread: u32,
}

impl Stream {
    /// The segment that holds a source instruction.
    pub fn segment_of(&self, pc: Pc) -> Option<&Segment> {
        let after = self
            .segments
            .partition_point(|segment| segment.source.start <= pc);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        segment.source.contains(&pc).then_some(segment)
    }

    /// Where segments begin.
    pub fn starts(&self) -> impl Iterator<Item = Pc> + '_ {
        self.segments.iter().map(|segment| segment.source.start)
    }
}
