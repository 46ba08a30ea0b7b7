//! Finding the row of an opcode, and saying why there is none.

use smallvec::SmallVec;
use warploom_isa::Mods;

use super::grammar::Types;
use super::{Family, Row, Word, Words, find};
use crate::diagnostic::{Diagnostic, Span};
use crate::lower::error;
use crate::lower::parts::Parts;
use crate::suggest::nearest;
use crate::types::ScalarType;

/// A decoded opcode: its row and what was chosen of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) row: &'static Row,
    pub(crate) words: Words,
    /// As many as the row has.
    pub(crate) types: [ScalarType; 4],
    /// What the words set in the modifier word of the lane operation.
    pub(crate) mods: Mods,
}

impl Form {
    pub(crate) fn has(&self, word: Word) -> bool {
        self.words.has(word)
    }

    /// Type `n` of the opcode.
    pub(crate) fn ty(&self, n: usize) -> ScalarType {
        self.types.get(n).copied().unwrap_or(ScalarType::B32)
    }

    /// Whether no word asks the lane operation for a modifier.
    pub(crate) fn is_plain(&self) -> bool {
        self.mods == Mods::NONE
    }
}

/// The parts of an opcode after the first.
struct Spelled<'a> {
    base: &'a str,
    span: Span,
    words: Words,
    types: SmallVec<[ScalarType; 4]>,
    /// Places of the types.
    type_spans: SmallVec<[Span; 4]>,
    /// Places of the words.
    word_spans: SmallVec<[(Word, Span); 8]>,
}

/// Decodes an opcode that has rows; nothing for others.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let Some(family) = find(parts.base()) else {
        return Ok(None);
    };
    let spelled = spell(parts, family)?;
    let Some(row) = family.rows().find(|row| spelled.fits(row)) else {
        return Err(spelled.refusal(family));
    };
    let mods = spelled.words.iter().map(Word::mods);
    let mut types = [ScalarType::B32; 4];
    for (place, &ty) in types.iter_mut().zip(&spelled.types) {
        *place = ty;
    }
    Ok(Some(Form {
        row,
        words: spelled.words,
        types,
        mods: mods.fold(Mods::NONE, |all, word| Mods(all.0 | word.0)),
    }))
}

fn spell<'a>(parts: &mut Parts<'a>, family: &Family) -> Result<Spelled<'a>, Diagnostic> {
    let base = parts.base();
    let span = parts.span();
    let mut spelled = Spelled {
        base,
        span,
        words: Words::NONE,
        types: SmallVec::new(),
        type_spans: SmallVec::new(),
        word_spans: SmallVec::new(),
    };
    let opcode = parts.take_all();
    for (i, part) in opcode.parts.iter().enumerate().skip(1) {
        let span = parts.part_span(i);
        if let Some(ty) = ScalarType::from_name(part.text) {
            spelled.types.push(ty);
            spelled.type_spans.push(span);
            continue;
        }
        let Some(word) = Word::from_text(part.text) else {
            return Err(unknown(base, part.text, span, family));
        };
        if spelled.words.has(word) {
            let message = format!("`.{}` is written twice", part.text);
            return Err(Diagnostic::new(
                error::MODIFIER,
                span,
                message,
                "once more here",
            ));
        }
        spelled.words = spelled.words.union(Words::of(word));
        spelled.word_spans.push((word, span));
    }
    Ok(spelled)
}

/// A part that no arithmetic instruction has.
fn unknown(base: &str, text: &str, span: Span, family: &Family) -> Diagnostic {
    let message = format!("`{base}` has no modifier `.{text}`");
    let diagnostic = Diagnostic::new(error::MODIFIER, span, message, "not a modifier of it");
    let words = family.rows().map(allowed).fold(Words::NONE, Words::union);
    let words = words.iter();
    let types = ScalarType::ALL.iter().filter(|&&ty| {
        let mut sets = family.rows().flat_map(|row| row.grammar.types());
        sets.any(|set| set.has(ty))
    });
    let names = words
        .map(|word| word.text())
        .chain(types.map(|ty| ty.name()));
    match nearest(text, names) {
        Some(name) => diagnostic.with_help(format!("did you mean `.{name}`?")),
        None => diagnostic,
    }
}

/// The words that a row takes.
fn allowed(row: &Row) -> Words {
    let groups = row.grammar.groups().iter();
    groups.fold(Words::NONE, |all, group| all.union(group.words))
}

