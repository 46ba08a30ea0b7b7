use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Quad, Single};
use warploom_isa::arith::*;

use crate::support::*;

const NAN32: u64 = 0x7fff_ffff;

/// Every pair of edges, then random pairs.
fn pairs_f32(count: usize, mut check: impl FnMut(u32, u32)) {
    for a in EDGES_F32 {
        for b in EDGES_F32 {
            check(a, b);
        }
    }
    let mut random = Random::new(1);
    for _ in 0..count {
        let a = random.u32();
        check(a, random.f32_bits(a));
    }
}

fn pairs_f64(count: usize, mut check: impl FnMut(u64, u64)) {
    for a in EDGES_F64 {
        for b in EDGES_F64 {
            check(a, b);
        }
    }
    let mut random = Random::new(2);
    for _ in 0..count {
        let a = random.u64();
        check(a, random.f64_bits(a));
    }
}

fn single(x: u32) -> Single {
    Single::from_bits(x.into())
}

fn double(x: u64) -> Double {
    Double::from_bits(x.into())
}

/// The f64 NaN that two or three operands determine.
fn nan_of(operands: &[u64]) -> u64 {
    operands
        .iter()
        .find(|&&x| f64::from_bits(x).is_nan())
        .map_or(0xfff8_0000_0000_0000, |x| x | 1 << 51)
}

#[test]
fn f32_add_sub_mul_div_round_once() {
    for round in DIRECTIONS {
        let way = oracle(round);
        pairs_f32(20_000, |a, b| {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let (p, q) = (single(a), single(b));
            let check = |name: &str, got: f32, want: Single| {
                let got = u64::from(got.to_bits());
                assert_eq!(got, bits(want, NAN32), "{name} {a:#x} {b:#x} {round:?}");
            };
            check(
                "add",
                add_f32(x, y, round, false, false),
                p.add_r(q, way).value,
            );
            check(
                "sub",
                sub_f32(x, y, round, false, false),
                p.sub_r(q, way).value,
            );
            check(
                "mul",
                mul_f32(x, y, round, false, false),
                p.mul_r(q, way).value,
            );
            check("div", div_f32(x, y, round, false), p.div_r(q, way).value);
            let one = single(0x3f80_0000);
            check("rcp", rcp_f32(y, round, false), one.div_r(q, way).value);
        });
    }
}

#[test]
fn f32_fma_rounds_once() {
    let check = |a: u32, b: u32, c: u32, round: Round| {
        let [x, y, z] = [a, b, c].map(f32::from_bits);
        let want = single(a).mul_add_r(single(b), single(c), oracle(round));
        let want = bits(want.value, NAN32);
        for fma in [fma_f32, fma_f32_soft] {
            let got = u64::from(fma(x, y, z, round, false, false).to_bits());
            assert_eq!(got, want, "{a:#x} {b:#x} {c:#x} {round:?}");
        }
    };
    for round in DIRECTIONS {
        for a in EDGES_F32 {
            for b in EDGES_F32 {
                for c in EDGES_F32 {
                    check(a, b, c, round);
                }
            }
        }
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let (a, b) = (random.u32(), random.u32());
            let product = f32::from_bits(a) * f32::from_bits(b);
            check(a, b, random.f32_bits(product.to_bits()), round);
        }
    }
}

#[test]
fn f64_add_sub_mul_div_round_once() {
    for round in DIRECTIONS {
        let way = oracle(round);
        pairs_f64(20_000, |a, b| {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let (p, q) = (double(a), double(b));
            let check = |name: &str, got: f64, want: Double| {
                let want = bits(want, nan_of(&[a, b]));
                assert_eq!(got.to_bits(), want, "{name} {a:#x} {b:#x} {round:?}");
            };
            check("add", add_f64(x, y, round), p.add_r(q, way).value);
            check("sub", sub_f64(x, y, round), p.sub_r(q, way).value);
            check("mul", mul_f64(x, y, round), p.mul_r(q, way).value);
            check("div", div_f64(x, y, round), p.div_r(q, way).value);
        });
        for b in EDGES_F64 {
            let want = double(0x3ff0_0000_0000_0000).div_r(double(b), way).value;
            let got = rcp_f64(f64::from_bits(b), round).to_bits();
            assert_eq!(got, bits(want, nan_of(&[b])), "rcp {b:#x} {round:?}");
        }
    }
}

#[test]
fn f64_fma_rounds_once() {
    let check = |a: u64, b: u64, c: u64, round: Round| {
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let want = double(a).mul_add_r(double(b), double(c), oracle(round));
        let want = bits(want.value, nan_of(&[a, b, c]));
        for fma in [fma_f64, fma_f64_soft] {
            let got = fma(x, y, z, round).to_bits();
            assert_eq!(got, want, "{a:#x} {b:#x} {c:#x} {round:?}");
        }
    };
    for round in DIRECTIONS {
        for a in EDGES_F64 {
            for b in EDGES_F64 {
                for c in EDGES_F64 {
                    check(a, b, c, round);
                }
            }
        }
        let mut random = Random::new(4);
        for _ in 0..20_000 {
            let (a, b) = (random.u64(), random.u64());
            let product = f64::from_bits(a) * f64::from_bits(b);
            check(a, b, random.f64_bits(product.to_bits()), round);
        }
    }
}

