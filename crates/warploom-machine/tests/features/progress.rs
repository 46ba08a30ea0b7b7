//! Who makes progress: lanes and blocks that wait for each other, endless loops, limits.

use warploom_isa::Op;
use warploom_machine::{LaunchError, Outcome};

use crate::kit::{Arg, Case, Ipdom, Its, kernel};

/// Lane 0 waits for what lane 1 stores; the waiting lanes fall through the branch, so that they
/// run first.
const PAIR: &str = "
    mov.u32 %r1, 0;
    setp.ge.u32 %p1, %t, 2;
    @%p1 bra END;
    setp.eq.u32 %p2, %t, 1;
    @%p2 bra PRODUCE;
    WAIT:
    ld.volatile.global.u32 %r1, [%b1];
    setp.eq.u32 %p3, %r1, 0;
    @%p3 bra WAIT;
    bra END;
    PRODUCE:
    st.volatile.global.u32 [%b1], 42;
    END:
    st.global.u32 [%out], %r1;";

#[test]
fn producer_and_consumer_in_one_warp() {
    let source = kernel(2, PAIR);
    let case = Case::new(&source, "k", vec![Arg::Zeros(32), Arg::Zeros(1)]);
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(ran.words(0)[..3], [42, 0, 0]);

    let ran = case.run(Ipdom);
    let waits = ran.waits();
    let spinning = waits.iter().find(|wait| wait.lanes == 1).expect("lane 0");
    assert!(spinning.reason.contains("spins"), "{}", ran.fault());
    let held = waits.iter().find(|wait| wait.lanes == 2).expect("lane 1");
    assert!(held.reason.starts_with("held back"), "{}", ran.fault());
    let (_, lanes) = ran.issues();
    assert!(lanes < 1 << 20, "found at once, not after {lanes}");
}

/// Both lanes wait in turn for each other, a hundred times.
#[test]
fn two_lanes_in_turn() {
    let body = "
        setp.ge.u32 %p1, %t, 2;
        @%p1 exit;
        mov.u32 %r2, %t;
        LOOP:
        ld.volatile.global.u32 %r1, [%b1];
        setp.ne.u32 %p2, %r1, %r2;
        @%p2 bra LOOP;
        add.u32 %r1, %r1, 1;
        st.volatile.global.u32 [%b1], %r1;
        add.u32 %r2, %r2, 2;
        setp.lt.u32 %p3, %r2, 200;
        @%p3 bra LOOP;
        st.global.u32 [%out], %r2;";
    let source = kernel(2, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(32), Arg::Zeros(1)]);
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(ran.words(0)[..3], [200, 201, 0]);
    assert_eq!(ran.words(1), [200]);
}

/// Block 0 waits for block 1, which runs only if both are resident.
#[test]
fn blocks_wait_for_resident_blocks() {
    let body = "
        mov.u32 %r1, %ctaid.x;
        setp.ne.u32 %p1, %r1, 0;
        @%p1 bra PRODUCE;
        WAIT:
        ld.acquire.gpu.global.u32 %r2, [%b0];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra WAIT;
        st.global.u32 [%b0+4], %r2;
        exit;
        PRODUCE:
        st.release.gpu.global.u32 [%b0], 5;";
    let source = kernel(1, body);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(2)]).grid(2);
    for ran in case.run_both() {
        assert_eq!(ran.words(0), [5, 5]);
    }
    case.resident_blocks = 1;
    for ran in case.run_each() {
        let [wait] = ran.waits() else {
            panic!("{}", ran.fault())
        };
        assert_eq!((wait.block, wait.lanes), ([0; 3], 0xffff_ffff));
    }
}

/// A barrier of the whole grid, made of an atomic and a spin.
const GRID_BARRIER: &str = "
    mov.u32 %r1, %nctaid.x;
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra END;
    atom.add.acq_rel.gpu.global.u32 %r2, [%b0], 1;
    WAIT:
    ld.acquire.gpu.global.u32 %r3, [%b0];
    setp.lt.u32 %p2, %r3, %r1;
    @%p2 bra WAIT;
    END:
    bar.sync 0;
    red.global.add.u32 [%b0+4], 1;";

