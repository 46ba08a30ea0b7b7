//! The operations of a warp program.
//!
//! Two kinds make up [`Op`]:
//!
//! * **Lane operations** compute each lane's result from that lane's operands alone. Each is one
//!   row of a table ([`crate::table`]): documentation, name, latency class, operand types and
//!   semantics stand there and nowhere else. The enum, the listing, the interpreter's lane loop and
//!   the test of every row are derived from it.
//! * **Machine operations** touch more than a lane's registers: control flow, memory, barriers,
//!   other lanes. They are listed here, and the machine gives them their meaning.

use crate::arith::AnyNanF32;
use crate::lane::RegClass;

/// How long an operation takes, as a class that a device file gives cycles to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LatencyClass {
    /// 32-bit integer and logic.
    IntAlu,
    /// 32-bit integer multiplication.
    IntMul,
    /// 64-bit integer, done in several 32-bit steps.
    Int64,
    /// Integer division, a software sequence.
    IntDiv,
    /// 16-bit floating point.
    Fp16,
    /// 32-bit floating point add, multiply, fused multiply-add.
    Fp32,
    /// 64-bit floating point.
    Fp64,
    /// Division and square root with full accuracy, a software sequence.
    FpDiv,
    /// Special function unit: reciprocal, exponential, sine.
    Special,
    /// Conversion between types.
    Convert,
    /// Predicate logic.
    Mask,
    /// Copies of registers.
    Move,
    /// Memory and atomics.
    Memory,
    /// Branches, calls, exit.
    Control,
    /// Exchange between lanes.
    Warp,
    /// Barriers and fences.
    Sync,
}

macro_rules! define_ops {
    (
        hot { $( $(#[$hdoc:meta])* $hot:ident($hname:literal, $hclass:ident) = ($hm:pat_param $(, $ha:ident : $hat:ty)*) -> $hr:ty $hbody:block )* }
        cold { $( $(#[$cdoc:meta])* $cold:ident($cname:literal, $cclass:ident) = ($cm:pat_param $(, $ca:ident : $cat:ty)*) -> $cr:ty $cbody:block )* }
        machine { $( $(#[$mdoc:meta])* $machine:ident($mname:literal, $mclass:ident), )* }
    ) => {
        /// The operation of a decoded instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum Op {
            $( $(#[$mdoc])* $machine, )*
            $( $(#[$hdoc])* $hot, )*
            $( $(#[$cdoc])* $cold, )*
        }

        /// Semantics of the lane operations, one function each, named like the operation.
        #[allow(non_snake_case, missing_docs)]
        pub mod lane_fn {
            #[allow(unused_imports)]
            use crate::table::prelude::*;
            $( $(#[$hdoc])* #[inline(always)] pub fn $hot($hm: Mods $(, $ha: $hat)*) -> $hr $hbody )*
            $( $(#[$cdoc])* #[inline] pub fn $cold($cm: Mods $(, $ca: $cat)*) -> $cr $cbody )*
        }

        impl Op {
            /// Every operation, machine operations first.
            pub const ALL: &'static [Op] = &[
                $( Op::$machine, )* $( Op::$hot, )* $( Op::$cold, )*
            ];

            /// The name in listings.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Op::$machine => $mname, )*
                    $( Op::$hot => $hname, )*
                    $( Op::$cold => $cname, )*
                }
            }

            /// The latency class.
            pub const fn class(self) -> LatencyClass {
                match self {
                    $( Op::$machine => LatencyClass::$mclass, )*
                    $( Op::$hot => LatencyClass::$hclass, )*
                    $( Op::$cold => LatencyClass::$cclass, )*
                }
            }

            /// Operand classes, for lane operations; `None` for machine operations.
            pub const fn signature(self) -> Option<Signature> {
                match self {
                    $( Op::$machine => None, )*
                    $( Op::$hot => Some(Signature {
                        sources: &[$( <$hat as $crate::lane::LaneType>::CLASS ),*],
                        result: <$hr as $crate::lane::LaneResult>::CLASS,
                        second: <$hr as $crate::lane::LaneResult>::HAS_SECOND,
                    }), )*
                    $( Op::$cold => Some(Signature {
                        sources: &[$( <$cat as $crate::lane::LaneType>::CLASS ),*],
                        result: <$cr as $crate::lane::LaneResult>::CLASS,
                        second: <$cr as $crate::lane::LaneResult>::HAS_SECOND,
                    }), )*
                }
            }
        }
    };
}

/// Register classes of a lane operation's operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Sources in order; a mask source reads one bit per lane.
    pub sources: &'static [RegClass],
    /// The first destination.
    pub result: RegClass,
    /// Whether a second destination, a mask, is written as well.
    pub second: bool,
}

crate::with_op_table!(define_ops);
