//! Bandwidth of each level of memory: all SMs read data again and again.

use crate::figures::Table;
use crate::ptx;
use crate::rig::{Arg, Rig, RigError, Shot};
use crate::target::{Job, Outcome, Point, Target, Verdict, each_within};

/// Bandwidth of loads against the size of the data.
pub const TARGET: Target = Target {
    id: "V3-bandwidth",
    title: "bandwidth of each level of memory",
    source: "RRZE-HPC/gpu-benches (gpu-cache, gpu-l2-cache)",
    cut: "One block of 1024 threads on each SM reads its chunk once to fill the caches, waits for \
          the others, and reads it again, at least once and 1 MB; the benchmark reads for \
          milliseconds. Data of more chunks than SMs are cut into one for each SM.",
    remarks: "Near the capacity of an A100's half of the L2 (30 MB) it matters which SM is in which half; \
              here the SMs are divided in order, which is not known of the chip.",
    jobs,
    judge,
};

const FIGURES: Table = Table {
    file: "bandwidth.csv",
    text: include_str!("../../figures/bandwidth.csv"),
};

/// Threads of a block; each loads a double at a time.
const THREADS: u32 = 1024;
/// Loads of a thread in one trip of the loop.
const UNROLLED: u32 = 4;
/// What a block loads in one trip.
const TRIP_BYTES: u64 = 8 * THREADS as u64 * UNROLLED as u64;
/// A chunk where the data have several.
const CHUNK_BYTES: u64 = 512 << 10;
/// What a block loads while it is timed, at least.
const TIMED_BYTES: u64 = 1024 << 10;

fn jobs() -> Result<Vec<Job>, RigError> {
    let mut jobs = Vec::new();
    for row in FIGURES.rows() {
        let device = row.text("device")?;
        let kilobytes = row.number("buffer_kb")? as u64;
        let clock_mhz = row.text("clock_mhz")?;
        let pattern = row.text("pattern")?;
        let bytes = kilobytes << 10;
        let sms = u64::from(Rig::new(device, &[])?.device().sms);
        let chunks = match pattern {
            "same" => 1,
            "spread" => (bytes / CHUNK_BYTES).clamp(1, sms),
            other => return Err(row.wrong(format!("`pattern` is `{other}`"))),
        };
        let chunk_bytes = (bytes / chunks).next_multiple_of(TRIP_BYTES);
        let point = Point {
            device,
            label: format!("{kilobytes} kB, {pattern}"),
            unit: "GB/s",
            published: Some(row.number("gb_per_s")?),
            role: row.role()?,
        };
        jobs.push(Job::new(point, move || {
            let rig = Rig::new(device, &[("clock_mhz", clock_mhz)])?;
            bandwidth(&rig, chunk_bytes, chunks)
        }));
    }
    Ok(jobs)
}

/// Gigabytes a second that all SMs load.
fn bandwidth(rig: &Rig, chunk_bytes: u64, chunks: u64) -> Result<f64, RigError> {
    // A block goes around its chunk; `%at` runs from its own start to the chunk's end.
    let mut loads = String::new();
    for i in 0..UNROLLED {
        let offset = i * 8 * THREADS;
        loads.push_str(&format!("ld.global.b64 %x{i}, [%at+{offset}];\n"));
    }
    for i in 0..UNROLLED {
        loads.push_str(&format!("xor.b64 %sum, %sum, %x{i};\n"));
    }
    loads.push_str(&format!(
        "add.u64 %at, %at, {TRIP_BYTES};\nsetp.ge.u64 %around, %at, %end;\n\
         selp.b64 %at, %start, %at, %around;\n"
    ));
    let body = format!(
        "ld.param.u64 %base, [p];\nld.param.u32 %chunks, [chunks];\nmov.u32 %i, %ctaid.x;\n\
         rem.u32 %i, %i, %chunks;\nmul.wide.u32 %offset, %i, {chunk_bytes};\n\
         add.u64 %base, %base, %offset;\nadd.u64 %end, %base, {chunk_bytes};\n\
         mov.u32 %i, %tid.x;\nmul.wide.u32 %offset, %i, 8;\nadd.u64 %start, %base, %offset;\n\
         mov.b64 %at, %start;\nmov.b64 %sum, 0;\n{}{}{}\
         setp.eq.u64 %around, %sum, 1;\n@%around st.global.u64 [%start], %sum;\n",
        ptx::loop_over("warm", &loads),
        ptx::grid_barrier(),
        ptx::counted_loop(&loads),
    );
    let text = ptx::kernel(
        "reread",
        ".param .u64 p, .param .u64 arrived, .param .u32 chunks, .param .u32 warm, .param .u32 trips",
        &format!(
            ".reg .b64 %base, %end, %start, %offset, %at, %sum, %x<{UNROLLED}>;\n\
             .reg .b32 %i, %chunks;\n.reg .pred %around;"
        ),
        &body,
    );
    let blocks = rig.device().sms;
    let around = (chunk_bytes / TRIP_BYTES) as u32;
    let timed = around.max((TIMED_BYTES / TRIP_BYTES) as u32);
    let shot = |trips: u32| Shot {
        entry: "reread",
        grid: [blocks, 1, 1],
        block: [THREADS, 1, 1],
        shared_bytes: 0,
        args: vec![
            Arg::Zeros(chunks * chunk_bytes),
            Arg::Zeros(4),
            Arg::U32(chunks as u32),
            Arg::U32(around),
            Arg::U32(trips),
        ],
        cooperative: true,
    };
    let shots = [&shot(timed / 4), &shot(timed / 4 + timed)];
    let cycles = rig.cycles_between("reread.ptx", &text, shots)?;
    let bytes = (u64::from(blocks) * u64::from(timed) * TRIP_BYTES) as f64;
    Ok(bytes / rig.seconds(cycles) / 1e9)
}

fn judge(outcomes: &[Outcome]) -> Vec<Verdict> {
    vec![each_within(
        "bandwidths",
        &outcomes.iter().collect::<Vec<_>>(),
        0.1,
    )]
}
