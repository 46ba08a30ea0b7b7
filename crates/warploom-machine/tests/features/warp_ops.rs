//! Operations across the lanes of a warp, and who takes part in them.

use warploom_machine::{FaultKind, Outcome};

use crate::kit::{Arg, Case, Ipdom, Its, Ran, fault_of, kernel, run};

/// Runs a body that stores one word per lane; the words, equal under both models.
fn words(body: &str) -> Vec<u32> {
    let [stack, threads] = run(body, vec![Arg::Zeros(32)]);
    assert_eq!(stack.words(0), threads.words(0));
    stack.words(0)
}

fn lanes(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(f).collect()
}

/// What `shfl` gives when each lane brings 100 + its number, plus 1000 where its predicate is true.
fn shuffled(mode: &str, b: &str, c: &str) -> Vec<u32> {
    let body = |opcode: &str, members: &str| {
        format!(
            "add.u32 %r1, %t, 100;
             {opcode}.{mode}.b32 %r2|%p1, %r1, {b}, {c}{members};
             @%p1 add.u32 %r2, %r2, 1000;
             st.global.u32 [%out], %r2;"
        )
    };
    let synchronising = words(&body("shfl.sync", ", -1"));
    assert_eq!(words(&body("shfl", "")), synchronising);
    synchronising
}

#[test]
fn shuffles_of_a_whole_warp() {
    assert_eq!(
        shuffled("up", "1", "0"),
        lanes(|l| if l < 1 { 100 } else { 1100 + l - 1 })
    );
    assert_eq!(
        shuffled("up", "5", "0"),
        lanes(|l| if l < 5 { 100 + l } else { 1100 + l - 5 })
    );
    assert_eq!(
        shuffled("down", "3", "31"),
        lanes(|l| if l + 3 > 31 { 100 + l } else { 1100 + l + 3 })
    );
    assert_eq!(shuffled("bfly", "1", "31"), lanes(|l| 1100 + (l ^ 1)));
    assert_eq!(shuffled("bfly", "16", "31"), lanes(|l| 1100 + (l ^ 16)));
    assert_eq!(shuffled("idx", "7", "31"), lanes(|_| 1107));
    // Only the low five bits of the lane operand count.
    assert_eq!(shuffled("idx", "39", "31"), lanes(|_| 1107));
    // A lane operand of each lane's own: 31 - lane.
    let body = "
        sub.u32 %r1, 31, %t;
        mul.lo.u32 %r2, %t, 3;
        shfl.sync.idx.b32 %r3, %r2, %r1, 31, -1;
        st.global.u32 [%out], %r3;";
    assert_eq!(words(body), lanes(|l| 3 * (31 - l)));
}

/// Segments of 8 lanes: bits 8 to 12 of the last operand are 11000.
#[test]
fn shuffles_of_segments() {
    assert_eq!(
        shuffled("up", "2", "0x1800"),
        lanes(|l| if l % 8 < 2 { 100 + l } else { 1100 + l - 2 })
    );
    assert_eq!(
        shuffled("down", "2", "0x181f"),
        lanes(|l| if l % 8 > 5 { 100 + l } else { 1100 + l + 2 })
    );
    assert_eq!(shuffled("bfly", "3", "0x181f"), lanes(|l| 1100 + (l ^ 3)));
    // A butterfly out of its segment: lanes that would read from a later one keep their own.
    assert_eq!(
        shuffled("bfly", "8", "0x181f"),
        lanes(|l| if l & 8 == 0 { 100 + l } else { 1100 + (l ^ 8) })
    );
    // An index wraps to the segment: lane 11 means lane 3 of it.
    assert_eq!(
        shuffled("idx", "11", "0x181f"),
        lanes(|l| 1100 + l / 8 * 8 + 3)
    );
    // Clamped to the first three lanes of each segment.
    assert_eq!(
        shuffled("down", "1", "0x1802"),
        lanes(|l| if l % 8 < 2 { 1100 + l + 1 } else { 100 + l })
    );
}

