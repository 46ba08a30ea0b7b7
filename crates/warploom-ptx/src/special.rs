//! The special registers of PTX: what they are called and what type reading one gives.

use crate::types::ScalarType;

macro_rules! special_registers {
    ($($variant:ident $name:literal $ty:ident $dimensions:literal $version:literal $target:literal;)*) => {
        /// A register that the machine provides.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialRegister {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
            /// `%pm0` to `%pm7`
            Pm(u8),
            /// `%pm0_64` to `%pm7_64`
            Pm64(u8),
            /// `%envreg0` to `%envreg31`
            Envreg(u8),
        }

        impl SpecialRegister {
            /// The registers without a number in their name.
            pub const PLAIN: &[SpecialRegister] = &[$(SpecialRegister::$variant),*];

            fn plain(name: &str) -> Option<SpecialRegister> {
                match name {
                    $($name => Some(SpecialRegister::$variant),)*
                    _ => None,
                }
            }

            /// The name with its percent sign; those with a number give the common part.
            pub const fn name(self) -> &'static str {
                match self {
                    $(SpecialRegister::$variant => $name,)*
                    SpecialRegister::Pm(_) => "%pm",
                    SpecialRegister::Pm64(_) => "%pm_64",
                    SpecialRegister::Envreg(_) => "%envreg",
                }
            }

            /// The type of the value that is read.
            pub const fn ty(self) -> ScalarType {
                match self {
                    $(SpecialRegister::$variant => ScalarType::$ty,)*
                    SpecialRegister::Pm(_) => ScalarType::U32,
                    SpecialRegister::Pm64(_) => ScalarType::U64,
                    SpecialRegister::Envreg(_) => ScalarType::B32,
                }
            }

            /// The first version of PTX, as `major * 10 + minor`, and the first architecture
            /// that have it.
            pub const fn since(self) -> (u16, u32) {
                match self {
                    $(SpecialRegister::$variant => ($version, $target),)*
                    SpecialRegister::Pm(0..=3) => (13, 0),
                    SpecialRegister::Pm(_) => (30, 20),
                    SpecialRegister::Pm64(_) => (40, 50),
                    SpecialRegister::Envreg(_) => (21, 0),
                }
            }

            /// Whether it has dimensions `.x .y .z`.
            pub const fn has_dimensions(self) -> bool {
                match self {
                    $(SpecialRegister::$variant => $dimensions,)*
                    _ => false,
                }
            }
        }
    };
}

special_registers! {
    Tid "%tid" U32 true 10 0;
    Ntid "%ntid" U32 true 10 0;
    Laneid "%laneid" U32 false 13 0;
    Warpid "%warpid" U32 false 13 0;
    Nwarpid "%nwarpid" U32 false 20 20;
    Ctaid "%ctaid" U32 true 10 0;
    Nctaid "%nctaid" U32 true 10 0;
    Smid "%smid" U32 false 13 0;
    Nsmid "%nsmid" U32 false 20 20;
    Gridid "%gridid" U64 false 10 0;
    IsExplicitCluster "%is_explicit_cluster" Pred false 78 90;
    Clusterid "%clusterid" U32 true 78 90;
    Nclusterid "%nclusterid" U32 true 78 90;
    ClusterCtaid "%cluster_ctaid" U32 true 78 90;
    ClusterNctaid "%cluster_nctaid" U32 true 78 90;
    ClusterCtarank "%cluster_ctarank" U32 false 78 90;
    ClusterNctarank "%cluster_nctarank" U32 false 78 90;
    LanemaskEq "%lanemask_eq" U32 false 20 20;
    LanemaskLe "%lanemask_le" U32 false 20 20;
    LanemaskLt "%lanemask_lt" U32 false 20 20;
    LanemaskGe "%lanemask_ge" U32 false 20 20;
    LanemaskGt "%lanemask_gt" U32 false 20 20;
    Clock "%clock" U32 false 10 0;
    ClockHi "%clock_hi" U32 false 50 20;
    Clock64 "%clock64" U64 false 20 20;
    Globaltimer "%globaltimer" U64 false 31 30;
    GlobaltimerLo "%globaltimer_lo" U32 false 31 30;
    GlobaltimerHi "%globaltimer_hi" U32 false 31 30;
    ReservedSmemOffsetBegin "%reserved_smem_offset_begin" B32 false 76 80;
    ReservedSmemOffsetEnd "%reserved_smem_offset_end" B32 false 76 80;
    ReservedSmemOffsetCap "%reserved_smem_offset_cap" B32 false 76 80;
    ReservedSmemOffset0 "%reserved_smem_offset_0" B32 false 76 80;
    ReservedSmemOffset1 "%reserved_smem_offset_1" B32 false 76 80;
    TotalSmemSize "%total_smem_size" U32 false 41 20;
    AggrSmemSize "%aggr_smem_size" U32 false 81 90;
    DynamicSmemSize "%dynamic_smem_size" U32 false 41 20;
    CurrentGraphExec "%current_graph_exec" U64 false 80 50;
}

impl SpecialRegister {
    /// The special register called `name`, percent sign included, selector left out.
    pub fn from_name(name: &str) -> Option<SpecialRegister> {
        if let Some(register) = Self::plain(name) {
            return Some(register);
        }
        if let Some(number) = name.strip_prefix("%envreg") {
            return numbered(number, 32).map(SpecialRegister::Envreg);
        }
        let number = name.strip_prefix("%pm")?;
        match number.strip_suffix("_64") {
            Some(number) => numbered(number, 8).map(SpecialRegister::Pm64),
            None => numbered(number, 8).map(SpecialRegister::Pm),
        }
    }
}

/// A decimal number below `count`, without leading zeros or sign.
fn numbered(text: &str, count: u8) -> Option<u8> {
    let plain =
        text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
    let number: u8 = plain.then(|| text.parse().ok())??;
    (number < count).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_numbers() {
        let cases = [
            ("%tid", Some(SpecialRegister::Tid)),
            ("%clock64", Some(SpecialRegister::Clock64)),
            ("%pm7", Some(SpecialRegister::Pm(7))),
            ("%pm3_64", Some(SpecialRegister::Pm64(3))),
            ("%envreg31", Some(SpecialRegister::Envreg(31))),
            ("%envreg32", None),
            ("%pm8", None),
            ("%pm", None),
            ("%envreg01", None),
            ("%pm+1", None),
            ("tid", None),
        ];
        for (name, expected) in cases {
            assert_eq!(SpecialRegister::from_name(name), expected, "{name}");
        }
    }

    #[test]
    fn every_plain_name_is_read_back() {
        for &register in SpecialRegister::PLAIN {
            assert_eq!(SpecialRegister::from_name(register.name()), Some(register));
        }
    }

    #[test]
    fn types_and_dimensions() {
        assert!(SpecialRegister::Tid.has_dimensions());
        assert!(!SpecialRegister::Laneid.has_dimensions());
        assert_eq!(SpecialRegister::Clock64.ty(), ScalarType::U64);
    }
}
