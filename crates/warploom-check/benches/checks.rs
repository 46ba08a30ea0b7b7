//! What checking costs: kernels on one host thread, with and without the race checker.
//!
//! `cargo bench -p warploom-check` prints, for each kernel, the ratio of the two times.

#[path = "../../warploom-machine/benches/kit/mod.rs"]
mod kit;

use std::time::{Duration, Instant};

use kit::{Arg, Kernel};
use warploom_check::{RaceChecker, Shape};
use warploom_machine::{Host, Limits, Outcome};

const MATMUL: &str = include_str!("../../../examples/cuda/matmul.ptx");
const SCAN: &str = include_str!("../../../examples/cuda/scan.ptx");

/// A kernel runs so often; the fastest run counts.
const RUNS: u32 = 3;

fn measure(kernel: &Kernel) {
    let (module, mut machine, launch) = kernel.prepare();
    let shape = Shape {
        grid: kernel.grid,
        threads_per_block: kernel.block.iter().product(),
        warp_width: 32,
        in_step: false,
    };
    let limits = Limits {
        max_thread_instructions: u64::MAX,
        interrupt: None,
    };
    let mut fastest = |checked: bool| {
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let host = &mut Host {
                output: &mut |_| {},
                progress: &mut |_| {},
            };
            let mut checker = RaceChecker::new(module.clone(), shape);
            let start = Instant::now();
            let result = match checked {
                true => machine.run_observed(&launch, limits, host, &mut checker),
                false => machine.run_serial(&launch, limits, host),
            };
            best = best.min(start.elapsed());
            assert_eq!(result.outcome, Outcome::Completed);
            assert!(checker.findings().is_empty());
        }
        best.as_secs_f64()
    };
    let (plain, checked) = (fastest(false), fastest(true));
    println!(
        "{:<14} plain {:8.2} ms, checked for races {:8.2} ms: {:.0} times",
        kernel.name,
        1e3 * plain,
        1e3 * checked,
        checked / plain
    );
}

fn main() {
    let n = 256;
    let square = || Arg::Buffer((n * n) as usize);
    measure(&Kernel {
        name: "tiled matmul",
        source: MATMUL,
        entry: "matmul16",
        grid: [n / 16, n / 16, 1],
        block: [16, 16, 1],
        args: vec![Arg::Word(n), Arg::Word(n), square(), square(), square()],
    });
    let n = 1 << 18;
    measure(&Kernel {
        name: "block scan",
        source: SCAN,
        entry: "scan_warps",
        grid: [n / 256, 1, 1],
        block: [256, 1, 1],
        args: vec![
            Arg::Word(n),
            Arg::Buffer(n as usize),
            Arg::Buffer(n as usize),
            Arg::Buffer((n / 256) as usize),
        ],
    });
}
