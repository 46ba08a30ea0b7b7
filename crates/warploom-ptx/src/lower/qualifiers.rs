//! Qualifiers that memory instructions share: state space, order, scope, vectors, cache hints.

use warploom_isa::Space;
use warploom_isa::access::{Order, Scope};

use super::context::Lower;
use super::parts::Parts;
use crate::ast::Operand;
use crate::diagnostic::Diagnostic;
use crate::types::ScalarType;

/// Types that registers move to and from memory in.
pub(crate) const MEMORY_TYPES: &[ScalarType] = {
    use ScalarType::*;
    &[
        B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64,
    ]
};

/// Every way to write a state space. Blocks are clusters of their own here, so shared memory of
/// the cluster is that of the block.
pub(crate) const SPACES: &[(&str, Space)] = &[
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("shared::cluster", Space::Shared),
    ("local", Space::Local),
    ("const", Space::Const),
    ("param", Space::Param),
    ("param::entry", Space::Param),
    ("param::func", Space::Param),
];

/// The spaces that atomics can name.
pub(crate) const ATOMIC_SPACES: &[(&str, Space)] = &[
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("shared::cluster", Space::Shared),
];

/// Thread scopes.
pub(crate) const SCOPES: &[(&str, Scope)] = &[
    ("cta", Scope::Cta),
    ("cluster", Scope::Cluster),
    ("gpu", Scope::Gpu),
    ("sys", Scope::Sys),
];

/// Elements per lane, as a power of two.
pub(crate) fn vector(parts: &mut Parts<'_>) -> Result<u8, Diagnostic> {
    Ok(parts
        .take_one(&[("v2", 1), ("v4", 2), ("v8", 3)])?
        .unwrap_or(0))
}

/// Order and scope of a load or store; `strong` are the orders it can have beside relaxed.
pub(crate) fn order(
    parts: &mut Parts<'_>,
    strong: (&'static str, Order),
) -> Result<(Order, Scope), Diagnostic> {
    let table = [
        ("weak", Order::Weak),
        ("volatile", Order::Volatile),
        ("relaxed", Order::Relaxed),
        strong,
    ];
    let order = parts.take_one(&table)?;
    let mmio = parts.take("mmio");
    let scope = parts.take_one(SCOPES)?;
    match (order, mmio, scope) {
        (Some(Order::Relaxed), true, Some(Scope::Sys)) => Ok((Order::Mmio, Scope::Sys)),
        (_, true, _) => Err(parts.combination("`.mmio` goes with `.relaxed.sys` only")),
        (None | Some(Order::Weak | Order::Volatile), _, None) => {
            Ok((order.unwrap_or(Order::Weak), Scope::Sys))
        }
        (None | Some(Order::Weak | Order::Volatile), _, Some(_)) => {
            Err(parts.combination("a scope goes with `.relaxed`, `.acquire` or `.release` only"))
        }
        (Some(order), false, Some(scope)) => Ok((order, scope)),
        (Some(_), false, None) => Err(parts
            .missing("scope")
            .with_help("one of .cta .cluster .gpu .sys")),
    }
}

/// Takes cache operators and eviction and prefetch hints, which change no result. Tells whether
/// an operand with a cache policy follows.
pub(crate) fn cache_hints(
    parts: &mut Parts<'_>,
    operators: &[(&'static str, ())],
) -> Result<bool, Diagnostic> {
    const L1: &[(&str, ())] = &[
        ("L1::evict_normal", ()),
        ("L1::evict_unchanged", ()),
        ("L1::evict_first", ()),
        ("L1::evict_last", ()),
        ("L1::no_allocate", ()),
    ];
    const L2: &[(&str, ())] = &[
        ("L2::evict_normal", ()),
        ("L2::evict_first", ()),
        ("L2::evict_last", ()),
    ];
    const SIZES: &[(&str, ())] = &[("L2::64B", ()), ("L2::128B", ()), ("L2::256B", ())];
    parts.take_one(operators)?;
    parts.take_one(L1)?;
    parts.take_one(L2)?;
    parts.take_one(SIZES)?;
    Ok(parts.take("L2::cache_hint"))
}

impl Lower<'_> {
    /// Checks the cache policy, which nothing depends on.
    pub(crate) fn cache_policy(&mut self, operand: Option<&Operand>) -> Result<(), Diagnostic> {
        if let Some(operand) = operand {
            self.src(operand, ScalarType::B64)?;
        }
        Ok(())
    }
}
