//! Block barriers: counts, numbers, arrivals without waiting, reductions, misuse.

use warploom_isa::Op;
use warploom_machine::Outcome;

use crate::kit::{Arg, Case, Ipdom, Its, Ran, kernel};

fn threads(n: u32, f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..n).map(f).collect()
}

/// Runs a body on one block; one word per thread.
fn words(block: u32, body: &str) -> Vec<u32> {
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(block as usize)]).block(block);
    let [stack, threads] = case.run_both();
    assert_eq!(stack.words(0), threads.words(0));
    stack.words(0)
}

fn faults(block: u32, body: &str) -> [Ran; 2] {
    let source = kernel(1, body);
    let args = vec![Arg::Zeros(block as usize)];
    Case::new(&source, "k", args).block(block).run_each()
}

#[test]
fn warps_exchange_through_shared_memory() {
    let body = "
        .shared .b32 box[128];
        mov.u32 %r1, box;
        mad.lo.u32 %r2, %t, 4, %r1;
        st.shared.u32 [%r2], %t;
        bar.sync 0;
        sub.u32 %r3, 127, %t;
        mad.lo.u32 %r3, %r3, 4, %r1;
        ld.shared.u32 %r4, [%r3];
        barrier.sync.aligned 0;
        st.shared.u32 [%r2], %r4;
        barrier.cta.sync 0;
        ld.shared.u32 %r5, [%r3];
        mad.lo.u32 %r4, %r4, 1000, %r5;
        st.global.u32 [%out], %r4;";
    assert_eq!(words(128, body), threads(128, |t| (127 - t) * 1000 + t));
}

#[test]
fn barriers_are_counted_by_warp() {
    let source = kernel(
        0,
        "bar.sync 0; setp.lt.u32 %p1, %t, 64; @%p1 bar.sync 1, 64;",
    );
    for ran in Case::new(&source, "k", vec![]).block(96).run_both() {
        assert_eq!(ran.total(Op::Bar, |c| c.requests), 3 + 2);
    }
}

/// Pairs of warps with a barrier of their own; the number comes from a register.
#[test]
fn numbered_barriers_with_a_count() {
    let body = "
        .shared .b32 box[128];
        shr.u32 %r9, %t, 6;
        add.u32 %r9, %r9, 3;
        mov.u32 %r1, box;
        mad.lo.u32 %r2, %t, 4, %r1;
        xor.b32 %r3, %t, 32;
        mad.lo.u32 %r3, %r3, 4, %r1;
        mov.u32 %r7, 0;
        mov.u32 %r8, 0;
        // The second pair goes round twice as often.
        and.b32 %r10, %t, 64;
        shr.u32 %r10, %r10, 5;
        add.u32 %r10, %r10, 2;
        LOOP:
        add.u32 %r4, %t, %r7;
        st.shared.u32 [%r2], %r4;
        bar.sync %r9, 64;
        ld.shared.u32 %r5, [%r3];
        add.u32 %r8, %r8, %r5;
        bar.sync %r9, 64;
        add.u32 %r7, %r7, 1;
        setp.lt.u32 %p1, %r7, %r10;
        @%p1 bra LOOP;
        st.global.u32 [%out], %r8;";
    // Two rounds add 2 (t ^ 32) + 0 + 1, four rounds 4 (t ^ 32) + 0 + 1 + 2 + 3.
    let expected = |t: u32| match t {
        0..64 => 2 * (t ^ 32) + 1,
        _ => 4 * (t ^ 32) + 6,
    };
    assert_eq!(words(128, body), threads(128, expected));
}

