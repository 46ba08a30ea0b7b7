//! Runs small kernels and looks at what came of them.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warploom_isa::{Module, Op};
use warploom_machine::{
    AllocationKind, Divergence, Fault, FaultKind, Host, Issue, LaunchError, LaunchSpec, Limits,
    Machine, MachineConfig, Observer, Outcome, RunResult, Wait,
};

pub use warploom_machine::Divergence::{Ipdom, Its};

/// A kernel argument.
#[derive(Clone, Debug)]
pub enum Arg {
    U32(u32),
    U64(u64),
    /// The bytes of a structure.
    Bytes(Vec<u8>),
    /// A zeroed buffer of 32-bit words.
    Zeros(usize),
    /// A buffer of 32-bit words.
    Words(Vec<u32>),
}

/// How a launch runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// In block order.
    Serial,
    /// As a part of the grid that may run beside others, if the launch allows it.
    Chunk,
    /// In block order, watched.
    Observed,
}

/// Adds up what an observer sees: issues, active lanes, lanes whose guard is false.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    pub issues: u64,
    pub lanes: u64,
    pub guarded_off: u64,
}

impl Observer for Seen {
    const ACTIVE: bool = true;

    fn issue(&mut self, issue: &Issue) {
        assert_eq!(issue.executing & !issue.active, 0);
        assert_eq!(issue.active & !issue.live, 0);
        self.issues += 1;
        self.lanes += u64::from(issue.active.count_ones());
        self.guarded_off += u64::from((issue.active & !issue.executing).count_ones());
    }
}

/// A finished launch.
pub struct Ran {
    pub module: Arc<Module>,
    pub result: RunResult,
    pub machine: Machine,
    pub printed: String,
    /// What was seen, if the run was observed.
    pub seen: Option<Seen>,
    buffers: Vec<(u64, usize)>,
}

impl Ran {
    /// The words of the `n`-th buffer argument.
    pub fn words(&self, n: usize) -> Vec<u32> {
        let (address, words) = self.buffers[n];
        self.read(address, words)
    }

