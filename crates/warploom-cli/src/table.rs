//! Tables without frames, for terminals and transcripts alike.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// How a column is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table under way.
pub struct Rows {
    table: Table,
    aligns: Vec<Align>,
}

impl Rows {
    /// A table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Rows {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let aligns: Vec<Align> = columns.iter().map(|(_, align)| *align).collect();
        let mut rows = Rows { table, aligns };
        let head = rows.cells(columns.iter().map(|(name, _)| (*name).to_owned()));
        rows.table.set_header(head);
        for column in rows.table.column_iter_mut() {
            column.set_padding((2, 0));
        }
        rows
    }

    fn cells(&self, texts: impl IntoIterator<Item = String>) -> Vec<Cell> {
        let aligned = texts.into_iter().zip(&self.aligns);
        let cell = |(text, align): (String, &Align)| {
            Cell::new(clean(&text)).set_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            })
        };
        aligned.map(cell).collect()
    }

    /// Adds a row.
    pub fn row(&mut self, texts: impl IntoIterator<Item = String>) {
        let cells = self.cells(texts);
        self.table.add_row(cells);
    }

    /// The table, without spaces at the ends of lines.
    pub fn draw(&self) -> String {
        let drawn = self.table.to_string();
        drawn.lines().fold(String::new(), |mut text, line| {
            text.push_str(line.trim_end());
            text.push('\n');
            text
        })
    }
}

/// One line of text that does not steer the terminal.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A count with commas: `1,234,567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent: `71.4%`.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// At most `most` characters, cut with an ellipsis.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// At most `most` characters, the last ones, after an ellipsis.
pub fn shorten_left(text: &str, most: usize) -> String {
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(all + 1 - most.max(1)).collect();
    format!("…{kept}")
}

/// A number with six digits at most, as C's `%g` writes it.
pub fn number(value: f64) -> String {
    const DIGITS: i32 = 6;
    let written = format!("{value:.*e}", DIGITS as usize - 1);
    let Some((mantissa, exponent)) = written.split_once('e') else {
        return written;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |digits: &str| match digits.contains('.') {
        true => digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        false => digits.to_owned(),
    };
    match usize::try_from(DIGITS - 1 - exponent) {
        Ok(decimals) if exponent >= -4 => trim(&format!("{value:.decimals$}")),
        _ => format!("{}e{exponent}", trim(mantissa)),
    }
}

/// Columns that a text takes.
pub fn widest(text: &str) -> usize {
    let columns = text.lines().map(|line| line.chars().count());
    columns.max().unwrap_or(0)
}

/// Columns of the terminal that standard output is, if it is one.
pub fn terminal_columns() -> Option<usize> {
    Table::new().width().map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_to_the_right() {
        let mut rows = Rows::new(&[("name", Align::Left), ("count", Align::Right)]);
        rows.row(["a".to_owned(), count(1_234_567)]);
        rows.row(["long".to_owned(), count(7)]);
        assert_eq!(
            rows.draw(),
            "  name      count\n  a     1,234,567\n  long          7\n"
        );
    }

    #[test]
    fn values_read_well() {
        assert_eq!(
            [0, 999, 1000, 12_345_678].map(count),
            ["0", "999", "1,000", "12,345,678"]
        );
        assert_eq!(percent(160.0 / 224.0), "71.4%");
        assert_eq!(
            [shorten("abcdef", 6), shorten("abcdefg", 6)],
            ["abcdef", "abcde…"]
        );
        assert_eq!(
            ["a/b.h:52", "dir/a/b.h:52"].map(|place| shorten_left(place, 8)),
            ["a/b.h:52", "…/b.h:52"]
        );
        assert_eq!(
            [
                0.0,
                56.0,
                0.1,
                1.0 / 3.0,
                123_456.7,
                1_234_567.0,
                1e-4,
                1e-5
            ]
            .map(number),
            [
                "0",
                "56",
                "0.1",
                "0.333333",
                "123457",
                "1.23457e6",
                "0.0001",
                "1e-5"
            ]
        );
        assert_eq!(
            [f64::INFINITY, -2.5, 999_999.9].map(number),
            ["inf", "-2.5", "1e6"]
        );
        assert_eq!(widest("a\n…bc\n"), 3);
        assert_eq!(clean("a\u{1b}[2J\tb"), "a [2J b");
    }
}
