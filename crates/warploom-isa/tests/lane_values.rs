//! One hand-computed value, or a few, for every row of the operation table: each row hands its
//! operands and modifiers on in the right order. What the arithmetic itself does at its edges is
//! tested beside it.

use std::collections::HashSet;

use warploom_isa::arith::{
    AnyNanF32, Cmp, IntType, Mini, Narrow, Part, PermuteMode, Property, Round, Secondary,
    SimdResult, VideoMad, VideoOp, VideoScalar, VideoSimd,
};
use warploom_isa::{Mods, Op, lane_fn};

/// Results that are the same bit for bit.
trait Same<Expected = Self>: std::fmt::Debug {
    fn same(&self, expected: &Expected) -> bool;
}

impl Same<f32> for AnyNanF32 {
    fn same(&self, expected: &f32) -> bool {
        self.canonical().same(expected)
    }
}

macro_rules! same_by {
    ($($ty:ty: |$a:ident, $b:ident| $same:expr;)*) => { $(
        impl Same for $ty {
            fn same(&self, other: &Self) -> bool {
                let ($a, $b) = (self, other);
                $same
            }
        }
    )* };
}

same_by! {
    u16: |a, b| a == b;
    i16: |a, b| a == b;
    u32: |a, b| a == b;
    i32: |a, b| a == b;
    u64: |a, b| a == b;
    i64: |a, b| a == b;
    bool: |a, b| a == b;
    f32: |a, b| a.to_bits() == b.to_bits();
    f64: |a, b| a.to_bits() == b.to_bits();
    (u32, bool): |a, b| a == b;
    (u64, bool): |a, b| a == b;
    (bool, bool): |a, b| a == b;
}

const NONE: Mods = Mods::NONE;
const BF16: Mods = NONE.with_format(Narrow::Bf16);
const FTZ: Mods = NONE.with_ftz(true);
const SAT: Mods = NONE.with_sat(true);
const RELU: Mods = NONE.with_relu(true);
const VARIANT: Mods = NONE.with_variant(true);

fn round(round: Round) -> Mods {
    NONE.with_round(round)
}

fn cmp(cmp: Cmp) -> Mods {
    NONE.with_cmp(cmp)
}

fn ints(to: IntType, from: IntType) -> Mods {
    NONE.with_to_int(to).with_from_int(from)
}

fn mini(mini: Mini) -> Mods {
    NONE.with_high(mini as u16)
}

/// Lanes 1 and 0 of `a` against lanes 1 and 0 of `b`, or all four.
fn simd(result: SimdResult) -> Mods {
    let how = VideoSimd {
        a_select: VideoSimd::selection([3, 2, 1, 0]),
        b_select: VideoSimd::selection([7, 6, 5, 4]),
        a_signed: false,
        b_signed: false,
        result,
        mask: 0b1111,
    };
    Mods(how.to_bits())
}

fn simd2(result: SimdResult) -> Mods {
    let how = VideoSimd {
        a_select: VideoSimd::selection([0, 0, 1, 0]),
        b_select: VideoSimd::selection([0, 0, 3, 2]),
        a_signed: false,
        b_signed: false,
        result,
        mask: 0b11,
    };
    Mods(how.to_bits())
}

const MERGE: SimdResult = SimdResult::Merge;

const MIN_SUBNORMAL: f32 = f32::from_bits(1);

