//! Latency of each level of memory: one thread follows a random cycle through a buffer.

use std::sync::Arc;

use warploom::fill::random_bits;

use crate::figures::Table;
use crate::ptx;
use crate::rig::{Arg, Made, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Role, Target, Verdict, each_within};

/// Latency of dependent loads against the size of the buffer.
pub const TARGET: Target = Target {
    id: "V3-latency",
    title: "latency of each level of memory (pointer chase)",
    source: "RRZE-HPC/gpu-benches and te42kyfo/gpu-benches (gpu-latency); as test: \
             HPMLL/NVIDIA-Hopper-Benchmark, markdewing/AI_kernels",
    cut: "One thread follows a random cycle over the 128-byte lines of a buffer: once around to \
          fill the caches, then up to 4096 timed loads instead of many rounds. Every later round \
          costs the same.",
    remarks: "Sources differ more than the model from either: dewing's L1 is 3 to 8 cycles above that of \
              gpu-benches on the same chips, cause unknown. The L2 of two halves (A100, H100) goes \
              from near to far and from far to memory over some megabytes on the chips and at once \
              here, where the least recently used line of a set goes first.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "latency.csv",
    text: include_str!("../../figures/latency.csv"),
};

/// Distance of the addresses that the chase visits.
const LINE_BYTES: u64 = 128;
/// Loads of one trip of the loop.
const UNROLLED: u64 = 8;
/// Loads that are timed at most.
const TIMED: u64 = 4096;

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let device = row.text("device")?;
        let kilobytes = row.number("buffer_kb")?;
        let point = Point {
            device,
            label: format!("{} ({})", size(kilobytes), row.text("measured_on")?),
            unit: "cycles",
            published: Some(row.number("cycles")?),
            role: row.role()?,
        };
        let lines = (kilobytes * 1024.0) as u64 / LINE_BYTES;
        jobs.push(Job::new(point, move || {
            chase(&Rig::new(device, &[])?, lines)
        }));
    }
    Ok(jobs)
}

fn size(kilobytes: f64) -> String {
    if kilobytes < 1000.0 {
        format!("{kilobytes} kB")
    } else {
        format!("{:.1} MB", kilobytes / 1024.0)
    }
}

/// Cycles from one load to the next on a cycle of so many lines.
fn chase(rig: &Rig, lines: u64) -> Result<f64, RigError> {
    let body = format!(
        "ld.param.u64 %start, [p];\nmov.b64 %x0, %start;\n{}st.global.u64 [%start+8], %x0;\n",
        ptx::counted_loop(&ptx::chained(
            "ld.global.u64 {x}, [{x}];",
            1,
            UNROLLED as usize
        )),
    );
    let text = ptx::kernel(
        "chase",
        ".param .u64 p, .param .u32 trips",
        ".reg .b64 %start, %x0;",
        &body,
    );
    let buffer = Made {
        bytes: lines * LINE_BYTES,
        make: Arc::new(move |address| cycle(address, lines)),
    };
    let shot = |trips: u64| Shot {
        entry: "chase",
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
        args: vec![Arg::Made(buffer.clone()), Arg::U32(trips as u32)],
        cooperative: false,
    };
    let around = lines.div_ceil(UNROLLED);
    let timed = TIMED / UNROLLED;
    let cycles = rig.cycles_between("chase.ptx", &text, [&shot(around), &shot(around + timed)])?;
    Ok(cycles / TIMED as f64)
}

/// One random cycle through all lines (Sattolo's shuffle), each holding the address of the next.
fn cycle(address: u64, lines: u64) -> Vec<u8> {
    let mut order: Vec<u64> = (0..lines).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, (random_bits(1, i as u64) % i as u64) as usize);
    }
    let mut bytes = vec![0; (lines * LINE_BYTES) as usize];
    for (from, to) in order.iter().enumerate() {
        let at = from * LINE_BYTES as usize;
        bytes[at..at + 8].copy_from_slice(&(address + to * LINE_BYTES).to_le_bytes());
    }
    bytes
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    let of = |role: Role, source: &str| -> Vec<&Outcome> {
        let wanted = |o: &&Outcome| o.point.role == role && o.point.label.contains(source);
        outcomes.iter().filter(wanted).collect()
    };
    let bars = [
        ("plateaus", Role::Calibration, "gpu-benches"),
        ("edges and transitions", Role::Test, "gpu-benches"),
        ("second source, same method", Role::Test, "hopper-bench"),
        ("second source, another method", Role::Test, "dewing"),
    ];
    bars.into_iter()
        .map(|(what, role, source)| each_within(what, &of(role, source), 0.1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chase_visits_every_line_once() {
        let lines = 1000;
        let bytes = cycle(1 << 20, lines);
        let mut at = 0;
        let mut seen = vec![false; lines as usize];
        for _ in 0..lines {
            let line = (at / LINE_BYTES) as usize;
            assert!(!seen[line]);
            seen[line] = true;
            let next = &bytes[line * LINE_BYTES as usize..][..8];
            at = u64::from_le_bytes(next.try_into().unwrap()) - (1 << 20);
        }
        assert_eq!(at, 0);
    }
}
