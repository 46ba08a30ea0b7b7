//! `cvt` to and from the 8-, 6- and 4-bit floating-point formats.
//!
//! All conversions to them carry `.satfinite`: what is beyond the range becomes the largest finite
//! number. Formats without NaN turn NaN into the largest positive number.

use super::flush::{NAN_16, NAN_F32};
use super::narrow::{bf16_from_f32, f16_from_f32, f32_from_16};
use super::soft::{Finite, Format, Rule};
use super::{Narrow, join_halves};

coded_enum! {
    /// A floating-point format of at most 8 bits, named by its exponent and fraction bits.
    Mini {
        E4m3: "Finite to 448, NaN, no infinity.",
        E5m2: "Finite to 57344, NaN, infinity.",
        E2m3: "To 7.5, neither NaN nor infinity.",
        E3m2: "To 28, neither NaN nor infinity.",
        E2m1: "To 6, neither NaN nor infinity.",
    }
}

impl Mini {
    #[inline(always)]
    const fn layout(self) -> Format {
        let (exponent_bits, fraction_bits, max_finite) = match self {
            Mini::E4m3 => (4, 3, 0x7e),
            Mini::E5m2 => (5, 2, 0x7b),
            Mini::E2m3 => (2, 3, 0x1f),
            Mini::E3m2 => (3, 2, 0x1f),
            Mini::E2m1 => (2, 1, 0x7),
        };
        Format {
            exponent_bits,
            fraction_bits,
            max_finite,
        }
    }

    /// Turns an f32 that has the format's fields in the same places into its value: the difference
    /// of the exponent biases. Subnormals come out right too.
    #[inline(always)]
    const fn rebias(self) -> f32 {
        let bias = (1u32 << (self.layout().exponent_bits - 1)) - 1;
        f32::from_bits((254 - bias) << 23)
    }

    /// What NaN becomes.
    const fn nan(self) -> u8 {
        match self {
            Mini::E4m3 | Mini::E5m2 => 0x7f,
            Mini::E2m3 | Mini::E3m2 => 0x1f,
            Mini::E2m1 => 0x7,
        }
    }

    /// Bits from one packed number to the next: 8, or 4 for e2m1.
    const fn pitch_bits(self) -> u32 {
        match self {
            Mini::E2m1 => 4,
            _ => 8,
        }
    }
}

fn pack_stochastic(x: f32, format: Mini, relu: bool, bits: u32) -> u8 {
    if x.is_nan() {
        return format.nan();
    }
    if relu && x.is_sign_negative() {
        return 0;
    }
    // Beyond every format's range, so that infinity is limited like any large number.
    let x = x.clamp(f32::MIN, f32::MAX);
    let rule = Rule::Stochastic { bits, width: 16 };
    Finite::from_f64(f64::from(x)).pack(format.layout(), rule, true) as u8
}

/// f32 to a small format, to nearest even.
#[inline]
pub fn mini_from_f32(x: f32, format: Mini, relu: bool) -> u8 {
    let layout = format.layout();
    let drop = 23 - layout.fraction_bits;
    let rebias = format.rebias();
    let negative = x.is_sign_negative();
    let largest = f32::from_bits((layout.max_finite as u32) << drop) * rebias;
    let magnitude = x.abs().min(largest);
    // Adding a power of two whose last place is the result's rounds to that place.
    let least_normal = f32::from_bits(1 << 23) * rebias;
    let binade = magnitude.max(least_normal).to_bits() & 0xff << 23;
    let rounder = f32::from_bits(binade + (drop << 23));
    let rounded = (magnitude + rounder) - rounder;
    let bits = (rounded / rebias).to_bits() >> drop;
    let sign = if negative { layout.sign_bit() } else { 0 };
    if x.is_nan() {
        format.nan()
    } else if relu && negative {
        0
    } else {
        sign as u8 | bits as u8
    }
}

/// A small format to f32. Exact; NaN becomes canonical.
#[inline]
pub fn f32_from_mini(x: u8, format: Mini) -> f32 {
    let layout = format.layout();
    let sign = u64::from(x) & layout.sign_bit() != 0;
    let magnitude = u64::from(x) & (layout.sign_bit() - 1);
    if magnitude > layout.max_finite {
        return match (format, magnitude) {
            (Mini::E5m2, 0x7c) if sign => f32::NEG_INFINITY,
            (Mini::E5m2, 0x7c) => f32::INFINITY,
            _ => f32::from_bits(NAN_F32),
        };
    }
    let value = f32::from_bits((magnitude as u32) << (23 - layout.fraction_bits)) * format.rebias();
    if sign { -value } else { value }
}

