//! A chip at work: its SMs side by side, and the memory that they share.
//!
//! SMs run one after the other through an *epoch* no longer than the shortest time between a request
//! and its answer; so nothing that one of them asks for can concern another within it. Then the
//! requests of all of them go to memory, in the order of their cycles, and blocks to where there has
//! been room, in the same order. Epochs in which nothing can happen are skipped.
//!
//! # Host threads
//!
//! What an SM does in an epoch depends on itself, on answers that were announced before, and on the
//! functional steps of its own warps. If the order of blocks cannot show in the launch's result, the
//! steps of one SM cannot concern another either, and groups of SMs (`group.rs`) go through the epoch
//! on several host threads. No digit depends on how many there are, or on who is first:
//!
//! - how SMs are grouped is a matter of the device and the grid, and each group has counts and a
//!   functional machine of its own, which are added up in the order of the groups;
//! - requests, and SMs with room for a block, are sorted by (cycle, SM, sequence) after the epoch;
//! - an epoch is always finished by all groups. If several of them end the run in it, the first in order
//!   says how; the instruction limit is looked at between epochs.
//!
//! Where the order of blocks can show, there is one group, on the caller's thread.

use warploom_device::Device;
use warploom_machine::{Host, Launch, Limits, Machine, Outcome, RunResult, Stepping, Stops};

use crate::costs::Costs;
use crate::crew::{Alone, Crew};
use crate::group::Group;
use crate::memory::{MemoryCounters, MemorySystem};
use crate::sm::lsu::Outgoing;
use crate::sm::{Dispatcher, End, Sm};
use crate::stream::Stream;
use crate::tally::Tally;
use crate::trace::Trace;

/// How a launch is timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimingOptions {
    /// Blocks that an SM holds.
    pub blocks_per_sm: u32,
    /// Bytes of the L1 that the blocks' shared memory leaves.
    pub l1_bytes: u64,
    /// Issues that are kept at most, the first ones.
    pub trace_issues: usize,
}

/// Why a launch cannot be timed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimingError {
    /// Execution reached an instruction that the lowering has not seen.
    #[error("instruction {0} is not part of the lowered kernel")]
    NotLowered(u32),
    /// No warp can go on, though the functional machine sees no deadlock.
    #[error("no warp can go on, and nothing is on its way")]
    Stuck,
}

/// How long a launch took, and why.
#[derive(Clone, Debug)]
pub struct Timing {
    /// SM cycles from the first issue to the last retirement.
    pub cycles: u64,
    /// The same at the device's clock, microseconds.
    pub time_us: f64,
    /// Counts.
    pub tally: Tally,
    /// What the caches and the memory behind them did.
    pub memory: MemoryCounters,
    /// Issue slots of all schedulers over `cycles`.
    pub issue_slots: u64,
    /// Warps that all SMs hold.
    pub warp_slots: u64,
    /// Scheduler turns of all SMs over `cycles`.
    pub scheduler_turns: u64,
}

impl Timing {
    /// Machine instructions issued.
    pub fn machine_instructions(&self) -> u64 {
        self.tally.total().issued
    }

    /// Instructions per cycle of the whole chip.
    pub fn ipc(&self) -> f64 {
        self.machine_instructions() as f64 / self.cycles.max(1) as f64
    }

    /// Share of the issue slots that were used.
    pub fn issue_slot_utilization(&self) -> f64 {
        self.machine_instructions() as f64 / self.issue_slots.max(1) as f64
    }

    /// Resident warps over those that the chip holds, on average.
    pub fn achieved_occupancy(&self) -> f64 {
        let held = self.warp_slots as f64 * self.cycles.max(1) as f64;
        self.tally.resident_warp_cycles as f64 / held
    }

    /// Warps that could issue, per scheduler and cycle.
    pub fn eligible_warps(&self) -> f64 {
        self.tally.eligible as f64 / self.scheduler_turns.max(1) as f64
    }
}

/// Runs a launch on a chip, in time. `stream` is its kernel, lowered.
///
/// # Errors
/// When the launch cannot be timed.
pub fn run(
    machine: &mut Machine,
    launch: &Launch,
    stream: &Stream,
    device: &Device,
    options: &TimingOptions,
    limits: Limits<'_>,
    host: &mut Host<'_>,
) -> Result<(RunResult, Timing), TimingError> {
    let crew = Crewed {
        crew: &Alone,
        trace: None,
    };
    run_crewed(machine, launch, stream, device, options, limits, host, crew)
}

/// Who helps with a run, and who watches it.
pub struct Crewed<'a, C> {
    /// Host threads; a traced run takes only the caller's.
    pub crew: &'a C,
    /// Who wants to see it.
    pub trace: Option<Trace<'a>>,
}

