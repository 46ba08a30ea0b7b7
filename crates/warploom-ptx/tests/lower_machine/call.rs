//! Calls and the frames they go through.

use warploom_isa::FrameRange;

use crate::support::{code, counted, function, kernel, load};

fn range(offset: u32, bytes: u32) -> FrameRange {
    FrameRange { offset, bytes }
}

const CALLEE: &str = "
.func (.param .b32 out) f(.param .b64 a, .param .align 8 .b8 b[24])
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [b+16];
    st.param.b32 [out], %r1;
    ret;
}
";

#[test]
fn parameters_are_in_the_frame() {
    let module = kernel(CALLEE, "");
    let (_, f) = function(&module, "f");
    assert_eq!(f.formals, [range(0, 8), range(8, 24)]);
    assert_eq!(f.returns, [range(32, 4)]);
    assert_eq!(f.frame_bytes, 48);
    assert!(!f.kernel);
    assert_eq!(
        code(&module, "f"),
        [
            "ld.frame.call.b32 r0, [24]",
            "st.frame.call.b32 [32], r0",
            "ret",
            "b1:"
        ]
    );
}

#[test]
fn a_call_names_places_in_the_callers_frame() {
    let body = "
        {
        .param .b64 p0; .param .align 8 .b8 p1[24]; .param .b32 r0;
        st.param.b64 [p0], %rd1;
        st.param.b64 [p1+16], %rd2;
        call.uni (r0), f, (p0, p1);
        ld.param.b32 %r1, [r0];
        }
    ";
    let module = kernel(CALLEE, body);
    let (callee, _) = function(&module, "f");
    let (_, k) = function(&module, "k");
    assert_eq!(k.callees, [callee]);
    assert_eq!(
        code(&module, "k"),
        [
            "st.frame.call.b64 [0], d0",
            "st.frame.call.b64 [24], d2",
            "call (32:4), f, (0:8, 8:24)",
            "b3:",
            // Behind the rows of 64-bit registers.
            "ld.frame.call.b32 r4, [32]",
        ]
    );
}

#[test]
fn calls_one_after_the_other_share_their_bytes() {
    let once = "{
        .param .b64 p0; .param .align 8 .b8 p1[24]; .param .b32 r0;
        st.param.b64 [p0], %rd1;
        call (r0), f, (p0, p1);
        }";
    let module = kernel(CALLEE, &once.repeat(20));
    assert_eq!(function(&module, "k").1.frame_bytes, 48);
}

#[test]
fn a_parameter_that_lives_across_a_loop_keeps_its_bytes() {
    // `p` is set before the loop; `q` inside it must not take its place.
    let callee = ".func g(.param .b64 a) { ret; }";
    let body = "
        .param .b64 p; .param .b64 q;
        st.param.b64 [p], %rd1;
        L: call g, (p);
        st.param.b64 [q], %rd2;
        call g, (q);
        @%p1 bra L;
    ";
    let module = kernel(callee, body);
    assert_eq!(module.call_sites[0].arguments, [range(0, 8)]);
    assert_eq!(module.call_sites[1].arguments, [range(8, 8)]);
}

#[test]
fn register_parameters_travel_through_the_frame() {
    let callee = "
        .func (.reg .u32 out) twice(.reg .u32 x, .reg .pred p)
        {
            @p mov.u32 out, x;
            @p ret;
            mov.u32 out, 0;
        }
    ";
    let module = kernel(callee, "call (%r1), twice, (%r2, %p1);");
    let (_, twice) = function(&module, "twice");
    assert_eq!(twice.formals, [range(0, 4), range(4, 1)]);
    assert_eq!(twice.returns, [range(8, 4)]);
    assert_eq!(
        code(&module, "twice"),
        [
            "| ld.frame.call.b32 r1, [0]",
            "| ld.frame.call.b8 r2, [4]",
            "| setp.ne.i32 m1, r2, 0",
            "@m1 mov.b32 r0, r1",
            "@m1 bra b2, meet exit",
            "b1:",
            "| bra b3, meet b3",
            "b2:",
            "| st.frame.call.b32 [8], r0",
            "| ret",
            "b3:",
            "mov.b32 r0, 0",
            "| st.frame.call.b32 [8], r0",
        ]
    );
    assert_eq!(
        code(&module, "k"),
        [
            "| st.frame.call.b32 [0], r0",
            "| selp.b32 r0, 1, 0, m1",
            "| st.frame.call.b8 [4], r0",
            "call (8:4), twice, (0:4, 4:1)",
            "b5:",
            "| ld.frame.call.b32 r0, [8]",
        ]
    );
    assert_eq!(counted(&module, "twice"), 3);
}

