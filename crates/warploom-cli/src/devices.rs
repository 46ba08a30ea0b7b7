//! `warploom devices`: the list, a sheet, and every figure with its source.

use serde_json::{Map, Value, json};
use warploom::Options;
use warploom::device::{Device, Figure, source_text};
use warploom::report::SCHEMA_VERSION;
use warploom::run::device;
use warploom::text::Diagnostic;

use crate::args::{DevicesArgs, DevicesCommand, key_values, named_device};
use crate::devices_sheet::sheet;
use crate::output::{Done, Output, wrong_argument};
use crate::table::{Align, Rows, count};

/// Lists the devices, or shows one.
pub fn run(args: &DevicesArgs, output: &mut Output) -> Done {
    match &args.command {
        None => list(output),
        Some(DevicesCommand::Other(words)) => {
            let word = words.first().map_or("", String::as_str);
            let is_device = word.ends_with(".toml") || Device::by_name(word).is_ok();
            let name = if is_device { word } else { "NAME" };
            let help = format!("`warploom devices show {name}` shows a device");
            let message = format!("there is no command `{word}` of `devices`");
            Err(wrong_argument(Diagnostic::error(message).help(help)))
        }
        Some(DevicesCommand::Show { name, set, figures }) => {
            let options = Options {
                device: named_device(Some(name)),
                set: key_values(set),
                ..Options::default()
            };
            show(&device(&options, None)?, *figures, output)
        }
    }
}

fn list(output: &mut Output) -> Done {
    let names = Device::names().map(Device::by_name);
    // The built-in descriptions are checked by tests.
    let devices: Vec<Device> = names.filter_map(Result::ok).collect();
    let mut table = Rows::new(&[
        ("name", Align::Left),
        ("product", Align::Left),
        ("target", Align::Left),
        ("SMs", Align::Right),
        ("MHz", Align::Right),
        ("warp", Align::Right),
        ("warps/SM", Align::Right),
        ("registers/SM", Align::Right),
        ("shared/SM", Align::Right),
        ("GB/s", Align::Right),
        ("divergence", Align::Left),
    ]);
    for device in &devices {
        let divergence = serde_json::to_value(device.divergence).unwrap_or_default();
        table.row([
            device.name.clone(),
            device.product.clone(),
            device.target.clone(),
            device.sms.to_string(),
            format!("{:.0}", device.clock_mhz),
            device.warp_width.to_string(),
            device.limits.warps_per_sm.to_string(),
            count(device.registers.per_sm.into()),
            count(device.shared_capacity_bytes().into()),
            format!("{:.0}", device.memory.dram_gb_per_s),
            divergence.as_str().unwrap_or("").to_owned(),
        ]);
    }
    output.text(&table.draw())?;
    output.json(&json!({ "schema_version": SCHEMA_VERSION, "devices": devices }))?;
    Ok(0)
}

fn show(device: &Device, figures: bool, output: &mut Output) -> Done {
    let Device {
        name,
        product,
        architecture,
        target,
        ..
    } = device;
    let body = match figures {
        true => every_figure(device),
        false => sheet(device),
    };
    output.text(&format!(
        "{name}: {product}, {architecture}, {target}\n\n{body}"
    ))?;
    let sources: Map<String, Value> = device
        .figures()
        .iter()
        .map(|figure| (figure.path.clone(), provenance_json(figure)))
        .collect();
    output.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "device": device,
        "sources": sources,
    }))?;
    Ok(0)
}

/// All figures, and what their sources are.
fn every_figure(device: &Device) -> String {
    let mut table = Rows::new(&[
        ("figure", Align::Left),
        ("value", Align::Right),
        ("source", Align::Left),
    ]);
    let mut keys = Vec::new();
    for figure in &device.figures() {
        for key in &figure.provenance.sources {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        table.row([
            figure.path.clone(),
            figure.value.clone(),
            provenance(figure),
        ]);
    }
    let mut text = table.draw();
    if !keys.is_empty() {
        text.push('\n');
        let mut sources = Rows::new(&[("source", Align::Left), ("is", Align::Left)]);
        keys.iter()
            .for_each(|key| sources.row([key.clone(), source_text(key)]));
        text.push_str(&sources.draw());
    }
    text
}

fn provenance(figure: &Figure) -> String {
    let from = &figure.provenance;
    let mut words = from.sources.clone();
    if from.overridden {
        words = vec!["--set".to_owned()];
    } else if from.estimated {
        words.push("estimated".to_owned());
    }
    words.join(", ")
}

fn provenance_json(figure: &Figure) -> Value {
    let from = &figure.provenance;
    json!({
        "sources": from.sources,
        "estimated": from.estimated,
        "overridden": from.overridden,
    })
}
