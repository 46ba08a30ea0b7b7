//! Runs small kernels and looks at what came of them.

use std::sync::Arc;

use warploom_isa::{Module, Op};
use warploom_machine::{
    AllocationKind, Divergence, Host, LaunchSpec, Limits, Machine, MachineConfig, Outcome,
    RunResult,
};

pub use warploom_machine::Divergence::{Ipdom, Its};

/// A kernel argument.
#[derive(Clone, Debug)]
pub enum Arg {
    U32(u32),
    /// A zeroed buffer of 32-bit words.
    Zeros(usize),
    /// A buffer of 32-bit words.
    Words(Vec<u32>),
}

/// A finished launch.
pub struct Ran {
    pub module: Arc<Module>,
    pub result: RunResult,
    pub machine: Machine,
    pub printed: String,
    buffers: Vec<(u64, usize)>,
}

impl Ran {
    /// The words of the `n`-th buffer argument.
    pub fn words(&self, n: usize) -> Vec<u32> {
        let (address, words) = self.buffers[n];
        let mut bytes = vec![0; 4 * words];
        self.machine
            .memory
            .read(address, &mut bytes)
            .expect("a live buffer");
        bytes
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect()
    }

    /// Sum of a count over the instructions with an operation.
    pub fn total(&self, op: Op, count: impl Fn(&warploom_machine::InstCount) -> u64) -> u64 {
        let insts = self.module.code.iter().zip(&self.result.counters.insts);
        insts
            .filter(|(inst, _)| inst.op == op)
            .map(|(_, counts)| count(counts))
            .sum()
    }

    /// Warp and thread instructions issued.
    pub fn issues(&self) -> (u64, u64) {
        let issues = self.result.counters.issues(&self.module);
        let lanes = issues.iter().map(|i| i.lanes).sum();
        (issues.iter().map(|i| i.entries).sum(), lanes)
    }

    /// The fault's text; the outcome's name if there is none.
    pub fn fault(&self) -> String {
        match &self.result.outcome {
            Outcome::Fault(fault) => fault.kind.to_string(),
            other => format!("{other:?}"),
        }
    }
}

/// A launch to make.
#[derive(Clone)]
pub struct Case<'a> {
    pub source: &'a str,
    pub kernel: &'a str,
    pub grid: u32,
    pub block: u32,
    pub dynamic_shared_bytes: u32,
    pub args: Vec<Arg>,
    pub limit: u64,
    pub resident_blocks: u64,
    pub cooperative: bool,
}

impl<'a> Case<'a> {
    pub fn new(source: &'a str, kernel: &'a str, args: Vec<Arg>) -> Case<'a> {
        Case {
            source,
            kernel,
            grid: 1,
            block: 32,
            dynamic_shared_bytes: 0,
            args,
            limit: 1 << 30,
            resident_blocks: 132,
            cooperative: false,
        }
    }

    pub fn grid(mut self, grid: u32) -> Case<'a> {
        self.grid = grid;
        self
    }

    pub fn block(mut self, block: u32) -> Case<'a> {
        self.block = block;
        self
    }

    /// Runs on one thread.
    pub fn run(&self, divergence: Divergence) -> Ran {
        let loaded = match warploom_ptx::load(&[("test.ptx", self.source)]) {
            Ok(loaded) => loaded,
            Err(problems) => panic!("{problems:#?}"),
        };
        let module = Arc::new(loaded.module);
        let config = MachineConfig {
            divergence,
            ..MachineConfig::default()
        };
        let mut machine = Machine::load(module.clone(), config).expect("a well-formed module");
        let kernel = module.kernel(self.kernel).expect("the kernel");
        let mut params = Vec::new();
        let mut buffers = Vec::new();
        let layout = &module.function(kernel).params;
        assert_eq!(
            layout.len(),
            self.args.len(),
            "arguments of {}",
            self.kernel
        );
        for (arg, param) in self.args.iter().zip(layout) {
            let value = match arg {
                Arg::U32(value) => value.to_le_bytes().to_vec(),
                Arg::Zeros(words) => place(&mut machine, &mut buffers, &vec![0; *words]),
                Arg::Words(words) => place(&mut machine, &mut buffers, words),
            };
            assert_eq!(
                value.len(),
                param.bytes as usize,
                "parameter {}",
                param.name
            );
            params.resize(param.offset as usize, 0);
            params.extend(value);
        }
        let spec = LaunchSpec {
            kernel,
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            params,
            cooperative: self.cooperative,
            resident_blocks: self.resident_blocks,
        };
        let launch = machine.prepare(&spec).expect("a good launch");
        let mut printed = Vec::new();
        let mut output = |bytes: &[u8]| printed.extend_from_slice(bytes);
        let host = &mut Host {
            output: &mut output,
            progress: &mut |_| {},
        };
        let limits = Limits {
            max_thread_instructions: self.limit,
            interrupt: None,
        };
        let result = machine.run_serial(&launch, limits, host);
        let printed = String::from_utf8(printed).expect("text");
        Ran {
            module,
            result,
            machine,
            printed,
            buffers,
        }
    }

    /// Runs under both divergence models, each of which must complete.
    pub fn run_both(&self) -> [Ran; 2] {
        [Ipdom, Its].map(|divergence| {
            let ran = self.run(divergence);
            assert_eq!(
                ran.result.outcome,
                Outcome::Completed,
                "{divergence:?}: {}",
                ran.fault()
            );
            ran
        })
    }
}

fn place(machine: &mut Machine, buffers: &mut Vec<(u64, usize)>, words: &[u32]) -> Vec<u8> {
    let kind = AllocationKind::Buffer(format!("buffer {}", buffers.len()));
    let address = machine
        .memory
        .allocate(4 * words.len() as u64, 256, kind)
        .expect("memory");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.memory.write(address, &bytes).expect("inside");
    buffers.push((address, words.len()));
    address.to_le_bytes().to_vec()
}
