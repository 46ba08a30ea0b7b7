//! Running a launch: which block and warp goes when.
//!
//! Blocks whose order cannot show run in chunks ([`Machine::run_chunk`]), on as many host threads
//! as the caller likes; each block of a chunk runs to its end before the next. All others run in
//! block order on one thread ([`Machine::run_serial`]): a block goes on until it finishes or makes
//! no progress by itself, then the next one runs, up to as many as the device holds.
//!
//! **Deadlock.** A block makes no progress when all its warps wait or spin without changing memory.
//! A block that goes round barriers without an end makes none either: its state comes back. If
//! either holds for all resident blocks, each spinning warp is watched: with memory standing
//! still, a warp whose whole state (registers, masks, groups) comes back is in a cycle that nobody
//! can break. When every warp waits or is in such a cycle, the launch ends with a report.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::barrier;
use crate::block::Block;
use crate::counters::{BlockCount, Counters};
use crate::deadlock;
use crate::diverge;
use crate::env::LaunchEnv;
use crate::exec::{Exec, FaultAt, Stop, run_warp};
use crate::fault::{Fault, FaultKind, Note};
use crate::host;
use crate::lanes::Regs;
use crate::machine::{AnyEnv, Launch, Machine};
use crate::memory::Memory;
use crate::observe::{NoObserver, Observer};
use crate::pattern::Pattern;
use crate::warp::{Group, GroupState};

/// How a launch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every thread has exited.
    Completed,
    /// A thread did something wrong.
    Fault(Box<Fault>),
    /// The instruction limit was reached.
    Limit,
    /// The caller's flag was raised.
    Interrupted,
}

/// What a launch, or a part of one, did.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What it did, exactly.
    pub counters: Counters,
    /// Oddities that are no faults, without repetitions.
    pub notes: Vec<Note>,
    /// Blocks that finished.
    pub blocks_done: u64,
}

/// Limits of a run.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Thread instructions that may issue.
    pub max_thread_instructions: u64,
    /// Ends the run soon after it is raised.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Limits<'_> {
    /// Whether the flag was raised.
    pub fn interrupted(&self) -> bool {
        self.interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// What a run tells its caller while it goes on.
pub struct Host<'a> {
    /// Takes the bytes that kernels print.
    pub output: &'a mut dyn FnMut(&[u8]),
    /// Hears how many blocks are done.
    pub progress: &'a mut dyn FnMut(u64),
}

/// Thread instructions after which the runner looks up: for interrupts, and for other warps.
const TURN_FUEL: i64 = 1 << 22;

/// Rounds over a block's warps before other resident blocks get a turn.
const ROUNDS_PER_TURN: u32 = 256;

impl Machine {
    /// Runs all blocks on this thread, in order, as many at a time as the device holds.
    pub fn run_serial(
        &mut self,
        launch: &Launch,
        limits: Limits<'_>,
        host: &mut Host<'_>,
    ) -> RunResult {
        self.run_observed(launch, limits, host, &mut NoObserver)
    }

    /// As [`Machine::run_serial`], watched.
    pub fn run_observed<O: Observer>(
        &mut self,
        launch: &Launch,
        limits: Limits<'_>,
        host: &mut Host<'_>,
        observer: &mut O,
    ) -> RunResult {
        match &launch.env {
            AnyEnv::Lanes32(env) => serial(self, env, launch, limits, host, observer),
            AnyEnv::Lanes64(env) => serial(self, env, launch, limits, host, observer),
        }
    }

    /// Runs some blocks, one after the other. Only for launches that are not order-dependent; such
    /// chunks may run at the same time on several threads.
    pub fn run_chunk(&self, launch: &Launch, blocks: Range<u64>, limits: Limits<'_>) -> RunResult {
        match &launch.env {
            AnyEnv::Lanes32(env) => chunk(self, env, blocks, limits),
            AnyEnv::Lanes64(env) => chunk(self, env, blocks, limits),
        }
    }
}

/// Notes kept of a launch.
const MAX_NOTES: usize = 64;

/// Adds notes to others, without repetitions, as far as there is room.
pub fn keep_notes(kept: &mut Vec<Note>, notes: impl IntoIterator<Item = Note>) {
    for note in notes {
        if kept.len() < MAX_NOTES && !kept.contains(&note) {
            kept.push(note);
        }
    }
}

