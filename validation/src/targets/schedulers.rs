//! Which warp goes first, where warps share a cache that is too small for all.

use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Role, Target, Verdict};

/// Loads a cycle of warps that read their own lines again and again, and a kernel without.
pub const TARGET: Target = Target {
    id: "V13",
    title: "warp schedulers and a cache that thrashes",
    source: "Rogers et al., MICRO 2012 (CCWS); Narasiman et al., MICRO 2011 (two-level)",
    cut: "One SM with its share of device memory's bandwidth, 7 bytes a cycle, since the lines of all \
          SMs would not fit the L2, and the L1 that the largest shared memory leaves, 32 KiB. 128 \
          warps in all, 512 computing; each reads 12 lines 24 times, so that the lines of 21 warps \
          fit.",
    remarks: "A warp has one load at a time here, so greedy scheduling alone keeps nobody's lines. Lines, \
              rounds and arithmetic were chosen so that the best number of warps lies inside: this shows \
              the mechanism, no more.",
    jobs,
    judge,
};

const KERNELS: &str = include_str!("../../kernels/thrash.ptx");
const DEVICE: &str = "v100";
const SCHEDULERS: [&str; 4] = ["lrr", "gto", "two-level", "ccws"];

/// Warps of a block, and blocks in all.
const BLOCK_WARPS: u32 = 2;
const BLOCKS: u32 = 64;
/// Blocks that an SM holds, from one to all that it can.
const LIMITS: [u32; 6] = [1, 2, 4, 8, 16, 32];
const LINES: u32 = 12;
const ROUNDS: u32 = 24;

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    let mut add = |label: String, entry: &'static str, scheduler: &'static str, limit: u32| {
        let point = Point {
            device: DEVICE,
            label,
            unit: "instructions/cycle",
            published: None,
            role: Role::Test,
        };
        jobs.push(Job::new(point, move || rate(entry, scheduler, limit)));
    };
    for limit in LIMITS {
        let warps = limit * BLOCK_WARPS;
        add(
            format!("thrash, lrr, {warps} warps"),
            "thrash",
            "lrr",
            limit,
        );
    }
    for entry in ["thrash", "compute"] {
        for scheduler in SCHEDULERS {
            add(format!("{entry}, {scheduler}"), entry, scheduler, LIMITS[5]);
        }
    }
    Ok(jobs)
}

/// Machine instructions a cycle.
fn rate(entry: &str, scheduler: &str, limit: u32) -> Result<f64, RigError> {
    let scheduler = format!("\"{scheduler}\"");
    let set = [
        ("sms", "1"),
        ("timing.interconnect.sm_read_bytes_per_cycle", "7"),
        ("timing.issue.scheduler", scheduler.as_str()),
    ];
    let rig = Rig::new(DEVICE, &set)?;
    let shared = &rig.device().shared;
    let most = shared.capacity_steps_bytes.iter().max();
    let threads = 32 * BLOCK_WARPS;
    // So many that the last ones, which are fewer than the SM holds, do not count.
    let blocks = match entry {
        "compute" => 4 * BLOCKS,
        _ => BLOCKS,
    };
    let bytes = 4 * u64::from(blocks * threads);
    let shot = Shot {
        entry,
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared_bytes: most.copied().unwrap_or(0) / limit,
        cooperative: false,
        args: vec![
            Arg::U32(LINES),
            Arg::U32(ROUNDS),
            Arg::Zeros(bytes * u64::from(LINES)),
            Arg::Zeros(bytes),
        ],
    };
    Ok(rig.time("thrash.ptx", KERNELS, &shot)?.timing.ipc)
}

/// Part of a rate that may be lost without counting as a loss.
const LOSS: f64 = 0.03;

/// The same for `ccws` against the best number of warps.
const NEAR: f64 = 0.1;

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let Some((limits, schedulers)) = outcomes.split_at_checked(LIMITS.len()) else {
        return Vec::new();
    };
    let of = |name: &str| {
        let found = schedulers.iter().find(|o| o.point.label == name);
        found.map_or(f64::NAN, |outcome| outcome.model)
    };
    let rates: Vec<f64> = limits.iter().map(|outcome| outcome.model).collect();
    let best = rates.iter().copied().fold(0.0, f64::max);
    let ends = [rates.first(), rates.last()].map(|end| end.copied().unwrap_or(f64::NAN));
    let all: Vec<String> = rates.iter().map(|rate| format!("{rate:.2}")).collect();
    let mut verdicts = vec![Verdict {
        bar: "thrashing: the best number of warps lies inside".to_owned(),
        holds: ends.iter().all(|end| *end < (1.0 - LOSS) * best),
        detail: format!("{} instructions a cycle with 2 to 64 warps", all.join(", ")),
    }];
    let ccws = of("thrash, ccws");
    verdicts.push(Verdict {
        bar: "thrashing: ccws within 10 % of the best number of warps".to_owned(),
        holds: ccws >= (1.0 - NEAR) * best,
        detail: format!("{ccws:.2} of {best:.2} instructions a cycle"),
    });
    let lrr = of("compute, lrr");
    for name in &SCHEDULERS[1..] {
        let rate = of(&format!("compute, {name}"));
        verdicts.push(Verdict {
            bar: format!("computing: {name} loses nothing"),
            holds: rate >= (1.0 - LOSS) * lrr,
            detail: format!("{rate:.2} instructions a cycle, lrr {lrr:.2}"),
        });
    }
    verdicts
}
