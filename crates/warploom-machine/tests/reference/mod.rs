//! A plain per-thread interpreter of small programs, their printing as PTX, and their invention.
//!
//! It knows nothing of warps, masks or the machine's arithmetic: each thread runs by itself from
//! its first instruction to its last, on wide integers and a software implementation of IEEE 754.

pub mod atomics;
pub mod floats;
pub mod generate;
pub mod interpret;
pub mod ops;
pub mod print;
pub mod program;
pub mod random;
pub mod shrink;