#[test]
fn votes() {
    let body = |vote: &str| {
        format!(
            "setp.lt.u32 %p1, %t, 5;
             setp.lt.u32 %p2, %t, 32;
             mov.u32 %r1, 0;
             {vote}
             st.global.u32 [%out], %r1;"
        )
    };
    let flag = |vote: &str| {
        let words = words(&body(&format!("{vote}; selp.u32 %r1, 1, 0, %p3;")));
        assert!(words.iter().all(|word| *word == words[0]));
        words[0] == 1
    };
    for (p, all, any, uni) in [
        ("%p1", false, true, false),
        ("!%p1", false, true, false),
        ("%p2", true, true, true),
        ("!%p2", false, false, true),
    ] {
        assert_eq!(
            flag(&format!("vote.sync.all.pred %p3, {p}, -1")),
            all,
            "{p}"
        );
        assert_eq!(
            flag(&format!("vote.sync.any.pred %p3, {p}, -1")),
            any,
            "{p}"
        );
        assert_eq!(
            flag(&format!("vote.sync.uni.pred %p3, {p}, -1")),
            uni,
            "{p}"
        );
        assert_eq!(flag(&format!("vote.all.pred %p3, {p}")), all, "{p}");
    }
    assert_eq!(
        words(&body("vote.sync.ballot.b32 %r1, %p1, -1;")),
        lanes(|_| 0x1f)
    );
    assert_eq!(
        words(&body("vote.sync.ballot.b32 %r1, !%p1, -1;")),
        lanes(|_| 0xffff_ffe0)
    );
}

/// In a branch only the lanes that take it vote.
#[test]
fn votes_and_active_masks_in_a_branch() {
    let body = "
        setp.lt.u32 %p1, %t, 12;
        setp.gt.u32 %p2, %t, 3;
        @%p1 bra THEN;
        activemask.b32 %r1;
        bra END;
        THEN:
        vote.sync.ballot.b32 %r1, %p2, 0xfff;
        vote.ballot.b32 %r2, %p2;
        xor.b32 %r3, %r1, %r2;
        shl.b32 %r3, %r3, 16;
        or.b32 %r1, %r1, %r3;
        END:
        st.global.u32 [%out], %r1;";
    assert_eq!(
        words(body),
        lanes(|l| if l < 12 { 0xff0 } else { 0xffff_f000 })
    );
    let body = "
        setp.lt.u32 %p1, %t, 12;
        mov.u32 %r1, 0;
        @%p1 activemask.b32 %r1;
        st.global.u32 [%out], %r1;";
    assert_eq!(words(body), lanes(|l| if l < 12 { 0xfff } else { 0 }));
}

#[test]
fn matches() {
    // Lanes of equal residue modulo 4.
    let body = "
        and.b32 %r1, %t, 3;
        match.any.sync.b32 %r2, %r1, -1;
        st.global.u32 [%out], %r2;";
    assert_eq!(words(body), lanes(|l| 0x1111_1111 << (l % 4)));
    // 64 bits that differ in the high half only.
    let body = "
        shr.u32 %r1, %t, 4;
        mov.b64 %rd1, {%t, %r1};
        and.b64 %rd1, %rd1, 0xffffffff00000000;
        match.any.sync.b64 %r2, %rd1, -1;
        st.global.u32 [%out], %r2;";
    assert_eq!(
        words(body),
        lanes(|l| if l < 16 { 0xffff } else { 0xffff_0000 })
    );
    let all = |value: &str| {
        let body = format!(
            "{value}
             match.all.sync.b32 %r2|%p1, %r1, -1;
             @%p1 add.u32 %r2, %r2, 2;
             st.global.u32 [%out], %r2;"
        );
        words(&body)
    };
    assert_eq!(all("mov.u32 %r1, 9;"), lanes(|_| 1), "all ones, plus two");
    assert_eq!(all("shr.u32 %r1, %t, 1;"), lanes(|_| 0));
    // A match of half the warp, whose lanes agree while the warp does not.
    let body = "
        shr.u32 %r1, %t, 4;
        setp.lt.u32 %p2, %t, 16;
        mov.u32 %r2, 7;
        @%p2 match.all.sync.b64 %r2, %rd1, 0xffff;
        st.global.u32 [%out], %r2;";
    let body = body.replace("@%p2", "cvt.u64.u32 %rd1, %r1;\n@%p2");
    assert_eq!(words(&body), lanes(|l| if l < 16 { 0xffff } else { 7 }));
}

