//! What is said about instructions that PTX does not have.

use crate::support::{lines, problems, text};

/// The kernel's one instruction must be refused so.
fn refused_with(declarations: &str, body: &str, expected: &str) {
    let text = text(declarations, body);
    assert_eq!(lines(&text, &problems(&text)), [expected], "{body}");
}

fn refused(body: &str, expected: &str) {
    refused_with("", body, expected);
}

/// The help given for the one problem.
fn help(body: &str) -> String {
    let text = text("", body);
    problems(&text)[0]
        .diagnostic
        .help
        .clone()
        .unwrap_or_default()
}

#[test]
fn unknown_operations() {
    refused(
        "lod.global.u32 %r1, [%rd1];",
        "E0201 at `lod`: `lod` is not an instruction of PTX",
    );
    assert_eq!(
        help("shlf.sync.idx.b32 %r1, %r2, 0, 31, -1;"),
        "did you mean `shfl`?"
    );
    assert_eq!(
        help("ldmatrx.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd1];"),
        "did you mean `ldmatrix`?"
    );
}

#[test]
fn unknown_modifiers() {
    refused(
        "ld.gobal.u32 %r1, [%rd1];",
        "E0202 at `gobal`: `ld` has no modifier `.gobal` here",
    );
    assert_eq!(help("ld.gobal.u32 %r1, [%rd1];"), "did you mean `.global`?");
    refused(
        "bra.unn L; L:",
        "E0202 at `unn`: `bra` has no modifier `.unn` here",
    );
    refused(
        "ld.global.nc.nc.u32 %r1, [%rd1];",
        "E0202 at `nc`: `.nc` is written twice",
    );
}

#[test]
fn combinations() {
    let cases = [
        (
            "ld.global.shared.u32 %r1, [%rd1];",
            "E0204 at `shared`: `.global` and `.shared` exclude each other",
        ),
        (
            "ld.global.f16 %rs1, [%rd1];",
            "E0204 at `f16`: `ld` has no form for this type",
        ),
        (
            "atom.global.add.b32 %r1, [%rd1], 1;",
            "E0204 at `b32`: `atom` has no form for this type",
        ),
        (
            "ld.relaxed.u32 %r1, [%rd1];",
            "E0203 at `ld.relaxed.u32`: `ld` needs a scope",
        ),
        (
            "ld.global.gpu.u32 %r1, [%rd1];",
            "E0204 at `ld.global.gpu.u32`: a scope goes with `.relaxed`, `.acquire` or `.release` only",
        ),
        (
            "ld.mmio.global.u32 %r1, [%rd1];",
            "E0204 at `ld.mmio.global.u32`: `.mmio` goes with `.relaxed.sys` only",
        ),
        (
            "ld.shared.nc.u32 %r1, [%rd1];",
            "E0204 at `ld.shared.nc.u32`: `.nc` goes with weak loads from `.global` only",
        ),
        (
            "st.const.u32 [%rd1], 1;",
            "E0204 at `st.const.u32`: `.const` memory cannot be stored to",
        ),
        (
            "ld.global.v8.b64 {%rd1,%rd1,%rd1,%rd1,%rd1,%rd1,%rd1,%rd1}, [%rd1];",
            "E0204 at `ld.global.v8.b64`: a lane moves 32 bytes at most",
        ),
        (
            "ld.global %r1, [%rd1];",
            "E0203 at `ld.global`: `ld` needs a type",
        ),
        (
            "atom.global.u32 %r1, [%rd1], 1;",
            "E0203 at `atom.global.u32`: `atom` needs an operation",
        ),
        (
            "red.global.exch.b32 [%rd1], 1;",
            "E0203 at `red.global.exch.b32`: `red` needs an operation",
        ),
        (
            "atom.global.add.f16 %rs1, [%rd1], %rs1;",
            "E0204 at `atom.global.add.f16`: `.noftz` goes with 16-bit floating point, which needs it",
        ),
        (
            "redux.sync.add.f32 %f1, %f1, -1;",
            "E0204 at `f32`: `redux` has no form for this type",
        ),
    ];
    for (body, expected) in cases {
        refused(body, expected);
    }
}

