//! Cache-conscious scheduling where it matters, and where it does not.

use warploom_machine::Outcome;

use crate::kit::{Setup, run_setup, v100};

/// A warp a block; each reads its own eight lines again and again.
const THRASH: &str = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %laneid;\nld.param.u64 %d1, [p];\n\
    mul.wide.u32 %d2, %r1, 1024;\nadd.u64 %d3, %d1, %d2;\nmul.wide.u32 %d4, %r2, 4;\n\
    add.u64 %d5, %d3, %d4;\nmov.u32 %r3, 0;\nL:\n\
    ld.global.u32 %r11, [%d5];\nadd.u32 %r4, %r4, %r11;\n\
    ld.global.u32 %r12, [%d5+128];\nadd.u32 %r4, %r4, %r12;\n\
    ld.global.u32 %r13, [%d5+256];\nadd.u32 %r4, %r4, %r13;\n\
    ld.global.u32 %r14, [%d5+384];\nadd.u32 %r4, %r4, %r14;\n\
    ld.global.u32 %r15, [%d5+512];\nadd.u32 %r4, %r4, %r15;\n\
    ld.global.u32 %r16, [%d5+640];\nadd.u32 %r4, %r4, %r16;\n\
    ld.global.u32 %r17, [%d5+768];\nadd.u32 %r4, %r4, %r17;\n\
    ld.global.u32 %r18, [%d5+896];\nadd.u32 %r4, %r4, %r18;\n\
    add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 100;\n@%p1 bra L;\nst.global.u32 [%d5], %r4;";

/// One SM of a V100 with an L1 of 32 KiB: the lines of 32 warps.
fn cycles(scheduler: &str, blocks: u32, resident: u32, body: &str) -> u64 {
    let mut device = v100();
    let name = format!("\"{scheduler}\"");
    let set = [("timing.issue.scheduler", name.as_str()), ("sms", "1")];
    device.set_all(set).expect("figures");
    let setup = Setup {
        warps: 1,
        blocks,
        blocks_per_sm: resident,
        l1_bytes: 32 << 10,
    };
    let run = run_setup(&device, &setup, body);
    assert_eq!(run.outcome, Outcome::Completed);
    run.timing.cycles
}

/// 64 warps have twice the lines that the L1 holds. With 32 resident ones they all fit, which is the
/// best limit; with 16 the latency of the L1 shows. `ccws` finds something between by itself.
#[test]
fn a_thrashing_kernel_gains() {
    let [few, best, all] = [16, 32, 64].map(|resident| cycles("lrr", 64, resident, THRASH));
    assert!(best < few && few < all, "{few} {best} {all}");
    let ccws = cycles("ccws", 64, 64, THRASH);
    assert!(
        ccws < few && ccws * 3 < all * 2 && ccws * 3 < best * 5,
        "{few} {best} {all} {ccws}"
    );
}

/// Without lost lines it is `gto`.
#[test]
fn a_computing_kernel_loses_nothing() {
    let body = "mov.u32 %r3, 0;\nL:\nfma.rn.f32 %f1, %f2, %f3, %f1;\nfma.rn.f32 %f4, %f2, %f3, %f4;\n\
        add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 50;\n@%p1 bra L;";
    let [lrr, gto, ccws] = ["lrr", "gto", "ccws"].map(|name| cycles(name, 256, 64, body));
    assert_eq!(ccws, gto);
    assert!(ccws as f64 <= lrr as f64 * 1.03, "{ccws} {lrr}");
}
