//! The machine instructions that carry out an operation.
//!
//! What is more than one instruction was counted in the output of `ptxas` 13 for compute
//! capability 9.0, each operation alone in a kernel, along the way that ordinary numbers take:
//! the code for denormal divisors, overflow and the like is behind a branch that is not taken.
//! `docs/timing-lowering.md` says how to repeat that.

use warploom_isa::{LatencyClass, Op, RegClass};

use super::code::Code;
use super::lines::Line;
use crate::stream::Class;

/// Machine instructions of one class, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) class: Class,
    pub(super) count: u8,
    /// Each reads the result of the one before it; otherwise they read the sources.
    pub(super) chained: bool,
}

/// How an operation is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recipe {
    /// Some instructions, of which the last gives the result.
    Runs(&'static [Run]),
    /// The same, and behind them a branch around the code for unusual numbers: nothing is moved
    /// across it.
    Checked {
        runs: &'static [Run],
        /// What decides the branch, from the result; the branch itself comes after.
        test: &'static [Run],
    },
    /// One instruction for each half of a 64-bit operation.
    Halves {
        class: Class,
        /// The high half waits for the carry of the low one.
        carry: bool,
    },
    /// One move for each register.
    Moves,
}

impl Recipe {
    /// The class of its last instruction.
    pub(super) fn class(self) -> Class {
        match self {
            Recipe::Runs(runs) | Recipe::Checked { runs, .. } => {
                runs.last().map_or(Class::Int32, |run| run.class)
            }
            Recipe::Halves { class, .. } => class,
            Recipe::Moves => Class::Int32,
        }
    }

    /// Machine instructions for `line`.
    pub(super) fn count(self, line: &Line) -> u32 {
        match self {
            Recipe::Runs(runs) => instructions(runs),
            Recipe::Checked { runs, test } => instructions(runs) + instructions(test) + 1,
            Recipe::Halves { .. } => 2,
            Recipe::Moves => line.defs().count() as u32,
        }
    }
}

fn instructions(runs: &[Run]) -> u32 {
    runs.iter().map(|run| u32::from(run.count)).sum()
}

const fn run(class: Class, count: u8) -> Run {
    Run {
        class,
        count,
        chained: false,
    }
}

const fn chain(class: Class, count: u8) -> Run {
    Run {
        class,
        count,
        chained: true,
    }
}

macro_rules! list {
    ($($kind:ident $class:ident $count:literal),*) => {
        const { &[$($kind(Class::$class, $count)),*] }
    };
}

macro_rules! runs {
    ($($runs:tt)+) => {
        Recipe::Runs(list![$($runs)+])
    };
}

macro_rules! checked {
    ([$($runs:tt)+], [$($test:tt)*]) => {
        Recipe::Checked { runs: list![$($runs)+], test: list![$($test)*] }
    };
}

const CARRY: Recipe = Recipe::Halves {
    class: Class::Int32,
    carry: true,
};

const BOTH: Recipe = Recipe::Halves {
    class: Class::Int32,
    carry: false,
};

/// What carries out a line that remains.
pub(super) fn of(code: &Code<'_>, line: &Line) -> Recipe {
    let ftz = code.inst(line).is_some_and(|inst| inst.mods.ftz());
    recipe(line, ftz)
}

fn recipe(line: &Line, ftz: bool) -> Recipe {
    let op = line.op;
    if op.signature().is_none() {
        return machine(op);
    }
    let number = |n: usize| {
        line.sources
            .get(n)
            .is_some_and(|pair| pair[0].value().is_none())
    };
    match op {
        Op::MovB32 | Op::MovB64 => Recipe::Moves,
        Op::PackB64 | Op::ZextI32 => Recipe::Moves,
        Op::BfeU32 | Op::BfeS32 if number(1) && number(2) => runs![run Int32 1, chain Int32 1],
        Op::BfiB32 if number(2) && number(3) => runs![run Int32 1, chain Int32 1],
        Op::RcpApproxF32
        | Op::SqrtApproxF32
        | Op::RsqrtApproxF32
        | Op::Ex2ApproxF32
        | Op::Lg2ApproxF32
            if ftz =>
        {
            runs![run Sfu 1]
        }
        Op::DivApproxF32 if ftz => runs![run Sfu 1, chain Fp32 1],
        _ => lane(op),
    }
}

