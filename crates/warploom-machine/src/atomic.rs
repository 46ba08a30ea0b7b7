//! What atomics compute.

use warploom_isa::access::{Atomic, AtomicOp, AtomicType};
use warploom_isa::arith::{self, Narrow, Round};
use warploom_isa::{Inst, Op, Slot};

use crate::exec::Exec;
use crate::lanes::Regs;
use crate::memory::cell;

/// Performs an atomic in every executing lane, the lowest first; whether memory changed.
///
/// # Safety
/// The places of executing lanes are aligned, live memory of the access's size, and the
/// instruction was checked.
pub(crate) unsafe fn execute<const L: usize>(
    x: &Exec<'_, L>,
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
    private: bool,
    places: &[*mut u8; L],
) -> bool {
    let mut changed = false;
    let atomic = Atomic::unpack(inst.mods);
    let access = atomic.access;
    let count = access.count() as usize;
    // Destinations, first and second sources of each element.
    let single = [inst.dst, inst.b, inst.c];
    let list: &[Slot] = if count == 1 {
        &single
    } else {
        &x.program.lists[inst.high as usize]
    };
    let returns = inst.op == Op::Atom;
    let sources = if count == 1 || returns { count } else { 0 };
    let wide = access.wide_registers;
    // Single-precision sums flush subnormals in global memory, and keep them in shared memory.
    let combine = |old, b, c| combine(atomic, old, b, c, !private);
    // One element is 8 bytes at most; the parts of a 128-bit exchange or compare go together,
    // those of a vector need not.
    let whole = count > 1 && matches!(atomic.op, AtomicOp::Cas | AtomicOp::Exch);
    let mut rest = exec;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        // SAFETY: the caller's promise.
        unsafe {
            let place = |k: usize| places[lane].add(k << access.width_log2);
            let source = |k: usize| regs.lane(list[sources + k], wide, lane);
            if whole {
                // Blocks with such an atomic run on one host thread: see `order_dependent`.
                let old: [u64; 8] = std::array::from_fn(|k| {
                    if k < count {
                        cell::load(place(k), access.width_log2)
                    } else {
                        0
                    }
                });
                let cas = atomic.op == AtomicOp::Cas;
                if !cas || (0..count).all(|k| old[k] == source(k)) {
                    changed = true;
                    for k in 0..count {
                        let value = source(if cas { count + k } else { k });
                        cell::store(place(k), access.width_log2, value);
                    }
                }
                for k in 0..count {
                    if returns {
                        regs.set_lane(list[k], wide, lane, old[k]);
                    }
                }
                continue;
            }
            for k in 0..count {
                let b = source(k);
                let c = if atomic.op == AtomicOp::Cas {
                    source(count + k)
                } else {
                    0
                };
                let old = if private || x.exclusive {
                    let old = cell::load(place(k), access.width_log2);
                    cell::store(place(k), access.width_log2, combine(old, b, c));
                    old
                } else {
                    cell::update(place(k), access.width_log2, |old| combine(old, b, c))
                };
                changed |= combine(old, b, c) != old;
                if returns {
                    regs.set_lane(list[k], wide, lane, old);
                }
            }
        }
    }
    changed
}

/// The new value of memory. `flush` replaces subnormals of single-precision sums by zero.
fn combine(atomic: Atomic, old: u64, b: u64, c: u64, flush: bool) -> u64 {
    let bits = 8 << atomic.access.width_log2;
    let mask = if bits == 64 { !0 } else { (1u64 << bits) - 1 };
    let (old, b) = (old & mask, b & mask);
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    let less = |x: u64, y: u64| match atomic.ty {
        AtomicType::S => signed(x) < signed(y),
        _ => x < y,
    };
    let value = match atomic.op {
        AtomicOp::Exch => b,
        AtomicOp::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        AtomicOp::Add | AtomicOp::Min | AtomicOp::Max => match atomic.ty {
            AtomicType::U | AtomicType::S => match atomic.op {
                AtomicOp::Add => old.wrapping_add(b),
                AtomicOp::Min if less(b, old) => b,
                AtomicOp::Max if less(old, b) => b,
                _ => old,
            },
            AtomicType::F if bits == 64 => f64_op(atomic.op, old, b),
            AtomicType::F if bits == 32 => f32_op(atomic.op, old, b, flush),
            AtomicType::F => half_op(atomic.op, Narrow::F16, old as u16, b as u16).into(),
            AtomicType::Bf16 => half_op(atomic.op, Narrow::Bf16, old as u16, b as u16).into(),
            AtomicType::F16x2 => pair_op(atomic.op, Narrow::F16, old as u32, b as u32).into(),
            AtomicType::Bf16x2 => pair_op(atomic.op, Narrow::Bf16, old as u32, b as u32).into(),
        },
    };
    value & mask
}

fn f64_op(op: AtomicOp, old: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(old), f64::from_bits(b));
    match op {
        AtomicOp::Min => arith::min_f64(x, y),
        AtomicOp::Max => arith::max_f64(x, y),
        _ => arith::add_f64(x, y, Round::NearestEven),
    }
    .to_bits()
}

fn f32_op(op: AtomicOp, old: u64, b: u64, flush: bool) -> u64 {
    let (x, y) = (f32::from_bits(old as u32), f32::from_bits(b as u32));
    let value = match op {
        AtomicOp::Min => arith::min_f32(x, y, false, false, false),
        AtomicOp::Max => arith::max_f32(x, y, false, false, false),
        _ => arith::add_f32(x, y, Round::NearestEven, flush, false),
    };
    value.to_bits().into()
}

fn half_op(op: AtomicOp, format: Narrow, old: u16, b: u16) -> u16 {
    match (op, format) {
        (AtomicOp::Min, _) => arith::min_16(old, b, format, false, false, false),
        (AtomicOp::Max, _) => arith::max_16(old, b, format, false, false, false),
        (_, Narrow::F16) => arith::add_f16(old, b, false, false),
        (_, Narrow::Bf16) => arith::add_bf16(old, b),
    }
}

fn pair_op(op: AtomicOp, format: Narrow, old: u32, b: u32) -> u32 {
    arith::halves2(old, b, |x, y| half_op(op, format, x, y))
}
