//! Warps that have exited keep their place until their last stores have reached the L2.

use warploom_timing::Reason;

use crate::kit::{timed, v100};

/// One word.
const STORE: &str = "ld.param.u64 %d1, [p];\nmov.u32 %r1, %laneid;\nst.global.u32 [%d1], %r1;";

/// All SMs as far from every slice, so that a store needs half of the 212 cycles of a load's way to
/// the L2 and back.
#[test]
fn the_last_store_is_waited_for() {
    let mut device = v100();
    device
        .set_all([("timing.interconnect.spread_cycles", "0")])
        .expect("a figure");
    let run = timed(&device, 1, 1, STORE);
    // It leaves the SM in the cycle after its issue.
    let stored = run.issue(3, 0) + 1 + 106;
    let exited = run.issue(4, 0) + 1;
    let total = run.timing.tally.total();
    assert_eq!(total.stalls.get(Reason::Drain), stored - exited);
    assert_eq!(run.timing.tally.end, stored + 1);
    assert_eq!(
        total.stalls.total(),
        run.timing.tally.resident_warp_cycles - 1
    );
}

#[test]
fn without_stores_nothing_is_waited_for() {
    let run = timed(&v100(), 4, 3, "add.s32 %r1, %r2, %r3;");
    assert_eq!(run.timing.tally.total().stalls.get(Reason::Drain), 0);
}
