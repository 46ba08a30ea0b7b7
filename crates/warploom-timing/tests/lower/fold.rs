//! What becomes part of other instructions.

use warploom_timing::stream::Class;

use crate::support::lowered;

#[test]
fn copies_and_address_conversion_vanish() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         cvta.to.global.u64 %d2, %d1;
         mov.u64 %d3, %d2;
         ld.global.u32 %r1, [%d3];
         mov.u32 %r2, %r1;
         st.global.u32 [%d3], %r2;
         ret;",
    );
    // The pointer is brought into a register, as an address must be.
    let expected = [
        Class::Constant,
        Class::Constant,
        Class::Memory,
        Class::Memory,
        Class::Branch,
    ];
    assert_eq!(found.classes(), expected);
}

#[test]
fn parameters_are_operands() {
    let found = lowered(
        "ld.param.u32 %r1, [n];
         mov.u32 %r2, %tid.x;
         mov.u32 %r3, %ntid.x;
         mov.u32 %r4, %ctaid.x;
         mad.lo.u32 %r5, %r4, %r3, %r2;
         setp.ge.u32 %p1, %r5, %r1;
         @%p1 bra L1;
         bar.sync 0;
         L1: ret;",
    );
    // Two special registers, one multiply-add with the block's size, one comparison with `n`.
    let expected = [
        Class::Uniform,
        Class::Uniform,
        Class::IntMul,
        Class::Int32,
        Class::Branch,
        Class::Barrier,
        Class::Branch,
    ];
    assert_eq!(found.classes(), expected);
}

#[test]
fn numbers_added_to_an_address_are_its_offset() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         add.u32 %r2, %r1, 16;
         add.u32 %r3, %r2, 16;
         st.shared.u32 [%r3], %r1;
         ret;",
    );
    assert_eq!(found.names(), ["mov.special", "st", "ret"]);
    let store = found.leader("st").expect("store");
    let special = found.leader("mov.special").expect("special");
    assert!(store.uses.contains(&special.defs[0]));
}

#[test]
fn a_base_that_has_changed_is_not_reached_through() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         add.u32 %r2, %r1, 16;
         add.u32 %r1, %r1, %r1;
         add.u32 %r1, %r1, 3;
         st.shared.u32 [%r2], %r1;
         ret;",
    );
    // The sums of %r1 become one of three operands; that of the address goes into the store, which
    // still finds the thread's number.
    let store = found.leader("st").expect("store");
    let special = found.leader("mov.special").expect("special");
    assert_eq!(found.names(), ["mov.special", "add.i32", "st", "ret"]);
    assert!(store.uses.contains(&special.defs[0]));
}

#[test]
fn index_arithmetic_is_one_multiply_add() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         mov.u32 %r1, %tid.x;
         mul.wide.s32 %d2, %r1, 4;
         add.s64 %d3, %d1, %d2;
         ld.global.u32 %r2, [%d3];
         st.global.u32 [%d3+4], %r2;
         ret;",
    );
    // The number 4 takes a register, since the pointer is the constant that is named.
    assert_eq!(found.count(Class::IntMul), 1);
    assert_eq!(found.count(Class::Int32), 1);
    assert_eq!(found.count(Class::Constant), 0);
}

#[test]
fn shifted_and_extended_indices_too() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         mov.u32 %r1, %tid.x;
         cvt.s64.s32 %d2, %r1;
         shl.b64 %d3, %d2, 2;
         add.s64 %d4, %d1, %d3;
         ld.global.u32 %r2, [%d4];
         st.global.u32 [%d4+4], %r2;
         ret;",
    );
    assert_eq!(found.count(Class::IntMul), 1);
    assert_eq!(found.count(Class::Int32), 1);
}

#[test]
fn integer_sums_of_three_are_one() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         mov.u32 %r2, %tid.y;
         mov.u32 %r3, %tid.z;
         add.u32 %r4, %r1, %r2;
         add.u32 %r5, %r4, %r3;
         shl.b32 %r6, %r1, 3;
         add.u32 %r7, %r6, %r2;
         mul.lo.u32 %r8, %r2, %r3;
         add.u32 %r9, %r8, %r1;
         st.shared.u32 [%r5], %r7;
         st.shared.u32 [%r9], %r7;
         ret;",
    );
    assert_eq!(found.count(Class::Int32), 2);
    assert_eq!(found.count(Class::IntMul), 1);
}

