//! What a run did, as data for people and scripts; serialized, it is the `--json` report.
//!
//! It holds nothing that differs from run to run: no times, no addresses of the host.

use serde::Serialize;

use crate::metrics::{LineTiming, Metrics, Tally};
use crate::text::Diagnostic;

/// Version of the report's form. It grows when a key is renamed or changes its meaning, not when
/// one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every launch completed and every expectation holds.
    Ok,
    /// A kernel did something wrong.
    Fault,
    /// A buffer does not hold what was expected.
    Expectation,
    /// A check found an error.
    Finding,
    /// A launch needs a feature that is not supported; it was not started.
    Unsupported,
    /// The instruction limit was reached, or the run was interrupted.
    Limit,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// See [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Name of the device.
    pub device: String,
    /// Divergence model: `ipdom` or `its`.
    pub divergence: &'static str,
    /// Why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Remarks on the whole run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Launches in order, the one that failed included.
    pub launches: Vec<LaunchReport>,
    /// What was expected of the buffers, if the launches completed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<ExpectationReport>,
    /// Buffers that were saved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<Saved>,
    /// The trace that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaunchReport {
    /// The kernel.
    pub kernel: String,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended early; the same as the report's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Oddities that are no faults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// What checks found, if the launch was checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Blocks that finished.
    pub blocks_done: u64,
    /// What it did; up to the failure, if it failed.
    pub metrics: Metrics,
    /// What limits it and what would help, where it was timed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
    /// The same counters by source line, in the order of the text; they add up to `metrics`.
    ///
    /// Inlined code counts for the innermost of its places whose file can be read and is no
    /// header of a toolkit, package or system, or is the file of the function that it was inlined
    /// into: a call of such a header has its costs at the line of the call.
    pub lines: Vec<Line>,
}

/// A place in a source text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, as line information or the launch names it.
    pub file: String,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
    /// The line's text without indentation, if the file could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Counters of one source line; those that are zero are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// What happened there.
    #[serde(flatten)]
    pub tally: Tally,
    /// What it cost in time, where the launch was timed.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub timing: Option<LineTiming>,
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What was seen.
    pub message: String,
    /// Where.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What ended a run early.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// `out_of_bounds`, `misaligned`, `deadlock`, …; `unsupported`, `instruction_limit`,
    /// `interrupted`.
    pub kind: &'static str,
    /// What happened, with everything that is known, on one line or more.
    pub message: String,
    /// The kernel.
    pub kernel: String,
    /// The source line.
    #[serde(flatten)]
    pub place: Place,
    /// The instruction as it stands in the loaded text, where that is not the source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Block index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Thread index of the first lane at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// All lanes at fault, as a mask in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<String>,
    /// The access at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Who waits where in a deadlock.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Waiting>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The program is wrong.
    Error,
    /// It is odd.
    Note,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `race`, `same_value_write`, `relies_on_lockstep`, `barrier_divergence`.
    pub kind: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, on one line.
    pub message: String,
    /// How often it was seen at these lines.
    pub count: u64,
    /// The state space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<&'static str>,
    /// An address in that space, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Who takes part: both sides of a race, in the order of this run.
    pub sides: Vec<Side>,
    /// What would help.
    pub help: String,
    /// The same as a compiler would draw it.
    #[serde(skip)]
    pub diagnostic: Diagnostic,
}

/// A side of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// `load`, `store` or `atomic`; nothing for a barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// Block index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Thread index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// The source line.
    #[serde(flatten)]
    pub place: Place,
    /// The instruction as it stands in the loaded text, where that is not the source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// A memory access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    /// `load`, `store` or `atomic`.
    pub kind: String,
    /// The state space.
    pub space: &'static str,
    /// The address in that space, in hexadecimal.
    pub address: String,
    /// Size in bytes.
    pub bytes: u32,
}

/// One party of a deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Block index.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Its lanes that wait, as a mask in hexadecimal.
    pub lanes: String,
    /// Why they wait.
    pub reason: String,
    /// The memory that they spin on, where that can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Where they wait.
    #[serde(flatten)]
    pub place: Place,
}

/// One expectation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpectationReport {
    /// The buffer.
    pub buffer: String,
    /// Whether it holds.
    pub ok: bool,
    /// Elements that were compared.
    pub elements: u64,
    /// Elements outside the tolerance.
    pub differing: u64,
    /// Largest relative difference allowed.
    pub rtol: f64,
    /// Largest absolute difference allowed.
    pub atol: f64,
    /// The largest absolute difference, inside the tolerance or not; `None` when a NaN or
    /// infinity stands against a number.
    pub largest_error: Option<f64>,
    /// The first elements outside the tolerance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_differences: Vec<Difference>,
}

/// An element outside the tolerance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its index, as in `[0,17]`.
    pub index: String,
    /// What the buffer holds.
    pub found: String,
    /// What it should hold.
    pub expected: String,
}

/// A saved buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Saved {
    /// The buffer.
    pub buffer: String,
    /// The file, as it was asked for.
    pub path: String,
}

/// A trace file, and what of the run is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Traced {
    /// The file, as it was asked for.
    pub path: String,
    /// SMs that are shown: from the first to before the second.
    pub sms: [u32; 2],
    /// Cycles that are shown: from the first to before the second.
    pub window: [u64; 2],
    /// Cycles of all launches.
    pub cycles: u64,
    /// Slices and counter values in the file.
    pub events: u64,
    /// Those of these SMs and cycles that were too many.
    pub left_out: u64,
    /// Before this cycle nothing was left out, if something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_to: Option<u64>,
}

impl Outcome {
    /// The exit code of a command that ends this way.
    pub const fn exit_code(self) -> u8 {
        match self {
            Outcome::Ok => 0,
            Outcome::Fault | Outcome::Expectation | Outcome::Finding | Outcome::Limit => 1,
            Outcome::Unsupported => 2,
        }
    }
}

impl Place {
    /// `file:line`, or the file alone.
    pub fn at(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        }
    }
}
