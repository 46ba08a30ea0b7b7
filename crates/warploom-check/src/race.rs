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
//! weak and strong, and the reads since that a later read does not cover (`shadow`). An access races
//! with a write or read of another thread if its thread does not know the epoch of that. Neighbouring
//! lanes of an access are one record, and readers of a place are a set that all places with the same
//! readers share (`record`), so that a place takes twelve bytes however many read it. Records that no
//! place has any more are forgotten.
//!
//! **Deviations, and what it cannot see.** The run is one sequentially consistent order of blocks and
//! warps: synchronisation that another order would have made, or not have made, is not looked for.
//! Clusters count as blocks. A `red` has no result and acquires nothing. After a race, the place
//! belongs to the later access. Of more than 1024 reads of a place that nothing orders, the first are
//! kept: a write that is ordered behind those, and not behind a later one, is missed.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warploom_isa::access::{Access, Atomic, Order, Scope};
use warploom_isa::{Module, Op, Space};
use warploom_machine::{AccessKind, Issue, MemoryAccess, Observer};

use crate::clock::{Clock, Thread};
use crate::finding::Finding;
use crate::meet::{Findings, Places, Run, each_lane, meet};
use crate::record::{Manner, Record};
use crate::sync::{Published, Releases, Seen, narrower};

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
    shared: Places,
    releases: Releases,
}

/// Watches a launch for races.
pub struct RaceChecker {
    module: Arc<Module>,
    shape: Shape,
    blocks: FxHashMap<u64, Box<Block>>,
    /// The block that has issued last, taken out of the others.
    current: Option<Box<Block>>,
    warp: u32,
    global: Places,
    releases: Releases,
    findings: Findings,
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
            global: Places::new(),
            releases: Releases::default(),
            findings: Findings::default(),
        }
    }

    /// What was found, in the order in which it came up; each two instructions once.
    pub fn findings(&self) -> &[Finding] {
        &self.findings.all
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
                    shared: Places::new(),
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
        let manner = Manner {
            kind: access.kind,
            strong,
            volatile,
        };
        // A read that acquires orders what is behind it, not itself; a write releases what is before.
        self.check(access, manner);
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
    fn check(&mut self, access: &MemoryAccess<'_>, manner: Manner) {
        let Some(block) = &mut self.current else {
            return;
        };
        let width = self.shape.warp_width;
        let first = (self.warp * width) as usize;
        let threads = block.threads.get(first..).unwrap_or_default();
        let places = match access.space {
            Space::Shared => &mut block.shared,
            _ => &mut self.global,
        };
        places.tidy();
        let instruction = places.next();
        let mut rest = access.lanes & low_bits(threads.len());
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let (stride, count) = run_from(access, threads, rest);
            let record = Record {
                block: block.number,
                warp: self.warp,
                pc: access.pc,
                epoch: threads[lane as usize].epoch,
                manner,
                base: access.addresses[lane as usize],
                stride,
                first: lane,
                count,
            };
            rest &= !record.lanes();
            let run = Run {
                record,
                bytes: access.bytes,
                idle: access.idle,
                clock: &threads[lane as usize].clock,
                space: access.space,
                instruction,
                warp_width: width,
                in_step: self.shape.in_step,
            };
            meet(places, &mut self.findings, &run);
        }
    }
}

/// Lanes further apart are no run: multiples of their distance would leave the address space.
const MAX_STRIDE_BYTES: u64 = 1 << 48;

/// How far the lanes from the first of `rest` on are a run: the distance of their addresses, and how
/// many they are.
fn run_from(access: &MemoryAccess<'_>, threads: &[State], rest: u64) -> (i64, u32) {
    let first = rest.trailing_zeros() as usize;
    let state = &threads[first];
    let address = |lane: usize| access.addresses[lane];
    let alike = |lane: usize| {
        let on = lane < 64 && rest >> lane & 1 != 0;
        on && threads[lane].epoch == state.epoch && threads[lane].clock.is(&state.clock)
    };
    if !alike(first + 1) {
        return (0, 1);
    }
    let stride = address(first + 1).wrapping_sub(address(first)) as i64;
    let regular = u64::from(access.bytes)..MAX_STRIDE_BYTES;
    if stride != 0 && !regular.contains(&stride.unsigned_abs()) {
        return (0, 1);
    }
    let mut last = first + 1;
    while alike(last + 1) && address(last + 1).wrapping_sub(address(last)) as i64 == stride {
        last += 1;
    }
    (stride, (last - first) as u32 + 1)
}

fn low_bits(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}
