//! Transposing a matrix, and copying it the same way.

use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Role, Target, Verdict};

/// Bytes a second of copies and transpositions.
pub const TARGET: Target = Target {
    id: "V9",
    title: "matrix transposition",
    source: "NVIDIA, \"An Efficient Matrix Transpose in CUDA C/C++\": on an M2050 copy 105, through \
             shared memory 105, naive 19, tiles 51, padded tiles 100 GB/s",
    cut: "1024 x 1024 floats and an L2 of 1 MiB, an eighth of what is moved, so that what stays there \
          unwritten counts little. Another chip than the published ones: only the order and the \
          distance to the copy can be judged.",
    remarks: "Published ratios to the copy: naive 0.18 to 0.41, tiles 0.49 to 0.72, padded 0.90 to 1.06.",
    jobs,
    judge,
};

const COPIES: &str = include_str!("../../kernels/transpose.ptx");
const TRANSPOSITIONS: &str = include_str!("../../../examples/cuda/transpose.ptx");
const DEVICE: &str = "v100";
const SIDE: u32 = 1024;
const L2_BYTES: &str = "1048576";
const TILE: u32 = 32;

const KERNELS: [(&str, &str); 5] = [
    ("copy_direct", COPIES),
    ("copy_shared", COPIES),
    ("transpose_naive", TRANSPOSITIONS),
    ("transpose_tiled", TRANSPOSITIONS),
    ("transpose_padded", TRANSPOSITIONS),
];

fn jobs() -> Result<Vec<Job>, RigError> {
    let job = |(entry, text): (&'static str, &'static str)| {
        let point = Point {
            device: DEVICE,
            label: entry.to_owned(),
            unit: "GB/s",
            published: None,
            role: Role::Test,
        };
        Job::new(point, move || {
            let rig = Rig::new(DEVICE, &[("memory.l2_bytes", L2_BYTES)])?;
            bandwidth(&rig, entry, text)
        })
    };
    Ok(KERNELS.into_iter().map(job).collect())
}

/// Gigabytes a second, read and written.
fn bandwidth(rig: &Rig, entry: &str, text: &str) -> Result<f64, RigError> {
    let bytes = 4 * u64::from(SIDE) * u64::from(SIDE);
    let shot = Shot {
        entry,
        grid: [SIDE / TILE, SIDE / TILE, 1],
        block: [TILE, 8, 1],
        shared_bytes: 0,
        cooperative: false,
        args: vec![
            Arg::U32(SIDE),
            Arg::U32(SIDE),
            Arg::Zeros(bytes),
            Arg::Zeros(bytes),
        ],
    };
    let timed = rig.time("transpose.ptx", text, &shot)?;
    let seconds = rig.seconds(timed.timing.cycles as f64);
    Ok(2.0 * bytes as f64 / seconds / 1e9)
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let [copy, _, naive, tiled, padded] = outcomes else {
        return Vec::new();
    };
    let [copy, naive, tiled, padded] = [copy, naive, tiled, padded].map(|outcome| outcome.model);
    vec![
        Verdict {
            bar: "naive, then tiles, then padded tiles".to_owned(),
            holds: naive < tiled && tiled < padded,
            detail: format!("{naive:.0}, {tiled:.0}, {padded:.0} GB/s"),
        },
        Verdict {
            bar: "padded tiles within 10 % of the copy".to_owned(),
            holds: padded >= 0.9 * copy,
            detail: format!("{:.0} % of it", 100.0 * padded / copy),
        },
    ]
}
