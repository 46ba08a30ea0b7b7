//! The operators and functions of the language: a row each, with spelling, precedence, what they
//! compute for each type, and nothing about them anywhere else.

use warploom_isa::arith::AnyNanF32;
use warploom_isa::arith::{Cmp, IntType, Round};
use warploom_isa::{Mods, Op, lane_fn};

use Syntax::{Choice, Function, Infix, Prefix};

/// The type of a value. A warp instruction has one type for all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    /// Signed 32-bit integer.
    Int,
    /// 32-bit IEEE floating point.
    Float,
    /// True or false: one bit per lane.
    Condition,
}

impl Type {
    /// Its name.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Float => "float",
            Type::Condition => "condition",
        }
    }

    /// Its name with an article, for messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Type::Int => "an int",
            Type::Float => "a float",
            Type::Condition => "a condition",
        }
    }
}

/// How an operator is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    /// Between its operands; a higher precedence binds tighter. All associate to the left.
    Infix(u8),
    /// Before an operand of at least this precedence.
    Prefix(u8),
    /// A name and this many arguments in parentheses.
    Function(u8),
    /// A function of a condition and two values that it chooses from.
    Choice,
}

/// Precedence of the comparisons, which can't be chained.
pub(crate) const COMPARISON: u8 = 4;
/// Precedence of `-x`.
const UNARY: u8 = 11;

/// What an operator is for one type of operands: one operation of the machine.
#[derive(Debug)]
pub(crate) struct Form {
    /// The operation.
    pub(crate) op: Op,
    modify: fn(Mods) -> Mods,
    /// Its sources, at most three, as positions among the operands in the source.
    pub(crate) operands: &'static [usize],
    /// The type of the result.
    pub(crate) result: Type,
    /// What it computes, for array patterns: sources as bits, a condition is 0 or 1.
    pub(crate) compute: fn(Mods, [u32; 3]) -> u32,
}

impl Form {
    /// The modifiers of the operation.
    pub(crate) fn mods(&self) -> Mods {
        (self.modify)(Mods::NONE)
    }
}

/// An operator or function.
#[derive(Debug)]
pub(crate) struct Operator {
    /// Its sign or name.
    pub(crate) spelling: &'static str,
    /// How it is written.
    pub(crate) syntax: Syntax,
    /// For conditions.
    pub(crate) condition: Option<Form>,
    /// For integers.
    pub(crate) int: Option<Form>,
    /// For floating point; integers beside a float are converted first.
    pub(crate) float: Option<Form>,
}

impl Operator {
    const fn new(spelling: &'static str, syntax: Syntax) -> Operator {
        Operator {
            spelling,
            syntax,
            condition: None,
            int: None,
            float: None,
        }
    }

    /// Whether the first operand is a condition that chooses between the others.
    pub(crate) fn chooses(&self) -> bool {
        self.syntax == Choice
    }

    /// Whether it is written as a name with arguments.
    pub(crate) fn is_function(&self) -> bool {
        matches!(self.syntax, Function(_) | Choice)
    }

    /// Whether an operand can have a type. An int is fine where a float is.
    pub(crate) fn accepts(&self, ty: Type) -> bool {
        match ty {
            Type::Condition => self.condition.is_some(),
            Type::Int => self.int.is_some() || self.float.is_some(),
            Type::Float => self.float.is_some(),
        }
    }

    /// The types that it works on, for messages.
    pub(crate) fn operand_types(&self) -> &'static str {
        match (&self.condition, &self.int, &self.float) {
            (Some(_), None, None) => "conditions",
            (None, Some(_), None) => "ints",
            _ => "numbers",
        }
    }
}

/// The infix operator written `spelling`, and its precedence.
pub(crate) fn infix(spelling: &str) -> Option<(&'static Operator, u8)> {
    OPERATORS.iter().find_map(|row| match row.syntax {
        Infix(precedence) if row.spelling == spelling => Some((row, precedence)),
        _ => None,
    })
}

/// The prefix operator written `spelling`, and the precedence its operand needs.
pub(crate) fn prefix(spelling: &str) -> Option<(&'static Operator, u8)> {
    OPERATORS.iter().find_map(|row| match row.syntax {
        Prefix(precedence) if row.spelling == spelling => Some((row, precedence)),
        _ => None,
    })
}

/// The function called `name`, and how many arguments it takes.
pub(crate) fn function(name: &str) -> Option<(&'static Operator, u8)> {
    OPERATORS.iter().find_map(|row| match row.syntax {
        Function(arguments) if row.spelling == name => Some((row, arguments)),
        Choice if row.spelling == name => Some((row, 3)),
        _ => None,
    })
}

