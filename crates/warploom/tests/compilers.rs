//! Real `.cu` files through the real compilers, and run.
//!
//! `cargo xtask test` sets the compilers up and insists on them by an environment variable; then
//! one that is missing fails its test. A plain `cargo test` does without those that are not there.

use std::path::{Path, PathBuf};

use warploom::compiler::{Tool, Toolchain, compile};
use warploom::contents::ContentsPlan;
use warploom::device::Device;
use warploom::element::ElementType;
use warploom::fill::Fill;
use warploom::plan::{ArgValue, FilePlan, LaunchPlan, Named};
use warploom::report::LaunchReport;
use warploom::scalar::Scalar;
use warploom::{Control, DivergenceModel, Outcome, Program, Session};

/// Set where the compilers must be there.
const INSIST: &str = "WARPLOOM_TEST_COMPILERS";

/// Whether to go on with a compiler that may be missing.
fn there(tool: Option<&Tool>, name: &str) -> bool {
    is_there(tool.is_some(), name)
}

fn is_there(there: bool, name: &str) -> bool {
    if !there {
        let insist = std::env::var_os(INSIST).is_some();
        assert!(
            !insist,
            "no {name}: `cargo xtask test tools` sets it up or says how"
        );
        eprintln!("left out: no {name} here; `cargo xtask test` insists on it");
    }
    there
}

fn cuda(file: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join("cuda").join(file)
}

/// An example's source as this toolchain compiles it, on a device.
fn session(file: &str, tools: &Toolchain) -> Session {
    let device = Device::by_name("h100").unwrap();
    let path = cuda(file);
    let capability = device.compute_capability();
    let compiled = compile(&FilePlan::new(&path), tools, capability, None).unwrap();
    assert_eq!(compiled.remarks, [""; 0]);
    let name = format!("{file}.ptx");
    let folder = path.parent().unwrap().to_owned();
    let program = Program::from_ptx(&[(&name, &compiled.text)], vec![folder]).unwrap();
    Session::new(program, device, DivergenceModel::Its).unwrap()
}

fn add_buffer(session: &mut Session, name: &str, fill: Fill, ty: &str) -> ArgValue {
    let contents = ContentsPlan::fill(fill, ty.parse().unwrap());
    session.add_buffer(name, &contents.open().unwrap()).unwrap();
    ArgValue::Buffer {
        name: name.into(),
        offset_bytes: 0,
    }
}

fn scalar(ty: ElementType, bits: u32) -> ArgValue {
    let bits = bits.into();
    ArgValue::Scalar(Scalar { ty, bits })
}

fn launch(session: &mut Session, kernel: &str, grid: u32, args: Vec<ArgValue>) -> LaunchReport {
    let launch = LaunchPlan {
        kernel: Some(Named::new(kernel)),
        grid: [grid, 1, 1].into(),
        block: [256, 1, 1].into(),
        args: args.into_iter().map(Into::into).collect(),
        ..LaunchPlan::default()
    };
    let report = session.launch(&launch, &mut Control::new(&mut |_| {}));
    let report = report.unwrap();
    assert_eq!(report.outcome, Outcome::Ok);
    report
}

/// 1000 elements of 1024 threads: y = 2 i + 1.
fn run_saxpy(session: &mut Session) -> LaunchReport {
    let x = add_buffer(session, "x", Fill::Iota, "f32[1000]");
    let y = add_buffer(session, "y", Fill::Ones, "f32[1000]");
    let args = vec![
        scalar(ElementType::S32, 1000),
        scalar(ElementType::F32, 2f32.to_bits()),
        x,
        y,
    ];
    launch(session, "saxpy", 4, args)
}

/// What f32 holds exactly.
fn saxpy(tools: &Toolchain) {
    let mut session = session("saxpy.cu", tools);
    let report = run_saxpy(&mut session);
    let mut found = Vec::new();
    let keep = |piece: &[u8]| {
        found.extend_from_slice(piece);
        Ok(())
    };
    session.read_buffer("y", keep).unwrap();
    let wanted: Vec<u8> = (0..1000u16)
        .flat_map(|i| f32::from(2 * i + 1).to_le_bytes())
        .collect();
    assert!(found == wanted);
    // Loads of x and y and the store, 125 sectors each, are all of line 7.
    let line = report.lines.iter().find(|line| line.place.line == 7);
    let line = line.unwrap();
    assert_eq!(line.place.file, "saxpy.cu");
    let text = "y[i] = a * x[i] + y[i];";
    assert_eq!(line.place.text.as_deref(), Some(text));
    assert_eq!(line.tally.global_load_sectors, 250);
    assert_eq!(line.tally.global_store_sectors, 125);
    assert_eq!(report.metrics.tally.global_load_sectors, 250);
}

#[test]
fn nvcc_compiles_what_runs() {
    let found = Toolchain::of_this_process();
    let tools = Toolchain {
        clang: None,
        ..found
    };
    if there(tools.nvcc.as_ref(), "nvcc") {
        saxpy(&tools);
    }
}

/// The atomics come from a header of the toolkit, which is there, but are the kernel's own cost.
#[test]
fn costs_of_the_toolkits_headers_are_the_callers() {
    let found = Toolchain::of_this_process();
    let tools = Toolchain {
        clang: None,
        ..found
    };
    if !there(tools.nvcc.as_ref(), "nvcc") {
        return;
    }
    let mut session = session("histogram.cu", &tools);
    let bytes = add_buffer(&mut session, "bytes", Fill::Zeros, "u8[1000]");
    let bins = add_buffer(&mut session, "bins", Fill::Zeros, "u32[256]");
    let args = vec![scalar(ElementType::S32, 1000), bytes, bins];
    let report = launch(&mut session, "histogram", 4, args);
    for line in &report.lines {
        let text = line.place.text.as_deref().unwrap_or_default();
        let atomic = text.contains("atomicAdd");
        assert_eq!(line.place.file, "histogram.cu");
        assert_eq!(
            line.tally.atomics > 0,
            atomic,
            "{}: {text}",
            line.place.line
        );
    }
}

#[test]
fn clang_compiles_what_runs() {
    let found = Toolchain::of_this_process();
    let tools = Toolchain {
        nvcc: None,
        toolkit: None,
        ..found
    };
    if there(tools.clang.as_ref(), "clang") {
        saxpy(&tools);
    }
}

/// `ptxas` 13 says of saxpy for sm_90 that it uses 10 registers and spills nothing.
#[test]
fn registers_are_those_of_the_assembler() {
    let tools = Toolchain::of_this_process();
    if !is_there(tools.ptxas.is_some(), "ptxas") {
        return;
    }
    let text = std::fs::read_to_string(cuda("saxpy.ptx")).unwrap();
    let program = Program::from_ptx(&[("saxpy.ptx", &text)], Vec::new()).unwrap();
    let device = Device::by_name("h100").unwrap();
    let mut session = Session::new(program, device, DivergenceModel::Its).unwrap();
    session.set_timing(true);
    session.assemble(&tools).unwrap();
    let report = run_saxpy(&mut session);
    assert_eq!(report.metrics.footprint.registers_per_thread, 10);
    let notes: Vec<_> = report
        .notes
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert_eq!(
        notes,
        ["ptxas gives a thread 10 registers and spills nothing"]
    );
}
