//! What the machine works out once for many, or in one go, shows in no result and no count. A
//! watched run takes none of these ways: it is compared with.

use crate::kit::{Arg, Case, Mode, Ran, kernel};

/// Blocks of a run: what the first one shows of addresses helps the others.
const BLOCKS: u32 = 3;

/// Runs a kernel of one buffer of 64 words in all ways, which agree in everything; one of the runs.
fn run(body: &str, threads: u32) -> Ran {
    let source = kernel(1, body);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(64)])
        .grid(BLOCKS)
        .block(threads);
    let [ran, other] = case.run_both();
    for mode in [Mode::Observed, Mode::Chunk] {
        case.mode = mode;
        for also in case.run_both() {
            assert_eq!(also.words(0), ran.words(0), "{mode:?}");
            assert_eq!(also.result.counters, ran.result.counters, "{mode:?}");
        }
    }
    assert_eq!(other.words(0), ran.words(0));
    ran
}

/// Element `i` of the first shared array of [`dot`]: no two are the same.
fn a(i: u32) -> f32 {
    (3 * i + 1) as f32
}

/// Element `i` of its second.
fn b(i: u32) -> f32 {
    (5 * i + 2) as f32
}

/// A tile's inner loop, unrolled: after `steps` the sum is in `%f3`. Lane `t` multiplies elements
/// `16 * (t / 16) + k` of `a` with `t % 16 + 16 * k` of `b`.
fn dot(steps: &str, end: &str, threads: u32) -> Ran {
    let body = format!(
        "
        .shared .align 16 .f32 a[64]; .shared .align 16 .f32 b[128];
        mad.lo.u32 %r1, %t, 3, 1;
        cvt.rn.f32.u32 %f1, %r1;
        mov.u32 %r2, a;
        mov.u32 %r3, b;
        mad.lo.u32 %r4, %t, 4, %r2;
        mad.lo.u32 %r5, %t, 4, %r3;
        st.shared.f32 [%r4], %f1;
        mov.u32 %r6, %t;
    FILL:
        mad.lo.u32 %r7, %r6, 5, 2;
        cvt.rn.f32.u32 %f2, %r7;
        mad.lo.u32 %r8, %r6, 4, %r3;
        st.shared.f32 [%r8], %f2;
        add.u32 %r6, %r6, {threads};
        setp.lt.u32 %p1, %r6, 96;
        @%p1 bra FILL;
        bar.sync 0;
        shr.u32 %r9, %t, 4;
        mad.lo.u32 %r10, %r9, 64, %r2;
        and.b32 %r11, %t, 15;
        mad.lo.u32 %r12, %r11, 4, %r3;
        mov.f32 %f3, 0f00000000;
        ld.shared.f32 %f1, [%r10];
        ld.shared.f32 %f2, [%r12];
        fma.rn.f32 %f3, %f1, %f2, %f3;
        {steps}
        {end}
        st.global.f32 [%out], %f3;"
    );
    run(&body, threads)
}

fn step(k: u32) -> String {
    format!(
        "ld.shared.f32 %f1, [%r10+{}]; ld.shared.f32 %f2, [%r12+{}]; fma.rn.f32 %f3, %f2, %f1, %f3;",
        4 * k,
        64 * k
    )
}

/// The sum of lane `t` over steps `0..steps`. All numbers are small integers: exact.
fn expected(t: u32, steps: u32) -> f32 {
    (0..steps)
        .map(|k| a(16 * (t / 16) + k) * b(t % 16 + 16 * k))
        .sum()
}

fn steps(range: std::ops::Range<u32>) -> String {
    range.map(step).collect()
}

#[test]
fn a_run_of_dot_products() {
    for threads in [32, 64] {
        let ran = dot(&steps(1..6), "", threads);
        let sums: Vec<u32> = (0..threads).map(|t| expected(t, 6).to_bits()).collect();
        assert_eq!(ran.words(0)[..threads as usize], sums);
        // Twelve loads a warp, each of which takes one pass.
        let warps = u64::from(BLOCKS * threads / 32);
        assert_eq!(
            ran.total(warploom_isa::Op::Ld, |count| count.requests),
            12 * warps
        );
        assert_eq!(
            ran.total(warploom_isa::Op::Ld, |count| count.parts),
            12 * warps
        );
    }
}

