//! The chip in time: how many cycles a kernel takes, and why.

pub mod latency;
pub mod lower;
pub mod memory;
pub mod schedule;
pub mod stream;
