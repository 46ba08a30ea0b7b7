//! Peak rate of each class of arithmetic.

use crate::figures::Table;
use crate::ptx;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Target, Verdict, each_within};

/// Results per cycle of an SM that is full of independent operations.
pub const TARGET: Target = Target {
    id: "V12",
    title: "peak rate of each class of arithmetic",
    source: "CUDA programming guide (throughput of native arithmetic instructions); openxla/xla",
    cut: "One block of 1024 threads on one SM, four independent chains a thread; 2 trips of a loop \
          of 256 operations are timed after one that warms the instruction cache.",
    remarks: "Rates fall short of the table where a scheduler serves one warp for as long as it can: some \
              warps end early, and the last ones cannot fill the pipelines.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "arithmetic.csv",
    text: include_str!("../../figures/arithmetic.csv"),
};

const THREADS: u32 = 1024;
const CHAINS: usize = 4;
const UNROLLED: usize = 256;

/// A class of arithmetic, by one of its instructions.
struct Class {
    name: &'static str,
    /// Type of its registers.
    ty: &'static str,
    instruction: &'static str,
    /// Results of one lane.
    results: f64,
}

const CLASSES: &[Class] = &[
    Class {
        name: "fp32",
        ty: "f32",
        instruction: "fma.rn.f32 {x}, {x}, {x}, {x};",
        results: 1.0,
    },
    Class {
        name: "fp64",
        ty: "f64",
        instruction: "fma.rn.f64 {x}, {x}, {x}, {x};",
        results: 1.0,
    },
    Class {
        name: "half",
        ty: "b32",
        instruction: "fma.rn.f16x2 {x}, {x}, {x}, {x};",
        results: 2.0,
    },
    Class {
        name: "sfu",
        ty: "f32",
        instruction: "ex2.approx.ftz.f32 {x}, {x};",
        results: 1.0,
    },
    Class {
        name: "int32",
        ty: "b32",
        instruction: "add.u32 {x}, {x}, {x};",
        results: 1.0,
    },
];

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let device = row.text("device")?;
        let name = row.text("class")?;
        let class = CLASSES.iter().find(|class| class.name == name);
        let class = class.ok_or_else(|| row.wrong(format!("`class` is `{name}`")))?;
        let point = Point {
            device,
            label: name.to_owned(),
            unit: "results/cycle/SM",
            published: Some(row.number("results")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || {
            rate(&Rig::new(device, &[])?, class)
        }));
    }
    Ok(jobs)
}

/// Results per cycle of one SM.
fn rate(rig: &Rig, class: &Class) -> Result<f64, RigError> {
    let mut body = "ld.param.u64 %out, [p];\n".to_owned();
    for i in 0..CHAINS {
        body.push_str(&format!(
            "ld.global.{} %x{i}, [%out+{}];\n",
            class.ty,
            8 * i
        ));
    }
    body.push_str(&ptx::counted_loop(&ptx::chained(
        class.instruction,
        CHAINS,
        UNROLLED,
    )));
    for i in 0..CHAINS {
        body.push_str(&format!(
            "st.global.{} [%out+{}], %x{i};\n",
            class.ty,
            8 * i
        ));
    }
    let text = ptx::kernel(
        "peak",
        ".param .u64 p, .param .u32 trips",
        &format!(".reg .b64 %out;\n.reg .{} %x<{CHAINS}>;", class.ty),
        &body,
    );
    let shot = |trips: u32| Shot {
        entry: "peak",
        grid: [1, 1, 1],
        block: [THREADS, 1, 1],
        shared_bytes: 0,
        args: vec![Arg::Zeros(64), Arg::U32(trips)],
        cooperative: false,
    };
    let cycles = rig.cycles_between("peak.ptx", &text, [&shot(1), &shot(3)])?;
    let operations = 2.0 * UNROLLED as f64 * f64::from(THREADS);
    Ok(class.results * operations / cycles)
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    vec![each_within(
        "rates",
        &outcomes.iter().collect::<Vec<_>>(),
        0.03,
    )]
}