#[test]
fn reductions() {
    let reduced = |operation: &str, value: &str| {
        let body = format!(
            "sub.u32 %r1, %t, 3;
             cvt.rn.f32.s32 %f1, %r1;
             {value}
             redux.sync.{operation} %r2, %r1, -1;
             st.global.u32 [%out], %r2;"
        );
        let body = match operation.ends_with("f32") {
            true => body.replace("%r2, %r1, -1", "%f2, %f1, -1; mov.b32 %r2, %f2"),
            false => body,
        };
        let words = words(&body);
        assert!(words.iter().all(|word| *word == words[0]));
        words[0]
    };
    // Lanes bring -3, -2, … 28.
    assert_eq!(reduced("add.s32", ""), 400);
    assert_eq!(reduced("add.u32", ""), 400);
    assert_eq!(reduced("min.s32", ""), 0xffff_fffd);
    assert_eq!(reduced("max.s32", ""), 28);
    assert_eq!(reduced("min.u32", ""), 0);
    assert_eq!(reduced("max.u32", ""), 0xffff_ffff);
    // Lanes bring 32, 33, … 63.
    let value = "add.u32 %r1, %t, 32;";
    assert_eq!(reduced("and.b32", value), 32);
    assert_eq!(reduced("or.b32", value), 63);
    assert_eq!(reduced("xor.b32", value), 0);
    assert_eq!(
        reduced("xor.b32", "mov.u32 %r1, %t; @%p1 mov.u32 %r1, 0;"),
        0
    );
    assert_eq!(reduced("min.f32", ""), (-3f32).to_bits());
    assert_eq!(reduced("max.f32", ""), 28f32.to_bits());
    assert_eq!(reduced("min.abs.f32", ""), 0f32.to_bits());
    // One lane brings a NaN: numbers win, unless NaN is asked for.
    let value = "setp.eq.u32 %p1, %t, 9; @%p1 mov.f32 %f1, 0f7FC00000;";
    assert_eq!(reduced("max.f32", value), 28f32.to_bits());
    assert_eq!(reduced("max.NaN.f32", value), 0x7fff_ffff);
}

#[test]
fn the_elected_lane_is_the_lowest_member() {
    let body = "
        setp.ge.u32 %p1, %t, 8;
        mov.u32 %r1, 99;
        @!%p1 bra END;
        elect.sync %r1|%p2, 0xffffff00;
        @%p2 add.u32 %r1, %r1, 100;
        END:
        st.global.u32 [%out], %r1;";
    assert_eq!(
        words(body),
        lanes(|l| match l {
            0..8 => 99,
            8 => 108,
            _ => 8,
        })
    );
}

/// Halves of a warp that arrive at two different instructions, each naming the whole warp.
const HALVES: &str = "
    setp.lt.u32 %p1, %t, 16;
    add.u32 %r1, %t, 100;
    @%p1 bra LOW;
    add.u32 %r1, %r1, 1000;
    shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
    bra END;
    LOW:
    shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
    END:
    st.global.u32 [%out], %r2;";

#[test]
fn halves_meet_at_different_instructions_under_independent_threads() {
    let source = kernel(1, HALVES);
    let case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(
        ran.words(0),
        lanes(|l| if l < 16 { 1116 + l } else { 100 + l - 16 })
    );
    let ran = case.run(Ipdom);
    assert_eq!(
        ran.fault(),
        "member mask 0xffffffff names lanes 0x0000ffff that are alive but not active here"
    );
    assert_eq!(ran.the_fault().lanes, 0xffff_0000);
    assert_eq!(ran.the_fault().thread, [16, 0, 0]);
}

#[test]
fn different_operations_do_not_meet() {
    let body = "
        setp.lt.u32 %p1, %t, 16;
        @%p1 bra LOW;
        shfl.sync.bfly.b32 %r2, %t, 16, 31, -1;
        bra END;
        LOW:
        vote.sync.ballot.b32 %r2, %p1, -1;
        END:
        st.global.u32 [%out], %r2;";
    let source = kernel(1, body);
    let ran = Case::new(&source, "k", vec![Arg::Zeros(32)]).run(Its);
    let waits = ran.waits();
    assert_eq!(waits.len(), 2, "{}", ran.fault());
    for (name, lanes, others) in [
        ("shfl", 0xffff_0000, "0x0000ffff"),
        ("vote", 0x0000_ffff, "0xffff0000"),
    ] {
        let wait = waits.iter().find(|wait| wait.lanes == lanes).expect(name);
        assert!(wait.reason.contains(name), "{}", wait.reason);
        assert!(wait.reason.contains(others), "{}", wait.reason);
    }
}

#[test]
fn a_mask_without_the_executing_lane_is_a_fault() {
    let body = "
        vote.sync.any.pred %p1, %p2, 0xffff;
        st.global.u32 [%out], %t;";
    let source = kernel(1, body);
    for divergence in [Ipdom, Its] {
        let ran = Case::new(&source, "k", vec![Arg::Zeros(32)]).run(divergence);
        assert_eq!(
            ran.fault(),
            "member mask 0x0000ffff leaves out the executing lane"
        );
        let fault = ran.the_fault();
        assert_eq!(
            fault.kind,
            FaultKind::MemberMaskWithoutSelf { mask: 0xffff }
        );
        assert_eq!((fault.lanes, fault.thread), (0xffff_0000, [16, 0, 0]));
    }
    let text = "member mask 0x00000000 leaves out the executing lane";
    assert_eq!(fault_of("bar.warp.sync 0;", vec![]), text);
}

