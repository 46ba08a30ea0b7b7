//! Integer arithmetic and bit fields.

use warploom_isa::{Mods, Op};

use super::{Family, Lowering, Row, bare, family, lane, row, with};

const A_SIGNED: Mods = Mods::NONE.with_a_signed(true);
const B_SIGNED: Mods = Mods::NONE.with_b_signed(true);
const BOTH_SIGNED: Mods = A_SIGNED.with_b_signed(true);
const HIGH: Mods = Mods::NONE.with_variant(true);

/// The condition code is a second result.
const fn sets(op: Op) -> Lowering {
    Lowering::Carry(op, false)
}

/// The condition code is a source, and with `.cc` a second result.
const fn uses(op: Op) -> Lowering {
    Lowering::Carry(op, true)
}

pub(super) const ADD: &[Row] = &[
    row("int16", "T T T", lane(Op::AddI16)),
    row("int32", "T T T", lane(Op::AddI32)),
    row("int64", "T T T", lane(Op::AddI64)),
    row("sat s32", "T T T", bare(Op::AddSatS32)),
    row("cc int32", "T T T", sets(Op::AddCcI32)),
    row("cc int64", "T T T", sets(Op::AddCcI64)),
    row("u16x2|s16x2", "T T T", lane(Op::AddI16x2)).since(80, 90),
    row("sat u32", "T T T", bare(Op::AddSatU32))
        .since(92, 120)
        .specific(),
    row("sat u16x2", "T T T", bare(Op::AddSatU16x2))
        .since(92, 120)
        .specific(),
    row("sat s16x2", "T T T", bare(Op::AddSatS16x2))
        .since(92, 120)
        .specific(),
    row("u8x4|s8x4", "T T T", lane(Op::AddI8x4))
        .since(92, 120)
        .specific(),
    row("sat u8x4", "T T T", bare(Op::AddSatU8x4))
        .since(92, 120)
        .specific(),
    row("sat s8x4", "T T T", bare(Op::AddSatS8x4))
        .since(92, 120)
        .specific(),
];

pub(super) const SUB: &[Row] = &[
    row("int16", "T T T", lane(Op::SubI16)),
    row("int32", "T T T", lane(Op::SubI32)),
    row("int64", "T T T", lane(Op::SubI64)),
    row("sat s32", "T T T", bare(Op::SubSatS32)),
    row("cc int32", "T T T", sets(Op::SubCcI32)),
    row("cc int64", "T T T", sets(Op::SubCcI64)),
    row("u8x4|s8x4", "T T T", lane(Op::SubI8x4))
        .since(92, 120)
        .specific(),
    row("sat u8x4", "T T T", bare(Op::SubSatU8x4))
        .since(92, 120)
        .specific(),
    row("sat s8x4", "T T T", bare(Op::SubSatS8x4))
        .since(92, 120)
        .specific(),
];

pub(super) const MUL: &[Row] = &[
    row("lo int16", "T T T", lane(Op::MulLoI16)),
    row("lo int32", "T T T", lane(Op::MulLoI32)),
    row("lo int64", "T T T", lane(Op::MulLoI64)),
    row("hi u16", "T T T", lane(Op::MulHiU16)),
    row("hi s16", "T T T", lane(Op::MulHiS16)),
    row("hi u32", "T T T", lane(Op::MulHiU32)),
    row("hi s32", "T T T", lane(Op::MulHiS32)),
    row("hi u64", "T T T", lane(Op::MulHiU64)),
    row("hi s64", "T T T", lane(Op::MulHiS64)),
    row("wide u16", "u32 T T", lane(Op::MulWideU16)),
    row("wide s16", "s32 T T", lane(Op::MulWideS16)),
    row("wide u32", "u64 T T", lane(Op::MulWideU32)),
    row("wide s32", "s64 T T", lane(Op::MulWideS32)),
];

