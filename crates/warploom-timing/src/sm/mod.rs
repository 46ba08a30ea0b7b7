//! A streaming multiprocessor: partitions with warps, their schedulers and pipelines, and the way to
//! memory.
//!
//! An SM has its own clock. [`Sm::run`] takes it from one cycle in which something can happen to the
//! next. A warp's next instruction is known from the stream before the warp has executed it; the
//! functional machine executes a segment when the first instruction of it issues.

mod access;
mod arbiter;
#[cfg(test)]
mod compute_unit;
mod fetch;
mod leave;
mod local;
pub mod lsu;
pub mod slot;
mod victims;
mod wait_counters;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use warploom_device::Device;
use warploom_isa::Pc;
use warploom_machine::{Next, Outcome, Step, Steps};

use crate::chip::TimingError;
use crate::costs::{Cost, Costs, UNITS, UnitClock};
use crate::memory::{ConstantCaches, L1Passes, LineShape};
use crate::schedule::{Candidates, WarpScheduler, scheduler};
use crate::stall::Reason;
use crate::stream::{Class, MEMORY_PORTS, Stream, TimedInst};
use crate::tally::{Issued, Tally};
use crate::trace::{Trace, WarpPlace};
use access::in_memory;
use arbiter::{Turn, cycles_to_turn};
use fetch::Fetch;
use lsu::{Answer, Lsu, Outgoing, Token};
use slot::{Hold, Slot, UNKNOWN};

/// What the SMs of a group share while they run.
pub struct Shared<'a, 't> {
    /// The chip.
    pub device: &'a Device,
    /// Its pipelines.
    pub costs: &'a Costs,
    /// The kernel.
    pub stream: &'a Stream,
    /// The functional machine.
    pub steps: &'a mut dyn Steps,
    /// Takes what kernels print.
    pub output: &'a mut dyn FnMut(&[u8]),
    /// Counts.
    pub tally: &'a mut Tally,
    /// Who wants to see it.
    pub trace: Option<&'a mut Trace<'t>>,
}

/// Why a run ends early.
#[derive(Clone, Debug)]
pub enum End {
    /// As the functional machine ends.
    Outcome(Outcome),
    /// The launch cannot be timed.
    Failed(TimingError),
}

/// Hands out blocks in order.
#[derive(Clone, Copy, Debug)]
pub struct Dispatcher {
    /// The next block.
    pub next: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Warps of a block.
    pub warps_per_block: usize,
    /// Cycles between the starts of two.
    pub interval_cycles: f64,
    /// Cycles that one takes to start.
    pub start_cycles: u64,
    /// When the device can start the next one.
    pub free_at: f64,
}

/// A scheduler and its warps.
struct Partition {
    scheduler: Box<dyn WarpScheduler>,
    /// Slots with a warp.
    live: u64,
    units: [UnitClock; UNITS],
    /// When its queues of memory instructions have handed on all that they hold, by
    /// [`Class::memory_port`].
    memory_free_at: [u64; MEMORY_PORTS],
    /// Nothing can issue before.
    next_try: u64,
}

/// A resident block.
struct Resident {
    place: usize,
    /// Warps that have not exited.
    warps: usize,
}

/// A block on its way.
struct Coming {
    place: usize,
    block: u64,
    warps: usize,
    /// When it is there.
    start: u64,
}

/// One SM.
pub struct Sm {
    number: u32,
    now: u64,
    partitions: Vec<Partition>,
    /// Slots of all partitions: partition after partition.
    slots: Vec<Slot>,
    slots_per_partition: usize,
    shared_units: [UnitClock; UNITS],
    lsu: Lsu,
    /// None where every access takes the same time.
    constants: Option<ConstantCaches>,
    fetch: Fetch,
    shape: LineShape,
    passes: L1Passes,
    blocks: Vec<Resident>,
    coming: Vec<Coming>,
    free_places: Vec<usize>,
    /// Answers to come: cycle, order, which.
    responses: BinaryHeap<Reverse<(u64, u64, usize)>>,
    tokens: Vec<Token>,
    free_tokens: Vec<usize>,
    arrivals: u64,
    answers: Vec<Answer>,
    next_partition: usize,
    /// The partition that comes first at what all of them share: the one after the last that had it.
    turn: usize,
    /// Cycles from which on there is room for one more block each.
    room: Vec<u64>,
}

