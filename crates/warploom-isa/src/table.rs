//! The table of operations: one row each, everything about it in that row.
//!
//! To add a lane operation, add a row to `cold` (or to `hot` when programs run it often: hot rows
//! are compiled into the interpreter's loop once per host instruction set, cold rows are called).
//! A row is
//!
//! ```text
//! /// What it computes.
//! Name("printed.name", LatencyClass) = (mods, a: type, b: type) -> type { expression }
//! ```
//!
//! The first parameter is the decoded modifier word ([`crate::Mods`]), `_` when unused. Types are
//! those of [`crate::lane::LaneType`]; a narrow integer is read by truncation and written
//! zero-extended; `bool` is a mask bit; a pair `(type, bool)` writes a second, mask, destination.
//!
//! `Name` is the operation followed by its type, as in `AddI32`: I for integers whose sign does
//! not matter, S and U where it does, F for floating point, B for bits, H2 and B2 for two packed
//! 16-bit floating-point numbers.

/// What the semantics in the table may name.
pub(crate) mod prelude {
    pub use crate::arith::*;
    pub use crate::compose::*;
    pub use crate::mods::Mods;
}

/// Hands the table of operations to the macro `$callback`.
#[macro_export]
macro_rules! with_op_table {
    ($callback:ident) => {
        $callback! {
            hot {
                /// Copies 32 bits.
                MovB32("mov.b32", Move) = (_, a: u32) -> u32 { a }
                /// Copies 64 bits.
                MovB64("mov.b64", Move) = (_, a: u64) -> u64 { a }
                /// Wrapping addition.
                AddI32("add.i32", IntAlu) = (_, a: u32, b: u32) -> u32 { a.wrapping_add(b) }
                /// Wrapping addition.
                AddI64("add.i64", Int64) = (_, a: u64, b: u64) -> u64 { a.wrapping_add(b) }
                /// Wrapping addition of 16 bits.
                AddI16("add.i16", IntAlu) = (_, a: u16, b: u16) -> u16 { a.wrapping_add(b) }
                /// Wrapping subtraction.
                SubI32("sub.i32", IntAlu) = (_, a: u32, b: u32) -> u32 { a.wrapping_sub(b) }
                /// Wrapping subtraction.
                SubI64("sub.i64", Int64) = (_, a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
                /// Low 32 bits of the product.
                MulLoI32("mul.lo.i32", IntMul) = (_, a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
                /// Low 64 bits of the product.
                MulLoI64("mul.lo.i64", Int64) = (_, a: u64, b: u64) -> u64 { a.wrapping_mul(b) }
                /// Full product of two signed 32-bit numbers.
                MulWideS32("mul.wide.s32", IntMul) = (_, a: i32, b: i32) -> i64 { i64::from(a) * i64::from(b) }
                /// Full product of two unsigned 32-bit numbers.
                MulWideU32("mul.wide.u32", IntMul) = (_, a: u32, b: u32) -> u64 { u64::from(a) * u64::from(b) }
                /// High half of the product of two unsigned 32-bit numbers.
                MulHiU32("mul.hi.u32", IntMul) = (_, a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
                /// Low 32 bits of the product, plus a third.
                MadLoI32("mad.lo.i32", IntMul) = (_, a: u32, b: u32, c: u32) -> u32 { a.wrapping_mul(b).wrapping_add(c) }
                /// Full signed product plus a 64-bit number.
                MadWideS32("mad.wide.s32", IntMul) = (_, a: i32, b: i32, c: i64) -> i64 { (i64::from(a) * i64::from(b)).wrapping_add(c) }
                /// Full unsigned product plus a 64-bit number.
                MadWideU32("mad.wide.u32", IntMul) = (_, a: u32, b: u32, c: u64) -> u64 { (u64::from(a) * u64::from(b)).wrapping_add(c) }
                /// Bitwise and.
                AndB32("and.b32", IntAlu) = (_, a: u32, b: u32) -> u32 { a & b }
                /// Bitwise and.
                AndB64("and.b64", Int64) = (_, a: u64, b: u64) -> u64 { a & b }
                /// Bitwise or.
                OrB32("or.b32", IntAlu) = (_, a: u32, b: u32) -> u32 { a | b }
                /// Bitwise or.
                OrB64("or.b64", Int64) = (_, a: u64, b: u64) -> u64 { a | b }
                /// Bitwise exclusive or.
                XorB32("xor.b32", IntAlu) = (_, a: u32, b: u32) -> u32 { a ^ b }
                /// Bitwise exclusive or.
                XorB64("xor.b64", Int64) = (_, a: u64, b: u64) -> u64 { a ^ b }
                /// Bitwise complement.
                NotB32("not.b32", IntAlu) = (_, a: u32) -> u32 { !a }
                /// Left shift; 32 and more give zero.
                ShlB32("shl.b32", IntAlu) = (_, a: u32, b: u32) -> u32 { if b < 32 { a << (b & 31) } else { 0 } }
                /// Left shift; 64 and more give zero.
                ShlB64("shl.b64", Int64) = (_, a: u64, b: u32) -> u64 { if b < 64 { a << (b & 63) } else { 0 } }
                /// Logical right shift; 32 and more give zero.
                ShrU32("shr.u32", IntAlu) = (_, a: u32, b: u32) -> u32 { if b < 32 { a >> (b & 31) } else { 0 } }
                /// Arithmetic right shift; 31 and more give the sign.
                ShrS32("shr.s32", IntAlu) = (_, a: i32, b: u32) -> i32 { a >> (if b < 31 { b } else { 31 }) }
                /// Logical right shift; 64 and more give zero.
                ShrU64("shr.u64", Int64) = (_, a: u64, b: u32) -> u64 { if b < 64 { a >> (b & 63) } else { 0 } }
                /// Signed minimum.
                MinS32("min.s32", IntAlu) = (_, a: i32, b: i32) -> i32 { if a < b { a } else { b } }
                /// Signed maximum.
                MaxS32("max.s32", IntAlu) = (_, a: i32, b: i32) -> i32 { if a > b { a } else { b } }
                /// Sign-extends 32 bits to 64.
                SextI32("cvt.s64.s32", IntAlu) = (_, a: i32) -> i64 { i64::from(a) }
                /// Zero-extends 32 bits to 64.
                ZextI32("cvt.u64.u32", IntAlu) = (_, a: u32) -> u64 { u64::from(a) }
                /// The low 32 bits of 64.
                TruncI64("cvt.u32.u64", IntAlu) = (_, a: u64) -> u32 { a as u32 }
                /// The high 32 bits of 64.
                HighB64("mov.hi.b64", IntAlu) = (_, a: u64) -> u32 { (a >> 32) as u32 }
                /// Two 32-bit halves to 64 bits, low half first.
                PackB64("mov.pack.b64", IntAlu) = (_, lo: u32, hi: u32) -> u64 { u64::from(lo) | u64::from(hi) << 32 }
                /// Addition, to nearest even.
                AddF32("add.rn.f32", Fp32) = (_, a: f32, b: f32) -> AnyNanF32 { AnyNanF32(a + b) }
                /// Subtraction, to nearest even.
                SubF32("sub.rn.f32", Fp32) = (_, a: f32, b: f32) -> AnyNanF32 { AnyNanF32(a - b) }
                /// Multiplication, to nearest even.
                MulF32("mul.rn.f32", Fp32) = (_, a: f32, b: f32) -> AnyNanF32 { AnyNanF32(a * b) }
                /// Fused multiply-add, to nearest even.
                FmaF32("fma.rn.f32", Fp32) = (_, a: f32, b: f32, c: f32) -> AnyNanF32 { fma_nearest_f32(a, b, c) }
                /// Addition, to nearest even.
                AddF64("add.rn.f64", Fp64) = (_, a: f64, b: f64) -> f64 { add_f64(a, b, Round::NearestEven) }
                /// Subtraction, to nearest even.
                SubF64("sub.rn.f64", Fp64) = (_, a: f64, b: f64) -> f64 { sub_f64(a, b, Round::NearestEven) }
                /// Multiplication, to nearest even.
                MulF64("mul.rn.f64", Fp64) = (_, a: f64, b: f64) -> f64 { mul_f64(a, b, Round::NearestEven) }
                /// Fused multiply-add, to nearest even.
                FmaF64("fma.rn.f64", Fp64) = (_, a: f64, b: f64, c: f64) -> f64 { fma_f64(a, b, c, Round::NearestEven) }
                /// One of two, by a mask.
                SelB32("selp.b32", IntAlu) = (_, a: u32, b: u32, p: bool) -> u32 { if p { a } else { b } }
                /// One of two, by a mask.
                SelB64("selp.b64", Int64) = (_, a: u64, b: u64, p: bool) -> u64 { if p { a } else { b } }
                /// Equal.
                SetEqI32("setp.eq.i32", IntAlu) = (_, a: u32, b: u32) -> bool { a == b }
                /// Not equal.
                SetNeI32("setp.ne.i32", IntAlu) = (_, a: u32, b: u32) -> bool { a != b }
                /// Signed less than.
                SetLtS32("setp.lt.s32", IntAlu) = (_, a: i32, b: i32) -> bool { a < b }
                /// Signed less than or equal.
                SetLeS32("setp.le.s32", IntAlu) = (_, a: i32, b: i32) -> bool { a <= b }
                /// Unsigned less than.
                SetLtU32("setp.lt.u32", IntAlu) = (_, a: u32, b: u32) -> bool { a < b }
                /// Unsigned less than or equal.
                SetLeU32("setp.le.u32", IntAlu) = (_, a: u32, b: u32) -> bool { a <= b }
                /// Equal.
                SetEqI64("setp.eq.i64", Int64) = (_, a: u64, b: u64) -> bool { a == b }
                /// Not equal.
                SetNeI64("setp.ne.i64", Int64) = (_, a: u64, b: u64) -> bool { a != b }
                /// Signed less than.
                SetLtS64("setp.lt.s64", Int64) = (_, a: i64, b: i64) -> bool { a < b }
                /// Unsigned less than.
                SetLtU64("setp.lt.u64", Int64) = (_, a: u64, b: u64) -> bool { a < b }
                /// Ordered and less than.
                SetLtF32("setp.lt.f32", Fp32) = (_, a: f32, b: f32) -> bool { a < b }
                /// Ordered and greater than.
                SetGtF32("setp.gt.f32", Fp32) = (_, a: f32, b: f32) -> bool { a > b }
                /// Ordered comparison, denormals kept.
                SetLeF32("setp.le.f32", Fp32) = (_, a: f32, b: f32) -> bool { a <= b }
                /// Ordered comparison, denormals kept.
                SetGeF32("setp.ge.f32", Fp32) = (_, a: f32, b: f32) -> bool { a >= b }
                /// Ordered comparison, denormals kept.
                SetEqF32("setp.eq.f32", Fp32) = (_, a: f32, b: f32) -> bool { a == b }
                /// Unordered comparison, denormals kept.
                SetNeuF32("setp.neu.f32", Fp32) = (_, a: f32, b: f32) -> bool { a != b }
                /// Low 64 bits of the product, plus a third.
                MadLoI64("mad.lo.i64", Int64) = (_, a: u64, b: u64, c: u64) -> u64 { a.wrapping_mul(b).wrapping_add(c) }
                /// Unsigned minimum.
                MinU32("min.u32", IntAlu) = (_, a: u32, b: u32) -> u32 { a.min(b) }
                /// Unsigned maximum.
                MaxU32("max.u32", IntAlu) = (_, a: u32, b: u32) -> u32 { a.max(b) }
                /// Absolute value; that of the least number is itself.
                AbsS32("abs.s32", IntAlu) = (_, a: i32) -> i32 { a.wrapping_abs() }
                /// Negation; that of the least number is itself.
                NegS32("neg.s32", IntAlu) = (_, a: i32) -> i32 { a.wrapping_neg() }
                /// Arithmetic right shift; 63 and more give the sign.
                ShrS64("shr.s64", Int64) = (_, a: i64, b: u32) -> i64 { shr(a, b) }
                /// Signed 32-bit integer to f32, to nearest even.
                F32FromS32("cvt.rn.f32.s32", Convert) = (_, a: i32) -> f32 { a as f32 }
            }
            cold {
                /// Wrapping subtraction of 16 bits.
                SubI16("sub.i16", IntAlu) = (_, a: u16, b: u16) -> u16 { a.wrapping_sub(b) }
                /// Wrapping addition of two halves.
                AddI16x2("add.i16x2", IntAlu) = (_, a: u32, b: u32) -> u32 { halves2(a, b, u16::wrapping_add) }
                /// Sum limited to the range.
                AddSatS32("add.sat.s32", IntAlu) = (_, a: i32, b: i32) -> i32 { a.saturating_add(b) }
                /// Difference limited to the range.
                SubSatS32("sub.sat.s32", IntAlu) = (_, a: i32, b: i32) -> i32 { a.saturating_sub(b) }
                /// Sum limited to the range.
                AddSatU32("add.sat.u32", IntAlu) = (_, a: u32, b: u32) -> u32 { a.saturating_add(b) }
                /// Sums of two unsigned halves, limited to their range.
                AddSatU16x2("add.sat.u16x2", IntAlu) = (_, a: u32, b: u32) -> u32 { halves2(a, b, u16::saturating_add) }
                /// Sums of two signed halves, limited to their range.
                AddSatS16x2("add.sat.s16x2", IntAlu) = (_, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| (x as i16).saturating_add(y as i16) as u16) }
                /// Sum and carry out.
                AddCcI32("add.cc.i32", IntAlu) = (_, a: u32, b: u32) -> (u32, bool) { a.overflowing_add(b) }
                /// Sum with a carry in, and carry out.
                AddcI32("addc.cc.i32", IntAlu) = (_, a: u32, b: u32, carry: bool) -> (u32, bool) { add_carry(a, b, carry) }
                /// Difference and borrow out.
                SubCcI32("sub.cc.i32", IntAlu) = (_, a: u32, b: u32) -> (u32, bool) { a.overflowing_sub(b) }
                /// Difference with a borrow in, and borrow out.
                SubcI32("subc.cc.i32", IntAlu) = (_, a: u32, b: u32, borrow: bool) -> (u32, bool) { sub_borrow(a, b, borrow) }
                /// Low half of the product plus a third, and carry out.
                MadLoCcI32("mad.lo.cc.i32", IntMul) = (_, a: u32, b: u32, c: u32) -> (u32, bool) { a.wrapping_mul(b).overflowing_add(c) }
                /// Low half of the product plus a third and a carry in, and carry out.
                MadcLoI32("madc.lo.cc.i32", IntMul) = (_, a: u32, b: u32, c: u32, carry: bool) -> (u32, bool) { add_carry(a.wrapping_mul(b), c, carry) }
                /// High half of the unsigned product plus a third, and carry out.
                MadHiCcU32("mad.hi.cc.u32", IntMul) = (_, a: u32, b: u32, c: u32) -> (u32, bool) { mul_hi(a, b).overflowing_add(c) }
                /// High half of the unsigned product plus a third and a carry in, and carry out.
                MadcHiU32("madc.hi.cc.u32", IntMul) = (_, a: u32, b: u32, c: u32, carry: bool) -> (u32, bool) { add_carry(mul_hi(a, b), c, carry) }
                /// High half of the signed product plus a third, and carry out.
                MadHiCcS32("mad.hi.cc.s32", IntMul) = (_, a: u32, b: u32, c: u32) -> (u32, bool) { (mul_hi(a as i32, b as i32) as u32).overflowing_add(c) }
                /// High half of the signed product plus a third and a carry in, and carry out.
                MadcHiS32("madc.hi.cc.s32", IntMul) = (_, a: u32, b: u32, c: u32, carry: bool) -> (u32, bool) { add_carry(mul_hi(a as i32, b as i32) as u32, c, carry) }
                /// Sum and carry out.
                AddCcI64("add.cc.i64", Int64) = (_, a: u64, b: u64) -> (u64, bool) { a.overflowing_add(b) }
                /// Sum with a carry in, and carry out.
                AddcI64("addc.cc.i64", Int64) = (_, a: u64, b: u64, carry: bool) -> (u64, bool) { add_carry(a, b, carry) }
                /// Difference and borrow out.
                SubCcI64("sub.cc.i64", Int64) = (_, a: u64, b: u64) -> (u64, bool) { a.overflowing_sub(b) }
                /// Difference with a borrow in, and borrow out.
                SubcI64("subc.cc.i64", Int64) = (_, a: u64, b: u64, borrow: bool) -> (u64, bool) { sub_borrow(a, b, borrow) }
                /// Low half of the product plus a third, and carry out.
                MadLoCcI64("mad.lo.cc.i64", Int64) = (_, a: u64, b: u64, c: u64) -> (u64, bool) { a.wrapping_mul(b).overflowing_add(c) }
                /// Low half of the product plus a third and a carry in, and carry out.
                MadcLoI64("madc.lo.cc.i64", Int64) = (_, a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) { add_carry(a.wrapping_mul(b), c, carry) }
                /// High half of the unsigned product plus a third, and carry out.
                MadHiCcU64("mad.hi.cc.u64", Int64) = (_, a: u64, b: u64, c: u64) -> (u64, bool) { mul_hi(a, b).overflowing_add(c) }
                /// High half of the unsigned product plus a third and a carry in, and carry out.
                MadcHiU64("madc.hi.cc.u64", Int64) = (_, a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) { add_carry(mul_hi(a, b), c, carry) }
                /// High half of the signed product plus a third, and carry out.
                MadHiCcS64("mad.hi.cc.s64", Int64) = (_, a: u64, b: u64, c: u64) -> (u64, bool) { (mul_hi(a as i64, b as i64) as u64).overflowing_add(c) }
                /// High half of the signed product plus a third and a carry in, and carry out.
                MadcHiS64("madc.hi.cc.s64", Int64) = (_, a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) { add_carry(mul_hi(a as i64, b as i64) as u64, c, carry) }
                /// Low 16 bits of the product.
                MulLoI16("mul.lo.i16", IntMul) = (_, a: u16, b: u16) -> u16 { a.wrapping_mul(b) }
                /// High half of the signed product.
                MulHiS16("mul.hi.s16", IntMul) = (_, a: i16, b: i16) -> i16 { mul_hi(a, b) }
                /// High half of the unsigned product.
                MulHiU16("mul.hi.u16", IntMul) = (_, a: u16, b: u16) -> u16 { mul_hi(a, b) }
                /// High half of the signed product.
                MulHiS32("mul.hi.s32", IntMul) = (_, a: i32, b: i32) -> i32 { mul_hi(a, b) }
                /// High half of the signed product.
                MulHiS64("mul.hi.s64", Int64) = (_, a: i64, b: i64) -> i64 { mul_hi(a, b) }
                /// High half of the unsigned product.
                MulHiU64("mul.hi.u64", Int64) = (_, a: u64, b: u64) -> u64 { mul_hi(a, b) }
                /// Full product of two signed 16-bit numbers.
                MulWideS16("mul.wide.s16", IntMul) = (_, a: i16, b: i16) -> i32 { i32::from(a) * i32::from(b) }
                /// Full product of two unsigned 16-bit numbers.
                MulWideU16("mul.wide.u16", IntMul) = (_, a: u16, b: u16) -> u32 { u32::from(a) * u32::from(b) }
                /// Low 16 bits of the product, plus a third.
                MadLoI16("mad.lo.i16", IntMul) = (_, a: u16, b: u16, c: u16) -> u16 { a.wrapping_mul(b).wrapping_add(c) }
                /// High half of the signed product, plus a third.
                MadHiS16("mad.hi.s16", IntMul) = (_, a: i16, b: i16, c: i16) -> i16 { mad_hi(a, b, c) }
                /// High half of the unsigned product, plus a third.
                MadHiU16("mad.hi.u16", IntMul) = (_, a: u16, b: u16, c: u16) -> u16 { mad_hi(a, b, c) }
                /// High half of the signed product, plus a third.
                MadHiS32("mad.hi.s32", IntMul) = (_, a: i32, b: i32, c: i32) -> i32 { mad_hi(a, b, c) }
                /// High half of the unsigned product, plus a third.
                MadHiU32("mad.hi.u32", IntMul) = (_, a: u32, b: u32, c: u32) -> u32 { mad_hi(a, b, c) }
                /// High half of the signed product, plus a third.
                MadHiS64("mad.hi.s64", Int64) = (_, a: i64, b: i64, c: i64) -> i64 { mad_hi(a, b, c) }
                /// High half of the unsigned product, plus a third.
                MadHiU64("mad.hi.u64", Int64) = (_, a: u64, b: u64, c: u64) -> u64 { mad_hi(a, b, c) }
                /// High half of the signed product plus a third, limited to the range.
                MadHiSatS32("mad.hi.sat.s32", IntMul) = (_, a: i32, b: i32, c: i32) -> i32 { mad_hi_sat(a, b, c) }
                /// Full product of two signed 16-bit numbers, plus a 32-bit number.
                MadWideS16("mad.wide.s16", IntMul) = (_, a: i16, b: i16, c: i32) -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) }
                /// Full product of two unsigned 16-bit numbers, plus a 32-bit number.
                MadWideU16("mad.wide.u16", IntMul) = (_, a: u16, b: u16, c: u32) -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) }
                /// Low 32 bits of the product of signed 24-bit numbers.
                Mul24LoS32("mul24.lo.s32", IntMul) = (_, a: u32, b: u32) -> u32 { mul24_lo(a, b, true) }
                /// Bits 16 to 47 of the product of signed 24-bit numbers.
                Mul24HiS32("mul24.hi.s32", IntMul) = (_, a: u32, b: u32) -> u32 { mul24_hi(a, b, true) }
                /// Low 32 bits of the product of signed 24-bit numbers, plus a third.
                Mad24LoS32("mad24.lo.s32", IntMul) = (_, a: u32, b: u32, c: u32) -> u32 { mul24_lo(a, b, true).wrapping_add(c) }
                /// Bits 16 to 47 of the product of signed 24-bit numbers, plus a third.
                Mad24HiS32("mad24.hi.s32", IntMul) = (_, a: u32, b: u32, c: u32) -> u32 { mul24_hi(a, b, true).wrapping_add(c) }
                /// Low 32 bits of the product of unsigned 24-bit numbers.
                Mul24LoU32("mul24.lo.u32", IntMul) = (_, a: u32, b: u32) -> u32 { mul24_lo(a, b, false) }
                /// Bits 16 to 47 of the product of unsigned 24-bit numbers.
                Mul24HiU32("mul24.hi.u32", IntMul) = (_, a: u32, b: u32) -> u32 { mul24_hi(a, b, false) }
                /// Low 32 bits of the product of unsigned 24-bit numbers, plus a third.
                Mad24LoU32("mad24.lo.u32", IntMul) = (_, a: u32, b: u32, c: u32) -> u32 { mul24_lo(a, b, false).wrapping_add(c) }
                /// Bits 16 to 47 of the product of unsigned 24-bit numbers, plus a third.
                Mad24HiU32("mad24.hi.u32", IntMul) = (_, a: u32, b: u32, c: u32) -> u32 { mul24_hi(a, b, false).wrapping_add(c) }
                /// Bits 16 to 47 of the product of signed 24-bit numbers plus a third, limited to the range.
                Mad24HiSatS32("mad24.hi.sat.s32", IntMul) = (_, a: u32, b: u32, c: i32) -> i32 { mad24_hi_sat(a, b, c) }
                /// Products of four bytes, signed as the modifiers say, added to a third.
                Dp4a("dp4a", IntMul) = (m, a: u32, b: u32, c: u32) -> u32 { dp4a(a, b, c, m.a_signed(), m.b_signed()) }
                /// Products of two halves and two bytes, signed as the modifiers say, added to a third; with `variant` the high bytes.
                Dp2a("dp2a", IntMul) = (m, a: u32, b: u32, c: u32) -> u32 { dp2a(a, b, c, m.a_signed(), m.b_signed(), m.variant()) }
                /// Signed quotient; division by zero gives all ones.
                DivS16("div.s16", IntDiv) = (_, a: i16, b: i16) -> i16 { int_div(a, b) }
                /// Signed remainder; by zero it gives all ones.
                RemS16("rem.s16", IntDiv) = (_, a: i16, b: i16) -> i16 { int_rem(a, b) }
                /// Unsigned quotient; division by zero gives all ones.
                DivU16("div.u16", IntDiv) = (_, a: u16, b: u16) -> u16 { int_div(a, b) }
                /// Unsigned remainder; by zero it gives all ones.
                RemU16("rem.u16", IntDiv) = (_, a: u16, b: u16) -> u16 { int_rem(a, b) }
                /// Signed quotient; division by zero gives all ones.
                DivS32("div.s32", IntDiv) = (_, a: i32, b: i32) -> i32 { int_div(a, b) }
                /// Signed remainder; by zero it gives all ones.
                RemS32("rem.s32", IntDiv) = (_, a: i32, b: i32) -> i32 { int_rem(a, b) }
                /// Unsigned quotient; division by zero gives all ones.
                DivU32("div.u32", IntDiv) = (_, a: u32, b: u32) -> u32 { int_div(a, b) }
                /// Unsigned remainder; by zero it gives all ones.
                RemU32("rem.u32", IntDiv) = (_, a: u32, b: u32) -> u32 { int_rem(a, b) }
                /// Signed quotient; division by zero gives all ones.
                DivS64("div.s64", IntDiv) = (_, a: i64, b: i64) -> i64 { int_div(a, b) }
                /// Signed remainder; by zero it gives all ones.
                RemS64("rem.s64", IntDiv) = (_, a: i64, b: i64) -> i64 { int_rem(a, b) }
                /// Unsigned quotient; division by zero gives all ones.
                DivU64("div.u64", IntDiv) = (_, a: u64, b: u64) -> u64 { int_div(a, b) }
                /// Unsigned remainder; by zero it gives all ones.
                RemU64("rem.u64", IntDiv) = (_, a: u64, b: u64) -> u64 { int_rem(a, b) }
                /// Signed minimum.
                MinS16("min.s16", IntAlu) = (_, a: i16, b: i16) -> i16 { a.min(b) }
                /// Signed maximum.
                MaxS16("max.s16", IntAlu) = (_, a: i16, b: i16) -> i16 { a.max(b) }
                /// Unsigned minimum.
                MinU16("min.u16", IntAlu) = (_, a: u16, b: u16) -> u16 { a.min(b) }
                /// Unsigned maximum.
                MaxU16("max.u16", IntAlu) = (_, a: u16, b: u16) -> u16 { a.max(b) }
                /// Signed minimum.
                MinS64("min.s64", Int64) = (_, a: i64, b: i64) -> i64 { a.min(b) }
                /// Signed maximum.
                MaxS64("max.s64", Int64) = (_, a: i64, b: i64) -> i64 { a.max(b) }
                /// Unsigned minimum.
                MinU64("min.u64", Int64) = (_, a: u64, b: u64) -> u64 { a.min(b) }
                /// Unsigned maximum.
                MaxU64("max.u64", Int64) = (_, a: u64, b: u64) -> u64 { a.max(b) }
                /// Signed minimum; a negative one becomes zero.
                MinReluS32("min.relu.s32", IntAlu) = (_, a: i32, b: i32) -> i32 { int_relu(a.min(b)) }
                /// Unsigned minimum of two halves.
                MinU16x2("min.u16x2", IntAlu) = (_, a: u32, b: u32) -> u32 { halves2(a, b, u16::min) }
                /// Signed minimum of two halves; with `relu`, negative ones become zero.
                MinS16x2("min.s16x2", IntAlu) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| relu_if((x as i16).min(y as i16), m.relu()) as u16) }
                /// Signed maximum; a negative one becomes zero.
                MaxReluS32("max.relu.s32", IntAlu) = (_, a: i32, b: i32) -> i32 { int_relu(a.max(b)) }
                /// Unsigned maximum of two halves.
                MaxU16x2("max.u16x2", IntAlu) = (_, a: u32, b: u32) -> u32 { halves2(a, b, u16::max) }
                /// Signed maximum of two halves; with `relu`, negative ones become zero.
                MaxS16x2("max.s16x2", IntAlu) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| relu_if((x as i16).max(y as i16), m.relu()) as u16) }
                /// Wrapping sums of four bytes.
                AddI8x4("add.i8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, u8::wrapping_add) }
                /// Sums of four unsigned bytes, limited to their range.
                AddSatU8x4("add.sat.u8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, u8::saturating_add) }
                /// Sums of four signed bytes, limited to their range.
                AddSatS8x4("add.sat.s8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, |x, y| (x as i8).saturating_add(y as i8) as u8) }
                /// Wrapping differences of four bytes.
                SubI8x4("sub.i8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, u8::wrapping_sub) }
                /// Differences of four unsigned bytes, limited to their range.
                SubSatU8x4("sub.sat.u8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, u8::saturating_sub) }
                /// Differences of four signed bytes, limited to their range.
                SubSatS8x4("sub.sat.s8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, |x, y| (x as i8).saturating_sub(y as i8) as u8) }
                /// Unsigned minimum of four bytes.
                MinU8x4("min.u8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, u8::min) }
                /// Signed minimum of four bytes; with `relu`, negative ones become zero.
                MinS8x4("min.s8x4", IntAlu) = (m, a: u32, b: u32) -> u32 { bytes2(a, b, |x, y| relu_if(i16::from((x as i8).min(y as i8)), m.relu()) as u8) }
                /// Unsigned maximum of four bytes.
                MaxU8x4("max.u8x4", IntAlu) = (_, a: u32, b: u32) -> u32 { bytes2(a, b, u8::max) }
                /// Signed maximum of four bytes; with `relu`, negative ones become zero.
                MaxS8x4("max.s8x4", IntAlu) = (m, a: u32, b: u32) -> u32 { bytes2(a, b, |x, y| relu_if(i16::from((x as i8).max(y as i8)), m.relu()) as u8) }
                /// Negation of four bytes.
                NegS8x4("neg.s8x4", IntAlu) = (_, a: u32) -> u32 { bytes2(0, a, u8::wrapping_sub) }
                /// Absolute value; that of the least number is itself.
                AbsS16("abs.s16", IntAlu) = (_, a: i16) -> i16 { a.wrapping_abs() }
                /// Negation; that of the least number is itself.
                NegS16("neg.s16", IntAlu) = (_, a: i16) -> i16 { a.wrapping_neg() }
                /// Absolute value; that of the least number is itself.
                AbsS64("abs.s64", Int64) = (_, a: i64) -> i64 { a.wrapping_abs() }
                /// Negation; that of the least number is itself.
                NegS64("neg.s64", Int64) = (_, a: i64) -> i64 { a.wrapping_neg() }
                /// Distance of two signed numbers, added to a third.
                SadS16("sad.s16", IntAlu) = (_, a: i16, b: i16, c: i16) -> i16 { sad(a, b, c) }
                /// Distance of two unsigned numbers, added to a third.
                SadU16("sad.u16", IntAlu) = (_, a: u16, b: u16, c: u16) -> u16 { sad(a, b, c) }
                /// Distance of two signed numbers, added to a third.
                SadS32("sad.s32", IntAlu) = (_, a: i32, b: i32, c: i32) -> i32 { sad(a, b, c) }
                /// Distance of two unsigned numbers, added to a third.
                SadU32("sad.u32", IntAlu) = (_, a: u32, b: u32, c: u32) -> u32 { sad(a, b, c) }
                /// Distance of two signed numbers, added to a third.
                SadS64("sad.s64", Int64) = (_, a: i64, b: i64, c: i64) -> i64 { sad(a, b, c) }
                /// Distance of two unsigned numbers, added to a third.
                SadU64("sad.u64", Int64) = (_, a: u64, b: u64, c: u64) -> u64 { sad(a, b, c) }
                /// Number of set bits.
                PopcB32("popc.b32", IntAlu) = (_, a: u32) -> u32 { a.count_ones() }
                /// Number of leading zeros.
                ClzB32("clz.b32", IntAlu) = (_, a: u32) -> u32 { a.leading_zeros() }
                /// Bits in reverse order.
                BrevB32("brev.b32", IntAlu) = (_, a: u32) -> u32 { a.reverse_bits() }
                /// Position of the highest bit that differs from the sign; with `variant`, the shift that brings it to the top.
                BfindS32("bfind.s32", IntAlu) = (m, a: i32) -> u32 { bfind(a, m.variant()) }
                /// Bit field from a position, of a length.
                BfeS32("bfe.s32", IntAlu) = (_, a: i32, pos: u32, len: u32) -> i32 { bfe(a, pos, len) }
                /// Position of the highest bit that differs from the sign; with `variant`, the shift that brings it to the top.
                BfindU32("bfind.u32", IntAlu) = (m, a: u32) -> u32 { bfind(a, m.variant()) }
                /// Bit field from a position, of a length.
                BfeU32("bfe.u32", IntAlu) = (_, a: u32, pos: u32, len: u32) -> u32 { bfe(a, pos, len) }
                /// The second number with the first put into a bit field.
                BfiB32("bfi.b32", IntAlu) = (_, a: u32, b: u32, pos: u32, len: u32) -> u32 { bfi_b32(a, b, pos, len) }
                /// Number of set bits.
                PopcB64("popc.b64", Int64) = (_, a: u64) -> u32 { a.count_ones() }
                /// Number of leading zeros.
                ClzB64("clz.b64", Int64) = (_, a: u64) -> u32 { a.leading_zeros() }
                /// Bits in reverse order.
                BrevB64("brev.b64", Int64) = (_, a: u64) -> u64 { a.reverse_bits() }
                /// Position of the highest bit that differs from the sign; with `variant`, the shift that brings it to the top.
                BfindS64("bfind.s64", Int64) = (m, a: i64) -> u32 { bfind(a, m.variant()) }
                /// Bit field from a position, of a length.
                BfeS64("bfe.s64", Int64) = (_, a: i64, pos: u32, len: u32) -> i64 { bfe(a, pos, len) }
                /// Position of the highest bit that differs from the sign; with `variant`, the shift that brings it to the top.
                BfindU64("bfind.u64", Int64) = (m, a: u64) -> u32 { bfind(a, m.variant()) }
                /// Bit field from a position, of a length.
                BfeU64("bfe.u64", Int64) = (_, a: u64, pos: u32, len: u32) -> u64 { bfe(a, pos, len) }
                /// The second number with the first put into a bit field.
                BfiB64("bfi.b64", Int64) = (_, a: u64, b: u64, pos: u32, len: u32) -> u64 { bfi_b64(a, b, pos, len) }
                /// Position of the n-th set bit from a base.
                FnsB32("fns.b32", IntAlu) = (_, mask: u32, base: u32, offset: i32) -> u32 { fns(mask, base, offset) }
                /// The low bits of a number, sign-extended; `variant` clamps their count.
                SzextS32("szext.s32", IntAlu) = (m, a: u32, n: u32) -> u32 { szext(a, n, true, m.variant()) }
                /// The low bits of a number, zero-extended; `variant` clamps their count.
                SzextU32("szext.u32", IntAlu) = (m, a: u32, n: u32) -> u32 { szext(a, n, false, m.variant()) }
                /// Mask of a width at a position; `variant` clamps both.
                BmskB32("bmsk.b32", IntAlu) = (m, pos: u32, width: u32) -> u32 { bmsk(pos, width, m.variant()) }
                /// One if zero, else zero.
                CnotB16("cnot.b16", IntAlu) = (_, a: u16) -> u16 { u16::from(a == 0) }
                /// One if zero, else zero.
                CnotB32("cnot.b32", IntAlu) = (_, a: u32) -> u32 { u32::from(a == 0) }
                /// One if zero, else zero.
                CnotB64("cnot.b64", Int64) = (_, a: u64) -> u64 { u64::from(a == 0) }
                /// Bitwise complement.
                NotB64("not.b64", Int64) = (_, a: u64) -> u64 { !a }
                /// Any function of three bits, by its truth table.
                Lop3B32("lop3.b32", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { lop3(a, b, c, m.high() as u8) }
                /// Left shift; 16 and more give zero.
                ShlB16("shl.b16", IntAlu) = (_, a: u16, b: u32) -> u16 { shl(a, b) }
                /// Logical right shift; 16 and more give zero.
                ShrU16("shr.u16", IntAlu) = (_, a: u16, b: u32) -> u16 { shr(a, b) }
                /// Arithmetic right shift; 15 and more give the sign.
                ShrS16("shr.s16", IntAlu) = (_, a: i16, b: u32) -> i16 { shr(a, b) }
                /// High word of a left shift of two words; `variant` clamps the amount.
                ShfLB32("shf.l.b32", IntAlu) = (m, lo: u32, hi: u32, n: u32) -> u32 { shf_left(lo, hi, n, m.variant()) }
                /// Low word of a right shift of two words; `variant` clamps the amount.
                ShfRB32("shf.r.b32", IntAlu) = (m, lo: u32, hi: u32, n: u32) -> u32 { shf_right(lo, hi, n, m.variant()) }
                /// Bytes picked from two words.
                PrmtB32("prmt.b32", IntAlu) = (_, a: u32, b: u32, control: u32) -> u32 { prmt(a, b, control) }
                /// Bytes picked from two words by one of the patterns.
                PrmtModeB32("prmt.b32.mode", IntAlu) = (m, a: u32, b: u32, selector: u32) -> u32 { prmt(a, b, permute_control(m.permute(), selector)) }
                /// Sum, rounded, flushed and limited as the modifiers say.
                AddWithF32("add.f32", Fp32) = (m, a: f32, b: f32) -> f32 { add_f32(a, b, m.round(), m.ftz(), m.sat()) }
                /// Sum, rounded as the modifiers say.
                AddWithF64("add.f64", Fp64) = (m, a: f64, b: f64) -> f64 { add_f64(a, b, m.round()) }
                /// Sum of two pairs.
                AddF32x2("add.f32x2", Fp32) = (m, a: u64, b: u64) -> u64 { pairs2(a, b, |x, y| add_f32(x, y, m.round(), m.ftz(), false)) }
                /// Sum, flushed and limited as the modifiers say.
                AddF16("add.f16", Fp16) = (m, a: u16, b: u16) -> u16 { add_f16(a, b, m.ftz(), m.sat()) }
                /// Sum of two halves.
                AddH2("add.f16x2", Fp16) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| add_f16(x, y, m.ftz(), m.sat())) }
                /// Sum.
                AddBf16("add.bf16", Fp16) = (_, a: u16, b: u16) -> u16 { add_bf16(a, b) }
                /// Sum of two halves.
                AddB2("add.bf16x2", Fp16) = (_, a: u32, b: u32) -> u32 { halves2(a, b, add_bf16) }
                /// Difference, rounded, flushed and limited as the modifiers say.
                SubWithF32("sub.f32", Fp32) = (m, a: f32, b: f32) -> f32 { sub_f32(a, b, m.round(), m.ftz(), m.sat()) }
                /// Difference, rounded as the modifiers say.
                SubWithF64("sub.f64", Fp64) = (m, a: f64, b: f64) -> f64 { sub_f64(a, b, m.round()) }
                /// Difference of two pairs.
                SubF32x2("sub.f32x2", Fp32) = (m, a: u64, b: u64) -> u64 { pairs2(a, b, |x, y| sub_f32(x, y, m.round(), m.ftz(), false)) }
                /// Difference, flushed and limited as the modifiers say.
                SubF16("sub.f16", Fp16) = (m, a: u16, b: u16) -> u16 { sub_f16(a, b, m.ftz(), m.sat()) }
                /// Difference of two halves.
                SubH2("sub.f16x2", Fp16) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| sub_f16(x, y, m.ftz(), m.sat())) }
                /// Difference.
                SubBf16("sub.bf16", Fp16) = (_, a: u16, b: u16) -> u16 { sub_bf16(a, b) }
                /// Difference of two halves.
                SubB2("sub.bf16x2", Fp16) = (_, a: u32, b: u32) -> u32 { halves2(a, b, sub_bf16) }
                /// Product, rounded, flushed and limited as the modifiers say.
                MulWithF32("mul.f32", Fp32) = (m, a: f32, b: f32) -> f32 { mul_f32(a, b, m.round(), m.ftz(), m.sat()) }
                /// Product, rounded as the modifiers say.
                MulWithF64("mul.f64", Fp64) = (m, a: f64, b: f64) -> f64 { mul_f64(a, b, m.round()) }
                /// Product of two pairs.
                MulF32x2("mul.f32x2", Fp32) = (m, a: u64, b: u64) -> u64 { pairs2(a, b, |x, y| mul_f32(x, y, m.round(), m.ftz(), false)) }
                /// Product, flushed and limited as the modifiers say.
                MulF16("mul.f16", Fp16) = (m, a: u16, b: u16) -> u16 { mul_f16(a, b, m.ftz(), m.sat()) }
                /// Product of two halves.
                MulH2("mul.f16x2", Fp16) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| mul_f16(x, y, m.ftz(), m.sat())) }
                /// Product.
                MulBf16("mul.bf16", Fp16) = (_, a: u16, b: u16) -> u16 { mul_bf16(a, b) }
                /// Product of two halves.
                MulB2("mul.bf16x2", Fp16) = (_, a: u32, b: u32) -> u32 { halves2(a, b, mul_bf16) }
                /// Fused multiply-add, rounded, flushed and limited as the modifiers say.
                FmaWithF32("fma.f32", Fp32) = (m, a: f32, b: f32, c: f32) -> f32 { fma_f32(a, b, c, m.round(), m.ftz(), m.sat()) }
                /// Fused multiply-add, rounded as the modifiers say.
                FmaWithF64("fma.f64", Fp64) = (m, a: f64, b: f64, c: f64) -> f64 { fma_f64(a, b, c, m.round()) }
                /// Fused multiply-add of two pairs.
                FmaF32x2("fma.f32x2", Fp32) = (m, a: u64, b: u64, c: u64) -> u64 { pairs3(a, b, c, |x, y, z| fma_f32(x, y, z, m.round(), m.ftz(), false)) }
                /// Fused multiply-add; `variant` is `.oob`.
                FmaF16("fma.f16", Fp16) = (m, a: u16, b: u16, c: u16) -> u16 { fma_f16(a, b, c, m.ftz(), m.clamp(), m.variant()) }
                /// Fused multiply-add of two halves; `variant` is `.oob`.
                FmaH2("fma.f16x2", Fp16) = (m, a: u32, b: u32, c: u32) -> u32 { halves3(a, b, c, |x, y, z| fma_f16(x, y, z, m.ftz(), m.clamp(), m.variant())) }
                /// Fused multiply-add; `variant` is `.oob`.
                FmaBf16("fma.bf16", Fp16) = (m, a: u16, b: u16, c: u16) -> u16 { fma_bf16(a, b, c, m.relu(), m.variant()) }
                /// Fused multiply-add of two halves; `variant` is `.oob`.
                FmaB2("fma.bf16x2", Fp16) = (m, a: u32, b: u32, c: u32) -> u32 { halves3(a, b, c, |x, y, z| fma_bf16(x, y, z, m.relu(), m.variant())) }
                /// Sum of a 16-bit number and an f32.
                AddMixedF32("add.f32.16", Fp32) = (m, a: u16, c: f32) -> f32 { add_f32_mixed(a, c, m.format(), m.round(), m.sat()) }
                /// Difference of a 16-bit number and an f32.
                SubMixedF32("sub.f32.16", Fp32) = (m, a: u16, c: f32) -> f32 { sub_f32_mixed(a, c, m.format(), m.round(), m.sat()) }
                /// Product of two 16-bit numbers plus an f32.
                FmaMixedF32("fma.f32.16", Fp32) = (m, a: u16, b: u16, c: f32) -> f32 { fma_f32_mixed(a, b, c, m.format(), m.round(), m.sat()) }
                /// Quotient, rounded.
                DivF32("div.f32", FpDiv) = (m, a: f32, b: f32) -> f32 { div_f32(a, b, m.round(), m.ftz()) }
                /// Quotient, approximate over the full range.
                DivFullF32("div.full.f32", FpDiv) = (m, a: f32, b: f32) -> f32 { div_full_f32(a, b, m.ftz()) }
                /// Quotient, approximate.
                DivApproxF32("div.approx.f32", Special) = (m, a: f32, b: f32) -> f32 { div_approx_f32(a, b, m.ftz()) }
                /// Quotient, rounded.
                DivF64("div.f64", FpDiv) = (m, a: f64, b: f64) -> f64 { div_f64(a, b, m.round()) }
                /// Reciprocal, rounded.
                RcpF32("rcp.f32", FpDiv) = (m, a: f32) -> f32 { rcp_f32(a, m.round(), m.ftz()) }
                /// Reciprocal, rounded.
                RcpF64("rcp.f64", FpDiv) = (m, a: f64) -> f64 { rcp_f64(a, m.round()) }
                /// Square root, rounded.
                SqrtF32("sqrt.f32", FpDiv) = (m, a: f32) -> f32 { sqrt_f32(a, m.round(), m.ftz()) }
                /// Square root, rounded.
                SqrtF64("sqrt.f64", FpDiv) = (m, a: f64) -> f64 { sqrt_f64(a, m.round()) }
                /// Reciprocal of the upper half of an f64, approximate.
                RcpApproxF64("rcp.approx.ftz.f64", Special) = (_, a: f64) -> f64 { rcp_approx_ftz_f64(a) }
                /// Reciprocal square root, approximate.
                RsqrtApproxF64("rsqrt.approx.f64", FpDiv) = (_, a: f64) -> f64 { rsqrt_approx_f64(a) }
                /// Reciprocal square root of the upper half of an f64, approximate.
                RsqrtApproxFtzF64("rsqrt.approx.ftz.f64", Special) = (_, a: f64) -> f64 { rsqrt_approx_ftz_f64(a) }
                /// Reciprocal, approximate.
                RcpApproxF32("rcp.approx.f32", Special) = (m, a: f32) -> f32 { rcp_approx_f32(a, m.ftz()) }
                /// Square root, approximate.
                SqrtApproxF32("sqrt.approx.f32", Special) = (m, a: f32) -> f32 { sqrt_approx_f32(a, m.ftz()) }
                /// Reciprocal square root, approximate.
                RsqrtApproxF32("rsqrt.approx.f32", Special) = (m, a: f32) -> f32 { rsqrt_approx_f32(a, m.ftz()) }
                /// Power of two, approximate.
                Ex2ApproxF32("ex2.approx.f32", Special) = (m, a: f32) -> f32 { ex2_approx_f32(a, m.ftz()) }
                /// Logarithm to base two, approximate.
                Lg2ApproxF32("lg2.approx.f32", Special) = (m, a: f32) -> f32 { lg2_approx_f32(a, m.ftz()) }
                /// Sine, approximate.
                SinApproxF32("sin.approx.f32", Special) = (m, a: f32) -> f32 { sin_approx_f32(a, m.ftz()) }
                /// Cosine, approximate.
                CosApproxF32("cos.approx.f32", Special) = (m, a: f32) -> f32 { cos_approx_f32(a, m.ftz()) }
                /// Hyperbolic tangent, approximate.
                TanhApproxF32("tanh.approx.f32", Special) = (_, a: f32) -> f32 { tanh_approx_f32(a) }
                /// Power of two of a 16-bit number, approximate.
                Ex2Approx16("ex2.approx.16", Special) = (m, a: u16) -> u16 { ex2_approx_16(a, m.format()) }
                /// Power of two of two halves, approximate.
                Ex2Approx16x2("ex2.approx.16x2", Special) = (m, a: u32) -> u32 { halves1(a, |x| ex2_approx_16(x, m.format())) }
                /// Hyperbolic tangent of a 16-bit number, approximate.
                TanhApprox16("tanh.approx.16", Special) = (m, a: u16) -> u16 { tanh_approx_16(a, m.format()) }
                /// Hyperbolic tangent of two halves, approximate.
                TanhApprox16x2("tanh.approx.16x2", Special) = (m, a: u32) -> u32 { halves1(a, |x| tanh_approx_16(x, m.format())) }
                /// Minimum; see `nan` and `xorsign`.
                MinF32("min.f32", Fp32) = (m, a: f32, b: f32) -> f32 { min_f32(a, b, m.ftz(), m.nan(), m.xorsign()) }
                /// Minimum of three; `variant` takes magnitudes.
                Min3F32("min3.f32", Fp32) = (m, a: f32, b: f32, c: f32) -> f32 { min3_f32(a, b, c, m.ftz(), m.nan(), m.variant()) }
                /// Minimum.
                MinF64("min.f64", Fp64) = (_, a: f64, b: f64) -> f64 { min_f64(a, b) }
                /// Minimum of 16-bit numbers; see `nan` and `xorsign`.
                MinF16("min.16", Fp16) = (m, a: u16, b: u16) -> u16 { min_16(a, b, m.format(), m.ftz(), m.nan(), m.xorsign()) }
                /// Minimum of two halves; see `nan` and `xorsign`.
                MinH2("min.16x2", Fp16) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| min_16(x, y, m.format(), m.ftz(), m.nan(), m.xorsign())) }
                /// Maximum; see `nan` and `xorsign`.
                MaxF32("max.f32", Fp32) = (m, a: f32, b: f32) -> f32 { max_f32(a, b, m.ftz(), m.nan(), m.xorsign()) }
                /// Maximum of three; `variant` takes magnitudes.
                Max3F32("max3.f32", Fp32) = (m, a: f32, b: f32, c: f32) -> f32 { max3_f32(a, b, c, m.ftz(), m.nan(), m.variant()) }
                /// Maximum.
                MaxF64("max.f64", Fp64) = (_, a: f64, b: f64) -> f64 { max_f64(a, b) }
                /// Maximum of 16-bit numbers; see `nan` and `xorsign`.
                MaxF16("max.16", Fp16) = (m, a: u16, b: u16) -> u16 { max_16(a, b, m.format(), m.ftz(), m.nan(), m.xorsign()) }
                /// Maximum of two halves; see `nan` and `xorsign`.
                MaxH2("max.16x2", Fp16) = (m, a: u32, b: u32) -> u32 { halves2(a, b, |x, y| max_16(x, y, m.format(), m.ftz(), m.nan(), m.xorsign())) }
                /// Absolute value.
                AbsF32("abs.f32", Fp32) = (m, a: f32) -> f32 { abs_f32(a, m.ftz()) }
                /// Absolute value.
                AbsF64("abs.f64", Fp64) = (_, a: f64) -> f64 { abs_f64(a) }
                /// Absolute value of a 16-bit number.
                AbsF16("abs.16", Fp16) = (m, a: u16) -> u16 { abs_16(a, m.format(), m.ftz()) }
                /// Absolute value of two halves.
                AbsH2("abs.16x2", Fp16) = (m, a: u32) -> u32 { halves1(a, |x| abs_16(x, m.format(), m.ftz())) }
                /// Negation.
                NegF32("neg.f32", Fp32) = (m, a: f32) -> f32 { neg_f32(a, m.ftz()) }
                /// Negation.
                NegF64("neg.f64", Fp64) = (_, a: f64) -> f64 { neg_f64(a) }
                /// Negation of a 16-bit number.
                NegF16("neg.16", Fp16) = (m, a: u16) -> u16 { neg_16(a, m.format(), m.ftz()) }
                /// Negation of two halves.
                NegH2("neg.16x2", Fp16) = (m, a: u32) -> u32 { halves1(a, |x| neg_16(x, m.format(), m.ftz())) }
                /// The value of the second with the sign of the first.
                CopysignF32("copysign.f32", Fp32) = (_, a: f32, b: f32) -> f32 { copysign_f32(a, b) }
                /// Whether a number has a property.
                TestpF32("testp.f32", Fp32) = (m, a: f32) -> bool { testp_f32(a, m.property()) }
                /// The value of the second with the sign of the first.
                CopysignF64("copysign.f64", Fp64) = (_, a: f64, b: f64) -> f64 { copysign_f64(a, b) }
                /// Whether a number has a property.
                TestpF64("testp.f64", Fp64) = (m, a: f64) -> bool { testp_f64(a, m.property()) }
                /// Comparison of signed numbers.
                SetS16("setp.s16", IntAlu) = (m, a: i16, b: i16) -> bool { compare_int(a, b, m.cmp()) }
                /// Comparison of unsigned numbers.
                SetU16("setp.u16", IntAlu) = (m, a: u16, b: u16) -> bool { compare_int(a, b, m.cmp()) }
                /// Comparison of signed numbers.
                SetS32("setp.s32", IntAlu) = (m, a: i32, b: i32) -> bool { compare_int(a, b, m.cmp()) }
                /// Comparison of unsigned numbers.
                SetU32("setp.u32", IntAlu) = (m, a: u32, b: u32) -> bool { compare_int(a, b, m.cmp()) }
                /// Comparison of signed numbers.
                SetS64("setp.s64", Int64) = (m, a: i64, b: i64) -> bool { compare_int(a, b, m.cmp()) }
                /// Comparison of unsigned numbers.
                SetU64("setp.u64", Int64) = (m, a: u64, b: u64) -> bool { compare_int(a, b, m.cmp()) }
                /// Comparison.
                SetF32("setp.f32", Fp32) = (m, a: f32, b: f32) -> bool { compare_f32(a, b, m.cmp(), m.ftz()) }
                /// Comparison.
                SetF64("setp.f64", Fp64) = (m, a: f64, b: f64) -> bool { compare_f64(a, b, m.cmp()) }
                /// Comparison of 16-bit numbers.
                SetF16("setp.16", Fp16) = (m, a: u16, b: u16) -> bool { compare_16(a, b, m.format(), m.cmp(), m.ftz()) }
                /// Comparison of the low and of the high halves.
                SetH2("setp.16x2", Fp16) = (m, a: u32, b: u32) -> (bool, bool) { (compare_16(a as u16, b as u16, m.format(), m.cmp(), m.ftz()), compare_16((a >> 16) as u16, (b >> 16) as u16, m.format(), m.cmp(), m.ftz())) }
                /// Integer of 32 bits or less to one in a 32-bit register.
                I32FromI32("cvt.i32.i32", Convert) = (m, a: u32) -> u32 { convert_int(a.into(), m.from_int(), m.to_int(), m.sat()) as u32 }
                /// Integer of 32 bits or less to one in a 64-bit register.
                I64FromI32("cvt.i64.i32", Convert) = (m, a: u32) -> u64 { convert_int(a.into(), m.from_int(), m.to_int(), m.sat()) }
                /// Integer of 64 bits or less to one in a 32-bit register.
                I32FromI64("cvt.i32.i64", Convert) = (m, a: u64) -> u32 { convert_int(a, m.from_int(), m.to_int(), m.sat()) as u32 }
                /// Integer of 64 bits or less to one in a 64-bit register.
                I64FromI64("cvt.i64.i64", Convert) = (m, a: u64) -> u64 { convert_int(a, m.from_int(), m.to_int(), m.sat()) }
                /// Integer to f32.
                F32FromI32("cvt.f32.i32", Convert) = (m, a: u32) -> f32 { saturate_f32_if(f32_from_int(a.into(), m.from_int(), m.round()), m.sat()) }
                /// Integer to f64.
                F64FromI32("cvt.f64.i32", Convert) = (m, a: u32) -> f64 { saturate_f64_if(f64_from_int(a.into(), m.from_int(), m.round()), m.sat()) }
                /// Integer to a 16-bit number.
                F16FromI32("cvt.16.i32", Convert) = (m, a: u32) -> u16 { clamp_16(narrow_from_int(a.into(), m.from_int(), m.format(), m.round()), m.format(), m.clamp()) }
                /// Integer to f32.
                F32FromI64("cvt.f32.i64", Convert) = (m, a: u64) -> f32 { saturate_f32_if(f32_from_int(a.into(), m.from_int(), m.round()), m.sat()) }
                /// Integer to f64.
                F64FromI64("cvt.f64.i64", Convert) = (m, a: u64) -> f64 { saturate_f64_if(f64_from_int(a.into(), m.from_int(), m.round()), m.sat()) }
                /// Integer to a 16-bit number.
                F16FromI64("cvt.16.i64", Convert) = (m, a: u64) -> u16 { clamp_16(narrow_from_int(a.into(), m.from_int(), m.format(), m.round()), m.format(), m.clamp()) }
                /// f32 to an integer in a 32-bit register.
                I32FromF32("cvt.i32.f32", Convert) = (m, a: f32) -> u32 { int_from_f32(a, m.to_int(), m.round(), m.ftz()) as u32 }
                /// f64 to an integer in a 32-bit register.
                I32FromF64("cvt.i32.f64", Convert) = (m, a: f64) -> u32 { int_from_f64(a, m.to_int(), m.round()) as u32 }
                /// 16-bit number to an integer in a 32-bit register.
                I32FromF16("cvt.i32.16", Convert) = (m, a: u16) -> u32 { int_from_16(a, m.format(), m.to_int(), m.round()) as u32 }
                /// f32 to an integer in a 64-bit register.
                I64FromF32("cvt.i64.f32", Convert) = (m, a: f32) -> u64 { int_from_f32(a, m.to_int(), m.round(), m.ftz()) }
                /// f64 to an integer in a 64-bit register.
                I64FromF64("cvt.i64.f64", Convert) = (m, a: f64) -> u64 { int_from_f64(a, m.to_int(), m.round()) }
                /// 16-bit number to an integer in a 64-bit register.
                I64FromF16("cvt.i64.16", Convert) = (m, a: u16) -> u64 { int_from_16(a, m.format(), m.to_int(), m.round()) }
                /// f64 to f32.
                F32FromF64("cvt.f32.f64", Convert) = (m, a: f64) -> f32 { saturate_f32_if(f32_from_f64(a, m.round(), m.ftz()), m.sat()) }
                /// f32 to f64.
                F64FromF32("cvt.f64.f32", Convert) = (m, a: f32) -> f64 { saturate_f64_if(f64_from_f32(a, m.ftz()), m.sat()) }
                /// 16-bit number to f32.
                F32FromF16("cvt.f32.16", Convert) = (m, a: u16) -> f32 { saturate_f32_if(canonical_f32(flush_f32(f32_from_16(a, m.format()), m.ftz())), m.sat()) }
                /// 16-bit number to f64.
                F64FromF16("cvt.f64.16", Convert) = (m, a: u16) -> f64 { saturate_f64_if(f64_from_f32(f32_from_16(a, m.format()), false), m.sat()) }
                /// f32 to a 16-bit number.
                F16FromF32("cvt.16.f32", Convert) = (m, a: f32) -> u16 { narrow_from_f32(a, m.format(), m.round(), m.ftz(), m.clamp(), m.satfinite()) }
                /// f64 to a 16-bit number.
                F16FromF64("cvt.16.f64", Convert) = (m, a: f64) -> u16 { narrow_from_f64(a, m.format(), m.round(), m.clamp()) }
                /// 16-bit number of the other format to this one.
                F16FromF16("cvt.16.16", Convert) = (m, a: u16) -> u16 { narrow_from_other(a, m.format(), m.round()) }
                /// f32 flushed and limited as the modifiers say.
                F32FromF32("cvt.f32.f32", Convert) = (m, a: f32) -> f32 { saturate_f32_if(canonical_f32(flush_f32(a, m.ftz())), m.sat()) }
                /// f64 limited to the range from 0 to 1.
                SatF64("cvt.sat.f64.f64", Convert) = (_, a: f64) -> f64 { saturate_f64(a) }
                /// f16 limited to the range from 0 to 1.
                SatF16("cvt.sat.f16.f16", Convert) = (m, a: u16) -> u16 { clamp_16(a, m.format(), Clamp::Saturate) }
                /// f32 to an integral number.
                RoundF32("cvt.rni.f32.f32", Convert) = (m, a: f32) -> f32 { saturate_f32_if(round_integral_f32(a, m.round(), m.ftz()), m.sat()) }
                /// f64 to an integral number.
                RoundF64("cvt.rni.f64.f64", Convert) = (m, a: f64) -> f64 { saturate_f64_if(round_integral_f64(a, m.round()), m.sat()) }
                /// 16-bit number to an integral one.
                RoundF16("cvt.rni.16.16", Convert) = (m, a: u16) -> u16 { clamp_16(round_integral_16(a, m.format(), m.round()), m.format(), m.clamp()) }
                /// Two f32 to two halves, the first above.
                H2FromF32("cvt.16x2.f32", Convert) = (m, a: f32, b: f32) -> u32 { narrow_x2_from_f32(a, b, m.format(), m.round(), m.relu(), m.satfinite()) }
                /// Two f32 to two halves, the first above, rounded by random bits.
                H2FromF32Random("cvt.rs.16x2.f32", Convert) = (m, a: f32, b: f32, random: u32) -> u32 { narrow_x2_stochastic(a, b, random, m.format(), m.relu(), m.satfinite()) }
                /// f32 to tf32.
                Tf32FromF32("cvt.tf32.f32", Convert) = (m, a: f32) -> u32 { tf32_from_f32(a, m.round(), m.relu(), m.satfinite()) }
                /// Two f32 to two small numbers, the first above.
                Mini2FromF32("cvt.mini2.f32", Convert) = (m, a: f32, b: f32) -> u16 { mini_x2_from_f32(a, b, m.mini(), m.relu()) }
                /// Two halves to two small numbers.
                Mini2FromH2("cvt.mini2.16x2", Convert) = (m, a: u32) -> u16 { mini_x2_from_16x2(a, m.format(), m.mini(), m.relu()) }
                /// Two small numbers to two halves.
                H2FromMini2("cvt.16x2.mini2", Convert) = (m, a: u16) -> u32 { narrow_x2_from_mini_x2(a, m.mini(), m.format(), m.relu()) }
                /// Two pairs of f32, the first two above, to four small numbers, rounded by random bits.
                Mini4FromF32Random("cvt.rs.mini4.f32", Convert) = (m, ab: u64, cd: u64, random: u32) -> u32 { mini_x4_stochastic([pair_high(ab), pair_low(ab), pair_high(cd), pair_low(cd)], random, m.mini(), m.relu()) }
                /// Two f32 to two exponents, the first above.
                Ue8m0x2FromF32("cvt.ue8m0x2.f32", Convert) = (m, a: f32, b: f32) -> u16 { ue8m0_x2_from_f32(a, b, m.round() == Round::Up, m.satfinite()) }
                /// Two bf16 to two exponents.
                Ue8m0x2FromB2("cvt.ue8m0x2.bf16x2", Convert) = (m, a: u32) -> u16 { ue8m0_x2_from_bf16x2(a, m.round() == Round::Up, m.satfinite()) }
                /// Two exponents to two bf16.
                B2FromUe8m0x2("cvt.bf16x2.ue8m0x2", Convert) = (_, a: u16) -> u32 { bf16x2_from_ue8m0_x2(a) }
                /// Two integers limited to a narrow type, beside the low bits of a third.
                PackI32("cvt.pack.sat.i32", Convert) = (m, a: i32, b: i32, c: u32) -> u32 { convert_pack(a, b, c, 2 << (m.high() & 3), m.variant()) }
                /// Two f32, divided by powers of two, to two fixed-point numbers, the first above.
                S2f6x2FromF32("cvt.s2f6x2.f32", Convert) = (m, a: f32, b: f32, scales: u16) -> u16 { s2f6x2_from_f32([a, b], scales, m.relu()) }
                /// Two bf16, divided by powers of two, to two fixed-point numbers.
                S2f6x2FromB2("cvt.s2f6x2.bf16x2", Convert) = (m, a: u32, scales: u16) -> u16 { s2f6x2_from_f32(f32x2_from_bf16x2(a), scales, m.relu()) }
                /// Two fixed-point numbers, times powers of two, to two bf16.
                B2FromS2f6x2("cvt.bf16x2.s2f6x2", Convert) = (m, a: u16, scales: u16) -> u32 { bf16x2_scaled(f32x2_from_s2f6x2(a), scales, m.relu(), m.satfinite()) }
                /// Two small numbers, times powers of two, to two bf16.
                B2FromMini2Scaled("cvt.scaled.bf16x2.mini2", Convert) = (m, a: u16, scales: u16) -> u32 { bf16x2_scaled(f32x2_from_mini_x2(a, m.mini()), scales, m.relu(), m.satfinite()) }
                /// Video instruction on parts of registers.
                VideoScalar("video", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_scalar(a, b, c, VideoScalar::from_bits(m.raw())) }
                /// Video multiply-add on parts of registers.
                VideoMad("vmad", IntMul) = (m, a: u32, b: u32, c: u32) -> u32 { video_mad(a, b, c, VideoMad::from_bits(m.raw())) }
                /// Sums of two halves.
                VAdd2("vadd2", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::Add, VideoSimd::from_bits(m.raw())) }
                /// Differences of two halves.
                VSub2("vsub2", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::Sub, VideoSimd::from_bits(m.raw())) }
                /// Averages of two halves.
                VAverage2("vavrg2", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::Average, VideoSimd::from_bits(m.raw())) }
                /// Distances of two halves.
                VAbsDiff2("vabsdiff2", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::AbsDiff, VideoSimd::from_bits(m.raw())) }
                /// Minima of two halves.
                VMin2("vmin2", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::Min, VideoSimd::from_bits(m.raw())) }
                /// Maxima of two halves.
                VMax2("vmax2", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::Max, VideoSimd::from_bits(m.raw())) }
                /// Equality of two halves.
                VSetEq2("vset2.eq", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::SetEq, VideoSimd::from_bits(m.raw())) }
                /// Inequality of two halves.
                VSetNe2("vset2.ne", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::SetNe, VideoSimd::from_bits(m.raw())) }
                /// Order of two halves.
                VSetLt2("vset2.lt", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::SetLt, VideoSimd::from_bits(m.raw())) }
                /// Order of two halves.
                VSetLe2("vset2.le", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::SetLe, VideoSimd::from_bits(m.raw())) }
                /// Order of two halves.
                VSetGt2("vset2.gt", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::SetGt, VideoSimd::from_bits(m.raw())) }
                /// Order of two halves.
                VSetGe2("vset2.ge", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd2(a, b, c, VideoOp::SetGe, VideoSimd::from_bits(m.raw())) }
                /// Sums of four bytes.
                VAdd4("vadd4", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::Add, VideoSimd::from_bits(m.raw())) }
                /// Differences of four bytes.
                VSub4("vsub4", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::Sub, VideoSimd::from_bits(m.raw())) }
                /// Averages of four bytes.
                VAverage4("vavrg4", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::Average, VideoSimd::from_bits(m.raw())) }
                /// Distances of four bytes.
                VAbsDiff4("vabsdiff4", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::AbsDiff, VideoSimd::from_bits(m.raw())) }
                /// Minima of four bytes.
                VMin4("vmin4", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::Min, VideoSimd::from_bits(m.raw())) }
                /// Maxima of four bytes.
                VMax4("vmax4", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::Max, VideoSimd::from_bits(m.raw())) }
                /// Equality of four bytes.
                VSetEq4("vset4.eq", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::SetEq, VideoSimd::from_bits(m.raw())) }
                /// Inequality of four bytes.
                VSetNe4("vset4.ne", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::SetNe, VideoSimd::from_bits(m.raw())) }
                /// Order of four bytes.
                VSetLt4("vset4.lt", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::SetLt, VideoSimd::from_bits(m.raw())) }
                /// Order of four bytes.
                VSetLe4("vset4.le", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::SetLe, VideoSimd::from_bits(m.raw())) }
                /// Order of four bytes.
                VSetGt4("vset4.gt", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::SetGt, VideoSimd::from_bits(m.raw())) }
                /// Order of four bytes.
                VSetGe4("vset4.ge", IntAlu) = (m, a: u32, b: u32, c: u32) -> u32 { video_simd4(a, b, c, VideoOp::SetGe, VideoSimd::from_bits(m.raw())) }
            }
            machine {
                /// Entry of a basic block: counts it, checks the limits, meets waiting lanes at a
                /// reconvergence point. Not an instruction of the program.
                Block("block", Control),
                /// Branch of the lanes whose guard is true to a target; the others go on.
                Bra("bra", Control),
                /// Branch through a table of targets, by index.
                Brx("brx.idx", Control),
                /// Call of a function.
                Call("call", Control),
                /// Call through a function's address.
                CallIndirect("call.indirect", Control),
                /// Return to the caller; ends the thread in a kernel.
                Ret("ret", Control),
                /// Ends the thread.
                Exit("exit", Control),
                /// Ends the launch with a fault.
                Trap("trap", Control),
                /// Breakpoint: ends the launch with a fault that says so.
                Brkpt("brkpt", Control),
                /// Call of a function that the host provides.
                HostCall("call.host", Control),
                /// Does nothing but cost an issue.
                Nop("nop", Control),
                /// Reads a special register.
                Special("mov.special", Move),
                /// Loads from the kernel's parameters at a fixed offset: one value for all lanes.
                LdParam("ld.param", Memory),
                /// Loads from an address.
                Ld("ld", Memory),
                /// Stores to an address.
                St("st", Memory),
                /// Loads from the current frame at a fixed offset.
                LdFrame("ld.frame", Memory),
                /// Stores to the current frame at a fixed offset.
                StFrame("st.frame", Memory),
                /// The address of an offset in the current frame.
                FrameAddress("frame.address", IntAlu),
                /// Atomic read-modify-write that returns the old value.
                Atom("atom", Memory),
                /// Atomic read-modify-write without a result.
                Red("red", Memory),
                /// Asks for data early; checks its address and moves nothing.
                Prefetch("prefetch", Memory),
                /// Orders memory accesses.
                Fence("fence", Sync),
                /// Block barrier.
                Bar("bar", Sync),
                /// Barrier of the lanes in a member mask.
                BarWarp("bar.warp.sync", Sync),
                /// Predicate over the members: all, any, uniform, or the ballot.
                Vote("vote", Warp),
                /// Lanes with an equal value.
                Match("match", Warp),
                /// Reads another lane's value.
                Shfl("shfl", Warp),
                /// Reduction over the members.
                Redux("redux", Warp),
                /// Picks one lane of the members.
                Elect("elect", Warp),
                /// The lanes that execute this instruction together.
                ActiveMask("activemask", Warp),
                /// Copies a mask.
                MaskMov("mov.mask", Mask),
                /// And of two masks.
                MaskAnd("and.mask", Mask),
                /// Or of two masks.
                MaskOr("or.mask", Mask),
                /// Exclusive or of two masks.
                MaskXor("xor.mask", Mask),
                /// Complement of a mask.
                MaskNot("not.mask", Mask),
                /// Reserves bytes on the thread's stack.
                Alloca("alloca", Memory),
                /// Reads the stack pointer.
                StackSave("stacksave", Move),
                /// Sets the stack pointer.
                StackRestore("stackrestore", Move),
                /// Suspends the lanes for a while.
                Nanosleep("nanosleep", Control),
            }
        }
    };
}