pub(super) const MAD: &[Row] = &[
    row("lo int16", "T T T T", lane(Op::MadLoI16)),
    row("lo int32", "T T T T", lane(Op::MadLoI32)),
    row("lo int64", "T T T T", lane(Op::MadLoI64)),
    row("hi u16", "T T T T", lane(Op::MadHiU16)),
    row("hi s16", "T T T T", lane(Op::MadHiS16)),
    row("hi u32", "T T T T", lane(Op::MadHiU32)),
    row("hi s32", "T T T T", lane(Op::MadHiS32)),
    row("hi u64", "T T T T", lane(Op::MadHiU64)),
    row("hi s64", "T T T T", lane(Op::MadHiS64)),
    row("hi sat s32", "T T T T", bare(Op::MadHiSatS32)),
    row("wide u16", "u32 T T u32", lane(Op::MadWideU16)),
    row("wide s16", "s32 T T s32", lane(Op::MadWideS16)),
    row("wide u32", "u64 T T u64", lane(Op::MadWideU32)),
    row("wide s32", "s64 T T s64", lane(Op::MadWideS32)),
    row("lo cc int32", "T T T T", sets(Op::MadLoCcI32)).since(30, 20),
    row("hi cc u32", "T T T T", sets(Op::MadHiCcU32)).since(30, 20),
    row("hi cc s32", "T T T T", sets(Op::MadHiCcS32)).since(30, 20),
    row("lo cc int64", "T T T T", sets(Op::MadLoCcI64)).since(30, 20),
    row("hi cc u64", "T T T T", sets(Op::MadHiCcU64)).since(30, 20),
    row("hi cc s64", "T T T T", sets(Op::MadHiCcS64)).since(30, 20),
];

const MADC: &[Row] = &[
    row("lo cc? int32", "T T T T", uses(Op::MadcLoI32)).since(30, 20),
    row("hi cc? u32", "T T T T", uses(Op::MadcHiU32)).since(30, 20),
    row("hi cc? s32", "T T T T", uses(Op::MadcHiS32)).since(30, 20),
    row("lo cc? int64", "T T T T", uses(Op::MadcLoI64)).since(30, 20),
    row("hi cc? u64", "T T T T", uses(Op::MadcHiU64)).since(30, 20),
    row("hi cc? s64", "T T T T", uses(Op::MadcHiS64)).since(30, 20),
];

pub(super) const MIN: &[Row] = &[
    row("u16", "T T T", lane(Op::MinU16)),
    row("s16", "T T T", lane(Op::MinS16)),
    row("u32", "T T T", lane(Op::MinU32)),
    row("s32", "T T T", lane(Op::MinS32)),
    row("u64", "T T T", lane(Op::MinU64)),
    row("s64", "T T T", lane(Op::MinS64)),
    row("relu s32", "T T T", bare(Op::MinReluS32)).since(80, 90),
    row("u16x2", "T T T", lane(Op::MinU16x2)).since(80, 90),
    row("relu? s16x2", "T T T", lane(Op::MinS16x2)).since(80, 90),
    row("u8x4", "T T T", lane(Op::MinU8x4))
        .since(92, 120)
        .specific(),
    row("relu? s8x4", "T T T", lane(Op::MinS8x4))
        .since(92, 120)
        .specific(),
];

pub(super) const MAX: &[Row] = &[
    row("u16", "T T T", lane(Op::MaxU16)),
    row("s16", "T T T", lane(Op::MaxS16)),
    row("u32", "T T T", lane(Op::MaxU32)),
    row("s32", "T T T", lane(Op::MaxS32)),
    row("u64", "T T T", lane(Op::MaxU64)),
    row("s64", "T T T", lane(Op::MaxS64)),
    row("relu s32", "T T T", bare(Op::MaxReluS32)).since(80, 90),
    row("u16x2", "T T T", lane(Op::MaxU16x2)).since(80, 90),
    row("relu? s16x2", "T T T", lane(Op::MaxS16x2)).since(80, 90),
    row("u8x4", "T T T", lane(Op::MaxU8x4))
        .since(92, 120)
        .specific(),
    row("relu? s8x4", "T T T", lane(Op::MaxS8x4))
        .since(92, 120)
        .specific(),
];

