//! How long things take inside an SM: fetch, issue, pipelines, control flow, block launch.

use serde::{Deserialize, Serialize};

use super::table::{Field, Number, Part, Range, choice, join, table};
use super::timing_memory::{
    Atomics, ClusterTiming, ConstantCache, Dram, Interconnect, L1, L2, Llc, SharedTiming, Tlb,
};

table! {
    /// How long things take. Rates are not here: they follow from `lanes`, `tensor`, `shared` and
    /// `memory`.
    Timing {
        /// Warp schedulers.
        issue: Issue,
        /// Instruction caches.
        fetch: Fetch,
        /// Latencies of the pipelines.
        pipes: Pipes,
        /// Matrix units.
        matrix: Matrix,
        /// Branches, barriers, fences.
        control: Control,
        /// Blocks and kernels.
        launch: Launch,
        /// The way of a memory instruction out of its partition.
        lsu: Lsu,
        /// Shared memory.
        shared: SharedTiming,
        /// Constant caches.
        constant: ConstantCache,
        /// L1 data cache.
        l1: L1,
        /// Address translation.
        tlb: Tlb,
        /// Between the SMs and the L2.
        interconnect: Interconnect,
        /// L2 cache.
        l2: L2,
        /// Memory-side cache behind the L2, where there is one.
        llc: Option<Llc>,
        /// Device memory.
        dram: Dram,
        /// Atomics.
        atomics: Atomics,
        /// Shared memory of other blocks of a cluster, and bulk copies.
        cluster: Option<ClusterTiming>,
        /// Instead of all memories: every access takes the same time and none waits for another.
        flat: Option<Flat>,
    }
}

choice! {
    /// Which ready warp a scheduler issues.
    Scheduler {
        /// Loose round-robin: the next ready warp after the one issued last.
        Lrr = "lrr",
        /// Greedy, then oldest: the same warp until it stalls, then the lowest-numbered ready one.
        Gto = "gto",
        /// The oldest ready warp each cycle.
        Oldest = "oldest",
        /// Round-robin within an active group, which changes when all of it waits for memory.
        TwoLevel = "two-level",
        /// Greedy, then the youngest ready warp, as measured on Ampere.
        Youngest = "youngest",
        /// Cache-conscious: warps that lose their L1 lines keep others from loading.
        Ccws = "ccws",
    }
}

choice! {
    /// How an instruction learns that its operands are there.
    Dependences {
        /// The compiler counts cycles for fixed latencies and names counters for the others.
        ControlBits = "control-bits",
        /// The hardware marks registers that are being written.
        Scoreboard = "scoreboard",
        /// The program waits for counters of outstanding accesses (AMD); the rest is interlocked.
        WaitCounters = "wait-counters",
    }
}

table! {
    /// Warp schedulers of an SM; one for each partition.
    Issue {
        /// Which ready warp is issued.
        scheduler: Scheduler,
        /// Warps of the active group of `two-level`.
        two_level_warps: u32 = 1..=1024,
        /// Instructions that a scheduler issues in one of its turns.
        per_turn: u32 = 1..=16,
        /// The most of them that come from one warp.
        per_warp: u32 = 1..=16,
        /// Whether those of one turn have to go to different units.
        one_per_unit: bool,
        /// Cycles from one turn of a scheduler to its next: 1, or more where an SM serves its
        /// schedulers in rotation.
        turn_cycles: u32 = 1..=64,
        /// Least cycles between two issues of one warp.
        warp_interval_cycles: u32 = 1..=1024,
        /// How an instruction learns that its operands are there. The model does not use it yet.
        dependences: Dependences,
        /// Decoded instructions that wait per warp. The model does not use it yet.
        buffer_entries: u32 = 1..=1024,
        /// Register banks of a partition. The model does not use it yet.
        register_banks: u32 = 1..=64,
        /// Extra cycles for each further operand in a bank that is already read. The model does not use
        /// it yet.
        bank_conflict_cycles: u32 = 0..=64,
    }
}

table! {
    /// Instruction caches.
    Fetch {
        /// Size of an instruction.
        instruction_bytes: u32 = 1..=64,
        /// Line of the instruction caches.
        line_bytes: u32 = 1..=4096,
        /// Cache of a partition.
        l0_bytes: u32 = 1..=16_777_216,
        /// Lines fetched ahead of a stream.
        prefetch_lines: u32 = 0..=1024,
        /// Cache of an SM, or of those that share one.
        l1_bytes: u32 = 1..=67_108_864,
        /// SMs that share it. The model does not use it yet: each SM has its own.
        l1_sharers: u32 = 1..=64,
        /// Cost of a miss in the partition's cache that the SM's has.
        l1_cycles: u32 = 0..=100_000,
        /// Cost of a miss in the SM's cache.
        l2_cycles: u32 = 0..=100_000,
    }
}

