//! The decoded instruction.

use crate::access::{Access, Order, Special, WarpOp};
use crate::mods::Mods;
use crate::op::Op;
use crate::slot::{Guard, MaskSlot, Slot};

/// A program counter: the index of an instruction in its module's code.
pub type Pc = u32;

/// The reconvergence point of a branch whose paths only meet again at the function's exit.
pub const EXIT_PC: Pc = Pc::MAX;

/// Says that an operand is absent, or that a result is thrown away.
pub const NO_SLOT: Slot = Slot(0xffff);

/// One decoded warp instruction. Everything that does not depend on lane values is resolved.
///
/// What the fields mean depends on [`Op`]:
///
/// | operation | fields |
/// | --- | --- |
/// | lane operations | `dst` (and `dst2`, a mask), `a` to `d` in the order of the signature |
/// | `Block` | `low` its [`crate::BlockId`] |
/// | `Bra` | `low` target, `high` reconvergence point; the guard is the condition |
/// | `Brx` | `a` index, `low` branch table, `high` reconvergence point |
/// | `Call` | `low` callee, `high` call site |
/// | `CallIndirect` | `a` address, `high` call site |
/// | `HostCall` | `low` [`crate::access::HostFunction`], `high` call site |
/// | `Ld`, `Prefetch` | `dst`, `a` address, `low` byte offset; vectors: `high` a list of destinations |
/// | `St` | `a` address, `b` value, `low` byte offset; vectors: `high` a list of sources |
/// | `LdParam`, `LdFrame`, `StFrame` | as `Ld` and `St`, without an address |
/// | `FrameAddress` | `dst`, `low` byte offset |
/// | `Atom`, `Red` | `dst`, `a` address, `b`, `c` values, `low` byte offset; vectors: `high` a list, destinations (absent for `Red`) then sources |
/// | `Special` | `dst`, [`Mods::high`] the [`crate::access::Special`], [`Mods::variant`] a 64-bit destination, `low` a register number |
/// | `Bar`, warp operations | see [`crate::access`] |
/// | `MaskMov` … `MaskNot` | `dst`, `a`, `b` are masks |
/// | `Alloca` | `dst`, `a` size, `low` alignment in bytes |
/// | `StackSave`, `StackRestore`, `Nanosleep` | `dst` or `a` |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// First destination.
    pub dst: Slot,
    /// Second destination, a mask where not said otherwise.
    pub dst2: Slot,
    /// First source.
    pub a: Slot,
    /// Second source.
    pub b: Slot,
    /// Third source.
    pub c: Slot,
    /// Fourth source.
    pub d: Slot,
    /// Mask register of the guard.
    pub guard: MaskSlot,
    /// Decoded modifiers.
    pub mods: Mods,
    /// First number.
    pub low: u32,
    /// Second number.
    pub high: u32,
    /// See [`Flags`].
    pub flags: Flags,
    /// Schedule bits of machine code that brings its own (stall, yield, wait); zero elsewhere.
    pub schedule: u16,
}

/// Properties of an instruction beside its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// The guard is complemented.
    pub const NEGATED_GUARD: u16 = 1;
    /// Part of the source instruction that follows (or precedes): costs no issue, is not counted.
    pub const FUSED: u16 = 2;
    /// The access is to storage of the calling convention, not counted as a memory request; the
    /// branch goes around a guarded call or return, counted as that and not as a branch.
    pub const CONVENTION: u16 = 4;

    /// Whether the guard is complemented.
    pub const fn negated_guard(self) -> bool {
        self.0 & Self::NEGATED_GUARD != 0
    }

    /// Whether the instruction is uncounted.
    pub const fn fused(self) -> bool {
        self.0 & Self::FUSED != 0
    }

    /// Whether the access belongs to the calling convention.
    pub const fn convention(self) -> bool {
        self.0 & Self::CONVENTION != 0
    }
}

impl Inst {
    /// An instruction without operands.
    pub const fn new(op: Op) -> Inst {
        Inst {
            op,
            dst: NO_SLOT,
            dst2: NO_SLOT,
            a: NO_SLOT,
            b: NO_SLOT,
            c: NO_SLOT,
            d: NO_SLOT,
            guard: MaskSlot::TRUE,
            mods: Mods::NONE,
            low: 0,
            high: 0,
            flags: Flags(0),
            schedule: 0,
        }
    }

    /// The guard.
    pub fn guard(&self) -> Guard {
        Guard {
            mask: self.guard,
            negated: self.flags.negated_guard(),
        }
    }

    /// Byte offset of a memory access, signed.
    pub const fn offset(&self) -> i32 {
        self.low as i32
    }

    /// Whether others can tell when this instruction executes: it waits for them, shows them a
    /// value, looks at theirs, or reads a clock. What a timing model executes ahead of its time
    /// ends before such an instruction, and starts anew after it.
    pub fn is_cut(&self) -> bool {
        match self.op {
            Op::Atom | Op::Red | Op::Fence | Op::Bar | Op::BarWarp => true,
            Op::HostCall | Op::Nanosleep => true,
            Op::Ld | Op::St => Access::unpack(self.mods).order != Order::Weak,
            Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect => {
                WarpOp::unpack(self.mods).sync
            }
            Op::Special => matches!(
                Special::from_code(self.mods.high().into()),
                Special::Clock
                    | Special::ClockHi
                    | Special::Clock64
                    | Special::GlobalTimer
                    | Special::GlobalTimerLo
                    | Special::GlobalTimerHi
            ),
            _ => false,
        }
    }
}
