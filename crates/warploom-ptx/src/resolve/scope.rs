//! Which names are in sight, and what they stand for.
//!
//! Ranges such as `%r<1000>` are never expanded: a name is matched against them by its trailing
//! number the first time it is met, and the answer is kept until a range comes or goes.

use crate::ast::{Names, RegisterDeclarationId, Symbol, Target, VariableTemplateId};
use crate::diagnostic::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A name with its own declaration.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) target: Target,
    pub(super) declared: Span,
    /// 0 is the module, 1 the function.
    depth: u32,
}

/// A declaration of many numbered names.
#[derive(Clone, Copy)]
pub(super) enum Numbered {
    Register(RegisterDeclarationId),
    Variable(VariableTemplateId),
}

#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) numbered: Numbered,
    pub(super) count: u32,
    pub(super) declared: Span,
    depth: u32,
}

/// The answer to a look-up.
pub(super) enum Found {
    /// Known from an earlier look-up that nothing has invalidated.
    Known(Target),
    Entry(Entry),
    /// The range and the number in it.
    Member(Range, u32),
    Nothing,
}

/// Two declarations of one name in one scope.
pub(super) struct Conflict {
    pub(super) symbol: Symbol,
    pub(super) earlier: Span,
    pub(super) later: Span,
}

struct Scope {
    undo_from: usize,
    ranges_from: usize,
}

/// The names in sight at one place of the module.
pub(super) struct Scopes {
    /// By symbol.
    entries: Vec<Option<Entry>>,
    /// By symbol: an earlier answer, and the generation that it is good for.
    answers: Vec<(u32, Target)>,
    generation: u32,
    /// By the part before the number; the innermost is the last.
    ranges: FxHashMap<Symbol, SmallVec<[Range; 1]>>,
    /// How many ranges in sight have a common part that ends in a digit, so that a name can be
    /// split in more than one way. Hardly ever any.
    digit_ended: usize,
    /// What the open scopes have hidden, to be put back when they close.
    undo: Vec<(Symbol, Option<Entry>)>,
    range_undo: Vec<Symbol>,
    open: Vec<Scope>,
}

impl Scopes {
    pub(super) fn new(symbols: usize) -> Scopes {
        Scopes {
            entries: vec![None; symbols],
            answers: vec![(0, Target::Unresolved); symbols],
            generation: 1,
            ranges: FxHashMap::default(),
            digit_ended: 0,
            undo: Vec::new(),
            range_undo: Vec::new(),
            open: Vec::new(),
        }
    }

    fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    pub(super) fn open(&mut self) {
        self.open.push(Scope {
            undo_from: self.undo.len(),
            ranges_from: self.range_undo.len(),
        });
    }

    /// Forgets the innermost scope; gives the names that it declared both by themselves and as
    /// part of a range.
    pub(super) fn close(&mut self, names: &Names<'_>) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let depth = self.depth();
        let Some(scope) = self.open.pop() else {
            return conflicts;
        };
        if self.range_undo.len() > scope.ranges_from {
            for &(symbol, _) in &self.undo[scope.undo_from..] {
                conflicts.extend(self.conflict_with_range(symbol, depth, names));
            }
            self.generation += 1;
        }
        for prefix in self.range_undo.drain(scope.ranges_from..) {
            if let Some(ranges) = self.ranges.get_mut(&prefix) {
                ranges.pop();
            }
            self.digit_ended -= usize::from(ends_in_digit(names.text(prefix)));
        }
        for (symbol, hidden) in self.undo.drain(scope.undo_from..).rev() {
            self.entries[symbol.index()] = hidden;
            self.answers[symbol.index()].0 = 0;
        }
        conflicts
    }

    fn conflict_with_range(
        &self,
        symbol: Symbol,
        depth: u32,
        names: &Names<'_>,
    ) -> Option<Conflict> {
        let entry = self.entries[symbol.index()].filter(|entry| entry.depth == depth)?;
        let (range, _) = self.range_with(symbol, names)?;
        let (first, second) = (entry.declared, range.declared);
        let in_order = first.start < second.start;
        (range.depth == depth).then_some(Conflict {
            symbol,
            earlier: if in_order { first } else { second },
            later: if in_order { second } else { first },
        })
    }

