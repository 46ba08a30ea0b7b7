//! Source instructions that the machine does not need.
//!
//! | what | becomes |
//! | --- | --- |
//! | copies, halves and pairs of registers, zero extension | operands of their users |
//! | kernel parameters, the launch's shape | operands in constant memory |
//! | an addition of a number to an address | the access's offset |
//! | integer multiplication or shift, and addition | one multiply-add |
//! | two additions, up to three logical operations | one instruction of three operands |
//! | a comparison and a logical operation on its predicate | one comparison |
//! | negation and absolute value of a float | the sign of its user's operand |
//! | what nobody reads | nothing |
//!
//! Floating-point multiplications and additions stay apart: the source's compiler has contracted
//! those that it may.

mod combine;
mod copies;
mod dead;

use super::code::Code;

/// Folds what can be.
pub(super) fn fold(code: &mut Code<'_>) {
    copies::forward(code);
    dead::remove(code);
    combine::combine(code);
    dead::remove(code);
}
