//! Conversion.

use crate::check_all;

#[test]
fn conversions_of_integers() {
    check_all(&[
        ("cvt.s64.s32 %rd1, %r2", "cvt.s64.s32 rd1, r2"),
        ("cvt.u64.s32 %rd1, %r2", "cvt.s64.s32 rd1, r2"),
        ("cvt.u64.u32 %rd1, %r2", "cvt.u64.u32 rd1, r2"),
        ("cvt.s64.u32 %rd1, %r2", "cvt.u64.u32 rd1, r2"),
        ("cvt.u32.u64 %r1, %rd2", "cvt.u32.u64 r1, rd2"),
        ("cvt.s32.s64 %r1, %rd2", "cvt.u32.u64 r1, rd2"),
        ("cvt.u16.u64 %rs1, %rd2", "cvt.u32.u64 rs1, rd2"),
        ("cvt.u16.u32 %rs1, %r2", "mov.b32 rs1, r2"),
        ("cvt.u32.s32 %r1, %r2", "mov.b32 r1, r2"),
        ("cvt.u32.u16 %r1, %rs2", "and.b32 r1, rs2, 0xffff"),
        (
            "cvt.s32.u16 %r1, %rs2",
            "cvt.i32.i32{from:u16 to:s32} r1, rs2",
        ),
        ("cvt.u32.u8 %r1, %rs2", "and.b32 r1, rs2, 255"),
        ("cvt.u16.u8 %rs1, %rs2", "and.b32 rs1, rs2, 255"),
        ("cvt.u8.u32 %rs1, %r2", "and.b32 rs1, r2, 255"),
        ("cvt.u8.s32 %r1, %r2", "and.b32 r1, r2, 255"),
        ("cvt.s8.s32 %r1, %r2", "cvt.i32.i32{from:s32 to:s8} r1, r2"),
        (
            "cvt.s32.s16 %r1, %rs2",
            "cvt.i32.i32{from:s16 to:s32} r1, rs2",
        ),
        (
            "cvt.u16.s8 %rs1, %rs2",
            "cvt.i32.i32{from:s8 to:u16} rs1, rs2",
        ),
        (
            "cvt.s64.s16 %rd1, %rs2",
            "cvt.i64.i32{from:s16 to:s64} rd1, rs2",
        ),
        (
            "cvt.u64.u8 %rd1, %rs2",
            "cvt.i64.i32{from:u8 to:u64} rd1, rs2",
        ),
        (
            "cvt.sat.u8.s32 %rs1, %r2",
            "cvt.i32.i32{sat from:s32 to:u8} rs1, r2",
        ),
        (
            "cvt.sat.s32.u64 %r1, %rd2",
            "cvt.i32.i64{sat from:u64 to:s32} r1, rd2",
        ),
        // Registers wider than the types.
        (
            "cvt.u8.u16 %rd1, %rs2",
            "cvt.i64.i32{from:u16 to:u8} rd1, rs2",
        ),
        (
            "cvt.u32.u16 %r1, %rd2",
            "| cvt.u32.u64 t0, rd2; and.b32 r1, t0, 0xffff",
        ),
        ("cvt.s64.s64 %rd1, %rd2", "mov.b64 rd1, rd2"),
        (
            "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4",
            "cvt.pack.sat.i32{sat high:2} r1, r2, r3, r4",
        ),
        (
            "cvt.pack.sat.s16.s32 %r1, %r2, %r3",
            "cvt.pack.sat.i32{sat high:3 variant} r1, r2, r3, 0",
        ),
        (
            "cvt.pack.sat.u2.s32.b32 %r1, %r2, %r3, 0",
            "cvt.pack.sat.i32{sat} r1, r2, r3, 0",
        ),
    ]);
}

#[test]
fn conversions_between_integers_and_floating_point() {
    check_all(&[
        ("cvt.rn.f32.s32 %f1, %r2", "cvt.rn.f32.s32 f1, r2"),
        ("cvt.rz.f32.s32 %f1, %r2", "cvt.f32.i32{rz from:s32} f1, r2"),
        ("cvt.rn.f32.u32 %f1, %r2", "cvt.f32.i32{from:u32} f1, r2"),
        (
            "cvt.rn.sat.f32.u16 %f1, %rs2",
            "cvt.f32.i32{sat from:u16} f1, rs2",
        ),
        ("cvt.rn.f32.s64 %f1, %rd2", "cvt.f32.i64{from:s64} f1, rd2"),
        ("cvt.rn.f64.s32 %fd1, %r2", "cvt.f64.i32{from:s32} fd1, r2"),
        (
            "cvt.rp.f64.u64 %fd1, %rd2",
            "cvt.f64.i64{rp from:u64} fd1, rd2",
        ),
        ("cvt.rn.f16.s32 %rs1, %r2", "cvt.16.i32{from:s32} rs1, r2"),
        (
            "cvt.rz.bf16.u64 %rs1, %rd2",
            "cvt.16.i64{rz bf16 from:u64} rs1, rd2",
        ),
        ("cvt.rzi.s32.f32 %r1, %f2", "cvt.i32.f32{rz to:s32} r1, f2"),
        (
            "cvt.rni.ftz.s32.f32 %r1, %f2",
            "cvt.i32.f32{ftz to:s32} r1, f2",
        ),
        (
            "cvt.rmi.u64.f32 %rd1, %f2",
            "cvt.i64.f32{rm to:u64} rd1, f2",
        ),
        ("cvt.rzi.u8.f32 %rs1, %f2", "cvt.i32.f32{rz to:u8} rs1, f2"),
        (
            "cvt.rpi.sat.s16.f64 %rs1, %fd2",
            "cvt.i32.f64{rp to:s16} rs1, fd2",
        ),
        (
            "cvt.rzi.s64.f64 %rd1, %fd2",
            "cvt.i64.f64{rz to:s64} rd1, fd2",
        ),
        (
            "cvt.rzi.u32.f64 %rd1, %fd2",
            "cvt.i64.f64{rz to:u32} rd1, fd2",
        ),
        ("cvt.rni.s32.f16 %r1, %rs2", "cvt.i32.16{to:s32} r1, rs2"),
        (
            "cvt.rzi.u64.bf16 %rd1, %rs2",
            "cvt.i64.16{rz bf16 to:u64} rd1, rs2",
        ),
    ]);
}

