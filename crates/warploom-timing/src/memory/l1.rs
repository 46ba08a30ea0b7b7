//! The data cache of an SM, with its outstanding misses.
//!
//! Sectors come into the cache when they arrive, not when they are asked for. Until then an entry
//! remembers which sectors of a line are on the way; loads that want only those go along with it.
//! A load that finds some of its sectors there, some on the way and some not, asks for the last and
//! waits for the newest entry: answers for one line come in the order of their requests.

use rustc_hash::FxHashMap;
use warploom_device::Device;
use warploom_device::schema::{AddressHash, WritePolicy};

use super::cache::{Cache, Evicted, Slot};
use super::coalesce::{LineAccess, LineShape};
use super::counters::MemoryCounters;

/// What an instruction does to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum L1Access {
    /// It reads.
    Load,
    /// It reads past the cache, which neither answers nor keeps the line.
    UncachedLoad,
    /// It writes.
    Store,
    /// It lets the L2 compute.
    Atomic,
}

/// What becomes of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum L1Outcome {
    /// Done here, in so many cycles.
    Hit {
        /// Cycles from the access until the result can be used.
        ready_cycles: u32,
    },
    /// It waits for [`L1::fill`] with this number, which the sectors have to be read for.
    Miss {
        /// Number of the miss.
        id: u32,
        /// Sectors to read.
        sectors: u16,
    },
    /// It waits for [`L1::fill`] with this number, for which a request is on the way.
    Merged {
        /// Number of the miss.
        id: u32,
    },
    /// It has to go on to the L2.
    Sent,
    /// Nothing happened: there is no room for a miss. Try again after a fill.
    Stall,
}

/// A miss on its way.
#[derive(Debug, Clone, Copy)]
struct Entry {
    line: u64,
    sectors: u16,
    /// Accesses that wait for it.
    waiting: u32,
    keeps: bool,
    /// An earlier miss of the same line that is still on its way.
    older: Option<u32>,
}

/// The L1 of one SM.
#[derive(Debug, Clone)]
pub struct L1 {
    shape: LineShape,
    tags: Cache,
    hit_cycles: u32,
    write_policy: WritePolicy,
    write_allocate: bool,
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// The newest miss of each line that has one.
    newest: FxHashMap<u64, u32>,
    /// Sectors on the way.
    outstanding: u32,
    most_outstanding: u32,
    most_waiting: u32,
    /// Lines that were written and had to go.
    written_back: Vec<LineAccess>,
    /// Addresses of lines that have left, if somebody wants to know.
    evicted: Option<Vec<u64>>,
    counters: MemoryCounters,
}

impl L1 {
    /// Bytes of the L1 beside `shared_bytes` of shared memory in an SM.
    pub fn bytes_beside(device: &Device, shared_bytes: u64) -> u64 {
        let bytes = u64::from(device.memory.l1_bytes);
        if device.memory.l1_unified {
            bytes.saturating_sub(shared_bytes)
        } else {
            bytes
        }
    }

    /// An empty cache of so many bytes; at least one line.
    pub fn new(device: &Device, bytes: u64) -> L1 {
        let shape = LineShape::l1(device);
        let l1 = &device.timing.l1;
        let lines = bytes / shape.line_bytes();
        L1 {
            shape,
            tags: Cache::new(lines, l1.ways, AddressHash::Xor),
            hit_cycles: l1.hit_cycles,
            write_policy: l1.write_policy,
            write_allocate: l1.write_allocate,
            entries: Vec::new(),
            free: Vec::new(),
            newest: FxHashMap::default(),
            outstanding: 0,
            most_outstanding: l1.mshr_entries,
            most_waiting: l1.mshr_merges,
            written_back: Vec::new(),
            evicted: None,
            counters: MemoryCounters::default(),
        }
    }

    /// Looks sectors of a line up.
    pub fn access(&mut self, access: &LineAccess, kind: L1Access) -> L1Outcome {
        match kind {
            L1Access::Load => self.load(access, true),
            L1Access::UncachedLoad => self.load(access, false),
            L1Access::Store => self.store(access),
            L1Access::Atomic => {
                let line = self.shape.number(access.line);
                let evicted = self.tags.remove(line, line);
                self.left(evicted);
                L1Outcome::Sent
            }
        }
    }

