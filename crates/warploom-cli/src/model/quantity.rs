//! Numbers as people write them: `2e9`, `989.4T`, `3.35TB/s`.

use warploom::text::{Diagnostic, Spot};

use crate::output::{Failure, wrong_argument};

/// Units that may follow the prefix.
const UNITS: [&str; 8] = ["", "B", "B/s", "FLOP", "FLOPs", "FLOPS", "FLOP/s", "OP/s"];

/// A positive number that an option gives.
pub fn quantity(option: &str, text: &str) -> Result<f64, Failure> {
    parse(text).filter(|value| *value > 0.0).ok_or_else(|| {
        let spot = Spot::whole(option, text);
        let message = format!("`{text}` is not a positive number");
        wrong_argument(
            Diagnostic::error(message)
                .at(&spot, "expected a number like `2e9`, `989.4T` or `64K`")
                .help("prefixes are K, M, G, T, P (1000-based)"),
        )
    })
}

/// The same, if the option was given.
pub fn optional(option: &str, text: Option<&String>) -> Result<Option<f64>, Failure> {
    text.map(|text| quantity(option, text)).transpose()
}

fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    // The longest part that reads as a number; what follows it is prefix and unit.
    let ends = (1..=text.len())
        .rev()
        .filter(|&end| text.is_char_boundary(end));
    let (number, rest) = ends
        .map(|end| text.split_at(end))
        .find_map(|(number, rest)| Some((number.parse::<f64>().ok()?, rest.trim_start())))?;
    let scale = match rest.as_bytes().first() {
        Some(b'k' | b'K') => 1e3,
        Some(b'M') => 1e6,
        Some(b'G') => 1e9,
        Some(b'T') => 1e12,
        Some(b'P') => 1e15,
        _ => 1.0,
    };
    let unit = if scale == 1.0 { rest } else { &rest[1..] };
    let value = number * scale;
    (UNITS.contains(&unit) && value.is_finite()).then_some(value)
}

/// A number with about four digits and a prefix: `989.2 T`. Fit for a unit behind it.
pub fn scaled(value: f64) -> String {
    let prefixes = [
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "K"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    match prefixes.iter().find(|(scale, _)| value >= *scale) {
        Some((scale, prefix)) => format!("{} {prefix}", digits(value / scale)),
        None => format!("{} ", digits(value)),
    }
}

/// As many decimals as leave about four digits.
pub fn digits(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        middle if middle >= 100.0 => format!("{value:.1}"),
        small if small >= 0.1 || small == 0.0 => format!("{value:.2}"),
        tiny if tiny >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_prefixes_and_units() {
        for (text, value) in [
            ("1000", 1000.0),
            ("2e9", 2e9),
            ("989.4T", 989.4e12),
            ("3.35TB/s", 3.35e12),
            ("3.35 TB/s", 3.35e12),
            ("64K", 64e3),
            ("7B", 7.0),
            ("1PFLOP/s", 1e15),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for text in ["", "T", "1X", "1 TB/h", "nan", "inf", "1e999", "ä", "1ä"] {
            assert_eq!(parse(text).filter(|v| !v.is_nan()), None, "{text}");
        }
    }

    #[test]
    fn values_read_well() {
        assert_eq!(
            [989.2e12, 3.35e12, 12.0, 1234.0].map(scaled),
            ["989.2 T", "3.35 T", "12.00 ", "1.23 K"]
        );
        assert_eq!(
            [0.0, 0.5, 295.1, 1234.5].map(digits),
            ["0.00", "0.50", "295.1", "1234"]
        );
    }
}
