//! Pipelines: how often each takes a warp instruction, from the lanes, and how long it needs.

use crate::schema::{Device, Pipe, Scope};

/// Classes of instructions that have a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PipeClass {
    /// 32-bit integer add, logic, compare, select, move.
    Int32,
    /// 32-bit integer multiply and multiply-add.
    IntMul,
    /// 32-bit float.
    Fp32,
    /// 16-bit float, in pairs where the device does pairs.
    Half,
    /// 64-bit float.
    Fp64,
    /// Reciprocal, square root, exponential, logarithm, sine, cosine.
    Sfu,
    /// Conversion between 32-bit types.
    Convert,
    /// Conversion from and to 64-bit types.
    Convert64,
    /// Population count, leading zeros, bit reversal.
    Bit,
    /// Exchange between lanes.
    Shuffle,
    /// Votes and matches.
    Vote,
    /// Scalar operations.
    Uniform,
    /// Branches.
    Branch,
}

impl PipeClass {
    /// All classes, in the order of the schema.
    pub const ALL: [PipeClass; 13] = [
        PipeClass::Int32,
        PipeClass::IntMul,
        PipeClass::Fp32,
        PipeClass::Half,
        PipeClass::Fp64,
        PipeClass::Sfu,
        PipeClass::Convert,
        PipeClass::Convert64,
        PipeClass::Bit,
        PipeClass::Shuffle,
        PipeClass::Vote,
        PipeClass::Uniform,
        PipeClass::Branch,
    ];

    /// Its name in the schema, under `timing.pipes`.
    pub const fn name(self) -> &'static str {
        match self {
            PipeClass::Int32 => "int32",
            PipeClass::IntMul => "int_mul",
            PipeClass::Fp32 => "fp32",
            PipeClass::Half => "half",
            PipeClass::Fp64 => "fp64",
            PipeClass::Sfu => "sfu",
            PipeClass::Convert => "convert",
            PipeClass::Convert64 => "convert64",
            PipeClass::Bit => "bit",
            PipeClass::Shuffle => "shuffle",
            PipeClass::Vote => "vote",
            PipeClass::Uniform => "uniform",
            PipeClass::Branch => "branch",
        }
    }
}

/// One class of instructions on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// Unit, scope and latencies. A class that the device lacks has those of the one that does
    /// its work (half without 16-bit lanes: fp32; uniform without scalar lanes: int32).
    pub pipe: Pipe,
    /// Copies of the unit in its scope: each takes a warp instruction every `initiation_cycles`.
    pub units: u32,
    /// Cycles for which one warp instruction occupies one of them.
    pub initiation_cycles: u32,
}

impl Device {
    /// Cycles for which one warp instruction occupies its partition's share of a pipeline with
    /// `lanes_per_sm` lanes: a warp of 32 on 16 lanes takes 2. At least 1.
    pub fn issue_cycles(&self, lanes_per_sm: u32) -> u32 {
        let threads = u64::from(self.warp_width) * u64::from(self.schedulers_per_sm);
        let cycles = threads.div_ceil(u64::from(lanes_per_sm.max(1)));
        u32::try_from(cycles).unwrap_or(u32::MAX).max(1)
    }

    /// The pipeline of a class.
    pub fn pipeline(&self, class: PipeClass) -> Pipeline {
        let (lanes, pipes) = (&self.lanes, &self.timing.pipes);
        let (lanes_per_sm, pipe) = match class {
            PipeClass::Int32 => (lanes.int32, &pipes.int32),
            PipeClass::IntMul => (lanes.int_mul, &pipes.int_mul),
            PipeClass::Fp32 => (lanes.fp32, &pipes.fp32),
            // Results come in pairs: an instruction takes half of the lanes.
            PipeClass::Half => match lanes.half {
                Some(results) => ((results / 2).max(1), &pipes.half),
                None => (lanes.fp32, &pipes.fp32),
            },
            PipeClass::Fp64 => (lanes.fp64, &pipes.fp64),
            PipeClass::Sfu => (lanes.sfu, &pipes.sfu),
            PipeClass::Convert => (lanes.convert, &pipes.convert),
            PipeClass::Convert64 => (lanes.convert64, &pipes.convert64),
            PipeClass::Bit => (lanes.bit, &pipes.bit),
            PipeClass::Shuffle => (lanes.shuffle, &pipes.shuffle),
            PipeClass::Vote => (lanes.vote, &pipes.vote),
            PipeClass::Uniform => match lanes.uniform {
                Some(lanes) => (lanes, &pipes.uniform),
                None => (lanes.int32, &pipes.int32),
            },
            PipeClass::Branch => (lanes.branch, &pipes.branch),
        };
        let sharers = match pipe.scope {
            Scope::Partition => self.schedulers_per_sm,
            Scope::Sm => 1,
        };
        let width = u64::from(self.warp_width) * u64::from(sharers);
        let lanes = u64::from(lanes_per_sm.max(1));
        let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX).max(1);
        Pipeline {
            pipe: pipe.clone(),
            units: narrow(lanes / width.max(1)),
            initiation_cycles: narrow(width.div_ceil(lanes)),
        }
    }

    /// Cycles for which a warp instruction of `multiply_adds` multiply-adds (of all its lanes
    /// together) occupies its partition's matrix unit; `None` if the device has no rate for the
    /// format. `warp_level` is false for instructions of whole warp groups.
    pub fn matrix_cycles(
        &self,
        rate_per_sm: Option<u32>,
        multiply_adds: u64,
        warp_level: bool,
    ) -> Option<u32> {
        let matrix = &self.timing.matrix;
        let tensor = self.tensor.as_ref()?;
        let share = if warp_level { matrix.warp_share } else { 1.0 };
        let clock = tensor.clock_factor.unwrap_or(1.0);
        let rate = f64::from(rate_per_sm?) / f64::from(self.schedulers_per_sm) * share * clock;
        let cycles = (multiply_adds as f64 / rate).ceil();
        // A float to integer cast saturates.
        Some((cycles as u32).max(matrix.least_cycles))
    }
}

/// Little's law: operations in flight that keep a unit of `latency_cycles` busy at
/// `per_cycle` operations a cycle.
pub fn in_flight(latency_cycles: f64, per_cycle: f64) -> f64 {
    latency_cycles * per_cycle
}