impl Spelled<'_> {
    fn fits(&self, row: &Row) -> bool {
        self.types_fit(row)
            && self.words.without(allowed(row)).is_empty()
            && row.grammar.groups().iter().all(|group| {
                let count = self.words.common(group.words).count();
                count == 1 || (count == 0 && group.optional)
            })
    }

    fn types_fit(&self, row: &Row) -> bool {
        let sets = row.grammar.types();
        sets.len() == self.types.len() && sets.iter().zip(&self.types).all(|(set, &ty)| set.has(ty))
    }

    /// How far a row with these types is from the words.
    fn distance(&self, row: &Row) -> u32 {
        let extra = self.words.without(allowed(row)).count();
        let groups = row.grammar.groups().iter();
        let wrong = groups.map(|group| match self.words.common(group.words).count() {
            0 => u32::from(!group.optional),
            count => count - 1,
        });
        2 * extra + wrong.sum::<u32>()
    }

    /// ` with `.f32.f16``, or nothing without types.
    fn with_types(&self) -> String {
        if self.types.is_empty() {
            return String::new();
        }
        let names: Vec<String> = self
            .types
            .iter()
            .map(|ty| format!(".{}", ty.name()))
            .collect();
        format!(" with `{}`", names.concat())
    }

    fn word_span(&self, word: Word) -> Span {
        let found = self.word_spans.iter().find(|&&(other, _)| other == word);
        found.map_or(self.span, |&(_, span)| span)
    }

    /// Why none of the rows fits.
    fn refusal(&self, family: &Family) -> Diagnostic {
        let with_types = family.rows().filter(|row| self.types_fit(row));
        match with_types.min_by_key(|row| self.distance(row)) {
            Some(row) => self.wrong_words(family, row),
            None => self.wrong_types(family),
        }
    }

    /// The types are right; `row` comes nearest by its words.
    fn wrong_words(&self, family: &Family, row: &Row) -> Diagnostic {
        let (base, types) = (self.base, self.with_types());
        if let Some(word) = self.words.without(allowed(row)).iter().next() {
            let rows = family.rows().filter(|row| self.types_fit(row));
            let others = rows.map(allowed).fold(Words::NONE, Words::union);
            let help = match others.without(Words::of(word)) {
                others if others.is_empty() => "it takes no modifier there".to_owned(),
                others => format!("it takes {}", others.list()),
            };
            let message = format!("`{base}` does not take `.{}`{types}", word.text());
            let message = if others.has(word) {
                format!("{message} and the other modifiers")
            } else {
                message
            };
            let span = self.word_span(word);
            return Diagnostic::new(error::COMBINATION, span, message, "not possible here")
                .with_help(help);
        }
        for group in row.grammar.groups() {
            let mut found = self.words.common(group.words).iter();
            match (found.next(), found.next()) {
                (Some(first), Some(second)) => {
                    let message = format!(
                        "`.{}` and `.{}` exclude each other",
                        first.text(),
                        second.text()
                    );
                    let span = self.word_span(second);
                    return Diagnostic::new(error::COMBINATION, span, message, "one too many")
                        .with_label(self.word_span(first), "the other is here");
                }
                (None, _) if !group.optional => {
                    let missing = self.missing(family, row);
                    let message = match missing.count() {
                        1 => format!("`{base}`{types} needs `{}`", missing.list()),
                        _ => format!("`{base}`{types} needs one of {}", missing.list()),
                    };
                    let label = "a modifier is missing";
                    return Diagnostic::new(error::MISSING_MODIFIER, self.span, message, label);
                }
                _ => {}
            }
        }
        let message = format!("`{base}` has no such form");
        Diagnostic::new(error::COMBINATION, self.span, message, "not a form of it")
    }

    /// The words of which one has to be added for `row`, or for another row as near to it.
    fn missing(&self, family: &Family, row: &Row) -> Words {
        let distance = self.distance(row);
        let near = family.rows().filter(|row| {
            self.types_fit(row)
                && self.distance(row) == distance
                && self.words.without(allowed(row)).is_empty()
        });
        let groups = near.filter_map(|row| {
            let mut groups = row.grammar.groups().iter();
            groups.find(|group| !group.optional && self.words.common(group.words).is_empty())
        });
        groups.fold(Words::NONE, |all, group| all.union(group.words))
    }

    /// No row has these types.
    fn wrong_types(&self, family: &Family) -> Diagnostic {
        let base = self.base;
        let agreeing = |row: &Row| {
            let sets = row.grammar.types().iter().zip(&self.types);
            sets.take_while(|&(set, &ty)| set.has(ty)).count()
        };
        let most = family.rows().map(agreeing).max().unwrap_or(0);
        // Of the rows that agree with most types, those that have the words too, if there are any.
        let possible = |with_words: bool| {
            let rows = family.rows().filter(|row| agreeing(row) == most);
            let rows =
                rows.filter(|row| !with_words || self.words.without(allowed(row)).is_empty());
            let sets = rows.filter_map(|row| row.grammar.types().get(most));
            sets.fold(Types::NONE, |all, &set| all.union(set))
        };
        let possible = match possible(true) {
            Types::NONE => possible(false),
            types => types,
        };
        let diagnostic = match self.types.get(most) {
            Some(ty) => {
                let span = self.type_spans.get(most).copied().unwrap_or(self.span);
                let message = match most {
                    0 => format!("`{base}` has no form for `.{}`", ty.name()),
                    _ => format!("`{base}` has no form for `.{}` in this place", ty.name()),
                };
                Diagnostic::new(error::COMBINATION, span, message, "not possible here")
            }
            None => {
                let message = match most {
                    0 => format!("`{base}` needs a type"),
                    _ => format!("`{base}` needs another type"),
                };
                Diagnostic::new(error::MISSING_MODIFIER, self.span, message, "no type here")
            }
        };
        match possible {
            Types::NONE => diagnostic,
            types => diagnostic.with_help(format!("it takes {}", types.list())),
        }
    }
}
