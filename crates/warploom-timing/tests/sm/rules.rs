//! Rules of an SM, each by the cycle in which a probe first issues.

use warploom_device::Device;
use warploom_timing::Reason;

use crate::kit::{timed, v100};

/// 16 lanes take a warp in 2 cycles; a dependent instruction waits 4, one of another class 5.
#[test]
fn fixed_latencies() {
    let body = "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f5, %f3, %f4;\n\
                add.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r3;\nmul.lo.s32 %r5, %r4, %r3;";
    let run = timed(&v100(), 1, 1, body);
    assert_eq!(run.between(1, 2), 2, "the unit is busy");
    assert_eq!(run.between(2, 3), 4, "it needs the result");
    assert_eq!(run.between(4, 5), 4);
    assert_eq!(run.between(5, 6), 5, "another class needs the result");
}

/// A load from shared memory takes its latency, and a cycle more for each further pass.
#[test]
fn shared_memory_passes() {
    let device = v100();
    let load = |shift: u32| {
        let body = format!(
            "mov.u32 %r1, %laneid;\nshl.b32 %r2, %r1, {shift};\nmov.u32 %r3, tile;\n\
             add.u32 %r4, %r2, %r3;\nld.shared.u32 %r5, [%r4];\nadd.u32 %r6, %r5, 1;"
        );
        timed(&device, 1, 1, &body).between(5, 6)
    };
    let free = u64::from(device.timing.shared.load_cycles);
    assert_eq!(load(2), free);
    // A stride of two words needs two passes, of 32 words 32.
    assert_eq!(load(3), free + u64::from(device.timing.shared.pass_cycles));
    assert_eq!(
        load(7),
        free + 31 * u64::from(device.timing.shared.pass_cycles)
    );
}

/// A line comes from device memory once, and then from the L1.
#[test]
fn a_line_comes_once() {
    let device = v100();
    let body = "ld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\n\
                ld.global.u32 %r3, [%d1+4];\nadd.u32 %r4, %r3, %r2;";
    let run = timed(&device, 1, 1, body);
    let dram = u64::from(device.timing.dram.latency_cycles);
    let spread = u64::from(device.timing.interconnect.spread_cycles);
    let first = run.between(2, 3);
    assert!(first.abs_diff(dram) <= spread + 2, "{first}");
    let again = run.between(4, 5);
    let hit = u64::from(device.timing.l1.hit_cycles);
    assert!((hit..=hit + 2).contains(&again), "{again}");
    assert_eq!(run.timing.memory.l1_hit_sectors, 1);
}

/// A warp waits at a barrier for the slowest one.
#[test]
fn a_barrier_waits_for_the_last() {
    let slow = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra JOIN;\n\
                sqrt.rn.f32 %f1, %f2;\nadd.f32 %f3, %f1, %f1;\nsqrt.rn.f32 %f4, %f3;\n\
                add.f32 %f5, %f4, %f4;\nJOIN:\nbar.sync 0;\nadd.f32 %f6, %f6, %f6;";
    let device = v100();
    let run = timed(&device, 2, 1, slow);
    // Warp 0 jumps over the roots and arrives early.
    let (early, late) = (run.issue(9, 0), run.issue(9, 1));
    assert!(early < late, "{early} {late}");
    let release = late + u64::from(device.timing.control.barrier_cycles);
    for warp in [0, 1] {
        let next = run.issue(10, warp);
        assert!(next >= release.max(late + 1), "{next} {release}");
    }
    let stalls = run.timing.tally.total().stalls;
    assert!(stalls.get(Reason::Barrier) > 0);
}

/// Every warp that starts exits, and every cycle of a warp has one reason.
#[test]
fn nothing_is_lost() {
    let body = "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\n\
                add.u64 %d3, %d1, %d2;\nld.global.u32 %r2, [%d3];\nadd.u32 %r3, %r2, 1;\n\
                st.global.u32 [%d3], %r3;\natom.global.add.u32 %r4, [%d1+65536], 1;\n\
                bar.sync 0;\nred.global.add.u32 [%d1+65536], %r4;";
    for device in ["v100", "a100-40", "h100", "rtx-4090", "k40", "lesson"] {
        let device = Device::by_name(device).expect("a device");
        let run = timed(&device, 4, 200, body);
        let tally = &run.timing.tally;
        assert_eq!(tally.warps, 800, "{}", device.name);
        let total = tally.total();
        // Two issues of a warp in one cycle are one cycle.
        let selected = total.stalls.get(Reason::Selected);
        match device.timing.issue.per_warp {
            1 => assert_eq!(selected, total.issued),
            most => assert!(selected <= total.issued && total.issued <= selected * u64::from(most)),
        }
        assert!(total.stalls.total() <= tally.resident_warp_cycles);
        // Same input, same cycles.
        let again = timed(&device, 4, 200, body);
        assert_eq!(again.timing.tally, run.timing.tally);
    }
}

/// Two warps wait for room in a queue whose head waits until a store is done: 32 lines a store, and
/// no more than 32 on the way.
#[test]
fn a_full_queue_moves_again() {
    let mut device = v100();
    let narrow = [
        ("timing.l1.mshr_entries", "32"),
        ("timing.lsu.sm_queue_entries", "2"),
    ];
    device.set_all(narrow).expect("figures");
    let store = "st.global.u32 [%d4], %r1;\n".repeat(8);
    let body = format!(
        "mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [p];\nmul.wide.u32 %d3, %r1, 128;\n\
         add.u64 %d4, %d1, %d3;\n{store}"
    );
    let run = timed(&device, 2, 1, &body);
    assert_eq!(run.timing.machine_instructions(), 2 * (4 + 8 + 1));
}
