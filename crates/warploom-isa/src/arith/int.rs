//! Integer arithmetic and shifts beyond what the host's operators do.

/// The integers that lane operations compute with.
pub trait Integer: Copy + Ord {
    /// Width in bits.
    const BITS: u32;
    /// Zero.
    const ZERO: Self;
    /// Every bit set: the greatest unsigned number, -1 if signed.
    const ALL_ONES: Self;
    /// The upper half of the product with twice the width.
    fn mul_hi(self, other: Self) -> Self;
    /// Sum modulo 2^`BITS`.
    fn plus(self, other: Self) -> Self;
    /// Difference modulo 2^`BITS`.
    fn minus(self, other: Self) -> Self;
    /// Quotient toward zero of a division by a number other than zero, modulo 2^`BITS`.
    fn quotient(self, other: Self) -> Self;
    /// What is left of that division.
    fn remainder(self, other: Self) -> Self;
    /// Left shift; the width and more give zero.
    fn shift_left(self, amount: u32) -> Self;
    /// Right shift, arithmetic if signed; the width and more give zero or the sign.
    fn shift_right(self, amount: u32) -> Self;
    /// Leading bits that are equal to the sign of a signed number, or zero.
    fn leading_sign_bits(self) -> u32;
}

macro_rules! integers {
    ($($ty:ty, $wide:ty, $unsigned:ty;)*) => { $(
        impl Integer for $ty {
            const BITS: u32 = <$ty>::BITS;
            const ZERO: $ty = 0;
            const ALL_ONES: $ty = !0;

            #[inline(always)]
            fn mul_hi(self, other: $ty) -> $ty {
                ((<$wide>::from(self) * <$wide>::from(other)) >> <$ty>::BITS) as $ty
            }
            #[inline(always)]
            fn plus(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: $ty) -> $ty {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn quotient(self, other: $ty) -> $ty {
                self.wrapping_div(other)
            }
            #[inline(always)]
            fn remainder(self, other: $ty) -> $ty {
                self.wrapping_rem(other)
            }
            #[inline(always)]
            fn shift_left(self, amount: u32) -> $ty {
                self.unbounded_shl(amount)
            }
            #[inline(always)]
            fn shift_right(self, amount: u32) -> $ty {
                self.unbounded_shr(amount)
            }
            #[inline(always)]
            fn leading_sign_bits(self) -> u32 {
                // Of an unsigned number the shift is 0, so only zeros count.
                let sign = if <$ty>::MIN == 0 { 0 } else { self >> (<$ty>::BITS - 1) };
                ((self ^ sign) as $unsigned).leading_zeros()
            }
        }
    )* };
}

integers! {
    u16, u32, u16;
    i16, i32, u16;
    u32, u64, u32;
    i32, i64, u32;
    u64, u128, u64;
    i64, i128, u64;
}

/// `mul.hi`: the upper half of the product.
#[inline(always)]
pub fn mul_hi<T: Integer>(a: T, b: T) -> T {
    a.mul_hi(b)
}

/// `mad.hi`: the upper half of the product, plus `c`, wrapping.
#[inline(always)]
pub fn mad_hi<T: Integer>(a: T, b: T, c: T) -> T {
    a.mul_hi(b).plus(c)
}

/// `mad.hi.sat.s32`.
#[inline(always)]
pub fn mad_hi_sat(a: i32, b: i32, c: i32) -> i32 {
    a.mul_hi(b).saturating_add(c)
}

/// `sad`: `c` plus the distance of `a` and `b`, wrapping.
#[inline(always)]
pub fn sad<T: Integer>(a: T, b: T, c: T) -> T {
    c.plus(if a < b { b.minus(a) } else { a.minus(b) })
}

/// `div`; by zero it gives all ones, and the least signed number by -1 itself.
#[inline(always)]
pub fn int_div<T: Integer>(a: T, b: T) -> T {
    if b == T::ZERO {
        T::ALL_ONES
    } else {
        a.quotient(b)
    }
}

/// `rem`, with the sign of the dividend; by zero it gives all ones.
#[inline(always)]
pub fn int_rem<T: Integer>(a: T, b: T) -> T {
    if b == T::ZERO {
        T::ALL_ONES
    } else {
        a.remainder(b)
    }
}

/// `shl`; the width and more give zero.
#[inline(always)]
pub fn shl<T: Integer>(a: T, amount: u32) -> T {
    a.shift_left(amount)
}

/// `shr`, arithmetic if signed; the width and more give zero or the sign.
#[inline(always)]
pub fn shr<T: Integer>(a: T, amount: u32) -> T {
    a.shift_right(amount)
}

/// `min` or `max` with `.relu`: a negative result becomes zero.
#[inline(always)]
pub fn int_relu<T: Integer>(x: T) -> T {
    x.max(T::ZERO)
}

/// The 24 low bits, sign-extended.
#[inline(always)]
fn low24_s(x: u32) -> i64 {
    i64::from((x << 8) as i32 >> 8)
}

#[inline(always)]
fn product24(a: u32, b: u32, signed: bool) -> u64 {
    if signed {
        (low24_s(a) * low24_s(b)) as u64
    } else {
        u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
    }
}

/// `mul24.lo`: the low 32 bits of the product of the operands' low 24 bits.
#[inline(always)]
pub fn mul24_lo(a: u32, b: u32, signed: bool) -> u32 {
    product24(a, b, signed) as u32
}

/// `mul24.hi`: bits 16 to 47 of that product.
#[inline(always)]
pub fn mul24_hi(a: u32, b: u32, signed: bool) -> u32 {
    (product24(a, b, signed) >> 16) as u32
}

/// `mad24.hi.sat.s32`.
#[inline(always)]
pub fn mad24_hi_sat(a: u32, b: u32, c: i32) -> i32 {
    (mul24_hi(a, b, true) as i32).saturating_add(c)
}

#[inline(always)]
fn byte(x: u32, index: u32, signed: bool) -> i32 {
    let byte = (x >> (8 * index)) as u8;
    if signed {
        i32::from(byte as i8)
    } else {
        i32::from(byte)
    }
}

#[inline(always)]
fn half(x: u32, index: u32, signed: bool) -> i32 {
    let half = (x >> (16 * index)) as u16;
    if signed {
        i32::from(half as i16)
    } else {
        i32::from(half)
    }
}

/// `dp4a`: `c` plus the products of the four bytes of `a` and `b`, wrapping.
#[inline(always)]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| {
        sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32)
    })
}

/// `dp2a`: `c` plus the products of the halves of `a` and two bytes of `b`, the low or the high
/// ones; wrapping.
#[inline(always)]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    let first = if high { 2 } else { 0 };
    (0..2).fold(c, |sum, i| {
        sum.wrapping_add((half(a, i, a_signed) * byte(b, first + i, b_signed)) as u32)
    })
}
