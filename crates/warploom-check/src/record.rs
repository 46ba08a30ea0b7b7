//! Accesses and sets of readers, each kept once and named by a number.
//!
//! An access of a warp is cut into runs of neighbouring lanes whose addresses are a constant
//! distance apart. A run is one record, and which of its lanes touched a place follows from the
//! place, so that all places of a run share the record, and the sets that it is in.

use rustc_hash::FxHashMap;
use warploom_isa::Pc;
use warploom_isa::access::Scope;
use warploom_machine::AccessKind;

/// What an access does, and how strongly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Manner {
    /// Load, store or atomic.
    pub(crate) kind: AccessKind,
    /// The scope of a strong access.
    pub(crate) strong: Option<Scope>,
    /// It is volatile.
    pub(crate) volatile: bool,
}

impl Manner {
    pub(crate) fn writes(self) -> bool {
        self.kind != AccessKind::Load
    }
}

/// Neighbouring lanes of a warp that access memory at a constant distance, in one epoch of theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Record {
    /// Block, in one dimension.
    pub(crate) block: u64,
    /// Warp of the block.
    pub(crate) warp: u32,
    /// The instruction.
    pub(crate) pc: Pc,
    /// The lanes' epoch.
    pub(crate) epoch: u32,
    /// What it does.
    pub(crate) manner: Manner,
    /// The first lane's address.
    pub(crate) base: u64,
    /// Bytes from each lane's address to the next one's: 0, or at least an access's size either way.
    pub(crate) stride: i64,
    /// The first lane.
    pub(crate) first: u32,
    /// Lanes.
    pub(crate) count: u32,
}

impl Record {
    /// All its lanes.
    pub(crate) fn lanes(&self) -> u64 {
        let some = if self.count >= 64 {
            !0
        } else {
            (1 << self.count) - 1
        };
        some << self.first
    }

    /// Its lanes that touched a byte, which some have.
    pub(crate) fn lanes_at(&self, address: u64) -> u64 {
        if self.stride == 0 {
            return self.lanes();
        }
        let distance = address.wrapping_sub(self.base) as i64;
        let stride = self.stride.unsigned_abs() as i64;
        let number = match self.stride > 0 {
            true => distance / stride,
            // The last bytes of an access lie above its address.
            false => (-distance + stride - 1) / stride,
        };
        1u64.checked_shl(self.first + number as u32).unwrap_or(0)
    }
}

/// Names a record; never 0.
pub(crate) type RecordId = u32;

/// Ids of records and numbers of sets have a bit less than a word.
const LIMIT: usize = (1 << 31) - 1;
/// Readers of a place that are kept at most.
const READER_LIMIT: usize = 1024;
/// Loads that are looked at for a repetition.
const RECENT: usize = 1 << 10;
/// Records and readers of sets that there must be before it is worth looking for dead ones.
const COLLECT: usize = 1 << 20;

/// All records and sets of a space.
pub(crate) struct Records {
    records: Vec<Record>,
    /// Recent loads, by a hash of where they are.
    recent: Vec<RecordId>,
    /// The readers of all sets, one set after the other, and where each ends.
    readers: Vec<RecordId>,
    ends: Vec<u32>,
    /// The last set of each hash. That another of the same hash may be kept twice does no harm.
    numbers: FxHashMap<u64, u32>,
    /// A set in the making.
    making: Vec<RecordId>,
    /// When to look for dead records again.
    due: usize,
}

impl Records {
    pub(crate) fn new() -> Records {
        Records {
            records: Vec::new(),
            recent: Vec::new(),
            readers: Vec::new(),
            ends: Vec::new(),
            numbers: FxHashMap::default(),
            making: Vec::new(),
            due: COLLECT,
        }
    }

    /// The number of a record.
    pub(crate) fn id(&mut self, record: Record) -> RecordId {
        if record.manner.kind != AccessKind::Load {
            return self.push(record);
        }
        // Who polls a place reads it again and again in one epoch.
        if self.recent.is_empty() {
            self.recent.resize(RECENT, 0);
        }
        let place = record.pc.wrapping_mul(31) ^ record.warp.wrapping_mul(7) ^ record.first;
        let slot = place as usize % RECENT;
        let known = self.recent[slot];
        if known != 0 && *self.get(known) == record {
            return known;
        }
        let id = self.push(record);
        self.recent[slot] = id;
        id
    }

    /// The number that a new record would have.
    pub(crate) fn next(&self) -> RecordId {
        self.records.len() as RecordId + 1
    }

    fn push(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        self.records.len() as RecordId
    }

    pub(crate) fn get(&self, id: RecordId) -> &Record {
        &self.records[id as usize - 1]
    }