fn machine(op: Op) -> Recipe {
    match op {
        Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch | Op::LdFrame | Op::StFrame => {
            runs![run Memory 1]
        }
        Op::LdParam => runs![run Constant 1],
        Op::Special => runs![run Uniform 1],
        Op::Bra | Op::Brx | Op::Call | Op::CallIndirect | Op::Ret | Op::HostCall => {
            runs![run Branch 1]
        }
        Op::Exit | Op::Trap | Op::Brkpt => runs![run Exit 1],
        Op::Fence => runs![run Fence 1],
        Op::Bar => runs![run Barrier 1],
        Op::BarWarp => runs![run WarpBarrier 1],
        Op::Vote | Op::Match | Op::Elect | Op::ActiveMask => runs![run Vote 1],
        Op::Shfl | Op::Redux => runs![run Shuffle 1],
        Op::Nanosleep => runs![run Sleep 1],
        _ => runs![run Int32 1],
    }
}

/// Operations on lanes, by the groups of the table of operations.
fn lane(op: Op) -> Recipe {
    match op.class() {
        LatencyClass::Int64 => integer64(op),
        LatencyClass::IntDiv => division(op),
        LatencyClass::FpDiv | LatencyClass::Special => function(op),
        LatencyClass::Fp32 | LatencyClass::Fp64 | LatencyClass::Fp16 => float(op),
        LatencyClass::Convert => conversion(op),
        _ => integer32(op),
    }
}

fn integer32(op: Op) -> Recipe {
    match op {
        Op::PopcB32 | Op::BrevB32 | Op::BfindS32 | Op::BfindU32 => runs![run Bit 1],
        Op::ClzB32 => runs![run Bit 1, chain Int32 1],
        Op::BfeU32 | Op::BfeS32 => runs![run Int32 3, chain Int32 2],
        Op::BfiB32 => runs![run Int32 4, chain Int32 2],
        Op::AddSatS32 | Op::SubSatS32 => runs![run Int32 1, chain Int32 4],
        Op::CnotB16 | Op::CnotB32 => runs![run Int32 1, chain Int32 1],
        Op::MulLoI16 | Op::MulWideS16 | Op::MulWideU16 | Op::MulHiS16 | Op::MulHiU16 => {
            runs![run Int32 2, chain IntMul 1]
        }
        Op::MadLoI16 | Op::MadWideS16 | Op::MadWideU16 | Op::MadHiS16 | Op::MadHiU16 => {
            runs![run Int32 2, chain IntMul 1]
        }
        Op::Mul24LoS32 | Op::Mul24LoU32 | Op::Mul24HiS32 | Op::Mul24HiU32 => {
            runs![run Int32 2, chain IntMul 1]
        }
        Op::Mad24LoS32 | Op::Mad24LoU32 | Op::Mad24HiS32 | Op::Mad24HiU32 => {
            runs![run Int32 2, chain IntMul 1]
        }
        Op::FnsB32 => runs![run Bit 1, chain Int32 50],
        Op::VideoScalar => runs![run Int32 11, chain Int32 6],
        Op::VideoMad => runs![run Int32 11, chain IntMul 1, chain Int32 5],
        _ if is_video_simd(op) => runs![run Int32 34, chain Int32 8],
        _ if op.class() == LatencyClass::IntMul => runs![run IntMul 1],
        _ => runs![run Int32 1],
    }
}

fn is_video_simd(op: Op) -> bool {
    let name = op.name().as_bytes();
    let simd = name.first() == Some(&b'v');
    simd && op
        .signature()
        .is_some_and(|signature| signature.sources.len() == 3)
}

