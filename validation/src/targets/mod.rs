//! The experiments, one module each.

mod arithmetic;
mod bandwidth;
mod fp64_grid;
mod latency;
mod strided;

use crate::target::Target;

/// Every target, in the order of reports.
pub const ALL: &[Target] = &[
    latency::TARGET,
    bandwidth::TARGET,
    strided::TARGET,
    fp64_grid::TARGET,
    arithmetic::TARGET,
];
