//! Calls, recursion, the thread's stack, local memory.

use warploom_machine::{FaultKind, Outcome};

use crate::kit::{Arg, Case, Ipdom, Its, Ran, module, run};

fn run_module(declarations: &str, body: &str, args: Vec<Arg>) -> [Ran; 2] {
    Case::new(&module(declarations, args.len(), body), "k", args).run_both()
}

fn lanes(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(f).collect()
}

/// `twice(x) = 2 x`, `triple(x) = 3 x`, `inc(x) = x + 1`.
const FUNCTIONS: &str = "
    .func (.param .b32 r) twice (.param .b32 x) {
        .reg .b32 %r<3>;
        ld.param.b32 %r1, [x]; shl.b32 %r1, %r1, 1; st.param.b32 [r], %r1; ret;
    }
    .func (.param .b32 r) triple (.param .b32 x) {
        .reg .b32 %r<3>;
        ld.param.b32 %r1, [x]; mul.lo.u32 %r1, %r1, 3; st.param.b32 [r], %r1; ret;
    }
    .func (.param .b32 r) inc (.param .b32 x) {
        .reg .b32 %r<3>;
        ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret;
    }
    .global .u64 table[3] = { twice, triple, inc };
";

#[test]
fn direct_calls_pass_parameters_and_results() {
    let body = "
        {
        .param .b32 x; .param .b32 r;
        st.param.b32 [x], %t;
        call.uni (r), twice, (x);
        ld.param.b32 %r1, [r];
        }
        {
        .param .b32 x; .param .b32 r;
        st.param.b32 [x], %r1;
        call.uni (r), inc, (x);
        ld.param.b32 %r1, [r];
        }
        st.global.u32 [%out], %r1;";
    for ran in run_module(FUNCTIONS, body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| 2 * l + 1));
    }
}

/// Parameters in registers, several results, a structure by value, a predicate.
#[test]
fn all_kinds_of_parameters() {
    let declarations = "
        .func (.reg .b32 sum, .reg .b64 wide) both (.reg .b32 a, .reg .b32 b) {
            add.u32 sum, a, b;
            mul.wide.u32 wide, a, b;
            ret;
        }
        .func (.param .align 8 .b8 r[16]) swap (.param .align 8 .b8 s[16]) {
            .reg .b64 %rd<3>;
            ld.param.v2.u64 {%rd1, %rd2}, [s];
            st.param.v2.u64 [r], {%rd2, %rd1};
            ret;
        }
        .func (.param .b32 r) narrow (.param .b8 x, .param .s16 y) {
            .reg .b32 %r<4>;
            ld.param.u8 %r1, [x];
            ld.param.s16 %r2, [y];
            add.s32 %r3, %r1, %r2;
            st.param.b32 [r], %r3;
            ret;
        }";
    let body = "
        mov.u32 %r2, 3;
        call (%r1, %rd1), both, (%t, %r2);
        cvt.u32.u64 %r3, %rd1;
        mad.lo.u32 %r1, %r3, 1000, %r1;
        st.global.u32 [%out], %r1;
        {
        .param .align 8 .b8 s[16]; .param .align 8 .b8 r[16];
        mov.u64 %rd2, 7;
        cvt.u64.u32 %rd3, %t;
        st.param.u64 [s], %rd2;
        st.param.u64 [s+8], %rd3;
        call (r), swap, (s);
        ld.param.u64 %rd4, [r];
        ld.param.u64 %rd5, [r+8];
        }
        mad.lo.u64 %rd4, %rd4, 100, %rd5;
        st.global.u32 [%out+128], %rd4;
        {
        .param .b8 x; .param .s16 y; .param .b32 r;
        mov.u32 %r4, 0x1fe;
        st.param.b8 [x], %r4;
        mov.b16 %h1, -3;
        st.param.s16 [y], %h1;
        call (r), narrow, (x, y);
        ld.param.b32 %r5, [r];
        }
        st.global.u32 [%out+256], %r5;";
    for ran in run_module(declarations, body, vec![Arg::Zeros(96)]) {
        let words = ran.words(0);
        assert_eq!(words[..32], lanes(|l| 3000 * l + l + 3));
        assert_eq!(words[32..64], lanes(|l| 100 * l + 7));
        assert_eq!(words[64..], lanes(|_| 0xfe - 3));
    }
}

