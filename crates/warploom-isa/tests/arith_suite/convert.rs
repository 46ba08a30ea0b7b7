use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};
use warploom_isa::arith::*;

use crate::support::*;

const ALL_DIRECTIONS: [Round; 5] = [
    Round::NearestEven,
    Round::Zero,
    Round::Down,
    Round::Up,
    Round::NearestAway,
];

/// Edges and random numbers around the limits of the narrower types.
fn operands_f32() -> Vec<u32> {
    let mut random = Random::new(20);
    let mut all = EDGES_F32.to_vec();
    for center in [
        0x3f80_0000,
        0x3880_0000,
        0x3300_0000,
        0x4780_0000,
        0x0080_0000,
        0x7f80_0000,
    ] {
        all.extend((0..4000).map(|_| random.f32_bits(center)));
        all.extend((0..40).map(|offset| center - 20 + offset));
        all.extend((0..64).map(|i| center - (i << 9)));
    }
    all
}

fn operands_f64() -> Vec<u64> {
    let mut random = Random::new(21);
    let mut all = EDGES_F64.to_vec();
    for x in operands_f32() {
        let wide = f64::from(f32::from_bits(x)).to_bits();
        all.extend([wide, wide + 1, wide.wrapping_sub(1), wide | 1 << 28]);
    }
    all.extend((0..10_000).map(|_| random.u64()));
    all
}

#[test]
fn f32_to_narrow() {
    for x in operands_f32() {
        let from = Single::from_bits(x.into());
        for round in ALL_DIRECTIONS {
            let mut loses = false;
            let half: Half = from.convert_r(oracle(round), &mut loses).value;
            let bfloat: BFloat = from.convert_r(oracle(round), &mut loses).value;
            for (format, want, infinity) in [
                (Narrow::F16, bits(half, 0x7fff) as u16, 0x7c00),
                (Narrow::Bf16, bits(bfloat, 0x7fff) as u16, 0x7f80),
            ] {
                let convert = |clamp, satfinite| {
                    narrow_from_f32(f32::from_bits(x), format, round, false, clamp, satfinite)
                };
                assert_eq!(convert(Clamp::None, false), want, "{x:#x} {round:?}");
                let finite = if want & 0x7fff == infinity {
                    want - 1
                } else {
                    want
                };
                assert_eq!(convert(Clamp::None, true), finite, "{x:#x} {round:?}");
                let relu = if want >> 15 == 1 { 0 } else { want };
                assert_eq!(convert(Clamp::Relu, false), relu, "{x:#x} {round:?}");
            }
        }
    }
    let ftz = |x| {
        narrow_from_f32(
            f32::from_bits(x),
            Narrow::Bf16,
            Round::Up,
            true,
            Clamp::None,
            false,
        )
    };
    assert_eq!(ftz(0x0000_0001), 0);
    assert_eq!(ftz(0x807f_ffff), 0x8000);
    assert_eq!(ftz(0x0080_0001), 0x0081);
}

#[test]
fn f64_to_narrower() {
    for x in operands_f64() {
        let from = Double::from_bits(x.into());
        for round in DIRECTIONS {
            let mut loses = false;
            let way = oracle(round);
            let single: Single = from.convert_r(way, &mut loses).value;
            let half: Half = from.convert_r(way, &mut loses).value;
            let bfloat: BFloat = from.convert_r(way, &mut loses).value;
            let value = f64::from_bits(x);
            let got = f32_from_f64(value, round, false).to_bits();
            assert_eq!(
                u64::from(got),
                bits(single, 0x7fff_ffff),
                "{x:#x} {round:?}"
            );
            let narrow = |format| u64::from(narrow_from_f64(value, format, round, Clamp::None));
            assert_eq!(narrow(Narrow::F16), bits(half, 0x7fff), "{x:#x} {round:?}");
            assert_eq!(
                narrow(Narrow::Bf16),
                bits(bfloat, 0x7fff),
                "{x:#x} {round:?}"
            );
        }
    }
    // Just below the least normal f32: 25 ones round up to it even with unbounded exponent.
    let below = |ones: u32| f64::from_bits(0x3810_0000_0000_0000 - (1 << (53 - ones)));
    let flush = |x, round| f32_from_f64(x, round, true).to_bits();
    assert_eq!(flush(below(24), Round::NearestEven), 0);
    assert_eq!(flush(below(25), Round::NearestEven), 0x0080_0000);
    assert_eq!(flush(below(25), Round::Zero), 0);
    assert_eq!(flush(-below(24), Round::Down), 0x8000_0000);
    assert_eq!(flush(-below(25), Round::Down), 0x8080_0000);
}

