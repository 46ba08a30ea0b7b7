//! The device's address map.
//!
//! Shared, local and parameter memory have addresses of their own, starting at zero; each also
//! appears as a window in the generic address space, at the bases below. Everything else that
//! is mapped is global memory (constant variables live there too, read-only). Address 0 is never
//! mapped.

/// Where the generic window of a block's shared memory starts.
pub const SHARED_WINDOW: u64 = 0x0000_0100_0000_0000;
/// Where the generic window of a thread's local memory starts.
pub const LOCAL_WINDOW: u64 = 0x0000_0200_0000_0000;
/// Where the generic window of a kernel's parameters starts.
pub const PARAM_WINDOW: u64 = 0x0000_0300_0000_0000;
/// Bytes that each window spans.
pub const WINDOW_BYTES: u64 = 0x0000_0000_ffff_ffff;
/// Addresses of functions: `FUNCTION_BASE + 16 * function`.
pub const FUNCTION_BASE: u64 = 0x0000_0400_0000_0000;
/// The lowest address that global memory hands out.
pub const GLOBAL_BASE: u64 = 0x0000_1000_0000_0000;

/// A state space, as an instruction names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Space {
    /// Any of the others, by address.
    Generic,
    /// Memory of the whole device.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Read-only memory of the module.
    Const,
    /// The kernel's parameters.
    Param,
}

impl Space {
    pub(crate) const fn from_code(code: u32) -> Space {
        match code {
            1 => Space::Global,
            2 => Space::Shared,
            3 => Space::Local,
            4 => Space::Const,
            5 => Space::Param,
            _ => Space::Generic,
        }
    }

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
        }
    }
}
