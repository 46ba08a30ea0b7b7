//! What a chip has: limits, registers, memories, lanes, and what its operations cost in energy.

use serde::{Deserialize, Serialize};

use super::table::{Field, Number, Part, Range, choice, join, table};

table! {
    /// Launch and residency limits.
    Limits {
        /// Resident warps per SM.
        warps_per_sm: u32 = 1..=1024,
        /// Resident blocks per SM; absent where only warps and barriers limit them.
        blocks_per_sm: Option<u32> = 1..=1024,
        /// Threads in a block.
        threads_per_block: u32 = 1..=65_536,
        /// Blocks in a grid, along x, y, z.
        grid: [u32; 3] = 1..=2_147_483_648.0,
        /// Threads in a block, along x, y, z.
        block: [u32; 3] = 1..=2_147_483_648.0,
        /// Barriers a block can name.
        barriers_per_block: u32 = 1..=1024,
        /// Hardware barriers of an SM; absent where they never limit residency.
        barriers_per_sm: Option<u32> = 1..=65_536,
        /// Warps from which on a block occupies its barriers (2: a one-warp block needs none).
        barriers_from_warps: u32 = 1..=1024,
        /// Bytes of kernel parameters.
        param_bytes: u32 = 1..=1_048_576,
        /// Bytes of constant memory.
        constant_bytes: u32 = 1..=2_147_483_648.0,
        /// Bytes of local memory a thread can have.
        local_bytes_per_thread: u32 = 1..=1_073_741_824,
    }
}

table! {
    /// The vector register file; counts are 32-bit registers of one lane.
    Registers {
        /// Registers of an SM.
        per_sm: u32 = 1..=1_073_741_824,
        /// Registers one block may have. Where this is a fraction of `per_sm`, warps are counted in
        /// pools of this size, unless `pool` gives another.
        per_block: u32 = 1..=1_073_741_824,
        /// Registers within which warps are counted, where they are not those of a block.
        pool: Option<u32> = 1..=1_073_741_824,
        /// Registers one thread may have.
        max_per_thread: u32 = 1..=65_536,
        /// Allocation unit: a warp gets a multiple of it.
        unit: u32 = 1..=1_048_576,
        /// Parts of a pool that hold whole warps each; a launch is checked as if a block's warps
        /// were rounded up to it.
        warp_granularity: u32 = 1..=64,
        /// What a launch is checked with instead, where a chip refuses what its family can't run.
        launch_granularity: Option<u32> = 1..=64,
        /// Accumulation registers of the matrix units, where they exist.
        accumulators: Option<Accumulators>,
    }
}

choice! {
    /// Where AMD's accumulation registers live.
    Accumulators {
        /// In a second file as large as the vector register file (gfx908).
        Separate = "separate",
        /// In the vector register file, behind the vector registers (from gfx90a on).
        Unified = "unified",
    }
}

table! {
    /// Scalar registers (one value per warp).
    ScalarRegisters {
        /// Scalar registers of a scheduler partition.
        per_scheduler: u32 = 1..=1_048_576,
        /// Allocation unit per warp.
        unit: u32 = 1..=65_536,
        /// Scalar registers one warp may have.
        max_per_warp: u32 = 1..=65_536,
    }
}

table! {
    /// Shared memory.
    Shared {
        /// Sizes that an SM's shared memory can be set to, ascending.
        capacity_steps_bytes: Vec<u32>,
        /// Bytes a block may have without asking.
        per_block_bytes: u32 = 1..=1_073_741_824,
        /// Bytes a block may have after opting in.
        per_block_optin_bytes: u32 = 1..=1_073_741_824,
        /// Allocation unit per block.
        unit_bytes: u32 = 1..=1_048_576,
        /// Bytes the system takes from each block's allocation.
        reserved_bytes: u32 = 0..=1_073_741_824,
        /// Banks.
        banks: u32 = 1..=1024,
        /// Width of a bank.
        bank_bytes: u32 = 1..=64,
    }
}

table! {
    /// Caches and device memory.
    Memory {
        /// Unit of transfer that memory counters count.
        sector_bytes: u32 = 1..=4096,
        /// L1 line.
        line_bytes: u32 = 1..=4096,
        /// L1 data cache of an SM; with `l1_unified` the memory that it shares with shared memory.
        l1_bytes: u32 = 1..=1_073_741_824,
        /// Whether `l1_bytes` is divided between L1 and shared memory.
        l1_unified: bool,
        /// L1 load bandwidth per SM.
        l1_bytes_per_cycle: u32 = 1..=65_536,
        /// L2 of the whole device.
        l2_bytes: u64 = 1..=281_474_976_710_656.0,
        /// Parts of the L2 with a latency of their own (partitions, dies).
        l2_segments: u32 = 1..=1024,
        /// L2 read bandwidth, 10⁹ bytes a second; absent where nobody has measured it.
        l2_gb_per_s: Option<f64> = 0.001..=10_000_000,
        /// Memory-side cache behind the L2, where there is one.
        llc_bytes: Option<u64> = 1..=281_474_976_710_656.0,
        /// Device memory.
        dram_bytes: u64 = 1..=281_474_976_710_656.0,
        /// Device memory bandwidth at the pins, 10⁹ bytes a second.
        dram_gb_per_s: f64 = 0.001..=10_000_000,
    }
}

