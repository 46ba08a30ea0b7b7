use rustc_apfloat::ieee::{Float8E4M3FN, Float8E5M2, Single};
use rustc_apfloat::{Float, FloatConvert};
use warploom_isa::arith::*;

use crate::support::*;

/// Exponent bits, fraction bits, bits of the largest number, what NaN becomes.
fn facts(format: Mini) -> (i32, i32, u8, u8) {
    match format {
        Mini::E4m3 => (4, 3, 0x7e, 0x7f),
        Mini::E5m2 => (5, 2, 0x7b, 0x7f),
        Mini::E2m3 => (2, 3, 0x1f, 0x1f),
        Mini::E3m2 => (3, 2, 0x1f, 0x1f),
        Mini::E2m1 => (2, 1, 0x07, 0x07),
    }
}

/// The value of a finite magnitude, from the definition of the format.
fn value(magnitude: u8, format: Mini) -> f64 {
    let (exponent_bits, fraction_bits, ..) = facts(format);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let field = i32::from(magnitude) >> fraction_bits;
    let fraction = i32::from(magnitude) & ((1 << fraction_bits) - 1);
    let significand = if field == 0 {
        fraction
    } else {
        fraction + (1 << fraction_bits)
    };
    f64::from(significand) * 2f64.powi(field.max(1) - bias - fraction_bits)
}

#[test]
fn widening_is_exact() {
    for format in Mini::ALL.iter().copied() {
        let (exponent_bits, fraction_bits, largest, _) = facts(format);
        let sign = 1u8 << (exponent_bits + fraction_bits);
        for x in 0..=sign.wrapping_mul(2).wrapping_sub(1) {
            let magnitude = x & (sign - 1);
            let got = f32_from_mini(x, format);
            if magnitude <= largest {
                let value = value(magnitude, format);
                let want = if x & sign == 0 { value } else { -value };
                assert_eq!(
                    f64::from(got).to_bits(),
                    want.to_bits(),
                    "{format:?} {x:#x}"
                );
            } else if format == Mini::E5m2 && magnitude == 0x7c {
                assert_eq!(
                    got,
                    if x & sign == 0 {
                        f32::INFINITY
                    } else {
                        f32::NEG_INFINITY
                    }
                );
            } else {
                assert_eq!(got.to_bits(), 0x7fff_ffff, "{format:?} {x:#x}");
            }
        }
    }
}

fn operands() -> Vec<u32> {
    let mut random = Random::new(30);
    let mut all = EDGES_F32.to_vec();
    for format in Mini::ALL.iter().copied() {
        let (.., largest, _) = facts(format);
        for magnitude in 0..largest {
            // Each number, the halfway point above it, and their neighbours.
            let (low, high) = (value(magnitude, format), value(magnitude + 1, format));
            for x in [low, (low + high) / 2.0] {
                let bits = (x as f32).to_bits();
                all.extend([bits, bits + 1, bits.saturating_sub(1), bits | 0x8000_0000]);
            }
        }
        let bits = (value(largest, format) as f32).to_bits();
        all.extend((0..200).map(|i| bits + (i << 14)));
    }
    all.extend((0..5000).map(|_| random.f32_bits(0x3f80_0000)));
    all
}

/// The number whose value is nearest, of two the one with an even pattern.
fn nearest(x: f64, format: Mini) -> u8 {
    let (.., largest, _) = facts(format);
    let distance = |magnitude: u8| (value(magnitude, format) - x).abs();
    (0..=largest)
        .min_by(|&a, &b| {
            let by_distance = distance(a).total_cmp(&distance(b));
            by_distance.then((a & 1).cmp(&(b & 1)))
        })
        .unwrap()
}

#[test]
fn narrowing_rounds_to_nearest_and_limits() {
    for x in operands() {
        let f = f32::from_bits(x);
        for format in Mini::ALL.iter().copied() {
            let (exponent_bits, fraction_bits, largest, nan) = facts(format);
            let sign = if f.is_sign_negative() {
                1 << (exponent_bits + fraction_bits)
            } else {
                0
            };
            let limited = f64::from(f).abs().min(value(largest, format));
            let magnitude = nearest(limited, format);
            let want = if f.is_nan() { nan } else { sign | magnitude };
            let relu = if !f.is_nan() && sign != 0 { 0 } else { want };
            assert_eq!(mini_from_f32(f, format, false), want, "{format:?} {x:#x}");
            assert_eq!(mini_from_f32(f, format, true), relu, "{format:?} {x:#x}");
        }
    }
}

#[test]
fn eight_bit_formats_agree_with_the_oracle() {
    let way = rustc_apfloat::Round::NearestTiesToEven;
    for x in operands() {
        let from = Single::from_bits(x.into());
        let mut loses = false;
        let e5m2: Float8E5M2 = from.convert_r(way, &mut loses).value;
        let e4m3: Float8E4M3FN = from.convert_r(way, &mut loses).value;
        // The oracle does not saturate.
        if e5m2.is_finite() {
            let got = mini_from_f32(f32::from_bits(x), Mini::E5m2, false);
            assert_eq!(u128::from(got), e5m2.to_bits(), "{x:#x}");
        }
        if e4m3.is_finite() {
            let got = mini_from_f32(f32::from_bits(x), Mini::E4m3, false);
            assert_eq!(u128::from(got), e4m3.to_bits(), "{x:#x}");
        }
    }
}

