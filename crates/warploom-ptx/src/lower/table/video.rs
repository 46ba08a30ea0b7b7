//! Video instructions.

use super::{Family, Lowering, Row, family, row};
use crate::lower::arith::video;

/// On parts of registers, with two operands or three.
const fn scalar(modifiers: &'static str) -> Row {
    row(
        modifiers,
        "b32 b32 b32 b32?",
        Lowering::Custom(video::scalar),
    )
    .written("d{.dsel}, a{.asel}, b{.bsel}{, c}")
    .since(20, 20)
}

/// On two halves or four bytes.
const fn simd(modifiers: &'static str) -> Row {
    row(modifiers, "b32 b32 b32 b32", Lowering::Custom(video::simd))
        .written("d{.mask}, a{.asel}, b{.bsel}, c")
        .since(30, 30)
}

const ARITHMETIC: &[Row] = &[scalar("int32 int32 int32 sat? add|min|max?")];

const SHIFT: &[Row] = &[scalar("int32 int32 u32 sat? clamp|wrap add|min|max?")];

const SET: &[Row] = &[scalar("int32 int32 eq|ne|order add|min|max?")];

const MAD: &[Row] = &[row(
    "int32 int32 int32 po? sat? shr7|shr15?",
    "b32 b32 b32 b32",
    Lowering::Custom(video::mad),
)
.written("d, {-}a{.asel}, {-}b{.bsel}, {-}c")
.since(20, 20)];

const SIMD: &[Row] = &[
    simd("int32 int32 int32 sat?"),
    simd("int32 int32 int32 add"),
];

const SIMD_SET: &[Row] = &[simd("int32 int32 eq|ne|order add?")];

pub(super) const FAMILIES: &[Family] = &[
    family("vadd", &[ARITHMETIC]),
    family("vsub", &[ARITHMETIC]),
    family("vabsdiff", &[ARITHMETIC]),
    family("vmin", &[ARITHMETIC]),
    family("vmax", &[ARITHMETIC]),
    family("vshl", &[SHIFT]),
    family("vshr", &[SHIFT]),
    family("vset", &[SET]),
    family("vmad", &[MAD]),
    family("vadd2", &[SIMD]),
    family("vsub2", &[SIMD]),
    family("vavrg2", &[SIMD]),
    family("vabsdiff2", &[SIMD]),
    family("vmin2", &[SIMD]),
    family("vmax2", &[SIMD]),
    family("vset2", &[SIMD_SET]),
    family("vadd4", &[SIMD]),
    family("vsub4", &[SIMD]),
    family("vavrg4", &[SIMD]),
    family("vabsdiff4", &[SIMD]),
    family("vmin4", &[SIMD]),
    family("vmax4", &[SIMD]),
    family("vset4", &[SIMD_SET]),
];