/// What the blocks of a run share.
pub(crate) struct Runner<'m, const L: usize> {
    pub(crate) machine: &'m Machine,
    pub(crate) env: &'m LaunchEnv<L>,
    pub(crate) counters: Counters,
    pub(crate) patterns: Vec<Pattern<L>>,
    pub(crate) remaining: u64,
    pub(crate) exclusive: bool,
    /// Changes of memory that the blocks' turns have made.
    changes: u64,
    pub(crate) notes: Vec<Note>,
    pub(crate) blocks_done: u64,
}

/// What came of a block's turn.
enum Turn {
    Finished,
    /// Time is up; it made progress.
    Yielded,
    /// All its warps wait or spin.
    Stuck,
    /// A warp calls the host.
    HostCall(usize),
    End(Outcome),
}

impl<'m, const L: usize> Runner<'m, L> {
    pub(crate) fn new(
        machine: &'m Machine,
        env: &'m LaunchEnv<L>,
        limits: Limits<'_>,
        exclusive: bool,
    ) -> Self {
        Runner {
            machine,
            env,
            counters: Counters::new(machine.module()),
            patterns: vec![Pattern::new(); machine.program.patterns as usize],
            remaining: limits.max_thread_instructions,
            exclusive,
            changes: 0,
            notes: Vec::new(),
            blocks_done: 0,
        }
    }

    /// Runs one warp with at most `fuel` thread instructions.
    pub(crate) fn run_warp<O: Observer>(
        &mut self,
        memory: &Memory,
        block: &mut Block<L>,
        warp: usize,
        fuel: i64,
        observer: &mut O,
    ) -> Stop {
        let granted = fuel.min(i64::try_from(self.remaining).unwrap_or(i64::MAX));
        let mut x = Exec {
            program: &self.machine.program,
            env: self.env,
            memory,
            counters: &mut self.counters,
            patterns: &mut self.patterns,
            block: &mut block.parts,
            exclusive: self.exclusive,
            fuel: granted,
            regs: Regs::dangling(),
        };
        let stop = run_warp(&mut x, &mut block.warps[warp], observer);
        let used = granted - x.fuel;
        self.remaining = self.remaining.saturating_sub(used.max(0) as u64);
        stop
    }

    fn turn<O: Observer>(
        &mut self,
        memory: &Memory,
        block: &mut Block<L>,
        limits: Limits<'_>,
        observer: &mut O,
    ) -> Turn {
        let before = block.parts.mutations;
        let turn = self.rounds(memory, block, limits, observer);
        self.changes += block.parts.mutations - before;
        if !matches!(turn, Turn::Yielded) {
            return turn;
        }
        if limits.interrupted() {
            return Turn::End(Outcome::Interrupted);
        }
        // Time is not part of the state, and moves on.
        let circles = !self.machine.program.reads_clock
            && block.rounds.see(&block.parts, &block.warps, self.changes);
        if circles { Turn::Stuck } else { Turn::Yielded }
    }

    /// Lets a block's warps take turns until it finishes or makes no progress, or for a while.
    fn rounds<O: Observer>(
        &mut self,
        memory: &Memory,
        block: &mut Block<L>,
        limits: Limits<'_>,
        observer: &mut O,
    ) -> Turn {
        for _ in 0..ROUNDS_PER_TURN {
            let mutations = block.parts.mutations;
            let mut progress = false;
            for _ in 0..block.warps.len() {
                let number = block.next_warp;
                if !block.warps[number].groups.is_empty() {
                    match self.run_one(memory, block, number, limits, observer) {
                        Ok(more) => progress |= more,
                        Err(turn) => return turn,
                    }
                }
                let next = number + 1;
                block.next_warp = if next == block.warps.len() { 0 } else { next };
            }
            if block.finished() {
                return Turn::Finished;
            }
            if !progress && block.parts.mutations == mutations {
                return Turn::Stuck;
            }
        }
        Turn::Yielded
    }

