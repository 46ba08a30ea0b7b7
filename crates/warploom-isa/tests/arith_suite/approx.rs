use warploom_isa::arith::*;

use crate::support::*;

const NAN: u32 = 0x7fff_ffff;

fn f32s(count: usize) -> impl Iterator<Item = f32> {
    let mut random = Random::new(50);
    let near_one = move || f32::from_bits(random.f32_bits(0x3f80_0000));
    EDGES_F32
        .into_iter()
        .map(f32::from_bits)
        .chain(std::iter::repeat_with(near_one).take(count))
}

/// Distance of `got` from the correctly rounded `want` in units of the last place.
fn ulps(got: f32, want: f32) -> u32 {
    let order = |x: f32| {
        let bits = x.to_bits() as i32;
        i64::from(if bits < 0 { i32::MIN - bits } else { bits })
    };
    (order(got) - order(want)).unsigned_abs() as u32
}

#[test]
fn exponential() {
    for x in f32s(100_000) {
        let got = ex2_approx_f32(x, false);
        let want = core_math::exp2f(x);
        if x.is_nan() {
            assert_eq!(got.to_bits(), NAN);
            continue;
        }
        assert!(ulps(got, want) <= 1, "{x:e} {got:e} {want:e}");
        let flush = |x: f32| {
            if x.is_subnormal() {
                0f32.copysign(x)
            } else {
                x
            }
        };
        let flushed = flush(ex2_approx_f32(flush(x), false));
        assert_eq!(
            ex2_approx_f32(x, true).to_bits(),
            flushed.to_bits(),
            "{x:e}"
        );
    }
    // The manual's table, exact powers and the ends of the range.
    for (x, want) in [
        (f32::NEG_INFINITY, 0.0),
        (-0.0, 1.0),
        (0.0, 1.0),
        (f32::INFINITY, f32::INFINITY),
        (10.0, 1024.0),
        (-149.0, f32::from_bits(1)),
        (-150.5, 0.0),
        (127.0, 1.7014118e38),
        (128.0, f32::INFINITY),
        (1e30, f32::INFINITY),
        (-1e30, 0.0),
    ] {
        assert_eq!(
            ex2_approx_f32(x, false).to_bits(),
            f32::to_bits(want),
            "{x}"
        );
    }
    assert_eq!(ex2_approx_f32(-127.0, true), 0.0);
    // f16 and bf16 within half a unit of their own last place and a little.
    for x in 0..=u16::MAX {
        for (format, bound) in [
            (Narrow::F16, 2f64.powf(-9.9)),
            (Narrow::Bf16, 2f64.powi(-7)),
        ] {
            let wide = f32_from_16(x, format);
            let got = ex2_approx_16(x, format);
            let value = f64::from(f32_from_16(got, format));
            let want = f64::from(core_math::exp2f(wide));
            let least = if format == Narrow::F16 {
                2f64.powi(-14)
            } else {
                2f64.powi(-126)
            };
            if wide.is_nan() {
                assert_eq!(got, 0x7fff);
            } else if value.is_infinite() {
                let most = if format == Narrow::F16 {
                    65_519.0
                } else {
                    3.38e38
                };
                assert!(want > most, "{x:#x}");
            } else if want >= least {
                assert!(
                    ((value - want) / want).abs() <= bound,
                    "{x:#x} {value} {want}"
                );
            } else if format == Narrow::Bf16 {
                assert!(got == 0 || got == 0x80, "{x:#x}");
            } else {
                assert!(
                    (value - want).abs() <= 2f64.powi(-25),
                    "{x:#x} {value} {want}"
                );
            }
        }
    }
}

#[test]
fn logarithm() {
    for x in f32s(100_000) {
        let got = lg2_approx_f32(x, false);
        if x.is_nan() || x < 0.0 {
            assert_eq!(got.to_bits(), NAN, "{x:e}");
            assert_eq!(
                lg2_approx_f32(x, true).to_bits(),
                if x.is_subnormal() { 0xff80_0000 } else { NAN }
            );
            continue;
        }
        assert!(ulps(got, core_math::log2f(x)) <= 1, "{x:e} {got:e}");
    }
    for (x, want) in [
        (0.0, f32::NEG_INFINITY),
        (-0.0, f32::NEG_INFINITY),
        (f32::INFINITY, f32::INFINITY),
        (1.0, 0.0),
        (8.0, 3.0),
        (f32::from_bits(1), -149.0),
    ] {
        assert_eq!(
            lg2_approx_f32(x, false).to_bits(),
            f32::to_bits(want),
            "{x}"
        );
    }
    assert_eq!(lg2_approx_f32(f32::from_bits(1), true), f32::NEG_INFINITY);
}

