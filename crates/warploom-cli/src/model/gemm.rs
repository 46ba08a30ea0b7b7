//! `warploom model gemm`.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use warploom::device::Device;
use warploom::device::model::gemm::{AttentionTiles, GemmReport, Plan, Tile, attention_tiles};
use warploom::report::SCHEMA_VERSION;
use warploom::text::{Diagnostic, Spot};

use super::args::GemmArgs;
use super::chosen;
use super::quantity::digits;
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::table::{Align, Rows, count, percent};

/// Longest side of a tile.
const MAX_SIDE: u32 = 65_536;

/// Says what a tile reuses and needs.
pub fn run(args: &GemmArgs, output: &mut Output) -> Done {
    let device = chosen(&args.device)?;
    let plan = Plan {
        tile: tile(&args.tile)?,
        threads: args.threads,
        stages: args.stages,
        precision: args.precision,
        registers_per_thread: args.regs,
    };
    let report = plan.on(&device);
    let shared = u64::from(device.shared.per_block_optin_bytes);
    let element_bytes = args.precision.element_bytes();
    let attention = attention_tiles(shared, args.head_dim, element_bytes);
    let mut text = tile_text(&plan, &report);
    text.push_str(&held_text(&device, &report));
    text.push_str(&levels_text(&plan, &report));
    let _ = writeln!(
        text,
        "\nFlashAttention with heads of {} in {} bytes of shared memory: tiles of {} queries and \
         {} keys",
        args.head_dim,
        count(shared),
        count(attention.query_rows),
        count(attention.key_rows),
    );
    output.text(&text)?;
    output.json(&as_json(&device, args, &report, attention))?;
    Ok(u8::from(report.occupancy.is_err()))
}

fn tile(text: &str) -> Result<Tile, Failure> {
    let sides: Option<Vec<u32>> = text
        .split(['x', 'X'])
        .map(|side| side.trim().parse().ok())
        .collect();
    match sides.as_deref() {
        Some(&[m, n, k]) if [m, n, k].iter().all(|side| (1..=MAX_SIDE).contains(side)) => {
            Ok(Tile { m, n, k })
        }
        _ => {
            let spot = Spot::whole("--tile", text);
            let message = format!("`{text}` is not a tile");
            let label =
                format!("expected rows, columns and depth from 1 to {MAX_SIDE}, like `128x128x32`");
            Err(wrong_argument(Diagnostic::error(message).at(&spot, label)))
        }
    }
}

fn tile_text(plan: &Plan, report: &GemmReport) -> String {
    let Tile { m, n, k } = plan.tile;
    format!(
        "each element that comes in serves {m}·{n} / ({m} + {n}) = {:.1} multiply-adds: {} \
         operations a byte\na step of depth {k} brings in {} elements ({} bytes) for {} \
         multiply-adds\n",
        report.macs_per_element,
        digits(report.flop_per_byte),
        count(report.elements_per_step),
        count(report.stage_bytes),
        count(report.macs_per_step),
    )
}

fn held_text(device: &Device, report: &GemmReport) -> String {
    let mut text = format!(
        "a thread holds {} registers of results, {} {} registers in all; {} bytes of shared \
         memory a block\n",
        report.accumulator_registers,
        if report.registers_estimated {
            "about"
        } else {
            "and"
        },
        report.registers_per_thread,
        count(report.shared_bytes),
    );
    match &report.occupancy {
        Ok(held) => {
            let _ = writeln!(
                text,
                "{}: {} blocks per SM, {} occupancy, limited by {}",
                device.name,
                held.blocks_per_sm,
                percent(held.theoretical_occupancy),
                held.occupancy_limiter,
            );
        }
        Err(refusal) => {
            let _ = writeln!(text, "{} cannot run it: {refusal}", device.name);
        }
    }
    text
}

fn levels_text(plan: &Plan, report: &GemmReport) -> String {
    let Some(compute) = report.compute_cycles else {
        let name = plan.precision.name();
        return format!("the device has no rate for {name}\n");
    };
    let mut rows = Rows::new(&[
        ("inputs from", Align::Left),
        ("latency", Align::Right),
        ("bytes/cycle/SM", Align::Right),
        ("load", Align::Right),
        ("compute", Align::Right),
        ("step", Align::Right),
        ("limited by", Align::Left),
        ("stages needed", Align::Right),
    ]);
    for level in &report.levels {
        let bound = serde_json::to_value(level.bound).unwrap_or_default();
        rows.row([
            level.level.to_owned(),
            level.latency_cycles.to_string(),
            digits(level.bytes_per_cycle),
            digits(level.load_cycles),
            digits(compute),
            digits(level.step_cycles),
            bound.as_str().unwrap_or("").to_owned(),
            level.stages_needed.to_string(),
        ]);
    }
    match report.levels.is_empty() {
        true => String::new(),
        false => format!("\n{}", rows.draw()),
    }
}

fn as_json(
    device: &Device,
    args: &GemmArgs,
    report: &GemmReport,
    attention: AttentionTiles,
) -> Value {
    let mut object = Map::new();
    object.insert("schema_version".into(), json!(SCHEMA_VERSION));
    object.insert("device".into(), json!(device.name));
    object.insert("precision".into(), json!(args.precision.name()));
    if let Ok(Value::Object(fields)) = serde_json::to_value(report) {
        object.extend(fields);
    }
    let held = report.occupancy.as_ref().ok();
    object.insert(
        "blocks_per_sm".into(),
        json!(held.map_or(0, |held| held.blocks_per_sm)),
    );
    object.insert(
        "theoretical_occupancy".into(),
        json!(held.map_or(0.0, |held| held.theoretical_occupancy)),
    );
    match &report.occupancy {
        Ok(held) => object.insert("occupancy_limiter".into(), json!(held.occupancy_limiter)),
        Err(refusal) => object.insert("reason".into(), json!(refusal.message)),
    };
    object.insert("attention".into(), json!(attention));
    Value::Object(object)
}
