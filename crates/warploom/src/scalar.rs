//! Scalar arguments: a type and a number, or plain bytes.

use crate::element::{Class, ElementType};
use crate::text::{Diagnostic, Spot};

/// A value of a scalar kernel argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its type.
    pub ty: ElementType,
    /// Its bits, zero-extended.
    pub bits: u64,
}

impl Scalar {
    /// The little-endian bytes, as many as the type has.
    pub fn to_bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.ty.bytes()].to_vec()
    }

    /// An integer of an integer or bool type; a number for float types.
    ///
    /// # Errors
    /// A diagnostic at `spot` when the type cannot hold it.
    pub fn from_integer(ty: ElementType, value: i128, spot: &Spot) -> Result<Scalar, Diagnostic> {
        if ty.class() == Class::Float {
            return Ok(Scalar::from_f64(ty, value as f64));
        }
        let (low, high) = ty.range();
        if value < low || value > high {
            let message = format!("`{}` does not fit {ty}", spot.text());
            return Err(Diagnostic::error(message).at(spot, format!("expected {low} to {high}")));
        }
        // Cut to the width; negative numbers keep their low bits.
        let bits = value as u64 & ty.mask();
        Ok(Scalar { ty, bits })
    }

    /// The nearest value of a floating-point type.
    pub fn from_f64(ty: ElementType, value: f64) -> Scalar {
        let bits = ty.from_f64(value);
        Scalar { ty, bits }
    }

    /// Reads the number at `spot`: decimal or with a radix prefix (`0x`, `0o`, `0b`), with `_` as
    /// a separator; for floats also a decimal fraction, `inf` and `nan`; `true` and `false` for
    /// bool.
    ///
    /// # Errors
    /// A diagnostic at `spot`.
    pub fn parse(ty: ElementType, spot: &Spot) -> Result<Scalar, Diagnostic> {
        let text = spot.text().trim();
        let wrong = |expected: &str| {
            Diagnostic::error(format!("`{text}` is not a {ty}")).at(spot, expected)
        };
        match (ty.class(), text) {
            (Class::Bool, "true") => Ok(Scalar { ty, bits: 1 }),
            (Class::Bool, "false") => Ok(Scalar { ty, bits: 0 }),
            (Class::Bool, _) => Err(wrong("expected `true` or `false`")),
            (Class::Float, _) => match text.replace('_', "").parse() {
                Ok(value) => Ok(Scalar::from_f64(ty, value)),
                Err(_) => Err(wrong(
                    "expected a number like `2.5`, `1e-3`, `inf` or `nan`",
                )),
            },
            _ => match integer(text) {
                Some(value) => Scalar::from_integer(ty, value, spot),
                None => Err(wrong("expected a whole number like `7` or `0xff`")),
            },
        }
    }
}

/// A whole number with an optional sign, radix prefix and `_` separators.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let digits = digits.replace('_', "");
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(&digits, radix).ok()?;
    Some(if negative { -value } else { value })
}

/// Bytes written as pairs of hexadecimal digits, with `_` and spaces between them.
///
/// # Errors
/// A diagnostic at the part of `spot` that is wrong.
pub(crate) fn hex(spot: &Spot) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    let mut high = None;
    for (at, c) in spot.text().char_indices() {
        if matches!(c, '_' | ' ') {
            continue;
        }
        let Some(digit) = c.to_digit(16) else {
            let place = spot.part(at..at + c.len_utf8());
            return Err(Diagnostic::error("bytes are written in hexadecimal")
                .at(&place, "this is no hexadecimal digit"));
        };
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push((high << 4 | digit) as u8),
        }
    }
    match high {
        None => Ok(bytes),
        Some(_) => Err(Diagnostic::error("bytes are written as pairs of digits")
            .at(spot, "there is an odd number of digits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(ty: ElementType, text: &str) -> Result<u64, String> {
        match Scalar::parse(ty, &Spot::whole("--arg", text)) {
            Ok(scalar) => Ok(scalar.bits),
            Err(diagnostic) => Err(diagnostic.to_string()),
        }
    }

    #[test]
    fn numbers_become_bits() {
        let cases: &[(ElementType, &str, u64)] = &[
            (ElementType::U32, "7", 7),
            (ElementType::U64, "18446744073709551615", u64::MAX),
            (ElementType::U64, "0xffff_ffff", 0xffff_ffff),
            (ElementType::S8, "-128", 0x80),
            (ElementType::S64, "-1", u64::MAX),
            (ElementType::F32, "2.5", 0x4020_0000),
            (ElementType::F32, "-inf", 0xff80_0000),
            (ElementType::F16, "65520", 0x7c00),
            (ElementType::Bf16, "1e-3", 0x3a83),
            (ElementType::F64, "1", 0x3ff0_0000_0000_0000),
            (ElementType::Bool, "true", 1),
        ];
        for &(ty, text, bits) in cases {
            assert_eq!(parse(ty, text), Ok(bits), "{ty}:{text}");
        }
    }

    #[test]
    fn wrong_numbers_say_what_was_expected() {
        let cases = [
            (
                ElementType::U8,
                "256",
                "`256` does not fit u8: expected 0 to 255",
            ),
            (
                ElementType::U32,
                "-1",
                "`-1` does not fit u32: expected 0 to 4294967295",
            ),
            (
                ElementType::S16,
                "0x8000",
                "`0x8000` does not fit s16: expected -32768 to 32767",
            ),
            (
                ElementType::U32,
                "2.5",
                "`2.5` is not a u32: expected a whole number like `7` or `0xff`",
            ),
            (
                ElementType::F32,
                "two",
                "`two` is not a f32: expected a number like `2.5`, `1e-3`, `inf` or `nan`",
            ),
            (
                ElementType::Bool,
                "1",
                "`1` is not a bool: expected `true` or `false`",
            ),
        ];
        for (ty, text, wanted) in cases {
            assert_eq!(parse(ty, text), Err(format!("--arg:1:1: {wanted}")));
        }
        for text in [
            "",
            "--1",
            "0x",
            "0x-1",
            "1_000_000_000_000_000_000_000_000_000_000_000_000_000",
        ] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_are_pairs_of_digits() {
        let parse = |text: &str| hex(&Spot::whole("--arg", text)).map_err(|d| d.to_string());
        assert_eq!(parse("de ad_BE ef"), Ok(vec![0xde, 0xad, 0xbe, 0xef]));
        assert_eq!(
            parse("abcä"),
            Err("--arg:1:4: bytes are written in hexadecimal: this is no hexadecimal digit".into())
        );
        assert_eq!(
            parse("abc"),
            Err(
                "--arg:1:1: bytes are written as pairs of digits: there is an odd number of \
                 digits"
                    .into()
            )
        );
    }
}
