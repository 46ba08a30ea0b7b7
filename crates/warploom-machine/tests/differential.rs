//! Random programs on the machine, under both divergence models, against a plain interpreter that
//! executes one thread at a time.

mod kit;
mod reference;

use std::fmt::Write;

use kit::{Arg, Case, Mode, Ran, Seen};
use reference::generate::generate;
use reference::interpret::{Executed, execute, reduced};
use reference::ops::Ops;
use reference::print::{INPUT_BYTES, RESULT_BYTES, print};
use reference::program::{Class, Kind, Program, Stmt, has};
use reference::random::Random;
use reference::shrink::shrink;
use warploom_machine::Outcome;

/// Values for the registers of every thread.
fn input(program: &Program) -> Vec<u8> {
    let mut random = Random::new(!program.seed);
    let mut bytes = Vec::new();
    for _ in 0..program.blocks * program.threads {
        for _ in 0..Class::D.count() {
            let value = random.value(Kind::B64);
            bytes.extend(value.to_le_bytes());
        }
        for n in 0..Class::W.count() {
            let kind = if n % 2 == 0 { Kind::B32 } else { Kind::Shift };
            let value = random.value(kind) as u32;
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}

/// What the reference says of all threads.
struct Expected {
    threads: Vec<Executed>,
    /// Warp instructions at least, at most, and if lanes meet again wherever they can.
    least: u64,
    most: u64,
    structured: Option<u64>,
}

fn expect(ops: &Ops, program: &Program, input: &[u8]) -> Option<Expected> {
    let mut expected = Expected {
        threads: Vec::new(),
        least: 0,
        most: 0,
        structured: program.structured().then_some(0),
    };
    let inputs: Vec<&[u8]> = input.chunks_exact(INPUT_BYTES).collect();
    for block in inputs.chunks(program.threads as usize) {
        let (threads, issues) = execute(ops, program, block)?;
        for warp in threads.chunks(program.warp as usize) {
            let counts = || warp.iter().map(|thread| thread.count);
            expected.least += counts().max().unwrap_or(0);
            expected.most += counts().sum::<u64>();
        }
        expected.threads.extend(threads);
        if let Some(sum) = &mut expected.structured {
            *sum += issues.iter().sum::<u64>();
        }
    }
    Some(expected)
}

fn run(program: &Program, source: &str, input: &[u8]) -> [Ran; 2] {
    let threads = (program.blocks * program.threads) as usize;
    let args = vec![
        Arg::Zeros(threads * RESULT_BYTES / 4),
        Arg::Words(words(input)),
    ];
    let case = Case::new(source, "k", args);
    let mut case = case.grid(program.blocks).block(program.threads);
    case.config.warp_width = program.warp;
    case.mode = match program.seed % 4 {
        0 => Mode::Observed,
        1 => Mode::Chunk,
        _ => Mode::Serial,
    };
    case.run_each()
}

/// Compares a program's runs; nothing if it is too long to run. `twice` runs it once more.
fn check(ops: &Ops, program: &Program, twice: bool) -> Option<Result<(), String>> {
    let input = input(program);
    let expected = expect(ops, program, &input)?;
    let source = print(ops, program);
    let both = run(program, &source, &input);
    let mut what = compare(program, &expected, &both);
    if what.is_ok() && twice {
        let again = run(program, &source, &input);
        for (first, second) in both.iter().zip(&again) {
            if first.result.counters != second.result.counters {
                what = Err("counters differ between two runs".to_owned());
            }
        }
    }
    Some(what)
}

fn compare(program: &Program, expected: &Expected, both: &[Ran; 2]) -> Result<(), String> {
    for (model, ran) in ["stack", "independent threads"].iter().zip(both) {
        if ran.result.outcome != Outcome::Completed {
            return Err(format!("{model}: {}", ran.fault()));
        }
        let output = ran.words(0);
        let per_thread = RESULT_BYTES / 4;
        for (n, thread) in expected.threads.iter().enumerate() {
            let got = &output[n * per_thread..][..per_thread];
            for (i, (got, wanted)) in got.iter().zip(words(&thread.output)).enumerate() {
                if *got != wanted {
                    let (block, index) = (n as u32 / program.threads, n as u32 % program.threads);
                    return Err(format!(
                        "{model}: block {block} thread {index}: output word {i} is {got:#010x}, \
                         expected {wanted:#010x}"
                    ));
                }
            }
        }
        let common = ran.variable("common");
        let reduced = reduced(&expected.threads);
        if common != reduced {
            return Err(format!(
                "{model}: common memory is {common:x?}, expected {reduced:x?}"
            ));
        }
        let (warps, lanes) = ran.issues();
        let count: u64 = expected.threads.iter().map(|thread| thread.count).sum();
        if lanes != count {
            return Err(format!(
                "{model}: {lanes} thread instructions, expected {count}"
            ));
        }
        let off: u64 = expected
            .threads
            .iter()
            .map(|thread| thread.guarded_off)
            .sum();
        if ran.guarded_off() != off {
            let got = ran.guarded_off();
            return Err(format!("{model}: {got} guarded off, expected {off}"));
        }
        let counted = Seen {
            issues: warps,
            lanes,
            guarded_off: off,
        };
        if ran.seen.is_some_and(|seen| seen != counted) {
            return Err(format!("{model}: {:?} seen, {counted:?} counted", ran.seen));
        }
        if warps < expected.least || warps > expected.most {
            let Expected { least, most, .. } = expected;
            return Err(format!(
                "{model}: {warps} warp instructions, not {least} to {most}"
            ));
        }
        if expected.structured.is_some_and(|exact| warps != exact) {
            let exact = expected.structured.unwrap_or_default();
            return Err(format!(
                "{model}: {warps} warp instructions, expected {exact}"
            ));
        }
    }
    Ok(())
}

fn report(ops: &Ops, program: &Program, first: &str) -> String {
    let kind = first.split(':').next().unwrap_or_default().to_owned();
    let fails = |program: &Program| {
        let what = check(ops, program, false);
        matches!(what, Some(Err(what)) if what.starts_with(&kind))
    };
    let small = shrink(program, fails);
    let what = match check(ops, &small, false) {
        Some(Err(what)) => what,
        _ => first.to_owned(),
    };
    let mut text = String::new();
    let _ = writeln!(text, "seed {}: {what}", program.seed);
    let _ = writeln!(
        text,
        "{} blocks of {} threads, warps of {} lanes",
        small.blocks, small.threads, small.warp
    );
    text + &print(ops, &small)
}

fn run_seeds(seeds: std::ops::Range<u64>) {
    let ops = Ops::new();
    let (mut ran, mut failures) = (0, Vec::new());
    let total = seeds.end - seeds.start;
    for seed in seeds {
        let program = generate(&ops, seed);
        match check(&ops, &program, seed % 8 == 0) {
            None => continue,
            Some(Ok(())) => {}
            Some(Err(what)) => failures.push(report(&ops, &program, &what)),
        }
        ran += 1;
        if failures.len() == 3 {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        ran > total * 9 / 10,
        "only {ran} programs of {total} are short enough"
    );
}

/// More seeds, from a number in the environment on, for longer searches.
fn seeds(part: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first: u64 = number("WARPLOOM_SEED").unwrap_or(1);
    let count: u64 = number("WARPLOOM_PROGRAMS").unwrap_or(5000) / 4;
    first + part * count..first + (part + 1) * count
}

#[test]
fn programs_part_1() {
    run_seeds(seeds(0));
}

#[test]
fn programs_part_2() {
    run_seeds(seeds(1));
}

#[test]
fn programs_part_3() {
    run_seeds(seeds(2));
}

#[test]
fn programs_part_4() {
    run_seeds(seeds(3));
}

/// Every instruction of the table by itself, on many values.
#[test]
fn every_instruction() {
    let ops = Ops::new();
    for number in 0..ops.list.len() {
        let program = reference::generate::single(&ops, number);
        match check(&ops, &program, false) {
            Some(Ok(())) => {}
            Some(Err(what)) => panic!("{}", report(&ops, &program, &what)),
            None => unreachable!("one instruction is short"),
        }
    }
}

/// A failing program shrinks to what makes it fail.
#[test]
fn shrinking() {
    let ops = Ops::new();
    let divides = |stmt: &Stmt| matches!(stmt, Stmt::Op(_, op) if ops.list[op.number].text.starts_with("div"));
    let loops = |stmt: &Stmt| matches!(stmt, Stmt::Loop { body, .. } if has(body, &divides));
    let fails = |program: &Program| has(&program.kernel, &loops);
    let program = (1..)
        .map(|seed| generate(&ops, seed))
        .find(fails)
        .expect("there is one");
    assert!(program.statements() > 4);
    let small = shrink(&program, fails);
    assert_eq!((small.statements(), small.blocks, small.threads), (2, 1, 1));
}
