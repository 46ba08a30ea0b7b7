//! Modifier words of the machine operations: what each bit of [`crate::Inst::mods`] means there.

use crate::address::Space;
use crate::mods::Mods;

/// How strongly an access orders others, in the memory model's terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Order {
    /// A plain access.
    Weak,
    /// `.volatile`.
    Volatile,
    /// `.relaxed`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel`.
    AcqRel,
    /// `.sc`, of fences.
    SeqCst,
    /// `.mmio`.
    Mmio,
}

/// The threads that a strong access is ordered with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Scope {
    /// The block.
    Cta,
    /// The cluster.
    Cluster,
    /// The device.
    Gpu,
    /// The system.
    Sys,
}

/// What a load, store, atomic or fence does, besides its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Bytes of one element, as a power of two: 0 to 3.
    pub width_log2: u8,
    /// Elements each lane moves, as a power of two: 0 to 3.
    pub count_log2: u8,
    /// Sign-extend narrow elements.
    pub signed: bool,
    /// Each element's register is a 64-bit one.
    pub wide_registers: bool,
    /// The address register holds 32 bits.
    pub narrow_address: bool,
    /// The state space.
    pub space: Space,
    /// Ordering.
    pub order: Order,
    /// Scope of the ordering.
    pub scope: Scope,
    /// Read-only for the kernel's life (`ld.global.nc`).
    pub read_only: bool,
}

impl Access {
    /// A weak scalar access of `1 << width_log2` bytes.
    pub const fn plain(space: Space, width_log2: u8) -> Access {
        Access {
            width_log2,
            count_log2: 0,
            signed: false,
            wide_registers: width_log2 == 3,
            narrow_address: false,
            space,
            order: Order::Weak,
            scope: Scope::Sys,
            read_only: false,
        }
    }

    /// Bytes of one element.
    pub const fn element_bytes(self) -> u32 {
        1 << self.width_log2
    }

    /// Elements per lane.
    pub const fn count(self) -> u32 {
        1 << self.count_log2
    }

    /// Bytes each lane moves; its address must be a multiple of this.
    pub const fn bytes(self) -> u32 {
        1 << (self.width_log2 + self.count_log2)
    }

    /// Packs into bits 0 to 18 of a modifier word.
    pub const fn pack(self) -> Mods {
        Mods(
            self.width_log2 as u32
                | (self.count_log2 as u32) << 3
                | (self.signed as u32) << 5
                | (self.wide_registers as u32) << 6
                | (self.space as u32) << 7
                | (self.order as u32) << 11
                | (self.scope as u32) << 14
                | (self.narrow_address as u32) << 16
                | (self.read_only as u32) << 17,
        )
    }

    /// Unpacks what [`Access::pack`] packed.
    #[inline(always)]
    pub const fn unpack(mods: Mods) -> Access {
        let bits = mods.0;
        Access {
            width_log2: (bits & 7) as u8,
            count_log2: (bits >> 3 & 3) as u8,
            signed: bits >> 5 & 1 != 0,
            wide_registers: bits >> 6 & 1 != 0,
            space: Space::from_code(bits >> 7 & 15),
            order: match bits >> 11 & 7 {
                1 => Order::Volatile,
                2 => Order::Relaxed,
                3 => Order::Acquire,
                4 => Order::Release,
                5 => Order::AcqRel,
                6 => Order::SeqCst,
                7 => Order::Mmio,
                _ => Order::Weak,
            },
            scope: match bits >> 14 & 3 {
                0 => Scope::Cta,
                1 => Scope::Cluster,
                2 => Scope::Gpu,
                _ => Scope::Sys,
            },
            narrow_address: bits >> 16 & 1 != 0,
            read_only: bits >> 17 & 1 != 0,
        }
    }
}

macro_rules! coded_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The number that modifier words hold.
            pub const fn code(self) -> u32 {
                self as u32
            }

            /// The value with this number; numbers past the end mean the first value.
            #[inline(always)]
            pub const fn from_code(code: u32) -> $name {
                let i = code as usize;
                if i < Self::ALL.len() { Self::ALL[i] } else { Self::ALL[0] }
            }

            /// Its name in listings.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

