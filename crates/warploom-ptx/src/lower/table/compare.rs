//! Comparison and selection.

use warploom_isa::Op;

use super::{Family, Lowering, Row, family, lane, row};
use crate::lower::arith::compare;

const SETP: Lowering = Lowering::Custom(compare::setp);
const SET: Lowering = Lowering::Custom(compare::set);
const SLCT: Lowering = Lowering::Custom(compare::slct);

const fn setp(modifiers: &'static str) -> Row {
    row(modifiers, "pred T T pred?", SETP).written("p{|q}, a, b{, {!}c}")
}

const fn set(modifiers: &'static str) -> Row {
    row(modifiers, "T U U pred?", SET).written("d, a, b{, {!}c}")
}

const SETP_ROWS: &[Row] = &[
    setp("eq|ne bool? bits"),
    setp("eq|ne|order|unsigned bool? u16|u32|u64"),
    setp("eq|ne|order bool? s16|s32|s64"),
    setp("fcmp bool? ftz? f32"),
    setp("fcmp bool? f64"),
    setp("fcmp bool? ftz? f16").since(42, 53),
    setp("fcmp bool? ftz? f16x2").since(42, 53),
    setp("fcmp bool? bf16").since(78, 90),
    setp("fcmp bool? bf16x2").since(78, 90),
];

const SET_ROWS: &[Row] = &[
    set("eq|ne bool? u32|s32|f32 bits"),
    set("eq|ne|order|unsigned bool? u32|s32|f32 u16|u32|u64"),
    set("eq|ne|order bool? u32|s32|f32 s16|s32|s64"),
    set("fcmp bool? ftz? u32|s32|f32 f32"),
    set("fcmp bool? u32|s32|f32 f64"),
    set("eq|ne bool? f16 bits").since(42, 53),
    set("eq|ne|order|unsigned bool? f16 u16|u32|u64").since(42, 53),
    set("eq|ne|order bool? f16 s16|s32|s64").since(42, 53),
    set("fcmp bool? ftz? f16 f32").since(42, 53),
    set("fcmp bool? f16 f64").since(42, 53),
    set("eq|ne bool? bf16 bits").since(78, 90),
    set("eq|ne|order|unsigned bool? bf16 u16|u32|u64").since(78, 90),
    set("eq|ne|order bool? bf16 s16|s32|s64").since(78, 90),
    set("fcmp bool? bf16 f32|f64").since(78, 90),
    set("fcmp bool? ftz? f16|u16|s16|u32|s32 f16").since(42, 53),
    set("fcmp bool? bf16|u16|s16|u32|s32 bf16").since(78, 90),
    set("fcmp bool? ftz? f16x2|u32|s32 f16x2").since(42, 53),
    set("fcmp bool? bf16x2|u32|s32 bf16x2").since(78, 90),
];

const SELP: &[Row] = &[
    row(
        "b16|u16|s16|b32|u32|s32|f32",
        "T T T pred",
        lane(Op::SelB32),
    ),
    row("b64|u64|s64|f64", "T T T pred", lane(Op::SelB64)),
];

const SLCT_ROWS: &[Row] = &[
    row("any s32", "T T T U", SLCT),
    row("ftz? any f32", "T T T U", SLCT),
];

pub(super) const FAMILIES: &[Family] = &[
    family("setp", &[SETP_ROWS]),
    family("set", &[SET_ROWS]),
    family("selp", &[SELP]),
    family("slct", &[SLCT_ROWS]),
];
