//! The video instructions: integer operations on bytes, halves and words picked from registers.
//!
//! How an instruction picks and combines is a small structure, packed into one modifier word by
//! `to_bits`. A scalar instruction computes once, in more than 32 bits, then clamps, combines with
//! a third operand or merges into part of it; a SIMD one does two or four lanes.

use super::compare::{Cmp, compare_int};

coded_enum! {
    /// The first operation of a video instruction.
    VideoOp {
        Add: "Sum.",
        Sub: "Difference.",
        AbsDiff: "Magnitude of the difference.",
        Min: "Minimum.",
        Max: "Maximum.",
        Average: "Half the sum, halves rounded up; below zero rounded down. SIMD only.",
        ShlClamp: "Left shift by at most 32. Scalar only.",
        ShlWrap: "Left shift, amount modulo 32. Scalar only.",
        ShrClamp: "Right shift by at most 32. Scalar only.",
        ShrWrap: "Right shift, amount modulo 32. Scalar only.",
        SetEq: "1 if equal, else 0.",
        SetNe: "1 if not equal, else 0.",
        SetLt: "1 if less, else 0.",
        SetLe: "1 if less or equal, else 0.",
        SetGt: "1 if greater, else 0.",
        SetGe: "1 if greater or equal, else 0.",
    }
}

coded_enum! {
    /// The part of a register that a scalar video instruction reads or replaces.
    Part {
        Word: "All of it.",
        B0: "The lowest byte.",
        B1: "The second byte.",
        B2: "The third byte.",
        B3: "The highest byte.",
        H0: "The low half.",
        H1: "The high half.",
    }
}

impl Part {
    /// Position of its lowest bit, and width.
    const fn shift_and_bits(self) -> (u32, u32) {
        match self {
            Part::Word => (0, 32),
            Part::B0 => (0, 8),
            Part::B1 => (8, 8),
            Part::B2 => (16, 8),
            Part::B3 => (24, 8),
            Part::H0 => (0, 16),
            Part::H1 => (16, 16),
        }
    }

    fn extract(self, x: u32, signed: bool) -> i64 {
        let (shift, bits) = self.shift_and_bits();
        extend(x >> shift, bits, signed)
    }
}

coded_enum! {
    /// What a scalar video instruction does with its third operand.
    Secondary {
        None: "Nothing, or merge if the destination is a part.",
        Add: "Adds it.",
        Min: "Minimum with it.",
        Max: "Maximum with it.",
    }
}

/// The low `bits` of `x`, extended.
fn extend(x: u32, bits: u32, signed: bool) -> i64 {
    let top = i64::from(x) << (64 - bits);
    if signed {
        top >> (64 - bits)
    } else {
        (top as u64 >> (64 - bits)) as i64
    }
}

fn clamp_to(x: i64, bits: u32, signed: bool) -> i64 {
    if signed {
        x.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        x.clamp(0, (1 << bits) - 1)
    }
}

fn compute(op: VideoOp, a: i64, b: i64) -> i64 {
    // A shift amount is unsigned and at most 32; the widest operand has 33 bits.
    let amount = |clamp: bool| if clamp { b.clamp(0, 32) } else { b & 31 };
    let left = |clamp| {
        let wide = i128::from(a) << amount(clamp);
        wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    };
    let set = |cmp| i64::from(compare_int(a, b, cmp));
    match op {
        VideoOp::Add => a + b,
        VideoOp::Sub => a - b,
        VideoOp::AbsDiff => (a - b).abs(),
        VideoOp::Min => a.min(b),
        VideoOp::Max => a.max(b),
        VideoOp::Average => (a + b + i64::from(a + b >= 0)) >> 1,
        VideoOp::ShlClamp => left(true),
        VideoOp::ShlWrap => left(false),
        VideoOp::ShrClamp => a >> amount(true),
        VideoOp::ShrWrap => a >> amount(false),
        VideoOp::SetEq => set(Cmp::Eq),
        VideoOp::SetNe => set(Cmp::Ne),
        VideoOp::SetLt => set(Cmp::Lt),
        VideoOp::SetLe => set(Cmp::Le),
        VideoOp::SetGt => set(Cmp::Gt),
        VideoOp::SetGe => set(Cmp::Ge),
    }
}

/// The modifiers of a scalar video instruction. Shifts have an unsigned second operand, `vset` an
/// unsigned destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VideoScalar {
    /// The operation.
    pub op: VideoOp,
    /// Part of the first operand.
    pub a: Part,
    /// Part of the second operand.
    pub b: Part,
    /// Part of the destination; the rest is taken from the third operand.
    pub d: Part,
    /// Whether the first operand is signed.
    pub a_signed: bool,
    /// Whether the second operand is signed.
    pub b_signed: bool,
    /// Whether destination and third operand are signed.
    pub d_signed: bool,
    /// Whether the result is limited to the destination's range.
    pub sat: bool,
    /// Use of the third operand.
    pub secondary: Secondary,
}

