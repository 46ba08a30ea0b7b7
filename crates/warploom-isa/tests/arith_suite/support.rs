//! Operands that matter, and the oracle's spelling of rounding and NaN.

use rustc_apfloat::Float;
use warploom_isa::arith::Round;

/// The four directions of arithmetic.
pub const DIRECTIONS: [Round; 4] = [Round::NearestEven, Round::Zero, Round::Down, Round::Up];

pub fn oracle(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::NearestEven => rustc_apfloat::Round::NearestTiesToEven,
        Round::Zero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
        Round::NearestAway => rustc_apfloat::Round::NearestTiesToAway,
    }
}

/// The oracle's bits, any NaN replaced by `nan`.
pub fn bits<F: Float>(x: F, nan: u64) -> u64 {
    if x.is_nan() { nan } else { x.to_bits() as u64 }
}

/// A small deterministic generator (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    pub fn u16(&mut self) -> u16 {
        (self.u64() >> 48) as u16
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.u32()) * u64::from(bound)) >> 32) as u32
    }

    /// Any bits, or few significant bits, or an exponent close to that of `other`.
    pub fn f32_bits(&mut self, other: u32) -> u32 {
        let bits = self.u32();
        match self.below(4) {
            0 => bits,
            1 => bits & 0xffff_0000,
            _ => {
                let field = (other >> 23 & 0xff) as i32 + self.below(60) as i32 - 30;
                bits & 0x807f_ffff | (field.clamp(0, 254) as u32) << 23
            }
        }
    }

    /// As [`Random::f32_bits`].
    pub fn f64_bits(&mut self, other: u64) -> u64 {
        let bits = self.u64();
        match self.below(4) {
            0 => bits,
            1 => bits & 0xffff_ffff_0000_0000,
            _ => {
                let field = (other >> 52 & 0x7ff) as i32 + self.below(130) as i32 - 65;
                bits & 0x800f_ffff_ffff_ffff | (field.clamp(0, 2046) as u64) << 52
            }
        }
    }
}

/// Zeros, subnormals, the ends of every range, halfway cases, infinities and NaN.
pub const EDGES_F32: [u32; 36] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0003,
    0x0040_0000,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x0100_0000,
    0x3380_0000,
    0x3400_0000,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4000_0000,
    0x4020_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4b80_0001,
    0x4f00_0000,
    0x5f00_0000,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xffc1_2345,
];

/// As [`EDGES_F32`].
pub const EDGES_F64: [u64; 31] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x0008_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x3c90_0000_0000_0000,
    0x3ca0_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3ff8_0000_0000_0000,
    0x4000_0000_0000_0000,
    0x41e0_0000_0000_0000,
    0x4330_0000_0000_0001,
    0x43e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x47ef_ffff_f000_0000,
    0x7fe0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0123,
    0x7ff0_0000_0000_0001,
    0xfff8_0000_0000_4567,
];

/// Edges of f16 and bf16 together; each is read as either.
pub const EDGES_16: [u16; 36] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x0003, 0x0010, 0x0040, 0x007f, 0x0080, 0x8080, 0x0081, 0x03ff,
    0x83ff, 0x0400, 0x8400, 0x0401, 0x1000, 0x3800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3f00, 0x3f7f,
    0x3f80, 0xbf80, 0x3f81, 0x4000, 0x6400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7fc1,
];
