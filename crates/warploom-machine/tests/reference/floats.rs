//! Floating-point instructions, by a software implementation of IEEE 754 with every rounding
//! direction.
//!
//! PTX leaves NaN payloads open in places; the machine's documented choices are: the one NaN
//! 7fffffff in single and 7fff in half precision, and in double precision the first operand that
//! is NaN, made quiet, or fff8000000000000.

use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::ops::{ALL_INTS, Int, Named, One, Ops, Three, Two, cut, kind_of};
use super::program::{Class, Kind};

const ROUNDS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];

const NAN32: u64 = 0x7fff_ffff;
const NAN16: u64 = 0x7fff;
const NAN64: u64 = 0xfff8_0000_0000_0000;
const ONE32: u64 = 0x3f80_0000;
const SIGN32: u64 = 1 << 31;
const SIGN64: u64 = 1 << 63;
const LEAST_NORMAL: u64 = 0x0080_0000;
const QUIET64: u64 = 1 << 51;

fn single(bits: u64) -> Single {
    Single::from_bits(bits.into())
}

fn double(bits: u64) -> Double {
    Double::from_bits(bits.into())
}

fn half(bits: u64) -> Half {
    Half::from_bits(bits.into())
}

fn raw(value: impl Float) -> u64 {
    value.to_bits() as u64
}

fn is_nan32(bits: u64) -> bool {
    bits & !SIGN32 > 0x7f80_0000
}

fn is_nan64(bits: u64) -> bool {
    bits & !SIGN64 > 0x7ff0_0000_0000_0000
}

/// Zero instead of a subnormal number.
fn flush(bits: u64, ftz: bool) -> u64 {
    match bits & !SIGN32 {
        1..LEAST_NORMAL if ftz => bits & SIGN32,
        _ => bits,
    }
}

fn wide(value: u64) -> Quad {
    single(value).convert(&mut false).value
}

/// A result as registers hold it. `exact` is the same in more digits, to tell whether a result was
/// only rounded up to the least normal number.
fn finish32(value: u64, exact: impl FnOnce() -> Quad, round: Round, ftz: bool, sat: bool) -> u64 {
    if is_nan32(value) {
        return if sat { 0 } else { NAN32 };
    }
    let mut value = flush(value, ftz);
    if ftz && value & !SIGN32 == LEAST_NORMAL {
        let lifted: Single = exact().scalbn(64).convert_r(round, &mut false).value;
        if raw(lifted) & !SIGN32 < LEAST_NORMAL + (64 << 23) {
            value &= SIGN32;
        }
    }
    match sat {
        true if value & SIGN32 != 0 => 0,
        true => value.min(ONE32),
        false => value,
    }
}

fn finish64(value: u64, operands: &[u64]) -> u64 {
    match operands.iter().find(|bits| is_nan64(**bits)) {
        Some(nan) => nan | QUIET64,
        None if is_nan64(value) => NAN64,
        None => value,
    }
}

/// The square root of a finite number above zero, as an integer with more digits than the format
/// has, and the exponent that goes with it. The last digit tells whether it is exact.
fn root(bits: u64, fraction_bits: u32) -> (u128, i32) {
    let bias = if fraction_bits == 23 { 127 } else { 1023 };
    let exponent = (bits >> fraction_bits) as i32;
    let fraction = u128::from(bits & ((1 << fraction_bits) - 1));
    let (mut value, mut power) = match exponent {
        0 => (fraction, 1 - bias),
        _ => (fraction | 1 << fraction_bits, exponent - bias),
    };
    power -= fraction_bits as i32;
    let lift = value.leading_zeros() as i32 - 2;
    value <<= lift;
    power -= lift;
    if power % 2 != 0 {
        value <<= 1;
        power -= 1;
    }
    // Digit by digit.
    let mut root = 0u128;
    for place in (0..64).rev() {
        let next = root | 1 << place;
        if next * next <= value {
            root = next;
        }
    }
    (root << 1 | u128::from(root * root != value), power / 2 - 1)
}

fn sqrt32(bits: u64, round: Round) -> u64 {
    match bits {
        0 | SIGN32 | 0x7f80_0000 => bits,
        _ if bits & SIGN32 != 0 || is_nan32(bits) => NAN32,
        _ => {
            let (digits, power) = root(bits, 23);
            raw(Single::from_u128_r(digits, round).value.scalbn(power))
        }
    }
}

