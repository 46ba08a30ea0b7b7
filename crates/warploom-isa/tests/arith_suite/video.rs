use warploom_isa::arith::*;

use crate::support::Random;

fn scalar(op: VideoOp) -> VideoScalar {
    VideoScalar {
        op,
        a: Part::Word,
        b: Part::Word,
        d: Part::Word,
        a_signed: false,
        b_signed: false,
        d_signed: false,
        sat: false,
        secondary: Secondary::None,
    }
}

fn pick<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u32) as usize]
}

#[test]
fn modifier_words_survive() {
    let mut random = Random::new(60);
    for _ in 0..2000 {
        let mut flag = || random.below(2) == 1;
        let flags = [flag(), flag(), flag(), flag(), flag(), flag()];
        let how = VideoScalar {
            op: pick(&mut random, VideoOp::ALL),
            a: pick(&mut random, Part::ALL),
            b: pick(&mut random, Part::ALL),
            d: pick(&mut random, Part::ALL),
            a_signed: flags[0],
            b_signed: flags[1],
            d_signed: flags[2],
            sat: flags[3],
            secondary: pick(&mut random, Secondary::ALL),
        };
        assert_eq!(VideoScalar::from_bits(how.to_bits()), how);
        let how = VideoMad {
            a: how.a,
            b: how.b,
            a_signed: flags[0],
            b_signed: flags[1],
            negate_product: flags[2],
            negate_addend: flags[3],
            plus_one: flags[4],
            sat: flags[5],
            shift_bits: pick(&mut random, &[0, 7, 15]),
        };
        assert_eq!(VideoMad::from_bits(how.to_bits()), how);
        let how = VideoSimd {
            a_select: random.u16() & 0xfff,
            b_select: random.u16() & 0xfff,
            a_signed: flags[0],
            b_signed: flags[1],
            result: pick(&mut random, SimdResult::ALL),
            mask: random.below(16) as u8,
        };
        assert_eq!(VideoSimd::from_bits(how.to_bits()), how);
    }
}

