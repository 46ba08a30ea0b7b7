//! A device with a loaded module: memory, variables, and launches made ready to run.

use std::collections::BTreeMap;
use std::sync::Arc;

use warploom_isa::module::{SharedLayout, SharedPlace};
use warploom_isa::{FunctionId, Module, RelocationValue, Space, VariableId};

use crate::env::{Divergence, LaunchEnv, SharedRange};
use crate::memory::{AllocationKind, Memory, MemoryError};
use crate::program::{Program, ProgramError, function_address};
use crate::warp::Entry;

/// What of a device matters to function.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Lanes of a warp: a power of two from 4 to 64.
    pub warp_width: u32,
    /// The divergence model.
    pub divergence: Divergence,
    /// SMs.
    pub sms: u32,
    /// Warps that an SM holds.
    pub max_warps_per_sm: u32,
    /// Bytes of local memory that a thread may have.
    pub local_limit_bytes: u32,
    /// Bytes that kernels may allocate.
    pub heap_limit_bytes: u64,
    /// Shared bytes that the system reserves per block.
    pub reserved_shared_bytes: u32,
}

impl Default for MachineConfig {
    /// A present-day NVIDIA device.
    fn default() -> MachineConfig {
        MachineConfig {
            warp_width: 32,
            divergence: Divergence::Its,
            sms: 132,
            max_warps_per_sm: 64,
            local_limit_bytes: 512 << 10,
            heap_limit_bytes: 8 << 20,
            reserved_shared_bytes: 1024,
        }
    }
}

/// Why a module cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The module is malformed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// There is no memory for a variable.
    #[error("variable '{name}': {error}")]
    Variable {
        /// The variable.
        name: String,
        /// Why.
        error: MemoryError,
    },
    /// The warp width is not one.
    #[error("a warp of {0} lanes: the width must be a power of two from 4 to 64")]
    WarpWidth(u32),
}

/// A launch, as the caller wishes it.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// The kernel.
    pub kernel: FunctionId,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// The parameter block, as [`warploom_isa::KernelParam`] lays it out.
    pub params: Vec<u8>,
    /// All blocks are resident and may wait for each other.
    pub cooperative: bool,
    /// Blocks that the device holds at a time, at least 1.
    pub resident_blocks: u64,
}

/// Why a launch cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No blocks or no threads.
    #[error("the launch has no threads: grid {grid:?}, block {block:?}")]
    Empty {
        /// Blocks.
        grid: [u32; 3],
        /// Threads of a block.
        block: [u32; 3],
    },
    /// More threads in a block than any device takes.
    #[error("a block of {0} threads: the limit is 1024")]
    BlockTooLarge(u64),
    /// More blocks than can be numbered.
    #[error("the grid has too many blocks")]
    GridTooLarge,
    /// The parameter block has the wrong size.
    #[error("the kernel's parameters take {expected} bytes, {given} were given")]
    Params {
        /// Bytes that the kernel takes.
        expected: u32,
        /// Bytes given.
        given: usize,
    },
    /// Not a kernel.
    #[error("there is no such kernel in the module")]
    NoKernel,
    /// A variable that no loaded module defines.
    #[error("variable '{0}' is declared, but no loaded module defines it")]
    UndefinedVariable(String),
    /// A function that no loaded module defines.
    #[error("function '{0}' is declared, but no loaded module defines it")]
    UndefinedFunction(String),
    /// An instruction that cannot be executed.
    #[error("unsupported: {what}")]
    Unsupported {
        /// The instruction or feature.
        what: String,
        /// Where.
        origin: warploom_isa::Origin,
    },
    /// Shared memory beyond what can be addressed.
    #[error("shared memory of {0} bytes")]
    SharedTooLarge(u64),
    /// A kernel whose frame is larger than a thread's local memory.
    #[error("local memory of {bytes} bytes per thread: the limit is {limit_bytes}")]
    LocalTooLarge {
        /// Bytes the kernel needs.
        bytes: u32,
        /// Bytes a thread may have.
        limit_bytes: u32,
    },
    /// All blocks of a cooperative launch must fit on the device.
    #[error("a cooperative launch of {blocks} blocks: the device holds {resident} at a time")]
    CooperativeTooLarge {
        /// Blocks of the grid.
        blocks: u64,
        /// Blocks that fit.
        resident: u64,
    },
    /// No memory for the grid barrier.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// An environment for either row width.
