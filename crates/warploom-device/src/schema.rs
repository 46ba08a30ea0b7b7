//! The fields of a device description, with units and meaning.
//!
//! Vendors' words differ; here SM also means CU, scheduler also SIMD, block also work-group, warp
//! also wavefront, shared memory also LDS. "Per SM" rates are results per clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::provenance::Provenance;

/// One GPU. Built by [`Device::by_name`] or [`Device::from_toml`], which check it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Short name, as on the command line (`h100`).
    pub name: String,
    /// Full product name.
    pub product: String,
    /// Who makes it.
    pub vendor: Vendor,
    /// Architecture generation (`Hopper`, `CDNA 3`).
    pub architecture: String,
    /// Instruction-set target: `sm_90`, `gfx942`, or `lesson`.
    pub target: String,
    /// Streaming multiprocessors (compute units).
    pub sms: u32,
    /// SM clock under boost, MHz.
    pub clock_mhz: f64,
    /// Threads in a warp: a power of two, 4 to 64.
    pub warp_width: u32,
    /// Widths that `warp_width` may take on this device.
    pub warp_widths: Vec<u32>,
    /// How its warps diverge and meet again by default.
    pub divergence: Divergence,
    /// Scheduler partitions of an SM (SIMDs of a CU).
    pub schedulers_per_sm: u32,
    /// Launch and residency limits.
    pub limits: Limits,
    /// The vector register file.
    pub registers: Registers,
    /// The scalar register file, where it limits residency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scalar_registers: Option<ScalarRegisters>,
    /// Shared memory (LDS).
    pub shared: Shared,
    /// Caches and device memory.
    pub memory: Memory,
    /// Results per clock and SM of the ordinary pipelines.
    pub lanes: Lanes,
    /// Matrix units, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor: Option<Tensor>,
    /// Block clusters, where the device has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
    /// Defaults of the run-time system.
    pub runtime: Runtime,
    #[serde(skip)]
    pub(crate) provenance: BTreeMap<String, Provenance>,
}

/// Maker of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
    /// Nobody: a machine made up for teaching.
    Warploom,
}

/// Default divergence model of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Divergence {
    /// A stack with reconvergence at immediate post-dominators (before Volta).
    Ipdom,
    /// Independent thread scheduling (Volta on).
    Its,
    /// The program manages its own execution mask (AMD).
    ExecMask,
}

/// Launch and residency limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Resident warps per SM.
    pub warps_per_sm: u32,
    /// Resident blocks per SM; absent where only warps and barriers limit them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_per_sm: Option<u32>,
    /// Threads in a block.
    pub threads_per_block: u32,
    /// Blocks in a grid, along x, y, z.
    pub grid: [u32; 3],
    /// Threads in a block, along x, y, z.
    pub block: [u32; 3],
    /// Barriers a block can name.
    pub barriers_per_block: u32,
    /// Hardware barriers of an SM; absent where they never limit residency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barriers_per_sm: Option<u32>,
    /// Warps from which on a block occupies its barriers (2: a one-warp block needs none).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub barriers_from_warps: u32,
    /// Bytes of kernel parameters.
    pub param_bytes: u32,
    /// Bytes of constant memory.
    pub constant_bytes: u32,
    /// Bytes of local memory a thread can have.
    pub local_bytes_per_thread: u32,
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

/// The vector register file; counts are 32-bit registers of one lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registers {
    /// Registers of an SM.
    pub per_sm: u32,
    /// Registers one block may have. Where this is a fraction of `per_sm`, warps are counted in
    /// pools of this size.
    pub per_block: u32,
    /// Registers one thread may have.
    pub max_per_thread: u32,
    /// Allocation unit: a warp gets a multiple of it.
    pub unit: u32,
    /// Parts of a pool that hold whole warps each; a launch is checked as if a block's warps were
    /// rounded up to it.
    pub warp_granularity: u32,
    /// What a launch is checked with instead, where a chip refuses what its family can't run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_granularity: Option<u32>,
    /// Accumulation registers of the matrix units, where they exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accumulators: Option<Accumulators>,
}

/// Where AMD's accumulation registers live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Accumulators {
    /// In a second file as large as the vector register file (gfx908).
    Separate,
    /// In the vector register file, behind the vector registers (from gfx90a on).
    Unified,
}