/// The manual's producer and consumer: each arrives at one barrier and waits at the other.
#[test]
fn arrivals_without_waiting() {
    let body = "
        .shared .b32 box[32];
        mov.u32 %r1, box;
        and.b32 %r2, %t, 31;
        mad.lo.u32 %r2, %r2, 4, %r1;
        mov.u32 %r3, 0;
        mov.u32 %r8, 0;
        setp.ge.u32 %p1, %t, 32;
        @%p1 bra CONSUMER;
        PRODUCER:
        mad.lo.u32 %r4, %r3, 100, %t;
        st.shared.u32 [%r2], %r4;
        bar.arrive 1, 64;
        bar.sync 2, 64;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p2, %r3, 5;
        @%p2 bra PRODUCER;
        bra END;
        CONSUMER:
        bar.sync 1, 64;
        ld.shared.u32 %r5, [%r2];
        add.u32 %r8, %r8, %r5;
        bar.arrive 2, 64;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p2, %r3, 5;
        @%p2 bra CONSUMER;
        END:
        st.global.u32 [%out], %r8;";
    // The consumer adds up t + 100 i over five rounds.
    let expected = threads(64, |t| if t < 32 { 0 } else { 5 * (t - 32) + 1000 });
    assert_eq!(words(64, body), expected);
}

#[test]
fn reductions_at_a_barrier() {
    let reduce = |operation: &str, predicate: &str| {
        let body = format!(
            "setp.lt.u32 %p1, %t, 40;
             setp.lt.u32 %p2, %t, 64;
             setp.gt.u32 %p3, %t, 64;
             mov.u32 %r1, 0;
             {}
             st.global.u32 [%out], %r1;",
            match operation {
                "popc" => format!("bar.red.popc.u32 %r1, 0, {predicate};"),
                _ => format!(
                    "bar.red.{operation}.pred %p4, 0, {predicate}; selp.u32 %r1, 1, 0, %p4;"
                ),
            }
        );
        let all = words(64, &body);
        assert!(all.iter().all(|word| *word == all[0]));
        all[0]
    };
    assert_eq!(reduce("popc", "%p1"), 40);
    assert_eq!(reduce("popc", "!%p1"), 24);
    assert_eq!(reduce("popc", "%p3"), 0);
    for (predicate, and, or) in [
        ("%p1", 0, 1),
        ("!%p1", 0, 1),
        ("%p2", 1, 1),
        ("!%p2", 0, 0),
        ("%p3", 0, 0),
        ("!%p3", 1, 1),
    ] {
        assert_eq!(reduce("and", predicate), and, "and {predicate}");
        assert_eq!(reduce("or", predicate), or, "or {predicate}");
    }
    // Of one warp in two, with a count.
    let body = "
        setp.lt.u32 %p1, %t, 32;
        setp.lt.u32 %p2, %t, 9;
        mov.u32 %r1, 77;
        @%p1 barrier.cta.red.popc.aligned.u32 %r1, 5, 32, %p2;
        st.global.u32 [%out], %r1;";
    assert_eq!(
        words(64, body),
        threads(64, |t| if t < 32 { 9 } else { 77 })
    );
}

#[test]
fn threads_that_have_exited_are_not_waited_for() {
    let body = "
        setp.ge.u32 %p1, %t, 64;
        @%p1 exit;
        bar.sync 0;
        bar.red.popc.u32 %r1, 0, !%p1;
        st.global.u32 [%out], %r1;";
    assert_eq!(
        words(128, body),
        threads(128, |t| if t < 64 { 64 } else { 0 })
    );
    // They exit while the others wait already.
    let body = "
        setp.lt.u32 %p1, %t, 32;
        mov.u32 %r2, 0;
        @%p1 bra WAIT;
        LOOP:
        add.u32 %r2, %r2, 1;
        setp.lt.u32 %p2, %r2, 100;
        @%p2 bra LOOP;
        exit;
        WAIT:
        bar.sync 0;
        st.global.u32 [%out], %t;";
    assert_eq!(words(64, body), threads(64, |t| if t < 32 { t } else { 0 }));
}

#[test]
fn a_partial_warp_counts_as_a_whole_one() {
    let body = "
        bar.sync 1, 64;
        bar.sync 0;
        st.global.u32 [%out], %t;";
    assert_eq!(words(40, body), threads(40, |t| t));
}

