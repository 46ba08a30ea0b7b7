//! `pattern`, `hierarchy`: what an access pattern costs, and the memories of a chip.

use serde::{Deserialize, Serialize};
use warploom::Options;
use warploom::access_pattern::{GlobalCost, SharedCost, cost};
use warploom::device::Device;
use warploom::plan::Named;
use warploom::run::device;
use warploom::stepper::Stepper;

use crate::chips::{Figure, figure};
use crate::error::Refusal;

/// Addresses of a warp's lanes, by a formula.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternRequest {
    /// The device.
    pub device: String,
    /// A lane's byte address, as an expression of the lesson language in `lane` or `i`.
    pub formula: String,
    /// Bytes of a lane: 1 to 16.
    pub bytes: u32,
}

/// What it costs.
#[derive(Debug, Serialize)]
pub struct PatternAnswer {
    /// By lane.
    addresses: Vec<u64>,
    global: GlobalCost,
    shared: SharedCost,
}

/// Asks for a chip.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRequest {
    /// Its name.
    pub device: String,
}

/// A memory of a chip.
#[derive(Debug, Serialize)]
pub struct MemoryLevel {
    name: &'static str,
    /// Of the whole chip.
    capacity_bytes: f64,
    /// How many of it there are; 1 for what all SMs share.
    count: u32,
    latency_cycles: Option<Figure>,
    latency_ns: Option<f64>,
    /// Of the whole chip.
    bytes_per_s: Option<f64>,
    bandwidth: Option<Figure>,
    capacity: Figure,
    /// A 32-bit word from it, where that is known; of one process, for ratios.
    word_pj: Option<f64>,
}

pub(crate) fn named(name: &str) -> Result<Device, Refusal> {
    let options = Options {
        device: Some(Named::new(name)),
        ..Options::default()
    };
    Ok(device(&options, None)?)
}

/// `pattern`
///
/// # Errors
/// When the formula is wrong, gives a negative address, or there is no such device.
pub fn pattern(request: &PatternRequest) -> Result<PatternAnswer, Refusal> {
    let device = named(&request.device)?;
    if !matches!(request.bytes, 1 | 2 | 4 | 8 | 16) {
        return Err(Refusal::new("a lane accesses 1, 2, 4, 8 or 16 bytes"));
    }
    let width = device.warp_width;
    if request.formula.contains(['\n', '\r']) {
        return Err(Refusal::new("a formula is one line"));
    }
    // The formula is a line of a program of its own, so that it means what it means there.
    let text = format!(
        "width {width}\nthreads {width}\naddress = {}\n",
        request.formula
    );
    let mut stepper = Stepper::of_lesson("formula", &text, &Options::default())?;
    let state = stepper.state(1)?;
    let address = state
        .registers
        .iter()
        .find(|register| register.name == "address");
    let values = address.map_or(&[][..], |register| register.values.as_slice());
    let mut addresses = Vec::with_capacity(values.len());
    for (lane, value) in values.iter().enumerate() {
        match value.parse::<u64>() {
            Ok(address) => addresses.push(address),
            Err(_) => {
                let message =
                    format!("lane {lane} has {value}: an address is a whole number from 0");
                return Err(Refusal::new(message));
            }
        }
    }
    let (global, shared) = cost(&device, &addresses, request.bytes);
    Ok(PatternAnswer {
        addresses,
        global,
        shared,
    })
}

/// `hierarchy`: the levels, the nearest first.
///
/// # Errors
/// When there is no such device.
pub fn hierarchy(request: &DeviceRequest) -> Result<Vec<MemoryLevel>, Refusal> {
    let device = named(&request.device)?;
    let sms = device.sms;
    let per_s = device.clock_mhz * 1e6;
    let of_sms = |bytes_per_cycle: f64| bytes_per_cycle * f64::from(sms) * per_s;
    let memory = &device.memory;
    let timing = &device.timing;
    let ns = |cycles: u32| f64::from(cycles) / device.clock_mhz * 1e3;
    let at = |path: &str| figure(&device, path);
    let level = |name, per_one: f64, count: u32, capacity: &str| MemoryLevel {
        name,
        capacity_bytes: per_one * f64::from(count),
        count,
        latency_cycles: None,
        latency_ns: None,
        bytes_per_s: None,
        bandwidth: None,
        capacity: at(capacity),
        word_pj: None,
    };
    let timed = |level: MemoryLevel, cycles: u32, path: &str| MemoryLevel {
        latency_cycles: Some(at(path)),
        latency_ns: Some(ns(cycles)),
        ..level
    };
    let wide = |level: MemoryLevel, bytes_per_s: f64, path: &str| MemoryLevel {
        bytes_per_s: Some(bytes_per_s),
        bandwidth: Some(at(path)),
        ..level
    };
    let registers = f64::from(device.registers.per_sm) * 4.0;
    let shared_bytes = f64::from(device.shared_capacity_bytes());
    let shared_width = device.shared.banks * device.shared.bank_bytes;
    let shared_rate = f64::from(shared_width) / f64::from(timing.shared.pass_cycles);
    let mut levels = vec![level("registers", registers, sms, "registers.per_sm")];
    let shared = level(
        "shared memory",
        shared_bytes,
        sms,
        "shared.per_block_optin_bytes",
    );
    let shared = timed(
        shared,
        timing.shared.load_cycles,
        "timing.shared.load_cycles",
    );
    let mut shared = wide(shared, of_sms(shared_rate), "shared.banks");
    shared.word_pj = Some(device.energy.sram_word_pj);
    levels.push(shared);
    let l1 = level("L1", f64::from(memory.l1_bytes), sms, "memory.l1_bytes");
    let l1 = timed(l1, timing.l1.hit_cycles, "timing.l1.hit_cycles");
    let l1_rate = of_sms(f64::from(memory.l1_bytes_per_cycle));
    levels.push(wide(l1, l1_rate, "memory.l1_bytes_per_cycle"));
    let l2 = level("L2", memory.l2_bytes as f64, 1, "memory.l2_bytes");
    let l2 = timed(l2, timing.l2.hit_cycles, "timing.l2.hit_cycles");
    levels.push(wide(l2, device.l2_bytes_per_s(), "timing.l2.efficiency"));
    if let (Some(llc), Some(bytes)) = (&timing.llc, memory.llc_bytes) {
        let level = level("memory-side cache", bytes as f64, 1, "memory.llc_bytes");
        let level = timed(level, llc.hit_cycles, "timing.llc.hit_cycles");
        levels.push(wide(level, llc.gb_per_s * 1e9, "timing.llc.gb_per_s"));
    }
    let dram = level(
        "device memory",
        memory.dram_bytes as f64,
        1,
        "memory.dram_bytes",
    );
    let dram = timed(
        dram,
        timing.dram.latency_cycles,
        "timing.dram.latency_cycles",
    );
    let mut dram = wide(dram, device.dram_bytes_per_s(), "memory.dram_gb_per_s");
    dram.word_pj = Some(device.energy.dram_word_pj);
    levels.push(dram);
    Ok(levels)
}