#[test]
fn reciprocals_and_roots() {
    for x in f32s(50_000) {
        let got = rsqrt_approx_f32(x, false);
        if x.is_nan() || x < 0.0 {
            assert_eq!(got.to_bits(), NAN, "{x:e}");
        } else {
            assert!(ulps(got, core_math::rsqrtf(x)) <= 1, "{x:e} {got:e}");
        }
        let canonical = |x: f32| if x.is_nan() { NAN } else { x.to_bits() };
        assert_eq!(
            rcp_approx_f32(x, false).to_bits(),
            canonical(1.0 / x),
            "{x:e}"
        );
        let root = sqrt_approx_f32(x, false).to_bits();
        if x.is_nan() || x < 0.0 {
            assert_eq!(root, NAN, "{x:e}");
        } else {
            assert_eq!(root, x.sqrt().to_bits(), "{x:e}");
        }
    }
    let subnormal = f32::from_bits(0x8000_0001);
    assert_eq!(rcp_approx_f32(subnormal, true), f32::NEG_INFINITY);
    assert_eq!(
        rcp_approx_f32(f32::from_bits(0xff00_0000), true).to_bits(),
        0x8000_0000
    );
    assert_eq!(sqrt_approx_f32(subnormal, true).to_bits(), 0x8000_0000);
    assert_eq!(rsqrt_approx_f32(subnormal, true), f32::NEG_INFINITY);
    assert_eq!(rsqrt_approx_f32(-0.0, false), f32::NEG_INFINITY);
    assert_eq!(rsqrt_approx_f32(f32::INFINITY, false).to_bits(), 0);
    assert_eq!(rsqrt_approx_f64(0.25), 2.0);
    assert_eq!(rsqrt_approx_f64(-0.0), f64::NEG_INFINITY);
    assert_eq!(rsqrt_approx_f64(-1.0).to_bits(), 0xfff8_0000_0000_0000);
}

#[test]
fn f64_by_the_upper_word() {
    // The manual's tables: input, reciprocal, reciprocal root, all by upper words.
    for (x, rcp, rsqrt) in [
        (0xfff0_0000u64, 0x8000_0000u64, 0x7fff_ffffu64),
        (0x8000_0001, 0xfff0_0000, 0xfff0_0000),
        (0x8000_0000, 0xfff0_0000, 0xfff0_0000),
        (0x0000_0000, 0x7ff0_0000, 0x7ff0_0000),
        (0x000f_ffff, 0x7ff0_0000, 0x7ff0_0000),
        (0x7ff0_0000, 0x0000_0000, 0x0000_0000),
        (0x7ff8_0000, 0x7fff_ffff, 0x7fff_ffff),
        (0xfff0_0001, 0x7fff_ffff, 0x7fff_ffff),
        (0xbff0_0000, 0xbff0_0000, 0x7fff_ffff),
        (0x4010_0000, 0x3fd0_0000, 0x3fe0_0000),
        (0xffd8_0000, 0x8000_0000, 0x7fff_ffff),
    ] {
        // What is in the lower word does not count.
        for low in [0, 0xdead_beef] {
            let operand = f64::from_bits(x << 32 | low);
            assert_eq!(rcp_approx_ftz_f64(operand).to_bits(), rcp << 32, "{x:#x}");
            assert_eq!(
                rsqrt_approx_ftz_f64(operand).to_bits(),
                rsqrt << 32,
                "{x:#x}"
            );
        }
    }
    let mut random = Random::new(51);
    for _ in 0..20_000 {
        let x = f64::from_bits(random.f64_bits(0x3ff0 << 48) & 0x7fff_ffff_ffff_ffff);
        if !x.is_normal() || 1.0 / x < f64::MIN_POSITIVE {
            continue;
        }
        for (got, want) in [
            (rcp_approx_ftz_f64(x), 1.0 / x),
            (rsqrt_approx_ftz_f64(x), 1.0 / x.sqrt()),
        ] {
            assert!(
                ((got - want) / want).abs() < 2f64.powi(-19),
                "{x:e} {got:e}"
            );
            assert_eq!(got.to_bits() as u32, 0);
        }
    }
}

