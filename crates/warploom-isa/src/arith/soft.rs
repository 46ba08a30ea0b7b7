//! Floating-point numbers taken apart into integers, and rounded back once into any format.

use super::Round;
use super::flush::propagate_f64;

/// A binary floating-point format with subnormals and the usual exponent bias.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Width of the exponent field in bits.
    pub exponent_bits: u32,
    /// Width of the fraction field in bits.
    pub fraction_bits: u32,
    /// Bits of the largest finite number; in IEEE formats the next pattern is infinity.
    pub max_finite: u64,
}

pub(crate) const F64: Format = Format {
    exponent_bits: 11,
    fraction_bits: 52,
    max_finite: 0x7fef_ffff_ffff_ffff,
};
pub(crate) const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
    max_finite: 0x7f7f_ffff,
};
pub(crate) const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
    max_finite: 0x7bff,
};
pub(crate) const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
    max_finite: 0x7f7f,
};

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The sign bit, alone.
    pub const fn sign_bit(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }
}

/// How the bits below the last kept one decide.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// By direction.
    Direction(Round),
    /// Away from zero when the discarded fraction, cut to `width` bits, plus `bits` carries.
    Stochastic { bits: u32, width: u32 },
}

/// A finite number: `significand` × 2^`exponent`, negative if `negative`.
#[derive(Clone, Copy)]
pub(crate) struct Finite {
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
}

impl Finite {
    /// Takes a finite f64 apart.
    pub fn from_f64(x: f64) -> Finite {
        let bits = x.to_bits();
        let field = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        Finite {
            negative: bits >> 63 != 0,
            significand: u128::from(if field == 0 {
                fraction
            } else {
                fraction | 1 << 52
            }),
            exponent: field.max(1) - 1075,
        }
    }

    fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The same number with its highest bit at `position`; exact if that is not below it now.
    fn with_top_at(self, position: u32) -> Finite {
        let up = position as i32 - (127 - self.significand.leading_zeros() as i32);
        Finite {
            significand: self.significand << up,
            exponent: self.exponent - up,
            ..self
        }
    }

    fn times(self, other: Finite) -> Finite {
        Finite {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The sum of two non-zero numbers of at most 106 bits. Bits that alignment pushes out are
    /// recorded in the last bit, far below any rounding position.
    fn plus(self, other: Finite, round: Round) -> Finite {
        let (a, b) = (self.with_top_at(125), other.with_top_at(125));
        let (large, small) = if a.exponent >= b.exponent {
            (a, b)
        } else {
            (b, a)
        };
        let distance = (large.exponent - small.exponent) as u32;
        let aligned = if distance > 127 {
            1
        } else {
            let kept = small.significand >> distance;
            kept | u128::from(kept << distance != small.significand)
        };
        let (significand, negative) = if large.negative == small.negative {
            (large.significand + aligned, large.negative)
        } else if large.significand == aligned {
            (0, round == Round::Down)
        } else if large.significand > aligned {
            (large.significand - aligned, large.negative)
        } else {
            (aligned - large.significand, small.negative)
        };
        Finite {
            negative,
            significand,
            exponent: large.exponent,
        }
    }

    /// Rounds into a format. What is beyond its range becomes the largest finite number when the
    /// direction says so or if `finite_only`, else infinity.
    pub fn pack(self, format: Format, rule: Rule, finite_only: bool) -> u64 {
        let sign = if self.negative { format.sign_bit() } else { 0 };
        if self.is_zero() {
            return sign;
        }
        let least = 1 - format.bias();
        let top = self.exponent + 127 - self.significand.leading_zeros() as i32;
        let binade = top.max(least);
        let last = binade - format.fraction_bits as i32;
        let kept = round_shift(self.significand, last - self.exponent, self.negative, rule);
        // The hidden bit, where there is one, carries the exponent field from 0 to 1.
        let bits = kept + (((binade - least) as u128) << format.fraction_bits);
        if bits <= u128::from(format.max_finite) {
            return sign | bits as u64;
        }
        let toward_zero = match rule {
            Rule::Direction(Round::Zero) => true,
            Rule::Direction(Round::Down) => !self.negative,
            Rule::Direction(Round::Up) => self.negative,
            _ => false,
        };
        sign | (format.max_finite + u64::from(!(toward_zero || finite_only)))
    }
}

/// `significand` / 2^`shift`, rounded to an integer. Negative shifts are exact.
fn round_shift(significand: u128, shift: i32, negative: bool, rule: Rule) -> u128 {
    if shift <= 0 {
        return significand << -shift;
    }
    // Beyond the width everything is discarded, and less than half of the last kept place.
    let (kept, discarded, shift) = if shift > 126 {
        (0, 1, 126)
    } else {
        let kept = significand >> shift;
        (kept, significand - (kept << shift), shift as u32)
    };
    let half = 1 << (shift - 1);
    let up = match rule {
        Rule::Direction(Round::NearestEven) => {
            discarded > half || discarded == half && kept & 1 == 1
        }
        Rule::Direction(Round::NearestAway) => discarded >= half,
        Rule::Direction(Round::Zero) => false,
        Rule::Direction(Round::Down) => negative && discarded != 0,
        Rule::Direction(Round::Up) => !negative && discarded != 0,
        Rule::Stochastic { bits, width } => {
            let cut = if shift >= width {
                discarded >> (shift - width)
            } else {
                discarded << (width - shift)
            };
            (cut + u128::from(bits)) >> width != 0
        }
    };
    kept + u128::from(up)
}

fn pack_f64(x: Finite, round: Round) -> f64 {
    f64::from_bits(x.pack(F64, Rule::Direction(round), false))
}

/// `a` + `b` in any direction.
#[inline(never)]
pub(crate) fn add_f64_soft(a: f64, b: f64, round: Round) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return propagate_f64(a + b, [a, b]);
    }
    if a == 0.0 || b == 0.0 {
        return add_zero(a, b, round);
    }
    pack_f64(Finite::from_f64(a).plus(Finite::from_f64(b), round), round)
}

