//! Atomics, on memory of one thread and on memory of all.

use super::ops::{Int, Named, Two, cut, unsigned};

pub struct Atomic {
    /// Operation and type.
    pub name: &'static str,
    pub bits: u32,
    /// New value from the old one and two operands.
    pub new: fn(u64, u64, u64) -> u64,
    pub reduces: bool,
}

const fn atomic(name: &'static str, bits: u32, new: fn(u64, u64, u64) -> u64) -> Atomic {
    Atomic {
        name,
        bits,
        new,
        reduces: true,
    }
}

const S32: Int = Int::new(32, true);
const S64: Int = Int::new(64, true);

fn larger(int: Int, a: u64, b: u64) -> u64 {
    if int.value(a) > int.value(b) { a } else { b }
}

fn smaller(int: Int, a: u64, b: u64) -> u64 {
    if int.value(a) < int.value(b) { a } else { b }
}

pub const ATOMICS: &[Atomic] = &[
    atomic("add.u32", 32, |old, b, _| {
        cut(unsigned(old, 32) + unsigned(b, 32), 32)
    }),
    atomic("add.u64", 64, |old, b, _| {
        cut(unsigned(old, 64) + unsigned(b, 64), 64)
    }),
    atomic("min.s32", 32, |old, b, _| smaller(S32, old, b)),
    atomic("max.s32", 32, |old, b, _| larger(S32, old, b)),
    atomic("min.u32", 32, |old, b, _| if old < b { old } else { b }),
    atomic("max.u64", 64, |old, b, _| if old < b { b } else { old }),
    atomic("min.s64", 64, |old, b, _| smaller(S64, old, b)),
    atomic("and.b32", 32, |old, b, _| old & b),
    atomic("or.b64", 64, |old, b, _| old | b),
    atomic("xor.b32", 32, |old, b, _| old ^ b),
    atomic("inc.u32", 32, |old, b, _| if old < b { old + 1 } else { 0 }),
    atomic("dec.u32", 32, |old, b, _| match old {
        0 => b,
        _ if old > b => b,
        _ => old - 1,
    }),
    Atomic {
        name: "exch.b32",
        bits: 32,
        new: |_, b, _| b,
        reduces: false,
    },
    Atomic {
        name: "cas.b64",
        bits: 64,
        new: |old, b, c| if old == b { c } else { old },
        reduces: false,
    },
    Atomic {
        name: "cas.b32",
        bits: 32,
        new: |old, b, c| if old == b { c } else { old },
        reduces: false,
    },
];

/// Reductions whose order cannot show, each with words of its own, which start as zeros.
pub const SHARED: &[Named<Two<u64>>] = &[
    ("add.u32", |a, b| cut(unsigned(a, 32) + unsigned(b, 32), 32)),
    ("max.s32", |a, b| larger(S32, a, b)),
    ("max.u32", |a, b| if a < b { b } else { a }),
    ("or.b32", |a, b| a | b),
    ("xor.b32", |a, b| a ^ b),
];

/// Words of each reduction.
pub const SHARED_WORDS: usize = 8;
