//! What ended a launch early, in the report's words.

use warploom_isa::{Loc, Module, Origin, Pc};
use warploom_machine::{AccessInfo, Fault, FaultKind};

use crate::error::UnsupportedError;
use crate::report::{Access, Failure, Note, Place, Waiting};
use crate::sources::Sources;
use crate::trace::Label;

/// The texts behind the places of a module.
pub(crate) struct Places<'a> {
    pub module: &'a Module,
    pub sources: &'a Sources,
}

impl Places<'_> {
    pub(crate) fn place(&self, loc: Loc) -> Place {
        self.sources.place(self.module, loc)
    }

    /// An instruction as a trace calls it: its text, or else its line's, and where it is.
    pub(crate) fn label(&self, pc: Pc, origin: Origin) -> Label {
        let place = self.place(origin.loc);
        let name = self.instruction(pc, origin).or(place.text.clone());
        let at = place.at();
        Label::new(name.as_deref().unwrap_or(&at), &at)
    }

    /// The instruction in the loaded text, where the source line is another one.
    pub(crate) fn instruction(&self, pc: Pc, origin: Origin) -> Option<String> {
        let function = self.module.function_at(pc)?;
        let text_file = self.module.function(function).origin.loc.file;
        let in_text = Loc {
            file: text_file,
            line: origin.text_line,
        };
        if in_text == origin.loc {
            return None;
        }
        let spot = self
            .sources
            .spot(self.module, text_file, origin.text_line)?;
        Some(spot.text().to_owned())
    }

    pub(crate) fn fault(&self, fault: &Fault) -> Failure {
        let (kind, access) = describe(&fault.kind);
        Failure {
            kind,
            message: fault.kind.to_string(),
            kernel: fault.kernel.clone(),
            place: self.place(fault.origin.loc),
            instruction: self.instruction(fault.pc, fault.origin),
            block: Some(fault.block),
            thread: Some(fault.thread),
            lanes: Some(mask(fault.lanes)),
            access: access.map(access_report),
            waits: self.waits(&fault.kind),
        }
    }

    fn waits(&self, kind: &FaultKind) -> Vec<Waiting> {
        let FaultKind::Deadlock { waits } = kind else {
            return Vec::new();
        };
        let one = |wait: &warploom_machine::Wait| Waiting {
            block: wait.block,
            warp: wait.warp,
            lanes: mask(wait.lanes),
            reason: wait.reason.clone(),
            access: wait.polled.as_ref().map(access_report),
            place: self.place(wait.origin.loc),
        };
        waits.iter().map(one).collect()
    }

    /// A run that was stopped from outside. `hottest` is where it spent its time.
    pub(crate) fn stopped(
        &self,
        kind: &'static str,
        message: String,
        kernel: &str,
        hottest: Option<Loc>,
    ) -> Failure {
        let place = hottest.map(|loc| self.place(loc)).unwrap_or_default();
        let message = match hottest {
            Some(_) => format!("{message}; most of its work was at {}", place.at()),
            None => message,
        };
        let kernel = kernel.to_owned();
        Failure {
            kind,
            message,
            kernel,
            place,
            ..Failure::default()
        }
    }

    pub(crate) fn note(&self, note: &warploom_machine::Note) -> Note {
        let origin = self.module.origins.get(note.pc as usize);
        Note {
            message: note.text.clone(),
            place: origin.map(|origin| self.place(origin.loc)),
        }
    }
}

/// A launch that was not started.
pub(crate) fn unsupported(error: &UnsupportedError) -> Failure {
    Failure {
        kind: "unsupported",
        message: error.diagnostic().message,
        kernel: error.kernel.clone(),
        place: Place {
            file: error.file.clone(),
            line: error.line,
            text: error.spot.as_ref().map(|spot| spot.text().to_owned()),
        },
        ..Failure::default()
    }
}

fn mask(lanes: u64) -> String {
    format!("{lanes:#010x}")
}

fn access_report(access: &AccessInfo) -> Access {
    Access {
        kind: access.kind.to_string(),
        space: access.space.name(),
        address: format!("{:#x}", access.address),
        bytes: access.bytes,
    }
}

/// The stable name of a fault, and the access that it is about.
fn describe(kind: &FaultKind) -> (&'static str, Option<&AccessInfo>) {
    match kind {
        FaultKind::OutOfBounds { access, .. } => ("out_of_bounds", Some(access)),
        FaultKind::UseAfterFree { access, .. } => ("use_after_free", Some(access)),
        FaultKind::Misaligned { access } => ("misaligned", Some(access)),
        FaultKind::ReadOnly { access } => ("read_only", Some(access)),
        FaultKind::StackOverflow { .. } => ("stack_overflow", None),
        FaultKind::CallDepth { .. } => ("call_depth", None),
        FaultKind::BadTarget { .. } => ("bad_target", None),
        FaultKind::Trap => ("trap", None),
        FaultKind::Breakpoint => ("breakpoint", None),
        FaultKind::Assert { .. } => ("assert", None),
        FaultKind::MemberMaskWithoutSelf { .. } => ("member_mask", None),
        FaultKind::MemberNotActive { .. } => ("member_mask", None),
        FaultKind::Barrier { .. } => ("barrier", None),
        FaultKind::BadFree { .. } => ("bad_free", None),
        FaultKind::HostCall { .. } => ("host_call", None),
        FaultKind::Deadlock { .. } => ("deadlock", None),
    }
}
