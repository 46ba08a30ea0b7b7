//! Modifiers of an operation that are known when it is decoded, packed into 32 bits.

use crate::arith::{Clamp, Cmp, IntType, Mini, Narrow, PermuteMode, Property, Round};

/// Packed modifiers. What a bit means is up to the operation: arithmetic reads the fields below,
/// others a plain number ([`Mods::raw`]) such as the truth table of `lop3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mods(pub u32);

macro_rules! flags {
    ($($(#[$doc:meta])* $get:ident, $with:ident, $bit:literal;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub const fn $get(self) -> bool {
            self.0 & (1 << $bit) != 0
        }

        #[doc = concat!("Sets [`Mods::", stringify!($get), "`].")]
        pub const fn $with(self, on: bool) -> Mods {
            Mods(self.0 & !(1 << $bit) | (on as u32) << $bit)
        }
    )* };
}

impl Mods {
    /// No modifier: round to nearest even, no flush, no saturation.
    pub const NONE: Mods = Mods(0);

    flags! {
        /// Flush subnormal inputs and results to zero.
        ftz, with_ftz, 3;
        /// Clamp the result to `[0, 1]`, or to the integer range.
        sat, with_sat, 4;
        /// Clamp negative results to zero.
        relu, with_relu, 5;
        /// Propagate NaN through minimum and maximum.
        nan, with_nan, 6;
        /// Take the sign as the exclusive or of the operands' signs.
        xorsign, with_xorsign, 7;
        /// Clamp out-of-range conversions to the largest finite value.
        satfinite, with_satfinite, 8;
        /// A free choice bit of the operation (signedness, direction, variant).
        variant, with_variant, 15;
        /// The first operand of a dot product is signed.
        a_signed, with_a_signed, 16;
        /// The second operand of a dot product is signed.
        b_signed, with_b_signed, 17;
    }

    /// The rounding direction.
    #[inline(always)]
    pub fn round(self) -> Round {
        match self.0 & 7 {
            1 => Round::Zero,
            2 => Round::Down,
            3 => Round::Up,
            4 => Round::NearestAway,
            _ => Round::NearestEven,
        }
    }

    /// Sets the rounding direction.
    pub fn with_round(self, round: Round) -> Mods {
        let code = match round {
            Round::NearestEven => 0,
            Round::Zero => 1,
            Round::Down => 2,
            Round::Up => 3,
            Round::NearestAway => 4,
        };
        Mods(self.0 & !7 | code)
    }

    /// The comparison of `set` and `setp` operations.
    #[inline(always)]
    pub fn cmp(self) -> Cmp {
        Cmp::from_code((self.0 >> 9 & 0x1f) as u8)
    }

    /// Sets the comparison.
    pub fn with_cmp(self, cmp: Cmp) -> Mods {
        Mods(self.0 & !(0x1f << 9) | u32::from(cmp.code()) << 9)
    }

    /// The 16-bit floating-point format.
    #[inline(always)]
    pub const fn format(self) -> Narrow {
        Narrow::from_code((self.0 >> 14 & 1) as u8)
    }

    /// Sets the 16-bit floating-point format.
    pub const fn with_format(self, format: Narrow) -> Mods {
        Mods(self.0 & !(1 << 14) | (format.code() as u32) << 14)
    }

    /// What the result is limited to, from [`Mods::sat`] and [`Mods::relu`].
    #[inline(always)]
    pub const fn clamp(self) -> Clamp {
        match (self.sat(), self.relu()) {
            (true, _) => Clamp::Saturate,
            (false, true) => Clamp::Relu,
            (false, false) => Clamp::None,
        }
    }

    /// The integer type that a conversion reads.
    #[inline(always)]
    pub const fn from_int(self) -> IntType {
        IntType::from_code((self.0 >> 16 & 7) as u8)
    }

    /// Sets the integer type that a conversion reads.
    pub const fn with_from_int(self, ty: IntType) -> Mods {
        Mods(self.0 & !(7 << 16) | (ty.code() as u32) << 16)
    }

    /// The integer type that a conversion gives.
    #[inline(always)]
    pub const fn to_int(self) -> IntType {
        IntType::from_code((self.0 >> 19 & 7) as u8)
    }

    /// Sets the integer type that a conversion gives.
    pub const fn with_to_int(self, ty: IntType) -> Mods {
        Mods(self.0 & !(7 << 19) | (ty.code() as u32) << 19)
    }

    /// The small floating-point format of a conversion, by [`Mods::high`].
    #[inline(always)]
    pub const fn mini(self) -> Mini {
        Mini::from_code(self.high() as u8)
    }

    /// The property that `testp` tests, by [`Mods::high`].
    #[inline(always)]
    pub const fn property(self) -> Property {
        Property::from_code(self.high() as u8)
    }

    /// The mode of `prmt`, by [`Mods::high`].
    #[inline(always)]
    pub const fn permute(self) -> PermuteMode {
        PermuteMode::from_code(self.high() as u8)
    }

    /// The whole word, for operations that carry a number.
    #[inline(always)]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// Bits 16 to 31, for operations that carry a number beside the flags.
    #[inline(always)]
    pub const fn high(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Sets bits 16 to 31.
    pub const fn with_high(self, value: u16) -> Mods {
        Mods(self.0 & 0xffff | (value as u32) << 16)
    }
}
