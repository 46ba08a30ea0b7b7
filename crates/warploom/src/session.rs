//! A device with a program on it: buffers, launches, results.

use std::collections::BTreeMap;

use warploom_device::{Device, Divergence as DeviceDivergence, Occupancy};
use warploom_isa::{FunctionId, Loc, Module, Space, Variable};
use warploom_machine::memory::Neighbour;
use warploom_machine::{
    Divergence, Launch, LaunchError, LaunchSpec, LoadError, Machine, MemoryError, NoObserver,
    Observer, Outcome as End, Steps, Stops,
};
use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::stream::Stream;
use warploom_timing::trace::Trace;
use warploom_timing::{TimingError, TimingOptions};

use crate::advice;
use crate::check;
use crate::compare::{Comparison, comparable};
use crate::compiler::{Assembled, Toolchain, assemble};
use crate::contents::Contents;
use crate::engine::{Control, DEFAULT_MAX_THREAD_INSTRUCTIONS, Engine, Ran};
use crate::error::{Error, InputError, InputErrorKind, UnsupportedError};
use crate::failure::Places;
use crate::footprint::{Need, admit};
use crate::memory::Room;
use crate::metrics::{Metrics, Tally};
use crate::npy::PIECE_BYTES;
use crate::params::{Argument, Resolved, pack};
use crate::plan::{ArgValue, ExpectPlan, LaunchPlan};
use crate::program::Program;
use crate::report::{ExpectationReport, Failure, LaunchReport, Line, Note, Outcome};
use crate::shape::ArrayType;
use crate::text::{Diagnostic, did_you_mean, list};
use crate::timing;
use crate::trace::Tracer;

/// How lanes that part meet again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivergenceModel {
    /// A reconvergence stack, as before Volta.
    Ipdom,
    /// Independent threads, from Volta on.
    Its,
}

impl DivergenceModel {
    /// The name in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            DivergenceModel::Ipdom => "ipdom",
            DivergenceModel::Its => "its",
        }
    }

    /// The device's own. A device whose programs manage their mask runs other programs on the
    /// stack, which masks lanes as its compiler would.
    pub fn of(device: &Device) -> DivergenceModel {
        match device.divergence {
            DeviceDivergence::Its => DivergenceModel::Its,
            DeviceDivergence::Ipdom | DeviceDivergence::ExecMask => DivergenceModel::Ipdom,
        }
    }
}

/// A buffer in the device's global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Type and shape.
    pub ty: ArrayType,
    /// Its address on the device.
    pub address: u64,
    /// Size.
    pub bytes: u64,
}

/// A device with a program on it.
pub struct Session {
    program: Program,
    device: Device,
    divergence: DivergenceModel,
    engine: Engine,
    buffers: BTreeMap<String, Buffer>,
    room: Room,
    timed: bool,
    checked: bool,
    registers: Option<u32>,
    assembled: BTreeMap<String, Assembled>,
    trace_issues: usize,
    trace: Vec<warploom_timing::Issued>,
    tracer: Option<Tracer>,
}

impl Session {
    /// Puts a program on a device; its variables get their initial values.
    ///
    /// # Errors
    /// When the program's variables do not fit into memory.
    pub fn new(
        program: Program,
        device: Device,
        divergence: DivergenceModel,
    ) -> Result<Session, InputError> {
        let mut room = Room::new(&device);
        let placed = |variable: &&Variable| matches!(variable.space, Space::Global | Space::Const);
        for variable in program.module.variables.iter().filter(placed) {
            room.take(
                variable.bytes,
                &format!("variable `{}`", variable.name),
                None,
            )?;
        }
        let model = match divergence {
            DivergenceModel::Ipdom => Divergence::Ipdom,
            DivergenceModel::Its => Divergence::Its,
        };
        let engine = Engine::load(program.module.clone(), &device, model).map_err(|error| {
            let kind = match &error {
                LoadError::Program(_) => InputErrorKind::Module,
                LoadError::Variable { .. } => InputErrorKind::Memory,
                LoadError::WarpWidth(_) => InputErrorKind::Device,
            };
            InputError::new(kind, Diagnostic::error(error.to_string()))
        })?;
        let buffers = BTreeMap::new();
        Ok(Session {
            program,
            device,
            divergence,
            engine,
            buffers,
            room,
            timed: false,
            checked: false,
            registers: None,
            assembled: BTreeMap::new(),
            trace_issues: 0,
            trace: Vec::new(),
            tracer: None,
        })
    }

