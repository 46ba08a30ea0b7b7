//! Scalar types and state spaces, as they are written after a dot in PTX.

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeClass {
    /// Two's complement integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
    /// Untyped bits; compatible with any type of the same width.
    Bits,
    /// A floating-point format, whole or packed.
    Float,
    /// One bit per lane.
    Predicate,
}

macro_rules! scalar_types {
    ($($variant:ident $name:literal $width_bits:literal $class:ident $lanes:literal;)*) => {
        /// A scalar or packed type of the instruction set, including those that only
        /// instructions name (`.e4m3x2`, `.tf32`) and that no register is declared with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ScalarType {
            $(#[doc = concat!("`.", $name, "`")] $variant,)*
        }

        impl ScalarType {
            /// Every type, in declaration order.
            pub const ALL: &[ScalarType] = &[$(ScalarType::$variant),*];

            /// The type written as `name`, without its leading dot.
            pub fn from_name(name: &str) -> Option<ScalarType> {
                match name {
                    $($name => Some(ScalarType::$variant),)*
                    _ => None,
                }
            }

            /// The name without its leading dot.
            pub const fn name(self) -> &'static str {
                match self { $(ScalarType::$variant => $name,)* }
            }

            /// Width of the whole value; packed formats count all their elements.
            pub const fn width_bits(self) -> u32 {
                match self { $(ScalarType::$variant => $width_bits,)* }
            }

            /// What the bits mean.
            pub const fn class(self) -> TypeClass {
                match self { $(ScalarType::$variant => TypeClass::$class,)* }
            }

            /// Number of packed elements in the value: 2 for `.f16x2`, 1 for `.f32`.
            pub const fn elements(self) -> u32 {
                match self { $(ScalarType::$variant => $lanes,)* }
            }
        }
    };
}

scalar_types! {
    S4 "s4" 4 Signed 1;
    S8 "s8" 8 Signed 1;
    S16 "s16" 16 Signed 1;
    S32 "s32" 32 Signed 1;
    S64 "s64" 64 Signed 1;
    S16x2 "s16x2" 32 Signed 2;
    S8x4 "s8x4" 32 Signed 4;
    U4 "u4" 4 Unsigned 1;
    U8 "u8" 8 Unsigned 1;
    U16 "u16" 16 Unsigned 1;
    U32 "u32" 32 Unsigned 1;
    U64 "u64" 64 Unsigned 1;
    U16x2 "u16x2" 32 Unsigned 2;
    U8x4 "u8x4" 32 Unsigned 4;
    B1 "b1" 1 Bits 1;
    B8 "b8" 8 Bits 1;
    B16 "b16" 16 Bits 1;
    B32 "b32" 32 Bits 1;
    B64 "b64" 64 Bits 1;
    B128 "b128" 128 Bits 1;
    F16 "f16" 16 Float 1;
    F16x2 "f16x2" 32 Float 2;
    Bf16 "bf16" 16 Float 1;
    Bf16x2 "bf16x2" 32 Float 2;
    Tf32 "tf32" 32 Float 1;
    F32 "f32" 32 Float 1;
    F32x2 "f32x2" 64 Float 2;
    F64 "f64" 64 Float 1;
    E4m3 "e4m3" 8 Float 1;
    E4m3x2 "e4m3x2" 16 Float 2;
    E4m3x4 "e4m3x4" 32 Float 4;
    E5m2 "e5m2" 8 Float 1;
    E5m2x2 "e5m2x2" 16 Float 2;
    E5m2x4 "e5m2x4" 32 Float 4;
    E2m3 "e2m3" 6 Float 1;
    E2m3x2 "e2m3x2" 16 Float 2;
    E2m3x4 "e2m3x4" 32 Float 4;
    E3m2 "e3m2" 6 Float 1;
    E3m2x2 "e3m2x2" 16 Float 2;
    E3m2x4 "e3m2x4" 32 Float 4;
    E2m1 "e2m1" 4 Float 1;
    E2m1x2 "e2m1x2" 8 Float 2;
    E2m1x4 "e2m1x4" 16 Float 4;
    S2f6x2 "s2f6x2" 16 Float 2;
    Ue8m0 "ue8m0" 8 Float 1;
    Ue8m0x2 "ue8m0x2" 16 Float 2;
    Ue4m3 "ue4m3" 8 Float 1;
    Pred "pred" 1 Predicate 1;
}

impl ScalarType {
    /// Bytes that one value occupies in memory.
    pub const fn size_bytes(self) -> u32 {
        self.width_bits().div_ceil(8)
    }

    /// Whether registers and variables may be declared with this type. Formats narrower than a
    /// byte exist only inside packed operands.
    pub const fn is_declarable(self) -> bool {
        matches!(self.class(), TypeClass::Predicate)
            || (self.width_bits() >= 8 && self.width_bits().is_power_of_two())
    }

    /// Whether the class is signed or unsigned integer.
    pub const fn is_integer(self) -> bool {
        matches!(self.class(), TypeClass::Signed | TypeClass::Unsigned)
    }

    /// Whether the class is floating point.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), TypeClass::Float)
    }
}

/// Where a declared name lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateSpace {
    /// `.const`
    Const,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param`
    Param,
    /// `.shared`
    Shared,
    /// `.tex`, the texture variables of PTX before 1.5.
    Tex,
}

impl StateSpace {
    /// The space of a directive such as `.global`, given without its dot.
    pub fn from_name(name: &str) -> Option<StateSpace> {
        Some(match name {
            "const" => StateSpace::Const,
            "global" => StateSpace::Global,
            "local" => StateSpace::Local,
            "param" => StateSpace::Param,
            "shared" => StateSpace::Shared,
            "tex" => StateSpace::Tex,
            _ => return None,
        })
    }

    /// The name without its leading dot.
    pub const fn name(self) -> &'static str {
        match self {
            StateSpace::Const => "const",
            StateSpace::Global => "global",
            StateSpace::Local => "local",
            StateSpace::Param => "param",
            StateSpace::Shared => "shared",
            StateSpace::Tex => "tex",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_widths_and_classes() {
        let cases = [
            ("s8", 8, TypeClass::Signed, 1),
            ("u64", 64, TypeClass::Unsigned, 1),
            ("b128", 128, TypeClass::Bits, 1),
            ("f16x2", 32, TypeClass::Float, 2),
            ("e4m3x4", 32, TypeClass::Float, 4),
            ("tf32", 32, TypeClass::Float, 1),
            ("pred", 1, TypeClass::Predicate, 1),
        ];
        for (name, width_bits, class, elements) in cases {
            let ty = ScalarType::from_name(name).expect(name);
            assert_eq!(ty.width_bits(), width_bits, "{name}");
            assert_eq!(ty.class(), class, "{name}");
            assert_eq!(ty.elements(), elements, "{name}");
        }
        assert_eq!(ScalarType::from_name("f33"), None);
    }

    #[test]
    fn every_name_is_read_back() {
        for &ty in ScalarType::ALL {
            assert_eq!(ScalarType::from_name(ty.name()), Some(ty));
        }
    }

    #[test]
    fn sub_byte_formats_are_not_declarable() {
        assert!(ScalarType::Pred.is_declarable());
        assert!(ScalarType::B8.is_declarable());
        assert!(!ScalarType::E2m3.is_declarable());
        assert!(!ScalarType::U4.is_declarable());
    }
}