    /// Runs one warp until it waits, spins or has used its turn; whether it got anywhere.
    fn run_one<O: Observer>(
        &mut self,
        memory: &Memory,
        block: &mut Block<L>,
        number: usize,
        limits: Limits<'_>,
        observer: &mut O,
    ) -> Result<bool, Turn> {
        let mut progress = false;
        for _ in 0..ROUNDS_PER_TURN {
            match self.run_warp(memory, block, number, TURN_FUEL, observer) {
                Stop::Exited => {
                    self.complete_barriers(block, observer);
                    return Ok(true);
                }
                Stop::Blocked => return Ok(progress),
                Stop::Barrier => {
                    progress |= self.complete_barriers(block, observer);
                    let warp = &block.warps[number];
                    let runs = warp
                        .groups
                        .get(warp.current)
                        .is_some_and(|group| group.state == GroupState::Ready);
                    // Warps take turns at barriers, except that one which need not wait goes on;
                    // lanes held at a reconvergence point may do so (see `release_waiters`).
                    let waits = |group: &Group| group.state != GroupState::Ready;
                    if !runs
                        && warp.groups.iter().all(waits)
                        && warp.waiting_scopes().next().is_none()
                    {
                        return Ok(progress);
                    }
                }
                Stop::Spinning => return Ok(progress),
                Stop::Fuel => {
                    if self.remaining == 0 {
                        return Err(Turn::End(Outcome::Limit));
                    }
                    if limits.interrupted() {
                        return Err(Turn::End(Outcome::Interrupted));
                    }
                    return Ok(true);
                }
                Stop::HostCall => return Err(Turn::HostCall(number)),
                Stop::Fault(fault) => {
                    return Err(Turn::End(Outcome::Fault(self.fault(*fault, block, number))));
                }
            }
        }
        Ok(true)
    }

    pub(crate) fn complete_barriers<O: Observer>(
        &self,
        block: &mut Block<L>,
        observer: &mut O,
    ) -> bool {
        barrier::complete(
            &self.machine.program,
            self.env,
            &mut block.parts,
            &mut block.warps,
            observer,
        )
    }

    pub(crate) fn fault(&self, fault: FaultAt, block: &Block<L>, warp: usize) -> Box<Fault> {
        let module = self.machine.module();
        let state = &block.warps[warp];
        let pc = state.groups.get(state.current).map_or(0, |group| group.pc);
        let lane = if fault.lanes == 0 {
            0
        } else {
            fault.lanes.trailing_zeros()
        };
        Box::new(Fault {
            kind: fault.kind,
            kernel: module.function(self.env.kernel).name.clone(),
            pc,
            origin: module.origins.get(pc as usize).copied().unwrap_or_default(),
            block: block.parts.index,
            thread: self
                .env
                .thread_index(state.index * self.env.warp_width + lane),
            lanes: fault.lanes,
        })
    }

    /// Takes what had been counted ahead in unfinished basic blocks off the counters.
    fn cut_off(&mut self, block: &Block<L>, faulting: Option<(usize, usize)>) {
        let module = self.machine.module();
        for (w, warp) in block.warps.iter().enumerate() {
            for (g, group) in warp.groups.iter().enumerate() {
                let after = module.blocks.partition_point(|b| b.start < group.pc);
                let Some(basic) = after.checked_sub(1).map(|i| &module.blocks[i]) else {
                    continue;
                };
                if group.pc >= basic.end {
                    continue;
                }
                // What waits, or failed, has issued.
                let issued = group.state != GroupState::Ready
                    || group.issued == group.pc
                    || faulting == Some((w, g));
                let lanes = u64::from(group.mask.count_ones());
                let from = group.pc + u32::from(issued);
                for pc in from..basic.end {
                    if !module.code[pc as usize].flags.fused() {
                        self.counters
                            .cut
                            .push((pc, BlockCount { entries: 1, lanes }));
                    }
                }
            }
        }
    }

    pub(crate) fn keep_notes(&mut self, block: &mut Block<L>) {
        keep_notes(&mut self.notes, block.parts.notes.drain(..));
    }

    /// What is wrong when a launch calls the host that was declared free of such calls, which make it
    /// order-dependent.
    pub(crate) fn undeclared_host_call(&self, block: &Block<L>, warp: usize) -> Box<Fault> {
        let what = "host call in a launch that was declared free of them".to_owned();
        let fault = FaultAt {
            kind: FaultKind::HostCall { what },
            lanes: block.warps[warp].live(),
        };
        self.fault(fault, block, warp)
    }

