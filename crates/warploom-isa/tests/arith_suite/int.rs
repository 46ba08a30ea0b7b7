use warploom_isa::arith::*;

use crate::support::Random;

/// Powers of two, their neighbours and random numbers of every length.
fn operands() -> Vec<u64> {
    let mut random = Random::new(40);
    let mut all = vec![0, 1, 2, 3, 5, 7, u64::MAX, u64::MAX - 1];
    for bit in [7, 8, 14, 15, 16, 23, 24, 30, 31, 32, 47, 62, 63] {
        let power = 1u64 << bit;
        all.extend([
            power,
            power - 1,
            power + 1,
            !power,
            u64::MAX << bit,
            random.u64() >> bit,
        ]);
    }
    all
}

/// Cuts a wide number to a type and back.
trait Cut: Integer {
    fn cut(x: i128) -> Self;
    fn wide(self) -> i128;
}

macro_rules! cut {
    ($($ty:ty)*) => { $(
        impl Cut for $ty {
            fn cut(x: i128) -> $ty {
                x as $ty
            }
            fn wide(self) -> i128 {
                i128::from(self)
            }
        }
    )* };
}
cut!(u16 i16 u32 i32 u64 i64);

fn arithmetic<T: Cut + std::fmt::Debug>() {
    let operands: Vec<T> = operands().into_iter().map(|x| T::cut(x.into())).collect();
    let mut random = Random::new(41);
    for &a in &operands {
        for &b in &operands {
            let c = T::cut(random.u64().into());
            let (x, y, z) = (a.wide(), b.wide(), c.wide());
            let message = format!("{a:?} {b:?} {c:?}");
            // The product of two unsigned 64-bit numbers needs all of u128.
            let high = if x >= 0 && y >= 0 {
                ((x as u128 * y as u128) >> T::BITS) as i128
            } else {
                (x * y) >> T::BITS
            };
            assert_eq!(mul_hi(a, b), T::cut(high), "{message}");
            assert_eq!(mad_hi(a, b, c), T::cut(high + z), "{message}");
            assert_eq!(sad(a, b, c), T::cut((x - y).abs() + z), "{message}");
            let (quotient, remainder) = if y == 0 { (-1, -1) } else { (x / y, x % y) };
            assert_eq!(int_div(a, b), T::cut(quotient), "{message}");
            assert_eq!(int_rem(a, b), T::cut(remainder), "{message}");
            assert_eq!(int_relu(a), T::cut(x.max(0)));
        }
        for amount in [0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, u32::MAX] {
            let x = a.wide();
            let by = amount.min(T::BITS);
            assert_eq!(
                shl(a, amount),
                T::cut(((x as u128) << by) as i128),
                "{a:?} {amount}"
            );
            assert_eq!(shr(a, amount), T::cut(x >> by), "{a:?} {amount}");
        }
    }
}

#[test]
fn arithmetic_in_every_width() {
    arithmetic::<u16>();
    arithmetic::<i16>();
    arithmetic::<u32>();
    arithmetic::<i32>();
    arithmetic::<u64>();
    arithmetic::<i64>();
}

#[test]
fn saturating_multiply_add() {
    let clamp = |x: i64| x.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    for a in operands() {
        for b in operands() {
            let c = (a.rotate_left(17) ^ b) as i32;
            let (a, b) = (a as i32, b as i32);
            let high = (i64::from(a) * i64::from(b)) >> 32;
            assert_eq!(
                mad_hi_sat(a, b, c),
                clamp(high + i64::from(c)),
                "{a} {b} {c}"
            );
            let low24 = |x: i32| i64::from(x) << 40 >> 40;
            let product = low24(a) * low24(b);
            let (a, b) = (a as u32, b as u32);
            assert_eq!(mul24_lo(a, b, true), product as u32, "{a:#x} {b:#x}");
            assert_eq!(
                mul24_hi(a, b, true),
                (product >> 16) as u32,
                "{a:#x} {b:#x}"
            );
            let want = clamp(i64::from((product >> 16) as i32) + i64::from(c));
            assert_eq!(mad24_hi_sat(a, b, c), want, "{a:#x} {b:#x}");
            let product = u64::from(a % (1 << 24)) * u64::from(b % (1 << 24));
            assert_eq!(mul24_lo(a, b, false), product as u32, "{a:#x} {b:#x}");
            assert_eq!(
                mul24_hi(a, b, false),
                (product >> 16) as u32,
                "{a:#x} {b:#x}"
            );
        }
    }
    assert_eq!(mul24_hi(0x00ff_ffff, 0x007f_ffff, true), 0xffff_ff80);
    assert_eq!(mul24_hi(0x00ff_ffff, 0x007f_ffff, false), 0x7fff_fe80);
}

