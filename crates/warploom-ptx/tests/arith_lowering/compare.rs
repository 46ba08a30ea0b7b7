//! Comparison and selection.

use crate::check_all;

#[test]
fn comparisons() {
    check_all(&[
        ("setp.eq.s32 %p1, %r2, %r3", "setp.eq.i32 p1, r2, r3"),
        ("setp.ne.b32 %p1, %r2, 0", "setp.ne.i32 p1, r2, 0"),
        ("setp.lt.s32 %p1, %r2, %r3", "setp.lt.s32 p1, r2, r3"),
        ("setp.le.s32 %p1, %r2, %r3", "setp.le.s32 p1, r2, r3"),
        ("setp.gt.s32 %p1, %r2, 5", "setp.lt.s32 p1, 5, r2"),
        ("setp.ge.s32 %p1, %r2, %r3", "setp.le.s32 p1, r3, r2"),
        ("setp.lt.u32 %p1, %r2, %r3", "setp.lt.u32 p1, r2, r3"),
        ("setp.hi.u32 %p1, %r2, %r3", "setp.lt.u32 p1, r3, r2"),
        ("setp.hs.u32 %p1, %r2, %r3", "setp.le.u32 p1, r3, r2"),
        ("setp.ls.u32 %p1, %r2, %r3", "setp.le.u32 p1, r2, r3"),
        ("setp.eq.b64 %p1, %rd2, %rd3", "setp.eq.i64 p1, rd2, rd3"),
        ("setp.gt.s64 %p1, %rd2, %rd3", "setp.lt.s64 p1, rd3, rd2"),
        (
            "setp.le.s64 %p1, %rd2, %rd3",
            "setp.s64{cmp:le} p1, rd2, rd3",
        ),
        ("setp.lo.u64 %p1, %rd2, %rd3", "setp.lt.u64 p1, rd2, rd3"),
        (
            "setp.ge.u64 %p1, %rd2, %rd3",
            "setp.u64{cmp:ge} p1, rd2, rd3",
        ),
        (
            "setp.ne.b16 %p1, %rs2, %rs3",
            "setp.u16{cmp:ne} p1, rs2, rs3",
        ),
        (
            "setp.lt.s16 %p1, %rs2, -1",
            "setp.s16{cmp:lt} p1, rs2, 0xffff",
        ),
        ("setp.lt.f32 %p1, %f2, %f3", "setp.lt.f32 p1, f2, f3"),
        ("setp.gt.f32 %p1, %f2, %f3", "setp.gt.f32 p1, f2, f3"),
        (
            "setp.lt.ftz.f32 %p1, %f2, %f3",
            "setp.f32{cmp:lt ftz} p1, f2, f3",
        ),
        ("setp.geu.f32 %p1, %f2, %f3", "setp.f32{cmp:geu} p1, f2, f3"),
        ("setp.nan.f32 %p1, %f2, %f3", "setp.f32{cmp:nan} p1, f2, f3"),
        (
            "setp.neu.f64 %p1, %fd2, %fd3",
            "setp.f64{cmp:neu} p1, fd2, fd3",
        ),
        (
            "setp.num.f16 %p1, %rs2, %rs3",
            "setp.16{cmp:num} p1, rs2, rs3",
        ),
        (
            "setp.equ.bf16 %p1, %rs2, %rs3",
            "setp.16{cmp:equ bf16} p1, rs2, rs3",
        ),
        (
            "setp.lt.f16x2 %p1|%p2, %r2, %r3",
            "setp.16x2{cmp:lt} p1, p2, r2, r3",
        ),
        (
            "setp.lt.bf16x2 %p1, %r2, %r3",
            "setp.16x2{cmp:lt bf16} p1, _, r2, r3",
        ),
    ]);
}

