//! f16 and bf16 arithmetic, and f32 arithmetic with 16-bit operands.
//!
//! Every operation rounds once. Sums and f16 products of 11-bit numbers survive a first rounding to
//! f32 (24 ≥ 2 × 11 + 2 bits); elsewhere the first step rounds to odd.

use super::flush::{NAN_16, NAN_F32, clamp_16, flush_f16};
use super::round::{add_f32, fma_f32, sub_f32, sum_to_odd, to_f32_odd};
use super::{Clamp, Narrow, Round};

/// The NaN that tensor copies fill out-of-bounds elements with; `.oob` looks for its magnitude.
const OUT_OF_BOUNDS: u16 = 0x7ff7;

/// f16 results below this in magnitude are tiny: the least normal, less half of the last place
/// that it would have with unbounded exponent.
const TINY_F16: f32 = 1.0 / (1 << 14) as f32 * (1.0 - 1.0 / (1 << 12) as f32);

/// f16 to f32. Exact; NaN becomes canonical.
#[inline(always)]
pub fn f32_from_f16(x: u16) -> f32 {
    const INFINITE: u32 = 0x7c00 << 13;
    // The difference of the exponent biases; a product turns subnormals into normal numbers.
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    let sign = u32::from(x & 0x8000) << 16;
    let magnitude = u32::from(x & 0x7fff) << 13;
    let finite = (f32::from_bits(magnitude) * REBIAS).to_bits() | sign;
    let special = if magnitude == INFINITE {
        0xff << 23 | sign
    } else {
        NAN_F32
    };
    f32::from_bits(if magnitude < INFINITE {
        finite
    } else {
        special
    })
}

/// bf16 to f32. Exact; NaN keeps its payload.
#[inline(always)]
pub fn f32_from_bf16(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

/// A 16-bit format to f32.
#[inline(always)]
pub fn f32_from_16(x: u16, format: Narrow) -> f32 {
    match format {
        Narrow::F16 => f32_from_f16(x),
        Narrow::Bf16 => f32_from_bf16(x),
    }
}

/// f32 to f16, to nearest even; NaN becomes canonical.
#[inline(always)]
pub fn f16_from_f32(x: f32) -> u16 {
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let sign = (x.to_bits() >> 16) as u16 & 0x8000;
    // Adding 1/2 rounds to multiples of 2^-24, the subnormal spacing.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits();
    let rebased = magnitude.wrapping_sub(112 << 23);
    let normal = (rebased.wrapping_add(0xfff + (rebased >> 13 & 1)) >> 13).min(0x7c00);
    let absolute = if magnitude < 113 << 23 {
        subnormal
    } else {
        normal
    };
    if magnitude > 0xff << 23 {
        NAN_16
    } else {
        sign | absolute as u16
    }
}

/// f32 to bf16, to nearest even; NaN becomes canonical.
#[inline(always)]
pub fn bf16_from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        NAN_16
    } else {
        ((bits + (0x7fff + (bits >> 16 & 1))) >> 16) as u16
    }
}

/// `add.f16`.
#[inline(always)]
pub fn add_f16(a: u16, b: u16, ftz: bool, sat: bool) -> u16 {
    let (a, b) = (flush_f16(a, ftz), flush_f16(b, ftz));
    let sum = f16_from_f32(f32_from_f16(a) + f32_from_f16(b));
    finish_f16(flush_f16(sum, ftz), sat)
}

/// `sub.f16`.
#[inline(always)]
pub fn sub_f16(a: u16, b: u16, ftz: bool, sat: bool) -> u16 {
    add_f16(a, b ^ 0x8000, ftz, sat)
}

/// `mul.f16`.
#[inline(always)]
pub fn mul_f16(a: u16, b: u16, ftz: bool, sat: bool) -> u16 {
    let (a, b) = (flush_f16(a, ftz), flush_f16(b, ftz));
    let product = f32_from_f16(a) * f32_from_f16(b);
    finish_f16(round_f16(product, ftz), sat)
}

