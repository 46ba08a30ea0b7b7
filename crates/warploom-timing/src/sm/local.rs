//! Local memory: where it lies, and the traffic of spilled registers.

use smallvec::SmallVec;
use warploom_isa::Space;
use warploom_machine::AccessKind;

use super::lsu::MemoryOp;
use super::{Shared, Sm};
use crate::memory::{AtomicAccess, lines};
use crate::stream::{Class, TimedInst};

/// Where spilled registers lie in a thread's local memory: behind what the source declares.
const SPILL_BYTES: u64 = 1 << 18;

/// Where local memory lies, past every address of global memory.
const LOCAL_BASE: u64 = 1 << 60;

impl Sm {
    /// What the store or reload of a register asks of the memory pipeline: a word of each lane.
    pub(super) fn spill(
        &self,
        number: usize,
        inst: &TimedInst,
        now: u64,
        shared: &Shared<'_, '_>,
    ) -> MemoryOp {
        let register = inst.uses.first().or(inst.defs.first()).copied();
        let offset = SPILL_BYTES + 4 * u64::from(register.unwrap_or(0));
        let lanes = shared.device.warp_width as usize;
        let offsets: SmallVec<[u64; 32]> = SmallVec::from_elem(offset, lanes);
        let addresses = self.interleaved(number, &offsets, shared);
        let all = if lanes >= 64 { !0 } else { (1 << lanes) - 1 };
        let found = lines(&addresses, all, 4, self.shape);
        MemoryOp {
            at: now + 1,
            waiter: None,
            slot: number as u32,
            space: Space::Local,
            kind: match inst.class {
                Class::SpillStore => AccessKind::Store,
                _ => AccessKind::Load,
            },
            returns: false,
            service_cycles: 1,
            lookups: 0,
            latency_cycles: 1,
            lines: found.into_iter().map(AtomicAccess::from).collect(),
        }
    }

    /// Where local addresses lie in device memory: the same word of neighbouring lanes side by side.
    pub(super) fn interleaved(
        &self,
        number: usize,
        addresses: &[u64],
        shared: &Shared<'_, '_>,
    ) -> SmallVec<[u64; 32]> {
        let width = u64::from(shared.device.warp_width);
        let warps = self.slots.len() as u64;
        let warp = u64::from(self.number) * warps + number as u64;
        let bytes = u64::from(shared.device.limits.local_bytes_per_thread) * width;
        let base = LOCAL_BASE + warp * bytes;
        let place = |(lane, &address): (usize, &u64)| {
            base + (address / 4 * width + lane as u64) * 4 + address % 4
        };
        addresses.iter().enumerate().map(place).collect()
    }
}
