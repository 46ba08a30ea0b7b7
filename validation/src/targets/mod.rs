//! The experiments, one module each.

mod arithmetic;
mod bandwidth;
mod fp64_grid;
mod latency;
mod mechanisms;
mod reduction;
mod schedulers;
mod sgemm;
mod stream;
mod strided;
mod transpose;
mod volkov;

use crate::target::Target;

/// Every target, in the order of reports.
pub const ALL: &[Target] = &[
    sgemm::TARGET,
    stream::TARGET,
    latency::TARGET,
    bandwidth::TARGET,
    strided::TARGET,
    fp64_grid::TARGET,
    reduction::TARGET,
    transpose::TARGET,
    volkov::TARGET,
    arithmetic::TARGET,
    schedulers::TARGET,
    mechanisms::TARGET,
];