/// Scalar registers (one value per warp).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalarRegisters {
    /// Scalar registers of a scheduler partition.
    pub per_scheduler: u32,
    /// Allocation unit per warp.
    pub unit: u32,
    /// Scalar registers one warp may have.
    pub max_per_warp: u32,
}

/// Shared memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// Sizes that an SM's shared memory can be set to, ascending.
    pub capacity_steps_bytes: Vec<u32>,
    /// Bytes a block may have without asking.
    pub per_block_bytes: u32,
    /// Bytes a block may have after opting in.
    pub per_block_optin_bytes: u32,
    /// Allocation unit per block.
    pub unit_bytes: u32,
    /// Bytes the system takes from each block's allocation.
    pub reserved_bytes: u32,
    /// Banks.
    pub banks: u32,
    /// Width of a bank.
    pub bank_bytes: u32,
}

/// Caches and device memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Unit of transfer that memory counters count.
    pub sector_bytes: u32,
    /// L1 line.
    pub line_bytes: u32,
    /// L1 data cache of an SM; with `l1_unified` the memory that it shares with shared memory.
    pub l1_bytes: u32,
    /// Whether `l1_bytes` is divided between L1 and shared memory.
    pub l1_unified: bool,
    /// L1 load bandwidth per SM.
    pub l1_bytes_per_cycle: u32,
    /// L2 of the whole device.
    pub l2_bytes: u64,
    /// Parts of the L2 with a latency of their own (partitions, dies).
    pub l2_segments: u32,
    /// L2 read bandwidth, 10⁹ bytes a second; absent where nobody has measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_gb_per_s: Option<f64>,
    /// Memory-side cache behind the L2, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llc_bytes: Option<u64>,
    /// Device memory.
    pub dram_bytes: u64,
    /// Device memory bandwidth at the pins, 10⁹ bytes a second.
    pub dram_gb_per_s: f64,
}

/// Results per clock and SM of the ordinary pipelines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lanes {
    /// 32-bit float add, multiply, fused multiply-add.
    pub fp32: u32,
    /// The same with packed or dual-issued operations, where that gives more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp32_packed: Option<u32>,
    /// 64-bit float.
    pub fp64: u32,
    /// 32-bit integer add and subtract.
    pub int32: u32,
    /// Reciprocal, square root, exponential, logarithm, sine, cosine.
    pub sfu: u32,
    /// Load and store addresses.
    pub ldst: u32,
}

/// Matrix units: dense fused multiply-adds per clock and SM; absent formats are not supported or
/// not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tensor {
    /// Matrix units of an SM.
    pub units_per_sm: u32,
    /// 16-bit float inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp16: Option<u32>,
    /// bfloat16 inputs, where they differ from `fp16`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bf16: Option<u32>,
    /// 19-bit float inputs (TF32).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tf32: Option<u32>,
    /// 32-bit float inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp32: Option<u32>,
    /// 64-bit float inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp64: Option<u32>,
    /// 8-bit integer inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub int8: Option<u32>,
    /// 8-bit float inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp8: Option<u32>,
    /// 4-bit float inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp4: Option<u32>,
    /// Clock of the matrix units as a fraction of the SM clock.
    #[serde(default = "full_clock", skip_serializing_if = "is_full_clock")]
    pub clock_factor: f64,
}

fn full_clock() -> f64 {
    1.0
}

fn is_full_clock(factor: &f64) -> bool {
    *factor == 1.0
}

/// Clusters: blocks that are resident together within a group of SMs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Blocks in a cluster that every device of the generation takes.
    pub max_blocks: u32,
    /// Blocks in a cluster after opting in to non-portable sizes.
    pub max_blocks_nonportable: u32,
    /// Groups of SMs (GPCs) within which a cluster has to fit.
    pub gpcs: u32,
}

/// Defaults of the run-time system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runtime {
    /// Heap for `malloc` in kernels.
    pub heap_bytes: u64,
    /// Buffer for `printf` in kernels.
    pub printf_fifo_bytes: u64,
}

impl Device {
    /// Compute capability of an NVIDIA target: `sm_90` is (9, 0), `sm_120` is (12, 0).
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        let number: u32 = self.target.strip_prefix("sm_")?.parse().ok()?;
        Some((number / 10, number % 10))
    }

    /// The largest size an SM's shared memory can be set to.
    pub fn shared_capacity_bytes(&self) -> u32 {
        self.shared
            .capacity_steps_bytes
            .last()
            .copied()
            .unwrap_or(0)
    }
}