    fn load(&mut self, access: &LineAccess, keeps: bool) -> L1Outcome {
        let line = self.shape.number(access.line);
        let there = match self.tags.find(line, line) {
            Some(slot) if keeps => self.tags.valid(slot),
            _ => 0,
        };
        let mut missing = access.sectors & !there;
        let mut waits_for = None;
        let mut next = match missing {
            0 => None,
            _ => self.newest.get(&line).copied(),
        };
        while let Some(id) = next {
            let entry = &self.entries[id as usize];
            if entry.sectors & missing != 0 {
                waits_for = waits_for.or(Some(id));
                missing &= !entry.sectors;
            }
            next = entry.older;
        }
        let outcome = if missing != 0 {
            self.miss(line, missing, keeps)
        } else if let Some(id) = waits_for {
            self.merge(id)
        } else {
            L1Outcome::Hit {
                ready_cycles: self.hit_cycles,
            }
        };
        if outcome == L1Outcome::Stall {
            self.counters.l1_stalls += 1;
        } else {
            let there = access.sectors & there;
            let merged = access.sectors & !there & !missing;
            self.counters.l1_lines += 1;
            self.counters.l1_sectors += u64::from(access.sectors.count_ones());
            self.counters.l1_hit_sectors += u64::from(there.count_ones());
            self.counters.l1_merged_sectors += u64::from(merged.count_ones());
        }
        outcome
    }

    fn miss(&mut self, line: u64, sectors: u16, keeps: bool) -> L1Outcome {
        let outstanding = self.outstanding + sectors.count_ones();
        // A single access always has room, so that something is on the way.
        if outstanding > self.most_outstanding && self.outstanding > 0 {
            return L1Outcome::Stall;
        }
        self.outstanding = outstanding;
        let id = self.free.pop().unwrap_or(self.entries.len() as u32);
        let entry = Entry {
            line,
            sectors,
            waiting: 1,
            keeps,
            older: self.newest.insert(line, id),
        };
        match self.entries.get_mut(id as usize) {
            Some(free) => *free = entry,
            None => self.entries.push(entry),
        }
        L1Outcome::Miss { id, sectors }
    }

    fn merge(&mut self, id: u32) -> L1Outcome {
        let entry = &mut self.entries[id as usize];
        if entry.waiting >= self.most_waiting {
            return L1Outcome::Stall;
        }
        entry.waiting += 1;
        L1Outcome::Merged { id }
    }

    fn store(&mut self, access: &LineAccess) -> L1Outcome {
        let line = self.shape.number(access.line);
        let sectors = access.sectors;
        let slot = self.tags.find(line, line);
        if self.write_policy == WritePolicy::WriteEvict {
            let evicted = self.tags.remove(line, line);
            self.left(evicted);
        } else if let Some(slot) = slot.or_else(|| self.place_written(line)) {
            if self.write_policy == WritePolicy::WriteBack {
                self.tags.write(slot, sectors);
                return L1Outcome::Hit {
                    ready_cycles: self.hit_cycles,
                };
            }
            self.tags.fill(slot, sectors);
        }
        self.counters.l1_write_sectors += u64::from(sectors.count_ones());
        L1Outcome::Sent
    }

    fn place_written(&mut self, line: u64) -> Option<Slot> {
        if !self.write_allocate {
            return None;
        }
        let (slot, evicted) = self.tags.place(line, line);
        self.left(evicted);
        Some(slot)
    }

    /// A line has left.
    fn left(&mut self, evicted: Option<Evicted>) {
        let Some(Evicted { line, dirty }) = evicted else {
            return;
        };
        let line = line * self.shape.line_bytes();
        if dirty != 0 {
            self.written_back.push(LineAccess {
                line,
                sectors: dirty,
            });
        }
        if let Some(evicted) = &mut self.evicted {
            evicted.push(line);
        }
    }

    /// Remembers which lines leave, from now on.
    pub fn watch_evictions(&mut self) {
        self.evicted.get_or_insert_default();
    }

    /// The address of a line that has left, each one once.
    pub fn evicted(&mut self) -> Option<u64> {
        self.evicted.as_mut()?.pop()
    }

    /// A line that was written here and had to go, and now has to be written to the L2. Only a
    /// cache that writes back has such.
    pub fn written_back(&mut self) -> Option<LineAccess> {
        self.written_back.pop()
    }

