//! Residency as one number of the footprint varies.

use super::{Footprint, Occupancy, OccupancyRefusal, Options, occupancy_with};
use crate::schema::Device;

/// The number that a sweep varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vary {
    /// Threads in a block.
    ThreadsPerBlock,
    /// Registers of a thread.
    RegistersPerThread,
    /// Dynamic shared memory of a block.
    SharedDynamicBytes,
}

impl Vary {
    pub(super) fn apply(self, footprint: &Footprint, value: u32) -> Footprint {
        let mut varied = *footprint;
        *match self {
            Vary::ThreadsPerBlock => &mut varied.threads_per_block,
            Vary::RegistersPerThread => &mut varied.registers_per_thread,
            Vary::SharedDynamicBytes => &mut varied.shared_dynamic_bytes,
        } = value;
        varied
    }
}

/// One point of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// The varied number.
    pub value: u32,
    /// Residency there, or why such a launch can't run.
    pub result: Result<Occupancy, OccupancyRefusal>,
}

/// Residency for each of `values`, lazily.
pub fn sweep<'d>(
    device: &'d Device,
    footprint: &Footprint,
    options: &Options,
    vary: Vary,
    values: impl IntoIterator<Item = u32> + 'd,
) -> impl Iterator<Item = SweepPoint> + 'd {
    let (footprint, options) = (*footprint, *options);
    values.into_iter().map(move |value| SweepPoint {
        value,
        result: occupancy_with(device, &vary.apply(&footprint, value), &options),
    })
}
