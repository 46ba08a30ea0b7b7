//! Floating-point arithmetic.

use warploom_isa::arith::Narrow;
use warploom_isa::{Mods, Op};

use super::{Family, Lowering, Row, bare, family, fast, lane, row, with};
use crate::lower::arith::float;

pub(super) const BF16: Mods = Mods::NONE.with_format(Narrow::Bf16);
const MAGNITUDES: Mods = Mods::NONE.with_variant(true);

pub(super) const ADD: &[Row] = &[
    row(
        "rnd? ftz? sat? f32",
        "T T T",
        fast(Op::AddF32, Op::AddWithF32),
    ),
    row("rnd? f64", "T T T", fast(Op::AddF64, Op::AddWithF64)),
    row("rnd? ftz? f32x2", "T T T", lane(Op::AddF32x2)).since(86, 100),
    row("rn? ftz? sat? f16", "T T T", lane(Op::AddF16)).since(42, 53),
    row("rn? ftz? sat? f16x2", "T T T", lane(Op::AddH2)).since(42, 53),
    row("rn? bf16", "T T T", lane(Op::AddBf16)).since(78, 90),
    row("rn? bf16x2", "T T T", lane(Op::AddB2)).since(78, 90),
    row("rnd? sat? f32 f16", "T U T", lane(Op::AddMixedF32)).since(86, 100),
    row("rnd? sat? f32 bf16", "T U T", with(Op::AddMixedF32, BF16)).since(86, 100),
];

pub(super) const SUB: &[Row] = &[
    row(
        "rnd? ftz? sat? f32",
        "T T T",
        fast(Op::SubF32, Op::SubWithF32),
    ),
    row("rnd? f64", "T T T", fast(Op::SubF64, Op::SubWithF64)),
    row("rnd? ftz? f32x2", "T T T", lane(Op::SubF32x2)).since(86, 100),
    row("rn? ftz? sat? f16", "T T T", lane(Op::SubF16)).since(42, 53),
    row("rn? ftz? sat? f16x2", "T T T", lane(Op::SubH2)).since(42, 53),
    row("rn? bf16", "T T T", lane(Op::SubBf16)).since(78, 90),
    row("rn? bf16x2", "T T T", lane(Op::SubB2)).since(78, 90),
    row("rnd? sat? f32 f16", "T U T", lane(Op::SubMixedF32)).since(86, 100),
    row("rnd? sat? f32 bf16", "T U T", with(Op::SubMixedF32, BF16)).since(86, 100),
];

pub(super) const MUL: &[Row] = &[
    row(
        "rnd? ftz? sat? f32",
        "T T T",
        fast(Op::MulF32, Op::MulWithF32),
    ),
    row("rnd? f64", "T T T", fast(Op::MulF64, Op::MulWithF64)),
    row("rnd? ftz? f32x2", "T T T", lane(Op::MulF32x2)).since(86, 100),
    row("rn? ftz? sat? f16", "T T T", lane(Op::MulF16)).since(42, 53),
    row("rn? ftz? sat? f16x2", "T T T", lane(Op::MulH2)).since(42, 53),
    row("rn? bf16", "T T T", lane(Op::MulBf16)).since(78, 90),
    row("rn? bf16x2", "T T T", lane(Op::MulB2)).since(78, 90),
];

const FMA: &[Row] = &[
    row(
        "rnd ftz? sat? f32",
        "T T T T",
        fast(Op::FmaF32, Op::FmaWithF32),
    )
    .since(20, 20),
    row("rnd f64", "T T T T", fast(Op::FmaF64, Op::FmaWithF64)).since(14, 13),
    row("rnd ftz? f32x2", "T T T T", lane(Op::FmaF32x2)).since(86, 100),
    row("rn ftz? sat? f16", "T T T T", lane(Op::FmaF16)).since(42, 53),
    row("rn ftz? sat? f16x2", "T T T T", lane(Op::FmaH2)).since(42, 53),
    row("rn ftz? relu f16", "T T T T", lane(Op::FmaF16)).since(70, 80),
    row("rn ftz? relu f16x2", "T T T T", lane(Op::FmaH2)).since(70, 80),
    row("rn relu? bf16", "T T T T", lane(Op::FmaBf16)).since(70, 80),
    row("rn relu? bf16x2", "T T T T", lane(Op::FmaB2)).since(70, 80),
    row("rn oob relu? f16", "T T T T", lane(Op::FmaF16)).since(81, 90),
    row("rn oob relu? f16x2", "T T T T", lane(Op::FmaH2)).since(81, 90),
    row("rn oob relu? bf16", "T T T T", lane(Op::FmaBf16)).since(81, 90),
    row("rn oob relu? bf16x2", "T T T T", lane(Op::FmaB2)).since(81, 90),
    row("rnd sat? f32 f16", "T U U T", lane(Op::FmaMixedF32)).since(86, 100),
    row("rnd sat? f32 bf16", "T U U T", with(Op::FmaMixedF32, BF16)).since(86, 100),
];