/// `barrier.sync` need not be met together: halves of a warp come through two instructions.
#[test]
fn unaligned_barriers_in_divergent_code() {
    let body = "
        .shared .b32 box[64];
        mov.u32 %r1, box;
        mad.lo.u32 %r2, %t, 4, %r1;
        xor.b32 %r3, %t, 48;
        mad.lo.u32 %r3, %r3, 4, %r1;
        and.b32 %r4, %t, 16;
        setp.eq.u32 %p1, %r4, 0;
        add.u32 %r6, %t, 100;
        @%p1 bra LOW;
        st.shared.u32 [%r2], %t;
        barrier.sync 2;
        bra END;
        LOW:
        st.shared.u32 [%r2], %r6;
        barrier.sync 2;
        END:
        ld.shared.u32 %r5, [%r3];
        activemask.b32 %r7;
        add.u32 %r7, %r7, 1;
        add.u32 %r5, %r5, %r7;
        st.global.u32 [%out], %r5;";
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(64)]).block(64);
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    let expected = threads(64, |t| match t ^ 48 {
        other if other & 16 == 0 => other + 100,
        other => other,
    });
    assert_eq!(
        ran.words(0),
        expected,
        "and all lanes are together at the end"
    );
}

#[test]
fn misuse() {
    let cases = [
        (
            "mov.u32 %r1, 16; bar.sync %r1;",
            "barrier 16: there are barriers 0 to 15",
        ),
        (
            "mov.u32 %r1, %t; and.b32 %r1, %r1, 1; bar.sync %r1;",
            "lanes of one warp name different barriers",
        ),
        (
            "bar.sync 0, 33;",
            "barrier count 33 is not a positive multiple of 32",
        ),
        (
            "mov.u32 %r1, 0; bar.sync 0, %r1;",
            "barrier count 0 is not a positive multiple of 32",
        ),
        (
            "bar.sync 0, 96;",
            "barrier count 96 is more than the block's 64 threads",
        ),
        (
            "setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0, 64; @!%p1 bar.sync 0;",
            "barrier 0 is waited for by 64 threads, and now by all",
        ),
        (
            "setp.lt.u32 %p1, %t, 32; @%p1 bar.arrive 3, 64; @%p1 bar.arrive 3, 64;",
            "lanes of one warp meet barrier 3 at two different aligned instructions",
        ),
        (
            "setp.lt.u32 %p1, %t, 32;
             @%p1 barrier.arrive 3, 64; @%p1 barrier.arrive 3, 64;",
            "barrier 3: threads arrive twice in one phase",
        ),
    ];
    for (body, text) in cases {
        for ran in faults(64, body) {
            assert_eq!(ran.fault(), text, "{body}");
        }
    }
}

#[test]
fn a_barrier_that_nobody_completes_is_a_deadlock() {
    let body = "
        setp.lt.u32 %p1, %t, 32;
        @%p1 bar.sync 4, 64;";
    for ran in faults(64, body) {
        let [wait] = ran.waits() else {
            panic!("{}", ran.fault())
        };
        assert_eq!((wait.warp, wait.lanes), (0, 0xffff_ffff));
        assert!(
            wait.reason.starts_with("waits at block barrier 4"),
            "{}",
            wait.reason
        );
    }
    // Two warps that wait at two barriers, each for the other.
    let body = "
        setp.lt.u32 %p1, %t, 32;
        @%p1 bar.sync 1;
        @!%p1 bar.sync 2;";
    for ran in faults(64, body) {
        let waits = ran.waits();
        assert_eq!(waits.len(), 2, "{}", ran.fault());
        assert!(waits[0].reason.contains("for lanes of warp 1 0xffffffff"));
        assert!(waits[1].reason.contains("for lanes of warp 0 0xffffffff"));
    }
}

/// Lanes that go round a barrier and do more work before they exit are worth a note.
#[test]
fn going_round_a_barrier_is_noted() {
    let body = "
        setp.lt.u32 %p1, %t, 8;
        @%p1 bra ROUND;
        barrier.sync 0;
        st.global.u32 [%out], 1;
        exit;
        ROUND:
        st.global.u32 [%out], 2;
        exit;";
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(ran.words(0), threads(32, |t| if t < 8 { 2 } else { 1 }));
    let [note] = &ran.result.notes[..] else {
        panic!("{:?}", ran.result.notes)
    };
    assert!(note.text.contains("0x000000ff"), "{}", note.text);
    // Under the stack model the whole warp arrives, whoever executes the barrier.
    let ran = case.run(Ipdom);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(ran.words(0), threads(32, |t| if t < 8 { 2 } else { 1 }));
}