fn pair(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

macro_rules! values {
    ($($op:ident $([$mods:expr])? ($($argument:expr),*) => $expected:expr;)*) => {
        const CHECKED: &[Op] = &[$(Op::$op),*];

        fn check_values() {
            $({
                let mods = NONE;
                $(let mods: Mods = { let _ = mods; $mods };)?
                let found = lane_fn::$op(mods $(, $argument)*);
                let expected = $expected;
                assert!(
                    found.same(&expected),
                    "{}: {found:?}, not {expected:?}",
                    stringify!($op $([$mods])? ($($argument),*))
                );
            })*
        }
    };
}

values! {
    MovB32(7) => 7;
    MovB64(1 << 40) => 1 << 40;
    AddI32(u32::MAX, 3) => 2;
    AddI64(u64::MAX, 3) => 2;
    AddI16(0xffff, 3) => 2;
    SubI32(2, 3) => u32::MAX;
    SubI64(2, 3) => u64::MAX;
    SubI16(2, 3) => 0xffff;
    MulLoI32(0x10001, 0x10003) => 0x40003;
    MulLoI64(1 << 63, 3) => 1 << 63;
    MulLoI16(300, 300) => 24464;
    MulWideS32(-2, 3) => -6;
    MulWideU32(u32::MAX, 2) => 0x1_ffff_fffe;
    MulWideS16(-2, 300) => -600;
    MulWideU16(0xffff, 2) => 0x1fffe;
    MulHiU32(u32::MAX, 4) => 3;
    MulHiS32(-1, 4) => -1;
    MulHiU64(u64::MAX, 4) => 3;
    MulHiS64(-1, 4) => -1;
    MulHiU16(0xffff, 4) => 3;
    MulHiS16(-1, 4) => -1;
    MadLoI32(3, 4, 5) => 17;
    MadLoI64(3, 4, 5) => 17;
    MadLoI16(300, 300, 1) => 24465;
    MadHiU32(u32::MAX, 4, 10) => 13;
    MadHiS32(-1, 4, 10) => 9;
    MadHiU64(u64::MAX, 4, 10) => 13;
    MadHiS64(-1, 4, 10) => 9;
    MadHiU16(0xffff, 4, 10) => 13;
    MadHiS16(-1, 4, 10) => 9;
    MadHiSatS32(i32::MAX, i32::MAX, i32::MAX) => i32::MAX;
    MadWideS32(-2, 3, 10) => 4;
    MadWideU32(u32::MAX, 2, 1) => 0x1_ffff_ffff;
    MadWideS16(-2, 3, 10) => 4;
    MadWideU16(0xffff, 2, 1) => 0x1ffff;
    AddI16x2(0x0001_ffff, 0x0002_0001) => 0x0003_0000;
    AddSatS32(i32::MAX, 1) => i32::MAX;
    AddSatU32(u32::MAX, 1) => u32::MAX;
    SubSatS32(i32::MIN, 1) => i32::MIN;
    AddSatU16x2(0xffff_0001, 0x0001_0002) => 0xffff_0003;
    AddSatS16x2(0x7fff_8000, 0x0001_ffff) => 0x7fff_8000;
    AddI8x4(0xff01_02fe, 0x0101_0203) => 0x0002_0401;
    AddSatU8x4(0xff01_02fe, 0x0101_0203) => 0xff02_04ff;
    AddSatS8x4(0x7f80_0102, 0x01ff_0203) => 0x7f80_0305;
    SubI8x4(0x0001_0305, 0x0100_0102) => 0xff01_0203;
    SubSatU8x4(0x0001_0305, 0x0100_0102) => 0x0001_0203;
    SubSatS8x4(0x807f_0305, 0x01ff_0102) => 0x807f_0203;
    AddCcI32(u32::MAX, 2) => (1, true);
    AddcI32(1, 2, true) => (4, false);
    AddcI32(u32::MAX, 0, true) => (0, true);
    AddcI32(u32::MAX, u32::MAX, true) => (u32::MAX, true);
    SubCcI32(1, 2) => (u32::MAX, true);
    SubcI32(5, 2, true) => (2, false);
    SubcI32(2, 2, true) => (u32::MAX, true);
    SubcI32(0, u32::MAX, true) => (0, true);
    MadLoCcI32(u32::MAX, 1, 2) => (1, true);
    MadcLoI32(3, 4, 5, true) => (18, false);
    MadHiCcU32(u32::MAX, 2, u32::MAX) => (0, true);
    MadcHiU32(u32::MAX, 2, 5, true) => (7, false);
    MadHiCcS32(u32::MAX, 2, 2) => (1, true);
    MadcHiS32(u32::MAX, 2, 5, true) => (5, true);
    AddCcI64(u64::MAX, 2) => (1, true);
    AddcI64(u64::MAX, 0, true) => (0, true);
    SubCcI64(1, 2) => (u64::MAX, true);
    SubcI64(2, 2, true) => (u64::MAX, true);
    MadLoCcI64(u64::MAX, 1, 2) => (1, true);
    MadcLoI64(3, 4, 5, true) => (18, false);
    MadHiCcU64(u64::MAX, 2, u64::MAX) => (0, true);
    MadcHiU64(u64::MAX, 2, 5, true) => (7, false);
    MadHiCcS64(u64::MAX, 2, 2) => (1, true);
    MadcHiS64(u64::MAX, 2, 5, true) => (5, true);
    Mul24LoU32(0xff00_0003, 5) => 15;
    Mul24LoS32(0x00ff_ffff, 5) => -5i32 as u32;
    Mul24HiU32(0x00ff_ffff, 0x0001_0000) => 0x00ff_ffff;
    Mul24HiS32(0x00ff_ffff, 0x0001_0000) => u32::MAX;
    Mad24LoU32(3, 5, 7) => 22;
    Mad24LoS32(0x00ff_ffff, 5, 7) => 2;
    Mad24HiU32(0x0001_0000, 3, 7) => 10;
    Mad24HiS32(0x00ff_ffff, 0x0001_0000, 7) => 6;
    Mad24HiSatS32(0x0001_0000, 3, i32::MAX) => i32::MAX;
    Dp4a(0xff01_0203, 0x0101_0101, 10) => 271;
    Dp4a[NONE.with_a_signed(true)](0xff01_0203, 0x0101_0101, 10) => 15;
    Dp4a[NONE.with_b_signed(true)](0x0101_0101, 0xff01_0203, 10) => 15;
    Dp2a(0x0002_0003, 0x0a0b_0c0d, 1) => 2 * 12 + 3 * 13 + 1;
    Dp2a[VARIANT](0x0002_0003, 0x0a0b_0c0d, 1) => 2 * 10 + 3 * 11 + 1;
    Dp2a[NONE.with_a_signed(true)](0xffff_0003, 0x0000_0c0d, 0) => 3 * 13 - 12;
    DivS16(-7, 2) => -3;
    DivU16(7, 2) => 3;
    DivS32(-7, 2) => -3;
    DivU32(7, 0) => u32::MAX;
    DivS64(i64::MIN, -1) => i64::MIN;
    DivU64(7, 2) => 3;
    RemS16(-7, 2) => -1;
    RemU16(7, 4) => 3;
    RemS32(-7, 4) => -3;
    RemU32(7, 4) => 3;
    RemS64(-7, 4) => -3;
    RemU64(7, 4) => 3;
    MinS16(-1, 1) => -1;
    MinU16(0xffff, 1) => 1;
    MinS32(-1, 1) => -1;
    MinU32(u32::MAX, 1) => 1;
    MinS64(-1, 1) => -1;
    MinU64(u64::MAX, 1) => 1;
    MaxS16(-1, 1) => 1;
    MaxU16(0xffff, 1) => 0xffff;
    MaxS32(-1, 1) => 1;
    MaxU32(u32::MAX, 1) => u32::MAX;
    MaxS64(-1, 1) => 1;
    MaxU64(u64::MAX, 1) => u64::MAX;
    MinReluS32(-1, 1) => 0;
    MaxReluS32(-2, -1) => 0;
    MinU16x2(0xffff_0001, 0x0002_0003) => 0x0002_0001;
    MaxU16x2(0xffff_0001, 0x0002_0003) => 0xffff_0003;
    MinS16x2(0xffff_0001, 0x0002_0003) => 0xffff_0001;
    MinS16x2[RELU](0xffff_0001, 0x0002_0003) => 0x0000_0001;
    MaxS16x2(0xffff_0001, 0x0002_0003) => 0x0002_0003;
    MaxS16x2[RELU](0xffff_fffe, 0xfffd_0003) => 0x0000_0003;
    MinU8x4(0xff01_0203, 0x0102_0304) => 0x0101_0203;
    MaxU8x4(0xff01_0203, 0x0102_0304) => 0xff02_0304;
    MinS8x4(0xff01_0203, 0x0102_0304) => 0xff01_0203;
    MinS8x4[RELU](0xff01_0203, 0x0102_0304) => 0x0001_0203;
    MaxS8x4(0xff01_0203, 0x0102_0304) => 0x0102_0304;
    MaxS8x4[RELU](0xff01_0203, 0xfe02_0304) => 0x0002_0304;
    NegS8x4(0x0102_ff80) => 0xfffe_0180;
    AbsS16(-3) => 3;
    AbsS32(i32::MIN) => i32::MIN;
    AbsS64(-3) => 3;
    NegS16(3) => -3;
    NegS32(i32::MIN) => i32::MIN;
    NegS64(3) => -3;
    SadS16(-3, 4, 10) => 17;
    SadU16(0xffff, 0xfffe, 10) => 11;
    SadS32(-3, 4, 10) => 17;
    SadU32(u32::MAX, 1, 10) => 8;
    SadS64(-3, 4, 10) => 17;
    SadU64(4, 7, 10) => 13;
    PopcB32(0xf0) => 4;
    PopcB64(0xf0 << 40) => 4;
    ClzB32(1) => 31;
    ClzB64(1) => 63;
    BrevB32(1) => 1 << 31;
    BrevB64(1) => 1 << 63;
    BfindU32(0x10) => 4;
    BfindU32[VARIANT](0x10) => 27;
    BfindS32(-17) => 4;
    BfindU64(1 << 40) => 40;
    BfindS64[VARIANT](1 << 40) => 23;
    BfeU32(0xabcd, 4, 8) => 0xbc;
    BfeS32(0xabcd, 4, 8) => -0x44;
    BfeU64(0xabcd << 32, 36, 8) => 0xbc;
    BfeS64(0xabcd << 32, 36, 8) => -0x44;
    BfiB32(0xff, 0x1111_1111, 8, 4) => 0x1111_1f11;
    BfiB64(0xff, 0, 40, 4) => 0xf << 40;
    FnsB32(0b1011, 1, 2) => 3;
    SzextS32(0x0f, 4) => u32::MAX;
    SzextS32[VARIANT](0x8000_0000, 40) => 0x8000_0000;
    SzextU32(0xff, 4) => 0x0f;
    BmskB32(4, 3) => 0x70;
    BmskB32[VARIANT](4, 40) => 0xffff_fff0;
    CnotB16(0) => 1;
    CnotB32(5) => 0;
    CnotB64(0) => 1;
    AndB32(12, 10) => 8;
    AndB64(12, 10) => 8;
    OrB32(12, 10) => 14;
    OrB64(12, 10) => 14;
    XorB32(12, 10) => 6;
    XorB64(12, 10) => 6;
    NotB32(0) => u32::MAX;
    NotB64(0) => u64::MAX;
    Lop3B32[NONE.with_high(0x20)](0b1100, 0b1010, 0b1001) => 0;
    Lop3B32[NONE.with_high(0x02)](0b1100, 0b1010, 0b1001) => 0b0001;
    Lop3B32[NONE.with_high(0x40)](0b1100, 0b1010, 0b0110) => 0b1000;
    ShlB16(0x8001, 1) => 2;
    ShlB32(1, 31) => 1 << 31;
    ShlB32(1, 32) => 0;
    ShlB64(1, 63) => 1 << 63;
    ShrU16(0x8000, 15) => 1;
    ShrS16(-4, 1) => -2;
    ShrU32(1 << 31, 31) => 1;
    ShrS32(-4, 99) => -1;
    ShrU64(1 << 63, 63) => 1;
    ShrS64(-4, 1) => -2;
    ShfLB32(0x8000_0000, 1, 1) => 3;
    ShfLB32[VARIANT](7, 1, 40) => 7;
    ShfRB32(0x8000_0000, 1, 1) => 0xc000_0000;
    ShfRB32[VARIANT](7, 1, 40) => 1;
    PrmtB32(0x3322_1100, 0x7766_5544, 0x7420) => 0x7744_2200;
    PrmtModeB32[NONE.with_high(PermuteMode::F4e as u16)](0x3322_1100, 0x7766_5544, 1) => 0x4433_2211;
    SextI32(-1) => -1;
    ZextI32(u32::MAX) => 0xffff_ffff;
    TruncI64(0x1_2345_6789) => 0x2345_6789;
    HighB64(0x1_2345_6789) => 1;
    PackB64(1, 2) => 0x2_0000_0001;
    AddF32(1.5, 2.0) => 3.5;
    SubF32(1.5, 2.0) => -0.5;
    MulF32(1.5, 2.0) => 3.0;
    FmaF32(1.5, 2.0, 0.25) => 3.25;
    AddF64(1.5, 2.0) => 3.5;
    SubF64(1.5, 2.0) => -0.5;
    MulF64(1.5, 2.0) => 3.0;
    FmaF64(1.5, 2.0, 0.25) => 3.25;
    AddWithF32[round(Round::Up)](1.0, MIN_SUBNORMAL) => f32::from_bits(0x3f80_0001);
    AddWithF32[FTZ](MIN_SUBNORMAL, MIN_SUBNORMAL) => 0.0;
    AddWithF32[SAT](1.0, 1.0) => 1.0;
    SubWithF32[round(Round::Down)](1.0, MIN_SUBNORMAL) => f32::from_bits(0x3f7f_ffff);
    MulWithF32[round(Round::Up)](f32::MIN_POSITIVE, f32::MIN_POSITIVE) => MIN_SUBNORMAL;
    FmaWithF32[round(Round::Up)](1.0, 1.0, MIN_SUBNORMAL) => f32::from_bits(0x3f80_0001);
    FmaWithF32[SAT](2.0, 3.0, -1.0) => 1.0;
    AddWithF64[round(Round::Up)](1.0, f64::MIN_POSITIVE) => 1.0 + f64::EPSILON;
    SubWithF64[round(Round::Zero)](1.0, f64::MIN_POSITIVE) => 1.0 - f64::EPSILON / 2.0;
    MulWithF64[round(Round::Up)](f64::MIN_POSITIVE, f64::MIN_POSITIVE) => f64::from_bits(1);
    FmaWithF64[round(Round::Up)](1.0, 1.0, f64::MIN_POSITIVE) => 1.0 + f64::EPSILON;
    AddF32x2(pair(1.0, 2.0), pair(4.0, 8.0)) => pair(5.0, 10.0);
    SubF32x2(pair(1.0, 2.0), pair(4.0, 8.0)) => pair(-3.0, -6.0);
    MulF32x2[FTZ](pair(MIN_SUBNORMAL, 2.0), pair(4.0, 8.0)) => pair(0.0, 16.0);
    FmaF32x2(pair(1.0, 2.0), pair(4.0, 8.0), pair(0.5, 0.25)) => pair(4.5, 16.25);
    AddF16(0x3c00, 0x4000) => 0x4200;
    AddF16[SAT](0x3c00, 0x4000) => 0x3c00;
    SubF16(0x3c00, 0x4000) => 0xbc00;
    MulF16(0x4000, 0x4000) => 0x4400;
    MulF16[FTZ](0x0001, 0x4000) => 0;
    FmaF16(0x3c00, 0x4000, 0x3c00) => 0x4200;
    FmaF16[RELU](0x3c00, 0xc000, 0x3c00) => 0;
    FmaF16[VARIANT](0x7fff, 0xc000, 0x3c00) => 0x7fff;
    AddH2(0x3c00_4000, 0x4000_3c00) => 0x4200_4200;
    SubH2(0x3c00_4000, 0x4000_3c00) => 0xbc00_3c00;
    MulH2[SAT](0x3800_4000, 0x3c00_4000) => 0x3800_3c00;
    FmaH2(0x3c00_4000, 0x4000_4000, 0x3c00_0000) => 0x4200_4400;
    AddBf16(0x3f80, 0x4000) => 0x4040;
    SubBf16(0x3f80, 0x4000) => 0xbf80;
    MulBf16(0x4000, 0x4000) => 0x4080;
    FmaBf16(0x3f80, 0x4000, 0x3f80) => 0x4040;
    FmaBf16[RELU](0x3f80, 0xc000, 0x3f80) => 0;
    AddB2(0x3f80_4000, 0x4000_3f80) => 0x4040_4040;
    SubB2(0x3f80_4000, 0x4000_3f80) => 0xbf80_3f80;
    MulB2(0x3f00_4000, 0x3f80_4000) => 0x3f00_4080;
    FmaB2(0x3f80_4000, 0x4000_4000, 0x3f80_0000) => 0x4040_4080;
    AddMixedF32(0x4000, 1.5) => 3.5;
    AddMixedF32[BF16](0x4040, 1.5) => 4.5;
    SubMixedF32[SAT](0x4400, 1.5) => 1.0;
    SubMixedF32(0x4000, 1.5) => 0.5;
    FmaMixedF32(0x4000, 0x4200, 0.5) => 6.5;
    FmaMixedF32[BF16](0x4000, 0x4040, 0.5) => 6.5;
    DivF32(1.0, 4.0) => 0.25;
    DivF32[round(Round::Up)](1.0, 3.0) => f32::from_bits(0x3eaa_aaab);
    DivF32[round(Round::Zero)](1.0, 3.0) => f32::from_bits(0x3eaa_aaaa);
    DivFullF32(1.0, 4.0) => 0.25;
    DivApproxF32(1.0, 4.0) => 0.25;
    DivF64[round(Round::Zero)](1.0, 3.0) => f64::from_bits(0x3fd5_5555_5555_5555);
    RcpF32(4.0) => 0.25;
    RcpF64(4.0) => 0.25;
    SqrtF32(4.0) => 2.0;
    SqrtF64[round(Round::Up)](2.0) => f64::from_bits(0x3ff6_a09e_667f_3bcd);
    RcpApproxF32(4.0) => 0.25;
    SqrtApproxF32(4.0) => 2.0;
    RsqrtApproxF32(4.0) => 0.5;
    Ex2ApproxF32(3.0) => 8.0;
    Lg2ApproxF32(8.0) => 3.0;
    Lg2ApproxF32[FTZ](MIN_SUBNORMAL) => f32::NEG_INFINITY;
    SinApproxF32(0.0) => 0.0;
    CosApproxF32(0.0) => 1.0;
    TanhApproxF32(0.0) => 0.0;
    Ex2Approx16(0x4200) => 0x4800;
    Ex2Approx16[BF16](0x4040) => 0x4100;
    Ex2Approx16x2(0x4200_3c00) => 0x4800_4000;
    TanhApprox16(0) => 0;
    TanhApprox16[BF16](0x7f80) => 0x3f80;
    TanhApprox16x2(0x7c00_0000) => 0x3c00_0000;
    RcpApproxF64(4.0) => 0.25;
    RsqrtApproxF64(4.0) => 0.5;
    RsqrtApproxFtzF64(4.0) => 0.5;
    MinF32(1.0, f32::NAN) => 1.0;
    MinF32[NONE.with_nan(true)](1.0, f32::NAN) => f32::from_bits(0x7fff_ffff);
    MinF32[NONE.with_xorsign(true)](-1.0, 2.0) => -1.0;
    MaxF32(1.0, 2.0) => 2.0;
    MaxF32[NONE.with_xorsign(true)](-3.0, 2.0) => -3.0;
    Min3F32(3.0, -1.0, 2.0) => -1.0;
    Min3F32[VARIANT](3.0, -1.0, 2.0) => 1.0;
    Max3F32(3.0, -4.0, 2.0) => 3.0;
    Max3F32[VARIANT](3.0, -4.0, 2.0) => 4.0;
    MinF64(1.0, 2.0) => 1.0;
    MaxF64(1.0, f64::NAN) => 1.0;
    MinF16(0x3c00, 0xbc00) => 0xbc00;
    MinF16[BF16](0x3f80, 0x7fc0) => 0x3f80;
    MaxF16(0x3c00, 0xbc00) => 0x3c00;
    MaxF16[NONE.with_nan(true)](0x3c00, 0x7e00) => 0x7fff;
    MinH2(0x3c00_4000, 0x4000_3c00) => 0x3c00_3c00;
    MaxH2(0x3c00_4000, 0x4000_3c00) => 0x4000_4000;
    AbsF32(-2.0) => 2.0;
    AbsF32[FTZ](-MIN_SUBNORMAL) => 0.0;
    AbsF64(-2.0) => 2.0;
    AbsF16(0xbc00) => 0x3c00;
    AbsF16[BF16](0xffc0) => 0x7fff;
    AbsH2(0xbc00_c000) => 0x3c00_4000;
    NegF32(2.0) => -2.0;
    NegF64(-2.0) => 2.0;
    NegF16(0x3c00) => 0xbc00;
    NegF16[FTZ](0x0001) => 0x8000;
    NegH2(0xbc00_4000) => 0x3c00_c000;
    CopysignF32(-1.0, 2.0) => -2.0;
    CopysignF64(1.0, -2.0) => 2.0;
    TestpF32[NONE.with_high(Property::Subnormal as u16)](MIN_SUBNORMAL) => true;
    TestpF64[NONE.with_high(Property::Infinite as u16)](f64::INFINITY) => true;
    SelB32(1, 2, true) => 1;
    SelB64(1, 2, false) => 2;
    SetEqI32(1, 1) => true;
    SetNeI32(1, 1) => false;
    SetLtS32(-1, 1) => true;
    SetLeS32(1, 1) => true;
    SetLtU32(u32::MAX, 1) => false;
    SetLeU32(1, 1) => true;
    SetEqI64(1, 1) => true;
    SetNeI64(1, 2) => true;
    SetLtS64(-1, 1) => true;
    SetLtU64(u64::MAX, 1) => false;
    SetLtF32(1.0, f32::NAN) => false;
    SetGtF32(2.0, 1.0) => true;
    SetLeF32(1.0, 1.0) => true;
    SetLeF32(f32::NAN, 1.0) => false;
    SetGeF32(-0.0, 0.0) => true;
    SetGeF32(1.0, f32::NAN) => false;
    SetEqF32(-0.0, 0.0) => true;
    SetEqF32(f32::NAN, f32::NAN) => false;
    SetEqF32(MIN_SUBNORMAL, 0.0) => false;
    SetNeuF32(f32::NAN, f32::NAN) => true;
    SetNeuF32(-0.0, 0.0) => false;
    SetS16[cmp(Cmp::Ge)](-1, 1) => false;
    SetU16[cmp(Cmp::Ge)](0xffff, 1) => true;
    SetS32[cmp(Cmp::Gt)](-1, 1) => false;
    SetU32[cmp(Cmp::Gt)](u32::MAX, 1) => true;
    SetS64[cmp(Cmp::Le)](-1, 1) => true;
    SetU64[cmp(Cmp::Le)](u64::MAX, 1) => false;
    SetF32[cmp(Cmp::Geu)](1.0, f32::NAN) => true;
    SetF32[cmp(Cmp::Eq).with_ftz(true)](MIN_SUBNORMAL, 0.0) => true;
    SetF64[cmp(Cmp::Num)](1.0, f64::NAN) => false;
    SetF16[cmp(Cmp::Lt)](0x3c00, 0x4000) => true;
    SetF16[cmp(Cmp::Nan).with_format(Narrow::Bf16)](0x7f81, 0) => true;
    SetH2[cmp(Cmp::Lt)](0x3c00_4000, 0x4000_3c00) => (false, true);
    F32FromS32(-3) => -3.0;
    I32FromI32[ints(IntType::S8, IntType::U32)](0x80) => 0xffff_ff80;
    I32FromI32[ints(IntType::U8, IntType::S32).with_sat(true)](u32::MAX) => 0;
    I32FromI64[ints(IntType::S16, IntType::U64)](0x8000) => 0xffff_8000;
    I64FromI32[ints(IntType::S64, IntType::S16)](0x8000) => -0x8000i64 as u64;
    I64FromI64[ints(IntType::U32, IntType::S64).with_sat(true)](u64::MAX) => 0;
    F32FromI32[ints(IntType::U8, IntType::U32)](u32::MAX) => 4294967296.0;
    F32FromI32[ints(IntType::U8, IntType::U32).with_round(Round::Zero)](u32::MAX) => 4294967040.0;
    F32FromI32[ints(IntType::U8, IntType::S8).with_sat(true)](0xff) => 0.0;
    F32FromI64[ints(IntType::U8, IntType::S64)](-3i64 as u64) => -3.0;
    F64FromI32[ints(IntType::U8, IntType::S32)](-3i32 as u32) => -3.0;
    F64FromI64[ints(IntType::U8, IntType::U64)](3) => 3.0;
    F16FromI32[ints(IntType::U8, IntType::S32)](-1i32 as u32) => 0xbc00;
    F16FromI64[ints(IntType::U8, IntType::U64).with_format(Narrow::Bf16)](3) => 0x4040;
    I32FromF32[ints(IntType::U8, IntType::U8)](300.0) => 255;
    I32FromF32[ints(IntType::S32, IntType::U8).with_round(Round::Down)](-1.5) => -2i32 as u32;
    I64FromF32[ints(IntType::S64, IntType::U8)](-1.5) => -2i64 as u64;
    I32FromF64[ints(IntType::S16, IntType::U8)](-1e9) => -0x8000i32 as u32;
    I64FromF64[ints(IntType::U64, IntType::U8).with_round(Round::Up)](1.25) => 2;
    I32FromF16[ints(IntType::S32, IntType::U8)](0xc200) => -3i32 as u32;
    I64FromF16[ints(IntType::U64, IntType::U8).with_format(Narrow::Bf16)](0x4040) => 3;
    F32FromF64[round(Round::Up)](1.0 + f64::EPSILON) => f32::from_bits(0x3f80_0001);
    F32FromF64[SAT](2.0) => 1.0;
    F64FromF32(1.5) => 1.5;
    F64FromF32[FTZ](MIN_SUBNORMAL) => 0.0;
    F32FromF16(0x4200) => 3.0;
    F32FromF16[BF16.with_sat(true)](0x4040) => 1.0;
    F64FromF16(0x4200) => 3.0;
    F64FromF16[BF16](0x4040) => 3.0;
    F16FromF32(3.0) => 0x4200;
    F16FromF32[NONE.with_satfinite(true)](1e9) => 0x7bff;
    F16FromF32[BF16.with_relu(true)](-3.0) => 0;
    F16FromF64[BF16](3.0) => 0x4040;
    F16FromF16(0x4040) => 0x4200;
    F16FromF16[BF16](0x4200) => 0x4040;
    F32FromF32[SAT](-1.0) => 0.0;
    F32FromF32[FTZ](MIN_SUBNORMAL) => 0.0;
    SatF64(2.0) => 1.0;
    SatF16(0x4000) => 0x3c00;
    RoundF32(2.5) => 2.0;
    RoundF32[round(Round::Up)](2.25) => 3.0;
    RoundF64[round(Round::Down)](-2.25) => -3.0;
    RoundF16(0x4100) => 0x4000;
    RoundF16[BF16.with_round(Round::Up)](0x4020) => 0x4040;
    H2FromF32(1.0, 2.0) => 0x3c00_4000;
    H2FromF32[BF16.with_relu(true)](-1.0, 2.0) => 0x0000_4000;
    H2FromF32Random(1.0, 2.0, 0) => 0x3c00_4000;
    H2FromF32Random[BF16](f32::from_bits(0x3f80_8000), 1.0, 0x8000_0000) => 0x3f81_3f80;
    Tf32FromF32(f32::from_bits(0x3f80_1000)) => 0x3f80_0000;
    Tf32FromF32[round(Round::NearestAway)](f32::from_bits(0x3f80_1000)) => 0x3f80_2000;
    Mini2FromF32[mini(Mini::E4m3)](1.0, 2.0) => 0x3840;
    Mini2FromF32[mini(Mini::E5m2).with_relu(true)](1.0, -2.0) => 0x3c00;
    Mini2FromH2[mini(Mini::E2m1)](0x3c00_4000) => 0x24;
    Mini2FromH2[mini(Mini::E4m3).with_format(Narrow::Bf16)](0x3f80_4000) => 0x3840;
    H2FromMini2[mini(Mini::E4m3)](0x3840) => 0x3c00_4000;
    H2FromMini2[mini(Mini::E5m2).with_format(Narrow::Bf16)](0x3cc0) => 0x3f80_c000;
    Mini4FromF32Random[mini(Mini::E4m3)](pair(2.0, 1.0), pair(1.0, -1.0), 0) => 0x3840_b838;
    Ue8m0x2FromF32(1.5, 4.0) => 0x7f81;
    Ue8m0x2FromF32[round(Round::Up)](1.5, 4.0) => 0x8081;
    Ue8m0x2FromB2(0x3fc0_4080) => 0x7f81;
    B2FromUe8m0x2(0x7f81) => 0x3f80_4080;
    PackI32[NONE.with_high(2)](300, -5, 0x1234) => 0x1234_ff00;
    PackI32[NONE.with_high(2).with_variant(true)](300, -5, 0x1234) => 0x1234_7ffb;
    PackI32[NONE.with_high(3)](1, 2, 0) => 0x0001_0002;
    S2f6x2FromF32(1.0, -2.0, 0x7f7f) => 0x4080;
    S2f6x2FromF32(2.0, f32::NAN, 0x807f) => 0x407f;
    S2f6x2FromF32[RELU](1.0, -2.0, 0x7f7f) => 0x4000;
    S2f6x2FromB2(0x3f80_bf80, 0x7f7f) => 0x40c0;
    B2FromS2f6x2(0x40c0, 0x7f80) => 0x3f80_c000;
    B2FromMini2Scaled[mini(Mini::E4m3)](0x3840, 0x7f81) => 0x3f80_4100;
    B2FromMini2Scaled[mini(Mini::E5m2).with_satfinite(true)](0x7b3c, 0xfe7f) => 0x7f7f_3f80;
    VideoScalar[Mods(VideoScalar {
        op: VideoOp::Sub,
        a: Part::B1,
        b: Part::H0,
        d: Part::Word,
        a_signed: false,
        b_signed: true,
        d_signed: true,
        sat: false,
        secondary: Secondary::Add,
    }.to_bits())](0x0000_0500, 0xffff_fffe, 10) => 17;
    VideoMad[Mods(VideoMad {
        a: Part::B0,
        b: Part::Word,
        a_signed: false,
        b_signed: false,
        negate_product: false,
        negate_addend: true,
        plus_one: false,
        sat: false,
        shift_bits: 0,
    }.to_bits())](0xff03, 5, 4) => 11;
    VAdd2[simd2(MERGE)](0xffff_0001, 0x0002_0003, 0) => 0x0001_0004;
    VSub2[simd2(SimdResult::MergeSatU)](0x0005_0001, 0x0002_0003, 0) => 0x0003_0000;
    VAverage2[simd2(MERGE)](0x0001_0004, 0x0002_0004, 0) => 0x0002_0004;
    VAbsDiff2[simd2(SimdResult::Accumulate)](0x0001_0004, 0x0003_0001, 10) => 15;
    VMin2[simd2(MERGE)](0xffff_0001, 0x0002_0003, 0) => 0x0002_0001;
    VMax2[simd2(MERGE)](0xffff_0001, 0x0002_0003, 0) => 0xffff_0003;
    VSetEq2[simd2(MERGE)](0x0001_0002, 0x0001_0003, 0) => 0x0001_0000;
    VSetNe2[simd2(MERGE)](0x0001_0002, 0x0001_0003, 0) => 0x0000_0001;
    VSetLt2[simd2(MERGE)](0x0001_0002, 0x0001_0003, 0) => 0x0000_0001;
    VSetLe2[simd2(MERGE)](0x0001_0002, 0x0001_0003, 0) => 0x0001_0001;
    VSetGt2[simd2(MERGE)](0x0002_0002, 0x0001_0003, 0) => 0x0001_0000;
    VSetGe2[simd2(MERGE)](0x0002_0002, 0x0001_0003, 0) => 0x0001_0000;
    VAdd4[simd(MERGE)](0xff01_0203, 0x0101_0101, 0) => 0x0002_0304;
    VSub4[simd(SimdResult::MergeSatU)](0x0005_0203, 0x0101_0304, 0) => 0x0004_0000;
    VAverage4[simd(MERGE)](0x0001_0204, 0x0102_0204, 0) => 0x0102_0204;
    VAbsDiff4[simd(SimdResult::Accumulate)](0x0102_0304, 0x0401_0304, 10) => 14;
    VMin4[simd(MERGE)](0xff01_0203, 0x0102_0101, 0) => 0x0101_0101;
    VMax4[simd(MERGE)](0xff01_0203, 0x0102_0101, 0) => 0xff02_0203;
    VSetEq4[simd(MERGE)](0x0102_0304, 0x0102_0405, 0) => 0x0101_0000;
    VSetNe4[simd(MERGE)](0x0102_0304, 0x0102_0405, 0) => 0x0000_0101;
    VSetLt4[simd(MERGE)](0x0102_0304, 0x0102_0405, 0) => 0x0000_0101;
    VSetLe4[simd(MERGE)](0x0102_0304, 0x0102_0405, 0) => 0x0101_0101;
    VSetGt4[simd(MERGE)](0x0202_0304, 0x0102_0405, 0) => 0x0100_0000;
    VSetGe4[simd(MERGE)](0x0202_0304, 0x0102_0405, 0) => 0x0101_0000;
}

#[test]
fn rows_give_hand_computed_values() {
    check_values();
}

#[test]
fn every_row_has_a_value() {
    let checked: HashSet<Op> = CHECKED.iter().copied().collect();
    let rows = Op::ALL.iter().filter(|op| op.signature().is_some());
    let missing: Vec<&str> = rows
        .filter(|op| !checked.contains(op))
        .map(|op| op.name())
        .collect();
    assert_eq!(missing, [""; 0]);
}
