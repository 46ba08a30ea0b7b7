//! The issue grid: a row for each issued instruction, a cell for each lane.

use std::fmt::Write;

use warploom::lesson::{Issue, Lesson, Path, hex};

/// What a lane does in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Common,
    Then,
    Else,
    Loop,
    Case,
    Where,
    /// Active, but the condition of the `where` is false.
    Off,
    /// Not on this path.
    Idle,
    /// Exited, or never there: the last warp of a block may have fewer threads than lanes.
    Gone,
}

/// How a cell looks: without colour, with it, the colour, and what the legend calls it.
struct Look {
    cell: Cell,
    plain: char,
    coloured: char,
    colour: &'static str,
    name: &'static str,
}

const LOOKS: [Look; 9] = [
    look(Cell::Common, '#', '█', "37", "common"),
    look(Cell::Then, 'T', '█', "32", "then"),
    look(Cell::Else, 'E', '█', "33", "else"),
    look(Cell::Loop, 'L', '█', "36", "loop"),
    look(Cell::Case, 'C', '█', "35", "case"),
    look(Cell::Where, 'W', '█', "34", "where"),
    look(Cell::Off, '-', '░', "34", "where not"),
    look(Cell::Idle, '.', '·', "90", "idle"),
    look(Cell::Gone, ' ', ' ', "0", ""),
];

const fn look(
    cell: Cell,
    plain: char,
    coloured: char,
    colour: &'static str,
    name: &'static str,
) -> Look {
    Look {
        cell,
        plain,
        coloured,
        colour,
        name,
    }
}

impl Cell {
    fn look(self) -> &'static Look {
        let found = LOOKS.iter().find(|look| look.cell == self);
        found.unwrap_or(&LOOKS[0])
    }
}

/// The cells of a row, lane 0 first.
fn cells(lesson: &Lesson, issue: &Issue) -> Vec<Cell> {
    let line = lesson.line(issue.line);
    let working = line.map_or(Cell::Common, |line| match line.path {
        _ if line.predicated => Cell::Where,
        Path::Common => Cell::Common,
        Path::Then => Cell::Then,
        Path::Else => Cell::Else,
        Path::Loop => Cell::Loop,
        Path::Case(_) => Cell::Case,
    });
    let has = |mask: u64, lane: u32| mask >> lane & 1 != 0;
    (0..lesson.width)
        .map(|lane| {
            if !has(issue.live, lane) {
                Cell::Gone
            } else if !has(issue.active, lane) {
                Cell::Idle
            } else if working == Cell::Where && !has(issue.executing, lane) {
                Cell::Off
            } else {
                working
            }
        })
        .collect()
}

/// Draws cells; neighbours of one colour share its escape sequence.
fn draw(cells: &[Cell], colour: bool) -> String {
    let mut text = String::new();
    let mut current = "";
    for cell in cells {
        let look = cell.look();
        if !colour {
            text.push(look.plain);
            continue;
        }
        if look.colour != current {
            current = look.colour;
            let _ = write!(text, "\x1b[{current}m");
        }
        text.push(look.coloured);
    }
    if colour {
        text.push_str("\x1b[0m");
    }
    text
}

/// The grid. `issues` are the rows to draw.
pub fn grid(lesson: &Lesson, issues: &[Issue], colour: bool) -> String {
    let width = lesson.width as usize;
    let digits = width.div_ceil(4).max("active".len());
    let lanes = width.max("lanes".len());
    let many_blocks = lesson.blocks > 1;
    let mut text = String::new();
    if many_blocks {
        text.push_str("block ");
    }
    let _ = writeln!(
        text,
        "warp line {:<digits$} {:<lanes$}  source",
        "active", "lanes"
    );
    let mut seen = Vec::new();
    for issue in issues {
        let cells = cells(lesson, issue);
        for &cell in &cells {
            if !seen.contains(&cell) {
                seen.push(cell);
            }
        }
        if many_blocks {
            let _ = write!(text, "{:>5} ", issue.block);
        }
        let mask = hex(issue.active, lesson.width);
        let padding = lanes - width;
        let (line, depth) = lesson
            .line(issue.line)
            .map_or(("", 0), |line| (line.text.as_str(), line.depth as usize));
        let _ = writeln!(
            text,
            "{:>4} {:>4} {mask:<digits$} {}{:padding$}  {:indent$}{line}",
            issue.warp,
            issue.line,
            draw(&cells, colour),
            "",
            "",
            indent = 2 * depth,
        );
    }
    let legend = LOOKS
        .iter()
        .filter(|look| seen.contains(&look.cell) && !look.name.is_empty());
    let legend = legend.map(|look| format!("{} {}", draw(&[look.cell], colour), look.name));
    let _ = writeln!(text, "\n{}", legend.collect::<Vec<_>>().join("   "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_colour() {
        let cells = [
            Cell::Common,
            Cell::Common,
            Cell::Idle,
            Cell::Then,
            Cell::Gone,
        ];
        assert_eq!(draw(&cells, false), "##.T ");
        let coloured = "\x1b[37m██\x1b[90m·\x1b[32m█\x1b[0m \x1b[0m";
        assert_eq!(draw(&cells, true), coloured);
    }

    #[test]
    fn plain_cells_differ() {
        for (k, look) in LOOKS.iter().enumerate() {
            assert!(LOOKS[..k].iter().all(|other| other.plain != look.plain));
        }
    }
}
