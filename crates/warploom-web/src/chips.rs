//! `devices`, `sheet`: which chips there are, and every figure of one with its source.

use serde::Serialize;
use warploom::device::model::roofline::{Precision, Roof};
use warploom::device::{Device, Provenance, Vendor, source_text};

use crate::error::Refusal;
use crate::memory::{DeviceRequest, named};

/// A device to choose.
#[derive(Debug, Serialize)]
pub struct DeviceName {
    name: String,
    product: String,
    architecture: String,
    vendor: Vendor,
    warp_width: u32,
    sms: u32,
}

/// A figure and where it comes from.
#[derive(Debug, Serialize)]
pub struct Figure {
    path: String,
    /// As the device file has it.
    value: String,
    /// What it means, with its unit.
    meaning: String,
    sources: Vec<String>,
    estimated: bool,
}

/// Everything about a chip.
#[derive(Debug, Serialize)]
pub struct Sheet {
    device: DeviceName,
    clock_mhz: f64,
    dram_bytes_per_s: f64,
    peaks: Vec<PeakRate>,
    figures: Vec<Figure>,
}

/// A peak rate.
#[derive(Debug, Serialize)]
pub struct PeakRate {
    precision: &'static str,
    matrix: bool,
    per_s: f64,
    /// Operations per byte from which on it is reached.
    ridge: f64,
    formula: String,
}

/// `devices`: all that are built in.
pub fn devices() -> Vec<DeviceName> {
    let all = Device::names().filter_map(|name| Device::by_name(name).ok());
    all.map(|device| name_of(&device)).collect()
}

/// `sheet`
///
/// # Errors
/// When there is no such device.
pub fn sheet(request: &DeviceRequest) -> Result<Sheet, Refusal> {
    let device = named(&request.device)?;
    let peaks = Precision::ALL.into_iter().filter_map(|precision| {
        let peak = device.peak(precision)?;
        let roof = Roof {
            flop_per_s: peak.flop_per_s,
            bytes_per_s: device.dram_bytes_per_s(),
        };
        Some(PeakRate {
            precision: precision.name(),
            matrix: precision.is_matrix(),
            per_s: peak.flop_per_s,
            ridge: roof.ridge_flop_per_byte(),
            formula: format!(
                "{} SMs × {} results a cycle × {} operations × {:.0} MHz",
                peak.sms, peak.per_cycle_and_sm, peak.flop_per_result, peak.clock_mhz
            ),
        })
    });
    let meanings = Device::fields();
    let meaning = |path: &str| {
        let found = meanings.iter().find(|field| field.path == path);
        found.map_or(String::new(), |field| field.doc.clone())
    };
    let figures = device.figures().into_iter().map(|found| {
        let meaning = meaning(&found.path);
        sourced(found.path, found.value, meaning, &found.provenance)
    });
    Ok(Sheet {
        device: name_of(&device),
        clock_mhz: device.clock_mhz,
        dram_bytes_per_s: device.dram_bytes_per_s(),
        peaks: peaks.collect(),
        figures: figures.collect(),
    })
}

/// One figure of a device; without a value, if it has none.
pub(crate) fn figure(device: &Device, path: &str) -> Figure {
    let found = device
        .figures()
        .into_iter()
        .find(|found| found.path == path);
    let meaning = Device::fields()
        .into_iter()
        .find(|field| field.path == path);
    let (value, provenance) = found.map_or((String::new(), Provenance::default()), |found| {
        (found.value, found.provenance)
    });
    let meaning = meaning.map_or(String::new(), |field| field.doc);
    sourced(path.to_owned(), value, meaning, &provenance)
}

fn sourced(path: String, value: String, meaning: String, from: &Provenance) -> Figure {
    Figure {
        path,
        value,
        meaning,
        sources: from.sources.iter().map(|key| source_text(key)).collect(),
        estimated: from.estimated,
    }
}

fn name_of(device: &Device) -> DeviceName {
    DeviceName {
        name: device.name.clone(),
        product: device.product.clone(),
        architecture: device.architecture.clone(),
        vendor: device.vendor,
        warp_width: device.warp_width,
        sms: device.sms,
    }
}