coded_enum! {
    /// What an atomic does to memory.
    AtomicOp {
        /// Sum.
        Add = "add",
        /// Minimum.
        Min = "min",
        /// Maximum.
        Max = "max",
        /// Increment, wrapping to zero past the operand.
        Inc = "inc",
        /// Decrement, wrapping to the operand below zero or above it.
        Dec = "dec",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Exchange.
        Exch = "exch",
        /// Compare and swap: the second source is stored where memory equals the first.
        Cas = "cas",
    }
}

coded_enum! {
    /// The type an atomic computes in.
    AtomicType {
        /// Bits, or unsigned integers.
        U = "u",
        /// Signed integers.
        S = "s",
        /// Floating point of the element's width; 16 bits are IEEE half.
        F = "f",
        /// bfloat16.
        Bf16 = "bf16",
        /// Two IEEE halves in 32 bits.
        F16x2 = "f16x2",
        /// Two bfloat16 in 32 bits.
        Bf16x2 = "bf16x2",
    }
}

/// An atomic's modifier word: an [`Access`] and the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atomic {
    /// Width, space, order and scope.
    pub access: Access,
    /// The operation.
    pub op: AtomicOp,
    /// The type of the values.
    pub ty: AtomicType,
}

impl Atomic {
    /// Packs into a modifier word.
    pub const fn pack(self) -> Mods {
        Mods(self.access.pack().0 | self.op.code() << 20 | self.ty.code() << 24)
    }

    /// Unpacks what [`Atomic::pack`] packed.
    #[inline(always)]
    pub const fn unpack(mods: Mods) -> Atomic {
        Atomic {
            access: Access::unpack(mods),
            op: AtomicOp::from_code(mods.0 >> 20 & 15),
            ty: AtomicType::from_code(mods.0 >> 24 & 7),
        }
    }
}

coded_enum! {
    /// What a block barrier does besides waiting.
    BarKind {
        /// Wait.
        Sync = "sync",
        /// Arrive without waiting.
        Arrive = "arrive",
        /// Wait, and count the threads whose predicate is true.
        RedPopc = "red.popc",
        /// Wait, and tell whether all predicates are true.
        RedAnd = "red.and",
        /// Wait, and tell whether any predicate is true.
        RedOr = "red.or",
    }
}

/// A block barrier's modifier word.
///
/// Sources: `a` the barrier's number, `b` the thread count (when `has_count`), `c` the predicate
/// mask of a reduction. Destinations: `dst` for `red.popc`, `dst2` for `red.and` and `red.or`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bar {
    /// The kind.
    pub kind: BarKind,
    /// All threads of the warp must meet the same instruction.
    pub aligned: bool,
    /// The thread count is given.
    pub has_count: bool,
    /// The predicate is complemented.
    pub negated: bool,
}

impl Bar {
    /// Packs into a modifier word.
    pub const fn pack(self) -> Mods {
        Mods(
            self.kind.code()
                | (self.aligned as u32) << 3
                | (self.has_count as u32) << 4
                | (self.negated as u32) << 5,
        )
    }

    /// Unpacks what [`Bar::pack`] packed.
    pub const fn unpack(mods: Mods) -> Bar {
        Bar {
            kind: BarKind::from_code(mods.0 & 7),
            aligned: mods.0 >> 3 & 1 != 0,
            has_count: mods.0 >> 4 & 1 != 0,
            negated: mods.0 >> 5 & 1 != 0,
        }
    }
}

coded_enum! {
    /// How a warp operation combines or moves its members' values.
    WarpKind {
        /// `vote.all`
        VoteAll = "all",
        /// `vote.any`
        VoteAny = "any",
        /// `vote.uni`
        VoteUni = "uni",
        /// `vote.ballot`
        VoteBallot = "ballot",
        /// `match.any`
        MatchAny = "any",
        /// `match.all`
        MatchAll = "all",
        /// `shfl.up`
        ShflUp = "up",
        /// `shfl.down`
        ShflDown = "down",
        /// `shfl.bfly`
        ShflBfly = "bfly",
        /// `shfl.idx`
        ShflIdx = "idx",
        /// `redux.add`
        ReduxAdd = "add",
        /// `redux.min`
        ReduxMin = "min",
        /// `redux.max`
        ReduxMax = "max",
        /// `redux.and`
        ReduxAnd = "and",
        /// `redux.or`
        ReduxOr = "or",
        /// `redux.xor`
        ReduxXor = "xor",
        /// `elect`
        Elect = "elect",
        /// `bar.warp.sync`
        Bar = "sync",
    }
}

