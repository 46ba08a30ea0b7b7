//! `warploom occupancy`.

use std::fmt::Write;

use serde_json::{Value, json};
use warploom::Options;
use warploom::device::{
    CarveOut, Device, Footprint, Gain, Limiter, Occupancy, OccupancyRefusal,
    Options as OccupancyOptions, Rule, Step, Trim, Vary, occupancy_with, one_more_block, steps,
};
use warploom::report::SCHEMA_VERSION;
use warploom::run::device;
use warploom::text::{Diagnostic, Spot};

use crate::args::{OccupancyArgs, OccupancyRule, key_values, named_device};
use crate::occupancy_sweep;
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::run::shared_bytes;
use crate::table::{Align, Rows, count, percent};

/// Says how many blocks fit.
pub fn run(args: &OccupancyArgs, output: &mut Output) -> Done {
    let options = Options {
        device: named_device(args.device.as_ref()),
        set: key_values(&args.set),
        ..Options::default()
    };
    let device = device(&options, None)?;
    if args.block == 0 {
        let spot = Spot::whole("--block", "0");
        let diagnostic = Diagnostic::error("a block has at least one thread").at(&spot, "");
        return Err(wrong_argument(diagnostic));
    }
    let footprint = footprint(args)?;
    let options = options_of(args)?;
    if let Some(swept) = args.sweep {
        return occupancy_sweep::run(args, swept, &device, &footprint, &options, output);
    }
    match occupancy_with(&device, &footprint, &options) {
        Ok(found) => {
            let gain = one_more_block(&device, &footprint, &options).ok();
            let cliffs = Cliffs::of(&device, &footprint, &options);
            output.text(&text(&device, &footprint, &found, gain.as_ref(), &cliffs))?;
            let mut object = held_json(&device, &found);
            object["gain"] = gain.as_ref().map(gain_json).unwrap_or_default();
            object["cliffs"] = json!({
                "registers": cliffs.registers,
                "shared_bytes": cliffs.shared,
            });
            output.json(&object)?;
            Ok(0)
        }
        Err(refusal) => {
            output.json(&refused(&device, &refusal))?;
            let OccupancyRefusal {
                message,
                needed,
                available,
                help,
                ..
            } = &refusal;
            output.message(&format!(
                "does not run on {}: {message}: needs {needed}, available {available}\n  help: \
                 {help}",
                device.name
            ));
            Ok(1)
        }
    }
}

fn footprint(args: &OccupancyArgs) -> Result<Footprint, Failure> {
    Ok(Footprint {
        threads_per_block: args.block,
        registers_per_thread: args.regs,
        accumulators_per_thread: args.accumulators,
        scalar_registers_per_warp: args.scalars,
        shared_static_bytes: 0,
        shared_dynamic_bytes: shared_bytes(&Spot::whole("--shared", args.shared.as_str()))?,
        barriers: args.barriers,
        cluster: args.cluster,
    })
}

fn options_of(args: &OccupancyArgs) -> Result<OccupancyOptions, Failure> {
    let carve_out = match &args.carve_out {
        Some(text) => CarveOut::AtLeast(shared_bytes(&Spot::whole("--carve-out", text.as_str()))?),
        None => CarveOut::Auto,
    };
    let rule = match args.rule {
        OccupancyRule::Toolkit => Rule::Toolkit,
        OccupancyRule::Simple => Rule::Simple,
    };
    Ok(OccupancyOptions { rule, carve_out })
}

/// Where residency changes with registers and with shared memory.
struct Cliffs {
    registers: Vec<Step>,
    shared: Vec<Step>,
}

impl Cliffs {
    fn of(device: &Device, footprint: &Footprint, options: &OccupancyOptions) -> Cliffs {
        let steps = |vary, least, most| steps(device, footprint, options, vary, least, most);
        Cliffs {
            registers: steps(Vary::RegistersPerThread, 1, device.registers.max_per_thread),
            shared: steps(
                Vary::SharedDynamicBytes,
                0,
                device.shared.per_block_optin_bytes,
            ),
        }
    }
}

/// A residency as JSON.
pub fn held_json(device: &Device, found: &Occupancy) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "device": device.name,
        "blocks_per_sm": found.blocks_per_sm,
        "warps_per_sm": found.warps_per_sm,
        "theoretical_occupancy": found.theoretical_occupancy,
        "occupancy_limiter": found.occupancy_limiter,
        "rounded_registers": found.rounded_registers,
        "rounded_registers_per_thread": found.rounded_registers_per_thread,
        "rounded_shared_bytes": found.rounded_shared_bytes,
        "shared_carve_out_bytes": found.shared_carve_out_bytes,
        "active_clusters": found.active_clusters,
        "limits": found.limits,
    })
}

