//! Launches that can never end, and such that only take long.

use warploom_machine::{FaultKind, Outcome, Wait};

use crate::kit::{Setup, run_setup, timed, v100};

/// Who waits for whom.
fn waits(warps: u32, body: &str) -> Vec<Wait> {
    let setup = Setup {
        warps,
        blocks: 2,
        blocks_per_sm: 1,
        l1_bytes: 64 << 10,
    };
    match run_setup(&v100(), &setup, body).outcome {
        Outcome::Fault(fault) => match fault.kind {
            FaultKind::Deadlock { waits } => waits,
            other => panic!("{other}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn warps_that_spin_for_ever_are_found() {
    let body = "ld.param.u64 %d1, [p];\nL:\nld.volatile.global.u32 %r1, [%d1];\n\
                setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;";
    let waits = waits(2, body);
    let parties: Vec<_> = waits
        .iter()
        .map(|wait| (wait.block[0], wait.warp))
        .collect();
    assert_eq!(parties, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    for wait in &waits {
        assert!(wait.reason.starts_with("spins"), "{}", wait.reason);
    }
}

/// Warp 0 spins on a word that only warp 1 would write, behind a barrier that warp 0 does not reach.
#[test]
fn a_barrier_that_a_spin_keeps_closed_is_found() {
    let body = "ld.param.u64 %d1, [p];\nmov.u32 %r2, %tid.x;\nsetp.ge.u32 %p2, %r2, 32;\n\
                @%p2 bra B;\nL:\nld.volatile.global.u32 %r1, [%d1];\n\
                setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nB:\nbar.sync 0;\n\
                st.volatile.global.u32 [%d1], %r2;";
    let waits = waits(2, body);
    let reasons = waits.iter().map(|wait| wait.reason.split(' ').next());
    let expected = ["spins", "waits", "spins", "waits"].map(Some);
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
}

/// 100 000 times round a loop that stores nothing, while the other warp waits for what comes then.
#[test]
fn a_long_loop_is_no_deadlock() {
    let body = "ld.param.u64 %d1, [p];\nmov.u32 %r2, %tid.x;\nsetp.lt.u32 %p2, %r2, 32;\n\
                @%p2 bra SPIN;\nmov.u32 %r3, 0;\nC:\nadd.u32 %r3, %r3, 1;\n\
                setp.lt.u32 %p1, %r3, 100000;\n@%p1 bra C;\nst.volatile.global.u32 [%d1], %r3;\n\
                ret;\nSPIN:\nld.volatile.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r1, 0;\n\
                @%p1 bra SPIN;";
    timed(&v100(), 2, 1, body);
}
