//! Constant memory: operands and loads, on a V100 with lines of 64 bytes, then of 256.

use warploom_timing::Reason;

use crate::kit::{timed, v100};

/// The first parameter is not there: 79 cycles. The second one is on the same line.
#[test]
fn operands_wait_for_their_line() {
    let body = "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [p];";
    let run = timed(&v100(), 1, 1, body);
    assert_eq!(
        run.timing.tally.total().stalls.get(Reason::ConstantMiss),
        79
    );
    // A warp that comes to it at the same time waits as long, once.
    let run = timed(&v100(), 2, 1, body);
    let total = run.timing.tally.total();
    assert_eq!(total.stalls.get(Reason::ConstantMiss), 2 * 79);
}

/// The L2 has a constant in 212 cycles, the second level its 256 bytes in 114, the first in 40.
#[test]
fn loads_take_their_level_s_latency() {
    let body = "mov.u64 %d1, table;\n\
                ld.const.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\n\
                ld.const.u32 %r3, [%d1+64];\nadd.u32 %r4, %r3, 1;\n\
                ld.const.u32 %r5, [%d1+4];\nadd.u32 %r6, %r5, 1;";
    let run = timed(&v100(), 1, 1, body);
    let cycles = [2, 4, 6].map(|line| run.between(line, line + 1));
    assert_eq!(cycles, [212, 114, 40]);
    let stalls = run.timing.tally.total().stalls;
    assert_eq!(stalls.get(Reason::LongScoreboard), 0);
}

/// Each further address takes a cycle more: 31 for 32 words of two lines that are there.
#[test]
fn addresses_go_one_by_one() {
    let body = "mov.u64 %d1, table;\nmov.u32 %r1, %laneid;\nmul.wide.u32 %d2, %r1, 4;\n\
                add.u64 %d3, %d1, %d2;\nld.const.u32 %r2, [%d1];\nadd.u32 %r3, %r2, 1;\n\
                ld.const.u32 %r4, [%d1+64];\nadd.u32 %r5, %r4, %r3;\n\
                ld.const.u32 %r6, [%d3];\nadd.u32 %r7, %r6, %r5;";
    assert_eq!(timed(&v100(), 1, 1, body).between(9, 10), 40 + 31);
}
