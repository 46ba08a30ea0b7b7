//! `lesson`, `ptx`, `state`: a launch, issue by issue.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use warploom::lesson::{hex, kind};
use warploom::plan::Named;
use warploom::report::{Failure, Outcome};
use warploom::stepper::{Access, ArrayState, Level, PtxLaunch, Register, Stepper};
use warploom::{DivergenceModel, Options};

use crate::error::Refusal;

/// Launches that are kept at a time.
const MOST_STEPPERS: usize = 8;

/// The launches that are being stepped, by the name that the page gives them.
#[derive(Default)]
pub struct Steppers(BTreeMap<String, Stepper>);

/// Runs a lesson.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonRequest {
    /// Under which name the launch is kept.
    pub view: String,
    /// The program.
    pub text: String,
    /// `ipdom` or `its`.
    pub divergence: Model,
}

/// Runs a PTX kernel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PtxRequest {
    /// Under which name the launch is kept.
    pub view: String,
    /// The program.
    pub text: String,
    /// `ipdom` or `its`.
    pub divergence: Model,
    /// The device.
    pub device: String,
    /// The kernel; the only one, if absent.
    pub kernel: Option<String>,
    /// Blocks: `4` or `4,2,1`.
    pub grid: String,
    /// Threads of a block.
    pub block: String,
    /// Dynamic shared memory.
    pub shared_bytes: u32,
    /// Arguments as on the command line.
    pub args: Vec<String>,
}

/// A divergence model.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// The reconvergence stack.
    Ipdom,
    /// Independent threads.
    Its,
}

/// Asks for a state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateRequest {
    /// Which launch.
    pub view: String,
    /// After how many issues.
    pub position: usize,
}

/// A launch: the program, and every issue.
#[derive(Debug, Serialize)]
pub struct Recorded {
    /// Whether the program is a lesson, whose text has paths.
    lesson: bool,
    title: String,
    warp_width: u32,
    threads: u32,
    blocks: u128,
    divergence: &'static str,
    device: String,
    outcome: Outcome,
    error: Option<Failure>,
    lines: Vec<LineRecord>,
    issues: Issues,
}

/// A line of the program.
#[derive(Debug, Serialize)]
pub struct LineRecord {
    number: u32,
    /// `common`, `then`, `else`, `loop`, `case`, `where`; of PTX, always `common`.
    kind: &'static str,
    depth: u32,
    issues: bool,
}

/// The issues, a column each; masks in hexadecimal, a digit for four lanes.
#[derive(Debug, Default, Serialize)]
pub struct Issues {
    block: Vec<u32>,
    warp: Vec<u32>,
    line: Vec<u32>,
    active: Vec<String>,
    executing: Vec<String>,
    live: Vec<String>,
}

/// A state; see [`warploom::stepper::State`].
#[derive(Debug, Serialize)]
pub struct StateAnswer {
    position: usize,
    block: u32,
    warp: u32,
    live: String,
    stack: Vec<LevelRecord>,
    registers: Vec<Register>,
    arrays: Vec<ArrayState>,
    accesses: Vec<Access>,
    /// Of all warps so far.
    all: Counts,
    /// Of this warp.
    own: Counts,
}

/// What issues come to.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    issues: u64,
    lanes_used: u64,
    lane_slots: u64,
    simt_efficiency: f64,
}

/// Lanes that meet at one point.
#[derive(Debug, Serialize)]
pub struct LevelRecord {
    /// The line where they meet.
    join_line: Option<u32>,
    members: String,
    waiting: String,
    parts: Vec<PartRecord>,
}

/// Lanes at one line.
#[derive(Debug, Serialize)]
pub struct PartRecord {
    lanes: String,
    line: u32,
}

impl Model {
    fn options<'a>(self, device: Option<&str>) -> Options<'a> {
        Options {
            device: device.map(Named::new),
            divergence: Some(match self {
                Model::Ipdom => DivergenceModel::Ipdom,
                Model::Its => DivergenceModel::Its,
            }),
            threads: 1,
            ..Options::default()
        }
    }
}

impl Steppers {
    /// `lesson`
    ///
    /// # Errors
    /// When the text is wrong or the launch cannot be made.
    pub fn lesson(&mut self, request: LessonRequest) -> Result<Recorded, Refusal> {
        let options = request.divergence.options(None);
        let stepper = Stepper::of_lesson("lesson", &request.text, &options)?;
        Ok(self.keep(request.view, stepper))
    }

