//! Seven sums of an array, each without a weakness of the one before.

use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Role, Target, Verdict};

/// Bytes a second of seven reductions.
pub const TARGET: Target = Target {
    id: "V8",
    title: "seven reductions",
    source: "Harris, \"Optimizing Parallel Reduction in CUDA\", on a G80: 2.1, 4.9, 9.7, 17.4, 31.3, \
             44.0, 62.7 GB/s. Another chip has other figures, but the same order",
    cut: "2^19 integers more than 2^19 for the first four, 2^21 more than 2^21 for the last three, \
          which are faster, instead of 2^22; blocks of 128 threads. Blocks are alike.",
    remarks: "From the fourth on all sums wait for device memory.",
    jobs,
    judge,
};

const KERNELS: &str = include_str!("../../kernels/reduction.ptx");
const DEVICE: &str = "v100";
const THREADS: u32 = 128;

/// How many integers each block of a kernel adds up.
#[derive(Clone, Copy)]
enum Share {
    Fixed(u32),
    /// The same number of blocks whatever the array: what the device holds at once.
    Even,
}

const SUMS: [(&str, u32, Share); 7] = [
    ("sum1_divergent", 19, Share::Fixed(THREADS)),
    ("sum2_conflicts", 19, Share::Fixed(THREADS)),
    ("sum3_sequential", 19, Share::Fixed(THREADS)),
    ("sum4_first_add", 19, Share::Fixed(2 * THREADS)),
    ("sum5_last_warp", 21, Share::Fixed(2 * THREADS)),
    ("sum6_unrolled", 21, Share::Fixed(2 * THREADS)),
    ("sum7_many", 21, Share::Even),
];

fn jobs() -> Result<Vec<Job>, RigError> {
    let job = |(entry, log2, share): (&'static str, u32, Share)| {
        let point = Point {
            device: DEVICE,
            label: entry.to_owned(),
            unit: "GB/s",
            published: None,
            role: Role::Test,
        };
        Job::new(point, move || {
            bandwidth(&Rig::new(DEVICE, &[])?, entry, 1 << log2, share)
        })
    };
    Ok(SUMS.into_iter().map(job).collect())
}

/// Gigabytes a second that a kernel adds up.
fn bandwidth(rig: &Rig, entry: &str, more: u32, share: Share) -> Result<f64, RigError> {
    let device = rig.device();
    let held = device.sms * device.limits.warps_per_sm * device.warp_width / THREADS;
    let shot = |count: u32| {
        let blocks = match share {
            Share::Fixed(each) => count / each,
            Share::Even => held,
        };
        Shot {
            entry,
            grid: [blocks, 1, 1],
            block: [THREADS, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            args: vec![
                Arg::Zeros(4 * u64::from(count)),
                Arg::Zeros(4 * u64::from(blocks)),
                Arg::U32(count),
            ],
        }
    };
    let shots = [&shot(more), &shot(2 * more)];
    let cycles = rig.cycles_between("reduction.ptx", KERNELS, shots)?;
    Ok(4.0 * f64::from(more) / rig.seconds(cycles) / 1e9)
}

/// Part of a rate by which two sums count as equally fast: the last ones all wait for memory.
const TIE: f64 = 0.002;

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let fault = outcomes
        .windows(2)
        .find(|pair| pair[1].model <= (1.0 - TIE) * pair[0].model);
    vec![Verdict {
        bar: "each is faster than the one before, or as fast as memory lets both be".to_owned(),
        holds: fault.is_none(),
        detail: match fault {
            None => "all in order".to_owned(),
            Some(pair) => format!(
                "{} gives {:.1}, {} gives {:.1} GB/s",
                pair[0].point.label, pair[0].model, pair[1].point.label, pair[1].model
            ),
        },
    }]
}
