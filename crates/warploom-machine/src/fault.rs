//! What can go wrong in a kernel, and where.

use std::fmt;

use warploom_isa::{Origin, Pc, Space};

use crate::memory::{AllocationKind, Neighbour};

/// Whether an access reads, writes or does both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic.
    Atomic,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        })
    }
}

/// A memory access, as a message names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessInfo {
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// The space it resolved to.
    pub space: Space,
    /// Address in that space.
    pub address: u64,
    /// Bytes.
    pub bytes: u32,
}

/// Addresses below this are those of a null pointer's members.
const NULL_PAGE_BYTES: u64 = 4096;

/// The kinds of fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The access hits no allocation or variable.
    OutOfBounds {
        /// The access.
        access: AccessInfo,
        /// What lies nearest.
        nearest: Option<Neighbour>,
    },
    /// The access hits memory that was freed.
    UseAfterFree {
        /// The access.
        access: AccessInfo,
        /// The freed allocation.
        freed: Neighbour,
    },
    /// The address is not a multiple of the access's size.
    Misaligned {
        /// The access.
        access: AccessInfo,
    },
    /// A write to read-only memory.
    ReadOnly {
        /// The access.
        access: AccessInfo,
    },
    /// The thread's stack is full.
    StackOverflow {
        /// Bytes it would need.
        bytes: u64,
        /// Bytes a thread may have.
        limit_bytes: u64,
    },
    /// Calls are nested too deep.
    CallDepth {
        /// Most calls that may be nested.
        limit: u32,
    },
    /// An indirect call or branch goes to something that is not a function or label, or the stack
    /// is to be restored to where it never was.
    BadTarget {
        /// The address, index or stack pointer.
        value: u64,
        /// What it should be.
        expected: String,
    },
    /// `trap`.
    Trap,
    /// `brkpt`.
    Breakpoint,
    /// A device assertion failed.
    Assert {
        /// The message, with the source position that the program gave.
        message: String,
    },
    /// A member mask leaves out the lane that executes.
    MemberMaskWithoutSelf {
        /// The mask.
        mask: u64,
    },
    /// A member mask names a live lane that is not active here (stack model only).
    MemberNotActive {
        /// The mask.
        mask: u64,
        /// Named lanes that are alive and elsewhere.
        missing: u64,
    },
    /// A barrier used against its rules.
    Barrier {
        /// What is wrong.
        what: String,
    },
    /// `free` of something that `malloc` did not return.
    BadFree {
        /// The address.
        address: u64,
    },
    /// A host function was called with arguments that it cannot use.
    HostCall {
        /// What is wrong.
        what: String,
    },
    /// Nobody can make progress.
    Deadlock {
        /// Who waits where, and for whom.
        waits: Vec<Wait>,
    },
}

/// One party of a deadlock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Block index.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Lanes that wait.
    pub lanes: u64,
    /// The instruction.
    pub pc: Pc,
    /// Its source.
    pub origin: Origin,
    /// Why they wait.
    pub reason: String,
    /// The memory that they spin on, where that can be told.
    pub polled: Option<AccessInfo>,
}

/// A fault with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub pc: Pc,
    /// Its source.
    pub origin: Origin,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in the block, of the first lane at fault.
    pub thread: [u32; 3],
    /// All lanes at fault.
    pub lanes: u64,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::OutOfBounds { access, nearest } => {
                write!(f, "{access} is out of bounds")?;
                match nearest {
                    _ if access.space == Space::Global && access.address < NULL_PAGE_BYTES => {
                        f.write_str(": a null pointer")
                    }
                    Some(near) => write!(f, ": {near}"),
                    None => Ok(()),
                }
            }
            FaultKind::UseAfterFree { access, freed } => {
                write!(f, "{access} hits freed memory: {freed}")
            }
            FaultKind::Misaligned { access } => {
                write!(
                    f,
                    "{access} is misaligned: it needs a multiple of {}",
                    access.bytes
                )
            }
            FaultKind::ReadOnly { access } => write!(f, "{access} writes read-only memory"),
            FaultKind::StackOverflow { bytes, limit_bytes } => {
                write!(
                    f,
                    "stack overflow: {bytes} bytes of local memory, the limit is {limit_bytes}"
                )
            }
            FaultKind::CallDepth { limit } => {
                write!(f, "call depth overflow: more than {limit} nested calls")
            }
            FaultKind::BadTarget { value, expected } => {
                write!(f, "{value:#x} is not {expected}")
            }
            FaultKind::Trap => f.write_str("trap instruction"),
            FaultKind::Breakpoint => f.write_str("breakpoint instruction"),
            FaultKind::Assert { message } => write!(f, "assertion failed: {message}"),
            FaultKind::MemberMaskWithoutSelf { mask } => {
                write!(f, "member mask {mask:#010x} leaves out the executing lane")
            }
            FaultKind::MemberNotActive { mask, missing } => write!(
                f,
                "member mask {mask:#010x} names lanes {missing:#010x} that are alive but not \
                 active here"
            ),
            FaultKind::Barrier { what } | FaultKind::HostCall { what } => f.write_str(what),
            FaultKind::BadFree { address } => {
                write!(
                    f,
                    "free of {address:#x}, which malloc did not return or which is freed"
                )
            }
            FaultKind::Deadlock { waits } => {
                f.write_str("deadlock: nobody can make progress")?;
                for wait in waits {
                    let [x, y, z] = wait.block;
                    write!(
                        f,
                        "\n  block ({x},{y},{z}) warp {} lanes {:#010x}: {}",
                        wait.warp, wait.lanes, wait.reason
                    )?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for AccessInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessInfo {
            kind,
            space,
            address,
            bytes,
        } = self;
        write!(
            f,
            "{} {kind} of {bytes} bytes at {address:#x}",
            space.name()
        )
    }
}

impl fmt::Display for AllocationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocationKind::Buffer(name) if name.is_empty() => f.write_str("a buffer"),
            AllocationKind::Buffer(name) => write!(f, "buffer '{name}'"),
            AllocationKind::Variable(name) => write!(f, "variable '{name}'"),
            AllocationKind::Heap => f.write_str("a malloc block"),
            AllocationKind::System(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Neighbour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Neighbour {
            kind,
            base,
            bytes,
            distance_bytes,
            freed,
        } = self;
        let freed = if *freed { " (freed)" } else { "" };
        match distance_bytes {
            0 => write!(f, "{kind}{freed} of {bytes} bytes at {base:#x}"),
            d if *d < 0 => {
                write!(
                    f,
                    "{} bytes before {kind}{freed} of {bytes} bytes at {base:#x}",
                    -d
                )
            }
            d => write!(
                f,
                "{} bytes past the end of {kind}{freed} of {bytes} bytes at {base:#x}",
                d - 1
            ),
        }
    }
}

/// Something odd that is no fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Note {
    /// The instruction.
    pub pc: Pc,
    /// What was seen.
    pub text: String,
}
