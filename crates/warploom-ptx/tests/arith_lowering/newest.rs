//! Forms of the newest and of the first targets.

use crate::listed;
use crate::support;

/// Operations, by name, of instructions in a module with this header; `r`, `f`, `h`, `c` are its
/// registers of 32, 32 floating-point, 16 and 8 bits.
fn operations(version: &str, target: &str, body: &str) -> Vec<String> {
    let text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n.entry k()\n{{\n\
         .reg .b32 r<5>; .reg .f32 f<5>; .reg .b16 h<5>; .reg .b8 c<5>;\n{body}\n}}\n"
    );
    let module = support::load(&text);
    let lines = support::code(&module, "k").into_iter();
    lines
        .map(|line| {
            line.split(' ')
                .take_while(|word| !word.starts_with('r'))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

#[test]
fn the_newest_forms() {
    let cases = [
        ("max.abs.f32 f0, f1, f2, f3", "max3.f32{variant}"),
        ("min.NaN.f32 f0, f1, f2, f3", "min3.f32{nan}"),
        ("add.sat.u32 r0, r1, r2", "add.sat.u32"),
        ("add.sat.s16x2 r0, r1, r2", "add.sat.s16x2"),
        ("add.u8x4 r0, r1, r2", "add.i8x4"),
        ("sub.sat.u8x4 r0, r1, r2", "sub.sat.u8x4"),
        ("min.relu.s8x4 r0, r1, r2", "min.s8x4{relu}"),
        ("max.u8x4 r0, r1, r2", "max.u8x4"),
        ("neg.s8x4 r0, r1", "neg.s8x4"),
        (
            "cvt.rn.satfinite.e2m1x2.bf16x2 c0, r1",
            "cvt.mini2.16x2{satfinite high:4 bf16}",
        ),
        (
            "cvt.rn.bf16x2.e5m2x2 r0, h1",
            "cvt.scaled.bf16x2.mini2{high:1}",
        ),
        (
            "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2 r0, h1, h2",
            "cvt.scaled.bf16x2.mini2{satfinite}",
        ),
        (
            "cvt.rn.satfinite.relu.s2f6x2.f32 h0, f1, f2",
            "cvt.s2f6x2.f32{satfinite relu}",
        ),
        (
            "cvt.rn.satfinite.s2f6x2.bf16x2 h0, r1",
            "cvt.s2f6x2.bf16x2{satfinite}",
        ),
        (
            "cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 r0, h1, h2",
            "cvt.bf16x2.s2f6x2",
        ),
    ];
    for (instruction, expected) in cases {
        let found = operations("9.4", "sm_120a", &format!("{instruction};"));
        assert_eq!(
            found,
            [listed(&format!("{expected} "))].map(|line| line.trim().to_owned()),
            "{instruction}"
        );
    }
}

#[test]
fn products_of_the_first_targets_are_cut() {
    let found = operations("1.4", "sm_13", "mad.f32 f0, f1, f2, f3;");
    let expected =
        ["| mul.f32{rz ftz} ", "add.f32{ftz} "].map(|line| listed(line).trim().to_owned());
    assert_eq!(found, expected);
}
