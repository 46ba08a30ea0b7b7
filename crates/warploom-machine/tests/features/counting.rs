//! Counters: sectors, shared-memory passes, local sectors, guards, branches.

use warploom_isa::Op;
use warploom_machine::InstCount;

use crate::kit::{Arg, Case, Ran, kernel, run};

/// Requests, parts and conflicts of the instructions with an operation.
fn counts(ran: &Ran, op: Op) -> (u64, u64, u64) {
    let sum = |f: fn(&InstCount) -> u64| ran.total(op, f);
    (sum(|c| c.requests), sum(|c| c.parts), sum(|c| c.conflicts))
}

/// Runs a body under both models; counts of `op`, equal in both.
fn counted(op: Op, body: &str, args: Vec<Arg>) -> (u64, u64, u64) {
    let [stack, threads] = run(body, args);
    assert_eq!(counts(&stack, op), counts(&threads, op));
    assert_eq!(stack.issues(), threads.issues());
    counts(&threads, op)
}

/// Coalescing: at strides of 1, 2 and 8 words a warp touches 4, 8 and 32 sectors.
#[test]
fn sectors_by_stride() {
    for (stride, sectors) in [(0, 1), (1, 4), (2, 8), (4, 16), (8, 32), (16, 32), (33, 32)] {
        for space in [".global", ""] {
            let address = format!("mul.lo.u32 %r1, %t, {stride}; mad.wide.u32 %rd1, %r1, 4, %b0;");
            let buffer = || vec![Arg::Zeros(32 * 33 + 1)];
            let load = format!("{address} ld{space}.u32 %r2, [%rd1];");
            assert_eq!(
                counted(Op::Ld, &load, buffer()),
                (1, sectors, 0),
                "stride {stride}"
            );
            let store = format!("{address} st{space}.u32 [%rd1], %t;");
            assert_eq!(
                counted(Op::St, &store, buffer()),
                (1, sectors, 0),
                "stride {stride}"
            );
        }
    }
}

#[test]
fn sectors_by_width_and_place() {
    let load = |address: &str, kind: &str| {
        let body = format!("{address} ld.global.{kind}, [%rd1];");
        counted(Op::Ld, &body, vec![Arg::Zeros(512)])
    };
    let unit = |bytes: u32| format!("mad.wide.u32 %rd1, %t, {bytes}, %b0;");
    assert_eq!(load(&unit(1), "u8 %r1"), (1, 1, 0));
    assert_eq!(load(&unit(2), "u16 %r1"), (1, 2, 0));
    assert_eq!(load(&unit(8), "u64 %rd2"), (1, 8, 0));
    assert_eq!(load(&unit(16), "v4.u32 {%r1,%r2,%r3,%r4}"), (1, 16, 0));
    assert_eq!(load(&unit(32), "v4.u64 {%rd2,%rd3,%rd4,%rd5}"), (1, 32, 0));
    // Off by one word: a fifth sector.
    let off = unit(4) + "add.u64 %rd1, %rd1, 4;";
    assert_eq!(load(&off, "u32 %r1"), (1, 5, 0));
    // Downwards.
    let down = "sub.u32 %r9, 31, %t; mad.wide.u32 %rd1, %r9, 4, %b0;";
    assert_eq!(load(down, "u32 %r1"), (1, 4, 0));
    // Three lanes of one sector, two of another.
    let body = "
        setp.lt.u32 %p1, %t, 5;
        setp.lt.u32 %p2, %t, 3;
        mad.wide.u32 %rd1, %t, 4, %b0;
        @!%p2 add.u64 %rd1, %rd1, 256;
        @%p1 ld.global.u32 %r1, [%rd1];";
    assert_eq!(counted(Op::Ld, body, vec![Arg::Zeros(512)]), (1, 2, 0));
}

/// The same instruction, met again with other shapes.
#[test]
fn sectors_of_changing_shapes() {
    // Rounds 0 to 3 at strides of 1, 2, 4 and 8 words, then 1 again with 16 lanes: 4 + 8 + 16 + 32
    // sectors, and 2.
    let body = "
        mov.u32 %r1, 0;
        LOOP:
        shl.b32 %r2, %t, %r1;
        setp.eq.u32 %p1, %r1, 4;
        @%p1 mov.u32 %r2, %t;
        setp.lt.u32 %p2, %t, 16;
        or.pred %p3, %p2, !%p1;
        mad.wide.u32 %rd1, %r2, 4, %b0;
        @%p3 ld.global.u32 %r3, [%rd1];
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p4, %r1, 5;
        @%p4 bra LOOP;";
    let body = body
        .replace("!%p1;", "%p5;")
        .replace("or.pred %p3", "not.pred %p5, %p1; or.pred %p3");
    assert_eq!(counted(Op::Ld, &body, vec![Arg::Zeros(256)]), (5, 62, 0));
}

