use rustc_apfloat::ieee::{BFloat, Half, Single};
use rustc_apfloat::{Float, FloatConvert};
use warploom_isa::arith::*;

use crate::support::*;

const NAN: u64 = 0x7fff;

fn half(x: u16) -> Half {
    Half::from_bits(x.into())
}

fn bfloat(x: u16) -> BFloat {
    BFloat::from_bits(x.into())
}

fn single(x: u32) -> Single {
    Single::from_bits(x.into())
}

const NEAREST: rustc_apfloat::Round = rustc_apfloat::Round::NearestTiesToEven;

fn triples(count: usize, mut check: impl FnMut(u16, u16, u16)) {
    for a in EDGES_16 {
        for b in EDGES_16 {
            for c in EDGES_16 {
                check(a, b, c);
            }
        }
    }
    let mut random = Random::new(10);
    for _ in 0..count {
        let (a, b) = (random.u16(), random.u16());
        check(a, b, random.u16());
        // An addend beside the product, of either format.
        check(a, b, mul_f16(a, b, false, false) ^ random.u16() & 0x83ff);
        check(a, b, mul_bf16(a, b) ^ random.u16() & 0x837f);
    }
}

#[test]
fn f16_arithmetic_rounds_once() {
    triples(30_000, |a, b, c| {
        let (p, q, r) = (half(a), half(b), half(c));
        let check = |name: &str, got: u16, want: Half| {
            assert_eq!(
                u64::from(got),
                bits(want, NAN),
                "{name} {a:#x} {b:#x} {c:#x}"
            );
        };
        check(
            "add",
            add_f16(a, b, false, false),
            p.add_r(q, NEAREST).value,
        );
        check(
            "sub",
            sub_f16(a, b, false, false),
            p.sub_r(q, NEAREST).value,
        );
        check(
            "mul",
            mul_f16(a, b, false, false),
            p.mul_r(q, NEAREST).value,
        );
        let fma = fma_f16(a, b, c, false, Clamp::None, false);
        check("fma", fma, p.mul_add_r(q, r, NEAREST).value);
    });
}

#[test]
fn bf16_arithmetic_rounds_once() {
    triples(30_000, |a, b, c| {
        let (p, q, r) = (bfloat(a), bfloat(b), bfloat(c));
        let check = |name: &str, got: u16, want: BFloat| {
            assert_eq!(
                u64::from(got),
                bits(want, NAN),
                "{name} {a:#x} {b:#x} {c:#x}"
            );
        };
        check("add", add_bf16(a, b), p.add_r(q, NEAREST).value);
        check("sub", sub_bf16(a, b), p.sub_r(q, NEAREST).value);
        check("mul", mul_bf16(a, b), p.mul_r(q, NEAREST).value);
        let fma = fma_bf16(a, b, c, false, false);
        check("fma", fma, p.mul_add_r(q, r, NEAREST).value);
    });
}

#[test]
fn a_sticky_addend_decides_a_bf16_tie() {
    // 1.0000001b squared-like products that end exactly between two bf16 numbers:
    // 1.5 × 1.0078125 = 1.51171875 = 1.1000001|1b, a tie that goes up to even 1.515625.
    let (a, b) = (0x3fc0, 0x3f81);
    assert_eq!(fma_bf16(a, b, 0, false, false), 0x3fc2);
    // The least subnormal, either way, breaks it.
    assert_eq!(fma_bf16(a, b, 0x8001, false, false), 0x3fc1);
    assert_eq!(fma_bf16(a, b, 0x0001, false, false), 0x3fc2);
}

#[test]
fn f16_ftz_flushes_operands_and_tiny_results() {
    // The exact value of a finite f16 in units of 2^-24, and of a product in units of 2^-48.
    let exact = |x: u16| {
        let field = i32::from(x >> 10 & 0x1f);
        let significand = i128::from(x & 0x3ff) | if field == 0 { 0 } else { 0x400 };
        let value = significand << (field.max(1) - 1);
        if x >> 15 == 1 { -value } else { value }
    };
    let flush = |x: u16| if x & 0x7c00 == 0 { x & 0x8000 } else { x };
    // 2^-14 in units of 2^-48, less half of the 11-bit spacing below it.
    let tiny = |value: i128| value != 0 && value.unsigned_abs() < (1 << 34) - (1 << 22);
    triples(30_000, |a, b, c| {
        let (u, v, w) = (flush(a), flush(b), flush(c));
        let finite = |operands: &[u16]| operands.iter().all(|x| x & 0x7c00 != 0x7c00);
        let check = |operands: &[u16], got: u16, plain: u16, value: i128| {
            let flushed = finite(operands) && tiny(value);
            let want = if flushed { plain & 0x8000 } else { plain };
            assert_eq!(got, want, "{operands:x?}");
        };
        let (x, y, z) = (exact(u), exact(v), exact(w) << 24);
        let none = Clamp::None;
        let sum = (x + y) << 24;
        check(
            &[a, b],
            add_f16(a, b, true, false),
            add_f16(u, v, false, false),
            sum,
        );
        let difference = (x - y) << 24;
        check(
            &[a, b],
            sub_f16(a, b, true, false),
            sub_f16(u, v, false, false),
            difference,
        );
        check(
            &[a, b],
            mul_f16(a, b, true, false),
            mul_f16(u, v, false, false),
            x * y,
        );
        let fused = fma_f16(u, v, w, false, none, false);
        check(
            &[a, b, c],
            fma_f16(a, b, c, true, none, false),
            fused,
            x * y + z,
        );
    });
    // 2^-14 × (1 - 2^-11) is an 11-bit number below the least normal one.
    assert_eq!(mul_f16(0x0400, 0x3bff, true, false), 0);
    assert_eq!(mul_f16(0x0400, 0x3bff, false, false), 0x0400);
}