/// Every row.
pub(crate) fn all() -> impl Iterator<Item = &'static Operator> {
    OPERATORS.iter()
}

/// Values of a lane as 32 bits.
trait Bits {
    fn of(bits: u32) -> Self;
    fn bits(self) -> u32;
}

macro_rules! bits {
    ($($ty:ty: $of:expr, $bits:expr;)*) => { $(
        impl Bits for $ty {
            fn of(bits: u32) -> $ty {
                ($of)(bits)
            }

            fn bits(self) -> u32 {
                ($bits)(self)
            }
        }
    )* };
}

bits! {
    u32: |bits| bits, |value| value;
    i32: |bits| bits as i32, |value| value as u32;
    f32: f32::from_bits, f32::to_bits;
    bool: |bits| bits != 0, u32::from;
}

impl Bits for AnyNanF32 {
    fn of(bits: u32) -> AnyNanF32 {
        AnyNanF32(f32::from_bits(bits))
    }

    fn bits(self) -> u32 {
        self.canonical().to_bits()
    }
}

const A: usize = 0;
const B: usize = 1;
const C: usize = 2;

/// A form: `form!(Operation(sources) -> Type)`, with what sets its modifiers at the end. The mask
/// operations, which have no lane function, bring their own expression.
macro_rules! form {
    ($op:ident($($source:expr),*) -> $result:ident) => {
        form!($op($($source),*) -> $result, |mods| mods)
    };
    ($op:ident($a:expr) -> $result:ident, $modify:expr) => {
        form!(@ $op [$a] $result, $modify, |mods, [a, _, _]| {
            lane_fn::$op(mods, Bits::of(a)).bits()
        })
    };
    ($op:ident($a:expr, $b:expr) -> $result:ident, $modify:expr) => {
        form!(@ $op [$a, $b] $result, $modify, |mods, [a, b, _]| {
            lane_fn::$op(mods, Bits::of(a), Bits::of(b)).bits()
        })
    };
    ($op:ident($a:expr, $b:expr, $c:expr) -> $result:ident, $modify:expr) => {
        form!(@ $op [$a, $b, $c] $result, $modify, |mods, [a, b, c]| {
            lane_fn::$op(mods, Bits::of(a), Bits::of(b), Bits::of(c)).bits()
        })
    };
    (mask $op:ident($($source:expr),*): $compute:expr) => {
        form!(@ $op [$($source),*] Condition, |mods| mods, $compute)
    };
    (@ $op:ident [$($source:expr),*] $result:ident, $modify:expr, $compute:expr) => {
        Form {
            op: Op::$op,
            modify: $modify,
            operands: &[$($source),*],
            result: Type::$result,
            compute: $compute,
        }
    };
}

/// A comparison of floats.
macro_rules! compare {
    ($cmp:ident) => {
        form!(SetF32(A, B) -> Condition, |mods| mods.with_cmp(Cmp::$cmp))
    };
}

/// A row: spelling, syntax, and a form for each type it works on.
macro_rules! operators {
    ($(($spelling:literal, $syntax:expr $(, $ty:ident: $form:expr)* $(,)?),)*) => {
        static OPERATORS: &[Operator] = &[$(
            Operator {
                $($ty: Some($form),)*
                ..Operator::new($spelling, $syntax)
            },
        )*];
    };
}

/// The conversion that happens by itself, beside a float.
pub(crate) static INT_TO_FLOAT: Form = form!(F32FromS32(A) -> Float);

