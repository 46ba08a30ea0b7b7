//! Warps that have exited keep their place until their last stores have left the SM.

use warploom_timing::Reason;

use crate::kit::{timed, v100};

/// A line for each lane.
const STORES: &str = "ld.param.u64 %d1, [p];\nmov.u32 %r1, %laneid;\nmul.wide.u32 %d2, %r1, 128;\n\
    add.u64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r1;\nst.global.u32 [%d3+4096], %r1;";

#[test]
fn the_last_stores_are_waited_for() {
    let device = v100();
    let run = timed(&device, 1, 1, STORES);
    // Each store's 32 words are in one bank, and take the pipeline 32 cycles from the cycle after
    // its issue on.
    let left = run.issue(5, 0) + 1 + 2 * 32;
    let exited = run.issue(7, 0) + 1;
    let total = run.timing.tally.total();
    assert_eq!(total.stalls.get(Reason::Drain), left - exited);
    assert_eq!(run.timing.tally.end, left);
    assert_eq!(total.stalls.total(), run.timing.tally.resident_warp_cycles);
}

#[test]
fn without_stores_nothing_is_waited_for() {
    let run = timed(&v100(), 4, 3, "add.s32 %r1, %r2, %r3;");
    assert_eq!(run.timing.tally.total().stalls.get(Reason::Drain), 0);
}
