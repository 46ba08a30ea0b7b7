//! The race checker.
//!
//! **What a race is.** Two accesses to one byte, at least one of them a write, of different threads,
//! that *happens-before* does not order: the PTX memory consistency model's data race, unless both
//! are strong and each is in the other's scope. A run in which nothing goes wrong is no proof: what
//! is looked at is not the order in which things happened, but what forced it.
//!
//! **What orders.** The program order of a thread; a block barrier, for the threads that arrive at it
//! before those that wait for it; a warp barrier, for its members; a release (a fence before a strong
//! write, or a releasing write) with an acquire of what a strong read saw of it (an acquiring read, or
//! a fence after it), within their scopes, and over the atomics that followed the write; the end of
//! a launch. Shuffles, votes and matches order nothing. Under the reconvergence stack, lanes of a warp
//! execute in step, and their program order is the warp's.
//!
//! **How.** The vector clocks of FastTrack (Flanagan and Freund, PLDI 2009), compressed for blocks
//! (`clock`): a thread has a clock and the number of its epoch, each byte remembers its last writes,
//! weak and strong, and the reads since that a later read does not cover (`shadow`). An access races with a write or
//! read of another thread if its thread does not know the epoch of that. Accesses of a warp in one
//! epoch are one record, and readers of a place are a set that all places with the same readers share
//! (`record`), so that a place takes twelve bytes however many read it.
//!
//! **Deviations, and what it cannot see.** The run is one sequentially consistent order of blocks and
//! warps: synchronisation that another order would have made, or not have made, is not looked for.
//! Clusters count as blocks. A `red` has no result and acquires nothing. After a race, the place
//! belongs to the later access. Where a launch has more than 33 million records, or 16 million sets of
//! readers, the rest is checked against what had room, and [`RaceChecker::incomplete`] says so.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warploom_isa::access::{Access, Atomic, Order, Scope};
use warploom_isa::{Module, Op, Pc, Space};
use warploom_machine::{AccessKind, Issue, MemoryAccess, Observer};

use crate::clock::{Clock, Thread};
use crate::finding::{Finding, Kind, Side};
use crate::record::{AccessKindOf, Packed, Reader, Record, RecordId, Records};
use crate::shadow::{Cell, Readers, Shadow, Who};
use crate::sync::{Published, Releases, Seen, narrower, reaches};

/// Block barriers that there are.
const BARRIERS: usize = 16;

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Lanes of a warp.
    pub warp_width: u32,
    /// Lanes of a warp execute in step (the reconvergence stack).
    pub in_step: bool,
}

/// A thread between two accesses.
#[derive(Clone, Default)]
struct State {
    clock: Clock,
    /// Never 0, which is what nobody knows anything of.
    epoch: u32,
    /// What its last fence released.
    released: Option<Published>,
    /// What it has seen of others' releases, of the places that it looked at last.
    seen: Vec<Seen>,
}

/// Places that a thread remembers having looked at. What it has acquired of others it may acquire
/// again, at a cost.
const SEEN_LIMIT: usize = 8;

impl State {
    /// Makes room in `seen`: forgets a place of which everything was acquired, if there are many.
    fn forget(&mut self) {
        if self.seen.len() >= SEEN_LIMIT
            && let Some(done) = self.seen.iter().position(|seen| !seen.pending())
        {
            self.seen.remove(done);
        }
    }
}

/// What threads bring to a barrier.
#[derive(Clone, Default)]
struct Meeting {
    clock: Clock,
    epochs: Vec<(u32, u32)>,
}

impl Meeting {
    fn add(&mut self, index: u32, state: &State) {
        if !self.clock.is(&state.clock) {
            self.clock.join(&state.clock);
        }
        self.epochs.push((index, state.epoch));
    }

    /// What all know who have met.
    fn done(self, block: u64) -> Clock {
        let mut clock = self.clock;
        clock.learn(block, &self.epochs);
        clock
    }
}

/// A resident block.
struct Block {
    number: u64,
    threads: Vec<State>,
    meetings: [Meeting; BARRIERS],
    shared: Shadow,
    releases: Releases,
}

/// An access of lanes that share a place and a clock's epoch.
struct Party<'a> {
    block: u64,
    warp: u32,
    lanes: u64,
    id: RecordId,
    kind: AccessKindOf,
    /// Lanes whose store changes nothing.
    idle: u64,
    threads: &'a [State],
}