fn sqrt64(bits: u64, round: Round) -> u64 {
    match bits {
        0 | SIGN64 | 0x7ff0_0000_0000_0000 => bits,
        _ if is_nan64(bits) => bits | QUIET64,
        _ if bits & SIGN64 != 0 => NAN64,
        _ => {
            let (digits, power) = root(bits, 52);
            raw(Double::from_u128_r(digits, round).value.scalbn(power))
        }
    }
}

pub fn add(ops: &mut Ops) {
    single_precision(ops);
    double_precision(ops);
    half_precision(ops);
    extremes(ops);
    comparisons(ops);
    signs(ops);
    from_integers(ops);
    to_integers(ops);
    between_formats(ops);
}

fn single_precision(ops: &mut Ops) {
    type Rounded = fn(Single, Single, Round) -> Single;
    let two: [(&str, Rounded, Two<Quad>); 3] = [
        ("add", |a, b, r| a.add_r(b, r).value, |a, b| (a + b).value),
        ("sub", |a, b, r| a.sub_r(b, r).value, |a, b| (a - b).value),
        ("mul", |a, b, r| a.mul_r(b, r).value, |a, b| (a * b).value),
    ];
    let modes = [
        ("", false, false),
        (".ftz", true, false),
        (".sat", false, true),
        (".ftz.sat", true, true),
    ];
    for (rounding, round) in ROUNDS {
        for (suffix, ftz, sat) in modes {
            for (name, f, exact) in two {
                ops.add(
                    format!("{name}.{rounding}{suffix}.f32 $0, $1, $2"),
                    &[Class::W],
                    &[Kind::F32; 2],
                    move |s| {
                        let (a, b) = (flush(s[0], ftz), flush(s[1], ftz));
                        let value = raw(f(single(a), single(b), round));
                        finish32(value, || exact(wide(a), wide(b)), round, ftz, sat)
                    },
                );
            }
            ops.add(
                format!("fma.{rounding}{suffix}.f32 $0, $1, $2, $3"),
                &[Class::W],
                &[Kind::F32; 3],
                move |s| {
                    let [a, b, c] = [s[0], s[1], s[2]].map(|bits| flush(bits, ftz));
                    let value = raw(single(a).mul_add_r(single(b), single(c), round).value);
                    let exact = || wide(a).mul_add(wide(b), wide(c)).value;
                    finish32(value, exact, round, ftz, sat)
                },
            );
        }
    }
    ops.family();
    for (rounding, round) in ROUNDS {
        for (suffix, ftz) in [("", false), (".ftz", true)] {
            let divide = move |a: u64, b: u64| {
                let (a, b) = (flush(a, ftz), flush(b, ftz));
                let value = raw(single(a).div_r(single(b), round).value);
                finish32(value, || (wide(a) / wide(b)).value, round, ftz, false)
            };
            ops.add(
                format!("div.{rounding}{suffix}.f32 $0, $1, $2"),
                &[Class::W],
                &[Kind::F32; 2],
                move |s| divide(s[0], s[1]),
            );
            ops.add(
                format!("rcp.{rounding}{suffix}.f32 $0, $1"),
                &[Class::W],
                &[Kind::F32],
                move |s| divide(ONE32, s[0]),
            );
            ops.add(
                format!("sqrt.{rounding}{suffix}.f32 $0, $1"),
                &[Class::W],
                &[Kind::F32],
                move |s| sqrt32(flush(s[0], ftz), round),
            );
        }
    }
    ops.family();
}