/// Whether `root` is the square root of `x` rounded in a direction, by comparing squares exactly.
fn is_root(x: f64, root: f64, down: f64, up: f64, round: Round) -> bool {
    let quad = |x: f64| -> Quad {
        let mut loses = false;
        rustc_apfloat::FloatConvert::convert(double(x.to_bits()), &mut loses).value
    };
    let half = quad(0.5);
    let square = |x: Quad| (x * x).value;
    let middle = |a: f64, b: f64| ((quad(a) + quad(b)).value * half).value;
    let (x, exact) = (quad(x), square(quad(root)));
    match round {
        Round::Up => square(quad(down)) < x && x <= exact,
        Round::Zero | Round::Down => exact <= x && x < square(quad(up)),
        _ => square(middle(down, root)) <= x && x <= square(middle(root, up)),
    }
}

#[test]
fn square_roots_round_once() {
    let mut random = Random::new(5);
    for round in DIRECTIONS {
        let mut operands: Vec<u32> = EDGES_F32.to_vec();
        operands.extend((0..20_000).map(|_| random.u32() >> 1));
        for x in operands.into_iter().map(f32::from_bits) {
            let root = sqrt_f32(x, round, false);
            if x.is_nan() || x < 0.0 {
                assert_eq!(root.to_bits(), 0x7fff_ffff, "{x:e}");
            } else if x == 0.0 || x.is_infinite() {
                assert_eq!(root.to_bits(), x.to_bits());
            } else {
                let [x, root, down, up] =
                    [x, root, root.next_down(), root.next_up()].map(f64::from);
                assert!(is_root(x, root, down, up, round), "{x:e} {round:?}");
            }
        }
        let mut operands: Vec<u64> = EDGES_F64.to_vec();
        operands.extend((0..20_000).map(|_| random.u64() >> 1));
        for bits in operands {
            let x = f64::from_bits(bits);
            let root = sqrt_f64(x, round);
            if x.is_nan() || x < 0.0 {
                assert_eq!(root.to_bits(), nan_of(&[bits]), "{x:e}");
            } else if x == 0.0 || x.is_infinite() {
                assert_eq!(root.to_bits(), x.to_bits());
            } else {
                let (down, up) = (root.next_down(), root.next_up());
                assert!(is_root(x, root, down, up, round), "{x:e} {round:?}");
            }
        }
    }
}

#[test]
fn ftz_flushes_operands_and_results() {
    let flush = |x: u32| {
        if x & 0x7f80_0000 == 0 {
            x & 0x8000_0000
        } else {
            x
        }
    };
    for round in DIRECTIONS {
        pairs_f32(20_000, |a, b| {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let (u, v) = (f32::from_bits(flush(a)), f32::from_bits(flush(b)));
            let check = |name: &str, got: f32, plain: f32| {
                // The one result that also depends on more is checked below.
                if plain.abs() != f32::MIN_POSITIVE {
                    let want = flush(plain.to_bits());
                    assert_eq!(got.to_bits(), want, "{name} {a:#x} {b:#x} {round:?}");
                }
            };
            let plain = |op: fn(f32, f32, Round, bool, bool) -> f32| op(u, v, round, false, false);
            check("add", add_f32(x, y, round, true, false), plain(add_f32));
            check("sub", sub_f32(x, y, round, true, false), plain(sub_f32));
            check("mul", mul_f32(x, y, round, true, false), plain(mul_f32));
            check(
                "div",
                div_f32(x, y, round, true),
                div_f32(u, v, round, false),
            );
            check("sqrt", sqrt_f32(x, round, true), sqrt_f32(u, round, false));
        });
    }
}

/// Rounds `exact` × 2^-174 to 24 bits with unbounded exponent; whether it is below 2^-126 then.
fn is_tiny(exact: i128, round: Round) -> bool {
    let magnitude = exact.unsigned_abs();
    let least = 1u128 << 48;
    // Just below 2^-126 the 24-bit spacing is 2^-150.
    let away = match round {
        Round::Down => exact < 0,
        Round::Up => exact > 0,
        _ => false,
    };
    match round {
        Round::NearestEven => magnitude < least - (1 << 23),
        _ if away => magnitude <= least - (1 << 24),
        _ => magnitude < least,
    }
}

