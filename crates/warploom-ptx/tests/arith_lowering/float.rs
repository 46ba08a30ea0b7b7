//! Floating-point arithmetic.

use crate::check_all;

#[test]
fn plain_floating_point_takes_the_fast_rows() {
    check_all(&[
        ("add.f32 %f1, %f2, %f3", "add.rn.f32 f1, f2, f3"),
        ("add.rn.f32 %f1, %f2, 1.0", "add.rn.f32 f1, f2, 0x3f800000"),
        ("sub.f32 %f1, %f2, %f3", "sub.rn.f32 f1, f2, f3"),
        ("mul.f32 %f1, %f2, %f3", "mul.rn.f32 f1, f2, f3"),
        ("fma.rn.f32 %f1, %f2, %f3, %f4", "fma.rn.f32 f1, f2, f3, f4"),
        ("mad.rn.f32 %f1, %f2, %f3, %f4", "fma.rn.f32 f1, f2, f3, f4"),
        ("add.f64 %fd1, %fd2, %fd3", "add.rn.f64 fd1, fd2, fd3"),
        ("sub.rn.f64 %fd1, %fd2, %fd3", "sub.rn.f64 fd1, fd2, fd3"),
        ("mul.f64 %fd1, %fd2, %fd3", "mul.rn.f64 fd1, fd2, fd3"),
        (
            "fma.rn.f64 %fd1, %fd2, %fd3, %fd4",
            "fma.rn.f64 fd1, fd2, fd3, fd4",
        ),
    ]);
}

#[test]
fn other_floating_point_carries_its_modifiers() {
    check_all(&[
        (
            "add.rz.ftz.sat.f32 %f1, %f2, %f3",
            "add.f32{rz ftz sat} f1, f2, f3",
        ),
        ("sub.ftz.f32 %f1, %f2, %f3", "sub.f32{ftz} f1, f2, f3"),
        ("mul.rp.f32 %f1, %f2, %f3", "mul.f32{rp} f1, f2, f3"),
        (
            "fma.rm.f32 %f1, %f2, %f3, %f4",
            "fma.f32{rm} f1, f2, f3, f4",
        ),
        ("add.rm.f64 %fd1, %fd2, %fd3", "add.f64{rm} fd1, fd2, fd3"),
        ("mul.rz.f64 %fd1, %fd2, %fd3", "mul.f64{rz} fd1, fd2, fd3"),
        (
            "fma.rp.f64 %fd1, %fd2, %fd3, %fd4",
            "fma.f64{rp} fd1, fd2, fd3, fd4",
        ),
        (
            "add.rz.f32x2 %rd1, %rd2, %rd3",
            "add.f32x2{rz} rd1, rd2, rd3",
        ),
        (
            "fma.rn.ftz.f32x2 %rd1, %rd2, %rd3, %rd4",
            "fma.f32x2{ftz} rd1, rd2, rd3, rd4",
        ),
        ("add.f16 %rs1, %rs2, %rs3", "add.f16 rs1, rs2, rs3"),
        (
            "sub.ftz.sat.f16x2 %r1, %r2, %r3",
            "sub.f16x2{ftz sat} r1, r2, r3",
        ),
        ("mul.bf16 %rs1, %rs2, %rs3", "mul.bf16 rs1, rs2, rs3"),
        ("add.rn.bf16x2 %r1, %r2, %r3", "add.bf16x2 r1, r2, r3"),
        (
            "fma.rn.relu.f16 %rs1, %rs2, %rs3, %rs4",
            "fma.f16{relu} rs1, rs2, rs3, rs4",
        ),
        (
            "fma.rn.oob.relu.f16x2 %r1, %r2, %r3, %r4",
            "fma.f16x2{variant relu} r1, r2, r3, r4",
        ),
        (
            "fma.rn.bf16 %rs1, %rs2, %rs3, %rs4",
            "fma.bf16 rs1, rs2, rs3, rs4",
        ),
        (
            "fma.rn.oob.bf16x2 %r1, %r2, %r3, %r4",
            "fma.bf16x2{variant} r1, r2, r3, r4",
        ),
        (
            "add.rz.f32.f16 %f1, %rs2, %f3",
            "add.f32.16{rz} f1, rs2, f3",
        ),
        (
            "sub.sat.f32.bf16 %f1, %rs2, %f3",
            "sub.f32.16{sat bf16} f1, rs2, f3",
        ),
        (
            "fma.rm.f32.bf16 %f1, %rs2, %rs3, %f4",
            "fma.f32.16{rm bf16} f1, rs2, rs3, f4",
        ),
    ]);
}