choice! {
    /// Units that execute instructions. Instructions of two classes with the same unit keep each
    /// other from it; with different units they overlap as issue allows.
    Unit {
        /// Integer and logic.
        Alu = "alu",
        /// 32-bit multiply-add.
        Fma = "fma",
        /// 64-bit float.
        Fp64 = "fp64",
        /// 16-bit float.
        Half = "half",
        /// Special functions, conversions, bit counts.
        Sfu = "sfu",
        /// Scalar.
        Scalar = "scalar",
        /// Branches.
        Branch = "branch",
        /// Loads, stores, shuffles.
        Lsu = "lsu",
    }
}

choice! {
    /// Whose a unit is.
    Scope {
        /// Each partition has its share of the lanes.
        Partition = "partition",
        /// All partitions of an SM take turns on one unit.
        Sm = "sm",
    }
}

table! {
    /// One class of instructions in its pipeline.
    Pipe {
        /// Unit that executes it.
        unit: Unit,
        /// Whose the unit is.
        scope: Scope,
        /// Cycles from issue until an instruction of the same class can use the result.
        latency_cycles: u32 = 1..=100_000,
        /// The same for an instruction of another class.
        other_cycles: u32 = 1..=100_000,
        /// Whether the compiler can count the cycles; otherwise the result is waited for.
        fixed: bool,
    }
}

table! {
    /// Latencies of the pipelines. How often each takes an instruction follows from `lanes`.
    Pipes {
        /// 32-bit integer add, logic, compare, select, move.
        int32: Pipe,
        /// 32-bit integer multiply and multiply-add.
        int_mul: Pipe,
        /// 32-bit float.
        fp32: Pipe,
        /// 16-bit float.
        half: Pipe,
        /// 64-bit float.
        fp64: Pipe,
        /// Reciprocal, square root, exponential, logarithm, sine, cosine.
        sfu: Pipe,
        /// Conversion between 32-bit types.
        convert: Pipe,
        /// Conversion from and to 64-bit types.
        convert64: Pipe,
        /// Population count, leading zeros, bit reversal.
        bit: Pipe,
        /// Exchange between lanes.
        shuffle: Pipe,
        /// Votes and matches.
        vote: Pipe,
        /// Scalar operations.
        uniform: Pipe,
        /// Branches.
        branch: Pipe,
    }
}

table! {
    /// Matrix units. An instruction occupies its unit for its multiply-adds over the rate in
    /// `tensor`.
    Matrix {
        /// Cycles of a warp's instruction beyond those for which it occupies the unit, until its
        /// result can be used.
        pipeline_cycles: u32 = 0..=100_000,
        /// The same for an instruction of a warp group (wgmma, tcgen05).
        group_pipeline_cycles: u32 = 0..=100_000,
        /// Least cycles between two instructions on a unit.
        least_cycles: u32 = 1..=100_000,
        /// Share of the rate in `tensor` that instructions of single warps reach.
        warp_share: f64 = 0.01..=1,
    }
}

table! {
    /// Branches, barriers, fences.
    Control {
        /// Cycles after a branch until its warp can issue again.
        branch_cycles: u32 = 0..=100_000,
        /// Extra cycles when its lanes part.
        divergence_cycles: u32 = 0..=100_000,
        /// Cycles from the arrival of the last warp at a block barrier until the first can go on.
        barrier_cycles: u32 = 0..=100_000,
        /// The same for a barrier of a warp's lanes.
        warp_barrier_cycles: u32 = 0..=100_000,
        /// Least cycles of a fence for the device.
        fence_cycles: u32 = 0..=100_000,
        /// Cycles from a warp's last instruction until its slot is free.
        exit_cycles: u32 = 0..=100_000,
    }
}

table! {
    /// Blocks and kernels.
    Launch {
        /// Cycles between two blocks that the device starts.
        block_interval_cycles: f64 = 0..=100_000,
        /// Cycles from the start of a block until its warps can issue.
        block_start_cycles: u32 = 0..=1_000_000,
        /// Time from the call of a launch until its first block starts, microseconds.
        kernel_us: f64 = 0..=1_000_000,
    }
}

table! {
    /// The way of a memory instruction out of its partition.
    Lsu {
        /// Least cycles between two memory instructions of one partition.
        partition_interval_cycles: u32 = 1..=1024,
        /// Memory instructions that wait in a partition before issue has to stop.
        partition_queue_entries: u32 = 1..=1024,
        /// Memory instructions that wait in the SM's shared pipeline.
        sm_queue_entries: u32 = 1..=65_536,
    }
}

table! {
    /// A memory without levels.
    Flat {
        /// Cycles from the issue of a load until its result can be used.
        load_cycles: u32 = 1..=100_000,
        /// Cycles from the issue of a store until it is done.
        store_cycles: u32 = 1..=100_000,
    }
}
