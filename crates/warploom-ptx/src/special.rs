//! The special registers of PTX: what they are called and what type reading one gives.

use crate::types::ScalarType;

macro_rules! special_registers {
    ($($variant:ident $name:literal $ty:ident $dimensions:literal;)*) => {
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
    Tid "%tid" U32 true;
    Ntid "%ntid" U32 true;
    Laneid "%laneid" U32 false;
    Warpid "%warpid" U32 false;
    Nwarpid "%nwarpid" U32 false;
    Ctaid "%ctaid" U32 true;
    Nctaid "%nctaid" U32 true;
    Smid "%smid" U32 false;
    Nsmid "%nsmid" U32 false;
    Gridid "%gridid" U64 false;
    IsExplicitCluster "%is_explicit_cluster" Pred false;
    Clusterid "%clusterid" U32 true;
    Nclusterid "%nclusterid" U32 true;
    ClusterCtaid "%cluster_ctaid" U32 true;
    ClusterNctaid "%cluster_nctaid" U32 true;
    ClusterCtarank "%cluster_ctarank" U32 false;
    ClusterNctarank "%cluster_nctarank" U32 false;
    LanemaskEq "%lanemask_eq" U32 false;
    LanemaskLe "%lanemask_le" U32 false;
    LanemaskLt "%lanemask_lt" U32 false;
    LanemaskGe "%lanemask_ge" U32 false;
    LanemaskGt "%lanemask_gt" U32 false;
    Clock "%clock" U32 false;
    ClockHi "%clock_hi" U32 false;
    Clock64 "%clock64" U64 false;
    Globaltimer "%globaltimer" U64 false;
    GlobaltimerLo "%globaltimer_lo" U32 false;
    GlobaltimerHi "%globaltimer_hi" U32 false;
    ReservedSmemOffsetBegin "%reserved_smem_offset_begin" B32 false;
    ReservedSmemOffsetEnd "%reserved_smem_offset_end" B32 false;
    ReservedSmemOffsetCap "%reserved_smem_offset_cap" B32 false;
    ReservedSmemOffset0 "%reserved_smem_offset_0" B32 false;
    ReservedSmemOffset1 "%reserved_smem_offset_1" B32 false;
    TotalSmemSize "%total_smem_size" U32 false;
    AggrSmemSize "%aggr_smem_size" U32 false;
    DynamicSmemSize "%dynamic_smem_size" U32 false;
    CurrentGraphExec "%current_graph_exec" U64 false;
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
