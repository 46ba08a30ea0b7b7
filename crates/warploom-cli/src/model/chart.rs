//! Charts of characters.

/// A chart under way: `columns` × `rows` cells, the origin at the bottom left.
pub struct Chart {
    cells: Vec<Vec<char>>,
    columns: usize,
}

impl Chart {
    /// An empty one.
    pub fn new(columns: usize, rows: usize) -> Chart {
        Chart {
            cells: vec![vec![' '; columns]; rows],
            columns,
        }
    }

    /// Puts a mark; outside of the chart it is left out. Coordinates are shares of its width and
    /// height.
    pub fn mark(&mut self, x: f64, y: f64, mark: char) {
        let rows = self.cells.len();
        let cell = |share: f64, count: usize| {
            let last = count.saturating_sub(1);
            let inside = (0.0..=1.0).contains(&share);
            // In range: 0 to `last`.
            inside.then(|| (share * last as f64).round() as usize)
        };
        if let (Some(column), Some(row)) = (cell(x, self.columns), cell(y, rows)) {
            self.cells[rows - 1 - row][column] = mark;
        }
    }

    /// The rows with their labels, the axis and what stands below it.
    pub fn draw(&self, labels: &[(usize, String)], below: &str) -> String {
        let label = |row: usize| labels.iter().find(|(at, _)| *at == row);
        let width = labels.iter().map(|(_, text)| text.chars().count()).max();
        let width = width.unwrap_or(0);
        let mut text = String::new();
        for (row, cells) in self.cells.iter().enumerate() {
            let name = label(row).map_or("", |(_, name)| name.as_str());
            let cells: String = cells.iter().collect();
            text.push_str(format!("  {name:>width$} |{cells}").trim_end());
            text.push('\n');
        }
        text.push_str(&format!("  {:>width$} +{}\n", "", "-".repeat(self.columns)));
        text.push_str(format!("  {:>width$}  {below}", "").trim_end());
        text.push('\n');
        text
    }
}

/// A bar of `share` of `width`, in whole characters.
pub fn bar(share: f64, width: usize) -> String {
    // In range: 0 to `width`.
    let filled = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    format!("{}{}", "#".repeat(filled), ".".repeat(width - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_placed_from_the_bottom_left() {
        let mut chart = Chart::new(5, 3);
        chart.mark(0.0, 0.0, 'a');
        chart.mark(1.0, 1.0, 'b');
        chart.mark(0.5, 0.5, 'c');
        chart.mark(1.1, 0.5, 'x');
        chart.mark(f64::NAN, 0.5, 'x');
        let text = chart.draw(&[(0, "10".into()), (2, "1".into())], "1 to 10");
        assert_eq!(
            text,
            "  10 |    b\n     |  c\n   1 |a\n     +-----\n      1 to 10\n"
        );
    }

    #[test]
    fn bars_are_filled_by_share() {
        assert_eq!(
            [0.0, 0.5, 1.0, 7.0].map(|s| bar(s, 4)),
            ["....", "##..", "####", "####"]
        );
    }
}