#[test]
fn calls_in_divergent_code() {
    let body = "
        .param .b32 x; .param .b32 r;
        st.param.b32 [x], %t;
        and.b32 %r2, %t, 1;
        setp.eq.u32 %p1, %r2, 1;
        @%p1 bra ODD;
        call (r), twice, (x);
        ld.param.b32 %r1, [r];
        bra END;
        ODD:
        call (r), triple, (x);
        ld.param.b32 %r1, [r];
        END:
        activemask.b32 %r3;
        st.global.u32 [%out], %r1;
        st.global.u32 [%out+128], %r3;";
    for ran in run_module(FUNCTIONS, body, vec![Arg::Zeros(64)]) {
        let words = ran.words(0);
        assert_eq!(
            words[..32],
            lanes(|l| if l % 2 == 1 { 3 * l } else { 2 * l })
        );
        assert_eq!(words[32..], lanes(|_| u32::MAX));
    }
    // A guarded call: only some lanes go, the others wait behind it.
    let body = "
        .param .b32 x; .param .b32 r;
        setp.lt.u32 %p1, %t, 4;
        st.param.b32 [x], %t;
        mov.u32 %r1, 1000;
        @%p1 call (r), inc, (x);
        @%p1 ld.param.b32 %r1, [r];
        activemask.b32 %r3;
        st.global.u32 [%out], %r1;
        st.global.u32 [%out+128], %r3;";
    for ran in run_module(FUNCTIONS, body, vec![Arg::Zeros(64)]) {
        let words = ran.words(0);
        assert_eq!(words[..32], lanes(|l| if l < 4 { l + 1 } else { 1000 }));
        assert_eq!(words[32..], lanes(|_| u32::MAX));
    }
}

/// Calls through a table of function addresses in global memory; lanes with different targets.
#[test]
fn indirect_calls() {
    let body = |index: &str| {
        format!(
            "{index}
             mov.u64 %rd2, table;
             mad.wide.u32 %rd2, %r1, 8, %rd2;
             ld.global.u64 %rd3, [%rd2];
             {{
             .param .b32 x; .param .b32 r;
             st.param.b32 [x], %t;
             prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
             call (r), %rd3, (x), prototype;
             ld.param.b32 %r2, [r];
             }}
             activemask.b32 %r3;
             st.global.u32 [%out], %r2;
             st.global.u32 [%out+128], %r3;"
        )
    };
    for ran in run_module(FUNCTIONS, &body("mov.u32 %r1, 1;"), vec![Arg::Zeros(64)]) {
        assert_eq!(ran.words(0)[..32], lanes(|l| 3 * l));
    }
    for ran in run_module(
        FUNCTIONS,
        &body("rem.u32 %r1, %t, 3;"),
        vec![Arg::Zeros(64)],
    ) {
        let words = ran.words(0);
        let expected = lanes(|l| match l % 3 {
            0 => 2 * l,
            1 => 3 * l,
            _ => l + 1,
        });
        assert_eq!(words[..32], expected);
        assert_eq!(words[32..], lanes(|_| u32::MAX), "all lanes meet again");
    }
    // A direct address, and a list of targets.
    let body = "
        mov.u64 %rd3, inc;
        {
        .param .b32 x; .param .b32 r;
        st.param.b32 [x], %t;
        targets: .calltargets twice, inc;
        call (r), %rd3, (x), targets;
        ld.param.b32 %r2, [r];
        }
        st.global.u32 [%out], %r2;";
    for ran in run_module(FUNCTIONS, body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| l + 1));
    }
}

