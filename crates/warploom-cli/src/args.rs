//! The command line: the one definition of commands and options.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use warploom::plan::Named;
use warploom::text::Spot;
use warploom::{DivergenceModel, Options};

use crate::trace_args::TraceArgs;

/// A GPU in software: runs GPU kernels on a machine without a GPU and shows what every warp did.
#[derive(Debug, Parser)]
#[command(
    name = "warploom",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Args, Debug)]
pub struct Global {
    /// Write the result as JSON to PATH; `-` is standard output, and then nothing else is printed
    /// there
    #[arg(long, global = true, value_name = "PATH", display_order = 100)]
    pub json: Option<PathBuf>,
    /// Say on standard error how long each step took
    #[arg(short, long, global = true, display_order = 101)]
    pub verbose: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run kernels: a launch file, or a kernel of a module
    Run(RunArgs),
    /// Run kernels under the checkers and report what no run shows: data races, barriers in
    /// divergent code
    Check(CheckArgs),
    /// Run a lesson and draw every instruction that its warps issue
    Lesson(LessonArgs),
    /// List the devices, or show one with the source of every figure
    Devices(DevicesArgs),
    /// Say how many blocks of a kernel an SM holds at once, and what limits them
    Occupancy(OccupancyArgs),
    /// Answer with a closed form: latency, lanes, roofline, matrix tiles, energy
    Model(ModelArgs),
    /// Compare predicted times with published measurements of real chips
    Validate(ValidateArgs),
    /// Serve the page, where a machine is seen at work, and the programs of a folder to it
    Serve(ServeArgs),
    /// Say what is installed, and what each missing thing would enable
    Doctor,
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print the manual page of the program or of a command
    Man(ManArgs),
}

/// Which machine runs a program, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// Device to simulate: a name that `warploom devices` lists, or a `.toml` file
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Override a figure of the device, such as `sms=20`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How lanes that part meet again; the device's own if not given
    #[arg(long, value_name = "MODEL")]
    pub divergence: Option<Divergence>,
    /// Predict how many cycles the kernels take on the device, and why
    #[arg(long)]
    pub timing: bool,
    /// Warp scheduler, with --timing: lrr, gto, oldest, two-level, youngest or ccws; the device's own
    /// if not given
    #[arg(long, value_name = "NAME")]
    pub scheduler: Option<String>,
    /// Registers that a thread has at most, with --timing; what does not fit is spilled
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(16..))]
    pub regs: Option<u32>,
    /// Host threads; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Stop after N thread instructions [default: 10^12]
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
}

/// Divergence models.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Divergence {
    /// A reconvergence stack, as before Volta
    Ipdom,
    /// Independent threads, from Volta on
    Its,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct RunArgs {
    /// A launch file (.toml), or a module (.ptx, .cu, .simt) with the options below
    pub file: PathBuf,
    /// Save a buffer after the run
    #[arg(long, value_name = "NAME=PATH.npy")]
    pub out: Vec<String>,
    /// Source lines to show: the N with the most instructions, besides those with divergence,
    /// excess sectors or bank conflicts; or all
    #[arg(long, value_name = "N|all", default_value = "12", value_parser = line_count)]
    pub lines: usize,
    /// The launch of a module's kernel.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Take registers and spills from NVIDIA's `ptxas`, with --timing; otherwise they are estimated
    #[arg(long, requires = "timing", help_heading = "Machine")]
    pub ptxas: bool,
    /// The trace.
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// A launch file (.toml), or a module (.ptx, .cu, .simt) with the options below
    pub file: PathBuf,
    /// Leave out findings of a kind; may be repeated
    #[arg(long, value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(warploom::check::KINDS))]
    pub allow: Vec<String>,
    /// Write the findings as SARIF, which code hosts and editors read
    #[arg(long, value_name = "PATH")]
    pub sarif: Option<PathBuf>,
    /// Write a test for each launch as JUnit's XML
    #[arg(long, value_name = "PATH")]
    pub junit: Option<PathBuf>,
    /// Show at most N findings; JSON has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// The launch of a module's kernel.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArgs,
}

const CHECK_HELP: &str = "\
Everything that `run` faults on is found too. A race is what nothing orders, whatever happened in
this run; docs/check.md says what orders and what cannot be seen. Checked launches run on one thread.

