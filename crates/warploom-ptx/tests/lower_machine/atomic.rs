//! Atomics with and without a result.

use crate::support::{check, check_rows, check_with, function, kernel};

#[test]
fn operations_and_types() {
    let cases = [
        ("atom.global.add.u32 %r1, [%rd1], %r2", "add.u32"),
        ("atom.global.min.s32 %r1, [%rd1], %r2", "min.s32"),
        ("atom.global.and.b32 %r1, [%rd1], %r2", "and.u32"),
        ("atom.global.inc.u32 %r1, [%rd1], %r2", "inc.u32"),
        ("atom.global.exch.b32 %r1, [%rd1], %r2", "exch.u32"),
        ("atom.global.add.f32 %r1, [%rd1], %r2", "add.f32"),
        ("atom.global.add.noftz.f16x2 %r1, [%rd1], %r2", "add.f16x2"),
        (
            "atom.global.add.noftz.bf16x2 %r1, [%rd1], %r2",
            "add.bf16x2",
        ),
        ("atom.global.add.noftz.f16 %rs1, [%rd1], %rs2", "add.f16"),
        ("atom.global.add.noftz.bf16 %rs1, [%rd1], %rs2", "add.bf16"),
    ];
    for (inst, expected) in cases {
        let kind = if inst.contains("%rs1") { "rs" } else { "r" };
        let line = format!("atom.global.relaxed.gpu.{expected} {kind}1, [rd1], {kind}2");
        check(&format!("{inst};"), &[&line]);
    }
}

#[test]
fn qualifiers_in_any_order() {
    let line = "atom.global.acq_rel.gpu.add.u32 r1, [rd1], 1";
    for opcode in [
        "atom.acq_rel.gpu.global.add.u32",
        "atom.global.gpu.acq_rel.add.u32",
        "atom.add.acq_rel.gpu.global.u32",
        "atom.global.add.acq_rel.gpu.u32",
    ] {
        check(&format!("{opcode} %r1, [%rd1], 1;"), &[line]);
    }
    check(
        "atom.relaxed.sys.shared.add.u32 %r1, [%r2], 1;",
        &["atom.shared.relaxed.sys.add.u32 r1, [r2], 1"],
    );
    check(
        "atom.shared::cta.add.u64 %rd1, [%r2], %rd2;",
        &["atom.shared.relaxed.gpu.add.u64 rd1, [r2], rd2"],
    );
}

#[test]
fn compare_and_swap() {
    check(
        "atom.global.cas.b32 %r1, [%rd1], 0, 1;",
        &["atom.global.relaxed.gpu.cas.u32 r1, [rd1], 0, 1"],
    );
    check(
        "atom.cas.b16 %rs1, [%rd1], 0, 1;",
        &["atom.generic.relaxed.gpu.cas.u16 rs1, [rd1], 0, 1"],
    );
    check(
        "atom.global.cas.b128 %q1, [%rd1], %q2, %q3;",
        &[
            "atom.global.relaxed.gpu.cas.v2.u64 {q1.lo, q1.hi}, [rd1], {q2.lo, q2.hi}, {q3.lo, q3.hi}",
        ],
    );
    check(
        "atom.global.exch.b128 %q1, [%rd1], %q2;",
        &["atom.global.relaxed.gpu.exch.v2.u64 {q1.lo, q1.hi}, [rd1], {q2.lo, q2.hi}"],
    );
}

#[test]
fn vectors() {
    check(
        "atom.global.v2.f32.add {%f1, _}, [%rd1], {%f3, %f4};",
        &["atom.global.relaxed.gpu.add.v2.f32 {f1, _}, [rd1], {f3, f4}"],
    );
    check(
        "red.global.v8.f16.max.noftz [%rd1], {%rs1, %rs2, %rs3, %rs4, %rs5, %rs6, %rs7, %rs8};",
        &["red.global.relaxed.gpu.max.v8.f16 [rd1], {rs1, rs2, rs3, rs4, rs5, rs6, rs7, rs8}"],
    );
}

#[test]
fn a_result_nobody_reads_is_a_reduction() {
    let red = &["red.global.relaxed.gpu.add.u32 [d0], 1"];
    check_rows("atom.global.add.u32 %r1, [%rd1], 1;", red);
    check_rows("atom.global.add.u32 _, [%rd1], 1;", red);
    check_rows("red.global.add.u32 [%rd1], 1;", red);
    // An exchange is none.
    check(
        "atom.global.exch.b32 _, [%rd1], 1;",
        &["atom.global.relaxed.gpu.exch.u32 t0, [rd1], 1"],
    );
}

#[test]
fn order_between_blocks_shows_in_results_and_roundings() {
    let cases = [
        ("red.global.add.u32 [%rd1], 1;", false),
        ("atom.global.max.s32 %r1, [%rd1], 1;", false),
        (
            "atom.global.add.u32 %r1, [%rd1], 1; mov.u32 %r2, %r1;",
            true,
        ),
        ("red.global.add.f32 [%rd1], %f1;", true),
        ("red.add.u32 [%rd1], 1;", false),
        ("red.global.inc.u32 [%rd1], 7;", true),
        ("atom.global.exch.b32 _, [%rd1], 1;", true),
        (
            "atom.shared.add.f32 %f1, [%r1], %f2; mov.f32 %f3, %f1;",
            false,
        ),
    ];
    for (body, expected) in cases {
        let module = kernel("", body);
        assert_eq!(function(&module, "k").1.order_dependent, expected, "{body}");
    }
}

#[test]
fn a_variable_as_the_address() {
    check_with(
        ".global .u32 g[4];",
        "red.global.add.u32 [g+4], 1;",
        &["red.global.relaxed.gpu.add.u32 [&g+4], 1"],
    );
}
