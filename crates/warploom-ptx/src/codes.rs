//! The kinds of diagnostic that lexer, parser and name resolution give.

use crate::diagnostic::Code;

macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident $code:literal;)*) => {
        $($(#[$doc])+ pub const $name: Code = Code($code);)*

        /// Every code of this module, for tests that no two are the same.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    /// Something else was expected here.
    SYNTAX "E0001";
    /// A character that PTX has no use for.
    CHARACTER "E0002";
    /// A comment or string has no end.
    UNTERMINATED "E0003";
    /// `#define`, `#include` and the like, which need a preprocessor.
    PREPROCESSOR "E0004";
    /// A number is malformed.
    NUMBER "E0005";
    /// A number is outside the range that its place allows.
    RANGE "E0006";
    /// A constant expression divides by zero.
    ZERO_DIVISION "E0007";
    /// A constant expression mixes types.
    EXPRESSION_TYPE "E0008";
    /// Braces or parentheses are nested too deeply.
    NESTING "E0009";
    /// No such directive, or not in this place.
    DIRECTIVE "E0010";
    /// A brace is not closed.
    UNCLOSED "E0011";
    /// `.version` is missing, malformed or not a version of PTX.
    VERSION "E0012";
    /// `.target` is missing, malformed or not an architecture.
    TARGET "E0013";
    /// Unsupported `.address_size`.
    ADDRESS_SIZE "E0014";
    /// No such type, or not one that can be declared here.
    TYPE "E0015";
    /// An alignment that is not a power of two.
    ALIGNMENT "E0016";
    /// A variable is too large or of unknown size.
    SIZE "E0017";
    /// An initialiser does not fit its variable.
    INITIALIZER "E0018";
    /// No such selector after a register's name.
    SELECTOR "E0019";
    /// A parameter or result that this kind of function can't have.
    PARAMETER "E0020";
    /// The text is too long to number its bytes in 32 bits.
    TOO_LONG "E0021";
    /// A name is declared nowhere in sight.
    UNKNOWN_NAME "E0101";
    /// A name is declared twice in one scope.
    DUPLICATE "E0102";
    /// A name is used before its declaration.
    ORDER "E0103";
    /// A name stands for the wrong kind of thing.
    KIND "E0104";
    /// Two declarations of one name differ.
    INCONSISTENT "E0105";
    /// Newer than what is known.
    NEWER "W0001";
    /// The version is older than the target needs.
    TARGET_VERSION "W0002";
    /// Text after the NUL byte that ends the module.
    TRAILING_TEXT "W0003";
    /// So many errors that the rest of the module was not looked at.
    STOPPED "W0004";
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_are_distinct() {
        for (at, code) in super::ALL.iter().enumerate() {
            assert!(!super::ALL[..at].contains(code), "{code}");
        }
    }
}
