//! A tile of a matrix product: what it reuses, and what it needs of an SM.
//!
//! A block computes `m × n` results. In each step it brings `m·k + k·n` elements of the two inputs
//! into shared memory and performs `m·n·k` multiply-adds on them, so every element that comes in
//! serves `m·n / (m + n)` multiply-adds. While one step computes, the next ones are on their way:
//! Little's law says how many of them (stages) hide the latency.

use serde::Serialize;

use super::roofline::Precision;
use crate::occupancy::{Footprint, Occupancy, OccupancyRefusal, occupancy};
use crate::schema::Device;

/// The tile of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// Depth of a step.
    pub k: u32,
}

impl Tile {
    /// Multiply-adds that each element which comes in serves.
    pub fn macs_per_element(&self) -> f64 {
        let (m, n) = (f64::from(self.m), f64::from(self.n));
        m * n / (m + n)
    }

    /// Elements that come in for a step.
    pub fn elements_per_step(&self) -> u64 {
        (u64::from(self.m) + u64::from(self.n)) * u64::from(self.k)
    }

    /// Multiply-adds of a step; saturates.
    pub fn macs_per_step(&self) -> u64 {
        u64::from(self.m) * u64::from(self.n).saturating_mul(self.k.into())
    }

    /// Operations per byte that comes in; a multiply-add is two.
    pub fn flop_per_byte(&self, element_bytes: u32) -> f64 {
        2.0 * self.macs_per_element() / f64::from(element_bytes.max(1))
    }
}

/// A block that computes a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Its tile.
    pub tile: Tile,
    /// Its threads.
    pub threads: u32,
    /// Steps whose inputs are in shared memory or on their way.
    pub stages: u32,
    /// Arithmetic.
    pub precision: Precision,
    /// Registers of a thread, if they are known; otherwise they are estimated.
    pub registers_per_thread: Option<u32>,
}

/// Registers that addresses, loop counters and the like take beside operands and results: the
/// spread of compiled kernels is 20 to 40.
const OTHER_REGISTERS: u32 = 32;

/// What a step costs when its inputs come from one level of memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FromLevel {
    /// `l2` or `dram`.
    pub level: &'static str,
    /// Cycles from the first request of a stage until it is there, unloaded.
    pub latency_cycles: u32,
    /// Bytes a cycle that one SM gets when all ask.
    pub bytes_per_cycle: f64,
    /// Cycles in which an SM's share of the bandwidth delivers one stage.
    pub load_cycles: f64,
    /// Cycles of a step in the steady state: the longer of loading and computing all resident
    /// blocks' stages, and the barrier.
    pub step_cycles: f64,
    /// What decides that: `memory` or `compute`.
    pub bound: super::roofline::Bound,
    /// Stages of a block that hide the latency, the one in use included.
    pub stages_needed: u32,
    /// Bytes that have to be on their way in an SM to keep it fed.
    pub bytes_in_flight_needed: f64,
}

/// What a block needs, and how it runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GemmReport {
    /// Multiply-adds for each element that comes in.
    pub macs_per_element: f64,
    /// Operations for each byte that comes in.
    pub flop_per_byte: f64,
    /// Elements of a step.
    pub elements_per_step: u64,
    /// Multiply-adds of a step.
    pub macs_per_step: u64,
    /// Registers of a thread for the results.
    pub accumulator_registers: u32,
    /// Registers of a thread altogether.
    pub registers_per_thread: u32,
    /// Whether those are estimated.
    pub registers_estimated: bool,
    /// Bytes of one stage.
    pub stage_bytes: u64,
    /// Shared memory of a block.
    pub shared_bytes: u64,
    /// Residency on the device.
    #[serde(skip)]
    pub occupancy: Result<Occupancy, OccupancyRefusal>,
    /// Cycles of the arithmetic of one block's step at the peak rate; `None` if the device has no
    /// such rate.
    pub compute_cycles: Option<f64>,
    /// From the L2 and from device memory; empty if nothing runs.
    pub levels: Vec<FromLevel>,
}

impl Plan {
    /// Registers of a thread for its share of the results: 32-bit ones, 64-bit for `fp64`.
    pub fn accumulator_registers(&self) -> u32 {
        let results = u64::from(self.tile.m) * u64::from(self.tile.n);
        let each = results.div_ceil(u64::from(self.threads.max(1)));
        let words = u64::from(self.precision.element_bytes().div_ceil(4).max(1));
        u32::try_from(each.saturating_mul(words)).unwrap_or(u32::MAX)
    }

    /// The same with operands and the rest: a square part of the tile needs a row and a column of
    /// operands beside it.
    fn estimated_registers(&self) -> u32 {
        let results = self.accumulator_registers();
        let operands = (2.0 * f64::from(results).sqrt()).ceil() as u32;
        results
            .saturating_add(operands)
            .saturating_add(OTHER_REGISTERS)
    }

