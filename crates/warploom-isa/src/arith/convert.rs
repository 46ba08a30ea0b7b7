//! `cvt` between integers, f16, bf16, f32, f64 and tf32, and `cvt.pack`.
//!
//! `.sat` to a floating-point type is the conversion followed by [`saturate_f32`](super::saturate_f32)
//! and its like, except where a function takes a [`Clamp`].

use super::flush::{NAN_16, NAN_F32, canonical_f32, clamp_16, flush_f32, propagate_f64, quiet_f64};
use super::narrow::{bf16_from_f32, f16_from_f32, f32_from_16};
use super::round::{flush_tiny, to_f32, to_f32_odd};
use super::soft::{BF16, F16, F32, F64, Finite, Format, Rule};
use super::{Clamp, Narrow, Round, join_halves};

coded_enum! {
    /// An integer type of PTX.
    IntType {
        U8: "Unsigned, 8 bits.",
        S8: "Signed, 8 bits.",
        U16: "Unsigned, 16 bits.",
        S16: "Signed, 16 bits.",
        U32: "Unsigned, 32 bits.",
        S32: "Signed, 32 bits.",
        U64: "Unsigned, 64 bits.",
        S64: "Signed, 64 bits.",
    }
}

impl IntType {
    /// Width in bits.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        8 << (self as u32 / 2)
    }

    /// Whether numbers may be negative.
    #[inline(always)]
    pub const fn is_signed(self) -> bool {
        self as u32 & 1 == 1
    }

    /// Cuts to the type's width and extends to 64 bits again, by sign or zero.
    #[inline(always)]
    pub const fn extend(self, x: u64) -> u64 {
        let above = 64 - self.bits();
        if self.is_signed() {
            ((x << above) as i64 >> above) as u64
        } else {
            x << above >> above
        }
    }
}

/// `cvt` of integers: the low bits of `a` as `from`, cut or, with `sat`, limited to `to`. The
/// result is extended to 64 bits as `to` asks for wider registers.
#[inline(always)]
pub fn convert_int(a: u64, from: IntType, to: IntType, sat: bool) -> u64 {
    let a = from.extend(a);
    if !sat {
        return to.extend(a);
    }
    // Compare as signed; an unsigned number above i64::MAX exceeds every limit but u64's.
    let huge = !from.is_signed() && a >> 63 != 0;
    let (least, most) = limits(to);
    if huge {
        most.min(a)
    } else if (a as i64) < least {
        least as u64
    } else if a as i64 >= 0 {
        a.min(most)
    } else {
        a
    }
}

/// The least number, at most 0, and the greatest, at least 0.
#[inline(always)]
fn limits(ty: IntType) -> (i64, u64) {
    let most = u64::MAX >> (64 - ty.bits());
    if ty.is_signed() {
        (-((most >> 1) as i64) - 1, most >> 1)
    } else {
        (0, most)
    }
}

/// `cvt.pack.sat`: `a` and `b` limited to `bits` (2, 4, 8 or 16) each, `a` above `b` in the low
/// bits, the rest filled from the low bits of `c`.
#[inline(always)]
pub fn convert_pack(a: i32, b: i32, c: u32, bits: u32, signed: bool) -> u32 {
    let bits = bits.clamp(1, 16);
    let most = if signed {
        (1 << bits >> 1) - 1
    } else {
        (1 << bits) - 1
    };
    let least = if signed { -most - 1 } else { 0 };
    let field = |x: i32| x.clamp(least, most) as u32 & ((1 << bits) - 1);
    c.unbounded_shl(2 * bits) | field(a) << bits | field(b)
}

/// Signed 32 bits to f32.
#[inline(always)]
pub fn f32_from_s32(a: i32, round: Round) -> f32 {
    match round {
        Round::NearestEven | Round::NearestAway => a as f32,
        _ => to_f32(f64::from(a), round),
    }
}

/// Unsigned 32 bits to f32.
#[inline(always)]
pub fn f32_from_u32(a: u32, round: Round) -> f32 {
    match round {
        Round::NearestEven | Round::NearestAway => a as f32,
        _ => to_f32(f64::from(a), round),
    }
}

/// Signed 64 bits to f32.
#[inline(always)]
pub fn f32_from_s64(a: i64, round: Round) -> f32 {
    match round {
        Round::NearestEven | Round::NearestAway => a as f32,
        _ => f32::from_bits(pack_int(a < 0, a.unsigned_abs(), F32, round) as u32),
    }
}

/// Unsigned 64 bits to f32.
#[inline(always)]
pub fn f32_from_u64(a: u64, round: Round) -> f32 {
    match round {
        Round::NearestEven | Round::NearestAway => a as f32,
        _ => f32::from_bits(pack_int(false, a, F32, round) as u32),
    }
}

