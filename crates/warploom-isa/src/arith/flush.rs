//! What happens to operands before an operation and to results after it: flush to zero, clamps,
//! canonical NaN.

use super::{Clamp, Narrow};

/// The NaN of every f32 result.
pub const NAN_F32: u32 = 0x7fff_ffff;
/// The NaN of every f16 and bf16 result.
pub const NAN_16: u16 = 0x7fff;
/// The NaN of an invalid f64 operation whose operands are numbers.
pub const NAN_F64: u64 = 0xfff8_0000_0000_0000;

const QUIET_F64: u64 = 1 << 51;

/// Replaces any NaN by the canonical one, 0x7fffffff.
#[inline(always)]
pub fn canonical_f32(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(NAN_F32)
    } else {
        x
    }
}

/// An f32 result whose NaN still has to be made the canonical one. NaNs are rare: whoever computes
/// many results at once can look for one afterwards, instead of delaying each.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyNanF32(pub f32);

impl AnyNanF32 {
    /// The result.
    #[inline(always)]
    pub fn canonical(self) -> f32 {
        canonical_f32(self.0)
    }
}

/// The NaN, made quiet.
#[inline(always)]
pub(crate) fn quiet_f64(nan: f64) -> f64 {
    f64::from_bits(nan.to_bits() | QUIET_F64)
}

/// Replaces a result that is NaN by the NaN that the operands determine.
#[inline(always)]
pub(crate) fn propagate_f64<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    let mut nan = f64::from_bits(NAN_F64);
    for operand in operands.into_iter().rev() {
        if operand.is_nan() {
            nan = quiet_f64(operand);
        }
    }
    if result.is_nan() { nan } else { result }
}

/// Replaces a subnormal by the zero of its sign if `ftz`.
#[inline(always)]
pub fn flush_f32(x: f32, ftz: bool) -> f32 {
    if ftz && x.abs() < f32::MIN_POSITIVE {
        0f32.copysign(x)
    } else {
        x
    }
}

/// Replaces an f16 subnormal by the zero of its sign if `ftz`.
#[inline(always)]
pub fn flush_f16(x: u16, ftz: bool) -> u16 {
    flush_16(x, Narrow::F16, ftz)
}

/// Replaces a subnormal of either 16-bit format by the zero of its sign if `ftz`.
#[inline(always)]
pub fn flush_16(x: u16, format: Narrow, ftz: bool) -> u16 {
    if ftz && x & format.infinity() == 0 {
        x & 0x8000
    } else {
        x
    }
}

/// `.sat`: limits to the range from 0 to 1; NaN and -0 become +0.
#[inline(always)]
pub fn saturate_f32(x: f32) -> f32 {
    let floor = if x > 0.0 { x } else { 0.0 };
    if floor < 1.0 { floor } else { 1.0 }
}

/// `.sat`: limits to the range from 0 to 1; NaN and -0 become +0.
#[inline(always)]
pub fn saturate_f64(x: f64) -> f64 {
    let floor = if x > 0.0 { x } else { 0.0 };
    if floor < 1.0 { floor } else { 1.0 }
}

/// Limits a 16-bit floating-point number as `clamp` says and makes NaN canonical.
#[inline(always)]
pub fn clamp_16(x: u16, format: Narrow, clamp: Clamp) -> u16 {
    let nan = is_nan_16(x, format);
    let negative = x & 0x8000 != 0;
    let canonical = if nan { NAN_16 } else { x };
    match clamp {
        Clamp::None => canonical,
        Clamp::Saturate => if nan || negative { 0 } else { x }.min(format.one()),
        Clamp::Relu => {
            if negative && !nan {
                0
            } else {
                canonical
            }
        }
    }
}

/// Whether the bits are a NaN of the format.
#[inline(always)]
pub fn is_nan_16(x: u16, format: Narrow) -> bool {
    x & 0x7fff > format.infinity()
}

impl Narrow {
    /// Bits of positive infinity.
    #[inline(always)]
    pub const fn infinity(self) -> u16 {
        match self {
            Narrow::F16 => 0x7c00,
            Narrow::Bf16 => 0x7f80,
        }
    }

    /// Bits of 1.
    #[inline(always)]
    pub const fn one(self) -> u16 {
        match self {
            Narrow::F16 => 0x3c00,
            Narrow::Bf16 => 0x3f80,
        }
    }
}
