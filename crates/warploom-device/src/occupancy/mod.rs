//! How many blocks of a kernel an SM holds at once, and which resource decides.
//!
//! Every resource gives a limit of its own; the least is the residency. With [`Rule::Toolkit`]
//! allocations are rounded as the vendors' tools do it:
//!
//! - *Warp slots*: a block of `T` threads takes `ceil(T / width)` of `warps_per_sm`.
//! - *Registers*: a warp takes `registers × width`, rounded up to `registers.unit`. The file is
//!   divided into `warp_granularity` parts that hold whole warps each. Where a block may have only
//!   a fraction of the file (`registers.per_block`), warps are counted in pools of that size,
//!   unless the device gives another (`registers.pool`). A
//!   launch is refused if the block's warps, rounded up to whole rows of parts, exceed
//!   `registers.per_block`.
//!   AMD: the parts are the SIMDs, the unit the allocation granule times the wave width;
//!   accumulators lie behind the vector registers (rounded to 4) or in a file of their own. Scalar
//!   registers are counted per SIMD, and reported under the same limiter.
//! - *Shared memory*: static + dynamic + reserved bytes, rounded up to `shared.unit_bytes`. What a
//!   block asks for itself may reach `per_block_optin_bytes`; the reserved bytes come on top.
//! - *Block slots*, and *barriers* where the hardware's number is bounded.
//! - *Clusters*: whole clusters are placed within a group of SMs.
//!
//! [`CarveOut::Auto`] gives shared memory the smallest capacity step that holds all the blocks
//! which the other resources (and the largest step) allow, and so leaves the L1 as large as
//! residency permits. The shared-memory entry of [`LimitTable`] is then the one of the largest
//! step: what this resource could hold at most.
//!
//! [`Rule::Simple`] is the textbook formula: the same limits with nothing rounded or reserved.

mod gain;
mod limits;
mod steps;
mod sweep;

use std::fmt;

use serde::Serialize;

use crate::schema::Device;

pub use gain::{Gain, Trim, one_more_block};
pub use limits::warps_per_scheduler;
pub use steps::{Step, steps};
pub use sweep::{SweepPoint, Vary, sweep};

/// What a kernel launch needs of an SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Threads in a block.
    pub threads_per_block: u32,
    /// 32-bit (vector) registers of a thread.
    pub registers_per_thread: u32,
    /// Accumulation registers of a thread (AMD matrix units).
    pub accumulators_per_thread: u32,
    /// Scalar registers of a warp (AMD).
    pub scalar_registers_per_warp: u32,
    /// Shared memory that the kernel declares.
    pub shared_static_bytes: u32,
    /// Shared memory that the launch adds.
    pub shared_dynamic_bytes: u32,
    /// Block barriers that the kernel names.
    pub barriers: u32,
    /// Blocks in a cluster, if the launch has clusters.
    pub cluster: Option<u32>,
}

impl Default for Footprint {
    /// One thread with no registers and no shared memory, and the one barrier every block has.
    fn default() -> Self {
        Footprint {
            threads_per_block: 1,
            registers_per_thread: 0,
            accumulators_per_thread: 0,
            scalar_registers_per_warp: 0,
            shared_static_bytes: 0,
            shared_dynamic_bytes: 0,
            barriers: 1,
            cluster: None,
        }
    }
}

/// How allocations are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// With the vendors' allocation units, partitions and reserves.
    #[default]
    Toolkit,
    /// Textbook formula, nothing rounded.
    Simple,
}

/// How much of an SM's memory becomes shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CarveOut {
    /// The smallest step that costs no block.
    #[default]
    Auto,
    /// The smallest step with at least these bytes, or one that holds a single block if that is
    /// larger.
    AtLeast(u32),
}

/// Choices of the calculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How allocations are counted.
    pub rule: Rule,
    /// How much shared memory an SM is given.
    pub carve_out: CarveOut,
}

/// A resource that bounds residency. Where several bind, the first in this order is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// Warp slots, or threads in a block.
    Warps,
    /// Vector, accumulation or scalar registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Block slots.
    Blocks,
    /// Hardware barriers.
    Barriers,
    /// Placement of whole clusters.
    Cluster,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limiter::Warps => "warps",
            Limiter::Registers => "registers",
            Limiter::SharedMemory => "shared_memory",
            Limiter::Blocks => "blocks",
            Limiter::Barriers => "barriers",
            Limiter::Cluster => "cluster",
        })
    }
}

