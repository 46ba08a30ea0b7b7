//! Kernels of a few lines on an SM, and when each line issues.

use std::sync::Arc;

use warploom_device::Device;
use warploom_machine::{Counters, Host, LaunchSpec, Limits, Machine, MachineConfig, Outcome};
use warploom_timing::crew::{Alone, Crew};
use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::{Crewed, Issued, Timing, TimingOptions, run_crewed};

/// The text of a kernel with a shared array and many registers.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n\
         .const .align 256 .b8 table[1024];\n\
         .visible .entry k(.param .u64 p) {{\n\
         .reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<40>;\n.reg .f32 %f<40>;\n\
         .shared .align 16 .b8 tile[8192];\n{body}\nret;\n}}\n"
    )
}

pub struct Timed {
    pub timing: Timing,
    pub outcome: Outcome,
    pub counters: Counters,
    /// What the buffer holds at the end.
    pub buffer: Vec<u8>,
    /// Text line of each instruction.
    lines: Vec<u32>,
}

/// What is launched, and what an SM has for it.
pub struct Setup {
    /// Warps of a block.
    pub warps: u32,
    pub blocks: u32,
    pub blocks_per_sm: u32,
    pub l1_bytes: u64,
}

/// Runs a body as it is written, to its end.
pub fn timed(device: &Device, warps: u32, blocks: u32, body: &str) -> Timed {
    let setup = Setup {
        warps,
        blocks,
        blocks_per_sm: 8,
        l1_bytes: 64 << 10,
    };
    let run = run_setup(device, &setup, body);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

/// The same with more to choose.
pub fn run_setup(device: &Device, setup: &Setup, body: &str) -> Timed {
    run_limited(device, setup, body, 1 << 30, &Alone)
}

/// The same with at most so many thread instructions, on other host threads too.
pub fn run_limited<C: Crew>(
    device: &Device,
    setup: &Setup,
    body: &str,
    max_thread_instructions: u64,
    crew: &C,
) -> Timed {
    let text = kernel(body);
    let loaded = warploom_ptx::load(&[("k.ptx", &text)]).expect("the text is right");
    let module = Arc::new(loaded.module);
    let lines = module
        .origins
        .iter()
        .map(|origin| origin.text_line)
        .collect();
    let mut machine = Machine::load(module.clone(), MachineConfig::default()).expect("loads");
    let kind = warploom_machine::AllocationKind::Buffer("p".to_owned());
    let bytes = 1 << 20;
    let buffer = machine.memory.allocate(bytes, 256, kind).expect("room");
    let spec = LaunchSpec {
        kernel: module.kernel("k").expect("is there"),
        grid: [setup.blocks, 1, 1],
        block: [32 * setup.warps, 1, 1],
        dynamic_shared_bytes: 0,
        params: buffer.to_le_bytes().to_vec(),
        cooperative: false,
        resident_blocks: 1,
    };
    let launch = machine.prepare(&spec).expect("fits");
    let options = LowerOptions {
        as_written: true,
        ..LowerOptions::default()
    };
    let stream = lower(&module, launch.kernel(), options);
    let options = TimingOptions {
        blocks_per_sm: setup.blocks_per_sm,
        l1_bytes: setup.l1_bytes,
        trace_issues: 1 << 16,
    };
    let limits = Limits {
        max_thread_instructions,
        interrupt: None,
    };
    let host = &mut Host {
        output: &mut |_| {},
        progress: &mut |_| {},
    };
    let crewed = Crewed { crew, trace: None };
    let (result, timing) = run_crewed(
        &mut machine,
        &launch,
        &stream,
        device,
        &options,
        limits,
        host,
        crewed,
    )
    .expect("is lowered");
    let mut left = vec![0; bytes as usize];
    machine.memory.read(buffer, &mut left).expect("is there");
    Timed {
        timing,
        outcome: result.outcome,
        counters: result.counters,
        buffer: left,
        lines,
    }
}

impl Timed {
    /// Cycle in which a warp of the first block issues the body's line `line`, from 1.
    pub fn issue(&self, line: u32, warp: u32) -> u64 {
        let head = kernel("").lines().position(str::is_empty);
        let number = head.expect("the body") as u32 + line;
        let wanted =
            |issued: &&Issued| self.lines[issued.source as usize] == number && issued.warp == warp;
        let trace = &self.timing.tally.trace;
        trace.iter().find(wanted).expect("it issues").cycle
    }

    /// Cycles from one line's issue to another's, in warp 0.
    pub fn between(&self, from: u32, to: u32) -> u64 {
        self.issue(to, 0) - self.issue(from, 0)
    }
}

/// A V100 whose instructions are there at once.
pub fn v100() -> Device {
    let mut device = Device::by_name("v100").expect("a device");
    let free = [
        ("timing.fetch.l1_cycles", "0"),
        ("timing.fetch.l2_cycles", "0"),
    ];
    device.set_all(free).expect("figures");
    device
}
