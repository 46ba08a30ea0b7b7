use std::cmp::Ordering;

use warploom_isa::arith::*;

use crate::support::*;

/// What the manual's table says of each comparison for an ordering, `None` for unordered.
fn holds(cmp: Cmp, order: Option<Ordering>) -> bool {
    use Ordering::*;
    let among = |list: &[Option<Ordering>]| list.contains(&order);
    match cmp {
        Cmp::Eq => among(&[Some(Equal)]),
        Cmp::Ne => among(&[Some(Less), Some(Greater)]),
        Cmp::Lt => among(&[Some(Less)]),
        Cmp::Le => among(&[Some(Less), Some(Equal)]),
        Cmp::Gt => among(&[Some(Greater)]),
        Cmp::Ge => among(&[Some(Greater), Some(Equal)]),
        Cmp::Equ => among(&[Some(Equal), None]),
        Cmp::Neu => among(&[Some(Less), Some(Greater), None]),
        Cmp::Ltu => among(&[Some(Less), None]),
        Cmp::Leu => among(&[Some(Less), Some(Equal), None]),
        Cmp::Gtu => among(&[Some(Greater), None]),
        Cmp::Geu => among(&[Some(Greater), Some(Equal), None]),
        Cmp::Num => order.is_some(),
        Cmp::Nan => order.is_none(),
    }
}

#[test]
fn comparisons_follow_the_table() {
    for cmp in Cmp::ALL.iter().copied() {
        assert_eq!(Cmp::from_code(cmp.code()), cmp);
        for a in EDGES_F64 {
            for b in EDGES_F64 {
                let (x, y) = (f64::from_bits(a), f64::from_bits(b));
                let want = holds(cmp, x.partial_cmp(&y));
                assert_eq!(compare_f64(x, y, cmp), want, "{cmp:?} {a:#x} {b:#x}");
                let want = holds(cmp, (a as i64).partial_cmp(&(b as i64)));
                assert_eq!(compare_int(a as i64, b as i64, cmp), want);
                let want = holds(cmp, a.partial_cmp(&b));
                assert_eq!(compare_int(a, b, cmp), want);
            }
        }
        for a in EDGES_F32 {
            for b in EDGES_F32 {
                let (x, y) = (f32::from_bits(a), f32::from_bits(b));
                let want = holds(cmp, x.partial_cmp(&y));
                assert_eq!(compare_f32(x, y, cmp, false), want, "{cmp:?} {a:#x} {b:#x}");
                let flush = |x: f32| if x.is_subnormal() { 0.0 } else { x };
                let want = holds(cmp, flush(x).partial_cmp(&flush(y)));
                assert_eq!(compare_f32(x, y, cmp, true), want, "{cmp:?} {a:#x} {b:#x}");
            }
        }
        for a in EDGES_16 {
            for b in EDGES_16 {
                for format in [Narrow::F16, Narrow::Bf16] {
                    let (x, y) = (f32_from_16(a, format), f32_from_16(b, format));
                    let want = holds(cmp, x.partial_cmp(&y));
                    assert_eq!(compare_16(a, b, format, cmp, false), want, "{a:#x} {b:#x}");
                }
            }
        }
    }
    // Two f16 subnormals are equal when flushed.
    assert!(compare_16(0x0001, 0x83ff, Narrow::F16, Cmp::Eq, true));
    assert!(!compare_16(0x0001, 0x83ff, Narrow::F16, Cmp::Eq, false));
}

/// A total order of values, -0 below +0, as a key.
fn key(x: f64) -> (f64, bool) {
    (x, x.is_sign_positive())
}

/// The manual's minimum (`sign` 1) or maximum (-1) of two numbers or NaN.
fn extremum(a: f64, b: f64, want_less: bool, nan: bool) -> Option<f64> {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => None,
        (true, false) | (false, true) if nan => None,
        (true, false) => Some(b),
        (false, true) => Some(a),
        _ => {
            let a_less = key(a).partial_cmp(&key(b)) == Some(Ordering::Less);
            Some(if a_less == want_less { a } else { b })
        }
    }
}

