//! The header: a Python dictionary literal, of which NumPy writes a small part of the grammar.

use super::{NpyError, broken, element_of};
use crate::shape::ArrayType;

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub ty: ArrayType,
    pub column_major: bool,
    pub big_endian: bool,
}

/// Most dimensions of a NumPy array.
const MAX_DIMENSIONS: usize = 64;

/// Reads the header; `start` is its offset in the file, for messages.
pub(super) fn parse(text: &[u8], start: usize) -> Result<Header, NpyError> {
    let mut cursor = Cursor { text, at: 0, start };
    let (mut descr, mut order, mut shape) = (None, None, None);
    cursor.expect(b'{')?;
    loop {
        if cursor.accept(b'}') {
            break;
        }
        let key_at = cursor.position();
        let key = cursor.string()?;
        cursor.expect(b':')?;
        match key.as_str() {
            "descr" => descr = Some((cursor.position(), cursor.descr()?)),
            "fortran_order" => order = Some(cursor.boolean()?),
            "shape" => shape = Some(cursor.shape()?),
            _ => return Err(broken(key_at, format!("there is no header key `{key}`"))),
        }
        if !cursor.accept(b',') {
            cursor.expect(b'}')?;
            break;
        }
    }
    let missing = |key: &str| broken(start, format!("the header has no `{key}`"));
    let (descr_at, descr) = descr.ok_or_else(|| missing("descr"))?;
    let column_major = order.ok_or_else(|| missing("fortran_order"))?;
    let shape = shape.ok_or_else(|| missing("shape"))?;
    let (byte_order, name) = match descr.split_at_checked(1) {
        Some((order @ ("<" | ">" | "|" | "="), name)) => (order, name),
        _ => return Err(broken(descr_at, format!("`{descr}` is no type"))),
    };
    let element = element_of(name).ok_or(NpyError::ElementType(descr.clone()))?;
    Ok(Header {
        ty: ArrayType { element, shape },
        column_major,
        big_endian: byte_order == ">",
    })
}

struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
    start: usize,
}

impl Cursor<'_> {
    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Offset in the file of what comes next.
    fn position(&mut self) -> usize {
        self.skip_space();
        self.start + self.at
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn wrong<T>(&mut self, expected: &str) -> Result<T, NpyError> {
        let at = self.position();
        let found = match self.text.get(self.at) {
            Some(byte) => format!("`{}`", byte.escape_ascii()),
            None => "the end of the header".into(),
        };
        Err(broken(at, format!("expected {expected}, found {found}")))
    }

    fn expect(&mut self, byte: u8) -> Result<(), NpyError> {
        if self.accept(byte) {
            return Ok(());
        }
        self.wrong(&format!("`{}`", byte.escape_ascii()))
    }

    fn string(&mut self) -> Result<String, NpyError> {
        self.skip_space();
        let Some(&quote @ (b'\'' | b'"')) = self.text.get(self.at) else {
            return self.wrong("a string");
        };
        let from = self.at + 1;
        let rest = self.text.get(from..).unwrap_or(&[]);
        let Some(length) = rest.iter().position(|&b| b == quote) else {
            return Err(broken(self.position(), "the string does not end"));
        };
        self.at = from + length + 1;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn descr(&mut self) -> Result<String, NpyError> {
        self.skip_space();
        match self.text.get(self.at) {
            Some(b'[') => Err(NpyError::ElementType("a record".into())),
            _ => self.string(),
        }
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        self.skip_space();
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        for (word, value) in [("True", true), ("False", false)] {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.wrong("`True` or `False`")
    }

    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        self.expect(b'(')?;
        let mut shape = Vec::new();
        while !self.accept(b')') {
            if shape.len() == MAX_DIMENSIONS {
                return self.wrong("no more dimensions");
            }
            shape.push(self.length()?);
            if !self.accept(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn length(&mut self) -> Result<u64, NpyError> {
        let at = self.position();
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let text = String::from_utf8_lossy(&rest[..digits]);
        if digits == 0 {
            return self.wrong("a length");
        }
        self.at += digits;
        // Python 2 wrote long integers with an L.
        if self.text.get(self.at) == Some(&b'L') {
            self.at += 1;
        }
        let too_big = || broken(at, format!("the length {text} is larger than any memory"));
        text.parse().map_err(|_| too_big())
    }
}
