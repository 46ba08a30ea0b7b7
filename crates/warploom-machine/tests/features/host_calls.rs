//! What kernels ask of the host: `printf`, `malloc`, `free`, assertions; and how they give up.

use warploom_machine::{AllocationKind, FaultKind};

use crate::kit::{Arg, Case, Ran, module};

const DECLARATIONS: &str = "
    .extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 arguments);
    .extern .func (.param .b64 r) malloc (.param .b64 bytes);
    .extern .func free (.param .b64 pointer);
    .extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line,
        .param .b64 function, .param .b64 size);
";

/// A global string.
fn string(name: &str, text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
    let bytes = bytes.join(", ");
    format!(
        ".global .align 1 .b8 {name}[{}] = {{{bytes}, 0}};\n",
        text.len() + 1
    )
}

/// An argument of `printf`.
#[derive(Clone, Copy)]
enum Value {
    Int(i32),
    Long(i64),
    Double(f64),
    /// The global string of this name.
    Text(&'static str),
}
use Value::{Double, Int, Long, Text};

/// Code that calls `vprintf` with the string `format`; the result goes to `%r50`.
fn print(values: &[Value]) -> String {
    let (mut code, mut at) = (String::new(), 0);
    for value in values {
        let size = if matches!(value, Int(_)) { 4 } else { 8 };
        at = (at + size - 1) / size * size;
        code += &match value {
            Int(value) => format!("mov.b32 %r51, {value}; st.local.b32 [list+{at}], %r51;\n"),
            Long(value) => format!("mov.b64 %rd51, {value}; st.local.b64 [list+{at}], %rd51;\n"),
            Double(value) => format!(
                "mov.b64 %rd51, {:#x}; st.local.b64 [list+{at}], %rd51;\n",
                value.to_bits()
            ),
            Text(name) => format!(
                "mov.u64 %rd51, {name}; cvta.global.u64 %rd51, %rd51;
                 st.local.b64 [list+{at}], %rd51;\n"
            ),
        };
        at += size;
    }
    format!(
        "{{
        .local .align 8 .b8 list[{}];
        .param .b64 f; .param .b64 a; .param .b32 r;
        {code}
        mov.u64 %rd52, format; cvta.global.u64 %rd52, %rd52;
        mov.u64 %rd53, list; cvta.local.u64 %rd53, %rd53;
        st.param.b64 [f], %rd52;
        st.param.b64 [a], %rd53;
        call.uni (r), vprintf, (f, a);
        ld.param.b32 %r50, [r];
        }}",
        at.max(8)
    )
}

/// What one thread prints.
fn printed(format: &str, values: &[Value]) -> String {
    let declarations =
        DECLARATIONS.to_owned() + &string("format", format) + &string("word", "warp");
    let source = module(&declarations, 0, &print(values));
    let [stack, threads] = Case::new(&source, "k", vec![]).block(1).run_both();
    assert_eq!(stack.printed, threads.printed);
    threads.printed
}