    /// Declares a name in the innermost scope, or gives what has it already.
    pub(super) fn declare(
        &mut self,
        symbol: Symbol,
        target: Target,
        declared: Span,
    ) -> Result<(), Entry> {
        let depth = self.depth();
        let slot = &mut self.entries[symbol.index()];
        if let Some(earlier) = slot.filter(|earlier| earlier.depth == depth) {
            return Err(earlier);
        }
        let entry = Entry {
            target,
            declared,
            depth,
        };
        self.undo.push((symbol, slot.replace(entry)));
        self.answers[symbol.index()].0 = 0;
        Ok(())
    }

    /// Declares a range in the innermost scope, or gives the place of one that overlaps it.
    pub(super) fn declare_range(
        &mut self,
        prefix: Symbol,
        numbered: Numbered,
        count: u32,
        declared: Span,
        names: &Names<'_>,
    ) -> Result<(), Span> {
        let depth = self.depth();
        let same_prefix = self.ranges.get(&prefix).and_then(|ranges| ranges.last());
        if let Some(earlier) = same_prefix.filter(|earlier| earlier.depth == depth) {
            return Err(earlier.declared);
        }
        // `%r1<5>` has %r10, as has `%r<20>`.
        let overlap = splits(names.text(prefix))
            .filter(|&(_, number)| number > 0)
            .filter_map(|(shorter, number)| {
                let ranges = self.ranges.get(&names.find(shorter)?)?;
                let range = ranges.last().filter(|range| range.depth == depth)?;
                let first = u64::from(number) * 10;
                (first < u64::from(range.count) && count > 0).then_some(range.declared)
            })
            .next();
        if let Some(earlier) = overlap {
            return Err(earlier);
        }
        self.ranges.entry(prefix).or_default().push(Range {
            numbered,
            count,
            declared,
            depth,
        });
        self.range_undo.push(prefix);
        self.digit_ended += usize::from(ends_in_digit(names.text(prefix)));
        self.generation += 1;
        Ok(())
    }

    /// What `symbol` stands for here.
    #[inline]
    pub(super) fn look_up(&self, symbol: Symbol, names: &Names<'_>) -> Found {
        match self.answers.get(symbol.index()) {
            Some(&(generation, target)) if generation == self.generation => Found::Known(target),
            _ => self.search(symbol, names),
        }
    }

    fn search(&self, symbol: Symbol, names: &Names<'_>) -> Found {
        let entry = self.entries.get(symbol.index()).copied().flatten();
        match (entry, self.range_with(symbol, names)) {
            (Some(entry), Some((range, _))) if entry.depth >= range.depth => Found::Entry(entry),
            (_, Some((range, number))) => Found::Member(range, number),
            (Some(entry), None) => Found::Entry(entry),
            (None, None) => Found::Nothing,
        }
    }

    /// Keeps the answer to a look-up.
    pub(super) fn remember(&mut self, symbol: Symbol, target: Target) {
        if let Some(answer) = self.answers.get_mut(symbol.index()) {
            *answer = (self.generation, target);
        }
    }

    /// The innermost range that has `symbol`, and its number in it.
    fn range_with(&self, symbol: Symbol, names: &Names<'_>) -> Option<(Range, u32)> {
        let name = names.text(symbol);
        let mut best: Option<(Range, u32)> = None;
        for (prefix, number) in splits(name) {
            if self.digit_ended == 0 && ends_in_digit(prefix) {
                continue;
            }
            let ranges = names.find(prefix).and_then(|p| self.ranges.get(&p));
            let inner = ranges.and_then(|r| r.iter().rev().find(|r| number < r.count));
            if let Some(&range) = inner
                && best.is_none_or(|(best, _)| range.depth > best.depth)
            {
                best = Some((range, number));
            }
        }
        best
    }

    /// The innermost range whose common part `symbol` begins with, whatever its number.
    pub(super) fn range_like(&self, symbol: Symbol, names: &Names<'_>) -> Option<(Symbol, Range)> {
        splits(names.text(symbol)).find_map(|(prefix, _)| {
            let prefix = names.find(prefix)?;
            Some((prefix, *self.ranges.get(&prefix)?.last()?))
        })
    }

    /// All names in sight with their own declaration.
    pub(super) fn visible<'n>(&'n self, names: &'n Names<'_>) -> impl Iterator<Item = &'n str> {
        let symbols = names.symbols().zip(&self.entries);
        symbols.filter_map(|(symbol, entry)| entry.map(|_| names.text(symbol)))
    }
}