    /// The sectors of a miss arrive; its number is free again. A number that is not on its way
    /// changes nothing.
    pub fn fill(&mut self, id: u32) {
        let Some(&entry) = self.entries.get(id as usize) else {
            return;
        };
        if !self.unlink(id, entry) {
            return;
        }
        self.outstanding -= entry.sectors.count_ones();
        self.free.push(id);
        if entry.keeps {
            let line = entry.line;
            let slot = match self.tags.find(line, line) {
                Some(slot) => slot,
                None => {
                    let (slot, evicted) = self.tags.place(line, line);
                    self.left(evicted);
                    slot
                }
            };
            self.tags.fill(slot, entry.sectors);
        }
    }

    /// Takes a miss out of the chain of its line; false if it is not in it.
    fn unlink(&mut self, id: u32, entry: Entry) -> bool {
        let Some(&newest) = self.newest.get(&entry.line) else {
            return false;
        };
        if newest == id {
            match entry.older {
                Some(older) => self.newest.insert(entry.line, older),
                None => self.newest.remove(&entry.line),
            };
            return true;
        }
        let mut at = newest;
        while let Some(older) = self.entries[at as usize].older {
            if older == id {
                self.entries[at as usize].older = entry.older;
                return true;
            }
            at = older;
        }
        false
    }

    /// Sectors on the way.
    pub fn outstanding_sectors(&self) -> u32 {
        self.outstanding
    }

    /// Whether nothing is on the way.
    pub fn is_idle(&self) -> bool {
        self.newest.is_empty()
    }

    /// Drops all lines, as at the start of a kernel.
    pub fn clear(&mut self) {
        self.tags.clear();
    }

