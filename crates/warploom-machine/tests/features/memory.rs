//! Memory: bounds and alignment in every space, generic addresses, constants, initial values.

use warploom_isa::Space;
use warploom_isa::address::SHARED_WINDOW;
use warploom_machine::{FaultKind, Outcome};

use crate::kit::{Arg, Case, Its, Ran, kernel, module, run};

fn lanes(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(f).collect()
}

/// Runs to a fault under both models, which agree on it; one of the runs.
fn fault(declarations: &str, body: &str, args: Vec<Arg>) -> Ran {
    let source = module(declarations, args.len(), body);
    let [stack, threads] = Case::new(&source, "k", args).run_each();
    assert_eq!(stack.the_fault(), threads.the_fault());
    threads
}

/// Text of the fault of a kernel without buffers.
fn text(declarations: &str, body: &str) -> String {
    fault(declarations, body, vec![]).fault()
}

#[test]
fn outside_of_buffers() {
    let buffers = || vec![Arg::Zeros(32), Arg::Zeros(32)];
    let ran = fault("", "ld.global.u32 %r1, [%b0+128];", buffers());
    let base = ran.address(0);
    let buffer = format!("buffer 'buffer 0' of 128 bytes at {base:#x}");
    assert_eq!(
        ran.fault(),
        format!(
            "global load of 4 bytes at {:#x} is out of bounds: \
             0 bytes past the end of {buffer}",
            base + 128
        )
    );
    assert_eq!(ran.the_fault().lanes, 0xffff_ffff);
    let ran = fault("", "st.global.u8 [%b0+-3], %r1;", buffers());
    assert_eq!(
        ran.fault(),
        format!(
            "global store of 1 bytes at {:#x} is out of bounds: 3 bytes before {buffer}",
            base - 3
        )
    );
    // In the red zone between two buffers, which are at least 256 bytes apart.
    let second = ran.address(1);
    assert!(second >= base + 128 + 256);
    let near_second = second - 16;
    let body = format!("mov.u64 %rd1, {near_second}; atom.global.add.u64 %rd2, [%rd1], 1;");
    assert_eq!(
        fault("", &body, buffers()).fault(),
        format!(
            "global atomic of 8 bytes at {near_second:#x} is out of bounds: \
             16 bytes before buffer 'buffer 1' of 128 bytes at {second:#x}"
        )
    );
    // Across the end.
    let ran = fault(
        "",
        "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%b0+16];",
        vec![Arg::Zeros(6)],
    );
    assert_eq!(
        ran.fault(),
        format!(
            "global load of 16 bytes at {:#x} is out of bounds: \
             buffer 'buffer 0' of 24 bytes at {base:#x}",
            base + 16
        )
    );
}

#[test]
fn only_the_lanes_that_go_too_far_are_at_fault() {
    // 20 words for 32 lanes.
    let ran = fault("", "st.global.u32 [%out], %t;", vec![Arg::Zeros(20)]);
    let fault = ran.the_fault();
    assert_eq!((fault.lanes, fault.thread), (0xfff0_0000, [20, 0, 0]));
    assert_eq!(ran.words(0), [0; 20], "nobody has stored");
    // In the second warp of the second block.
    let source = kernel(
        1,
        "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 64, %t;
         mad.wide.u32 %rd1, %r1, 4, %b0; st.global.u32 [%rd1], %r1;",
    );
    let case = Case::new(&source, "k", vec![Arg::Zeros(100)])
        .block(64)
        .grid(2);
    for ran in case.run_each() {
        let fault = ran.the_fault();
        assert_eq!((fault.block, fault.thread), ([1, 0, 0], [36, 0, 0]));
        assert_eq!(fault.lanes, 0xffff_fff0);
        assert_eq!(ran.words(0)[..96], (0..96).collect::<Vec<u32>>());
        assert_eq!(fault.kernel, "k");
    }
}