#[test]
fn dot_products() {
    // -1 × 2 + 1 × 3 + 127 × -128 + -128 × -128 = 129
    assert_eq!(dp4a(0x807f_01ff, 0x8080_0302, 0, true, true), 129);
    // 255 × 2 + 1 × 3 + 127 × 128 + 128 × 128 + 1000
    assert_eq!(dp4a(0x807f_01ff, 0x8080_0302, 1000, false, false), 34_153);
    // -1 × 2 + 1 × 3 + 127 × 128 - 128 × 128
    assert_eq!(dp4a(0x807f_01ff, 0x8080_0302, 0, true, false), 0xffff_ff81);
    // 255 × 2 + 1 × 3 + 127 × -128 + 128 × -128
    assert_eq!(
        dp4a(0x807f_01ff, 0x8080_0302, 0, false, true),
        (513 - 255 * 128i32) as u32
    );
    assert_eq!(dp4a(0x0000_0001, 0x0000_0001, u32::MAX, false, false), 0);
    // Halves -2 and 3, low bytes 5 and -1, high bytes 128 and 16.
    let (a, b) = (0x0003_fffe, 0x1080_ff05);
    assert_eq!(dp2a(a, b, 0, true, true, false), (-10i32 - 3) as u32);
    assert_eq!(dp2a(a, b, 0, true, false, false), (-10i32 + 3 * 255) as u32);
    assert_eq!(dp2a(a, b, 0, true, true, true), (256i32 + 48) as u32);
    assert_eq!(dp2a(a, b, 7, false, false, true), 65_534 * 128 + 3 * 16 + 7);
}

/// Bit `i` of a number, 0 beyond its width.
fn bit(x: u64, i: u32) -> u64 {
    if i < 64 { x >> i & 1 } else { 0 }
}

/// The manual's loop over destination bits.
fn extract(a: u64, pos: u32, len: u32, msb: u32, signed: bool) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let sign = if signed && len != 0 {
        bit(a, (pos + len - 1).min(msb))
    } else {
        0
    };
    (0..=msb).fold(0, |d, i| {
        let source = if i < len && pos + i <= msb {
            bit(a, pos + i)
        } else {
            sign
        };
        d | source << i
    })
}

#[test]
fn bit_fields() {
    let amounts = [
        0,
        1,
        5,
        8,
        16,
        30,
        31,
        32,
        33,
        40,
        62,
        63,
        64,
        65,
        200,
        255,
        256,
        261,
        u32::MAX,
    ];
    for a in operands() {
        let b = a.rotate_left(29) ^ 0x0123_4567_89ab_cdef;
        for pos in amounts {
            for len in amounts {
                let message = format!("{a:#x} {pos} {len}");
                let narrow = a as u32;
                let want = extract(narrow.into(), pos, len, 31, false) as u32;
                assert_eq!(bfe(narrow, pos, len), want, "{message}");
                let want = extract(narrow.into(), pos, len, 31, true) as i32;
                assert_eq!(bfe(narrow as i32, pos, len), want, "{message}");
                assert_eq!(
                    bfe(a, pos, len),
                    extract(a, pos, len, 63, false),
                    "{message}"
                );
                let want = extract(a, pos, len, 63, true) as i64;
                assert_eq!(bfe(a as i64, pos, len), want, "{message}");
                let insert = |width: u32| {
                    let (pos, len) = (pos & 0xff, len & 0xff);
                    (0..len)
                        .filter(|i| pos + i < width)
                        .fold(b, |f, i| f & !(1 << (pos + i)) | bit(a, i) << (pos + i))
                };
                let want = insert(32) as u32;
                assert_eq!(bfi_b32(narrow, b as u32, pos, len), want, "{message}");
                assert_eq!(bfi_b64(a, b, pos, len), insert(64), "{message}");
            }
        }
    }
}

#[test]
fn bit_searches() {
    let find = |x: u64, msb: u32| (0..=msb).rev().find(|&i| bit(x, i) == 1);
    for a in operands() {
        let check = |got: [u32; 2], x: u64, msb: u32| {
            let want = match find(x, msb) {
                Some(i) => [i, msb - i],
                None => [u32::MAX; 2],
            };
            assert_eq!(got, want, "{a:#x}");
        };
        let flags = [false, true];
        let flip = |x: i64| (if x < 0 { !x } else { x }) as u64;
        check(flags.map(|s| bfind(a as u32, s)), a & 0xffff_ffff, 31);
        check(
            flags.map(|s| bfind(a as i32, s)),
            flip((a as i32).into()),
            31,
        );
        check(flags.map(|s| bfind(a, s)), a, 63);
        check(flags.map(|s| bfind(a as i64, s)), flip(a as i64), 63);
    }
    // The manual's examples, and a walk.
    let mask = 0xaaaa_aaaa;
    assert_eq!(fns(mask, 3, 1), 3);
    assert_eq!(fns(mask, 3, -1), 3);
    assert_eq!(fns(mask, 2, 1), 3);
    assert_eq!(fns(mask, 2, -1), 1);
    let mut random = Random::new(42);
    for _ in 0..20_000 {
        let (mask, base) = (random.u32() & random.u32(), random.below(34));
        let offset = random.below(70) as i32 - 35;
        let step = if offset < 0 { -1 } else { 1 };
        let mut left = offset.abs();
        let mut want = u32::MAX;
        let mut pos = base as i32;
        while (0..32).contains(&pos) {
            if mask >> pos & 1 == 1 {
                left -= 1;
                if left <= 0 {
                    want = pos as u32;
                    break;
                }
            }
            if offset == 0 {
                break;
            }
            pos += step;
        }
        assert_eq!(fns(mask, base, offset), want, "{mask:#x} {base} {offset}");
    }
    assert_eq!(fns(u32::MAX, 0, i32::MIN), u32::MAX);
    assert_eq!(fns(u32::MAX, 31, i32::MAX), u32::MAX);
    assert_eq!(fns(u32::MAX, u32::MAX, -1), u32::MAX);
}