#[test]
fn operands() {
    let cases = [
        (
            "mov.u32 %r1;",
            "E0205 at `mov.u32`: `mov.u32` takes 2 operands, not 1",
        ),
        (
            "mov.u32 %r1, %r2, %r3;",
            "E0205 at `%r3`: `mov.u32` takes 2 operands, not 3",
        ),
        (
            "mov.u32 %r1, %rd1;",
            "E0207 at `%rd1`: `%rd1` is `.b64`, which is no `.u32`",
        ),
        (
            "mov.u32 %f1, 1;",
            "E0207 at `%f1`: `%f1` is `.f32`, which is no `.u32`",
        ),
        (
            "mov.f32 %f1, 1;",
            "E0207 at `1`: an integer is no constant of type `.f32`",
        ),
        (
            "mov.u32 %r1, 1.0;",
            "E0207 at `1.0`: a floating-point number is no constant of type `.u32`",
        ),
        (
            "mov.u32 5, 1;",
            "E0206 at `5`: this operand must be a register",
        ),
        (
            "ld.global.u32 %r1, %rd1;",
            "E0206 at `%rd1`: this operand must be an address in brackets",
        ),
        (
            "ld.global.u32 %rs1, [%rd1];",
            "E0207 at `%rs1`: `%rs1` is `.b16`, which is no `.u32`",
        ),
        (
            "ld.global.u32 %r1, [%rs1];",
            "E0206 at `%rs1`: this operand must be a 64-bit (or 32-bit) integer register",
        ),
        (
            "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];",
            "E0205 at `{%r1, %r2, %r3}`: `ld.global.v2.u32` moves 2 element(s), this operand has 3",
        ),
        (
            "ld.global.u32 %r1, [%rd1+4294967296];",
            "E0208 at `[%rd1+4294967296]`: the offset of an address has 32 bits, with its sign",
        ),
        (
            "st.param.u32 [ks], 1;",
            "E0214 at `[ks]`: a kernel's parameters cannot be stored to",
        ),
        (
            "mov.b128 {%rd1, %rd2}, _;",
            "E0206 at `_`: this operand must be a 128-bit register",
        ),
        ("bar.sync 16;", "E0208 at `16`: a block has 16 barriers"),
        (
            "mov.b64 %rd1, {%r1, %r2, %r3};",
            "E0205 at `{%r1, %r2, %r3}`: `.b64` is not made of 3 elements",
        ),
        (
            "elect.sync %r1, -1;",
            "E0206 at `%r1`: this operand must be a pair `d|p`",
        ),
        (
            "mov.u32 %r1, %tid;",
            "E0206 at `%tid`: this operand must be one dimension: .x, .y or .z",
        ),
        (
            "mov.f32 %f1, %tid.x;",
            "E0207 at `%tid.x`: `%tid` is `.u32`, which is no `.f32`",
        ),
        (
            "mov.u64 %rd1, %tid.x;",
            "E0207 at `%tid.x`: `%tid` is `.u32`, which is no `.u64`",
        ),
        (
            "alloca.u64 %rd1, %rd2, 3;",
            "E0208 at `3`: an alignment is a power of two",
        ),
    ];
    for (body, expected) in cases {
        refused(body, expected);
    }
}

#[test]
fn state_spaces() {
    let declarations = ".global .u32 g;";
    refused_with(
        declarations,
        "ld.shared.u32 %r1, [g];",
        "E0213 at `g`: `g` is in .global, which `ld.shared.u32` cannot reach",
    );
    refused_with(
        ".const .u32 c;",
        "st.u32 [c], 1;",
        "E0206 at `[c]`: this operand must be memory that can be written",
    );
    refused_with(
        ".const .u32 c;",
        "atom.add.u32 %r1, [c], 1;",
        "E0206 at `[c]`: this operand must be global or shared memory",
    );
    refused_with(
        declarations,
        "cvta.shared.u64 %rd1, g;",
        "E0213 at `g`: the variable is in .global, not .shared",
    );
}

#[test]
fn calls() {
    let declarations = ".func f(.param .b64 a) { ret; }";
    let cases = [
        (
            "call f;",
            "E0209 at `f`: the function has 1 argument(s), the call 0",
        ),
        (
            "{ .param .b32 p; call f, (p); }",
            "E0209 at `p`: `p` has 4 bytes, the function expects 8",
        ),
        (
            "call (%r1), f, (%rd1);",
            "E0209 at `%r1`: the function has 0 result(s), the call 1",
        ),
        (
            "call f, (%f1);",
            "E0207 at `%f1`: `%f1` is `.f32`, which is no `.b64`",
        ),
        (
            "call %rd1, (%rd2);",
            "E0206 at `%rd1`: this operand must be a function",
        ),
    ];
    for (body, expected) in cases {
        refused_with(declarations, body, expected);
    }
}

