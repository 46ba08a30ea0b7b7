//! Comparison, minimum and maximum, sign manipulation and tests of floating-point numbers.

use super::flush::{NAN_16, canonical_f32, flush_16, flush_f32, is_nan_16, quiet_f64};
use super::narrow::f32_from_16;
use super::{NAN_F32, Narrow};

coded_enum! {
    /// A comparison of `set` and `setp`. The unsigned spellings `lo`, `ls`, `hi` and `hs` are
    /// `Lt`, `Le`, `Gt` and `Ge` of unsigned operands.
    Cmp {
        Eq: "Equal.",
        Ne: "Ordered and not equal.",
        Lt: "Less.",
        Le: "Less or equal.",
        Gt: "Greater.",
        Ge: "Greater or equal.",
        Equ: "Equal or unordered.",
        Neu: "Not equal or unordered.",
        Ltu: "Less or unordered.",
        Leu: "Less, equal or unordered.",
        Gtu: "Greater or unordered.",
        Geu: "Greater, equal or unordered.",
        Num: "Both are numbers.",
        Nan: "One is NaN.",
    }
}

coded_enum! {
    /// A property that `testp` tests.
    Property {
        Finite: "Neither infinite nor NaN.",
        Infinite: "Infinite.",
        Number: "Not NaN.",
        NotANumber: "NaN.",
        Normal: "Finite and not subnormal; zero counts as normal.",
        Subnormal: "Subnormal; zero does not count.",
    }
}

/// The answer to `cmp` from the three ordered relations, of which at most one holds.
#[inline(always)]
fn answer(cmp: Cmp, less: bool, equal: bool, greater: bool) -> bool {
    match cmp {
        Cmp::Eq => equal,
        Cmp::Ne => less || greater,
        Cmp::Lt => less,
        Cmp::Le => less || equal,
        Cmp::Gt => greater,
        Cmp::Ge => greater || equal,
        Cmp::Equ => !(less || greater),
        Cmp::Neu => !equal,
        Cmp::Ltu => !(greater || equal),
        Cmp::Leu => !greater,
        Cmp::Gtu => !(less || equal),
        Cmp::Geu => !less,
        Cmp::Num => less || equal || greater,
        Cmp::Nan => !(less || equal || greater),
    }
}

/// Comparison of f32.
#[inline(always)]
pub fn compare_f32(a: f32, b: f32, cmp: Cmp, ftz: bool) -> bool {
    let (a, b) = (flush_f32(a, ftz), flush_f32(b, ftz));
    answer(cmp, a < b, a == b, a > b)
}

/// Comparison of f64.
#[inline(always)]
pub fn compare_f64(a: f64, b: f64, cmp: Cmp) -> bool {
    answer(cmp, a < b, a == b, a > b)
}

/// Comparison of f16 or bf16.
#[inline(always)]
pub fn compare_16(a: u16, b: u16, format: Narrow, cmp: Cmp, ftz: bool) -> bool {
    let (a, b) = (flush_16(a, format, ftz), flush_16(b, format, ftz));
    let (a, b) = (f32_from_16(a, format), f32_from_16(b, format));
    answer(cmp, a < b, a == b, a > b)
}

/// Comparison of integers.
#[inline(always)]
pub fn compare_int<T: Ord>(a: T, b: T, cmp: Cmp) -> bool {
    answer(cmp, a < b, a == b, a > b)
}

/// The condition of `slct` with an f32 selector: whether the first operand is taken.
#[inline(always)]
pub fn selects_first_f32(c: f32, ftz: bool) -> bool {
    flush_f32(c, ftz) >= 0.0
}

/// `min`: a NaN gives way to a number unless `nan`; -0 is less than +0. `xorsign_abs` compares
/// magnitudes and sets the sign to the exclusive or of the signs.
#[inline(always)]
pub fn min_f32(a: f32, b: f32, ftz: bool, nan: bool, xorsign_abs: bool) -> f32 {
    extremum_f32(a, b, ftz, nan, xorsign_abs, |less| less)
}

/// `max`, with the modifiers of [`min_f32`].
#[inline(always)]
pub fn max_f32(a: f32, b: f32, ftz: bool, nan: bool, xorsign_abs: bool) -> f32 {
    extremum_f32(a, b, ftz, nan, xorsign_abs, |less| !less)
}

/// `min` of three; `abs` compares and returns magnitudes.
#[inline(always)]
pub fn min3_f32(a: f32, b: f32, c: f32, ftz: bool, nan: bool, abs: bool) -> f32 {
    let [a, b, c] = [a, b, c].map(|x| if abs { x.abs() } else { x });
    min_f32(min_f32(a, b, ftz, nan, false), c, ftz, nan, false)
}

/// `max` of three, with the modifiers of [`min3_f32`].
#[inline(always)]
pub fn max3_f32(a: f32, b: f32, c: f32, ftz: bool, nan: bool, abs: bool) -> f32 {
    let [a, b, c] = [a, b, c].map(|x| if abs { x.abs() } else { x });
    max_f32(max_f32(a, b, ftz, nan, false), c, ftz, nan, false)
}

#[inline(always)]
fn extremum_f32(
    a: f32,
    b: f32,
    ftz: bool,
    nan: bool,
    xorsign_abs: bool,
    take_first: impl Fn(bool) -> bool,
) -> f32 {
    let (a, b) = (flush_f32(a, ftz), flush_f32(b, ftz));
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let (a, b) = if xorsign_abs {
        (a.abs(), b.abs())
    } else {
        (a, b)
    };
    let less = a < b || (a == b && a.is_sign_negative());
    let of_numbers = if take_first(less) { a } else { b };
    let propagated = f32::from_bits(NAN_F32);
    let result = if a.is_nan() {
        if nan { propagated } else { b }
    } else if b.is_nan() {
        if nan { propagated } else { a }
    } else {
        of_numbers
    };
    let signed = if xorsign_abs {
        f32::from_bits(result.to_bits() | sign)
    } else {
        result
    };
    canonical_f32(signed)
}

