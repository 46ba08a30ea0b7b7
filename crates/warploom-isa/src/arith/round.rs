//! f32 and f64 arithmetic in every rounding direction.

use super::flush::{AnyNanF32, NAN_F32, canonical_f32, flush_f32, propagate_f64, saturate_f32};
use super::{Round, soft};

/// Lifts numbers around the least normal one out of the subnormal range, and no product that is
/// that small over the top.
const LIFT: f32 = (1u64 << 32) as f32;

/// WebAssembly has no fused multiply-add.
const NO_HOST_FMA: bool = cfg!(target_family = "wasm");

/// `add`.
#[inline(always)]
pub fn add_f32(a: f32, b: f32, round: Round, ftz: bool, sat: bool) -> f32 {
    let (a, b) = (flush_f32(a, ftz), flush_f32(b, ftz));
    let sum = match round {
        Round::NearestEven | Round::NearestAway => a + b,
        _ => to_f32(sum_to_odd(f64::from(a), f64::from(b), round), round),
    };
    // Sums that are tiny are exact, so flushing needs no second look.
    finish(flush_f32(sum, ftz), sat)
}

/// `sub`.
#[inline(always)]
pub fn sub_f32(a: f32, b: f32, round: Round, ftz: bool, sat: bool) -> f32 {
    add_f32(a, -b, round, ftz, sat)
}

/// `mul`.
#[inline(always)]
pub fn mul_f32(a: f32, b: f32, round: Round, ftz: bool, sat: bool) -> f32 {
    let (a, b) = (flush_f32(a, ftz), flush_f32(b, ftz));
    let product = |lift: f32| match round {
        Round::NearestEven | Round::NearestAway => a * lift * b,
        _ => to_f32(f64::from(a * lift) * f64::from(b), round),
    };
    finish(flush_tiny(product, ftz), sat)
}

/// `fma`, and `mad` of f32, with the host's fused multiply-add.
#[inline(always)]
pub fn fma_f32(a: f32, b: f32, c: f32, round: Round, ftz: bool, sat: bool) -> f32 {
    if NO_HOST_FMA {
        return fma_f32_soft(a, b, c, round, ftz, sat);
    }
    fma_f32_by(a, b, c, round, ftz, sat, f32::mul_add)
}

/// `fma.rn.f32`, with any NaN.
#[inline(always)]
pub fn fma_nearest_f32(a: f32, b: f32, c: f32) -> AnyNanF32 {
    if NO_HOST_FMA {
        return AnyNanF32(fma_f32_soft(a, b, c, Round::NearestEven, false, false));
    }
    AnyNanF32(a.mul_add(b, c))
}

/// `fma` for hosts without a fused multiply-add, where the standard library's is a slow call.
#[inline(always)]
pub fn fma_f32_soft(a: f32, b: f32, c: f32, round: Round, ftz: bool, sat: bool) -> f32 {
    fma_f32_by(a, b, c, round, ftz, sat, |a, b, c| {
        let product = f64::from(a) * f64::from(b);
        sum_to_odd(product, f64::from(c), Round::NearestEven) as f32
    })
}

#[inline(always)]
fn fma_f32_by(
    a: f32,
    b: f32,
    c: f32,
    round: Round,
    ftz: bool,
    sat: bool,
    nearest: impl Fn(f32, f32, f32) -> f32,
) -> f32 {
    let (a, b, c) = (flush_f32(a, ftz), flush_f32(b, ftz), flush_f32(c, ftz));
    let fused = |lift: f32| match round {
        Round::NearestEven | Round::NearestAway => nearest(a * lift, b, c * lift),
        _ => {
            let product = f64::from(a * lift) * f64::from(b);
            to_f32(sum_to_odd(product, f64::from(c * lift), round), round)
        }
    };
    finish(flush_tiny(fused, ftz), sat)
}

/// `div` with a rounding direction.
#[inline(always)]
pub fn div_f32(a: f32, b: f32, round: Round, ftz: bool) -> f32 {
    let (a, b) = (flush_f32(a, ftz), flush_f32(b, ftz));
    // A quotient of two 24-bit numbers that is no 25-bit number is further from all of these than
    // the f64 quotient's error, so a second rounding goes the same way.
    let quotient = |lift: f32| match round {
        Round::NearestEven | Round::NearestAway => a * lift / b,
        _ => to_f32(f64::from(a * lift) / f64::from(b), round),
    };
    canonical_f32(flush_tiny(quotient, ftz))
}

/// `rcp` with a rounding direction.
#[inline(always)]
pub fn rcp_f32(a: f32, round: Round, ftz: bool) -> f32 {
    div_f32(1.0, a, round, ftz)
}

/// `sqrt` with a rounding direction.
#[inline(always)]
pub fn sqrt_f32(a: f32, round: Round, ftz: bool) -> f32 {
    let a = flush_f32(a, ftz);
    // The magnitude, because the compiler drops a test for NaN after the root of a number that may
    // be negative, and with it the canonical NaN.
    let magnitude = a.abs();
    // As for the quotient: the f64 root is on the same side of every 25-bit number.
    let root = match round {
        Round::NearestEven | Round::NearestAway => magnitude.sqrt(),
        _ => to_f32(f64::from(magnitude).sqrt(), round),
    };
    if a > 0.0 {
        root
    } else if a == 0.0 {
        a
    } else {
        f32::from_bits(NAN_F32)
    }
}

