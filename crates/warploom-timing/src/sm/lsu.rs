//! The way of memory instructions through an SM: a queue, the pipeline that all partitions share,
//! shared memory and the L1.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warploom_device::{Device, Scheduler};
use warploom_isa::Space;
use warploom_machine::AccessKind;

use crate::memory::{AtomicAccess, L1, L1Access, L1Outcome, LineShape, Request, RequestKind};
use crate::stall::Reason;
use crate::stream::Reg;

use super::victims::Victims;
use super::wait_counters::Ticket;

/// A memory instruction in the queue.
#[derive(Clone, Debug)]
pub struct MemoryOp {
    /// When it arrives.
    pub at: u64,
    /// What waits for it: for its result, or to leave the SM after it.
    pub waiter: Option<u32>,
    /// The slot of its warp.
    pub slot: u32,
    /// Where it goes; never generic.
    pub space: Space,
    /// What it does.
    pub kind: AccessKind,
    /// A register waits for its result.
    pub returns: bool,
    /// Whole cycles for which it occupies the pipeline.
    pub service_cycles: u64,
    /// Lines that are looked up for it, some of them in a cycle.
    pub lookups: u64,
    /// Cycles after its start until its result is there, if no cache is asked.
    pub latency_cycles: u64,
    /// Lines that it asks the L1 for.
    pub lines: SmallVec<[AtomicAccess; 4]>,
}

/// What of a warp waits for memory: registers, or, without any, its end.
#[derive(Clone, Debug)]
pub struct Waiter {
    /// The warp's slot.
    pub slot: u32,
    /// Which of the slot's warps.
    pub generation: u64,
    /// The registers.
    pub regs: SmallVec<[Reg; 2]>,
    /// Answers that are missing.
    pub missing: u32,
    /// The last answer so far.
    pub latest: u64,
    /// What the warp waits for.
    pub reason: Reason,
    /// The counter that the access has raised.
    pub ticket: Option<Ticket>,
}

/// A request that leaves the SM.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The request.
    pub request: Request,
    /// Whose answer it is.
    pub token: Token,
}

/// What an answer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// A miss of the L1.
    Miss(u32),
    /// One waiter, past the L1.
    Waiter(u32),
    /// Nobody: a store is done.
    Store,
}

/// The shared memory pipeline of an SM.
pub struct Lsu {
    queue: VecDeque<MemoryOp>,
    /// When the pipeline takes the next instruction, in parts of a cycle: as many as lines that are
    /// looked up in one.
    free_parts: u64,
    parts_per_cycle: u64,
    /// The first instruction waits for an entry of the L1's miss table, or for stores to leave.
    blocked: bool,
    l1: Option<L1>,
    shape: LineShape,
    waiters: Vec<Waiter>,
    free_waiters: Vec<u32>,
    /// Waiters of a miss.
    misses: FxHashMap<u32, SmallVec<[u32; 4]>>,
    stores_out: u32,
    store_limit: u32,
    limit: usize,
    /// Instructions in the queue by partition, and how many of a partition may wait if it is full.
    queued: Vec<u32>,
    partition_limit: u32,
    slots_per_partition: u32,
    sm: u32,
    /// Where a scheduler wants to know who misses lines that it has lost.
    victims: Option<Victims>,
    /// Slots that missed such lines.
    lost: Vec<u32>,
}

/// Registers whose time has become known.
pub struct Answer {
    /// Whose.
    pub waiter: Waiter,
}

impl Lsu {
    /// For one SM; without an L1 where every access takes the same time.
    pub fn new(device: &Device, sm: u32, l1_bytes: Option<u64>, slots_per_partition: usize) -> Lsu {
        let watches = device.timing.issue.scheduler == Scheduler::Ccws;
        let mut l1 = l1_bytes.map(|bytes| L1::new(device, bytes));
        if let Some(l1) = l1.as_mut().filter(|_| watches) {
            l1.watch_evictions();
        }
        Lsu {
            queue: VecDeque::new(),
            free_parts: 0,
            parts_per_cycle: device.timing.l1.lines_per_cycle.max(1).into(),
            blocked: false,
            l1,
            shape: LineShape::l1(device),
            waiters: Vec::new(),
            free_waiters: Vec::new(),
            misses: FxHashMap::default(),
            stores_out: 0,
            store_limit: device.timing.l1.mshr_entries,
            limit: device.timing.lsu.sm_queue_entries as usize,
            queued: vec![0; device.schedulers_per_sm.max(1) as usize],
            partition_limit: device.timing.lsu.partition_queue_entries,
            slots_per_partition: slots_per_partition.max(1) as u32,
            sm,
            victims: watches.then(Victims::default),
            lost: Vec::new(),
        }
    }