#[test]
fn conversions_between_floating_point() {
    check_all(&[
        ("cvt.rn.f32.f64 %f1, %fd2", "cvt.f32.f64 f1, fd2"),
        (
            "cvt.rz.ftz.f32.f64 %f1, %fd2",
            "cvt.f32.f64{rz ftz} f1, fd2",
        ),
        ("cvt.f64.f32 %fd1, %f2", "cvt.f64.f32 fd1, f2"),
        ("cvt.f32.f16 %f1, %rs2", "cvt.f32.16 f1, rs2"),
        ("cvt.ftz.f32.bf16 %f1, %rs2", "cvt.f32.16{ftz bf16} f1, rs2"),
        ("cvt.f64.f16 %fd1, %rs2", "cvt.f64.16 fd1, rs2"),
        ("cvt.rn.f16.f32 %rs1, %f2", "cvt.16.f32 rs1, f2"),
        (
            "cvt.rz.relu.satfinite.bf16.f32 %rs1, %f2",
            "cvt.16.f32{rz relu satfinite bf16} rs1, f2",
        ),
        ("cvt.rn.bf16.f64 %rs1, %fd2", "cvt.16.f64{bf16} rs1, fd2"),
        ("cvt.bf16.f16 %rs1, %rs2", "cvt.16.16{bf16} rs1, rs2"),
        ("cvt.rz.f16.bf16 %rs1, %rs2", "cvt.16.16{rz} rs1, rs2"),
        ("cvt.sat.f32.f32 %f1, %f2", "cvt.f32.f32{sat} f1, f2"),
        ("cvt.f32.f32 %f1, %f2", "mov.b32 f1, f2"),
        ("cvt.sat.f64.f64 %fd1, %fd2", "cvt.sat.f64.f64 fd1, fd2"),
        ("cvt.sat.f16.f16 %rs1, %rs2", "cvt.sat.f16.f16 rs1, rs2"),
        ("cvt.rmi.f32.f32 %f1, %f2", "cvt.rni.f32.f32{rm} f1, f2"),
        (
            "cvt.rni.sat.ftz.f32.f32 %f1, %f2",
            "cvt.rni.f32.f32{sat ftz} f1, f2",
        ),
        ("cvt.rpi.f64.f64 %fd1, %fd2", "cvt.rni.f64.f64{rp} fd1, fd2"),
        (
            "cvt.rzi.bf16.bf16 %rs1, %rs2",
            "cvt.rni.16.16{rz bf16} rs1, rs2",
        ),
        // A register wider than the number.
        ("cvt.rn.f16.f32 %r1, %f2", "cvt.16.f32 r1, f2"),
        (
            "cvt.f32.f16 %rd1, %rs2",
            "| cvt.f32.16 t0, rs2; cvt.u64.u32 rd1, t0",
        ),
    ]);
}

#[test]
fn conversions_of_packed_numbers() {
    check_all(&[
        ("cvt.rn.f16x2.f32 %r1, %f2, %f3", "cvt.16x2.f32 r1, f2, f3"),
        (
            "cvt.rz.relu.bf16x2.f32 %r1, %f2, %f3",
            "cvt.16x2.f32{rz relu bf16} r1, f2, f3",
        ),
        (
            "cvt.rs.bf16x2.f32 %r1, %f2, %f3, %r4",
            "cvt.rs.16x2.f32{bf16} r1, f2, f3, r4",
        ),
        ("cvt.rna.tf32.f32 %r1, %f2", "cvt.tf32.f32{rna} r1, f2"),
        (
            "cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f3",
            "cvt.mini2.f32{satfinite} rs1, f2, f3",
        ),
        (
            "cvt.rn.satfinite.relu.e5m2x2.f16x2 %rs1, %r2",
            "cvt.mini2.16x2{satfinite relu high:1} rs1, r2",
        ),
        (
            "cvt.rn.relu.f16x2.e4m3x2 %r1, %rs2",
            "cvt.16x2.mini2{relu} r1, rs2",
        ),
        (
            "cvt.rn.f16x2.e3m2x2 %r1, %rs2",
            "cvt.16x2.mini2{high:3} r1, rs2",
        ),
        (
            "cvt.rs.satfinite.e2m3x4.f32 %r1, {%f2, %f3, %f4, %f5}, %r6",
            "| mov.pack.b64 t0, f3, f2; | mov.pack.b64 t1, f5, f4; \
             cvt.rs.mini4.f32{satfinite high:2} r1, t0, t1, r6",
        ),
        (
            "cvt.rp.satfinite.ue8m0x2.f32 %rs1, %f2, %f3",
            "cvt.ue8m0x2.f32{rp satfinite} rs1, f2, f3",
        ),
        (
            "cvt.rz.ue8m0x2.bf16x2 %rs1, %r2",
            "cvt.ue8m0x2.bf16x2{rz} rs1, r2",
        ),
        (
            "cvt.rn.bf16x2.ue8m0x2 %r1, %rs2",
            "cvt.bf16x2.ue8m0x2 r1, rs2",
        ),
    ]);
}
