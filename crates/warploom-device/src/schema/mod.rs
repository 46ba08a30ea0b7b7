//! The fields of a device description, with units, meaning and range.
//!
//! Vendors' words differ; here SM also means CU, scheduler also SIMD, block also work-group, warp
//! also wavefront, shared memory also LDS. "Per SM" rates are results per clock. Cycles are SM
//! clocks.
//!
//! | module | holds |
//! | --- | --- |
//! | `table` | how a group of fields is defined |
//! | `chip` | what a chip has: limits, registers, memories, lanes |
//! | `timing` | how long things take inside an SM |
//! | `timing_memory` | how long things take on the way to device memory |

mod chip;
mod table;
mod timing;
mod timing_memory;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::provenance::Provenance;
use table::{choice, join, table};

pub use chip::{
    Accumulators, Cluster, Energy, Lanes, Limits, Memory, Registers, Runtime, ScalarRegisters,
    Shared, Tensor,
};
pub(crate) use table::Number;
use table::Part;
pub use table::{Field, Range};
pub use timing::{
    Control, Dependences, Fetch, Flat, Issue, Launch, Lsu, Matrix, Pipe, Pipes, Scheduler, Scope,
    Timing, Unit,
};
pub use timing_memory::{
    AddressHash, Atomics, ClusterTiming, ConstantCache, Dram, Interconnect, L1, L2, Llc,
    SharedTiming, Tlb, WritePolicy,
};

table! {
    /// One GPU. Built by [`Device::by_name`] or [`Device::from_toml`], which check it.
    Device {
        /// Short name, as on the command line (`h100`).
        name: String,
        /// Full product name.
        product: String,
        /// Who makes it.
        vendor: Vendor,
        /// Architecture generation (`Hopper`, `CDNA 3`).
        architecture: String,
        /// Instruction-set target: `sm_90`, `gfx942`, or `lesson`.
        target: String,
        /// Streaming multiprocessors (compute units).
        sms: u32 = 1..=65_536,
        /// SM clock under boost, MHz.
        clock_mhz: f64 = 1..=100_000,
        /// Threads in a warp: a power of two, 4 to 64.
        warp_width: u32 = 4..=64,
        /// Widths that `warp_width` may take on this device.
        warp_widths: Vec<u32>,
        /// How its warps diverge and meet again by default.
        divergence: Divergence,
        /// Scheduler partitions of an SM (SIMDs of a CU).
        schedulers_per_sm: u32 = 1..=64,
        /// Launch and residency limits.
        limits: Limits,
        /// The vector register file.
        registers: Registers,
        /// The scalar register file, where it limits residency.
        scalar_registers: Option<ScalarRegisters>,
        /// Shared memory (LDS).
        shared: Shared,
        /// Caches and device memory.
        memory: Memory,
        /// Results per clock and SM of the ordinary pipelines.
        lanes: Lanes,
        /// Matrix units, where there are any.
        tensor: Option<Tensor>,
        /// Block clusters, where the device has them.
        cluster: Option<Cluster>,
        /// Defaults of the run-time system.
        runtime: Runtime,
        /// How long things take.
        timing: Timing,
        /// Energy of single operations and accesses.
        energy: Energy,
    }
    private {
        #[serde(skip)]
        pub(crate) provenance: BTreeMap<String, Provenance>,
    }
}

choice! {
    /// Maker of a device.
    Vendor {
        /// NVIDIA.
        Nvidia = "nvidia",
        /// AMD.
        Amd = "amd",
        /// Nobody: a machine made up for teaching.
        Warploom = "warploom",
    }
}

choice! {
    /// Default divergence model of a device.
    Divergence {
        /// A stack with reconvergence at immediate post-dominators (before Volta).
        Ipdom = "ipdom",
        /// Independent thread scheduling (Volta on).
        Its = "its",
        /// The program manages its own execution mask (AMD).
        ExecMask = "exec-mask",
    }
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

    /// Every field that a device description can have, in the order of the schema.
    pub fn fields() -> Vec<Field> {
        let root = Field {
            path: String::new(),
            doc: String::new(),
            kind: String::new(),
            range: None,
            optional: false,
        };
        let mut fields = Vec::new();
        <Device as Part>::describe(root, &mut fields);
        fields
    }

    /// Shows `each` every number that has a range.
    pub(crate) fn numbers(&self, each: &mut dyn FnMut(Number<'_>)) {
        self.visit("", None, each);
    }
}