#[test]
fn exited_and_missing_lanes_are_not_waited_for() {
    let body = "
        setp.ge.u32 %p1, %t, 20;
        @%p1 exit;
        vote.sync.ballot.b32 %r1, !%p1, -1;
        st.global.u32 [%out], %r1;";
    assert_eq!(words(body), lanes(|l| if l < 20 { 0xf_ffff } else { 0 }));
    // A partial warp of 20 threads.
    let body = "
        setp.ge.u32 %p1, %t, 20;
        vote.sync.ballot.b32 %r1, !%p1, -1;
        bar.warp.sync -1;
        redux.sync.add.u32 %r2, %t, -1;
        add.u32 %r1, %r1, %r2;
        st.global.u32 [%out], %r1;";
    let source = kernel(1, body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(32)])
        .block(20)
        .run_both()
    {
        let expected = lanes(|l| if l < 20 { 0xf_ffff + 190 } else { 0 });
        assert_eq!(ran.words(0), expected);
    }
}

#[test]
fn lanes_wait_until_the_missing_ones_exit() {
    // Under independent threads the high half waits for the low one, which exits instead.
    let body = "
        setp.lt.u32 %p1, %t, 16;
        @%p1 bra LOW;
        vote.sync.ballot.b32 %r1, !%p1, -1;
        st.global.u32 [%out], %r1;
        ret;
        LOW:
        st.global.u32 [%out], %t;
        exit;";
    let source = kernel(1, body);
    let ran = Case::new(&source, "k", vec![Arg::Zeros(32)]).run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(
        ran.words(0),
        lanes(|l| if l < 16 { l } else { 0xffff_0000 })
    );
}

/// One instruction whose lanes name two masks: two operations, in either model.
const TWO_MASKS: &str = "
    setp.lt.u32 %p1, %t, 10;
    selp.b32 %r1, 0x3ff, 0xfffffc00, %p1;
    redux.sync.add.u32 %r2, %t, %r1;
    activemask.b32 %r3;
    st.global.u32 [%out], %r2;
    st.global.u32 [%out+128], %r3;";

#[test]
fn lanes_that_name_different_masks_are_separate_operations() {
    for ran in run(TWO_MASKS, vec![Arg::Zeros(64)]) {
        let words = ran.words(0);
        // 0 + … + 9 = 45; 10 + … + 31 = 451.
        assert_eq!(words[..32], lanes(|l| if l < 10 { 45 } else { 451 }));
        assert_eq!(
            words[32..],
            lanes(|_| u32::MAX),
            "all are together behind it"
        );
    }
    // With one mask per lane.
    let body = "
        mov.u32 %r1, %lanemask_eq;
        vote.sync.ballot.b32 %r2, %p1, %r1;
        elect.sync %r3|%p2, %r1;
        selp.u32 %r4, %r3, 99, %p2;
        st.global.u32 [%out], %r4;";
    assert_eq!(words(body), lanes(|l| l));
}

#[test]
fn a_warp_barrier_orders_memory_between_branches() {
    // Each half stores, waits for the other, and loads what the other has stored.
    let body = "
        .shared .b32 box[32];
        mov.u32 %r9, box;
        mad.lo.u32 %r8, %t, 4, %r9;
        xor.b32 %r7, %t, 16;
        mad.lo.u32 %r7, %r7, 4, %r9;
        setp.lt.u32 %p1, %t, 16;
        @%p1 bra LOW;
        add.u32 %r1, %t, 500;
        st.shared.u32 [%r8], %r1;
        bar.warp.sync -1;
        ld.shared.u32 %r2, [%r7];
        bra END;
        LOW:
        st.shared.u32 [%r8], %t;
        bar.warp.sync -1;
        ld.shared.u32 %r2, [%r7];
        END:
        st.global.u32 [%out], %r2;";
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(
        ran.words(0),
        lanes(|l| if l < 16 { 516 + l } else { l - 16 })
    );
    let not_active = |ran: &Ran| matches!(ran.the_fault().kind, FaultKind::MemberNotActive { .. });
    assert!(not_active(&case.run(Ipdom)));
}

#[test]
fn guarded_lanes_take_no_part() {
    let body = "
        setp.lt.u32 %p1, %t, 8;
        mov.u32 %r1, 7;
        @%p1 redux.sync.add.u32 %r1, %t, 0xff;
        st.global.u32 [%out], %r1;";
    assert_eq!(words(body), lanes(|l| if l < 8 { 28 } else { 7 }));
}