/// As the C standard has it.
#[test]
fn every_conversion() {
    let cases: &[(&str, &[Value], &str)] = &[
        ("plain\n", &[], "plain\n"),
        ("100%%", &[], "100%"),
        ("%d %i %u", &[Int(-7), Int(7), Int(-1)], "-7 7 4294967295"),
        (
            "%o %x %X %#x %#o",
            &[Int(8), Int(255), Int(255), Int(255), Int(8)],
            "10 ff FF 0xff 010",
        ),
        (
            "%5d|%-5d|%05d|%+d|% d",
            &[Int(42); 5],
            "   42|42   |00042|+42| 42",
        ),
        (
            "%.4d|%6.3d|%.0d|",
            &[Int(42), Int(-42), Int(0)],
            "0042|  -042||",
        ),
        (
            "%ld %lld %lu",
            &[Long(-1), Long(1 << 40), Long(-1)],
            "-1 1099511627776 18446744073709551615",
        ),
        ("%lx %llX", &[Long(-1), Long(0xab)], "ffffffffffffffff AB"),
        (
            "%hd %hhd %hu %hhx",
            &[Int(65537), Int(200), Int(-1), Int(0x1234)],
            "1 -56 65535 34",
        ),
        ("%c%c%c", &[Int(72), Int(105), Int(33)], "Hi!"),
        ("%3c|%-3c|", &[Int(65), Int(66)], "  A|B  |"),
        // Bytes as they are.
        (
            "%c%c%s",
            &[Int(0xc3), Int(0xa9), Text("word")],
            "\u{e9}warp",
        ),
        (
            "%s %8s|%-8s|%.2s",
            &[Text("word"); 4],
            "warp     warp|warp    |wa",
        ),
        (
            "%f %.2f %.0f",
            &[Double(1.5), Double(-2.675), Double(2.5)],
            "1.500000 -2.67 2",
        ),
        (
            "%10.3f|%-10.3f|%010.3f|%+.1f",
            &[Double(2.7499); 4],
            "     2.750|2.750     |000002.750|+2.7",
        ),
        (
            "%e %.2E",
            &[Double(12345.678), Double(0.000123)],
            "1.234568e+04 1.23E-04",
        ),
        (
            "%g %g %g %g",
            &[
                Double(100000.0),
                Double(1e6),
                Double(0.0001),
                Double(0.00001),
            ],
            "100000 1e+06 0.0001 1e-05",
        ),
        (
            "%G %.3g",
            &[Double(1e-10), Double(1234.5)],
            "1E-10 1.23e+03",
        ),
        ("%a", &[Double(1.0)], "0x1p+0"),
        (
            "%f %F %e %g",
            &[
                Double(f64::INFINITY),
                Double(f64::NEG_INFINITY),
                Double(f64::NAN),
                Double(-0.0),
            ],
            "inf -INF nan -0",
        ),
        (
            "%*d|%-*d|%.*f",
            &[Int(6), Int(42), Int(4), Int(7), Int(1), Double(0.25)],
            "    42|7   |0.2",
        ),
        ("%p", &[Long(0x1000)], "0x1000"),
        // An int before a long: the long lies at a multiple of eight.
        (
            "%d %ld %d %f",
            &[Int(1), Long(2), Int(3), Double(4.0)],
            "1 2 3 4.000000",
        ),
    ];
    for (format, values, expected) in cases {
        assert_eq!(printed(format, values), *expected, "{format}");
    }
}

#[test]
fn lanes_and_warps_print_in_order() {
    let declarations = DECLARATIONS.to_owned() + &string("format", "%d ");
    let body = "
        setp.lt.u32 %p1, %t, 3;
        setp.ge.u32 %p2, %t, 62;
        or.pred %p3, %p1, %p2;
        mov.u32 %r50, 77;
        @!%p3 bra END;"
        .to_owned()
        + &print(&[Int(0)]).replace("mov.b32 %r51, 0;", "mov.b32 %r51, %t;")
        + "END: st.global.u32 [%out], %r50;";
    let source = module(&declarations, 1, &body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(64)])
        .block(64)
        .run_both()
    {
        assert_eq!(ran.printed, "0 1 2 62 63 ");
        let expected: Vec<u32> = (0..64)
            .map(|t| if (3..62).contains(&t) { 77 } else { 1 })
            .collect();
        assert_eq!(
            ran.words(0),
            expected,
            "the number of arguments is returned"
        );
    }
    // Without arguments.
    let declarations = DECLARATIONS.to_owned() + &string("format", "x");
    let body = "
        {
        .param .b64 f; .param .b64 a; .param .b32 r;
        mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;
        st.param.b64 [f], %rd1;
        mov.u64 %rd2, 0;
        st.param.b64 [a], %rd2;
        call.uni (r), vprintf, (f, a);
        }";
    let source = module(&declarations, 0, body);
    for ran in Case::new(&source, "k", vec![]).grid(3).block(2).run_both() {
        assert_eq!(ran.printed, "xxxxxx");
    }
}

