//! Registers with a copy in memory, for views that show what a thread holds.
//!
//! A front end that is asked to lets [`FunctionBuilder`](crate::builder::FunctionBuilder) write a
//! store behind each instruction that changes a register of the program. The stores are fused: they
//! cost no issue and are not counted as instructions. Such a program is for looking at; its memory
//! requests are not those of the kernel.

use std::collections::HashMap;

use crate::builder::{VInst, VReg};
use crate::lane::RegClass;
use crate::module::KernelParam;

/// Where a thread's registers are copied to.
#[derive(Debug)]
pub(crate) struct Watch {
    base: VReg,
    offsets_bytes: HashMap<VReg, u32>,
}

/// A copy to make.
pub(crate) struct Copied {
    pub(crate) base: VReg,
    pub(crate) reg: VReg,
    pub(crate) offset_bytes: u32,
}

impl Watch {
    /// Copies go to the address in `base`, a 64-bit register, plus an offset for each register.
    pub(crate) fn new(base: VReg, offsets_bytes: impl IntoIterator<Item = (VReg, u32)>) -> Watch {
        let offsets_bytes = offsets_bytes.into_iter().collect();
        Watch {
            base,
            offsets_bytes,
        }
    }

    /// The copies that are stale once an instruction has executed.
    pub(crate) fn written_by(&self, inst: &VInst) -> Vec<Copied> {
        let scalars = inst.dst.iter().chain(&inst.dst2);
        let all = scalars.chain(inst.vector_dst.iter().flatten());
        let copied = |&reg: &VReg| {
            Some(Copied {
                base: self.base,
                reg,
                offset_bytes: *self.offsets_bytes.get(&reg)?,
            })
        };
        all.filter_map(copied).collect()
    }
}

/// A register with its place among a thread's copies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Its name in the source.
    pub name: String,
    /// Its type, as the source calls it.
    pub ty: String,
    /// What it holds.
    pub class: RegClass,
    /// Where its copy is, from the start of the thread's.
    pub offset_bytes: u32,
}

/// The registers of a kernel that are copied, and how the copies lie in memory: thread after thread
/// in the order of the grid. The address is the kernel's last parameter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WatchList {
    /// The registers, in the order of the source.
    pub registers: Vec<Watched>,
    /// Bytes of a thread's copies.
    pub thread_bytes: u32,
}

/// Bytes of each copy: that of the widest register, so that all are aligned.
const COPY_BYTES: u32 = 8;

impl WatchList {
    /// Adds a register.
    pub fn add(&mut self, name: impl Into<String>, ty: impl Into<String>, class: RegClass) {
        self.registers.push(Watched {
            name: name.into(),
            ty: ty.into(),
            class,
            offset_bytes: self.thread_bytes,
        });
        self.thread_bytes += COPY_BYTES;
    }

    /// The kernel's parameter for the address of the copies, behind `param_bytes` of others.
    pub fn param(&self, param_bytes: u32) -> KernelParam {
        KernelParam {
            name: "copies of registers".to_owned(),
            ty: ".u64".to_owned(),
            offset: param_bytes.next_multiple_of(COPY_BYTES),
            bytes: COPY_BYTES,
            align_bytes: COPY_BYTES,
            pointer: true,
        }
    }
}