/// Watches a launch for races.
pub struct RaceChecker {
    module: Arc<Module>,
    shape: Shape,
    blocks: FxHashMap<u64, Box<Block>>,
    /// The block that has issued last, taken out of the others.
    current: Option<Box<Block>>,
    warp: u32,
    global: Shadow,
    releases: Releases,
    common: Common,
}

/// What accesses to all spaces need.
struct Common {
    shape: Shape,
    records: Records,
    findings: Vec<Finding>,
    known: FxHashMap<(Kind, Pc, Pc, Space), usize>,
    /// A set of readers in the making.
    readers: Vec<Reader>,
}

impl RaceChecker {
    /// A checker for one launch.
    pub fn new(module: Arc<Module>, shape: Shape) -> RaceChecker {
        RaceChecker {
            module,
            shape,
            blocks: FxHashMap::default(),
            current: None,
            warp: 0,
            global: Shadow::default(),
            releases: Releases::default(),
            common: Common {
                shape,
                records: Records::default(),
                findings: Vec::new(),
                known: FxHashMap::default(),
                readers: Vec::new(),
            },
        }
    }

    /// What was found, in the order in which it came up; each two instructions once.
    pub fn findings(&self) -> &[Finding] {
        &self.common.findings
    }

    /// Whether the launch was too large to be checked in full.
    pub fn incomplete(&self) -> bool {
        self.common.records.full
    }

    fn number(&self, index: [u32; 3]) -> u64 {
        let [x, y, _] = self.shape.grid.map(u64::from);
        let [i, j, k] = index.map(u64::from);
        i + x * (j + y * k)
    }

    /// Makes a block the current one.
    fn enter(&mut self, number: u64) -> &mut Block {
        let present = self.current.as_ref().map(|block| block.number);
        if present != Some(number) {
            if let Some(left) = self.current.take() {
                self.blocks.insert(left.number, left);
            }
            let threads = self.shape.threads_per_block as usize;
            let entered = self.blocks.remove(&number).unwrap_or_else(|| {
                let state = State {
                    epoch: 1,
                    ..State::default()
                };
                Box::new(Block {
                    number,
                    threads: vec![state; threads],
                    meetings: Default::default(),
                    shared: Shadow::default(),
                    releases: Releases::default(),
                })
            });
            self.current = Some(entered);
        }
        self.current.as_mut().expect("was just set")
    }

    /// The current warp's threads of some lanes, by index in the block.
    fn indices(&self, lanes: u64) -> impl Iterator<Item = u32> + use<> {
        let first = self.warp * self.shape.warp_width;
        let threads = self.shape.threads_per_block;
        each_lane(lanes)
            .map(move |lane| first + lane)
            .filter(move |&index| index < threads)
    }

    /// A fence of some lanes: it acquires what they have seen, and releases what they know.
    fn fence(&mut self, lanes: u64, scope: Scope) {
        let indices = self.indices(lanes);
        let Some(block) = &mut self.current else {
            return;
        };
        for index in indices {
            let state = &mut block.threads[index as usize];
            for seen in state.seen.iter_mut().filter(|seen| seen.pending()) {
                seen.acquire(block.number, scope, &mut state.clock);
            }
            state.released = Some(published(block.number, index, state, scope));
            state.epoch += 1;
        }
    }

    /// Strong accesses of some lanes: what they see of releases, and what they release.
    fn strong(&mut self, access: &MemoryAccess<'_>, order: Order, scope: Scope, op: Op) {
        let indices = self.indices(access.lanes);
        let Some(block) = &mut self.current else {
            return;
        };
        let number = block.number;
        for (lane, index) in each_lane(access.lanes).zip(indices) {
            let address = access.addresses[lane as usize];
            let releases = match access.space {
                Space::Shared => &mut block.releases,
                _ => &mut self.releases,
            };
            let state = &mut block.threads[index as usize];
            let acquires = matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst);
            let releasing = matches!(order, Order::Release | Order::AcqRel | Order::SeqCst);
            if matches!(op, Op::Ld | Op::Atom)
                && let Some(seen) = releases.read(address, scope)
            {
                let at = match state.seen.iter_mut().position(|known| known.extend(&seen)) {
                    Some(at) => at,
                    None => {
                        state.forget();
                        state.seen.push(seen);
                        state.seen.len() - 1
                    }
                };
                let seen = &mut state.seen[at];
                if acquires && seen.pending() {
                    seen.acquire(number, scope, &mut state.clock);
                    state.epoch += 1;
                }
            }
            // A compare-and-swap that fails writes nothing.
            let fails = op == Op::Atom && access.idle >> lane & 1 != 0;
            if op != Op::Ld && !fails {
                let release = match releasing {
                    true => Some(published(number, index, state, scope)),
                    false => state.released.clone().map(|released| Published {
                        scope: narrower(released.scope, scope),
                        ..released
                    }),
                };
                releases.write(address, release, matches!(op, Op::Atom | Op::Red));
                state.epoch += u32::from(releasing);
            }
        }
    }
}