    /// Times launches from now on, or no longer.
    pub fn set_timing(&mut self, timed: bool) {
        self.timed = timed;
    }

    /// Checks launches from now on, or no longer: their reports hold what was found. Checked launches
    /// run on one thread and are not timed.
    pub fn set_checks(&mut self, checked: bool) {
        self.checked = checked;
    }

    /// Gives a thread of a timed launch at most so many registers; what does not fit is spilled.
    pub fn set_registers(&mut self, most: Option<u32>) {
        self.registers = most;
    }

    /// Takes registers and spills of timed launches from NVIDIA's assembler from now on, where it
    /// assembles the kernel; [`Session::set_registers`] comes first.
    ///
    /// # Errors
    /// When `ptxas` is not there or refuses the program, or the program is no PTX.
    pub fn assemble(&mut self, tools: &Toolchain) -> Result<(), InputError> {
        if self.program.is_lesson() {
            let message = "a lesson is no PTX that `ptxas` could assemble";
            let diagnostic = Diagnostic::error(message);
            return Err(InputError::new(InputErrorKind::Compiler, diagnostic));
        }
        let target = &self.program.module.target;
        let texts = self.program.sources.texts();
        let done = assemble(texts, target, &self.device, self.registers, tools);
        self.assembled = done?;
        Ok(())
    }

    /// Keeps the first issues of each timed launch from now on, at most so many.
    pub(crate) fn set_trace(&mut self, most: usize) {
        self.trace_issues = most;
    }

    /// The issues of the last timed launch that were kept, in the order of cycles.
    pub(crate) fn take_trace(&mut self) -> Vec<warploom_timing::Issued> {
        let mut trace = std::mem::take(&mut self.trace);
        trace.sort_by_key(|issued| (issued.cycle, issued.sm, issued.scheduler));
        trace
    }

    /// Traces timed launches from now on, or no longer; gives the trace so far.
    pub(crate) fn trace_into(&mut self, tracer: Option<Tracer>) -> Option<Tracer> {
        std::mem::replace(&mut self.tracer, tracer)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The divergence model.
    pub fn divergence(&self) -> DivergenceModel {
        self.divergence
    }

    /// Names of the buffers, sorted.
    pub fn buffer_names(&self) -> impl Iterator<Item = &str> {
        self.buffers.keys().map(String::as_str)
    }

    /// The buffer called `name`.
    ///
    /// # Errors
    /// When there is none; those that there are are listed.
    pub fn buffer(&self, name: &str) -> Result<&Buffer, InputError> {
        self.buffers.get(name).ok_or_else(|| {
            let known = self.buffers.keys().map(String::as_str);
            let all = format!("the buffers are {}", list(known.clone(), "and"));
            let diagnostic = Diagnostic::error(format!("there is no buffer `{name}`"));
            let diagnostic = diagnostic.help(did_you_mean(name, known, all));
            InputError::new(InputErrorKind::Array, diagnostic)
        })
    }

    /// Makes a buffer and fills it. Its address is a multiple of 256, and no other allocation
    /// follows within 256 bytes of its end.
    ///
    /// # Errors
    /// When the name is taken, memory is short, or the contents cannot be read.
    pub fn add_buffer(&mut self, name: &str, contents: &Contents) -> Result<(), InputError> {
        let wrong = |message: String| {
            let diagnostic = Diagnostic::error(message).maybe_at(contents.spot(), "");
            InputError::new(InputErrorKind::Memory, diagnostic)
        };
        if self.buffers.contains_key(name) {
            return Err(wrong(format!("there are two buffers `{name}`")));
        }
        let bytes = contents.bytes;
        self.room
            .take(bytes, &format!("buffer `{name}`"), contents.spot())?;
        let address = self
            .engine
            .allocate(name, bytes)
            .map_err(|e| wrong(e.to_string()))?;
        if !contents.is_zero() {
            let mut at = address;
            contents.read(|piece| {
                self.engine
                    .write(at, piece)
                    .map_err(|e| wrong(e.to_string()))?;
                at += piece.len() as u64;
                Ok(())
            })?;
        }
        let ty = contents.ty.clone();
        let buffer = Buffer {
            name: name.to_owned(),
            ty,
            address,
            bytes,
        };
        self.buffers.insert(name.to_owned(), buffer);
        Ok(())
    }

    /// Frees a buffer.
    ///
    /// # Errors
    /// When there is no such buffer.
    pub fn remove_buffer(&mut self, name: &str) -> Result<(), InputError> {
        let Buffer { address, bytes, .. } = *self.buffer(name)?;
        self.engine.free(address).map_err(memory_error)?;
        self.room.give(bytes);
        self.buffers.remove(name);
        Ok(())
    }

    /// Copies bytes from device memory at `address`.
    ///
    /// # Errors
    /// When the range is not inside one allocation.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), InputError> {
        self.engine.read(address, into).map_err(memory_error)
    }

