//! The values that lane operations compute with, and how they lie in register rows.

use crate::arith::AnyNanF32;

/// What kind of register an operand needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegClass {
    /// One row: 32 bits per lane. Narrower values are zero-extended.
    Lane32,
    /// Two rows: 64 bits per lane.
    Lane64,
    /// One bit per lane.
    Mask,
}

/// A type that a lane operation reads or writes.
pub trait LaneType: Copy {
    /// The register class that holds it.
    const CLASS: RegClass;
    /// Its name in listings.
    const NAME: &'static str;
}

macro_rules! lane_types {
    ($($ty:ty, $class:ident, $name:literal;)*) => { $(
        impl LaneType for $ty {
            const CLASS: RegClass = RegClass::$class;
            const NAME: &'static str = $name;
        }
    )* };
}

lane_types! {
    u16, Lane32, "u16";
    i16, Lane32, "i16";
    u32, Lane32, "u32";
    i32, Lane32, "i32";
    f32, Lane32, "f32";
    u64, Lane64, "u64";
    i64, Lane64, "i64";
    f64, Lane64, "f64";
    bool, Mask, "mask";
    AnyNanF32, Lane32, "f32";
}

/// What a lane operation returns: one value, or a value and a mask bit.
pub trait LaneResult {
    /// Class of the first destination.
    const CLASS: RegClass;
    /// Whether there is a second destination, a mask.
    const HAS_SECOND: bool;
}

impl<T: LaneType> LaneResult for T {
    const CLASS: RegClass = T::CLASS;
    const HAS_SECOND: bool = false;
}

impl<T: LaneType> LaneResult for (T, bool) {
    const CLASS: RegClass = T::CLASS;
    const HAS_SECOND: bool = true;
}
