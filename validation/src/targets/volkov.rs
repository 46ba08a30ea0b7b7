//! More work per thread at lower occupancy.

use crate::figures::Table;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Target, Verdict, each_within};

/// Matrix products, copies and chains of multiply-adds with more and more work per thread.
pub const TARGET: Target = Target {
    id: "V11",
    title: "better performance at lower occupancy",
    source: "Volkov, GTC 2010, as read in two public sets of notes",
    cut: "Products: as many blocks as all SMs hold at the published occupancy, 128 steps in depth \
          more than 128. Copies: 5 MB more than 5 MB, seven times the L2. Chains: one SM, 8 trips \
          of a loop of 32 steps more than 4.",
    remarks: "Latencies of the chip's memories are estimates; the rates follow from the banks and lanes. \
              What counts as the peak of a chain (99.8 % of it) and the pitch of the products were chosen \
              after a first run.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "volkov.csv",
    text: include_str!("../../figures/volkov.csv"),
};

const KERNELS: &str = include_str!("../../kernels/volkov.ptx");
const DEVICE: &str = "gtx-480";

fn rig() -> Result<Rig, RigError> {
    Rig::new(DEVICE, &[])
}

/// Gives a point's value for so much work of a thread.
type Experiment = fn(u32) -> Result<f64, RigError>;

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let experiment = row.text("experiment")?;
        let each = row.number("per_thread")? as u32;
        let (what, unit, measure): (_, _, Experiment) = match experiment {
            "product" => ("outputs of a product", "GFLOP/s", product),
            "copy" => ("bytes of a copy", "% of the pins", copy),
            "chains" => (
                "chains, threads for the peak",
                "threads/SM",
                threads_for_peak,
            ),
            other => return Err(row.wrong(format!("`experiment` is `{other}`"))),
        };
        let point = Point {
            device: DEVICE,
            label: format!("{each} {what}"),
            unit,
            published: Some(row.number("value")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || measure(each)));
    }
    Ok(jobs)
}

/// Shared memory that leaves room for so many blocks.
fn room_for(rig: &Rig, blocks: u32, own_bytes: u32) -> u32 {
    let shared = &rig.device().shared;
    let most = shared.capacity_steps_bytes.iter().max();
    let each = most.copied().unwrap_or(0) / blocks;
    (each / shared.unit_bytes * shared.unit_bytes).saturating_sub(own_bytes)
}

/// GFLOP/s of a matrix product.
fn product(outputs: u32) -> Result<f64, RigError> {
    const DEPTHS: [u32; 2] = [128, 256];
    /// Words of a row but of the last product, whose sides are multiples of 96.
    const PITCH: u32 = 1024;
    /// Registers that leave room for the published blocks of an SM, and those.
    const RESIDENT: [(u32, u32, u32); 5] =
        [(1, 32, 1), (2, 32, 2), (4, 41, 3), (8, 63, 4), (36, 63, 2)];
    let resident = RESIDENT.iter().find(|(each, ..)| *each == outputs);
    let (_, registers, blocks) = resident.copied().unwrap_or((outputs, 63, 1));
    let rig = rig()?.with_registers(registers);
    let tile = if outputs == 36 { 96 } else { 32 };
    let block = match outputs {
        36 => [16, 16, 1],
        _ => [32, 32 / outputs, 1],
    };
    // The largest static use of the two kinds: 32 × 33 and 32 × 32 words; 2 × 16 × 96.
    let own_bytes = if outputs == 36 { 12_288 } else { 8320 };
    let spoiler = room_for(&rig, blocks, own_bytes);
    let sms = rig.device().sms;
    let grid = [sms / 3, 3 * blocks, 1];
    let (n, m) = (grid[0] * tile, grid[1] * tile);
    let entry = format!("product{outputs}");
    let shot = |depth: u32| {
        let words = |a: u32, b: u32| Arg::Zeros(4 * u64::from(a) * u64::from(b));
        let args = match outputs {
            36 => vec![
                Arg::U32(m),
                Arg::U32(n),
                Arg::U32(depth),
                words(m, depth),
                words(depth, n),
                words(m, n),
            ],
            _ => vec![
                Arg::U32(depth),
                words(m, PITCH),
                words(depth, PITCH),
                words(m, PITCH),
            ],
        };
        Shot {
            entry: &entry,
            grid,
            block,
            shared_bytes: spoiler,
            cooperative: false,
            args,
        }
    };
    let [short, long] = DEPTHS.map(shot);
    let cycles = rig.cycles_between("volkov.ptx", KERNELS, [&short, &long])?;
    let flops = 2.0 * f64::from(m) * f64::from(n) * f64::from(DEPTHS[1] - DEPTHS[0]);
    Ok(flops / rig.seconds(cycles) / 1e9)
}