    /// Copies bytes to device memory at `address`.
    ///
    /// # Errors
    /// When the range is not inside one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), InputError> {
        self.engine.write(address, bytes).map_err(memory_error)
    }

    /// Address and size of a global or constant variable of the program.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.engine.variable(name)
    }

    /// The bytes of a buffer, row by row and little-endian, in pieces of whole elements.
    ///
    /// # Errors
    /// When there is no such buffer, or `sink` fails.
    pub fn read_buffer(
        &self,
        name: &str,
        mut sink: impl FnMut(&[u8]) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        let buffer = self.buffer(name)?;
        let mut piece = Vec::new();
        let mut done = 0;
        while done < buffer.bytes {
            let left = usize::try_from(buffer.bytes - done).unwrap_or(PIECE_BYTES);
            piece.resize(left.min(PIECE_BYTES), 0);
            self.read(buffer.address + done, &mut piece)?;
            sink(&piece)?;
            done += piece.len() as u64;
        }
        Ok(())
    }

    /// Runs a kernel to its end, a fault or a limit.
    ///
    /// # Errors
    /// When the launch cannot be started: it does not fit the kernel or the device, or needs a
    /// feature that is not supported. What the kernel does wrong is in the report instead.
    pub fn launch(
        &mut self,
        launch: &LaunchPlan,
        control: &mut Control<'_>,
    ) -> Result<LaunchReport, Error> {
        if self.checked {
            return check::launch(self, launch, control);
        }
        self.launch_observed(launch, control, &mut NoObserver)
    }

    /// The allocation or shared variable of a launch that an address lies in, and the byte of it.
    pub(crate) fn holder(
        &self,
        space: Space,
        address: u64,
        launch: &LaunchPlan,
    ) -> Option<(u64, Neighbour)> {
        let kernel = self.program.kernel(launch.kernel.as_ref()).ok()?;
        self.engine
            .holder(space, address, kernel, launch.shared_bytes)
    }

    /// The same, while `observer` sees every issue. Blocks run in order, on one thread.
    ///
    /// # Errors
    /// As [`Session::launch`].
    pub(crate) fn launch_observed<O: Observer>(
        &mut self,
        launch: &LaunchPlan,
        control: &mut Control<'_>,
        observer: &mut O,
    ) -> Result<LaunchReport, Error> {
        let module = self.program.module.clone();
        let kernel = self.program.kernel(launch.kernel.as_ref())?;
        if let Some(error) = self.unsupported(&module, kernel) {
            return Err(Box::new(error).into());
        }
        let params = self.params(&module, kernel, launch)?;
        let (mut need, mut occupancy) = admit(&module, kernel, launch, &self.device)?;
        let stream = (self.timed && !O::ACTIVE).then(|| self.lowered(&module, kernel));
        if let Some(stream) = &stream {
            // What a compiler would allocate decides how many blocks are resident.
            need = need.with_registers(stream.registers_per_thread);
            let name = &module.function(kernel).name;
            occupancy = need.residency(name, launch, &self.device)?;
        }
        let spec = self.spec(kernel, launch, params, &occupancy);
        let limit = control.max_thread_instructions;
        let ran = if let Some(stream) = &stream {
            let mut options = timing_options(&self.device, &occupancy);
            options.trace_issues = self.trace_issues;
            let device = &self.device;
            let trace = self.tracer.as_mut().map(|tracer| {
                let places = Places {
                    module: &module,
                    sources: &self.program.sources,
                };
                let sources = stream.insts.iter().map(|inst| inst.source);
                let origin = |pc| Some((pc, *module.origins.get(pc as usize)?));
                let labels = sources.filter_map(origin);
                tracer.begin(labels.map(|(pc, at)| (pc, places.label(pc, at))).collect());
                Trace::new(tracer.sms(), tracer.window(), tracer)
            });
            match self
                .engine
                .launch_timed(&spec, control, stream, device, &options, trace)
            {
                Ok(Ok(mut ran)) => {
                    if let (Some(tracer), Some(timed)) = (&mut self.tracer, &ran.timed) {
                        let name = &module.function(kernel).name;
                        tracer.end(name, timed.timing.tally.end);
                    }
                    if let Some(timed) = &mut ran.timed {
                        self.trace = std::mem::take(&mut timed.timing.tally.trace);
                    }
                    ran
                }
                Ok(Err(error)) => return Err(not_timed(&error).into()),
                Err(error) => return Err(refused(error, launch).into()),
            }
        } else {
            match self.engine.launch(&spec, control, observer) {
                Ok(ran) => ran,
                Err(error) => return Err(refused(error, launch).into()),
            }
        };
        Ok(self.report(&module, kernel, launch, &ran, need, &occupancy, limit))
    }

    fn spec(
        &self,
        kernel: FunctionId,
        launch: &LaunchPlan,
        params: Vec<u8>,
        occupancy: &Occupancy,
    ) -> LaunchSpec {
        LaunchSpec {
            kernel,
            grid: launch.grid.size,
            block: launch.block.size,
            dynamic_shared_bytes: launch.shared_bytes,
            params,
            cooperative: launch.cooperative,
            resident_blocks: u64::from(occupancy.blocks_per_sm) * u64::from(self.device.sms),
        }
    }

    /// Checks a launch and gives it into the hands of a driver, on the memory as it was at the
    /// checkpoint. `Err` is a launch that cannot be started.
    pub(crate) fn launch_steps(
        &mut self,
        checkpoint: &Machine,
        launch: &LaunchPlan,
        stops: &Stops,
        driver: impl FnOnce(&mut dyn Steps, &Launch) -> End,
    ) -> Result<(Outcome, Option<Failure>), Error> {
        let module = self.program.module.clone();
        let kernel = self.program.kernel(launch.kernel.as_ref())?;
        if let Some(error) = self.unsupported(&module, kernel) {
            return Err(Box::new(error).into());
        }
        let params = self.params(&module, kernel, launch)?;
        let (_, occupancy) = admit(&module, kernel, launch, &self.device)?;
        let spec = self.spec(kernel, launch, params, &occupancy);
        self.engine.restore(checkpoint);
        let done = self.engine.launch_steps(&spec, stops, driver);
        let end = done.map_err(|error| refused(error, launch))?;
        let places = Places {
            module: &module,
            sources: &self.program.sources,
        };
        let name = &module.function(kernel).name;
        let limit = DEFAULT_MAX_THREAD_INSTRUCTIONS;
        Ok(ending(&places, &end, None, name, limit))
    }

    /// The state of memory now, for [`Session::launch_steps`].
    pub(crate) fn checkpoint(&self) -> Machine {
        self.engine.checkpoint()
    }

    /// What a compiler would make of a kernel.
    fn lowered(&self, module: &Module, kernel: FunctionId) -> Stream {
        let most = self.device.registers.max_per_thread;
        let assembled = self.assembled.get(&module.function(kernel).name);
        // Where the assembler gets by without spills, so does its code.
        let limit = match assembled {
            Some(found) if found.spill_store_bytes == 0 => most,
            Some(found) => found.registers,
            None => self.registers.unwrap_or(most),
        };
        let options = LowerOptions {
            max_registers: Some(limit.min(most)),
            as_written: self.program.is_lesson(),
        };
        let mut stream = lower(module, kernel, options);
        if let Some(found) = assembled {
            stream.registers_per_thread = found.registers;
        }
        stream
    }

    /// The first instruction that the kernel could reach and the machine cannot execute, or what
    /// the kernel itself asks for.
    fn unsupported(&self, module: &Module, kernel: FunctionId) -> Option<UnsupportedError> {
        let entry = module.function(kernel);
        let cluster = entry
            .bounds
            .required_cluster
            .map(|[x, y, z]| [x, y.max(1), z.max(1)]);
        if let Some([x, y, z]) = cluster.filter(|&size| size != [1; 3]) {
            let place = self.program.sources.place(module, entry.origin.loc);
            let file = entry.origin.loc.file;
            return Some(UnsupportedError {
                what: format!("clusters of blocks (.reqnctapercluster {x}, {y}, {z})"),
                kernel: entry.name.clone(),
                function: None,
                file: place.file,
                line: place.line,
                spot: self
                    .program
                    .sources
                    .spot(module, file, entry.origin.text_line),
            });
        }
        let reachable = module.reachable(kernel);
        let mut holders = reachable.into_iter().map(|id| (id, module.function(id)));
        let (id, function, found) =
            holders.find_map(|(id, f)| Some((id, f, f.unsupported.first()?)))?;
        let sources = &self.program.sources;
        let place = sources.place(module, found.origin.loc);
        Some(UnsupportedError {
            what: found.what.clone(),
            kernel: module.function(kernel).name.clone(),
            function: (id != kernel).then(|| function.name.clone()),
            file: place.file,
            line: place.line,
            spot: sources.spot(module, function.origin.loc.file, found.origin.text_line),
        })
    }

    fn params(
        &self,
        module: &Module,
        kernel: FunctionId,
        launch: &LaunchPlan,
    ) -> Result<Vec<u8>, InputError> {
        let mut arguments = Vec::with_capacity(launch.args.len());
        for arg in &launch.args {
            let spot = arg.spot.as_ref();
            let value = match &arg.value {
                ArgValue::Scalar(scalar) => Resolved::Scalar(*scalar),
                ArgValue::Bytes(bytes) => Resolved::Bytes(bytes),
                ArgValue::Buffer { name, offset_bytes } => {
                    let buffer = self.buffer(name).map_err(|error| error.located(spot))?;
                    if *offset_bytes > buffer.bytes {
                        let message = format!(
                            "offset {offset_bytes} is past the end of buffer `{name}` of {} bytes",
                            buffer.bytes
                        );
                        let diagnostic = Diagnostic::error(message).maybe_at(spot, "");
                        return Err(InputError::new(InputErrorKind::Parameters, diagnostic));
                    }
                    Resolved::Address(buffer.address + offset_bytes)
                }
            };
            arguments.push(Argument { value, spot });
        }
        pack(
            module.function(kernel),
            &arguments,
            launch.args_spot.as_ref(),
        )
        .map_err(|diagnostic| InputError::new(InputErrorKind::Parameters, diagnostic))
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of one report, put together once"
    )]
    fn report(
        &self,
        module: &Module,
        kernel: FunctionId,
        launch: &LaunchPlan,
        ran: &Ran,
        need: Need,
        occupancy: &Occupancy,
        limit: u64,
    ) -> LaunchReport {
        let name = &module.function(kernel).name;
        let places = Places {
            module,
            sources: &self.program.sources,
        };
        let (outcome, error) = ending(&places, &ran.outcome, ran.hottest, name, limit);
        let mut tally = Tally::default();
        let mut lines = Vec::with_capacity(ran.lines.len());
        for (loc, part) in &ran.lines {
            tally.add(part);
            let place = places.place(*loc);
            let issues = ran.timed.as_ref().and_then(|timed| timed.lines.get(loc));
            lines.push(Line {
                place,
                tally: *part,
                timing: issues.map(timing::of_line),
            });
        }
        let mut notes: Vec<Note> = ran.notes.iter().map(|note| places.note(note)).collect();
        let assembled = self.assembled.get(name).filter(|_| ran.timed.is_some());
        notes.extend(assembled.map(|found| Note {
            message: found.to_string(),
            place: None,
        }));
        lines.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
        let metrics = Metrics {
            tally,
            warp_width: self.device.warp_width,
            footprint: need.metrics(occupancy, ran.shared_bytes),
            timing: ran
                .timed
                .as_ref()
                .map(|timed| timing::of_launch(&timed.timing)),
        };
        LaunchReport {
            kernel: name.clone(),
            grid: launch.grid.size,
            block: launch.block.size,
            outcome,
            error,
            notes,
            findings: Vec::new(),
            blocks_done: ran.blocks_done,
            advice: advice::of(&metrics, &self.device),
            metrics,
            lines,
        }
    }

    /// Compares a buffer with what it should hold.
    ///
    /// # Errors
    /// When the two cannot be compared: no such buffer, another number of elements, a float
    /// against an integer; or when the expected elements cannot be read.
    pub fn compare(&self, expect: &ExpectPlan) -> Result<ExpectationReport, InputError> {
        let expected = expect.contents.open()?;
        let buffer = self
            .buffer(&expect.buffer)
            .map_err(|e| e.located(expected.spot()))?;
        check_types(buffer, &expected)?;
        let element = expected.ty.element;
        let ExpectPlan { rtol, atol, .. } = *expect;
        let mut comparison = Comparison::new(&buffer.name, &buffer.ty, element, rtol, atol);
        let mut at = buffer.address;
        let mut found = Vec::new();
        expected.read(|piece| {
            let elements = piece.len() / element.bytes();
            found.resize(elements * buffer.ty.element.bytes(), 0);
            self.read(at, &mut found)?;
            at += found.len() as u64;
            comparison.piece(&found, piece);
            Ok(())
        })?;
        Ok(comparison.finish())
    }
}