/// `min` of f64: a number is preferred to NaN, -0 is less than +0; of two NaN the second, quiet.
#[inline(always)]
pub fn min_f64(a: f64, b: f64) -> f64 {
    extremum_f64(a, b, |less| less)
}

/// `max` of f64, with the rules of [`min_f64`].
#[inline(always)]
pub fn max_f64(a: f64, b: f64) -> f64 {
    extremum_f64(a, b, |less| !less)
}

#[inline(always)]
fn extremum_f64(a: f64, b: f64, take_first: impl Fn(bool) -> bool) -> f64 {
    let less = a < b || (a == b && a.is_sign_negative());
    let of_numbers = if take_first(less) { a } else { b };
    if a.is_nan() {
        if b.is_nan() { quiet_f64(b) } else { b }
    } else if b.is_nan() {
        a
    } else {
        of_numbers
    }
}

/// `min` of f16 or bf16, with the modifiers of [`min_f32`].
#[inline(always)]
pub fn min_16(a: u16, b: u16, format: Narrow, ftz: bool, nan: bool, xorsign_abs: bool) -> u16 {
    extremum_16(a, b, format, ftz, nan, xorsign_abs, |less| less)
}

/// `max` of f16 or bf16, with the modifiers of [`min_f32`].
#[inline(always)]
pub fn max_16(a: u16, b: u16, format: Narrow, ftz: bool, nan: bool, xorsign_abs: bool) -> u16 {
    extremum_16(a, b, format, ftz, nan, xorsign_abs, |less| !less)
}

#[inline(always)]
fn extremum_16(
    a: u16,
    b: u16,
    format: Narrow,
    ftz: bool,
    nan: bool,
    xorsign_abs: bool,
    take_first: impl Fn(bool) -> bool,
) -> u16 {
    let (a, b) = (flush_16(a, format, ftz), flush_16(b, format, ftz));
    let sign = (a ^ b) & 0x8000;
    let (a, b) = if xorsign_abs {
        (a & 0x7fff, b & 0x7fff)
    } else {
        (a, b)
    };
    let (a_nan, b_nan) = (is_nan_16(a, format), is_nan_16(b, format));
    if (a_nan && b_nan) || (nan && (a_nan || b_nan)) {
        return NAN_16;
    }
    let first = if a_nan || b_nan {
        b_nan
    } else {
        take_first(order_16(a) < order_16(b))
    };
    let result = if first { a } else { b };
    if xorsign_abs { result | sign } else { result }
}

/// An integer that orders 16-bit floating-point numbers as their values do, -0 below +0.
#[inline(always)]
fn order_16(x: u16) -> i16 {
    let x = x as i16;
    x ^ (x >> 15 & 0x7fff)
}

/// `abs` of f32; NaN becomes canonical.
#[inline(always)]
pub fn abs_f32(a: f32, ftz: bool) -> f32 {
    canonical_f32(flush_f32(a, ftz).abs())
}

/// `neg` of f32; NaN becomes canonical.
#[inline(always)]
pub fn neg_f32(a: f32, ftz: bool) -> f32 {
    canonical_f32(-flush_f32(a, ftz))
}

/// `abs` of f64; NaN passes unchanged.
#[inline(always)]
pub fn abs_f64(a: f64) -> f64 {
    if a.is_nan() { a } else { a.abs() }
}

/// `neg` of f64; NaN passes unchanged.
#[inline(always)]
pub fn neg_f64(a: f64) -> f64 {
    if a.is_nan() { a } else { -a }
}

/// `abs` of f16 or bf16; NaN becomes canonical.
#[inline(always)]
pub fn abs_16(a: u16, format: Narrow, ftz: bool) -> u16 {
    let a = flush_16(a, format, ftz);
    if is_nan_16(a, format) {
        NAN_16
    } else {
        a & 0x7fff
    }
}

/// `neg` of f16 or bf16; NaN becomes canonical.
#[inline(always)]
pub fn neg_16(a: u16, format: Narrow, ftz: bool) -> u16 {
    let a = flush_16(a, format, ftz);
    if is_nan_16(a, format) {
        NAN_16
    } else {
        a ^ 0x8000
    }
}

/// `copysign`: the value of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign_f32(a: f32, b: f32) -> f32 {
    b.copysign(a)
}

/// `copysign`: the value of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign_f64(a: f64, b: f64) -> f64 {
    b.copysign(a)
}

/// `testp` of f32.
#[inline(always)]
pub fn testp_f32(a: f32, property: Property) -> bool {
    match property {
        Property::Finite => a.is_finite(),
        Property::Infinite => a.is_infinite(),
        Property::Number => !a.is_nan(),
        Property::NotANumber => a.is_nan(),
        Property::Normal => a.is_normal() || a == 0.0,
        Property::Subnormal => a.is_subnormal(),
    }
}

/// `testp` of f64.
#[inline(always)]
pub fn testp_f64(a: f64, property: Property) -> bool {
    match property {
        Property::Finite => a.is_finite(),
        Property::Infinite => a.is_infinite(),
        Property::Number => !a.is_nan(),
        Property::NotANumber => a.is_nan(),
        Property::Normal => a.is_normal() || a == 0.0,
        Property::Subnormal => a.is_subnormal(),
    }
}