#[test]
fn ftz_decides_after_rounding_with_unbounded_exponent() {
    // Factors of magnitude 2^-63 and addends around 2^-126, so that everything is a multiple of
    // 2^-174 and fits an integer.
    let mut random = Random::new(6);
    let mut seen = [0; 2];
    for _ in 0..200_000 {
        let near_one = 0x7f_ffff - random.below(64);
        let few = random.below(64);
        let a_bits = 0x2000_0000 | near_one; // 2^-63 × 1.99…
        let b_bits = 0x1f80_0000 | few; // 2^-64 × 1.00…
        let c_bits = [0, 0x8000_0000, 0x80_0000 | few, 0x8080_0000 | few][random.below(4) as usize];
        let value = |bits: u32| {
            let significand = i128::from(bits & 0x7f_ffff | 0x80_0000);
            if bits >> 31 == 1 {
                -significand
            } else {
                significand
            }
        };
        // Units: a 2^-86, b 2^-87 (together 2^-173, doubled to 2^-174), c 2^-149.
        let product = value(a_bits) * value(b_bits) * 2;
        let addend = if c_bits & 0x7fff_ffff == 0 {
            0
        } else {
            value(c_bits) << 25
        };
        for round in DIRECTIONS {
            let [a, b, c] = [a_bits, b_bits, c_bits].map(f32::from_bits);
            let sum = product + addend;
            let plain = fma_f32(a, b, c, round, false, false);
            let want = if is_tiny(sum, round) && sum != 0 {
                0f32.copysign(plain)
            } else {
                plain
            };
            let got = fma_f32(a, b, c, round, true, false);
            assert_eq!(
                got.to_bits(),
                want.to_bits(),
                "{a_bits:#x} {b_bits:#x} {c_bits:#x} {round:?}"
            );
            seen[usize::from(is_tiny(sum, round))] += 1;
            if addend == 0 {
                let got = mul_f32(a, b, round, true, false);
                let plain = mul_f32(a, b, round, false, false);
                let want = if is_tiny(product, round) {
                    0f32.copysign(plain)
                } else {
                    plain
                };
                assert_eq!(
                    got.to_bits(),
                    want.to_bits(),
                    "{a_bits:#x} {b_bits:#x} {round:?}"
                );
            }
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
}

#[test]
fn ftz_by_hand() {
    let mul =
        |a, b, round| mul_f32(f32::from_bits(a), f32::from_bits(b), round, true, false).to_bits();
    // 2^-126 × (1 - 2^-24) is a 24-bit number below the least normal one.
    assert_eq!(mul(0x0080_0000, 0x3f7f_ffff, Round::NearestEven), 0);
    assert_eq!(
        mul(0x8080_0000, 0x3f7f_ffff, Round::NearestEven),
        0x8000_0000
    );
    // (1 + 2^-23) × (1 - 2^-23) × 2^-126 rounds to the least normal one in 24 bits.
    assert_eq!(
        mul(0x2180_0001, 0x1e7f_fffe, Round::NearestEven),
        0x0080_0000
    );
    assert_eq!(mul(0x2180_0001, 0x1e7f_fffe, Round::Zero), 0);
    assert_eq!(mul(0x0000_0001, 0x7f00_0000, Round::NearestEven), 0);
}

#[test]
fn sat_clamps_to_the_unit_range() {
    // (sum, saturated): NaN and -0 become +0.
    let cases = [
        (0x7fc0_0000, 0),
        (0x8000_0000, 0),
        (0xbf80_0000, 0),
        (0xff80_0000, 0),
        (0x0000_0001, 0x0000_0001),
        (0x3f7f_ffff, 0x3f7f_ffff),
        (0x3f80_0000, 0x3f80_0000),
        (0x3f80_0001, 0x3f80_0000),
        (0x7f80_0000, 0x3f80_0000),
    ];
    for (x, want) in cases {
        let x = f32::from_bits(x);
        let one = 1.0;
        for round in DIRECTIONS {
            assert_eq!(mul_f32(x, one, round, false, true).to_bits(), want, "{x}");
            assert_eq!(
                fma_f32(x, one, -0.0, round, false, true).to_bits(),
                want,
                "{x}"
            );
            assert_eq!(add_f32(x, -0.0, round, false, true).to_bits(), want, "{x}");
        }
        let wide = saturate_f64(f64::from(x));
        assert_eq!(
            wide.to_bits(),
            f64::from(f32::from_bits(want)).to_bits(),
            "{x}"
        );
    }
}

#[test]
fn pairs_keep_their_lanes_apart() {
    let pack = |low: f32, high: f32| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32;
    let (a, b, c) = (pack(1.0, -2.0), pack(0.5, 8.0), pack(3.0, 0.25));
    let add = |x, y| add_f32(x, y, Round::NearestEven, false, false);
    assert_eq!(pairs2(a, b, add), pack(1.5, 6.0));
    let fma = |x, y, z| fma_f32(x, y, z, Round::NearestEven, false, false);
    assert_eq!(pairs3(a, b, c, fma), pack(3.5, -15.75));
}
