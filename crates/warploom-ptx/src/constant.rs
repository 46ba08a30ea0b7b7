//! Constants: how literals are read and what the operators of constant expressions do.
//!
//! Integers are `.s64`, or `.u64` with a `U` suffix or above the signed range. Arithmetic,
//! comparison and the arms of `?:` make both sides unsigned if either is; `~ & ^ |` work on and
//! give `.u64`, `%` works on `.u64` and gives `.s64`, logical results are `.s64`.

use crate::ast::{Float, Integer};

/// A folded constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Integer(Integer),
    Float(Float),
}

/// Why a literal or an operation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantFault {
    /// With a hint at the right form.
    Malformed(&'static str),
    TooLarge,
    DivisionByZero,
    /// The operator wants integers, or both sides alike.
    Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

const fn signed(value: i64) -> Constant {
    Constant::Integer(Integer {
        bits: value as u64,
        unsigned: false,
    })
}

const fn unsigned(bits: u64) -> Constant {
    Constant::Integer(Integer {
        bits,
        unsigned: true,
    })
}

const fn double(value: f64) -> Constant {
    Constant::Float(Float::Double(value.to_bits()))
}

impl Float {
    /// The value in double precision, which holds both forms exactly.
    pub fn value(self) -> f64 {
        match self {
            Float::Single(bits) => f64::from(f32::from_bits(bits)),
            Float::Double(bits) => f64::from_bits(bits),
        }
    }
}

/// Reads a literal.
pub(crate) fn parse_number(text: &str) -> Result<Constant, ConstantFault> {
    match small_decimal(text.as_bytes()) {
        Some(value) => Ok(signed(value)),
        None => parse_any_number(text),
    }
}

/// Most numbers by far are decimal and short.
#[inline]
fn small_decimal(digits: &[u8]) -> Option<i64> {
    if digits.len() > 18 || (digits.first()? == &b'0' && digits.len() > 1) {
        return None;
    }
    digits.iter().try_fold(0, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(value * 10 + i64::from(digit))
    })
}

fn parse_any_number(text: &str) -> Result<Constant, ConstantFault> {
    let Some(rest) = text.strip_prefix('0') else {
        return decimal(text);
    };
    let digits = rest.get(1..).unwrap_or("");
    match rest.bytes().next() {
        Some(b'f' | b'F') => {
            let help = "`0f` is followed by the 8 hexadecimal digits of a single-precision number";
            let bits = float_bits(digits, 8).ok_or(ConstantFault::Malformed(help))?;
            Ok(Constant::Float(Float::Single(bits as u32)))
        }
        Some(b'd' | b'D') => {
            let help = "`0d` is followed by the 16 hexadecimal digits of a double-precision number";
            let bits = float_bits(digits, 16).ok_or(ConstantFault::Malformed(help))?;
            Ok(Constant::Float(Float::Double(bits)))
        }
        Some(b'x' | b'X') => integer(digits, 16, "`0x` is followed by hexadecimal digits"),
        Some(b'b' | b'B') => integer(digits, 2, "`0b` is followed by binary digits"),
        Some(b'0'..=b'9') if !text.contains(['.', 'e', 'E']) => integer(
            rest,
            8,
            "a number that starts with 0 is octal; remove the zero",
        ),
        _ => decimal(text),
    }
}

fn float_bits(digits: &str, count: usize) -> Option<u64> {
    let well_formed = digits.len() == count && digits.bytes().all(|b| b.is_ascii_hexdigit());
    well_formed.then(|| u64::from_str_radix(digits, 16).ok())?
}

fn decimal(text: &str) -> Result<Constant, ConstantFault> {
    if text.contains(['.', 'e', 'E']) {
        let value: Result<f64, _> = text.parse();
        let help = "write a decimal number such as 1.5 or 1.0e-3";
        return value
            .map(double)
            .map_err(|_| ConstantFault::Malformed(help));
    }
    integer(text, 10, "integers may end in `U`, but in no other letter")
}

fn integer(digits: &str, radix: u32, help: &'static str) -> Result<Constant, ConstantFault> {
    let (digits, suffix) = match digits.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    let mut bits: u64 = 0;
    for byte in digits.bytes() {
        let digit = (byte as char).to_digit(radix);
        let digit = digit.ok_or(ConstantFault::Malformed(help))?;
        let shifted = bits.checked_mul(u64::from(radix));
        let next = shifted.and_then(|b| b.checked_add(u64::from(digit)));
        bits = next.ok_or(ConstantFault::TooLarge)?;
    }
    if digits.is_empty() {
        return Err(ConstantFault::Malformed(help));
    }
    Ok(Constant::Integer(Integer {
        bits,
        unsigned: suffix || i64::try_from(bits).is_err(),
    }))
}

impl Constant {
    fn is_true(self) -> Result<bool, ConstantFault> {
        Ok(self.integer()?.bits != 0)
    }

