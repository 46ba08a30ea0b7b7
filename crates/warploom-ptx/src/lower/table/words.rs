//! The modifiers that arithmetic instructions have, as a bit set each.

use warploom_isa::Mods;
use warploom_isa::arith::{PermuteMode, Property, Round};

macro_rules! words {
    ($($variant:ident $text:literal $mods:expr;)*) => {
        /// A modifier that is not a type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Word {
            $(#[doc = concat!("`.", $text, "`")] $variant,)*
        }

        impl Word {
            pub(crate) const ALL: &[Word] = &[$(Word::$variant),*];

            /// Without its leading dot.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Word::$variant => $text,)* }
            }

            pub(crate) fn from_text(text: &str) -> Option<Word> {
                match text {
                    $($text => Some(Word::$variant),)*
                    _ => None,
                }
            }

            /// What it sets in the modifier word of the lane operation.
            pub(crate) fn mods(self) -> Mods {
                match self { $(Word::$variant => $mods,)* }
            }
        }
    };
}

const NONE: Mods = Mods::NONE;

words! {
    Rn "rn" NONE;
    Rz "rz" NONE.with_round(Round::Zero);
    Rm "rm" NONE.with_round(Round::Down);
    Rp "rp" NONE.with_round(Round::Up);
    Rna "rna" NONE.with_round(Round::NearestAway);
    Rs "rs" NONE;
    Rni "rni" NONE;
    Rzi "rzi" NONE.with_round(Round::Zero);
    Rmi "rmi" NONE.with_round(Round::Down);
    Rpi "rpi" NONE.with_round(Round::Up);
    Approx "approx" NONE;
    Full "full" NONE;
    Ftz "ftz" NONE.with_ftz(true);
    Sat "sat" NONE.with_sat(true);
    Relu "relu" NONE.with_relu(true);
    Satfinite "satfinite" NONE.with_satfinite(true);
    Nan "NaN" NONE.with_nan(true);
    Xorsign "xorsign" NONE.with_xorsign(true);
    Abs "abs" NONE;
    Oob "oob" NONE.with_variant(true);
    Lo "lo" NONE;
    Hi "hi" NONE;
    Wide "wide" NONE;
    Cc "cc" NONE;
    Shiftamt "shiftamt" NONE.with_variant(true);
    Clamp "clamp" NONE.with_variant(true);
    Wrap "wrap" NONE;
    L "l" NONE;
    R "r" NONE;
    F4e "f4e" NONE.with_high(PermuteMode::F4e as u16);
    B4e "b4e" NONE.with_high(PermuteMode::B4e as u16);
    Rc8 "rc8" NONE.with_high(PermuteMode::Rc8 as u16);
    Ecl "ecl" NONE.with_high(PermuteMode::Ecl as u16);
    Ecr "ecr" NONE.with_high(PermuteMode::Ecr as u16);
    Rc16 "rc16" NONE.with_high(PermuteMode::Rc16 as u16);
    Finite "finite" NONE.with_high(Property::Finite as u16);
    Infinite "infinite" NONE.with_high(Property::Infinite as u16);
    Number "number" NONE.with_high(Property::Number as u16);
    Notanumber "notanumber" NONE.with_high(Property::NotANumber as u16);
    Normal "normal" NONE.with_high(Property::Normal as u16);
    Subnormal "subnormal" NONE.with_high(Property::Subnormal as u16);
    Eq "eq" NONE;
    Ne "ne" NONE;
    Lt "lt" NONE;
    Le "le" NONE;
    Gt "gt" NONE;
    Ge "ge" NONE;
    Ls "ls" NONE;
    Hs "hs" NONE;
    Equ "equ" NONE;
    Neu "neu" NONE;
    Ltu "ltu" NONE;
    Leu "leu" NONE;
    Gtu "gtu" NONE;
    Geu "geu" NONE;
    Num "num" NONE;
    IsNan "nan" NONE;
    And "and" NONE;
    Or "or" NONE;
    Xor "xor" NONE;
    Pack "pack" NONE;
    Scaled "scaled::n2::ue8m0" NONE;
    U2 "u2" NONE;
    S2 "s2" NONE;
    Add "add" NONE;
    Min "min" NONE;
    Max "max" NONE;
    Po "po" NONE;
    Shr7 "shr7" NONE;
    Shr15 "shr15" NONE;
}

/// A set of [`Word`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words(pub(crate) u128);

impl Words {
    pub(crate) const NONE: Words = Words(0);

    pub(crate) const fn of(word: Word) -> Words {
        Words(1 << word as u32)
    }

    pub(crate) const fn union(self, other: Words) -> Words {
        Words(self.0 | other.0)
    }

    pub(crate) const fn has(self, word: Word) -> bool {
        self.0 & Words::of(word).0 != 0
    }

    pub(crate) const fn common(self, other: Words) -> Words {
        Words(self.0 & other.0)
    }

    pub(crate) const fn without(self, other: Words) -> Words {
        Words(self.0 & !other.0)
    }

    pub(crate) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Word> {
        Word::ALL
            .iter()
            .copied()
            .filter(move |&word| self.has(word))
    }

    /// `.rn .rz`
    pub(crate) fn list(self) -> String {
        let names: Vec<String> = self
            .iter()
            .map(|word| format!(".{}", word.text()))
            .collect();
        names.join(" ")
    }
}
