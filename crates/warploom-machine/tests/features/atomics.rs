//! Atomics: every operation and type in every space, wrapping, lanes in order, vectors, 128 bits.

use crate::kit::{Arg, Case, kernel, run};

/// One operation on one location.
struct Row {
    /// Operation and type: what follows `atom.space.`.
    name: &'static str,
    bits: u32,
    old: u64,
    b: u64,
    /// The new value of `cas`.
    c: Option<u64>,
    new: u64,
}

const fn row(name: &'static str, bits: u32, old: u64, b: u64, new: u64) -> Row {
    Row {
        name,
        bits,
        old,
        b,
        c: None,
        new,
    }
}

const fn cas(bits: u32, old: u64, b: u64, c: u64, new: u64) -> Row {
    Row {
        name: "cas",
        bits,
        old,
        b,
        c: Some(c),
        new,
    }
}

const M32: u64 = 0xffff_ffff;
const M64: u64 = u64::MAX;
const MINUS_5_32: u64 = 0xffff_fffb;

/// Results by the manual's definitions. Float bits: f32 1.5 is 3fc00000, 2.25 is 40100000, their
/// sum 3.75 is 40700000; f16 1 is 3c00, 2 is 4000, 3 is 4200; bf16 1 is 3f80, 2 is 4000, 3 is 4040.
const ROWS: &[Row] = &[
    row("add.u32", 32, 7, 5, 12),
    row("add.u32", 32, M32, 2, 1),
    row("add.s32", 32, 3, MINUS_5_32, 0xffff_fffe),
    row("add.u64", 64, M64, 3, 2),
    row("add.u64", 64, M32, 1, 1 << 32),
    row("add.f32", 32, 0x3fc0_0000, 0x4010_0000, 0x4070_0000),
    row(
        "add.f64",
        64,
        0x3ff8_0000_0000_0000,
        0x4002_0000_0000_0000,
        0x400e_0000_0000_0000,
    ),
    row("add.noftz.f16", 16, 0x3c00, 0x4000, 0x4200),
    row("add.noftz.f16", 16, 0x7bff, 0x7bff, 0x7c00),
    row("add.noftz.f16x2", 32, 0x3c00_4000, 0x4000_3c00, 0x4200_4200),
    row("add.noftz.bf16", 16, 0x3f80, 0x4000, 0x4040),
    row(
        "add.noftz.bf16x2",
        32,
        0x3f80_4000,
        0x4000_3f80,
        0x4040_4040,
    ),
    row("min.u32", 32, 3, MINUS_5_32, 3),
    row("min.s32", 32, 3, MINUS_5_32, MINUS_5_32),
    row("max.u32", 32, 3, MINUS_5_32, MINUS_5_32),
    row("max.s32", 32, 3, MINUS_5_32, 3),
    row("min.u64", 64, 3, M64, 3),
    row("min.s64", 64, 3, M64, M64),
    row("max.u64", 64, 3, M64, M64),
    row("max.s64", 64, 3, M64, 3),
    // inc: zero once the operand is reached or passed.
    row("inc.u32", 32, 3, 5, 4),
    row("inc.u32", 32, 5, 5, 0),
    row("inc.u32", 32, 6, 5, 0),
    row("inc.u32", 32, M32, M32, 0),
    // dec: the operand below zero or above it.
    row("dec.u32", 32, 3, 5, 2),
    row("dec.u32", 32, 0, 5, 5),
    row("dec.u32", 32, 6, 5, 5),
    row("dec.u32", 32, 5, 5, 4),
    row("and.b32", 32, 0b1100, 0b1010, 0b1000),
    row("or.b32", 32, 0b1100, 0b1010, 0b1110),
    row("xor.b32", 32, 0b1100, 0b1010, 0b0110),
    row("and.b64", 64, M64 << 4, 0xff, 0xf0),
    row("or.b64", 64, 1 << 63, 1, 1 << 63 | 1),
    row("xor.b64", 64, M64, 1 << 63 | 1, (M64 >> 1) - 1),
    row("exch.b32", 32, 1, 2, 2),
    row("exch.b64", 64, 1, M64 - 1, M64 - 1),
    cas(16, 0x1234, 0x1234, 0x8765, 0x8765),
    cas(16, 0x1234, 0x1235, 0x8765, 0x1234),
    cas(32, 9, 9, 8, 8),
    cas(32, 9, 10, 8, 9),
    cas(64, M64, M64, 1, 1),
    cas(64, M64, M32, 1, M64),
];