    pub(crate) fn integer(self) -> Result<Integer, ConstantFault> {
        match self {
            Constant::Integer(integer) => Ok(integer),
            Constant::Float(_) => Err(ConstantFault::Type),
        }
    }

    pub(crate) fn unary(self, operator: Unary) -> Result<Constant, ConstantFault> {
        Ok(match (operator, self) {
            (Unary::Plus, value) => value,
            (Unary::Minus, Constant::Integer(a)) => Constant::Integer(Integer {
                bits: a.bits.wrapping_neg(),
                ..a
            }),
            (Unary::Minus, Constant::Float(Float::Single(bits))) => {
                Constant::Float(Float::Single(bits ^ (1 << 31)))
            }
            (Unary::Minus, Constant::Float(Float::Double(bits))) => {
                Constant::Float(Float::Double(bits ^ (1 << 63)))
            }
            (Unary::Not, value) => signed(i64::from(!value.is_true()?)),
            (Unary::Complement, value) => unsigned(!value.integer()?.bits),
        })
    }

    /// `(.s64)` and `(.u64)`.
    pub(crate) fn cast(self, unsigned: bool) -> Result<Constant, ConstantFault> {
        let bits = self.integer()?.bits;
        Ok(Constant::Integer(Integer { bits, unsigned }))
    }

    /// `self ? yes : no`
    pub(crate) fn select(self, yes: Constant, no: Constant) -> Result<Constant, ConstantFault> {
        let condition = self.is_true()?;
        match (yes, no) {
            (Constant::Integer(a), Constant::Integer(b)) => Ok(Constant::Integer(Integer {
                bits: if condition { a.bits } else { b.bits },
                unsigned: a.unsigned || b.unsigned,
            })),
            (Constant::Float(_), Constant::Float(_)) => Ok(if condition { yes } else { no }),
            _ => Err(ConstantFault::Type),
        }
    }

    pub(crate) fn binary(
        self,
        operator: Binary,
        right: Constant,
    ) -> Result<Constant, ConstantFault> {
        match (self, right) {
            (Constant::Integer(a), Constant::Integer(b)) => integers(operator, a, b),
            (Constant::Float(a), Constant::Float(b)) => floats(operator, a.value(), b.value()),
            _ => Err(ConstantFault::Type),
        }
    }
}

fn integers(operator: Binary, a: Integer, b: Integer) -> Result<Constant, ConstantFault> {
    let either = a.unsigned || b.unsigned;
    let usual = |bits| Integer {
        bits,
        unsigned: either,
    };
    let (x, y) = (a.bits, b.bits);
    let (left, right) = (usual(x).value(), usual(y).value());
    let truth = |condition| Ok(signed(i64::from(condition)));
    let arithmetic = |bits| Ok(Constant::Integer(usual(bits)));
    match operator {
        Binary::Add => arithmetic(x.wrapping_add(y)),
        Binary::Subtract => arithmetic(x.wrapping_sub(y)),
        Binary::Multiply => arithmetic(x.wrapping_mul(y)),
        Binary::Divide => match left.checked_div(right) {
            Some(quotient) => arithmetic(quotient as u64),
            None => Err(ConstantFault::DivisionByZero),
        },
        Binary::Remainder => match x.checked_rem(y) {
            Some(remainder) => Ok(signed(remainder as i64)),
            None => Err(ConstantFault::DivisionByZero),
        },
        // The count is taken modulo 64.
        Binary::ShiftLeft => Ok(Constant::Integer(Integer {
            bits: x.wrapping_shl(y as u32),
            ..a
        })),
        Binary::ShiftRight if a.unsigned => Ok(unsigned(x.wrapping_shr(y as u32))),
        Binary::ShiftRight => Ok(signed((x as i64).wrapping_shr(y as u32))),
        Binary::Less => truth(left < right),
        Binary::LessEqual => truth(left <= right),
        Binary::Greater => truth(left > right),
        Binary::GreaterEqual => truth(left >= right),
        Binary::Equal => truth(x == y),
        Binary::NotEqual => truth(x != y),
        Binary::And => Ok(unsigned(x & y)),
        Binary::Xor => Ok(unsigned(x ^ y)),
        Binary::Or => Ok(unsigned(x | y)),
        Binary::LogicalAnd => truth(x != 0 && y != 0),
        Binary::LogicalOr => truth(x != 0 || y != 0),
    }
}