#[test]
fn division_roots_and_functions() {
    check_all(&[
        ("div.rn.f32 %f1, %f2, %f3", "div.f32 f1, f2, f3"),
        ("div.rz.ftz.f32 %f1, %f2, %f3", "div.f32{rz ftz} f1, f2, f3"),
        (
            "div.approx.ftz.f32 %f1, %f2, %f3",
            "div.approx.f32{ftz} f1, f2, f3",
        ),
        ("div.full.f32 %f1, %f2, %f3", "div.full.f32 f1, f2, f3"),
        ("div.rp.f64 %fd1, %fd2, %fd3", "div.f64{rp} fd1, fd2, fd3"),
        ("rcp.rn.f32 %f1, %f2", "rcp.f32 f1, f2"),
        ("rcp.approx.ftz.f32 %f1, %f2", "rcp.approx.f32{ftz} f1, f2"),
        ("rcp.rm.f64 %fd1, %fd2", "rcp.f64{rm} fd1, fd2"),
        (
            "rcp.approx.ftz.f64 %fd1, %fd2",
            "rcp.approx.ftz.f64 fd1, fd2",
        ),
        ("sqrt.rn.f32 %f1, %f2", "sqrt.f32 f1, f2"),
        ("sqrt.approx.f32 %f1, %f2", "sqrt.approx.f32 f1, f2"),
        ("sqrt.rz.f64 %fd1, %fd2", "sqrt.f64{rz} fd1, fd2"),
        ("rsqrt.approx.f32 %f1, %f2", "rsqrt.approx.f32 f1, f2"),
        ("rsqrt.approx.f64 %fd1, %fd2", "rsqrt.approx.f64 fd1, fd2"),
        (
            "rsqrt.approx.ftz.f64 %fd1, %fd2",
            "rsqrt.approx.ftz.f64 fd1, fd2",
        ),
        ("ex2.approx.ftz.f32 %f1, %f2", "ex2.approx.f32{ftz} f1, f2"),
        ("ex2.approx.f16x2 %r1, %r2", "ex2.approx.16x2 r1, r2"),
        (
            "ex2.approx.ftz.bf16 %rs1, %rs2",
            "ex2.approx.16{ftz bf16} rs1, rs2",
        ),
        ("lg2.approx.f32 %f1, %f2", "lg2.approx.f32 f1, f2"),
        ("sin.approx.f32 %f1, %f2", "sin.approx.f32 f1, f2"),
        ("cos.approx.ftz.f32 %f1, %f2", "cos.approx.f32{ftz} f1, f2"),
        ("tanh.approx.f32 %f1, %f2", "tanh.approx.f32 f1, f2"),
        (
            "tanh.approx.bf16x2 %r1, %r2",
            "tanh.approx.16x2{bf16} r1, r2",
        ),
    ]);
}

#[test]
fn extremes_and_signs() {
    check_all(&[
        ("min.f32 %f1, %f2, %f3", "min.f32 f1, f2, f3"),
        (
            "max.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3",
            "max.f32{ftz nan xorsign} f1, f2, f3",
        ),
        ("min.f64 %fd1, %fd2, %fd3", "min.f64 fd1, fd2, fd3"),
        ("max.f16 %rs1, %rs2, %rs3", "max.16 rs1, rs2, rs3"),
        (
            "min.NaN.bf16x2 %r1, %r2, %r3",
            "min.16x2{nan bf16} r1, r2, r3",
        ),
        (
            "max.xorsign.abs.bf16 %rs1, %rs2, %rs3",
            "max.16{xorsign bf16} rs1, rs2, rs3",
        ),
        ("abs.f32 %f1, %f2", "abs.f32 f1, f2"),
        ("neg.ftz.f32 %f1, %f2", "neg.f32{ftz} f1, f2"),
        ("abs.f64 %fd1, %fd2", "abs.f64 fd1, fd2"),
        ("neg.f16x2 %r1, %r2", "neg.16x2 r1, r2"),
        ("abs.bf16 %rs1, %rs2", "abs.16{bf16} rs1, rs2"),
        ("copysign.f32 %f1, %f2, %f3", "copysign.f32 f1, f2, f3"),
        ("testp.infinite.f32 %p1, %f2", "testp.f32{high:1} p1, f2"),
        ("testp.subnormal.f64 %p1, %fd2", "testp.f64{high:5} p1, fd2"),
    ]);
}
