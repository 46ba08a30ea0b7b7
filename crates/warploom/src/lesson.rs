//! Lessons: programs of the lesson language, run with every issue on record.

mod summary;

use std::sync::Arc;

use serde::Serialize;
use warploom_isa::Module;
use warploom_machine::{Issue as MachineIssue, Observer};

pub use summary::{PathSum, hex, kind};
pub use warploom_lesson::{Array, Element, Lesson, LineInfo, Path};

use crate::contents::ContentsPlan;
use crate::element::ElementType;
use crate::engine::{Control, DEFAULT_MAX_THREAD_INSTRUCTIONS};
use crate::error::{Error, InputError, InputErrorKind};
use crate::failure;
use crate::files::read_text;
use crate::plan::{ArgValue, FilePlan, LaunchPlan, Named};
use crate::program::{Program, lesson_diagnostics};
use crate::report::{Outcome, Report, SCHEMA_VERSION};
use crate::run::{Options, Watcher, device};
use crate::session::{DivergenceModel, Session};
use crate::shape::ArrayType;
use crate::text::{Diagnostic, SourceText};

/// The device of lessons.
pub const DEFAULT_DEVICE: &str = "lesson";
/// Issues that are kept at most.
pub const MAX_ISSUES: usize = 1 << 20;

/// A line that a warp issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Block of the grid.
    pub block: u32,
    /// Warp of the block.
    pub warp: u32,
    /// Line of the lesson, from 1.
    pub line: u32,
    /// Lanes that issue it together.
    pub active: u64,
    /// Those of them whose predicate is true: the ones that execute a `where` line, or jump.
    pub executing: u64,
    /// Lanes that are there and have not exited.
    pub live: u64,
}

/// A line that a warp issued, in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TimedIssue {
    /// SM cycle, from the launch's first issue.
    pub cycle: u64,
    /// The scheduler, counted over all SMs.
    pub scheduler: u32,
    /// Where the SM keeps the warp: the number of the warp as long as only one block is there.
    pub slot: u32,
    /// Line of the lesson, from 1.
    pub line: u32,
}

/// Which issues are kept; all are counted.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// Those of this warp of each block; of all warps for `None`.
    pub warp: Option<u32>,
    /// At most this many, the first ones; never more than [`MAX_ISSUES`].
    pub most: usize,
}

/// What came of a lesson. Serialized, it is the report with a key `lesson` more.
pub struct Played {
    /// The program.
    pub lesson: Lesson,
    /// The report, with one launch.
    pub report: Report,
    /// The issues in the order in which they came.
    pub issues: Vec<Issue>,
    /// Issues that were not kept because there were too many.
    pub left_out: u64,
    /// With timing: when each issue was, in the order of cycles; as many as are kept.
    pub timeline: Vec<TimedIssue>,
    /// The device and the arrays, as the run left them: buffers of the arrays' names.
    pub session: Session,
}

/// Runs the lesson in a file; see [`play`].
///
/// # Errors
/// As [`play`], and when the file cannot be read.
pub fn play_file(
    file: &FilePlan,
    options: &Options<'_>,
    keep: Keep,
    watcher: &dyn Watcher,
) -> Result<Played, InputError> {
    let limit_bytes = warploom_lesson::MAX_TEXT_BYTES as u64;
    let text = read_text(&file.path, &file.shown, limit_bytes, file.spot.as_ref())?;
    play(&file.shown, &text, options, keep, watcher)
}