/// `fma.f16`. With `oob`, an out-of-bounds NaN in `a` or `b` makes the result +0.
#[inline(always)]
pub fn fma_f16(a: u16, b: u16, c: u16, ftz: bool, clamp: Clamp, oob: bool) -> u16 {
    if oob && (out_of_bounds(a) || out_of_bounds(b)) {
        return 0;
    }
    let (a, b, c) = (flush_f16(a, ftz), flush_f16(b, ftz), flush_f16(c, ftz));
    let product = f32_from_f16(a) * f32_from_f16(b);
    let sum = f32_sum_to_odd(product, f32_from_f16(c));
    clamp_16(round_f16(sum, ftz), Narrow::F16, clamp)
}

/// `add.bf16`.
#[inline(always)]
pub fn add_bf16(a: u16, b: u16) -> u16 {
    bf16_from_f32(f32_from_bf16(a) + f32_from_bf16(b))
}

/// `sub.bf16`.
#[inline(always)]
pub fn sub_bf16(a: u16, b: u16) -> u16 {
    bf16_from_f32(f32_from_bf16(a) - f32_from_bf16(b))
}

/// `mul.bf16`.
#[inline(always)]
pub fn mul_bf16(a: u16, b: u16) -> u16 {
    let product = f64::from(f32_from_bf16(a)) * f64::from(f32_from_bf16(b));
    bf16_from_f32(to_f32_odd(product))
}

/// `fma.bf16`. With `oob`, an out-of-bounds NaN in `a` or `b` makes the result +0.
#[inline(always)]
pub fn fma_bf16(a: u16, b: u16, c: u16, relu: bool, oob: bool) -> u16 {
    if oob && (out_of_bounds(a) || out_of_bounds(b)) {
        return 0;
    }
    let product = f64::from(f32_from_bf16(a)) * f64::from(f32_from_bf16(b));
    let sum = sum_to_odd(product, f64::from(f32_from_bf16(c)), Round::NearestEven);
    let clamp = if relu { Clamp::Relu } else { Clamp::None };
    clamp_16(bf16_from_f32(to_f32_odd(sum)), Narrow::Bf16, clamp)
}

/// `add.f32` with a 16-bit first operand.
#[inline(always)]
pub fn add_f32_mixed(a: u16, c: f32, format: Narrow, round: Round, sat: bool) -> f32 {
    add_f32(f32_from_16(a, format), c, round, false, sat)
}

/// `sub.f32` with a 16-bit first operand.
#[inline(always)]
pub fn sub_f32_mixed(a: u16, c: f32, format: Narrow, round: Round, sat: bool) -> f32 {
    sub_f32(f32_from_16(a, format), c, round, false, sat)
}

/// `fma.f32` with 16-bit factors.
#[inline(always)]
pub fn fma_f32_mixed(a: u16, b: u16, c: f32, format: Narrow, round: Round, sat: bool) -> f32 {
    let (a, b) = (f32_from_16(a, format), f32_from_16(b, format));
    fma_f32(a, b, c, round, false, sat)
}

#[inline(always)]
fn out_of_bounds(x: u16) -> bool {
    x & 0x7fff == OUT_OF_BOUNDS
}

#[inline(always)]
fn finish_f16(x: u16, sat: bool) -> u16 {
    let clamp = if sat { Clamp::Saturate } else { Clamp::None };
    clamp_16(x, Narrow::F16, clamp)
}

/// Rounds a result of at least 13 bits to f16 and flushes it if it is tiny.
#[inline(always)]
fn round_f16(x: f32, ftz: bool) -> u16 {
    let rounded = f16_from_f32(x);
    if ftz && x.abs() < TINY_F16 {
        rounded & 0x8000
    } else {
        rounded
    }
}

/// The f32 sum of numbers far from overflow, its last bit set when it is not exact.
#[inline(always)]
fn f32_sum_to_odd(a: f32, b: f32) -> f32 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let toward_zero = if (error > 0.0) == (sum > 0.0) {
        bits
    } else {
        bits.wrapping_sub(1)
    };
    if error.abs() > 0.0 {
        f32::from_bits(toward_zero | 1)
    } else {
        sum
    }
}
