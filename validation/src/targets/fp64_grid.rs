//! Double precision against instruction-level and thread-level parallelism.

use crate::figures::Table;
use crate::ptx;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Target, Verdict, each_within};

/// Cycles of a warp instruction against warps and independent chains.
pub const TARGET: Target = Target {
    id: "V5",
    title: "double precision: independent chains against warps",
    source: "te42kyfo/cuda-incore",
    cut: "One block on one SM; 32 trips of a loop are timed after 8 that warm the instruction \
          cache. Every trip is alike. How many operations a trip of the source has is not known; \
          here it is 16.",
    remarks: "The source's figures grow by a tenth from one chain to eight at any number of warps; why is \
              not known; the cost of its loop is a part of it (8.67 cycles for a chain whose latency is 8). \
              A root seems to take 9 slots of the pipeline on the chip and takes 8 here, which is what \
              the assembler makes of it for later chips.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "fp64_grid.csv",
    text: include_str!("../../figures/fp64_grid.csv"),
};

const DEVICE: &str = "v100";
/// Operations of a trip of the loop, about: a multiple of the chains.
const UNROLLED: usize = 16;

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let operation = row.text("operation")?;
        let instruction = match operation {
            "dfma" => "fma.rn.f64 {x}, {x}, %k, %k;",
            "ddiv" => "div.rn.f64 {x}, %k, {x};",
            "dsqrt" => "sqrt.rn.f64 {x}, {x};",
            other => return Err(row.wrong(format!("`operation` is `{other}`"))),
        };
        let (warps, ilp) = (row.number("warps")? as u32, row.number("ilp")? as usize);
        let point = Point {
            device: DEVICE,
            label: format!("{operation}, {warps} warps, {ilp} chains"),
            unit: "cycles",
            published: Some(row.number("cycles")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || {
            cycles(&Rig::new(DEVICE, &[])?, instruction, warps, ilp)
        }));
    }
    Ok(jobs)
}

/// Cycles of the SM for one operation of a warp.
fn cycles(rig: &Rig, instruction: &str, warps: u32, ilp: usize) -> Result<f64, RigError> {
    let operations = UNROLLED.next_multiple_of(ilp);
    let mut body = "ld.param.u64 %out, [p];\nld.param.f64 %k, [k];\n".to_owned();
    for i in 0..ilp {
        body.push_str(&format!("mov.f64 %x{i}, %k;\n"));
    }
    body.push_str(&ptx::counted_loop(&ptx::chained(
        instruction,
        ilp,
        operations,
    )));
    for i in 1..ilp {
        body.push_str(&format!("add.f64 %x0, %x0, %x{i};\n"));
    }
    body.push_str("st.global.f64 [%out], %x0;\n");
    let text = ptx::kernel(
        "chains",
        ".param .u64 p, .param .f64 k, .param .u32 trips",
        &format!(".reg .b64 %out;\n.reg .f64 %k, %x<{ilp}>;"),
        &body,
    );
    let shot = |trips: u32| Shot {
        entry: "chains",
        grid: [1, 1, 1],
        block: [32 * warps, 1, 1],
        shared_bytes: 0,
        args: vec![Arg::Zeros(8), Arg::F64(1.0), Arg::U32(trips)],
        cooperative: false,
    };
    let cycles = rig.cycles_between("chains.ptx", &text, [&shot(8), &shot(40)])?;
    Ok(cycles / (32.0 * operations as f64 * f64::from(warps)))
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    vec![each_within(
        "grid",
        &outcomes.iter().collect::<Vec<_>>(),
        0.1,
    )]
}