    fn read(&self, address: u64, words: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * words];
        self.machine
            .memory
            .read(address, &mut bytes)
            .expect("live memory");
        bytes
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect()
    }

    /// The words of a global variable.
    pub fn variable(&self, name: &str) -> Vec<u32> {
        let (id, address) = self.machine.variable(name).expect("a placed variable");
        let bytes = self.module.variables[id.index()].bytes as usize;
        self.read(address, bytes / 4)
    }

    /// The same as pairs of words, low half first.
    pub fn longs(&self, n: usize) -> Vec<u64> {
        let words = self.words(n);
        let pairs = words.chunks_exact(2);
        pairs
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
            .collect()
    }

    /// Device address of the `n`-th buffer argument.
    pub fn address(&self, n: usize) -> u64 {
        self.buffers[n].0
    }

    /// The fault that ended the run.
    pub fn the_fault(&self) -> &Fault {
        match &self.result.outcome {
            Outcome::Fault(fault) => fault,
            other => panic!("no fault: {other:?}"),
        }
    }

    /// Who waits, in the deadlock that ended the run.
    pub fn waits(&self) -> &[Wait] {
        match &self.the_fault().kind {
            FaultKind::Deadlock { waits } => waits,
            other => panic!("no deadlock: {other}"),
        }
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

    /// Sum of active lanes whose guard was false, over the counted instructions.
    pub fn guarded_off(&self) -> u64 {
        let counts = self.module.code.iter().zip(&self.result.counters.insts);
        let counted = counts.filter(|(inst, _)| !inst.flags.fused());
        counted.map(|(_, count)| count.guarded_off).sum()
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
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub args: Vec<Arg>,
    pub limit: u64,
    pub resident_blocks: u64,
    pub cooperative: bool,
    /// The interrupt flag is up from the start.
    pub interrupted: bool,
    pub mode: Mode,
    /// The device; its divergence is that of the run.
    pub config: MachineConfig,
}

impl<'a> Case<'a> {
    pub fn new(source: &'a str, kernel: &'a str, args: Vec<Arg>) -> Case<'a> {
        Case {
            source,
            kernel,
            grid: [1; 3],
            block: [32, 1, 1],
            dynamic_shared_bytes: 0,
            args,
            limit: 1 << 30,
            resident_blocks: 132,
            cooperative: false,
            interrupted: false,
            mode: Mode::Serial,
            config: MachineConfig::default(),
        }
    }

    pub fn grid(mut self, grid: u32) -> Case<'a> {
        self.grid = [grid, 1, 1];
        self
    }

    pub fn block(mut self, block: u32) -> Case<'a> {
        self.block = [block, 1, 1];
        self
    }

    /// Runs on one thread.
    pub fn run(&self, divergence: Divergence) -> Ran {
        self.launch(divergence)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs on one thread, or tells why it cannot be launched.
    pub fn launch(&self, divergence: Divergence) -> Result<Ran, LaunchError> {
        let (machine, spec, buffers) = self.set_up(divergence);
        self.launch_on(machine, &spec, buffers)
    }

    /// A machine with the module and the buffers on it, and what to launch there.
    pub fn set_up(&self, divergence: Divergence) -> (Machine, LaunchSpec, Vec<(u64, usize)>) {
        let loaded = match warploom_ptx::load(&[("test.ptx", self.source)]) {
            Ok(loaded) => loaded,
            Err(problems) => panic!("{problems:#?}"),
        };
        let module = Arc::new(loaded.module);
        let config = MachineConfig {
            divergence,
            ..self.config.clone()
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
                Arg::U64(value) => value.to_le_bytes().to_vec(),
                Arg::Bytes(bytes) => bytes.clone(),
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
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            params,
            cooperative: self.cooperative,
            resident_blocks: self.resident_blocks,
        };
        (machine, spec, buffers)
    }

    /// Launches on a machine that was set up, and may have run before.
    pub fn launch_on(
        &self,
        mut machine: Machine,
        spec: &LaunchSpec,
        buffers: Vec<(u64, usize)>,
    ) -> Result<Ran, LaunchError> {
        let launch = machine.prepare(spec)?;
        let module = machine.module().clone();
        let mut printed = Vec::new();
        let mut output = |bytes: &[u8]| printed.extend_from_slice(bytes);
        let host = &mut Host {
            output: &mut output,
            progress: &mut |_| {},
        };
        let flag = AtomicBool::new(true);
        let limits = Limits {
            max_thread_instructions: self.limit,
            interrupt: self.interrupted.then_some(&flag),
        };
        let mut seen = None;
        let result = match self.mode {
            Mode::Observed => {
                machine.run_observed(&launch, limits, host, seen.insert(Seen::default()))
            }
            Mode::Chunk if !launch.order_dependent => {
                machine.run_chunk(&launch, 0..launch.blocks, limits)
            }
            _ => machine.run_serial(&launch, limits, host),
        };
        let printed = String::from_utf8(printed).expect("text");
        Ok(Ran {
            module,
            result,
            machine,
            printed,
            seen,
            buffers,
        })
    }

    /// Runs under both divergence models, each of which must complete.
    pub fn run_both(&self) -> [Ran; 2] {
        let both = self.run_each();
        for (divergence, ran) in [Ipdom, Its].iter().zip(&both) {
            let outcome = &ran.result.outcome;
            assert_eq!(
                *outcome,
                Outcome::Completed,
                "{divergence:?}: {}",
                ran.fault()
            );
        }
        both
    }

    /// Runs under both divergence models, however it ends.
    pub fn run_each(&self) -> [Ran; 2] {
        [Ipdom, Its].map(|divergence| self.run(divergence))
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

/// A module with one kernel, `k`, of so many buffers. The body finds
///
/// - the buffers' addresses in `%b0`, `%b1`…,
/// - the thread's index in `%t`, and `%b0 + 4 * index` in `%out`,
/// - free registers: `%h` 16 bits, `%r`, `%f` 32, `%rd`, `%fd` 64, `%q` 128, `%p` predicates.
pub fn kernel(buffers: usize, body: &str) -> String {
    module("", buffers, body)
}

/// As [`kernel`], with declarations before it.
pub fn module(declarations: &str, buffers: usize, body: &str) -> String {
    let parameters: Vec<String> = (0..buffers).map(|n| format!(".param .u64 p{n}")).collect();
    let loads: String = (0..buffers)
        .map(|n| format!("ld.param.u64 %b{n}, [p{n}];\n"))
        .collect();
    let out = match buffers {
        0 => "",
        _ => "mad.wide.u32 %out, %t, 4, %b0;",
    };
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64\n{declarations}
.visible .entry k({parameters})
{{
    .reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<64>, %t; .reg .f32 %f<32>;
    .reg .b64 %rd<64>, %b<8>, %out; .reg .f64 %fd<32>; .reg .b128 %q<8>;
    mov.u32 %t, %tid.x;
    {loads}
    {out}
    {body}
    ret;
}}
",
        parameters = parameters.join(", ")
    )
}

/// Runs a kernel of [`kernel`] on one warp, under both models.
pub fn run(body: &str, args: Vec<Arg>) -> [Ran; 2] {
    Case::new(&kernel(args.len(), body), "k", args).run_both()
}

/// The text of the fault that a kernel of [`kernel`] ends with under both models, which agree.
pub fn fault_of(body: &str, args: Vec<Arg>) -> String {
    let source = kernel(args.len(), body);
    let case = Case::new(&source, "k", args);
    let [stack, threads] = [Ipdom, Its].map(|divergence| case.run(divergence).fault());
    assert_eq!(stack, threads);
    stack
}
