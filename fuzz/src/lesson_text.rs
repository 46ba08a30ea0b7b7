//! Lessons: what parses is run under both divergence models, once plainly and once checked for races.

use std::sync::Arc;

use warploom_check::{RaceChecker, Shape};
use warploom_lesson::{KERNEL, Lesson, parse};
use warploom_machine::{
    AllocationKind, Divergence, Host, LaunchSpec, Limits, Machine, MachineConfig, Outcome,
};

use crate::Features;

/// Thread instructions of a launch.
const MAX_THREAD_INSTRUCTIONS: u64 = 20_000;
/// Largest grid that is run; larger ones are cut down.
const MAX_BLOCKS: u32 = 3;

/// Reads the text as a lesson and runs it.
///
/// # Panics
/// On a mistake of Warploom's.
pub fn run(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    match parse("input.simt", &text) {
        Ok(lesson) => {
            for inst in &lesson.module.code {
                features.add(inst.op);
            }
            let module = Arc::new(lesson.module.clone());
            for divergence in [Divergence::Its, Divergence::Ipdom] {
                let config = MachineConfig {
                    warp_width: lesson.width,
                    divergence,
                    ..MachineConfig::default()
                };
                let machine = Machine::load(module.clone(), config).expect("a lesson loads");
                execute(&lesson, machine, &mut features);
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(text.get(error.span.clone()).is_some(), "{error:?}");
                assert!(error.line >= 1 && error.column >= 1);
                features.add_message(&error.message);
            }
        }
    }
    features
}

fn execute(lesson: &Lesson, mut machine: Machine, features: &mut Features) {
    let mut params = Vec::new();
    for array in &lesson.arrays {
        let kind = AllocationKind::Buffer(array.name.clone());
        let bytes = array.initial_bytes();
        let address = machine.memory.allocate(bytes.len() as u64, 4, kind);
        let address = address.expect("arrays are small");
        machine
            .memory
            .write(address, &bytes)
            .expect("it was allocated");
        params.extend(address.to_le_bytes());
    }
    let spec = LaunchSpec {
        kernel: machine
            .module()
            .kernel(KERNEL)
            .expect("a lesson has a kernel"),
        grid: [lesson.blocks.min(MAX_BLOCKS), 1, 1],
        block: [lesson.threads, 1, 1],
        dynamic_shared_bytes: 0,
        params,
        cooperative: false,
        resident_blocks: 2,
    };
    let launch = machine.prepare(&spec).expect("a lesson's launch fits");
    let limits = Limits {
        max_thread_instructions: MAX_THREAD_INSTRUCTIONS,
        interrupt: None,
    };
    let host = &mut Host {
        output: &mut |_| {},
        progress: &mut |_| {},
    };
    match machine.run_serial(&launch, limits, host).outcome {
        Outcome::Fault(fault) => features.add_message(&fault.kind.to_string()),
        other => features.add(format!("{other:?}")),
    }
    let shape = Shape {
        grid: spec.grid,
        threads_per_block: lesson.threads,
        warp_width: machine.config().warp_width,
        in_step: machine.config().divergence == Divergence::Ipdom,
    };
    let mut checker = RaceChecker::new(machine.module().clone(), shape);
    machine.run_observed(&launch, limits, host, &mut checker);
    for finding in checker.findings() {
        features.add(finding.kind.name());
    }
}