impl VideoScalar {
    /// The modifier word.
    pub const fn to_bits(self) -> u32 {
        self.op.code() as u32
            | (self.a.code() as u32) << 4
            | (self.b.code() as u32) << 7
            | (self.d.code() as u32) << 10
            | (self.a_signed as u32) << 13
            | (self.b_signed as u32) << 14
            | (self.d_signed as u32) << 15
            | (self.sat as u32) << 16
            | (self.secondary.code() as u32) << 17
    }

    /// The modifiers that a word holds.
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> VideoScalar {
        VideoScalar {
            op: VideoOp::from_code(bits as u8 & 15),
            a: Part::from_code((bits >> 4) as u8 & 7),
            b: Part::from_code((bits >> 7) as u8 & 7),
            d: Part::from_code((bits >> 10) as u8 & 7),
            a_signed: bits >> 13 & 1 != 0,
            b_signed: bits >> 14 & 1 != 0,
            d_signed: bits >> 15 & 1 != 0,
            sat: bits >> 16 & 1 != 0,
            secondary: Secondary::from_code((bits >> 17) as u8 & 3),
        }
    }
}

/// `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vset`.
#[inline]
pub fn video_scalar(a: u32, b: u32, c: u32, how: VideoScalar) -> u32 {
    let (shift, bits) = how.d.shift_and_bits();
    let a = how.a.extract(a, how.a_signed);
    let first = compute(how.op, a, how.b.extract(b, how.b_signed));
    let limited = if how.sat {
        clamp_to(first, bits, how.d_signed)
    } else {
        first
    };
    let third = extend(c, 32, how.d_signed);
    let combined = match how.secondary {
        Secondary::None => limited,
        Secondary::Add => limited.wrapping_add(third),
        Secondary::Min => limited.min(third),
        Secondary::Max => limited.max(third),
    };
    let mask = (u32::MAX >> (32 - bits)) << shift;
    c & !mask | (combined as u32) << shift & mask
}

/// The modifiers of `vmad`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VideoMad {
    /// Part of the first factor.
    pub a: Part,
    /// Part of the second factor.
    pub b: Part,
    /// Whether the first factor is signed.
    pub a_signed: bool,
    /// Whether the second factor is signed.
    pub b_signed: bool,
    /// Whether the product is negated: one of the factors is, not both.
    pub negate_product: bool,
    /// Whether the addend is negated.
    pub negate_addend: bool,
    /// `.po`: adds one more.
    pub plus_one: bool,
    /// Whether the result is limited to 32 bits.
    pub sat: bool,
    /// Right shift of the result in bits: 0, 7 or 15.
    pub shift_bits: u8,
}

impl VideoMad {
    /// The modifier word.
    pub const fn to_bits(self) -> u32 {
        self.a.code() as u32
            | (self.b.code() as u32) << 3
            | (self.a_signed as u32) << 6
            | (self.b_signed as u32) << 7
            | (self.negate_product as u32) << 8
            | (self.negate_addend as u32) << 9
            | (self.plus_one as u32) << 10
            | (self.sat as u32) << 11
            | (self.shift_bits as u32 & 15) << 12
    }

    /// The modifiers that a word holds.
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> VideoMad {
        VideoMad {
            a: Part::from_code(bits as u8 & 7),
            b: Part::from_code((bits >> 3) as u8 & 7),
            a_signed: bits >> 6 & 1 != 0,
            b_signed: bits >> 7 & 1 != 0,
            negate_product: bits >> 8 & 1 != 0,
            negate_addend: bits >> 9 & 1 != 0,
            plus_one: bits >> 10 & 1 != 0,
            sat: bits >> 11 & 1 != 0,
            shift_bits: (bits >> 12) as u8 & 15,
        }
    }
}

/// `vmad`.
#[inline]
pub fn video_mad(a: u32, b: u32, c: u32, how: VideoMad) -> u32 {
    let a = how.a.extract(a, how.a_signed);
    let b = how.b.extract(b, how.b_signed);
    let signed = how.a_signed || how.b_signed || how.negate_product || how.negate_addend;
    let product = i128::from(a) * i128::from(b);
    // The addend is complemented in 32 bits before it is extended.
    let (product, c, one) = if how.plus_one {
        (product, c, 1)
    } else if how.negate_product {
        (!product, c, 1)
    } else if how.negate_addend {
        (product, !c, 1)
    } else {
        (product, c, 0)
    };
    let sum = product + i128::from(extend(c, 32, signed)) + one;
    let result = (sum >> how.shift_bits) as i64;
    match (how.sat, signed) {
        (false, _) => result as u32,
        (true, true) => clamp_to(result, 32, true) as u32,
        (true, false) => (result as u64).min(u64::from(u32::MAX)) as u32,
    }
}