    /// `ptx`
    ///
    /// # Errors
    /// When the text or an argument is wrong or the launch cannot be made.
    pub fn ptx(&mut self, request: PtxRequest) -> Result<Recorded, Refusal> {
        let options = request.divergence.options(Some(&request.device));
        let launch = PtxLaunch {
            kernel: request.kernel.filter(|name| !name.is_empty()),
            grid: request.grid,
            block: request.block,
            shared_bytes: request.shared_bytes,
            args: request.args,
        };
        let stepper = Stepper::of_ptx("kernel.ptx", &request.text, &launch, &options)?;
        Ok(self.keep(request.view, stepper))
    }

    /// `state`
    ///
    /// # Errors
    /// When there is no such launch.
    pub fn state(&mut self, request: &StateRequest) -> Result<StateAnswer, Refusal> {
        let found = self.0.get_mut(&request.view);
        let stepper = found.ok_or_else(|| Refusal::new("there is no such launch"))?;
        let state = stepper.state(request.position)?;
        let width = stepper.session().device().warp_width;
        let hex = |mask| hex(mask, width);
        let line = |pc: u32| stepper.line(pc);
        let level = |level: &Level| LevelRecord {
            join_line: level.join.map(line),
            members: hex(level.members),
            waiting: hex(level.waiting),
            parts: level
                .parts
                .iter()
                .map(|part| PartRecord {
                    lanes: hex(part.lanes),
                    line: line(part.pc),
                })
                .collect(),
        };
        let mut all = Counts::default();
        let mut own = Counts::default();
        for issued in &stepper.issues()[..state.position] {
            let issue = &issued.issue;
            all.add(issue.active, width);
            if (issue.block, issue.warp) == state.warp {
                own.add(issue.active, width);
            }
        }
        Ok(StateAnswer {
            position: state.position,
            block: state.warp.0,
            warp: state.warp.1,
            live: hex(state.live),
            stack: state.levels.iter().map(level).collect(),
            registers: state.registers,
            arrays: state.arrays,
            accesses: state.accesses,
            all,
            own,
        })
    }

    fn keep(&mut self, view: String, stepper: Stepper) -> Recorded {
        let recorded = recorded(&stepper);
        if self.0.len() >= MOST_STEPPERS && !self.0.contains_key(&view) {
            self.0.pop_first();
        }
        self.0.insert(view, stepper);
        recorded
    }
}

impl Counts {
    fn add(&mut self, active: u64, width: u32) {
        self.issues += 1;
        self.lanes_used += u64::from(active.count_ones());
        self.lane_slots += u64::from(width);
        self.simt_efficiency = self.lanes_used as f64 / self.lane_slots as f64;
    }
}

fn recorded(stepper: &Stepper) -> Recorded {
    let session = stepper.session();
    let width = session.device().warp_width;
    let lesson = stepper.lesson();
    let lines = match lesson {
        Some(lesson) => lesson
            .lines
            .iter()
            .map(|line| LineRecord {
                number: line.number,
                kind: kind(line),
                depth: line.depth,
                issues: line.issues,
            })
            .collect(),
        None => stepper
            .lines()
            .map(|number| LineRecord {
                number,
                kind: "common",
                depth: 0,
                issues: true,
            })
            .collect(),
    };
    let mut issues = Issues::default();
    for issued in stepper.issues() {
        let issue = &issued.issue;
        issues.block.push(issue.block);
        issues.warp.push(issue.warp);
        issues.line.push(issue.line);
        issues.active.push(hex(issue.active, width));
        issues.executing.push(hex(issue.executing, width));
        issues.live.push(hex(issue.live, width));
    }
    Recorded {
        lesson: lesson.is_some(),
        title: lesson.map_or(String::new(), |lesson| lesson.title.clone()),
        warp_width: width,
        threads: stepper.threads_per_block(),
        blocks: stepper.launch().grid.count(),
        divergence: session.divergence().name(),
        device: session.device().name.clone(),
        outcome: stepper.outcome(),
        error: stepper.error().cloned(),
        lines,
        issues,
    }
}