/// Whether a buffer and what it should hold can be compared at all.
pub(crate) fn check_types(buffer: &Buffer, expected: &Contents) -> Result<(), InputError> {
    let Buffer { name, ty, .. } = buffer;
    let message = if ty.len() != expected.ty.len() {
        format!("buffer `{name}` is {ty}, but {} is expected", expected.ty)
    } else if !comparable(ty.element, expected.ty.element) {
        format!(
            "buffer `{name}` is {ty}; it cannot be compared with {}",
            expected.ty
        )
    } else {
        return Ok(());
    };
    let diagnostic = Diagnostic::error(message).maybe_at(expected.spot(), "");
    Err(InputError::new(InputErrorKind::Array, diagnostic))
}

fn ending(
    places: &Places<'_>,
    end: &End,
    hottest: Option<Loc>,
    kernel: &str,
    limit: u64,
) -> (Outcome, Option<Failure>) {
    match end {
        End::Completed => (Outcome::Ok, None),
        End::Fault(fault) => (Outcome::Fault, Some(places.fault(fault))),
        End::Limit => {
            let message = format!("the limit of {limit} thread instructions was reached");
            let failure = places.stopped("instruction_limit", message, kernel, hottest);
            (Outcome::Limit, Some(failure))
        }
        End::Interrupted => {
            let message = "the run was interrupted".to_owned();
            let failure = places.stopped("interrupted", message, kernel, hottest);
            (Outcome::Limit, Some(failure))
        }
    }
}