#[derive(Debug)]
pub(crate) enum AnyEnv {
    /// Rows of 32 lanes.
    Lanes32(LaunchEnv<32>),
    /// Rows of 64 lanes.
    Lanes64(LaunchEnv<64>),
}

/// A launch that is ready to run.
#[derive(Debug)]
pub struct Launch {
    pub(crate) env: AnyEnv,
    pub(crate) resident_blocks: u64,
    /// Whether the order of blocks can show in the result: run them on one thread, in order.
    pub order_dependent: bool,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Static and dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Most 32-bit registers live at once in a thread, over the functions the kernel reaches.
    pub registers_per_thread: u32,
}

impl Launch {
    /// The kernel.
    pub fn kernel(&self) -> FunctionId {
        match &self.env {
            AnyEnv::Lanes32(env) => env.kernel,
            AnyEnv::Lanes64(env) => env.kernel,
        }
    }

    /// Warps of a block.
    pub fn warps_per_block(&self) -> u32 {
        match &self.env {
            AnyEnv::Lanes32(env) => env.warps_per_block(),
            AnyEnv::Lanes64(env) => env.warps_per_block(),
        }
    }
}

/// A device with a module on it.
#[derive(Clone)]
pub struct Machine {
    pub(crate) program: Arc<Program>,
    pub(crate) config: MachineConfig,
    /// The device's memory.
    pub memory: Memory,
    /// Address of each variable; shared ones are placed by each launch.
    variables: Vec<u64>,
    workspace: Option<u64>,
    launches: u64,
}

impl Machine {
    /// A device whose memory holds the module's variables.
    pub fn load(module: Arc<Module>, config: MachineConfig) -> Result<Machine, LoadError> {
        let width = config.warp_width;
        if !width.is_power_of_two() || !(4..=64).contains(&width) {
            return Err(LoadError::WarpWidth(width));
        }
        let program = Arc::new(Program::new(module)?);
        let mut memory = Memory::new();
        let mut variables = Vec::new();
        for variable in &program.module.variables {
            let placed = matches!(variable.space, Space::Global | Space::Const)
                && !variable.external
                && !variable.dynamic_shared;
            let mut address = 0;
            if placed {
                let kind = AllocationKind::Variable(variable.name.clone());
                let align = u64::from(variable.align_bytes);
                let error = |error| LoadError::Variable {
                    name: variable.name.clone(),
                    error,
                };
                address = memory
                    .allocate(variable.bytes, align, kind)
                    .map_err(error)?;
                let length = variable.init.len().min(variable.bytes as usize);
                memory
                    .write(address, &variable.init[..length])
                    .map_err(error)?;
            }
            variables.push(address);
        }
        let mut machine = Machine {
            program,
            config,
            memory,
            variables,
            workspace: None,
            launches: 0,
        };
        machine.relocate()?;
        Ok(machine)
    }

    /// The loaded module.
    pub fn module(&self) -> &Arc<Module> {
        &self.program.module
    }

    /// The device.
    pub fn config(&self) -> &MachineConfig {
        &self.config
    }

    /// Address of a global or constant variable.
    pub fn variable(&self, name: &str) -> Option<(VariableId, u64)> {
        let variables = self.program.module.variables.iter();
        let found = variables.zip(&self.variables).enumerate();
        let mut found =
            found.filter(|(_, (variable, address))| variable.name == name && **address != 0);
        found
            .next()
            .map(|(i, (_, &address))| (VariableId(i as u32), address))
    }

