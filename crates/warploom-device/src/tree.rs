//! Parsed TOML with source spans: walking, merging, and the way between field paths and places.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A value that is not a table, found by walking a tree.
pub(crate) struct Leaf {
    /// Dotted path from the root.
    pub path: String,
    /// Whether it is a figure (a number, a switch, or a list of them) rather than a text.
    pub is_figure: bool,
}

/// Lays `overlay` over `base`: its values win, tables are merged and stand where the overlay has
/// them.
pub(crate) fn merge<'i>(base: &mut DeTable<'i>, overlay: DeTable<'i>) {
    for (key, value) in overlay {
        let span = value.span();
        let below = base.remove(key.get_ref().as_ref());
        let merged = match (value.into_inner(), below.map(Spanned::into_inner)) {
            (DeValue::Table(above), Some(DeValue::Table(mut below))) => {
                merge(&mut below, above);
                DeValue::Table(below)
            }
            (above, _) => above,
        };
        base.insert(key, Spanned::new(span, merged));
    }
}

/// The same tree with every span set to `span`: inherited values are blamed on the entry that
/// brought them in.
pub(crate) fn respan<'i>(table: DeTable<'i>, span: &Range<usize>) -> DeTable<'i> {
    let entry = |(key, value): (Spanned<DeString<'i>>, Spanned<_>)| {
        let key = Spanned::new(span.clone(), key.into_inner());
        (key, respan_value(value.into_inner(), span))
    };
    table.into_iter().map(entry).collect()
}

fn respan_value<'i>(value: DeValue<'i>, span: &Range<usize>) -> Spanned<DeValue<'i>> {
    let value = match value {
        DeValue::Table(inner) => DeValue::Table(respan(inner, span)),
        DeValue::Array(items) => {
            let items = items
                .into_iter()
                .map(|item| respan_value(item.into_inner(), span));
            DeValue::Array(items.collect())
        }
        other => other,
    };
    Spanned::new(span.clone(), value)
}

/// A tree with one value, at `path`; all of it at `span`.
pub(crate) fn single<'i>(path: &'i str, value: DeValue<'i>, span: &Range<usize>) -> DeTable<'i> {
    let (key, value) = match path.split_once('.') {
        Some((key, rest)) => (key, DeValue::Table(single(rest, value, span))),
        None => (path, value),
    };
    let key = Spanned::new(span.clone(), DeString::Borrowed(key));
    DeTable::from_iter([(key, respan_value(value, span))])
}

/// All values below `table`, in the order of their paths.
pub(crate) fn leaves(table: &DeTable<'_>) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(table, "", &mut found);
    found
}

fn collect(table: &DeTable<'_>, prefix: &str, found: &mut Vec<Leaf>) {
    for (key, value) in table {
        let path = join(prefix, key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => collect(inner, &path, found),
            other => found.push(Leaf {
                path,
                is_figure: !matches!(other, DeValue::String(_) | DeValue::Datetime(_)),
            }),
        }
    }
}

fn join(prefix: &str, key: &str) -> String {
    match prefix {
        "" => key.to_owned(),
        _ => format!("{prefix}.{key}"),
    }
}

/// Where `path` stands; a missing field is blamed on the nearest table around it.
pub(crate) fn span_of(table: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    let (key, rest) = path.split_once('.').unwrap_or((path, ""));
    let (name, value) = table.get_key_value(key)?;
    match value.get_ref() {
        DeValue::Table(inner) if !rest.is_empty() => {
            span_of(inner, rest).or_else(|| Some(name.span()))
        }
        _ => Some(value.span()),
    }
}

/// The path of the innermost entry whose key or value covers `span`; entries inherited from
/// elsewhere (which carry `inherited` as their span) are passed over. Empty for the whole text.
pub(crate) fn path_at(
    table: &DeTable<'_>,
    span: &Range<usize>,
    inherited: Option<&Range<usize>>,
) -> String {
    let covers = |outer: Range<usize>| {
        Some(&outer) != inherited && outer.start <= span.start && span.end <= outer.end
    };
    for (key, value) in table {
        if let DeValue::Table(inner) = value.get_ref() {
            let below = path_at(inner, span, inherited);
            if !below.is_empty() {
                return join(key.get_ref(), &below);
            }
        }
        if covers(key.span()) || covers(value.span()) {
            return key.get_ref().to_string();
        }
    }
    String::new()
}

/// Dots that one line may have. The parser bounds brackets but not dotted keys, each of which
/// nests a table, and walking or freeing tables follows the nesting.
const MAX_DOTS_PER_LINE: usize = 64;

/// Tables within tables that a device description can have, with room to spare.
const MAX_DEPTH: usize = 4;

/// Offset of a line with too many dots to be handed to the parser.
pub(crate) fn crowded_line(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.bytes().filter(|byte| *byte == b'.').count() > MAX_DOTS_PER_LINE {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

/// Place of a table that lies deeper than any field. Everything else here may then recurse.
pub(crate) fn too_deep(table: &DeTable<'_>) -> Option<Range<usize>> {
    deeper_than(table, MAX_DEPTH)
}

fn deeper_than(table: &DeTable<'_>, levels: usize) -> Option<Range<usize>> {
    table.iter().find_map(|(key, value)| match value.get_ref() {
        DeValue::Table(_) if levels == 0 => Some(key.span()),
        DeValue::Table(inner) => deeper_than(inner, levels - 1),
        _ => None,
    })
}
