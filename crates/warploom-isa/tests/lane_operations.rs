//! Every row of the operation table, called on edge values: none may panic.

use std::collections::HashMap;
use std::hint::black_box;

use warploom_isa::{Mods, Op, RegClass, lane_fn};

/// Values at which arithmetic goes wrong.
trait Edge: Sized + Copy + 'static {
    const EDGES: &'static [Self];

    /// The edge value that the lowest digit of `rest` stands for; drops that digit.
    fn pick(rest: &mut usize) -> Self {
        let value = Self::EDGES[*rest % Self::EDGES.len()];
        *rest /= Self::EDGES.len();
        value
    }
}

macro_rules! integer_edges {
    ($($ty:ty),*) => { $(
        impl Edge for $ty {
            const EDGES: &'static [$ty] = &[
                0, 1, 2, 7, 15, 16, 31, 32, 33, 63, 64, 255,
                <$ty>::MIN, <$ty>::MAX, <$ty>::MAX - 1, <$ty>::MIN.wrapping_add(1), !0, !1,
                <$ty>::MAX / 3, 0x7c00, 0x7c01, 0x7bff,
            ];
        }
    )* };
}

integer_edges!(u16, i16, u32, i32, u64, i64);

macro_rules! float_edges {
    ($($ty:ty),*) => { $(
        impl Edge for $ty {
            const EDGES: &'static [$ty] = &[
                0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 255.5, 65504.0, 2147483648.0, -9.3e18,
                <$ty>::MIN_POSITIVE, -<$ty>::MIN_POSITIVE / 2.0, <$ty>::MIN_POSITIVE * <$ty>::EPSILON,
                <$ty>::MAX, <$ty>::MIN, <$ty>::INFINITY, <$ty>::NEG_INFINITY, <$ty>::NAN, -<$ty>::NAN,
            ];
        }
    )* };
}

float_edges!(f32, f64);

impl Edge for bool {
    const EDGES: &'static [bool] = &[false, true];
}

/// Combinations of operands tried for each modifier word, of all there are.
const COMBINATIONS: usize = 1200;

/// No modifier, each bit alone, all bits, and a spread of others.
fn modifier_words() -> Vec<Mods> {
    let single = (0..32).map(|bit| 1u32 << bit);
    let spread = (1..24u32).map(|n| n.wrapping_mul(0x9e37_79b9));
    [0, u32::MAX]
        .into_iter()
        .chain(single)
        .chain(spread)
        .map(Mods)
        .collect()
}

macro_rules! call_rows {
    (
        hot { $( $(#[$hdoc:meta])* $hot:ident($hname:literal, $hclass:ident) = ($hm:pat_param $(, $ha:ident : $hat:ty)*) -> $hr:ty $hbody:block )* }
        cold { $( $(#[$cdoc:meta])* $cold:ident($cname:literal, $cclass:ident) = ($cm:pat_param $(, $ca:ident : $cat:ty)*) -> $cr:ty $cbody:block )* }
        machine { $($machine:tt)* }
    ) => {
        fn call_every_row(words: &[Mods]) -> usize {
            let mut rows = 0;
            $( call_row!(rows, words, $hot $(, $ha: $hat)*); )*
            $( call_row!(rows, words, $cold $(, $ca: $cat)*); )*
            rows
        }
    };
}

macro_rules! call_row {
    ($rows:ident, $words:ident, $op:ident $(, $a:ident : $ty:ty)*) => {
        let all: usize = [$(<$ty as Edge>::EDGES.len()),*].iter().product();
        // An odd stride visits every operand's values even when few combinations are taken.
        let stride = (all / COMBINATIONS).max(1) | 1;
        for &mods in $words {
            for n in (0..all).step_by(stride) {
                let mut rest = n;
                $( let $a = <$ty as Edge>::pick(&mut rest); )*
                black_box(lane_fn::$op(mods $(, $a)*));
            }
        }
        $rows += 1;
    };
}

warploom_isa::with_op_table!(call_rows);

#[test]
fn no_row_panics_on_edge_values() {
    let rows = call_every_row(&modifier_words());
    let described = Op::ALL.iter().filter(|op| op.signature().is_some()).count();
    assert_eq!(rows, described);
}

#[test]
fn printed_names_are_distinct() {
    let mut seen = HashMap::new();
    for &op in Op::ALL {
        assert_eq!(seen.insert(op.name(), op), None, "{}", op.name());
    }
}

#[test]
fn signatures_fit_the_instruction() {
    for &op in Op::ALL {
        let Some(signature) = op.signature() else {
            continue;
        };
        assert!((1..=4).contains(&signature.sources.len()), "{}", op.name());
        let masks = signature
            .sources
            .iter()
            .filter(|&&class| class == RegClass::Mask);
        assert!(masks.count() <= 1, "{}", op.name());
    }
}
