//! Loads, stores and prefetches.

use crate::support::{check, check_with, function, kernel};

#[test]
fn widths_and_signs() {
    check("ld.global.u32 %r1, [%rd1];", &["ld.global.b32 r1, [rd1]"]);
    check("ld.global.s8 %r1, [%rd1+3];", &["ld.global.s8 r1, [rd1+3]"]);
    check(
        "ld.global.f64 %fd1, [%rd1-8];",
        &["ld.global.b64 fd1, [rd1-8]"],
    );
    check("ld.global.u16 %rs1, [%rd1];", &["ld.global.b16 rs1, [rd1]"]);
    // Registers may be wider than what is moved.
    check("ld.global.s16 %rd2, [%rd1];", &["ld.global.s16 rd2, [rd1]"]);
    check("st.global.u8 [%rd1], %r1;", &["st.global.b8 [rd1], r1"]);
    check(
        "st.global.u8 [%rd1], %rd2;",
        &["| cvt.u32.u64 t0, rd2", "st.global.b8 [rd1], t0"],
    );
    check(
        "st.global.f32 [%rd1], 0f00000000;",
        &["st.global.b32 [rd1], 0"],
    );
}

#[test]
fn state_spaces() {
    let cases = [
        ("ld.u32 %r1, [%rd1];", "ld.generic.b32 r1, [rd1]"),
        ("ld.shared.u32 %r1, [%r2];", "ld.shared.b32 r1, [r2]"),
        ("ld.shared::cta.u32 %r1, [%r2];", "ld.shared.b32 r1, [r2]"),
        ("ld.local.u32 %r1, [%rd1];", "ld.local.b32 r1, [rd1]"),
        ("ld.const.u32 %r1, [%rd1];", "ld.const.b32 r1, [rd1]"),
        ("ld.param.u32 %r1, [%rd1];", "ld.param.b32 r1, [rd1]"),
        ("ld.global.u32 %r1, [4096];", "ld.global.b32 r1, [4096]"),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}

#[test]
fn kernel_parameters_have_offsets() {
    check("ld.param.u64 %rd1, [kp];", &["ld.param.b64 rd1, [0]"]);
    // `ks` is aligned to 32 bytes.
    check("ld.param.u32 %r1, [ks+4];", &["ld.param.b32 r1, [36]"]);
    check(
        "ld.param.v2.b32 {%r1, _}, [ks];",
        &["ld.param.v2.b32 {r1, _}, [32]"],
    );
    // Behind the last parameter: an address for the machine to refuse.
    check("ld.param.u32 %r1, [ks+64];", &["ld.param.b32 r1, [96]"]);
}

#[test]
fn variables_are_addresses() {
    let declarations = ".global .u32 g[4]; .const .u32 c[4]; .shared .u32 s[4];";
    let cases = [
        ("ld.global.u32 %r1, [g+8];", "ld.global.b32 r1, [&g+8]"),
        ("ld.const.u32 %r1, [c];", "ld.const.b32 r1, [&c]"),
        ("ld.shared.u32 %r1, [s];", "ld.shared.b32 r1, [&s]"),
        // Without a space, a variable is found in its own.
        ("ld.u32 %r1, [s];", "ld.shared.b32 r1, [&s]"),
        ("ld.shared.u32 %r1, s[3];", "ld.shared.b32 r1, [&s+12]"),
    ];
    for (body, expected) in cases {
        check_with(declarations, body, &[expected]);
    }
    let module = kernel(
        declarations,
        "ld.global.u32 %r1, [g]; st.shared.u32 [s], %r1;",
    );
    let (_, k) = function(&module, "k");
    let names: Vec<&str> = k
        .variables
        .iter()
        .map(|id| module.variables[id.index()].name.as_str())
        .collect();
    assert_eq!(names, ["g", "s"]);
}

#[test]
fn elements_by_register_are_scaled() {
    check_with(
        ".shared .f64 s[4];",
        "ld.shared.f64 %fd1, s[%r1];",
        &["| mad.wide.u32 t0, r1, 8, &s", "ld.shared.b64 fd1, [t0]"],
    );
}

#[test]
fn local_variables_are_in_the_frame() {
    let locals = ".local .align 8 .b8 a[12]; .local .align 8 .b64 b;";
    check(
        &format!("{locals} st.local.u32 [a+8], 1;"),
        &["st.frame.b32 [8], 1"],
    );
    check(
        &format!("{locals} ld.local.u64 %rd1, [b];"),
        &["ld.frame.b64 rd1, [16]"],
    );
    let module = kernel("", &format!("{locals} st.local.u32 [a+8], 1;"));
    // 24 bytes, to a multiple of 16.
    assert_eq!(function(&module, "k").1.frame_bytes, 32);
}

#[test]
fn vectors() {
    check(
        "ld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd1];",
        &["ld.global.v4.b32 {f1, _, f2, f3}, [rd1]"],
    );
    check(
        "st.global.v2.u64 [%rd1], {%rd2, 5};",
        &["st.global.v2.b64 [rd1], {rd2, 5}"],
    );
    // One element in braces is that element.
    check("ld.global.b32 {%r1}, [%rd1];", &["ld.global.b32 r1, [rd1]"]);
    check(
        ".reg .v4 .f32 v; ld.global.v4.f32 v, [%rd1];",
        &["ld.global.v4.b32 {t0, t1, t2, t3}, [rd1]"],
    );
    check(
        "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, _}, [%rd1];",
        &["ld.global.v8.b32 {r1, r2, r3, r4, r5, r6, r7, _}, [rd1]"],
    );
    check(
        "ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];",
        &["ld.global.v4.b64 {rd2, rd3, rd4, rd5}, [rd1]"],
    );
}

#[test]
fn a_vector_into_registers_of_two_widths_is_extended_afterwards() {
    check(
        "ld.global.v2.s8 {%rd2, %r1}, [%rd1];",
        &["ld.global.v2.s8 {t0, r1}, [rd1]", "| cvt.s64.s32 rd2, t0"],
    );
}

#[test]
fn halves_of_128_bits() {
    check(
        "ld.global.b128 %q1, [%rd1];",
        &["ld.global.v2.b64 {q1.lo, q1.hi}, [rd1]"],
    );
    check(
        "st.global.b128 [%rd1], %q1;",
        &["st.global.v2.b64 [rd1], {q1.lo, q1.hi}"],
    );
}

#[test]
fn order_and_scope_in_any_order() {
    let cases = [
        (
            "ld.volatile.global.u32 %r1, [%rd1];",
            "ld.global.volatile.b32 r1, [rd1]",
        ),
        (
            "ld.global.volatile.u32 %r1, [%rd1];",
            "ld.global.volatile.b32 r1, [rd1]",
        ),
        (
            "ld.relaxed.gpu.global.u32 %r1, [%rd1];",
            "ld.global.relaxed.gpu.b32 r1, [rd1]",
        ),
        (
            "ld.acquire.sys.u32 %r1, [%rd1];",
            "ld.generic.acquire.sys.b32 r1, [rd1]",
        ),
        (
            "ld.global.acquire.cluster.u32 %r1, [%rd1];",
            "ld.global.acquire.cluster.b32 r1, [rd1]",
        ),
        (
            "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
            "ld.global.mmio.sys.b32 r1, [rd1]",
        ),
        ("ld.weak.global.u32 %r1, [%rd1];", "ld.global.b32 r1, [rd1]"),
        (
            "st.release.cta.global.u32 [%rd1], 1;",
            "st.global.release.cta.b32 [rd1], 1",
        ),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
        let strong = !body.starts_with("ld.weak");
        assert_eq!(
            function(&kernel("", body), "k").1.order_dependent,
            strong,
            "{body}"
        );
    }
    // Within a block nothing depends on the order of blocks.
    let module = kernel("", "ld.volatile.shared.u32 %r1, [%r2];");
    assert!(!function(&module, "k").1.order_dependent);
}

#[test]
fn cache_hints_change_nothing() {
    let plain = &["ld.global.b32 r1, [rd1]"];
    for hint in [
        "ca",
        "cg",
        "cs",
        "lu",
        "cv",
        "L1::no_allocate",
        "L1::evict_last.L2::128B",
    ] {
        check(&format!("ld.global.{hint}.u32 %r1, [%rd1];"), plain);
    }
    check("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", plain);
    check(
        "ld.global.nc.u32 %r1, [%rd1];",
        &["ld.global.nc.b32 r1, [rd1]"],
    );
    check(
        "ldu.global.u32 %r1, [%rd1];",
        &["ld.global.nc.b32 r1, [rd1]"],
    );
    for hint in ["wb", "wt", "cg", "cs", "L1::evict_first"] {
        check(
            &format!("st.global.{hint}.u32 [%rd1], 1;"),
            &["st.global.b32 [rd1], 1"],
        );
    }
    check(
        "st.global.L2::cache_hint.u32 [%rd1], 1, %rd2;",
        &["st.global.b32 [rd1], 1"],
    );
}

#[test]
fn prefetches() {
    check(
        "prefetch.global.L2 [%rd1+64];",
        &["prefetch.global.b8 [rd1+64]"],
    );
    check("prefetch.L1 [%rd1];", &["prefetch.generic.b8 [rd1]"]);
    check(
        "prefetch.global.L2::evict_last [%rd1];",
        &["prefetch.global.b8 [rd1]"],
    );
    check("prefetchu.L1 [%rd1];", &["prefetch.generic.b8 [rd1]"]);
}

/// A policy is a number that nobody looks at; advice about a line is a prefetch.
#[test]
fn cache_policies_are_hints() {
    for policy in [
        "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;",
        "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1;",
        "createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], 4096, %r1;",
        "createpolicy.cvt.L2.b64 %rd1, %rd2;",
    ] {
        check(policy, &["mov.b64 rd1, 0"]);
    }
    check(
        "applypriority.global.L2::evict_normal [%rd1], 128;",
        &["prefetch.global.b8 [rd1]"],
    );
    check(
        "discard.L2 [%rd1+128], 128;",
        &["prefetch.generic.b8 [rd1+128]"],
    );
}

#[test]
fn sinks_are_registers_nobody_reads() {
    check("ld.global.u32 _, [%rd1];", &["ld.global.b32 t0, [rd1]"]);
    check("ld.global.u64 _, [%rd1];", &["ld.global.b64 t0, [rd1]"]);
    check(
        "ld.global.v2.u64 {_, _}, [%rd1];",
        &["ld.global.v2.b64 {_, _}, [rd1]"],
    );
}
