//! Repeatable random numbers.

use super::program::Kind;

/// xorshift64*.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds must not give similar streams; zero is not a state.
        let mixed = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mut random = Random(mixed | 1);
        for _ in 0..8 {
            random.bits();
        }
        random
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Bits for an operand, often ones on an edge.
    pub fn value(&mut self, kind: Kind) -> u64 {
        match kind {
            Kind::Pred => self.bits() & 1,
            Kind::Shift => match self.below(8) {
                0 => self.bits() & 0xffff_ffff,
                1 => self.pick(&[31, 32, 33, 63, 64, 65, 255, 256, u64::from(u32::MAX)]),
                _ => self.bits() % 40,
            },
            Kind::Byte => self.bits() & 0xff,
            Kind::F32 => self.float(8, 23),
            Kind::F64 => self.float(11, 52),
            Kind::B16 => self.integer(16),
            Kind::B32 => match self.below(3) {
                0 => self.float(8, 23),
                _ => self.integer(32),
            },
            Kind::B64 => match self.below(3) {
                0 => self.float(11, 52),
                _ => self.integer(64),
            },
        }
    }

    fn integer(&mut self, width: u32) -> u64 {
        let all = u64::MAX >> (64 - width);
        let value = match self.below(8) {
            0 => 0,
            1 => all,
            2 => all >> 1,
            3 => (all >> 1) + 1,
            4 => 1 << self.below(width as usize),
            5 => self.bits() % 64,
            6 => (self.bits() % 64).wrapping_neg(),
            _ => self.bits(),
        };
        value & all
    }

    /// Bits of an IEEE number with so wide an exponent and fraction.
    fn float(&mut self, exponent_bits: u32, fraction_bits: u32) -> u64 {
        let top = (1u64 << exponent_bits) - 1;
        let fraction_mask = (1u64 << fraction_bits) - 1;
        let fraction = match self.below(4) {
            0 => 0,
            1 => fraction_mask,
            2 => 1 << self.below(fraction_bits as usize),
            _ => self.bits() & fraction_mask,
        };
        let middle = top / 2;
        let exponent = match self.below(8) {
            // Zeros and subnormals, infinities and NaN.
            0 => 0,
            1 => top,
            2 => 1,
            3 => top - 1,
            4 => self.bits() % top,
            // Around one, so that sums and products stay finite.
            _ => middle - 8 + self.bits() % 24,
        };
        let sign = self.bits() & 1;
        sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction
    }
}