#[test]
fn the_null_pointer() {
    for (space, address) in [(".global", 0), ("", 8)] {
        let body = format!("mov.u64 %rd1, {address}; ld{space}.u32 %r1, [%rd1];");
        assert_eq!(
            fault("", &body, vec![Arg::Zeros(1)]).fault(),
            format!(
                "global load of 4 bytes at {address:#x} is out of bounds: \
                 a null pointer"
            )
        );
    }
}

#[test]
fn outside_of_shared_variables() {
    let load = |at: &str| {
        format!(
            ".shared .align 4 .b8 small[4];
             .shared .align 16 .b8 large[64];
             ld.shared.u8 %r2, [small]; ld.shared.u8 %r2, [large];
             {at}"
        )
    };
    assert_eq!(
        text("", &load("ld.shared.u32 %r1, [large+64];")),
        "shared load of 4 bytes at 0x50 is out of bounds: \
         0 bytes past the end of variable 'large' of 64 bytes at 0x10"
    );
    // The gap between the two.
    assert_eq!(
        text("", &load("ld.shared.u8 %r1, [small+9];")),
        "shared load of 1 bytes at 0x9 is out of bounds: \
         5 bytes past the end of variable 'small' of 4 bytes at 0x0"
    );
    assert_eq!(
        text("", &load("st.shared.u8 [large+-2], %r1;")),
        "shared store of 1 bytes at 0xe is out of bounds: \
         2 bytes before variable 'large' of 64 bytes at 0x10"
    );
    // A kernel without shared memory, through a 32-bit register.
    assert_eq!(
        text("", "mov.u32 %r1, 64; ld.shared.u32 %r2, [%r1];"),
        "shared load of 4 bytes at 0x40 is out of bounds"
    );
    // Dynamic shared memory ends where the launch says.
    let source = module(
        ".extern .shared .align 16 .b8 dynamic[];",
        1,
        "mov.u32 %r1, dynamic; mad.lo.u32 %r1, %t, 4, %r1;
         st.shared.u32 [%r1], %t; ld.shared.u32 %r2, [%r1]; st.global.u32 [%out], %r2;",
    );
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    case.dynamic_shared_bytes = 128;
    for ran in case.run_both() {
        assert_eq!(ran.words(0), lanes(|l| l));
    }
    case.dynamic_shared_bytes = 112;
    for ran in case.run_each() {
        assert_eq!(ran.the_fault().lanes, 0xf000_0000);
        assert_eq!(
            ran.fault(),
            "shared store of 4 bytes at 0x70 is out of bounds: \
             0 bytes past the end of variable 'dynamic' of 112 bytes at 0x0"
        );
    }
}

#[test]
fn outside_of_local_memory_and_parameters() {
    let local = ".local .align 8 .b8 mine[64]; mov.u64 %rd1, mine;";
    assert_eq!(
        text("", &format!("{local} ld.local.u32 %r1, [%rd1+64];")),
        "local load of 4 bytes at 0x40 is out of bounds: \
         0 bytes past the end of the thread's local memory of 64 bytes at 0x0"
    );
    assert_eq!(
        text(
            "",
            &format!("{local} cvta.local.u64 %rd1, %rd1; st.u64 [%rd1+72], %rd2;")
        ),
        "local store of 8 bytes at 0x48 is out of bounds: \
         8 bytes past the end of the thread's local memory of 64 bytes at 0x0"
    );
    let ran = fault(
        "",
        "mov.u64 %rd1, p0; cvta.param.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+8];",
        vec![Arg::Zeros(1)],
    );
    assert_eq!(
        ran.fault(),
        "param load of 4 bytes at 0x8 is out of bounds: \
         0 bytes past the end of the kernel's parameters of 8 bytes at 0x0"
    );
}