/// Lanes that are not there, or wait elsewhere, keep what they have.
#[test]
fn a_run_of_some_lanes() {
    let ran = dot(&steps(1..6), "", 40);
    let sums: Vec<u32> = (0..40).map(|t| expected(t, 6).to_bits()).collect();
    assert_eq!(ran.words(0)[..40], sums);

    let steps = format!(
        "setp.lt.u32 %p2, %t, 11; @%p2 bra BEHIND; {} BEHIND:",
        steps(1..6)
            .replace("%r10+4]", "%r10+0]")
            .replace("%r12+64]", "%r12+0]")
    );
    let ran = dot(&steps, "", 32);
    let first = |t| a(16 * (t / 16)) * b(t % 16);
    let sums: Vec<u32> = (0..32)
        .map(|t| match t {
            0..11 => first(t),
            _ => {
                let second = a(16 * (t / 16) + 1) * b(t % 16 + 16);
                expected(t, 6) - second + first(t)
            }
        })
        .map(f32::to_bits)
        .collect();
    assert_eq!(ran.words(0)[..32], sums);
}

/// What is read after the run is what the last step left there.
#[test]
fn a_run_whose_factors_are_used() {
    for (factor, value) in [
        ("%f1", (|t| a(16 * (t / 16) + 5)) as fn(u32) -> f32),
        ("%f2", |t| b(t % 16 + 80)),
    ] {
        let ran = dot(&steps(1..6), &format!("add.f32 %f3, %f3, {factor};"), 32);
        let sums: Vec<u32> = (0..32)
            .map(|t| (expected(t, 6) + value(t)).to_bits())
            .collect();
        assert_eq!(ran.words(0)[..32], sums, "{factor}");
    }
    // A sum between is kept in another register, and used.
    let kept = format!(
        "{} {}",
        steps(1..3),
        step(3).replace("%f2, %f1, %f3", "%f2, %f1, %f9")
    )
    .replace(
        "fma.rn.f32 %f3, %f2, %f1, %f3; ld.shared.f32 %f1, [%r10+12]",
        "fma.rn.f32 %f9, %f2, %f1, %f3; ld.shared.f32 %f1, [%r10+12]",
    );
    let ran = dot(&kept, "add.f32 %f3, %f3, %f9;", 32);
    let sums: Vec<u32> = (0..32)
        .map(|t| (expected(t, 4) + expected(t, 3)).to_bits())
        .collect();
    assert_eq!(ran.words(0)[..32], sums);
}

/// A product of infinity and zero in the middle: the sum is the one NaN that the manual promises.
#[test]
fn a_run_with_a_nan() {
    let poison = "
        setp.ne.u32 %p3, %t, 5;
        @%p3 bra CLEAN;
        st.shared.f32 [b+148], 0f7f800000;
        st.shared.f32 [a+8], 0f00000000;
    CLEAN:
        bar.sync 0;";
    // Element 37 of b is of step 2 and lanes with t % 16 = 5; a[2] is of lanes below 16.
    let ran = dot(&format!("{poison} {}", steps(1..6)), "", 32);
    let words = ran.words(0);
    assert_eq!(words[5], 0x7fff_ffff);
    assert_eq!(words[21], f32::INFINITY.to_bits());
    assert_eq!(words[4], (expected(4, 6) - a(2) * b(36)).to_bits());
    assert_eq!(words[20], expected(20, 6).to_bits());
}

/// Both factors one element after the other, and addresses that allow no short way.
#[test]
fn runs_of_other_shapes() {
    let prepare = "mad.lo.u32 %r10, %t, 4, %r2; ld.shared.f32 %f5, [%r10];
        mul.f32 %f3, %f5, 0f00000000;";
    let body = |stride: u32| {
        let mut body = format!(
            "mad.lo.u32 %r12, %t, {stride}, %r3; {prepare}
            ld.shared.f32 %f5, [%r12]; fma.rn.f32 %f3, %f5, 0f00000000, %f3;"
        );
        for k in 0..4 {
            body += &format!(
                "ld.shared.f32 %f1, [%r10+{}]; ld.shared.f32 %f2, [%r12+{}];
                 fma.rn.f32 %f3, %f1, %f2, %f3;",
                4 * k,
                4 * k
            );
        }
        body
    };
    for stride in [4, 8, 0] {
        // Lanes up to 28 read elements of `a` that were written.
        let ran = dot(&body(stride), "", 32);
        for t in 0..28 {
            let sum: f32 = (0..4).map(|k| a(t + k) * b(stride / 4 * t + k)).sum();
            assert_eq!(
                ran.words(0)[t as usize],
                sum.to_bits(),
                "stride {stride}, lane {t}"
            );
        }
    }
}