#[test]
fn scalar_by_hand() {
    let signed = |op| VideoScalar {
        a_signed: true,
        b_signed: true,
        d_signed: true,
        ..scalar(op)
    };
    // vadd.s32.u32.s32.sat d, a.b0, b.h0
    let how = VideoScalar {
        a: Part::B0,
        b: Part::H0,
        b_signed: true,
        d_signed: true,
        sat: true,
        ..scalar(VideoOp::Add)
    };
    assert_eq!(video_scalar(0x1234_56ff, 0x0001_fffe, 0, how), 253);
    // The 34-bit sum of the largest numbers is limited, or cut.
    let add = scalar(VideoOp::Add);
    assert_eq!(video_scalar(u32::MAX, u32::MAX, 0, add), 0xffff_fffe);
    assert_eq!(
        video_scalar(u32::MAX, u32::MAX, 0, VideoScalar { sat: true, ..add }),
        u32::MAX
    );
    // An unsigned destination limits a negative difference to zero.
    let sub = VideoScalar {
        sat: true,
        ..scalar(VideoOp::Sub)
    };
    assert_eq!(video_scalar(1, 2, 0, sub), 0);
    assert_eq!(
        video_scalar(
            1,
            2,
            0,
            VideoScalar {
                d_signed: true,
                ..sub
            }
        ),
        u32::MAX
    );
    let sub = VideoScalar {
        sat: true,
        ..signed(VideoOp::Sub)
    };
    assert_eq!(video_scalar(0x8000_0000, 1, 0, sub), 0x8000_0000);
    let distance = signed(VideoOp::AbsDiff);
    assert_eq!(
        video_scalar(0x8000_0000, 0x7fff_ffff, 0, distance),
        u32::MAX
    );
    // Merge: the byte 0xfe goes into byte 2 of c.
    let how = VideoScalar {
        d: Part::B2,
        ..scalar(VideoOp::Sub)
    };
    assert_eq!(video_scalar(0, 2, 0x1122_3344, how), 0x11fe_3344);
    let how = VideoScalar {
        d: Part::H1,
        sat: true,
        d_signed: true,
        ..scalar(VideoOp::Add)
    };
    assert_eq!(video_scalar(0x7fff, 1, 0x1122_3344, how), 0x7fff_3344);
    // Secondary operations read c as the destination's type.
    let how = VideoScalar {
        secondary: Secondary::Min,
        ..signed(VideoOp::Max)
    };
    assert_eq!(video_scalar(3, u32::MAX, 0xffff_fff0, how), 0xffff_fff0);
    let how = VideoScalar {
        secondary: Secondary::Max,
        ..scalar(VideoOp::Min)
    };
    assert_eq!(video_scalar(3, 9, 0xffff_fff0, how), 0xffff_fff0);
    let how = VideoScalar {
        secondary: Secondary::Add,
        ..scalar(VideoOp::SetLt)
    };
    assert_eq!(video_scalar(3, 9, 41, how), 42);
    // Shifts: amounts are limited to 32 or taken modulo 32.
    let shift = |op, a, b| video_scalar(a, b, 0, scalar(op));
    assert_eq!(shift(VideoOp::ShlClamp, 0xff, 40), 0);
    assert_eq!(shift(VideoOp::ShlWrap, 0xff, 40), 0xff00);
    assert_eq!(shift(VideoOp::ShrClamp, 0x8000_0000, 40), 0);
    assert_eq!(shift(VideoOp::ShrWrap, 0x8000_0000, 40), 0x0080_0000);
    let how = VideoScalar {
        a_signed: true,
        d_signed: true,
        ..scalar(VideoOp::ShrClamp)
    };
    assert_eq!(video_scalar(0x8000_0000, 99, 0, how), u32::MAX);
    let how = VideoScalar {
        sat: true,
        ..scalar(VideoOp::ShlClamp)
    };
    assert_eq!(video_scalar(u32::MAX, 32, 0, how), u32::MAX);
    let how = VideoScalar {
        b: Part::H1,
        ..scalar(VideoOp::SetNe)
    };
    assert_eq!(video_scalar(7, 0x0007_0008, 0, how), 0);
}

/// The part as the manual extracts it.
fn part(x: u32, part: Part, signed: bool) -> i128 {
    let bytes = x.to_le_bytes();
    let byte = |i: usize| {
        if signed {
            i128::from(bytes[i] as i8)
        } else {
            bytes[i].into()
        }
    };
    let half = |x: u32| {
        if signed {
            i128::from(x as u16 as i16)
        } else {
            i128::from(x as u16)
        }
    };
    match part {
        Part::Word if signed => i128::from(x as i32),
        Part::Word => x.into(),
        Part::B0 => byte(0),
        Part::B1 => byte(1),
        Part::B2 => byte(2),
        Part::B3 => byte(3),
        Part::H0 => half(x),
        Part::H1 => half(x >> 16),
    }
}

#[test]
fn scalar_stages() {
    let ops = [
        VideoOp::Add,
        VideoOp::Sub,
        VideoOp::AbsDiff,
        VideoOp::Min,
        VideoOp::Max,
    ];
    let mut random = Random::new(61);
    for _ in 0..50_000 {
        let mut flag = || random.below(2) == 1;
        let (a_signed, b_signed, d_signed, sat) = (flag(), flag(), flag(), flag());
        let mut how = VideoScalar {
            op: pick(&mut random, &ops),
            a: pick(&mut random, Part::ALL),
            b: pick(&mut random, Part::ALL),
            d: pick(&mut random, Part::ALL),
            a_signed,
            b_signed,
            d_signed,
            sat,
            secondary: Secondary::None,
        };
        if how.d == Part::Word {
            how.secondary = pick(&mut random, Secondary::ALL);
        }
        let [a, b, c] = [random.u32(), random.u32(), random.u32()];
        let (x, y) = (part(a, how.a, a_signed), part(b, how.b, b_signed));
        let mut value = match how.op {
            VideoOp::Add => x + y,
            VideoOp::Sub => x - y,
            VideoOp::AbsDiff => (x - y).abs(),
            VideoOp::Min => x.min(y),
            _ => x.max(y),
        };
        let (shift, mask) = match how.d {
            Part::Word => (0, 0xffff_ffff),
            Part::H0 => (0, 0xffff),
            Part::H1 => (16, 0xffff),
            Part::B0 => (0, 0xff),
            Part::B1 => (8, 0xff),
            Part::B2 => (16, 0xff),
            Part::B3 => (24, 0xff),
        };
        if sat {
            let (least, most) = if d_signed {
                (-(mask / 2) - 1, mask / 2)
            } else {
                (0, mask)
            };
            value = value.clamp(least, most);
        }
        let third = part(c, Part::Word, d_signed);
        value = match how.secondary {
            Secondary::None => value,
            Secondary::Add => value + third,
            Secondary::Min => value.min(third),
            Secondary::Max => value.max(third),
        };
        let mask = mask as u32;
        let want = (value as u32 & mask) << shift | c & !(mask << shift);
        assert_eq!(
            video_scalar(a, b, c, how),
            want,
            "{a:#x} {b:#x} {c:#x} {how:?}"
        );
    }
}