/// Two variables of 8 bytes at 0 and 16: what lies between belongs to neither.
#[test]
fn beside_local_variables() {
    let two = ".local .align 16 .b8 a[8]; .local .align 16 .b8 b[8];";
    let beside = "local load of 4 bytes at 0x8 is out of bounds: \
                  0 bytes past the end of a local variable of 8 bytes at 0x0";
    assert_eq!(text("", &format!("{two} ld.local.u32 %r1, [a+8];")), beside);
    let pointer = format!("{two} mov.u64 %rd1, a; ld.local.u32 %r1, [%rd1+8];");
    assert_eq!(text("", &pointer), beside);
    let before = format!("{two} mov.u64 %rd1, a; ld.local.u32 %r1, [%rd1+-4];");
    assert_eq!(
        text("", &before),
        "local load of 4 bytes at 0xfffffffffffffffc is out of bounds: \
         4 bytes before the thread's local memory of 32 bytes at 0x0"
    );
}

/// A constant load takes constants only.
#[test]
fn a_constant_load_of_a_buffer() {
    let ran = fault("", "ld.const.u32 %r1, [%b0];", vec![Arg::Zeros(1)]);
    let kind = ran.the_fault().kind.clone();
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind:?}");
}

#[test]
fn parameters_are_aligned() {
    let misaligned = "ld.param.u32 %r1, [p0+2];";
    assert_eq!(
        fault("", misaligned, vec![Arg::Zeros(1)]).fault(),
        "param load of 4 bytes at 0x2 is misaligned: it needs a multiple of 4"
    );
}

#[test]
fn outside_of_constants() {
    let declarations = ".const .align 4 .b32 table[4] = {1, 2, 3, 4};";
    let fault = text(declarations, "ld.const.u32 %r1, [table+16];");
    assert!(
        fault.contains("is out of bounds: 0 bytes past the end of variable 'table' of 16 bytes"),
        "{fault}"
    );
    let body = "mov.u64 %rd1, table; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1+4], 5;";
    let fault = text(declarations, body);
    assert!(
        fault.starts_with("global store of 4 bytes at 0x"),
        "{fault}"
    );
    assert!(fault.ends_with("writes read-only memory"), "{fault}");
    let body = "mov.u64 %rd1, table; cvta.const.u64 %rd1, %rd1; red.add.u32 [%rd1], 5;";
    assert!(text(declarations, body).ends_with("writes read-only memory"));
}

#[test]
fn writes_to_parameters() {
    let body = "mov.u64 %rd1, p0; cvta.param.u64 %rd1, %rd1; st.u64 [%rd1], %rd1;";
    assert_eq!(
        fault("", body, vec![Arg::Zeros(1)]).fault(),
        "param store of 8 bytes at 0x0 writes read-only memory"
    );
}

#[test]
fn misaligned_in_every_space() {
    let declarations = ".const .align 8 .b8 table[32]; .global .align 16 .b8 there[64];";
    // What sets `%rd1`, the space in the opcode, the space in the message.
    let places = [
        ("mov.u64 %rd1, there;", ".global", "global"),
        ("mov.u64 %rd1, there;", "", "global"),
        (
            ".shared .align 16 .b8 box[64]; mov.u64 %rd1, box;",
            ".shared",
            "shared",
        ),
        (
            ".local .align 16 .b8 mine[64]; mov.u64 %rd1, mine;",
            ".local",
            "local",
        ),
        (
            ".local .align 16 .b8 mine[64]; mov.u64 %rd1, mine; cvta.local.u64 %rd1, %rd1;",
            "",
            "local",
        ),
        ("mov.u64 %rd1, table;", ".const", "const"),
        ("mov.u64 %rd1, p0; cvta.param.u64 %rd1, %rd1;", "", "param"),
    ];
    // Width, the target of a load, an offset that does not fit.
    let widths = [
        (2, "u16 %h1", 1),
        (4, "u32 %r1", 2),
        (8, "u64 %rd2", 4),
        (8, "v2.u32 {%r1,%r2}", 4),
        (16, "v4.u32 {%r1,%r2,%r3,%r4}", 8),
    ];
    for (setup, space, name) in places {
        for (bytes, target, offset) in widths {
            let body = format!("{setup} ld{space}.{target}, [%rd1+{offset}];");
            let ran = fault(declarations, &body, vec![Arg::Zeros(1), Arg::Zeros(1)]);
            let FaultKind::Misaligned { access } = ran.the_fault().kind else {
                panic!("{body}: {}", ran.fault())
            };
            assert_eq!((access.bytes, access.space.name()), (bytes, name), "{body}");
            assert_eq!(access.address % u64::from(bytes), offset, "{body}");
            let tail = format!("is misaligned: it needs a multiple of {bytes}");
            assert!(ran.fault().ends_with(&tail), "{}", ran.fault());
        }
    }
    // Where one lane's address does not fit, after others that do.
    let body = "
        mad.wide.u32 %rd1, %t, 4, %b0;
        setp.eq.u32 %p1, %t, 7;
        @%p1 add.u64 %rd1, %rd1, 2;
        ld.global.u32 %r1, [%b0];
        ld.global.u32 %r1, [%rd1];";
    let ran = fault("", body, vec![Arg::Zeros(33)]);
    assert_eq!(ran.the_fault().lanes, 1 << 7);
}

