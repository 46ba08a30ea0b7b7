//! Every form of operand, guard, label and block.

mod common;

use common::{instructions, kernel, valid};
use warploom_ptx::ast::{OperandKind, Target};
use warploom_ptx::types::ScalarType;

/// Each statement with its printed form.
fn check(cases: &[(&str, &str)]) {
    for (statement, expected) in cases {
        assert_eq!(instructions(statement), [*expected], "{statement}");
    }
}

#[test]
fn registers_constants_and_special_registers() {
    check(&[
        ("add.s32 %r1, %r2, 5;", "add.s32 %r1, %r2, 5"),
        ("add.s32 %r1, %r2, -5;", "add.s32 %r1, %r2, -5"),
        ("add.u32 %r1, %r2, 0xFFU;", "add.u32 %r1, %r2, 255U"),
        (
            "mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;",
            "mov.u64 %rd1, 18446744073709551615U",
        ),
        ("mov.f32 %f1, 0f3F800000;", "mov.f32 %f1, 0f3F800000"),
        ("mov.f32 %f1, -1.5;", "mov.f32 %f1, 0dBFF8000000000000"),
        ("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid!.0"),
        ("mov.u32 %r1, %ctaid.z;", "mov.u32 %r1, %ctaid!.2"),
        ("mov.u32 %r1, %envreg3;", "mov.u32 %r1, %envreg3!"),
        ("mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, WARP_SZ"),
        ("mov.u32 %r1, WARP_SZ - 1;", "mov.u32 %r1, 31"),
        ("mov.u32 %r1, -WARP_SZ;", "mov.u32 %r1, -32"),
        ("mov.u32 %r1, !WARP_SZ;", "mov.u32 %r1, 0"),
    ]);
}

#[test]
fn constant_expressions() {
    check(&[
        ("mov.u32 %r1, 1 + 2 * 3;", "mov.u32 %r1, 7"),
        ("mov.u32 %r1, (1 + 2) * 3;", "mov.u32 %r1, 9"),
        ("mov.u32 %r1, 3 - 2 - 1;", "mov.u32 %r1, 0"),
        ("mov.u32 %r1, 1 << 3 | 2;", "mov.u32 %r1, 10U"),
        ("mov.u32 %r1, 7 & 3 | 8 ^ 1;", "mov.u32 %r1, 11U"),
        ("mov.u32 %r1, 5 > 3 ? 10 : 20;", "mov.u32 %r1, 10"),
        ("mov.u32 %r1, 0 ? 1 : 0 ? 2 : 3;", "mov.u32 %r1, 3"),
        (
            "mov.u32 %r1, ~0 == 0xFFFFFFFFFFFFFFFF && !0;",
            "mov.u32 %r1, 1",
        ),
        ("mov.u32 %r1, (.u64)-1 > 0;", "mov.u32 %r1, 1"),
        (
            "mov.u32 %r1, (.s64)0xFFFFFFFFFFFFFFFF < 0;",
            "mov.u32 %r1, 1",
        ),
        ("mov.u32 %r1, 017 + 0b11 + 0x10;", "mov.u32 %r1, 34"),
        ("mov.u32 %r1, 9 % 5;", "mov.u32 %r1, 4"),
        ("mov.u32 %r1, -7 / 2;", "mov.u32 %r1, -3"),
        ("mov.f32 %f1, 1.0 / 4.0;", "mov.f32 %f1, 0d3FD0000000000000"),
    ]);
}

#[test]
fn addresses() {
    check(&[
        ("ld.global.b32 %r1, [%rd1];", "ld.global.b32 %r1, [%rd1+0]"),
        (
            "ld.global.b32 %r1, [%rd1+8];",
            "ld.global.b32 %r1, [%rd1+8]",
        ),
        (
            "ld.global.b32 %r1, [%rd1 + -8];",
            "ld.global.b32 %r1, [%rd1-8]",
        ),
        (
            "ld.global.b32 %r1, [%rd1-0x10];",
            "ld.global.b32 %r1, [%rd1-16]",
        ),
        (
            "ld.global.b32 %r1, [%rd1+4*(2+1)];",
            "ld.global.b32 %r1, [%rd1+12]",
        ),
        (
            "ld.global.b32 %r1, [%rd1+8-4];",
            "ld.global.b32 %r1, [%rd1+4]",
        ),
        (
            "ld.global.b32 %r1, [g+4];",
            "ld.global.b32 %r1, [global:g+4]",
        ),
        ("ld.param.u64 %rd1, [a];", "ld.param.u64 %rd1, [param:a+0]"),
        ("ld.local.b32 %r1, [64];", "ld.local.b32 %r1, [64]"),
        (
            "ld.global.b32 %r1, g[3];",
            "ld.global.b32 %r1, element global:g+12",
        ),
        (
            "ld.global.b32 %r1, g[%r2];",
            "ld.global.b32 %r1, element global:g+%r2*4+0",
        ),
        (
            "ld.global.b32 %r1, g[%r2+1];",
            "ld.global.b32 %r1, element global:g+%r2*4+4",
        ),
        (
            "ld.global.b32 %r1, [%rd1].unified;",
            "ld.global.b32 %r1, [%rd1+0].unified",
        ),
        ("mov.u64 %rd1, g;", "mov.u64 %rd1, global:g"),
        ("mov.u64 %rd1, g+4;", "mov.u64 %rd1, global:g+4"),
        ("mov.u64 %rd1, g[1];", "mov.u64 %rd1, element global:g+4"),
        (
            "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5,%f6}];",
            "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1+0, %rd2, {%f5, %f6}]",
        ),
        (
            "cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1, {%r2, 0}], [%r3];",
            "cp.async.bulk.tensor.2d.shared::cluster.global [%r1+0], [%rd1+0, {%r2, 0}], [%r3+0]",
        ),
    ]);
}