#[test]
fn shared_passes() {
    let access = |setup: &str, kind: &str| {
        let body = format!(
            ".shared .align 16 .b8 box[8192];
             mov.u32 %r10, box;
             {setup}
             add.u32 %r1, %r1, %r10;
             ld.shared.{kind}, [%r1];"
        );
        counted(Op::Ld, &body, vec![Arg::Zeros(1)])
    };
    let stride = |bytes: u32| format!("mul.lo.u32 %r1, %t, {bytes};");
    assert_eq!(access(&stride(4), "u32 %r2"), (1, 1, 0));
    assert_eq!(access(&stride(8), "u32 %r2"), (1, 2, 1));
    assert_eq!(access(&stride(128), "u32 %r2"), (1, 32, 31));
    assert_eq!(access(&stride(132), "u32 %r2"), (1, 1, 0));
    assert_eq!(access(&stride(0), "u32 %r2"), (1, 1, 0), "a broadcast");
    // Bytes of one word are a broadcast too.
    assert_eq!(access(&stride(1), "u8 %r2"), (1, 1, 0));
    // By halves and quarters of the warp.
    assert_eq!(access(&stride(8), "u64 %rd2"), (1, 2, 0));
    assert_eq!(access(&stride(16), "u64 %rd2"), (1, 4, 2));
    assert_eq!(access(&stride(16), "v4.u32 {%r2,%r3,%r4,%r5}"), (1, 4, 0));
    assert_eq!(access(&stride(32), "v4.u32 {%r2,%r3,%r4,%r5}"), (1, 8, 4));
    assert_eq!(access(&stride(0), "v2.u64 {%rd2,%rd3}"), (1, 4, 0));
    // Half of the lanes.
    let half = "setp.lt.u32 %p1, %t, 16; mul.lo.u32 %r1, %t, 64;";
    let body = format!(
        ".shared .align 16 .b8 box[2048]; mov.u32 %r10, box; {half}
         add.u32 %r1, %r1, %r10; @%p1 st.shared.u32 [%r1], %t;"
    );
    // A stride of 16 words: lanes of equal parity share a bank.
    assert_eq!(counted(Op::St, &body, vec![Arg::Zeros(1)]), (1, 8, 7));
}

/// Generic accesses count where they end up.
#[test]
fn generic_accesses_count_in_their_space() {
    let body = "
        .shared .align 4 .b32 box[64];
        .local .align 4 .b32 mine[1];
        mov.u32 %r1, box;
        mad.lo.u32 %r1, %t, 8, %r1;
        cvt.u64.u32 %rd1, %r1;
        cvta.shared.u64 %rd1, %rd1;
        ld.u32 %r2, [%rd1];
        mov.u64 %rd2, mine;
        cvta.local.u64 %rd2, %rd2;
        ld.u32 %r3, [%rd2];
        ld.u32 %r4, [%out];
        // Half of it to shared, half to global memory.
        setp.lt.u32 %p1, %t, 16;
        selp.b64 %rd3, %rd1, %out, %p1;
        ld.u32 %r5, [%rd3];";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        let counters = &ran.result.counters;
        let sum = |list: &[InstCount]| {
            let loads = ran.module.code.iter().zip(list);
            let loads = loads.filter(|(inst, _)| inst.op == Op::Ld);
            loads.fold((0, 0, 0), |(requests, parts, conflicts), (_, c)| {
                (
                    requests + c.requests,
                    parts + c.parts,
                    conflicts + c.conflicts,
                )
            })
        };
        // A stride of two words: two passes, and one for the half warp.
        assert_eq!(sum(&counters.generic_shared), (2, 3, 1));
        assert_eq!(sum(&counters.generic_local), (1, 4, 0));
        assert_eq!(sum(&counters.insts), (2, 4 + 2, 0));
    }
}