    /// The L1, for its counts.
    pub fn l1(&self) -> Option<&L1> {
        self.l1.as_ref()
    }

    /// How full it is: instructions in the queue, sectors that the L1 waits for, stores on the way.
    pub fn fill(&self) -> [u32; 3] {
        let sectors = self.l1.as_ref().map_or(0, L1::outstanding_sectors);
        [self.queue.len() as u32, sectors, self.stores_out]
    }

    /// A warp takes a slot.
    pub fn enter(&mut self, slot: u32) {
        if let Some(victims) = &mut self.victims {
            victims.enter(slot);
        }
    }

    /// A slot whose warp has missed a line that it had lost.
    pub fn lost_locality(&mut self) -> Option<u32> {
        self.lost.pop()
    }

    /// Whether the queue that the partitions share is full.
    pub fn is_full(&self) -> bool {
        self.queue.len() >= self.limit
    }

    /// Whether the queue takes another instruction of a partition, or the partition's own does.
    pub fn has_room(&self, partition: usize) -> bool {
        !self.is_full() || self.queued[partition] < self.partition_limit
    }

    fn free_at(&self) -> u64 {
        self.free_parts / self.parts_per_cycle
    }

    /// The pipeline serves an instruction from `start` on. After the first line, more are looked up
    /// in parts of a cycle, which add up over instructions.
    fn occupy(&mut self, op: &MemoryOp, start: u64) {
        let lookups = match op.lookups {
            0 => 0,
            lines => lines + self.parts_per_cycle - 1,
        };
        let parts = (op.service_cycles * self.parts_per_cycle).max(lookups);
        self.free_parts = self.free_parts.max(start * self.parts_per_cycle) + parts;
    }

    /// When it can next do something.
    pub fn next_at(&self) -> u64 {
        match self.queue.front() {
            Some(op) if !self.blocked => op.at.max(self.free_at()),
            _ => u64::MAX,
        }
    }

    /// Registers a waiter; `missing` answers come.
    pub fn wait(&mut self, waiter: Waiter) -> u32 {
        if let Some(number) = self.free_waiters.pop() {
            self.waiters[number as usize] = waiter;
            number
        } else {
            self.waiters.push(waiter);
            self.waiters.len() as u32 - 1
        }
    }

    /// Takes an instruction. Those of all partitions are served in the order in which they arrive.
    pub fn push(&mut self, op: MemoryOp) {
        self.queued[(op.slot / self.slots_per_partition) as usize] += 1;
        let before = self.queue.iter().rposition(|other| other.at <= op.at);
        self.queue.insert(before.map_or(0, |at| at + 1), op);
    }

    /// Works until `now`. Requests that leave the SM go to `out`; what has become known to
    /// `answers`.
    pub fn process(&mut self, now: u64, out: &mut Vec<Outgoing>, answers: &mut Vec<Answer>) {
        while !self.blocked {
            let Some(op) = self.queue.front() else {
                return;
            };
            let start = op.at.max(self.free_at());
            if start > now {
                return;
            }
            let Some(mut op) = self.queue.pop_front() else {
                return;
            };
            if !self.start(&mut op, start, out, answers) {
                self.blocked = true;
                self.queue.push_front(op);
            } else {
                self.queued[(op.slot / self.slots_per_partition) as usize] -= 1;
            }
        }
    }