fn integer64(op: Op) -> Recipe {
    match op {
        Op::AddI64 | Op::SubI64 | Op::NegS64 | Op::AddCcI64 | Op::AddcI64 => CARRY,
        Op::SubCcI64 | Op::SubcI64 => CARRY,
        Op::AndB64 | Op::OrB64 | Op::XorB64 | Op::NotB64 | Op::SelB64 => BOTH,
        Op::ShlB64 | Op::ShrU64 | Op::ShrS64 => runs![run Int32 2],
        Op::MinS64 | Op::MaxS64 | Op::MinU64 | Op::MaxU64 => runs![run Int32 1, chain Int32 3],
        Op::AbsS64 | Op::CnotB64 => runs![run Int32 1, chain Int32 4],
        Op::SadS64 | Op::SadU64 => runs![run Int32 2, chain Int32 6],
        Op::MulLoI64 | Op::MadLoCcI64 | Op::MadcLoI64 => {
            runs![run IntMul 2, chain IntMul 1, chain Int32 1]
        }
        Op::MulHiU64 | Op::MadHiU64 | Op::MadHiCcU64 | Op::MadcHiU64 => {
            runs![run IntMul 2, chain IntMul 2, chain Int32 3]
        }
        Op::MulHiS64 | Op::MadHiS64 | Op::MadHiCcS64 | Op::MadcHiS64 => {
            runs![run IntMul 4, run Int32 6, chain IntMul 3, chain Int32 4]
        }
        Op::PopcB64 => runs![run Bit 2, chain Int32 1],
        Op::BrevB64 => runs![run Bit 2],
        Op::ClzB64 => runs![run Int32 2, chain Bit 1, chain Int32 3],
        Op::BfindS64 | Op::BfindU64 => runs![run Bit 2, chain Int32 3],
        Op::BfeU64 | Op::BfeS64 => runs![run Int32 4, chain Int32 5],
        Op::BfiB64 => runs![run Int32 6, chain Int32 7],
        // Comparisons.
        _ => runs![run Int32 1, chain Int32 1],
    }
}

fn division(op: Op) -> Recipe {
    match op {
        Op::DivU32 => {
            runs![run Int32 3, run Convert 1, chain Sfu 1, chain Int32 1, chain Convert 1,
                chain IntMul 3, chain Int32 1, chain IntMul 1, chain Int32 6]
        }
        Op::RemU32 => {
            runs![run Int32 3, run Convert 1, chain Sfu 1, chain Int32 1, chain Convert 1,
                chain IntMul 3, chain Int32 1, chain IntMul 1, chain Int32 5]
        }
        Op::DivS32 => {
            runs![run Int32 8, run Convert 1, chain Sfu 1, chain Int32 1, chain Convert 1,
                chain IntMul 3, chain Int32 1, chain IntMul 1, chain Int32 8]
        }
        Op::RemS32 => {
            runs![run Int32 7, run Convert 1, chain Sfu 1, chain Int32 1, chain Convert 1,
                chain IntMul 3, chain Int32 1, chain IntMul 1, chain Int32 7]
        }
        Op::DivU64 | Op::RemU64 => {
            runs![run Int32 18, run IntMul 14, run Convert 1, chain Sfu 1, chain Int32 1,
                chain Convert 1, chain IntMul 17, chain Int32 17]
        }
        Op::DivS64 | Op::RemS64 => {
            runs![run Int32 28, run IntMul 18, run Convert 1, chain Sfu 1, chain Int32 1,
                chain Convert 1, chain IntMul 19, chain Int32 19]
        }
        // 16 bits.
        _ => {
            runs![run Int32 8, run Convert 2, chain Fp32 1, chain Sfu 1, chain Fp32 1,
                chain Int32 1, chain Fp32 1, chain Convert 1, chain Int32 4]
        }
    }
}