    /// The number of a set of readers. Of very many, the first are kept.
    pub(crate) fn set(&mut self, readers: &[RecordId]) -> u32 {
        let readers = &readers[..readers.len().min(READER_LIMIT)];
        let hash = readers.iter().fold(readers.len() as u64, |hash, &id| {
            (hash.rotate_left(5) ^ u64::from(id)).wrapping_mul(0x517c_c1b7_2722_0a95)
        });
        let known = self.numbers.get(&hash).copied();
        if let Some(number) = known.filter(|&n| self.readers(n) == readers) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.readers.extend_from_slice(readers);
        self.ends.push(self.readers.len() as u32);
        self.numbers.insert(hash, number);
        number
    }

    /// An empty list to make a set in; it goes back through [`Records::give_back`].
    pub(crate) fn take_list(&mut self) -> Vec<RecordId> {
        let mut list = std::mem::take(&mut self.making);
        list.clear();
        list
    }

    /// Keeps a list's room for the next set.
    pub(crate) fn give_back(&mut self, list: Vec<RecordId>) {
        self.making = list;
    }

    /// The records of a set.
    pub(crate) fn readers(&self, set: u32) -> &[RecordId] {
        let end = |n: u32| self.ends[n as usize] as usize;
        let start = set.checked_sub(1).map_or(0, end);
        &self.readers[start..end(set)]
    }

    /// Whether there may be many dead records and sets.
    pub(crate) fn is_due(&self) -> bool {
        self.records.len() + self.readers.len() >= self.due.min(LIMIT)
    }

    /// Starts anew; what is still in use is brought back by [`Records::keep`] and [`Records::keep_set`].
    pub(crate) fn begin_collection(&mut self) -> Old {
        let fresh = Records {
            due: self.due,
            ..Records::new()
        };
        let old = std::mem::replace(self, fresh);
        Old {
            moved: vec![0; old.records.len() + 1],
            sets: FxHashMap::default(),
            old,
        }
    }

    /// Ends a collection.
    pub(crate) fn end_collection(&mut self) {
        self.due = COLLECT.max(2 * (self.records.len() + self.readers.len()));
    }

    /// The new number of a record of old.
    pub(crate) fn keep(&mut self, old: &mut Old, id: RecordId) -> RecordId {
        if id != 0 && old.moved[id as usize] == 0 {
            old.moved[id as usize] = self.push(*old.old.get(id));
        }
        old.moved[id as usize]
    }

    /// The new number of a set of old.
    pub(crate) fn keep_set(&mut self, old: &mut Old, set: u32) -> u32 {
        if let Some(&number) = old.sets.get(&set) {
            return number;
        }
        let readers: Vec<RecordId> = old.old.readers(set).to_vec();
        let readers: Vec<RecordId> = readers.into_iter().map(|id| self.keep(old, id)).collect();
        let number = self.set(&readers);
        old.sets.insert(set, number);
        number
    }
}

/// Records before a collection, and where they have gone.
pub(crate) struct Old {
    old: Records,
    moved: Vec<RecordId>,
    sets: FxHashMap<u32, u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(base: u64, stride: i64, first: u32, count: u32) -> Record {
        Record {
            block: 0,
            warp: 0,
            pc: 7,
            epoch: 1,
            manner: Manner {
                kind: AccessKind::Store,
                strong: None,
                volatile: false,
            },
            base,
            stride,
            first,
            count,
        }
    }

    #[test]
    fn lanes_follow_from_places() {
        // Lanes 4 to 11, eight bytes each, upwards and downwards.
        let up = record(0x100, 8, 4, 8);
        assert_eq!((up.lanes_at(0x100), up.lanes_at(0x104)), (1 << 4, 1 << 4));
        assert_eq!(up.lanes_at(0x138), 1 << 11);
        let down = record(0x100, -8, 4, 8);
        assert_eq!(
            (down.lanes_at(0x100), down.lanes_at(0x104)),
            (1 << 4, 1 << 4)
        );
        assert_eq!((down.lanes_at(0xf8), down.lanes_at(0xfc)), (1 << 5, 1 << 5));
        assert_eq!(down.lanes_at(0xc8), 1 << 11);
        let same = record(0x100, 0, 0, 32);
        assert_eq!(same.lanes_at(0x102), 0xffff_ffff);
    }

    #[test]
    fn a_collection_keeps_what_is_asked_for() {
        let mut records = Records::new();
        let ids: Vec<RecordId> = (0..5).map(|n| records.id(record(n, 4, 0, 1))).collect();
        let set = records.set(&[ids[1], ids[3]]);
        let mut old = records.begin_collection();
        let moved = records.keep_set(&mut old, set);
        let last = records.keep(&mut old, ids[4]);
        records.end_collection();
        let bases: Vec<u64> = records
            .readers(moved)
            .iter()
            .map(|&id| records.get(id).base)
            .collect();
        assert_eq!(bases, [1, 3]);
        assert_eq!(records.get(last).base, 4);
        assert_eq!(records.keep(&mut old, 0), 0);
    }
}
