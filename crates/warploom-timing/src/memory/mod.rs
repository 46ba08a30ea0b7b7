//! The memory of a chip: L1, L2, device memory, and the way between them.
//!
//! # Bird's-eye view
//!
//! ```text
//! addresses of a warp ──coalesce──▶ lines ──l1──▶ misses, stores, atomics
//!                                                     │ Request, in the order of cycles
//!                                                     ▼
//!              system: SM links ▶ slices of the L2 ▶ (memory-side cache) ▶ channels
//!                                                     │
//!                                                     ▼ cycle in which it is done
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`mod@coalesce`] | lines, sectors and passes of an instruction |
//! | [`mod@cache`] | tags of any cache |
//! | [`mod@l1`] | the data cache of an SM, with its outstanding misses |
//! | [`mod@constant`] | the constant caches of an SM |
//! | [`mod@system`] | everything behind the L1s |
//! | `topology` | which slice, segment, channel and row an address has |
//! | `slice`, `backing`, `dram` | the stations of the system |
//! | [`mod@tlb`] | address translation, where it is modelled |
//! | `queue`, `way`, `filling`, `spread` | servers, waits, data on the way, address hashes |
//!
//! Every figure comes from the device. Nothing here holds data: what is read and written is the
//! functional machine's business.

mod backing;
pub mod cache;
pub mod coalesce;
pub mod constant;
pub mod counters;
mod dram;
mod filling;
pub mod l1;
mod queue;
mod slice;
mod spread;
pub mod system;
pub mod tlb;
mod topology;
mod way;

pub use coalesce::{
    AtomicAccess, AtomicLines, L1Passes, LineAccess, LineShape, Lines, atomic_lines, lines,
};
pub use constant::ConstantCaches;
pub use counters::MemoryCounters;
pub use l1::{L1, L1Access, L1Outcome};
pub use system::{MemorySystem, Request, RequestKind};
