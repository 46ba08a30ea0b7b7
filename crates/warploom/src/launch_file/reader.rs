//! Walking a parsed TOML text with the place of every key and value at hand.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::{Parsed, names};
use crate::text::{Diagnostic, SourceText, Spot, did_you_mean, nearest};

/// Parts that a dotted key may have. The parser bounds nesting far higher, and every table is
/// dropped recursively.
const MAX_KEY_PARTS: usize = 8;

/// The text under way.
pub(super) struct Text<'t>(pub &'t Arc<SourceText>);

impl<'t> Text<'t> {
    /// Parses the text.
    pub fn table(&self) -> Parsed<DeTable<'t>> {
        if let Some(at) = deep_key(&self.0.text) {
            let spot = Spot::new(self.0, at..at + 1);
            return Err(Diagnostic::error("the key has too many parts").at(&spot, ""));
        }
        match DeTable::parse(&self.0.text) {
            Ok(table) => Ok(table.into_inner()),
            Err(error) => {
                let message = error.message().trim_end().replace('\n', ", ");
                let spot = Spot::new(self.0, error.span().unwrap_or(0..0));
                Err(Diagnostic::error(message).at(&spot, ""))
            }
        }
    }

    /// The end of the text.
    pub fn end(&self) -> Spot {
        let end = self.0.text.trim_end().len();
        Spot::new(self.0, end..end)
    }

    /// The fields of the whole text.
    pub fn fields<'a>(&self, table: &'a DeTable<'a>) -> Fields<'a> {
        Fields::new(table, "", self.end())
    }
}

impl<'a> Fields<'a> {
    fn new(table: &'a DeTable<'a>, name: &'a str, spot: Spot) -> Fields<'a> {
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| Entry::new(key.get_ref(), &key.span(), value, &spot))
            .collect();
        entries.sort_by_key(|entry| entry.key_spot.span.start);
        Fields {
            name,
            spot,
            entries,
        }
    }
}

/// The entries of a table, in the order of the text.
pub(super) struct Fields<'a> {
    name: &'a str,
    spot: Spot,
    entries: Vec<Entry<'a>>,
}

impl<'a> Fields<'a> {
    /// The entry `key`.
    pub fn get(&self, key: &str) -> Option<Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == key).cloned()
    }

    /// The entry `key`, which has to be there.
    pub fn need(&self, key: &str) -> Parsed<Entry<'a>> {
        self.get(key)
            .ok_or_else(|| Diagnostic::error(format!("`{key}` is missing")).at(&self.spot, ""))
    }

    /// Reports every key that is not one of `known`.
    pub fn only(&self, known: &[&str], errors: &mut Vec<Diagnostic>) {
        let unknown = self
            .entries
            .iter()
            .filter(|entry| !known.contains(&entry.key));
        errors.extend(unknown.map(|entry| {
            let help = format!("the keys are {}", names(known));
            Diagnostic::error(format!("there is no key `{}`{}", entry.key, self.inside()))
                .at(&entry.key_spot, "")
                .help(did_you_mean(entry.key, known.iter().copied(), help))
        }));
    }

    /// The same entries, where a misspelt key is the known one that it is nearest to, if that one
    /// is missing.
    pub fn meant(mut self, known: &[&'a str]) -> Fields<'a> {
        let given: Vec<&str> = self.entries.iter().map(|entry| entry.key).collect();
        for entry in &mut self.entries {
            let missing = known.iter().copied().filter(|key| !given.contains(key));
            if !known.contains(&entry.key)
                && let Some(key) = nearest(entry.key, missing)
            {
                entry.key = key;
            }
        }
        self
    }

    /// Reports the first key that is not one of `known`.
    pub fn only_first(&self, known: &[&str]) -> Parsed<()> {
        let mut errors = Vec::new();
        self.only(known, &mut errors);
        errors.into_iter().next().map_or(Ok(()), Err)
    }

    /// The one entry whose key is among `keys`.
    pub fn exactly_one(&self, keys: &[&str]) -> Parsed<Entry<'a>> {
        let mut found = self
            .entries
            .iter()
            .filter(|entry| keys.contains(&entry.key));
        let Some(first) = found.next() else {
            return Err(
                Diagnostic::error(format!("there is no value{}", self.inside()))
                    .at(&self.spot, "")
                    .help(format!("give one of {}", names(keys))),
            );
        };
        match found.next() {
            None => Ok(first.clone()),
            Some(second) => {
                let message = format!("`{}` and `{}` exclude each other", first.key, second.key);
                Err(Diagnostic::error(message).at(&second.key_spot, ""))
            }
        }
    }

    /// The entries of the table `key`; none if it is missing.
    pub fn entries(&self, key: &str, errors: &mut Vec<Diagnostic>) -> Vec<Entry<'a>> {
        match self.get(key).map(|entry| entry.fields()) {
            None => Vec::new(),
            Some(Ok(fields)) => fields.entries,
            Some(Err(error)) => {
                errors.push(error);
                Vec::new()
            }
        }
    }

    fn inside(&self) -> String {
        match self.name {
            "" => String::new(),
            name => format!(" in `{name}`"),
        }
    }
}