#[test]
fn masks_and_extensions() {
    for (a, n, signed, clamp, want) in [
        (0xffff_ffff, 0, false, false, 0),
        (0xffff_ffff, 0, true, true, 0),
        (0x0000_00f0, 8, true, true, 0xffff_fff0),
        (0x0000_00f0, 8, false, true, 0xf0),
        (0x1234_5678, 31, true, true, 0x1234_5678),
        (0x7234_5678, 31, true, false, 0xf234_5678),
        (0x8234_5678, 32, true, true, 0x8234_5678),
        (0x8234_5678, 32, true, false, 0),
        (0x8234_5678, 40, true, true, 0x8234_5678),
        (0x8234_56f8, 40, true, false, 0xffff_fff8),
        (0x8234_56f8, u32::MAX, false, true, 0x8234_56f8),
    ] {
        assert_eq!(
            szext(a, n, signed, clamp),
            want,
            "{a:#x} {n} {signed} {clamp}"
        );
    }
    for (pos, width, clamp, want) in [
        (1, 2, false, 0x6),
        (1, 2, true, 0x6),
        (0, 0, true, 0),
        (0, 31, true, 0x7fff_ffff),
        (0, 32, true, 0xffff_ffff),
        (0, 32, false, 0),
        (4, 32, true, 0xffff_fff0),
        (4, 33, false, 0x10),
        (28, 8, true, 0xf000_0000),
        (28, 8, false, 0xf000_0000),
        (32, 4, true, 0),
        (33, 4, false, 0x1e),
        (u32::MAX, u32::MAX, true, 0),
    ] {
        assert_eq!(bmsk(pos, width, clamp), want, "{pos} {width} {clamp}");
    }
}

#[test]
fn funnel_shifts() {
    let (a, b) = (0x89ab_cdef, 0x0123_4567);
    for (n, clamp, left, right) in [
        (0, true, b, a),
        (4, true, 0x1234_5678, 0x789a_bcde),
        (4, false, 0x1234_5678, 0x789a_bcde),
        (31, true, 0xc4d5_e6f7, 0x0246_8acf),
        (32, true, a, b),
        (32, false, b, a),
        (36, true, a, b),
        (36, false, 0x1234_5678, 0x789a_bcde),
        (u32::MAX, true, a, b),
    ] {
        assert_eq!(shf_left(a, b, n, clamp), left, "{n} {clamp}");
        assert_eq!(shf_right(a, b, n, clamp), right, "{n} {clamp}");
    }
}

#[test]
fn permutations() {
    // Bytes 0 to 7 hold 0x80 to 0x87, so that the sign shows.
    let (a, b) = (0x8382_8180, 0x8786_8584);
    assert_eq!(prmt(a, b, 0x7531), 0x8785_8381);
    assert_eq!(prmt(a, b, 0x0123_8000), 0xff80_8080);
    assert_eq!(prmt(0x0000_7f80, 0, 0x89ab), 0xff00_0000);
    // The manual's table: mode, then the sources of bytes 3 to 0 for selectors 0 to 3.
    use PermuteMode::*;
    let rows: [(PermuteMode, [[u32; 4]; 4]); 6] = [
        (
            F4e,
            [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]],
        ),
        (
            B4e,
            [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
        ),
        (
            Rc8,
            [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
        ),
        (
            Ecl,
            [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
        ),
        (
            Ecr,
            [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]],
        ),
        (
            Rc16,
            [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]],
        ),
    ];
    for (mode, table) in rows {
        for (selector, sources) in table.into_iter().enumerate() {
            let want = sources.into_iter().fold(0, |d, byte| d << 8 | 0x80 | byte);
            // Bits of the control above the lowest two do not count.
            let control = permute_control(mode, selector as u32 | 0xfff0);
            assert_eq!(prmt(a, b, control), want, "{mode:?} {selector}");
        }
    }
}

#[test]
fn truth_tables() {
    let mut random = Random::new(43);
    for table in 0..=255 {
        let [a, b, c] = [random.u32(), random.u32(), random.u32()];
        let want = (0..32).fold(0, |d, i| {
            let row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
            d | (u32::from(table) >> row & 1) << i
        });
        assert_eq!(lop3(a, b, c, table), want, "{table:#x}");
    }
    let (a, b, c) = (0xf0f0_1234, 0xcccc_5678, 0xaaaa_9abc);
    assert_eq!(lop3(a, b, c, 0x80), a & b & c);
    assert_eq!(lop3(a, b, c, 0xfe), a | b | c);
    assert_eq!(lop3(a, b, c, 0x40), a & b & !c);
    assert_eq!(lop3(a, b, c, 0x1a), (a & b | c) ^ a);
}
