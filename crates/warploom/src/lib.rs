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
//! | [`session`], [`run`](mod@run), [`lesson`] | a device with a program; a whole plan; a lesson, issue by issue |
//! | [`stepper`], [`issue_slots`] | a launch, forward and back; one scheduler, cycle by cycle |
//! | `engine`, `tally` | the machine, driven; its counts by source line |
//! | [`access_pattern`] | what the addresses of one memory instruction cost |
//! | `params`, `footprint`, `memory` | what is checked before a launch |
//! | [`metrics`], [`report`], `failure`, `sources`, `compare` | what is reported |
//! | [`error`], [`text`] | who is to blame, and where |
//!
//! # Example
//!
//! ```
//! use warploom::contents::ContentsPlan;
//! use warploom::device::Device;
//! use warploom::fill::Fill;
//! use warploom::plan::{ArgValue, LaunchPlan};
//! use warploom::shape::ArrayType;
//! use warploom::{Control, DivergenceModel, Outcome, Program, Session};
//!
//! let ptx = "
//!     .version 8.0
//!     .target sm_70
//!     .address_size 64
//!     .visible .entry double(.param .u64 x) {
//!         .reg .b32 %i, %v;
//!         .reg .b64 %x, %at;
//!         ld.param.u64 %x, [x];
//!         mov.u32 %i, %tid.x;
//!         mul.wide.u32 %at, %i, 4;
//!         add.u64 %at, %at, %x;
//!         ld.global.u32 %v, [%at];
//!         add.u32 %v, %v, %v;
//!         st.global.u32 [%at], %v;
//!         ret;
//!     }";
//! let program = Program::from_ptx(&[("double.ptx", ptx)], Vec::new())?;
//! let mut session = Session::new(program, Device::by_name("h100")?, DivergenceModel::Its)?;
//! let numbers = ContentsPlan::fill(Fill::Iota, "u32[64]".parse::<ArrayType>()?).open()?;
//! session.add_buffer("x", &numbers)?;
//!
//! let x = ArgValue::Buffer { name: "x".into(), offset_bytes: 0 };
//! let launch = LaunchPlan { block: [64, 1, 1].into(), args: vec![x.into()], ..Default::default() };
//! let report = session.launch(&launch, &mut Control { threads: 1, ..Control::new(&mut |_| {}) })?;
//!
//! assert_eq!(report.outcome, Outcome::Ok);
//! assert_eq!(report.metrics.tally.warp_instructions, 2 * 8);
//! assert_eq!(report.metrics.tally.global_load_sectors, 2 * 4);
//! let mut last = [0; 4];
//! session.read(session.buffer("x")?.address + 4 * 63, &mut last)?;
//! assert_eq!(u32::from_le_bytes(last), 126);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Three kinds of trouble are kept apart: a wrong input ([`error::InputError`]), a feature that is
//! not supported ([`error::UnsupportedError`]), and a kernel that does something wrong, which is
//! an outcome of the report ([`report::Outcome::Fault`]).

pub mod access_pattern;
mod advice;
pub mod arg;
pub mod check;
mod compare;
pub mod compiler;
pub mod contents;
mod crew;
pub mod element;
pub mod engine;
pub mod error;
mod failure;
mod files;
pub mod fill;
mod footprint;
pub mod issue_slots;
pub mod junit;
pub mod launch_file;
pub mod lesson;
mod memory;
pub mod metrics;
pub mod npy;
mod params;
pub mod plan;
pub mod program;
pub mod report;
pub mod run;
pub mod sarif;
pub mod scalar;
pub mod session;
pub mod shape;
mod sources;
pub mod stepper;
mod tally;
pub mod text;
mod timing;
pub mod trace;

pub use engine::{Control, DEFAULT_MAX_THREAD_INSTRUCTIONS};
pub use error::{Error, InputError, InputErrorKind, UnsupportedError};
pub use plan::Plan;
pub use program::Program;
pub use report::{Outcome, Report};
pub use run::{Finished, Options, Watcher, run};
pub use session::{DivergenceModel, Session};

pub use warploom_device as device;
pub use warploom_timing::latency;
