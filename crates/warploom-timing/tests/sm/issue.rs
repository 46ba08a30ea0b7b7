//! How many instructions a scheduler issues in a turn, and how far memory instructions run ahead.

use warploom_device::Device;
use warploom_timing::Reason;

use crate::kit::{timed, v100};

fn with(set: &[(&str, &str)]) -> Device {
    let mut device = v100();
    device.set_all(set.iter().copied()).expect("figures");
    device
}

/// Two at once if they do not need each other, and no third.
#[test]
fn a_warp_issues_two_at_once() {
    let device = with(&[
        ("timing.issue.per_turn", "2"),
        ("timing.issue.per_warp", "2"),
    ]);
    let body = "add.f32 %f1, %f2, %f3;\nadd.s32 %r1, %r2, %r3;\npopc.b32 %r4, %r5;\n\
                add.f32 %f6, %f1, %f3;";
    let run = timed(&device, 1, 1, body);
    assert_eq!(run.between(1, 2), 0);
    assert_eq!(run.between(1, 3), 1);
    assert_eq!(run.between(1, 4), 4, "it needs the first one's result");
    assert_eq!(timed(&v100(), 1, 1, body).between(1, 2), 1);
    let tally = &run.timing.tally;
    // Five instructions in three cycles: the last one goes along with the one before.
    let total = tally.total();
    assert_eq!((total.issued, total.stalls.get(Reason::Selected)), (5, 3));
    assert_eq!(total.stalls.total(), 5);
}

/// As a compute unit of AMD: each pool has its turn every four cycles, one after the other, and
/// issues from several warps, but only one instruction to each unit.
#[test]
fn pools_take_turns_and_units_one_each() {
    let device = with(&[
        ("timing.issue.per_turn", "5"),
        ("timing.issue.one_per_unit", "true"),
        ("timing.issue.turn_cycles", "4"),
    ]);
    // Warps 0 and 4 share a pool.
    let run = timed(
        &device,
        5,
        1,
        "add.f32 %f1, %f2, %f3;\nadd.s32 %r1, %r2, %r3;",
    );
    for warp in 0..4 {
        assert_eq!(run.issue(1, warp) % 4, u64::from(warp));
    }
    let start = run.issue(1, 0).min(run.issue(1, 4));
    let firsts = [run.issue(1, 0) - start, run.issue(1, 4) - start];
    assert!(firsts == [0, 4] || firsts == [4, 0], "{firsts:?}");
    // What one warp does second goes along with what the other does first.
    for (warp, first) in [0, 4].into_iter().zip(firsts) {
        assert_eq!(run.issue(2, warp) - start, first + 4);
    }
}

/// A partition hands a memory instruction on every other cycle and holds five: nine can issue one
/// after the other before the queue is full, then one in two cycles.
#[test]
fn memory_instructions_wait_in_the_partition() {
    let body: String = (11..22)
        .map(|r| format!("ld.shared.u32 %r{r}, [tile+{}];\n", 4 * r))
        .collect();
    let cycles = |entries: &str| {
        let device = with(&[("timing.lsu.partition_queue_entries", entries)]);
        let run = timed(&device, 1, 1, body.trim_end());
        (1..=11)
            .map(|line| run.between(1, line))
            .collect::<Vec<_>>()
    };
    assert_eq!(cycles("5"), [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12]);
    assert_eq!(cycles("1"), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
}