#[test]
fn f32_to_f64_keeps_payloads() {
    for x in EDGES_F32 {
        let value = f32::from_bits(x);
        let got = f64_from_f32(value, false);
        if value.is_nan() {
            let payload = u64::from(x & 0x003f_ffff) << 29;
            let sign = u64::from(x >> 31) << 63;
            assert_eq!(got.to_bits(), sign | 0x7ff8 << 48 | payload, "{x:#x}");
        } else {
            assert_eq!(got.to_bits(), f64::from(value).to_bits(), "{x:#x}");
        }
    }
    assert_eq!(
        f64_from_f32(f32::from_bits(0x8000_0001), true).to_bits(),
        1 << 63
    );
}

#[test]
fn tf32_drops_13_bits() {
    for x in operands_f32() {
        let value = f32::from_bits(x);
        let exact = u64::from(x & 0x7fff_ffff);
        let sign = x & 0x8000_0000;
        for (round, carry) in [
            (Round::Zero, 0),
            (Round::NearestAway, 0x1000),
            (
                Round::NearestEven,
                if exact & 0x3fff == 0x1000 { 0 } else { 0x1000 },
            ),
        ] {
            let rounded = ((exact + carry) / 0x2000 * 0x2000) as u32;
            let finite = rounded.min(0x7f7f_e000);
            let want = |magnitude: u32, relu: bool| match (value.is_nan(), relu && sign != 0) {
                (true, _) => 0x7fff_ffff,
                (_, true) => 0,
                _ => sign | magnitude,
            };
            for relu in [false, true] {
                let convert = |satfinite| tf32_from_f32(value, round, relu, satfinite);
                assert_eq!(convert(false), want(rounded, relu), "{x:#x} {round:?}");
                assert_eq!(convert(true), want(finite, relu), "{x:#x} {round:?}");
            }
        }
    }
}

#[test]
fn integers_to_floating_point() {
    let mut random = Random::new(22);
    let mut all: Vec<u64> = vec![
        0,
        1,
        2,
        65504,
        65519,
        65520,
        65535,
        65536,
        u64::MAX,
        1 << 63,
    ];
    for bit in 0..64 {
        let power = 1u64 << bit;
        all.extend([
            power - 1,
            power,
            power + 1,
            power | power >> 11,
            power | power >> 24,
        ]);
        all.extend((0..200).map(|_| random.u64() >> bit));
    }
    for x in all {
        let (signed, unsigned) = (x as i64, x);
        for round in DIRECTIONS {
            let way = oracle(round);
            let f32s = Single::from_i128_r(signed.into(), way).value;
            let f32u = Single::from_u128_r(unsigned.into(), way).value;
            let f64s = Double::from_i128_r(signed.into(), way).value;
            let f64u = Double::from_u128_r(unsigned.into(), way).value;
            let message = format!("{x:#x} {round:?}");
            assert_eq!(
                f32_from_s64(signed, round).to_bits(),
                f32s.to_bits() as u32,
                "{message}"
            );
            assert_eq!(
                f32_from_u64(unsigned, round).to_bits(),
                f32u.to_bits() as u32,
                "{message}"
            );
            assert_eq!(
                f64_from_s64(signed, round).to_bits(),
                f64s.to_bits() as u64,
                "{message}"
            );
            assert_eq!(
                f64_from_u64(unsigned, round).to_bits(),
                f64u.to_bits() as u64,
                "{message}"
            );
            let (s32, u32) = (x as i32, x as u32);
            let want = Single::from_i128_r(s32.into(), way).value.to_bits() as u32;
            assert_eq!(f32_from_s32(s32, round).to_bits(), want, "{message}");
            let want = Single::from_u128_r(u32.into(), way).value.to_bits() as u32;
            assert_eq!(f32_from_u32(u32, round).to_bits(), want, "{message}");
            let want = Half::from_i128_r(signed.into(), way).value.to_bits() as u16;
            assert_eq!(
                narrow_from_s64(signed, Narrow::F16, round),
                want,
                "{message}"
            );
            let want = BFloat::from_i128_r(signed.into(), way).value.to_bits() as u16;
            assert_eq!(
                narrow_from_s64(signed, Narrow::Bf16, round),
                want,
                "{message}"
            );
            let want = Half::from_u128_r(unsigned.into(), way).value.to_bits() as u16;
            assert_eq!(
                narrow_from_u64(unsigned, Narrow::F16, round),
                want,
                "{message}"
            );
            let want = BFloat::from_u128_r(unsigned.into(), way).value.to_bits() as u16;
            assert_eq!(
                narrow_from_u64(unsigned, Narrow::Bf16, round),
                want,
                "{message}"
            );
        }
    }
}

