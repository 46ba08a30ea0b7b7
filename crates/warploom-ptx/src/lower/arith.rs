//! Arithmetic, logic, comparison and conversion.

use super::context::Lower;
use super::parts::Parts;
use crate::diagnostic::Diagnostic;

/// An arithmetic opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {}

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(_parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    Ok(None)
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(_ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match *form {}
}
