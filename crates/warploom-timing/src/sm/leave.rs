//! How warps and blocks leave an SM.

use super::slot::{Hold, UNKNOWN};
use super::{Shared, Sm};
use crate::stall::Reason;

impl Sm {
    /// A warp has exited. Its place is free when its stores have reached the L2.
    pub(super) fn exit(&mut self, number: usize, now: u64, shared: &mut Shared<'_, '_>) {
        let slot = &mut self.slots[number];
        if slot.stores > 0 {
            slot.ready_at = UNKNOWN;
            slot.reason = Reason::Drain;
            slot.hold = Hold::Stores;
            return;
        }
        self.vacate(number, now, shared);
    }

    /// A store of a slot's warp, or an atomic without a result, has reached the L2.
    pub(super) fn stored(&mut self, number: usize, at: u64, now: u64, shared: &mut Shared<'_, '_>) {
        let slot = &mut self.slots[number];
        slot.stores -= 1;
        slot.last_result = slot.last_result.max(at);
        if slot.stores == 0 && slot.hold == Hold::Stores {
            let (since, source) = (slot.since, slot.last_source);
            let now = at.max(now);
            let parts = [(Reason::Drain, now.saturating_sub(since))];
            self.book(number, source, since, &parts, shared);
            self.vacate(number, now, shared);
        }
    }

    /// A warp makes room from the cycle after `now` on.
    fn vacate(&mut self, number: usize, now: u64, shared: &mut Shared<'_, '_>) {
        let slot = &mut self.slots[number];
        let cycles = u64::from(shared.device.timing.control.exit_cycles);
        let end = slot.last_result.max(now + 1);
        shared.tally.retire(slot.entered, end);
        slot.live = false;
        slot.ready_at = UNKNOWN;
        slot.hold = Hold::Others;
        let place = slot.place;
        let local = number % self.slots_per_partition;
        self.partitions[number / self.slots_per_partition].live &= !(1 << local);
        let Some(index) = self.blocks.iter().position(|block| block.place == place) else {
            return;
        };
        self.blocks[index].warps -= 1;
        if self.blocks[index].warps == 0 {
            self.blocks.swap_remove(index);
            shared.steps.leave(place);
            self.free_places.push(place);
            self.room.push(now + 1 + cycles);
        }
    }
}
