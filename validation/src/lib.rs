//! The timing model against published measurements of real chips.
//!
//! A [`Target`] is one published experiment: its [`Job`]s each rebuild one measured point on the
//! model (a kernel of `kernels/` or of a builder in [`ptx`], on the device it was measured on),
//! its bars say what must hold. [`run`] carries targets out on all host cores and gives
//! [`Outcome`]s; each point's error is signed and relative.
//!
//! | module | holds |
//! | --- | --- |
//! | [`target`] | targets, points, roles, bars |
//! | [`targets`] | one module for each experiment; add yours to [`targets::ALL`] |
//! | [`rig`] | a device that runs a kernel in time and says how long it took |
//! | [`ptx`] | texts of micro-benchmarks |
//! | [`figures`] | the published numbers, from the tables in `figures/` |
//! | [`report`], [`page`] | outcomes as plain data, and as a page of documentation |
//!
//! Points are marked *calibration* where a figure of the same measurement set a parameter of the
//! device file, and *test* where none did; only errors of test points say how accurate the model
//! is.

pub mod figures;
pub mod page;
pub mod ptx;
pub mod report;
pub mod rig;
mod runner;
pub mod target;
pub mod targets;

pub use rig::{Arg, Rig, RigError, Shot, Timed, device};
pub use runner::run;
pub use target::{Job, Outcome, Point, Role, Target, Verdict};
