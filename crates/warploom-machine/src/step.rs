//! A launch advanced step by step, for a driver that decides when: the timing machine.
//!
//! A step executes one *segment* of one warp: the instructions up to the end of the basic block, or
//! up to an instruction before which the driver wants to be asked again. It returns what happened as
//! [`Events`]; when each of them happens in time is for the driver to say.
//!
//! A launch whose blocks' order cannot show is handed out in *parts*, which the driver may advance on
//! several host threads: each has its blocks, counters and limits to itself, and they are added up in
//! their order. Any other launch is one part, on the driver's own thread.

use std::ops::RangeInclusive;

use warploom_isa::{Op, Pc, Space};

use crate::block::Block;
use crate::counters::Counters;
use crate::diverge;
use crate::env::LaunchEnv;
use crate::exec::Stop;
use crate::fault::{AccessKind, Fault};
use crate::host;
use crate::machine::{AnyEnv, Launch, Machine};
use crate::memory::Memory;
use crate::observe::{Issue, MemoryAccess, NoObserver, Observer};
use crate::pattern::Pattern;
use crate::run::{Host, Limits, Outcome, RunResult, Runner, keep_notes};
use crate::standstill::Standstill;

/// One issued source instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The instruction.
    pub pc: Pc,
    /// Lanes that execute together.
    pub active: u64,
    /// Those whose guard is true; for a branch, those that take it.
    pub executing: u64,
}

/// One access of a warp to one space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessEvent {
    /// The instruction.
    pub pc: Pc,
    /// What it does.
    pub kind: AccessKind,
    /// Where.
    pub space: Space,
    /// Bytes of a lane.
    pub bytes: u32,
    /// The lanes.
    pub lanes: u64,
    /// Where its lanes' addresses begin in [`Events::addresses`].
    first: u32,
}

/// What a step did.
#[derive(Clone, Default, Debug)]
pub struct Events {
    /// Issued instructions in order.
    pub issued: Vec<Event>,
    /// Their accesses in order.
    pub accesses: Vec<AccessEvent>,
    addresses: Vec<u64>,
    lanes: usize,
}

impl Events {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.issued.clear();
        self.accesses.clear();
        self.addresses.clear();
    }

    /// Notes an access; those of one launch have equally many addresses.
    pub fn access(&mut self, access: &MemoryAccess<'_>) {
        let first = self.addresses.len() as u32;
        self.addresses.extend_from_slice(access.addresses);
        self.lanes = access.addresses.len();
        self.accesses.push(AccessEvent {
            pc: access.pc,
            kind: access.kind,
            space: access.space,
            bytes: access.bytes,
            lanes: access.lanes,
            first,
        });
    }

    /// The addresses of an access, by lane; meaningful for its lanes.
    pub fn addresses(&self, access: &AccessEvent) -> &[u64] {
        &self.addresses[access.first as usize..][..self.lanes]
    }

    /// The event of an instruction, if it issued.
    pub fn of(&self, pc: Pc) -> Option<&Event> {
        // A step is straight-line code: its events are in the order of the program.
        let at = self.issued.binary_search_by_key(&pc, |event| event.pc);
        at.ok().map(|at| &self.issued[at])
    }

    /// The first and the last instruction that issued: all of the step's code between them did.
    pub fn span(&self) -> Option<RangeInclusive<Pc>> {
        let ends = self.issued.first().zip(self.issued.last());
        ends.map(|(first, last)| first.pc..=last.pc)
    }

    /// The accesses of an instruction.
    pub fn accesses_of(&self, pc: Pc) -> impl Iterator<Item = &AccessEvent> {
        let first = self.accesses.partition_point(|access| access.pc < pc);
        let from = self.accesses[first..].iter();
        from.take_while(move |access| access.pc == pc)
    }
}

/// Records events and stops where the driver says.
struct Recorder<'a> {
    events: &'a mut Events,
    stops: &'a Stops,
    /// Where the step began: it does not stop there.
    start: Pc,
    /// Stop before the first instruction.
    settling: bool,
}

impl Observer for Recorder<'_> {
    const ACTIVE: bool = true;
    const STEPS: bool = true;

    fn issue(&mut self, issue: &Issue) {
        debug_assert!(
            self.events
                .issued
                .last()
                .is_none_or(|last| last.pc < issue.pc)
        );
        self.events.issued.push(Event {
            pc: issue.pc,
            active: issue.active,
            executing: issue.executing,
        });
    }

    fn access(&mut self, access: &MemoryAccess<'_>) {
        self.events.access(access);
    }

    fn stops_before(&self, pc: Pc) -> bool {
        self.settling || pc != self.start && self.stops.contains(pc)
    }
}

