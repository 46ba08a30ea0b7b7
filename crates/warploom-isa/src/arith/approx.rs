//! Approximate functions, far inside the documented errors and the same on every host.
//!
//! Reciprocal, root and quotient are the host's own correctly rounded ones. Exponential and
//! logarithm are polynomials in f64 without branches, so that they vectorise; their error before
//! the final rounding is below 2^-36, and so is that of the hyperbolic tangent built on them. Sine
//! and cosine come from `libm`.

use super::flush::{NAN_F32, canonical_f32, flush_16, flush_f32, propagate_f64};
use super::narrow::{bf16_from_f32, f16_from_f32, f32_from_16};
use super::{Narrow, Round, div_f32, rcp_f32, sqrt_f32, sqrt_f64};

/// The NaN of the two f64 approximations.
const NAN_HIGH_WORD: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// `rcp.approx.f32`.
#[inline(always)]
pub fn rcp_approx_f32(a: f32, ftz: bool) -> f32 {
    rcp_f32(a, Round::NearestEven, ftz)
}

/// `sqrt.approx.f32`.
#[inline(always)]
pub fn sqrt_approx_f32(a: f32, ftz: bool) -> f32 {
    sqrt_f32(a, Round::NearestEven, ftz)
}

/// `rsqrt.approx.f32`.
#[inline(always)]
pub fn rsqrt_approx_f32(a: f32, ftz: bool) -> f32 {
    let root = sqrt_f64(f64::from(flush_f32(a, ftz)), Round::NearestEven);
    canonical_f32((1.0 / root) as f32)
}

/// `rsqrt.approx.f64`.
#[inline(always)]
pub fn rsqrt_approx_f64(a: f64) -> f64 {
    propagate_f64(1.0 / sqrt_f64(a, Round::NearestEven), [a])
}

/// `rcp.approx.ftz.f64`: reads and writes the upper 32 bits.
#[inline(always)]
pub fn rcp_approx_ftz_f64(a: f64) -> f64 {
    by_high_word(a, |x| 1.0 / x)
}

/// `rsqrt.approx.ftz.f64`: reads and writes the upper 32 bits.
#[inline(always)]
pub fn rsqrt_approx_ftz_f64(a: f64) -> f64 {
    by_high_word(a, |x| 1.0 / sqrt_f64(x, Round::NearestEven))
}

/// Computes with the upper 32 bits of the operand, subnormals flushed, and rounds the result to its
/// upper 32 bits.
#[inline(always)]
fn by_high_word(a: f64, compute: impl Fn(f64) -> f64) -> f64 {
    const HIGH_WORD: u64 = 0xffff_ffff_0000_0000;
    let flush = |x: f64| {
        if x.abs() < f64::MIN_POSITIVE {
            0f64.copysign(x)
        } else {
            x
        }
    };
    let result = compute(flush(f64::from_bits(a.to_bits() & HIGH_WORD)));
    if result.is_nan() {
        NAN_HIGH_WORD
    } else {
        let rounded = result.to_bits() + 0x8000_0000;
        flush(f64::from_bits(rounded & HIGH_WORD))
    }
}

/// `div.approx.f32`: a divisor above 2^126 gives zero, or NaN for an infinite dividend.
#[inline(always)]
pub fn div_approx_f32(a: f32, b: f32, ftz: bool) -> f32 {
    const LARGE: f32 = f32::from_bits((127 + 126) << 23);
    // The hardware multiplies by a reciprocal that is flushed to zero there.
    let reciprocal_is_zero = b.abs() > LARGE && b.is_finite();
    let flushed = canonical_f32(flush_f32(a, ftz) * 0f32.copysign(b));
    let quotient = div_full_f32(a, b, ftz);
    if reciprocal_is_zero {
        flushed
    } else {
        quotient
    }
}

/// `div.full.f32`.
#[inline(always)]
pub fn div_full_f32(a: f32, b: f32, ftz: bool) -> f32 {
    div_f32(a, b, Round::NearestEven, ftz)
}

