//! Memory instructions on their way from a warp to the memory pipeline.

use smallvec::SmallVec;
use warploom_isa::Space;
use warploom_machine::{AccessEvent, AccessKind};

use super::lsu::{MemoryOp, Waiter};
use super::slot::UNKNOWN;
use super::{Shared, Sm};
use crate::memory::{AtomicAccess, ConstantCaches, atomic_lines, lines};
use crate::stall::Reason;
use crate::stream::{Class, Counting, TimedInst};

impl Sm {
    /// Sends a memory instruction on its way.
    pub(super) fn memory(
        &mut self,
        partition: usize,
        number: usize,
        inst: &TimedInst,
        now: u64,
        shared: &mut Shared<'_, '_>,
    ) {
        let timing = &shared.device.timing;
        let interval = u64::from(timing.lsu.partition_interval_cycles);
        self.turn = partition + 1;
        let left = &mut self.partitions[partition].memory_free_at[inst.class.memory_port()];
        let start = now.max(*left);
        *left = start + interval;
        let merged = u32::from(inst.accesses.max(1));
        let widen = |access: &AccessEvent| {
            let mut access = *access;
            access.bytes *= merged;
            access
        };
        let events = &self.slots[number].events;
        let accesses: SmallVec<[AccessEvent; 2]> = match inst.class.accesses() {
            true => events.accesses_of(inst.source).map(widen).collect(),
            false => SmallVec::new(),
        };
        if let Some(flat) = &timing.flat {
            let loads = inst.class != Class::SpillStore
                && accesses
                    .iter()
                    .all(|access| access.kind != AccessKind::Store);
            let cycles = if loads {
                flat.load_cycles
            } else {
                flat.store_cycles
            };
            let at = start + u64::from(cycles);
            let slot = &mut self.slots[number];
            slot.expect(&inst.defs, at, Reason::LongScoreboard);
            slot.last_result = slot.last_result.max(at);
            if let Counting::Raises { counter, in_order } = inst.counting {
                let ticket = slot.raise(counter, in_order, now);
                slot.counted(ticket, at);
            }
            return;
        }
        let ops: SmallVec<[MemoryOp; 2]> = if inst.class.accesses() {
            let scalar = inst.class == Class::ScalarMemory;
            let op = |access| self.operation(number, access, scalar, now, shared);
            accesses.iter().map(op).collect()
        } else {
            SmallVec::from_iter([self.spill(number, inst, now, shared)])
        };
        for op in ops {
            let counting = inst.counting;
            let counts = matches!(counting, Counting::Raises { .. });
            let returns = op.kind != AccessKind::Store && !inst.defs.is_empty();
            let leaves = !op.lines.is_empty();
            let reason = if in_memory(op.space) {
                Reason::LongScoreboard
            } else {
                Reason::ShortScoreboard
            };
            let slot = &mut self.slots[number];
            let mut regs = SmallVec::new();
            let mut ticket = None;
            if let Counting::Raises { counter, in_order } = counting {
                // The program waits for it, not the hardware.
                slot.stores += 1;
                ticket = Some(slot.raise(counter, in_order, now));
            } else if returns {
                slot.expect(&inst.defs, UNKNOWN, reason);
                regs.extend_from_slice(&inst.defs);
            } else if leaves {
                slot.stores += 1;
            }
            let waiter = (returns || leaves || counts).then(|| {
                self.lsu.wait(Waiter {
                    slot: number as u32,
                    generation: slot.generation,
                    regs,
                    missing: op.lines.len() as u32,
                    latest: 0,
                    reason,
                    ticket,
                })
            });
            let at = start + 1;
            self.lsu.push(MemoryOp {
                at,
                waiter,
                returns,
                ..op
            });
        }
    }

    /// What an access asks of the memory pipeline, a `scalar` one of the caches of constants.
    fn operation(
        &mut self,
        number: usize,
        access: &AccessEvent,
        scalar: bool,
        now: u64,
        shared: &Shared<'_, '_>,
    ) -> MemoryOp {
        let device = shared.device;
        let timing = &device.timing;
        let slot = &self.slots[number];
        let addresses = slot.events.addresses(access);
        let space = if scalar { Space::Const } else { access.space };
        let mut op = MemoryOp {
            at: now + 1,
            waiter: None,
            slot: number as u32,
            space,
            kind: access.kind,
            returns: false,
            service_cycles: 1,
            lookups: 0,
            latency_cycles: 1,
            lines: SmallVec::new(),
        };
        let atomic = access.kind == AccessKind::Atomic;
        let shape = self.shape;
        match space {
            Space::Shared => {
                let pass = u64::from(timing.shared.pass_cycles);
                let passes = warploom_machine::shared_passes(addresses, access.lanes, access.bytes);
                op.service_cycles = (u64::from(passes) * pass).max(1);
                op.latency_cycles = u64::from(match access.kind {
                    AccessKind::Load => timing.shared.load_cycles,
                    AccessKind::Store => timing.shared.store_cycles,
                    AccessKind::Atomic => timing.atomics.shared_cycles,
                }) - 1;
                if atomic {
                    let found = atomic_lines(addresses, access.lanes, access.bytes, shape);
                    let same = found.iter().map(|line| line.same_address).max();
                    let repeat = u64::from(timing.atomics.shared_same_address_cycles);
                    op.service_cycles += repeat * u64::from(same.unwrap_or(1).max(1) - 1);
                }
            }
            Space::Const | Space::Param => {
                let mut words: SmallVec<[u64; 32]> = (0..)
                    .zip(addresses)
                    .filter(|(lane, _)| access.lanes >> lane & 1 != 0)
                    .map(|(_, &address)| address)
                    .collect();
                words.sort_unstable();
                words.dedup();
                // One address a cycle.
                op.service_cycles = words.len().max(1) as u64;
                let look_up = |caches: &mut ConstantCaches| {
                    let cycles = words.iter().map(|&word| caches.load_cycles(word, now));
                    cycles.max()
                };
                let cycles = self.constants.as_mut().and_then(look_up);
                op.latency_cycles = cycles.unwrap_or(1).saturating_sub(1);
            }
            _ => {
                let local: SmallVec<[u64; 32]>;
                let addresses = if access.space == Space::Local {
                    local = self.interleaved(number, addresses, shared);
                    &local[..]
                } else {
                    addresses
                };
                let (lanes, bytes) = (access.lanes, access.bytes);
                op.lines = if atomic {
                    atomic_lines(addresses, lanes, bytes, shape)
                } else {
                    let found = lines(addresses, lanes, bytes, shape);
                    found.into_iter().map(AtomicAccess::from).collect()
                };
                let passes = self.passes.load(addresses, lanes, bytes, op.lines.len());
                op.service_cycles = u64::from(passes).max(1);
                op.lookups = op.lines.len() as u64;
            }
        }
        op
    }
}

/// Whether a space lies in device memory, behind the L1.
pub(super) fn in_memory(space: Space) -> bool {
    !matches!(space, Space::Shared | Space::Const | Space::Param)
}