#[test]
fn a_grid_barrier_needs_all_blocks_resident() {
    let source = kernel(1, GRID_BARRIER);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(2)])
        .grid(6)
        .block(64);
    case.resident_blocks = 6;
    for ran in case.run_both() {
        assert_eq!(ran.words(0), [6, 384]);
    }
    case.resident_blocks = 5;
    for ran in case.run_each() {
        assert_eq!(ran.words(0), [5, 0], "the sixth never starts");
        let spinning = ran.waits().iter().filter(|w| w.reason.contains("spins"));
        assert_eq!(spinning.count(), 5, "{}", ran.fault());
        assert!(ran.fault().contains("waits at block barrier 0"));
    }
}

const GRID_SYNC: &str = include_str!("grid_sync.ptx");

#[test]
fn cooperative_launches_meet_at_grid_barriers() {
    let (blocks, threads, rounds) = (5, 64, 4);
    let all = blocks * threads;
    let args = vec![
        Arg::Zeros(all as usize),
        Arg::Zeros(all as usize),
        Arg::U32(rounds),
    ];
    let mut case = Case::new(GRID_SYNC, "rounds", args)
        .grid(blocks)
        .block(threads);
    case.cooperative = true;
    case.resident_blocks = blocks.into();
    let mut sums: Vec<u32> = (0..all).collect();
    for _ in 0..rounds {
        let before = sums.clone();
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum += before[(i + 1) % all as usize];
        }
    }
    for ran in case.run_both() {
        assert_eq!(ran.words(1), sums);
    }
    case.resident_blocks = 4;
    let error = case.launch(Its).err().expect("an error");
    let expected = LaunchError::CooperativeTooLarge {
        blocks: 5,
        resident: 4,
    };
    assert_eq!(error, expected);
    // Without a workspace, what nvcc emits traps.
    case.cooperative = false;
    for ran in case.run_each() {
        assert_eq!(ran.fault(), "trap instruction");
    }
}

/// The body's loop goes on for ever, in a state that never comes back.
const ENDLESS: &str = "
    mov.u32 %r1, 0;
    LOOP:
    add.u32 %r1, %r1, 1;
    xor.b32 %r2, %r1, %t;
    bra LOOP;";

/// Before the body: a move, a parameter load and a multiply-add.
const PROLOGUE: u64 = 3;

#[test]
fn the_instruction_limit_ends_a_run_exactly() {
    let source = kernel(1, ENDLESS);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    // Entry: the prologue and a move. Each round: three instructions. Only whole blocks issue.
    for (limit, warps) in [
        (32 * 1000, 1000),
        (32 * 1001, 1000),
        (32 * 1002 + 31, 1000),
        (32 * 1003, 1003),
        (32 * 4, 4),
        (32 * 3, 0),
    ] {
        case.limit = limit;
        for ran in case.run_each() {
            assert_eq!(ran.result.outcome, Outcome::Limit);
            assert_eq!(ran.issues(), (warps, 32 * warps), "{limit}");
            let sum = ran.result.counters.thread_instructions(&ran.module);
            assert_eq!(sum, 32 * warps);
            let rounds = ran.total(Op::Bra, |c| c.requests);
            assert_eq!(rounds, warps.saturating_sub(PROLOGUE + 1) / 3);
        }
    }
    // Two diverged halves, one of which waits at the end: what is left of it is cut off.
    let body = "
        setp.lt.u32 %p1, %t, 8;
        @%p1 bra END;
        LOOP:
        add.u32 %r1, %r1, 1;
        bra LOOP;
        END:
        st.global.u32 [%out], %t;";
    let source = kernel(1, body);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    case.limit = 32 * 5 + 24 * 2 * 10;
    let ran = case.run(Ipdom);
    assert_eq!(ran.result.outcome, Outcome::Limit);
    assert_eq!(ran.issues(), (5 + 20, 32 * 5 + 24 * 20));
    // Independent threads: the other half runs too, its last two instructions 8 lanes wide.
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Limit);
    assert!(ran.issues().1 <= case.limit);
}

