//! Ten ways to multiply matrices.

use crate::figures::Table;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Target, Verdict, same_order};

/// GFLOP/s of ten kernels, from one multiply-add per two loads to tiles of a warp.
pub const TARGET: Target = Target {
    id: "V1",
    title: "ten SGEMM kernels",
    source: "siboehm/SGEMM_CUDA, README",
    cut: "As many blocks as all SMs hold at once, and a depth of 32 to 96 instead of 4096: what a \
          deeper product takes longer than a shallower one. Every step in depth is alike. Rows of A \
          lie 4096 words apart as in the whole matrix; the tail of the last wave is left out.",
    remarks: "Machine code of kernels 5, 6, 8 and 9 has 103 to 128 registers where the lowering estimates 96: \
              it loads from shared memory earlier. Here they wait for those loads alike, so that 9 gains \
              nothing over 6. The clock under load is not published: ratios say more than GFLOP/s.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "sgemm.csv",
    text: include_str!("../../figures/sgemm.csv"),
};

const KERNELS: &str = include_str!("../../kernels/sgemm.ptx");
const DEVICE: &str = "rtx-a6000";
/// Words from one row of A to the next.
const PITCH: u32 = 4096;

/// How a kernel divides C.
#[derive(Clone, Copy)]
struct Shape {
    /// Side of a block's part.
    tile: u32,
    block: [u32; 3],
    /// The first axis of the grid counts rows of tiles, not columns.
    rows_first: bool,
    /// Depths whose difference is timed.
    depths: [u32; 2],
}

fn shape(kernel: u32) -> Shape {
    let of = |tile, block, rows_first, depths| Shape {
        tile,
        block,
        rows_first,
        depths,
    };
    match kernel {
        1 => of(32, [32, 32, 1], true, [32, 64]),
        2 | 3 => of(32, [1024, 1, 1], true, [32, 96]),
        4 => of(64, [512, 1, 1], false, [32, 96]),
        10 => of(128, [128, 1, 1], false, [32, 80]),
        _ => of(128, [256, 1, 1], false, [32, 80]),
    }
}

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let kernel = row.number("kernel")? as u32;
        let point = Point {
            device: DEVICE,
            label: format!("{kernel}, {}", row.text("what")?),
            unit: "GFLOP/s",
            published: Some(row.number("gflop_per_s")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || {
            gflops(&Rig::new(DEVICE, &[])?, kernel)
        }));
    }
    Ok(jobs)
}

/// GFLOP/s of a kernel in the steady state.
fn gflops(rig: &Rig, kernel: u32) -> Result<f64, RigError> {
    let Shape {
        tile,
        block,
        rows_first,
        depths,
    } = shape(kernel);
    let entry = format!("sgemm{kernel}");
    let shot = |grid: [u32; 2], depth: u32| {
        let [columns, rows] = match rows_first {
            true => [grid[1], grid[0]],
            false => grid,
        };
        let (m, n) = (rows * tile, columns * tile);
        let words = |rows: u32, columns: u32| Arg::Zeros(4 * u64::from(rows) * u64::from(columns));
        Shot {
            entry: &entry,
            grid: [grid[0], grid[1], 1],
            block,
            shared_bytes: 0,
            cooperative: false,
            args: vec![
                Arg::U32(m),
                Arg::U32(n),
                Arg::U32(depth),
                Arg::U32(PITCH),
                Arg::F32(0.5),
                words(m, PITCH),
                words(depth, n),
                Arg::F32(3.0),
                words(m, n),
            ],
        }
    };
    let probe = rig.time("sgemm.ptx", KERNELS, &shot([1, 1], depths[0]))?;
    let resident = probe.metrics.footprint.blocks_per_sm;
    // About as wide as a wave is in the whole matrix, which the blocks go through line by line.
    let sms = rig.device().sms;
    let grid = match rows_first {
        true => [sms * resident, 1],
        false => [sms / 3, 3 * resident],
    };
    let [short, long] = depths.map(|depth| shot(grid, depth));
    let cycles = rig.cycles_between("sgemm.ptx", KERNELS, [&short, &long])?;
    let outputs = f64::from(grid[0] * grid[1]) * f64::from(tile * tile);
    let flops = 2.0 * outputs * f64::from(depths[1] - depths[0]);
    Ok(flops / rig.seconds(cycles) / 1e9)
}

/// Kernels whose speeds are compared, and those whose order must hold.
const RATIOS: [(u32, u32); 7] = [(2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (9, 6), (10, 9)];
const RANKED: [u32; 8] = [1, 2, 3, 4, 5, 6, 9, 10];

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let of = |kernel: u32| {
        let head = format!("{kernel},");
        outcomes.iter().find(|o| o.point.label.starts_with(&head))
    };
    let ranked: Vec<&Outcome> = RANKED.iter().filter_map(|&kernel| of(kernel)).collect();
    let mut verdicts = vec![same_order("kernels 1 to 6, 9 and 10", &ranked)];
    for (kernel, to) in RATIOS {
        let (Some(one), Some(other)) = (of(kernel), of(to)) else {
            continue;
        };
        let published = one.point.published.zip(other.point.published);
        let published = published.map_or(f64::NAN, |(a, b)| a / b);
        let model = one.model / other.model;
        verdicts.push(Verdict {
            bar: format!("kernel {kernel} over {to}: within 20 %"),
            holds: (model / published - 1.0).abs() <= 0.2,
            detail: format!("{model:.2}, published {published:.2}"),
        });
    }
    verdicts
}