pub(super) const MAD: &[Row] = &[
    row(
        "rnd ftz? sat? f32",
        "T T T T",
        fast(Op::FmaF32, Op::FmaWithF32),
    )
    .since(20, 20),
    row(
        "ftz? sat? f32",
        "T T T T",
        Lowering::Custom(float::mad_of_sm_1x),
    ),
    row("rnd f64", "T T T T", fast(Op::FmaF64, Op::FmaWithF64)),
];

pub(super) const DIV: &[Row] = &[
    row("rnd ftz? f32", "T T T", lane(Op::DivF32)).since(14, 20),
    row("approx ftz? f32", "T T T", lane(Op::DivApproxF32)),
    row("full ftz? f32", "T T T", lane(Op::DivFullF32)),
    row("rnd f64", "T T T", lane(Op::DivF64)),
];

pub(super) const MIN: &[Row] = &[
    row("ftz? f32", "T T T T?", Lowering::Custom(float::extremum)),
    row(
        "ftz? NaN f32",
        "T T T T?",
        Lowering::Custom(float::extremum),
    )
    .since(70, 80),
    row(
        "ftz? NaN? abs f32",
        "T T T T",
        with(Op::Min3F32, MAGNITUDES),
    )
    .since(88, 100),
    row("ftz? NaN? xorsign abs f32", "T T T", lane(Op::MinF32)).since(72, 86),
    row("f64", "T T T", lane(Op::MinF64)),
    row("ftz? NaN? f16", "T T T", lane(Op::MinF16)).since(70, 80),
    row("ftz? NaN? f16x2", "T T T", lane(Op::MinH2)).since(70, 80),
    row("NaN? bf16", "T T T", with(Op::MinF16, BF16)).since(70, 80),
    row("NaN? bf16x2", "T T T", with(Op::MinH2, BF16)).since(70, 80),
    row("ftz? NaN? xorsign abs f16", "T T T", lane(Op::MinF16)).since(72, 86),
    row("ftz? NaN? xorsign abs f16x2", "T T T", lane(Op::MinH2)).since(72, 86),
    row("NaN? xorsign abs bf16", "T T T", with(Op::MinF16, BF16)).since(72, 86),
    row("NaN? xorsign abs bf16x2", "T T T", with(Op::MinH2, BF16)).since(72, 86),
];

pub(super) const MAX: &[Row] = &[
    row("ftz? f32", "T T T T?", Lowering::Custom(float::extremum)),
    row(
        "ftz? NaN f32",
        "T T T T?",
        Lowering::Custom(float::extremum),
    )
    .since(70, 80),
    row(
        "ftz? NaN? abs f32",
        "T T T T",
        with(Op::Max3F32, MAGNITUDES),
    )
    .since(88, 100),
    row("ftz? NaN? xorsign abs f32", "T T T", lane(Op::MaxF32)).since(72, 86),
    row("f64", "T T T", lane(Op::MaxF64)),
    row("ftz? NaN? f16", "T T T", lane(Op::MaxF16)).since(70, 80),
    row("ftz? NaN? f16x2", "T T T", lane(Op::MaxH2)).since(70, 80),
    row("NaN? bf16", "T T T", with(Op::MaxF16, BF16)).since(70, 80),
    row("NaN? bf16x2", "T T T", with(Op::MaxH2, BF16)).since(70, 80),
    row("ftz? NaN? xorsign abs f16", "T T T", lane(Op::MaxF16)).since(72, 86),
    row("ftz? NaN? xorsign abs f16x2", "T T T", lane(Op::MaxH2)).since(72, 86),
    row("NaN? xorsign abs bf16", "T T T", with(Op::MaxF16, BF16)).since(72, 86),
    row("NaN? xorsign abs bf16x2", "T T T", with(Op::MaxH2, BF16)).since(72, 86),
];