/// Signed 64 bits to f64.
#[inline(always)]
pub fn f64_from_s64(a: i64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => a as f64,
        _ => f64::from_bits(pack_int(a < 0, a.unsigned_abs(), F64, round)),
    }
}

/// Unsigned 64 bits to f64.
#[inline(always)]
pub fn f64_from_u64(a: u64, round: Round) -> f64 {
    match round {
        Round::NearestEven | Round::NearestAway => a as f64,
        _ => f64::from_bits(pack_int(false, a, F64, round)),
    }
}

/// A signed integer of at most 64 bits to f16 or bf16; beyond the range of f16 it is infinite.
#[inline]
pub fn narrow_from_s64(a: i64, format: Narrow, round: Round) -> u16 {
    pack_int(a < 0, a.unsigned_abs(), layout(format), round) as u16
}

/// An unsigned integer of at most 64 bits to f16 or bf16.
#[inline]
pub fn narrow_from_u64(a: u64, format: Narrow, round: Round) -> u16 {
    pack_int(false, a, layout(format), round) as u16
}

fn layout(format: Narrow) -> Format {
    match format {
        Narrow::F16 => F16,
        Narrow::Bf16 => BF16,
    }
}

fn pack_int(negative: bool, magnitude: u64, format: Format, round: Round) -> u64 {
    let exact = Finite {
        negative,
        significand: u128::from(magnitude),
        exponent: 0,
    };
    exact.pack(format, Rule::Direction(round), false)
}

/// f32 to an integer, limited to the range of `to`. NaN gives 0, or the top bit alone if `to` has
/// 64 bits. The result is extended to 64 bits.
#[inline(always)]
pub fn int_from_f32(x: f32, to: IntType, round: Round, ftz: bool) -> u64 {
    let x = integral_f32(flush_f32(x, ftz), round);
    match to {
        IntType::U8 => u64::from(x as u8),
        IntType::S8 => i64::from(x as i8) as u64,
        IntType::U16 => u64::from(x as u16),
        IntType::S16 => i64::from(x as i16) as u64,
        IntType::U32 => u64::from(x as u32),
        IntType::S32 => i64::from(x as i32) as u64,
        IntType::U64 if x.is_nan() => 1 << 63,
        IntType::U64 => x as u64,
        IntType::S64 if x.is_nan() => 1 << 63,
        IntType::S64 => x as i64 as u64,
    }
}

/// f64 to an integer, limited to the range of `to`. NaN gives the top bit of `to` alone. The
/// result is extended to 64 bits.
#[inline(always)]
pub fn int_from_f64(x: f64, to: IntType, round: Round) -> u64 {
    if x.is_nan() {
        return to.extend(1 << (to.bits() - 1));
    }
    let x = integral_f64(x, round);
    match to {
        IntType::U8 => u64::from(x as u8),
        IntType::S8 => i64::from(x as i8) as u64,
        IntType::U16 => u64::from(x as u16),
        IntType::S16 => i64::from(x as i16) as u64,
        IntType::U32 => u64::from(x as u32),
        IntType::S32 => i64::from(x as i32) as u64,
        IntType::U64 => x as u64,
        IntType::S64 => x as i64 as u64,
    }
}

/// f16 or bf16 to an integer, as [`int_from_f32`].
#[inline(always)]
pub fn int_from_16(x: u16, format: Narrow, to: IntType, round: Round) -> u64 {
    int_from_f32(f32_from_16(x, format), to, round, false)
}

#[inline(always)]
fn integral_f32(x: f32, round: Round) -> f32 {
    match round {
        Round::NearestEven => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
        Round::NearestAway => x.round(),
    }
}

#[inline(always)]
fn integral_f64(x: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
        Round::NearestAway => x.round(),
    }
}

/// `cvt.rni.f32.f32` and its like: rounds to an integral number, keeping the sign of zero.
#[inline(always)]
pub fn round_integral_f32(x: f32, round: Round, ftz: bool) -> f32 {
    canonical_f32(integral_f32(flush_f32(x, ftz), round))
}

/// Rounds f64 to an integral number.
#[inline(always)]
pub fn round_integral_f64(x: f64, round: Round) -> f64 {
    propagate_f64(integral_f64(x, round), [x])
}

/// Rounds f16 or bf16 to an integral number.
#[inline(always)]
pub fn round_integral_16(x: u16, format: Narrow, round: Round) -> u16 {
    let integral = integral_f32(f32_from_16(x, format), round);
    nearest_16(integral, format)
}

