//! Reading the grammar of a row when the program is compiled: a slip there is a compile error.
//!
//! The modifiers of a row are tokens with spaces between them: `rnd? ftz? sat? f32`. A token is a
//! name or several with `|` between them, of which one is written; `?` makes it optional. A name is
//! a modifier, a type, or one of [`SETS`]. Modifiers may be written in any order, types in theirs.
//!
//! The operands of a row are types, the destination first: `T T u32`, where `T`, `U` and `V` are
//! the first, second and third type of the opcode. `?` makes the last ones optional.

use super::words::{Word, Words};
use crate::types::ScalarType;

/// Names for alternatives that many rows share.
pub(crate) const SETS: &[(&str, &str)] = &[
    ("rnd", "rn|rz|rm|rp"),
    ("irnd", "rni|rzi|rmi|rpi"),
    ("order", "lt|le|gt|ge"),
    ("unsigned", "lo|ls|hi|hs"),
    ("fcmp", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("bool", "and|or|xor"),
    (
        "property",
        "finite|infinite|number|notanumber|normal|subnormal",
    ),
    ("int16", "u16|s16"),
    ("int32", "u32|s32"),
    ("int64", "u64|s64"),
    ("int", "u8|s8|u16|s16|u32|s32|u64|s64"),
    ("bits", "b16|b32|b64"),
    ("any", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
];

/// Modifiers of which one must, or may, be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) words: Words,
    pub(crate) optional: bool,
}

/// A set of types, by position in [`ScalarType::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u64);

impl Types {
    pub(crate) const NONE: Types = Types(0);

    pub(crate) const fn union(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(crate) const fn has(self, ty: ScalarType) -> bool {
        self.0 >> ty as u32 & 1 != 0
    }

    /// `.u32 .s32`
    pub(crate) fn list(self) -> String {
        let types = ScalarType::ALL.iter().filter(|&&ty| self.has(ty));
        let names: Vec<String> = types.map(|ty| format!(".{}", ty.name())).collect();
        names.join(" ")
    }
}

/// Type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandType {
    /// That of the opcode with this number.
    Opcode(u8),
    /// Always this one.
    Fixed(ScalarType),
}

/// What the modifiers of a row may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grammar {
    groups: [Group; 8],
    group_count: usize,
    types: [Types; 4],
    type_count: usize,
    operands: [OperandType; 6],
    operand_count: usize,
    /// Operands that cannot be left out.
    required: usize,
}

impl Grammar {
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups[..self.group_count]
    }

    pub(crate) fn types(&self) -> &[Types] {
        &self.types[..self.type_count]
    }

    pub(crate) fn operands(&self) -> &[OperandType] {
        &self.operands[..self.operand_count]
    }

    /// How many operands cannot be left out.
    pub(crate) fn required_operands(&self) -> usize {
        self.required
    }

    /// Reads both parts of a row; a name that nothing has fails at compile time.
    pub(crate) const fn parse(modifiers: &str, operands: &str) -> Grammar {
        let mut grammar = Grammar {
            groups: [Group {
                words: Words::NONE,
                optional: true,
            }; 8],
            group_count: 0,
            types: [Types(0); 4],
            type_count: 0,
            operands: [OperandType::Opcode(0); 6],
            operand_count: 0,
            required: 0,
        };
        let text = modifiers.as_bytes();
        let mut at = 0;
        while at < text.len() {
            let end = token_end(text, at);
            let optional = text[end - 1] == b'?';
            let names_end = if optional { end - 1 } else { end };
            let (words, types) = alternatives(text, at, names_end);
            match (words.is_empty(), types) {
                (false, 0) => {
                    grammar.groups[grammar.group_count] = Group { words, optional };
                    grammar.group_count += 1;
                }
                (true, _) if !optional => {
                    grammar.types[grammar.type_count] = Types(types);
                    grammar.type_count += 1;
                }
                _ => panic!("modifiers and types mixed, or an optional type"),
            }
            at = end + 1;
        }
        let text = operands.as_bytes();
        let mut at = 0;
        while at < text.len() {
            let end = token_end(text, at);
            let optional = text[end - 1] == b'?';
            let name_end = if optional { end - 1 } else { end };
            grammar.operands[grammar.operand_count] = operand_type(text, at, name_end);
            grammar.operand_count += 1;
            if !optional {
                grammar.required = grammar.operand_count;
            }
            at = end + 1;
        }
        grammar
    }
}

const fn token_end(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] != b' ' {
        at += 1;
    }
    at
}

/// Whether `name` is what `text` has from `start` to `end`.
const fn is(text: &[u8], start: usize, end: usize, name: &str) -> bool {
    let name = name.as_bytes();
    if end - start != name.len() {
        return false;
    }
    let mut i = 0;
    while i < name.len() {
        if text[start + i] != name[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn find_type(text: &[u8], start: usize, end: usize) -> Option<ScalarType> {
    let mut i = 0;
    while i < ScalarType::ALL.len() {
        if is(text, start, end, ScalarType::ALL[i].name()) {
            return Some(ScalarType::ALL[i]);
        }
        i += 1;
    }
    None
}

/// The words and types between bars.
const fn alternatives(text: &[u8], start: usize, end: usize) -> (Words, u64) {
    let mut words = Words::NONE;
    let mut types = 0;
    let mut at = start;
    while at < end {
        let mut stop = at;
        while stop < end && text[stop] != b'|' {
            stop += 1;
        }
        let (more_words, more_types) = name(text, at, stop);
        words = words.union(more_words);
        types |= more_types;
        at = stop + 1;
    }
    (words, types)
}

const fn name(text: &[u8], start: usize, end: usize) -> (Words, u64) {
    let mut i = 0;
    while i < SETS.len() {
        if is(text, start, end, SETS[i].0) {
            let set = SETS[i].1.as_bytes();
            return alternatives(set, 0, set.len());
        }
        i += 1;
    }
    if let Some(ty) = find_type(text, start, end) {
        return (Words::NONE, 1 << ty as u32);
    }
    let mut i = 0;
    while i < Word::ALL.len() {
        if is(text, start, end, Word::ALL[i].text()) {
            return (Words::of(Word::ALL[i]), 0);
        }
        i += 1;
    }
    panic!("no such modifier, type or set")
}

const fn operand_type(text: &[u8], start: usize, end: usize) -> OperandType {
    let letters = ["T", "U", "V"];
    let mut i = 0;
    while i < letters.len() {
        if is(text, start, end, letters[i]) {
            return OperandType::Opcode(i as u8);
        }
        i += 1;
    }
    match find_type(text, start, end) {
        Some(ty) => OperandType::Fixed(ty),
        None => panic!("no such operand type"),
    }
}