    /// Bytes of one stage.
    pub fn stage_bytes(&self) -> u64 {
        let bytes = u64::from(self.precision.element_bytes());
        self.tile.elements_per_step().saturating_mul(bytes)
    }

    /// Everything there is to say about the block on a device.
    pub fn on(&self, device: &Device) -> GemmReport {
        let registers = self.registers_per_thread;
        let registers_per_thread = registers.unwrap_or_else(|| self.estimated_registers());
        let stage_bytes = self.stage_bytes();
        let shared_bytes = stage_bytes.saturating_mul(self.stages.into());
        let footprint = Footprint {
            threads_per_block: self.threads,
            registers_per_thread,
            shared_dynamic_bytes: u32::try_from(shared_bytes).unwrap_or(u32::MAX),
            ..Footprint::default()
        };
        let occupancy = occupancy(device, &footprint);
        let compute_cycles = device.peak(self.precision).map(|peak| {
            let clock = peak.clock_mhz / device.clock_mhz;
            self.tile.macs_per_step() as f64 / (f64::from(peak.per_cycle_and_sm) * clock)
        });
        let levels = match (&occupancy, compute_cycles) {
            (Ok(held), Some(compute)) => self.levels(device, held.blocks_per_sm, compute),
            _ => Vec::new(),
        };
        GemmReport {
            macs_per_element: self.tile.macs_per_element(),
            flop_per_byte: self.tile.flop_per_byte(self.precision.element_bytes()),
            elements_per_step: self.tile.elements_per_step(),
            macs_per_step: self.tile.macs_per_step(),
            accumulator_registers: self.accumulator_registers(),
            registers_per_thread,
            registers_estimated: registers.is_none(),
            stage_bytes,
            shared_bytes,
            occupancy,
            compute_cycles,
            levels,
        }
    }

    fn levels(&self, device: &Device, blocks_per_sm: u32, compute_cycles: f64) -> Vec<FromLevel> {
        let timing = &device.timing;
        [
            ("l2", timing.l2.hit_cycles, device.l2_bytes_per_s()),
            (
                "dram",
                timing.dram.latency_cycles,
                device.dram_bytes_per_s() * timing.dram.read_efficiency,
            ),
        ]
        .map(|(level, latency_cycles, bytes_per_s)| {
            let cycles_per_s = device.clock_mhz * 1e6;
            let bytes_per_cycle = bytes_per_s / cycles_per_s / f64::from(device.sms);
            let load_cycles = self.stage_bytes() as f64 / bytes_per_cycle;
            let longer = load_cycles.max(compute_cycles);
            let barrier = f64::from(timing.control.barrier_cycles);
            // All resident blocks take a step each in this time.
            let round_cycles = longer * f64::from(blocks_per_sm);
            FromLevel {
                level,
                latency_cycles,
                bytes_per_cycle,
                load_cycles,
                step_cycles: round_cycles + barrier,
                bound: if load_cycles > compute_cycles {
                    super::roofline::Bound::Memory
                } else {
                    super::roofline::Bound::Compute
                },
                stages_needed: stages_needed(f64::from(latency_cycles), round_cycles),
                bytes_in_flight_needed: f64::from(latency_cycles) * self.stage_bytes() as f64
                    / longer,
            }
        })
        .into()
    }
}

/// Stages of a block that hide a latency when a step takes `step_cycles`: those on their way, and
/// the one in use.
pub fn stages_needed(latency_cycles: f64, step_cycles: f64) -> u32 {
    // A float to integer cast saturates.
    ((latency_cycles / step_cycles).ceil() as u32).saturating_add(1)
}

/// Time of a step whose loads overlap the arithmetic of the step before, with one barrier between.
pub fn double_buffered_step(load_cycles: f64, compute_cycles: f64, barrier_cycles: f64) -> f64 {
    load_cycles.max(compute_cycles) + barrier_cycles
}

/// Tiles of FlashAttention's first form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AttentionTiles {
    /// Rows of the queries in a tile.
    pub query_rows: u64,
    /// Rows of keys and values in a tile.
    pub key_rows: u64,
}

/// The tiles that FlashAttention picks for `shared_bytes` of on-chip memory: a quarter of it for
/// each of query, key, value and output, and no more query rows than the head is wide.
pub fn attention_tiles(shared_bytes: u64, head_dim: u32, element_bytes: u32) -> AttentionTiles {
    let elements = shared_bytes / u64::from(element_bytes.max(1));
    let head_dim = u64::from(head_dim.max(1));
    let key_rows = elements.div_ceil(4 * head_dim);
    AttentionTiles {
        query_rows: key_rows.min(head_dim),
        key_rows,
    }
}