/// Width, least and greatest number.
fn range(ty: IntType) -> (u32, i128, i128) {
    match ty {
        IntType::U8 => (8, 0, 0xff),
        IntType::S8 => (8, -0x80, 0x7f),
        IntType::U16 => (16, 0, 0xffff),
        IntType::S16 => (16, -0x8000, 0x7fff),
        IntType::U32 => (32, 0, 0xffff_ffff),
        IntType::S32 => (32, -0x8000_0000, 0x7fff_ffff),
        IntType::U64 => (64, 0, u64::MAX.into()),
        IntType::S64 => (64, i64::MIN.into(), i64::MAX.into()),
    }
}

/// The oracle rounds to an integral number, wide integers do the rest.
fn to_integer<F: Float>(x: F, ty: IntType, round: Round) -> u64 {
    let (_, least, most) = range(ty);
    let integral = x.round_to_integral(oracle(round)).value;
    let mut exact = false;
    let way = rustc_apfloat::Round::TowardZero;
    let wide = integral.to_i128_r(100, way, &mut exact).value;
    wide.clamp(least, most) as u64
}

#[test]
fn floating_point_to_integers() {
    for ty in IntType::ALL.iter().copied() {
        let (width, ..) = range(ty);
        // What the manual says of NaN, extended as the type asks.
        let top_bit = if ty.is_signed() {
            u64::MAX << (width - 1)
        } else {
            1 << (width - 1)
        };
        let wide_nan = if width == 64 { 1 << 63 } else { 0 };
        for round in DIRECTIONS {
            for x in operands_f32() {
                let value = f32::from_bits(x);
                let want = if value.is_nan() {
                    wide_nan
                } else {
                    to_integer(Single::from_bits(x.into()), ty, round)
                };
                assert_eq!(
                    int_from_f32(value, ty, round, false),
                    want,
                    "{x:#x} {ty:?} {round:?}"
                );
            }
            for x in operands_f64().into_iter().step_by(5) {
                let value = f64::from_bits(x);
                let want = if value.is_nan() {
                    top_bit
                } else {
                    to_integer(Double::from_bits(x.into()), ty, round)
                };
                assert_eq!(
                    int_from_f64(value, ty, round),
                    want,
                    "{x:#x} {ty:?} {round:?}"
                );
            }
        }
    }
    let subnormal = f32::from_bits(1);
    assert_eq!(int_from_f32(subnormal, IntType::S32, Round::Up, false), 1);
    assert_eq!(int_from_f32(subnormal, IntType::S32, Round::Up, true), 0);
    assert_eq!(int_from_f32(-subnormal, IntType::S32, Round::Down, true), 0);
}

#[test]
fn sixteen_bits_to_integers_and_integral() {
    for x in 0..=u16::MAX {
        for round in DIRECTIONS {
            let way = oracle(round);
            let (half, bfloat) = (Half::from_bits(x.into()), BFloat::from_bits(x.into()));
            let want = bits(half.round_to_integral(way).value, 0x7fff);
            assert_eq!(
                u64::from(round_integral_16(x, Narrow::F16, round)),
                want,
                "{x:#x}"
            );
            let want = bits(bfloat.round_to_integral(way).value, 0x7fff);
            assert_eq!(
                u64::from(round_integral_16(x, Narrow::Bf16, round)),
                want,
                "{x:#x}"
            );
            let want = if half.is_nan() {
                0
            } else {
                to_integer(half, IntType::S8, round)
            };
            assert_eq!(
                int_from_16(x, Narrow::F16, IntType::S8, round),
                want,
                "{x:#x}"
            );
            let want = if bfloat.is_nan() {
                0
            } else {
                to_integer(bfloat, IntType::U32, round)
            };
            assert_eq!(
                int_from_16(x, Narrow::Bf16, IntType::U32, round),
                want,
                "{x:#x}"
            );
        }
    }
}

#[test]
fn integral_results() {
    for round in DIRECTIONS {
        for x in operands_f32() {
            let want = Single::from_bits(x.into())
                .round_to_integral(oracle(round))
                .value;
            let got = round_integral_f32(f32::from_bits(x), round, false).to_bits();
            assert_eq!(u64::from(got), bits(want, 0x7fff_ffff), "{x:#x} {round:?}");
        }
        for x in operands_f64() {
            let want = Double::from_bits(x.into())
                .round_to_integral(oracle(round))
                .value;
            let got = round_integral_f64(f64::from_bits(x), round).to_bits();
            assert_eq!(got, bits(want, x | 1 << 51), "{x:#x} {round:?}");
        }
    }
    assert_eq!(
        round_integral_f32(f32::from_bits(0x8000_0001), Round::Down, true).to_bits(),
        0x8000_0000
    );
}