/// One instruction whose lanes reach five spaces.
#[test]
fn generic_addresses() {
    let declarations = ".const .align 4 .b32 constant = 3000;";
    let body = "
        .shared .align 8 .b32 box[32];
        .local .align 8 .b32 mine[2];
        mov.u32 %r1, box;
        mad.lo.u32 %r1, %t, 4, %r1;
        add.u32 %r2, %t, 1000;
        st.shared.u32 [%r1], %r2;
        add.u32 %r2, %t, 2000;
        st.local.u32 [mine+4], %r2;
        add.u32 %r2, %t, 4000;
        st.global.u32 [%out], %r2;
        // Which space: the lane's number modulo 5.
        rem.u32 %r3, %t, 5;
        cvt.u64.u32 %rd1, %r1;
        cvta.shared.u64 %rd1, %rd1;
        mov.u64 %rd2, mine;
        cvta.local.u64 %rd2, %rd2;
        add.u64 %rd2, %rd2, 4;
        setp.eq.u32 %p1, %r3, 1;
        selp.b64 %rd1, %rd2, %rd1, %p1;
        mov.u64 %rd2, constant;
        cvta.const.u64 %rd2, %rd2;
        setp.eq.u32 %p1, %r3, 2;
        selp.b64 %rd1, %rd2, %rd1, %p1;
        setp.eq.u32 %p1, %r3, 3;
        cvta.global.u64 %rd2, %out;
        selp.b64 %rd1, %rd2, %rd1, %p1;
        mov.u64 %rd2, p0;
        cvta.param.u64 %rd2, %rd2;
        setp.eq.u32 %p1, %r3, 4;
        selp.b64 %rd1, %rd2, %rd1, %p1;
        ld.u32 %r4, [%rd1];
        st.global.u32 [%out], %r4;
        // What the addresses say of themselves.
        isspacep.shared %p2, %rd1;
        isspacep.local %p3, %rd1;
        isspacep.const %p4, %rd1;
        isspacep.global %p5, %rd1;
        isspacep.param %p6, %rd1;
        selp.u32 %r5, 1, 0, %p2;
        @%p3 or.b32 %r5, %r5, 2;
        @%p4 or.b32 %r5, %r5, 4;
        @%p5 or.b32 %r5, %r5, 8;
        @%p6 or.b32 %r5, %r5, 16;
        st.global.u32 [%out+128], %r5;";
    let source = module(declarations, 1, body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(64)]).run_both() {
        let words = ran.words(0);
        let pointer = ran.address(0) as u32;
        let expected = lanes(|l| match l % 5 {
            0 => 1000 + l,
            1 => 2000 + l,
            2 => 3000,
            3 => 4000 + l,
            _ => pointer,
        });
        assert_eq!(words[..32], expected);
        // The manual: parameters lie in the window of global memory. Constants may as well.
        let told: Vec<u32> = words[32..]
            .iter()
            .map(|bits| match bits {
                12 => 4,
                bits => *bits,
            })
            .collect();
        assert_eq!(told, lanes(|l| [1, 2, 4, 8, 24][l as usize % 5]));
    }
}

