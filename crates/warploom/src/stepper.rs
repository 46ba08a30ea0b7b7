//! A launch, issue by issue, forward and back.
//!
//! The whole launch is run once, and every issue is on record: line, lanes. The state after any of
//! them (registers, memory, where lanes wait for each other) comes from the checkpoint before the
//! launch and a replay up to that issue. A launch is deterministic, so the state after an issue is
//! the same however one gets there.
//!
//! Blocks run one after the other, the warps of a block in turn, each as far as it gets.

mod converge;
mod open;
mod state;

use std::collections::BTreeSet;

use warploom_isa::{Module, Pc};
use warploom_lesson::Lesson;
use warploom_machine::{
    AccessEvent, Event, Events, Launch, Machine, Next, Outcome as End, Step, Steps, Stops,
};

pub use converge::{Convergence, Level, Part};
pub use open::PtxLaunch;
pub use state::{Access, ArrayState, Register, State};

use crate::error::Error;
use crate::lesson::Issue;
use crate::plan::LaunchPlan;
use crate::report::{Failure, Outcome};
use crate::session::Session;

/// Issues that are kept at most.
pub const MAX_ISSUES: usize = 1 << 17;
/// Issues of a warp before the next one of its block has a turn.
const TURN_ISSUES: usize = 4096;

/// One issue of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The instruction.
    pub pc: Pc,
    /// Who issued it, and with which lanes.
    pub issue: Issue,
}

/// A launch whose states can be looked at in any order.
pub struct Stepper {
    session: Session,
    checkpoint: Machine,
    launch: LaunchPlan,
    stops: Stops,
    /// The buffers that the launch was given, in their order.
    buffers: Vec<String>,
    /// The program, if it is a lesson.
    lesson: Option<Lesson>,
    issues: Vec<Issued>,
    outcome: Outcome,
    error: Option<Failure>,
}

/// Where a replay ends.
struct Replay<'a> {
    most: usize,
    seen: &'a mut dyn FnMut(Seen<'_>),
}

/// An issue as it is seen in a replay.
struct Seen<'a> {
    block: u64,
    warp: u32,
    event: Event,
    events: &'a Events,
}

impl Stepper {
    /// Every issue, in order. Where there were more than are kept, the outcome is a limit.
    pub fn issues(&self) -> &[Issued] {
        &self.issues
    }

    /// How the launch ended.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Why it ended early.
    pub fn error(&self) -> Option<&Failure> {
        self.error.as_ref()
    }

