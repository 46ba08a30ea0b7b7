//! Accesses meet what is known of the places that they touch.

use rustc_hash::FxHashMap;
use warploom_isa::{Pc, Space};
use warploom_machine::AccessKind;

use crate::clock::{Clock, Thread};
use crate::finding::{Finding, Kind, Side};
use crate::record::{Record, RecordId, Records};
use crate::shadow::{Cell, Readers, Shadow, Who};
use crate::sync::reaches;

/// What is known of a space.
pub(crate) struct Places {
    shadow: Shadow,
    records: Records,
}

impl Places {
    pub(crate) fn new() -> Places {
        Places {
            shadow: Shadow::default(),
            records: Records::new(),
        }
    }

    /// Forgets what no place has any more, if that may be much. Between two instructions only.
    pub(crate) fn tidy(&mut self) {
        if self.records.is_due() {
            self.shadow.collect(&mut self.records);
        }
    }

    /// The number of the next record: those from it on are of the coming instruction.
    pub(crate) fn next(&mut self) -> RecordId {
        self.records.next()
    }
}

/// What was found.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) all: Vec<Finding>,
    known: FxHashMap<(Kind, Pc, Pc, Space), usize>,
}

impl Findings {
    fn add(&mut self, finding: Finding) {
        // The two may come in either order, here and there.
        let pcs = [finding.first.pc, finding.second.pc];
        let (low, high) = (pcs[0].min(pcs[1]), pcs[0].max(pcs[1]));
        let key = (finding.kind, low, high, finding.space);
        match self.known.get(&key) {
            Some(&number) => self.all[number].count += 1,
            None => {
                self.known.insert(key, self.all.len());
                self.all.push(finding);
            }
        }
    }
}

/// A run of lanes that accesses memory; the lanes know the same of others.
pub(crate) struct Run<'a> {
    pub(crate) record: Record,
    /// Bytes of a lane.
    pub(crate) bytes: u32,
    /// Lanes of the instruction whose write leaves memory as it is.
    pub(crate) idle: u64,
    pub(crate) clock: &'a Clock,
    pub(crate) space: Space,
    /// Records from this on are of the same instruction.
    pub(crate) instruction: RecordId,
    /// Lanes of a warp.
    pub(crate) warp_width: u32,
    /// Lanes of a warp execute in step.
    pub(crate) in_step: bool,
}

/// A run that is held against what came before, and what was found out on the way: neighbouring
/// places mostly have the same history.
struct Held<'a> {
    run: &'a Run<'a>,
    id: RecordId,
    records: &'a mut Records,
    findings: &'a mut Findings,
    /// The last record that was looked at, and whether all of it comes before.
    before: (RecordId, bool),
    /// The last set, likewise.
    set_before: Option<(u32, bool)>,
    /// The last readers, and what they are together with the run.
    joined: Option<(Readers, Readers)>,
}

/// Holds a run against what came before, and remembers it.
pub(crate) fn meet(places: &mut Places, findings: &mut Findings, run: &Run<'_>) {
    let Places { shadow, records } = places;
    let id = records.id(run.record);
    let mut held = Held {
        run,
        id,
        records,
        findings,
        before: (0, false),
        set_before: None,
        joined: None,
    };
    let Record {
        base,
        stride,
        count,
        ..
    } = run.record;
    let steps = if stride == 0 { 1 } else { count };
    let mut address = base;
    for _ in 0..steps {
        shadow.touch(address, run.bytes, |address, cell| held.meet(address, cell));
        address = address.wrapping_add_signed(stride);
    }
}