#[test]
fn comparisons_combine_with_predicates() {
    check_all(&[
        (
            "setp.lt.s32 %p1|%p2, %r2, %r3",
            "setp.lt.s32 p1, r2, r3; | not.mask p2, p1",
        ),
        (
            "setp.lt.s32 _|%p2, %r2, %r3",
            "setp.lt.s32 t0, r2, r3; | not.mask p2, t0",
        ),
        (
            "setp.lt.and.s32 %p1, %r2, %r3, %p1",
            "setp.lt.s32 t0, r2, r3; | and.mask p1, t0, p1",
        ),
        (
            "setp.eq.or.u32 %p1|%p2, %r2, %r3, !%p3",
            "| not.mask t0, p3; setp.eq.i32 t1, r2, r3; | not.mask t2, t1; \
             | or.mask p1, t1, t0; | or.mask p2, t2, t0",
        ),
        (
            "setp.gt.xor.f16x2 %p1|%p2, %r2, %r3, %p3",
            "setp.16x2{cmp:gt} t0, t1, r2, r3; | xor.mask p1, t0, p3; | xor.mask p2, t1, p3",
        ),
        // What is read again is not overwritten before.
        (
            "setp.eq.or.u32 %p1|%p2, %r2, %r3, %p1",
            "setp.eq.i32 t0, r2, r3; | not.mask t1, t0; | or.mask t0, t0, p1; \
             | or.mask t1, t1, p1; | mov.mask p1, t0; | mov.mask p2, t1",
        ),
        (
            "@%p1 setp.lt.s32 %p1|%p2, %r2, %r3",
            "@p1 setp.lt.s32 t0, r2, r3; | not.mask t1, t0; | @p1 mov.mask p2, t1; \
             | @p1 mov.mask p1, t0",
        ),
    ]);
}

#[test]
fn comparisons_as_numbers_and_selections() {
    check_all(&[
        (
            "set.lt.u32.s32 %r1, %r2, %r3",
            "setp.lt.s32 t0, r2, r3; | selp.b32 r1, 0xffffffff, 0, t0",
        ),
        (
            "set.gtu.and.f32.f64 %f1, %fd2, %fd3, !%p1",
            "| not.mask t0, p1; setp.f64{cmp:gtu} t1, fd2, fd3; | and.mask t0, t1, t0; \
             | selp.b32 f1, 0x3f800000, 0, t0",
        ),
        (
            "set.eq.f16.f16 %rs1, %rs2, %rs3",
            "setp.16{cmp:eq} t0, rs2, rs3; | selp.b32 rs1, 0x3c00, 0, t0",
        ),
        (
            "set.lt.bf16x2.bf16x2 %r1, %r2, %r3",
            "setp.16x2{cmp:lt bf16} t0, t1, r2, r3; | selp.b32 t2, 0x3f80, 0, t0; \
             | selp.b32 t3, 0x3f800000, 0, t1; | or.b32 r1, t2, t3",
        ),
        (
            "set.ne.u32.f16x2 %r1, %r2, %r3",
            "setp.16x2{cmp:ne} t0, t1, r2, r3; | selp.b32 t2, 0xffff, 0, t0; \
             | selp.b32 t3, 0xffff0000, 0, t1; | or.b32 r1, t2, t3",
        ),
        ("selp.b32 %r1, %r2, %r3, %p1", "selp.b32 r1, r2, r3, p1"),
        (
            "selp.f32 %f1, %f2, 0f00000000, %p1",
            "selp.b32 f1, f2, 0, p1",
        ),
        ("selp.u16 %rs1, 1, 0, %p1", "selp.b32 rs1, 1, 0, p1"),
        (
            "selp.f64 %fd1, %fd2, %fd3, %p1",
            "selp.b64 fd1, fd2, fd3, p1",
        ),
        (
            "slct.u32.s32 %r1, %r2, %r3, %r4",
            "| setp.le.s32 t0, 0, r4; selp.b32 r1, r2, r3, t0",
        ),
        (
            "slct.ftz.f64.f32 %fd1, %fd2, %fd3, %f4",
            "| setp.f32{cmp:ge ftz} t0, f4, 0; selp.b64 fd1, fd2, fd3, t0",
        ),
    ]);
}