operators! {
    ("or", Infix(1), condition: form!(mask MaskOr(A, B): |_, [a, b, _]| a | b)),
    ("and", Infix(2), condition: form!(mask MaskAnd(A, B): |_, [a, b, _]| a & b)),
    ("not", Prefix(COMPARISON), condition: form!(mask MaskNot(A): |_, [a, _, _]| a ^ 1)),
    ("==", Infix(COMPARISON), int: form!(SetEqI32(A, B) -> Condition), float: compare!(Eq)),
    // Not equal, or not a number.
    ("!=", Infix(COMPARISON), int: form!(SetNeI32(A, B) -> Condition), float: compare!(Neu)),
    ("<", Infix(COMPARISON), int: form!(SetLtS32(A, B) -> Condition), float: compare!(Lt)),
    ("<=", Infix(COMPARISON), int: form!(SetLeS32(A, B) -> Condition), float: compare!(Le)),
    (">", Infix(COMPARISON), int: form!(SetLtS32(B, A) -> Condition), float: compare!(Gt)),
    (">=", Infix(COMPARISON), int: form!(SetLeS32(B, A) -> Condition), float: compare!(Ge)),
    ("|", Infix(5), int: form!(OrB32(A, B) -> Int)),
    ("^", Infix(6), int: form!(XorB32(A, B) -> Int)),
    ("&", Infix(7), int: form!(AndB32(A, B) -> Int)),
    ("<<", Infix(8), int: form!(ShlB32(A, B) -> Int)),
    (">>", Infix(8), int: form!(ShrS32(A, B) -> Int)),
    ("+", Infix(9), int: form!(AddI32(A, B) -> Int), float: form!(AddF32(A, B) -> Float)),
    ("-", Infix(9), int: form!(SubI32(A, B) -> Int), float: form!(SubF32(A, B) -> Float)),
    ("*", Infix(10), int: form!(MulLoI32(A, B) -> Int), float: form!(MulF32(A, B) -> Float)),
    ("/", Infix(10), int: form!(DivS32(A, B) -> Int), float: form!(DivF32(A, B) -> Float)),
    ("%", Infix(10), int: form!(RemS32(A, B) -> Int)),
    ("-", Prefix(UNARY), int: form!(NegS32(A) -> Int), float: form!(NegF32(A) -> Float)),
    ("~", Prefix(UNARY), int: form!(NotB32(A) -> Int)),
    ("min", Function(2), int: form!(MinS32(A, B) -> Int), float: form!(MinF32(A, B) -> Float)),
    ("max", Function(2), int: form!(MaxS32(A, B) -> Int), float: form!(MaxF32(A, B) -> Float)),
    ("abs", Function(1), int: form!(AbsS32(A) -> Int), float: form!(AbsF32(A) -> Float)),
    ("fma", Function(3), int: form!(MadLoI32(A, B, C) -> Int), float: form!(FmaF32(A, B, C) -> Float)),
    ("sqrt", Function(1), float: form!(SqrtF32(A) -> Float)),
    ("exp2", Function(1), float: form!(Ex2ApproxF32(A) -> Float)),
    ("log2", Function(1), float: form!(Lg2ApproxF32(A) -> Float)),
    ("sin", Function(1), float: form!(SinApproxF32(A) -> Float)),
    ("cos", Function(1), float: form!(CosApproxF32(A) -> Float)),
    ("select", Choice,
        int: form!(SelB32(B, C, A) -> Int),
        float: form!(SelB32(B, C, A) -> Float),
    ),
    ("int", Function(1),
        int: form!(MovB32(A) -> Int),
        float: form!(I32FromF32(A) -> Int, |mods| {
            mods.with_to_int(IntType::S32).with_round(Round::Zero)
        }),
    ),
    ("float", Function(1), float: form!(MovB32(A) -> Float)),
}

#[cfg(test)]
mod tests {
    use super::*;
    use warploom_isa::RegClass;

    fn class(ty: Type) -> RegClass {
        match ty {
            Type::Int | Type::Float => RegClass::Lane32,
            Type::Condition => RegClass::Mask,
        }
    }

    #[test]
    fn forms_fit_their_operations() {
        for row in all() {
            let forms = [
                (&row.condition, Type::Condition),
                (&row.int, Type::Int),
                (&row.float, Type::Float),
            ];
            for (form, ty) in forms {
                let Some(form) = form else { continue };
                let given: Vec<RegClass> = form
                    .operands
                    .iter()
                    .map(|&k| {
                        class(if row.chooses() && k == 0 {
                            Type::Condition
                        } else {
                            ty
                        })
                    })
                    .collect();
                // The mask operations have no signature.
                let Some(signature) = form.op.signature() else {
                    assert_eq!((ty, form.result), (Type::Condition, Type::Condition));
                    continue;
                };
                assert_eq!(signature.sources, given, "{} for {ty:?}", row.spelling);
                assert_eq!(signature.result, class(form.result), "{}", row.spelling);
                assert!(!signature.second);
            }
        }
    }

    #[test]
    fn spellings_are_unique() {
        let rows: Vec<(&str, bool)> = all()
            .map(|row| (row.spelling, matches!(row.syntax, Prefix(_))))
            .collect();
        for (k, row) in rows.iter().enumerate() {
            assert!(!rows[..k].contains(row), "{row:?}");
        }
    }
}