#[test]
fn multiply_add() {
    let plain = VideoMad {
        a: Part::Word,
        b: Part::Word,
        a_signed: false,
        b_signed: false,
        negate_product: false,
        negate_addend: false,
        plus_one: false,
        sat: false,
        shift_bits: 0,
    };
    assert_eq!(video_mad(3, 5, 7, plain), 22);
    assert_eq!(
        video_mad(
            3,
            5,
            7,
            VideoMad {
                plus_one: true,
                ..plain
            }
        ),
        23
    );
    assert_eq!(
        video_mad(
            3,
            5,
            7,
            VideoMad {
                negate_product: true,
                ..plain
            }
        ),
        (-8i32) as u32
    );
    assert_eq!(
        video_mad(
            3,
            5,
            7,
            VideoMad {
                negate_addend: true,
                ..plain
            }
        ),
        8
    );
    let limited = VideoMad { sat: true, ..plain };
    assert_eq!(video_mad(0x1_0000, 0x1_0000, 0, limited), u32::MAX);
    assert_eq!(video_mad(0x1_0000, 0x1_0000, 0, plain), 0);
    let signed = VideoMad {
        a_signed: true,
        ..limited
    };
    assert_eq!(video_mad(0xffff_0000, 0x1_0000, 0, signed), 0x8000_0000);
    assert_eq!(video_mad(0x1_0000, 0x1_0000, 0, signed), 0x7fff_ffff);
    // -2 × 3 - 1, halves and bytes picked.
    let parts = VideoMad {
        a: Part::H1,
        b: Part::B1,
        a_signed: true,
        ..plain
    };
    assert_eq!(
        video_mad(0xfffe_1234, 0x5678_03ff, u32::MAX, parts),
        (-7i32) as u32
    );
    let scaled = VideoMad {
        shift_bits: 7,
        ..plain
    };
    assert_eq!(video_mad(0x80, 0x80, 0x7f, scaled), 0x80);
    assert_eq!(
        video_mad(
            u32::MAX,
            u32::MAX,
            0,
            VideoMad {
                shift_bits: 15,
                ..plain
            }
        ),
        0xfffc_0000
    );
    let scaled = VideoMad {
        a_signed: true,
        shift_bits: 7,
        ..plain
    };
    assert_eq!(video_mad(u32::MAX, 1, 0, scaled), u32::MAX);
}

fn simd(lanes: u8) -> VideoSimd {
    let (a, b) = match lanes {
        2 => ([0, 0, 1, 0], [0, 0, 3, 2]),
        _ => ([3, 2, 1, 0], [7, 6, 5, 4]),
    };
    VideoSimd {
        a_select: VideoSimd::selection(a),
        b_select: VideoSimd::selection(b),
        a_signed: false,
        b_signed: false,
        result: SimdResult::Merge,
        mask: (1 << lanes) - 1,
    }
}