/// 2^x for |x| below 2^10.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    // Adding 1.5 × 2^52 rounds to an integer, which then is in the low bits.
    const SHIFTER: f64 = 6_755_399_441_055_744.0;
    let shifted = x + SHIFTER;
    let integer = shifted - SHIFTER;
    let y = (x - integer) * core::f64::consts::LN_2;
    // The Taylor series; |y| is at most ln(2)/2.
    let mut sum = 1.0 / 3_628_800.0;
    for inverse in [
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = sum * y + inverse;
    }
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    sum * scale
}

/// `ex2.approx.f32`.
#[inline(always)]
pub fn ex2_approx_f32(a: f32, ftz: bool) -> f32 {
    let a = flush_f32(a, ftz);
    // Below -160 the result is zero, above 130 infinite, and both stay in range of the scale.
    let limited = f64::from(a.clamp(-160.0, 130.0));
    let result = if a.is_nan() { a } else { exp2(limited) as f32 };
    canonical_f32(flush_f32(result, ftz))
}

/// `lg2.approx.f32`.
#[inline(always)]
pub fn lg2_approx_f32(a: f32, ftz: bool) -> f32 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_0000_0000;
    let a = flush_f32(a, ftz);
    let bits = f64::from(a).to_bits();
    // a = m × 2^e with m between sqrt(1/2) and sqrt(2).
    let exponent = bits.wrapping_sub(SQRT_HALF) as i64 >> 52;
    let m = f64::from_bits(bits.wrapping_sub((exponent << 52) as u64));
    // log2(m) = 2/ln(2) × artanh(s), as a series in s², |s| below 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 1.0 / 17.0;
    for inverse in [
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        0.2,
        1.0 / 3.0,
        1.0,
    ] {
        sum = sum * square + inverse;
    }
    let log = exponent as f64 + sum * s * (2.0 * core::f64::consts::LOG2_E);
    let result = if a == 0.0 {
        f32::NEG_INFINITY
    } else if a == f32::INFINITY {
        f32::INFINITY
    } else if a > 0.0 {
        log as f32
    } else {
        f32::NAN
    };
    canonical_f32(result)
}

/// `sin.approx.f32`.
#[inline]
pub fn sin_approx_f32(a: f32, ftz: bool) -> f32 {
    let a = flush_f32(a, ftz);
    canonical_f32(flush_f32(libm::sin(f64::from(a)) as f32, ftz))
}

/// `cos.approx.f32`.
#[inline]
pub fn cos_approx_f32(a: f32, ftz: bool) -> f32 {
    let a = flush_f32(a, ftz);
    canonical_f32(flush_f32(libm::cos(f64::from(a)) as f32, ftz))
}

/// `tanh.approx.f32`.
#[inline(always)]
pub fn tanh_approx_f32(a: f32) -> f32 {
    let x = f64::from(a.abs().min(20.0));
    // 1 - 2 / (e^2x + 1), and the series where that would cancel.
    let power = exp2(x * (2.0 * core::f64::consts::LOG2_E));
    let far = 1.0 - 2.0 / (power + 1.0);
    let square = x * x;
    let series = 2.0 / 15.0 + square * (-17.0 / 315.0 + square * (62.0 / 2835.0));
    let near = x + x * square * (-1.0 / 3.0 + square * series);
    let magnitude = if x < 0.0625 { near } else { far } as f32;
    if a.is_nan() {
        f32::from_bits(NAN_F32)
    } else {
        magnitude.copysign(a)
    }
}

#[inline(always)]
fn by_f32(a: u16, format: Narrow, compute: impl Fn(f32) -> f32) -> u16 {
    let result = compute(f32_from_16(a, format));
    match format {
        Narrow::F16 => f16_from_f32(result),
        Narrow::Bf16 => bf16_from_f32(result),
    }
}

/// `ex2.approx.f16`, and `ex2.approx.ftz.bf16`, which flushes.
#[inline(always)]
pub fn ex2_approx_16(a: u16, format: Narrow) -> u16 {
    let ftz = format == Narrow::Bf16;
    let result = by_f32(a, format, |x| ex2_approx_f32(x, ftz));
    flush_16(result, format, ftz)
}

/// `tanh.approx` of f16 or bf16.
#[inline]
pub fn tanh_approx_16(a: u16, format: Narrow) -> u16 {
    by_f32(a, format, tanh_approx_f32)
}