#[test]
fn vectors_sinks_pairs_and_negations() {
    check(&[
        ("mov.b64 {%r1, _}, %rd1;", "mov.b64 {%r1, _}, %rd1"),
        ("mov.b32 %r1, {%r2};", "mov.b32 %r1, {%r2}"),
        (
            "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;",
            "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1",
        ),
        ("elect.sync _|%p1, -1;", "elect.sync _|%p1, -1"),
        (
            "setp.eq.and.s32 %p1|%p2, %r1, 0, !%p3;",
            "setp.eq.and.s32 %p1|%p2, %r1, 0, !%p3",
        ),
        (
            "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%r1}];",
            "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}|%p1, [%rd1+0, {%r1}]",
        ),
        (
            "vadd.s32.s32.s32 %r1.h0, %r2.b3, -%r3.h1;",
            "vadd.s32.s32.s32 %r1.h[0], %r2.b[3], -%r3.h[1]",
        ),
        (
            "vadd4.u32.u32.u32 %r1.b3210, %r2.b7654, %r3, 0;",
            "vadd4.u32.u32.u32 %r1.b[3, 2, 1, 0], %r2.b[7, 6, 5, 4], %r3, 0",
        ),
    ]);
}

#[test]
fn vector_registers_have_elements() {
    let printed = instructions(
        ".reg .v4 .f32 v; .reg .v2 .b32 w<2>;\n\
         mov.f32 v.x, %f1; mov.f32 v.a, v.g; mov.b32 %r1, w1.y;",
    );
    assert_eq!(
        printed,
        ["mov.f32 v.0, %f1", "mov.f32 v.3, v.1", "mov.b32 %r1, w1.1"]
    );
}

#[test]
fn guards() {
    check(&[
        ("@%p1 mov.b32 %r1, 0;", "@%p1 mov.b32 %r1, 0"),
        ("@!%p1 mov.b32 %r1, 0;", "@!%p1 mov.b32 %r1, 0"),
        ("@ ! %p1 ret;", "@!%p1 ret"),
    ]);
}

#[test]
fn opcodes_keep_their_parts() {
    let source = kernel("ld.global.nc.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\nret;\nret;");
    let module = valid(&source);
    let body = module.functions[0].body.as_ref().unwrap();
    let load = &body.instructions[0];
    let opcode = module.opcode(load.opcode);
    let parts: Vec<_> = opcode.parts.iter().map(|part| part.text).collect();
    assert_eq!(parts, ["ld", "global", "nc", "L2::128B", "v4", "f32"]);
    for part in &opcode.parts {
        assert_eq!(load.part_span(part).text(&source), part.text);
    }
    assert_eq!(
        load.opcode_span(opcode).text(&source),
        "ld.global.nc.L2::128B.v4.f32"
    );
    assert!(load.span.text(&source).ends_with("[%rd1];"));
    // Equal opcodes are stored once.
    assert_eq!(body.instructions[1].opcode, body.instructions[2].opcode);
    assert_eq!(module.opcodes.len(), 2);
}

#[test]
fn opcodes_may_contain_white_space_and_comments() {
    check(&[("add /* .x */ .s32 %r1, %r2, 1;", "add.s32 %r1, %r2, 1")]);
    let source = kernel("add /* .x */ .s32\n %r1, %r2, 1;");
    let module = valid(&source);
    let body = module.functions[0].body.as_ref().unwrap();
    let opcode = module.opcode(body.instructions[0].opcode);
    assert_eq!(
        body.instructions[0]
            .part_span(&opcode.parts[1])
            .text(&source),
        "s32"
    );
}