fn published(block: u64, index: u32, state: &State, scope: Scope) -> Published {
    Published {
        clock: state.clock.clone(),
        thread: Thread { block, index },
        epoch: state.epoch,
        scope,
    }
}

fn each_lane(lanes: u64) -> impl Iterator<Item = u32> {
    let mut rest = lanes;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            lane
        })
    })
}

impl Observer for RaceChecker {
    const ACTIVE: bool = true;
    const VALUES: bool = true;

    fn issue(&mut self, issue: &Issue) {
        let number = self.number(issue.block);
        self.enter(number);
        self.warp = issue.warp;
        let inst = &self.module.code[issue.pc as usize];
        if inst.op == Op::Fence && issue.executing != 0 {
            let scope = Access::unpack(inst.mods).scope;
            self.fence(issue.executing, scope);
        }
    }

    fn access(&mut self, access: &MemoryAccess<'_>) {
        if !matches!(access.space, Space::Global | Space::Shared) {
            return;
        }
        let inst = &self.module.code[access.pc as usize];
        let op = inst.op;
        let how = match op {
            Op::Atom | Op::Red => Atomic::unpack(inst.mods).access,
            Op::Ld | Op::St => Access::unpack(inst.mods),
            // A prefetch reads nothing.
            _ => return,
        };
        let atomic = access.kind == AccessKind::Atomic;
        let volatile = matches!(how.order, Order::Volatile | Order::Mmio);
        let strong = (atomic || how.order != Order::Weak).then_some(match volatile {
            true => Scope::Sys,
            false => how.scope,
        });
        let kind = AccessKindOf::new(access.kind, strong, volatile);
        // A read that acquires orders what is behind it, not itself; a write releases what is before.
        self.check(access, kind);
        if let Some(scope) = strong {
            self.strong(access, how.order, scope, op);
        }
    }

    fn arrive(&mut self, barrier: u8, lanes: u64) {
        let indices = self.indices(lanes);
        let Some(block) = &mut self.current else {
            return;
        };
        for index in indices {
            let state = &mut block.threads[index as usize];
            block.meetings[usize::from(barrier) % BARRIERS].add(index, state);
            state.epoch += 1;
        }
    }

    fn barrier(&mut self, block: [u32; 3], barrier: u8, lanes: &[u64]) {
        let number = self.number(block);
        let width = self.shape.warp_width;
        let block = self.enter(number);
        let meeting = std::mem::take(&mut block.meetings[usize::from(barrier) % BARRIERS]);
        let clock = meeting.done(number);
        for (warp, &lanes) in (0..).zip(lanes) {
            for lane in each_lane(lanes) {
                // Under the stack a warp waits as a whole, with lanes that did not arrive.
                if let Some(state) = block.threads.get_mut((warp * width + lane) as usize) {
                    state.clock = clock.clone();
                    state.epoch += 1;
                }
            }
        }
    }

    fn warp_barrier(&mut self, lanes: u64) {
        let indices: Vec<u32> = self.indices(lanes).collect();
        let Some(block) = &mut self.current else {
            return;
        };
        let mut meeting = Meeting::default();
        for &index in &indices {
            meeting.add(index, &block.threads[index as usize]);
        }
        let clock = meeting.done(block.number);
        for &index in &indices {
            let state = &mut block.threads[index as usize];
            state.clock = clock.clone();
            state.epoch += 1;
        }
    }

    fn block_done(&mut self, block: [u32; 3]) {
        let number = self.number(block);
        self.blocks.remove(&number);
        if self
            .current
            .as_ref()
            .is_some_and(|block| block.number == number)
        {
            self.current = None;
        }
    }
}

