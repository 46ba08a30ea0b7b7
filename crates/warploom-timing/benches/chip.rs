//! How fast a chip runs in time, on one host thread and on all cores: a V100 with all its SMs,
//! counters on.
//!
//! `cargo bench -p warploom-timing` prints, for each kernel, warp instructions and simulated cycles
//! a second of host time, functional execution included. A name after `--` picks kernels.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use warploom_device::Device;
use warploom_machine::{AllocationKind, Host, LaunchSpec, Limits, Machine, MachineConfig, Outcome};
use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::{Crew, Crewed, TimingOptions, run_crewed};

const SAXPY: &str = include_str!("../../../examples/cuda/saxpy.ptx");
const MATMUL: &str = include_str!("../../../examples/cuda/matmul.ptx");

/// Dependent multiply-adds in a loop, eight chains.
fn fma() -> String {
    let mut body = String::new();
    for _ in 0..16 {
        for chain in 1..=8 {
            body.push_str(&format!("fma.rn.f32 %f{chain}, %f{chain}, %f9, %f10;\n"));
        }
    }
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry fma(.param .u64 p) {{\n\
         .reg .f32 %f<12>;\n.reg .b32 %r<4>;\n.reg .pred %q;\n.reg .b64 %d<4>;\n\
         mov.u32 %r1, 0;\nL:\n{body}add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q, %r1, 16;\n@%q bra L;\n\
         ld.param.u64 %d1, [p];\nst.global.f32 [%d1], %f1;\nret;\n}}\n"
    )
}

/// One thread that follows a chain of addresses through 64 MiB.
const CHASE: &str = ".version 8.0\n.target sm_70\n.address_size 64\n\
    .visible .entry chase(.param .u64 p) {\n.reg .b64 %d<8>;\n.reg .b32 %r<4>;\n.reg .pred %q;\n\
    ld.param.u64 %d1, [p];\nmov.u64 %d3, %d1;\nmov.u32 %r1, 0;\n\
    L:\nld.global.u64 %d2, [%d1];\nadd.u64 %d1, %d1, %d2;\nadd.u64 %d1, %d1, 4224;\n\
    add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q, %r1, 15000;\n@%q bra L;\nst.global.u64 [%d3], %d1;\nret;\n}\n";

struct Case<'a> {
    name: &'a str,
    text: &'a str,
    entry: &'a str,
    grid: [u32; 3],
    block: [u32; 3],
    /// 32-bit words of each buffer, or a plain word.
    args: &'a [Arg],
}

#[derive(Clone, Copy)]
enum Arg {
    Word(u32),
    Buffer(u64),
}

/// Threads that are started for each epoch.
struct Threads(usize);

impl Crew for Threads {
    fn takes(&self, thread_instructions: u64) -> bool {
        self.0 > 1 && thread_instructions > 1 << 15
    }

    fn each<T: Send>(&self, items: &mut [T], job: impl Fn(&mut T) + Sync) {
        let left = Mutex::new(items.iter_mut());
        let next = || left.lock().expect("no panic").next();
        let work = || {
            while let Some(item) = next() {
                job(item);
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.0 {
                scope.spawn(work);
            }
            work();
        });
    }
}

fn measure(case: &Case<'_>, threads: usize) {
    let device = Device::by_name("v100").expect("a device");
    let loaded = warploom_ptx::load(&[(case.name, case.text)]).expect("loads");
    let module = Arc::new(loaded.module);
    let mut machine = Machine::load(module.clone(), MachineConfig::default()).expect("loads");
    let kernel = module.kernel(case.entry).expect("the kernel");
    let mut params = Vec::new();
    for (arg, param) in case.args.iter().zip(&module.function(kernel).params) {
        params.resize(param.offset as usize, 0);
        match *arg {
            Arg::Word(word) => params.extend(word.to_le_bytes()),
            Arg::Buffer(bytes) => {
                let kind = AllocationKind::Buffer(param.name.clone());
                let address = machine.memory.allocate(bytes, 256, kind).expect("room");
                params.extend(address.to_le_bytes());
            }
        }
    }
    let spec = LaunchSpec {
        kernel,
        grid: case.grid,
        block: case.block,
        dynamic_shared_bytes: 0,
        params,
        cooperative: false,
        resident_blocks: 640,
    };
    let launch = machine.prepare(&spec).expect("fits");
    let stream = lower(&module, kernel, LowerOptions::default());
    let options = TimingOptions {
        blocks_per_sm: 8,
        l1_bytes: 96 << 10,
        trace_issues: 0,
    };
    let limits = Limits {
        max_thread_instructions: u64::MAX,
        interrupt: None,
    };
    let host = &mut Host {
        output: &mut |_| {},
        progress: &mut |_| {},
    };
    let start = Instant::now();
    let crewed = Crewed {
        crew: &Threads(threads),
        trace: None,
    };
    let (result, timing) = run_crewed(
        &mut machine,
        &launch,
        &stream,
        &device,
        &options,
        limits,
        host,
        crewed,
    )
    .expect("is lowered");
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(result.outcome, Outcome::Completed);
    let issues = result.counters.issues(&module);
    let source: u64 = issues.iter().map(|count| count.entries).sum();
    println!(
        "{:<14} {threads} threads {:6.2} s, {:6.2} M warp instructions/s ({:6.2} M of the machine), {:7.2} M cycles/s",
        case.name,
        seconds,
        source as f64 / seconds / 1e6,
        timing.machine_instructions() as f64 / seconds / 1e6,
        timing.cycles as f64 / seconds / 1e6,
    );
}

fn main() {
    let fma = fma();
    let megabyte = 1 << 20;
    let buffer = Arg::Buffer(4 * megabyte);
    let saxpy = [
        Arg::Word(megabyte as u32),
        Arg::Word(2f32.to_bits()),
        buffer,
        buffer,
    ];
    let square = Arg::Buffer(4 * 256 * 256);
    let matmul = [Arg::Word(256), Arg::Word(256), square, square, square];
    let cases = [
        Case {
            name: "fma loop",
            text: &fma,
            entry: "fma",
            grid: [640, 1, 1],
            block: [256, 1, 1],
            args: &[Arg::Buffer(256)],
        },
        Case {
            name: "tiled matmul",
            text: MATMUL,
            entry: "matmul16",
            grid: [16, 16, 1],
            block: [16, 16, 1],
            args: &matmul,
        },
        Case {
            name: "saxpy",
            text: SAXPY,
            entry: "saxpy",
            grid: [4096, 1, 1],
            block: [256, 1, 1],
            args: &saxpy,
        },
        Case {
            name: "pointer chase",
            text: CHASE,
            entry: "chase",
            grid: [1, 1, 1],
            block: [1, 1, 1],
            args: &[Arg::Buffer(64 * megabyte)],
        },
    ];
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for case in &cases {
        let named = wanted.iter().filter(|name| !name.starts_with("--"));
        if named.clone().next().is_some() && !named.clone().any(|name| case.name.contains(&**name))
        {
            continue;
        }
        measure(case, 1);
        measure(case, cores);
    }
}