fn double_precision(ops: &mut Ops) {
    type Rounded = fn(Double, Double, Round) -> Double;
    let two: [Named<Rounded>; 4] = [
        ("add", |a, b, r| a.add_r(b, r).value),
        ("sub", |a, b, r| a.sub_r(b, r).value),
        ("mul", |a, b, r| a.mul_r(b, r).value),
        ("div", |a, b, r| a.div_r(b, r).value),
    ];
    for (rounding, round) in ROUNDS {
        for (name, f) in two {
            let text = format!("{name}.{rounding}.f64 $0, $1, $2");
            ops.add(text, &[Class::D], &[Kind::F64; 2], move |s| {
                finish64(raw(f(double(s[0]), double(s[1]), round)), s)
            });
        }
        let text = format!("fma.{rounding}.f64 $0, $1, $2, $3");
        ops.add(text, &[Class::D], &[Kind::F64; 3], move |s| {
            let value = double(s[0]).mul_add_r(double(s[1]), double(s[2]), round);
            finish64(raw(value.value), s)
        });
        let text = format!("rcp.{rounding}.f64 $0, $1");
        ops.add(text, &[Class::D], &[Kind::F64], move |s| {
            let one = Double::from_u128(1).value;
            finish64(raw(one.div_r(double(s[0]), round).value), s)
        });
        let text = format!("sqrt.{rounding}.f64 $0, $1");
        ops.add(text, &[Class::D], &[Kind::F64], move |s| {
            sqrt64(s[0], round)
        });
    }
    ops.family();
}

fn half_precision(ops: &mut Ops) {
    let finish = |value: Half| if value.is_nan() { NAN16 } else { raw(value) };
    let two: [Named<Two<Half>>; 3] = [
        ("add", |a, b| (a + b).value),
        ("sub", |a, b| (a - b).value),
        ("mul", |a, b| (a * b).value),
    ];
    for (name, f) in two {
        let text = format!("{name}.rn.f16 $0, $1, $2");
        ops.add(text, &[Class::H], &[Kind::B16; 2], move |s| {
            finish(f(half(s[0]), half(s[1])))
        });
        let text = format!("{name}.rn.f16x2 $0, $1, $2");
        ops.add(text, &[Class::W], &[Kind::B32; 2], move |s| {
            let part = |i: u32| {
                let [a, b] = [s[0], s[1]].map(|bits| half(bits >> i & 0xffff));
                finish(f(a, b)) << i
            };
            part(0) | part(16)
        });
    }
    ops.add(
        "fma.rn.f16 $0, $1, $2, $3",
        &[Class::H],
        &[Kind::B16; 3],
        move |s| finish(half(s[0]).mul_add(half(s[1]), half(s[2])).value),
    );
    ops.family();
}

/// Numbers in their order, -0 before +0.
fn rank(bits: u64, sign: u64) -> i128 {
    let magnitude = i128::from(bits & (sign - 1));
    if bits & sign != 0 {
        -magnitude - 1
    } else {
        magnitude
    }
}

fn extremes(ops: &mut Ops) {
    for (name, largest) in [("min", false), ("max", true)] {
        let pick = move |a: u64, b: u64, sign: u64| {
            let a_first = rank(a, sign) < rank(b, sign);
            if a_first != largest { a } else { b }
        };
        for (suffix, ftz, nan) in [
            ("", false, false),
            (".ftz", true, false),
            (".NaN", false, true),
            (".ftz.NaN", true, true),
        ] {
            let text = format!("{name}{suffix}.f32 $0, $1, $2");
            ops.add(text, &[Class::W], &[Kind::F32; 2], move |s| {
                let (a, b) = (flush(s[0], ftz), flush(s[1], ftz));
                match (is_nan32(a), is_nan32(b)) {
                    (true, true) => NAN32,
                    (true, false) | (false, true) if nan => NAN32,
                    (true, false) => b,
                    (false, true) => a,
                    _ => pick(a, b, SIGN32),
                }
            });
        }
        let text = format!("{name}.f64 $0, $1, $2");
        ops.add(text, &[Class::D], &[Kind::F64; 2], move |s| {
            match (is_nan64(s[0]), is_nan64(s[1])) {
                (true, true) => s[1] | QUIET64,
                (true, false) => s[1],
                (false, true) => s[0],
                _ => pick(s[0], s[1], SIGN64),
            }
        });
    }
    ops.family();
}