    /// The lesson, if the program is one.
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref()
    }

    /// The device, the program and the divergence model.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The launch.
    pub fn launch(&self) -> &LaunchPlan {
        &self.launch
    }

    /// The line of the text that an instruction comes from.
    pub fn line(&self, pc: Pc) -> u32 {
        let origin = self.module().origins.get(pc as usize);
        origin.map_or(0, |origin| origin.text_line)
    }

    /// The lines of the text that issue anything, in order.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        let module = self.module();
        let counted = module.code.iter().zip(&module.origins);
        let counted = counted.filter(|(inst, _)| !inst.flags.fused());
        let lines: BTreeSet<u32> = counted.map(|(_, origin)| origin.text_line).collect();
        lines.into_iter()
    }

    /// Threads of a block.
    pub fn threads_per_block(&self) -> u32 {
        self.launch.block.size.iter().product()
    }

    /// Lanes of a warp that have a thread.
    fn lanes(&self, warp: u32) -> u64 {
        let width = self.session.device().warp_width;
        let threads = self.threads_per_block().saturating_sub(warp * width);
        match threads.min(width) {
            64 => !0,
            lanes => (1 << lanes) - 1,
        }
    }

    /// Runs from the checkpoint and shows up to `most` issues.
    fn replay(
        &mut self,
        most: usize,
        seen: &mut dyn FnMut(Seen<'_>),
    ) -> Result<(Outcome, Option<Failure>), Error> {
        let mut replay = Replay { most, seen };
        let driver = |steps: &mut dyn Steps, launch: &Launch| replay.drive(steps, launch);
        self.session
            .launch_steps(&self.checkpoint, &self.launch, &self.stops, driver)
    }

    /// Runs the whole launch and keeps its issues.
    fn record(&mut self) -> Result<(), Error> {
        let module = self.session.program().module().clone();
        let mut issues = Vec::new();
        let mut running: Option<(u64, Vec<Option<Convergence>>)> = None;
        let lanes: Vec<u64> = (0..self.warps_per_block())
            .map(|warp| self.lanes(warp))
            .collect();
        let entry = self.entry()?;
        let (outcome, error) = self.replay(MAX_ISSUES, &mut |seen| {
            let Seen {
                block, warp, event, ..
            } = seen;
            if running.as_ref().is_none_or(|(known, _)| *known != block) {
                running = Some((block, vec![None; lanes.len()]));
            }
            let state = running.as_mut().map(|(_, warps)| &mut warps[warp as usize]);
            let Some(state) = state else { return };
            let first = || Convergence::new(&module, entry, lanes[warp as usize]);
            let state = state.get_or_insert_with(first);
            let origin = module.origins.get(event.pc as usize);
            issues.push(Issued {
                pc: event.pc,
                issue: Issue {
                    block: u32::try_from(block).unwrap_or(u32::MAX),
                    warp,
                    line: origin.map_or(0, |origin| origin.text_line),
                    active: event.active,
                    executing: event.executing,
                    live: state.live(),
                },
            });
            state.issued(&module, &event);
        })?;
        self.issues = issues;
        self.outcome = outcome;
        self.error = error;
        Ok(())
    }

    fn warps_per_block(&self) -> u32 {
        let width = self.session.device().warp_width.max(1);
        self.threads_per_block().div_ceil(width)
    }

    /// The first instruction of the kernel.
    fn entry(&self) -> Result<Pc, Error> {
        let program = self.session.program();
        let kernel = program.kernel(self.launch.kernel.as_ref())?;
        Ok(program.module().function(kernel).start)
    }
}

impl Replay<'_> {
    fn drive(&mut self, steps: &mut dyn Steps, launch: &Launch) -> End {
        let warps = launch.warps_per_block() as usize;
        for block in 0..launch.blocks {
            steps.enter(0, block);
            loop {
                let (mut finished, mut progress) = (true, false);
                for warp in 0..warps {
                    match self.turn(steps, block, warp) {
                        Ok(ran) => progress |= ran,
                        Err(end) => return end,
                    }
                    finished &= steps.next(0, warp) == Next::Exited;
                }
                if finished {
                    break;
                }
                if !progress {
                    return match steps.deadlock() {
                        Some(fault) => End::Fault(fault),
                        None => End::Limit,
                    };
                }
            }
            steps.leave(0);
        }
        End::Completed
    }

    /// A warp goes on for a while; whether it could.
    fn turn(&mut self, steps: &mut dyn Steps, block: u64, warp: usize) -> Result<bool, End> {
        let mut issued = 0;
        let mut ran = false;
        let mut events = Events::default();
        while issued < TURN_ISSUES {
            if !matches!(steps.next(0, warp), Next::At(_)) {
                break;
            }
            if self.most == 0 {
                return Err(End::Interrupted);
            }
            events.clear();
            let step = steps.step(0, warp, &mut events, &mut |_| {});
            ran = true;
            for &event in &events.issued {
                issued += 1;
                self.most = self.most.saturating_sub(1);
                (self.seen)(Seen {
                    block,
                    warp: warp as u32,
                    event,
                    events: &events,
                });
            }
            match step {
                Step::Ran { .. } => {}
                Step::Fault(fault) => return Err(End::Fault(fault)),
                Step::Limit => return Err(End::Limit),
            }
        }
        Ok(ran)
    }
}

impl Seen<'_> {
    /// The accesses of the kernel's own.
    fn accesses(&self) -> impl Iterator<Item = (&AccessEvent, &[u64])> {
        let own = self.events.accesses_of(self.event.pc);
        own.map(|access| (access, self.events.addresses(access)))
    }
}

/// A step ends before each instruction that counts.
fn stops(module: &Module) -> Stops {
    let counted = module.code.iter().zip(0..);
    let counted = counted.filter(|(inst, _)| !inst.flags.fused());
    Stops::new(counted.map(|(_, pc)| pc))
}