#[test]
fn simd_by_hand() {
    let (two, four) = (simd(2), simd(4));
    let add = VideoOp::Add;
    assert_eq!(
        video_simd2(0x0001_ffff, 0x0002_0001, 0, add, two),
        0x0003_0000
    );
    assert_eq!(
        video_simd4(0x01ff_7f80, 0x0101_0180, 0, add, four),
        0x0200_8000
    );
    let unsigned = VideoSimd {
        result: SimdResult::MergeSatU,
        ..four
    };
    assert_eq!(
        video_simd4(0x01ff_7f80, 0x0101_0180, 0, add, unsigned),
        0x02ff_80ff
    );
    let signed = VideoSimd {
        a_signed: true,
        b_signed: true,
        result: SimdResult::MergeSatS,
        ..four
    };
    assert_eq!(
        video_simd4(0x01ff_7f80, 0x0101_0180, 0, add, signed),
        0x0200_7f80
    );
    // A mask merges the other lanes from c.
    let masked = VideoSimd {
        mask: 0b0101,
        ..four
    };
    assert_eq!(
        video_simd4(0x0102_0304, 0x1010_1010, 0xaabb_ccdd, add, masked),
        0xaa12_cc14
    );
    // Accumulation adds the masked lanes' full results to c.
    let sum = VideoSimd {
        result: SimdResult::Accumulate,
        ..four
    };
    assert_eq!(
        video_simd4(0x0a14_1e28, 0x0114_2832, 5, VideoOp::AbsDiff, sum),
        5 + 9 + 10 + 10
    );
    let sum = VideoSimd {
        a_signed: true,
        b_signed: true,
        mask: 0b01,
        result: SimdResult::Accumulate,
        ..two
    };
    assert_eq!(
        video_simd2(0x0001_8000, 0x0001_7fff, 0, VideoOp::Sub, sum),
        (-65_535i32) as u32
    );
    // Selections reach into both registers: .h01 and .h23.
    let crossed = VideoSimd {
        a_select: VideoSimd::selection([0, 0, 0, 1]),
        b_select: VideoSimd::selection([0, 0, 2, 3]),
        ..two
    };
    assert_eq!(
        video_simd2(0x000a_0001, 0x0014_0002, 0, add, crossed),
        0x0003_001e
    );
    let repeated = VideoSimd {
        a_select: VideoSimd::selection([0, 0, 0, 0]),
        b_select: VideoSimd::selection([7, 7, 7, 7]),
        ..four
    };
    assert_eq!(
        video_simd4(0x1122_3305, 0x0700_0000, 0, VideoOp::Max, repeated),
        0x0707_0707
    );
    // Averages round halves up at or above zero, down below it.
    let mean = VideoSimd {
        a_signed: true,
        b_signed: true,
        ..four
    };
    assert_eq!(
        video_simd4(0xfd03_ff00, 0x0004_0000, 0, VideoOp::Average, mean),
        0xfe04_ff00
    );
    assert_eq!(
        video_simd2(0xffff_0001, 0xffff_0002, 0, VideoOp::Average, two),
        0xffff_0002
    );
    // Comparisons give one, mixed signs compare by value.
    let mixed = VideoSimd {
        a_signed: true,
        ..four
    };
    assert_eq!(
        video_simd4(0xff01_8005, 0xff01_8004, 0, VideoOp::SetLt, mixed),
        0x0100_0100
    );
    assert_eq!(
        video_simd4(0xff01_8005, 0xff01_8004, 0, VideoOp::SetEq, mixed),
        0x0001_0000
    );
    let count = VideoSimd {
        result: SimdResult::Accumulate,
        ..two
    };
    assert_eq!(
        video_simd2(0x0001_0005, 0x0001_0004, 10, VideoOp::SetGe, count),
        12
    );
    assert_eq!(
        video_simd2(0x0001_0005, 0x0001_0004, 0, VideoOp::SetLe, two),
        0x0001_0000
    );
    assert_eq!(
        video_simd2(0x0001_0005, 0x0002_0004, 0, VideoOp::Min, two),
        0x0001_0004
    );
}
