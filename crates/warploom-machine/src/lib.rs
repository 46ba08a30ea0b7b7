//! The SIMT machine: architectural state and semantics.
//!
//! A [`Machine`] is a device's memory with a module on it. [`Machine::prepare`] resolves a launch;
//! [`Machine::run_serial`] or [`Machine::run_chunk`] executes its blocks and returns exact counts.
//!
//! | module | holds |
//! | --- | --- |
//! | [`machine`], [`env`](mod@env) | a loaded module, launches |
//! | [`run`], [`block`](mod@block), `deadlock` | which block and warp goes when; when nobody can |
//! | `exec` | the interpreter's loop |
//! | `lanes` | lane operations over register rows |
//! | `access`, `pattern`, `atomic` | loads and stores, their cost, atomics |
//! | [`warp`], `diverge`, `warp_op`, [`barrier`] | groups of lanes: parting, meeting, exchanging, waiting |
//! | [`memory`], `special`, `host`, `printf` | global memory, special registers, host functions |
//! | [`program`] | the check that makes the interpreter safe |
//! | [`step`] | a launch in the hands of a driver that decides on time |
//! | [`counters`], [`fault`], [`observe`] | what is reported |
//!
//! The machine uses no files, threads or clocks of the host.

#![allow(
    clippy::needless_range_loop,
    reason = "a lane's number indexes several rows side by side"
)]

pub mod barrier;
pub mod block;
pub mod counters;
pub mod env;
pub mod fault;
pub mod machine;
pub mod memory;
pub mod observe;
pub mod program;
pub mod run;
pub mod step;
pub mod warp;

mod access;
mod atomic;
mod deadlock;
mod diverge;
mod dot;
mod exec;
mod flow;
mod fold;
mod host;
mod lanes;
mod operands;
mod pattern;
mod printf;
mod show;
mod special;
mod standstill;
mod warp_op;

pub use counters::{BlockCount, Counters, InstCount};
pub use env::Divergence;
pub use fault::{AccessInfo, AccessKind, Fault, FaultKind, Note, Wait};
pub use machine::{Launch, LaunchError, LaunchSpec, LoadError, Machine, MachineConfig};
pub use memory::{Allocation, AllocationKind, Memory, MemoryError};
pub use observe::{Issue, MemoryAccess, NoObserver, Observer};
pub use pattern::shared_passes;
pub use program::{Program, ProgramError};
pub use run::{Host, Limits, Outcome, RunResult};
pub use step::{AccessEvent, Event, Events, Next, Step, Stepping, Steps, Stops};
