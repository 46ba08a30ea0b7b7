//! Reading an opcode's dotted parts in any order.

use smallvec::SmallVec;

use super::error;
use crate::ast::Opcode;
use crate::diagnostic::{Diagnostic, Span};
use crate::suggest::nearest;
use crate::types::ScalarType;

/// The modifiers of one opcode, each taken once. What is left over at the end is an error at its
/// own place, with a suggestion out of the names that were asked for.
pub(crate) struct Parts<'a> {
    opcode: &'a Opcode<'a>,
    start: u32,
    /// Bit `i`: part `i` is taken. Part 0, the base, always is.
    taken: u64,
    asked: SmallVec<[&'static str; 32]>,
}

impl<'a> Parts<'a> {
    /// Starts at `opcode`, written at byte `start` of the source.
    pub(crate) fn new(opcode: &'a Opcode<'a>, start: u32) -> Result<Parts<'a>, Diagnostic> {
        let parts = Parts {
            opcode,
            start,
            taken: 1,
            asked: SmallVec::new(),
        };
        if opcode.parts.len() > 64 {
            let message = "no instruction has this many modifiers";
            return Err(Diagnostic::new(
                error::MODIFIER,
                parts.span(),
                message,
                "more than 63 modifiers",
            ));
        }
        Ok(parts)
    }

    /// The operation: `ld` of `ld.global.u32`.
    pub(crate) fn base(&self) -> &'a str {
        self.opcode.base()
    }

    /// Takes all parts, for a decoder that goes by tables.
    pub(crate) fn take_all(&mut self) -> &'a Opcode<'a> {
        self.taken = u64::MAX;
        self.opcode
    }

    /// Place of the operation.
    pub(crate) fn base_span(&self) -> Span {
        self.part_span(0)
    }

    /// Place of the whole opcode.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.opcode.text.len() as u32)
    }

    /// The parts not yet taken, with their numbers.
    fn left(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        let taken = self.taken;
        let parts = self.opcode.parts.iter().enumerate();
        parts
            .filter(move |&(i, _)| taken >> i & 1 == 0)
            .map(|(i, part)| (i, part.text))
    }

    /// Place of part `i`.
    pub(crate) fn part_span(&self, i: usize) -> Span {
        let Some(part) = self.opcode.parts.get(i) else {
            return self.span();
        };
        let start = self.start + part.offset;
        Span::new(start, start + part.text.len() as u32)
    }

    /// Whether `name` is there; takes it.
    pub(crate) fn take(&mut self, name: &'static str) -> bool {
        self.asked.push(name);
        let found = self.left().find(|&(_, text)| text == name);
        if let Some((i, _)) = found {
            self.taken |= 1 << i;
        }
        found.is_some()
    }

    /// Whether `name` is there and not yet taken; leaves it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.left().any(|(_, text)| text == name)
    }

    /// Takes the one modifier that `table` has; two of them exclude each other.
    pub(crate) fn take_one<T: Copy>(
        &mut self,
        table: &[(&'static str, T)],
    ) -> Result<Option<T>, Diagnostic> {
        self.asked.extend(table.iter().map(|&(name, _)| name));
        let mut found: Option<(usize, T)> = None;
        for (i, text) in self.left() {
            let Some(&(_, value)) = table.iter().find(|&&(name, _)| name == text) else {
                continue;
            };
            if let Some((first, _)) = found {
                return Err(self.exclusive(first, i));
            }
            found = Some((i, value));
        }
        Ok(found.map(|(i, value)| {
            self.taken |= 1 << i;
            value
        }))
    }

    /// As [`Parts::take_one`], where the instruction cannot do without.
    pub(crate) fn require_one<T: Copy>(
        &mut self,
        what: &str,
        table: &[(&'static str, T)],
    ) -> Result<T, Diagnostic> {
        self.take_one(table)?.ok_or_else(|| {
            let names: Vec<String> = table.iter().map(|(name, _)| format!(".{name}")).collect();
            self.missing(what)
                .with_help(format!("one of {}", names.join(" ")))
        })
    }

    /// The instruction's type, which must be one of `allowed`.
    pub(crate) fn type_among(&mut self, allowed: &[ScalarType]) -> Result<ScalarType, Diagnostic> {
        let left = self.left().map(|(i, _)| i).next();
        let found = self
            .left()
            .find_map(|(i, text)| ScalarType::from_name(text).map(|ty| (i, ty)));
        let list = || {
            let names: Vec<String> = allowed.iter().map(|ty| format!(".{}", ty.name())).collect();
            format!("it takes {}", names.join(" "))
        };
        let Some((i, ty)) = found else {
            let mut missing = self.missing("type").with_help(list());
            if let Some(i) = left {
                missing = missing.with_label(self.part_span(i), "this is not a type");
            }
            return Err(missing);
        };
        self.taken |= 1 << i;
        if allowed.contains(&ty) {
            return Ok(ty);
        }
        let message = format!("`{}` has no form for this type", self.base());
        let label = format!("`.{}` is not possible here", ty.name());
        Err(
            Diagnostic::new(error::COMBINATION, self.part_span(i), message, label)
                .with_help(list()),
        )
    }

    /// Two parts that cannot stand together.
    fn exclusive(&self, first: usize, second: usize) -> Diagnostic {
        let text = |i: usize| self.opcode.parts.get(i).map_or("", |part| part.text);
        let message = if text(first) == text(second) {
            format!("`.{}` is written twice", text(first))
        } else {
            format!(
                "`.{}` and `.{}` exclude each other",
                text(first),
                text(second)
            )
        };
        Diagnostic::new(
            error::COMBINATION,
            self.part_span(second),
            message,
            "this is one too many",
        )
        .with_label(self.part_span(first), "the first is here")
    }

    /// Something the instruction needs is not written.
    pub(crate) fn missing(&self, what: &str) -> Diagnostic {
        let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        let message = format!("`{}` needs {article} {what}", self.base());
        let label = format!("no {what} here");
        Diagnostic::new(error::MISSING_MODIFIER, self.span(), message, label)
    }

    /// A combination of modifiers that PTX does not have.
    pub(crate) fn combination(&self, message: impl Into<String>) -> Diagnostic {
        let label = "not a form of this instruction";
        Diagnostic::new(error::COMBINATION, self.span(), message, label)
    }

    /// Every part must be taken now.
    pub(crate) fn finish(&self) -> Result<(), Diagnostic> {
        let Some((i, text)) = self.left().next() else {
            return Ok(());
        };
        let span = self.part_span(i);
        let earlier = self.opcode.parts.iter().take(i).skip(1);
        if earlier.clone().any(|part| part.text == text) {
            let message = format!("`.{text}` is written twice");
            return Err(Diagnostic::new(
                error::MODIFIER,
                span,
                message,
                "once more here",
            ));
        }
        let message = format!("`{}` has no modifier `.{text}` here", self.base());
        let unknown = Diagnostic::new(error::MODIFIER, span, message, "not expected");
        let types = ScalarType::ALL.iter().map(|ty| ty.name());
        let known = self.asked.iter().copied().filter(|&name| name != text);
        Err(
            match nearest(text, known.chain(types).filter(|&n| n != text)) {
                Some(name) => unknown.with_help(format!("did you mean `.{name}`?")),
                None => unknown,
            },
        )
    }
}
