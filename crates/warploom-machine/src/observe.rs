//! Watching a machine at work.

use warploom_isa::{Pc, Space};

use crate::block::BlockParts;
use crate::fault::AccessKind;
use crate::warp::Warp;

/// One issued warp instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Block index.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// The instruction.
    pub pc: Pc,
    /// Lanes that execute together.
    pub active: u64,
    /// Those whose guard is true.
    pub executing: u64,
    /// Lanes of the warp that have not exited.
    pub live: u64,
}

impl Issue {
    pub(crate) fn new<const L: usize>(
        block: &BlockParts,
        warp: &Warp<L>,
        pc: Pc,
        active: u64,
        executing: u64,
    ) -> Issue {
        Issue {
            block: block.index,
            warp: warp.index,
            pc,
            active,
            executing,
            live: warp.live(),
        }
    }
}

/// A warp's access to one space of memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess<'a> {
    /// The instruction.
    pub pc: Pc,
    /// What it does; prefetches are loads.
    pub kind: AccessKind,
    /// Where; never the generic space.
    pub space: Space,
    /// Bytes of a lane.
    pub bytes: u32,
    /// The lanes that access this space.
    pub lanes: u64,
    /// Addresses in the space, by lane.
    pub addresses: &'a [u64],
    /// Lanes whose store or compare-and-swap leaves memory as it is, where [`Observer::VALUES`] asks
    /// for them.
    pub idle: u64,
}

/// Sees every issued instruction. The machine runs without the calls when [`Observer::ACTIVE`] is
/// false.
pub trait Observer {
    /// Whether anything is to be seen.
    const ACTIVE: bool;
    /// Whether it decides how far a warp runs.
    const STEPS: bool = false;
    /// Whether it wants to know which stores change nothing.
    const VALUES: bool = false;

    /// An instruction issues; it has not executed yet.
    fn issue(&mut self, issue: &Issue);

    /// The instruction that has just issued accesses memory; it has not been checked yet.
    fn access(&mut self, _access: &MemoryAccess<'_>) {}

    /// Lanes of the warp that has just issued arrive at a block barrier.
    fn arrive(&mut self, _barrier: u8, _lanes: u64) {}

    /// A block barrier completes, and these lanes of each of the block's warps go on behind it.
    fn barrier(&mut self, _block: [u32; 3], _barrier: u8, _lanes: &[u64]) {}

    /// A warp barrier of the warp that has just issued completes for these lanes.
    fn warp_barrier(&mut self, _lanes: u64) {}

    /// All threads of a block have exited.
    fn block_done(&mut self, _block: [u32; 3]) {}

    /// Whether the warp stops before an instruction; asked where [`Observer::STEPS`] says so. It
    /// stops behind the entry of a basic block in any case.
    fn stops_before(&self, _pc: Pc) -> bool {
        false
    }
}

/// Sees nothing and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const ACTIVE: bool = false;

    fn issue(&mut self, _issue: &Issue) {}
}

/// Any observer behind a reference.
impl<O: Observer + ?Sized> Observer for &mut O {
    const ACTIVE: bool = O::ACTIVE;
    const STEPS: bool = O::STEPS;
    const VALUES: bool = O::VALUES;

    fn issue(&mut self, issue: &Issue) {
        (**self).issue(issue);
    }

    fn access(&mut self, access: &MemoryAccess<'_>) {
        (**self).access(access);
    }

    fn arrive(&mut self, barrier: u8, lanes: u64) {
        (**self).arrive(barrier, lanes);
    }

    fn barrier(&mut self, block: [u32; 3], barrier: u8, lanes: &[u64]) {
        (**self).barrier(block, barrier, lanes);
    }

    fn warp_barrier(&mut self, lanes: u64) {
        (**self).warp_barrier(lanes);
    }

    fn block_done(&mut self, block: [u32; 3]) {
        (**self).block_done(block);
    }

    fn stops_before(&self, pc: Pc) -> bool {
        (**self).stops_before(pc)
    }
}