/// Runs a lesson. `name` is the text's name in messages.
///
/// The device is that of `options`, or `lesson`; its warps are as wide as the lesson asks for.
///
/// # Errors
/// When the text is wrong, there is no such warp to keep, or the device does not take the launch.
pub fn play(
    name: &str,
    text: &str,
    options: &Options<'_>,
    keep: Keep,
    watcher: &dyn Watcher,
) -> Result<Played, InputError> {
    let lesson = warploom_lesson::parse(name, text).map_err(|found| InputError {
        kind: InputErrorKind::Module,
        diagnostics: lesson_diagnostics(name, text, found),
    })?;
    let warps = lesson.threads.div_ceil(lesson.width);
    if let Some(warp) = keep.warp.filter(|&warp| warp >= warps) {
        let message = format!("there is no warp {warp}: a block has {warps}, counted from 0");
        let diagnostic = Diagnostic::error(message);
        return Err(InputError::new(InputErrorKind::Argument, diagnostic));
    }
    let device = {
        let mut options = options.clone();
        let width = ("warp_width".to_owned(), lesson.width.to_string());
        options.set.push(width);
        device(&options, Some(&Named::new(DEFAULT_DEVICE)))?
    };
    let source = Arc::new(SourceText {
        origin: name.to_owned(),
        text: text.to_owned(),
    });
    let module = lesson.module.clone();
    let program = || Program::of_lesson(module.clone(), vec![source.clone()]);
    let divergence = options.divergence.unwrap_or(DivergenceModel::of(&device));
    let again = (program(), device.clone());
    let mut session = Session::new(program(), device, divergence)?;
    let launch = prepare(&lesson, &mut session)?;
    let mut recorder = Recorder {
        module: Arc::clone(session.program().module()),
        keep,
        issues: Vec::new(),
        left_out: 0,
    };
    let mut control = Control {
        threads: 1,
        max_thread_instructions: options
            .max_thread_instructions
            .unwrap_or(DEFAULT_MAX_THREAD_INSTRUCTIONS),
        interrupt: options.interrupt,
        output: &mut |bytes| watcher.output(bytes),
        progress: &|done, total| watcher.progress(0, done, total),
    };
    let mut report = Report {
        schema_version: SCHEMA_VERSION,
        outcome: Outcome::Ok,
        device: session.device().name.clone(),
        divergence: divergence.name(),
        error: None,
        notes: Vec::new(),
        launches: Vec::new(),
        expectations: Vec::new(),
        saved: Vec::new(),
        trace: None,
    };
    match session.launch_observed(&launch, &mut control, &mut recorder) {
        Ok(done) => {
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
    let mut timeline = Vec::new();
    if options.timing && report.outcome == Outcome::Ok {
        // Once more from the start, in time: what it does is the same.
        session = Session::new(again.0, again.1, divergence)?;
        session.set_timing(true);
        session.set_trace(keep.most.min(MAX_ISSUES));
        let launch = prepare(&lesson, &mut session)?;
        match session.launch(&launch, &mut control) {
            Ok(done) => report.launches = vec![done],
            Err(Error::Input(error)) => return Err(error),
            Err(Error::Unsupported(error)) => report.error = Some(failure::unsupported(&error)),
        }
        timeline = timed(&mut session);
    }
    Ok(Played {
        lesson,
        report,
        issues: recorder.issues,
        left_out: recorder.left_out,
        timeline,
        session,
    })
}

/// When each issue of the last launch was.
fn timed(session: &mut Session) -> Vec<TimedIssue> {
    let trace = session.take_trace();
    let first = trace.first().map_or(0, |issued| issued.cycle);
    let schedulers = session.device().schedulers_per_sm;
    let origins = &session.program().module().origins;
    let issue = |issued: &warploom_timing::Issued| TimedIssue {
        cycle: issued.cycle - first,
        scheduler: issued.sm * schedulers + issued.scheduler,
        slot: issued.slot,
        line: origins
            .get(issued.source as usize)
            .map_or(0, |origin| origin.text_line),
    };
    trace.iter().map(issue).collect()
}

/// Makes the arrays' buffers, and the launch that takes them.
pub(crate) fn prepare(lesson: &Lesson, session: &mut Session) -> Result<LaunchPlan, InputError> {
    let mut launch = LaunchPlan {
        grid: [lesson.blocks, 1, 1].into(),
        block: [lesson.threads, 1, 1].into(),
        ..LaunchPlan::default()
    };
    for array in &lesson.arrays {
        let ty = ArrayType {
            element: match array.element {
                Element::Int => ElementType::S32,
                Element::Float => ElementType::F32,
            },
            shape: vec![array.length.into()],
        };
        let contents = ContentsPlan::bytes(ty, array.initial_bytes());
        session.add_buffer(&array.name, &contents.open()?)?;
        let value = ArgValue::Buffer {
            name: array.name.clone(),
            offset_bytes: 0,
        };
        launch.args.push(value.into());
    }
    Ok(launch)
}

struct Recorder {
    module: Arc<Module>,
    keep: Keep,
    issues: Vec<Issue>,
    left_out: u64,
}

impl Observer for Recorder {
    const ACTIVE: bool = true;

    fn issue(&mut self, issue: &MachineIssue) {
        if self.keep.warp.is_some_and(|warp| warp != issue.warp) {
            return;
        }
        if self.issues.len() >= self.keep.most.min(MAX_ISSUES) {
            self.left_out += 1;
            return;
        }
        let origin = self.module.origins.get(issue.pc as usize);
        self.issues.push(Issue {
            block: issue.block[0],
            warp: issue.warp,
            line: origin.map_or(0, |origin| origin.text_line),
            active: issue.active,
            executing: issue.executing,
            live: issue.live,
        });
    }
}
