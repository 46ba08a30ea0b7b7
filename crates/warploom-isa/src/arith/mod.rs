//! Scalar arithmetic of the lane operations: what PTX computes in one lane, bit for bit.
//!
//! Pure functions without state. A function is named `operation_type` (`fma_f32`, `max_f16`) and
//! takes the operands in PTX order, then the modifiers in the order in which PTX writes them:
//! rounding, `.ftz`, `.sat` or `.relu`. Modifiers are plain enums and booleans, so that a call with
//! constants folds to the bare host operation and a loop over lanes vectorises. f16, bf16 and the
//! 8-bit formats travel as their bit patterns; packed operands are taken apart by [`halves2`] and
//! its sisters.
//!
//! # Rounding
//!
//! To nearest is the host's own operation where host and PTX agree. The other directions of f32,
//! and the single rounding of f16 and bf16, come from one error-free computation in a wider type
//! whose last bit records what was lost (rounding to odd), rounded once more; f64, integers of 64
//! bits and the small formats are rounded from exact integers (`soft`).
//!
//! # NaN
//!
//! An f32, f16 or bf16 result that is not a number is the canonical one that hardware returns
//! (0x7fffffff, 0x7fff), whatever went in. The manual keeps f64 payloads without saying whose:
//! here it is the first operand's that is NaN, made quiet, and an invalid operation gives
//! 0xfff8000000000000. Hosts differ in this, so no f64 operation returns the host's choice.
//!
//! # Flush to zero
//!
//! `.ftz` replaces subnormal operands, and results that are tiny after rounding with unbounded
//! exponent, by zeros of their sign. So a product that only the coarse subnormal spacing would
//! lift to the least normal number is flushed as well.
//!
//! # Division by zero
//!
//! The manual leaves integer division by zero open; hardware gives all ones, for the quotient and
//! for the remainder, and so do [`int_div`] and [`int_rem`].

/// An enum with a number per variant, for modifier words.
macro_rules! coded_enum {
    ($(#[$doc:meta])* $name:ident { $first:ident: $fdoc:literal, $($variant:ident: $vdoc:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $name {
            #[doc = $fdoc] $first,
            $(#[doc = $vdoc] $variant,)*
        }

        impl $name {
            /// Every variant, in the order of their codes.
            pub const ALL: &'static [$name] = &[$name::$first, $($name::$variant),*];

            /// Its number in a modifier word.
            #[inline(always)]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The variant with this number; the first one when there is none.
            #[inline(always)]
            pub const fn from_code(code: u8) -> $name {
                $(if code == $name::$variant as u8 {
                    return $name::$variant;
                })*
                $name::$first
            }
        }
    };
}

mod approx;
mod bits;
mod compare;
mod convert;
mod flush;
mod int;
mod minifloat;
mod narrow;
mod round;
mod soft;
mod video;

pub use approx::*;
pub use bits::*;
pub use compare::*;
pub use convert::*;
pub use flush::*;
pub use int::*;
pub use minifloat::*;
pub use narrow::*;
pub use round::*;
pub use video::*;

coded_enum! {
    /// A rounding direction.
    Round {
        NearestEven: "To nearest, ties to even.",
        Zero: "Toward zero.",
        Down: "Toward negative infinity.",
        Up: "Toward positive infinity.",
        NearestAway: "To nearest, ties away from zero. Only conversions to tf32 have it.",
    }
}

coded_enum! {
    /// What a floating-point result is limited to.
    Clamp {
        None: "Nothing.",
        Saturate: "`.sat`: the range from 0 to 1; NaN becomes +0.",
        Relu: "`.relu`: at least 0; NaN stays.",
    }
}

coded_enum! {
    /// A 16-bit floating-point format.
    Narrow {
        F16: "5 bits of exponent, 10 of fraction.",
        Bf16: "8 bits of exponent, 7 of fraction.",
    }
}

/// Applies an operation to both 16-bit halves of a register.
#[inline(always)]
pub fn halves1(a: u32, op: impl Fn(u16) -> u16) -> u32 {
    join_halves(op(a as u16), op((a >> 16) as u16))
}

/// Applies an operation to the halves of two registers, low with low, high with high.
#[inline(always)]
pub fn halves2(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    join_halves(
        op(a as u16, b as u16),
        op((a >> 16) as u16, (b >> 16) as u16),
    )
}

/// Applies an operation to the halves of three registers.
#[inline(always)]
pub fn halves3(a: u32, b: u32, c: u32, op: impl Fn(u16, u16, u16) -> u16) -> u32 {
    join_halves(
        op(a as u16, b as u16, c as u16),
        op((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16),
    )
}

/// Two 16-bit halves in one register.
#[inline(always)]
pub(crate) fn join_halves(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// Applies an operation to the two f32 of each `.f32x2` operand.
#[inline(always)]
pub fn pairs2(a: u64, b: u64, op: impl Fn(f32, f32) -> f32) -> u64 {
    join_pair(
        op(low_f32(a), low_f32(b)),
        op(low_f32(a >> 32), low_f32(b >> 32)),
    )
}

/// Applies an operation to the two f32 of each of three `.f32x2` operands.
#[inline(always)]
pub fn pairs3(a: u64, b: u64, c: u64, op: impl Fn(f32, f32, f32) -> f32) -> u64 {
    join_pair(
        op(low_f32(a), low_f32(b), low_f32(c)),
        op(low_f32(a >> 32), low_f32(b >> 32), low_f32(c >> 32)),
    )
}

#[inline(always)]
fn low_f32(pair: u64) -> f32 {
    f32::from_bits(pair as u32)
}

#[inline(always)]
fn join_pair(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}