#[test]
fn clamps_and_out_of_bounds() {
    let fma = |a, clamp, oob| fma_f16(a, 0x3c00, 0x8000, false, clamp, oob);
    for (a, none, saturate, relu) in [
        (0xbc00, 0xbc00, 0, 0),
        (0x8000, 0x8000, 0, 0),
        (0x4000, 0x4000, 0x3c00, 0x4000),
        (0x3800, 0x3800, 0x3800, 0x3800),
        (0xfc00, 0xfc00, 0, 0),
        (0x7c00, 0x7c00, 0x3c00, 0x7c00),
        (0x7e01, 0x7fff, 0, 0x7fff),
        (0xfe01, 0x7fff, 0, 0x7fff),
    ] {
        assert_eq!(fma(a, Clamp::None, false), none, "{a:#x}");
        assert_eq!(fma(a, Clamp::Saturate, false), saturate, "{a:#x}");
        assert_eq!(fma(a, Clamp::Relu, false), relu, "{a:#x}");
        assert_eq!(add_f16(a, 0x8000, false, true), saturate, "{a:#x}");
    }
    assert_eq!(fma(0x7ff7, Clamp::None, true), 0);
    assert_eq!(fma(0xfff7, Clamp::Relu, true), 0);
    assert_eq!(fma(0x7ff7, Clamp::None, false), 0x7fff);
    assert_eq!(fma(0x7ff6, Clamp::None, true), 0x7fff);
    assert_eq!(fma_bf16(0x3f80, 0x7ff7, 0x3f80, false, true), 0);
    assert_eq!(fma_bf16(0x3f80, 0x3f80, 0x7ff7, false, true), 0x7fff);
    assert_eq!(fma_bf16(0xbf80, 0x3f80, 0, true, false), 0);
}

#[test]
fn widening_is_exact() {
    for x in 0..=u16::MAX {
        let mut loses = false;
        let wide: Single = half(x).convert(&mut loses).value;
        let got = u64::from(f32_from_f16(x).to_bits());
        assert_eq!(got, bits(wide, 0x7fff_ffff), "{x:#x}");
        // bf16 keeps NaN payloads.
        assert_eq!(f32_from_bf16(x).to_bits(), u32::from(x) << 16);
        assert_eq!(
            f16_from_f32(f32_from_f16(x)),
            if half(x).is_nan() { 0x7fff } else { x }
        );
        assert_eq!(
            bf16_from_f32(f32_from_bf16(x)),
            if bfloat(x).is_nan() { 0x7fff } else { x }
        );
    }
}

#[test]
fn mixed_precision_widens_then_rounds_once() {
    let mut random = Random::new(11);
    for _ in 0..20_000 {
        let (a, b) = (random.u16(), random.u16());
        let c = random.f32_bits(f32_from_f16(a).to_bits());
        let z = f32::from_bits(c);
        for round in DIRECTIONS {
            let way = oracle(round);
            for format in [Narrow::F16, Narrow::Bf16] {
                let wide = |x: u16| -> Single {
                    let mut loses = false;
                    match format {
                        Narrow::F16 => half(x).convert(&mut loses).value,
                        Narrow::Bf16 => bfloat(x).convert(&mut loses).value,
                    }
                };
                let check = |got: f32, want: Single| {
                    let want = bits(want, 0x7fff_ffff);
                    assert_eq!(
                        u64::from(got.to_bits()),
                        want,
                        "{a:#x} {b:#x} {c:#x} {round:?}"
                    );
                };
                let (p, q, r) = (wide(a), wide(b), single(c));
                check(
                    add_f32_mixed(a, z, format, round, false),
                    p.add_r(r, way).value,
                );
                check(
                    sub_f32_mixed(a, z, format, round, false),
                    p.sub_r(r, way).value,
                );
                let fused = p.mul_add_r(q, r, way).value;
                check(fma_f32_mixed(a, b, z, format, round, false), fused);
            }
        }
    }
}

#[test]
fn halves_keep_their_lanes_apart() {
    let add = |a, b| add_f16(a, b, false, false);
    assert_eq!(halves2(0x4000_3c00, 0x3c00_4000, add), 0x4200_4200);
    assert_eq!(
        halves1(0x4000_bc00, |a| neg_16(a, Narrow::F16, false)),
        0xc000_3c00
    );
    let fma = |a, b, c| fma_bf16(a, b, c, false, false);
    assert_eq!(
        halves3(0x4000_3f80, 0x4040_4000, 0x3f80_0000, fma),
        0x40e0_4000
    );
}
