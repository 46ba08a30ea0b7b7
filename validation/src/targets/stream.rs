//! Bandwidth of streams against occupancy: how many loads have to be on their way.

use crate::figures::Table;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Target, Verdict, mean_within};

/// Bandwidth of six kernels against the threads of an SM.
pub const TARGET: Target = Target {
    id: "V2",
    title: "streaming bandwidth against occupancy",
    source: "te42kyfo/gpu-benches and RRZE-HPC/gpu-benches (gpu-stream)",
    cut: "The L2 has 512 KiB, which changes nothing for data that are used once, so that streams of \
          2 MiB and three waves of blocks, four times the L2, reach the steady state; another as \
          many are timed instead of 128 Mi elements.",
    remarks: "Below saturation loads of a V100 take 80 to 140 cycles longer than the pointer chase, the \
              more the higher the load (863 cycles a block at 29 % of the bandwidth, 923 at 55 %); here \
              waits begin when the channels fill up. With 4 KiB of an address range \
              for each channel instead of 512 bytes the error would be half; no source gives the figure.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "stream.csv",
    text: include_str!("../../figures/stream.csv"),
};

const KERNELS: &str = include_str!("../../kernels/stream.ptx");

/// Blocks that shared memory leaves room for.
const RESIDENT: u32 = 2;
const L2_BYTES: &str = "524288";
/// Elements that fill the L2 four times.
const WARM_ELEMENTS: u32 = 4 << 16;
/// Elements in front of and behind those of a stencil.
const HALO: u64 = 4;

/// Arrays that each kernel reads, and how many it moves in all.
fn arrays(kernel: &str) -> Option<(usize, u32)> {
    Some(match kernel {
        "init" => (0, 1),
        "read" => (1, 1),
        "scale" | "3pt" | "5pt" => (1, 2),
        "triad" => (2, 3),
        _ => return None,
    })
}

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let device = row.text("device")?;
        let clock_mhz = row.text("clock_mhz")?;
        let kernel = row.text("kernel")?;
        let (reads, moves) =
            arrays(kernel).ok_or_else(|| row.wrong(format!("`kernel` is `{kernel}`")))?;
        let block = row.number("block")? as u32;
        let point = Point {
            device,
            label: format!("{kernel}, occupancy {} %", row.number("occupancy_percent")?),
            unit: "GB/s",
            published: Some(row.number("gb_per_s")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || {
            let set = [("clock_mhz", clock_mhz), ("memory.l2_bytes", L2_BYTES)];
            let rig = Rig::new(device, &set)?;
            bandwidth(&rig, &format!("stream_{kernel}"), block, reads, moves)
        }));
    }
    Ok(jobs)
}

/// Gigabytes a second that a kernel moves.
fn bandwidth(
    rig: &Rig,
    entry: &str,
    block: u32,
    reads: usize,
    moves: u32,
) -> Result<f64, RigError> {
    let device = rig.device();
    let wave = RESIDENT * device.sms * block;
    let waves = WARM_ELEMENTS.div_ceil(wave).max(3);
    let most = device.shared.capacity_steps_bytes.iter().max();
    let spoiler = most.copied().unwrap_or(0) / RESIDENT - device.shared.reserved_bytes;
    let shot = |waves: u32| {
        let elements = wave * waves;
        let bytes = 8 * (u64::from(elements) + HALO);
        let mut args = vec![Arg::U32(elements), Arg::F64(2.0), Arg::Zeros(bytes)];
        args.extend((0..reads).map(|_| Arg::Zeros(bytes)));
        Shot {
            entry,
            grid: [elements / block, 1, 1],
            block: [block, 1, 1],
            shared_bytes: spoiler,
            cooperative: false,
            args,
        }
    };
    let shots = [&shot(waves), &shot(2 * waves)];
    let cycles = rig.cycles_between("stream.ptx", KERNELS, shots)?;
    let bytes = 8.0 * f64::from(moves) * f64::from(wave) * f64::from(waves);
    Ok(bytes / rig.seconds(cycles) / 1e9)
}

/// Part of the bandwidth at full occupancy from which on a kernel counts as saturated.
const SATURATED: f64 = 0.9;

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut rest = outcomes;
    while let Some(first) = rest.first() {
        let device = first.point.device;
        let count = rest.iter().take_while(|o| o.point.device == device).count();
        let (own, others) = rest.split_at(count);
        verdicts.push(mean_within(device, own, 0.15));
        verdicts.push(saturation(device, own));
        rest = others;
    }
    verdicts
}

/// Each kernel saturates at the published step of occupancy, or one beside it.
fn saturation(device: &str, outcomes: &[Outcome]) -> Verdict {
    let kernel = |outcome: &Outcome| outcome.point.label.split(',').next().map(str::to_owned);
    let mut apart = Vec::new();
    for name in ["init", "read", "scale", "triad", "3pt", "5pt"] {
        let own: Vec<&Outcome> = outcomes
            .iter()
            .filter(|outcome| kernel(outcome).as_deref() == Some(name))
            .collect();
        let step = |value: &dyn Fn(&Outcome) -> f64| {
            let full = own.last().map_or(0.0, |last| value(last));
            own.iter().position(|o| value(o) >= SATURATED * full)
        };
        let model = step(&|outcome| outcome.model);
        let published = step(&|outcome| outcome.point.published.unwrap_or(0.0));
        if let (Some(model), Some(published)) = (model, published)
            && model.abs_diff(published) > 1
        {
            apart.push(name);
        }
    }
    Verdict {
        bar: format!("{device}: saturation within one step of occupancy"),
        holds: apart.is_empty(),
        detail: match apart.is_empty() {
            true => "all kernels".to_owned(),
            false => format!("farther: {}", apart.join(", ")),
        },
    }
}