/// f32 to f64. Exact; NaN keeps its payload and becomes quiet.
#[inline(always)]
pub fn f64_from_f32(x: f32, ftz: bool) -> f64 {
    let x = flush_f32(x, ftz);
    let bits = u64::from(x.to_bits());
    let nan = (bits >> 31 << 63) | (0x7ff << 52) | ((bits & 0x7f_ffff) << 29);
    if x.is_nan() {
        quiet_f64(f64::from_bits(nan))
    } else {
        f64::from(x)
    }
}

/// f64 to f32.
#[inline(always)]
pub fn f32_from_f64(x: f64, round: Round, ftz: bool) -> f32 {
    canonical_f32(flush_tiny(|lift| to_f32(x * f64::from(lift), round), ftz))
}

#[inline(always)]
fn nearest_16(x: f32, format: Narrow) -> u16 {
    match format {
        Narrow::F16 => f16_from_f32(x),
        Narrow::Bf16 => bf16_from_f32(x),
    }
}

/// f32 to f16 or bf16. `satfinite` turns what is beyond the range into the largest finite number;
/// NaN becomes canonical.
#[inline(always)]
pub fn narrow_from_f32(
    x: f32,
    format: Narrow,
    round: Round,
    ftz: bool,
    clamp: Clamp,
    satfinite: bool,
) -> u16 {
    let x = flush_f32(x, ftz);
    let rounded = match (round, format) {
        (Round::NearestEven, _) => nearest_16(x, format),
        (_, Narrow::Bf16) => bf16_directed(x, round),
        _ => pack_16(x, format, Rule::Direction(round)),
    };
    limit_16(rounded, format, clamp, satfinite)
}

/// f32 to bf16, which is its upper half, by what the lower half and the direction say.
#[inline(always)]
fn bf16_directed(x: f32, round: Round) -> u16 {
    let bits = x.to_bits();
    let discarded = bits & 0xffff;
    let negative = x.is_sign_negative();
    let away = match round {
        Round::Down => negative && discarded != 0,
        Round::Up => !negative && discarded != 0,
        Round::NearestAway => discarded >= 0x8000,
        _ => false,
    };
    if x.is_nan() {
        NAN_16
    } else {
        (bits >> 16) as u16 + u16::from(away)
    }
}

/// f64 to f16 or bf16.
#[inline(always)]
pub fn narrow_from_f64(x: f64, format: Narrow, round: Round, clamp: Clamp) -> u16 {
    narrow_from_f32(to_f32_odd(x), format, round, false, clamp, false)
}

/// `cvt.rs` of two f32 to f16x2 or bf16x2, `a` above. The upper half of `random` is for `a`, the
/// lower for `b`: 13 bits of it for f16, all 16 for bf16, added to the discarded fraction.
#[inline]
pub fn narrow_x2_stochastic(
    a: f32,
    b: f32,
    random: u32,
    format: Narrow,
    relu: bool,
    satfinite: bool,
) -> u32 {
    let width = match format {
        Narrow::F16 => 13,
        Narrow::Bf16 => 16,
    };
    let clamp = if relu { Clamp::Relu } else { Clamp::None };
    let convert = |x, random| {
        let bits = random & ((1 << width) - 1);
        let rounded = pack_16(x, format, Rule::Stochastic { bits, width });
        limit_16(rounded, format, clamp, satfinite)
    };
    join_halves(convert(b, random), convert(a, random >> 16))
}

#[inline(always)]
fn limit_16(x: u16, format: Narrow, clamp: Clamp, satfinite: bool) -> u16 {
    let infinite = x & 0x7fff == format.infinity();
    clamp_16(x - u16::from(satfinite && infinite), format, clamp)
}

#[inline(never)]
fn pack_16(x: f32, format: Narrow, rule: Rule) -> u16 {
    if x.is_nan() {
        return NAN_16;
    }
    let sign = (x.to_bits() >> 16) as u16 & 0x8000;
    if x.is_infinite() {
        return sign | format.infinity();
    }
    Finite::from_f64(f64::from(x)).pack(layout(format), rule, false) as u16
}

/// f32 to tf32, which is f32 with the low 13 bits zero. `round` is to nearest (either kind) or
/// toward zero; NaN becomes canonical.
#[inline(always)]
pub fn tf32_from_f32(x: f32, round: Round, relu: bool, satfinite: bool) -> u32 {
    const DROPPED: u32 = 0x1fff;
    const LARGEST: u32 = 0x7f7f_ffff & !DROPPED;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let sign = x.to_bits() & 0x8000_0000;
    let carry = match round {
        Round::NearestEven => 0xfff + (magnitude >> 13 & 1),
        Round::NearestAway => 0x1000,
        _ => 0,
    };
    let rounded = (magnitude + carry) & !DROPPED;
    if x.is_nan() {
        NAN_F32
    } else if relu && sign != 0 {
        0
    } else if satfinite {
        sign | rounded.min(LARGEST)
    } else {
        sign | rounded
    }
}