#[test]
fn a_loop_whose_state_comes_back_is_a_deadlock_at_once() {
    let bodies = [
        "LOOP: bra LOOP;",
        "LOOP: ld.global.u32 %r1, [%b0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra LOOP;",
        // Around in seven steps.
        "mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; rem.u32 %r1, %r1, 7; bra LOOP;",
        // A lock that nobody holds any more.
        "LOOP: atom.global.cas.b32 %r1, [%b0], 1, 2; setp.ne.u32 %p1, %r1, 1; @%p1 bra LOOP;",
    ];
    for body in bodies {
        let source = kernel(1, body);
        for ran in Case::new(&source, "k", vec![Arg::Zeros(1)]).run_each() {
            let [wait] = ran.waits() else {
                panic!("{body}: {}", ran.fault())
            };
            assert_eq!(wait.lanes, 0xffff_ffff);
            assert!(ran.issues().1 < 1 << 22, "{body}: {:?}", ran.issues());
        }
    }
}

#[test]
fn a_block_that_goes_round_barriers_for_ever_is_a_deadlock() {
    let bodies = [
        "LOOP: bar.sync 0; bra LOOP;",
        // Round in three steps, for a word that nobody writes.
        "mov.u32 %r1, 0;
         LOOP: add.u32 %r1, %r1, 1; rem.u32 %r1, %r1, 3; bar.sync 0;
         ld.global.u32 %r2, [%b0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;",
    ];
    for body in bodies {
        let source = kernel(1, body);
        for block in [32, 96] {
            let case = Case::new(&source, "k", vec![Arg::Zeros(1)]).block(block);
            for ran in case.run_each() {
                assert_eq!(ran.waits().len() as u32, block / 32, "{body}");
            }
        }
    }
}

/// Barriers in a loop that ends, because it counts or because another block stores something.
#[test]
fn long_loops_of_barriers_are_no_deadlock() {
    let counts = "
        mov.u32 %r1, 100000;
        LOOP: bar.sync 0; sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;
        st.global.u32 [%out], 1;";
    let waits = "
        mov.u32 %r1, %ctaid.x;
        setp.eq.u32 %p1, %r1, 1;
        @%p1 bra SET;
        LOOP: bar.sync 0; ld.relaxed.gpu.global.u32 %r2, [%b0+256];
        setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;
        st.global.u32 [%out], 1;
        bra END;
        SET: mov.u32 %r1, 2000000;
        COUNT: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra COUNT;
        st.relaxed.gpu.global.u32 [%b0+256], 1;
        END:";
    for (body, grid) in [(counts, 1), (waits, 2)] {
        let source = kernel(1, body);
        let case = Case::new(&source, "k", vec![Arg::Zeros(65)])
            .block(64)
            .grid(grid);
        for ran in case.run_both() {
            assert_eq!(ran.words(0)[..64], [1; 64]);
        }
    }
}

/// Loops that end by themselves are none, however little they do.
#[test]
fn long_waits_are_no_deadlock() {
    let bodies = [
        // Counts down.
        "mov.u32 %r1, 50000;
         LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;",
        // Waits for the clock.
        "mov.u64 %rd1, %clock64;
         LOOP: mov.u64 %rd2, %clock64; sub.u64 %rd2, %rd2, %rd1;
         setp.lt.u64 %p1, %rd2, 40000; @%p1 bra LOOP;",
        "mov.u64 %rd1, %globaltimer;
         LOOP: nanosleep.u32 100; mov.u64 %rd2, %globaltimer; sub.u64 %rd2, %rd2, %rd1;
         setp.lt.u64 %p1, %rd2, 40000; @%p1 bra LOOP;",
    ];
    for body in bodies {
        let source = kernel(1, &format!("{body}\nst.global.u32 [%out], 1;"));
        for ran in Case::new(&source, "k", vec![Arg::Zeros(64)])
            .block(64)
            .run_both()
        {
            assert_eq!(ran.words(0), [1; 64]);
        }
    }
}

#[test]
fn an_interrupt_ends_the_run() {
    let source = kernel(1, ENDLESS);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    case.interrupted = true;
    for ran in case.run_each() {
        assert_eq!(ran.result.outcome, Outcome::Interrupted);
        let (warps, lanes) = ran.issues();
        assert_eq!(lanes, 32 * warps);
        // Whole rounds behind the entry.
        assert_eq!((warps - PROLOGUE - 1) % 3, 0);
    }
}

/// Lanes that leave a long loop early wait for the others, as long as those get on.
#[test]
fn a_long_divergent_loop_meets_at_its_end() {
    // Most lanes leave at once, each of the others ten rounds after the one before; or half of
    // them leave at once and half go round a thousand times.
    for (trips, rounds) in [
        ("mul.lo.u32 %r1, %t, 10;", 310),
        ("and.b32 %r1, %t, 16; mul.lo.u32 %r1, %r1, 64;", 1024),
        ("shr.u32 %r1, %t, 4; mul.lo.u32 %r1, %r1, 30000;", 30000),
    ] {
        let body = format!(
            "{trips}
            mov.u32 %r2, 0;
            LOOP:
            add.u32 %r2, %r2, 1;
            setp.lt.u32 %p1, %r2, %r1;
            @%p1 bra LOOP;
            activemask.b32 %r3;
            st.global.u32 [%out], %r3;"
        );
        let source = kernel(1, &body);
        let before = PROLOGUE + 1 + trips.matches(';').count() as u64;
        for ran in Case::new(&source, "k", vec![Arg::Zeros(32)]).run_both() {
            assert_eq!(ran.words(0), [u32::MAX; 32], "{trips}");
            assert_eq!(ran.issues().0, before + 3 * rounds + 3, "{trips}");
        }
    }
}

/// Lane 0 leaves the branch and waits for the other lanes where it ends; they spin in two loops
/// until lane 0 has stored behind that point.
#[test]
fn lanes_that_wait_for_spinning_lanes_go_on() {
    let spins = [
        "",
        // A state that comes back after seven rounds only.
        "add.u32 %r5, %r5, 1; rem.u32 %r5, %r5, 7;",
        // One that never does.
        "add.u32 %r5, %r5, 1;",
        // Lanes that part and meet in every round.
        "shr.u32 %r6, %t, 4; setp.eq.u32 %p4, %r6, 1; @%p4 bra A; mov.u32 %r7, %t; A:",
    ];
    for step in spins {
        let body = format!(
            "mov.u32 %r1, 0;
            mov.u32 %r5, 0;
            setp.eq.u32 %p1, %t, 0;
            @%p1 bra END;
            and.b32 %r2, %t, 1;
            setp.eq.u32 %p2, %r2, 1;
            @%p2 bra ODD;
            EVEN:
            {}
            ld.volatile.global.u32 %r1, [%b1];
            setp.eq.u32 %p3, %r1, 0;
            @%p3 bra EVEN;
            bra END;
            ODD:
            {}
            ld.volatile.global.u32 %r1, [%b1];
            setp.ne.u32 %p3, %r1, 9;
            @%p3 bra ODD;
            END:
            @%p1 st.volatile.global.u32 [%b1], 9;
            st.global.u32 [%out], %r1;",
            step.replace("A", "A1"),
            step.replace("A", "A2")
        );
        let source = kernel(2, &body);
        let case = Case::new(&source, "k", vec![Arg::Zeros(32), Arg::Zeros(1)]);
        let ran = case.run(Its);
        assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
        assert_eq!(ran.words(0)[..3], [0, 9, 9]);
        let (_, lanes) = ran.issues();
        assert!(lanes < 1 << 24, "{lanes}");
    }
}