#[test]
fn a_generic_store_to_two_spaces() {
    let body = "
        .shared .align 4 .b32 box[32];
        mov.u32 %r1, box;
        mad.lo.u32 %r1, %t, 4, %r1;
        cvt.u64.u32 %rd1, %r1;
        cvta.shared.u64 %rd1, %rd1;
        setp.lt.u32 %p1, %t, 10;
        selp.b64 %rd2, %rd1, %out, %p1;
        add.u32 %r2, %t, 7;
        st.u32 [%rd2], %r2;
        ld.shared.u32 %r3, [%r1];
        st.global.u32 [%out+128], %r3;";
    for ran in run(body, vec![Arg::Zeros(64)]) {
        let words = ran.words(0);
        assert_eq!(words[..32], lanes(|l| if l < 10 { 0 } else { l + 7 }));
        assert_eq!(words[32..], lanes(|l| if l < 10 { l + 7 } else { 0 }));
    }
    // A generic access whose shared part is bad names the shared address.
    let body = format!("mov.u64 %rd1, {SHARED_WINDOW}; ld.u8 %r1, [%rd1+5];");
    let ran = fault("", &body, vec![Arg::Zeros(1)]);
    let FaultKind::OutOfBounds { access, .. } = &ran.the_fault().kind else {
        panic!("{}", ran.fault())
    };
    assert_eq!((access.space, access.address), (Space::Shared, 5));
}

#[test]
fn initialised_variables() {
    let declarations = "
        .global .align 4 .u32 words[5] = {1, 0xffffffff, -2};
        .global .align 1 .b8 text[6] = {104, 105, 33, 0, 255};
        .global .align 4 .f32 floats[2] = {0f3F800000, -2.5};
        .global .align 8 .f64 doubles[1] = {0d400921FB54442D18};
        .global .align 2 .s16 shorts[2][2] = { {1, -1}, {2} };
        .const .align 8 .u64 pointer = words;
        .global .align 8 .u64 pointers[3] = { words+8, generic(words)+4, text };
        .global .align 1 .u8 parts[4] = { 0xff(words), 0xff00(words), 0xff0000(words), 0xff000000(words) };
        .global .align 4 .u32 zero;
    ";
    let body = "
        setp.ne.u32 %p1, %t, 0;
        @%p1 exit;
        ld.global.u32 %r1, [words+4];
        st.global.u32 [%b0], %r1;
        ld.global.u32 %r1, [words+8];
        st.global.u32 [%b0+4], %r1;
        ld.global.u32 %r1, [words+12];
        st.global.u32 [%b0+8], %r1;
        ld.global.u8 %r1, [text+2];
        st.global.u32 [%b0+12], %r1;
        ld.global.s8 %r1, [text+4];
        st.global.u32 [%b0+16], %r1;
        ld.global.f32 %f1, [floats+4];
        st.global.f32 [%b0+20], %f1;
        ld.global.u32 %r1, [doubles+4];
        st.global.u32 [%b0+24], %r1;
        ld.global.s16 %r1, [shorts+2];
        st.global.u32 [%b0+28], %r1;
        ld.global.s16 %r1, [shorts+4];
        st.global.u32 [%b0+32], %r1;
        ld.const.u64 %rd1, [pointer];
        ld.global.u32 %r1, [%rd1];
        st.global.u32 [%b0+36], %r1;
        ld.global.u64 %rd1, [pointers];
        ld.global.u32 %r1, [%rd1];
        st.global.u32 [%b0+40], %r1;
        ld.global.u64 %rd1, [pointers+8];
        ld.u32 %r1, [%rd1];
        st.global.u32 [%b0+44], %r1;
        ld.global.u64 %rd1, [pointers+16];
        ld.global.u8 %r1, [%rd1+1];
        st.global.u32 [%b0+48], %r1;
        // The four bytes of the low half of an address.
        ld.global.u8 %r1, [parts];
        ld.global.u8 %r2, [parts+1];
        ld.global.u8 %r3, [parts+2];
        ld.global.u8 %r4, [parts+3];
        mad.lo.u32 %r1, %r2, 256, %r1;
        mad.lo.u32 %r1, %r3, 65536, %r1;
        mad.lo.u32 %r1, %r4, 16777216, %r1;
        mov.u64 %rd2, words;
        cvt.u32.u64 %r5, %rd2;
        sub.u32 %r1, %r1, %r5;
        st.global.u32 [%b0+52], %r1;
        ld.global.u32 %r1, [zero];
        st.global.u32 [%b0+56], %r1;
        st.global.u32 [zero], 9;
        ld.global.u32 %r1, [zero];
        st.global.u32 [%b0+60], %r1;";
    let source = module(declarations, 1, body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(16)]).run_both() {
        let expected = [
            u32::MAX,
            -2i32 as u32,
            0,
            33,
            -1i32 as u32,
            (-2.5f32).to_bits(),
            0x4009_21fb,
            -1i32 as u32,
            2,
            1,
            -2i32 as u32,
            u32::MAX,
            105,
            0,
            0,
            9,
        ];
        assert_eq!(ran.words(0), expected);
    }
}