/// Instructions before which a step ends, besides the entries of basic blocks.
#[derive(Clone, Default, Debug)]
pub struct Stops(Vec<u64>);

impl Stops {
    /// From program counters.
    pub fn new(at: impl IntoIterator<Item = Pc>) -> Stops {
        let mut bits = Vec::new();
        for pc in at {
            let word = pc as usize / 64;
            if word >= bits.len() {
                bits.resize(word + 1, 0);
            }
            bits[word] |= 1 << (pc % 64);
        }
        Stops(bits)
    }

    fn contains(&self, pc: Pc) -> bool {
        let word = self.0.get(pc as usize / 64);
        word.is_some_and(|bits| bits >> (pc % 64) & 1 != 0)
    }
}

/// Where a warp stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It can go on with this instruction.
    At(Pc),
    /// All its lanes wait: at a block barrier, or for each other.
    Waits,
    /// All its lanes have exited.
    Exited,
}

/// What came of a step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Its instructions were executed.
    Ran {
        /// A barrier of the block is complete: warps that waited may go on.
        released: bool,
    },
    /// An instruction was at fault.
    Fault(Box<Fault>),
    /// The instruction limit was reached.
    Limit,
}

/// A launch whose warps a driver advances. Resident blocks are kept in numbered places.
pub trait Steps: Send {
    /// Puts a block of the grid in a place that is free.
    fn enter(&mut self, place: usize, block: u64);

    /// Where a warp stands.
    fn next(&mut self, place: usize, warp: usize) -> Next;

    /// Executes the next segment of a warp that can go on. `output` takes what it prints.
    fn step(
        &mut self,
        place: usize,
        warp: usize,
        events: &mut Events,
        output: &mut dyn FnMut(&[u8]),
    ) -> Step;

    /// Frees a place whose block has finished.
    fn leave(&mut self, place: usize);

    /// The report of a deadlock, when no warp of any resident block can ever go on.
    fn deadlock(&mut self) -> Option<Box<Fault>>;

    /// Blocks that have left.
    fn blocks_done(&self) -> u64;

    /// Thread instructions that have issued.
    fn issued(&self) -> u64;
}

/// A launch in the hands of its driver.
pub struct Stepping<'a, 'h> {
    /// The launch, or its parts: blocks are in whichever the driver puts them, and nothing that
    /// happens in one part can show in another.
    pub parts: Vec<&'a mut dyn Steps>,
    /// Takes the bytes that kernels print, and hears how many blocks are done.
    pub host: &'a mut Host<'h>,
}

impl Machine {
    /// Hands a launch to a driver, in so many parts if the order of blocks cannot show. `stops` are
    /// instructions before which steps end; the driver returns how the launch ended. Each part has the
    /// whole limit to itself: it is for the driver to add up.
    pub fn run_steps(
        &mut self,
        launch: &Launch,
        limits: Limits<'_>,
        host: &mut Host<'_>,
        stops: &Stops,
        parts: usize,
        driver: impl FnOnce(Stepping<'_, '_>) -> Outcome,
    ) -> RunResult {
        match &launch.env {
            AnyEnv::Lanes32(env) if launch.order_dependent => {
                drive_whole(self, env, limits, host, stops, driver)
            }
            AnyEnv::Lanes64(env) if launch.order_dependent => {
                drive_whole(self, env, limits, host, stops, driver)
            }
            AnyEnv::Lanes32(env) => drive_parts(self, env, limits, host, stops, parts, driver),
            AnyEnv::Lanes64(env) => drive_parts(self, env, limits, host, stops, parts, driver),
        }
    }
}

fn drive_whole<const L: usize>(
    machine: &mut Machine,
    env: &LaunchEnv<L>,
    limits: Limits<'_>,
    host: &mut Host<'_>,
    stops: &Stops,
    driver: impl FnOnce(Stepping<'_, '_>) -> Outcome,
) -> RunResult {
    let mut memory = std::mem::take(&mut machine.memory);
    let runner = Runner::new(machine, env, limits, true);
    let mut stepper = Stepper::new(runner, limits, &mut memory, stops);
    let parts: Vec<&mut dyn Steps> = vec![&mut stepper];
    let outcome = driver(Stepping { parts, host });
    let result = stepper.end(&outcome);
    machine.memory = memory;
    result
}