pub(super) const DIV: &[Row] = &[
    row("u16", "T T T", lane(Op::DivU16)),
    row("s16", "T T T", lane(Op::DivS16)),
    row("u32", "T T T", lane(Op::DivU32)),
    row("s32", "T T T", lane(Op::DivS32)),
    row("u64", "T T T", lane(Op::DivU64)),
    row("s64", "T T T", lane(Op::DivS64)),
];

pub(super) const ABS: &[Row] = &[
    row("s16", "T T", lane(Op::AbsS16)),
    row("s32", "T T", lane(Op::AbsS32)),
    row("s64", "T T", lane(Op::AbsS64)),
];

pub(super) const NEG: &[Row] = &[
    row("s16", "T T", lane(Op::NegS16)),
    row("s32", "T T", lane(Op::NegS32)),
    row("s64", "T T", lane(Op::NegS64)),
    row("s8x4", "T T", lane(Op::NegS8x4))
        .since(92, 120)
        .specific(),
];

const ADDC: &[Row] = &[
    row("cc? int32", "T T T", uses(Op::AddcI32)),
    row("cc? int64", "T T T", uses(Op::AddcI64)),
];

const SUBC: &[Row] = &[
    row("cc? int32", "T T T", uses(Op::SubcI32)),
    row("cc? int64", "T T T", uses(Op::SubcI64)),
];

const MUL24: &[Row] = &[
    row("lo u32", "T T T", lane(Op::Mul24LoU32)),
    row("lo s32", "T T T", lane(Op::Mul24LoS32)),
    row("hi u32", "T T T", lane(Op::Mul24HiU32)),
    row("hi s32", "T T T", lane(Op::Mul24HiS32)),
];

const MAD24: &[Row] = &[
    row("lo u32", "T T T T", lane(Op::Mad24LoU32)),
    row("lo s32", "T T T T", lane(Op::Mad24LoS32)),
    row("hi u32", "T T T T", lane(Op::Mad24HiU32)),
    row("hi s32", "T T T T", lane(Op::Mad24HiS32)),
    row("hi sat s32", "T T T T", bare(Op::Mad24HiSatS32)),
];

const SAD: &[Row] = &[
    row("u16", "T T T T", lane(Op::SadU16)),
    row("s16", "T T T T", lane(Op::SadS16)),
    row("u32", "T T T T", lane(Op::SadU32)),
    row("s32", "T T T T", lane(Op::SadS32)),
    row("u64", "T T T T", lane(Op::SadU64)),
    row("s64", "T T T T", lane(Op::SadS64)),
];

const REM: &[Row] = &[
    row("u16", "T T T", lane(Op::RemU16)),
    row("s16", "T T T", lane(Op::RemS16)),
    row("u32", "T T T", lane(Op::RemU32)),
    row("s32", "T T T", lane(Op::RemS32)),
    row("u64", "T T T", lane(Op::RemU64)),
    row("s64", "T T T", lane(Op::RemS64)),
];

const POPC: &[Row] = &[
    row("b32", "u32 T", lane(Op::PopcB32)).since(20, 20),
    row("b64", "u32 T", lane(Op::PopcB64)).since(20, 20),
];

const CLZ: &[Row] = &[
    row("b32", "u32 T", lane(Op::ClzB32)).since(20, 20),
    row("b64", "u32 T", lane(Op::ClzB64)).since(20, 20),
];

const BFIND: &[Row] = &[
    row("shiftamt? u32", "u32 T", lane(Op::BfindU32)).since(20, 20),
    row("shiftamt? s32", "u32 T", lane(Op::BfindS32)).since(20, 20),
    row("shiftamt? u64", "u32 T", lane(Op::BfindU64)).since(20, 20),
    row("shiftamt? s64", "u32 T", lane(Op::BfindS64)).since(20, 20),
];

