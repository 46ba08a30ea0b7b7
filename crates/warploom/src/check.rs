//! Launches under the checkers, and what these find in the report's words.

use warploom_check::{Finding as Race, Kind, RaceChecker, Shape, Side as RaceSide};
use warploom_isa::{Module, Pc};
use warploom_machine::AccessKind;

use crate::engine::Control;
use crate::error::Error;
use crate::failure::Places;
use crate::plan::LaunchPlan;
use crate::report::{Finding, LaunchReport, Note, Place, Severity, Side};
use crate::session::{DivergenceModel, Session};
use crate::text::{self, Diagnostic};

/// The kind of finding that a plain run merely notes.
const BARRIER_DIVERGENCE: &str = "barrier_divergence";

/// Every kind of finding.
pub const KINDS: [&str; 4] = [
    Kind::Race.name(),
    Kind::SameValue.name(),
    Kind::Lockstep.name(),
    BARRIER_DIVERGENCE,
];

/// Runs a kernel under the checkers. What they find is in the report; so is, as a finding, what a
/// plain run merely notes.
pub(crate) fn launch(
    session: &mut Session,
    launch: &LaunchPlan,
    control: &mut Control<'_>,
) -> Result<LaunchReport, Error> {
    let threads: u64 = launch.block.size.iter().map(|&n| u64::from(n)).product();
    let shape = Shape {
        grid: launch.grid.size,
        threads_per_block: u32::try_from(threads).unwrap_or(u32::MAX),
        warp_width: session.device().warp_width,
        in_step: session.divergence() == DivergenceModel::Ipdom,
    };
    let module = session.program().module.clone();
    let mut checker = RaceChecker::new(module.clone(), shape);
    let mut report = session.launch_observed(launch, control, &mut checker)?;
    let places = Places {
        module: &module,
        sources: &session.program().sources,
    };
    let found = checker.findings().iter();
    let found = found.map(|race| of_race(session, &places, launch, race));
    let mut findings: Vec<Finding> = found.collect();
    let (odd, other) = report
        .notes
        .drain(..)
        .partition(|note| note.place.is_some());
    report.notes = other;
    findings.extend(odd.into_iter().map(of_note));
    report.findings = findings;
    Ok(report)
}

/// What a plain run notes of barriers.
fn of_note(note: Note) -> Finding {
    let help = "all threads of a block that have not exited meet at a barrier; move it out of the \
                branch, or let the others exit at once";
    let diagnostic = Diagnostic {
        severity: text::Severity::Error,
        help: Some(help.to_owned()),
        ..Diagnostic::error(note.message.clone())
    };
    Finding {
        kind: BARRIER_DIVERGENCE,
        severity: Severity::Error,
        message: note.message,
        count: 1,
        space: None,
        address: None,
        sides: vec![Side {
            access: None,
            block: None,
            thread: None,
            place: note.place.unwrap_or_default(),
            instruction: None,
        }],
        help: help.to_owned(),
        diagnostic,
    }
}

fn of_race(session: &Session, places: &Places<'_>, launch: &LaunchPlan, race: &Race) -> Finding {
    let severity = match race.kind.is_error() {
        true => Severity::Error,
        false => Severity::Note,
    };
    let memory = match session.holder(race.space, race.address, launch) {
        Some((offset, holder)) => format!("byte {offset} of {}", holder.kind),
        None => format!("{} memory at {:#x}", race.space.name(), race.address),
    };
    let message = message(race, &memory);
    let help = help(race, session.device().warp_width).to_owned();
    let sides = [&race.first, &race.second];
    let labels = sides.into_iter().zip(1..).filter_map(|(side, number)| {
        let origin = places.module.origins.get(side.pc as usize)?;
        let spot = places.sources.line_spot(places.module, origin.loc)?;
        let text = format!("({number}) {}", who(launch, side));
        Some(text::Label { spot, text })
    });
    let diagnostic = Diagnostic {
        severity: match severity {
            Severity::Error => text::Severity::Error,
            Severity::Note => text::Severity::Warning,
        },
        labels: labels.collect(),
        help: Some(help.clone()),
        ..Diagnostic::error(match race.count {
            1 => message.clone(),
            many => format!("{message} ({many} times)"),
        })
    };
    Finding {
        kind: race.kind.name(),
        severity,
        message,
        count: race.count,
        space: Some(race.space.name()),
        address: Some(format!("{:#x}", race.address)),
        sides: sides.map(|side| of_side(places, launch, side)).into(),
        help,
        diagnostic,
    }
}

/// A verb for each side, as in "a store and a load".
fn message(race: &Race, memory: &str) -> String {
    let [first, second] = [&race.first, &race.second].map(|side| match side.kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    });
    let pair = match (race.same_instruction, first == second) {
        (true, _) => format!("lanes of one {first}"),
        (_, true) => format!("two {first}s"),
        _ => format!("a {first} and a {second}").replace("a atomic", "an atomic"),
    };
    match race.kind {
        Kind::Race => format!("race on {memory}: nothing orders {pair}"),
        Kind::SameValue => {
            format!("race on {memory}: nothing orders {pair}, which write the same value")
        }
        Kind::Lockstep => {
            format!("{pair} rely on lanes executing in step, on {memory}: nothing orders them")
        }
    }
}

fn help(race: &Race, warp_width: u32) -> &'static str {
    let Race { first, second, .. } = race;
    let same_block = first.block == second.block;
    let same_warp = same_block && first.thread / warp_width == second.thread / warp_width;
    if race.same_instruction {
        return "let one thread write, or use an atomic";
    }
    if !first.weak && !second.weak {
        return match race.kind {
            Kind::Lockstep => {
                "put `__syncwarp()` (`bar.warp.sync`) between them, or exchange through shuffles"
            }
            _ => "their scopes leave the other thread out: use `.gpu` scope between blocks",
        };
    }
    if same_warp {
        "put `__syncwarp()` (`bar.warp.sync`) between them, or exchange through shuffles"
    } else if same_block {
        "put `__syncthreads()` (`bar.sync`) between them"
    } else {
        "order blocks by a release and an acquire of `.gpu` scope: `__threadfence()` before the flag \
         or atomic that tells, and after the one that is told; or by the end of the launch"
    }
}

/// A thread, in the words of a label.
fn who(launch: &LaunchPlan, side: &RaceSide) -> String {
    let index = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    let strength = if side.weak { "" } else { "strong " };
    format!(
        "{strength}{} by block {}, thread {}",
        side.kind,
        index(block_of(launch, side.block)),
        index(thread_of(launch, side.thread))
    )
}

fn of_side(places: &Places<'_>, launch: &LaunchPlan, side: &RaceSide) -> Side {
    let (place, instruction) = place(places, side.pc);
    Side {
        access: Some(side.kind.to_string()),
        block: Some(block_of(launch, side.block)),
        thread: Some(thread_of(launch, side.thread)),
        place,
        instruction,
    }
}

fn place(places: &Places<'_>, pc: Pc) -> (Place, Option<String>) {
    let module: &Module = places.module;
    match module.origins.get(pc as usize) {
        Some(&origin) => (places.place(origin.loc), places.instruction(pc, origin)),
        None => (Place::default(), None),
    }
}

fn block_of(launch: &LaunchPlan, number: u64) -> [u32; 3] {
    let [x, y, _] = launch.grid.size.map(|n| u64::from(n.max(1)));
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / x / y) as u32,
    ]
}

fn thread_of(launch: &LaunchPlan, number: u32) -> [u32; 3] {
    let [x, y, _] = launch.block.size.map(|n| n.max(1));
    [number % x, number / x % y, number / x / y]
}