fn drive_parts<const L: usize>(
    machine: &Machine,
    env: &LaunchEnv<L>,
    limits: Limits<'_>,
    host: &mut Host<'_>,
    stops: &Stops,
    parts: usize,
    driver: impl FnOnce(Stepping<'_, '_>) -> Outcome,
) -> RunResult {
    let part = |_| {
        let runner = Runner::new(machine, env, limits, false);
        Stepper::new(runner, limits, &machine.memory, stops)
    };
    let mut steppers: Vec<_> = (0..parts.max(1)).map(part).collect();
    let parts = steppers.iter_mut().map(|part| part as &mut dyn Steps);
    let parts = parts.collect();
    let outcome = driver(Stepping { parts, host });
    let mut sum = RunResult {
        outcome,
        counters: Counters::new(machine.module()),
        notes: Vec::new(),
        blocks_done: 0,
    };
    for part in steppers {
        let part = part.end(&sum.outcome);
        sum.counters.add(&part.counters);
        sum.blocks_done += part.blocks_done;
        keep_notes(&mut sum.notes, part.notes);
    }
    sum
}

/// The device's memory, as far as a part of a launch has it.
trait Access: Send {
    /// To look at and to store to.
    fn memory(&self) -> &Memory;

    /// To allocate in: not among other parts.
    fn whole(&mut self) -> Option<&mut Memory>;
}

impl Access for &mut Memory {
    fn memory(&self) -> &Memory {
        self
    }

    fn whole(&mut self) -> Option<&mut Memory> {
        Some(self)
    }
}

impl Access for &Memory {
    fn memory(&self) -> &Memory {
        self
    }

    fn whole(&mut self) -> Option<&mut Memory> {
        None
    }
}

struct Stepper<'m, const L: usize, A> {
    runner: Runner<'m, L>,
    access: A,
    stops: &'m Stops,
    limit: u64,
    places: Vec<Option<Block<L>>>,
    /// Finished blocks, for their allocations.
    kept: Vec<Block<L>>,
    /// The place whose block was at fault, and its fault.
    culprit: Option<(usize, Box<Fault>)>,
    standstill: Standstill,
}

/// Thread instructions that one step may issue: more than any segment holds.
const STEP_FUEL: i64 = i64::MAX;

impl<'m, const L: usize, A: Access> Stepper<'m, L, A> {
    fn new(runner: Runner<'m, L>, limits: Limits<'_>, access: A, stops: &'m Stops) -> Self {
        Stepper {
            runner,
            access,
            stops,
            limit: limits.max_thread_instructions,
            places: Vec::new(),
            kept: Vec::new(),
            culprit: None,
            standstill: Standstill::new(),
        }
    }

    /// What the part did, when the launch has ended.
    fn end(self, outcome: &Outcome) -> RunResult {
        let Stepper {
            runner,
            mut places,
            culprit,
            ..
        } = self;
        let before = |place: usize| places[..place].iter().flatten().count();
        let at = culprit.as_ref().map(|(place, _)| before(*place));
        // Its own fault, even if another part's was first.
        let fault = culprit.map(|(_, fault)| Outcome::Fault(fault));
        let mut resident: Vec<_> = places.iter_mut().flatten().collect();
        runner.end(fault.unwrap_or_else(|| outcome.clone()), &mut resident, at)
    }

    fn run(
        &mut self,
        place: usize,
        warp: usize,
        events: &mut Events,
        settling: bool,
    ) -> Option<Stop> {
        let block = self.places.get_mut(place)?.as_mut()?;
        let state = &block.warps[warp];
        let start = state.groups.get(state.current).map_or(0, |group| group.pc);
        let mut recorder = Recorder {
            events,
            stops: self.stops,
            start,
            settling,
        };
        let stop =
            self.runner
                .run_warp(self.access.memory(), block, warp, STEP_FUEL, &mut recorder);
        Some(stop)
    }

    /// How often a block's warps have changed memory.
    fn mutations(&self, place: usize) -> u64 {
        let block = self.places.get(place).and_then(Option::as_ref);
        block.map_or(0, |block| block.parts.mutations)
    }

    /// A warp has made a step; `before` is how often its block had changed memory by then.
    fn ran(&mut self, place: usize, warp: usize, before: u64) -> Step {
        if self.mutations(place) != before {
            self.standstill.progress();
            return Step::Ran { released: false };
        }
        let program = &self.runner.machine.program;
        let divergence = self.runner.env.divergence;
        let key = (place, warp);
        if !self
            .standstill
            .step(program, divergence, &mut self.places, key)
        {
            return Step::Ran { released: false };
        }
        let mut resident: Vec<_> = self.places.iter_mut().flatten().collect();
        match self.runner.report(&mut resident) {
            Some(fault) => Step::Fault(fault),
            None => {
                // Lanes that waited may go on.
                self.standstill.progress();
                Step::Ran { released: true }
            }
        }
    }

