//! Conversion.

use warploom_isa::arith::{Mini, Narrow};
use warploom_isa::{Mods, Op};

use super::float::BF16;
use super::{Family, Lowering, Row, family, lane, row, with};
use crate::lower::arith::convert;

/// Between scalars, whose registers may be wider than the type.
const fn scalar(modifiers: &'static str) -> Row {
    row(modifiers, "T U", Lowering::Custom(convert::scalar))
}

const fn mini(mini: Mini) -> Mods {
    Mods::NONE.with_high(mini as u16)
}

/// Two ue8m0 that stand for 1.
const UNIT_SCALES: u32 = 0x7f7f;

const fn unscaled(op: Op) -> Lowering {
    Lowering::LaneAnd(op, Mods::NONE, UNIT_SCALES)
}

/// Formats of 8 bits.
const fn f8(row: Row) -> Row {
    row.since(78, 89)
}

/// Formats of 6 and 4 bits.
const fn f6(row: Row) -> Row {
    row.since(86, 100).specific()
}

/// A small format from and to what it converts from and to.
macro_rules! mini_rows {
    ($ty:literal, $mini:expr, $since:ident) => {
        [
            $since(row(
                concat!("rn satfinite relu? ", $ty, " f32"),
                "T U U",
                with(Op::Mini2FromF32, mini($mini)),
            )),
            $since(row(
                concat!("rn satfinite relu? ", $ty, " f16x2"),
                "T U",
                with(Op::Mini2FromH2, mini($mini)),
            )),
            row(
                concat!("rn satfinite relu? ", $ty, " bf16x2"),
                "T U",
                with(Op::Mini2FromH2, mini($mini).with_format(Narrow::Bf16)),
            )
            .since(91, 100)
            .specific(),
            $since(row(
                concat!("rn relu? f16x2 ", $ty),
                "T U",
                with(Op::H2FromMini2, mini($mini)),
            )),
            row(
                concat!("rn satfinite? relu? bf16x2 ", $ty),
                "T U",
                Lowering::LaneAnd(Op::B2FromMini2Scaled, mini($mini), UNIT_SCALES),
            )
            .since(92, 100)
            .specific(),
            row(
                concat!("rn satfinite? relu? scaled::n2::ue8m0 bf16x2 ", $ty),
                "T U b16",
                with(Op::B2FromMini2Scaled, mini($mini)),
            )
            .since(92, 100)
            .specific(),
        ]
    };
}

const INTEGERS: &[Row] = &[
    scalar("int int"),
    // Only where a number can be outside the destination's range.
    scalar("sat u8 s8|int16|int32|int64"),
    scalar("sat s8 u8|int16|int32|int64"),
    scalar("sat u16 s8|s16|int32|int64"),
    scalar("sat s16 u16|int32|int64"),
    scalar("sat u32 s8|s16|s32|int64"),
    scalar("sat s32 u32|int64"),
    scalar("sat u64 s8|s16|s32|s64"),
    scalar("sat s64 u64"),
    scalar("irnd ftz? sat? int f32"),
    scalar("irnd sat? int f16|f64"),
    scalar("irnd int bf16").since(78, 90),
    scalar("rnd ftz? sat? f32 int"),
    scalar("rnd sat? f16|f64 int"),
    scalar("rnd bf16 int").since(78, 90),
];

const FLOATS: &[Row] = &[
    scalar("irnd? ftz? sat? f32 f32"),
    scalar("irnd? sat? f16 f16"),
    scalar("irnd? sat? f64 f64"),
    scalar("irnd? bf16 bf16").since(78, 90),
    scalar("rnd ftz? sat? f32 f64"),
    scalar("ftz? sat? f64 f32"),
    scalar("ftz? sat? f32 f16"),
    scalar("sat? f64 f16"),
    scalar("rnd sat? f16 f64"),
    scalar("rnd ftz? sat? f16 f32"),
    scalar("rn|rz relu f16 f32").since(70, 80),
    scalar("rn|rz satfinite f16 f32").since(81, 53),
    scalar("rn|rz relu satfinite f16 f32").since(81, 80),
    scalar("rn|rz relu bf16 f32").since(70, 80),
    scalar("rn|rz relu? satfinite bf16 f32").since(81, 80),
    scalar("rnd ftz? bf16 f32").since(70, 80),
    scalar("rnd bf16 f64").since(78, 90),
    scalar("rnd? f16 bf16").since(78, 90),
    scalar("rnd? bf16 f16").since(78, 90),
    scalar("rnd? f32 bf16").since(71, 80),
    scalar("rnd? ftz f32 bf16").since(78, 90),
    scalar("rnd? f64 bf16").since(78, 90),
];

