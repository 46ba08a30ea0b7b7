//! Closed forms: what a few numbers already say, without a simulation.
//!
//! | module | answers |
//! | --- | --- |
//! | [`mod@latency`] | how many warps hide a latency |
//! | [`mod@lanes`] | which share of a warp's lanes works in divergent code |
//! | [`mod@roofline`] | whether arithmetic or bandwidth limits a kernel, and at what rate |
//! | [`mod@gemm`] | what a tile of a matrix product needs of an SM, and what it reuses |
//! | [`mod@energy`] | what operations and accesses cost, and what an instruction adds |
//!
//! All are pure functions; units are in the names.

pub mod energy;
pub mod gemm;
pub mod lanes;
pub mod latency;
pub mod roofline;
