//! What is said of arithmetic instructions that PTX does not have.

#[path = "lower_machine/support.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod support;

use support::{lines, problems, text};

/// Message and help for an instruction in a kernel.
fn refusal(instruction: &str) -> (String, String) {
    let text = text("", &format!("{instruction};"));
    let problems = problems(&text);
    assert_eq!(
        problems.len(),
        1,
        "{instruction}: {:?}",
        lines(&text, &problems)
    );
    let help = problems[0].diagnostic.help.clone().unwrap_or_default();
    (lines(&text, &problems).remove(0), help)
}

#[test]
fn modifiers() {
    let cases = [
        (
            "add.relu.f32 %f1, %f2, %f3",
            "E0204 at `relu`: `add` does not take `.relu` with `.f32`",
            "it takes .rn .rz .rm .rp .ftz .sat",
        ),
        (
            "add.rn.rz.f32 %f1, %f2, %f3",
            "E0204 at `rz`: `.rn` and `.rz` exclude each other",
            "check the forms of this instruction in the PTX manual",
        ),
        (
            "fma.f32 %f1, %f2, %f3, %f4",
            "E0203 at `fma.f32`: `fma` with `.f32` needs one of .rn .rz .rm .rp",
            "write it after the name of the instruction",
        ),
        (
            "mul.s32 %r1, %r2, %r3",
            "E0203 at `mul.s32`: `mul` with `.s32` needs one of .lo .hi .wide",
            "write it after the name of the instruction",
        ),
        (
            "sin.f32 %f1, %f2",
            "E0203 at `sin.f32`: `sin` with `.f32` needs `.approx`",
            "write it after the name of the instruction",
        ),
        (
            "add.ftz.ftz.f32 %f1, %f2, %f3",
            "E0202 at `ftz`: `.ftz` is written twice",
            "leave it out",
        ),
        (
            "rcp.f32 %f1, %f2",
            "E0203 at `rcp.f32`: `rcp` with `.f32` needs one of .rn .rz .rm .rp .approx",
            "write it after the name of the instruction",
        ),
        (
            "add.fzt.f32 %f1, %f2, %f3",
            "E0202 at `fzt`: `add` has no modifier `.fzt`",
            "did you mean `.ftz`?",
        ),
        (
            "setp.lo.s32 %p1, %r2, %r3",
            "E0204 at `lo`: `setp` does not take `.lo` with `.s32`",
            "it takes .eq .ne .lt .le .gt .ge .and .or .xor",
        ),
        (
            "cvt.s32.f32 %r1, %f2",
            "E0203 at `cvt.s32.f32`: `cvt` with `.s32.f32` needs one of .rni .rzi .rmi .rpi",
            "write it after the name of the instruction",
        ),
        (
            "cvt.rn.f64.f32 %fd1, %f2",
            "E0204 at `rn`: `cvt` does not take `.rn` with `.f64.f32`",
            "it takes .ftz .sat",
        ),
        (
            "cvt.sat.u32.u16 %r1, %rs2",
            "E0204 at `sat`: `cvt` does not take `.sat` with `.u32.u16`",
            "it takes no modifier there",
        ),
        (
            "rsqrt.rn.f32 %f1, %f2",
            "E0204 at `rn`: `rsqrt` does not take `.rn` with `.f32`",
            "it takes .approx .ftz",
        ),
    ];
    for (instruction, message, help) in cases {
        assert_eq!(
            refusal(instruction),
            (message.to_owned(), help.to_owned()),
            "{instruction}"
        );
    }
}

#[test]
fn types() {
    let cases = [
        (
            "not.f32 %f1, %f2",
            "E0204 at `f32`: `not` has no form for `.f32`",
            "it takes .b16 .b32 .b64 .pred",
        ),
        (
            "popc %r1, %r2",
            "E0203 at `popc`: `popc` needs a type",
            "it takes .b32 .b64",
        ),
        (
            "cvt.rn.f32 %f1, %r2",
            "E0203 at `cvt.rn.f32`: `cvt` needs another type",
            "it takes .s8 .s16 .s32 .s64 .u8 .u16 .u32 .u64 .bf16 .f64",
        ),
        (
            "dp4a.u32.u16 %r1, %r2, %r3, %r4",
            "E0204 at `u16`: `dp4a` has no form for `.u16` in this place",
            "it takes .s32 .u32",
        ),
    ];
    for (instruction, message, help) in cases {
        assert_eq!(
            refusal(instruction),
            (message.to_owned(), help.to_owned()),
            "{instruction}"
        );
    }
}

