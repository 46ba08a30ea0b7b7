//! Lowering of everything but arithmetic, checked against listings that were written by hand.

mod atomic;
mod call;
mod control;
mod coverage;
mod examples;
mod generic;
mod link;
mod memory;
mod mov;
mod problems;
mod support;
mod sync;
mod unsupported;
mod warp;
