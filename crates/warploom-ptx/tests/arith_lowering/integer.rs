//! Integers, bits and logic.

use crate::check_all;

#[test]
fn integer_sums_and_products() {
    check_all(&[
        ("add.s32 %r1, %r2, %r3", "add.i32 r1, r2, r3"),
        ("add.u32 %r1, %r2, -1", "add.i32 r1, r2, 0xffffffff"),
        ("add.s64 %rd1, %rd2, 8", "add.i64 rd1, rd2, 8"),
        ("add.u16 %rs1, %rs2, %rs3", "add.i16 rs1, rs2, rs3"),
        ("add.sat.s32 %r1, %r2, %r3", "add.sat.s32 r1, r2, r3"),
        ("add.u16x2 %r1, %r2, %r3", "add.i16x2 r1, r2, r3"),
        ("sub.s32 %r1, %r2, %r3", "sub.i32 r1, r2, r3"),
        ("sub.u64 %rd1, %rd2, %rd3", "sub.i64 rd1, rd2, rd3"),
        ("sub.s16 %rs1, %rs2, %rs3", "sub.i16 rs1, rs2, rs3"),
        ("sub.sat.s32 %r1, %r2, %r3", "sub.sat.s32 r1, r2, r3"),
        ("mul.lo.s32 %r1, %r2, %r3", "mul.lo.i32 r1, r2, r3"),
        ("mul.lo.u64 %rd1, %rd2, %rd3", "mul.lo.i64 rd1, rd2, rd3"),
        ("mul.lo.s16 %rs1, %rs2, %rs3", "mul.lo.i16 rs1, rs2, rs3"),
        ("mul.hi.u32 %r1, %r2, %r3", "mul.hi.u32 r1, r2, r3"),
        ("mul.hi.s32 %r1, %r2, %r3", "mul.hi.s32 r1, r2, r3"),
        ("mul.hi.u64 %rd1, %rd2, %rd3", "mul.hi.u64 rd1, rd2, rd3"),
        ("mul.hi.s64 %rd1, %rd2, %rd3", "mul.hi.s64 rd1, rd2, rd3"),
        ("mul.hi.u16 %rs1, %rs2, %rs3", "mul.hi.u16 rs1, rs2, rs3"),
        ("mul.wide.s32 %rd1, %r2, 4", "mul.wide.s32 rd1, r2, 4"),
        ("mul.wide.u32 %rd1, %r2, %r3", "mul.wide.u32 rd1, r2, r3"),
        ("mul.wide.s16 %r1, %rs2, %rs3", "mul.wide.s16 r1, rs2, rs3"),
        ("mul.wide.u16 %r1, %rs2, %rs3", "mul.wide.u16 r1, rs2, rs3"),
        ("mad.lo.s32 %r1, %r2, %r3, %r4", "mad.lo.i32 r1, r2, r3, r4"),
        (
            "mad.lo.u64 %rd1, %rd2, %rd3, %rd4",
            "mad.lo.i64 rd1, rd2, rd3, rd4",
        ),
        (
            "mad.lo.u16 %rs1, %rs2, %rs3, %rs4",
            "mad.lo.i16 rs1, rs2, rs3, rs4",
        ),
        ("mad.hi.s32 %r1, %r2, %r3, %r4", "mad.hi.s32 r1, r2, r3, r4"),
        (
            "mad.hi.sat.s32 %r1, %r2, %r3, %r4",
            "mad.hi.sat.s32 r1, r2, r3, r4",
        ),
        (
            "mad.hi.u64 %rd1, %rd2, %rd3, %rd4",
            "mad.hi.u64 rd1, rd2, rd3, rd4",
        ),
        (
            "mad.wide.s32 %rd1, %r2, %r3, %rd4",
            "mad.wide.s32 rd1, r2, r3, rd4",
        ),
        (
            "mad.wide.u32 %rd1, %r2, %r3, %rd4",
            "mad.wide.u32 rd1, r2, r3, rd4",
        ),
        (
            "mad.wide.u16 %r1, %rs2, %rs3, %r4",
            "mad.wide.u16 r1, rs2, rs3, r4",
        ),
        ("mul24.lo.u32 %r1, %r2, %r3", "mul24.lo.u32 r1, r2, r3"),
        ("mul24.hi.s32 %r1, %r2, %r3", "mul24.hi.s32 r1, r2, r3"),
        (
            "mad24.lo.s32 %r1, %r2, %r3, %r4",
            "mad24.lo.s32 r1, r2, r3, r4",
        ),
        (
            "mad24.hi.sat.s32 %r1, %r2, %r3, %r4",
            "mad24.hi.sat.s32 r1, r2, r3, r4",
        ),
        ("sad.u32 %r1, %r2, %r3, %r4", "sad.u32 r1, r2, r3, r4"),
        (
            "sad.s64 %rd1, %rd2, %rd3, %rd4",
            "sad.s64 rd1, rd2, rd3, rd4",
        ),
        ("div.s32 %r1, %r2, %r3", "div.s32 r1, r2, r3"),
        ("div.u64 %rd1, %rd2, %rd3", "div.u64 rd1, rd2, rd3"),
        ("rem.u16 %rs1, %rs2, %rs3", "rem.u16 rs1, rs2, rs3"),
        ("rem.s64 %rd1, %rd2, %rd3", "rem.s64 rd1, rd2, rd3"),
        ("min.s32 %r1, %r2, %r3", "min.s32 r1, r2, r3"),
        ("max.u64 %rd1, %rd2, %rd3", "max.u64 rd1, rd2, rd3"),
        ("max.s16 %rs1, %rs2, %rs3", "max.s16 rs1, rs2, rs3"),
        ("min.relu.s32 %r1, %r2, %r3", "min.relu.s32 r1, r2, r3"),
        ("max.s32.relu %r1, %r2, %r3", "max.relu.s32 r1, r2, r3"),
        ("min.u16x2 %r1, %r2, %r3", "min.u16x2 r1, r2, r3"),
        ("max.relu.s16x2 %r1, %r2, %r3", "max.s16x2{relu} r1, r2, r3"),
        ("abs.s32 %r1, %r2", "abs.s32 r1, r2"),
        ("abs.s64 %rd1, %rd2", "abs.s64 rd1, rd2"),
        ("neg.s16 %rs1, %rs2", "neg.s16 rs1, rs2"),
        ("neg.s32 %r1, %r2", "neg.s32 r1, r2"),
        (
            "dp4a.u32.s32 %r1, %r2, %r3, %r4",
            "dp4a{b_signed} r1, r2, r3, r4",
        ),
        (
            "dp4a.s32.u32 %r1, %r2, %r3, %r4",
            "dp4a{a_signed} r1, r2, r3, r4",
        ),
        (
            "dp2a.hi.s32.s32 %r1, %r2, %r3, %r4",
            "dp2a{variant a_signed b_signed} r1, r2, r3, r4",
        ),
        ("dp2a.lo.u32.u32 %r1, %r2, %r3, %r4", "dp2a r1, r2, r3, r4"),
    ]);
}