fn comparisons(ops: &mut Ops) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    // The orders in which a comparison holds, and whether it does between what has no order.
    let compares: [(&str, &[std::cmp::Ordering], bool); 14] = [
        ("eq", &[Equal], false),
        ("ne", &[Less, Greater], false),
        ("lt", &[Less], false),
        ("le", &[Less, Equal], false),
        ("gt", &[Greater], false),
        ("ge", &[Greater, Equal], false),
        ("equ", &[Equal], true),
        ("neu", &[Less, Greater], true),
        ("ltu", &[Less], true),
        ("leu", &[Less, Equal], true),
        ("gtu", &[Greater], true),
        ("geu", &[Greater, Equal], true),
        ("num", &[Less, Equal, Greater], false),
        ("nan", &[], true),
    ];
    for (name, orders, unordered) in compares {
        for (suffix, ftz) in [("", false), (".ftz", true)] {
            ops.compare(name, suffix, "f32", Kind::F32, move |s| {
                let [a, b] = [s[0], s[1]].map(|bits| single(flush(bits, ftz)));
                a.partial_cmp(&b)
                    .map_or(unordered, |order| orders.contains(&order))
            });
        }
        ops.compare(name, "", "f64", Kind::F64, move |s| {
            let order = double(s[0]).partial_cmp(&double(s[1]));
            order.map_or(unordered, |order| orders.contains(&order))
        });
    }
    ops.family();
}

fn signs(ops: &mut Ops) {
    for (suffix, ftz) in [("", false), (".ftz", true)] {
        let one: [Named<One<u64>>; 2] = [("abs", |a| a & !SIGN32), ("neg", |a| a ^ SIGN32)];
        for (name, f) in one {
            let text = format!("{name}{suffix}.f32 $0, $1");
            ops.add(text, &[Class::W], &[Kind::F32], move |s| {
                match is_nan32(s[0]) {
                    true => NAN32,
                    false => f(flush(s[0], ftz)),
                }
            });
        }
        let text = format!("slct{suffix}.b32.f32 $0, $1, $2, $3");
        ops.add(
            text,
            &[Class::W],
            &[Kind::B32, Kind::B32, Kind::F32],
            move |s| {
                let c = single(flush(s[2], ftz));
                if c >= Single::ZERO { s[0] } else { s[1] }
            },
        );
    }
    let one: [Named<One<u64>>; 2] = [("abs", |a| a & !SIGN64), ("neg", |a| a ^ SIGN64)];
    for (name, f) in one {
        let text = format!("{name}.f64 $0, $1");
        ops.add(text, &[Class::D], &[Kind::F64], move |s| {
            match is_nan64(s[0]) {
                true => s[0],
                false => f(s[0]),
            }
        });
    }
    ops.add(
        "copysign.f32 $0, $1, $2",
        &[Class::W],
        &[Kind::F32; 2],
        |s| s[0] & SIGN32 | s[1] & !SIGN32,
    );
    ops.add(
        "copysign.f64 $0, $1, $2",
        &[Class::D],
        &[Kind::F64; 2],
        |s| s[0] & SIGN64 | s[1] & !SIGN64,
    );
    // Exponents and fractions by which each property is told; zero counts as normal.
    let properties: [Named<Three<bool>>; 6] = [
        ("finite", |top, _, _| !top),
        ("infinite", |top, _, zero| top && zero),
        ("number", |top, _, zero| !top || zero),
        ("notanumber", |top, _, zero| top && !zero),
        ("normal", |top, low, zero| !top && (!low || zero)),
        ("subnormal", |_, low, zero| low && !zero),
    ];
    for (name, holds) in properties {
        for (ty, kind, fraction) in [("f32", Kind::F32, 23), ("f64", Kind::F64, 52)] {
            let text = format!("testp.{name}.{ty} $0, $1");
            ops.add(text, &[Class::P], &[kind], move |s| {
                let exponent_bits = kind.class().bits() - 1 - fraction;
                let top = (1 << exponent_bits) - 1;
                let exponent = s[0] >> fraction & top;
                let zero = s[0] & ((1 << fraction) - 1) == 0;
                holds(exponent == top, exponent == 0, zero).into()
            });
        }
    }
    ops.family();
}

fn from_integers(ops: &mut Ops) {
    for int in ALL_INTS {
        let kind = kind_of(int.bits);
        for (rounding, round) in ROUNDS {
            let name = int.name();
            let text = format!("cvt.{rounding}.f32.{name} $0, $1");
            ops.add(text, &[Class::W], &[kind], move |s| {
                raw(Single::from_i128_r(int.value(s[0]), round).value)
            });
            let text = format!("cvt.{rounding}.f64.{name} $0, $1");
            ops.add(text, &[Class::D], &[kind], move |s| {
                raw(Double::from_i128_r(int.value(s[0]), round).value)
            });
        }
    }
    ops.family();
}

