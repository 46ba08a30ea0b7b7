//! Whole kernels on one host thread, counters on, against `ptoxide`, a plain PTX interpreter, in
//! the same run.
//!
//! `cargo bench -p warploom-machine --bench kernels` prints, for each kernel, how many thread
//! instructions a second both execute and the ratio. Both run the same PTX; the other interpreter
//! gets smaller sizes (its rate does not depend on them) and the text without debug sections,
//! which it does not read.

mod kit;

use std::time::{Duration, Instant};

use kit::{Arg, Kernel};
use warploom_machine::{Host, Limits, Outcome};

const SAXPY: &str = include_str!("../../../examples/cuda/saxpy.ptx");
const MATMUL: &str = include_str!("../../../examples/cuda/matmul.ptx");

/// A kernel runs at least so often and so long; the fastest run counts.
const LEAST_RUNS: u32 = 5;
const LEAST_TIME: Duration = Duration::from_secs(3);

fn saxpy(n: u32) -> Kernel {
    let buffer = Arg::Buffer(n as usize);
    Kernel {
        name: "saxpy",
        source: SAXPY,
        entry: "saxpy",
        grid: [n / 256, 1, 1],
        block: [256, 1, 1],
        args: vec![Arg::Word(n), Arg::Word(2f32.to_bits()), buffer, buffer],
    }
}

fn matmul(n: u32) -> Kernel {
    let buffer = Arg::Buffer((n * n) as usize);
    Kernel {
        name: "tiled matmul",
        source: MATMUL,
        entry: "matmul16",
        grid: [n / 16, n / 16, 1],
        block: [16, 16, 1],
        args: vec![Arg::Word(n), Arg::Word(n), buffer, buffer, buffer],
    }
}

fn fastest(mut run: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < LEAST_RUNS || begin.elapsed() < LEAST_TIME {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        runs += 1;
    }
    best
}

/// Warp and thread instructions, and the time of one run.
fn ours(kernel: &Kernel) -> (u64, u64, Duration) {
    let (module, mut machine, launch) = kernel.prepare();
    let limits = Limits {
        max_thread_instructions: u64::MAX,
        interrupt: None,
    };
    let mut counts = (0, 0);
    let time = fastest(|| {
        let host = &mut Host {
            output: &mut |_| {},
            progress: &mut |_| {},
        };
        let result = machine.run_serial(&launch, limits, host);
        assert_eq!(result.outcome, Outcome::Completed);
        let issues = result.counters.issues(&module);
        counts = (
            issues.iter().map(|i| i.entries).sum(),
            result.counters.thread_instructions(&module),
        );
    });
    (counts.0, counts.1, time)
}

/// The time of one run.
fn theirs(kernel: &Kernel) -> Duration {
    let text: String = kernel
        .source
        .lines()
        .take_while(|line| !line.contains(".section") && !line.contains(".file"))
        .filter(|line| !line.trim_start().starts_with(".loc"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut context = ptoxide::Context::new_with_module(&text).expect("it reads this kernel");
    let args: Vec<ptoxide::Argument<'_>> = kernel
        .args
        .iter()
        .map(|arg| match *arg {
            Arg::Word(word) => ptoxide::Argument::U32(word),
            Arg::Buffer(words) => ptoxide::Argument::ptr(context.alloc::<f32>(words)),
        })
        .collect();
    let ([x, y, _], [a, b, _]) = (kernel.grid, kernel.block);
    fastest(|| {
        let shape = ptoxide::LaunchParams::func_id(0).grid2d(x, y).block2d(a, b);
        context.run(shape, &args).expect("it runs this kernel");
    })
}

/// `cargo bench -p warploom-machine --bench kernels -- ours`: without the other interpreter, for a
/// profiler; with a kernel's name, that kernel alone.
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let pairs = [(saxpy(1 << 22), saxpy(1 << 16)), (matmul(512), matmul(64))];
    let named = |kernel: &Kernel| words.iter().any(|word| kernel.name.contains(word.as_str()));
    let chosen = pairs.iter().any(|(large, _)| named(large));
    for (large, small) in pairs {
        if chosen && !named(&large) {
            continue;
        }
        let (warps, threads, time) = ours(&large);
        let rate = threads as f64 / time.as_secs_f64();
        if words.iter().any(|word| word == "ours") {
            println!(
                "{:<14} {:7.1} M warp instructions/s",
                large.name,
                warps as f64 / time.as_secs_f64() / 1e6
            );
            continue;
        }
        let (_, threads, _) = ours(&small);
        let other = threads as f64 / theirs(&small).as_secs_f64();
        println!(
            "{:<14} {:7.1} M warp instructions/s, {:7.1} M thread instructions/s; \
             ptoxide {:5.1} M thread instructions/s; ratio {:.0}",
            large.name,
            warps as f64 / time.as_secs_f64() / 1e6,
            rate / 1e6,
            other / 1e6,
            rate / other,
        );
    }
}