#[test]
fn the_condition_code_is_a_mask() {
    check_all(&[
        (
            "add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6",
            "add.cc.i32 r1, t0, r2, r3; addc.cc.i32 r4, _, r5, r6, t0",
        ),
        (
            "sub.cc.s32 %r1, %r2, %r3; subc.cc.s32 %r4, %r5, %r6; subc.s32 %r7, %r8, 0",
            "sub.cc.i32 r1, t0, r2, r3; subc.cc.i32 r4, t0, r5, r6, t0; \
             subc.cc.i32 r7, _, r8, 0, t0",
        ),
        (
            "mad.lo.cc.u32 %r1, %r2, %r3, %r4; madc.hi.u32 %r5, %r6, %r7, %r8",
            "mad.lo.cc.i32 r1, t0, r2, r3, r4; madc.hi.cc.u32 r5, _, r6, r7, r8, t0",
        ),
        (
            "mad.hi.cc.s32 %r1, %r2, %r3, %r4; madc.lo.cc.s32 %r5, %r6, %r7, %r8",
            "mad.hi.cc.s32 r1, t0, r2, r3, r4; madc.lo.cc.i32 r5, t0, r6, r7, r8, t0",
        ),
        (
            "add.cc.u64 %rd1, %rd2, %rd3; addc.s64 %rd4, %rd5, %rd6",
            "add.cc.i64 rd1, t0, rd2, rd3; addc.cc.i64 rd4, _, rd5, rd6, t0",
        ),
    ]);
}