impl RaceChecker {
    /// Checks an access against what came before, and remembers it.
    fn check(&mut self, access: &MemoryAccess<'_>, kind: AccessKindOf) {
        let Some(mut block) = self.current.take() else {
            return;
        };
        let width = self.shape.warp_width;
        let first = (self.warp * width) as usize;
        let threads = block.threads.get(first..).unwrap_or_default();
        let shadow = match access.space {
            Space::Shared => &mut block.shared,
            _ => &mut self.global,
        };
        let mut rest = access.lanes & low_bits(threads.len());
        let mut id = (0, 0);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let address = access.addresses[lane as usize];
            let state = &threads[lane as usize];
            // Lanes that want the same place are one party: neighbours among those that read, and
            // all of those that write, which are held against each other.
            let mut lanes = 0;
            for other in each_lane(rest) {
                let their = &threads[other as usize];
                let alike = access.addresses[other as usize] == address
                    && their.epoch == state.epoch
                    && their.clock.is(&state.clock);
                if alike {
                    lanes |= 1 << other;
                } else if access.kind == AccessKind::Load {
                    break;
                }
            }
            rest &= !lanes;
            if id.0 != state.epoch {
                let record = Record {
                    block: block.number,
                    warp: self.warp,
                    pc: access.pc,
                    epoch: state.epoch,
                    kind,
                };
                id = (state.epoch, self.common.records.id(record));
            }
            if id.1 == 0 {
                break;
            }
            let mut party = Party {
                block: block.number,
                warp: self.warp,
                lanes,
                id: id.1,
                kind,
                idle: access.idle,
                threads,
            };
            let common = &mut self.common;
            shadow.touch(address, access.bytes, |address, cell| {
                common.meet(&mut party, access.space, address, cell);
            });
        }
        self.current = Some(block);
    }
}

