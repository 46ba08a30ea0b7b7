//! The roofline: a kernel's rate is bounded by arithmetic, or by bandwidth times its intensity.

use serde::Serialize;

use crate::schema::Device;

/// Kinds of arithmetic with a peak rate of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 64-bit float, vector.
    Fp64,
    /// 32-bit float, vector.
    Fp32,
    /// 32-bit float, packed or dual-issued.
    Fp32Packed,
    /// 16-bit float, vector.
    Fp16Vector,
    /// 32-bit integer adds, vector; an add is one operation.
    Int32,
    /// 64-bit float, matrix.
    Fp64Matrix,
    /// 32-bit float, matrix.
    Fp32Matrix,
    /// TF32, matrix.
    Tf32,
    /// bfloat16, matrix.
    Bf16,
    /// 16-bit float, matrix.
    Fp16,
    /// 8-bit float, matrix.
    Fp8,
    /// 4-bit float, matrix.
    Fp4,
    /// 8-bit integer, matrix.
    Int8,
}

/// A peak rate and how it comes about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Peak {
    /// Operations a second; a multiply-add is two.
    pub flop_per_s: f64,
    /// SMs.
    pub sms: u32,
    /// Results a cycle and SM: multiply-adds, or adds of integers.
    pub per_cycle_and_sm: u32,
    /// Operations of a result.
    pub flop_per_result: u32,
    /// Clock of the unit, MHz.
    pub clock_mhz: f64,
}

impl Precision {
    /// All kinds, vector first.
    pub const ALL: [Precision; 13] = [
        Precision::Fp64,
        Precision::Fp32,
        Precision::Fp32Packed,
        Precision::Fp16Vector,
        Precision::Int32,
        Precision::Fp64Matrix,
        Precision::Fp32Matrix,
        Precision::Tf32,
        Precision::Bf16,
        Precision::Fp16,
        Precision::Fp8,
        Precision::Fp4,
        Precision::Int8,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::Fp64 => "fp64",
            Precision::Fp32 => "fp32",
            Precision::Fp32Packed => "fp32-packed",
            Precision::Fp16Vector => "fp16-vector",
            Precision::Int32 => "int32",
            Precision::Fp64Matrix => "fp64-matrix",
            Precision::Fp32Matrix => "fp32-matrix",
            Precision::Tf32 => "tf32",
            Precision::Bf16 => "bf16",
            Precision::Fp16 => "fp16",
            Precision::Fp8 => "fp8",
            Precision::Fp4 => "fp4",
            Precision::Int8 => "int8",
        }
    }

    /// Whether the matrix units do it.
    pub const fn is_matrix(self) -> bool {
        !matches!(
            self,
            Precision::Fp64
                | Precision::Fp32
                | Precision::Fp32Packed
                | Precision::Fp16Vector
                | Precision::Int32
        )
    }

    /// Bytes of an element, rounded up.
    pub const fn element_bytes(self) -> u32 {
        match self {
            Precision::Fp64 | Precision::Fp64Matrix => 8,
            Precision::Fp32
            | Precision::Fp32Packed
            | Precision::Int32
            | Precision::Fp32Matrix
            | Precision::Tf32 => 4,
            Precision::Fp16Vector | Precision::Bf16 | Precision::Fp16 => 2,
            Precision::Fp8 | Precision::Fp4 | Precision::Int8 => 1,
        }
    }
}

impl Device {
    /// The peak rate of a kind of arithmetic; `None` if the device has no unit for it, or none
    /// whose rate is known.
    pub fn peak(&self, precision: Precision) -> Option<Peak> {
        let lanes = &self.lanes;
        let per_cycle_and_sm = match precision {
            Precision::Fp64 => Some(lanes.fp64),
            Precision::Fp32 => Some(lanes.fp32),
            Precision::Fp32Packed => lanes.fp32_packed,
            Precision::Fp16Vector => lanes.half,
            Precision::Int32 => Some(lanes.int32),
            matrix => self.tensor.as_ref().and_then(|tensor| match matrix {
                Precision::Fp64Matrix => tensor.fp64,
                Precision::Fp32Matrix => tensor.fp32,
                Precision::Tf32 => tensor.tf32,
                // NVIDIA's rates for both 16-bit formats are the same from Ampere on.
                Precision::Bf16 => tensor.bf16.or(tensor.tf32.and(tensor.fp16)),
                Precision::Fp16 => tensor.fp16,
                Precision::Fp8 => tensor.fp8,
                Precision::Fp4 => tensor.fp4,
                _ => tensor.int8,
            }),
        }?;
        let factor = match &self.tensor {
            Some(tensor) if precision.is_matrix() => tensor.clock_factor.unwrap_or(1.0),
            _ => 1.0,
        };
        let flop_per_result = if precision == Precision::Int32 { 1 } else { 2 };
        let clock_mhz = self.clock_mhz * factor;
        let per_cycle = f64::from(self.sms) * f64::from(per_cycle_and_sm);
        Some(Peak {
            flop_per_s: per_cycle * f64::from(flop_per_result) * clock_mhz * 1e6,
            sms: self.sms,
            per_cycle_and_sm,
            flop_per_result,
            clock_mhz,
        })
    }

    /// Device memory bandwidth at the pins, bytes a second.
    pub fn dram_bytes_per_s(&self) -> f64 {
        self.memory.dram_gb_per_s * 1e9
    }

    /// L2 bandwidth, bytes a second: measured, or else what the slices reach.
    pub fn l2_bytes_per_s(&self) -> f64 {
        let l2 = &self.timing.l2;
        let clock_hz = l2.clock_mhz.unwrap_or(self.clock_mhz) * 1e6;
        let slices = f64::from(l2.slices) * f64::from(l2.slice_bytes_per_cycle);
        let reached = slices * l2.efficiency * clock_hz;
        self.memory
            .l2_gb_per_s
            .map_or(reached, |measured| measured * 1e9)
    }
}

/// What bounds a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Bandwidth.
    Memory,
    /// Arithmetic.
    Compute,
}

/// A roof: a peak rate and a bandwidth, both positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roof {
    /// Operations a second.
    pub flop_per_s: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
}

impl Roof {
    /// Intensity from which on arithmetic is the bound, operations per byte.
    pub fn ridge_flop_per_byte(&self) -> f64 {
        self.flop_per_s / self.bytes_per_s
    }

    /// The best rate at an intensity, operations a second.
    pub fn attainable_flop_per_s(&self, flop_per_byte: f64) -> f64 {
        self.flop_per_s.min(self.bytes_per_s * flop_per_byte)
    }

    /// What bounds a kernel of that intensity; at the ridge it is arithmetic.
    pub fn bound(&self, flop_per_byte: f64) -> Bound {
        if flop_per_byte < self.ridge_flop_per_byte() {
            Bound::Memory
        } else {
            Bound::Compute
        }
    }

    /// The least time for so much work, seconds.
    pub fn least_time_s(&self, flops: f64, bytes: f64) -> f64 {
        (flops / self.flop_per_s).max(bytes / self.bytes_per_s)
    }
}