    /// Watches spinning warps for `states` states each; the report if nobody can ever go on.
    pub(crate) fn deadlock(
        &mut self,
        memory: &Memory,
        blocks: &mut [&mut Block<L>],
        states: u32,
    ) -> Option<Box<Fault>> {
        let before: u64 = blocks.iter().map(|block| block.parts.mutations).sum();
        for block in blocks.iter_mut().filter(|block| !block.rounds.circles) {
            for warp in 0..block.warps.len() {
                let mut watch = deadlock::Watch::new(states);
                let mut still = |runner: &mut Self, block: &mut Block<L>| {
                    if block.warps[warp].groups.is_empty() {
                        return Some(true);
                    }
                    // No fuel: stops at the next block entry.
                    match runner.run_warp(memory, block, warp, 0, &mut NoObserver) {
                        Stop::Blocked => Some(true),
                        Stop::Fuel | Stop::Spinning if runner.remaining > 0 => {
                            watch.see(&block.warps[warp])
                        }
                        _ => Some(false),
                    }
                };
                loop {
                    match still(self, block) {
                        Some(true) => break,
                        Some(false) => return None,
                        None => {}
                    }
                }
            }
        }
        let after: u64 = blocks.iter().map(|block| block.parts.mutations).sum();
        if before != after {
            return None;
        }
        self.report(blocks)
    }

    /// The report of blocks whose warps can none of them ever go on; none if some can after all.
    pub(crate) fn report(&self, blocks: &mut [&mut Block<L>]) -> Option<Box<Fault>> {
        // Under independent threads, lanes that wait at a reconvergence point may be the way out.
        let warps = blocks.iter_mut().flat_map(|block| &mut block.warps);
        let released = warps
            .filter(|warp| !warp.groups.is_empty())
            .map(|warp| diverge::release_waiters(&self.machine.program, self.env.divergence, warp))
            .fold(false, |any, released| any | released);
        if released {
            return None;
        }
        let first = blocks.first()?;
        let waits = deadlock::waits(&self.machine.program, self.env, blocks);
        let module = self.machine.module();
        let pc = waits.first().map_or(0, |wait| wait.pc);
        let lanes = waits.first().map_or(0, |wait| wait.lanes);
        Some(Box::new(Fault {
            pc,
            origin: module.origins.get(pc as usize).copied().unwrap_or_default(),
            block: waits.first().map_or(first.parts.index, |wait| wait.block),
            thread: self.env.thread_index(
                waits.first().map_or(0, |wait| wait.warp) * self.env.warp_width
                    + if lanes == 0 {
                        0
                    } else {
                        lanes.trailing_zeros()
                    },
            ),
            lanes,
            kernel: module.function(self.env.kernel).name.clone(),
            kind: FaultKind::Deadlock { waits },
        }))
    }

    pub(crate) fn end(
        mut self,
        outcome: Outcome,
        resident: &mut [&mut Block<L>],
        culprit: Option<usize>,
    ) -> RunResult {
        for (i, block) in resident.iter_mut().enumerate() {
            let faulting = match (&outcome, culprit) {
                (Outcome::Fault(fault), Some(at)) if at == i => {
                    let warps = block.warps.iter().enumerate();
                    let mut found = warps.filter_map(|(w, warp)| {
                        let group = warp.groups.get(warp.current)?;
                        (group.pc == fault.pc).then_some((w, warp.current))
                    });
                    found.next()
                }
                _ => None,
            };
            self.cut_off(block, faulting);
            self.keep_notes(block);
        }
        RunResult {
            outcome,
            counters: self.counters,
            notes: self.notes,
            blocks_done: self.blocks_done,
        }
    }
}

/// Counts how often nothing happened, to look for deadlocks ever more rarely and thoroughly: a
/// loop that computes for long without storing should not spend its time being watched.
#[derive(Default)]
struct Quiet(u32);

/// States to watch at the first look, and at most.
const STATES: std::ops::RangeInclusive<u32> = 64..=1 << 14;

impl Quiet {
    /// How many states to watch, if it is time to look.
    fn look_now(&mut self) -> Option<u32> {
        self.0 += 1;
        let states = self.0.saturating_mul(*STATES.start()).min(*STATES.end());
        self.0.is_power_of_two().then_some(states)
    }
}

