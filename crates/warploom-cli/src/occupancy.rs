//! `warploom occupancy`.

use std::fmt::Write;

use serde_json::json;
use warploom::Options;
use warploom::device::{
    Device, Footprint, Gain, Limiter, Occupancy, OccupancyRefusal, Trim, occupancy, one_more_block,
};
use warploom::report::SCHEMA_VERSION;
use warploom::run::device;
use warploom::text::{Diagnostic, Spot};

use crate::args::{OccupancyArgs, key_values, named_device};
use crate::output::{Done, Output, wrong_argument};
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
    let footprint = Footprint {
        threads_per_block: args.block,
        registers_per_thread: args.regs,
        shared_static_bytes: shared_bytes(&Spot::whole("--shared", args.shared.as_str()))?,
        ..Footprint::default()
    };
    match occupancy(&device, &footprint) {
        Ok(found) => {
            let gain = one_more_block(&device, &footprint, &Default::default()).ok();
            output.text(&text(&device, &found, gain.as_ref()))?;
            output.json(&json!({
                "schema_version": SCHEMA_VERSION,
                "device": device.name,
                "blocks_per_sm": found.blocks_per_sm,
                "warps_per_sm": found.warps_per_sm,
                "theoretical_occupancy": found.theoretical_occupancy,
                "occupancy_limiter": found.occupancy_limiter,
                "rounded_registers": found.rounded_registers,
                "rounded_shared_bytes": found.rounded_shared_bytes,
                "limits": found.limits,
            }))?;
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

fn refused(device: &Device, refusal: &OccupancyRefusal) -> serde_json::Value {
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

fn text(device: &Device, found: &Occupancy, gain: Option<&Gain>) -> String {
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
        "a warp gets {} registers ({} a thread), a block {} bytes of shared memory\n",
        count(found.rounded_registers.into()),
        found.rounded_registers_per_thread,
        count(found.rounded_shared_bytes.into()),
    );
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
    text
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