coded_enum! {
    /// What a SIMD video instruction does with its lanes' results.
    SimdResult {
        Merge: "Cuts them to the lane; lanes out of the mask come from the third operand.",
        MergeSatU: "The same, limited to the unsigned range of the lane.",
        MergeSatS: "The same, limited to the signed range of the lane.",
        Accumulate: "Adds those in the mask to the third operand.",
    }
}

/// The modifiers of a SIMD video instruction of two or four lanes, without its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VideoSimd {
    /// Which of the eight bytes (four halves) of `b`:`a` each lane reads first, three bits a lane,
    /// the lowest lane in the lowest bits.
    pub a_select: u16,
    /// Which part each lane reads second.
    pub b_select: u16,
    /// Whether the first operand is signed.
    pub a_signed: bool,
    /// Whether the second operand is signed.
    pub b_signed: bool,
    /// What becomes of the results.
    pub result: SimdResult,
    /// One bit per lane that is written.
    pub mask: u8,
}

impl VideoSimd {
    /// The selection of four bytes, or of two halves (the low lanes), given from the highest lane
    /// down as PTX writes it: `.b3210` is `[3, 2, 1, 0]`, `.h32` is `[0, 0, 3, 2]`.
    pub const fn selection(lanes: [u8; 4]) -> u16 {
        let [d, c, b, a] = lanes;
        (a as u16 & 7) | (b as u16 & 7) << 3 | (c as u16 & 7) << 6 | (d as u16 & 7) << 9
    }

    /// The modifier word.
    pub const fn to_bits(self) -> u32 {
        self.a_select as u32 & 0xfff
            | (self.b_select as u32 & 0xfff) << 12
            | (self.a_signed as u32) << 24
            | (self.b_signed as u32) << 25
            | (self.result.code() as u32) << 26
            | (self.mask as u32 & 15) << 28
    }

    /// The modifiers that a word holds.
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> VideoSimd {
        VideoSimd {
            a_select: bits as u16 & 0xfff,
            b_select: (bits >> 12) as u16 & 0xfff,
            a_signed: bits >> 24 & 1 != 0,
            b_signed: bits >> 25 & 1 != 0,
            result: SimdResult::from_code((bits >> 26) as u8 & 3),
            mask: (bits >> 28) as u8,
        }
    }
}

/// `vadd2`, `vsub2`, `vavrg2`, `vabsdiff2`, `vmin2`, `vmax2`, `vset2`.
#[inline]
pub fn video_simd2(a: u32, b: u32, c: u32, op: VideoOp, how: VideoSimd) -> u32 {
    video_simd(a, b, c, op, how, 2)
}

/// `vadd4`, `vsub4`, `vavrg4`, `vabsdiff4`, `vmin4`, `vmax4`, `vset4`.
#[inline]
pub fn video_simd4(a: u32, b: u32, c: u32, op: VideoOp, how: VideoSimd) -> u32 {
    video_simd(a, b, c, op, how, 4)
}

#[inline(always)]
fn video_simd(a: u32, b: u32, c: u32, op: VideoOp, how: VideoSimd, lanes: u32) -> u32 {
    let bits = 32 / lanes;
    let pair = u64::from(b) << 32 | u64::from(a);
    let pick = |select: u16, lane: u32, signed: bool| {
        let part = u32::from(select >> (3 * lane)) & (2 * lanes - 1);
        extend((pair >> (part * bits)) as u32, bits, signed)
    };
    let mut result = c;
    for lane in 0..lanes {
        if how.mask >> lane & 1 == 0 {
            continue;
        }
        let first = pick(how.a_select, lane, how.a_signed);
        let value = compute(op, first, pick(how.b_select, lane, how.b_signed));
        let limited = match how.result {
            SimdResult::Merge => value,
            SimdResult::MergeSatU => clamp_to(value, bits, false),
            SimdResult::MergeSatS => clamp_to(value, bits, true),
            SimdResult::Accumulate => {
                result = result.wrapping_add(value as u32);
                continue;
            }
        };
        let mask = (u32::MAX >> (32 - bits)) << (lane * bits);
        result = result & !mask | (limited as u32) << (lane * bits) & mask;
    }
    result
}