Exit codes: 0 nothing but notes, 1 an error was found, the kernel failed or an expectation does not
hold, 2 the input is wrong or needs something that is not supported.

Example:
  warploom check examples/reduction.toml";

/// The launch of a module's kernel.
#[derive(Args, Debug)]
#[command(next_help_heading = "Launch of a module's kernel")]
pub struct LaunchArgs {
    /// Kernel to launch; may be left out if the module has only one
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Blocks; `4x2` is the same as `4,2`
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Option<String>,
    /// Threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Option<String>,
    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES")]
    pub shared: Option<String>,
    /// An argument of the kernel, once for each
    #[arg(long, value_name = "[NAME=]KIND:VALUE", allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// All blocks are resident at once and may wait for each other
    #[arg(long)]
    pub cooperative: bool,
}

/// A number of lines, or `all`.
fn line_count(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => number
            .parse()
            .map_err(|_| "expected a number or `all`".to_owned()),
    }
}

const RUN_HELP: &str = "\
A launch file is TOML; docs/launch-file.md has every key:
  module = \"saxpy.ptx\"
  [buffers]
  x = { iota = \"f32[1000]\" }
  y = { ones = \"f32[1000]\" }
  [[launch]]
  kernel = \"saxpy\"
  grid = [4]
  block = [256]
  args = [{ u32 = 1000 }, { f32 = 2.0 }, { buffer = \"x\" }, { buffer = \"y\" }]
  [expect]
  y = { npy = \"expected.npy\", rtol = 1e-6 }

Arguments are written like
  u32:7  s64:-1  f32:2.5  bool:true   a number of that type
  bytes:0011ff                        raw bytes, for structures
  zeros:f32[1024]  ones:  iota:       a new buffer; K and M in lengths are 1024-based
  random:f32[64,64]:7                 a new buffer of random numbers, with a seed
  npy:x.npy                           a new buffer with the elements of a file
  buffer:x+64                         the address of an earlier buffer, plus bytes
and NAME= in front names the new buffer.

Exit codes: 0 done, 1 the kernel failed or an expectation does not hold, 2 the input is wrong or
needs something that is not supported.

Example:
  warploom run saxpy.ptx --kernel saxpy --grid 4 --block 256 \\
    --arg u32:1000 --arg f32:2 --arg iota:f32[1000] --arg y=ones:f32[1000] --out y=y.npy";

/// Arguments of `lesson`.
#[derive(Args, Debug)]
#[command(after_help = LESSON_HELP)]
pub struct LessonArgs {
    /// A program of the lesson language (.simt)
    pub file: PathBuf,
    /// Draw only this warp of each block
    #[arg(long, value_name = "N")]
    pub warp: Option<u32>,
    /// Draw at most N issues; JSON has as many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub rows: usize,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArgs,
}

const LESSON_HELP: &str = "\
Each row is an issue: the warp, the line of the program, the active lanes as a mask, a cell for each
lane, lane 0 first. The device is `lesson` if none is given, and its warps are as wide as the
program says. `docs/lesson-language.md` describes the language.

Example:
  warploom lesson lessons/02-divergent.simt";

/// Arguments of `devices`.
#[derive(Args, Debug)]
pub struct DevicesArgs {
    /// What to do instead of listing.
    #[command(subcommand)]
    pub command: Option<DevicesCommand>,
}

/// What to do with a device.
#[derive(Debug, Subcommand)]
pub enum DevicesCommand {
    /// No command; answered with the right one.
    #[command(external_subcommand)]
    Other(Vec<String>),
    /// Show a device as a sheet: what it consists of, its rates, latencies and ridge points
    Show {
        /// A name that `warploom devices` lists, or a `.toml` file
        name: String,
        /// Override a figure, such as `sms=20`
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Every figure instead, and where it comes from
        #[arg(long)]
        figures: bool,
    },
}

/// Arguments of `validate`.
#[derive(Args, Debug)]
pub struct ValidateArgs {
    /// Only points of this device, such as `v100`
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Only this target, such as `V3` or `V3-latency`; may be given several times
    #[arg(long, value_name = "TARGET")]
    pub target: Vec<String>,
    /// List the targets and run nothing
    #[arg(long)]
    pub list: bool,
    /// Print one page in Markdown, with where each parameter comes from
    #[arg(long)]
    pub page: bool,
}

/// Arguments of `occupancy`.
#[derive(Args, Debug)]
pub struct OccupancyArgs {
    /// A name that `warploom devices` lists, or a `.toml` file [default: h100]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Override a figure of the device, such as `registers.per_sm=32768`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Threads of a block
    #[arg(long, value_name = "THREADS")]
    pub block: u32,
    /// Registers of a thread
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub regs: u32,
    /// Shared memory of a block, static and dynamic
    #[arg(long, value_name = "BYTES", default_value = "0")]
    pub shared: String,
    /// Blocks of a cluster
    #[arg(long, value_name = "N")]
    pub cluster: Option<u32>,
    /// Barriers that the kernel names
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub barriers: u32,
    /// Accumulation registers of a thread (AMD AGPRs); --regs are the vector registers then
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub accumulators: u32,
    /// Scalar registers of a warp (AMD SGPRs)
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub scalars: u32,
    /// Least shared memory that the SM is set to; what costs no block if not given
    #[arg(long, value_name = "BYTES")]
    pub carve_out: Option<String>,
    /// How allocations are counted
    #[arg(long, value_name = "NAME", default_value = "toolkit")]
    pub rule: OccupancyRule,
    /// Vary one of them over all values that it can have
    #[arg(long, value_name = "WHAT")]
    pub sweep: Option<Swept>,
    /// First value of the sweep
    #[arg(long, value_name = "VALUE", requires = "sweep")]
    pub from: Option<String>,
    /// Last value of the sweep
    #[arg(long, value_name = "VALUE", requires = "sweep")]
    pub to: Option<String>,
    /// From one value of the sweep to the next
    #[arg(long, value_name = "VALUE", requires = "sweep")]
    pub step: Option<String>,
}

/// How allocations are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OccupancyRule {
    /// With the vendors' allocation units, partitions and reserves
    Toolkit,
    /// Textbook formula: nothing rounded or reserved
    Simple,
}

/// What a sweep varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Swept {
    /// Registers of a thread
    Registers,
    /// Threads of a block
    Block,
    /// Shared memory of a block
    Shared,
}

/// Arguments of `model`.
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// The form.
    #[command(subcommand)]
    pub command: crate::model::args::ModelCommand,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The command; the program itself if not given
    pub command: Option<String>,
}

/// The device that `--device` names.
pub fn named_device(name: Option<&String>) -> Option<Named> {
    name.map(|name| Named {
        name: name.clone(),
        spot: Some(Spot::whole("--device", name.as_str())),
    })
}

/// Splits `KEY=VALUE`; without a `=` the value is empty, and setting the key says what is wrong.
pub fn key_values(set: &[String]) -> Vec<(String, String)> {
    let split = |pair: &String| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key.to_owned(), value.to_owned())
    };
    set.iter().map(split).collect()
}

