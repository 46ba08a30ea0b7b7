//! The kinds of diagnostic that lowering gives.

use crate::diagnostic::{Code, Diagnostic, Span};

macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident $code:literal;)*) => {
        $($(#[$doc])+ pub const $name: Code = Code($code);)*

        /// Every code of this module, for tests that no two are the same.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    /// No instruction of PTX has this name.
    OPCODE "E0201";
    /// The instruction has no such modifier, or has it once only.
    MODIFIER "E0202";
    /// A modifier or type that the instruction needs is not there.
    MISSING_MODIFIER "E0203";
    /// Modifiers, or a modifier and a type, that exclude each other.
    COMBINATION "E0204";
    /// Too few or too many operands.
    OPERAND_COUNT "E0205";
    /// An operand of the wrong kind, such as a label where a register is needed.
    OPERAND_KIND "E0206";
    /// A register or constant whose type the instruction does not take.
    OPERAND_TYPE "E0207";
    /// A constant outside the range that its place allows.
    CONSTANT_RANGE "E0208";
    /// Arguments or results of a call that differ from what the function declares.
    CALL "E0209";
    /// A name that no module defines.
    UNDEFINED "E0210";
    /// Two modules define one name, or disagree about it.
    REDEFINED "E0211";
    /// More than the machine can hold: registers, constants, frame or parameter bytes.
    CAPACITY "E0212";
    /// A variable that an instruction cannot reach, by its state space.
    SPACE "E0213";
    /// A parameter of a function is used as if it were a kernel's, or the other way round.
    PARAMETER_USE "E0214";
}

/// An operand that is not what `expected` says.
pub(crate) fn operand_kind(span: Span, expected: &str) -> Diagnostic {
    Diagnostic::new(
        OPERAND_KIND,
        span,
        format!("this operand must be {expected}"),
        format!("expected {expected}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let all: Vec<Code> = ALL.iter().chain(crate::codes::ALL).copied().collect();
        for (at, code) in all.iter().enumerate() {
            assert!(!all[..at].contains(code), "{code}");
        }
    }
}
