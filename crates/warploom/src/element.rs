//! The types of array elements and of scalar arguments.

use std::fmt;

use half::{bf16, f16};

/// How the bits of a type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An unsigned integer.
    Unsigned,
    /// A two's-complement integer.
    Signed,
    /// A binary floating-point number.
    Float,
    /// One byte, 0 or 1.
    Bool,
}

macro_rules! element_types {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $bytes:literal, $class:ident, $npy:literal;)*) => {
        /// Type of an array element or of a scalar argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ElementType {
            $($(#[$doc])* $name,)*
        }

        impl ElementType {
            /// All types, in the order of messages.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$name,)*];

            /// The name in launch files and arguments.
            pub const fn name(self) -> &'static str {
                match self { $(ElementType::$name => $text,)* }
            }

            /// Size of an element in bytes.
            pub const fn bytes(self) -> usize {
                match self { $(ElementType::$name => $bytes,)* }
            }

            /// How its bits are read.
            pub const fn class(self) -> Class {
                match self { $(ElementType::$name => Class::$class,)* }
            }

            /// Its type in a `.npy` file, without the byte order.
            pub const fn npy(self) -> &'static str {
                match self { $(ElementType::$name => $npy,)* }
            }
        }
    };
}

element_types! {
    /// 8-bit unsigned.
    U8, "u8", 1, Unsigned, "u1";
    /// 8-bit signed.
    S8, "s8", 1, Signed, "i1";
    /// 16-bit unsigned.
    U16, "u16", 2, Unsigned, "u2";
    /// 16-bit signed.
    S16, "s16", 2, Signed, "i2";
    /// 32-bit unsigned.
    U32, "u32", 4, Unsigned, "u4";
    /// 32-bit signed.
    S32, "s32", 4, Signed, "i4";
    /// 64-bit unsigned.
    U64, "u64", 8, Unsigned, "u8";
    /// 64-bit signed.
    S64, "s64", 8, Signed, "i8";
    /// IEEE half precision.
    F16, "f16", 2, Float, "f2";
    /// bfloat16; `.npy` files hold its bits as `uint16`.
    Bf16, "bf16", 2, Float, "u2";
    /// IEEE single precision.
    F32, "f32", 4, Float, "f4";
    /// IEEE double precision.
    F64, "f64", 8, Float, "f8";
    /// A byte, 0 or 1.
    Bool, "bool", 1, Bool, "b1";
}

/// A value of some element type, without its width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of an integer or a bool.
    Integer(i128),
    /// Of a floating-point number; every such type fits an `f64` exactly.
    Float(f64),
}

impl Value {
    /// The nearest `f64`.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Integer(value) => value as f64,
            Value::Float(value) => value,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            // Plain digits for everyday sizes, an exponent beyond.
            Value::Float(value) if *value == 0.0 || (1e-4..1e16).contains(&value.abs()) => {
                write!(f, "{value:?}")
            }
            Value::Float(value) if value.is_finite() => write!(f, "{value:e}"),
            Value::Float(value) => write!(f, "{value}"),
        }
    }
}

impl ElementType {
    /// The type called `name`.
    pub fn by_name(name: &str) -> Option<ElementType> {
        Self::ALL.iter().copied().find(|ty| ty.name() == name)
    }

    /// The value in `bytes`, little-endian; missing bytes are zero.
    pub fn decode(self, bytes: &[u8]) -> Value {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(bytes.iter().take(self.bytes())) {
            *to = *from;
        }
        let bits = u64::from_le_bytes(word);
        match self {
            ElementType::F16 => Value::Float(f16::from_bits(bits as u16).to_f64()),
            ElementType::Bf16 => Value::Float(bf16::from_bits(bits as u16).to_f64()),
            ElementType::F32 => Value::Float(f64::from(f32::from_bits(bits as u32))),
            ElementType::F64 => Value::Float(f64::from_bits(bits)),
            _ => {
                let unused = 64 - 8 * self.bytes() as u32;
                Value::Integer(match self.class() {
                    Class::Signed => i128::from((bits << unused) as i64 >> unused),
                    _ => i128::from(bits),
                })
            }
        }
    }

    /// The bits of an integer in this type: wrapped for integers, rounded to nearest for floats,
    /// non-zero for bool. This is what NumPy's `astype` does.
    pub fn from_integer(self, value: u64) -> u64 {
        match self.class() {
            Class::Float => self.from_f64(value as f64),
            Class::Bool => u64::from(value != 0),
            _ => value & self.mask(),
        }
    }

    /// The bits of the nearest value of this floating-point type; zero for other types.
    pub fn from_f64(self, value: f64) -> u64 {
        match self {
            ElementType::F16 => u64::from(f16::from_f64(value).to_bits()),
            ElementType::Bf16 => u64::from(bf16::from_f64(value).to_bits()),
            ElementType::F32 => u64::from((value as f32).to_bits()),
            ElementType::F64 => value.to_bits(),
            _ => 0,
        }
    }

    /// Lowest and highest integer of an integer type.
    pub fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes() as u32;
        match self.class() {
            Class::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Class::Bool => (0, 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// All bits of the type set.
    pub(crate) const fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes())
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_their_bytes() {
        let cases: &[(ElementType, u64, &str)] = &[
            (ElementType::U8, 0xff, "255"),
            (ElementType::S8, 0xff, "-1"),
            (ElementType::S16, 0x8000, "-32768"),
            (ElementType::U64, u64::MAX, "18446744073709551615"),
            (ElementType::S64, u64::MAX, "-1"),
            (ElementType::F16, 0x3c00, "1.0"),
            (ElementType::Bf16, 0xc040, "-3.0"),
            (ElementType::F32, 0x7f80_0000, "inf"),
            (ElementType::F64, 0x0000_0000_0000_0001, "5e-324"),
            (ElementType::F32, 0x8000_0000, "-0.0"),
            (ElementType::Bool, 1, "1"),
        ];
        for &(ty, bits, shown) in cases {
            assert_eq!(ty.decode(&bits.to_le_bytes()).to_string(), shown, "{ty}");
        }
    }

    #[test]
    fn integers_convert_as_numpy_does() {
        assert_eq!(ElementType::U8.from_integer(257), 1);
        assert_eq!(ElementType::S8.from_integer(255), 0xff);
        assert_eq!(ElementType::Bool.from_integer(2), 1);
        // 2049 lies between the halves 2048 and 2050; ties go to the even one.
        assert_eq!(ElementType::F16.from_integer(2049), 0x6800);
        assert_eq!(ElementType::F16.from_integer(70_000), 0x7c00);
        assert_eq!(ElementType::F32.from_integer(3), 0x4040_0000);
    }
}