/// A warp operation's modifier word ([`crate::Op::Vote`], `Match`, `Shfl`, `Redux`, `Elect`,
/// `BarWarp`).
///
/// Operands: `d` is the member mask of a synchronising form. `Vote`: mask `a`; `dst` for a ballot,
/// else `dst2`. `Match`: value `a`; `dst`, and `dst2` for `match.all`. `Shfl`: value `a`, lane `b`,
/// clamp and segment `c`; `dst` and `dst2`. `Redux`: value `a`; `dst`. `Elect`: `dst` and `dst2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WarpOp {
    /// The kind.
    pub kind: WarpKind,
    /// Waits for the member lanes; without it, the active lanes are the members.
    pub sync: bool,
    /// The predicate source is complemented.
    pub negated: bool,
    /// Signed integers (`redux.min/max.s32`).
    pub signed: bool,
    /// The value is 64 bits wide (`match.b64`).
    pub wide: bool,
    /// Floating point (`redux.min/max.f32`).
    pub float: bool,
    /// Absolute values first (`redux.abs.f32`).
    pub abs: bool,
    /// Propagate NaN (`redux.NaN.f32`).
    pub nan: bool,
}

impl WarpOp {
    /// A form without modifiers.
    pub const fn new(kind: WarpKind, sync: bool) -> WarpOp {
        WarpOp {
            kind,
            sync,
            negated: false,
            signed: false,
            wide: false,
            float: false,
            abs: false,
            nan: false,
        }
    }

    /// Packs into a modifier word.
    pub const fn pack(self) -> Mods {
        Mods(
            self.kind.code()
                | (self.sync as u32) << 8
                | (self.negated as u32) << 9
                | (self.signed as u32) << 10
                | (self.wide as u32) << 11
                | (self.float as u32) << 12
                | (self.abs as u32) << 13
                | (self.nan as u32) << 14,
        )
    }

    /// Unpacks what [`WarpOp::pack`] packed.
    pub const fn unpack(mods: Mods) -> WarpOp {
        let bits = mods.0;
        WarpOp {
            kind: WarpKind::from_code(bits & 0xff),
            sync: bits >> 8 & 1 != 0,
            negated: bits >> 9 & 1 != 0,
            signed: bits >> 10 & 1 != 0,
            wide: bits >> 11 & 1 != 0,
            float: bits >> 12 & 1 != 0,
            abs: bits >> 13 & 1 != 0,
            nan: bits >> 14 & 1 != 0,
        }
    }
}

