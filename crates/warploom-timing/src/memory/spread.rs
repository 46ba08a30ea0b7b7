//! Which of several equal parts (slices, channels, banks, sets) a number belongs to.

use warploom_device::schema::AddressHash;

/// Division by a number that is known beforehand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Divider {
    divisor: u64,
    /// `floor(2^64 / divisor) + 1`; not used for 1.
    reciprocal: u64,
}

impl Divider {
    /// A divisor of 0 counts as 1; it has at most 62 bits.
    pub(crate) fn new(divisor: u64) -> Divider {
        let divisor = divisor.max(1);
        let reciprocal = (u64::MAX / divisor).wrapping_add(1);
        // 2^64 - 1 and 2^64 have the same quotient, unless the divisor is a power of two.
        let exact = divisor.is_power_of_two();
        Divider {
            divisor,
            reciprocal: reciprocal.wrapping_add(u64::from(exact)),
        }
    }

    /// Quotient and remainder.
    pub(crate) fn divide(self, number: u64) -> (u64, u64) {
        if self.divisor == 1 {
            return (number, 0);
        }
        // The reciprocal is too large by less than one part, so the product by at most one; the
        // remainder is then negative.
        let product = u128::from(number) * u128::from(self.reciprocal);
        let quotient = (product >> 64) as u64;
        let rest = number.wrapping_sub(quotient.wrapping_mul(self.divisor));
        if rest > i64::MAX as u64 {
            return (quotient - 1, rest.wrapping_add(self.divisor));
        }
        (quotient, rest)
    }
}

/// Spreads numbers over parts: of as many neighbours as there are parts, each part gets one.
///
/// With [`AddressHash::Xor`] the power of two in the number of parts is chosen by folding all bits
/// by exclusive or, and the odd rest by a remainder, so that no power-of-two stride leaves parts
/// idle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    hash: AddressHash,
    parts: Divider,
    low_bits: u32,
    odd: Divider,
}

impl Spread {
    /// No parts count as one.
    pub(crate) fn new(parts: u64, hash: AddressHash) -> Spread {
        let parts = parts.max(1);
        let low_bits = parts.trailing_zeros();
        Spread {
            hash,
            parts: Divider::new(parts),
            low_bits,
            odd: Divider::new(parts >> low_bits),
        }
    }

    /// Number of parts.
    pub(crate) fn count(&self) -> usize {
        self.parts.divisor as usize
    }

    /// The part of a number.
    pub(crate) fn part(&self, number: u64) -> usize {
        match self.hash {
            AddressHash::Modulo => self.parts.divide(number).1 as usize,
            AddressHash::Xor => {
                let high = self.odd.divide(number >> self.low_bits).1;
                (fold(number, self.low_bits) | high << self.low_bits) as usize
            }
        }
    }

    /// Which of its part's numbers it is: with [`Spread::part`] it identifies the number.
    pub(crate) fn rank(&self, number: u64) -> u64 {
        self.parts.divide(number).0
    }
}

/// The exclusive or of all groups of `bits` bits.
fn fold(number: u64, bits: u32) -> u64 {
    if bits == 0 {
        return 0;
    }
    let mut folded = number;
    let mut shift = bits;
    while shift < u64::BITS {
        folded ^= folded >> shift;
        shift *= 2;
    }
    folded & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_exact() {
        for divisor in [1, 2, 3, 5, 24, 40, 64, 80, 96, 320, 1024, 65_537, 1 << 40] {
            let divider = Divider::new(divisor);
            for number in [
                0,
                1,
                divisor - 1,
                divisor,
                divisor + 1,
                7 * divisor - 1,
                7 * divisor,
                1 << 50,
                u64::MAX - 1,
                u64::MAX,
            ] {
                let expected = (number / divisor, number % divisor);
                assert_eq!(divider.divide(number), expected, "{number} / {divisor}");
            }
        }
    }

    #[test]
    fn folding_takes_every_group() {
        assert_eq!(fold(0b1010_0110_0001, 4), 0b1010 ^ 0b0110 ^ 0b0001);
        assert_eq!(fold(0b111_001, 3), 0b110);
        assert_eq!(fold(0xffff, 0), 0);
    }

    #[test]
    fn neighbours_go_to_different_parts() {
        for parts in [1u64, 5, 24, 64, 72, 80] {
            for hash in [AddressHash::Xor, AddressHash::Modulo] {
                let spread = Spread::new(parts, hash);
                let mut seen = vec![0; parts as usize];
                for number in 1000 * parts..1003 * parts {
                    seen[spread.part(number)] += 1;
                    assert_eq!(spread.rank(number), number / parts);
                }
                assert_eq!(seen, vec![3; parts as usize], "{parts} by {hash:?}");
            }
        }
    }

    /// A stride of the number of parts puts everything into one part by remainder, and spreads
    /// evenly by folding.
    #[test]
    fn strides_are_spread_by_folding() {
        let used = |hash| {
            let spread = Spread::new(64, hash);
            let parts: std::collections::BTreeSet<usize> =
                (0..64).map(|i| spread.part(64 * i)).collect();
            parts.len()
        };
        assert_eq!(used(AddressHash::Modulo), 1);
        assert_eq!(used(AddressHash::Xor), 64);
    }
}