#[test]
fn a_guarded_call_is_branched_around() {
    let module = kernel(".func g() { ret; }", "@%p1 call g;");
    // The branch is what issues: there all lanes are together.
    assert_eq!(
        code(&module, "k"),
        [
            "@m1 bra b4, meet b5",
            "b3:",
            "| bra b5, meet b5",
            "b4:",
            "| call (), g, ()",
            "b5:"
        ]
    );
    assert_eq!(counted(&module, "k"), 1);
}

#[test]
fn indirect_calls() {
    let body = "
        P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[24]);
        {
        .param .b64 p0; .param .align 8 .b8 p1[24]; .param .b32 r0;
        st.param.b64 [p0], %rd1;
        st.param.b64 [p1], %rd1;
        call (r0), %rd2, (p0, p1), P;
        }
    ";
    let module = kernel(CALLEE, body);
    let (_, k) = function(&module, "k");
    assert!(k.calls_indirectly);
    assert_eq!(
        code(&module, "k")[2],
        "call.indirect (32:4), d2, (0:8, 8:24)"
    );
    let body = "
        T: .calltargets f;
        { .param .b64 p0; .param .align 8 .b8 p1[24]; .param .b32 r0;
        mov.u64 %rd1, f;
        call (r0), %rd1, (p0, p1), T; }
    ";
    let module = kernel(CALLEE, body);
    assert_eq!(function(&module, "k").1.callees, [function(&module, "f").0]);
}

#[test]
fn functions_of_the_host() {
    let declarations = "
        .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
        .extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;
        .extern .func (.param .b64 r) malloc (.param .b64 a);
        .extern .func free (.param .b64 a);
    ";
    let body = "
        { .param .b64 p; .param .b64 r;
        st.param.b64 [p], 64;
        call (r), malloc, (p);
        ld.param.b64 %rd1, [r]; }
        { .param .b64 p;
        st.param.b64 [p], %rd1;
        call free, (p); }
    ";
    let module = kernel(declarations, body);
    assert_eq!(
        code(&module, "k"),
        [
            "st.frame.call.b64 [0], 64",
            "call.host (8:8), malloc, (0:8)",
            "ld.frame.call.b64 d0, [8]",
            "st.frame.call.b64 [0], d0",
            "call.host (), free, (0:8)",
        ]
    );
    let (_, k) = function(&module, "k");
    assert!(k.order_dependent && k.callees.is_empty());
    // Somebody's own function of that name is no host function.
    let own = ".func free(.param .b64 a) { ret; }";
    let module = kernel(
        own,
        "{ .param .b64 p; st.param.b64 [p], 0; call free, (p); }",
    );
    assert_eq!(code(&module, "k")[1], "call (), free, (0:8)");
}

#[test]
fn a_functions_parameter_has_a_local_address() {
    let text = "
        .version 8.0
        .target sm_80
        .address_size 64
        .func f(.param .b64 x, .param .align 4 .b8 s[16])
        {
            .reg .b64 %rd<4>; .reg .b32 %r<4>;
            mov.b64 %rd1, s;
            ld.param.b32 %r1, [%rd1+4];
            cvta.param.u64 %rd2, s;
            st.u32 [%rd2], %r1;
            ret;
        }
    ";
    let module = load(text);
    assert_eq!(
        code(&module, "f"),
        [
            "frame.address d0, 8",
            "ld.local.b32 r2, [d0+4]",
            "| frame.address d0, 8",
            "add.i64 d0, d0, 0x20000000000",
            "st.generic.b32 [d0], r2",
            "ret",
            "b1:",
        ]
    );
}

#[test]
fn frames_keep_the_largest_alignment() {
    let declarations = ".func g() { .local .align 64 .b8 x[4]; .reg .b64 %d; mov.u64 %d, x; ret; }";
    let module = kernel(declarations, ".local .b32 y; mov.u64 %rd1, y;");
    // Every frame is a multiple of 64 bytes, so that the next one starts on such a boundary.
    assert_eq!(function(&module, "g").1.frame_bytes, 64);
    assert_eq!(function(&module, "k").1.frame_bytes, 64);
}