/// What nobody has written reads as zero, in every model and run.
#[test]
fn uninitialised_memory_and_registers_are_zero() {
    let body = "
        .shared .align 4 .b32 box[32];
        .local .align 4 .b32 mine[4];
        mov.u32 %r1, box;
        mad.lo.u32 %r1, %t, 4, %r1;
        ld.shared.u32 %r2, [%r1];
        ld.local.u32 %r3, [mine+8];
        or.b32 %r2, %r2, %r3;
        or.b32 %r2, %r2, %r40;
        cvt.u32.u64 %r4, %rd40;
        or.b32 %r2, %r2, %r4;
        @%p9 or.b32 %r2, %r2, 1;
        add.u32 %r2, %r2, 5;
        st.global.u32 [%out], %r2;";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), [5; 32]);
    }
}

#[test]
fn vectors_of_every_width() {
    let body = "
        mad.wide.u32 %rd1, %t, 32, %b0;
        mad.wide.u32 %rd2, %t, 32, %b1;
        ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd2];
        st.global.v8.b32 [%rd1], {%r8,%r7,%r6,%r5,%r4,%r3,%r2,%r1};
        ld.global.v4.b64 {%rd4,_,%rd5,%rd6}, [%rd2];
        st.global.v2.b64 [%rd1], {%rd5,%rd6};
        ld.global.v4.u8 {%r10,%r11,%r12,%r13}, [%rd2];
        mad.lo.u32 %r10, %r11, 1000, %r10;
        st.global.u32 [%rd1+16], %r10;
        ld.global.v2.s16 {%r14,%r15}, [%rd2+4];
        sub.s32 %r14, %r15, %r14;
        st.global.u32 [%rd1+20], %r14;
        ld.global.b128 %q1, [%rd2+16];
        mov.b128 {%rd7,%rd8}, %q1;
        st.global.b64 [%rd1+24], %rd8;";
    let input: Vec<u32> = (0..256).map(|i| i * 0x0001_0203 + 5).collect();
    for ran in run(body, vec![Arg::Zeros(256), Arg::Words(input.clone())]) {
        let output = ran.words(0);
        for lane in 0..32 {
            let (out, word) = (&output[8 * lane..][..8], &input[8 * lane..][..8]);
            let bytes = word[0].to_le_bytes().map(u32::from);
            let half = |shift: u32| i32::from((word[1] >> shift) as u16 as i16);
            let difference = (half(16) - half(0)) as u32;
            let expected = [
                word[4],
                word[5],
                word[6],
                word[7],
                bytes[1] * 1000 + bytes[0],
                difference,
                word[6],
                word[7],
            ];
            assert_eq!(out, expected, "lane {lane}");
        }
    }
}