/// A value, its key, and where both stand.
#[derive(Clone)]
pub(super) struct Entry<'a> {
    /// The key; that of the list for an item of one.
    pub key: &'a str,
    /// Where the key stands.
    pub key_spot: Spot,
    /// Where the value stands.
    pub spot: Spot,
    value: &'a DeValue<'a>,
}

impl<'a> Entry<'a> {
    fn new(
        key: &'a str,
        key_span: &std::ops::Range<usize>,
        value: &'a Spanned<DeValue<'a>>,
        text: &Spot,
    ) -> Entry<'a> {
        Entry {
            key,
            key_spot: Spot::new(&text.source, key_span.clone()),
            spot: Spot::new(&text.source, value.span()),
            value: value.get_ref(),
        }
    }

    /// The value is something else than `expected`.
    pub fn wrong(&self, expected: &str) -> Diagnostic {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Diagnostic::error(format!("`{}` is {found}", self.key))
            .at(&self.spot, format!("expected {expected}"))
    }

    /// Whether it is a list.
    pub fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// Whether it is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// A string; `expected` says what for.
    pub fn string(&self, expected: &str) -> Parsed<&'a str> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong(expected)),
        }
    }

    /// The text of a string as a place: in the file if it is written there letter by letter,
    /// otherwise a text of its own.
    pub fn inner(&self) -> Spot {
        let DeValue::String(text) = self.value else {
            return self.spot.clone();
        };
        let written = self.spot.text();
        let inside = self.spot.part(1..written.len().saturating_sub(1));
        match inside.text() == text {
            true => inside,
            false => Spot::whole(self.key, text.as_ref()),
        }
    }

    /// A whole number, if it is one.
    pub fn integer(&self) -> Option<i128> {
        match self.value {
            DeValue::Integer(number) => integer(number),
            _ => None,
        }
    }

    /// A fraction, if it is one.
    pub fn float(&self) -> Option<f64> {
        match self.value {
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        }
    }

    /// A whole number from `low` to `high`.
    pub fn whole(&self, low: i128, high: i128) -> Parsed<i128> {
        let number = self.integer().ok_or_else(|| self.wrong("a whole number"))?;
        if number < low || number > high {
            return Err(Diagnostic::error(format!("`{}` is out of range", self.key))
                .at(&self.spot, format!("expected {low} to {high}")));
        }
        Ok(number)
    }

    /// A number.
    pub fn number(&self) -> Parsed<f64> {
        let whole = self.integer().map(|number| number as f64);
        self.float().or(whole).ok_or_else(|| self.wrong("a number"))
    }

    /// True or false.
    pub fn boolean(&self) -> Parsed<bool> {
        match self.value {
            DeValue::Boolean(value) => Ok(*value),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// The items of a list.
    pub fn array(&self) -> Parsed<Vec<Entry<'a>>> {
        let DeValue::Array(items) = self.value else {
            return Err(self.wrong("a list"));
        };
        let item = |value| Entry::new(self.key, &self.key_spot.span, value, &self.spot);
        Ok(items.iter().map(item).collect())
    }

    /// The entries of a table.
    pub fn fields(&self) -> Parsed<Fields<'a>> {
        match self.value {
            DeValue::Table(table) => Ok(Fields::new(table, self.key, self.spot.clone())),
            _ => Err(self.wrong("a table")),
        }
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Where a dotted key has more parts than any table of a launch file.
fn deep_key(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut dots) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'"' | b'\'' => {
                let triple = [byte; 3];
                let quote: &[u8] = if rest.starts_with(&triple) {
                    &triple
                } else {
                    &triple[..1]
                };
                at += string_bytes(rest, quote);
                continue;
            }
            b'#' => {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'.' => dots += 1,
            b'\n' | b'=' | b',' | b'{' | b'}' | b'[' | b']' => dots = 0,
            _ => {}
        }
        if dots >= MAX_KEY_PARTS {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Bytes of the string that `rest` starts with, quotes included. A string on one line ends with
/// the line at the latest, as the parser refuses it there.
fn string_bytes(rest: &[u8], quote: &[u8]) -> usize {
    let mut at = quote.len();
    while let Some(&byte) = rest.get(at) {
        if rest[at..].starts_with(quote) {
            return at + quote.len();
        }
        match byte {
            b'\n' if quote.len() == 1 => return at,
            b'\\' if quote[0] == b'"' => at += 2,
            _ => at += 1,
        }
    }
    rest.len()
}
