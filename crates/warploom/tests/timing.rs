//! Launches in time: the lessons' cycles by hand, and that time changes no result.

use warploom::lesson::{Keep, Played, play};
use warploom::metrics::TimingMetrics;
use warploom::run::{Options, Silent};

const ALL: Keep = Keep {
    warp: None,
    most: 1 << 16,
};

/// Load, multiply, add, store, each of which needs the one before.
fn text(blocks: u32, threads: u32) -> String {
    format!(
        "threads {threads}\nblocks {blocks}\narray data n = i\narray out n\n\
         x = load data[i]\nx = x * 3\nx = x + 1\nstore out[i] = x\n"
    )
}

fn timed(text: &str, set: &[(&str, &str)]) -> Played {
    let set = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned()));
    let options = Options {
        timing: true,
        set: set.collect(),
        ..Options::default()
    };
    play("lesson.simt", text, &options, ALL, &Silent).expect("a lesson")
}

fn timing(played: &Played) -> &TimingMetrics {
    let launch = played.report.launches.first().expect("a launch");
    launch.metrics.timing.as_ref().expect("timed")
}

/// Which warp issued in each cycle, or a dot.
fn trace(played: &Played) -> String {
    let cycles = timing(played).cycles as usize;
    let mut slots = vec!['.'; cycles];
    for issue in &played.timeline {
        slots[issue.cycle as usize] = char::from_digit(issue.slot, 36).expect("few warps");
    }
    slots.into_iter().collect()
}

/// A load of 8 cycles and three instructions of 1, one scheduler: 11 cycles alone, four warps in
/// 20, eight in 32 without an empty slot.
#[test]
fn warps_hide_a_load() {
    let one = timed(&text(1, 32), &[]);
    assert_eq!(trace(&one), "0.......000");
    assert_eq!(timing(&one).issue_slot_utilization, 4.0 / 11.0);
    let four = timed(&text(1, 128), &[]);
    assert_eq!(trace(&four), "0123....012301230123");
    let eight = timed(&text(1, 256), &[]);
    assert_eq!(trace(&eight), "01234567".repeat(4));
    assert_eq!(timing(&eight).machine_instructions, 32);
}

#[test]
fn cycles_by_number_of_warps() {
    let cycles = |scheduler, warps: u32| {
        let set = [("timing.issue.scheduler", scheduler)];
        timing(&timed(&text(1, 32 * warps), &set)).cycles
    };
    let expected = [11, 14, 17, 20, 23, 26, 29, 32, 36];
    let found: Vec<u64> = (1..=9).map(|warps| cycles("lrr", warps)).collect();
    assert_eq!(found, expected);
    // Another order, the same totals, up to as many warps as a load takes cycles; with one more,
    // the older warps are done before it loads, and it waits alone: 32 + 11.
    let found: Vec<u64> = (1..=8).map(|warps| cycles("gto", warps)).collect();
    assert_eq!(found, expected[..8]);
    assert_eq!(cycles("gto", 9), 43);
}

/// Eight blocks of a warp that follow one another take 8 x 11 cycles.
#[test]
fn blocks_one_after_another() {
    let played = timed(&text(8, 32), &[("limits.blocks_per_sm", "1")]);
    assert_eq!(timing(&played).cycles, 88);
}

/// Every cycle of every resident warp has one reason, and every issue is one of them.
#[test]
fn warp_cycles_are_all_accounted_for() {
    for threads in [32, 96, 256] {
        let played = timed(&text(1, threads), &[]);
        let timing = timing(&played);
        let selected = timing.stalls.get("selected").copied();
        assert_eq!(selected, Some(timing.machine_instructions));
        // All warps are there from cycle 0; each leaves one cycle after its store.
        let ends = played.timeline.iter().filter(|issue| issue.line == 8);
        let resident: u64 = ends.map(|issue| issue.cycle + 1).sum();
        assert_eq!(timing.stalls.values().sum::<u64>(), resident);
    }
}

#[test]
fn results_are_those_of_function() {
    let values = |played: &Played| {
        let mut bytes = Vec::new();
        let sink = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            Ok(())
        };
        played.session.read_buffer("out", sink).expect("a buffer");
        bytes
    };
    let played = timed(&text(2, 64), &[]);
    let options = Options::default();
    let function = play("lesson.simt", &text(2, 64), &options, ALL, &Silent).expect("a lesson");
    assert_eq!(values(&played), values(&function));
    let tally = |played: &Played| played.report.launches[0].metrics.tally;
    assert_eq!(tally(&played), tally(&function));
}