fn low_bits(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

impl Common {
    /// An access meets what is known of a place.
    fn meet(&mut self, party: &mut Party<'_>, space: Space, address: u64, cell: &mut Cell) {
        let writes = party.kind.kind() != AccessKind::Load;
        let lane = party.lanes.trailing_zeros();
        if !writes {
            // The same lane in the same epoch: nothing new.
            if let Who::One(reader) = cell.readers.who()
                && reader == Packed::new(party.id, lane)
                && party.lanes.is_power_of_two()
            {
                return;
            }
        }
        for write in [cell.weak, cell.strong] {
            if write != Packed::NONE {
                self.against(party, space, address, write.record(), 1 << write.lane());
            }
        }
        if !writes {
            cell.readers = self.joined(party, cell.readers);
            return;
        }
        match cell.readers.who() {
            Who::None => {}
            Who::One(reader) => {
                self.against(party, space, address, reader.record(), 1 << reader.lane());
            }
            Who::Set(set) => {
                for n in 0..self.records.readers(set).len() {
                    let (record, lanes) = self.records.readers(set)[n];
                    self.against(party, space, address, record, lanes);
                }
            }
        }
        if !party.lanes.is_power_of_two() && party.kind.strong.is_none() {
            self.among(party, space, address);
        }
        cell.readers = Readers::NONE;
        let last = Packed::new(party.id, 63 - party.lanes.leading_zeros());
        if party.kind.strong.is_some() {
            cell.strong = last;
        } else {
            cell.weak = last;
            cell.strong = Packed::NONE;
        }
    }

    /// Lanes of a party that an earlier access of some lanes is not ordered before, and the first of
    /// those lanes.
    fn unordered(&self, party: &Party<'_>, record: &Record, lanes: u64) -> Option<(u32, u32)> {
        let same_warp = record.block == party.block && record.warp == party.warp;
        if same_warp && self.shape.in_step {
            return None;
        }
        // All lanes of a party know the same.
        let clock = &party.threads[party.lanes.trailing_zeros() as usize].clock;
        for lane in each_lane(lanes) {
            let thread = Thread {
                block: record.block,
                index: record.warp * self.shape.warp_width + lane,
            };
            if clock.knows(thread) >= record.epoch {
                continue;
            }
            let others = match same_warp {
                true => party.lanes & !(1 << lane),
                false => party.lanes,
            };
            if others != 0 {
                return Some((lane, others.trailing_zeros()));
            }
        }
        None
    }

    /// Holds an access against an earlier one.
    fn against(
        &mut self,
        party: &Party<'_>,
        space: Space,
        address: u64,
        record: RecordId,
        lanes: u64,
    ) {
        let earlier = *self.records.get(record);
        let Some((theirs, ours)) = self.unordered(party, &earlier, lanes) else {
            return;
        };
        let strong = match (earlier.kind.strong, party.kind.strong) {
            (Some(a), Some(b)) => reaches(earlier.block, a, party.block, b),
            _ => false,
        };
        let same_warp = earlier.block == party.block && earlier.warp == party.warp;
        let kind = if strong {
            // In shared memory, volatile between lanes of a warp is what code has that was written
            // for lanes in step.
            let volatile = earlier.kind.volatile && party.kind.volatile;
            if !(volatile && same_warp && space == Space::Shared) {
                return;
            }
            Kind::Lockstep
        } else if earlier.kind.kind() == AccessKind::Store
            && party.kind.kind() == AccessKind::Store
            && party.idle >> ours & 1 != 0
        {
            Kind::SameValue
        } else {
            Kind::Race
        };
        let first = self.side(&earlier, theirs);
        self.report(kind, first, party, ours, (space, address), false);
    }

    /// Holds the lanes of a weak store against each other.
    fn among(&mut self, party: &Party<'_>, space: Space, address: u64) {
        let mut lanes = each_lane(party.lanes);
        let (Some(first), Some(second)) = (lanes.next(), lanes.next()) else {
            return;
        };
        let rest = party.lanes & !(1 << first);
        let kind = match rest & !party.idle {
            0 => Kind::SameValue,
            _ => Kind::Race,
        };
        let record = *self.records.get(party.id);
        let side = self.side(&record, first);
        self.report(kind, side, party, second, (space, address), true);
    }

    fn side(&self, record: &Record, lane: u32) -> Side {
        Side {
            pc: record.pc,
            kind: record.kind.kind(),
            weak: record.kind.strong.is_none(),
            block: record.block,
            thread: record.warp * self.shape.warp_width + lane,
        }
    }

    fn report(
        &mut self,
        kind: Kind,
        first: Side,
        party: &Party<'_>,
        lane: u32,
        (space, address): (Space, u64),
        same_instruction: bool,
    ) {
        let record = *self.records.get(party.id);
        let second = self.side(&record, lane);
        // The two may come in either order, here and there.
        let pcs = [first.pc, second.pc];
        let key = (kind, pcs[0].min(pcs[1]), pcs[0].max(pcs[1]), space);
        if let Some(&number) = self.known.get(&key) {
            self.findings[number].count += 1;
            return;
        }
        self.known.insert(key, self.findings.len());
        self.findings.push(Finding {
            kind,
            first,
            second,
            space,
            address,
            same_instruction,
            count: 1,
        });
    }

    /// The readers of a place with a party more. Those whose reads come before the party's are left
    /// out: a write that is ordered behind the party is ordered behind them.
    fn joined(&mut self, party: &Party<'_>, before: Readers) -> Readers {
        let lane = party.lanes.trailing_zeros();
        let mut readers = std::mem::take(&mut self.readers);
        readers.clear();
        match before.who() {
            Who::None => {}
            Who::One(reader) => readers.push((reader.record(), 1 << reader.lane())),
            Who::Set(set) => readers.extend_from_slice(self.records.readers(set)),
        }
        readers.retain_mut(|(record, lanes)| {
            let earlier = self.records.get(*record);
            // A strong read does not stand for a weak one, which strong writes race with.
            let weaker = earlier.kind.strong.is_none() && party.kind.strong.is_some();
            if *record == party.id {
                *lanes &= !party.lanes;
            } else if !weaker {
                *lanes = self.after(party, earlier, *lanes);
            }
            *lanes != 0
        });
        let joined = if readers.is_empty() && party.lanes.is_power_of_two() {
            Readers::one(Packed::new(party.id, lane))
        } else {
            match readers.iter_mut().find(|(record, _)| *record == party.id) {
                Some((_, lanes)) => *lanes |= party.lanes,
                None => readers.push((party.id, party.lanes)),
            }
            match self.records.set(&readers) {
                Some(set) => Readers::set(set),
                None => before,
            }
        };
        self.readers = readers;
        joined
    }

    /// The lanes of an earlier read that do not come before a party's.
    fn after(&self, party: &Party<'_>, earlier: &Record, lanes: u64) -> u64 {
        let same_warp = earlier.block == party.block && earlier.warp == party.warp;
        if same_warp && self.shape.in_step {
            return 0;
        }
        let clock = &party.threads[party.lanes.trailing_zeros() as usize].clock;
        let mut left = match same_warp {
            // A thread's own earlier reads are covered by its later one.
            true => lanes & !party.lanes,
            false => lanes,
        };
        for lane in each_lane(left) {
            let thread = Thread {
                block: earlier.block,
                index: earlier.warp * self.shape.warp_width + lane,
            };
            if clock.knows(thread) >= earlier.epoch {
                left &= !(1 << lane);
            }
        }
        left
    }
}