#[test]
fn several_problems_in_one_run() {
    let text = text(
        "",
        "lod.u32 %r1, [%rd1];\nmov.u32 %r1, %rd1;\nbra.x L;\nL: mov.u32 %r1, 1;",
    );
    let codes: Vec<_> = problems(&text)
        .iter()
        .map(|p| p.diagnostic.code.0)
        .collect();
    assert_eq!(codes, ["E0201", "E0207", "E0202"]);
    // Each says what to do.
    assert!(problems(&text).iter().all(|p| p.diagnostic.help.is_some()));
}

#[test]
fn short_texts_cannot_ask_for_huge_tables() {
    let labels = "L, ".repeat(2000);
    let branches = "brx.idx %r1, T;\n".repeat(600);
    let text = text(
        "",
        &format!("T: .branchtargets {labels} L;\n{branches} L: ret;"),
    );
    let problems = problems(&text);
    assert_eq!(problems[0].diagnostic.code.0, "E0212");
}

#[test]
fn frames_have_a_limit() {
    refused(
        ".local .b8 x[4000000000];",
        "E0212 at `x`: parameters and local variables take too many bytes",
    );
}

#[test]
fn functions_too_large_to_load_are_refused() {
    // 4500 registers live across 4500 blocks: 20 million of more than 1024 a block.
    let mut body = String::from(".reg .b32 %v<4500>;\n");
    for n in 0..4500 {
        body += &format!("mov.b32 %v{n}, {n};\n");
    }
    for n in 0..4500 {
        body += &format!("L{n}:\n@%p1 bra L{n};\n");
    }
    for n in 0..4500 {
        body += &format!("add.u32 %r1, %r1, %v{n};\n");
    }
    let message = "the function is too large: too many registers live across too many basic blocks";
    refused(&body, &format!("E0212 at `k`: {message}"));
}

/// What is wrong with a kernel of one instruction in a module with this header.
fn with_header(version: &str, target: &str, instruction: &str) -> String {
    let text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .entry k(.param .align 16 .b8 kp[16])\n{{\n\
         .reg .pred p, q; .reg .b32 r<9>; .reg .f32 f; .reg .f64 d; .reg .b64 a, b;\n\
         .reg .b16 h; {instruction};\n}}\n"
    );
    match warploom_ptx::load(&[("test.ptx", &text)]) {
        Ok(_) => String::new(),
        Err(problems) => lines(&text, &problems).join("\n"),
    }
}