impl Sm {
    /// An SM of a device that holds `block_limit` blocks; `l1_bytes` is the L1 beside the shared
    /// memory that the blocks leave it.
    pub fn new(device: &Device, number: u32, block_limit: usize, l1_bytes: Option<u64>) -> Sm {
        let issue = &device.timing.issue;
        let count = device.schedulers_per_sm.max(1) as usize;
        let slots_per_partition = (device.limits.warps_per_sm as usize)
            .div_ceil(count)
            .min(64);
        let partition = || Partition {
            scheduler: scheduler(issue.scheduler, issue.two_level_warps),
            live: 0,
            units: [UnitClock::default(); UNITS],
            memory_free_at: [0; MEMORY_PORTS],
            next_try: 0,
        };
        Sm {
            number,
            now: 0,
            partitions: (0..count).map(|_| partition()).collect(),
            slots: vec![Slot::new(); count * slots_per_partition],
            slots_per_partition,
            shared_units: [UnitClock::default(); UNITS],
            lsu: Lsu::new(device, number, l1_bytes, slots_per_partition),
            constants: device
                .timing
                .flat
                .is_none()
                .then(|| ConstantCaches::new(device)),
            fetch: Fetch::new(device),
            shape: LineShape::l1(device),
            passes: L1Passes::new(device),
            blocks: Vec::new(),
            coming: Vec::new(),
            free_places: (0..block_limit)
                .rev()
                .map(|place| number as usize * block_limit + place)
                .collect(),
            responses: BinaryHeap::new(),
            tokens: Vec::new(),
            free_tokens: Vec::new(),
            arrivals: 0,
            answers: Vec::new(),
            next_partition: 0,
            turn: 0,
            room: Vec::new(),
        }
    }

    /// Its number on the chip.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The first cycle in which it can do something; `u64::MAX` if only an answer can wake it.
    pub fn next_at(&self) -> u64 {
        self.now
    }

    /// Whether a warp is there or on its way.
    pub fn is_busy(&self) -> bool {
        !self.blocks.is_empty() || !self.coming.is_empty()
    }

    /// Its memory pipeline, for the counts.
    pub fn lsu(&self) -> &Lsu {
        &self.lsu
    }

    /// Announces the answer to a request.
    pub fn expect(&mut self, token: Token, at: u64) {
        let number = match self.free_tokens.pop() {
            Some(number) => {
                self.tokens[number] = token;
                number
            }
            None => {
                self.tokens.push(token);
                self.tokens.len() - 1
            }
        };
        self.arrivals += 1;
        self.responses.push(Reverse((at, self.arrivals, number)));
        self.now = self.now.min(at);
    }

