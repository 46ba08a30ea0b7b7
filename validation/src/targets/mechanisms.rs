//! What must follow from the mechanisms alone, whatever the figures: scaling, barriers, coalescing.

use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Role, Target, Verdict, each_within};

/// Strong scaling, barriers with one block and with two, blocks that are no multiple of a warp wide.
pub const TARGET: Target = Target {
    id: "mechanisms",
    title: "strong scaling, barriers, coalescing in two dimensions",
    source: "closed forms: work over SMs; a second block works while the first waits; sectors that \
             the lanes of a warp touch",
    cut: "Scaling: 320 blocks of 256 threads. Barriers: one SM, 64 rounds. Coalescing: \
          3072 rows of 240 words more than 3072, with an L2 of 512 KiB.",
    remarks: "Copies wait for device memory, whatever the width: the L2 puts sectors together.",
    jobs,
    judge,
};

const BARRIERS: &str = include_str!("../../kernels/barriers.ptx");
const COPY: &str = include_str!("../../kernels/coalesce2d.ptx");
const COMPUTE: &str = include_str!("../../kernels/thrash.ptx");
const DEVICE: &str = "v100";

const SMS: [&str; 5] = ["5", "10", "20", "40", "80"];
const RESIDENT: [u32; 2] = [1, 2];
/// A block's sides, and the sectors that it loads where it has no more rows than 32 threads need: those
/// that each of its warps touches. Rows are 240 words, 30 sectors.
const BLOCKS: [Sides; 6] = [
    Sides::new(8, 24, 4),
    // 12 + 12 + 8 words in 2 + 2 + 1 sectors, then 4 words.
    Sides::new(12, 16, 6),
    Sides::new(16, 12, 4),
    // 20 + 12 words in 3 + 2 sectors, then 8 words across a border.
    Sides::new(20, 12, 7),
    Sides::new(24, 8, 6),
    Sides::new(48, 4, 6),
];

#[derive(Clone, Copy)]
struct Sides {
    width: u32,
    height: u32,
    sectors: u32,
}

impl Sides {
    const fn new(width: u32, height: u32, sectors: u32) -> Sides {
        Sides {
            width,
            height,
            sectors,
        }
    }
}

fn jobs() -> Result<Vec<Job>, RigError> {
    let point = |label: String, unit, published| Point {
        device: DEVICE,
        label,
        unit,
        published,
        role: Role::Test,
    };
    let mut jobs = Vec::new();
    for sms in SMS {
        let label = format!("computing, {sms} SMs");
        jobs.push(Job::new(point(label, "us", None), move || scaling(sms)));
    }
    for blocks in RESIDENT {
        let label = format!("barriers, {blocks} resident");
        let measure = move || barriers(blocks);
        jobs.push(Job::new(point(label, "cycles/block", None), measure));
    }
    for sides in BLOCKS {
        let label = format!("a load by a block {} wide", sides.width);
        let sectors = Some(f64::from(sides.sectors));
        let measure = move || sectors_of(sides);
        jobs.push(Job::new(point(label, "sectors", sectors), measure));
    }
    for sides in BLOCKS {
        let label = format!("copy by blocks {} wide", sides.width);
        let measure = move || copy(sides);
        jobs.push(Job::new(point(label, "GB/s", None), measure));
    }
    Ok(jobs)
}

/// Time of the same work on so many SMs.
fn scaling(sms: &str) -> Result<f64, RigError> {
    const GRID: u32 = 320;
    const THREADS: u32 = 256;
    let rig = Rig::new(DEVICE, &[("sms", sms)])?;
    let bytes = 4 * u64::from(GRID * THREADS);
    let shot = Shot {
        entry: "compute",
        grid: [GRID, 1, 1],
        block: [THREADS, 1, 1],
        shared_bytes: 0,
        cooperative: false,
        args: vec![
            Arg::U32(1),
            Arg::U32(32),
            Arg::Zeros(bytes),
            Arg::Zeros(bytes),
        ],
    };
    Ok(rig.time("thrash.ptx", COMPUTE, &shot)?.timing.time_us)
}

