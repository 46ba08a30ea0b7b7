//! Warploom's front door: load a program, give it buffers, launch its kernels, read the report.
//!
//! A [`plan::Plan`] says what to run; it comes from a launch file ([`launch_file`]), from a
//! command line ([`arg`]), or is put together in code. [`run::run`] carries it out. A
//! [`session::Session`] does the same step by step.
//!
//! ```text
//! launch file ─┐
//! --arg …     ─┼─▶ Plan ─▶ run ─▶ Session ─▶ engine (machine, host threads) ─▶ Report
//! code        ─┘                    ▲
//! .ptx .cu .simt ─▶ Program ────────┘
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`plan`], [`launch_file`], [`arg`] | what to run, and the two ways to write it |
//! | [`element`], [`shape`], [`scalar`], [`fill`], [`npy`], [`contents`] | values and arrays |
//! | [`program`], [`compiler`] | modules and their texts; `.cu` through nvcc or clang |
//! | [`session`], [`run`] | a device with a program; a whole plan |
//! | `engine`, `tally` | the machine, driven; its counts by source line |
//! | `params`, `footprint`, `memory` | what is checked before a launch |
//! | [`metrics`], [`report`], `failure`, `sources`, `compare` | what is reported |
//! | [`error`], [`text`] | who is to blame, and where |
//!
//! Three kinds of trouble are kept apart: a wrong input ([`error::InputError`]), a feature that is
//! not supported ([`error::UnsupportedError`]), and a kernel that does something wrong, which is
//! an outcome of the report ([`report::Outcome::Fault`]).

pub mod arg;
mod compare;
pub mod compiler;
pub mod contents;
pub mod element;
pub mod engine;
pub mod error;
mod failure;
mod files;
pub mod fill;
mod footprint;
pub mod launch_file;
mod memory;
pub mod metrics;
pub mod npy;
mod params;
pub mod plan;
pub mod program;
pub mod report;
pub mod run;
pub mod scalar;
pub mod session;
pub mod shape;
mod sources;
mod tally;
pub mod text;

pub use engine::{Control, DEFAULT_MAX_THREAD_INSTRUCTIONS};
pub use error::{Error, InputError, InputErrorKind, UnsupportedError};
pub use plan::Plan;
pub use program::Program;
pub use report::{Outcome, Report};
pub use run::{Finished, Options, Watcher, run};
pub use session::{DivergenceModel, Session};

pub use warploom_device as device;