/// A launch that cannot run, as JSON.
pub fn refused(device: &Device, refusal: &OccupancyRefusal) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "device": device.name,
        "blocks_per_sm": 0,
        "warps_per_sm": 0,
        "theoretical_occupancy": 0.0,
        "occupancy_limiter": refusal.limiter,
        "reason": refusal.message,
        "needed": refusal.needed,
        "available": refusal.available,
    })
}

fn gain_json(gain: &Gain) -> Value {
    json!({
        "blocks_per_sm": gain.trim.as_ref().map(|trim| trim.blocks_per_sm),
        "registers_per_thread": gain.trim.as_ref().and_then(|trim| trim.registers_per_thread),
        "shared_bytes": gain.trim.as_ref().and_then(|trim| trim.shared_bytes),
        "threads_per_block": gain.threads_per_block,
    })
}

fn text(
    device: &Device,
    footprint: &Footprint,
    found: &Occupancy,
    gain: Option<&Gain>,
    cliffs: &Cliffs,
) -> String {
    let mut text = format!(
        "{}: {} blocks per SM, {} of {} warps, {} occupancy, limited by {}\n",
        device.name,
        found.blocks_per_sm,
        found.warps_per_sm,
        device.limits.warps_per_sm,
        percent(found.theoretical_occupancy),
        found.occupancy_limiter,
    );
    let _ = writeln!(
        text,
        "a warp gets {} registers ({} a thread), a block {} bytes of shared memory, of {} that \
         the SM is set to",
        count(found.rounded_registers.into()),
        found.rounded_registers_per_thread,
        count(found.rounded_shared_bytes.into()),
        count(found.shared_carve_out_bytes.into()),
    );
    if let (Some(size), Some(clusters)) = (footprint.cluster, found.active_clusters) {
        let _ = writeln!(text, "{clusters} clusters of {size} blocks at once");
    }
    text.push('\n');
    let mut table = Rows::new(&[("limit", Align::Left), ("blocks per SM", Align::Right)]);
    for (limiter, limit) in found.limits.entries() {
        let known = limit.map_or("not limiting".to_owned(), |limit| limit.to_string());
        if limit.is_some() || limiter != Limiter::Cluster {
            table.row([limiter.to_string(), known]);
        }
    }
    text.push_str(&table.draw());
    if let Some(gain) = gain {
        text.push_str(&gains(gain));
    }
    text.push('\n');
    text.push_str(&cliffs_text(footprint, cliffs));
    text
}

/// The steps around the present value: one to each side.
fn cliffs_text(footprint: &Footprint, cliffs: &Cliffs) -> String {
    let mut table = Rows::new(&[
        ("cliffs", Align::Left),
        ("from", Align::Right),
        ("to", Align::Right),
        ("blocks per SM", Align::Right),
        ("", Align::Left),
    ]);
    for (name, steps, value) in [
        (
            "registers a thread",
            &cliffs.registers,
            footprint.registers_per_thread,
        ),
        (
            "shared bytes",
            &cliffs.shared,
            footprint.shared_dynamic_bytes,
        ),
    ] {
        let here = |step: &Step| (step.from..=step.to).contains(&value);
        let at = steps.iter().position(here);
        let first = at.map_or(0, |at| at.saturating_sub(1));
        let last = at.map_or(2, |at| at + 2).min(steps.len());
        for step in steps.get(first..last).unwrap_or_default() {
            table.row([
                name.to_owned(),
                count(step.from.into()),
                count(step.to.into()),
                step.blocks_per_sm.to_string(),
                if here(step) { "here" } else { "" }.to_owned(),
            ]);
        }
    }
    table.draw()
}

fn gains(gain: &Gain) -> String {
    let mut text = String::new();
    if let Some(Trim {
        blocks_per_sm,
        registers_per_thread,
        shared_bytes,
    }) = &gain.trim
    {
        let registers = registers_per_thread.map(|most| format!("{most} registers a thread"));
        let shared =
            shared_bytes.map(|most| format!("{} bytes of shared memory", count(most.into())));
        let needs: Vec<String> = registers.into_iter().chain(shared).collect();
        if !needs.is_empty() {
            let needs = needs.join(" and ");
            let _ = writeln!(
                text,
                "{blocks_per_sm} blocks would fit with at most {needs}"
            );
        }
    }
    if let Some(threads) = gain.threads_per_block {
        let _ = writeln!(text, "more blocks would fit with {threads} threads a block");
    }
    match text.is_empty() {
        true => text,
        false => format!("\n{text}"),
    }
}