/// How a launch of this residency is timed.
fn timing_options(device: &Device, occupancy: &Occupancy) -> TimingOptions {
    let memory = &device.memory;
    let carved = if memory.l1_unified {
        occupancy.shared_carve_out_bytes
    } else {
        0
    };
    TimingOptions {
        blocks_per_sm: occupancy.blocks_per_sm,
        l1_bytes: memory.l1_bytes.saturating_sub(carved).into(),
        trace_issues: 0,
    }
}

fn not_timed(error: &TimingError) -> InputError {
    let message = format!("the launch cannot be timed: {error}");
    InputError::new(InputErrorKind::Module, Diagnostic::error(message))
}

fn memory_error(error: MemoryError) -> InputError {
    InputError::new(InputErrorKind::Memory, Diagnostic::error(error.to_string()))
}

/// A launch that the machine refuses after all checks here.
fn refused(error: LaunchError, launch: &LaunchPlan) -> InputError {
    let (kind, spot) = match &error {
        LaunchError::NoKernel => (InputErrorKind::Kernel, None),
        LaunchError::Params { .. } => (InputErrorKind::Parameters, launch.args_spot.as_ref()),
        LaunchError::UndefinedVariable(_) | LaunchError::UndefinedFunction(_) => {
            (InputErrorKind::Module, None)
        }
        LaunchError::Memory(_) => (InputErrorKind::Memory, None),
        LaunchError::GridTooLarge | LaunchError::CooperativeTooLarge { .. } => {
            (InputErrorKind::Limits, launch.grid.spot.as_ref())
        }
        _ => (InputErrorKind::Limits, launch.block.spot.as_ref()),
    };
    let kernel = launch.kernel.as_ref().and_then(|named| named.spot.as_ref());
    InputError::new(
        kind,
        Diagnostic::error(error.to_string()).maybe_at(spot.or(kernel), ""),
    )
}
