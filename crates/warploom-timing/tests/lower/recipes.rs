//! Operations that are several instructions.

use warploom_timing::stream::Class;

use crate::support::lowered;

/// Machine instructions of a kernel that loads two 32-bit operands, computes, and stores.
fn computed(operation: &str) -> Vec<Class> {
    let found = lowered(&format!(
        "mov.u32 %r9, %tid.x;
         ld.shared.u32 %r1, [%r9+4];
         ld.shared.u32 %r2, [%r9+28];
         mov.b32 %f1, %r1; mov.b32 %f2, %r2;
         {operation}
         ret;"
    ));
    let rest = |class: &Class| !matches!(class, Class::Memory | Class::Uniform | Class::Branch);
    found.classes().into_iter().filter(rest).collect()
}

fn count(classes: &[Class], class: Class) -> usize {
    classes.iter().filter(|&&c| c == class).count()
}

#[test]
fn unsigned_division() {
    // I2F, MUFU.RCP, IADD3, F2I, IMAD, 2 x IMAD.HI, IADD3, IMAD, and 3 + 6 of the integer pipe.
    let found = computed("div.u32 %r3, %r1, %r2; st.shared.u32 [%r9], %r3;");
    assert_eq!(found.len(), 18);
    assert_eq!(count(&found, Class::Convert), 2);
    assert_eq!(count(&found, Class::Sfu), 1);
    assert_eq!(count(&found, Class::IntMul), 4);
    assert_eq!(count(&found, Class::Int32), 11);
}

#[test]
fn float_division_by_newton() {
    // MUFU.RCP, FCHK, five FFMA and the branch to the code for special numbers.
    let found = computed("div.rn.f32 %f3, %f1, %f2; st.shared.f32 [%r9], %f3;");
    assert_eq!(count(&found, Class::Sfu), 2);
    assert_eq!(count(&found, Class::Fp32), 5);
    assert_eq!(count(&found, Class::Check), 1);
    assert_eq!(found.len(), 8);
}

/// The branch around the call stands between two divisions: the second begins behind it.
#[test]
fn divisions_of_a_thread_do_not_overlap() {
    let found = computed(
        "div.rn.f32 %f3, %f1, %f2; div.rn.f32 %f4, %f2, %f1;
         st.shared.f32 [%r9], %f3; st.shared.f32 [%r9+4], %f4;",
    );
    let check = found
        .iter()
        .position(|&class| class == Class::Check)
        .unwrap();
    assert_eq!(check, 7);
    assert_eq!(count(&found[..check], Class::Fp32), 5);
    assert_eq!(count(&found[check..], Class::Sfu), 2);
}

#[test]
fn flushing_subnormals_makes_functions_short() {
    let flushed = computed("ex2.approx.ftz.f32 %f3, %f1; st.shared.f32 [%r9], %f3;");
    assert_eq!(flushed, [Class::Sfu]);
    let exact = computed("ex2.approx.f32 %f3, %f1; st.shared.f32 [%r9], %f3;");
    assert_eq!(exact.len(), 4);
    assert_eq!(exact[2], Class::Sfu);
}

#[test]
fn comparisons_of_floats_are_integer_work() {
    let found = computed("max.f32 %f3, %f1, %f2; st.shared.f32 [%r9], %f3;");
    assert_eq!(found, [Class::Int32]);
}

#[test]
fn wide_integers_are_two_halves_with_a_carry() {
    let found = lowered(
        "mov.u32 %r9, %tid.x;
         ld.shared.u64 %d1, [%r9+8];
         ld.shared.u64 %d2, [%r9+24];
         add.s64 %d3, %d1, %d2;
         st.shared.u64 [%r9+40], %d3;
         ret;",
    );
    let sums = found.positions(Class::Int32);
    assert_eq!(sums.len(), 2);
    let [low, high] = [0, 1].map(|n| &found.stream.insts[sums[n]]);
    // The low half writes its result, and with it the carry, which the high half reads.
    assert!(low.defs.iter().any(|def| high.uses.contains(def)));
    assert!(high.leads && !low.leads);
}

#[test]
fn chains_wait_for_each_other() {
    let found = lowered(
        "ld.shared.f64 %g1, [tile];
         ld.shared.f64 %g2, [tile+24];
         div.rn.f64 %g3, %g1, %g2;
         st.shared.f64 [tile+8], %g3;
         ret;",
    );
    let steps = found.positions(Class::Fp64);
    assert_eq!(steps.len(), 8);
    for pair in steps.windows(2) {
        let [before, after] = [pair[0], pair[1]].map(|at| &found.stream.insts[at]);
        assert!(after.uses.contains(&before.defs[0]));
    }
}

#[test]
fn narrow_loads_extend_themselves() {
    let found = lowered(
        "ld.shared.u8 %h1, [tile];
         cvt.u32.u16 %r1, %h1;
         st.shared.u32 [tile+4], %r1;
         ret;",
    );
    assert_eq!(found.names(), ["ld", "st", "ret"]);
}