    /// What was counted since the cache was made.
    pub fn counters(&self) -> &MemoryCounters {
        &self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l1_with(settings: &[(&str, &str)]) -> L1 {
        let mut device = Device::by_name("v100").unwrap();
        device.set_all(settings.iter().copied()).unwrap();
        L1::new(&device, 128 * 1024)
    }

    fn load(l1: &mut L1, line: u64, sectors: u16) -> L1Outcome {
        l1.access(&LineAccess { line, sectors }, L1Access::Load)
    }

    const HIT: L1Outcome = L1Outcome::Hit { ready_cycles: 28 };

    fn miss(id: u32, sectors: u16) -> L1Outcome {
        L1Outcome::Miss { id, sectors }
    }

    #[test]
    fn shared_memory_takes_from_a_unified_cache() {
        let v100 = Device::by_name("v100").unwrap();
        assert_eq!(L1::bytes_beside(&v100, 96 << 10), 32 << 10);
        let gtx = Device::by_name("gtx-980").unwrap();
        let own = u64::from(gtx.memory.l1_bytes);
        assert_eq!(L1::bytes_beside(&gtx, 96 << 10), own);
    }

    #[test]
    fn a_sector_is_there_when_it_has_arrived() {
        let mut l1 = l1_with(&[]);
        assert_eq!(load(&mut l1, 1024, 0b0011), miss(0, 0b0011));
        assert_eq!(load(&mut l1, 1024, 0b0001), L1Outcome::Merged { id: 0 });
        // One on the way, one not: only the second is asked for.
        assert_eq!(load(&mut l1, 1024, 0b0110), miss(1, 0b0100));
        assert_eq!(load(&mut l1, 1024, 0b0111), L1Outcome::Merged { id: 1 });
        l1.fill(0);
        assert_eq!(load(&mut l1, 1024, 0b0011), HIT);
        assert_eq!(load(&mut l1, 1024, 0b0111), L1Outcome::Merged { id: 1 });
        l1.fill(1);
        assert_eq!(load(&mut l1, 1024, 0b0111), HIT);
        assert!(l1.is_idle());
        let counters = l1.counters();
        assert_eq!(counters.l1_sectors, 2 + 1 + 2 + 3 + 2 + 3 + 3);
        assert_eq!(counters.l1_hit_sectors, 2 + 2 + 3);
        assert_eq!(counters.l1_merged_sectors, 1 + 1 + 3 + 1);
    }

    #[test]
    fn fills_may_come_in_any_order_and_only_once() {
        let mut l1 = l1_with(&[]);
        for sector in 0..4 {
            assert_eq!(load(&mut l1, 0, 1 << sector), miss(sector, 1 << sector));
        }
        for id in [1, 3, 0] {
            l1.fill(id);
            l1.fill(id);
        }
        assert_eq!(load(&mut l1, 0, 0b1011), HIT);
        assert_eq!(load(&mut l1, 0, 0b0100), L1Outcome::Merged { id: 2 });
        l1.fill(2);
        assert!(l1.is_idle());
        l1.fill(77);
        assert_eq!(load(&mut l1, 0, 0b1111), HIT);
    }

    #[test]
    fn misses_need_room() {
        let mut l1 = l1_with(&[
            ("timing.l1.mshr_entries", "6"),
            ("timing.l1.mshr_merges", "2"),
        ]);
        assert_eq!(load(&mut l1, 0, 0b1111), miss(0, 0b1111));
        assert_eq!(load(&mut l1, 128, 0b1111), L1Outcome::Stall);
        assert_eq!(load(&mut l1, 128, 0b0011), miss(1, 0b0011));
        assert_eq!(load(&mut l1, 0, 0b0001), L1Outcome::Merged { id: 0 });
        assert_eq!(load(&mut l1, 0, 0b0001), L1Outcome::Stall);
        l1.fill(0);
        assert_eq!(load(&mut l1, 256, 0b1111), miss(0, 0b1111));
        assert_eq!(l1.counters().l1_stalls, 2);
        // What is larger than the table goes alone.
        let mut l1 = l1_with(&[("timing.l1.mshr_entries", "2")]);
        assert_eq!(load(&mut l1, 0, 0b1111), miss(0, 0b1111));
        assert_eq!(load(&mut l1, 128, 0b0001), L1Outcome::Stall);
    }

    #[test]
    fn stores_go_through() {
        let mut l1 = l1_with(&[]);
        let line = LineAccess {
            line: 256,
            sectors: 0b0001,
        };
        assert_eq!(l1.access(&line, L1Access::Store), L1Outcome::Sent);
        assert_eq!(load(&mut l1, 256, 0b0001), HIT);
        assert_eq!(l1.access(&line, L1Access::Atomic), L1Outcome::Sent);
        assert_eq!(load(&mut l1, 256, 0b0001), miss(0, 0b0001));
    }

    #[test]
    fn stores_evict_where_the_device_does() {
        let mut l1 = l1_with(&[
            ("timing.l1.write_policy", "\"write-evict\""),
            ("timing.l1.write_allocate", "false"),
        ]);
        load(&mut l1, 0, 0b0011);
        l1.fill(0);
        let line = LineAccess {
            line: 0,
            sectors: 0b0001,
        };
        assert_eq!(l1.access(&line, L1Access::Store), L1Outcome::Sent);
        assert_eq!(load(&mut l1, 0, 0b0010), miss(0, 0b0010));
    }

    #[test]
    fn what_is_written_back_comes_out_once() {
        let mut device = Device::by_name("v100").unwrap();
        device
            .set("timing.l1.write_policy", "\"write-back\"")
            .unwrap();
        let mut l1 = L1::new(&device, 128);
        let first = LineAccess {
            line: 128,
            sectors: 0b0101,
        };
        assert_eq!(l1.access(&first, L1Access::Store), HIT);
        assert_eq!(l1.written_back(), None);
        let second = LineAccess { line: 256, ..first };
        assert_eq!(l1.access(&second, L1Access::Store), HIT);
        assert_eq!(l1.written_back(), Some(first));
        assert_eq!(l1.written_back(), None);
    }

    #[test]
    fn lines_that_leave_are_told_once() {
        let device = Device::by_name("v100").unwrap();
        // Room for one line.
        let mut l1 = L1::new(&device, 128);
        l1.watch_evictions();
        for (line, gone) in [(0, None), (256, Some(0)), (384, Some(256))] {
            assert_eq!(load(&mut l1, line, 1), miss(0, 1));
            l1.fill(0);
            assert_eq!(l1.evicted(), gone);
            assert_eq!(l1.evicted(), None);
        }
    }

    #[test]
    fn uncached_loads_leave_nothing() {
        let mut l1 = l1_with(&[]);
        let line = LineAccess {
            line: 0,
            sectors: 1,
        };
        for _ in 0..2 {
            let outcome = l1.access(&line, L1Access::UncachedLoad);
            assert_eq!(outcome, miss(0, 1));
            l1.fill(0);
        }
    }
}