#[test]
fn indirect_calls_of_what_is_no_function() {
    let fault = |address: &str, prototype: &str| {
        let body = format!(
            "mov.u64 %rd3, {address};
             {{
             .param .b32 x; .param .b32 r;
             st.param.b32 [x], %t;
             prototype: .callprototype {prototype};
             call (r), %rd3, (x), prototype;
             }}"
        );
        let source = module(FUNCTIONS, 0, &body);
        let case = Case::new(&source, "k", vec![]);
        let [stack, threads] = [Ipdom, Its].map(|d| case.run(d).fault());
        assert_eq!(stack, threads);
        stack
    };
    let good = "(.param .b32 _) _ (.param .b32 _)";
    assert_eq!(
        fault("0x1234", good),
        "0x1234 is not the address of a function"
    );
    // A pointer to data is none either.
    assert!(fault("table", good).ends_with("is not the address of a function"));
    let other = "
        .func (.param .b64 r) wide (.param .b32 x) { ret; }
    ";
    let body = "
        mov.u64 %rd3, wide;
        {
        .param .b32 x; .param .b32 r;
        prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (r), %rd3, (x), prototype;
        }";
    let source = module(other, 0, body);
    let text = Case::new(&source, "k", vec![]).run(Its).fault();
    assert!(
        text.contains("a function with the signature of this call ('wide' has another)"),
        "{text}"
    );
}

/// `sum(n) = n + sum(n - 1)`, with a different depth in each lane.
const SUM: &str = "
    .func (.param .b32 r) sum (.param .b32 n) {
        .reg .b32 %r<5>; .reg .pred %p;
        ld.param.b32 %r1, [n];
        mov.u32 %r3, 0;
        setp.eq.u32 %p, %r1, 0;
        @%p bra END;
        sub.u32 %r2, %r1, 1;
        {
        .param .b32 a; .param .b32 b;
        st.param.b32 [a], %r2;
        call (b), sum, (a);
        ld.param.b32 %r3, [b];
        }
        add.u32 %r3, %r3, %r1;
        END:
        st.param.b32 [r], %r3;
        ret;
    }";

const CALL_SUM: &str = "
    {
    .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r1;
    call (b), sum, (a);
    ld.param.b32 %r2, [b];
    }
    st.global.u32 [%out], %r2;";

#[test]
fn recursion_to_a_depth_of_each_lanes_own() {
    let body = format!("rem.u32 %r1, %t, 7;{CALL_SUM}");
    for ran in run_module(SUM, &body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| (l % 7) * (l % 7 + 1) / 2));
    }
    // Mutual recursion through a table: even(n) = n == 0 or odd(n - 1).
    let declarations = "
        .func (.param .b32 r) odd (.param .b32 n);
        .func (.param .b32 r) even (.param .b32 n) {
            .reg .b32 %r<5>; .reg .pred %p;
            ld.param.b32 %r1, [n];
            mov.u32 %r3, 1;
            setp.eq.u32 %p, %r1, 0;
            @%p bra END;
            sub.u32 %r1, %r1, 1;
            {
            .param .b32 a; .param .b32 b;
            st.param.b32 [a], %r1;
            call (b), odd, (a);
            ld.param.b32 %r3, [b];
            }
            END:
            st.param.b32 [r], %r3;
            ret;
        }
        .func (.param .b32 r) odd (.param .b32 n) {
            .reg .b32 %r<5>; .reg .pred %p;
            ld.param.b32 %r1, [n];
            mov.u32 %r3, 0;
            setp.eq.u32 %p, %r1, 0;
            @%p bra END;
            sub.u32 %r1, %r1, 1;
            {
            .param .b32 a; .param .b32 b;
            st.param.b32 [a], %r1;
            call (b), even, (a);
            ld.param.b32 %r3, [b];
            }
            END:
            st.param.b32 [r], %r3;
            ret;
        }";
    let body = "
        {
        .param .b32 a; .param .b32 b;
        st.param.b32 [a], %t;
        call (b), even, (a);
        ld.param.b32 %r2, [b];
        }
        st.global.u32 [%out], %r2;";
    for ran in run_module(declarations, body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| u32::from(l % 2 == 0)));
    }
}

