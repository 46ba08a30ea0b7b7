//! The neutral warp program.
//!
//! Front ends build a [`Module`] here and the machine executes it; neither knows the other. A
//! program is a list of decoded [`Inst`]ructions over three classes of registers ([`RegClass`]):
//! rows of 32-bit lanes, pairs of rows for 64-bit lanes, and masks of one bit per lane. What an
//! operation is called, what it reads and writes, how long it takes and what it computes stands in
//! one row of [`table`].
//!
//! | module | holds |
//! | --- | --- |
//! | [`table`], [`op`] | the operations, a row each, and what is derived from the rows |
//! | [`arith`] | the arithmetic that the rows name: rounding, conversion, comparison |
//! | [`inst`], [`access`], [`mods`] | the decoded instruction and its modifier words |
//! | [`module`], [`source`], [`address`] | a loaded program, its source lines, the address map |
//! | [`builder`] | how a front end writes a function over virtual registers and labels |
//! | [`watch`] | registers that a view can show: copied to memory as they are written |
//! | [`cfg`](mod@cfg) | control flow, post-dominators: where lanes meet again |
//!
//! This crate never reads files, prints, or holds machine state.

pub mod access;
pub mod address;
mod allocate;
pub mod arith;
pub mod builder;
pub mod cfg;
mod compose;
pub mod inst;
pub mod lane;
pub mod listing;
pub mod mods;
pub mod module;
pub mod op;
pub mod slot;
pub mod source;
pub mod table;
pub mod watch;

pub use address::Space;
pub use inst::{EXIT_PC, Flags, Inst, NO_SLOT, Pc};
pub use lane::{LaneResult, LaneType, RegClass};
pub use mods::Mods;
pub use module::{
    BasicBlock, BlockId, CallSite, Constant, FrameRange, Function, FunctionId, KernelParam,
    LaunchBounds, Module, Relocation, RelocationValue, Unsupported, Variable, VariableId,
};
pub use op::{LatencyClass, Op, Signature, lane_fn};
pub use slot::{Guard, MaskSlot, Slot};
pub use source::{FileId, Loc, Origin};
