//! The support table: which instructions run, in which forms.

use std::fmt::Write;

use super::elsewhere::NOTES;
use super::grammar::SETS;
use super::requirements::RULES;
use super::{Family, Row, SECTIONS};
use crate::lower::{OPERATIONS, excluded};
use crate::types::ScalarType;

const INTRODUCTION: &str = "\
# What of PTX runs

Written by `cargo xtask docs` from the tables that the lowering reads.

Braces around a modifier with its dot mean that it can be left out (`{.ftz}`); braces after a dot
hold alternatives (`.{u16,s16}`). Modifiers can be written in any order, types in the order given.
";

/// The page `docs/ptx-support.md`.
pub fn support_table() -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "\nThese names stand for alternatives:\n\n| name | one of |\n| --- | --- |\n";
    for (name, alternatives) in SETS.iter().filter(|(name, _)| !row_types(name)) {
        let _ = writeln!(
            page,
            "| `.{name}` | `.{}` |",
            alternatives.replace('|', "` `.")
        );
    }
    for (section, families) in SECTIONS {
        let _ = write!(page, "\n## {section}\n\n| form | needs |\n| --- | --- |\n");
        for family in *families {
            for line in lines(family) {
                let _ = writeln!(page, "| `{}` | {} |", line.form(family.opcode), line.needs);
            }
        }
    }
    for (section, notes) in NOTES {
        let _ = write!(page, "\n## {section}\n\n| form |\n| --- |\n");
        for form in *notes {
            let _ = writeln!(page, "| `{}` |", form.replace('|', "\\|"));
        }
    }
    page += "\n## Since when\n\n\
        What the forms without the column *needs* require of a module; all others are as old as \
        PTX.\n\n| instruction | with | needs |\n| --- | --- | --- |\n";
    for rule in RULES
        .iter()
        .filter(|rule| OPERATIONS.contains(&rule.operation))
    {
        if !excluded::is_form(rule.operation, rule.modifiers) {
            let _ = writeln!(
                page,
                "| `{}` | {} | {} |",
                rule.operation,
                rule.with(),
                rule.needs.text()
            );
        }
    }
    page += "\n## Not supported\n\n\
        A module that has these loads; a launch that can reach one is refused and names it.\n\n";
    for name in excluded::operations() {
        let _ = writeln!(page, "- `{name}`");
    }
    for (name, modifier) in excluded::forms() {
        let _ = writeln!(page, "- `{name}` with `.{modifier}`");
    }
    page
}

/// Rows that differ in their types alone, in one line of the table.
struct Line {
    /// The tokens of the modifiers.
    tokens: Vec<String>,
    operands: String,
    needs: String,
    /// Which token is the type that differs.
    type_at: usize,
    types: Vec<&'static str>,
}

impl Line {
    fn of(row: &'static Row) -> Line {
        let tokens: Vec<&str> = row.modifiers.split(' ').collect();
        let is_type = |token: &&str| row_types(token);
        let type_at = tokens.iter().position(is_type).unwrap_or(tokens.len());
        Line {
            types: tokens.get(type_at).map_or(Vec::new(), |token| vec![*token]),
            tokens: tokens.into_iter().map(str::to_owned).collect(),
            operands: operands(row),
            needs: row.needs.text(),
            type_at,
        }
    }

    /// Whether the other line says the same of another type.
    fn takes(&self, other: &Line) -> bool {
        let rest = |line: &Line| {
            let mut tokens = line.tokens.clone();
            tokens.truncate(line.tokens.len());
            if line.type_at < tokens.len() {
                tokens.remove(line.type_at);
            }
            tokens
        };
        (&self.operands, &self.needs, self.type_at)
            == (&other.operands, &other.needs, other.type_at)
            && rest(self) == rest(other)
    }

    fn form(&self, opcode: &str) -> String {
        let mut form = opcode.to_owned();
        for (i, token) in self.tokens.iter().enumerate() {
            if i == self.type_at {
                form += &written(&self.types.join("|"));
            } else {
                form += &written(token);
            }
        }
        format!("{form} {}", self.operands).replace('|', "\\|")
    }
}

fn lines(family: &Family) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for line in family.rows().map(Line::of) {
        match lines.iter_mut().find(|known| known.takes(&line)) {
            Some(known) => known.types.extend(line.types),
            None => lines.push(line),
        }
    }
    lines
}

/// Whether a token of a row's modifiers is a type or types.
fn row_types(token: &str) -> bool {
    let name = spelled(token).next().unwrap_or_default();
    ScalarType::from_name(name).is_some()
}

/// The alternatives of a token, those that a set stands for in its place.
fn spelled(token: &str) -> impl Iterator<Item = &str> {
    token.trim_end_matches('?').split('|').flat_map(|name| {
        let set = SETS.iter().find(|(set, _)| *set == name);
        set.map_or(name, |(_, all)| all).split('|')
    })
}

/// `rnd?` as `{.rnd}`, `u16|s16` and `int16` as `.{u16,s16}`.
fn written(token: &str) -> String {
    let optional = token.ends_with('?');
    let names: Vec<&str> = match row_types(token) {
        true => spelled(token).collect(),
        false => token.trim_end_matches('?').split('|').collect(),
    };
    match (optional, names.as_slice()) {
        (true, names) => format!("{{.{}}}", names.join(",.")),
        (false, [name]) => format!(".{name}"),
        (false, names) => format!(".{{{}}}", names.join(",")),
    }
}

/// `d, a, b`
fn operands(row: &Row) -> String {
    if let Some(written) = row.written {
        return written.to_owned();
    }
    let letters = ["d", "a", "b", "c", "e", "f"];
    let count = row.grammar.operands().len();
    let required = row.grammar.required_operands();
    let mut text = String::new();
    for (i, letter) in letters.iter().take(count).enumerate() {
        match (i, i < required) {
            (0, _) => text += letter,
            (_, true) => text += &format!(", {letter}"),
            (_, false) => text += &format!("{{, {letter}}}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_without_rows_has_a_note() {
        let forms = NOTES.iter().flat_map(|(_, forms)| forms.iter());
        let opcodes = forms.filter_map(|form| form.split(|c: char| !c.is_alphanumeric()).next());
        let mut noted: Vec<&str> = opcodes.collect();
        noted.sort_unstable();
        noted.dedup();
        assert_eq!(noted, OPERATIONS);
    }

    #[test]
    fn tokens_are_written_as_ptx_has_them() {
        assert_eq!(written("rnd?"), "{.rnd}");
        assert_eq!(written("u16|s16"), ".{u16,s16}");
        assert_eq!(written("int16"), ".{u16,s16}");
        assert_eq!(written("add|min|max?"), "{.add,.min,.max}");
        assert_eq!(written("sat"), ".sat");
    }

    #[test]
    fn rows_that_differ_by_type_share_a_line() {
        let page = support_table();
        assert!(page.contains("| `mad24.lo.{u32,s32} d, a, b, c` |"));
        assert!(page.contains("| `sad.{u16,s16,u32,s32,u64,s64} d, a, b, c` |"));
        assert!(page.contains("| `fma.rn{.ftz}.relu.{f16,f16x2} d, a, b, c` | PTX 7.0, sm_80 |"));
    }
}