    /// The cycles from which on it has had room for one more block each, since this was last asked.
    pub fn room(&mut self) -> std::vec::Drain<'_, u64> {
        self.room.drain(..)
    }

    /// Takes the next block if one is left and fits. It is there `at` some cycle, and does nothing
    /// before `until`, up to which other SMs have run. Its warps enter when the SM next runs.
    pub fn admit(&mut self, at: u64, until: u64, blocks: &mut Dispatcher) -> bool {
        let warps = blocks.warps_per_block;
        let live = self.partitions.iter().map(|p| p.live.count_ones() as usize);
        let taken = live.sum::<usize>() + self.coming.len() * warps;
        if blocks.next == blocks.blocks || self.slots.len() - taken < warps {
            return false;
        }
        let Some(place) = self.free_places.pop() else {
            return false;
        };
        let start = blocks.free_at.max(at as f64);
        blocks.free_at = start + blocks.interval_cycles;
        let start = (start.ceil() as u64 + blocks.start_cycles).max(until);
        self.coming.push(Coming {
            place,
            block: blocks.next,
            warps,
            start,
        });
        blocks.next += 1;
        self.now = self.now.min(start);
        true
    }

    /// The warps of a block take their slots.
    fn enter(&mut self, coming: &Coming, shared: &mut Shared<'_, '_>) -> Result<(), End> {
        let Coming {
            place,
            block,
            warps,
            start,
        } = *coming;
        shared.steps.enter(place, block);
        self.blocks.push(Resident { place, warps });
        for warp in 0..warps {
            let Some(number) = self.free_slot() else {
                break;
            };
            let partition = number / self.slots_per_partition;
            let local = number % self.slots_per_partition;
            self.slots[number].enter(place, (block, warp), start, shared.stream.registers);
            let partition = &mut self.partitions[partition];
            partition.live |= 1 << local;
            partition.scheduler.enter(local as u32);
            self.lsu.enter(number as u32);
            partition.next_try = partition.next_try.min(start);
            let released = self.prepare(number, start, (start, Reason::Wait), shared)?;
            if let Some(place) = released {
                self.release(place, start, shared)?;
            }
        }
        Ok(())
    }

    /// A free slot; warps go to the partitions in turn.
    fn free_slot(&mut self) -> Option<usize> {
        let count = self.partitions.len();
        for step in 0..count {
            let partition = (self.next_partition + step) % count;
            let first = partition * self.slots_per_partition;
            let slots = &self.slots[first..first + self.slots_per_partition];
            if let Some(local) = slots.iter().position(|slot| !slot.live) {
                self.next_partition = (partition + 1) % count;
                return Some(first + local);
            }
        }
        None
    }

    /// Runs up to, not including, a cycle; `alone` only as far as there is no room for a block,
    /// which nobody else would take.
    ///
    /// # Errors
    /// How the launch ended, if it ended early.
    pub fn run(
        &mut self,
        until: u64,
        alone: bool,
        shared: &mut Shared<'_, '_>,
        out: &mut Vec<Outgoing>,
    ) -> Result<(), End> {
        for coming in std::mem::take(&mut self.coming) {
            self.enter(&coming, shared)?;
        }
        while self.now < until && !(alone && self.room.iter().any(|&at| at <= self.now)) {
            let now = self.now;
            self.receive(now);
            let full = self.full_queues();
            self.lsu.process(now, out, &mut self.answers);
            if full != 0 {
                for (partition, this) in self.partitions.iter_mut().enumerate() {
                    if full >> partition & 1 != 0 && self.lsu.has_room(partition) {
                        // Warps with a memory instruction may have found no room, and no time for
                        // it.
                        this.next_try = this.next_try.min(now);
                    }
                }
            }
            while let Some(slot) = self.lsu.lost_locality() {
                let slot = slot as usize;
                let partition = &mut self.partitions[slot / self.slots_per_partition];
                let local = slot % self.slots_per_partition;
                partition.scheduler.lost_locality(local as u32, now);
            }
            self.wake(now, shared);
            let mut next = u64::MAX;
            let (first, count) = (self.turn, self.partitions.len());
            for step in 0..count {
                let partition = (first + step) % count;
                if self.partitions[partition].next_try <= now {
                    self.issue_from(partition, now, shared)?;
                }
                next = next.min(self.partitions[partition].next_try);
            }
            if let Some(trace) = &mut shared.trace {
                let live = self.partitions.iter().map(|p| p.live.count_ones()).sum();
                let [queue, sectors, stores] = self.lsu.fill();
                trace.sm(self.number, now, [live, queue, sectors, stores]);
            }
            // What has just issued may have reached the memory pipeline.
            next = next.min(self.lsu.next_at().max(now + 1));
            if let Some(&Reverse((at, ..))) = self.responses.peek() {
                next = next.min(at);
            }
            self.now = next.max(now + 1);
        }
        Ok(())
    }

    fn receive(&mut self, now: u64) {
        while let Some(&Reverse((at, _, number))) = self.responses.peek()
            && at <= now
        {
            self.responses.pop();
            self.free_tokens.push(number);
            self.lsu.respond(at, self.tokens[number], &mut self.answers);
        }
    }

    /// Partitions whose memory instructions find no room, as a mask.
    fn full_queues(&self) -> u64 {
        if !self.lsu.is_full() {
            return 0;
        }
        let partitions = 0..self.partitions.len();
        let full = partitions.filter(|&partition| !self.lsu.has_room(partition));
        full.fold(0, |mask, partition| mask | 1 << partition)
    }

    /// Lets warps know which registers are there or will be.
    fn wake(&mut self, now: u64, shared: &mut Shared<'_, '_>) {
        for Answer { waiter } in std::mem::take(&mut self.answers) {
            let number = waiter.slot as usize;
            let slot = &mut self.slots[number];
            if !slot.live || slot.generation != waiter.generation {
                continue;
            }
            if let Some(ticket) = waiter.ticket {
                slot.counted(ticket, waiter.latest);
            }
            if waiter.regs.is_empty() {
                self.stored(number, waiter.latest, now, shared);
                let slot = &self.slots[number];
                // A warp at a barrier has no instruction that waits.
                let waits = matches!(slot.hold, Hold::Until | Hold::Register);
                if waiter.ticket.is_some() && waits && slot.counts_from != UNKNOWN {
                    let from = slot.counts_from.max(now);
                    self.look_again(number, from, waiter.reason, shared);
                }
                continue;
            }
            slot.expect(&waiter.regs, waiter.latest, waiter.reason);
            if slot.hold == Hold::Register {
                self.look_again(number, now, waiter.reason, shared);
            }
        }
    }

    /// Works out anew when a warp's next instruction can issue: something that it waits for has become
    /// known.
    fn look_again(&mut self, number: usize, from: u64, reason: Reason, shared: &Shared<'_, '_>) {
        let slot = &mut self.slots[number];
        let inst = &shared.stream.insts[slot.position as usize];
        slot.wait_for(inst, from, reason);
        let partition = &mut self.partitions[number / self.slots_per_partition];
        partition.next_try = partition.next_try.min(slot.ready_at);
    }

    /// One turn of a scheduler.
    fn issue_from(
        &mut self,
        partition: usize,
        now: u64,
        shared: &mut Shared<'_, '_>,
    ) -> Result<(), End> {
        let issue = &shared.device.timing.issue;
        let turn_cycles = u64::from(issue.turn_cycles);
        let early = cycles_to_turn(partition, now, turn_cycles);
        if early > 0 {
            self.partitions[partition].next_try = now + early;
            return Ok(());
        }
        let mut passed_over = 0;
        let mut turn = Turn::new(issue);
        while turn.is_open() {
            let (candidates, next) = self.candidates(partition, now, turn, shared);
            self.partitions[partition].next_try = next;
            if candidates.ready == 0 {
                break;
            }
            shared.tally.eligible += u64::from(candidates.ready.count_ones());
            passed_over |= candidates.ready;
            let picked = self.partitions[partition].scheduler.pick(&candidates);
            if let Some(local) = picked {
                passed_over &= !(1 << local);
                turn.issue(|| {
                    let first = partition * self.slots_per_partition;
                    let position = self.slots[first + local as usize].position;
                    let class = shared.stream.insts[position as usize].class;
                    shared.costs.unit_bit(class)
                });
                self.issue(partition, local as usize, now, shared)?;
            }
            self.partitions[partition].next_try = now + turn_cycles;
            if picked.is_none() {
                break;
            }
        }
        while passed_over != 0 {
            let other = passed_over.trailing_zeros() as usize;
            passed_over &= passed_over - 1;
            self.slots[partition * self.slots_per_partition + other].passed_over += turn_cycles;
        }
        Ok(())
    }

    /// The warps that can issue in a turn, and when the next one may if there is none.
    fn candidates(
        &self,
        partition: usize,
        now: u64,
        turn: Turn,
        shared: &Shared<'_, '_>,
    ) -> (Candidates, u64) {
        let this = &self.partitions[partition];
        let first = partition * self.slots_per_partition;
        let mut candidates = Candidates {
            cycle: now,
            live: this.live,
            ..Candidates::default()
        };
        let mut next = u64::MAX;
        let mut rest = this.live;
        while rest != 0 {
            let local = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let slot = &self.slots[first + local];
            let bit = 1u64 << local;
            if slot.ready_at > now {
                if slot.reason == Reason::LongScoreboard {
                    candidates.memory |= bit;
                }
                next = next.min(slot.ready_at);
                continue;
            }
            let inst = &shared.stream.insts[slot.position as usize];
            let class = inst.class;
            let free = self.free_at(partition, class, now, shared);
            if !turn.takes(|| shared.costs.unit_bit(class)) {
                next = next.min(now + 1);
            } else if free <= now {
                candidates.ready |= bit;
                if matches!(class, Class::Memory | Class::SpillLoad) && !inst.defs.is_empty() {
                    candidates.loads |= bit;
                }
            } else {
                next = next.min(free);
            }
        }
        (candidates, next)
    }

    /// When what an instruction needs can take it, from `now` on.
    fn free_at(&self, partition: usize, class: Class, now: u64, shared: &Shared<'_, '_>) -> u64 {
        if let Some(cost) = shared.costs.of(class) {
            return self.unit(partition, cost).free_at(now);
        }
        match class {
            Class::Memory
            | Class::SharedMemory
            | Class::ScalarMemory
            | Class::SpillStore
            | Class::SpillLoad => {
                let lsu = &shared.device.timing.lsu;
                let interval = u64::from(lsu.partition_interval_cycles);
                let others = interval * u64::from(lsu.partition_queue_entries - 1);
                let free = self.partitions[partition].memory_free_at[class.memory_port()];
                let at = free.saturating_sub(others).max(now);
                if self.lsu.has_room(partition) {
                    at
                } else {
                    at.max(self.lsu.next_at().max(now + 1))
                }
            }
            _ => now,
        }
    }

    fn unit(&self, partition: usize, cost: &Cost) -> UnitClock {
        if cost.shared {
            self.shared_units[cost.unit]
        } else {
            self.partitions[partition].units[cost.unit]
        }
    }

    /// Issues the next instruction of a warp.
    fn issue(
        &mut self,
        partition: usize,
        local: usize,
        now: u64,
        shared: &mut Shared<'_, '_>,
    ) -> Result<(), End> {
        let number = partition * self.slots_per_partition + local;
        let inst = &shared.stream.insts[self.slots[number].position as usize];
        let mut released = None;
        if !self.slots[number].stepped {
            released = self.step(number, shared)?;
        }
        self.account(number, inst, now, shared);
        let resume = self.execute(partition, number, inst, now, shared);
        self.slots[number].position += 1;
        let released = match self.prepare(number, now, resume, shared)? {
            Some(place) => Some(place),
            None => released,
        };
        if let Some(place) = released {
            self.release(place, now, shared)?;
        }
        Ok(())
    }

    /// Executes a warp's segment; the place of its block if that released other warps.
    fn step(&mut self, number: usize, shared: &mut Shared<'_, '_>) -> Result<Option<usize>, End> {
        let slot = &mut self.slots[number];
        slot.events.clear();
        slot.stepped = true;
        let events = &mut slot.events;
        let step = shared
            .steps
            .step(slot.place, slot.warp, events, shared.output);
        slot.executed();
        match step {
            Step::Ran { released } => Ok(released.then_some(slot.place)),
            Step::Fault(fault) => Err(End::Outcome(Outcome::Fault(fault))),
            Step::Limit => Err(End::Outcome(Outcome::Limit)),
        }
    }

    /// Books the cycles since the warp's last issue, and the issue.
    fn account(&mut self, number: usize, inst: &TimedInst, now: u64, shared: &mut Shared<'_, '_>) {
        let slot = &mut self.slots[number];
        // A second instruction of the same cycle takes none of its own.
        let first = slot.since <= now;
        let since = slot.since.min(now);
        let ready = slot.ready_at.clamp(since, now);
        let throttle = match inst.class {
            Class::Memory => match slot.events.accesses_of(inst.source).next() {
                Some(access) if !in_memory(access.space) => Reason::MioThrottle,
                _ => Reason::LgThrottle,
            },
            Class::SpillStore | Class::SpillLoad => Reason::LgThrottle,
            Class::Shuffle | Class::SharedMemory | Class::ScalarMemory => Reason::MioThrottle,
            _ => Reason::MathPipeThrottle,
        };
        let blocked = (now - ready).saturating_sub(slot.passed_over);
        shared.tally.issue(Issued {
            cycle: now,
            sm: self.number,
            scheduler: (number / self.slots_per_partition) as u32,
            slot: number as u32,
            warp: slot.warp as u32,
            source: inst.source,
        });
        let parts = [
            (slot.reason, ready - since),
            (throttle, blocked),
            (Reason::NotSelected, now - ready - blocked),
            (Reason::Selected, u64::from(first)),
        ];
        slot.since = now + 1;
        slot.passed_over = 0;
        slot.last_source = inst.source;
        self.book(number, inst.source, since, &parts, shared);
    }

    /// Books a warp's cycles from `since` on: so many for each reason.
    #[inline]
    fn book(
        &self,
        number: usize,
        source: Pc,
        since: u64,
        parts: &[(Reason, u64)],
        shared: &mut Shared<'_, '_>,
    ) {
        shared.tally.stalls(source, parts);
        if let Some(trace) = &mut shared.trace {
            let slot = &self.slots[number];
            let place = WarpPlace {
                sm: self.number,
                scheduler: (number / self.slots_per_partition) as u32,
                slot: number as u32,
                block: slot.block,
                warp: slot.warp as u32,
                source,
            };
            trace.warp(place, since, parts);
        }
    }

    /// Puts an instruction into its pipeline. Returns when the warp's next one may issue, and what it
    /// waits for until then.
    fn execute(
        &mut self,
        partition: usize,
        number: usize,
        inst: &TimedInst,
        now: u64,
        shared: &mut Shared<'_, '_>,
    ) -> (u64, Reason) {
        let timing = &shared.device.timing;
        let control = &timing.control;
        let later = now + u64::from(timing.issue.warp_interval_cycles);
        let slot = &mut self.slots[number];
        let pairs = timing.issue.per_warp > 1 && slot.issues_at(now) < timing.issue.per_warp;
        let next = if pairs { now } else { later };
        slot.last_result = slot.last_result.max(now + 1);
        if let Some(cost) = shared.costs.of(inst.class) {
            slot.write(inst, cost, now);
            let clock = if cost.shared {
                self.turn = partition + 1;
                &mut self.shared_units[cost.unit]
            } else {
                &mut self.partitions[partition].units[cost.unit]
            };
            clock.take(cost, now);
        }
        match inst.class {
            Class::Branch => {
                let event = self.slots[number].events.of(inst.source);
                let parts = event
                    .is_some_and(|event| event.executing != 0 && event.executing != event.active);
                let extra = if parts { control.divergence_cycles } else { 0 };
                let cycles = u64::from(control.branch_cycles) + u64::from(extra);
                (later.max(now + cycles), Reason::BranchResolving)
            }
            Class::Check => (
                next.max(now + u64::from(control.branch_cycles)),
                Reason::BranchResolving,
            ),
            Class::Barrier => (
                later.max(now + u64::from(control.barrier_cycles)),
                Reason::Barrier,
            ),
            Class::WarpBarrier => (
                later.max(now + u64::from(control.warp_barrier_cycles)),
                Reason::Barrier,
            ),
            Class::Fence => (
                later.max(now + u64::from(control.fence_cycles)),
                Reason::Membar,
            ),
            Class::Sleep => (later + SLEEP_CYCLES, Reason::Sleeping),
            Class::Memory
            | Class::SharedMemory
            | Class::ScalarMemory
            | Class::SpillStore
            | Class::SpillLoad => {
                self.memory(partition, number, inst, now, shared);
                (next, Reason::Wait)
            }
            _ => (next, Reason::Wait),
        }
    }

    /// Finds a warp's next instruction and when it can issue. The place of the block if executing
    /// something released other warps.
    fn prepare(
        &mut self,
        number: usize,
        now: u64,
        (mut from, mut reason): (u64, Reason),
        shared: &mut Shared<'_, '_>,
    ) -> Result<Option<usize>, End> {
        let mut released = None;
        loop {
            let slot = &mut self.slots[number];
            if slot.position < slot.end {
                let inst = &shared.stream.insts[slot.position as usize];
                // What did not execute, because its lanes went elsewhere, does not issue.
                if slot.stepped && !slot.reached(inst.source) {
                    slot.position += 1;
                    continue;
                }
                let partition = number / self.slots_per_partition;
                let wait = self.fetch.cost(partition, slot.position);
                if wait > 0 && now + wait > from {
                    (from, reason) = (now + wait, Reason::NoInstruction);
                }
                if let Some(address) = inst.constant
                    && let Some(constants) = &mut self.constants
                {
                    let wait = constants.operand_cycles(address.into(), now);
                    if wait > 0 && now + wait > from {
                        (from, reason) = (now + wait, Reason::ConstantMiss);
                    }
                }
                slot.wait_for(inst, from, reason);
                return Ok(released);
            }
            if !slot.stepped {
                // A segment without machine instructions.
                if let Some(place) = self.step(number, shared)? {
                    released = Some(place);
                }
                continue;
            }
            match shared.steps.next(slot.place, slot.warp) {
                Next::At(pc) => {
                    let segment = shared.stream.segment_of(pc);
                    let segment = segment.ok_or(End::Failed(TimingError::NotLowered(pc)))?;
                    slot.position = segment.insts.start;
                    slot.end = segment.insts.end;
                    slot.stepped = false;
                }
                Next::Waits => {
                    slot.ready_at = UNKNOWN;
                    slot.reason = Reason::Barrier;
                    slot.hold = Hold::Others;
                    return Ok(released);
                }
                Next::Exited => {
                    self.exit(number, now, shared);
                    return Ok(released);
                }
            }
        }
    }

    /// Warps of a block may go on: a barrier is complete.
    fn release(&mut self, place: usize, now: u64, shared: &mut Shared<'_, '_>) -> Result<(), End> {
        let mut places = vec![place];
        while let Some(place) = places.pop() {
            for number in 0..self.slots.len() {
                let slot = &self.slots[number];
                if !slot.live || slot.place != place || slot.hold != Hold::Others {
                    continue;
                }
                let cycles = shared.device.timing.control.barrier_cycles;
                let from = (now + u64::from(cycles).max(1), Reason::Barrier);
                places.extend(self.prepare(number, now, from, shared)?);
                let ready = self.slots[number].ready_at;
                let partition = &mut self.partitions[number / self.slots_per_partition];
                partition.next_try = partition.next_try.min(ready);
            }
        }
        Ok(())
    }
}

/// Cycles that a sleeping warp gives way for, whatever time it asks for.
const SLEEP_CYCLES: u64 = 40;