#[test]
fn minimum_and_maximum() {
    let flags = [false, true];
    for a in EDGES_F32 {
        for b in EDGES_F32 {
            for (ftz, nan, xorsign) in flags
                .into_iter()
                .flat_map(|f| flags.map(|n| (f, n)))
                .flat_map(|(f, n)| flags.map(|x| (f, n, x)))
            {
                let prepare = |x: u32| {
                    let x = f32::from_bits(x);
                    let x = if ftz && x.is_subnormal() {
                        0f32.copysign(x)
                    } else {
                        x
                    };
                    f64::from(if xorsign { x.abs() } else { x })
                };
                let negative = (a ^ b) >> 31 == 1;
                for want_less in flags {
                    let want = extremum(prepare(a), prepare(b), want_less, nan);
                    let want = want.map_or(0x7fff_ffff, |x| {
                        let x = x as f32;
                        if xorsign && negative {
                            (-x).to_bits()
                        } else {
                            x.to_bits()
                        }
                    });
                    let op = if want_less { min_f32 } else { max_f32 };
                    let got = op(f32::from_bits(a), f32::from_bits(b), ftz, nan, xorsign);
                    assert_eq!(
                        got.to_bits(),
                        want,
                        "{a:#x} {b:#x} {ftz} {nan} {xorsign} {want_less}"
                    );
                }
            }
        }
    }
    for a in EDGES_16 {
        for b in EDGES_16 {
            for format in [Narrow::F16, Narrow::Bf16] {
                for nan in flags {
                    for want_less in flags {
                        let value = |x| f64::from(f32_from_16(x, format));
                        let want = extremum(value(a), value(b), want_less, nan);
                        let op = if want_less { min_16 } else { max_16 };
                        let got = op(a, b, format, false, nan, false);
                        match want {
                            None => assert_eq!(got, 0x7fff, "{a:#x} {b:#x}"),
                            Some(x) => {
                                assert_eq!(value(got).to_bits(), x.to_bits(), "{a:#x} {b:#x}")
                            }
                        }
                    }
                }
            }
        }
    }
    for a in EDGES_F64 {
        for b in EDGES_F64 {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let of_nan = b | 1 << 51;
            let want = |less| extremum(x, y, less, false).map_or(of_nan, f64::to_bits);
            assert_eq!(min_f64(x, y).to_bits(), want(true), "{a:#x} {b:#x}");
            assert_eq!(max_f64(x, y).to_bits(), want(false), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn minimum_and_maximum_by_hand() {
    let f16 = Narrow::F16;
    assert_eq!(min_16(0xc000, 0x3c00, f16, false, false, true), 0xbc00);
    assert_eq!(max_16(0xc000, 0xbc00, f16, false, false, true), 0x4000);
    assert_eq!(min_16(0x7e00, 0xbc00, f16, false, false, true), 0xbc00);
    assert_eq!(min_16(0x7e00, 0xbc00, f16, false, true, true), 0x7fff);
    assert_eq!(min_16(0x0001, 0x3c00, f16, true, false, false), 0x0000);
    assert_eq!(max_16(0x8001, 0xbc00, f16, true, false, false), 0x8000);
    let nan = f32::NAN;
    let bits = |x: f32| x.to_bits();
    assert_eq!(min3_f32(-3.0, 2.0, -1.0, false, false, true), 1.0);
    assert_eq!(max3_f32(-3.0, 2.0, -1.0, false, false, true), 3.0);
    assert_eq!(min3_f32(-3.0, 2.0, -1.0, false, false, false), -3.0);
    assert_eq!(max3_f32(nan, 2.0, nan, false, false, false), 2.0);
    assert_eq!(
        bits(max3_f32(nan, 2.0, 5.0, false, true, false)),
        0x7fff_ffff
    );
    assert_eq!(
        bits(min3_f32(nan, nan, nan, false, false, true)),
        0x7fff_ffff
    );
    assert_eq!(
        bits(min3_f32(
            f32::from_bits(0x8000_0001),
            1.0,
            2.0,
            true,
            false,
            false
        )),
        0x8000_0000
    );
}

#[test]
fn signs() {
    let f32 = f32::from_bits;
    assert_eq!(abs_f32(f32(0x8000_0001), false).to_bits(), 1);
    assert_eq!(abs_f32(f32(0x8000_0001), true).to_bits(), 0);
    assert_eq!(abs_f32(f32(0xffc0_1234), false).to_bits(), 0x7fff_ffff);
    assert_eq!(neg_f32(f32(0x0000_0001), true).to_bits(), 0x8000_0000);
    assert_eq!(neg_f32(f32(0x7f80_0000), false).to_bits(), 0xff80_0000);
    assert_eq!(neg_f32(f32(0x7fc0_1234), false).to_bits(), 0x7fff_ffff);
    let nan = 0xfff4_0000_0000_0001;
    assert_eq!(abs_f64(f64::from_bits(nan)).to_bits(), nan);
    assert_eq!(neg_f64(f64::from_bits(nan)).to_bits(), nan);
    assert_eq!(abs_f64(-0.0).to_bits(), 0);
    assert_eq!(neg_f64(0.0).to_bits(), 1 << 63);
    assert_eq!(abs_16(0xfe01, Narrow::F16, false), 0x7fff);
    assert_eq!(abs_16(0x83ff, Narrow::F16, true), 0);
    assert_eq!(neg_16(0x03ff, Narrow::F16, true), 0x8000);
    assert_eq!(neg_16(0x3f80, Narrow::Bf16, false), 0xbf80);
    assert_eq!(neg_16(0xff81, Narrow::Bf16, false), 0x7fff);
    assert_eq!(copysign_f32(-2.0, 3.0), -3.0);
    assert_eq!(
        copysign_f64(2.0, f64::from_bits(nan)).to_bits(),
        nan & !(1 << 63)
    );
    assert!(selects_first_f32(-0.0, false));
    assert!(!selects_first_f32(f32(0x8000_0001), false));
    assert!(selects_first_f32(f32(0x8000_0001), true));
    assert!(!selects_first_f32(f32(0x7fc0_0000), false));
}

#[test]
fn properties() {
    use Property::*;
    // (f32, f64, the properties that hold)
    let cases: [(u32, u64, &[Property]); 7] = [
        (0x8000_0000, 1 << 63, &[Finite, Number, Normal]),
        (0x0000_0001, 1, &[Finite, Number, Subnormal]),
        (
            0x807f_ffff,
            0x800f_ffff_ffff_ffff,
            &[Finite, Number, Subnormal],
        ),
        (
            0x0080_0000,
            0x0010_0000_0000_0000,
            &[Finite, Number, Normal],
        ),
        (
            0xff7f_ffff,
            0xffef_ffff_ffff_ffff,
            &[Finite, Number, Normal],
        ),
        (0xff80_0000, 0x7ff0_0000_0000_0000, &[Infinite, Number]),
        (0x7f80_0001, 0xfff8_0000_0000_0000, &[NotANumber]),
    ];
    for (narrow, wide, hold) in cases {
        for property in Property::ALL.iter().copied() {
            let want = hold.contains(&property);
            assert_eq!(
                testp_f32(f32::from_bits(narrow), property),
                want,
                "{narrow:#x} {property:?}"
            );
            assert_eq!(
                testp_f64(f64::from_bits(wide), property),
                want,
                "{wide:#x} {property:?}"
            );
        }
    }
}