/// Each with the oldest header that has it, and one just older in the version, then in the target.
/// The figures are those of the PTX manual's notes.
#[test]
fn versions_and_targets() {
    let cases = [
        (
            "ld.relaxed.gpu.global.u32 r0, [a]",
            "6.0",
            "sm_70",
            "5.0",
            "sm_62",
        ),
        (
            "ld.relaxed.cluster.global.u32 r0, [a]",
            "7.8",
            "sm_90",
            "7.7",
            "sm_89",
        ),
        (
            "ld.global.L1::evict_last.u32 r0, [a]",
            "7.4",
            "sm_70",
            "7.3",
            "sm_62",
        ),
        (
            "ld.global.L2::128B.u32 r0, [a]",
            "7.4",
            "sm_75",
            "7.3",
            "sm_72",
        ),
        (
            "ld.global.L2::cache_hint.u32 r0, [a], b",
            "7.4",
            "sm_80",
            "7.3",
            "sm_75",
        ),
        (
            "ld.mmio.relaxed.sys.global.u32 r0, [a]",
            "8.2",
            "sm_70",
            "8.1",
            "sm_62",
        ),
        (
            "ld.global.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [a]",
            "8.8",
            "sm_100",
            "8.7",
            "sm_90",
        ),
        (
            "st.shared::cluster.u32 [a], r0",
            "7.8",
            "sm_90",
            "7.7",
            "sm_89",
        ),
        (
            "st.release.sys.global.u32 [a], r0",
            "6.0",
            "sm_70",
            "5.0",
            "sm_62",
        ),
        (
            "prefetch.global.L2::evict_last [a]",
            "7.4",
            "sm_80",
            "7.3",
            "sm_75",
        ),
        ("cvta.param.u64 a, kp", "7.7", "sm_70", "7.6", "sm_62"),
        (
            "isspacep.shared::cluster p, a",
            "7.8",
            "sm_90",
            "7.7",
            "sm_89",
        ),
        (
            "atom.global.add.f64 d, [a], d",
            "5.0",
            "sm_60",
            "4.3",
            "sm_53",
        ),
        (
            "atom.cta.global.add.u32 r0, [a], r1",
            "5.0",
            "sm_60",
            "4.3",
            "sm_53",
        ),
        (
            "atom.acquire.gpu.global.cas.b32 r0, [a], r1, r2",
            "6.0",
            "sm_70",
            "5.0",
            "sm_62",
        ),
        (
            "atom.global.cas.b16 h, [a], h, h",
            "6.3",
            "sm_70",
            "6.2",
            "sm_62",
        ),
        (
            "atom.global.add.noftz.bf16x2 r0, [a], r1",
            "7.8",
            "sm_90",
            "7.7",
            "sm_89",
        ),
        (
            "atom.global.v2.f32.add {f, f}, [a], {f, f}",
            "8.1",
            "sm_90",
            "8.0",
            "sm_89",
        ),
        (
            "red.global.add.noftz.f16x2 [a], r0",
            "6.2",
            "sm_60",
            "6.1",
            "sm_53",
        ),
        (
            "red.release.gpu.global.add.u32 [a], r0",
            "6.0",
            "sm_70",
            "5.0",
            "sm_62",
        ),
        ("barrier.sync 0", "6.0", "sm_50", "5.0", ""),
        ("bar.warp.sync -1", "6.0", "sm_50", "5.0", ""),
        ("bar.cta.sync 0", "7.8", "sm_50", "7.7", ""),
        ("membar.proxy.alias", "7.5", "sm_60", "7.4", "sm_53"),
        ("fence.sc.gpu", "6.0", "sm_70", "5.0", "sm_62"),
        ("fence.proxy.async", "8.0", "sm_90", "7.8", "sm_89"),
        (
            "shfl.sync.idx.b32 r0, r1, 0, 31, -1",
            "6.0",
            "sm_50",
            "5.0",
            "",
        ),
        ("vote.sync.any.pred p, q, -1", "6.0", "sm_50", "5.0", ""),
        (
            "match.any.sync.b32 r0, r1, -1",
            "6.0",
            "sm_70",
            "5.0",
            "sm_62",
        ),
        ("activemask.b32 r0", "6.2", "sm_50", "6.1", ""),
        (
            "redux.sync.add.u32 r0, r1, -1",
            "7.0",
            "sm_80",
            "6.5",
            "sm_75",
        ),
        (
            "redux.sync.min.f32 f, f, -1",
            "8.6",
            "sm_100a",
            "8.5",
            "sm_100",
        ),
        ("elect.sync r0|p, -1", "8.0", "sm_90", "7.8", "sm_89"),
        ("nanosleep.u32 r0", "6.2", "sm_70", "6.1", "sm_62"),
        ("griddepcontrol.wait", "7.8", "sm_90", "7.7", "sm_89"),
        ("alloca.u64 a, b", "7.3", "sm_52", "7.2", "sm_50"),
        ("mov.u32 r0, %clusterid.x", "7.8", "sm_90", "7.7", "sm_89"),
        (
            "mov.u32 r0, %aggr_smem_size",
            "8.1",
            "sm_90",
            "8.0",
            "sm_89",
        ),
        ("cp.async.wait_all", "7.0", "sm_80", "6.5", "sm_75"),
    ];
    for (instruction, version, target, older, earlier) in cases {
        assert_eq!(
            with_header(version, target, instruction),
            "",
            "{instruction}"
        );
        let needs = format!("needs PTX {version}, {target}");
        let needs = needs.trim_end_matches(", sm_50");
        // The version alone is too old: the target is one that it knows.
        for (version, target) in [(older, "sm_30"), (version, earlier)] {
            if !target.is_empty() {
                let refusal = with_header(version, target, instruction);
                assert!(refusal.starts_with("E0204"), "{instruction}: {refusal}");
                assert!(refusal.contains(needs), "{instruction}: {refusal}");
            }
        }
    }
    assert_eq!(
        with_header("7.7", "sm_80", "mov.u32 r0, %clusterid.x"),
        "E0204 at `%clusterid.x`: `%clusterid` needs PTX 7.8, sm_90"
    );
}
