//! When each warp issued: a row of cycles for each scheduler.

use std::collections::BTreeMap;
use std::fmt::Write;

use warploom::lesson::TimedIssue;

/// Cycles in a row.
const ROW_CYCLES: u64 = 64;
/// Rows that are drawn of each scheduler.
const ROWS: u64 = 32;

/// The character of a warp: its number in base 36, or `#` beyond that.
fn digit(slot: u32) -> char {
    char::from_digit(slot, 36).unwrap_or('#')
}

/// Draws the issue slots of every scheduler that issued: the warp that did, or a dot.
pub fn timeline(issues: &[TimedIssue], cycles: u64) -> String {
    let mut by_scheduler: BTreeMap<u32, BTreeMap<u64, u32>> = BTreeMap::new();
    for issue in issues {
        let slots = by_scheduler.entry(issue.scheduler).or_default();
        slots.insert(issue.cycle, issue.slot);
    }
    let mut text = String::new();
    for (scheduler, slots) in &by_scheduler {
        let issued = slots.len() as u64;
        let share = 100.0 * issued as f64 / cycles.max(1) as f64;
        let _ = writeln!(
            text,
            "scheduler {scheduler}: {issued} issues in {cycles} cycles, {share:.1} %, {} idle",
            cycles.saturating_sub(issued)
        );
        let rows = cycles.div_ceil(ROW_CYCLES);
        for row in 0..rows.min(ROWS) {
            let from = row * ROW_CYCLES;
            let to = (from + ROW_CYCLES).min(cycles);
            let line: String = (from..to)
                .map(|cycle| slots.get(&cycle).map_or('.', |&slot| digit(slot)))
                .collect();
            let _ = writeln!(text, "  {from:>6}  {line}");
        }
        if rows > ROWS {
            let _ = writeln!(text, "  … and {} cycles more", cycles - ROWS * ROW_CYCLES);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_slots_are_dots() {
        let issue = |cycle, slot| TimedIssue {
            cycle,
            scheduler: 0,
            slot,
            line: 1,
        };
        let text = timeline(&[issue(0, 0), issue(1, 10), issue(4, 0)], 5);
        assert_eq!(
            text,
            "scheduler 0: 3 issues in 5 cycles, 60.0 %, 2 idle\n       0  0a..0\n"
        );
    }
}
