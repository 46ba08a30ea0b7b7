//! Loads that become one, and branches that become guards.

use warploom_isa::Op;
use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::stream::Class;

use crate::support::lowered;

/// How many source loads each machine load stands for.
fn accesses(body: &str) -> Vec<u8> {
    let found = lowered(body);
    let loads = found.stream.insts.iter();
    let loads = loads.filter(|inst| inst.class == Class::Memory && !inst.defs.is_empty());
    loads.map(|inst| inst.accesses).collect()
}

const ROW: &str =
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 6; mov.u32 %r3, tile; add.u32 %r4, %r2, %r3;";

#[test]
fn neighbours_of_an_aligned_address_are_loaded_together() {
    let body = format!(
        "{ROW}
         ld.shared.f32 %f1, [%r4+4];
         ld.shared.f32 %f2, [%r4];
         ld.shared.f32 %f3, [%r4+8];
         ld.shared.f32 %f4, [%r4+12];
         ld.shared.f32 %f5, [%r4+16];
         ld.shared.f32 %f6, [%r4+20];
         ld.shared.f32 %f7, [%r4+28];
         add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f5, %f5, %f6;
         add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f5; add.f32 %f1, %f1, %f7;
         st.shared.f32 [%r4], %f1;
         ret;"
    );
    // 0 to 12 by four, 16 and 20 by two, 28 alone.
    let mut found = accesses(&body);
    found.sort_unstable();
    assert_eq!(found, [1, 2, 4]);
    // The event is that of the lowest address, the second load of the source.
    let found = lowered(&body);
    let whole = found.stream.insts.iter().find(|inst| inst.accesses == 4);
    let source = found.module.code[whole.expect("merged").source as usize];
    assert_eq!(source.offset(), 0);
}

#[test]
fn unknown_alignment_keeps_loads_apart() {
    let found = accesses(
        "mov.u32 %r1, %tid.x;
         shl.b32 %r4, %r1, 2;
         ld.shared.f32 %f1, [%r4];
         ld.shared.f32 %f2, [%r4+4];
         add.f32 %f1, %f1, %f2;
         st.shared.f32 [%r4+64], %f1;
         ret;",
    );
    assert_eq!(found, [1, 1]);
}

#[test]
fn a_store_keeps_loads_apart() {
    let found = accesses(&format!(
        "{ROW}
         ld.shared.f32 %f1, [%r4];
         st.shared.f32 [%r4+64], %f1;
         ld.shared.f32 %f2, [%r4+4];
         st.shared.f32 [%r4+68], %f2;
         ret;"
    ));
    assert_eq!(found, [1, 1]);
}

#[test]
fn a_counted_address_is_aligned_by_its_steps() {
    let body = |step: u32| {
        format!(
            "{ROW}
             mov.f32 %f3, 0f00000000;
             L1:
             ld.shared.f32 %f1, [%r4];
             ld.shared.f32 %f2, [%r4+4];
             add.f32 %f3, %f3, %f1; add.f32 %f3, %f3, %f2;
             add.u32 %r4, %r4, {step};
             setp.lt.u32 %p1, %r4, 4000;
             @%p1 bra L1;
             st.shared.f32 [tile], %f3;
             ret;"
        )
    };
    assert_eq!(accesses(&body(8)), [2]);
    assert_eq!(accesses(&body(4)), [1, 1]);
}

const GUARDED: &str = "mov.u32 %r1, %tid.x;
     setp.ge.u32 %p1, %r1, 7;
     @%p1 bra L1;
     BODY
     L1:
     st.shared.u32 [tile+8], %r1;
     ret;";

fn branches(body: &str) -> usize {
    let found = lowered(&GUARDED.replace("BODY", body));
    // The kernel's return is a branch as well.
    found.count(Class::Branch) - 1
}

#[test]
fn a_short_body_is_guarded() {
    assert_eq!(branches("st.shared.u32 [tile], %r1;"), 0);
}

#[test]
fn a_long_body_is_gone_around() {
    let eight = "st.shared.u32 [%r1], %r1;".repeat(8);
    assert_eq!(branches(&eight), 1);
    let seven = "st.shared.u32 [%r1], %r1;".repeat(7);
    assert_eq!(branches(&seven), 0);
}

#[test]
fn what_all_lanes_must_meet_is_gone_around() {
    assert_eq!(branches("bar.sync 0;"), 1);
    assert_eq!(branches("bar.warp.sync -1;"), 1);
}

#[test]
fn the_inner_loop_of_a_tiled_product_is_a_fifth_shorter() {
    let text = include_str!("../../../../examples/cuda/matmul.ptx");
    let loaded = warploom_ptx::load(&[("matmul.ptx", text)]).expect("the text is right");
    let module = loaded.module;
    let kernel = module.kernel("matmul32").expect("kernel");
    let stream = lower(&module, kernel, LowerOptions::default());
    let function = module.function(kernel);
    let code = |pc: u32| &module.code[pc as usize];
    let back = (function.start..function.end)
        .find(|&pc| code(pc).op == Op::Bra && code(pc).low <= pc)
        .expect("a loop");
    let looped = code(back).low..back + 1;
    let source = looped.clone().filter(|&pc| code(pc).op != Op::Block);
    let source = source.filter(|&pc| !code(pc).flags.fused()).count();
    let machine = stream
        .insts
        .iter()
        .filter(|inst| looped.contains(&inst.source));
    // 2 loads and 2 stores of the tiles, 2 barriers, 64 loads, 32 multiply-adds, 5 to go on.
    assert_eq!(source, 107);
    // The row's 32 loads are 8, and each of the two pointers is counted up by 2 instructions.
    assert_eq!(machine.count(), 2 + 2 + 2 + 32 + 8 + 32 + 2 * 2 + 3);
}