const HALVES: &[Row] = &[
    row("rn|rz relu? f16x2 f32", "T U U", lane(Op::H2FromF32)).since(70, 80),
    row("rn|rz relu? bf16x2 f32", "T U U", with(Op::H2FromF32, BF16)).since(70, 80),
    row(
        "rn|rz relu? satfinite f16x2 f32",
        "T U U",
        lane(Op::H2FromF32),
    )
    .since(81, 80),
    row(
        "rn|rz relu? satfinite bf16x2 f32",
        "T U U",
        with(Op::H2FromF32, BF16),
    )
    .since(81, 80),
    row(
        "rs relu? satfinite? f16x2 f32",
        "T U U b32",
        lane(Op::H2FromF32Random),
    )
    .since(87, 100)
    .specific(),
    row(
        "rs relu? satfinite? bf16x2 f32",
        "T U U b32",
        with(Op::H2FromF32Random, BF16),
    )
    .since(87, 100)
    .specific(),
    row("rna tf32 f32", "T U", lane(Op::Tf32FromF32)).since(70, 80),
    row("rna satfinite tf32 f32", "T U", lane(Op::Tf32FromF32)).since(81, 80),
    row("rn|rz relu? tf32 f32", "T U", lane(Op::Tf32FromF32)).since(78, 90),
    row(
        "rn|rz satfinite relu? tf32 f32",
        "T U",
        lane(Op::Tf32FromF32),
    )
    .since(86, 100),
];

const fn four(modifiers: &'static str) -> Row {
    row(modifiers, "T U b32", Lowering::Custom(convert::four_random))
        .written("d, {a, b, e, f}, rbits")
        .since(87, 100)
        .specific()
}

const SMALL: &[Row] = &[
    four("rs relu? satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32"),
    row(
        "rz|rp satfinite? ue8m0x2 f32",
        "T U U",
        lane(Op::Ue8m0x2FromF32),
    )
    .since(86, 100)
    .specific(),
    row(
        "rz|rp satfinite? ue8m0x2 bf16x2",
        "T U",
        lane(Op::Ue8m0x2FromB2),
    )
    .since(86, 100)
    .specific(),
    row("rn bf16x2 ue8m0x2", "T U", lane(Op::B2FromUe8m0x2))
        .since(86, 100)
        .specific(),
    row(
        "rn satfinite relu? s2f6x2 f32",
        "T U U",
        unscaled(Op::S2f6x2FromF32),
    )
    .since(91, 100)
    .specific(),
    row(
        "rn satfinite relu? s2f6x2 bf16x2",
        "T U",
        unscaled(Op::S2f6x2FromB2),
    )
    .since(91, 100)
    .specific(),
    row(
        "rn satfinite? relu? bf16x2 s2f6x2",
        "T U",
        unscaled(Op::B2FromS2f6x2),
    )
    .since(91, 100)
    .specific(),
    row(
        "rn satfinite relu? scaled::n2::ue8m0 s2f6x2 f32",
        "T U U b16",
        lane(Op::S2f6x2FromF32),
    )
    .since(91, 100)
    .specific(),
    row(
        "rn satfinite relu? scaled::n2::ue8m0 s2f6x2 bf16x2",
        "T U b16",
        lane(Op::S2f6x2FromB2),
    )
    .since(91, 100)
    .specific(),
    row(
        "rn satfinite? relu? scaled::n2::ue8m0 bf16x2 s2f6x2",
        "T U b16",
        lane(Op::B2FromS2f6x2),
    )
    .since(91, 100)
    .specific(),
];

/// Bits of a field of `cvt.pack`, as a power of two less one, and whether it is signed.
const fn field(code: u16, signed: bool) -> Mods {
    Mods::NONE.with_high(code).with_variant(signed)
}

const PACK: &[Row] = &[
    row(
        "pack sat u16 s32",
        "u32 U U",
        Lowering::LaneAnd(Op::PackI32, field(3, false), 0),
    )
    .since(65, 72),
    row(
        "pack sat s16 s32",
        "u32 U U",
        Lowering::LaneAnd(Op::PackI32, field(3, true), 0),
    )
    .since(65, 72),
    row(
        "pack sat u8 s32 b32",
        "u32 U U V",
        with(Op::PackI32, field(2, false)),
    )
    .since(65, 72),
    row(
        "pack sat s8 s32 b32",
        "u32 U U V",
        with(Op::PackI32, field(2, true)),
    )
    .since(65, 72),
    row(
        "pack sat u4 s32 b32",
        "u32 U U V",
        with(Op::PackI32, field(1, false)),
    )
    .since(65, 75),
    row(
        "pack sat s4 s32 b32",
        "u32 U U V",
        with(Op::PackI32, field(1, true)),
    )
    .since(65, 75),
    row(
        "pack sat u2 s32 b32",
        "u32 T T U",
        with(Op::PackI32, field(0, false)),
    )
    .since(65, 75),
    row(
        "pack sat s2 s32 b32",
        "u32 T T U",
        with(Op::PackI32, field(0, true)),
    )
    .since(65, 75),
];

pub(super) const FAMILIES: &[Family] = &[family(
    "cvt",
    &[
        INTEGERS,
        FLOATS,
        HALVES,
        &mini_rows!("e4m3x2", Mini::E4m3, f8),
        &mini_rows!("e5m2x2", Mini::E5m2, f8),
        &mini_rows!("e2m3x2", Mini::E2m3, f6),
        &mini_rows!("e3m2x2", Mini::E3m2, f6),
        &mini_rows!("e2m1x2", Mini::E2m1, f6),
        SMALL,
        PACK,
    ],
)];
