//! Video instructions.

use crate::support::check;
use warploom_isa::arith::{Part, Secondary, SimdResult, VideoMad, VideoOp, VideoScalar, VideoSimd};

/// The modifier word of a scalar video instruction.
fn video(how: VideoScalar) -> String {
    format!("video/{:#x}", how.to_bits())
}

#[test]
fn video_instructions_on_parts() {
    let plain = VideoScalar {
        op: VideoOp::Add,
        a: Part::Word,
        b: Part::Word,
        d: Part::Word,
        a_signed: false,
        b_signed: false,
        d_signed: false,
        sat: false,
        secondary: Secondary::None,
    };
    let cases = [
        (
            "vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1",
            VideoScalar {
                a: Part::B0,
                b: Part::H1,
                b_signed: true,
                d_signed: true,
                sat: true,
                ..plain
            },
            "r1, r2, r3, 0",
        ),
        (
            "vabsdiff.u32.s32.u32 %r1.h0, %r2, 7, %r4",
            VideoScalar {
                op: VideoOp::AbsDiff,
                d: Part::H0,
                a_signed: true,
                ..plain
            },
            "r1, r2, 7, r4",
        ),
        (
            "vshr.u32.u32.u32.wrap.max %r1, %r2, %r3.b3, %r4",
            VideoScalar {
                op: VideoOp::ShrWrap,
                b: Part::B3,
                secondary: Secondary::Max,
                ..plain
            },
            "r1, r2, r3, r4",
        ),
        (
            "vset.s32.u32.ge %r1, %r2, %r3",
            VideoScalar {
                op: VideoOp::SetGe,
                a_signed: true,
                ..plain
            },
            "r1, r2, r3, 0",
        ),
    ];
    for (instruction, how, operands) in cases {
        check(
            &format!("{instruction};"),
            &[&format!("{} {operands}", video(how))],
        );
    }
    let mad = VideoMad {
        a: Part::H0,
        b: Part::Word,
        a_signed: true,
        b_signed: false,
        negate_product: true,
        negate_addend: false,
        plus_one: false,
        sat: true,
        shift_bits: 15,
    };
    check(
        "vmad.s32.s32.u32.sat.shr15 %r1, %r2.h0, -%r3, %r4;",
        &[&format!("vmad/{:#x} r1, r2, r3, r4", mad.to_bits())],
    );
}

#[test]
fn video_instructions_on_lanes() {
    let two = VideoSimd {
        a_select: VideoSimd::selection([0, 0, 1, 0]),
        b_select: VideoSimd::selection([0, 0, 3, 2]),
        a_signed: false,
        b_signed: false,
        result: SimdResult::Merge,
        mask: 0b11,
    };
    let four = VideoSimd {
        a_select: VideoSimd::selection([3, 2, 1, 0]),
        b_select: VideoSimd::selection([7, 6, 5, 4]),
        mask: 0b1111,
        ..two
    };
    let cases = [
        ("vadd2.u32.u32.u32 %r1, %r2, %r3, %r4", "vadd2", two),
        (
            "vmin2.s32.s32.s32.sat %r1.h1, %r2.h31, %r3, %r4",
            "vmin2",
            VideoSimd {
                a_select: VideoSimd::selection([0, 0, 3, 1]),
                a_signed: true,
                b_signed: true,
                result: SimdResult::MergeSatS,
                mask: 0b10,
                ..two
            },
        ),
        (
            "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4",
            "vabsdiff4",
            VideoSimd {
                result: SimdResult::Accumulate,
                ..four
            },
        ),
        (
            "vset4.u32.s32.lt %r1.b20, %r2, %r3.b0123, %r4",
            "vset4.lt",
            VideoSimd {
                b_select: VideoSimd::selection([0, 1, 2, 3]),
                b_signed: true,
                mask: 0b101,
                ..four
            },
        ),
        (
            "vavrg4.u32.u32.u32.sat %r1, %r2, %r3, %r4",
            "vavrg4",
            VideoSimd {
                result: SimdResult::MergeSatU,
                ..four
            },
        ),
    ];
    for (instruction, name, how) in cases {
        let line = format!("{name}/{:#x} r1, r2, r3, r4", how.to_bits());
        check(&format!("{instruction};"), &[&line]);
    }
}
