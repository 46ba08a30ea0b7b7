//! The machine instructions that carry out an operation.

use warploom_isa::{Inst, LatencyClass, Op, RegClass};

use crate::stream::Class;

/// Machine instructions of one class, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) class: Class,
    pub(super) count: u8,
    /// Each reads the result of the one before it; otherwise they read the sources.
    pub(super) chained: bool,
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

macro_rules! runs {
    ($($kind:ident $class:ident $count:literal),+) => {
        const { &[$($kind(Class::$class, $count)),+] }
    };
}

/// What carries out `inst`; nothing for what is no instruction of a machine.
pub(super) fn recipe(inst: &Inst) -> &'static [Run] {
    match inst.op {
        Op::Block | Op::Nop => &[],
        Op::LdFrame | Op::StFrame if inst.flags.convention() => &[],
        op => of_op(op),
    }
}

fn of_op(op: Op) -> &'static [Run] {
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
        Op::PopcB32 | Op::ClzB32 | Op::BrevB32 | Op::BfindS32 | Op::BfindU32 => {
            runs![run Bit 1]
        }
        Op::PopcB64 | Op::ClzB64 | Op::BfindS64 | Op::BfindU64 => {
            runs![run Bit 2, chain Int32 1]
        }
        Op::MulLoI64 => runs![run IntMul 1, chain IntMul 3],
        _ => of_class(op),
    }
}

fn of_class(op: Op) -> &'static [Run] {
    match op.class() {
        LatencyClass::IntAlu | LatencyClass::Mask => runs![run Int32 1],
        LatencyClass::Move if op == Op::MovB64 => runs![run Int32 2],
        LatencyClass::Move => runs![run Int32 1],
        LatencyClass::IntMul => runs![run IntMul 1],
        LatencyClass::Int64 => runs![run Int32 1, chain Int32 1],
        LatencyClass::IntDiv => runs![run Int32 1, chain Int32 17],
        LatencyClass::Fp16 => runs![run Half 1],
        LatencyClass::Fp32 => runs![run Fp32 1],
        LatencyClass::Fp64 => runs![run Fp64 1],
        LatencyClass::FpDiv if touches_pair(op) => runs![run Sfu 1, chain Fp64 8],
        LatencyClass::FpDiv => runs![run Sfu 1, chain Fp32 8],
        LatencyClass::Special => runs![run Sfu 1],
        LatencyClass::Convert if touches_pair(op) => runs![run Convert64 1],
        LatencyClass::Convert => runs![run Convert 1],
        LatencyClass::Memory | LatencyClass::Control => runs![run Int32 1],
        LatencyClass::Warp | LatencyClass::Sync => runs![run Vote 1],
    }
}

fn touches_pair(op: Op) -> bool {
    op.signature().is_some_and(|signature| {
        signature.result == RegClass::Lane64 || signature.sources.contains(&RegClass::Lane64)
    })
}
