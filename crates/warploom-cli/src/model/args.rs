//! Options of `warploom model`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use warploom::device::model::roofline::Precision;

/// The forms.
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// How many warps hide a latency: Little's law for one scheduler
    Latency(LatencyArgs),
    /// Which share of the lanes works when a branch splits a warp
    Lanes(LanesArgs),
    /// Whether arithmetic or bandwidth limits a kernel
    Roofline(RooflineArgs),
    /// What a tile of a matrix product reuses, and what it needs of an SM
    Gemm(GemmArgs),
    /// What operations and accesses cost in energy, and what an instruction adds
    Energy(EnergyArgs),
}

/// Which device.
#[derive(Args, Debug)]
pub struct DeviceArgs {
    /// A name that `warploom devices` lists, or a `.toml` file [default: h100]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Override a figure of the device, such as `memory.dram_gb_per_s=2000`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Schedulers of the latency model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopScheduler {
    /// Greedy, then oldest
    Gto,
    /// Loose round-robin
    Lrr,
    /// Round-robin within a group that changes when all of it waits for memory
    TwoLevel,
    /// One that never leaves a slot empty while any warp could fill it in the long run
    Ideal,
}

/// Arguments of `model latency`.
#[derive(Args, Debug)]
#[command(after_help = LATENCY_HELP)]
pub struct LatencyArgs {
    /// Resident warps of the scheduler
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub warps: u32,
    /// Latency of a load, cycles
    #[arg(long, value_name = "CYCLES", default_value_t = 200)]
    pub latency: u32,
    /// Arithmetic instructions after each load
    #[arg(long, value_name = "COUNT", default_value_t = 16)]
    pub math: u32,
    /// Cycles from one arithmetic instruction to the next
    #[arg(long, value_name = "CYCLES", default_value_t = 4)]
    pub math_latency: u32,
    /// Independent loads of a round
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub loads: u32,
    /// Registers of a thread: no more warps than the device's registers hold, nothing rounded
    #[arg(long, value_name = "COUNT")]
    pub regs: Option<u32>,
    /// The arithmetic is issued twice, each time for half of the lanes
    #[arg(long)]
    pub divergent: bool,
    /// Warps of a group of `two-level`
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub group: u32,
    /// Bytes of a warp's load
    #[arg(long, value_name = "BYTES", requires = "bytes_per_cycle")]
    pub bytes_per_load: Option<f64>,
    /// Bytes a cycle that the memory delivers to this scheduler
    #[arg(long, value_name = "BYTES", requires = "bytes_per_load")]
    pub bytes_per_cycle: Option<f64>,
    /// Which ready warp is issued
    #[arg(long, value_name = "NAME", default_value = "gto")]
    pub scheduler: LoopScheduler,
    /// The device.
    #[command(flatten)]
    pub device: DeviceArgs,
}

const LATENCY_HELP: &str = "\
Every warp repeats K loads, which wait for nothing, and then for each of them a chain of arithmetic
instructions; a scheduler issues at most one instruction a cycle. A round takes one warp
P = L + A*K*C cycles and I = K*(1 + C) issue slots.

Example:
  warploom model latency --warps 16 --latency 375 --math 8 --loads 2";

/// Arguments of `model lanes`.
#[derive(Args, Debug)]
#[command(after_help = LANES_HELP)]
pub struct LanesArgs {
    /// Lanes of a warp
    #[arg(long, value_name = "LANES", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub width: u32,
    /// Lanes that take the branch
    #[arg(long, value_name = "LANES")]
    pub taken: u32,
    /// Instructions of the side that is taken
    #[arg(long = "then", value_name = "COUNT")]
    pub then_issues: u32,
    /// Instructions of the other side
    #[arg(long = "else", value_name = "COUNT", default_value_t = 0)]
    pub else_issues: u32,
    /// Instructions of all lanes, before and after
    #[arg(long = "common", value_name = "COUNT", default_value_t = 0)]
    pub common_issues: u32,
    /// Such warps, which could be sorted by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warps: u32,
    /// Efficiency of a region around this one, 0 to 1; once for each
    #[arg(long, value_name = "SHARE")]
    pub inside: Vec<f64>,
}

