//! A warp's place in an SM: where it stands in the stream, and which registers it waits for.

use warploom_isa::Pc;
use warploom_machine::Events;

use super::wait_counters::{Ticket, WaitCounters};
use crate::costs::Cost;
use crate::stall::Reason;
use crate::stream::{Class, Counting, Reg, TimedInst, WaitCounter};

/// A time that is not known yet.
pub const UNKNOWN: u64 = u64::MAX;

/// When a register's last value can be used.
#[derive(Clone, Copy, Debug)]
struct Ready {
    /// By an instruction of the same class.
    same: u64,
    /// By any other.
    other: u64,
    class: Class,
    reason: Reason,
}

impl Ready {
    const ALWAYS: Ready = Ready {
        same: 0,
        other: 0,
        class: Class::Int32,
        reason: Reason::Wait,
    };
}

/// What keeps a warp from issuing its next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// Nothing from `ready_at` on.
    Until,
    /// A register whose time is not known yet.
    Register,
    /// Other warps or lanes.
    Others,
    /// It has exited; its stores are still on their way.
    Stores,
}

/// The span of a segment that has executed nothing.
const NOTHING: [Pc; 2] = [1, 0];

/// A warp's place.
#[derive(Clone, Debug)]
pub struct Slot {
    /// A warp is there.
    pub live: bool,
    /// Counts the warps that the slot has had.
    pub generation: u64,
    /// The place of its block in the functional machine.
    pub place: usize,
    /// Its block's number in the grid.
    pub block: u64,
    /// Its number in the block.
    pub warp: usize,
    /// When it came.
    pub entered: u64,
    /// Next instruction in the stream, and the end of its segment.
    pub position: u32,
    /// See `position`.
    pub end: u32,
    /// The segment has been executed: `events` tells what happened.
    pub stepped: bool,
    /// What happened in the segment.
    pub events: Events,
    /// The first and the last source instruction of the segment that issued; the first comes after the
    /// last if none did.
    span: [Pc; 2],
    /// The first cycle in which the next instruction can issue, as far as the warp goes.
    pub ready_at: u64,
    /// What it waits for until then.
    pub reason: Reason,
    /// How.
    pub hold: Hold,
    /// The cycle of its last issue, and how many there were in it.
    pub last_issue: (u64, u32),
    /// From when on it waits: the cycle after its last issue.
    pub since: u64,
    /// Cycles since `ready_at` in which another warp was preferred.
    pub passed_over: u64,
    /// When its last result is there.
    pub last_result: u64,
    /// Stores, and atomics without a result, that have not reached the L2.
    pub stores: u32,
    /// The source instruction of its last issue.
    pub last_source: Pc,
    registers: Vec<Ready>,
    /// While the next instruction waits for counters: when it could issue but for them; else
    /// [`UNKNOWN`].
    pub counts_from: u64,
    /// None before an access has raised one.
    counters: Option<Box<WaitCounters>>,
}

impl Slot {
    /// An empty place.
    pub fn new() -> Slot {
        Slot {
            live: false,
            generation: 0,
            place: 0,
            block: 0,
            warp: 0,
            entered: 0,
            position: 0,
            end: 0,
            stepped: false,
            events: Events::default(),
            span: NOTHING,
            ready_at: UNKNOWN,
            reason: Reason::Wait,
            hold: Hold::Until,
            last_issue: (0, 0),
            since: 0,
            passed_over: 0,
            last_result: 0,
            stores: 0,
            last_source: 0,
            registers: Vec::new(),
            counts_from: UNKNOWN,
            counters: None,
        }
    }