coded_enum! {
    /// A register that the machine fills in.
    Special {
        /// Thread index in the block, x.
        TidX = "tid.x",
        /// Thread index in the block, y.
        TidY = "tid.y",
        /// Thread index in the block, z.
        TidZ = "tid.z",
        /// Threads per block, x.
        NtidX = "ntid.x",
        /// Threads per block, y.
        NtidY = "ntid.y",
        /// Threads per block, z.
        NtidZ = "ntid.z",
        /// Block index in the grid, x.
        CtaidX = "ctaid.x",
        /// Block index in the grid, y.
        CtaidY = "ctaid.y",
        /// Block index in the grid, z.
        CtaidZ = "ctaid.z",
        /// Blocks in the grid, x.
        NctaidX = "nctaid.x",
        /// Blocks in the grid, y.
        NctaidY = "nctaid.y",
        /// Blocks in the grid, z.
        NctaidZ = "nctaid.z",
        /// Lane in the warp.
        LaneId = "laneid",
        /// Warp in the block.
        WarpId = "warpid",
        /// Most warps an SM holds.
        NwarpId = "nwarpid",
        /// The SM that runs the block.
        SmId = "smid",
        /// SMs of the device.
        NsmId = "nsmid",
        /// Number of the launch.
        GridId = "gridid",
        /// This lane's bit.
        LaneMaskEq = "lanemask_eq",
        /// This lane's bit and those below.
        LaneMaskLe = "lanemask_le",
        /// The bits below this lane's.
        LaneMaskLt = "lanemask_lt",
        /// This lane's bit and those above.
        LaneMaskGe = "lanemask_ge",
        /// The bits above this lane's.
        LaneMaskGt = "lanemask_gt",
        /// Cycle counter, low half.
        Clock = "clock",
        /// Cycle counter, high half.
        ClockHi = "clock_hi",
        /// Cycle counter.
        Clock64 = "clock64",
        /// Nanosecond timer.
        GlobalTimer = "globaltimer",
        /// Nanosecond timer, low half.
        GlobalTimerLo = "globaltimer_lo",
        /// Nanosecond timer, high half.
        GlobalTimerHi = "globaltimer_hi",
        /// Static and dynamic shared bytes of a block.
        TotalSmemSize = "total_smem_size",
        /// Shared bytes of a block, with those the system reserves.
        AggrSmemSize = "aggr_smem_size",
        /// Dynamic shared bytes of a block.
        DynamicSmemSize = "dynamic_smem_size",
        /// First reserved shared byte.
        ReservedSmemBegin = "reserved_smem_offset_begin",
        /// Past the last reserved shared byte.
        ReservedSmemEnd = "reserved_smem_offset_end",
        /// Bytes of shared memory that the system reserves.
        ReservedSmemCap = "reserved_smem_offset_cap",
        /// First offset that the system uses.
        ReservedSmem0 = "reserved_smem_offset_0",
        /// Second offset that the system uses.
        ReservedSmem1 = "reserved_smem_offset_1",
        /// Environment registers %envreg0 to %envreg31; the number is in the instruction's `imm`.
        EnvReg = "envreg",
        /// Performance counters %pm0 to %pm7 and their 64-bit forms: always zero.
        Pm = "pm",
        /// Whether the launch named its cluster shape.
        IsExplicitCluster = "is_explicit_cluster",
        /// Cluster in the grid.
        ClusterIdX = "clusterid.x",
        /// Cluster in the grid.
        ClusterIdY = "clusterid.y",
        /// Cluster in the grid.
        ClusterIdZ = "clusterid.z",
        /// Clusters in the grid.
        NclusterIdX = "nclusterid.x",
        /// Clusters in the grid.
        NclusterIdY = "nclusterid.y",
        /// Clusters in the grid.
        NclusterIdZ = "nclusterid.z",
        /// Block in its cluster.
        ClusterCtaIdX = "cluster_ctaid.x",
        /// Block in its cluster.
        ClusterCtaIdY = "cluster_ctaid.y",
        /// Block in its cluster.
        ClusterCtaIdZ = "cluster_ctaid.z",
        /// Blocks in a cluster.
        ClusterNctaIdX = "cluster_nctaid.x",
        /// Blocks in a cluster.
        ClusterNctaIdY = "cluster_nctaid.y",
        /// Blocks in a cluster.
        ClusterNctaIdZ = "cluster_nctaid.z",
        /// Rank of the block in its cluster.
        ClusterCtaRank = "cluster_ctarank",
        /// Blocks in a cluster.
        ClusterNctaRank = "cluster_nctarank",
        /// Zero: the high half of %tid.w and its relatives.
        Zero = "zero",
        /// Index of the thread in the grid in one dimension; the lesson language's `i`.
        GlobalIndex = "global_index",
    }
}

coded_enum! {
    /// A function that the host provides to kernels.
    HostFunction {
        /// `int vprintf(const char *format, void *arguments)`
        Vprintf = "vprintf",
        /// `void __assertfail(message, file, line, function, char_size)`
        AssertFail = "__assertfail",
        /// `void *malloc(size_t)`
        Malloc = "malloc",
        /// `void free(void *)`
        Free = "free",
    }
}