/// Local memory is interleaved: the same word of all lanes is 128 bytes in a row.
#[test]
fn local_sectors() {
    let body = |address: &str| {
        format!(
            ".local .align 16 .b8 mine[256];
             mov.u64 %rd1, mine;
             {address}"
        )
    };
    let same = body("st.local.u32 [%rd1+4], %t;");
    assert_eq!(counted(Op::St, &same, vec![Arg::Zeros(1)]), (1, 4, 0));
    let fixed = body("st.local.u32 [mine+4], %t;");
    assert_eq!(counted(Op::StFrame, &fixed, vec![Arg::Zeros(1)]), (1, 4, 0));
    let wide = body("ld.local.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+16];");
    assert_eq!(counted(Op::Ld, &wide, vec![Arg::Zeros(1)]), (1, 16, 0));
    // A word of its own in each lane: nothing is shared.
    let own = body("mad.wide.u32 %rd2, %t, 4, %rd1; st.local.u32 [%rd2], %t;");
    assert_eq!(counted(Op::St, &own, vec![Arg::Zeros(1)]), (1, 32, 0));
    let few = body("setp.lt.u32 %p1, %t, 8; @%p1 st.local.u32 [%rd1], %t;");
    assert_eq!(counted(Op::St, &few, vec![Arg::Zeros(1)]), (1, 1, 0));
    // Bytes: four of them make a word.
    let byte = body("st.local.u8 [%rd1+3], %t;");
    assert_eq!(counted(Op::St, &byte, vec![Arg::Zeros(1)]), (1, 4, 0));
}

#[test]
fn parameters_and_constants() {
    // Two parameters, no traffic.
    let source = kernel(2, "");
    for ran in Case::new(&source, "k", vec![Arg::Zeros(1), Arg::Zeros(1)]).run_both() {
        assert_eq!(counts(&ran, Op::Ld), (0, 0, 0));
        // A move, two parameter loads, a multiply-add, a return.
        assert_eq!(ran.issues(), (5, 160));
    }
}

#[test]
fn branches_and_guards() {
    let body = "
        mov.u32 %r1, 0;
        LOOP:
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p1, %r1, %t;
        @%p1 bra LOOP;
        setp.lt.u32 %p2, %t, 8;
        @%p2 add.u32 %r1, %r1, 1;
        bra.uni END;
        END:
        st.global.u32 [%out], %r1;";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        // Lane l goes round max(1, l) times: 31 rounds of the warp. The first, in which all lanes
        // but 0 and 1 go on, up to the one in which lane 31 goes on alone, diverge.
        let branches = counts(&ran, Op::Bra);
        assert_eq!(branches, (31 + 1, 30, 0));
        let guarded = ran.total(Op::AddI32, |c| c.guarded_off);
        assert_eq!(guarded, 24);
        // Seven instructions outside of the loop, and the return: move, load, multiply-add, move;
        // compare, add, branch, store, return. In the loop three per round.
        let rounds: u64 = 1 + (1..32).sum::<u64>();
        assert_eq!(ran.issues(), (9 + 3 * 31, 9 * 32 + 3 * rounds));
    }
}

#[test]
fn counts_of_several_warps_and_blocks_add_up() {
    let body = "
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %ntid.x;
        mad.lo.u32 %r1, %r1, %r2, %t;
        mad.wide.u32 %rd1, %r1, 4, %b0;
        st.global.u32 [%rd1], %r1;";
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(400)])
        .grid(5)
        .block(80);
    for ran in case.run_both() {
        assert_eq!(ran.words(0), (0..400).collect::<Vec<u32>>());
        // Three warps a block, the third of 16 lanes: 4 + 4 + 2 sectors.
        assert_eq!(counts(&ran, Op::St), (15, 50, 0));
        assert_eq!(ran.issues(), (15 * 9, 400 * 9));
        assert_eq!(ran.result.blocks_done, 5);
    }
}

/// Accesses through one register count for themselves: sectors by their own place, passes by the
/// banks they hit.
#[test]
fn each_offset_of_a_register_counts_its_own_sectors() {
    let body = "
        mov.u32 %r1, 0;
        LOOP:
        ld.global.u32 %r2, [%out]; ld.global.u32 %r2, [%out+4]; ld.global.u32 %r2, [%out+32];
        add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra LOOP;";
    let found = counted(Op::Ld, body, vec![Arg::Zeros(64)]);
    assert_eq!(found, (30, 10 * (4 + 5 + 4), 0));
}