    /// A new warp takes the place.
    pub fn enter(&mut self, place: usize, (block, warp): (u64, usize), at: u64, registers: u32) {
        self.live = true;
        self.generation += 1;
        self.place = place;
        self.block = block;
        self.warp = warp;
        self.entered = at;
        self.position = 0;
        self.end = 0;
        self.stepped = true;
        self.events.clear();
        self.span = NOTHING;
        self.ready_at = at;
        self.reason = Reason::Wait;
        self.hold = Hold::Until;
        self.last_issue = (at, 0);
        self.since = at;
        self.passed_over = 0;
        self.last_result = at;
        self.stores = 0;
        self.counts_from = UNKNOWN;
        self.counters = None;
        self.registers.clear();
        self.registers.resize(registers as usize, Ready::ALWAYS);
    }

    /// Notes which instructions the segment has executed.
    pub fn executed(&mut self) {
        let span = self.events.span();
        self.span = span.map_or(NOTHING, |span| [*span.start(), *span.end()]);
    }

    /// Whether the segment has executed an instruction of its code.
    pub fn reached(&self, source: Pc) -> bool {
        let [first, last] = self.span;
        (first..=last).contains(&source)
    }

    /// Counts an issue; how many there have been in this cycle.
    pub fn issues_at(&mut self, now: u64) -> u32 {
        let (cycle, before) = self.last_issue;
        let issues = if cycle == now { before + 1 } else { 1 };
        self.last_issue = (now, issues);
        issues
    }

    /// Notes that an instruction writes its registers at times that its pipeline knows.
    pub fn write(&mut self, inst: &TimedInst, cost: &Cost, now: u64) {
        let reason = if cost.fixed {
            Reason::Wait
        } else {
            Reason::ShortScoreboard
        };
        self.last_result = self.last_result.max(now + cost.same_cycles);
        for &reg in &inst.defs {
            self.registers[reg as usize] = Ready {
                same: now + cost.same_cycles,
                other: now + cost.other_cycles,
                class: inst.class,
                reason,
            };
        }
    }

    /// Notes when registers are there, or that it is not known ([`UNKNOWN`]).
    pub fn expect(&mut self, regs: &[Reg], at: u64, reason: Reason) {
        if at != UNKNOWN {
            self.last_result = self.last_result.max(at);
        }
        for &reg in regs {
            self.registers[reg as usize] = Ready {
                same: at,
                other: at,
                class: Class::Memory,
                reason,
            };
        }
    }

    /// An access raises a counter.
    pub fn raise(&mut self, counter: WaitCounter, in_order: bool, now: u64) -> Ticket {
        let counters = self.counters.get_or_insert_default();
        counters.raise(counter, in_order, now)
    }

    /// It becomes known when an access is done that has raised a counter.
    pub fn counted(&mut self, ticket: Ticket, at: u64) {
        if let Some(counters) = &mut self.counters {
            counters.done(ticket, at);
        }
    }

    /// Works out when an instruction can issue, not before `from` for `reason`.
    pub fn wait_for(&mut self, inst: &TimedInst, from: u64, reason: Reason) {
        let (mut at, mut why) = (from, reason);
        for &reg in inst.uses.iter().chain(&inst.defs) {
            let ready = &self.registers[reg as usize];
            let time = if ready.class == inst.class {
                ready.same
            } else {
                ready.other
            };
            if time > at {
                (at, why) = (time, ready.reason);
            }
        }
        self.counts_from = UNKNOWN;
        if let (Counting::Waits(most), Some(counters)) = (inst.counting, &self.counters) {
            self.counts_from = from;
            for (counter, most) in WaitCounter::ALL.into_iter().zip(most) {
                let time = counters.at_most(counter, most);
                if time > at {
                    (at, why) = (time, counter_reason(counter));
                }
            }
        }
        self.ready_at = at;
        self.reason = why;
        self.hold = if at == UNKNOWN {
            Hold::Register
        } else {
            Hold::Until
        };
    }
}

/// What a warp waits for that waits for a counter.
fn counter_reason(counter: WaitCounter) -> Reason {
    match counter {
        WaitCounter::Vector => Reason::LongScoreboard,
        WaitCounter::Lgkm | WaitCounter::Export => Reason::ShortScoreboard,
    }
}