/// Division, roots, and what the special function unit helps with. What it gives in double precision
/// (MUFU.RCP64H, MUFU.RSQ64H) takes as long as a 64-bit conversion, which the same unit does.
fn function(op: Op) -> Recipe {
    match op {
        Op::DivF32 => checked![[run Sfu 2, chain Fp32 5], []],
        Op::DivFullF32 => runs![run Fp32 4, run Sfu 1, chain Fp32 3],
        Op::DivApproxF32 => runs![run Fp32 1, chain Fp32 1, chain Sfu 1, chain Fp32 2],
        Op::RcpF32 => checked![[run Int32 3, run Sfu 1, chain Fp32 3], []],
        Op::SqrtF32 => checked![[run Int32 2, run Sfu 1, chain Fp32 4], []],
        Op::DivF64 => {
            checked![[run Int32 1, run Fp32 1, run Convert64 1, chain Fp64 8], [chain Fp32 2]]
        }
        Op::RcpF64 => checked![[run Int32 3, run Fp32 1, run Convert64 1, chain Fp64 5], []],
        Op::SqrtF64 => checked![[run Int32 4, run Fp64 1, run Convert64 1, chain Fp64 7], []],
        Op::RsqrtApproxF64 => runs![run Int32 4, run Convert64 1, chain Fp64 5],
        Op::RcpApproxF64 | Op::RsqrtApproxFtzF64 => runs![run Int32 1, run Convert64 1],
        Op::RcpApproxF32 => runs![run Int32 5, run Fp32 1, chain Sfu 1, chain Fp32 1],
        Op::SqrtApproxF32 | Op::RsqrtApproxF32 | Op::Ex2ApproxF32 | Op::Lg2ApproxF32 => {
            runs![run Int32 1, chain Fp32 1, chain Sfu 1, chain Fp32 1]
        }
        Op::SinApproxF32 | Op::CosApproxF32 => runs![run Fp32 1, chain Sfu 1],
        Op::Ex2Approx16x2 | Op::TanhApprox16x2 => runs![run Sfu 2, chain Int32 1],
        _ => runs![run Sfu 1],
    }
}

fn float(op: Op) -> Recipe {
    match op {
        // The integer pipeline compares, selects and moves signs.
        Op::MinF32 | Op::MaxF32 | Op::CopysignF32 | Op::CopysignF64 => runs![run Int32 1],
        Op::Min3F32 | Op::Max3F32 => runs![run Int32 1, chain Int32 1],
        Op::TestpF32 => runs![run Int32 1, chain Int32 1],
        Op::TestpF64 => runs![run Int32 1, chain Int32 2],
        Op::MinF64 | Op::MaxF64 => runs![run Fp64 1, chain Int32 3],
        Op::AddF32x2 | Op::SubF32x2 | Op::MulF32x2 | Op::FmaF32x2 => Recipe::Halves {
            class: Class::Fp32,
            carry: false,
        },
        _ => match (op.class(), op.signature().map(|signature| signature.result)) {
            (LatencyClass::Fp32, Some(RegClass::Mask)) => runs![run Int32 1],
            (LatencyClass::Fp32, _) => runs![run Fp32 1],
            (LatencyClass::Fp64, _) => runs![run Fp64 1],
            _ => runs![run Half 1],
        },
    }
}

fn conversion(op: Op) -> Recipe {
    match op {
        Op::I32FromI32 | Op::I32FromI64 => runs![run Int32 1],
        Op::I64FromI32 | Op::I64FromI64 => runs![run Int32 2],
        Op::F32FromF16 | Op::F16FromF32 | Op::H2FromF32 | Op::F16FromF16 | Op::SatF16 => {
            runs![run Half 1]
        }
        Op::F32FromF32 => runs![run Fp32 1],
        Op::SatF64 => runs![run Fp64 2],
        Op::Tf32FromF32 => runs![run Int32 1, chain Int32 3],
        Op::PackI32 => runs![run Int32 1, chain Int32 1],
        Op::F32FromI64 | Op::F16FromI64 | Op::F64FromI32 | Op::F64FromI64 => {
            runs![run Convert64 1]
        }
        Op::I64FromF32 | Op::I64FromF16 | Op::I32FromF64 | Op::I64FromF64 => {
            runs![run Convert64 1]
        }
        Op::F32FromF64 | Op::F64FromF32 | Op::F64FromF16 | Op::F16FromF64 | Op::RoundF64 => {
            runs![run Convert64 1]
        }
        _ => runs![run Convert 1],
    }
}