#[test]
fn integers_to_integers() {
    let mut random = Random::new(23);
    let mut all: Vec<u64> = vec![0, 1, u64::MAX, 1 << 63];
    for bit in 0..64 {
        all.extend([
            (1 << bit) - 1,
            1 << bit,
            !(1 << bit),
            u64::MAX << bit,
            random.u64(),
        ]);
    }
    for from in IntType::ALL.iter().copied() {
        for to in IntType::ALL.iter().copied() {
            let (from_width, from_least, _) = range(from);
            let (to_width, least, most) = range(to);
            for &x in &all {
                let modulus = 1i128 << from_width;
                let mut value = i128::from(x) % modulus;
                if from_least < 0 && value >= modulus / 2 {
                    value -= modulus;
                }
                let saturated = value.clamp(least, most) as u64;
                let modulus = 1i128 << to_width;
                let mut cut = value.rem_euclid(modulus);
                if least < 0 && cut >= modulus / 2 {
                    cut -= modulus;
                }
                assert_eq!(
                    convert_int(x, from, to, false),
                    cut as u64,
                    "{x:#x} {from:?} {to:?}"
                );
                assert_eq!(
                    convert_int(x, from, to, true),
                    saturated,
                    "{x:#x} {from:?} {to:?}"
                );
            }
        }
    }
}

#[test]
fn packs_saturated_integers() {
    assert_eq!(convert_pack(-1, 70_000, 0, 16, false), 0x0000_ffff);
    assert_eq!(convert_pack(-40_000, 70_000, 0xdead, 16, true), 0x8000_7fff);
    assert_eq!(convert_pack(300, -5, 0x1234_5678, 8, false), 0x5678_ff00);
    assert_eq!(convert_pack(127, -129, 0xabcd_0012, 8, true), 0x0012_7f80);
    assert_eq!(convert_pack(9, -1, 0x89ab_cdef, 4, false), 0xabcd_ef90);
    assert_eq!(convert_pack(-9, 9, 0, 4, true), 0x87);
    assert_eq!(convert_pack(3, 1, 0xf, 2, false), 0xfd);
    assert_eq!(convert_pack(5, -2, 0xf, 2, true), 0xf6);
}

#[test]
fn stochastic_rounding_carries_random_bits() {
    // 1 + 2^-11 + 2^-13: the 13 discarded bits are 1010000000000b, so 0x0c00 is the first carry.
    let x = f32::from_bits(0x3f80_1400);
    let half = |random| narrow_x2_stochastic(x, 0.0, random, Narrow::F16, false, false) >> 16;
    assert_eq!(half(0x0bff_0000), 0x3c00);
    assert_eq!(half(0x0c00_0000), 0x3c01);
    // The three upper bits do not count.
    assert_eq!(half(0xebff_ffff), 0x3c00);
    assert_eq!(half(0xec00_0000), 0x3c01);
    // bf16 discards 16 bits and adds 16.
    let low = |random| narrow_x2_stochastic(0.0, x, random, Narrow::Bf16, false, false) & 0xffff;
    assert_eq!(low(0xffff_ebff), 0x3f80);
    assert_eq!(low(0x0000_ec00), 0x3f81);
    // Exact numbers stay; a carry beyond the range is infinite or limited.
    let both =
        |a, b, satfinite| narrow_x2_stochastic(a, b, u32::MAX, Narrow::F16, false, satfinite);
    assert_eq!(both(1.5, -2.0, false), 0x3e00_c000);
    assert_eq!(both(65_535.0, f32::NEG_INFINITY, false), 0x7c00_fc00);
    assert_eq!(both(65_535.0, f32::NEG_INFINITY, true), 0x7bff_fbff);
    let relu = narrow_x2_stochastic(-1.0, f32::NAN, 0, Narrow::F16, true, false);
    assert_eq!(relu, 0x0000_7fff);
    // Of all random numbers, as many carry as the discarded fraction says.
    let x = f32::from_bits(0x4049_0fdb);
    let carries = (0..1 << 13)
        .filter(|&random| narrow_x2_stochastic(0.0, x, random, Narrow::F16, false, false) == 0x4249)
        .count();
    assert_eq!(carries, 0x0fdb);
}
