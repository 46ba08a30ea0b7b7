//! A chip at work: its SMs side by side, and the memory that they share.
//!
//! SMs run one after the other through an *epoch* no longer than the shortest time between a request
//! and its answer; so nothing that one of them asks for can concern another within it. Then the
//! requests of all of them go to memory, in the order of their cycles, and blocks to where there has
//! been room, in the same order. Epochs in which nothing can happen are skipped.

use warploom_device::Device;
use warploom_machine::{Host, Launch, Limits, Machine, Outcome, RunResult, Steps, Stops};

use crate::costs::Costs;
use crate::memory::{MemoryCounters, MemorySystem};
use crate::sm::lsu::Outgoing;
use crate::sm::{Dispatcher, End, Shared, Sm};
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
    run_traced(machine, launch, stream, device, options, limits, host, None)
}

/// The same, while a trace is taken.
///
/// # Errors
/// As [`run`].
#[allow(
    clippy::too_many_arguments,
    reason = "what a launch consists of, put together once"
)]
pub fn run_traced(
    machine: &mut Machine,
    launch: &Launch,
    stream: &Stream,
    device: &Device,
    options: &TimingOptions,
    limits: Limits<'_>,
    host: &mut Host<'_>,
    trace: Option<Trace<'_>>,
) -> Result<(RunResult, Timing), TimingError> {
    let stops = Stops::new(stream.starts());
    let instructions = machine.module().code.len();
    let mut chip = Chip::new(device, stream, options, launch, instructions);
    let mut failed = None;
    let result = machine.run_steps(launch, limits, host, &stops, |steps| {
        match chip.run(steps, limits, trace) {
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

struct Chip<'a> {
    device: &'a Device,
    stream: &'a Stream,
    costs: Costs,
    sms: Vec<Sm>,
    memory: Option<MemorySystem>,
    blocks: Dispatcher,
    tally: Tally,
    epoch_cycles: u64,
}

/// Length of an epoch where no SM waits for anything that they share.
const FLAT_EPOCH_CYCLES: u64 = 1 << 16;

/// Blocks that start sooner than this wait for the end of the epoch.
const LEAST_EPOCH_CYCLES: u64 = 32;

impl<'a> Chip<'a> {
    fn new(
        device: &'a Device,
        stream: &'a Stream,
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
            stream,
            costs: Costs::new(device),
            sms: (0..sms)
                .map(|number| Sm::new(device, number, limit, l1_bytes))
                .collect(),
            epoch_cycles: epoch_cycles.min(start_cycles.max(LEAST_EPOCH_CYCLES)),
            memory,
            blocks: Dispatcher {
                next: 0,
                blocks: launch.blocks,
                warps_per_block: launch.warps_per_block() as usize,
                free_at: 0.0,
            },
            tally: Tally::new(instructions, options.trace_issues),
        }
    }

    fn run(
        &mut self,
        steps: &mut dyn Steps,
        limits: Limits<'_>,
        trace: Option<Trace<'_>>,
    ) -> Result<(), End> {
        let mut shared = Shared {
            device: self.device,
            costs: &self.costs,
            stream: self.stream,
            steps,
            blocks: &mut self.blocks,
            tally: &mut self.tally,
            trace,
        };
        // Blocks go round the SMs, one each at a time.
        let mut placed = true;
        while placed {
            placed = false;
            for sm in &mut self.sms {
                placed |= sm.take_block(0, 0, &mut shared)?;
            }
        }
        let mut out: Vec<(u64, u32, Outgoing)> = Vec::new();
        let mut leaving = Vec::new();
        let mut room: Vec<(u64, usize)> = Vec::new();
        let alone = self.sms.len() == 1;
        loop {
            let start = self.sms.iter().map(Sm::next_at).min().unwrap_or(u64::MAX);
            if start == u64::MAX {
                if self.sms.iter().any(Sm::is_busy) {
                    // Nothing is on its way, and nobody can go on.
                    return Err(match shared.steps.deadlock() {
                        Some(fault) => End::Outcome(Outcome::Fault(fault)),
                        None => End::Failed(TimingError::Stuck),
                    });
                }
                return Ok(());
            }
            if limits.interrupted() {
                return Err(End::Outcome(Outcome::Interrupted));
            }
            let until = start.saturating_add(self.epoch_cycles);
            for (number, sm) in self.sms.iter_mut().enumerate() {
                if sm.next_at() < until {
                    sm.run(until, alone, &mut shared, &mut leaving)?;
                    let requests = leaving.drain(..);
                    out.extend(requests.map(|o| (o.request.issue_cycle, number as u32, o)));
                    room.extend(sm.room().map(|at| (at, number)));
                }
            }
            room.sort_unstable();
            for (at, number) in room.drain(..) {
                let floor = if alone { at } else { until };
                self.sms[number].take_block(at, floor, &mut shared)?;
            }
            let Some(memory) = &mut self.memory else {
                continue;
            };
            // Stable: requests of one SM and cycle keep their order.
            out.sort_by_key(|&(cycle, sm, _)| (cycle, sm));
            for (_, sm, outgoing) in out.drain(..) {
                let at = memory.request(&outgoing.request);
                self.sms[sm as usize].expect(outgoing.token, at.max(until));
            }
            if let Some(trace) = &mut shared.trace {
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
        for l1 in self.sms.iter().filter_map(|sm| sm.lsu().l1()) {
            memory.add(l1.counters());
        }
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