/// Lanes that store to one address: the highest wins, whatever the access.
#[test]
fn stores_to_one_address() {
    for address in ["[%b0]", "[%rd1]"] {
        let body = format!("mov.u64 %rd1, %b0; st.global.u32 {address}, %t;");
        for ran in run(&body, vec![Arg::Zeros(1)]) {
            assert_eq!(ran.words(0), [31]);
        }
    }
    let body = "
        shr.u32 %r1, %t, 3;
        mad.wide.u32 %rd1, %r1, 4, %b0;
        setp.lt.u32 %p1, %t, 30;
        @%p1 st.global.u32 [%rd1], %t;";
    for ran in run(body, vec![Arg::Zeros(4)]) {
        assert_eq!(ran.words(0), [7, 15, 23, 29]);
    }
}

#[test]
fn narrow_loads_extend() {
    let body = "
        ld.global.u8 %r1, [%b1];
        ld.global.s8 %r2, [%b1];
        ld.global.u16 %r3, [%b1];
        ld.global.s16 %r4, [%b1];
        ld.global.s32 %rd1, [%b1];
        ld.global.u32 %rd2, [%b1];
        ld.global.s8 %rd3, [%b1];
        ld.global.b8 %h1, [%b1];
        st.global.u32 [%b0], %r1;
        st.global.u32 [%b0+4], %r2;
        st.global.u32 [%b0+8], %r3;
        st.global.u32 [%b0+12], %r4;
        st.global.u64 [%b0+16], %rd1;
        st.global.u64 [%b0+24], %rd2;
        st.global.u64 [%b0+32], %rd3;
        st.global.u16 [%b0+40], %h1;
        st.global.u8 [%b0+44], %r4;";
    for ran in run(body, vec![Arg::Zeros(12), Arg::Words(vec![0xfffe_8081])]) {
        let ones = u32::MAX;
        let expected = [
            0x81,
            0xffff_ff81,
            0x8081,
            0xffff_8081,
            0xfffe_8081,
            ones,
            0xfffe_8081,
            0,
            0xffff_ff81,
            ones,
            0x81,
            0x81,
        ];
        assert_eq!(ran.words(0), expected);
    }
}

/// `prefetch` of anything at all does nothing.
#[test]
fn prefetches_do_not_fault() {
    let body = "
        mov.u64 %rd1, 12345;
        prefetch.global.L2 [%rd1];
        prefetchu.L1 [%rd1];
        prefetch.global.L1 [%b0+4096];
        st.global.u32 [%out], 1;";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), [1; 32]);
        assert_eq!(ran.result.outcome, Outcome::Completed);
    }
}

#[test]
fn structures_as_parameters() {
    let source = "
        .version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 out, .param .align 8 .b8 s[24], .param .u32 last)
        {
            .reg .b32 %r<8>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [out];
            ld.param.u8 %r1, [s+1];
            ld.param.u64 %rd2, [s+8];
            ld.param.v2.u32 {%r2, %r3}, [s+16];
            ld.param.u32 %r4, [last];
            // The same through an address.
            mov.u64 %rd3, s;
            cvta.param.u64 %rd4, %rd3;
            ld.u32 %r5, [%rd4+20];
            ld.param.u32 %r6, [%rd3+16];
            st.global.u32 [%rd1], %r1;
            st.global.u64 [%rd1+8], %rd2;
            st.global.v4.u32 [%rd1+16], {%r2, %r3, %r4, %r5};
            st.global.u32 [%rd1+4], %r6;
            ret;
        }";
    let bytes: Vec<u8> = (1..=24).collect();
    let args = vec![Arg::Zeros(8), Arg::Bytes(bytes), Arg::U32(99)];
    for ran in Case::new(source, "k", args).run_both() {
        let expected = [
            2,
            0x1413_1211,
            0x0c0b_0a09,
            0x100f_0e0d,
            0x1413_1211,
            0x1817_1615,
            99,
            0x1817_1615,
        ];
        assert_eq!(ran.words(0), expected);
    }
}

