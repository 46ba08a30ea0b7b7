//! Loads whose lanes are a stride apart: what the banks of the L1 and of shared memory cost.

use crate::figures::Table;
use crate::ptx;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Role, Target, Verdict, each_within};

/// Cycles of a load against its stride.
pub const TARGET: Target = Target {
    id: "V4",
    title: "strided loads from the L1 and from shared memory",
    source: "RRZE-HPC/gpu-benches (gpu-strides); for shared memory the bank rule of the CUDA \
             programming guide: stride s (a power of two) takes s passes",
    cut: "One block of 1024 threads on one SM; the first trips of a loop fill the L1, 8 more are \
          timed. Every trip is alike.",
    remarks: "Odd strides have no bank conflict; a load takes a cycle for its first line and looks up four \
              more a cycle. Doubles on the A40 at small strides (8 cycles measured) are left out: its two \
              double-precision lanes decide there, and what the benchmark adds up is not known.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "strided.csv",
    text: include_str!("../../figures/strided.csv"),
};

const THREADS: u32 = 1024;
const WARP: u32 = 32;
/// Loads of a thread in one trip of the loop.
const UNROLLED: u32 = 16;

/// Where the data lie.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Global,
    Shared,
}

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let device = row.text("device")?;
        let stride = row.number("stride")? as u32;
        let ty = row.text("type")?;
        let word_bytes = match ty {
            "float" => 4,
            "double" => 8,
            other => return Err(row.wrong(format!("`type` is `{other}`"))),
        };
        let point = Point {
            device,
            label: format!("L1, {ty}, stride {stride}"),
            unit: "cycles",
            published: Some(row.number("cycles")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || {
            cycles(&Rig::new(device, &[])?, Space::Global, word_bytes, stride)
        }));
    }
    for device in ["v100", "a100-40", "h100"] {
        for stride in [1, 2, 4, 8, 16, 32] {
            let point = Point {
                device,
                label: format!("shared, float, stride {stride}"),
                unit: "cycles",
                published: Some(f64::from(stride)),
                role: Role::Test,
            };
            jobs.push(Job::new(point, move || {
                cycles(&Rig::new(device, &[])?, Space::Shared, 4, stride)
            }));
        }
    }
    Ok(jobs)
}

/// Cycles of the SM for one load of a warp.
fn cycles(rig: &Rig, space: Space, word_bytes: u32, stride: u32) -> Result<f64, RigError> {
    let bits = 8 * word_bytes;
    let (load, base) = match space {
        Space::Global => ("ld.global", "ld.param.u64 %base, [p];\n"),
        Space::Shared => (
            "ld.shared",
            ".shared .align 16 .b8 words[32768];\nmov.u64 %base, words;\n",
        ),
    };
    // Each loaded word is needed, or a compiler would drop the load.
    let mut loads = String::new();
    for i in 0..UNROLLED {
        loads.push_str(&format!("{load}.b{bits} %x{i}, [%at];\n"));
    }
    for i in 0..UNROLLED {
        loads.push_str(&format!("xor.b{bits} %sum, %sum, %x{i};\n"));
    }
    let body = format!(
        "{base}ld.param.u64 %out, [p];\nmov.u32 %lane, %tid.x;\nand.b32 %lane, %lane, 31;\n\
         mul.wide.u32 %at, %lane, {};\nadd.u64 %at, %base, %at;\nmov.b{bits} %sum, 0;\n{}\
         setp.eq.b{bits} %odd, %sum, 1;\n@%odd st.global.b{bits} [%out], %sum;\n",
        stride * word_bytes,
        ptx::counted_loop(&loads),
    );
    let text = ptx::kernel(
        "strided",
        ".param .u64 p, .param .u32 trips",
        &format!(
            ".reg .b64 %base, %out, %at;\n.reg .b32 %lane;\n.reg .b{bits} %sum, %x<{UNROLLED}>;\n.reg .pred %odd;"
        ),
        &body,
    );
    let shot = |trips: u32| Shot {
        entry: "strided",
        grid: [1, 1, 1],
        block: [THREADS, 1, 1],
        shared_bytes: 0,
        args: vec![
            Arg::Zeros(u64::from(WARP * stride.max(1) * word_bytes)),
            Arg::U32(trips),
        ],
        cooperative: false,
    };
    let cycles = rig.cycles_between("strided.ptx", &text, [&shot(4), &shot(12)])?;
    Ok(cycles / f64::from(8 * UNROLLED * THREADS / WARP))
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    // The odd strides come from a bank structure that nobody has published.
    let stride = |outcome: &Outcome| {
        let label = outcome.point.label.rsplit(' ').next();
        label.and_then(|stride| stride.parse::<u32>().ok())
    };
    let (powers, others): (Vec<&Outcome>, Vec<&Outcome>) = outcomes
        .iter()
        .partition(|outcome| stride(outcome).is_some_and(|stride| stride.is_power_of_two()));
    vec![
        each_within("strides that are powers of two", &powers, 0.02),
        each_within("other strides", &others, 0.1),
    ]
}
