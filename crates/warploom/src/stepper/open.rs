//! From a text to a launch that can be stepped.

use std::sync::Arc;

use warploom_isa::Module;
use warploom_lesson::Lesson;

use super::{Stepper, stops};
use crate::arg::Arg;
use crate::contents::ContentsPlan;
use crate::element::ElementType;
use crate::error::{Error, InputError, InputErrorKind};
use crate::lesson::{DEFAULT_DEVICE, prepare};
use crate::plan::{ArgPlan, ArgValue, Extent, LaunchPlan, Named, Plan};
use crate::program::{Program, lesson_diagnostics, ptx_error, source_text};
use crate::report::Outcome;
use crate::run::{Options, device};
use crate::session::{DivergenceModel, Session};
use crate::shape::ArrayType;
use crate::text::{Diagnostic, Spot};

/// The buffer that holds the copies of registers. No argument can have this name.
pub(super) const COPIES: &str = "=copies";
/// Most bytes of copies.
const MAX_COPIES_BYTES: u64 = 64 << 20;

/// How a PTX kernel is launched; texts as on the command line.
#[derive(Clone, Debug, Default)]
pub struct PtxLaunch {
    /// The kernel; `None` takes the only one.
    pub kernel: Option<String>,
    /// Blocks: `X`, `X,Y` or `X,Y,Z`.
    pub grid: String,
    /// Threads of a block, likewise.
    pub block: String,
    /// Dynamic shared memory.
    pub shared_bytes: u32,
    /// Arguments: `u32:7`, `x=iota:f32[64]`.
    pub args: Vec<String>,
}

impl Stepper {
    /// Runs a lesson and keeps its issues.
    ///
    /// # Errors
    /// When the text is wrong, or the device does not take the launch.
    pub fn of_lesson(name: &str, text: &str, options: &Options<'_>) -> Result<Stepper, Error> {
        let lesson = warploom_lesson::parse_watched(name, text).map_err(|found| InputError {
            kind: InputErrorKind::Module,
            diagnostics: lesson_diagnostics(name, text, found),
        })?;
        let mut options = options.clone();
        let width = ("warp_width".to_owned(), lesson.width.to_string());
        options.set.push(width);
        let texts = vec![source_text(name, text)];
        let program = Program::of_lesson(lesson.module.clone(), texts);
        let mut session = session(program, &options, Some(&Named::new(DEFAULT_DEVICE)))?;
        let launch = prepare(&lesson, &mut session)?;
        Stepper::open(session, launch, Some(lesson))
    }

    /// Runs a PTX kernel and keeps its issues.
    ///
    /// # Errors
    /// When the text or an argument is wrong, the device does not take the launch, or the kernel
    /// needs something that is not supported.
    pub fn of_ptx(
        name: &str,
        text: &str,
        wanted: &PtxLaunch,
        options: &Options<'_>,
    ) -> Result<Stepper, Error> {
        let source = source_text(name, text);
        let module = match warploom_ptx::load_watched(&[(name, text)]) {
            Ok(loaded) => loaded.module,
            Err(problems) => return Err(ptx_error(&source, problems).into()),
        };
        let program = Program::from_module(module, vec![source], Vec::new(), Vec::new());
        let mut session = session(program, options, None)?;
        let argument = |diagnostic| InputError::new(InputErrorKind::Argument, diagnostic);
        let extent = |name: &str, text: &String| {
            let text = if text.is_empty() { "1" } else { text };
            Extent::parse(Spot::whole(name, text)).map_err(argument)
        };
        let mut launch = LaunchPlan {
            kernel: wanted.kernel.as_deref().map(Named::new),
            grid: extent("grid", &wanted.grid)?,
            block: extent("block", &wanted.block)?,
            shared_bytes: wanted.shared_bytes,
            ..LaunchPlan::default()
        };
        let mut plan = Plan::default();
        let args = wanted.args.iter();
        let args: Result<Vec<Arg>, _> = args
            .map(|text| Arg::parse(&Spot::whole("argument", text.as_str())).map_err(argument))
            .collect();
        plan.add_args(&mut launch, args?)?;
        for buffer in &plan.buffers {
            session.add_buffer(&buffer.name, &buffer.contents.open()?)?;
        }
        Stepper::open(session, launch, None)
    }

    fn open(
        mut session: Session,
        mut launch: LaunchPlan,
        lesson: Option<Lesson>,
    ) -> Result<Stepper, Error> {
        let module = session.program().module().clone();
        let buffers = session.buffer_names().map(str::to_owned).collect();
        let kernel = session.program().kernel(launch.kernel.as_ref())?;
        if let Some(watch) = &module.function(kernel).watch {
            let threads = launch.grid.count() * launch.block.count();
            let bytes = threads * u128::from(watch.thread_bytes);
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            if bytes > MAX_COPIES_BYTES {
                let message = format!("a launch of {threads} threads is too large to be stepped");
                let diagnostic = Diagnostic::error(message).help("launch fewer blocks");
                return Err(InputError::new(InputErrorKind::Limits, diagnostic).into());
            }
            let ty = ArrayType {
                element: ElementType::U8,
                shape: vec![bytes.max(1)],
            };
            let zeros = vec![0; bytes.max(1) as usize];
            session.add_buffer(COPIES, &ContentsPlan::bytes(ty, zeros).open()?)?;
            launch.args.push(ArgPlan::from(ArgValue::Buffer {
                name: COPIES.to_owned(),
                offset_bytes: 0,
            }));
        }
        let mut stepper = Stepper {
            checkpoint: session.checkpoint(),
            stops: stops(&module),
            session,
            launch,
            buffers,
            lesson,
            issues: Vec::new(),
            outcome: Outcome::Ok,
            error: None,
        };
        stepper.record()?;
        Ok(stepper)
    }

    /// The module, as it is run: with copies of registers.
    pub fn module(&self) -> &Arc<Module> {
        self.session.program().module()
    }
}

fn session(
    program: Program,
    options: &Options<'_>,
    plan: Option<&Named>,
) -> Result<Session, InputError> {
    let device = device(options, plan)?;
    let divergence = options.divergence.unwrap_or(DivergenceModel::of(&device));
    Session::new(program, device, divergence)
}
