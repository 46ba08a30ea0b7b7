//! The table of source lines.

use std::collections::BTreeMap;

use warploom::metrics::Tally;
use warploom::report::{LaunchReport, Place};

use crate::human::{NAME_WIDTH, View, sectors};
use crate::names::kernel_name;
use crate::table::{Align, Rows, count, percent, shorten, shorten_left, widest};

/// Characters of a source line.
const TEXT_WIDTH: usize = 64;
/// Fewest characters of a source line that say anything.
const LEAST_TEXT: usize = 12;
/// Characters of a file's path and the line's number.
const PLACE_WIDTH: usize = 40;
/// The same where the terminal is too narrow for that.
const NARROW_PLACE: usize = 20;

/// A line and what happened there, in one kernel where several ran.
struct Hot<'a> {
    kernel: &'a str,
    place: &'a Place,
    tally: Tally,
}

impl Hot<'_> {
    /// Whether there is something to see whatever its share.
    fn is_notable(&self) -> bool {
        let tally = &self.tally;
        tally.divergent_branches > 0
            || tally.shared_bank_conflicts > 0
            || tally.global_load_sectors > tally.global_load_ideal_sectors
            || tally.global_store_sectors > tally.global_store_ideal_sectors
    }
}

/// The source lines with the most issues, over all launches, and all with something to improve.
pub fn hot_lines(launches: &[LaunchReport], view: View) -> String {
    let Some(first) = launches.first() else {
        return String::new();
    };
    let several = launches.iter().any(|launch| launch.kernel != first.kernel);
    let mut lines: BTreeMap<(&str, &str, u32), Hot<'_>> = BTreeMap::new();
    for launch in launches {
        let kernel = if several { launch.kernel.as_str() } else { "" };
        for line in &launch.lines {
            let (place, tally) = (&line.place, Tally::default());
            lines
                .entry((kernel, &place.file, place.line))
                .or_insert(Hot {
                    kernel,
                    place,
                    tally,
                })
                .tally
                .add(&line.tally);
        }
    }
    let total = lines.values().map(|hot| hot.tally.warp_instructions).sum();
    let mut hottest: Vec<Hot<'_>> = lines.into_values().collect();
    hottest.sort_by_key(|hot| std::cmp::Reverse(hot.tally.warp_instructions));
    let all = hottest.len();
    let mut rank = 0;
    hottest.retain(|hot| {
        rank += 1;
        rank <= view.lines || hot.is_notable()
    });
    if hottest.is_empty() {
        return String::new();
    }
    let rest = match all - hottest.len() {
        0 => String::new(),
        1 => "  … and 1 line more; `--lines all` shows it\n".to_owned(),
        more => format!("  … and {more} lines more; `--lines all` shows them\n"),
    };
    let table = Table {
        hottest,
        total,
        several,
        warp_width: first.metrics.warp_width,
    };
    format!("\n{}{rest}", table.fit(view.width))
}

struct Table<'a> {
    hottest: Vec<Hot<'a>>,
    total: u64,
    several: bool,
    warp_width: u32,
}

impl Table<'_> {
    /// As wide as it gets, or so that it fits: with less of the source, then without, then with
    /// shorter paths.
    fn fit(&self, width: Option<usize>) -> String {
        let full = self.draw(PLACE_WIDTH, TEXT_WIDTH);
        let Some(excess) = width.and_then(|width| widest(&full).checked_sub(width)) else {
            return full;
        };
        let texts = self
            .hottest
            .iter()
            .filter_map(|hot| hot.place.text.as_ref());
        let longest = texts.map(|text| text.chars().count()).max().unwrap_or(0);
        match longest.min(TEXT_WIDTH).checked_sub(excess) {
            Some(left) if left >= LEAST_TEXT => self.draw(PLACE_WIDTH, left),
            _ => {
                let bare = self.draw(PLACE_WIDTH, 0);
                match width {
                    Some(width) if widest(&bare) > width => self.draw(NARROW_PLACE, 0),
                    _ => bare,
                }
            }
        }
    }

    fn draw(&self, place_width: usize, text_width: usize) -> String {
        let mut head = Vec::new();
        if self.several {
            head.push(("kernel", Align::Left));
        }
        head.extend([
            ("line", Align::Left),
            ("warp instructions", Align::Right),
            ("share", Align::Right),
            ("simt", Align::Right),
            ("divergent", Align::Right),
            ("sectors (ideal)", Align::Right),
            ("conflicts", Align::Right),
        ]);
        if text_width > 0 {
            head.push(("source", Align::Left));
        }
        let mut table = Rows::new(&head);
        let some = |value: u64| match value {
            0 => String::new(),
            value => count(value),
        };
        for Hot {
            kernel,
            place,
            tally,
        } in &self.hottest
        {
            let kernel = self
                .several
                .then(|| shorten(&kernel_name(kernel), NAME_WIDTH));
            let issued = tally.warp_instructions;
            let cells = [
                shorten_left(&place.at(), place_width),
                count(issued),
                percent(issued as f64 / self.total.max(1) as f64),
                percent(tally.simt_efficiency(self.warp_width)),
                some(tally.divergent_branches),
                sectors(tally),
                some(tally.shared_bank_conflicts),
                shorten(place.text.as_deref().unwrap_or(""), text_width),
            ];
            table.row(kernel.into_iter().chain(cells));
        }
        table.draw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines 1, 2, … of a file with so many issues and divergent branches.
    fn table(places: &[Place], counts: &[(u64, u64)], width: Option<usize>) -> String {
        let hot = |(place, &(issued, divergent))| Hot {
            kernel: "",
            place,
            tally: Tally {
                warp_instructions: issued,
                thread_instructions: 32 * issued,
                divergent_branches: divergent,
                ..Tally::default()
            },
        };
        let table = Table {
            hottest: places.iter().zip(counts).map(hot).collect(),
            total: 10,
            several: false,
            warp_width: 32,
        };
        table.fit(width)
    }

    #[test]
    fn a_narrow_terminal_gets_less_of_the_source_then_of_the_path() {
        let place = Place {
            file: "a/long/path/to/a/builtin_vars.h".into(),
            line: 52,
            text: Some("abcdefghijklmnopqrstuvwxyz".into()),
        };
        // Columns before the source: 2 + 34, then the others with 2 spaces each: 19, 8, 8, 11,
        // 17 and 11; the source is 2 + 26.
        let places = [place];
        let rows = |width| {
            let text = table(&places, &[(10, 1)], width);
            (widest(&text), text)
        };
        let (full, text) = rows(None);
        assert_eq!(full, 36 + 19 + 8 + 8 + 11 + 17 + 11 + 28, "{text}");
        assert!(text.ends_with("abcdefghijklmnopqrstuvwxyz\n"), "{text}");
        assert_eq!(rows(Some(full)).1, text);
        let (width, text) = rows(Some(full - 10));
        assert_eq!(width, full - 10, "{text}");
        assert!(text.ends_with("abcdefghijklmno…\n"), "{text}");
        let (width, text) = rows(Some(full - 28));
        assert_eq!(width, full - 28, "{text}");
        let (width, text) = rows(Some(60));
        assert_eq!(width, full - 28 - 14, "{text}");
        assert!(text.contains("…a/builtin_vars.h:52"), "{text}");
    }
}
