//! Copies, packing, addresses and special registers.

use crate::support::{check, check_with, code, counted, kernel};

#[test]
fn copies_by_class() {
    check("mov.u32 %r1, %r2;", &["mov.b32 r1, r2"]);
    check(
        "mov.f64 %fd1, 0d3FF0000000000000;",
        &["mov.b64 fd1, 0x3ff0000000000000"],
    );
    check("mov.f32 %f1, 0f40000000;", &["mov.b32 f1, 0x40000000"]);
    check("mov.f32 %f1, 0.5;", &["mov.b32 f1, 0x3f000000"]);
    check("mov.b16 %rs1, -1;", &["mov.b32 rs1, 0xffff"]);
    check("mov.s64 %rd1, -1;", &["mov.b64 rd1, 0xffffffffffffffff"]);
    check("mov.b32 %r1, 0f3F800000;", &["mov.b32 r1, 0x3f800000"]);
    check("mov.u32 %r1, WARP_SZ;", &["mov.b32 r1, 32"]);
    check("mov.pred %p1, %p2;", &["mov.mask p1, p2"]);
    check(
        "mov.pred %p1, !%p2;",
        &["| not.mask t0, p2", "mov.mask p1, t0"],
    );
    check(
        "mov.b128 %q1, %q2;",
        &["mov.b64 q1.lo, q2.lo", "| mov.b64 q1.hi, q2.hi"],
    );
}

#[test]
fn a_guard_stays_on_the_instruction() {
    check("@%p1 mov.u32 %r1, 5;", &["@p1 mov.b32 r1, 5"]);
    check("@!%p1 mov.u32 %r1, 5;", &["@!p1 mov.b32 r1, 5"]);
}

#[test]
fn packs_lowest_element_first() {
    check("mov.b64 %rd1, {%r1, %r2};", &["mov.pack.b64 rd1, r1, r2"]);
    check(
        "mov.b32 %r1, {%rs1, %rs2};",
        &["prmt.b32 r1, rs1, rs2, 0x5410"],
    );
    check("mov.b64 %rd1, {%r1, 7};", &["mov.pack.b64 rd1, r1, 7"]);
    check(
        "mov.b128 %q1, {%rd1, %rd2};",
        &["mov.b64 q1.lo, rd1", "| mov.b64 q1.hi, rd2"],
    );
    check(
        "mov.b128 %q1, {%r1, %r2, %r3, %r4};",
        &["mov.pack.b64 q1.lo, r1, r2", "| mov.pack.b64 q1.hi, r3, r4"],
    );
}

#[test]
fn packs_four_elements_in_two_steps() {
    check(
        "mov.b64 %rd1, {%rs1, %rs2, %rs3, %rs4};",
        &[
            "| prmt.b32 t0, rs1, rs2, 0x5410",
            "| prmt.b32 t1, rs3, rs4, 0x5410",
            "mov.pack.b64 rd1, t0, t1",
        ],
    );
    // Selectors 0 and 4: the lowest bytes of both sources.
    let bytes = ".reg .b8 %b<5>;";
    check(
        &format!("{bytes} mov.b32 %r1, {{1, 2, 3, 4}};"),
        &[
            "| prmt.b32 t0, 1, 2, 64",
            "| prmt.b32 t1, 3, 4, 64",
            "prmt.b32 r1, t0, t1, 0x5410",
        ],
    );
}

#[test]
fn unpacks_and_skips_sinks() {
    check(
        "mov.b64 {%r1, %r2}, %rd1;",
        &["cvt.u32.u64 r1, rd1", "| mov.hi.b64 r2, rd1"],
    );
    check("mov.b64 {_, %r2}, %rd1;", &["mov.hi.b64 r2, rd1"]);
    check(
        "mov.b32 {%rs1, %rs2}, %r1;",
        &["mov.b32 rs1, r1", "| shr.u32 rs2, r1, 16"],
    );
    check(
        "mov.b128 {%rd1, %rd2}, %q1;",
        &["mov.b64 rd1, q1.lo", "| mov.b64 rd2, q1.hi"],
    );
    check(
        "mov.b64 {%rs1, %rs2, _, %rs3}, %rd1;",
        &[
            "| cvt.u32.u64 t0, rd1",
            "mov.b32 rs1, t0",
            "| shr.u32 rs2, t0, 16",
            "| mov.hi.b64 t0, rd1",
            "| shr.u32 rs3, t0, 16",
        ],
    );
}