#[test]
fn bits_and_logic() {
    check_all(&[
        ("popc.b32 %r1, %r2", "popc.b32 r1, r2"),
        ("popc.b64 %r1, %rd2", "popc.b64 r1, rd2"),
        ("clz.b64 %r1, %rd2", "clz.b64 r1, rd2"),
        ("brev.b32 %r1, %r2", "brev.b32 r1, r2"),
        ("brev.b64 %rd1, %rd2", "brev.b64 rd1, rd2"),
        ("bfind.u32 %r1, %r2", "bfind.u32 r1, r2"),
        ("bfind.shiftamt.s64 %r1, %rd2", "bfind.s64{variant} r1, rd2"),
        (
            "fns.b32 %r1, %r2, %r3, -1",
            "fns.b32 r1, r2, r3, 0xffffffff",
        ),
        ("bfe.u32 %r1, %r2, %r3, %r4", "bfe.u32 r1, r2, r3, r4"),
        ("bfe.s64 %rd1, %rd2, 3, %r4", "bfe.s64 rd1, rd2, 3, r4"),
        (
            "bfi.b32 %r1, %r2, %r3, %r4, %r5",
            "bfi.b32 r1, r2, r3, r4, r5",
        ),
        (
            "bfi.b64 %rd1, %rd2, %rd3, 8, 16",
            "bfi.b64 rd1, rd2, rd3, 8, 16",
        ),
        (
            "szext.clamp.s32 %r1, %r2, %r3",
            "szext.s32{variant} r1, r2, r3",
        ),
        ("szext.wrap.u32 %r1, %r2, %r3", "szext.u32 r1, r2, r3"),
        (
            "bmsk.clamp.b32 %r1, %r2, %r3",
            "bmsk.b32{variant} r1, r2, r3",
        ),
        ("and.b32 %r1, %r2, 255", "and.b32 r1, r2, 255"),
        ("and.b64 %rd1, %rd2, %rd3", "and.b64 rd1, rd2, rd3"),
        ("or.b16 %rs1, %rs2, %rs3", "or.b32 rs1, rs2, rs3"),
        ("xor.b16 %rs1, %rs2, -1", "xor.b32 rs1, rs2, 0xffff"),
        ("not.b32 %r1, %r2", "not.b32 r1, r2"),
        ("not.b64 %rd1, %rd2", "not.b64 rd1, rd2"),
        ("cnot.b32 %r1, %r2", "cnot.b32 r1, r2"),
        ("and.pred %p1, %p2, %p3", "and.mask p1, p2, p3"),
        ("or.pred %p1, %p2, %p3", "or.mask p1, p2, p3"),
        ("xor.pred %p1, %p2, %p3", "xor.mask p1, p2, p3"),
        ("not.pred %p1, %p2", "not.mask p1, p2"),
        ("shl.b32 %r1, %r2, 3", "shl.b32 r1, r2, 3"),
        ("shl.b64 %rd1, %rd2, %r3", "shl.b64 rd1, rd2, r3"),
        ("shl.b16 %rs1, %rs2, %r3", "shl.b16 rs1, rs2, r3"),
        ("shr.u32 %r1, %r2, %r3", "shr.u32 r1, r2, r3"),
        ("shr.b32 %r1, %r2, %r3", "shr.u32 r1, r2, r3"),
        ("shr.s32 %r1, %r2, 31", "shr.s32 r1, r2, 31"),
        ("shr.s64 %rd1, %rd2, 1", "shr.s64 rd1, rd2, 1"),
        ("shr.u16 %rs1, %rs2, 8", "shr.u16 rs1, rs2, 8"),
        (
            "shf.l.wrap.b32 %r1, %r2, %r3, %r4",
            "shf.l.b32 r1, r2, r3, r4",
        ),
        (
            "shf.r.clamp.b32 %r1, %r2, %r3, %r4",
            "shf.r.b32{variant} r1, r2, r3, r4",
        ),
        (
            "prmt.b32 %r1, %r2, %r3, 0x3210",
            "prmt.b32 r1, r2, r3, 0x3210",
        ),
        (
            "prmt.b32.rc8 %r1, %r2, %r3, %r4",
            "prmt.b32.mode{high:2} r1, r2, r3, r4",
        ),
        (
            "lop3.b32 %r1, %r2, %r3, %r4, 0x96",
            "lop3.b32{high:150} r1, r2, r3, r4",
        ),
        (
            "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2",
            "lop3.b32{high:128} r1, r2, r3, r4; | setp.ne.i32 t0, r1, 0; | or.mask p1, t0, p2",
        ),
        (
            "lop3.and.b32 _|%p1, %r2, %r3, %r4, 0x80, !%p2",
            "| not.mask t0, p2; lop3.b32{high:128} t1, r2, r3, r4; | setp.ne.i32 t2, t1, 0; \
             | and.mask p1, t2, t0",
        ),
    ]);
}