    /// Carries out the call of the host that a warp has come to.
    fn host_call(
        &mut self,
        place: usize,
        warp: usize,
        output: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Box<Fault>> {
        let Some(block) = self.places[place].as_mut() else {
            return Ok(());
        };
        let runner = &mut self.runner;
        let Some(memory) = self.access.whole() else {
            return Err(runner.undeclared_host_call(block, warp));
        };
        let machine = runner.machine;
        let heap_bytes = machine.config.heap_limit_bytes;
        let program = &machine.program;
        let done = host::call(program, runner.env, memory, heap_bytes, output, block, warp);
        // Allocations have changed: what instructions remember of them is stale.
        runner.patterns.fill(Pattern::new());
        done.map_err(|fault| runner.fault(*fault, block, warp))
    }

    fn fault(&mut self, place: usize, fault: Box<Fault>) -> Step {
        self.culprit = Some((place, fault.clone()));
        Step::Fault(fault)
    }
}

impl<const L: usize, A: Access> Steps for Stepper<'_, L, A> {
    fn enter(&mut self, place: usize, number: u64) {
        if place >= self.places.len() {
            self.places.resize_with(place + 1, || None);
        }
        self.standstill.progress();
        let kept = self.kept.pop();
        self.places[place] = Some(Block::enter_or_new(kept, self.runner.env, number));
    }

    fn next(&mut self, place: usize, warp: usize) -> Next {
        let block = self.places.get_mut(place).and_then(Option::as_mut);
        let Some(block) = block else {
            return Next::Exited;
        };
        let state = &mut block.warps[warp];
        let program = &self.runner.machine.program;
        if state.groups.is_empty() {
            return Next::Exited;
        }
        if !diverge::runnable(program, self.runner.env.divergence, state) {
            return Next::Waits;
        }
        let pc = state.groups[state.current].pc;
        if program.code[pc as usize].op != Op::Block {
            return Next::At(pc);
        }
        // The entry of a block may let groups merge, or another one go first.
        let mut events = Events::default();
        match self.run(place, warp, &mut events, true) {
            Some(Stop::Fuel) => self.next(place, warp),
            Some(Stop::Exited) | None => Next::Exited,
            Some(_) => Next::Waits,
        }
    }

    fn step(
        &mut self,
        place: usize,
        warp: usize,
        events: &mut Events,
        output: &mut dyn FnMut(&[u8]),
    ) -> Step {
        if self.runner.remaining == 0 {
            return Step::Limit;
        }
        let before = self.mutations(place);
        let stop = self.run(place, warp, events, false);
        match stop {
            Some(Stop::Exited | Stop::Barrier) => {
                self.standstill.progress();
                let block = self.places[place].as_mut();
                let released = block
                    .is_some_and(|block| self.runner.complete_barriers(block, &mut NoObserver));
                Step::Ran { released }
            }
            Some(Stop::HostCall) => {
                self.standstill.progress();
                match self.host_call(place, warp, output) {
                    Ok(()) => Step::Ran { released: false },
                    Err(fault) => self.fault(place, fault),
                }
            }
            Some(Stop::Fault(fault)) => match &self.places[place] {
                Some(block) => {
                    let fault = self.runner.fault(*fault, block, warp);
                    self.fault(place, fault)
                }
                None => Step::Limit,
            },
            Some(Stop::Blocked | Stop::Fuel | Stop::Spinning) | None => {
                self.ran(place, warp, before)
            }
        }
    }

    fn leave(&mut self, place: usize) {
        if let Some(mut block) = self.places.get_mut(place).and_then(Option::take) {
            self.runner.blocks_done += 1;
            self.runner.keep_notes(&mut block);
            self.kept.push(block);
        }
    }

    fn deadlock(&mut self) -> Option<Box<Fault>> {
        let mut resident: Vec<_> = self.places.iter_mut().flatten().collect();
        let memory = self.access.memory();
        self.runner.deadlock(memory, &mut resident, 1)
    }

    fn blocks_done(&self) -> u64 {
        self.runner.blocks_done
    }

    fn issued(&self) -> u64 {
        self.limit - self.runner.remaining
    }
}
