//! No false alarm: random programs whose threads keep to themselves, but for atomics and warp
//! operations, are silent. They are those that the machine is compared on with a plain interpreter.

#[path = "../../warploom-machine/tests/kit/mod.rs"]
mod machine_kit;
#[path = "../../warploom-machine/tests/reference/mod.rs"]
#[allow(
    dead_code,
    reason = "the interpreter and the shrinking are not needed here"
)]
mod reference;

use machine_kit::{Arg, Case};
use reference::generate::generate;
use reference::ops::Ops;
use reference::print::{INPUT_BYTES, RESULT_BYTES, print};
use reference::random::Random;
use warploom_check::{RaceChecker, Shape};
use warploom_machine::{Divergence, Host, Limits, MachineConfig, Outcome};

/// Programs that are checked.
const PROGRAMS: u64 = 600;

#[test]
fn programs_without_races_are_silent() {
    let ops = Ops::new();
    let mut completed = 0;
    for seed in 1..=PROGRAMS {
        let program = generate(&ops, seed);
        let source = print(&ops, &program);
        let threads = (program.blocks * program.threads) as usize;
        let mut random = Random::new(seed);
        let input = (0..threads * INPUT_BYTES / 4)
            .map(|_| random.bits() as u32)
            .collect();
        let args = vec![Arg::Zeros(threads * RESULT_BYTES / 4), Arg::Words(input)];
        let mut case = Case::new(&source, "k", args)
            .grid(program.blocks)
            .block(program.threads);
        case.config = MachineConfig {
            warp_width: program.warp,
            ..MachineConfig::default()
        };
        for divergence in [Divergence::Ipdom, Divergence::Its] {
            let (mut machine, spec, _) = case.set_up(divergence);
            let launch = machine.prepare(&spec).expect("a launch");
            let shape = Shape {
                grid: spec.grid,
                threads_per_block: program.threads,
                warp_width: program.warp,
                in_step: divergence == Divergence::Ipdom,
            };
            let mut checker = RaceChecker::new(machine.module().clone(), shape);
            let limits = Limits {
                max_thread_instructions: 1 << 22,
                interrupt: None,
            };
            let host = &mut Host {
                output: &mut |_| {},
                progress: &mut |_| {},
            };
            let result = machine.run_observed(&launch, limits, host, &mut checker);
            completed += u64::from(result.outcome == Outcome::Completed);
            let found = checker.findings();
            assert!(
                found.is_empty(),
                "seed {seed}, {divergence:?}: {found:#?}\n{source}"
            );
        }
    }
    // A few are too long.
    assert!(
        completed > 2 * PROGRAMS * 9 / 10,
        "only {completed} completed"
    );
}