const LANES_HELP: &str = "\
Both sides of a branch are issued if the lanes of a warp disagree, each for its own lanes.

Example (4 of 32 lanes pass a filter of 20 instructions, the others take 2; 8 such warps):
  warploom model lanes --taken 4 --then 20 --else 2 --warps 8";

/// A level of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// The L2
    L2,
    /// Device memory
    Dram,
}

/// Arguments of `model roofline`.
#[derive(Args, Debug)]
#[command(after_help = ROOFLINE_HELP)]
pub struct RooflineArgs {
    /// Kind of arithmetic; all of the device's if not given
    #[arg(long, value_name = "NAME", value_parser = precision)]
    pub precision: Option<Precision>,
    /// Operations of the kernel; a multiply-add is two
    #[arg(long, value_name = "COUNT")]
    pub flops: Option<String>,
    /// Bytes that it moves
    #[arg(long, value_name = "BYTES")]
    pub bytes: Option<String>,
    /// Peak rate instead of the device's, operations a second (`989.4T`)
    #[arg(long, value_name = "RATE")]
    pub peak: Option<String>,
    /// Bandwidth instead of the device's, bytes a second (`3.35T`)
    #[arg(long, value_name = "RATE")]
    pub bandwidth: Option<String>,
    /// Memory whose bandwidth counts
    #[arg(long, value_name = "LEVEL", default_value = "dram")]
    pub level: Level,
    /// Place the kernels of a run's JSON report
    #[arg(long, value_name = "PATH", conflicts_with = "bytes")]
    pub run: Option<PathBuf>,
    /// The device.
    #[command(flatten)]
    pub device: DeviceArgs,
}

const ROOFLINE_HELP: &str = "\
Kinds of arithmetic: fp64 fp32 fp32-packed fp16-vector int32 are the vector pipelines;
fp64-matrix fp32-matrix tf32 bf16 fp16 fp8 fp4 int8 the matrix units. Numbers may have a prefix
(K, M, G, T, P) and an exponent.

Example (a token decoded with 16-bit weights: two operations for two bytes):
  warploom model roofline --device h100 --precision fp16 --flops 14G --bytes 14G";

/// The kind of arithmetic of a name.
fn precision(name: &str) -> Result<Precision, String> {
    let found = Precision::ALL
        .into_iter()
        .find(|known| known.name() == name);
    found.ok_or_else(|| {
        let names = Precision::ALL.map(Precision::name).join(", ");
        format!("there are {names}")
    })
}

/// Arguments of `model gemm`.
#[derive(Args, Debug)]
#[command(after_help = GEMM_HELP)]
pub struct GemmArgs {
    /// Rows and columns of a block's results, and depth of a step
    #[arg(long, value_name = "MxNxK", default_value = "128x128x32")]
    pub tile: String,
    /// Threads of a block
    #[arg(long, value_name = "COUNT", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Steps whose inputs are in shared memory or on their way
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub stages: u32,
    /// Kind of arithmetic
    #[arg(long, value_name = "NAME", default_value = "fp16", value_parser = precision)]
    pub precision: Precision,
    /// Registers of a thread; estimated if not given
    #[arg(long, value_name = "COUNT")]
    pub regs: Option<u32>,
    /// Width of an attention head, for FlashAttention's tiles
    #[arg(long, value_name = "ELEMENTS", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub head_dim: u32,
    /// The device.
    #[command(flatten)]
    pub device: DeviceArgs,
}

const GEMM_HELP: &str = "\
Example:
  warploom model gemm --tile 128x256x64 --threads 256 --stages 4 --device h100";

/// Arguments of `model energy`.
#[derive(Args, Debug)]
pub struct EnergyArgs {
    /// 32-bit multiply-adds of some work
    #[arg(long, value_name = "COUNT")]
    pub fmas: Option<String>,
    /// Its instructions, counted for each lane
    #[arg(long, value_name = "COUNT")]
    pub instructions: Option<String>,
    /// Its 32-bit words from a small SRAM
    #[arg(long, value_name = "COUNT")]
    pub sram_words: Option<String>,
    /// Its 32-bit words from DRAM
    #[arg(long, value_name = "COUNT")]
    pub dram_words: Option<String>,
    /// The device.
    #[command(flatten)]
    pub device: DeviceArgs,
}
