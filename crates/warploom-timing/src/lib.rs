//! The chip in time: how many cycles a kernel takes, and why.

pub mod lower;
pub mod memory;
pub mod stream;