#[test]
fn labels_and_branches() {
    let printed = instructions(
        "bra End; Loop: add.s32 %r1, %r1, 1; A: B: @%p1 bra.uni Loop; bra B;\n\
         T: .branchtargets Loop, B, End; brx.idx %r1, T; End:",
    );
    assert_eq!(
        printed,
        [
            "bra End->5",
            "add.s32 %r1, %r1, 1",
            "@%p1 bra.uni Loop->1",
            "bra B->2",
            "brx.idx %r1, branches:T",
        ]
    );
}

#[test]
fn blocks_hide_names_and_labels() {
    let source = kernel(
        "{ .reg .f32 %r<3>; .reg .b16 x; mov.f32 %r2, %f1; mov.b32 %r5, 0; bra L; L: }\n\
         { .reg .b64 x; mov.b64 x, %rd1; bra L; L: ret; }\n\
         mov.b32 %r2, 1; L: ret;",
    );
    let module = valid(&source);
    let body = module.functions[0].body.as_ref().unwrap();
    let types: Vec<_> = body
        .instructions
        .iter()
        .map(
            |instruction| match body.operands(instruction.operands).first()?.kind {
                OperandKind::Name(name) => match name.target {
                    Target::Register(id) => Some(body.register(id).ty),
                    _ => None,
                },
                _ => None,
            },
        )
        .collect();
    let expected = [
        Some(ScalarType::F32), // %r2 of the first block
        Some(ScalarType::B32), // %r5, which the block does not hide
        None,
        Some(ScalarType::B64), // x of the second block
        None,
        None,
        Some(ScalarType::B32), // %r2 of the kernel
        None,
    ];
    assert_eq!(types, expected);
    assert_eq!(
        common::print_body(&module, body),
        [
            "mov.f32 %r2, %f1",
            "mov.b32 %r5, 0",
            "bra L->3",
            "mov.b64 x, %rd1",
            "bra L->5",
            "ret",
            "mov.b32 %r2, 1",
            "ret",
        ]
    );
}

#[test]
fn inner_blocks_see_outer_labels() {
    assert_eq!(instructions("{ { bra L; } } L: ret;"), ["bra L->1", "ret"]);
}

#[test]
fn registers_are_numbered_by_first_mention() {
    let source = kernel("mov.b32 %r7, 0; mov.b32 %r3, %r7;");
    let module = valid(&source);
    let body = module.functions[0].body.as_ref().unwrap();
    let names: Vec<_> = body.registers.iter().map(|r| module.text(r.name)).collect();
    assert_eq!(names, ["%r7", "%r3"]);
}

#[test]
fn numbered_variables_exist_when_mentioned() {
    let source = kernel(".param .b32 p<1000000000>; st.param.b32 [p7], 1; st.param.b32 [p7], 2;");
    let module = valid(&source);
    let numbered: Vec<_> = module
        .variables
        .iter()
        .map(|variable| module.text(variable.name))
        .filter(|name| name.starts_with('p'))
        .collect();
    assert_eq!(numbered, ["p7"]);
}

#[test]
fn calls() {
    let source = "\
        .version 8.6\n.target sm_90\n.address_size 64\n\
        .extern .func (.param .b32 r) f(.param .b32 x, .param .b64 y);\n\
        .func (.reg .b32 q) g(.reg .b32 x) { mov.b32 q, x; ret; }\n\
        .func h { ret; }\n\
        .entry k() {\n\
        .reg .b32 %r<3>; .reg .b64 %rd<3>;\n\
        { .param .b32 p; .param .b64 q; .param .b32 r;\n\
        call.uni (r), f, (p, q);\n\
        call (%r1), g, (5);\n\
        call h;\n\
        call h, ();\n\
        mov.u64 %rd1, f;\n\
        P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\n\
        call (r), %rd1, (p, q), P;\n\
        Q: .calltargets f, h;\n\
        call (_), %rd1, (p, q), Q;\n\
        }\n\
        }\n";
    let module = valid(source);
    let function = module.functions.last().unwrap();
    let body = function.body.as_ref().unwrap();
    assert_eq!(
        common::print_body(&module, body),
        [
            "call.uni (param:r), fn:f, (param:p, param:q)",
            "call (%r1), fn:g, (5)",
            "call fn:h",
            "call fn:h, ()",
            "mov.u64 %rd1, fn:f",
            "call (param:r), %rd1, (param:p, param:q), prototype:P",
            "call (_), %rd1, (param:p, param:q), calls:Q",
        ]
    );
    let prototype = &body.prototypes[0].signature;
    assert_eq!(
        (prototype.results.len(), prototype.parameters.len()),
        (1, 2)
    );
    let targets = &body.call_tables[0].targets;
    assert!(
        targets
            .iter()
            .all(|(name, _)| matches!(name.target, Target::Function(_)))
    );
    // Register parameters are the first registers.
    let g = module.functions[1].body.as_ref().unwrap();
    assert_eq!(common::print_body(&module, g), ["mov.b32 q, x", "ret"]);
    assert_eq!(module.text(g.registers[1].name), "x");
}