fn ends_in_digit(text: &str) -> bool {
    text.as_bytes().last().is_some_and(u8::is_ascii_digit)
}

/// The ways to read `name` as something and a number without leading zeros.
fn splits(name: &str) -> impl Iterator<Item = (&str, u32)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..=digits.min(10)).filter_map(move |count| {
        let (prefix, number) = name.split_at_checked(name.len() - count)?;
        let plain = count == 1 || !number.starts_with('0');
        Some((prefix, plain.then(|| number.parse().ok())??))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::LabelId;

    #[test]
    fn numbers_are_split_off_in_every_way() {
        let all = |name| splits(name).collect::<Vec<_>>();
        assert_eq!(all("%r105"), [("%r10", 5), ("%r", 105)]);
        assert_eq!(all("%r0"), [("%r", 0)]);
        assert_eq!(all("%r"), []);
        assert_eq!(
            all("x99999999999"),
            [
                ("x9999999999", 9),
                ("x999999999", 99),
                ("x99999999", 999),
                ("x9999999", 9999),
                ("x999999", 99999),
                ("x99999", 999999),
                ("x9999", 9999999),
                ("x999", 99999999),
                ("x99", 999999999),
            ]
        );
    }

    #[test]
    fn inner_declarations_hide_outer_ones_until_their_scope_closes() {
        let mut names = Names::default();
        let prefix = names.intern("r");
        let r3 = names.intern("r3");
        let mut scopes = Scopes::new(names.len());
        let at = |n| Span::new(n, n + 1);
        let register = |n| Numbered::Register(RegisterDeclarationId(n));
        let describe = |found| match found {
            Found::Known(target) => format!("known {target:?}"),
            Found::Entry(entry) => format!("{:?}", entry.target),
            Found::Member(range, number) => match range.numbered {
                Numbered::Register(id) => format!("{} of {}", number, id.0),
                Numbered::Variable(_) => "variable".to_owned(),
            },
            Found::Nothing => "nothing".to_owned(),
        };
        scopes.open();
        assert!(
            scopes
                .declare_range(prefix, register(0), 10, at(0), &names)
                .is_ok()
        );
        assert_eq!(describe(scopes.look_up(r3, &names)), "3 of 0");
        scopes.remember(r3, Target::Label(LabelId(7)));
        assert_eq!(
            describe(scopes.look_up(r3, &names)),
            "known Label(LabelId(7))"
        );

        scopes.open();
        assert!(
            scopes
                .declare_range(prefix, register(1), 3, at(2), &names)
                .is_ok()
        );
        assert_eq!(describe(scopes.look_up(r3, &names)), "3 of 0");
        scopes.open();
        assert!(
            scopes
                .declare_range(prefix, register(2), 4, at(3), &names)
                .is_ok()
        );
        assert_eq!(describe(scopes.look_up(r3, &names)), "3 of 2");
        assert!(scopes.close(&names).is_empty());
        assert!(scopes.declare(r3, Target::Label(LabelId(1)), at(4)).is_ok());
        assert_eq!(describe(scopes.look_up(r3, &names)), "Label(LabelId(1))");
        assert!(scopes.close(&names).is_empty());
        assert_eq!(describe(scopes.look_up(r3, &names)), "3 of 0");
        assert!(scopes.declare(r3, Target::Label(LabelId(2)), at(5)).is_ok());
        let conflicts = scopes.close(&names);
        assert_eq!(conflicts.len(), 1);
        assert_eq!((conflicts[0].earlier, conflicts[0].later), (at(0), at(5)));
    }

    #[test]
    fn overlapping_ranges() {
        let mut names = Names::default();
        let r = names.intern("r");
        let r1 = names.intern("r1");
        let at = Span::new(0, 1);
        for (count, overlaps) in [(10, false), (11, true)] {
            let mut scopes = Scopes::new(names.len());
            let first = Numbered::Register(RegisterDeclarationId(0));
            assert!(scopes.declare_range(r, first, count, at, &names).is_ok());
            let second = scopes.declare_range(r1, first, 2, at, &names);
            assert_eq!(second.is_err(), overlaps, "r<{count}>");
        }
    }
}
