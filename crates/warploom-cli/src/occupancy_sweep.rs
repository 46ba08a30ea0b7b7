//! `warploom occupancy --sweep`: residency over all values of one number.

use serde_json::{Value, json};
use warploom::device::{Device, Footprint, Options, SweepPoint, Vary, sweep};
use warploom::report::SCHEMA_VERSION;
use warploom::text::{Diagnostic, Spot};

use crate::args::{OccupancyArgs, Swept};
use crate::model::chart::{Chart, bar};
use crate::occupancy::{held_json, refused};
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::run::shared_bytes;
use crate::table::{Align, Rows, count, percent};

/// Most points of one sweep.
const MAX_POINTS: u32 = 100_000;

/// Sweeps.
pub fn run(
    args: &OccupancyArgs,
    swept: Swept,
    device: &Device,
    footprint: &Footprint,
    options: &Options,
    output: &mut Output,
) -> Done {
    let width = device.warp_width.max(1);
    let (vary, name, unit, from, to, step) = match swept {
        Swept::Registers => (
            Vary::RegistersPerThread,
            "registers_per_thread",
            "registers a thread",
            1,
            device.registers.max_per_thread,
            1,
        ),
        Swept::Block => (
            Vary::ThreadsPerBlock,
            "threads_per_block",
            "threads a block",
            width,
            device.limits.threads_per_block,
            width,
        ),
        Swept::Shared => (
            Vary::SharedDynamicBytes,
            "shared_bytes",
            "shared bytes",
            0,
            device.shared.per_block_optin_bytes,
            1024,
        ),
    };
    let from = given("--from", args.from.as_ref(), from)?;
    let to = given("--to", args.to.as_ref(), to)?;
    let step = given("--step", args.step.as_ref(), step)?;
    if step == 0 || to < from || (to - from) / step >= MAX_POINTS {
        let shown = format!("{from} to {to} by {step}");
        let spot = Spot::whole("--sweep", shown.as_str());
        let message = format!("a sweep has 1 to {MAX_POINTS} points");
        return Err(wrong_argument(Diagnostic::error(message).at(&spot, "")));
    }
    let values = (from..=to).step_by(step as usize);
    let points: Vec<SweepPoint> = sweep(device, footprint, options, vary, values).collect();
    output.text(&text(device, unit, &points))?;
    let all: Vec<Value> = points
        .iter()
        .map(|point| point_json(device, name, point))
        .collect();
    output.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "device": device.name,
        "sweep": name,
        "points": all,
    }))?;
    Ok(0)
}

fn given(option: &str, text: Option<&String>, otherwise: u32) -> Result<u32, Failure> {
    match text {
        Some(text) => shared_bytes(&Spot::whole(option, text.as_str())),
        None => Ok(otherwise),
    }
}

fn point_json(device: &Device, name: &str, point: &SweepPoint) -> Value {
    let mut object = match &point.result {
        Ok(found) => held_json(device, found),
        Err(refusal) => refused(device, refusal),
    };
    if let Some(fields) = object.as_object_mut() {
        fields.remove("schema_version");
        fields.remove("device");
        fields.insert(name.to_owned(), json!(point.value));
    }
    object
}

/// Blocks, warps and the limiter of a point; nothing runs without a limiter.
fn held(point: &SweepPoint) -> (u32, u32, String) {
    match &point.result {
        Ok(found) => (
            found.blocks_per_sm,
            found.warps_per_sm,
            found.occupancy_limiter.to_string(),
        ),
        Err(refusal) => (0, 0, format!("does not run: {}", refusal.limiter)),
    }
}

fn text(device: &Device, unit: &str, points: &[SweepPoint]) -> String {
    let slots = f64::from(device.limits.warps_per_sm.max(1));
    let mut table = Rows::new(&[
        (unit, Align::Right),
        ("to", Align::Right),
        ("blocks per SM", Align::Right),
        ("warps", Align::Right),
        ("occupancy", Align::Right),
        ("limited by", Align::Left),
        ("", Align::Left),
    ]);
    for alike in points.chunk_by(|a, b| held(a) == held(b)) {
        let (Some(first), Some(last)) = (alike.first(), alike.last()) else {
            continue;
        };
        let (blocks, warps, limiter) = held(first);
        let share = f64::from(warps) / slots;
        table.row([
            count(first.value.into()),
            count(last.value.into()),
            blocks.to_string(),
            warps.to_string(),
            percent(share),
            limiter,
            bar(share, 16),
        ]);
    }
    format!("{}\n{}", table.draw(), chart(device, unit, points))
}

fn chart(device: &Device, unit: &str, points: &[SweepPoint]) -> String {
    const COLUMNS: usize = 64;
    const ROWS: usize = 12;
    let slots = device.limits.warps_per_sm.max(1);
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return String::new();
    };
    let span = f64::from(last.value - first.value).max(1.0);
    let mut chart = Chart::new(COLUMNS, ROWS);
    for point in points {
        let (_, warps, _) = held(point);
        let across = f64::from(point.value - first.value) / span;
        chart.mark(across, f64::from(warps) / f64::from(slots), '#');
    }
    let labels = [
        (0, format!("{slots} warps")),
        (ROWS - 1, "0 warps".to_owned()),
    ];
    let below = format!(
        "{unit} from {} to {}",
        count(first.value.into()),
        count(last.value.into())
    );
    chart.draw(&labels, &below)
}