fn chunk<const L: usize>(
    machine: &Machine,
    env: &LaunchEnv<L>,
    blocks: Range<u64>,
    limits: Limits<'_>,
) -> RunResult {
    let mut runner = Runner::new(machine, env, limits, false);
    let mut kept: Option<Block<L>> = None;
    for number in blocks {
        let mut block = Block::enter_or_new(kept.take(), env, number);
        let mut quiet = Quiet::default();
        loop {
            match runner.turn(&machine.memory, &mut block, limits, &mut NoObserver) {
                Turn::Finished => break,
                Turn::Yielded => quiet = Quiet::default(),
                Turn::Stuck => {
                    let found = quiet.look_now().and_then(|states| {
                        runner.deadlock(&machine.memory, &mut [&mut block], states)
                    });
                    if let Some(fault) = found {
                        return runner.end(Outcome::Fault(fault), &mut [&mut block], None);
                    }
                    if limits.interrupted() {
                        return runner.end(Outcome::Interrupted, &mut [&mut block], None);
                    }
                    if runner.remaining == 0 {
                        return runner.end(Outcome::Limit, &mut [&mut block], None);
                    }
                }
                Turn::HostCall(warp) => {
                    let fault = runner.undeclared_host_call(&block, warp);
                    return runner.end(Outcome::Fault(fault), &mut [&mut block], Some(0));
                }
                Turn::End(outcome) => return runner.end(outcome, &mut [&mut block], Some(0)),
            }
        }
        runner.blocks_done += 1;
        runner.keep_notes(&mut block);
        kept = Some(block);
    }
    runner.end(Outcome::Completed, &mut [], None)
}

fn serial<const L: usize, O: Observer>(
    machine: &mut Machine,
    env: &LaunchEnv<L>,
    launch: &Launch,
    limits: Limits<'_>,
    host: &mut Host<'_>,
    observer: &mut O,
) -> RunResult {
    let mut memory = std::mem::take(&mut machine.memory);
    let result = serial_in(machine, &mut memory, env, launch, limits, host, observer);
    machine.memory = memory;
    result
}

fn serial_in<const L: usize, O: Observer>(
    machine: &Machine,
    memory: &mut Memory,
    env: &LaunchEnv<L>,
    launch: &Launch,
    limits: Limits<'_>,
    host: &mut Host<'_>,
    observer: &mut O,
) -> RunResult {
    let mut runner = Runner::new(machine, env, limits, true);
    let mut resident: VecDeque<Block<L>> = VecDeque::new();
    let mut kept: Option<Block<L>> = None;
    let mut next = 0;
    let mut quiet = Quiet::default();
    loop {
        let mut progress = false;
        // Those that are there, then new ones while there is room.
        let mut position = 0;
        loop {
            if position == resident.len() {
                let room = (resident.len() as u64) < launch.resident_blocks;
                if !room || next == launch.blocks {
                    break;
                }
                resident.push_back(Block::enter_or_new(kept.take(), env, next));
                next += 1;
                progress = true;
            }
            let block = &mut resident[position];
            let mutations = block.parts.mutations;
            match runner.turn(memory, block, limits, observer) {
                Turn::Finished => {
                    runner.blocks_done += 1;
                    runner.keep_notes(block);
                    if O::ACTIVE {
                        observer.block_done(block.parts.index);
                    }
                    kept = resident.remove(position);
                    (host.progress)(runner.blocks_done);
                    progress = true;
                    continue;
                }
                Turn::Yielded => progress = true,
                Turn::Stuck => progress |= block.parts.mutations != mutations,
                Turn::HostCall(warp) => {
                    let heap = machine.config.heap_limit_bytes;
                    let program = &machine.program;
                    let output = &mut *host.output;
                    let done = host::call(program, env, memory, heap, output, block, warp);
                    // Allocations have changed: what instructions remember of them is stale.
                    runner.patterns.fill(Pattern::new());
                    if let Err(fault) = done {
                        let fault = runner.fault(*fault, block, warp);
                        let mut all: Vec<_> = resident.iter_mut().collect();
                        return runner.end(Outcome::Fault(fault), &mut all, Some(position));
                    }
                    // The same block goes on.
                    progress = true;
                    continue;
                }
                Turn::End(outcome) => {
                    let mut all: Vec<_> = resident.iter_mut().collect();
                    return runner.end(outcome, &mut all, Some(position));
                }
            }
            position += 1;
        }
        if resident.is_empty() {
            return runner.end(Outcome::Completed, &mut [], None);
        }
        if progress {
            quiet = Quiet::default();
            continue;
        }
        let ended = if limits.interrupted() {
            Some(Outcome::Interrupted)
        } else if runner.remaining == 0 {
            Some(Outcome::Limit)
        } else {
            quiet.look_now().and_then(|states| {
                let mut all: Vec<_> = resident.iter_mut().collect();
                runner
                    .deadlock(memory, &mut all, states)
                    .map(Outcome::Fault)
            })
        };
        if let Some(outcome) = ended {
            let mut all: Vec<_> = resident.iter_mut().collect();
            return runner.end(outcome, &mut all, None);
        }
    }
}