/// A number that is not NaN, rounded and limited to the type.
fn to_int<F: Float>(value: F, int: Int, round: Round) -> u64 {
    let whole = value.round_to_integral(round).value;
    let (least, most) = int.range();
    let limited = match () {
        _ if whole >= F::from_i128_r(most, Round::TowardPositive).value => most,
        _ if whole <= F::from_i128_r(least, Round::TowardNegative).value => least,
        _ => whole.to_i128_r(128, Round::TowardZero, &mut false).value,
    };
    cut(int.limit(limited), int.bits)
}

fn to_integers(ops: &mut Ops) {
    for int in ALL_INTS {
        let class = [kind_of(int.bits).class()];
        let name = int.name();
        for (rounding, round) in ROUNDS {
            for (suffix, ftz) in [("", false), (".ftz", true)] {
                let text = format!("cvt.{rounding}i{suffix}.{name}.f32 $0, $1");
                ops.add(text, &class, &[Kind::F32], move |s| match is_nan32(s[0]) {
                    true if int.bits == 64 => SIGN64,
                    true => 0,
                    false => to_int(single(flush(s[0], ftz)), int, round),
                });
            }
            let text = format!("cvt.{rounding}i.{name}.f64 $0, $1");
            ops.add(text, &class, &[Kind::F64], move |s| match is_nan64(s[0]) {
                true => 1 << (int.bits - 1),
                false => to_int(double(s[0]), int, round),
            });
        }
    }
    ops.family();
}

fn between_formats(ops: &mut Ops) {
    for (rounding, round) in ROUNDS {
        for (suffix, ftz, sat) in [
            ("", false, false),
            (".ftz", true, false),
            (".sat", false, true),
        ] {
            let text = format!("cvt.{rounding}{suffix}.f32.f64 $0, $1");
            ops.add(text, &[Class::W], &[Kind::F64], move |s| {
                if is_nan64(s[0]) {
                    return finish32(NAN32, || Quad::ZERO, round, ftz, sat);
                }
                let value: Single = double(s[0]).convert_r(round, &mut false).value;
                let exact = || double(s[0]).convert(&mut false).value;
                finish32(raw(value), exact, round, ftz, sat)
            });
        }
        for (suffix, ftz) in [("", false), (".ftz", true)] {
            let text = format!("cvt.{rounding}i{suffix}.f32.f32 $0, $1");
            ops.add(text, &[Class::W], &[Kind::F32], move |s| {
                match is_nan32(s[0]) {
                    true => NAN32,
                    false => raw(single(flush(s[0], ftz)).round_to_integral(round).value),
                }
            });
        }
        let text = format!("cvt.{rounding}i.f64.f64 $0, $1");
        ops.add(text, &[Class::D], &[Kind::F64], move |s| {
            match is_nan64(s[0]) {
                true => s[0] | QUIET64,
                false => raw(double(s[0]).round_to_integral(round).value),
            }
        });
    }
    for (suffix, ftz) in [("", false), (".ftz", true)] {
        let text = format!("cvt{suffix}.f64.f32 $0, $1");
        ops.add(text, &[Class::D], &[Kind::F32], move |s| {
            if is_nan32(s[0]) {
                let payload = (s[0] & 0x7f_ffff) << 29;
                return (s[0] & SIGN32) << 32 | 0x7ff8_0000_0000_0000 | payload;
            }
            let value: Double = single(flush(s[0], ftz)).convert(&mut false).value;
            raw(value)
        });
    }
    for (rounding, round) in &ROUNDS[..2] {
        let round = *round;
        let text = format!("cvt.{rounding}.f16.f32 $0, $1");
        ops.add(text, &[Class::H], &[Kind::F32], move |s| {
            let value: Half = single(s[0]).convert_r(round, &mut false).value;
            if value.is_nan() { NAN16 } else { raw(value) }
        });
    }
    ops.add("cvt.f32.f16 $0, $1", &[Class::W], &[Kind::B16], |s| {
        let value: Single = half(s[0]).convert(&mut false).value;
        if value.is_nan() { NAN32 } else { raw(value) }
    });
    ops.add("cvt.sat.f32.f32 $0, $1", &[Class::W], &[Kind::F32], |s| {
        finish32(s[0], || Quad::ZERO, Round::TowardZero, false, true)
    });
    ops.family();
}
