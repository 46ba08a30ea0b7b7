//! The order of instructions within a segment.

use warploom_timing::stream::Class;

use crate::support::lowered;

#[test]
fn loads_come_before_what_waits_for_others() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         ld.global.f32 %f1, [%d1];
         add.f32 %f2, %f1, %f1;
         ld.global.f32 %f3, [%d1+128];
         add.f32 %f4, %f3, %f2;
         ld.global.f32 %f5, [%d1+256];
         add.f32 %f6, %f5, %f4;
         st.global.f32 [%d1], %f6;
         ret;",
    );
    let loads = &found.positions(Class::Memory)[..3];
    let sums = found.positions(Class::Fp32);
    assert!(loads[2] < sums[0], "{:?}", found.classes());
    assert_eq!(found.classes().last(), Some(&Class::Branch));
}

#[test]
fn a_load_stays_behind_a_store_that_may_be_to_its_place() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         ld.param.u64 %d2, [q];
         mov.u32 %r1, %tid.x;
         st.global.u32 [%d1], %r1;
         ld.global.u32 %r2, [%d2];
         st.global.u32 [%d1+4], %r2;
         ret;",
    );
    assert_eq!(found.names(), ["mov.special", "st", "ld", "st", "ret"]);
}

#[test]
fn a_load_passes_stores_elsewhere() {
    // Behind the first store the address is another, and so is the space behind the second.
    let found = lowered(
        "ld.param.u64 %d1, [p];
         ld.global.u32 %r1, [%d1+64];
         mul.lo.u32 %r2, %r1, %r1;
         st.global.u32 [%d1], %r2;
         st.shared.u32 [tile], %r2;
         ld.global.u32 %r3, [%d1+4];
         add.u32 %r4, %r3, %r2;
         st.global.u32 [%d1+8], %r4;
         ret;",
    );
    let names = found.names();
    let last_load = names.iter().rposition(|&name| name == "ld");
    let first_store = names.iter().position(|&name| name == "st");
    assert!(last_load < first_store, "{names:?}");
}

#[test]
fn a_store_waits_for_loads_of_its_place() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         ld.param.u64 %d2, [q];
         mov.u32 %r1, %tid.x;
         ld.global.u32 %r2, [%d1];
         st.global.u32 [%d2], %r1;
         st.global.u32 [%d2+4], %r2;
         ret;",
    );
    let names = found.names();
    let load = names.iter().position(|&name| name == "ld");
    let store = names.iter().position(|&name| name == "st");
    assert!(load < store, "{names:?}");
}

#[test]
fn nothing_crosses_a_barrier() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         mov.u32 %r1, %tid.x;
         bar.sync 0;
         ld.global.u32 %r2, [%d1];
         add.u32 %r3, %r2, %r1;
         st.shared.u32 [tile], %r3;
         bar.sync 0;
         ret;",
    );
    let bars = found.positions(Class::Barrier);
    let memory = found.positions(Class::Memory);
    assert!(memory.iter().all(|&at| bars[0] < at && at < bars[1]));
}

#[test]
fn reuse_of_a_source_register_binds_nothing() {
    // The source has one register for two values that have nothing to do with each other.
    let found = lowered(
        "ld.param.u64 %d1, [p];
         ld.global.u32 %r1, [%d1];
         add.u32 %r2, %r1, 1;
         ld.global.u32 %r1, [%d1+128];
         add.u32 %r3, %r1, %r2;
         st.global.u32 [%d1], %r3;
         ret;",
    );
    let memory = found.positions(Class::Memory);
    let [first, second] = [0, 1].map(|n| &found.stream.insts[memory[n]]);
    assert_ne!(first.defs, second.defs);
    assert!(memory[1] < found.positions(Class::Int32)[0]);
}
