//! Arrays that a rule fills, element by element from the element's number alone.

use crate::element::{Class, ElementType};

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// All zero.
    Zeros,
    /// All one.
    Ones,
    /// Element `i` is `i`, converted as NumPy's `arange(n).astype(type)` does.
    Iota,
    /// Pseudo-random numbers; see [`random_bits`].
    Random {
        /// Picks the sequence.
        seed: u64,
    },
}

/// The 64 random bits behind element `i` of the sequence `seed`: output number `i` of the
/// generator SplitMix64 started at `seed`.
///
/// Integers take the low bits of it, over their full range, and bool the lowest bit. Floats are
/// in `[0, 1)`: the highest 11 (`f16`), 8 (`bf16`), 24 (`f32`) or 53 (`f64`) bits as a fraction,
/// so every value is exact.
pub fn random_bits(seed: u64, i: u64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = seed.wrapping_add(STEP.wrapping_mul(i.wrapping_add(1)));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Fill {
    /// The name in launch files and arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Fill::Zeros => "zeros",
            Fill::Ones => "ones",
            Fill::Iota => "iota",
            Fill::Random { .. } => "random",
        }
    }

    /// The bits of element `i`.
    pub fn element(self, ty: ElementType, i: u64) -> u64 {
        match self {
            Fill::Zeros => 0,
            Fill::Ones => ty.from_integer(1),
            Fill::Iota => ty.from_integer(i),
            Fill::Random { seed } => random(ty, random_bits(seed, i)),
        }
    }

    /// Writes elements `first..` into `bytes`, whose length is a multiple of the element's.
    pub fn write(self, ty: ElementType, first: u64, bytes: &mut [u8]) {
        for (i, place) in (first..).zip(bytes.chunks_exact_mut(ty.bytes())) {
            place.copy_from_slice(&self.element(ty, i).to_le_bytes()[..ty.bytes()]);
        }
    }
}

fn random(ty: ElementType, bits: u64) -> u64 {
    let fraction = |digits: u32| {
        let value = (bits >> (64 - digits)) as f64;
        ty.from_f64(value / (1u64 << digits) as f64)
    };
    match (ty, ty.class()) {
        (ElementType::F16, _) => fraction(11),
        (ElementType::Bf16, _) => fraction(8),
        (ElementType::F32, _) => fraction(24),
        (_, Class::Float) => fraction(53),
        (_, Class::Bool) => bits & 1,
        _ => bits & ty.mask(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published outputs of SplitMix64 for the seed 1234567.
    #[test]
    fn the_generator_is_splitmix64() {
        let outputs = [0, 1, 2, 3, 4].map(|i| random_bits(1_234_567, i));
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(outputs, published);
    }

    #[test]
    fn random_values_use_the_bits_that_the_rule_names() {
        // 6457827717110365317 is 0x599ed017fb08fc85.
        let seed = 1_234_567;
        assert_eq!(random_bits(seed, 0), 0x599e_d017_fb08_fc85);
        let bits = |ty| Fill::Random { seed }.element(ty, 0);
        assert_eq!(bits(ElementType::U8), 0x85);
        assert_eq!(bits(ElementType::S16), 0xfc85);
        assert_eq!(bits(ElementType::Bool), 1);
        let f32_value = f64::from(0x59_9ed0) / f64::from(1 << 24);
        assert_eq!(
            ElementType::F32
                .decode(&bits(ElementType::F32).to_le_bytes())
                .as_f64(),
            f32_value
        );
        let half = f64::from(0x599e >> 5) / 2048.0;
        assert_eq!(
            ElementType::F16
                .decode(&bits(ElementType::F16).to_le_bytes())
                .as_f64(),
            half
        );
        let brain = f64::from(0x59) / 256.0;
        assert_eq!(
            ElementType::Bf16
                .decode(&bits(ElementType::Bf16).to_le_bytes())
                .as_f64(),
            brain
        );
    }

    #[test]
    fn chunks_continue_each_other() {
        let mut whole = [0; 64];
        Fill::Iota.write(ElementType::U16, 0, &mut whole);
        let mut rest = [0; 32];
        Fill::Iota.write(ElementType::U16, 16, &mut rest);
        assert_eq!(whole[32..], rest);
        assert_eq!(whole[62..], [31, 0]);
        let mut ones = [0; 4];
        Fill::Ones.write(ElementType::Bf16, 5, &mut ones);
        assert_eq!(ones, [0x80, 0x3f, 0x80, 0x3f]);
    }
}