impl Row {
    fn register(&self) -> &'static str {
        match self.bits {
            16 => "h",
            32 => "r",
            _ => "rd",
        }
    }

    fn opcode(&self, base: &str, space: &str) -> String {
        match self.c {
            Some(_) => format!("{base}{space}.cas.b{}", self.bits),
            None => format!("{base}{space}.{}", self.name),
        }
    }

    fn returns_only(&self) -> bool {
        self.c.is_some() || self.name.starts_with("exch")
    }

    /// Code that leaves the returned and the new value at `%b0 + 16 * number`; an `atom` if it
    /// `returns`, else a `red`.
    fn code(&self, number: usize, space: &str, access: &str, returns: bool) -> String {
        let (r, bits) = (self.register(), self.bits);
        let c = self.c.map_or(String::new(), |_| format!(", %{r}3"));
        let operation = match returns {
            true => format!("{} %{r}4, [%rd20], %{r}2{c};", self.opcode("atom", space)),
            false => format!("{} [%rd20], %{r}2;", self.opcode("red", space)),
        };
        format!(
            "mov.b{bits} %{r}1, {:#x}; mov.b{bits} %{r}2, {:#x}; mov.b{bits} %{r}3, {:#x};
             mov.b{bits} %{r}4, 0;
             st{access}.b{bits} [%rd20], %{r}1;
             {operation}
             ld{access}.b{bits} %{r}5, [%rd20];
             st.global.b{bits} [%b0+{}], %{r}4; st.global.b{bits} [%b0+{}], %{r}5;\n",
            self.old,
            self.b,
            self.c.unwrap_or(0),
            16 * number,
            16 * number + 8
        )
    }
}

/// Sets `%rd20` to a location, then names the space of the atomic and that of plain accesses.
const PLACES: &[(&str, &str, &str)] = &[
    ("mov.u64 %rd20, %b1;", ".global", ".global"),
    ("mov.u64 %rd20, %b1;", "", ""),
    ("mov.u64 %rd20, here;", ".shared", ".shared"),
    ("mov.u64 %rd20, here;", ".shared::cta", ".shared"),
    (
        "mov.u64 %rd20, here; cvta.shared.u64 %rd20, %rd20;",
        "",
        ".volatile",
    ),
];

fn results(returns: bool, rows: &[&Row], place: &(&str, &str, &str)) -> Vec<[u64; 2]> {
    let (setup, space, access) = place;
    let mut body = format!(".shared .align 16 .b8 here[16];\n{setup}\n");
    for (number, row) in rows.iter().enumerate() {
        body += &row.code(number, space, access, returns);
    }
    let args = vec![Arg::Zeros(4 * rows.len()), Arg::Zeros(4)];
    let source = kernel(2, &body);
    let [stack, threads] = Case::new(&source, "k", args).block(1).run_both();
    assert_eq!(stack.words(0), threads.words(0));
    let longs = stack.longs(0);
    longs
        .chunks_exact(2)
        .map(|pair| [pair[0], pair[1]])
        .collect()
}

#[test]
fn every_operation_returns_the_old_value_and_leaves_the_new_one() {
    let rows: Vec<&Row> = ROWS.iter().collect();
    for place in PLACES {
        let results = results(true, &rows, place);
        for (row, result) in rows.iter().zip(results) {
            let what = row.opcode("atom", place.1);
            assert_eq!(
                result,
                [row.old, row.new],
                "{what} {:#x} {:#x}",
                row.old,
                row.b
            );
        }
    }
}

