//! Branches, returns, the stack, and what only takes time.

use crate::support::{check, check_rows, counted, kernel};

#[test]
fn branches() {
    check_rows(
        "@%p1 bra L; mov.u32 %r1, 1; L: mov.u32 %r2, 2;",
        &[
            "@m1 bra b2, meet b2",
            "b1:",
            "mov.b32 r0, 1",
            "b2:",
            "mov.b32 r0, 2",
        ],
    );
    check_rows(
        "L: bra.uni M; M: @!%p1 bra L;",
        &["bra b1, meet b1", "b1:", "@!m1 bra b0, meet b2", "b2:"],
    );
}

#[test]
fn labels_of_inner_blocks_are_their_own() {
    check_rows(
        "{ bra L; L: nanosleep.u32 1; } { bra L; L: nanosleep.u32 2; }",
        &[
            "bra b1, meet b1",
            "b1:",
            "nanosleep 1",
            "bra b2, meet b2",
            "b2:",
            "nanosleep 2",
        ],
    );
}

#[test]
fn indexed_branches() {
    check_rows(
        "T: .branchtargets A, B, A; brx.idx %r1, T; A: nanosleep.u32 1; B: nanosleep.u32 2;",
        &[
            "brx.idx r0, {b1, b2, b1}, meet b2",
            "b1:",
            "nanosleep 1",
            "b2:",
            "nanosleep 2",
        ],
    );
}

#[test]
fn the_end_of_threads() {
    check_rows("ret;", &["ret", "b1:"]);
    check_rows("exit;", &["exit", "b1:"]);
    check_rows("@%p1 exit; trap;", &["@m1 exit", "b1:", "trap", "b2:"]);
    // A kernel's return under a guard ends some threads.
    check_rows("@%p1 ret; brkpt;", &["@m1 exit", "b1:", "brkpt", "b2:"]);
}

#[test]
fn nothing_but_an_issue() {
    let body = "pmevent 1; pmevent.mask 3; griddepcontrol.wait; griddepcontrol.launch_dependents;";
    check_rows(body, &["nop"; 4]);
    check_rows("@%p1 pmevent 1;", &["@m1 nop"]);
    let module = kernel("", body);
    assert_eq!(counted(&module, "k"), 4);
}

#[test]
fn the_stack() {
    check("stacksave.u64 %rd1;", &["stacksave rd1"]);
    check("alloca.u64 %rd1, %rd2, 16;", &["alloca rd1, rd2, align 16"]);
    check("stackrestore.u64 %rd1;", &["stackrestore rd1"]);
    check(
        "alloca.u32 %r1, 64;",
        &[
            "| cvt.u64.u32 t0, 64",
            "alloca t0, t0, align 8",
            "| cvt.u32.u64 r1, t0",
        ],
    );
}
