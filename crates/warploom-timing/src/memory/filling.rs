//! A cache whose lines remember when data that is on the way will arrive, so that a request for it
//! waits instead of asking again.

use warploom_device::schema::AddressHash;

use super::cache::{Cache, Evicted, Slot};
use super::queue::Ticks;

/// Tags with arrival times.
#[derive(Debug, Clone)]
pub(crate) struct FillingCache {
    tags: Cache<Filling>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Filling {
    /// When the sectors are there that were on the way when they were last asked for.
    ready: Ticks,
    /// Those sectors.
    sectors: u16,
}

/// What a lookup finds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub slot: Slot,
    /// Sectors that are neither there nor on the way.
    pub missing: u16,
    /// When those are there that are on the way; 0 if none are.
    pub ready: Ticks,
    /// What had to go, so that the line has a place.
    pub evicted: Option<Evicted>,
}

impl FillingCache {
    pub(crate) fn new(lines: u64, ways: u32, hash: AddressHash) -> FillingCache {
        FillingCache {
            tags: Cache::new(lines, ways, hash),
        }
    }

    /// Looks sectors up at `now`; a line that is not there gets a place.
    pub(crate) fn look_up(&mut self, index: u64, line: u64, sectors: u16, now: Ticks) -> Found {
        let Some(slot) = self.tags.find(index, line) else {
            let (slot, evicted) = self.tags.place(index, line);
            return Found {
                slot,
                missing: sectors,
                ready: 0,
                evicted,
            };
        };
        let filling = *self.tags.more(slot);
        let waits = filling.sectors & sectors != 0 && filling.ready > now;
        Found {
            slot,
            missing: sectors & !self.tags.valid(slot),
            ready: if waits { filling.ready } else { 0 },
            evicted: None,
        }
    }

    /// Sectors that were missing at `now` arrive at `ready`.
    pub(crate) fn fill(&mut self, slot: Slot, sectors: u16, now: Ticks, ready: Ticks) {
        self.tags.fill(slot, sectors);
        let filling = self.tags.more(slot);
        if filling.ready <= now {
            filling.sectors = 0;
        }
        filling.sectors |= sectors;
        filling.ready = filling.ready.max(ready);
    }

    /// Sectors are written here and not yet in the next level.
    pub(crate) fn write(&mut self, slot: Slot, sectors: u16) {
        self.tags.write(slot, sectors);
    }

    /// Drops a line with what was written to it.
    pub(crate) fn remove(&mut self, index: u64, line: u64) {
        self.tags.remove(index, line);
    }

    /// Everything that was on the way has arrived.
    pub(crate) fn settle(&mut self) {
        self.tags
            .all_more()
            .for_each(|filling| *filling = Filling::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_on_the_way_is_waited_for_once() {
        let mut cache = FillingCache::new(16, 4, AddressHash::Modulo);
        let found = cache.look_up(5, 5, 0b0011, 100);
        assert_eq!((found.missing, found.ready), (0b0011, 0));
        cache.fill(found.slot, 0b0011, 100, 500);
        let found = cache.look_up(5, 5, 0b0110, 200);
        assert_eq!((found.missing, found.ready), (0b0100, 500));
        cache.fill(found.slot, 0b0100, 200, 700);
        let found = cache.look_up(5, 5, 0b0100, 600);
        assert_eq!((found.missing, found.ready), (0, 700));
        let found = cache.look_up(5, 5, 0b0111, 700);
        assert_eq!((found.missing, found.ready), (0, 0));
    }

    #[test]
    fn a_new_line_waits_for_nothing_of_the_old() {
        let mut cache = FillingCache::new(1, 1, AddressHash::Modulo);
        let found = cache.look_up(1, 1, 1, 0);
        cache.fill(found.slot, 1, 0, 1000);
        cache.write(found.slot, 1);
        let found = cache.look_up(2, 2, 1, 10);
        assert_eq!(found.evicted, Some(Evicted { line: 1, dirty: 1 }));
        assert_eq!((found.missing, found.ready), (1, 0));
    }
}
