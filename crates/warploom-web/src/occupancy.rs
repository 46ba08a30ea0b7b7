//! `occupancy`: what fits on an SM, and why no more.

use serde::{Deserialize, Serialize};
use warploom::device::{
    CarveOut, Device, Footprint, Gain, Occupancy, Options as OccupancyOptions, Rule, Step, Vary,
    occupancy_with, one_more_block, steps, sweep,
};

use crate::error::Refusal;
use crate::memory::named;

/// What a launch needs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OccupancyRequest {
    /// The device.
    pub device: String,
    /// Threads of a block.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block.
    pub shared_bytes: u32,
}

/// The residency, how it changes, and what an SM has.
#[derive(Debug, Serialize)]
pub struct OccupancyAnswer {
    sm: Sm,
    held: Option<Occupancy>,
    /// Why the launch can never run.
    refused: Option<Refused>,
    /// What one more block would need.
    gain: Option<GainRecord>,
    /// Residency over each number, the others as they are.
    over_threads: Vec<Step>,
    over_registers: Vec<Step>,
    over_shared: Vec<Step>,
}

/// What an SM has.
#[derive(Debug, Serialize)]
pub struct Sm {
    warp_width: u32,
    warps: u32,
    /// Absent where only warps and barriers limit them.
    blocks: Option<u32>,
    threads_per_block: u32,
    /// 32-bit registers.
    registers: u32,
    registers_per_thread: u32,
    register_unit: u32,
    partitions: u32,
    shared_bytes: u32,
    shared_per_block_bytes: u32,
    shared_unit_bytes: u32,
    shared_reserved_bytes: u32,
}

/// One block asks for more than it may have.
#[derive(Debug, Serialize)]
pub struct Refused {
    limiter: warploom::device::Limiter,
    message: String,
    needed: u64,
    available: u64,
    help: String,
}

/// How another block would fit.
#[derive(Debug, Serialize)]
pub struct GainRecord {
    blocks_per_sm: Option<u32>,
    registers: Option<u32>,
    shared_bytes: Option<u32>,
    threads: Option<u32>,
}

/// `occupancy`
///
/// # Errors
/// When there is no such device.
pub fn occupancy(request: &OccupancyRequest) -> Result<OccupancyAnswer, Refusal> {
    let device = named(&request.device)?;
    let footprint = Footprint {
        threads_per_block: request.threads,
        registers_per_thread: request.registers,
        shared_dynamic_bytes: request.shared_bytes,
        ..Footprint::default()
    };
    let options = OccupancyOptions {
        rule: Rule::Toolkit,
        carve_out: CarveOut::Auto,
    };
    let (held, refused) = match occupancy_with(&device, &footprint, &options) {
        Ok(held) => (Some(held), None),
        Err(refusal) => {
            let refused = Refused {
                limiter: refusal.limiter,
                message: refusal.message,
                needed: refusal.needed,
                available: refusal.available,
                help: refusal.help,
            };
            (None, Some(refused))
        }
    };
    let gain = held.as_ref().and_then(|_| {
        let gain = one_more_block(&device, &footprint, &options).ok()?;
        Some(gain_record(&gain))
    });
    let over = |vary, most| steps(&device, &footprint, &options, vary, 0, most);
    Ok(OccupancyAnswer {
        sm: sm(&device),
        held,
        refused,
        gain,
        over_threads: over_threads(&device, &footprint, &options),
        over_registers: over(Vary::RegistersPerThread, device.registers.max_per_thread),
        over_shared: over(
            Vary::SharedDynamicBytes,
            device.shared.per_block_optin_bytes,
        ),
    })
}

/// Threads do not only lower residency as they grow: each number of warps is looked at.
fn over_threads(device: &Device, footprint: &Footprint, options: &OccupancyOptions) -> Vec<Step> {
    let width = device.warp_width.max(1);
    let warps = device.limits.threads_per_block / width;
    let values = (1..=warps).map(|warps| warps * width);
    let points = sweep(device, footprint, options, Vary::ThreadsPerBlock, values);
    let step = points.map(|point| {
        let held = point.result.as_ref().ok();
        Step {
            from: point.value + 1 - width,
            to: point.value,
            blocks_per_sm: held.map_or(0, |held| held.blocks_per_sm),
            warps_per_sm: held.map_or(0, |held| held.warps_per_sm),
        }
    });
    step.collect()
}

fn sm(device: &Device) -> Sm {
    let registers = &device.registers;
    Sm {
        warp_width: device.warp_width,
        warps: device.limits.warps_per_sm,
        blocks: device.limits.blocks_per_sm,
        threads_per_block: device.limits.threads_per_block,
        registers: registers.per_sm,
        registers_per_thread: registers.max_per_thread,
        register_unit: registers.unit,
        partitions: registers.warp_granularity,
        shared_bytes: device.shared_capacity_bytes(),
        shared_per_block_bytes: device.shared.per_block_optin_bytes,
        shared_unit_bytes: device.shared.unit_bytes,
        shared_reserved_bytes: device.shared.reserved_bytes,
    }
}

fn gain_record(gain: &Gain) -> GainRecord {
    let trim = gain.trim.as_ref();
    GainRecord {
        blocks_per_sm: trim.map(|trim| trim.blocks_per_sm),
        registers: trim.and_then(|trim| trim.registers_per_thread),
        shared_bytes: trim.and_then(|trim| trim.shared_bytes),
        threads: gain.threads_per_block,
    }
}
