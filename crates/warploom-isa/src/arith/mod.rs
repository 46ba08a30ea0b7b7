//! Scalar arithmetic of the lane operations.
//!
//! The lead wrote these few names so that the crate compiles; they are part of the contract
//! (`crate::mods::Mods` packs `Round` and `Cmp`): keep the names, replace the bodies.

/// A rounding direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Round {
    /// To nearest, ties to even.
    NearestEven,
    /// Toward zero.
    Zero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
    /// To nearest, ties away from zero.
    NearestAway,
}

/// A comparison of `set` and `setp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cmp {
    /// Equal.
    Eq,
}

impl Cmp {
    /// Its number in a modifier word, below 32.
    pub const fn code(self) -> u8 {
        0
    }

    /// The comparison with this number.
    pub const fn from_code(_code: u8) -> Cmp {
        Cmp::Eq
    }
}

/// Replaces any NaN by the canonical one, 0x7fffffff.
#[inline(always)]
pub fn canonical_f32(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(0x7fff_ffff)
    } else {
        x
    }
}