/// A sum of which a term is zero: exact, but for the sign of a zero result.
fn add_zero(a: f64, b: f64, round: Round) -> f64 {
    let sum = a + b;
    let negative = a.is_sign_negative() || b.is_sign_negative();
    if sum == 0.0 && round == Round::Down && negative {
        -0.0
    } else {
        sum
    }
}

/// `a` × `b` in any direction.
#[inline(never)]
pub(crate) fn mul_f64_soft(a: f64, b: f64, round: Round) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return propagate_f64(a * b, [a, b]);
    }
    pack_f64(Finite::from_f64(a).times(Finite::from_f64(b)), round)
}

/// `a` × `b` + `c` with one rounding in any direction.
#[inline(never)]
pub(crate) fn fma_f64_soft(a: f64, b: f64, c: f64, round: Round) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return propagate_f64(a * b + c, [a, b, c]);
    }
    if !c.is_finite() {
        return propagate_f64(c, [c]);
    }
    let product = Finite::from_f64(a).times(Finite::from_f64(b));
    if product.is_zero() {
        return add_zero(if product.negative { -0.0 } else { 0.0 }, c, round);
    }
    let exact = if c == 0.0 {
        product
    } else {
        product.plus(Finite::from_f64(c), round)
    };
    pack_f64(exact, round)
}

/// `a` / `b` in any direction.
#[inline(never)]
pub(crate) fn div_f64_soft(a: f64, b: f64, round: Round) -> f64 {
    if !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return propagate_f64(a / b, [a, b]);
    }
    let dividend = Finite::from_f64(a).with_top_at(120);
    let divisor = Finite::from_f64(b).with_top_at(52);
    let quotient = dividend.significand / divisor.significand;
    let exact = quotient * divisor.significand == dividend.significand;
    let result = Finite {
        negative: dividend.negative != divisor.negative,
        significand: quotient << 1 | u128::from(!exact),
        exponent: dividend.exponent - divisor.exponent - 1,
    };
    pack_f64(result, round)
}

/// The square root of `a` in any direction.
#[inline(never)]
pub(crate) fn sqrt_f64_soft(a: f64, round: Round) -> f64 {
    if a == 0.0 || a == f64::INFINITY {
        return a;
    }
    if a.is_nan() || a < 0.0 {
        return propagate_f64(f64::NAN, [a]);
    }
    let x = Finite::from_f64(a).with_top_at(124);
    let odd = x.exponent & 1;
    let square = x.significand << odd;
    let root = square.isqrt();
    let result = Finite {
        negative: false,
        significand: root << 1 | u128::from(root * root != square),
        exponent: (x.exponent - odd) / 2 - 1,
    };
    pack_f64(result, round)
}