    fn relocate(&mut self) -> Result<(), LoadError> {
        let program = self.program.clone();
        for (variable, &address) in program.module.variables.iter().zip(&self.variables) {
            for relocation in &variable.relocations {
                let value = match relocation.value {
                    RelocationValue::Function(id) => function_address(id),
                    RelocationValue::Variable {
                        variable,
                        addend,
                        generic,
                    } => {
                        let space = program.module.variables[variable.index()].space;
                        let window = match space {
                            Space::Shared if generic => warploom_isa::address::SHARED_WINDOW,
                            _ => 0,
                        };
                        (self.variables[variable.index()] + window).wrapping_add_signed(addend)
                    }
                };
                let bytes = (value >> relocation.shift).to_le_bytes();
                let bytes = &bytes[..usize::from(relocation.bytes).min(8)];
                let error = |error| LoadError::Variable {
                    name: variable.name.clone(),
                    error,
                };
                if address != 0 {
                    let at = address.saturating_add(relocation.offset);
                    self.memory.write(at, bytes).map_err(error)?;
                }
            }
        }
        for (variable, &address) in program.module.variables.iter().zip(&self.variables) {
            if variable.space == Space::Const && address != 0 {
                let error = |error| LoadError::Variable {
                    name: variable.name.clone(),
                    error,
                };
                self.memory.protect(address).map_err(error)?;
            }
        }
        Ok(())
    }

    /// Checks a launch and resolves what it needs.
    pub fn prepare(&mut self, spec: &LaunchSpec) -> Result<Launch, LaunchError> {
        let program = self.program.clone();
        let module = &program.module;
        let function = module
            .functions
            .get(spec.kernel.index())
            .filter(|f| f.kernel);
        let function = function.ok_or(LaunchError::NoKernel)?;
        let sizes = spec.block.iter().map(|&n| u64::from(n));
        let threads = sizes.fold(1, u64::saturating_mul);
        let blocks = spec
            .grid
            .iter()
            .try_fold(1u64, |n, &d| n.checked_mul(u64::from(d)));
        let blocks = blocks
            .filter(|&n| n < 1 << 62)
            .ok_or(LaunchError::GridTooLarge)?;
        if threads == 0 || blocks == 0 {
            return Err(LaunchError::Empty {
                grid: spec.grid,
                block: spec.block,
            });
        }
        if threads > 1024 {
            return Err(LaunchError::BlockTooLarge(threads));
        }
        if spec.params.len() != function.param_bytes as usize {
            let given = spec.params.len();
            return Err(LaunchError::Params {
                expected: function.param_bytes,
                given,
            });
        }
        let limit_bytes = self.config.local_limit_bytes;
        if function.frame_bytes > limit_bytes {
            let bytes = function.frame_bytes;
            return Err(LaunchError::LocalTooLarge { bytes, limit_bytes });
        }
        let reachable = module.reachable(spec.kernel);
        let mut order_dependent = spec.cooperative;
        let mut registers_per_thread = 0;
        for &id in &reachable {
            let callee = module.function(id);
            if let Some(unsupported) = callee.unsupported.first() {
                let what = unsupported.what.clone();
                return Err(LaunchError::Unsupported {
                    what,
                    origin: unsupported.origin,
                });
            }
            if callee.start == callee.end {
                return Err(LaunchError::UndefinedFunction(callee.name.clone()));
            }
            order_dependent |= callee.order_dependent;
            registers_per_thread = registers_per_thread.max(callee.live_registers);
        }
        let (shared, static_bytes) = self.place_shared(&reachable, spec.dynamic_shared_bytes)?;
        let shared_bytes = static_bytes + u64::from(spec.dynamic_shared_bytes);
        let shared_bytes = u32::try_from(shared_bytes)
            .ok()
            .filter(|&bytes| bytes <= 1 << 30)
            .ok_or(LaunchError::SharedTooLarge(shared_bytes))?;
        if spec.cooperative && blocks > spec.resident_blocks {
            let resident = spec.resident_blocks;
            return Err(LaunchError::CooperativeTooLarge { blocks, resident });
        }
        let workspace = if spec.cooperative {
            self.grid_workspace()?
        } else {
            0
        };
        self.memory.unshare()?;
        self.launches += 1;
        let places: BTreeMap<VariableId, u64> = shared
            .iter()
            .map(|range| (range.variable, range.start.into()))
            .collect();
        let address = |id: VariableId| {
            places
                .get(&id)
                .copied()
                .unwrap_or(self.variables[id.index()])
        };
        let mut params = spec.params.clone();
        // Room past the end, so that an aligned access never leaves the vector.
        params.resize(params.len() + 64, 0);
        let base = Base {
            kernel: spec.kernel,
            entry: Entry {
                pc: function.start,
                rows: program.rows[spec.kernel.index()],
                clear_rows: program.shuffles,
                masks: program.masks[spec.kernel.index()],
                frame_bytes: function.frame_bytes,
            },
            spec,
            params,
            shared,
            shared_bytes,
            workspace,
            grid_id: self.launches,
        };
        let env = if self.config.warp_width <= 32 {
            AnyEnv::Lanes32(base.env(&self.config, &program, address))
        } else {
            AnyEnv::Lanes64(base.env(&self.config, &program, address))
        };
        Ok(Launch {
            env,
            resident_blocks: spec.resident_blocks.max(1),
            order_dependent,
            blocks,
            shared_bytes,
            registers_per_thread,
        })
    }