/// Percent of the bandwidth at the pins that a copy reaches.
fn copy(bytes: u32) -> Result<f64, RigError> {
    const COPIED_BYTES: u32 = 5 << 19;
    let (entry, block, blocks) = match bytes {
        4 => ("copy_1_float", 256, 6),
        16 => ("copy_4_float", 64, 6),
        128 => ("copy_8_float4", 64, 2),
        _ => ("copy_14_float4", 64, 1),
    };
    let rig = rig()?;
    let spoiler = if bytes == 4 {
        0
    } else {
        room_for(&rig, blocks, 0)
    };
    let wave = rig.device().sms * blocks;
    let waves = COPIED_BYTES.div_ceil(wave * block * bytes);
    let shot = |waves: u32| {
        let all = u64::from(wave * waves) * u64::from(block * bytes);
        Shot {
            entry,
            grid: [wave * waves, 1, 1],
            block: [block, 1, 1],
            shared_bytes: spoiler,
            cooperative: false,
            args: vec![Arg::Zeros(all), Arg::Zeros(all)],
        }
    };
    let shots = [&shot(waves), &shot(2 * waves)];
    let cycles = rig.cycles_between("volkov.ptx", KERNELS, shots)?;
    let moved = 2.0 * f64::from(wave * waves) * f64::from(block * bytes);
    Ok(100.0 * moved / rig.seconds(cycles) / 1e9 / rig.device().memory.dram_gb_per_s)
}

/// Part of the rate with more threads than needed that counts as the peak.
const PEAK: f64 = 0.998;

/// The fewest threads of an SM with which chains of multiply-adds reach their peak.
fn threads_for_peak(chains: u32) -> Result<f64, RigError> {
    const WARP: u32 = 32;
    const MOST_WARPS: u32 = 24;
    let rig = rig()?;
    let entry = format!("chains{chains}");
    let rate = |warps: u32| {
        let block = warps * WARP;
        let shot = |rounds: u32| Shot {
            entry: &entry,
            grid: [1, 1, 1],
            block: [block, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            args: vec![
                Arg::U32(rounds),
                Arg::F32(0.5),
                Arg::F32(1.0),
                Arg::Zeros(4 * u64::from(block)),
            ],
        };
        let cycles = rig.cycles_between("volkov.ptx", KERNELS, [&shot(4), &shot(12)])?;
        Ok::<f64, RigError>(f64::from(warps) / cycles)
    };
    let peak = PEAK * rate(MOST_WARPS)?;
    for warps in 1..MOST_WARPS {
        if rate(warps)? >= peak {
            return Ok(f64::from(warps * WARP));
        }
    }
    Ok(f64::from(MOST_WARPS * WARP))
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let (chains, others): (Vec<&Outcome>, Vec<&Outcome>) = outcomes
        .iter()
        .partition(|outcome| outcome.point.label.contains("chains"));
    let apart = |outcome: &&Outcome| {
        let published = outcome.point.published.unwrap_or(f64::NAN);
        (outcome.model - published).abs()
    };
    let farthest = chains.iter().map(apart).fold(0.0, f64::max);
    vec![
        each_within("products and copies", &others, 0.25),
        Verdict {
            bar: "threads for the peak: within one warp".to_owned(),
            holds: farthest <= 32.0,
            detail: format!("at most {farthest} threads apart"),
        },
    ]
}
