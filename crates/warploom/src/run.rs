//! Carrying out a [`Plan`]: load, fill, launch in order, check, save, report.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use warploom_device::Device;
use warploom_device::schema::Vendor;

use crate::compiler::Toolchain;
use crate::contents::Contents;
use crate::element::Class;
use crate::engine::{Control, DEFAULT_MAX_THREAD_INSTRUCTIONS};
use crate::error::{Error, InputError, InputErrorKind};
use crate::failure;
use crate::files::read_text;
use crate::npy::write_header;
use crate::plan::{Named, Plan, SavePlan};
use crate::program::Program;
use crate::report::{Note, Outcome, Report, SCHEMA_VERSION, Saved, Severity};
use crate::session::{DivergenceModel, Session, check_types};
use crate::text::{Diagnostic, Spot};
use crate::trace::{TracePlan, Tracer};

/// Longest device description that is read.
const MAX_DEVICE_BYTES: u64 = 1 << 20;
/// The device of a run that names none.
pub const DEFAULT_DEVICE: &str = "h100";

/// What is not part of the plan.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// A device that comes before the plan's.
    pub device: Option<Named>,
    /// Overrides of the device's figures, as (key, value).
    pub set: Vec<(String, String)>,
    /// The divergence model; `None` takes the device's own.
    pub divergence: Option<DivergenceModel>,
    /// Predict how long launches take on the device.
    pub timing: bool,
    /// Check launches instead, for what no run shows.
    pub check: bool,
    /// Kinds of findings that are left out of the report.
    pub allow: Vec<String>,
    /// Registers that a thread of a timed launch has at most.
    pub registers: Option<u32>,
    /// Take registers and spills of timed launches from NVIDIA's assembler.
    pub ptxas: bool,
    /// A trace of the timed launches.
    pub trace: Option<TracePlan>,
    /// Host threads; 0 takes one for each core.
    pub threads: usize,
    /// Thread instructions of all launches together; `None` is 10¹².
    pub max_thread_instructions: Option<u64>,
    /// Ends the run soon after it is raised.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Hears about a run while it goes on.
pub trait Watcher: Sync {
    /// Kernels print these bytes.
    fn output(&self, bytes: &[u8]);

    /// A launch goes on: its number from 0, blocks that are done, and how many there are.
    fn progress(&self, _launch: usize, _done: u64, _total: u64) {}
}

/// Lets kernels print to nowhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watcher for Silent {
    fn output(&self, _bytes: &[u8]) {}
}

/// Host time that parts of a run took. Not part of the report, which is the same each time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Reading, compiling and lowering modules.
    pub load: Duration,
    /// Filling buffers.
    pub fill: Duration,
    /// All launches.
    pub launch: Duration,
    /// Checking and saving buffers.
    pub finish: Duration,
}

/// What came of a run.
pub struct Finished {
    /// The report.
    pub report: Report,
    /// The device and its buffers, as the run left them.
    pub session: Session,
    /// Host times.
    pub times: Times,
    /// Why buffers or the trace could not be saved. The report holds all the same.
    pub unsaved: Vec<Diagnostic>,
}

/// The device that `options` or the plan names, with its overrides.
///
/// # Errors
/// When there is no such device, or an override does not fit.
pub fn device(options: &Options<'_>, plan: Option<&Named>) -> Result<Device, InputError> {
    let named = options.device.as_ref().or(plan);
    let spot = named.and_then(|named| named.spot.as_ref());
    let name = named.map_or(DEFAULT_DEVICE, |named| named.name.as_str());
    let found = if name.ends_with(".toml") {
        let text = read_text(Path::new(name), name, MAX_DEVICE_BYTES, spot)?;
        Device::from_toml(&text, name).map_err(|e| device_error(e, Some(&text), spot))
    } else {
        Device::by_name(name).map_err(|e| device_error(e, None, spot))
    };
    let mut device = found?;
    let pairs = options
        .set
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()));
    device
        .set_all(pairs)
        .map_err(|error| device_error(error, None, None))?;
    Ok(device)
}

fn device_error(
    error: warploom_device::DeviceError,
    text: Option<&str>,
    spot: Option<&Spot>,
) -> InputError {
    let field = match &*error.field {
        "" => String::new(),
        field => format!("`{field}`: "),
    };
    let message = format!("{field}{}", error.message);
    let own = text.map(|text| Spot::whole(&*error.origin, text).part(error.span.clone()));
    let set = (error.position.is_none() && spot.is_none() && !error.origin.is_empty())
        .then(|| Spot::whole("--set", &*error.origin));
    let spot = own.as_ref().or(spot).or(set.as_ref());
    let mut diagnostic = Diagnostic::error(message).maybe_at(spot, "");
    diagnostic.help = error.help;
    InputError::new(InputErrorKind::Device, diagnostic)
}