    /// Lays out the shared variables that a kernel reaches, static ones first, and returns the
    /// bytes before the dynamic array.
    fn place_shared(
        &self,
        reachable: &[FunctionId],
        dynamic_bytes: u32,
    ) -> Result<(Vec<SharedRange>, u64), LaunchError> {
        let module = &self.program.module;
        let mut named = reachable
            .iter()
            .flat_map(|&id| &module.function(id).variables)
            .map(|id| &module.variables[id.index()]);
        if let Some(variable) = named.find(|variable| variable.external) {
            return Err(LaunchError::UndefinedVariable(variable.name.clone()));
        }
        let SharedLayout {
            places,
            static_bytes,
        } = module.shared_layout(reachable);
        if static_bytes > 1 << 30 {
            return Err(LaunchError::SharedTooLarge(static_bytes));
        }
        let range = |place: &SharedPlace| {
            let variable = &module.variables[place.variable.index()];
            let bytes = match variable.dynamic_shared {
                true => u64::from(dynamic_bytes),
                false => place.bytes,
            };
            SharedRange {
                variable: place.variable,
                start: place.start_bytes as u32,
                end: (place.start_bytes + bytes) as u32,
                name: variable.name.clone(),
            }
        };
        Ok((places.iter().map(range).collect(), static_bytes))
    }

    /// The words through which the blocks of a cooperative launch meet.
    fn grid_workspace(&mut self) -> Result<u64, MemoryError> {
        if let Some(address) = self.workspace {
            self.memory.bytes_mut(address, 256)?.fill(0);
            return Ok(address);
        }
        let kind = AllocationKind::System("the grid barrier's workspace");
        let address = self.memory.allocate(256, 256, kind)?;
        self.workspace = Some(address);
        Ok(address)
    }
}

/// What an environment is made of, whatever the width of its rows.
struct Base<'a> {
    kernel: FunctionId,
    entry: Entry,
    spec: &'a LaunchSpec,
    params: Vec<u8>,
    shared: Vec<SharedRange>,
    shared_bytes: u32,
    workspace: u64,
    grid_id: u64,
}

impl Base<'_> {
    fn env<const L: usize>(
        self,
        config: &MachineConfig,
        program: &Program,
        address: impl Fn(VariableId) -> u64,
    ) -> LaunchEnv<L> {
        let mut env = LaunchEnv {
            kernel: self.kernel,
            entry: self.entry,
            grid: self.spec.grid,
            block: self.spec.block,
            warp_width: config.warp_width,
            divergence: config.divergence,
            thread_rows: crate::env::thread_rows(self.spec.block, config.warp_width),
            constants: Vec::new(),
            param_bytes: self.spec.params.len() as u64,
            params: self.params,
            shared: self.shared,
            shared_bytes: self.shared_bytes,
            dynamic_shared_bytes: self.spec.dynamic_shared_bytes,
            reserved_shared_bytes: config.reserved_shared_bytes,
            local_limit_bytes: config.local_limit_bytes,
            sms: config.sms,
            max_warps_per_sm: config.max_warps_per_sm,
            grid_id: self.grid_id,
            workspace: self.workspace,
        };
        env.constants = program.constant_file(&env, address);
        env
    }
}