/// The same with the help of host threads, or while a trace is taken.
///
/// # Errors
/// As [`run`].
#[allow(
    clippy::too_many_arguments,
    reason = "what a launch consists of, put together once"
)]
pub fn run_crewed<C: Crew>(
    machine: &mut Machine,
    launch: &Launch,
    stream: &Stream,
    device: &Device,
    options: &TimingOptions,
    limits: Limits<'_>,
    host: &mut Host<'_>,
    crewed: Crewed<'_, C>,
) -> Result<(RunResult, Timing), TimingError> {
    let stops = Stops::new(stream.starts());
    let instructions = machine.module().code.len();
    let mut chip = Chip::new(device, options, launch, instructions);
    let costs = Costs::new(device);
    let given = Given {
        device,
        costs: &costs,
        stream,
    };
    let mut failed = None;
    let parts = chip.sms.len().div_ceil(chip.sms.len().div_ceil(GROUPS));
    let result = machine.run_steps(launch, limits, host, &stops, parts, |stepping| {
        match chip.run(given, stepping, limits, crewed) {
            Ok(()) => Outcome::Completed,
            Err(End::Outcome(outcome)) => outcome,
            Err(End::Failed(error)) => {
                failed = Some(error);
                Outcome::Interrupted
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok((result, chip.timing())),
    }
}

/// What does not change while a launch runs.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The chip.
    pub device: &'a Device,
    /// Its pipelines.
    pub costs: &'a Costs,
    /// The kernel.
    pub stream: &'a Stream,
}

struct Chip<'a> {
    device: &'a Device,
    /// Until they are grouped.
    sms: Vec<Sm>,
    /// What leaves an SM goes here, if SMs share a memory.
    memory: Option<MemorySystem>,
    blocks: Dispatcher,
    tally: Tally,
    /// Counts of the L1s.
    l1s: MemoryCounters,
    epoch_cycles: u64,
}

/// Groups that SMs are divided into at most: enough for many host threads to be busy to the end of an
/// epoch, and not so many that what each has to itself weighs much.
const GROUPS: usize = 32;

/// Length of an epoch where no SM waits for anything that they share.
const FLAT_EPOCH_CYCLES: u64 = 1 << 16;

/// Blocks that start sooner than this wait for the end of the epoch.
const LEAST_EPOCH_CYCLES: u64 = 32;

impl<'a> Chip<'a> {
    fn new(
        device: &'a Device,
        options: &TimingOptions,
        launch: &Launch,
        instructions: usize,
    ) -> Chip<'a> {
        let flat = device.timing.flat.is_some();
        let l1_bytes = (!flat).then_some(options.l1_bytes);
        let memory = (!flat).then(|| MemorySystem::new(device));
        let limit = options.blocks_per_sm.max(1) as usize;
        // A block does nothing while it starts.
        let start_cycles = u64::from(device.timing.launch.block_start_cycles);
        let epoch_cycles = memory.as_ref().map_or(FLAT_EPOCH_CYCLES, |memory| {
            memory.least_latency_cycles().max(1)
        });
        // More SMs than blocks would only be looked at.
        let sms = u64::from(device.sms).min(launch.blocks).max(1) as u32;
        Chip {
            device,
            sms: (0..sms)
                .map(|number| Sm::new(device, number, limit, l1_bytes))
                .collect(),
            epoch_cycles: epoch_cycles.min(start_cycles.max(LEAST_EPOCH_CYCLES)),
            memory,
            blocks: Dispatcher {
                next: 0,
                blocks: launch.blocks,
                warps_per_block: launch.warps_per_block() as usize,
                interval_cycles: device.timing.launch.block_interval_cycles,
                start_cycles,
                free_at: 0.0,
            },
            tally: Tally::new(instructions, options.trace_issues),
            l1s: MemoryCounters::default(),
        }
    }

    fn run<C: Crew>(
        &mut self,
        given: Given<'_>,
        stepping: Stepping<'_, '_>,
        limits: Limits<'_>,
        crewed: Crewed<'_, C>,
    ) -> Result<(), End> {
        let Stepping { parts, host } = stepping;
        let count = self.sms.len().div_ceil(parts.len().max(1)).max(1);
        let mut sms = std::mem::take(&mut self.sms).into_iter();
        let mut groups = Vec::new();
        for steps in parts {
            let sms: Vec<_> = sms.by_ref().take(count).collect();
            if !sms.is_empty() {
                groups.push(Group::new(sms, steps, self.tally.part()));
            }
        }
        let ended = self.epochs(given, &mut groups, count as u32, host, limits, crewed);
        for mut group in groups {
            self.tally.add(&mut group.tally);
            let l1s = group.sms().iter().filter_map(|sm| sm.lsu().l1());
            l1s.for_each(|l1| self.l1s.add(l1.counters()));
        }
        ended
    }

    /// Takes all groups, of `count` SMs each, through one epoch after the other.
    fn epochs<C: Crew>(
        &mut self,
        given: Given<'_>,
        groups: &mut [Group<'_>],
        count: u32,
        host: &mut Host<'_>,
        limits: Limits<'_>,
        Crewed { crew, mut trace }: Crewed<'_, C>,
    ) -> Result<(), End> {
        let sms = groups.iter().map(|group| group.sms().len()).sum::<usize>() as u32;
        let alone = sms == 1;
        // Blocks go round the SMs, one each at a time.
        let mut placed = true;
        while placed {
            placed = false;
            for number in 0..sms {
                let group = &mut groups[(number / count) as usize];
                placed |= group.admit(number, 0, 0, &mut self.blocks);
            }
        }
        let mut out: Vec<(u64, u32, Outgoing)> = Vec::new();
        let mut room: Vec<(u64, u32)> = Vec::new();
        let crewed = groups.len() > 1 && trace.is_none();
        let (mut issued, mut done) = (0, 0);
        // The last epoch's thread instructions: about those of the next.
        let mut recent = 0;
        loop {
            let start = groups.iter().map(Group::next_at).min().unwrap_or(u64::MAX);
            if start == u64::MAX {
                return stuck(groups);
            }
            if limits.interrupted() {
                return Err(End::Outcome(Outcome::Interrupted));
            }
            let until = start.saturating_add(self.epoch_cycles);
            if crewed && crew.takes(recent) {
                crew.each(groups, |group| {
                    // Whose blocks run side by side calls no host.
                    group.run(given, until, alone, &mut |_| {}, None);
                });
            } else {
                for group in groups.iter_mut() {
                    group.run(given, until, alone, &mut *host.output, trace.as_mut());
                }
            }
            if let Some(end) = groups.iter_mut().find_map(|group| group.end.take()) {
                return Err(end);
            }
            let before = (issued, done);
            issued = groups.iter().map(|group| group.steps.issued()).sum();
            done = groups.iter().map(|group| group.steps.blocks_done()).sum();
            recent = issued - before.0;
            if issued > limits.max_thread_instructions {
                return Err(End::Outcome(Outcome::Limit));
            }
            if done != before.1 {
                (host.progress)(done);
            }
            for group in groups.iter_mut() {
                self.tally.take_issues(&mut group.tally);
                room.append(&mut group.room);
                out.append(&mut group.out);
            }
            room.sort_unstable();
            for (at, sm) in room.drain(..) {
                let floor = if alone { at } else { until };
                groups[(sm / count) as usize].admit(sm, at, floor, &mut self.blocks);
            }
            let Some(memory) = &mut self.memory else {
                continue;
            };
            // Stable: requests of one SM and cycle keep their order.
            out.sort_by_key(|&(cycle, sm, _)| (cycle, sm));
            for (_, sm, outgoing) in out.drain(..) {
                let at = memory.request(&outgoing.request);
                groups[(sm / count) as usize].expect(sm, outgoing.token, at.max(until));
            }
            if let Some(trace) = &mut trace {
                trace.memory(until, memory.backlog_cycles(until));
            }
        }
    }

    fn timing(&self) -> Timing {
        let first = self.tally.first_issue.unwrap_or(0);
        let cycles = self.tally.end.saturating_sub(first);
        let issue = &self.device.timing.issue;
        let schedulers = u64::from(self.device.sms) * u64::from(self.device.schedulers_per_sm);
        let turns = schedulers * cycles / u64::from(issue.turn_cycles);
        let mut memory = MemoryCounters::default();
        if let Some(system) = &self.memory {
            memory.add(system.counters());
        }
        memory.add(&self.l1s);
        Timing {
            cycles,
            time_us: cycles as f64 / self.device.clock_mhz,
            tally: self.tally.clone(),
            memory,
            issue_slots: turns * u64::from(issue.per_turn),
            warp_slots: u64::from(self.device.sms) * u64::from(self.device.limits.warps_per_sm),
            scheduler_turns: turns,
        }
    }
}

/// How a launch ends in which nothing will happen any more: it is done, or nobody can go on.
fn stuck(groups: &mut [Group<'_>]) -> Result<(), End> {
    if !groups.iter().any(Group::is_busy) {
        return Ok(());
    }
    let busy = groups.iter_mut().filter(|group| group.is_busy());
    Err(
        match busy.filter_map(|group| group.steps.deadlock()).next() {
            Some(fault) => End::Outcome(Outcome::Fault(fault)),
            None => End::Failed(TimingError::Stuck),
        },
    )
}