fn floats(operator: Binary, x: f64, y: f64) -> Result<Constant, ConstantFault> {
    let truth = |condition| Ok(signed(i64::from(condition)));
    match operator {
        Binary::Add => Ok(double(x + y)),
        Binary::Subtract => Ok(double(x - y)),
        Binary::Multiply => Ok(double(x * y)),
        Binary::Divide => Ok(double(x / y)),
        Binary::Less => truth(x < y),
        Binary::LessEqual => truth(x <= y),
        Binary::Greater => truth(x > y),
        Binary::GreaterEqual => truth(x >= y),
        Binary::Equal => truth(x == y),
        Binary::NotEqual => truth(x != y),
        _ => Err(ConstantFault::Type),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let cases = [
            ("0", signed(0)),
            ("12", signed(12)),
            ("12U", unsigned(12)),
            ("0x1f", signed(31)),
            ("0XFFU", unsigned(255)),
            ("0b101", signed(5)),
            ("017", signed(15)),
            ("9223372036854775807", signed(i64::MAX)),
            ("9223372036854775808", unsigned(1 << 63)),
            ("0xFFFFFFFFFFFFFFFF", unsigned(u64::MAX)),
            ("0f3F800000", Constant::Float(Float::Single(0x3F80_0000))),
            (
                "0d3FF0000000000000",
                Constant::Float(Float::Double(0x3FF0_0000_0000_0000)),
            ),
            ("0d3ff8000000000000", double(1.5)),
            ("1.5", double(1.5)),
            ("0.25", double(0.25)),
            (".5", double(0.5)),
            ("5.", double(5.0)),
            ("1e3", double(1000.0)),
            ("07.5", double(7.5)),
        ];
        for (text, value) in cases {
            assert_eq!(parse_number(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn bad_literals() {
        for text in [
            "0x",
            "0xG",
            "09",
            "0b2",
            "0f3F80",
            "0f3F8000001",
            "12u",
            "1UL",
            "12a",
            "0U0",
            "1e",
            "U",
        ] {
            let fault = parse_number(text);
            assert!(
                matches!(fault, Err(ConstantFault::Malformed(_))),
                "{text}: {fault:?}"
            );
        }
        assert_eq!(
            parse_number("0x1FFFFFFFFFFFFFFFF"),
            Err(ConstantFault::TooLarge)
        );
        assert_eq!(
            parse_number("18446744073709551616"),
            Err(ConstantFault::TooLarge)
        );
    }

    #[test]
    fn integer_operators() {
        let cases = [
            (signed(-7), Binary::Remainder, signed(3), signed(0)),
            (signed(-7), Binary::Divide, signed(2), signed(-3)),
            (signed(-8), Binary::ShiftRight, signed(1), signed(-4)),
            (
                unsigned(-8i64 as u64),
                Binary::ShiftRight,
                signed(1),
                unsigned(9223372036854775804),
            ),
            (signed(1), Binary::ShiftLeft, signed(64), signed(1)),
            (signed(1), Binary::ShiftLeft, signed(70), signed(64)),
            (signed(-1), Binary::Less, signed(0), signed(1)),
            (signed(-1), Binary::Less, unsigned(0), signed(0)),
            (unsigned(u64::MAX), Binary::Greater, signed(0), signed(1)),
            (
                unsigned(-5i64 as u64),
                Binary::Divide,
                signed(2),
                unsigned(9223372036854775805),
            ),
            (signed(i64::MAX), Binary::Add, signed(1), signed(i64::MIN)),
            (
                signed(i64::MIN),
                Binary::Divide,
                signed(-1),
                signed(i64::MIN),
            ),
            (unsigned(1 << 63), Binary::Divide, signed(-1), unsigned(0)),
            (signed(12), Binary::And, signed(10), unsigned(8)),
            (signed(12), Binary::Xor, signed(10), unsigned(6)),
            (signed(12), Binary::Or, signed(10), unsigned(14)),
            (signed(2), Binary::LogicalAnd, signed(4), signed(1)),
            (signed(0), Binary::LogicalOr, signed(0), signed(0)),
        ];
        for (a, operator, b, expected) in cases {
            assert_eq!(
                a.binary(operator, b),
                Ok(expected),
                "{a:?} {operator:?} {b:?}"
            );
        }
        for operator in [Binary::Divide, Binary::Remainder] {
            let quotient = signed(1).binary(operator, signed(0));
            assert_eq!(quotient, Err(ConstantFault::DivisionByZero));
        }
    }

    #[test]
    fn floats_and_mixtures() {
        let half = Constant::Float(Float::Single(0x3F00_0000));
        assert_eq!(half.binary(Binary::Add, double(0.25)), Ok(double(0.75)));
        assert_eq!(half.binary(Binary::Less, double(0.25)), Ok(signed(0)));
        assert_eq!(
            half.binary(Binary::Add, signed(1)),
            Err(ConstantFault::Type)
        );
        assert_eq!(
            half.binary(Binary::Remainder, half),
            Err(ConstantFault::Type)
        );
        assert_eq!(
            half.unary(Unary::Minus),
            Ok(Constant::Float(Float::Single(0xBF00_0000)))
        );
        assert_eq!(half.unary(Unary::Not), Err(ConstantFault::Type));
        assert_eq!(signed(1).select(half, signed(1)), Err(ConstantFault::Type));
        assert_eq!(signed(0).select(signed(-1), unsigned(7)), Ok(unsigned(7)));
        assert_eq!(signed(5).unary(Unary::Complement), Ok(unsigned(!5)));
        assert_eq!(signed(-1).cast(true), Ok(unsigned(u64::MAX)));
    }
}
