//! What a timed launch counts while it runs.

use warploom_isa::Pc;

use crate::stall::{Reason, Stalls};

/// Counts of a launch, or of one source instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Issues {
    /// Machine instructions issued.
    pub issued: u64,
    /// Warp-cycles by reason.
    pub stalls: Stalls,
}

/// One machine instruction, when and where it issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issued {
    /// SM cycle.
    pub cycle: u64,
    /// The SM.
    pub sm: u32,
    /// The scheduler of the SM.
    pub scheduler: u32,
    /// Where the SM keeps the warp.
    pub slot: u32,
    /// The warp in its block.
    pub warp: u32,
    /// The source instruction.
    pub source: Pc,
}

/// Counts of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// By source instruction.
    pub by_pc: Vec<Issues>,
    /// Sum over scheduler turns of the warps that could have issued.
    pub eligible: u64,
    /// Sum of the cycles that warps were resident.
    pub resident_warp_cycles: u64,
    /// Warps that have exited.
    pub warps: u64,
    /// Cycle of the first issue.
    pub first_issue: Option<u64>,
    /// The end of the last retirement.
    pub end: u64,
    /// The first issues, in the order in which they were worked out.
    pub trace: Vec<Issued>,
    /// Issues that are kept at most.
    trace_limit: usize,
}

impl Tally {
    /// For a program of so many instructions, keeping so many issues.
    pub fn new(instructions: usize, trace_limit: usize) -> Tally {
        Tally {
            by_pc: vec![Issues::default(); instructions],
            trace_limit,
            ..Tally::default()
        }
    }

    /// An empty one for a part of the same launch.
    pub fn part(&self) -> Tally {
        Tally::new(self.by_pc.len(), self.trace_limit)
    }

    /// Adds a part of the same launch, whose issues move here.
    pub fn add(&mut self, part: &mut Tally) {
        self.take_issues(part);
        for (sum, part) in self.by_pc.iter_mut().zip(&part.by_pc) {
            sum.issued += part.issued;
            sum.stalls.add_all(&part.stalls);
        }
        self.eligible += part.eligible;
        self.resident_warp_cycles += part.resident_warp_cycles;
        self.warps += part.warps;
        let firsts = [self.first_issue, part.first_issue];
        self.first_issue = firsts.into_iter().flatten().min();
        self.end = self.end.max(part.end);
    }

    /// Moves the issues of a part here, as far as they are kept.
    pub fn take_issues(&mut self, part: &mut Tally) {
        let room = self.trace_limit - self.trace.len();
        self.trace.extend(part.trace.drain(..).take(room));
    }

    /// An instruction issues.
    pub fn issue(&mut self, issued: Issued) {
        self.by_pc[issued.source as usize].issued += 1;
        let now = issued.cycle;
        self.first_issue = Some(self.first_issue.map_or(now, |first| first.min(now)));
        if self.trace.len() < self.trace_limit {
            self.trace.push(issued);
        }
    }

    /// Cycles that a warp spent before or at an instruction, by reason.
    pub fn stalls(&mut self, source: Pc, parts: &[(Reason, u64)]) {
        let stalls = &mut self.by_pc[source as usize].stalls;
        for &(reason, cycles) in parts {
            stalls.add(reason, cycles);
        }
    }

    /// A warp that came at `entered` has exited, and its last result was there before `end`.
    pub fn retire(&mut self, entered: u64, end: u64) {
        self.warps += 1;
        self.resident_warp_cycles += end - entered.min(end);
        self.end = self.end.max(end);
    }

    /// Sums over all instructions.
    pub fn total(&self) -> Issues {
        let mut sum = Issues::default();
        for counts in &self.by_pc {
            sum.issued += counts.issued;
            sum.stalls.add_all(&counts.stalls);
        }
        sum
    }
}
