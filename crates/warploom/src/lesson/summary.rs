//! What a lesson's run comes to: sums by path, and the record as JSON.

use serde::{Serialize, Serializer};

use super::{Issue, Lesson, LineInfo, Path, Played, TimedIssue};
use crate::report::{LaunchReport, Report};

/// A mask of lanes in hexadecimal, a digit for every four lanes of the warp.
pub fn hex(mask: u64, width: u32) -> String {
    format!("{mask:0digits$X}", digits = width.div_ceil(4) as usize)
}

/// Issues of all lines of one kind inside equally many blocks of the program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PathSum {
    /// The kind: `common`, `then`, `else`, `loop`, `case` or `where`.
    pub path: &'static str,
    /// Blocks of the program around the lines.
    pub depth: u32,
    /// Issues.
    pub warp_instructions: u64,
    /// Sum of active lanes over them.
    pub thread_instructions: u64,
    /// Sum of the lanes that executed: of a `where` line, those with a true condition.
    pub thread_instructions_executed: u64,
    /// Warp width times issues.
    pub lane_slots: u64,
    /// Active lanes over lane slots.
    pub simt_efficiency: f64,
}

/// What reports call a line's kind: its path, or `where` for a predicated line on any path.
pub fn kind(line: &LineInfo) -> &'static str {
    match line.path {
        _ if line.predicated => "where",
        Path::Common => "common",
        Path::Then => "then",
        Path::Else => "else",
        Path::Loop => "loop",
        Path::Case(_) => "case",
    }
}

/// The sums of a launch, in the order of the text.
fn sums(lesson: &Lesson, launch: &LaunchReport) -> Vec<PathSum> {
    let mut sums: Vec<PathSum> = Vec::new();
    for line in &launch.lines {
        let Some(info) = lesson.line(line.place.line) else {
            continue;
        };
        let (path, depth) = (kind(info), info.depth);
        let known = sums
            .iter()
            .position(|sum| (sum.path, sum.depth) == (path, depth));
        let at = known.unwrap_or_else(|| {
            sums.push(PathSum {
                path,
                depth,
                warp_instructions: 0,
                thread_instructions: 0,
                thread_instructions_executed: 0,
                lane_slots: 0,
                simt_efficiency: 1.0,
            });
            sums.len() - 1
        });
        let sum = &mut sums[at];
        sum.warp_instructions += line.tally.warp_instructions;
        sum.thread_instructions += line.tally.thread_instructions;
        // The guard of a branch says who jumps, not who takes part.
        sum.thread_instructions_executed += if info.predicated {
            line.tally.thread_instructions_predicated_on
        } else {
            line.tally.thread_instructions
        };
    }
    for sum in &mut sums {
        sum.lane_slots = sum.warp_instructions * u64::from(lesson.width);
        if sum.lane_slots > 0 {
            sum.simt_efficiency = sum.thread_instructions as f64 / sum.lane_slots as f64;
        }
    }
    sums
}

impl Played {
    /// Issues and lanes by path, in the order of the text.
    pub fn paths(&self) -> Vec<PathSum> {
        let launch = self.report.launches.first();
        launch.map_or(Vec::new(), |launch| sums(&self.lesson, launch))
    }
}

/// An issue as a report shows it.
#[derive(Serialize)]
struct IssueRecord {
    block: u32,
    warp: u32,
    line: u32,
    path: &'static str,
    active: String,
    /// Of a `where` line: the lanes that execute it.
    #[serde(skip_serializing_if = "Option::is_none")]
    executing: Option<String>,
}

impl IssueRecord {
    fn new(lesson: &Lesson, issue: &Issue) -> IssueRecord {
        let line = lesson.line(issue.line);
        let predicated = line.is_some_and(|line| line.predicated);
        IssueRecord {
            block: issue.block,
            warp: issue.warp,
            line: issue.line,
            path: line.map_or("common", kind),
            active: hex(issue.active, lesson.width),
            executing: predicated.then(|| hex(issue.executing, lesson.width)),
        }
    }
}

/// The report, and what a lesson adds to it.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    report: &'a Report,
    lesson: LessonRecord<'a>,
}

#[derive(Serialize)]
struct LessonRecord<'a> {
    title: &'a str,
    warp_width: u32,
    paths: Vec<PathSum>,
    issues: Vec<IssueRecord>,
    issues_left_out: u64,
    /// With timing: when each issue was.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    timeline: &'a [TimedIssue],
}

impl Serialize for Played {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Played {
            lesson,
            report,
            issues,
            left_out,
            timeline,
            ..
        } = self;
        let lesson = LessonRecord {
            title: &lesson.title,
            warp_width: lesson.width,
            paths: self.paths(),
            issues: issues
                .iter()
                .map(|issue| IssueRecord::new(lesson, issue))
                .collect(),
            issues_left_out: *left_out,
            timeline,
        };
        Record { report, lesson }.serialize(serializer)
    }
}