#[test]
fn printf_of_what_cannot_be_read() {
    let run = |format: &str, values: &[Value], edit: &dyn Fn(String) -> String| {
        let declarations = DECLARATIONS.to_owned() + &string("format", format);
        let source = module(&declarations, 0, &edit(print(values)));
        let [stack, threads] = Case::new(&source, "k", vec![]).run_each();
        assert_eq!(stack.fault(), threads.fault());
        stack.fault()
    };
    assert_eq!(
        run("%s", &[Long(64)], &|code| code),
        "printf: %s is given no readable string"
    );
    let no_arguments = |code: String| code.replace("mov.u64 %rd53, list", "mov.u64 %rd53, 64");
    assert_eq!(
        run("%ld", &[Long(64)], &no_arguments),
        "printf: fewer arguments than its format asks for"
    );
    let no_format = |code: String| code.replace("mov.u64 %rd52, format", "mov.u64 %rd52, 64");
    assert_eq!(
        run("%ld", &[Long(64)], &no_format),
        "printf: the format is not a readable string"
    );
}

fn malloc(bytes: &str, pointer: &str) -> String {
    format!(
        "{{
        .param .b64 n; .param .b64 r;
        st.param.b64 [n], {bytes};
        call.uni (r), malloc, (n);
        ld.param.b64 {pointer}, [r];
        }}\n"
    )
}

fn free(pointer: &str) -> String {
    format!("{{ .param .b64 q; st.param.b64 [q], {pointer}; call.uni free, (q); }}\n")
}

fn heap_case(body: &str) -> String {
    module(DECLARATIONS, 1, body)
}

fn heap_faults(body: &str) -> [Ran; 2] {
    Case::new(&heap_case(body), "k", vec![Arg::Zeros(32)]).run_each()
}

#[test]
fn every_lane_gets_its_own_heap_memory() {
    let body = malloc("64", "%rd1")
        + "st.u32 [%rd1+60], %t;
           st.global.u64 [%rd1], %rd1;
           bar.warp.sync -1;
           ld.u32 %r1, [%rd1+60];
           ld.u64 %rd2, [%rd1];
           sub.u64 %rd2, %rd2, %rd1;
           cvt.u32.u64 %r2, %rd2;
           add.u32 %r1, %r1, %r2;
           st.global.u32 [%out], %r1;"
        + &free("%rd1");
    let source = heap_case(&body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(32)]).run_both() {
        assert_eq!(ran.words(0), (0..32).collect::<Vec<u32>>());
        assert_eq!(ran.machine.memory.heap_bytes(), 0);
    }
    // What is not freed stays.
    let source = heap_case(&malloc("100", "%rd1"));
    for ran in Case::new(&source, "k", vec![Arg::Zeros(32)]).run_both() {
        assert_eq!(ran.machine.memory.heap_bytes(), 3200);
        let blocks = ran.machine.memory.allocations().iter();
        let heap: Vec<u64> = blocks
            .filter(|block| block.kind == AllocationKind::Heap)
            .map(|block| block.base % 16)
            .collect();
        assert_eq!(heap, [0; 32]);
    }
}

#[test]
fn an_exhausted_heap_gives_null() {
    // The default heap holds 8 MiB: seven lanes get a MiB and 100 KiB each.
    let body = malloc("1150976", "%rd1")
        + "setp.ne.u64 %p1, %rd1, 0;
           selp.u32 %r1, 1, 0, %p1;
           st.global.u32 [%out], %r1;"
        + &free("%rd1");
    let source = heap_case(&body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(32)]).run_both() {
        let expected: Vec<u32> = (0..32).map(|lane| u32::from(lane < 7)).collect();
        assert_eq!(ran.words(0), expected);
        assert_eq!(ran.machine.memory.heap_bytes(), 0, "null was freed as well");
    }
    let body = malloc("0", "%rd1")
        + &malloc("-1", "%rd2")
        + "or.b64 %rd1, %rd1, %rd2; cvt.u32.u64 %r1, %rd1; add.u32 %r1, %r1, 6;
           st.global.u32 [%out], %r1;";
    let source = heap_case(&body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(32)]).run_both() {
        assert_eq!(ran.words(0), [6; 32], "both are null");
    }
    // Freed memory can be had again.
    let body = "mov.u32 %r1, 0; LOOP:\n".to_owned()
        + &malloc("262144", "%rd1")
        + "st.u32 [%rd1], %r1;"
        + &free("%rd1")
        + "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 40; @%p1 bra LOOP;
           st.global.u32 [%out], %r1;";
    let source = heap_case(&body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(32)]).run_both() {
        assert_eq!(ran.words(0), [40; 32]);
    }
}

