//! The one module that drives the machine: memory, launches, and host threads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use warploom_device::Device;
use warploom_isa::module::SharedPlace;
use warploom_isa::{FunctionId, Loc, Module, Space};
use warploom_machine::memory::Neighbour;
use warploom_machine::run::keep_notes;
use warploom_machine::{
    AllocationKind, Counters, Divergence, Fault, FaultKind, Host, Launch, LaunchError, LaunchSpec,
    Limits, LoadError, Machine, MachineConfig, MemoryError, Note, Observer, Outcome, RunResult,
    Stepping, Steps, Stops,
};
use warploom_timing::stream::Stream;
use warploom_timing::trace::Trace;
use warploom_timing::{Crewed, Issues, Timing, TimingError, TimingOptions};

use crate::crew::{Crew, host_threads};
use crate::metrics::Tally;
use crate::tally;

/// Chunks that a launch is divided into when its blocks may run side by side. It does not depend
/// on the number of threads, so that reports don't either.
const CHUNKS: u64 = 128;

/// How a launch is run.
pub struct Control<'a> {
    /// Host threads; 0 takes one for each core.
    pub threads: usize,
    /// Thread instructions that may issue.
    pub max_thread_instructions: u64,
    /// Ends the run soon after it is raised.
    pub interrupt: Option<&'a AtomicBool>,
    /// Takes the bytes that kernels print.
    pub output: &'a mut dyn FnMut(&[u8]),
    /// Hears how many blocks are done, of how many.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl<'a> Control<'a> {
    /// All cores, the usual limit, no interrupt, no progress.
    pub fn new(output: &'a mut dyn FnMut(&[u8])) -> Control<'a> {
        Control {
            threads: 0,
            max_thread_instructions: DEFAULT_MAX_THREAD_INSTRUCTIONS,
            interrupt: None,
            output,
            progress: &|_, _| {},
        }
    }
}

/// Instruction limit of a run that sets none: 10¹² thread instructions.
pub const DEFAULT_MAX_THREAD_INSTRUCTIONS: u64 = 1_000_000_000_000;

/// What a launch did.
pub(crate) struct Ran {
    pub outcome: Outcome,
    pub lines: BTreeMap<Loc, Tally>,
    pub hottest: Option<Loc>,
    pub notes: Vec<Note>,
    pub blocks_done: u64,
    pub shared_bytes: u32,
    pub timed: Option<Timed>,
}

/// How long a launch took.
pub(crate) struct Timed {
    pub timing: Timing,
    pub lines: BTreeMap<Loc, Issues>,
}

/// A device with a module on it.
pub(crate) struct Engine {
    machine: Machine,
}

impl Engine {
    pub(crate) fn load(
        module: Arc<Module>,
        device: &Device,
        divergence: Divergence,
    ) -> Result<Engine, LoadError> {
        let config = MachineConfig {
            warp_width: device.warp_width,
            divergence,
            sms: device.sms,
            max_warps_per_sm: device.limits.warps_per_sm,
            local_limit_bytes: device.limits.local_bytes_per_thread,
            heap_limit_bytes: device.runtime.heap_bytes,
            reserved_shared_bytes: device.shared.reserved_bytes,
        };
        let machine = Machine::load(module, config)?;
        Ok(Engine { machine })
    }

    /// Zeroed memory.
    pub(crate) fn allocate(&mut self, name: &str, bytes: u64) -> Result<u64, MemoryError> {
        let kind = AllocationKind::Buffer(name.to_owned());
        self.machine.memory.allocate(bytes, 1, kind)
    }

