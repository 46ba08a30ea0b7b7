//! Instructions of PTX that the machine does not have: matrices, asynchronous copies, clusters,
//! textures and surfaces.

use crate::ast::Opcode;

/// Operations that are excluded in all their forms.
const OPERATIONS: &[&str] = &[
    "clusterlaunchcontrol",
    "cp",
    "getctarank",
    "istypep",
    "ldmatrix",
    "mapa",
    "mbarrier",
    "mma",
    "movmatrix",
    "multimem",
    "setmaxnreg",
    "stmatrix",
    "suld",
    "suq",
    "sured",
    "sust",
    "tcgen05",
    "tensormap",
    "tex",
    "tld4",
    "txq",
    "wgmma",
    "wmma",
];

/// Operations that are excluded when they have a modifier.
const FORMS: &[(&str, &str)] = &[
    ("barrier", "cluster"),
    ("fence", "mbarrier_init"),
    ("fence", "tensormap::generic"),
    ("prefetch", "tensormap"),
    ("red", "async"),
    ("st", "async"),
    ("st", "bulk"),
];

/// Whether PTX has this instruction but the machine does not.
pub(crate) fn is_excluded(opcode: &Opcode<'_>) -> bool {
    let base = opcode.base();
    OPERATIONS.contains(&base)
        || FORMS
            .iter()
            .any(|&(operation, form)| operation == base && opcode.modifiers().any(|m| m == form))
}

/// Names of the excluded operations, to tell a slip from an unknown word.
pub(crate) fn operations() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().copied()
}

/// Excluded forms of operations that the machine has otherwise, each with its modifier.
pub(crate) fn forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    FORMS.iter().copied()
}

/// Whether an operation is excluded when it has this modifier.
pub(crate) fn is_form(operation: &str, modifier: &str) -> bool {
    FORMS.contains(&(operation, modifier))
}