#[test]
fn endless_recursion_is_a_fault() {
    let body = format!("mov.u32 %r1, 100000;{CALL_SUM}");
    let source = module(SUM, 1, &body);
    for divergence in [Ipdom, Its] {
        let ran = Case::new(&source, "k", vec![Arg::Zeros(32)]).run(divergence);
        assert_eq!(
            ran.fault(),
            "call depth overflow: more than 1024 nested calls"
        );
        assert_eq!(ran.the_fault().lanes, 0xffff_ffff);
    }
    // With a frame of a kilobyte and more, the stack is full before.
    let declarations = "
        .func (.param .b32 r) deep (.param .b32 n) {
            .reg .b32 %r<5>;
            .local .align 16 .b8 space[1024];
            ld.param.b32 %r1, [n];
            st.local.u32 [space], %r1;
            {
            .param .b32 a; .param .b32 b;
            st.param.b32 [a], %r1;
            call (b), deep, (a);
            ld.param.b32 %r1, [b];
            }
            st.param.b32 [r], %r1;
            ret;
        }";
    let body = CALL_SUM.replace("sum", "deep");
    let source = module(declarations, 1, &body);
    for divergence in [Ipdom, Its] {
        let ran = Case::new(&source, "k", vec![Arg::Zeros(32)]).run(divergence);
        let FaultKind::StackOverflow { bytes, limit_bytes } = ran.the_fault().kind else {
            panic!("{}", ran.fault())
        };
        assert_eq!(limit_bytes, 512 << 10);
        // One frame too many, and no more.
        assert!(
            bytes > limit_bytes && bytes <= limit_bytes + 1024 + 64,
            "{bytes}"
        );
    }
}

/// Recursion over an array in each frame: the frames of different depths do not overlap.
#[test]
fn local_arrays_belong_to_their_call() {
    let declarations = "
        .func (.param .b32 r) walk (.param .b32 n) {
            .reg .b32 %r<8>; .reg .b64 %rd<5>; .reg .pred %p;
            .local .align 4 .b8 mine[16];
            ld.param.b32 %r1, [n];
            mov.u64 %rd1, mine;
            and.b32 %r2, %r1, 3;
            mad.wide.u32 %rd2, %r2, 4, %rd1;
            st.local.u32 [%rd2], %r1;
            mov.u32 %r3, 0;
            setp.eq.u32 %p, %r1, 0;
            @%p bra END;
            sub.u32 %r4, %r1, 1;
            {
            .param .b32 a; .param .b32 b;
            st.param.b32 [a], %r4;
            call (b), walk, (a);
            ld.param.b32 %r3, [b];
            }
            END:
            ld.local.u32 %r5, [%rd2];
            mad.lo.u32 %r3, %r3, 2, %r5;
            st.param.b32 [r], %r3;
            ret;
        }";
    // walk(n) = 2 walk(n - 1) + n, walk(0) = 0: 2^(n+1) - n - 2.
    let body = format!("and.b32 %r1, %t, 15;{}", CALL_SUM.replace("sum", "walk"));
    for ran in run_module(declarations, &body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| (1 << (l % 16 + 1)) - l % 16 - 2));
    }
}

#[test]
fn allocation_on_the_stack() {
    // Each lane allocates as many bytes as its number times 8, twice in a loop.
    let body = "
        stacksave.u64 %rd1;
        mul.wide.u32 %rd2, %t, 8;
        add.u64 %rd2, %rd2, 16;
        alloca.u64 %rd3, %rd2, 16;
        st.local.u32 [%rd3], %t;
        alloca.u64 %rd4, 8;
        mov.u32 %r1, 77;
        st.local.u32 [%rd4], %r1;
        ld.local.u32 %r2, [%rd3];
        ld.local.u32 %r3, [%rd4];
        stackrestore.u64 %rd1;
        stacksave.u64 %rd5;
        sub.u64 %rd6, %rd5, %rd1;
        cvt.u32.u64 %r4, %rd6;
        and.b64 %rd7, %rd3, 15;
        cvt.u32.u64 %r5, %rd7;
        mad.lo.u32 %r2, %r2, 1000, %r3;
        add.u32 %r2, %r2, %r4;
        add.u32 %r2, %r2, %r5;
        st.global.u32 [%out], %r2;";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| 1000 * l + 77));
    }
}