    pub(crate) fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        self.machine.memory.free(address)
    }

    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.machine.memory.write(address, bytes)
    }

    pub(crate) fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        self.machine.memory.read(address, into)
    }

    /// Address and size of a global or constant variable of the module.
    pub(crate) fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let (id, address) = self.machine.variable(name)?;
        let variable = self.machine.module().variables.get(id.index())?;
        Some((address, variable.bytes))
    }

    /// An observed launch runs its blocks in order, on one thread.
    pub(crate) fn launch<O: Observer>(
        &mut self,
        spec: &LaunchSpec,
        control: &mut Control<'_>,
        observer: &mut O,
    ) -> Result<Ran, LaunchError> {
        let launch = self.machine.prepare(spec)?;
        let result = if launch.order_dependent || O::ACTIVE {
            self.in_order(&launch, control, observer)
        } else {
            side_by_side(&self.machine, &launch, control)
        };
        let mut outcome = result.outcome;
        if let Outcome::Fault(fault) = &mut outcome {
            self.name_polled(fault, spec);
        }
        let module = self.machine.module();
        Ok(Ran {
            outcome,
            lines: tally::by_line(module, &result.counters),
            hottest: tally::hottest(module, &result.counters),
            notes: result.notes,
            blocks_done: result.blocks_done,
            shared_bytes: launch.shared_bytes,
            timed: None,
        })
    }

    /// A launch on a chip in time.
    ///
    /// # Errors
    /// As [`Engine::launch`]; and when the launch cannot be timed.
    pub(crate) fn launch_timed(
        &mut self,
        spec: &LaunchSpec,
        control: &mut Control<'_>,
        stream: &Stream,
        device: &Device,
        options: &TimingOptions,
        trace: Option<Trace<'_>>,
    ) -> Result<Result<Ran, TimingError>, LaunchError> {
        let launch = self.machine.prepare(spec)?;
        let progress = control.progress;
        let mut host = Host {
            output: control.output,
            progress: &mut |done| progress(done, launch.blocks),
        };
        let limits = Limits {
            max_thread_instructions: control.max_thread_instructions,
            interrupt: control.interrupt,
        };
        let crewed = Crewed {
            crew: &Crew::new(control.threads),
            trace,
        };
        let machine = &mut self.machine;
        let done = warploom_timing::run_crewed(
            machine, &launch, stream, device, options, limits, &mut host, crewed,
        );
        let (result, timing) = match done {
            Ok(done) => done,
            Err(error) => return Ok(Err(error)),
        };
        let mut outcome = result.outcome;
        if let Outcome::Fault(fault) = &mut outcome {
            self.name_polled(fault, spec);
        }
        let module = self.machine.module();
        let mut lines: BTreeMap<Loc, Issues> = BTreeMap::new();
        for (issues, origin) in timing.tally.by_pc.iter().zip(&module.origins) {
            if *issues != Issues::default() {
                let line = lines.entry(origin.loc).or_default();
                line.issued += issues.issued;
                line.stalls.add_all(&issues.stalls);
            }
        }
        Ok(Ok(Ran {
            outcome,
            lines: tally::by_line(module, &result.counters),
            hottest: tally::hottest(module, &result.counters),
            notes: result.notes,
            blocks_done: result.blocks_done,
            shared_bytes: launch.shared_bytes,
            timed: Some(Timed { timing, lines }),
        }))
    }

    /// A launch in the hands of a driver, from the memory as it is; see [`Machine::run_steps`].
    pub(crate) fn launch_steps(
        &mut self,
        spec: &LaunchSpec,
        stops: &Stops,
        driver: impl FnOnce(&mut dyn Steps, &Launch) -> Outcome,
    ) -> Result<Outcome, LaunchError> {
        let launch = self.machine.prepare(spec)?;
        let mut host = Host {
            output: &mut |_| {},
            progress: &mut |_| {},
        };
        let limits = Limits {
            max_thread_instructions: DEFAULT_MAX_THREAD_INSTRUCTIONS,
            interrupt: None,
        };
        let machine = &mut self.machine;
        let drive = |mut stepping: Stepping<'_, '_>| match stepping.parts.pop() {
            Some(whole) => driver(whole, &launch),
            None => Outcome::Completed,
        };
        let result = machine.run_steps(&launch, limits, &mut host, stops, 1, drive);
        let mut outcome = result.outcome;
        if let Outcome::Fault(fault) = &mut outcome {
            self.name_polled(fault, spec);
        }
        Ok(outcome)
    }

    /// The device's memory and what is on it, to come back to.
    pub(crate) fn checkpoint(&self) -> Machine {
        self.machine.clone()
    }

    /// Comes back to a checkpoint.
    pub(crate) fn restore(&mut self, checkpoint: &Machine) {
        self.machine.clone_from(checkpoint);
    }

    /// Adds to the waits of a deadlock what lies where lanes spin.
    fn name_polled(&self, fault: &mut Fault, spec: &LaunchSpec) {
        let FaultKind::Deadlock { waits } = &mut fault.kind else {
            return;
        };
        for wait in waits {
            let polled = wait.polled.as_ref();
            if let Some((offset, holder)) = polled.and_then(|access| {
                self.holder(
                    access.space,
                    access.address,
                    spec.kernel,
                    spec.dynamic_shared_bytes,
                )
            }) {
                let Neighbour { kind, bytes, .. } = holder;
                let what = format!("; the address is byte {offset} of {kind} of {bytes} bytes");
                wait.reason.push_str(&what);
            }
        }
    }

    /// The allocation or shared variable of a kernel's launch that an address lies in, and the byte
    /// of it.
    pub(crate) fn holder(
        &self,
        space: Space,
        address: u64,
        kernel: FunctionId,
        dynamic_shared_bytes: u32,
    ) -> Option<(u64, Neighbour)> {
        let module = self.machine.module();
        let found = match space {
            Space::Shared => {
                let layout = module.shared_layout(&module.reachable(kernel));
                let near = |place: &SharedPlace| {
                    let variable = module.variables.get(place.variable.index())?;
                    let kind = AllocationKind::Variable(variable.name.clone());
                    let bytes = match variable.dynamic_shared {
                        true => dynamic_shared_bytes.into(),
                        false => place.bytes,
                    };
                    Some(Neighbour::new(kind, place.start_bytes, bytes, address))
                };
                let mut places = layout.places.iter().filter_map(near);
                places.find(|near| near.distance_bytes == 0)
            }
            _ => self.machine.memory.neighbour(address),
        }?;
        (found.distance_bytes == 0).then(|| (address - found.base, found))
    }

    fn in_order<O: Observer>(
        &mut self,
        launch: &Launch,
        control: &mut Control<'_>,
        observer: &mut O,
    ) -> RunResult {
        let total = launch.blocks;
        let progress = control.progress;
        let mut host = Host {
            output: control.output,
            progress: &mut |done| progress(done, total),
        };
        let limits = Limits {
            max_thread_instructions: control.max_thread_instructions,
            interrupt: control.interrupt,
        };
        self.machine
            .run_observed(launch, limits, &mut host, observer)
    }
}

