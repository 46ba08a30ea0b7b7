//! Where an operand lives: typed indices into the register files of a warp.

/// A row of the lane register file, or of the constant file.
///
/// The lane file is made of rows of one 32-bit value per lane; a 64-bit value takes two
/// consecutive rows and is named by the first. Immediates and symbol addresses are rows too, in a
/// constant file that all warps of a launch share, so that an instruction reads every source in
/// the same way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slot(pub u16);

impl Slot {
    const CONSTANT: u16 = 0x8000;
    /// Rows that either file can hold.
    pub const MAX_ROWS: u32 = 0x7fff;

    /// Row `row` of the lane register file, counted from the current frame's base.
    pub const fn register(row: u16) -> Slot {
        Slot(row)
    }

    /// Row `row` of the constant file.
    pub const fn constant(row: u16) -> Slot {
        Slot(row | Self::CONSTANT)
    }

    /// Whether the row is in the constant file.
    pub const fn is_constant(self) -> bool {
        self.0 & Self::CONSTANT != 0
    }

    /// The row in its file.
    pub const fn row(self) -> usize {
        (self.0 & !Self::CONSTANT) as usize
    }
}

/// A mask register: one bit per lane, 64 bits wide.
///
/// A predicate of a PTX program is one mask, and so is a pair of 32-bit scalar registers of a
/// machine that keeps its execution mask in scalars. Mask 0 has every bit set and is never written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MaskSlot(pub u16);

impl MaskSlot {
    /// The mask that is true for every lane.
    pub const TRUE: MaskSlot = MaskSlot(0);
}

/// The mask that decides which active lanes execute an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Guard {
    /// The mask register.
    pub mask: MaskSlot,
    /// Execute the lanes whose bit is clear instead.
    pub negated: bool,
}

impl Guard {
    /// Every active lane executes.
    pub const ALWAYS: Guard = Guard {
        mask: MaskSlot::TRUE,
        negated: false,
    };

    /// Whether the guard lets every active lane through.
    pub fn is_always(self) -> bool {
        self == Guard::ALWAYS
    }
}
