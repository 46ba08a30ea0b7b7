//! Kernels for benchmarks, made ready to run.

use std::sync::Arc;

use warploom_isa::Module;
use warploom_machine::{AllocationKind, Launch, LaunchSpec, Machine, MachineConfig};

/// An argument.
#[derive(Clone, Copy)]
pub enum Arg {
    Word(u32),
    /// Zeroed 32-bit words.
    Buffer(usize),
}

/// A kernel and its launch.
pub struct Kernel {
    pub name: &'static str,
    pub source: &'static str,
    pub entry: &'static str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub args: Vec<Arg>,
}

impl Kernel {
    /// A machine with the kernel and its buffers, and the launch.
    pub fn prepare(&self) -> (Arc<Module>, Machine, Launch) {
        let loaded = warploom_ptx::load(&[(self.name, self.source)]).expect("loads");
        let module: Arc<Module> = Arc::new(loaded.module);
        let mut machine = Machine::load(module.clone(), MachineConfig::default()).expect("loads");
        let id = module.kernel(self.entry).expect("the kernel");
        let mut params = Vec::new();
        for (arg, param) in self.args.iter().zip(&module.function(id).params) {
            params.resize(param.offset as usize, 0);
            match *arg {
                Arg::Word(word) => params.extend(word.to_le_bytes()),
                Arg::Buffer(words) => {
                    let kind = AllocationKind::Buffer(param.name.clone());
                    let bytes = 4 * words as u64;
                    let address = machine.memory.allocate(bytes, 256, kind).expect("room");
                    params.extend(address.to_le_bytes());
                }
            }
        }
        let spec = LaunchSpec {
            kernel: id,
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: 0,
            params,
            cooperative: false,
            resident_blocks: 132,
        };
        let launch = machine.prepare(&spec).expect("fits");
        (module, machine, launch)
    }
}