table! {
    /// Results per clock and SM of the ordinary pipelines.
    Lanes {
        /// 32-bit float add, multiply, fused multiply-add.
        fp32: u32 = 1..=65_536,
        /// The same with packed or dual-issued operations, where that gives more.
        fp32_packed: Option<u32> = 1..=65_536,
        /// 64-bit float.
        fp64: u32 = 1..=65_536,
        /// 16-bit float, in pairs: results, not instructions; absent where it runs as 32-bit.
        half: Option<u32> = 1..=65_536,
        /// 32-bit integer add and subtract, logic, compare.
        int32: u32 = 1..=65_536,
        /// 32-bit integer multiply and multiply-add.
        int_mul: u32 = 1..=65_536,
        /// Reciprocal, square root, exponential, logarithm, sine, cosine.
        sfu: u32 = 1..=65_536,
        /// Conversion between 32-bit types.
        convert: u32 = 1..=65_536,
        /// Conversion from and to 64-bit types.
        convert64: u32 = 1..=65_536,
        /// Population count, leading zeros, bit reversal.
        bit: u32 = 1..=65_536,
        /// Exchange between lanes.
        shuffle: u32 = 1..=65_536,
        /// Votes and matches of a warp.
        vote: u32 = 1..=65_536,
        /// Scalar operations, one per warp, counted as a warp's lanes; absent where a vector
        /// pipeline does them.
        uniform: Option<u32> = 1..=65_536,
        /// Branches.
        branch: u32 = 1..=65_536,
        /// Load and store addresses.
        ldst: u32 = 1..=65_536,
    }
}

table! {
    /// Matrix units: dense fused multiply-adds per clock and SM; absent formats are not supported
    /// or not known.
    Tensor {
        /// Matrix units of an SM.
        units_per_sm: u32 = 1..=65_536,
        /// 16-bit float inputs.
        fp16: Option<u32> = 1..=16_777_216,
        /// bfloat16 inputs, where they differ from `fp16`.
        bf16: Option<u32> = 1..=16_777_216,
        /// 19-bit float inputs (TF32).
        tf32: Option<u32> = 1..=16_777_216,
        /// 32-bit float inputs.
        fp32: Option<u32> = 1..=16_777_216,
        /// 64-bit float inputs.
        fp64: Option<u32> = 1..=16_777_216,
        /// 8-bit integer inputs.
        int8: Option<u32> = 1..=16_777_216,
        /// 8-bit float inputs.
        fp8: Option<u32> = 1..=16_777_216,
        /// 4-bit float inputs.
        fp4: Option<u32> = 1..=16_777_216,
        /// Clock of the matrix units as a fraction of the SM clock, where it is not the same.
        clock_factor: Option<f64> = 0.01..=4,
    }
}

table! {
    /// Clusters: blocks that are resident together within a group of SMs.
    Cluster {
        /// Blocks in a cluster that every device of the generation takes.
        max_blocks: u32 = 1..=1024,
        /// Blocks in a cluster after opting in to non-portable sizes.
        max_blocks_nonportable: u32 = 1..=1024,
        /// Groups of SMs (GPCs) within which a cluster has to fit.
        gpcs: u32 = 1..=65_536,
    }
}

table! {
    /// Defaults of the run-time system.
    Runtime {
        /// Heap for `malloc` in kernels.
        heap_bytes: u64 = 1..=281_474_976_710_656.0,
        /// Buffer for `printf` in kernels.
        printf_fifo_bytes: u64 = 1..=281_474_976_710_656.0,
    }
}

table! {
    /// Energy of single operations and accesses, picojoules. The figures are those of one process
    /// (45 nm, 0.9 V), the same for every device: they are for ratios, not for a chip's power.
    Energy {
        /// 8-bit integer add.
        int8_add_pj: f64 = 0..=1_000_000,
        /// 32-bit integer add.
        int32_add_pj: f64 = 0..=1_000_000,
        /// 32-bit integer multiply.
        int32_mul_pj: f64 = 0..=1_000_000,
        /// 16-bit float add.
        fp16_add_pj: f64 = 0..=1_000_000,
        /// 16-bit float multiply.
        fp16_mul_pj: f64 = 0..=1_000_000,
        /// 32-bit float add.
        fp32_add_pj: f64 = 0..=1_000_000,
        /// 32-bit float multiply.
        fp32_mul_pj: f64 = 0..=1_000_000,
        /// A 32-bit word from an SRAM of 8 KiB.
        sram_word_pj: f64 = 0..=1_000_000,
        /// A 32-bit word from DRAM.
        dram_word_pj: f64 = 0..=1_000_000,
        /// Fetching, decoding and scheduling one instruction, and its operands.
        instruction_pj: f64 = 0..=1_000_000,
        /// The arithmetic of a 16-bit fused multiply-add instruction (HFMA).
        hfma_pj: f64 = 0..=1_000_000,
        /// The arithmetic of a four-element dot product instruction (HDP4A).
        hdp4a_pj: f64 = 0..=1_000_000,
        /// The arithmetic of a 16-bit matrix instruction (HMMA).
        hmma_pj: f64 = 0..=1_000_000,
        /// The arithmetic of an 8-bit integer matrix instruction (IMMA).
        imma_pj: f64 = 0..=1_000_000,
    }
}
