//! What a checker found.

use warploom_isa::{Pc, Space};
use warploom_machine::AccessKind;

/// Kinds of findings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Two accesses to one place, at least one a write, that nothing orders.
    Race,
    /// The same, where both write the value that is there.
    SameValue,
    /// Lanes of one warp that rely on executing in step: their accesses are strong, so that no value
    /// is torn, but nothing orders them.
    Lockstep,
}

impl Kind {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Race => "race",
            Kind::SameValue => "same_value_write",
            Kind::Lockstep => "relies_on_lockstep",
        }
    }

    /// Whether the program is wrong, rather than odd.
    pub const fn is_error(self) -> bool {
        !matches!(self, Kind::SameValue)
    }
}

/// One of two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// The instruction.
    pub pc: Pc,
    /// What it does.
    pub kind: AccessKind,
    /// It is weak: the memory model calls an unordered one a data race.
    pub weak: bool,
    /// Block, in one dimension.
    pub block: u64,
    /// Thread of the block, in one dimension.
    pub thread: u32,
}

/// Two accesses that should have been ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The access that came first in this run.
    pub first: Side,
    /// The one that came second.
    pub second: Side,
    /// The space.
    pub space: Space,
    /// A byte that both touch.
    pub address: u64,
    /// Both are lanes of one instruction.
    pub same_instruction: bool,
    /// How many such pairs of accesses there were, of these two instructions.
    pub count: u64,
}