/// Runs a plan. Everything that can be checked beforehand is; launches then run in order until
/// one does not complete.
///
/// # Errors
/// When the plan or something that it names is wrong, whenever that is found.
pub fn run(
    plan: &Plan,
    options: &Options<'_>,
    watcher: &dyn Watcher,
) -> Result<Finished, InputError> {
    let mut times = Times::default();
    let mut clock = Clock(Instant::now());
    let saved = plan.save.iter().map(|save| &save.file);
    for file in saved.chain(options.trace.as_ref().map(|trace| &trace.file)) {
        check_folder(&file.path, &file.shown, file.spot.as_ref())?;
    }
    let device = device(options, plan.device.as_ref())?;
    let program = Program::load(&plan.modules, &device)?;
    for launch in &plan.launches {
        program.kernel(launch.kernel.as_ref())?;
    }
    let divergence = options.divergence.unwrap_or(DivergenceModel::of(&device));
    let mut notes = notes(&program, &device);
    let mut session = Session::new(program, device, divergence)?;
    session.set_timing(options.timing);
    session.set_checks(options.check);
    session.set_registers(options.registers);
    if options.ptxas {
        session.assemble(&Toolchain::of_this_process())?;
    }
    if let Some(trace) = &options.trace {
        session.trace_into(Some(Tracer::create(trace)?));
    }
    times.load = clock.lap();
    notes.extend(fill(plan, &mut session)?);
    times.fill = clock.lap();
    let mut report = Report {
        schema_version: SCHEMA_VERSION,
        outcome: Outcome::Ok,
        device: session.device().name.clone(),
        divergence: divergence.name(),
        error: None,
        notes,
        launches: Vec::with_capacity(plan.launches.len()),
        expectations: Vec::new(),
        saved: Vec::new(),
        trace: None,
    };
    launch_all(plan, options, watcher, &mut session, &mut report)?;
    times.launch = clock.lap();
    if report.outcome == Outcome::Ok {
        for expect in &plan.expect {
            report.expectations.push(session.compare(expect)?);
        }
        if report
            .expectations
            .iter()
            .any(|expectation| !expectation.ok)
        {
            report.outcome = Outcome::Expectation;
        }
    }
    for launch in &mut report.launches {
        launch
            .findings
            .retain(|finding| !options.allow.iter().any(|kind| kind == finding.kind));
    }
    let mut findings = report.launches.iter().flat_map(|launch| &launch.findings);
    let wrong = findings.any(|finding| finding.severity == Severity::Error);
    if wrong && matches!(report.outcome, Outcome::Ok | Outcome::Expectation) {
        report.outcome = Outcome::Finding;
    }
    let mut unsaved = Vec::new();
    if let Some(tracer) = session.trace_into(None) {
        match tracer.finish() {
            Ok(traced) => report.trace = Some(traced),
            Err(error) => unsaved.extend(error.diagnostics),
        }
    }
    // What a failed kernel left is worth a look too; what never ran is not.
    if report.outcome != Outcome::Unsupported {
        for save in &plan.save {
            match save_buffer(&session, save) {
                Ok(saved) => report.saved.push(saved),
                Err(error) => unsaved.extend(error.diagnostics),
            }
        }
    }
    times.finish = clock.lap();
    Ok(Finished {
        report,
        session,
        times,
        unsaved,
    })
}

struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now))
    }
}

/// Opens and checks everything first, so that a wrong file is found before memory is filled.
fn fill(plan: &Plan, session: &mut Session) -> Result<Vec<Note>, InputError> {
    let mut notes = Vec::new();
    let open = |buffer: &crate::plan::BufferPlan| buffer.contents.open();
    let contents: Vec<Contents> = plan.buffers.iter().map(open).collect::<Result<_, _>>()?;
    for expect in &plan.expect {
        let expected = expect.contents.open()?;
        let buffers = plan.buffers.iter().zip(&contents);
        if let Some((_, found)) = buffers.into_iter().find(|(b, _)| b.name == expect.buffer) {
            let buffer = crate::session::Buffer {
                name: expect.buffer.clone(),
                ty: found.ty.clone(),
                address: 0,
                bytes: found.bytes,
            };
            check_types(&buffer, &expected)?;
            notes.extend(coarser(&buffer, &expected));
        }
    }
    for (buffer, contents) in plan.buffers.iter().zip(&contents) {
        session.add_buffer(&buffer.name, contents)?;
    }
    Ok(notes)
}

/// A remark on expected floats that cannot hold what the buffer can.
fn coarser(buffer: &crate::session::Buffer, expected: &Contents) -> Option<Note> {
    let (own, other) = (buffer.ty.element, expected.ty.element);
    if own.class() != Class::Float || other.bytes() >= own.bytes() {
        return None;
    }
    let message = format!(
        "buffer `{}` holds {own} and is compared with {other}, which is coarser: only a tolerance \
         allows for the rounding",
        buffer.name
    );
    let place = None;
    Some(Note { message, place })
}

/// Checks that a file can be made where it is asked for, as far as its folder goes.
///
/// # Errors
/// When there is no such folder.
pub fn check_folder(path: &Path, shown: &str, spot: Option<&Spot>) -> Result<(), InputError> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    if folder.is_dir() {
        return Ok(());
    }
    let message = format!(
        "cannot write `{shown}`: there is no folder `{}`",
        folder.display()
    );
    let diagnostic = Diagnostic::error(message).maybe_at(spot, "");
    Err(InputError::new(InputErrorKind::File, diagnostic))
}

