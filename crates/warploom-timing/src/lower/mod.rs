//! From source order to machine order: what a compiler would make of a kernel, as far as it
//! matters for time.

use warploom_isa::{FunctionId, Module};

use crate::stream::Stream;

/// What the lowering is told from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// Registers that a thread may have; the chip's limit where absent.
    pub max_registers: Option<u32>,
}

/// Lowers a kernel and all functions that it may call.
pub fn lower(module: &Module, kernel: FunctionId, options: LowerOptions) -> Stream {
    let _ = (module, kernel, options);
    Stream::default()
}
