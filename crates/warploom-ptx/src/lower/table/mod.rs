//! The arithmetic instructions of PTX as data.
//!
//! A [`Family`] is what shares an opcode's first part; its [`Row`]s are the forms it has. A row
//! says which modifiers and types an opcode may have, what its operands are, since when it exists
//! and which lane operation it becomes. Decoding, acceptance, messages and the support table follow
//! from the rows, so adding an instruction takes a row here and, if no lane operation fits, a row
//! in the operation table.

mod compare;
mod convert;
mod decode;
mod elsewhere;
mod float;
mod grammar;
mod integer;
mod logic;
mod requirements;
#[cfg(test)]
mod rows_tests;
mod support;
mod video;
mod words;

use warploom_isa::{Mods, Op};

use super::context::Lower;
use crate::ast::{TargetPlatform, TargetSuffix, Version};
use crate::diagnostic::Diagnostic;

pub(crate) use decode::{Form, decode};
pub(crate) use grammar::{Grammar, OperandType};
pub(crate) use requirements::requirements;
pub use support::support_table;
pub(crate) use words::{Word, Words};

/// Families with integer and floating-point forms.
const ARITHMETIC: &[Family] = &[
    family("add", &[integer::ADD, float::ADD]),
    family("sub", &[integer::SUB, float::SUB]),
    family("mul", &[integer::MUL, float::MUL]),
    family("mad", &[integer::MAD, float::MAD]),
    family("div", &[integer::DIV, float::DIV]),
    family("min", &[integer::MIN, float::MIN]),
    family("max", &[integer::MAX, float::MAX]),
    family("abs", &[integer::ABS, float::ABS]),
    family("neg", &[integer::NEG, float::NEG]),
];

/// All families, by the section that they stand in.
static SECTIONS: &[(&str, &[Family])] = &[
    ("Arithmetic", ARITHMETIC),
    ("Integer arithmetic", integer::FAMILIES),
    ("Logic and shifts", logic::FAMILIES),
    ("Floating point", float::FAMILIES),
    ("Comparison and selection", compare::FAMILIES),
    ("Conversion", convert::FAMILIES),
    ("Video", video::FAMILIES),
];

/// The forms of one opcode.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) opcode: &'static str,
    rows: &'static [&'static [Row]],
}

impl Family {
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.rows.iter().copied().flatten()
    }
}

const fn family(opcode: &'static str, rows: &'static [&'static [Row]]) -> Family {
    Family { opcode, rows }
}

/// One form of an instruction.
#[derive(Debug)]
pub(crate) struct Row {
    /// The modifiers, as [`grammar`] reads them.
    modifiers: &'static str,
    /// The operands as PTX writes them, where letters in a row would not do.
    written: Option<&'static str>,
    pub(crate) grammar: Grammar,
    pub(crate) needs: Needs,
    pub(crate) lowering: Lowering,
}

const fn row(modifiers: &'static str, operands: &'static str, lowering: Lowering) -> Row {
    Row {
        modifiers,
        written: None,
        grammar: Grammar::parse(modifiers, operands),
        needs: Needs::NOTHING,
        lowering,
    }
}

impl Row {
    /// Exists since this version of PTX, as `major * 10 + minor`, on this architecture and later
    /// ones.
    const fn since(mut self, version: u16, architecture: u32) -> Row {
        self.needs.version = version;
        self.needs.architecture = architecture;
        self
    }

    /// How the operands are written.
    const fn written(mut self, operands: &'static str) -> Row {
        self.written = Some(operands);
        self
    }

    /// Exists for targets with a suffix only.
    const fn specific(mut self) -> Row {
        self.needs.suffix = true;
        self
    }
}

/// What a module must declare to use a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Least `.version`, as `major * 10 + minor`; 0 for any.
    version: u16,
    /// Least `.target`; 0 for any.
    architecture: u32,
    /// The target must be of a specific architecture or family (`sm_100a`, `sm_100f`).
    suffix: bool,
}

impl Needs {
    const NOTHING: Needs = Needs {
        version: 0,
        architecture: 0,
        suffix: false,
    };

    /// What a module must declare to use both.
    fn and(self, other: Needs) -> Needs {
        Needs {
            version: self.version.max(other.version),
            architecture: self.architecture.max(other.architecture),
            suffix: self.suffix || other.suffix,
        }
    }

    /// Since this version of PTX, as `major * 10 + minor`, on this architecture and later ones.
    pub(crate) const fn since(version: u16, architecture: u32) -> Needs {
        Needs {
            version,
            architecture,
            suffix: false,
        }
    }

    /// Whether a module with this header may use it. An unknown target may use everything.
    pub(crate) fn met_by(self, version: Version, target: &TargetPlatform<'_>) -> bool {
        let have = version
            .major
            .saturating_mul(10)
            .saturating_add(version.minor);
        have >= self.version
            && (target.architecture == 0
                || (target.architecture >= self.architecture
                    && (!self.suffix || target.suffix != TargetSuffix::Baseline)))
    }

    /// `PTX 8.6 and sm_100a`, or nothing.
    pub(crate) fn text(self) -> String {
        let version = format!("PTX {}.{}", self.version / 10, self.version % 10);
        let suffix = if self.suffix { "a" } else { "" };
        match (self.version, self.architecture) {
            (0, 0) => String::new(),
            (_, 0) => version,
            (0, architecture) => format!("sm_{architecture}{suffix}"),
            (_, architecture) => format!("{version}, sm_{architecture}{suffix}"),
        }
    }
}

/// What `min` and `max` of three f32 need.
pub(crate) const THREE_OPERANDS: Needs = Needs::since(88, 100);

/// How a row becomes lane operations.
#[derive(Clone, Copy)]
pub(crate) enum Lowering {
    /// One lane operation that is all that the words say.
    Bare(Op),
    /// One lane operation, with these modifiers beside those of the words.
    Lane(Op, Mods),
    /// A lane operation with a constant as its last source.
    LaneAnd(Op, Mods, u32),
    /// The first lane operation where no word asks for a modifier, otherwise the second.
    Fast(Op, Op),
    /// A lane operation whose second destination is the condition code, written with `.cc`. The
    /// flag says whether it is also the last source.
    Carry(Op, bool),
    /// Written by a function.
    Custom(fn(&mut Lower<'_>, &Form) -> Result<(), Diagnostic>),
}

impl std::fmt::Debug for Lowering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Lowering::Bare(op)
            | Lowering::Lane(op, _)
            | Lowering::LaneAnd(op, _, _)
            | Lowering::Fast(op, _)
            | Lowering::Carry(op, _) => op.fmt(f),
            Lowering::Custom(_) => f.write_str("Custom"),
        }
    }
}

const fn bare(op: Op) -> Lowering {
    Lowering::Bare(op)
}

const fn lane(op: Op) -> Lowering {
    Lowering::Lane(op, Mods::NONE)
}

const fn with(op: Op, mods: Mods) -> Lowering {
    Lowering::Lane(op, mods)
}

const fn fast(plain: Op, general: Op) -> Lowering {
    Lowering::Fast(plain, general)
}

/// The operations that have rows.
pub(crate) fn operations() -> impl Iterator<Item = &'static str> {
    let families = SECTIONS.iter().flat_map(|(_, families)| families.iter());
    families.map(|family| family.opcode)
}

fn find(opcode: &str) -> Option<&'static Family> {
    let mut families = SECTIONS.iter().flat_map(|(_, families)| families.iter());
    families.find(|family| family.opcode == opcode)
}