#[test]
fn packs_and_unpacks() {
    assert_eq!(mini_x2_from_f32(1.0, -2.0, Mini::E4m3, false), 0x38c0);
    assert_eq!(mini_x2_from_f32(1.0, -2.0, Mini::E5m2, false), 0x3cc0);
    assert_eq!(mini_x2_from_f32(-1.0, 6.0, Mini::E2m1, false), 0xa7);
    assert_eq!(mini_x2_from_f32(-1.0, 100.0, Mini::E2m1, true), 0x07);
    assert_eq!(mini_x2_from_f32(7.5, -1.0, Mini::E2m3, false), 0x1f28);
    assert_eq!(mini_x2_from_f32(28.0, -1.0, Mini::E3m2, false), 0x1f2c);
    // f16x2 with 448 above and NaN below; bf16x2 with -inf above and 1 below.
    assert_eq!(
        mini_x2_from_16x2(0x5f00_7e00, Narrow::F16, Mini::E4m3, false),
        0x7e7f
    );
    assert_eq!(
        mini_x2_from_16x2(0xff80_3f80, Narrow::Bf16, Mini::E5m2, false),
        0xfb3c
    );
    let unpack = |a, format| narrow_x2_from_mini_x2(a, format, Narrow::F16, false);
    assert_eq!(unpack(0x38c0, Mini::E4m3), 0x3c00_c000);
    assert_eq!(unpack(0x7f01, Mini::E4m3), 0x7fff_1800);
    assert_eq!(unpack(0xfc7e, Mini::E5m2), 0xfc00_7fff);
    assert_eq!(unpack(0x00a7, Mini::E2m1), 0xbc00_4600);
    assert_eq!(unpack(0x1f28, Mini::E2m3), 0x4780_bc00);
    assert_eq!(
        narrow_x2_from_mini_x2(0xc038, Mini::E4m3, Narrow::F16, true),
        0x0000_3c00
    );
    assert_eq!(
        narrow_x2_from_mini_x2(0xc038, Mini::E4m3, Narrow::Bf16, false),
        0xc000_3f80
    );
}

#[test]
fn stochastic_rounding_of_four() {
    // 1.03125 lies a quarter of the way from 1 (0x38) to 1.125 (0x39) of e4m3.
    let quarter = 1.031_25;
    let round = |random| mini_x4_stochastic([quarter; 4], random, Mini::E4m3, false);
    assert_eq!(round(0xbfff_bfff), 0x3838_3838);
    assert_eq!(round(0xc000_bfff), 0x3939_3838);
    assert_eq!(round(0xbfff_c000), 0x3838_3939);
    // 1.125 lies a quarter of the way from 1 (2) to 1.5 (3) of e2m1. The first two are decided by
    // the upper bytes of both halves, the last two by the lower bytes.
    let round = |random| mini_x4_stochastic([1.125; 4], random, Mini::E2m1, false);
    assert_eq!(round(0xbf00_ff00), 0x2222);
    assert_eq!(round(0xc000_0000), 0x3322);
    assert_eq!(round(0x00c0_0000), 0x2233);
    let limits = [1e9, -1e9, f32::NAN, -0.5];
    assert_eq!(
        mini_x4_stochastic(limits, 0, Mini::E5m2, false),
        0x7bfb_7fb8
    );
    assert_eq!(mini_x4_stochastic(limits, 0, Mini::E2m1, true), 0x7070);
}

#[test]
fn ue8m0_is_a_power_of_two() {
    let convert = |bits, up, satfinite| ue8m0_from_f32(f32::from_bits(bits), up, satfinite);
    for (x, zero, up) in [
        (0x0000_0000, 0x00, 0x00),
        (0x0000_0001, 0x00, 0x00),
        (0x0040_0000, 0x00, 0x00), // 2^-127
        (0x0040_0001, 0x00, 0x01),
        (0x0080_0000, 0x01, 0x01), // 2^-126
        (0x3f80_0000, 0x7f, 0x7f),
        (0x3f80_0001, 0x7f, 0x80),
        (0xbfc0_0000, 0x7f, 0x80), // the sign does not count
        (0x7f00_0000, 0xfe, 0xfe), // 2^127
        (0x7f00_0001, 0xfe, 0xff),
        (0x7f80_0000, 0xff, 0xff),
        (0xffc0_0000, 0xff, 0xff),
    ] {
        assert_eq!(convert(x, false, false), zero, "{x:#x}");
        assert_eq!(convert(x, true, false), up, "{x:#x}");
        let limit = |y: u8| {
            if f32::from_bits(x).is_nan() {
                0xff
            } else {
                y.min(0xfe)
            }
        };
        assert_eq!(convert(x, false, true), limit(zero), "{x:#x}");
        assert_eq!(convert(x, true, true), limit(up), "{x:#x}");
    }
    assert_eq!(ue8m0_x2_from_f32(4.0, 0.5, false, true), 0x817e);
    assert_eq!(ue8m0_x2_from_bf16x2(0x4090_3f00, true, true), 0x827e);
    assert_eq!(bf16x2_from_ue8m0_x2(0x8100), 0x4080_0040);
    assert_eq!(bf16x2_from_ue8m0_x2(0xfffe), 0x7fff_7f00);
    assert_eq!(bf16x2_from_ue8m0_x2(0x017f), 0x0080_3f80);
}