#[test]
fn logical_operations_on_three_operands_are_one() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         mov.u32 %r2, %tid.y;
         mov.u32 %r3, %tid.z;
         and.b32 %r4, %r1, %r2;
         not.b32 %r5, %r4;
         xor.b32 %r6, %r5, %r3;
         st.shared.u32 [%r1], %r6;
         ret;",
    );
    assert_eq!(found.count(Class::Int32), 1);
}

#[test]
fn a_comparison_takes_a_predicate_and_a_mask() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         setp.lt.u32 %p1, %r1, 7;
         setp.gt.u32 %p2, %r1, 2;
         and.pred %p3, %p1, %p2;
         selp.b32 %r2, 1, %r1, %p3;
         and.b32 %r3, %r1, 31;
         setp.eq.s32 %p4, %r3, 0;
         selp.b32 %r4, %r2, %r1, %p4;
         st.shared.u32 [%r1], %r4;
         ret;",
    );
    // Two comparisons, a test of bits, two selections.
    assert_eq!(found.count(Class::Int32), 5);
}

#[test]
fn floats_keep_their_operations_but_not_their_signs() {
    let found = lowered(
        "ld.shared.f32 %f1, [tile];
         ld.shared.f32 %f2, [tile+8];
         neg.f32 %f3, %f1;
         fma.rn.f32 %f4, %f3, %f2, %f2;
         fma.rn.f32 %f5, %f3, %f4, %f2;
         mul.f32 %f6, %f5, %f5;
         add.f32 %f7, %f6, %f1;
         st.shared.f32 [tile], %f7;
         ret;",
    );
    // Two multiply-adds as written; a product and a sum that were not contracted.
    assert_eq!(found.count(Class::Fp32), 4);
}

#[test]
fn what_nobody_reads_goes() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         mul.lo.u32 %r2, %r1, %r1;
         div.u32 %r3, %r2, %r1;
         ld.shared.u32 %r4, [%r2];
         ret;",
    );
    assert_eq!(found.classes(), [Class::Branch]);
}

#[test]
fn a_sum_whose_high_half_is_unread_is_one_instruction() {
    let found = lowered(
        "ld.param.u64 %d1, [p];
         ld.shared.u64 %d2, [tile];
         ld.shared.u64 %d3, [tile+16];
         add.s64 %d4, %d2, %d3;
         cvt.u32.u64 %r1, %d4;
         st.shared.u32 [tile+32], %r1;
         ret;",
    );
    assert_eq!(found.count(Class::Int32), 1);
}

#[test]
fn halves_move_without_instructions() {
    let found = lowered(
        "ld.shared.u64 %d1, [tile];
         mov.b64 {%r1, %r2}, %d1;
         mov.b64 %d2, {%r2, %r1};
         shl.b64 %d3, %d2, 32;
         or.b64 %d4, %d3, 0;
         st.shared.u64 [tile+8], %d4;
         ret;",
    );
    assert_eq!(found.names(), ["ld", "st", "ret"]);
}

#[test]
fn a_loop_counts_in_one_register() {
    let found = lowered(
        "mov.u32 %r1, 0;
         L1:
         mov.u32 %r2, %r1;
         st.shared.u32 [%r2], %r2;
         add.u32 %r3, %r2, 4;
         mov.u32 %r1, %r3;
         setp.lt.u32 %p1, %r3, 400;
         @%p1 bra L1;
         ret;",
    );
    // The start, and in the loop a store, a sum, a comparison and the branch.
    let expected = [
        Class::Int32,
        Class::Memory,
        Class::Int32,
        Class::Int32,
        Class::Branch,
        Class::Branch,
    ];
    assert_eq!(found.classes(), expected);
}

#[test]
fn two_lives_of_a_copy_keep_it() {
    let found = lowered(
        "mov.u32 %r1, %tid.x;
         mov.u32 %r2, 0;
         L1:
         mov.u32 %r3, %r1;
         add.u32 %r1, %r1, %r2;
         xor.b32 %r2, %r3, %r1;
         st.shared.u32 [%r3], %r2;
         setp.lt.u32 %p1, %r2, 400;
         @%p1 bra L1;
         ret;",
    );
    // %r3 keeps the old value while %r1 gets a new one: the copy is an instruction.
    let loop_ints = found.count(Class::Int32) - 1;
    assert_eq!(loop_ints, 4);
}