/// The figure of a device that names its warp scheduler.
const SCHEDULER_KEY: &str = "timing.issue.scheduler";

impl MachineArgs {
    /// The same as options of a run.
    pub fn options(&self) -> Options<'static> {
        let mut set = key_values(&self.set);
        if let Some(name) = &self.scheduler {
            set.push((SCHEDULER_KEY.to_owned(), name.clone()));
        }
        Options {
            device: named_device(self.device.as_ref()),
            set,
            timing: self.timing,
            check: false,
            allow: Vec::new(),
            ptxas: false,
            trace: None,
            registers: self.regs,
            divergence: self.divergence.map(|model| match model {
                Divergence::Ipdom => DivergenceModel::Ipdom,
                Divergence::Its => DivergenceModel::Its,
            }),
            threads: self.threads,
            max_thread_instructions: self.max_instructions,
            interrupt: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        super::Cli::command().debug_assert();
    }
}

/// `warploom serve`
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Folder whose lessons and PTX files the page may open; none if not given
    #[arg(value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub address: IpAddr,
    /// Port to listen on; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8642)]
    pub port: u16,
    /// Another host name under which the server answers
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Folder of a built page, instead of the one in the program
    #[arg(long, value_name = "FOLDER")]
    pub page: Option<PathBuf>,
}