#[test]
fn values_of_a_launch_change_hands() {
    // A register that holds a value of the launch is overwritten on one way only, in a loop, and
    // under a guard.
    let body = "
        mov.u32 %r1, %ntid.x;
        mov.u32 %r2, %r1;
        setp.lt.u32 %p1, %t, 7;
        @%p1 bra SMALL;
        add.u32 %r2, %r2, 100;
        mov.u32 %r1, 5;
    SMALL:
        setp.eq.u32 %p2, %t, 9;
        mov.u32 %r3, %nctaid.x;
        @%p2 mov.u32 %r3, %r1;
        mov.u32 %r4, 0;
        mov.u32 %r5, %ntid.x;
    AGAIN:
        add.u32 %r4, %r4, %r5;
        mov.u32 %r5, 3;
        setp.lt.u32 %p3, %r4, 50;
        @%p3 bra AGAIN;
        mad.lo.u32 %r6, %r1, 1000, %r2;
        mad.lo.u32 %r6, %r3, 1000000, %r6;
        mad.lo.u32 %r6, %r4, 10000000, %r6;
        st.global.u32 [%out], %r6;";
    let ran = run(body, 32);
    // %r4: 32, 35, … , 50.
    let expected: Vec<u32> = (0..32)
        .map(|t| {
            let (r1, r2) = if t < 7 { (32, 32) } else { (5, 132) };
            let r3 = if t == 9 { r1 } else { BLOCKS };
            50 * 10_000_000 + r3 * 1_000_000 + r1 * 1000 + r2
        })
        .collect();
    assert_eq!(ran.words(0)[..32], expected);
}

/// A shuffle reads lanes' own registers, whoever computed them.
#[test]
fn values_of_a_launch_are_shuffled() {
    let body = "
        mov.u32 %r1, %ntid.x;
        setp.lt.u32 %p1, %t, 16;
        @%p1 mov.u32 %r1, %t;
        shfl.sync.bfly.b32 %r2, %r1, 31, 31, 0xffffffff;
        st.global.u32 [%out], %r2;";
    let ran = run(body, 32);
    let expected: Vec<u32> = (0..32).map(|t| if t < 16 { 32 } else { 31 - t }).collect();
    assert_eq!(ran.words(0)[..32], expected);
}

/// A small generator of numbers, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32 % n
    }
}

/// Dot products with all sorts of things between and behind their steps: registers that are used
/// again, addresses that move, guards, other sums, stores, branches. Whatever way each stretch
/// takes, the watched run, which takes none, must say the same.
#[test]
fn runs_among_other_instructions() {
    for seed in 0..150 {
        let mut random = Random(seed);
        let mut body = String::new();
        let mut labels = 0;
        for _ in 0..10 + random.below(20) {
            let k = random.below(6);
            let factors = ["%f1, %f2", "%f2, %f1"][random.below(2) as usize];
            let line = match random.below(14) {
                0..6 => format!(
                    "ld.shared.f32 %f1, [%r10+{}]; ld.shared.f32 %f2, [%r12+{}]; \
                     fma.rn.f32 %f3, {factors}, %f3;",
                    4 * k,
                    64 * k
                ),
                6 => "add.f32 %f3, %f3, %f1;".to_owned(),
                7 => "mov.f32 %f4, %f2;".to_owned(),
                8 => "fma.rn.f32 %f4, %f1, %f2, %f4;".to_owned(),
                9 => format!("ld.shared.f32 %f2, [%r12+{}];", 64 * k),
                10 => "xor.b32 %r10, %r10, 4;".to_owned(),
                11 => "setp.lt.u32 %p4, %t, 9; @%p4 fma.rn.f32 %f3, %f1, %f2, %f3;".to_owned(),
                12 => "st.shared.f32 [%r4], %f4;".to_owned(),
                _ => {
                    labels += 1;
                    format!(
                        "setp.gt.u32 %p5, %t, {}; @%p5 bra L{labels}; add.f32 %f3, %f3, %f2; L{labels}:",
                        random.below(40)
                    )
                }
            };
            body += &line;
            body.push('\n');
        }
        // What else is left in registers shows too.
        let begin = "mov.f32 %f4, 0f3f800000;";
        dot(
            &format!("{begin} {body}"),
            "add.f32 %f3, %f3, %f4; add.f32 %f3, %f3, %f1;",
            64,
        );
    }
}
