//! PTX: what loads is launched, small, under both divergence models.

use std::sync::OnceLock;

use warploom::contents::ContentsPlan;
use warploom::device::Device;
use warploom::element::ElementType;
use warploom::fill::Fill;
use warploom::plan::{ArgPlan, ArgValue, LaunchPlan, Named};
use warploom::report::LaunchReport;
use warploom::scalar::Scalar;
use warploom::shape::ArrayType;
use warploom::{Control, DivergenceModel, Error, Program, Session};
use warploom_isa::Function;

use crate::Features;

/// Kernels of a module that are launched.
const MAX_KERNELS: usize = 4;
/// Thread instructions of a launch.
const MAX_THREAD_INSTRUCTIONS: u64 = 20_000;
/// The buffer that every pointer goes to.
const BUFFER_BYTES: u64 = 64 << 10;

/// Loads the text and launches its kernels.
///
/// # Panics
/// When a launch that is repeated gives another report, or on a mistake of Warploom's.
pub fn run(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    let program = match Program::from_ptx(&[("input.ptx", &text)], Vec::new()) {
        Ok(program) => program,
        Err(error) => {
            features.add_diagnostics(&error.diagnostics);
            return features;
        }
    };
    features.add_diagnostics(&program.warnings);
    for inst in &program.module().code {
        features.add((inst.op, inst.mods));
    }
    for model in [DivergenceModel::Its, DivergenceModel::Ipdom] {
        let first = launch_all(&program, model, &mut features);
        let again = launch_all(&program, model, &mut features);
        assert_eq!(first, again, "a launch does not repeat");
    }
    features
}

/// Launches the first kernels, one after the other in one memory.
fn launch_all(
    program: &Program,
    model: DivergenceModel,
    features: &mut Features,
) -> Vec<LaunchReport> {
    let mut session = match Session::new(program.clone(), device().clone(), model) {
        Ok(session) => session,
        Err(error) => {
            features.add_diagnostics(&error.diagnostics);
            return Vec::new();
        }
    };
    let ty = ArrayType {
        element: ElementType::U8,
        shape: vec![BUFFER_BYTES],
    };
    let contents = ContentsPlan::fill(Fill::Zeros, ty).open();
    if let Err(error) = contents.and_then(|contents| session.add_buffer("buffer", &contents)) {
        features.add_diagnostics(&error.diagnostics);
        return Vec::new();
    }
    let kernels = program.module().functions.iter().filter(|f| f.kernel);
    let mut reports = Vec::new();
    for kernel in kernels.take(MAX_KERNELS) {
        let control = &mut Control {
            threads: 1,
            max_thread_instructions: MAX_THREAD_INSTRUCTIONS,
            interrupt: None,
            output: &mut |_| {},
            progress: &|_, _| {},
        };
        match session.launch(&plan(kernel), control) {
            Ok(report) => {
                describe(&report, program.module().code.len(), features);
                reports.push(report);
            }
            Err(Error::Input(error)) => features.add_diagnostics(&error.diagnostics),
            Err(Error::Unsupported(error)) => features.add_diagnostics(&[error.diagnostic()]),
        }
    }
    reports
}

fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| Device::by_name("h100").expect("a built-in device"))
}

/// Two blocks of a whole warp and a part of one; arguments that make most kernels do something.
fn plan(kernel: &Function) -> LaunchPlan {
    let largest = kernel.bounds.max_block.unwrap_or([1024, 1, 1]);
    let fits = largest.iter().map(|&n| u64::from(n)).product::<u64>() >= 40;
    let usual = if fits { [40, 1, 1] } else { [1, 1, 1] };
    let argument = |(number, bytes): (usize, u32)| {
        ArgPlan::from(match bytes {
            8 => ArgValue::Buffer {
                name: "buffer".into(),
                offset_bytes: number as u64 * 4096 % BUFFER_BYTES,
            },
            4 => ArgValue::Scalar(Scalar {
                ty: ElementType::U32,
                bits: 70,
            }),
            _ => ArgValue::Bytes(vec![0; bytes as usize]),
        })
    };
    let sizes = kernel.params.iter().map(|param| param.bytes);
    LaunchPlan {
        kernel: Some(Named::new(&kernel.name)),
        grid: [2, 1, 1].into(),
        block: kernel.bounds.required_block.unwrap_or(usual).into(),
        shared_bytes: 4096,
        args: sizes.enumerate().map(argument).collect(),
        ..LaunchPlan::default()
    }
}

fn describe(report: &LaunchReport, instructions: usize, features: &mut Features) {
    // Each of the two blocks may use the limit up; it is looked at where a basic block begins, and
    // a warp has 32 lanes.
    let most = 2 * (MAX_THREAD_INSTRUCTIONS + 32 * instructions as u64);
    let done = report.metrics.tally.thread_instructions;
    assert!(done <= most, "{done} thread instructions, at most {most}");
    features.add(format!("{:?}", report.outcome));
    for note in &report.notes {
        features.add_message(&note.message);
    }
    if let Some(failure) = &report.error {
        features.add(failure.kind);
        features.add_message(&failure.message);
    }
}
