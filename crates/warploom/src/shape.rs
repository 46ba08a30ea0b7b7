//! Types of whole arrays: `f32[1024]`, `u8[4K,16]`.

use std::fmt;

use crate::element::ElementType;
use crate::error::{InputError, InputErrorKind};
use crate::text::{Diagnostic, Spot, list};

/// Element type and shape of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayType {
    /// Type of an element.
    pub element: ElementType,
    /// Lengths, slowest dimension first; empty for a single value.
    pub shape: Vec<u64>,
}

impl ArrayType {
    /// Number of elements.
    pub fn len(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d))
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Size in bytes; `None` when it is beyond any memory.
    pub fn bytes(&self) -> Option<u64> {
        self.len()?.checked_mul(self.element.bytes() as u64)
    }

    /// The index of element number `flat` in each dimension: `[3]` or `[0,17]`.
    pub fn index(&self, flat: u64) -> String {
        let mut rest = flat;
        let mut index = vec![0; self.shape.len()];
        for (at, &length) in index.iter_mut().zip(&self.shape).rev() {
            *at = rest % length.max(1);
            rest /= length.max(1);
        }
        let index: Vec<_> = index.iter().map(u64::to_string).collect();
        format!("[{}]", index.join(","))
    }

    /// Reads `f32[1024]` or `u8[4K,16]`; `K` and `M` are 1024-based.
    ///
    /// # Errors
    /// A diagnostic at the part of `spot` that is wrong.
    pub fn parse(spot: &Spot) -> Result<ArrayType, Diagnostic> {
        let text = spot.text();
        let syntax = "arrays are written like `f32[1024]` or `u8[4K,16]`";
        let open = text.find('[').ok_or_else(|| {
            Diagnostic::error(format!("`{text}` has no length"))
                .at(spot, "expected `[` and the lengths")
                .help(syntax)
        })?;
        let element = element(&spot.part(0..open))?;
        let Some(lengths) = text[open + 1..].strip_suffix(']') else {
            return Err(Diagnostic::error(format!("`{text}` does not end with `]`"))
                .at(&spot.part(text.len()..text.len()), "expected `]` here")
                .help(syntax));
        };
        let mut shape = Vec::new();
        let mut at = open + 1;
        for part in lengths.split(',') {
            let place = spot.part(at..at + part.len());
            let wrong = |what: &str| Diagnostic::error(what).at(&place, "").help(syntax);
            if shape.len() == 2 {
                return Err(wrong("an array has one or two dimensions"));
            }
            let length =
                length(part).ok_or_else(|| wrong(&format!("`{}` is not a length", part.trim())))?;
            shape.push(length);
            at += part.len() + 1;
        }
        let array = ArrayType { element, shape };
        if array.bytes().is_none_or(|bytes| bytes > i64::MAX as u64) {
            let message = format!("`{text}` is larger than any memory");
            return Err(Diagnostic::error(message).at(spot, ""));
        }
        Ok(array)
    }
}

/// A count with an optional `K` or `M` (1024-based).
pub fn length(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let number: u64 = plain.then(|| digits.parse().ok())??;
    number.checked_mul(1 << shift)
}

/// The element type at `spot`.
pub(crate) fn element(spot: &Spot) -> Result<ElementType, Diagnostic> {
    let name = spot.text().trim();
    ElementType::by_name(name).ok_or_else(|| {
        let known = list(ElementType::ALL, "or");
        Diagnostic::error(format!("there is no element type `{name}`"))
            .at(spot, "")
            .help(format!("it is one of {known}"))
    })
}

/// As [`ArrayType::parse`] reads it.
impl std::str::FromStr for ArrayType {
    type Err = InputError;

    fn from_str(text: &str) -> Result<ArrayType, InputError> {
        ArrayType::parse(&Spot::whole("array", text))
            .map_err(|diagnostic| InputError::new(InputErrorKind::Array, diagnostic))
    }
}

impl fmt::Display for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<_> = self.shape.iter().map(u64::to_string).collect();
        write!(f, "{}[{}]", self.element, lengths.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ArrayType, String> {
        ArrayType::parse(&Spot::whole("--arg", text)).map_err(|d| d.to_string())
    }

    #[test]
    fn lengths_are_1024_based() {
        let array = parse("u8[4K, 16]").unwrap();
        assert_eq!(array.shape, [4096, 16]);
        assert_eq!(array.bytes(), Some(65_536));
        assert_eq!(parse("f64[2M]").unwrap().bytes(), Some(16 << 20));
        assert_eq!(parse("bool[0]").unwrap().to_string(), "bool[0]");
    }

    #[test]
    fn indices_follow_the_shape() {
        let array = parse("f32[3,5]").unwrap();
        assert_eq!(
            [0, 4, 5, 14].map(|i| array.index(i)),
            ["[0,0]", "[0,4]", "[1,0]", "[2,4]"]
        );
    }

    #[test]
    fn errors_point_at_the_wrong_part() {
        let syntax = "arrays are written like `f32[1024]` or `u8[4K,16]`";
        let cases = [
            (
                "f32",
                "--arg:1:1: `f32` has no length: expected `[` and the lengths",
            ),
            (
                "f32[12",
                "--arg:1:7: `f32[12` does not end with `]`: expected `]` here",
            ),
            (
                "f32[1,2,3]",
                "--arg:1:9: an array has one or two dimensions",
            ),
            ("f32[4G]", "--arg:1:5: `4G` is not a length"),
            ("f32[-1]", "--arg:1:5: `-1` is not a length"),
            ("f32[]", "--arg:1:5: `` is not a length"),
            ("f32[8,]", "--arg:1:7: `` is not a length"),
            (
                "f32[99999999999999999999]",
                "--arg:1:5: `99999999999999999999` is not a length",
            ),
        ];
        for (text, wanted) in cases {
            assert_eq!(
                parse(text).unwrap_err(),
                format!("{wanted}\n  help: {syntax}"),
                "{text}"
            );
        }
        assert_eq!(
            parse("i32[4]").unwrap_err(),
            "--arg:1:1: there is no element type `i32`\n  help: it is one of u8, s8, u16, s16, \
             u32, s32, u64, s64, f16, bf16, f32, f64 or bool"
        );
        assert_eq!(
            parse("f64[1024M,1024M]").unwrap_err(),
            "--arg:1:1: `f64[1024M,1024M]` is larger than any memory"
        );
    }
}