pub(super) const ABS: &[Row] = &[
    row("ftz? f32", "T T", lane(Op::AbsF32)),
    row("f64", "T T", lane(Op::AbsF64)),
    row("ftz? f16", "T T", lane(Op::AbsF16)).since(65, 53),
    row("ftz? f16x2", "T T", lane(Op::AbsH2)).since(65, 53),
    row("bf16", "T T", with(Op::AbsF16, BF16)).since(70, 80),
    row("bf16x2", "T T", with(Op::AbsH2, BF16)).since(70, 80),
];

pub(super) const NEG: &[Row] = &[
    row("ftz? f32", "T T", lane(Op::NegF32)),
    row("f64", "T T", lane(Op::NegF64)),
    row("ftz? f16", "T T", lane(Op::NegF16)).since(60, 53),
    row("ftz? f16x2", "T T", lane(Op::NegH2)).since(60, 53),
    row("bf16", "T T", with(Op::NegF16, BF16)).since(70, 80),
    row("bf16x2", "T T", with(Op::NegH2, BF16)).since(70, 80),
];

const RCP: &[Row] = &[
    row("rnd ftz? f32", "T T", lane(Op::RcpF32)).since(20, 20),
    row("approx ftz? f32", "T T", lane(Op::RcpApproxF32)),
    row("rnd f64", "T T", lane(Op::RcpF64)),
    row("approx ftz f64", "T T", bare(Op::RcpApproxF64)).since(21, 20),
];

const SQRT: &[Row] = &[
    row("rnd ftz? f32", "T T", lane(Op::SqrtF32)).since(20, 20),
    row("approx ftz? f32", "T T", lane(Op::SqrtApproxF32)),
    row("rnd f64", "T T", lane(Op::SqrtF64)),
];

const RSQRT: &[Row] = &[
    row("approx ftz? f32", "T T", lane(Op::RsqrtApproxF32)),
    row("approx f64", "T T", lane(Op::RsqrtApproxF64)),
    row("approx ftz f64", "T T", bare(Op::RsqrtApproxFtzF64)).since(40, 20),
];

const EX2: &[Row] = &[
    row("approx ftz? f32", "T T", lane(Op::Ex2ApproxF32)),
    row("approx f16", "T T", lane(Op::Ex2Approx16)).since(70, 75),
    row("approx f16x2", "T T", lane(Op::Ex2Approx16x2)).since(70, 75),
    row("approx ftz bf16", "T T", with(Op::Ex2Approx16, BF16)).since(78, 90),
    row("approx ftz bf16x2", "T T", with(Op::Ex2Approx16x2, BF16)).since(78, 90),
];

const LG2: &[Row] = &[row("approx ftz? f32", "T T", lane(Op::Lg2ApproxF32))];

const SIN: &[Row] = &[row("approx ftz? f32", "T T", lane(Op::SinApproxF32))];

const COS: &[Row] = &[row("approx ftz? f32", "T T", lane(Op::CosApproxF32))];

const TANH: &[Row] = &[
    row("approx f32", "T T", lane(Op::TanhApproxF32)).since(70, 75),
    row("approx f16", "T T", lane(Op::TanhApprox16)).since(70, 75),
    row("approx f16x2", "T T", lane(Op::TanhApprox16x2)).since(70, 75),
    row("approx bf16", "T T", with(Op::TanhApprox16, BF16)).since(78, 90),
    row("approx bf16x2", "T T", with(Op::TanhApprox16x2, BF16)).since(78, 90),
];

const COPYSIGN: &[Row] = &[
    row("f32", "T T T", lane(Op::CopysignF32)).since(20, 20),
    row("f64", "T T T", lane(Op::CopysignF64)).since(20, 20),
];

const TESTP: &[Row] = &[
    row("property f32", "pred T", lane(Op::TestpF32)).since(20, 20),
    row("property f64", "pred T", lane(Op::TestpF64)).since(20, 20),
];

pub(super) const FAMILIES: &[Family] = &[
    family("fma", &[FMA]),
    family("rcp", &[RCP]),
    family("sqrt", &[SQRT]),
    family("rsqrt", &[RSQRT]),
    family("ex2", &[EX2]),
    family("lg2", &[LG2]),
    family("sin", &[SIN]),
    family("cos", &[COS]),
    family("tanh", &[TANH]),
    family("copysign", &[COPYSIGN]),
    family("testp", &[TESTP]),
];