    /// Starts an instruction; false if it has to wait for an answer first.
    fn start(
        &mut self,
        op: &mut MemoryOp,
        start: u64,
        out: &mut Vec<Outgoing>,
        answers: &mut Vec<Answer>,
    ) -> bool {
        let global = matches!(op.space, Space::Global | Space::Local | Space::Generic);
        let Some(l1) = self.l1.as_mut().filter(|_| global) else {
            self.occupy(op, start);
            let at = start + op.latency_cycles + op.service_cycles - 1;
            self.answer(op.waiter, at, answers);
            return true;
        };
        while let Some(&atomic) = op.lines.last() {
            let line = atomic.access;
            let kind = match op.kind {
                AccessKind::Load => L1Access::Load,
                AccessKind::Store => L1Access::Store,
                AccessKind::Atomic => L1Access::Atomic,
            };
            let sends = kind != L1Access::Load;
            if sends && self.stores_out >= self.store_limit {
                return false;
            }
            match l1.access(&line, kind) {
                L1Outcome::Hit { ready_cycles } => {
                    let at = start + u64::from(ready_cycles) + op.service_cycles - 1;
                    if let Some(number) = op.waiter {
                        let waiter = &mut self.waiters[number as usize];
                        waiter.latest = waiter.latest.max(at);
                        waiter.missing -= 1;
                    }
                }
                L1Outcome::Miss { id, sectors } => {
                    out.push(Outgoing {
                        request: Request {
                            issue_cycle: start,
                            sm: self.sm,
                            line: line.line,
                            sectors,
                            kind: RequestKind::Read,
                        },
                        token: Token::Miss(id),
                    });
                    if let Some(number) = op.waiter {
                        self.misses.entry(id).or_default().push(number);
                        let slot = self.waiters[number as usize].slot;
                        if let Some(victims) = &mut self.victims
                            && victims.miss(slot, line.line)
                        {
                            self.lost.push(slot);
                        }
                    }
                }
                L1Outcome::Merged { id } => {
                    if let Some(number) = op.waiter {
                        self.misses.entry(id).or_default().push(number);
                    }
                }
                L1Outcome::Sent => {
                    self.stores_out += 1;
                    let kind = if op.kind == AccessKind::Atomic {
                        RequestKind::Atomic {
                            operations: atomic.operations,
                            same_address: atomic.same_address,
                            returns: op.returns,
                        }
                    } else {
                        let bytes = self.shape.bytes(line.sectors);
                        RequestKind::Write { bytes }
                    };
                    let token = op.waiter.map_or(Token::Store, Token::Waiter);
                    out.push(Outgoing {
                        request: Request {
                            issue_cycle: start,
                            sm: self.sm,
                            line: line.line,
                            sectors: line.sectors,
                            kind,
                        },
                        token,
                    });
                }
                L1Outcome::Stall => return false,
            }
            note_evictions(l1, self.victims.as_mut());
            op.lines.pop();
        }
        self.occupy(op, start);
        if let Some(number) = op.waiter
            && self.waiters[number as usize].missing == 0
        {
            let at = self.waiters[number as usize].latest;
            self.answer(Some(number), at, answers);
        }
        true
    }

    fn answer(&mut self, waiter: Option<u32>, at: u64, answers: &mut Vec<Answer>) {
        let Some(number) = waiter else {
            return;
        };
        let mut waiter = self.waiters[number as usize].clone();
        waiter.latest = waiter.latest.max(at);
        self.free_waiters.push(number);
        answers.push(Answer { waiter });
    }

    /// The answer to a request arrives.
    pub fn respond(&mut self, now: u64, token: Token, answers: &mut Vec<Answer>) {
        let numbers: SmallVec<[u32; 4]> = match token {
            Token::Store => {
                self.stores_out -= 1;
                SmallVec::new()
            }
            Token::Waiter(number) => {
                self.stores_out -= 1;
                SmallVec::from_slice(&[number])
            }
            Token::Miss(id) => {
                if let Some(l1) = &mut self.l1 {
                    l1.fill(id);
                    note_evictions(l1, self.victims.as_mut());
                }
                self.misses.remove(&id).unwrap_or_default()
            }
        };
        self.blocked = false;
        for number in numbers {
            let waiter = &mut self.waiters[number as usize];
            waiter.missing -= 1;
            waiter.latest = waiter.latest.max(now);
            // An instruction that is still at the head of the queue has more to ask for.
            if waiter.missing == 0 {
                self.answer(Some(number), now, answers);
            }
        }
    }
}

/// Tells the victim tags which lines have left the L1.
fn note_evictions(l1: &mut L1, victims: Option<&mut Victims>) {
    if let Some(victims) = victims {
        while let Some(line) = l1.evicted() {
            victims.evict(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four lines a cycle behind the first: three lines take a cycle and a half, so that two such
    /// loads take three cycles; nine take three (measured: 1.63 and 3.03).
    #[test]
    fn lookups_take_parts_of_a_cycle() {
        let device = Device::by_name("a100-40").unwrap();
        let starts = |lookups: u64| {
            let mut lsu = Lsu::new(&device, 0, None, 16);
            let op = MemoryOp {
                at: 0,
                waiter: None,
                slot: 0,
                space: Space::Global,
                kind: AccessKind::Load,
                returns: true,
                service_cycles: lookups.div_ceil(4),
                lookups,
                latency_cycles: 1,
                lines: SmallVec::new(),
            };
            let mut starts = Vec::new();
            for _ in 0..4 {
                lsu.push(op.clone());
                let at = lsu.next_at();
                lsu.process(at, &mut Vec::new(), &mut Vec::new());
                starts.push(at);
            }
            starts
        };
        assert_eq!(starts(1), [0, 1, 2, 3]);
        assert_eq!(starts(3), [0, 1, 3, 4]);
        assert_eq!(starts(7), [0, 2, 5, 7]);
        assert_eq!(starts(9), [0, 3, 6, 9]);
    }
}
