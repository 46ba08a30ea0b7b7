//! What an observer is shown of a memory access before it happens.

use warploom_isa::access::{Access, Atomic, AtomicOp};
use warploom_isa::{Inst, Op, Pc, Space};

use crate::access;
use crate::exec::Exec;
use crate::memory::{Window, cell};
use crate::observe::{MemoryAccess, Observer};
use crate::warp::Warp;

/// Shows an observer which addresses an instruction is about to access, space by space.
///
/// # Safety
/// As for [`access::memory_op`].
#[inline(never)]
pub(crate) unsafe fn show<const L: usize, O: Observer>(
    x: &mut Exec<'_, L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
    observer: &mut O,
) {
    let how = Access::unpack(inst.mods);
    // SAFETY: the caller's promise.
    let mut addresses = unsafe { access::lane_addresses(&x.regs, inst, how) };
    let mut spaces = [how.space; L];
    if how.space == Space::Generic {
        for lane in 0..L {
            (spaces[lane], addresses[lane]) = access::resolve(addresses[lane]);
        }
    }
    let mut rest = exec;
    while rest != 0 {
        let space = spaces[rest.trailing_zeros() as usize];
        let lanes = (0..L)
            .filter(|&lane| spaces[lane] == space)
            .fold(0, |lanes, lane| lanes | 1 << lane);
        let idle = if O::VALUES && matches!(inst.op, Op::St | Op::Atom) {
            // SAFETY: the caller's promise.
            unsafe { idle_writes(x, inst, rest & lanes, space, &addresses) }
        } else {
            0
        };
        observer.access(&MemoryAccess {
            pc,
            kind: access::kind_of(inst.op),
            space,
            bytes: how.bytes(),
            lanes: rest & lanes,
            addresses: &addresses,
            idle,
        });
        rest &= !lanes;
    }
}

/// Lanes whose store writes what is there already, and lanes whose compare-and-swap does not find
/// what it compares with. Lower lanes go first. Accesses that are about to fail, and those to local
/// memory, are none.
///
/// # Safety
/// As for [`access::memory_op`].
unsafe fn idle_writes<const L: usize>(
    x: &mut Exec<'_, L>,
    inst: &Inst,
    exec: u64,
    space: Space,
    addresses: &[u64; L],
) -> u64 {
    let how = Access::unpack(inst.mods);
    let bytes = how.bytes();
    let swaps = inst.op == Op::Atom && Atomic::unpack(inst.mods).op == AtomicOp::Cas;
    if inst.op == Op::Atom && !(swaps && how.count_log2 == 0) {
        return 0;
    }
    let unused = 64 - (8 << how.width_log2);
    let lanes = || (0..L).filter(|lane| exec >> lane & 1 != 0);
    let climbs = lanes().is_sorted_by(|&a, &b| addresses[a] < addresses[b]);
    // What lower lanes have put where, if lanes can meet.
    let mut put: Vec<(u64, u64)> = Vec::new();
    let mut idle = 0;
    for lane in lanes() {
        let low = addresses[lane];
        let window = match space {
            Space::Shared => x.env.shared_window(low),
            Space::Global => x.memory.window(low),
            _ => None,
        };
        let fits = |window: &Window| {
            window.holds(low, low.saturating_add(u64::from(bytes)))
                && low & u64::from(bytes - 1) == 0
        };
        let Some(window) = window.filter(fits) else {
            continue;
        };
        let at = match space {
            Space::Shared => x.block.shared_host().wrapping_add(low as usize),
            _ => window.host.wrapping_add((low - window.low) as usize),
        };
        // SAFETY: the slots were checked.
        let value = |slot| unsafe { x.regs.lane(slot, how.wide_registers, lane) << unused };
        let there = |k: usize| {
            let place = low + (k << how.width_log2) as u64;
            let before = put.iter().rev().find(|(other, _)| *other == place);
            // SAFETY: the window holds the access, which is aligned.
            let memory = || unsafe {
                cell::load(at.wrapping_add(k << how.width_log2), how.width_log2) << unused
            };
            before.map_or_else(memory, |&(_, value)| value)
        };
        let (stays, new): (bool, Vec<u64>) = if swaps {
            (there(0) != value(inst.b), vec![value(inst.c)])
        } else {
            let list = access::register_list(x, inst, how, &inst.b);
            let new: Vec<u64> = list.iter().map(|&slot| value(slot)).collect();
            (new.iter().enumerate().all(|(k, &new)| there(k) == new), new)
        };
        idle |= u64::from(stays) << lane;
        if !stays && !climbs {
            let places = (0..).map(|k| low + (k << how.width_log2));
            put.extend(places.zip(new));
        }
    }
    idle
}

/// The same for an access at a fixed place of the current frame.
#[inline(never)]
pub(crate) fn show_frame<const L: usize, O: Observer>(
    warp: &Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
    observer: &mut O,
) {
    let base = warp.frames[warp.groups[warp.current].frame as usize].base_bytes;
    let addresses = base.map(|base| u64::from(base) + u64::from(inst.low));
    observer.access(&MemoryAccess {
        pc,
        kind: access::kind_of(inst.op),
        space: Space::Local,
        bytes: Access::unpack(inst.mods).bytes(),
        lanes: exec,
        addresses: &addresses,
        idle: 0,
    });
}
