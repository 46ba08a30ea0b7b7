//! Watching a machine at work.

use warploom_isa::Pc;

use crate::block::BlockParts;
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

/// Sees every issued instruction. The machine runs without the calls when [`Observer::ACTIVE`] is
/// false.
pub trait Observer {
    /// Whether anything is to be seen.
    const ACTIVE: bool;

    /// An instruction issues; it has not executed yet.
    fn issue(&mut self, issue: &Issue);
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

    fn issue(&mut self, issue: &Issue) {
        (**self).issue(issue);
    }
}