#[test]
fn every_reduction_leaves_the_new_value() {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| !row.returns_only()).collect();
    for place in PLACES {
        let results = results(false, &rows, place);
        for (row, result) in rows.iter().zip(results) {
            let what = row.opcode("red", place.1);
            assert_eq!(result, [0, row.new], "{what} {:#x} {:#x}", row.old, row.b);
        }
    }
}

/// The manual: `atom.add.f32` flushes subnormal inputs and results in global memory, not in shared.
#[test]
fn single_precision_sums_flush_subnormals_in_global_memory_only() {
    // 2^-149 + 2^-149; 2^-126 - 2^-127, whose result is subnormal; -2^-149 + 0.
    let rows = [
        row("add.f32", 32, 1, 1, 2),
        row("add.f32", 32, 0x0080_0000, 0x8040_0000, 0x0040_0000),
        row("add.f32", 32, 0x8000_0001, 0x8000_0000, 0x8000_0001),
        row("add.f32", 32, 0x0100_0000, 0x80c0_0000, 0x0040_0000),
    ];
    let rows: Vec<&Row> = rows.iter().collect();
    let news = |place: usize| -> Vec<u64> {
        results(true, &rows, &PLACES[place])
            .iter()
            .map(|[_, new]| *new)
            .collect()
    };
    let flushed = vec![0, 0x0080_0000, 0x8000_0000, 0];
    let kept: Vec<u64> = rows.iter().map(|row| row.new).collect();
    assert_eq!(news(0), flushed);
    assert_eq!(news(1), flushed, "generic, to global memory");
    assert_eq!(news(2), kept);
    assert_eq!(news(4), kept, "generic, to shared memory");
}

#[test]
fn lanes_at_one_address_go_in_lane_order() {
    let body = "
        atom.global.exch.b32 %r1, [%b1], %t;
        st.global.u32 [%out], %r1;";
    for ran in run(body, vec![Arg::Zeros(32), Arg::Words(vec![77])]) {
        let expected: Vec<u32> = std::iter::once(77).chain(0..31).collect();
        assert_eq!(ran.words(0), expected);
        assert_eq!(ran.words(1), [31]);
    }
    // Wraps at 4: 0 1 2 3 4 0 1 …
    let body = "
        .shared .u32 counter;
        mov.u32 %r2, 0;
        st.shared.u32 [counter], %r2;
        atom.shared.inc.u32 %r1, [counter], 4;
        st.global.u32 [%out], %r1;";
    for ran in run(body, vec![Arg::Zeros(32)]) {
        let expected: Vec<u32> = (0..32).map(|lane| lane % 5).collect();
        assert_eq!(ran.words(0), expected);
    }
    // The first lane that finds a zero stores its number plus one; the others see it.
    let body = "
        add.u32 %r2, %t, 1;
        setp.ge.u32 %p1, %t, 3;
        mov.u32 %r1, 99;
        @%p1 atom.global.cas.b32 %r1, [%b1], 0, %r2;
        st.global.u32 [%out], %r1;";
    for ran in run(body, vec![Arg::Zeros(32), Arg::Zeros(1)]) {
        let expected: Vec<u32> = (0..32)
            .map(|lane| match lane {
                0..3 => 99,
                3 => 0,
                _ => 4,
            })
            .collect();
        assert_eq!(ran.words(0), expected);
        assert_eq!(ran.words(1), [4]);
    }
}

#[test]
fn groups_of_lanes_at_several_addresses() {
    // Lane l adds l to word l % 4: the sums of 0 4 … 28, 1 5 … 29, and so on.
    let body = "
        and.b32 %r1, %t, 3;
        mad.wide.u32 %rd1, %r1, 4, %b1;
        red.global.add.u32 [%rd1], %t;";
    for ran in run(body, vec![Arg::Zeros(1), Arg::Zeros(4)]) {
        assert_eq!(ran.words(1), [112, 120, 128, 136]);
    }
}

#[test]
fn a_result_that_is_thrown_away() {
    let body = "
        atom.global.add.u32 _, [%b1], 2;
        atom.global.exch.b32 _, [%b1+4], %t;";
    for ran in run(body, vec![Arg::Zeros(1), Arg::Zeros(2)]) {
        assert_eq!(ran.words(1), [64, 31]);
    }
}