fn launch_all(
    plan: &Plan,
    options: &Options<'_>,
    watcher: &dyn Watcher,
    session: &mut Session,
    report: &mut Report,
) -> Result<(), InputError> {
    let limit = options
        .max_thread_instructions
        .unwrap_or(DEFAULT_MAX_THREAD_INSTRUCTIONS);
    let mut left = limit;
    for (number, launch) in plan.launches.iter().enumerate() {
        let mut control = Control {
            threads: options.threads,
            max_thread_instructions: left,
            interrupt: options.interrupt,
            output: &mut |bytes| watcher.output(bytes),
            progress: &|done, total| watcher.progress(number, done, total),
        };
        match session.launch(launch, &mut control) {
            Ok(done) => {
                left = left.saturating_sub(done.metrics.tally.thread_instructions);
                report.outcome = done.outcome;
                report.error.clone_from(&done.error);
                report.launches.push(done);
            }
            Err(Error::Unsupported(error)) => {
                report.outcome = Outcome::Unsupported;
                report.error = Some(failure::unsupported(&error));
            }
            Err(Error::Input(error)) => return Err(error),
        }
        if report.outcome != Outcome::Ok {
            break;
        }
    }
    Ok(())
}

/// Remarks on a program and a device that go together only so far.
fn notes(program: &Program, device: &Device) -> Vec<Note> {
    let target = &program.module.target;
    let place = None;
    let note = unsuitable(target, device).map(|message| Note { message, place });
    note.into_iter().collect()
}

/// Oldest target whose instructions are supported throughout, as its number in `sm_50`.
const OLDEST_TARGET: u32 = 50;

/// What is odd about a module of this target on the device.
fn unsuitable(target: &str, device: &Device) -> Option<String> {
    const SO_FAR: &str = "it runs as far as its instructions are supported";
    let number = target.strip_prefix("sm_")?;
    let letter = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let wanted: u32 = number[..number.len() - letter.len()].parse().ok()?;
    let Device {
        name, target: own, ..
    } = device;
    let Some((major, minor)) = device.compute_capability() else {
        return (device.vendor == Vendor::Amd).then(|| {
            format!(
                "the module is made for {target}; device `{name}` ({own}) runs no PTX itself, so \
                 this shows how the kernel would behave on a machine of its shape"
            )
        });
    };
    let has = 10 * major + minor;
    if wanted > has {
        return Some(format!(
            "the module is made for {target}, above {own} of device `{name}`; {SO_FAR}"
        ));
    }
    if (letter == "a" && wanted != has) || (letter == "f" && wanted / 10 != major) {
        return Some(format!(
            "the module is made for {target}, which device `{name}` ({own}) would not load; {SO_FAR}"
        ));
    }
    (wanted < OLDEST_TARGET).then(|| {
        format!(
            "the module is made for {target}, older than sm_{OLDEST_TARGET}, the oldest target \
             that is supported; {SO_FAR}"
        )
    })
}

fn save_buffer(session: &Session, save: &SavePlan) -> Result<Saved, InputError> {
    let file = &save.file;
    let failed =
        |error: &io::Error| InputError::file("write", &file.shown, error, file.spot.as_ref());
    let ty = &session.buffer(&save.buffer)?.ty;
    let open = fs::File::create(&file.path).map_err(|error| failed(&error))?;
    let mut writer = BufWriter::new(open);
    write_header(&mut writer, ty).map_err(|error| failed(&error))?;
    session.read_buffer(&save.buffer, |piece| {
        writer.write_all(piece).map_err(|error| failed(&error))
    })?;
    writer.flush().map_err(|error| failed(&error))?;
    Ok(Saved {
        buffer: save.buffer.clone(),
        path: file.shown.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_does_not_go_with_a_target_is_noted() {
        let note = |target: &str, device: &str| {
            unsuitable(target, &Device::by_name(device).unwrap()).unwrap_or_default()
        };
        for (target, device) in [
            ("sm_50", "h100"),
            ("sm_90", "h100"),
            ("sm_90a", "h200"),
            ("sm_100f", "b200"),
            ("sm_80", "lesson"),
            ("", "mi300x"),
        ] {
            assert_eq!(note(target, device), "", "{target} {device}");
        }
        for (target, device, start) in [
            (
                "sm_80",
                "v100",
                "the module is made for sm_80, above sm_70 of device `v100`; it runs",
            ),
            (
                "sm_70",
                "k40",
                "the module is made for sm_70, above sm_35 of device `k40`; it runs",
            ),
            (
                "sm_35",
                "k40",
                "the module is made for sm_35, older than sm_50, the oldest target",
            ),
            (
                "sm_90a",
                "b200",
                "the module is made for sm_90a, which device `b200` (sm_100) would",
            ),
            (
                "sm_70",
                "mi300x",
                "the module is made for sm_70; device `mi300x` (gfx942) runs no PTX",
            ),
        ] {
            let note = note(target, device);
            assert!(note.starts_with(start), "{note}");
        }
    }
}