impl Held<'_> {
    fn meet(&mut self, address: u64, cell: &mut Cell) {
        for write in [cell.weak, cell.strong] {
            if write != 0 && !self.comes_before(write) {
                self.against(address, write);
            }
        }
        if !self.run.record.manner.writes() {
            cell.readers = self.joined(cell.readers);
            return;
        }
        match cell.readers.who() {
            Who::None => {}
            Who::One(reader) if self.comes_before(reader) => {}
            Who::One(reader) => self.against(address, reader),
            Who::Set(set) if self.set_comes_before(set) => {}
            Who::Set(set) => {
                for n in 0..self.records.readers(set).len() {
                    let reader = self.records.readers(set)[n];
                    self.against(address, reader);
                }
            }
        }
        let weak = self.run.record.manner.strong.is_none();
        if weak && self.run.record.stride == 0 && self.run.record.count > 1 {
            self.among(address);
        }
        cell.readers = Readers::NONE;
        if weak {
            cell.weak = self.id;
            cell.strong = 0;
        } else {
            cell.strong = self.id;
        }
    }

    fn same_warp(&self, other: &Record) -> bool {
        other.block == self.run.record.block && other.warp == self.run.record.warp
    }

    /// Whether all of a record comes before the run, wherever.
    fn comes_before(&mut self, id: RecordId) -> bool {
        if self.before.0 != id {
            self.before = (id, self.all_before(id));
        }
        self.before.1
    }

    fn all_before(&self, id: RecordId) -> bool {
        let (run, other) = (&self.run.record, self.records.get(id));
        if self.same_warp(other) {
            if self.run.in_step {
                return id < self.run.instruction;
            }
            // The same lanes at the same places: each lane's own.
            let shape = |record: &Record| (record.base, record.stride, record.first, record.count);
            if shape(run) == shape(other) && run.stride != 0 {
                return true;
            }
        }
        let first = other.warp * self.run.warp_width + other.first;
        let lanes = first as usize..(first + other.count) as usize;
        let epochs = self.run.clock.epochs(other.block).get(lanes);
        epochs.is_some_and(|epochs| epochs.iter().all(|&epoch| epoch >= other.epoch))
    }

    fn set_comes_before(&mut self, set: u32) -> bool {
        if let Some((known, before)) = self.set_before
            && known == set
        {
            return before;
        }
        let readers = self.records.readers(set);
        let before = readers.iter().all(|&id| self.all_before(id));
        self.set_before = Some((set, before));
        before
    }

    /// A lane of an earlier access to a place that does not come before one of the run's lanes there,
    /// and that lane.
    fn unordered(&self, address: u64, id: RecordId) -> Option<(u32, u32)> {
        let other = self.records.get(id);
        let same_warp = self.same_warp(other);
        if same_warp && self.run.in_step && id < self.run.instruction {
            return None;
        }
        let here = self.run.record.lanes_at(address);
        for lane in each_lane(other.lanes_at(address)) {
            let thread = Thread {
                block: other.block,
                index: other.warp * self.run.warp_width + lane,
            };
            if self.run.clock.knows(thread) >= other.epoch {
                continue;
            }
            let others = if same_warp { here & !(1 << lane) } else { here };
            if others != 0 {
                return Some((lane, others.trailing_zeros()));
            }
        }
        None
    }

    /// Holds the run against an earlier access to a place.
    fn against(&mut self, address: u64, id: RecordId) {
        let Some((theirs, ours)) = self.unordered(address, id) else {
            return;
        };
        let (earlier, run) = (*self.records.get(id), &self.run.record);
        let strong = match (earlier.manner.strong, run.manner.strong) {
            (Some(a), Some(b)) => reaches(earlier.block, a, run.block, b),
            _ => false,
        };
        let store = |record: &Record| record.manner.kind == AccessKind::Store;
        let kind = if strong {
            // In shared memory, volatile between lanes of a warp is what code has that was written
            // for lanes in step.
            let volatile = earlier.manner.volatile && run.manner.volatile;
            if !(volatile && self.same_warp(&earlier) && self.run.space == Space::Shared) {
                return;
            }
            Kind::Lockstep
        } else if store(&earlier) && store(run) && self.run.idle >> ours & 1 != 0 {
            Kind::SameValue
        } else {
            Kind::Race
        };
        let same_instruction = id >= self.run.instruction;
        self.found(kind, (&earlier, theirs), ours, address, same_instruction);
    }

    /// Holds lanes of a weak store to one place against each other.
    fn among(&mut self, address: u64) {
        let record = self.run.record;
        let rest = record.lanes() & !(1 << record.first);
        let kind = match rest & !self.run.idle {
            0 => Kind::SameValue,
            _ => Kind::Race,
        };
        self.found(
            kind,
            (&record, record.first),
            record.first + 1,
            address,
            true,
        );
    }

    fn found(
        &mut self,
        kind: Kind,
        (first, theirs): (&Record, u32),
        ours: u32,
        address: u64,
        same_instruction: bool,
    ) {
        let side = |record: &Record, lane: u32| Side {
            pc: record.pc,
            kind: record.manner.kind,
            weak: record.manner.strong.is_none(),
            block: record.block,
            thread: record.warp * self.run.warp_width + lane,
        };
        self.findings.add(Finding {
            kind,
            first: side(first, theirs),
            second: side(&self.run.record, ours),
            space: self.run.space,
            address,
            same_instruction,
            count: 1,
        });
    }

    /// The readers of a place with the run. Those whose reads come before the run's are left out: a
    /// write that is ordered behind the run is ordered behind them.
    fn joined(&mut self, before: Readers) -> Readers {
        if let Some((known, after)) = self.joined
            && known == before
        {
            return after;
        }
        let mut readers = self.records.take_list();
        match before.who() {
            Who::None => {}
            Who::One(reader) => readers.push(reader),
            Who::Set(set) => readers.extend_from_slice(self.records.readers(set)),
        }
        readers.retain(|&id| {
            // A strong read does not stand for a weak one, which strong writes race with.
            let weak = self.records.get(id).manner.strong.is_none();
            let weaker = weak && self.run.record.manner.strong.is_some();
            id != self.id && (weaker || !self.all_before(id))
        });
        let after = if readers.is_empty() {
            Readers::one(self.id)
        } else {
            readers.push(self.id);
            Readers::set(self.records.set(&readers))
        };
        self.records.give_back(readers);
        self.joined = Some((before, after));
        after
    }
}

/// The lanes of a mask, lowest first.
pub(crate) fn each_lane(lanes: u64) -> impl Iterator<Item = u32> {
    let mut rest = lanes;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            lane
        })
    })
}