/// A launch that reaches a variable which no module defines is refused.
#[test]
fn undefined_variables() {
    let source = module(
        ".extern .global .align 4 .u32 elsewhere;",
        0,
        "ld.global.u32 %r1, [elsewhere];",
    );
    let error = Case::new(&source, "k", vec![]).launch(Its).err();
    let text = error.expect("an error").to_string();
    assert_eq!(
        text,
        "variable 'elsewhere' is declared, but no loaded module defines it"
    );
}

/// Accesses through one register at several offsets, in a loop that leaves the buffer.
#[test]
fn every_offset_of_a_register_is_checked() {
    let steps = [
        // The second of two, one row ahead, leaves the buffer in the last round.
        (
            "ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+128];",
            0,
            512,
        ),
        (
            "st.global.u32 [%rd1], %t; st.global.u32 [%rd1+128], %t;",
            0,
            512,
        ),
        (
            "ld.global.u32 %r2, [%rd1+128]; ld.global.u32 %r3, [%rd1+256];",
            -128,
            512,
        ),
    ];
    for (step, start, end) in steps {
        let body = format!(
            "add.u64 %rd1, %out, {start};
             mov.u32 %r1, 0;
             LOOP: {step}
             add.u64 %rd1, %rd1, 128; add.u32 %r1, %r1, 1;
             setp.lt.u32 %p1, %r1, 9; @%p1 bra LOOP;"
        );
        let [stack, threads] = Case::new(&kernel(1, &body), "k", vec![Arg::Zeros(128)]).run_each();
        assert_eq!(stack.fault(), threads.fault());
        let expected = format!(
            "at {:#x} is out of bounds: 0 bytes past",
            stack.address(0) + end
        );
        assert!(stack.fault().contains(&expected), "{}", stack.fault());
    }
}

/// The addresses of followers are those of their own offsets, whichever way the loop walks.
#[test]
fn offsets_of_a_register_move_the_right_words() {
    let body = "
        .shared .b32 box[128];
        mov.u32 %r1, box;
        mad.lo.u32 %r2, %t, 4, %r1;
        add.u64 %rd1, %out, 256;
        mov.u32 %r3, 0;
        mov.u32 %r10, 0;
        LOOP:
        ld.global.u32 %r4, [%rd1];
        ld.global.u32 %r5, [%rd1-256];
        ld.global.u32 %r6, [%rd1+128];
        st.shared.u32 [%r2], %r4;
        st.shared.u32 [%r2+128], %r5;
        st.shared.u32 [%r2+256], %r6;
        bar.sync 0;
        ld.shared.u32 %r7, [%r1+4];
        ld.shared.u32 %r8, [%r1+128];
        ld.shared.u32 %r9, [%r1+264];
        add.u32 %r10, %r10, %r7;
        mad.lo.u32 %r10, %r8, 1000, %r10;
        mad.lo.u32 %r10, %r9, 1000000, %r10;
        bar.sync 0;
        add.u64 %rd1, %rd1, 128;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 3;
        @%p1 bra LOOP;
        mad.wide.u32 %rd2, %t, 4, %b1;
        st.global.u32 [%rd2], %r10;";
    // Word i holds i / 32: rows 2, 3, 4 in turn, and two rows before and one after them.
    let rows: Vec<u32> = (0..192).map(|i| i / 32).collect();
    let source = kernel(2, body);
    for ran in Case::new(&source, "k", vec![Arg::Words(rows), Arg::Zeros(32)]).run_both() {
        assert_eq!(
            ran.words(1),
            [(3 + 4 + 5) * 1_000_000 + (1 + 2) * 1000 + 2 + 3 + 4; 32]
        );
    }
}
