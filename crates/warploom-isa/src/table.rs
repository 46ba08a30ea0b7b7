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
                AddF32("add.rn.f32", Fp32) = (_, a: f32, b: f32) -> f32 { canonical_f32(a + b) }
                /// Subtraction, to nearest even.
                SubF32("sub.rn.f32", Fp32) = (_, a: f32, b: f32) -> f32 { canonical_f32(a - b) }
                /// Multiplication, to nearest even.
                MulF32("mul.rn.f32", Fp32) = (_, a: f32, b: f32) -> f32 { canonical_f32(a * b) }
                /// Fused multiply-add, to nearest even.
                FmaF32("fma.rn.f32", Fp32) = (_, a: f32, b: f32, c: f32) -> f32 { canonical_f32(a.mul_add(b, c)) }
                /// Addition, to nearest even.
                AddF64("add.rn.f64", Fp64) = (_, a: f64, b: f64) -> f64 { a + b }
                /// Subtraction, to nearest even.
                SubF64("sub.rn.f64", Fp64) = (_, a: f64, b: f64) -> f64 { a - b }
                /// Multiplication, to nearest even.
                MulF64("mul.rn.f64", Fp64) = (_, a: f64, b: f64) -> f64 { a * b }
                /// Fused multiply-add, to nearest even.
                FmaF64("fma.rn.f64", Fp64) = (_, a: f64, b: f64, c: f64) -> f64 { a.mul_add(b, c) }
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
                /// Signed 32-bit integer to f32, to nearest even.
                F32FromS32("cvt.rn.f32.s32", Convert) = (_, a: i32) -> f32 { a as f32 }
            }
            cold {
                /// Wrapping subtraction of 16 bits.
                SubI16("sub.i16", IntAlu) = (_, a: u16, b: u16) -> u16 { a.wrapping_sub(b) }
                /// Low 16 bits of the product.
                MulLoI16("mul.lo.i16", IntMul) = (_, a: u16, b: u16) -> u16 { a.wrapping_mul(b) }
                /// Signed quotient; division by zero gives all ones, the least number by -1 itself.
                DivS32("div.s32", IntDiv) = (_, a: i32, b: i32) -> i32 { if b == 0 { -1 } else { a.wrapping_div(b) } }
                /// Unsigned quotient; division by zero gives all ones.
                DivU32("div.u32", IntDiv) = (_, a: u32, b: u32) -> u32 { if b == 0 { u32::MAX } else { a / b } }
                /// Signed remainder; by zero it gives the dividend.
                RemS32("rem.s32", IntDiv) = (_, a: i32, b: i32) -> i32 { if b == 0 { a } else { a.wrapping_rem(b) } }
                /// Unsigned remainder; by zero it gives the dividend.
                RemU32("rem.u32", IntDiv) = (_, a: u32, b: u32) -> u32 { if b == 0 { a } else { a % b } }
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
