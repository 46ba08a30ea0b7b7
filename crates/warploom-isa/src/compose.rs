//! Small combinations of [`crate::arith`] that rows of the table share.

use crate::arith::*;

/// Sum with a carry in, and carry out. `T` is unsigned.
#[inline(always)]
pub fn add_carry<T: Integer>(a: T, b: T, carry: bool) -> (T, bool) {
    let sum = a.plus(b);
    let with_carry = if carry { sum.minus(T::ALL_ONES) } else { sum };
    (with_carry, sum < a || carry && with_carry == T::ZERO)
}

/// Difference with a borrow in, and borrow out. `T` is unsigned.
#[inline(always)]
pub fn sub_borrow<T: Integer>(a: T, b: T, borrow: bool) -> (T, bool) {
    let difference = a.minus(b);
    let with_borrow = if borrow {
        difference.plus(T::ALL_ONES)
    } else {
        difference
    };
    (with_borrow, a < b || borrow && a == b)
}

/// Applies an operation to the bytes of two registers, one by one.
#[inline(always)]
pub fn bytes2(a: u32, b: u32, op: impl Fn(u8, u8) -> u8) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|i| op(a[i], b[i])))
}

/// [`int_relu`], if asked for.
#[inline(always)]
pub fn relu_if<T: Integer>(x: T, relu: bool) -> T {
    if relu { int_relu(x) } else { x }
}

/// [`saturate_f32`], if asked for.
#[inline(always)]
pub fn saturate_f32_if(x: f32, sat: bool) -> f32 {
    if sat { saturate_f32(x) } else { x }
}

/// [`saturate_f64`], if asked for.
#[inline(always)]
pub fn saturate_f64_if(x: f64, sat: bool) -> f64 {
    if sat { saturate_f64(x) } else { x }
}

/// The low bits of `a` as an integer of type `from`, to f32.
#[inline(always)]
pub fn f32_from_int(a: u64, from: IntType, round: Round) -> f32 {
    let a = from.extend(a);
    match (from.is_signed(), from.bits()) {
        (true, 64) => f32_from_s64(a as i64, round),
        (true, _) => f32_from_s32(a as i32, round),
        (false, 64) => f32_from_u64(a, round),
        (false, _) => f32_from_u32(a as u32, round),
    }
}

/// The low bits of `a` as an integer of type `from`, to f64.
#[inline(always)]
pub fn f64_from_int(a: u64, from: IntType, round: Round) -> f64 {
    let a = from.extend(a);
    if from.is_signed() {
        f64_from_s64(a as i64, round)
    } else {
        f64_from_u64(a, round)
    }
}

/// The low bits of `a` as an integer of type `from`, to f16 or bf16.
#[inline(always)]
pub fn narrow_from_int(a: u64, from: IntType, format: Narrow, round: Round) -> u16 {
    let a = from.extend(a);
    if from.is_signed() {
        narrow_from_s64(a as i64, format, round)
    } else {
        narrow_from_u64(a, format, round)
    }
}

/// A number of the other 16-bit format to this one.
#[inline(always)]
pub fn narrow_from_other(a: u16, format: Narrow, round: Round) -> u16 {
    let other = match format {
        Narrow::F16 => Narrow::Bf16,
        Narrow::Bf16 => Narrow::F16,
    };
    narrow_from_f32(
        f32_from_16(a, other),
        format,
        round,
        false,
        Clamp::None,
        false,
    )
}

/// Two f32 to f16x2 or bf16x2, `a` above.
#[inline(always)]
pub fn narrow_x2_from_f32(
    a: f32,
    b: f32,
    format: Narrow,
    round: Round,
    relu: bool,
    satfinite: bool,
) -> u32 {
    let clamp = if relu { Clamp::Relu } else { Clamp::None };
    let convert = |x| narrow_from_f32(x, format, round, false, clamp, satfinite);
    u32::from(convert(a)) << 16 | u32::from(convert(b))
}

/// The first of two f32 in 64 bits.
#[inline(always)]
pub fn pair_low(pair: u64) -> f32 {
    f32::from_bits(pair as u32)
}

/// The second of two f32 in 64 bits.
#[inline(always)]
pub fn pair_high(pair: u64) -> f32 {
    f32::from_bits((pair >> 32) as u32)
}

/// The power of two that a ue8m0 stands for; 0xff is NaN.
#[inline(always)]
fn power_of_two(ue8m0: u16) -> f64 {
    match ue8m0 & 0xff {
        0xff => f64::NAN,
        exponent => f64::from_bits(u64::from(exponent + 1023 - 127) << 52),
    }
}

/// The numbers of a bf16x2, the upper one first.
#[inline(always)]
pub fn f32x2_from_bf16x2(a: u32) -> [f32; 2] {
    [f32::from_bits(a & 0xffff_0000), f32::from_bits(a << 16)]
}

/// The numbers of two packed small ones, the upper one first.
#[inline]
pub fn f32x2_from_mini_x2(a: u16, format: Mini) -> [f32; 2] {
    f32x2_from_bf16x2(narrow_x2_from_mini_x2(a, format, Narrow::Bf16, false))
}

/// The numbers of an s2f6x2, in 64ths, the upper one first.
#[inline(always)]
pub fn f32x2_from_s2f6x2(a: u16) -> [f32; 2] {
    [a >> 8, a].map(|x| f32::from(x as i8) / 64.0)
}

/// Two numbers, each divided by its scale, to s2f6x2: to the nearest 64th, limited to the range;
/// NaN becomes the greatest number. Scales are two ue8m0, the first number's above.
#[inline]
pub fn s2f6x2_from_f32(from: [f32; 2], scales: u16, relu: bool) -> u16 {
    let convert = |x: f32, scale: u16| {
        let scaled = f64::from(x) / power_of_two(scale) * 64.0;
        let limited = match scaled {
            scaled if scaled.is_nan() => i8::MAX,
            scaled => scaled.round_ties_even() as i8,
        };
        u16::from(relu_if(i16::from(limited), relu) as u8)
    };
    convert(from[0], scales >> 8) << 8 | convert(from[1], scales)
}

/// Two numbers, each times its scale, to bf16x2. Scales are two ue8m0, the first number's above.
#[inline]
pub fn bf16x2_scaled(from: [f32; 2], scales: u16, relu: bool, satfinite: bool) -> u32 {
    let [high, low] = [(from[0], scales >> 8), (from[1], scales)]
        .map(|(x, scale)| (f64::from(x) * power_of_two(scale)) as f32);
    narrow_x2_from_f32(high, low, Narrow::Bf16, Round::NearestEven, relu, satfinite)
}