fn ends(body: &str) -> [Ran; 2] {
    Case::new(&module("", 0, body), "k", vec![]).run_each()
}

#[test]
fn too_much_on_the_stack() {
    let body = "
        setp.eq.u32 %p1, %t, 3;
        mov.u64 %rd2, 16;
        @%p1 mov.u64 %rd2, 1048576;
        alloca.u64 %rd3, %rd2;";
    for ran in ends(body) {
        assert_eq!(
            ran.fault(),
            "stack overflow: 1048576 bytes of local memory, the limit is 524288"
        );
        assert_eq!(ran.the_fault().lanes, 1 << 3);
        assert_eq!(ran.the_fault().thread, [3, 0, 0]);
    }
    // What is given back can be used again.
    let body = "
        mov.u32 %r1, 0;
        LOOP:
        stacksave.u64 %rd1;
        alloca.u64 %rd3, 300000;
        st.local.u32 [%rd3], %r1;
        stackrestore.u64 %rd1;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p1, %r1, 10;
        @%p1 bra LOOP;
        st.global.u32 [%out], %r1;";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|_| 10));
    }
    // And must not be used after.
    let body = "
        stacksave.u64 %rd1;
        alloca.u64 %rd3, 16;
        stackrestore.u64 %rd1;
        st.local.u32 [%rd3], %t;";
    for ran in ends(body) {
        assert_eq!(
            ran.fault(),
            "local store of 4 bytes at 0x0 is out of bounds"
        );
    }
    for ran in ends("stackrestore.u64 4096;") {
        assert_eq!(
            ran.fault(),
            "0x1000 is not a stack pointer that stacksave returned"
        );
    }
}

/// Every thread of a block has local memory of its own.
#[test]
fn local_memory_is_private() {
    let body = "
        .local .align 4 .b8 mine[64];
        mov.u64 %rd1, mine;
        mov.u32 %r1, 0;
        FILL:
        mad.wide.u32 %rd2, %r1, 4, %rd1;
        mad.lo.u32 %r2, %r1, 1000, %t;
        st.local.u32 [%rd2], %r2;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra FILL;
        bar.sync 0;
        and.b32 %r3, %t, 15;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        ld.local.u32 %r4, [%rd3];
        st.global.u32 [%out], %r4;";
    let source = module("", 1, body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(96)])
        .block(96)
        .run_both()
    {
        let expected: Vec<u32> = (0..96).map(|t| 1000 * (t % 16) + t).collect();
        assert_eq!(ran.words(0), expected);
    }
}

#[test]
fn a_thread_that_exits_in_a_function_is_gone() {
    let declarations = "
        .func leave (.param .b32 n) {
            .reg .b32 %r<3>; .reg .pred %p;
            ld.param.b32 %r1, [n];
            setp.gt.u32 %p, %r1, 9;
            @%p exit;
            ret;
        }";
    let body = "
        {
        .param .b32 a;
        st.param.b32 [a], %t;
        call leave, (a);
        }
        activemask.b32 %r1;
        st.global.u32 [%out], %r1;";
    for ran in run_module(declarations, body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| if l < 10 { 0x3ff } else { 0 }));
        assert_eq!(ran.result.outcome, Outcome::Completed);
    }
}