/// Runs the blocks of a launch on several host threads.
///
/// Each chunk of consecutive blocks is run by one thread under the launch's whole instruction
/// limit, and the results are added up in the order of the blocks until one did not complete or
/// the sum passes the limit. What comes after that is left out, even if it ran, so that the
/// result is the same for any number of threads.
fn side_by_side(machine: &Machine, launch: &Launch, control: &Control<'_>) -> RunResult {
    let total = launch.blocks;
    let chunk_blocks = total.div_ceil(CHUNKS).max(1);
    let chunks = total.div_ceil(chunk_blocks);
    let threads = host_threads(control.threads)
        .min(usize::try_from(chunks).unwrap_or(usize::MAX))
        .max(1);
    let limits = Limits {
        max_thread_instructions: control.max_thread_instructions,
        interrupt: control.interrupt,
    };
    let blocks_of = |chunk: u64| chunk * chunk_blocks..((chunk + 1) * chunk_blocks).min(total);
    let work = Work {
        next: AtomicU64::new(0),
        end: AtomicU64::new(chunks),
        done: AtomicU64::new(0),
        results: Mutex::new(BTreeMap::new()),
    };
    let sum = Mutex::new(Sum::new(machine, limits.max_thread_instructions));
    let progress = control.progress;
    let body = || {
        while let Some(chunk) = work.claim(limits.interrupt) {
            let blocks = blocks_of(chunk);
            let result = machine.run_chunk(launch, blocks.clone(), limits);
            let done = work.report(&blocks);
            progress(done, total);
            work.deliver(machine, chunk, result, &sum);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(body);
        }
        body();
    });
    let sum = sum
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut result = sum.result;
    if sum.chunks < chunks && !sum.ended {
        result.outcome = Outcome::Interrupted;
    }
    result
}

/// Chunks to run, and results that wait for those before them.
struct Work {
    next: AtomicU64,
    /// Chunks from here on are not needed any more.
    end: AtomicU64,
    done: AtomicU64,
    results: Mutex<BTreeMap<u64, RunResult>>,
}

impl Work {
    fn claim(&self, interrupt: Option<&AtomicBool>) -> Option<u64> {
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return None;
        }
        let chunk = self.next.fetch_add(1, Ordering::Relaxed);
        (chunk < self.end.load(Ordering::Relaxed)).then_some(chunk)
    }

    fn report(&self, blocks: &Range<u64>) -> u64 {
        let count = blocks.end - blocks.start;
        self.done.fetch_add(count, Ordering::Relaxed) + count
    }

    /// Adds up all results that are next in order.
    fn deliver(&self, machine: &Machine, chunk: u64, result: RunResult, sum: &Mutex<Sum>) {
        let (Ok(mut results), Ok(mut sum)) = (self.results.lock(), sum.lock()) else {
            return;
        };
        results.insert(chunk, result);
        while let Some(result) = results.remove(&sum.chunks) {
            if !sum.add(machine, &result) {
                self.end.store(0, Ordering::Relaxed);
                results.clear();
            }
        }
    }
}

/// Results added up in the order of the blocks.
struct Sum {
    result: RunResult,
    chunks: u64,
    ended: bool,
    left: u64,
}

impl Sum {
    fn new(machine: &Machine, max_thread_instructions: u64) -> Sum {
        Sum {
            result: RunResult {
                outcome: Outcome::Completed,
                counters: Counters::new(machine.module()),
                notes: Vec::new(),
                blocks_done: 0,
            },
            chunks: 0,
            ended: false,
            left: max_thread_instructions,
        }
    }

    /// Adds the next chunk; whether the one after it is wanted.
    fn add(&mut self, machine: &Machine, part: &RunResult) -> bool {
        if self.ended {
            return false;
        }
        self.chunks += 1;
        self.result.counters.add(&part.counters);
        self.result.blocks_done += part.blocks_done;
        keep_notes(&mut self.result.notes, part.notes.iter().cloned());
        let issued = part.counters.thread_instructions(machine.module());
        let enough = self.left >= issued;
        self.left = self.left.saturating_sub(issued);
        self.result.outcome = match &part.outcome {
            Outcome::Completed if !enough => Outcome::Limit,
            outcome => outcome.clone(),
        };
        self.ended = self.result.outcome != Outcome::Completed;
        !self.ended
    }
}