#[test]
fn misuse_of_the_heap() {
    for ran in heap_faults(&(malloc("16", "%rd1") + "ld.u32 %r1, [%rd1+16];")) {
        let text = ran.fault();
        assert!(
            text.contains("is out of bounds: 0 bytes past the end of a malloc block of 16 bytes"),
            "{text}"
        );
    }
    for ran in heap_faults(&(malloc("16", "%rd1") + &free("%rd1") + "st.u32 [%rd1+4], %t;")) {
        let text = ran.fault();
        assert!(text.starts_with("global store of 4 bytes at 0x"), "{text}");
        assert!(
            text.contains("hits freed memory: a malloc block (freed) of 16 bytes at 0x"),
            "{text}"
        );
        assert!(matches!(
            ran.the_fault().kind,
            FaultKind::UseAfterFree { .. }
        ));
        assert_eq!(ran.the_fault().lanes, 0xffff_ffff);
    }
    // A load that ran before the memory was freed, at the same instruction.
    let body = malloc("16", "%rd1")
        + "mov.u32 %r2, 0; LOOP: ld.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r2, 1; @%p1 bra END;"
        + &free("%rd1")
        + "mov.u32 %r2, 1; bra LOOP; END: st.global.u32 [%out], %r1;";
    for ran in heap_faults(&body) {
        assert!(matches!(
            ran.the_fault().kind,
            FaultKind::UseAfterFree { .. }
        ));
    }
    let bad_free = |body: &str| {
        for ran in heap_faults(body) {
            let FaultKind::BadFree { address } = ran.the_fault().kind else {
                panic!("{}", ran.fault())
            };
            assert_eq!(
                ran.fault(),
                format!("free of {address:#x}, which malloc did not return or which is freed")
            );
            assert_eq!(ran.the_fault().lanes, 1);
        }
    };
    bad_free(&(malloc("16", "%rd1") + &free("%rd1") + &free("%rd1")));
    bad_free(&free("%b0"));
    bad_free(&(malloc("16", "%rd1") + "add.u64 %rd1, %rd1, 8;" + &free("%rd1")));
}

#[test]
fn assertions() {
    let declarations = DECLARATIONS.to_owned()
        + &string("message", "i < n")
        + &string("file", "kernel.cu")
        + &string("function", "void k(int)");
    let body = "
        setp.lt.u32 %p1, %t, 9;
        @%p1 bra END;
        {
        .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
        mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1; st.param.b64 [m], %rd1;
        mov.u64 %rd1, file; cvta.global.u64 %rd1, %rd1; st.param.b64 [f], %rd1;
        mov.u32 %r1, 17; st.param.b32 [l], %r1;
        mov.u64 %rd1, function; cvta.global.u64 %rd1, %rd1; st.param.b64 [n], %rd1;
        mov.u64 %rd1, 1; st.param.b64 [s], %rd1;
        call.uni __assertfail, (m, f, l, n, s);
        }
        END:";
    let source = module(&declarations, 0, body);
    for ran in Case::new(&source, "k", vec![]).run_each() {
        assert_eq!(
            ran.fault(),
            "assertion failed: kernel.cu:17: void k(int): 'i < n'"
        );
        assert_eq!(ran.the_fault().thread, [9, 0, 0]);
    }
}

#[test]
fn traps_and_breakpoints() {
    for (instruction, text) in [
        ("trap", "trap instruction"),
        ("brkpt", "breakpoint instruction"),
    ] {
        let body = format!(
            "setp.eq.u32 %p1, %t, 37;
             st.global.u32 [%out], %t;
             @%p1 {instruction};"
        );
        let source = module("", 1, &body);
        for ran in Case::new(&source, "k", vec![Arg::Zeros(64)])
            .block(64)
            .run_each()
        {
            assert_eq!(ran.fault(), text);
            let fault = ran.the_fault();
            assert_eq!((fault.lanes, fault.thread), (1 << 5, [37, 0, 0]));
            assert_eq!(ran.words(0)[..32], (0..32).collect::<Vec<u32>>());
            // The two warps' instructions: three before the body and three of it.
            assert_eq!(
                ran.result.counters.thread_instructions(&ran.module),
                64 * 6 + 32
            );
        }
    }
}