const FNS: &[Row] = &[row("b32", "T T b32 s32", lane(Op::FnsB32)).since(60, 30)];

const BREV: &[Row] = &[
    row("b32", "T T", lane(Op::BrevB32)).since(20, 20),
    row("b64", "T T", lane(Op::BrevB64)).since(20, 20),
];

const BFE: &[Row] = &[
    row("u32", "T T u32 u32", lane(Op::BfeU32)).since(20, 20),
    row("s32", "T T u32 u32", lane(Op::BfeS32)).since(20, 20),
    row("u64", "T T u32 u32", lane(Op::BfeU64)).since(20, 20),
    row("s64", "T T u32 u32", lane(Op::BfeS64)).since(20, 20),
];

const BFI: &[Row] = &[
    row("b32", "T T T u32 u32", lane(Op::BfiB32)).since(20, 20),
    row("b64", "T T T u32 u32", lane(Op::BfiB64)).since(20, 20),
];

const SZEXT: &[Row] = &[
    row("clamp|wrap u32", "T T u32", lane(Op::SzextU32)).since(76, 70),
    row("clamp|wrap s32", "T T u32", lane(Op::SzextS32)).since(76, 70),
];

const BMSK: &[Row] = &[row("clamp|wrap b32", "T u32 u32", lane(Op::BmskB32)).since(76, 70)];

const DP4A: &[Row] = &[
    row("u32 u32", "b32 b32 b32 b32", lane(Op::Dp4a)).since(50, 61),
    row("s32 u32", "b32 b32 b32 b32", with(Op::Dp4a, A_SIGNED)).since(50, 61),
    row("u32 s32", "b32 b32 b32 b32", with(Op::Dp4a, B_SIGNED)).since(50, 61),
    row("s32 s32", "b32 b32 b32 b32", with(Op::Dp4a, BOTH_SIGNED)).since(50, 61),
];

const DP2A: &[Row] = &[
    row("lo u32 u32", "b32 b32 b32 b32", lane(Op::Dp2a)).since(50, 61),
    row("lo s32 u32", "b32 b32 b32 b32", with(Op::Dp2a, A_SIGNED)).since(50, 61),
    row("lo u32 s32", "b32 b32 b32 b32", with(Op::Dp2a, B_SIGNED)).since(50, 61),
    row("lo s32 s32", "b32 b32 b32 b32", with(Op::Dp2a, BOTH_SIGNED)).since(50, 61),
    row("hi u32 u32", "b32 b32 b32 b32", with(Op::Dp2a, HIGH)).since(50, 61),
    row(
        "hi s32 u32",
        "b32 b32 b32 b32",
        with(Op::Dp2a, HIGH.with_a_signed(true)),
    )
    .since(50, 61),
    row(
        "hi u32 s32",
        "b32 b32 b32 b32",
        with(Op::Dp2a, HIGH.with_b_signed(true)),
    )
    .since(50, 61),
    row(
        "hi s32 s32",
        "b32 b32 b32 b32",
        with(Op::Dp2a, HIGH.with_a_signed(true).with_b_signed(true)),
    )
    .since(50, 61),
];

pub(super) const FAMILIES: &[Family] = &[
    family("addc", &[ADDC]),
    family("subc", &[SUBC]),
    family("madc", &[MADC]),
    family("mul24", &[MUL24]),
    family("mad24", &[MAD24]),
    family("sad", &[SAD]),
    family("rem", &[REM]),
    family("popc", &[POPC]),
    family("clz", &[CLZ]),
    family("bfind", &[BFIND]),
    family("fns", &[FNS]),
    family("brev", &[BREV]),
    family("bfe", &[BFE]),
    family("bfi", &[BFI]),
    family("szext", &[SZEXT]),
    family("bmsk", &[BMSK]),
    family("dp4a", &[DP4A]),
    family("dp2a", &[DP2A]),
];