/// Blocks per SM that each resource alone allows; `None` where it does not limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LimitTable {
    /// Warp slots.
    pub warps: u32,
    /// Register files.
    pub registers: Option<u32>,
    /// Shared memory.
    pub shared_memory: Option<u32>,
    /// Block slots.
    pub blocks: Option<u32>,
    /// Hardware barriers.
    pub barriers: Option<u32>,
    /// Placement of whole clusters.
    pub cluster: Option<u32>,
}

impl LimitTable {
    /// The limits in [`Limiter`]'s order.
    pub fn entries(&self) -> [(Limiter, Option<u32>); 6] {
        [
            (Limiter::Warps, Some(self.warps)),
            (Limiter::Registers, self.registers),
            (Limiter::SharedMemory, self.shared_memory),
            (Limiter::Blocks, self.blocks),
            (Limiter::Barriers, self.barriers),
            (Limiter::Cluster, self.cluster),
        ]
    }

    /// The least limit and the first resource that has it.
    fn least(&self) -> (u32, Limiter) {
        let limits = self.entries().into_iter();
        let known = limits.filter_map(|(limiter, limit)| Some((limit?, limiter)));
        known.min().unwrap_or((self.warps, Limiter::Warps))
    }
}

/// Residency of a kernel on one SM.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occupancy {
    /// Resident blocks; at least 1.
    pub blocks_per_sm: u32,
    /// Warps of one block.
    pub warps_per_block: u32,
    /// Resident warps.
    pub warps_per_sm: u32,
    /// Resident warps over warp slots.
    pub theoretical_occupancy: f64,
    /// The resource that decides.
    pub occupancy_limiter: Limiter,
    /// What each resource alone allows.
    pub limits: LimitTable,
    /// Registers that one warp is given.
    pub rounded_registers: u32,
    /// The same for each of its threads.
    pub rounded_registers_per_thread: u32,
    /// Bytes of shared memory that one block is given, reserved bytes included.
    pub rounded_shared_bytes: u32,
    /// Bytes of shared memory that the SM is set to.
    pub shared_carve_out_bytes: u32,
    /// Clusters that the device holds at once, for a launch with clusters.
    pub active_clusters: Option<u32>,
}

/// Why a launch can never run on a device: one block asks for more than it may have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}: needs {needed}, available {available}\n  help: {help}")]
pub struct OccupancyRefusal {
    /// The resource that is short.
    pub limiter: Limiter,
    /// What is asked for, in words.
    pub message: String,
    /// Amount that is needed, in the units of `message`.
    pub needed: u64,
    /// Amount that there is.
    pub available: u64,
    /// What to change.
    pub help: String,
}

/// Residency with the vendors' rounding and an automatic carve-out.
pub fn occupancy(device: &Device, footprint: &Footprint) -> Result<Occupancy, OccupancyRefusal> {
    occupancy_with(device, footprint, &Options::default())
}

/// Residency under given options. `Err` says which resource a single block exceeds.
pub fn occupancy_with(
    device: &Device,
    footprint: &Footprint,
    options: &Options,
) -> Result<Occupancy, OccupancyRefusal> {
    let need = limits::Need::of(device, footprint, options.rule);
    need.check_launch(device, footprint)?;
    let capacity = limits::shared_capacity(device, &need, options.carve_out);
    let mut limits = need.limits(device, footprint, capacity);
    let (mut blocks, mut limiter) = limits.least();
    let mut active_clusters = None;
    if let Some(size) = footprint.cluster {
        let placed = limits::place_clusters(device, size, blocks)?;
        limits.cluster = Some(placed.blocks_per_sm);
        active_clusters = Some(placed.clusters);
        (blocks, limiter) = limits.least();
    }
    let warps_per_sm = blocks.saturating_mul(need.warps);
    let carve_out = match options.carve_out {
        CarveOut::Auto => limits::smallest_step(device, need.shared_bytes * u64::from(blocks)),
        CarveOut::AtLeast(_) => capacity,
    };
    Ok(Occupancy {
        blocks_per_sm: blocks,
        warps_per_block: need.warps,
        warps_per_sm,
        theoretical_occupancy: f64::from(warps_per_sm) / f64::from(device.limits.warps_per_sm),
        occupancy_limiter: limiter,
        limits,
        rounded_registers: limits::narrow(need.registers_per_warp),
        rounded_registers_per_thread: limits::narrow(
            need.registers_per_warp
                .div_ceil(u64::from(device.warp_width.max(1))),
        ),
        rounded_shared_bytes: limits::narrow(need.shared_bytes),
        shared_carve_out_bytes: limits::narrow(carve_out),
        active_clusters,
    })
}