#[test]
fn unpacked_elements_keep_their_guard() {
    check(
        "@%p1 mov.b32 {%rs1, %rs2}, %r1;",
        &["@p1 mov.b32 rs1, r1", "| @p1 shr.u32 rs2, r1, 16"],
    );
}

#[test]
fn vectors_are_read_before_they_are_written() {
    check(
        "mov.v2.u32 {%r1, %r2}, {%r2, %r1};",
        &[
            "| mov.b32 t0, r2",
            "| mov.b32 t1, r1",
            "mov.b32 r1, t0",
            "| mov.b32 r2, t1",
        ],
    );
    check(
        "mov.v2.u32 {%r1, %r2}, {%r3, 4};",
        &["mov.b32 r1, r3", "| mov.b32 r2, 4"],
    );
}

#[test]
fn vector_registers_are_their_elements() {
    check(
        ".reg .v2 .u32 v; mov.v2.u32 v, {1, 2}; mov.u32 %r1, v.y;",
        &["mov.b32 t0, 1", "| mov.b32 t0, 2", "mov.b32 r1, t0"],
    );
}

#[test]
fn addresses() {
    let declarations = ".global .u32 g[4]; .shared .u32 s[4]; .func f() { ret; }";
    let cases = [
        ("mov.u64 %rd1, g;", "mov.b64 rd1, &g"),
        ("mov.u64 %rd1, g+4;", "mov.b64 rd1, &g+4"),
        ("mov.u64 %rd1, g[2];", "mov.b64 rd1, &g+8"),
        ("mov.u32 %r1, s;", "mov.b32 r1, &s"),
        ("mov.u64 %rd1, f;", "mov.b64 rd1, &f"),
        (".local .b32 x[8]; mov.u64 %rd1, x;", "frame.address rd1, 0"),
        (
            ".local .b32 x[8]; mov.u64 %rd1, x+8;",
            "frame.address rd1, 8",
        ),
        ("mov.u64 %rd1, ks;", "mov.b64 rd1, 32"),
    ];
    for (body, expected) in cases {
        check_with(declarations, body, &[expected]);
    }
}

#[test]
fn special_registers() {
    check("mov.u32 %r1, %tid.x;", &["mov.special r1, tid.x"]);
    check("mov.u64 %rd1, %clock64;", &["mov.special rd1, clock64"]);
    check("mov.u32 %r1, %envreg3;", &["mov.special r1, envreg3"]);
    check("mov.u16 %rs1, %ctaid.y;", &["mov.special rs1, ctaid.y"]);
    check("mov.u32 %r1, %tid.w;", &["mov.special r1, zero"]);
    // The old 32-bit form of a 64-bit register.
    check(
        "mov.u32 %r1, %gridid;",
        &[
            "| mov.special t0, gridid",
            "| cvt.u32.u64 t1, t0",
            "mov.b32 r1, t1",
        ],
    );
    check(
        "mov.pred %p1, %is_explicit_cluster;",
        &[
            "| mov.special t0, is_explicit_cluster",
            "| setp.ne.i32 t1, t0, 0",
            "mov.mask p1, t1",
        ],
    );
}

#[test]
fn a_move_counts_once_however_it_is_done() {
    let module = kernel(
        "",
        "mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1; mov.b128 %q1, %q2;",
    );
    assert_eq!(counted(&module, "k"), 2);
    check(
        "mov.b128 _, %q1;",
        &["mov.b64 t0, q1.lo", "| mov.b64 t0, q1.hi"],
    );
    // A sink for every element still costs the issue.
    let module = kernel("", "mov.b64 {_, _}, %rd1;");
    assert_eq!(code(&module, "k"), ["nop"]);
}
