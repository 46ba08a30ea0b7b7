//! Logic, shifts and permutations.

use warploom_isa::Op;

use super::{Family, Lowering, Row, family, lane, row};
use crate::lower::arith::logic;

const AND: &[Row] = &[
    row("b16|b32", "T T T", lane(Op::AndB32)),
    row("b64", "T T T", lane(Op::AndB64)),
    row("pred", "T T T", lane(Op::MaskAnd)),
];

const OR: &[Row] = &[
    row("b16|b32", "T T T", lane(Op::OrB32)),
    row("b64", "T T T", lane(Op::OrB64)),
    row("pred", "T T T", lane(Op::MaskOr)),
];

const XOR: &[Row] = &[
    row("b16|b32", "T T T", lane(Op::XorB32)),
    row("b64", "T T T", lane(Op::XorB64)),
    row("pred", "T T T", lane(Op::MaskXor)),
];

const NOT: &[Row] = &[
    row("b16|b32", "T T", lane(Op::NotB32)),
    row("b64", "T T", lane(Op::NotB64)),
    row("pred", "T T", lane(Op::MaskNot)),
];

const CNOT: &[Row] = &[
    row("b16", "T T", lane(Op::CnotB16)),
    row("b32", "T T", lane(Op::CnotB32)),
    row("b64", "T T", lane(Op::CnotB64)),
];

const LOP3: &[Row] = &[
    row("b32", "T T T T b32", Lowering::Custom(logic::lop3))
        .written("d, a, b, c, immLut")
        .since(43, 50),
    row(
        "and|or b32",
        "T T T T b32 pred",
        Lowering::Custom(logic::lop3_with_predicate),
    )
    .written("d|p, a, b, c, immLut, {!}q")
    .since(82, 70),
];

const SHL: &[Row] = &[
    row("b16", "T T u32", lane(Op::ShlB16)),
    row("b32", "T T u32", lane(Op::ShlB32)),
    row("b64", "T T u32", lane(Op::ShlB64)),
];

const SHR: &[Row] = &[
    row("b16|u16", "T T u32", lane(Op::ShrU16)),
    row("s16", "T T u32", lane(Op::ShrS16)),
    row("b32|u32", "T T u32", lane(Op::ShrU32)),
    row("s32", "T T u32", lane(Op::ShrS32)),
    row("b64|u64", "T T u32", lane(Op::ShrU64)),
    row("s64", "T T u32", lane(Op::ShrS64)),
];

const SHF: &[Row] = &[
    row("l clamp|wrap b32", "T T T u32", lane(Op::ShfLB32)).since(31, 32),
    row("r clamp|wrap b32", "T T T u32", lane(Op::ShfRB32)).since(31, 32),
];

const PRMT: &[Row] = &[
    row("b32", "T T T T", lane(Op::PrmtB32)).since(20, 20),
    row(
        "f4e|b4e|rc8|ecl|ecr|rc16 b32",
        "T T T T",
        lane(Op::PrmtModeB32),
    )
    .since(20, 20),
];

pub(super) const FAMILIES: &[Family] = &[
    family("and", &[AND]),
    family("or", &[OR]),
    family("xor", &[XOR]),
    family("not", &[NOT]),
    family("cnot", &[CNOT]),
    family("lop3", &[LOP3]),
    family("shl", &[SHL]),
    family("shr", &[SHR]),
    family("shf", &[SHF]),
    family("prmt", &[PRMT]),
];