/// Cycles of a block that waits at barriers, with so many on the SM at once.
fn barriers(resident: u32) -> Result<f64, RigError> {
    const THREADS: u32 = 256;
    let rig = Rig::new(DEVICE, &[("sms", "1")])?;
    let blocks = 2;
    let shot = Shot {
        entry: "barriers",
        grid: [blocks, 1, 1],
        block: [THREADS, 1, 1],
        // As much as leaves no room for another.
        shared_bytes: rig.device().shared.per_block_optin_bytes / resident,
        cooperative: false,
        args: vec![
            Arg::U32(64),
            Arg::U32(2),
            Arg::U32(16),
            Arg::Zeros(4 * u64::from(blocks * THREADS)),
        ],
    };
    let timed = rig.time("barriers.ptx", BARRIERS, &shot)?;
    Ok(timed.timing.cycles as f64 / f64::from(blocks))
}

/// Words of a row: every width divides it.
const PITCH: u32 = 240;

/// A copy of so many rows.
fn copy_shot(Sides { width, height, .. }: Sides, rows: u32) -> Shot<'static> {
    let bytes = 4 * u64::from(PITCH) * u64::from(rows);
    Shot {
        entry: "copy2d",
        grid: [PITCH / width, rows / height, 1],
        block: [width, height, 1],
        shared_bytes: 0,
        cooperative: false,
        args: vec![Arg::U32(PITCH), Arg::Zeros(bytes), Arg::Zeros(bytes)],
    }
}

/// Sectors that a block loads that has just enough rows for a warp.
fn sectors_of(sides: Sides) -> Result<f64, RigError> {
    let rig = Rig::new(DEVICE, &[])?;
    let height = 32u32.div_ceil(sides.width);
    let mut shot = copy_shot(Sides { height, ..sides }, height);
    shot.grid = [1, 1, 1];
    let tally = rig.time("coalesce2d.ptx", COPY, &shot)?.metrics.tally;
    Ok(tally.global_load_sectors as f64)
}

/// Gigabytes a second that a copy moves.
fn copy(sides: Sides) -> Result<f64, RigError> {
    const ROWS: u32 = 3072;
    let rig = Rig::new(DEVICE, &[("memory.l2_bytes", "524288")])?;
    let shots = [&copy_shot(sides, ROWS), &copy_shot(sides, 2 * ROWS)];
    let cycles = rig.cycles_between("coalesce2d.ptx", COPY, shots)?;
    let bytes = 2.0 * 4.0 * f64::from(PITCH) * f64::from(ROWS);
    Ok(bytes / rig.seconds(cycles) / 1e9)
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let of = |label: &str| {
        let found = outcomes.iter().find(|o| o.point.label == label);
        found.map_or(f64::NAN, |outcome| outcome.model)
    };
    let faster = of("computing, 5 SMs") / of("computing, 80 SMs");
    let [one, two] = RESIDENT.map(|blocks| of(&format!("barriers, {blocks} resident")));
    let sectors: Vec<&Outcome> = outcomes
        .iter()
        .filter(|outcome| outcome.point.unit == "sectors")
        .collect();
    let [narrow, whole] = [12, 16].map(|width| of(&format!("copy by blocks {width} wide")));
    vec![
        Verdict {
            bar: "16 times the SMs: at least 14 times as fast".to_owned(),
            holds: faster >= 14.0,
            detail: format!("{faster:.1} times"),
        },
        Verdict {
            bar: "a second resident block hides barriers: 20 % less time for each".to_owned(),
            holds: two <= 0.8 * one,
            detail: format!("{two:.0} cycles a block, alone {one:.0}"),
        },
        each_within("sectors", &sectors, 0.0),
        Verdict {
            bar: "blocks 12 wide copy no faster than blocks 16 wide".to_owned(),
            holds: narrow <= whole,
            detail: format!("{narrow:.0} and {whole:.0} GB/s"),
        },
    ]
}