#[test]
fn vectors() {
    // Two lanes add the same: f32 1, 2, 3, 4 twice; f16 1 twice in the low half of each element.
    let body = "
        setp.lt.u32 %p1, %t, 2;
        mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
        mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;
        @%p1 atom.global.v4.f32.add {%f5, %f6, %f7, %f8}, [%b1], {%f1, %f2, %f3, %f4};
        mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000;
        @%p1 red.global.v2.f16.add.noftz [%b1+16], {%h1, %h2};
        mov.b32 %r1, 0x00003c00; mov.b32 %r2, 0x3c000000;
        @%p1 red.global.v2.f16x2.max.noftz [%b1+24], {%r1, %r2};
        mad.wide.u32 %rd1, %t, 16, %b0;
        @%p1 st.global.v4.f32 [%rd1], {%f5, %f6, %f7, %f8};";
    let (one, two, three, four) = (0x3f80_0000, 0x4000_0000, 0x4040_0000, 0x4080_0000);
    let (six, eight) = (0x40c0_0000, 0x4100_0000);
    for ran in run(body, vec![Arg::Zeros(8), Arg::Zeros(8)]) {
        assert_eq!(ran.words(0), [0, 0, 0, 0, one, two, three, four]);
        let memory = ran.words(1);
        assert_eq!(memory[..4], [two, four, six, eight]);
        assert_eq!(memory[4], 0x4400_4000, "4 and 2 in half precision");
        assert_eq!(memory[6..], [0x0000_3c00, 0x3c00_0000]);
    }
}

#[test]
fn exchange_and_compare_of_128_bits() {
    let body = "
        mov.u64 %rd1, 1; mov.u64 %rd2, 2;
        mov.b128 %q0, {%rd1, %rd2};
        mov.u64 %rd3, 0x1111; mov.u64 %rd4, 0x2222;
        mov.b128 %q1, {%rd3, %rd4};
        setp.eq.u32 %p1, %t, 0;
        // Memory holds (1, 2): equal, so it becomes (0x1111, 0x2222).
        @%p1 atom.global.cas.b128 %q2, [%b1], %q0, %q1;
        // Now it differs in both halves.
        @%p1 atom.global.cas.b128 %q3, [%b1], %q0, %q0;
        // Only the high half differs: no exchange.
        mov.b128 %q5, {%rd3, %rd2};
        @%p1 atom.global.cas.b128 %q6, [%b1], %q5, %q0;
        @%p1 atom.global.exch.b128 %q4, [%b1], %q5;
        mov.b128 {%rd5, %rd6}, %q2;
        mov.b128 {%rd7, %rd8}, %q3;
        mov.b128 {%rd9, %rd10}, %q4;
        @%p1 st.global.v2.u64 [%b0], {%rd5, %rd6};
        @%p1 st.global.v2.u64 [%b0+16], {%rd7, %rd8};
        @%p1 st.global.v2.u64 [%b0+32], {%rd9, %rd10};";
    for ran in run(body, vec![Arg::Zeros(12), Arg::Words(vec![1, 0, 2, 0])]) {
        assert_eq!(ran.longs(0), [1, 2, 0x1111, 0x2222, 0x1111, 0x2222]);
        assert_eq!(ran.longs(1), [0x1111, 2]);
    }
}

#[test]
fn atomics_count_as_requests() {
    let body = "
        setp.lt.u32 %p1, %t, 5;
        @%p1 red.global.add.u32 [%b1], 1;
        setp.lt.u32 %p2, %t, 0;
        @%p2 red.global.add.u32 [%b1], 1;";
    for ran in run(body, vec![Arg::Zeros(1), Arg::Zeros(1)]) {
        assert_eq!(ran.words(1), [5]);
        assert_eq!(ran.total(warploom_isa::Op::Red, |c| c.requests), 1);
        assert_eq!(ran.total(warploom_isa::Op::Red, |c| c.guarded_off), 27 + 32);
    }
}
