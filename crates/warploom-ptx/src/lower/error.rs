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
    /// Two modules define one name, or disagree about it.
    REDEFINED "E0211";
    /// More than the machine can hold: registers, constants, frame or parameter bytes.
    CAPACITY "E0212";
    /// A variable that an instruction cannot reach, by its state space.
    SPACE "E0213";
    /// A parameter of a function is used as if it were a kernel's, or the other way round.
    PARAMETER_USE "E0214";
}

/// What the author can do about a problem whose report has no better idea.
pub(crate) fn general_help(code: Code) -> &'static str {
    match code {
        OPCODE => "check the name in the PTX manual",
        MODIFIER => "leave it out",
        MISSING_MODIFIER => "write it after the name of the instruction",
        COMBINATION => "check the forms of this instruction in the PTX manual",
        OPERAND_COUNT => "give the instruction as many operands as its form has",
        OPERAND_KIND => "check which operands this form of the instruction has",
        OPERAND_TYPE => "use a register of the instruction's type, or convert the value first",
        CONSTANT_RANGE => "use a number in the range, or a register",
        CALL => "make the call agree with the declaration",
        REDEFINED => "rename one of them, or make one `.weak`",
        CAPACITY => "keep large data in global memory, or split the function",
        SPACE => "name the state space that the variable is declared in",
        PARAMETER_USE => "copy the parameter to a register or to local memory first",
        _ => "check the PTX manual",
    }
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

/// The module's header does not promise what `what` needs.
pub(crate) fn too_new(span: Span, what: &str, needs: &str) -> Diagnostic {
    let message = format!("`{what}` needs {needs}");
    let label = "not in this module's `.version` and `.target`";
    Diagnostic::new(COMBINATION, span, message, label)
        .with_help("declare a later `.version` or `.target`, or write it another way")
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
