//! What PTX has and the machine does not.

use warploom_isa::Op;

use crate::support::{counted, function, holds, kernel};

#[test]
fn excluded_families_are_named_and_trap() {
    let instructions = [
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1]",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4}",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%rd1]",
        "cp.async.cg.shared.global [%r1], [%rd1], 16",
        "mbarrier.init.shared.b64 [%rd1], 1",
        "barrier.cluster.arrive.aligned",
        "setmaxnreg.dec.sync.aligned.u32 24",
        "mapa.shared::cluster.u32 %r1, %r2, %r3",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}]",
        "suld.b.2d.b32.trap {%r1}, [%rd1, {%r2,%r3}]",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3]",
        "fence.mbarrier_init.release.cluster",
        "prefetch.tensormap [%rd1]",
        "red.async.relaxed.cluster.global.add.u32 [%rd1], 1, [%rd2]",
    ];
    for inst in instructions {
        let module = kernel("", &format!("{inst};\nnanosleep.u32 1;"));
        let (_, k) = function(&module, "k");
        let opcode = inst.split_whitespace().next().unwrap();
        assert_eq!(k.unsupported.len(), 1, "{inst}");
        assert_eq!(k.unsupported[0].what, opcode);
        assert_eq!(k.unsupported[0].origin.text_line, 15);
        assert!(holds(&module, "k", Op::Trap));
        assert_eq!(counted(&module, "k"), 2, "{inst}");
    }
}

#[test]
fn a_function_with_an_unsupported_instruction_does_not_taint_others() {
    let module = kernel(
        ".visible .entry other() { .reg .b64 %d<2>; mbarrier.init.shared.b64 [%d1], 1; ret; }",
        "ret;",
    );
    assert_eq!(function(&module, "other").1.unsupported.len(), 1);
    assert!(function(&module, "k").1.unsupported.is_empty());
}

#[test]
fn calls_that_nothing_answers() {
    let declarations = ".extern .func missing(.param .b64 a); .visible .entry other() { ret; }";
    let module = kernel(
        declarations,
        "{ .param .b64 p; st.param.b64 [p], 1; call missing, (p); }",
    );
    let (_, k) = function(&module, "k");
    assert_eq!(
        k.unsupported[0].what,
        "call of `missing`, which no module defines"
    );
    let module = kernel(declarations, "call other;");
    assert_eq!(
        function(&module, "k").1.unsupported[0].what,
        "call of the kernel `other`"
    );
}

#[test]
fn unused_textures_do_no_harm() {
    let module = kernel(
        ".global .texref t; .global .samplerref s; .global .surfref u;",
        "ret;",
    );
    assert!(module.variables.is_empty());
}