#[test]
fn operands() {
    let cases = [
        (
            "add.s32 %r1, %r2",
            "E0205 at `add.s32`: `add.s32` takes 3 operands, not 2",
        ),
        (
            "setp.lt.and.s32 %p1, %r2, %r3",
            "E0205 at `setp.lt.and.s32`: `setp.lt.and.s32` takes 4 operands, not 3",
        ),
        (
            "setp.lt.s32 %p1, %r2, %r3, %p4",
            "E0205 at `%p4`: `setp.lt.s32` takes 3 operands, not 4",
        ),
        (
            "add.s32 %r1, %f2, %r3",
            "E0207 at `%f2`: `%f2` is `.f32`, which is no `.s32`",
        ),
        (
            "setp.lt.f16 %p1|%p2, %rs2, %rs3",
            "E0205 at `%p2`: `setp.lt.f16` gives one predicate",
        ),
        (
            "lop3.b32 %r1, %r2, %r3, %r4, 256",
            "E0208 at `256`: a truth table of three inputs has 8 bits",
        ),
        (
            "vadd.u32.u32.u32 %r1.h0, %r2, %r3",
            "E0205 at `vadd.u32.u32.u32`: `vadd.u32.u32.u32` takes 4 operands, not 3",
        ),
        (
            "vadd4.u32.u32.u32 %r1, %r2.b01, %r3, %r4",
            "E0206 at `%r2.b01`: the instruction has no such selector",
        ),
        (
            "vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4",
            "E0206 at `%r1.h01`: the instruction has no such selector",
        ),
        (
            "add.s32 %r1.b0, %r2, %r3",
            "E0207 at `%r1.b0`: `add.s32` cannot pick parts of a register",
        ),
    ];
    for (instruction, message) in cases {
        assert_eq!(refusal(instruction).0, message, "{instruction}");
    }
}

#[test]
fn versions_and_targets() {
    let refused = |version: &str, target: &str, instruction: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.entry k()\n{{\n\
             .reg .b16 h<4>; .reg .b32 r<4>; .reg .f32 f<4>;\n{instruction};\n}}\n"
        );
        match warploom_ptx::load(&[("test.ptx", &text)]) {
            Ok(_) => String::new(),
            Err(problems) => lines(&text, &problems).join("\n"),
        }
    };
    let bf16 = "add.bf16 h0, h1, h2";
    assert_eq!(refused("7.8", "sm_90", bf16), "");
    assert_eq!(
        refused("7.8", "sm_80", bf16),
        "E0204 at `add.bf16`: `add.bf16` needs PTX 7.8, sm_90"
    );
    let magnitude = "abs.f16 h0, h1";
    assert_eq!(refused("6.5", "sm_70", magnitude), "");
    assert_eq!(
        refused("6.4", "sm_70", magnitude),
        "E0204 at `abs.f16`: `abs.f16` needs PTX 6.5, sm_53"
    );
    let bytes = "add.u8x4 r0, r1, r2";
    assert_eq!(refused("9.2", "sm_120a", bytes), "");
    assert_eq!(
        refused("9.2", "sm_120", bytes),
        "E0204 at `add.u8x4`: `add.u8x4` needs PTX 9.2, sm_120a"
    );
    let product = "mad.f32 f0, f1, f2, f3";
    assert_eq!(refused("1.4", "sm_13", product), "");
    assert_eq!(
        refused("7.0", "sm_80", product),
        "E0203 at `mad.f32`: `mad.f32` needs one of .rn .rz .rm .rp"
    );
    let three = "min.f32 f0, f1, f2, f3";
    assert_eq!(refused("8.8", "sm_100", three), "");
    assert_eq!(
        refused("8.8", "sm_90", three),
        "E0204 at `min.f32`: `min.f32` needs PTX 8.8, sm_100 for three operands"
    );
}