#[test]
fn division() {
    let large = f32::from_bits((127 + 126) << 23);
    for x in f32s(300) {
        for y in f32s(300) {
            let canonical = |x: f32| if x.is_nan() { NAN } else { x.to_bits() };
            assert_eq!(
                div_full_f32(x, y, false).to_bits(),
                canonical(x / y),
                "{x:e} {y:e}"
            );
            let want = if y.abs() > large && y.is_finite() {
                canonical(if x.is_infinite() || x.is_nan() {
                    f32::NAN
                } else {
                    0f32.copysign(x) * 1f32.copysign(y)
                })
            } else {
                canonical(x / y)
            };
            assert_eq!(div_approx_f32(x, y, false).to_bits(), want, "{x:e} {y:e}");
        }
    }
    let subnormal = f32::from_bits(1);
    assert_eq!(div_full_f32(1.0, subnormal, true), f32::INFINITY);
    assert_eq!(div_approx_f32(subnormal, 0.5, true).to_bits(), 0);
    assert_eq!(
        div_approx_f32(-subnormal, large * 1.5, true).to_bits(),
        0x8000_0000
    );
    assert_eq!(div_approx_f32(1.0, large, false).to_bits(), 0x0080_0000);
}

#[test]
fn trigonometry() {
    let mut random = Random::new(52);
    for i in 0..100_000 {
        // Mostly within ±100 pi, some anywhere.
        let bits = random.u32();
        let x = if i % 8 == 0 {
            f32::from_bits(bits)
        } else {
            bits as i32 as f32 * (314.0 / 2147483648.0)
        };
        let (sin, cos) = (sin_approx_f32(x, false), cos_approx_f32(x, false));
        if x.is_nan() || x.is_infinite() {
            assert_eq!((sin.to_bits(), cos.to_bits()), (NAN, NAN));
            continue;
        }
        assert!(ulps(sin, core_math::sinf(x)) <= 1, "{x:e}");
        assert!(ulps(cos, core_math::cosf(x)) <= 1, "{x:e}");
    }
    for (x, sin, cos) in [
        (0.0, 0.0, 1.0),
        (-0.0, -0.0, 1.0),
        (f32::INFINITY, f32::from_bits(NAN), f32::from_bits(NAN)),
        (f32::NEG_INFINITY, f32::from_bits(NAN), f32::from_bits(NAN)),
    ] {
        assert_eq!(sin_approx_f32(x, false).to_bits(), f32::to_bits(sin), "{x}");
        assert_eq!(cos_approx_f32(x, false).to_bits(), f32::to_bits(cos), "{x}");
    }
    let subnormal = f32::from_bits(0x8000_0001);
    assert_eq!(sin_approx_f32(subnormal, false).to_bits(), 0x8000_0001);
    assert_eq!(sin_approx_f32(subnormal, true).to_bits(), 0x8000_0000);
}

#[test]
fn hyperbolic_tangent() {
    for x in f32s(50_000) {
        let got = tanh_approx_f32(x);
        if x.is_nan() {
            assert_eq!(got.to_bits(), NAN);
        } else {
            assert!(ulps(got, core_math::tanhf(x)) <= 1, "{x:e} {got:e}");
        }
    }
    assert_eq!(tanh_approx_f32(f32::NEG_INFINITY), -1.0);
    assert_eq!(tanh_approx_f32(-0.0).to_bits(), 0x8000_0000);
    for x in 0..=u16::MAX {
        for (format, bound) in [
            (Narrow::F16, 2f64.powf(-10.987)),
            (Narrow::Bf16, 2f64.powi(-8)),
        ] {
            let wide = f32_from_16(x, format);
            let got = tanh_approx_16(x, format);
            if wide.is_nan() {
                assert_eq!(got, 0x7fff);
            } else {
                let error = f64::from(f32_from_16(got, format)) - f64::from(core_math::tanhf(wide));
                assert!(error.abs() <= bound, "{x:#x}");
            }
        }
    }
}