/// Two f32 to two packed small numbers, `a` above.
#[inline]
pub fn mini_x2_from_f32(a: f32, b: f32, format: Mini, relu: bool) -> u16 {
    let (a, b) = (
        mini_from_f32(a, format, relu),
        mini_from_f32(b, format, relu),
    );
    u16::from(a) << format.pitch_bits() | u16::from(b)
}

/// f16x2 or bf16x2 to two packed small numbers.
#[inline]
pub fn mini_x2_from_16x2(a: u32, source: Narrow, format: Mini, relu: bool) -> u16 {
    let high = f32_from_16((a >> 16) as u16, source);
    mini_x2_from_f32(high, f32_from_16(a as u16, source), format, relu)
}

/// Two packed small numbers to f16x2 or bf16x2. Exact; NaN becomes canonical.
#[inline]
pub fn narrow_x2_from_mini_x2(a: u16, format: Mini, target: Narrow, relu: bool) -> u32 {
    let mask = (1u16 << format.pitch_bits()) - 1;
    let convert = |bits: u16| {
        let value = f32_from_mini((bits & mask) as u8, format);
        let value = if relu && value <= 0.0 { 0.0 } else { value };
        match target {
            Narrow::F16 => f16_from_f32(value),
            Narrow::Bf16 => bf16_from_f32(value),
        }
    };
    join_halves(convert(a), convert(a >> format.pitch_bits()))
}

/// `cvt.rs` of four f32 to four packed small numbers, the first on top. The random bits are added
/// to the discarded fraction: for the 8- and 6-bit formats the first two share the upper 16 bits of
/// `random` and the last two the lower; for e2m1 the first two share the upper bytes of both
/// halves, the last two the lower bytes.
#[inline]
pub fn mini_x4_stochastic(from: [f32; 4], random: u32, format: Mini, relu: bool) -> u32 {
    let [first, last] = match format {
        Mini::E2m1 => [
            random >> 16 & 0xff00 | random >> 8 & 0xff,
            random >> 8 & 0xff00 | random & 0xff,
        ],
        _ => [random >> 16, random & 0xffff],
    };
    from.into_iter()
        .zip([first, first, last, last])
        .fold(0, |packed, (x, bits)| {
            packed << format.pitch_bits() | u32::from(pack_stochastic(x, format, relu, bits))
        })
}

/// f32 to ue8m0, the power of two at or below the magnitude, or at or above it if `up`. It
/// reaches from 2^-127 (0) to 2^127 (0xfe); beyond that is 0xff, which means NaN, unless
/// `satfinite`.
#[inline]
pub fn ue8m0_from_f32(x: f32, up: bool, satfinite: bool) -> u8 {
    if x.is_nan() {
        return 0xff;
    }
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // 2^-127 itself is subnormal in f32.
    let inexact = magnitude & 0x7f_ffff != 0 && magnitude > 1 << 22;
    let exponent = (magnitude >> 23) + u32::from(up && inexact);
    exponent.min(if satfinite { 0xfe } else { 0xff }) as u8
}

/// Two f32 to two packed ue8m0, `a` above.
#[inline]
pub fn ue8m0_x2_from_f32(a: f32, b: f32, up: bool, satfinite: bool) -> u16 {
    let high = ue8m0_from_f32(a, up, satfinite);
    u16::from(high) << 8 | u16::from(ue8m0_from_f32(b, up, satfinite))
}

/// bf16x2 to two packed ue8m0.
#[inline]
pub fn ue8m0_x2_from_bf16x2(a: u32, up: bool, satfinite: bool) -> u16 {
    let high = f32::from_bits(a & 0xffff_0000);
    ue8m0_x2_from_f32(high, f32::from_bits(a << 16), up, satfinite)
}

/// Two packed ue8m0 to bf16x2. Exact.
#[inline]
pub fn bf16x2_from_ue8m0_x2(a: u16) -> u32 {
    let convert = |exponent: u16| match exponent & 0xff {
        0 => 0x40,
        0xff => NAN_16,
        exponent => exponent << 7,
    };
    join_halves(convert(a), convert(a >> 8))
}