/// `add` of f64.
#[inline(always)]
pub fn add_f64(a: f64, b: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => propagate_f64(a + b, [a, b]),
        _ => soft::add_f64_soft(a, b, round),
    }
}

/// `sub` of f64.
#[inline(always)]
pub fn sub_f64(a: f64, b: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => propagate_f64(a - b, [a, b]),
        _ if b.is_nan() => propagate_f64(b, [a, b]),
        _ => soft::add_f64_soft(a, -b, round),
    }
}

/// `mul` of f64.
#[inline(always)]
pub fn mul_f64(a: f64, b: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => propagate_f64(a * b, [a, b]),
        _ => soft::mul_f64_soft(a, b, round),
    }
}

/// `fma` and `mad` of f64, with the host's fused multiply-add.
#[inline(always)]
pub fn fma_f64(a: f64, b: f64, c: f64, round: Round) -> f64 {
    match round {
        _ if NO_HOST_FMA => soft::fma_f64_soft(a, b, c, round),
        Round::NearestEven | Round::NearestAway => propagate_f64(a.mul_add(b, c), [a, b, c]),
        _ => soft::fma_f64_soft(a, b, c, round),
    }
}

/// `fma` of f64 for hosts without a fused multiply-add.
#[inline(always)]
pub fn fma_f64_soft(a: f64, b: f64, c: f64, round: Round) -> f64 {
    soft::fma_f64_soft(a, b, c, round)
}

/// `div` of f64.
#[inline(always)]
pub fn div_f64(a: f64, b: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => propagate_f64(a / b, [a, b]),
        _ => soft::div_f64_soft(a, b, round),
    }
}

/// `rcp` of f64 with a rounding direction.
#[inline(always)]
pub fn rcp_f64(a: f64, round: Round) -> f64 {
    div_f64(1.0, a, round)
}

/// `sqrt` of f64.
#[inline(always)]
pub fn sqrt_f64(a: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => {
            let root = a.abs().sqrt();
            let negative = if a == 0.0 { a } else { f64::NAN };
            propagate_f64(if a > 0.0 { root } else { negative }, [a])
        }
        _ => soft::sqrt_f64_soft(a, round),
    }
}

#[inline(always)]
fn finish(x: f32, sat: bool) -> f32 {
    if sat {
        saturate_f32(x)
    } else {
        canonical_f32(x)
    }
}

/// The result of a computation that `lift` scales, flushed if it is tiny after rounding with
/// unbounded exponent: far above the subnormal range, the scaled result tells when the plain one
/// has only been rounded up to the least normal number.
#[inline(always)]
pub(crate) fn flush_tiny(compute: impl Fn(f32) -> f32, ftz: bool) -> f32 {
    let result = compute(1.0);
    let least = result.abs() == f32::MIN_POSITIVE;
    if ftz && least && compute(LIFT).abs() < f32::MIN_POSITIVE * LIFT {
        0f32.copysign(result)
    } else {
        flush_f32(result, ftz)
    }
}

/// The sum, its last bit set when it is not exact, so that rounding to a type of at most 51 bits
/// goes as from the exact sum. An exact zero has the sign that the direction asks for.
#[inline(always)]
pub(crate) fn sum_to_odd(a: f64, b: f64, round: Round) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let toward_zero = if (error > 0.0) == (sum > 0.0) {
        bits
    } else {
        bits.wrapping_sub(1)
    };
    let negative = a.is_sign_negative() || b.is_sign_negative();
    if error.abs() > 0.0 {
        f64::from_bits(toward_zero | 1)
    } else if sum == 0.0 && round == Round::Down && negative {
        -0.0
    } else {
        sum
    }
}

/// Rounds to f32 in any direction but to nearest with ties away.
#[inline(always)]
pub(crate) fn to_f32(x: f64, round: Round) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let (too_high, too_low) = (back > x, back < x);
    let negative = nearest.is_sign_negative();
    let (inward, outward) = match round {
        Round::NearestEven | Round::NearestAway => (false, false),
        Round::Zero => (back.abs() > x.abs(), false),
        Round::Down => (too_high && !negative, too_high && negative),
        Round::Up => (too_low && negative, too_low && !negative),
    };
    let bits = nearest.to_bits();
    f32::from_bits(
        bits.wrapping_add(u32::from(outward))
            .wrapping_sub(u32::from(inward)),
    )
}

/// The f32 toward zero, its last bit set when it is not exact.
#[inline(always)]
pub(crate) fn to_f32_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let inward = u32::from(back.abs() > x.abs());
    let inexact = u32::from(back != x);
    f32::from_bits(nearest.to_bits().wrapping_sub(inward) | inexact)
}
