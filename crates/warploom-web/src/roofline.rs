//! `roofline`, `gemm`, `matrix`: what bounds a kernel, a tile of a matrix product, and what matrix
//! units give.

use serde::{Deserialize, Serialize};
use warploom::device::model::energy::{Overhead, overheads};
use warploom::device::model::gemm::{GemmReport, Plan, Tile};
use warploom::device::model::roofline::{Bound, Precision, Roof};
use warploom::device::{Device, Limiter, Vendor};

use crate::error::Refusal;
use crate::memory::named;

/// Largest side of a tile, and most of what else it takes: what is drawn stays readable.
const MOST_SIDE: u32 = 1024;
const MOST_THREADS: u32 = 1024;
const MOST_STAGES: u32 = 16;

/// Asks for the roofs of devices at one precision.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RooflineRequest {
    /// The devices.
    pub devices: Vec<String>,
    /// `fp32`, `fp16`, …
    pub precision: String,
    /// Operations per byte of device memory.
    pub flop_per_byte: f64,
}

/// A device's roof.
#[derive(Debug, Serialize)]
pub struct RoofRecord {
    device: String,
    /// None where the device has no such precision.
    flop_per_s: Option<f64>,
    bytes_per_s: f64,
    ridge: Option<f64>,
    attainable: Option<f64>,
    bound: Option<Bound>,
}

/// A tile of a matrix product.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GemmRequest {
    /// The device.
    pub device: String,
    /// `fp32`, `fp16`, …
    pub precision: String,
    /// Rows, columns, and depth of a step.
    pub m: u32,
    /// See `m`.
    pub n: u32,
    /// See `m`.
    pub k: u32,
    /// Threads of the block.
    pub threads: u32,
    /// Steps in shared memory or on their way.
    pub stages: u32,
}

/// What it needs, and how it runs.
#[derive(Debug, Serialize)]
pub struct GemmAnswer {
    report: GemmReport,
    blocks_per_sm: u32,
    warps_per_sm: u32,
    theoretical_occupancy: f64,
    limiter: Limiter,
    /// Why it can never run.
    refused: Option<String>,
}

/// Matrix units of a device against its vector lanes.
#[derive(Debug, Serialize)]
pub struct MatrixRate {
    device: String,
    architecture: String,
    vendor: Vendor,
    /// Multiply-adds a cycle and SM: 32-bit on the lanes, 16-bit in the matrix units.
    vector_per_cycle: u32,
    matrix_per_cycle: u32,
    ratio: f64,
}

/// Rates by device, and what an instruction costs beside its arithmetic.
#[derive(Debug, Serialize)]
pub struct MatrixAnswer {
    rates: Vec<MatrixRate>,
    overheads: Vec<Overhead>,
}

fn precision(name: &str) -> Result<Precision, Refusal> {
    let found = Precision::ALL.into_iter().find(|one| one.name() == name);
    found.ok_or_else(|| Refusal::new(format!("there is no precision `{name}`")))
}

/// `roofline`
///
/// # Errors
/// When there is no such device or precision, or the intensity is no positive number.
pub fn roofline(request: &RooflineRequest) -> Result<Vec<RoofRecord>, Refusal> {
    let precision = precision(&request.precision)?;
    let intensity = request.flop_per_byte;
    if !(intensity.is_finite() && intensity > 0.0) {
        return Err(Refusal::new("an intensity is a positive number"));
    }
    let record = |name: &String| {
        let device = named(name)?;
        let bytes_per_s = device.dram_bytes_per_s();
        let roof = device.peak(precision).map(|peak| Roof {
            flop_per_s: peak.flop_per_s,
            bytes_per_s,
        });
        Ok(RoofRecord {
            device: device.name,
            flop_per_s: roof.map(|roof| roof.flop_per_s),
            bytes_per_s,
            ridge: roof.map(|roof| roof.ridge_flop_per_byte()),
            attainable: roof.map(|roof| roof.attainable_flop_per_s(intensity)),
            bound: roof.map(|roof| roof.bound(intensity)),
        })
    };
    request.devices.iter().take(8).map(record).collect()
}

/// `gemm`
///
/// # Errors
/// When a number is out of bounds, or there is no such device or precision.
pub fn gemm(request: &GemmRequest) -> Result<GemmAnswer, Refusal> {
    let device = named(&request.device)?;
    let precision = precision(&request.precision)?;
    let sides = [request.m, request.n, request.k];
    let fits = sides.iter().all(|side| (1..=MOST_SIDE).contains(side))
        && (1..=MOST_THREADS).contains(&request.threads)
        && (1..=MOST_STAGES).contains(&request.stages);
    if !fits {
        return Err(Refusal::new(format!(
            "a tile has sides of 1 to {MOST_SIDE}, up to {MOST_THREADS} threads and {MOST_STAGES} stages"
        )));
    }
    let plan = Plan {
        tile: Tile {
            m: request.m,
            n: request.n,
            k: request.k,
        },
        threads: request.threads,
        stages: request.stages,
        precision,
        registers_per_thread: None,
    };
    let report = plan.on(&device);
    let (held, refused) = match &report.occupancy {
        Ok(held) => (Some(held), None),
        Err(refusal) => (None, Some(refusal)),
    };
    let limiter = held.map(|held| held.occupancy_limiter);
    Ok(GemmAnswer {
        blocks_per_sm: held.map_or(0, |held| held.blocks_per_sm),
        warps_per_sm: held.map_or(0, |held| held.warps_per_sm),
        theoretical_occupancy: held.map_or(0.0, |held| held.theoretical_occupancy),
        limiter: limiter
            .or(refused.map(|refusal| refusal.limiter))
            .unwrap_or(Limiter::Warps),
        refused: refused.map(|refusal| {
            let (message, needed) = (&refusal.message, refusal.needed);
            format!("{message}: needs {needed}, available {}", refusal.available)
        }),
        report,
    })
}

/// `matrix`: devices with matrix units, in the order of the list of devices.
pub fn matrix() -> MatrixAnswer {
    let devices = Device::names().filter_map(|name| Device::by_name(name).ok());
    let rate = |device: Device| {
        let packed = device.peak(Precision::Fp32Packed);
        let vector = packed.or(device.peak(Precision::Fp32))?.per_cycle_and_sm;
        let matrix = device.peak(Precision::Fp16)?.per_cycle_and_sm;
        Some(MatrixRate {
            device: device.name,
            architecture: device.architecture,
            vendor: device.vendor,
            vector_per_cycle: vector,
            matrix_per_cycle: matrix,
            ratio: f64::from(matrix) / f64::from(vector),
        })
    };
    let energy = Device::by_name("h100").ok().map(|device| device.energy);
    MatrixAnswer {
        rates: devices.filter_map(rate).collect(),
        overheads: energy.map_or(Vec::new(), |energy| overheads(&energy).to_vec()),
    }
}
