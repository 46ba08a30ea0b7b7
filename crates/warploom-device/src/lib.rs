//! GPU devices as data, and what follows from their figures alone: how many blocks an SM holds.
//!
//! # Bird's-eye view
//!
//! A device is a TOML file: limits, register file, shared memory, caches, lanes, and for every
//! figure where it comes from. `devices/*.toml` are built in; any other text goes through
//! [`Device::from_toml`].
//!
//! ```text
//! text ── tree ──▶ merge over `like` ──▶ Device ──▶ checked ──▶ provenance of every figure
//!          (spans)   (or over a device,     (schema)   (validate)
//!                     for overrides)
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`mod@schema`] | the fields, their units, meaning and range |
//! | `tree` | parsed TOML with source spans; merging and looking up by field path |
//! | `load` | the way above; overrides |
//! | `validate` | which figures fit together |
//! | `provenance` | the `[sources]` and `estimated` entries, resolved per figure |
//! | `builtin` | the list of built-in devices and source keys |
//! | [`mod@occupancy`] | blocks per SM, limiters, "one more block", sweeps |
//! | [`mod@model`] | closed forms: latency, lanes, roofline, tiles, energy |
//! | [`mod@rates`] | pipelines: how often and how long |
//!
//! The crate knows no other warploom crate and opens no file.
//!
//! # Adding a device
//!
//! 1. Copy the nearest file in `devices/` to `devices/NAME.toml` and change it. A sister of an
//!    existing chip is shorter: `like = "h100"` takes every figure it does not give, with its
//!    source, from that device.
//! 2. Say where each figure comes from: under `[sources]` a key of `devices/sources.toml` (or a
//!    whole sentence) lists field paths or sections; the longest path that fits wins. What nobody
//!    has seen in a source goes into `estimated`. A figure without either is refused.
//! 3. Add `"NAME"` to the list in `src/builtin.rs`.
//!
//! `cargo test -p warploom-device` then loads it and compares the list with the folder.
//!
//! # Overrides
//!
//! ```
//! let mut device = warploom_device::Device::by_name("h100")?;
//! device.set("sms", "20")?;
//! device.set("registers.per_sm", "32768").unwrap_err(); // smaller than what one block may have
//! device.set_all([("registers.per_sm", "32768"), ("registers.per_block", "32768")])?;
//! assert_eq!(device.sms, 20);
//! # Ok::<(), warploom_device::DeviceError>(())
//! ```

mod builtin;
mod error;
mod load;
pub mod model;
pub mod occupancy;
mod provenance;
pub mod rates;
pub mod schema;
mod tree;
mod validate;

pub use error::{DeviceError, Position};
pub use occupancy::{
    CarveOut, Footprint, Gain, LimitTable, Limiter, Occupancy, OccupancyRefusal, Options, Rule,
    Step, SweepPoint, Trim, Vary, occupancy, occupancy_with, one_more_block, steps, sweep,
    warps_per_scheduler,
};
pub use provenance::{Figure, Provenance, source_text};
pub use schema::{
    Accumulators, Cluster, Device, Divergence, Field, Lanes, Limits, Memory, Registers, Runtime,
    ScalarRegisters, Scheduler, Shared, Tensor, Timing, Vendor,
};
