//! Where source instructions are cut, and what is taken as it is written.

use warploom_isa::Op;
use warploom_timing::stream::Class;

use crate::support::{as_written, lowered};

/// Source operations at which segments start.
fn starts(body: &str) -> Vec<&'static str> {
    let lowered = lowered(body);
    let code = &lowered.module.code;
    let segments = &lowered.stream.segments;
    segments
        .iter()
        .map(|segment| code[segment.source.start as usize].op.name())
        .collect()
}

#[test]
fn a_barrier_is_alone_in_its_segment() {
    let found = starts(
        "mov.u32 %r1, %tid.x;
         st.shared.u32 [tile], %r1;
         bar.sync 0;
         ld.shared.u32 %r2, [tile];
         st.shared.u32 [tile+4], %r2;
         ret;",
    );
    // What ends the function follows the kernel's own return, in a block of its own.
    assert_eq!(found, ["block", "bar", "ld", "block"]);
}

#[test]
fn strong_accesses_atomics_clocks_and_exchanges_cut() {
    let found = starts(
        "ld.param.u64 %d1, [p];
         ld.volatile.global.u32 %r1, [%d1];
         atom.global.add.u32 %r2, [%d1], %r1;
         mov.u32 %r3, %clock;
         shfl.sync.down.b32 %r4, %r3, 1, 31, -1;
         membar.gl;
         add.u32 %r5, %r4, %r2;
         st.global.u32 [%d1], %r5;
         ret;",
    );
    let expected = [
        "block",
        "ld",
        "atom",
        "mov.special",
        "shfl",
        "fence",
        "add.i32",
        "block",
    ];
    assert_eq!(found, expected);
}

#[test]
fn segments_cover_the_code_without_a_gap() {
    let lowered = lowered(
        "mov.u32 %r1, %tid.x;
         setp.lt.u32 %p1, %r1, 7;
         @%p1 bra L1;
         bar.sync 0;
         L1:
         add.u32 %r2, %r2, %r1;
         st.shared.u32 [tile], %r2;
         ret;",
    );
    let function = lowered
        .module
        .function(lowered.module.kernel("k").expect("kernel"));
    let segments = &lowered.stream.segments;
    assert_eq!(segments[0].source.start, function.start);
    assert_eq!(segments.last().expect("segments").source.end, function.end);
    for pair in segments.windows(2) {
        assert_eq!(pair[0].source.end, pair[1].source.start);
        assert_eq!(pair[0].insts.end, pair[1].insts.start);
    }
}

#[test]
fn taken_as_written_each_counted_instruction_is_one() {
    let lowered = as_written(
        "ld.param.u64 %d1, [p];
         cvta.to.global.u64 %d2, %d1;
         ld.global.u32 %r1, [%d2];
         div.u32 %r2, %r1, 3;
         mov.u32 %r3, %r2;
         st.global.u32 [%d2], %r3;
         ret;",
    );
    let expected = [
        Class::Constant,
        Class::Int32,
        Class::Memory,
        Class::Int32,
        Class::Int32,
        Class::Memory,
        Class::Branch,
    ];
    assert_eq!(lowered.classes(), expected);
    assert!(lowered.stream.insts.iter().all(|inst| inst.leads));
    // Each reads what the one before it writes.
    for pair in lowered.stream.insts[..6].windows(2).take(4) {
        assert!(pair[0].defs.iter().any(|def| pair[1].uses.contains(def)));
    }
}

#[test]
fn each_source_instruction_leads_once_at_most() {
    let lowered = lowered(
        "ld.param.u64 %d1, [p];
         ld.global.u32 %r1, [%d1];
         rem.s32 %r2, %r1, 10;
         add.s64 %d2, %d1, %d1;
         mul.lo.s64 %d3, %d2, %d1;
         st.global.u64 [%d1+8], %d3;
         st.global.u32 [%d1], %r2;
         ret;",
    );
    let code = &lowered.module.code;
    for pc in 0..code.len() as u32 {
        let of_source = lowered.stream.insts.iter().filter(|inst| inst.source == pc);
        let leading = of_source.clone().filter(|inst| inst.leads).count();
        let parts = of_source.count();
        assert!(
            leading <= 1 && (parts == 0 || leading == 1 || code[pc as usize].op == Op::LdParam)
        );
    }
}