/// Lanes that wait in one function for lanes in another keep their registers, of either width.
#[test]
fn lanes_in_two_functions_keep_their_registers() {
    let function = |name: &str, registers: &str, first: &str, mix: &str| {
        format!(
            ".func (.param .b32 r) {name} (.param .b32 x) {{
                {registers}
                ld.param.b32 %r1, [x];
                {first}
                shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
                {mix}
                st.param.b32 [r], %r2;
                ret;
            }}\n"
        )
    };
    let declarations = function(
        "narrow",
        ".reg .b32 %r<8>; .reg .pred %p<3>;",
        "setp.gt.u32 %p1, %r1, 20;
         add.u32 %r3, %r1, 1; add.u32 %r4, %r1, 2; add.u32 %r5, %r1, 3; add.u32 %r6, %r1, 4;",
        "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;
         add.u32 %r2, %r2, %r6; @%p1 add.u32 %r2, %r2, 1000;",
    ) + &function(
        "wide",
        ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<3>;",
        "setp.lt.u32 %p2, %r1, 4;
         mul.wide.u32 %d1, %r1, 1; mul.wide.u32 %d2, %r1, 2; mul.wide.u32 %d3, %r1, 3;",
        "add.u64 %d1, %d1, %d2; add.u64 %d1, %d1, %d3; cvt.u32.u64 %r3, %d1;
         add.u32 %r2, %r2, %r3; @%p2 add.u32 %r2, %r2, 5000;",
    );
    // One of the two is called from one function further in.
    let declarations = declarations
        + ".func (.param .b32 r) outer (.param .b32 x) {
            .reg .b32 %r<4>;
            .reg .pred %p<6>;
            ld.param.b32 %r1, [x];
            {
            .param .b32 a; .param .b32 b;
            st.param.b32 [a], %r1;
            call (b), narrow, (a);
            ld.param.b32 %r2, [b];
            }
            add.u32 %r2, %r2, %r1;
            st.param.b32 [r], %r2;
            ret;
        }";
    let body = "
        .param .b32 x; .param .b32 r;
        st.param.b32 [x], %t;
        setp.lt.u32 %p1, %t, 16;
        @%p1 bra LOW;
        call (r), outer, (x);
        bra END;
        LOW:
        call (r), wide, (x);
        END:
        ld.param.b32 %r1, [r];
        st.global.u32 [%out], %r1;";
    let source = module(&declarations, 1, body);
    let ran = Case::new(&source, "k", vec![Arg::Zeros(32)]).run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    let expected = |l: u32| match l {
        // The other half's number, and six times its own.
        0..16 => (l + 16) + 6 * l + if l < 4 { 5000 } else { 0 },
        _ => (l - 16) + 4 * l + 10 + if l > 20 { 1000 } else { 0 } + l,
    };
    assert_eq!(ran.words(0), lanes(expected));
}

/// A structure by value, of which the function takes the address; each call has its own.
#[test]
fn parameters_with_an_address() {
    let declarations = "
        .func (.param .b32 r) pick (.param .align 8 .b8 s[16], .param .b32 n) {
            .reg .b32 %r<5>; .reg .b64 %rd<5>;
            ld.param.b32 %r1, [n];
            and.b32 %r1, %r1, 3;
            mov.b64 %rd1, s;
            mad.wide.u32 %rd2, %r1, 4, %rd1;
            ld.param.b32 %r2, [%rd2];
            cvta.param.u64 %rd3, %rd2;
            ld.b32 %r3, [%rd3];
            mad.lo.u32 %r2, %r2, 1000, %r3;
            st.param.b32 [r], %r2;
            ret;
        }";
    let body = "
        {
        .param .align 8 .b8 a[16]; .param .b32 b; .param .b32 c;
        add.u32 %r1, %t, 1;
        add.u32 %r2, %t, 2;
        add.u32 %r3, %t, 3;
        st.param.v2.b32 [a], {%t, %r1};
        st.param.v2.b32 [a+8], {%r2, %r3};
        st.param.b32 [b], %t;
        call (c), pick, (a, b);
        ld.param.b32 %r4, [c];
        }
        st.global.u32 [%out], %r4;";
    for ran in run_module(declarations, body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), lanes(|l| 1001 * (l + l % 4)));
    }
}
