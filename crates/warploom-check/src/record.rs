//! Accesses and sets of readers, each kept once and named by a number.

use rustc_hash::FxHashMap;
use warploom_isa::Pc;
use warploom_isa::access::Scope;
use warploom_machine::AccessKind;

/// An access of lanes of one warp, in one epoch of theirs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    pub(crate) kind: AccessKindOf,
}

/// What an access does, and how strongly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AccessKindOf {
    /// 0 load, 1 store, 2 atomic.
    code: u8,
    /// The scope of a strong access.
    pub(crate) strong: Option<Scope>,
    /// It is volatile.
    pub(crate) volatile: bool,
}

impl AccessKindOf {
    pub(crate) fn new(kind: AccessKind, strong: Option<Scope>, volatile: bool) -> AccessKindOf {
        let code = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        AccessKindOf {
            code,
            strong,
            volatile,
        }
    }

    pub(crate) fn kind(self) -> AccessKind {
        [AccessKind::Load, AccessKind::Store, AccessKind::Atomic][usize::from(self.code)]
    }
}

/// Names a record; never 0.
pub(crate) type RecordId = u32;

/// A lane of a record in 32 bits; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Packed(pub(crate) u32);

const LANE_BITS: u32 = 6;
/// One bit is left over, which tells a lane of a record from a set.
const RECORD_LIMIT: usize = 1 << (31 - LANE_BITS);

impl Packed {
    pub(crate) const NONE: Packed = Packed(0);

    pub(crate) fn new(record: RecordId, lane: u32) -> Packed {
        Packed(record << LANE_BITS | lane)
    }

    pub(crate) fn record(self) -> RecordId {
        self.0 >> LANE_BITS
    }

    pub(crate) fn lane(self) -> u32 {
        self.0 & ((1 << LANE_BITS) - 1)
    }
}

/// Lanes of a record that read a place.
pub(crate) type Reader = (RecordId, u64);

/// Most readers of a set; most sets.
const READER_LIMIT: usize = 1 << 14;
const SET_LIMIT: usize = 1 << 24;

/// All records and sets of a launch.
#[derive(Default)]
pub(crate) struct Records {
    records: Vec<Record>,
    /// The last record of an instruction of a warp.
    last: FxHashMap<(u64, u32, Pc), RecordId>,
    sets: Vec<Box<[Reader]>>,
    numbers: FxHashMap<Box<[Reader]>, u32>,
    /// Something did not fit any more: what follows is not checked in full.
    pub(crate) full: bool,
}

impl Records {
    /// The number of a record; 0 when there is no more room.
    pub(crate) fn id(&mut self, record: Record) -> RecordId {
        let key = (record.block, record.warp, record.pc);
        let last = self.last.get(&key).copied();
        if let Some(id) = last
            && *self.get(id) == record
        {
            return id;
        }
        if self.records.len() + 1 >= RECORD_LIMIT {
            self.full = true;
            return 0;
        }
        self.records.push(record);
        let id = self.records.len() as RecordId;
        self.last.insert(key, id);
        id
    }

    pub(crate) fn get(&self, id: RecordId) -> &Record {
        &self.records[id as usize - 1]
    }

    /// The number of a set of readers, from 0; nothing when there is no more room.
    pub(crate) fn set(&mut self, readers: &[Reader]) -> Option<u32> {
        if let Some(&number) = self.numbers.get(readers) {
            return Some(number);
        }
        if readers.len() > READER_LIMIT || self.sets.len() >= SET_LIMIT {
            self.full = true;
            return None;
        }
        let number = self.sets.len() as u32;
        self.sets.push(readers.into());
        self.numbers.insert(readers.into(), number);
        Some(number)
    }

    pub(crate) fn readers(&self, set: u32) -> &[Reader] {
        &self.sets[set as usize]
    }
}
