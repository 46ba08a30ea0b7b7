//! Operations across lanes: votes, matches, shuffles, reductions, warp barriers.
//!
//! A synchronising form names its members in a mask. The members rendezvous by operation,
//! qualifiers and mask, wherever each of them is in the code; the last to arrive carries the
//! operation out for all. Lanes that have exited are not waited for. Lanes that name several masks
//! in one instruction stay together when each mask's members are all among them.

use warploom_isa::access::{WarpKind, WarpOp};
use warploom_isa::{EXIT_PC, Inst, Op, Pc, arith};

use crate::env::Divergence;
use crate::exec::{Exec, FaultAt};
use crate::fault::FaultKind;
use crate::lanes::Regs;
use crate::warp::{GroupState, Warp};

/// What became of the current group.
pub(crate) enum Outcome {
    /// It goes on behind the instruction.
    Done,
    /// The warp's groups have changed: pick anew.
    Changed,
    /// The same, since these lanes have come together.
    Met(u64),
}

/// Lanes that take part, with the instruction each came through.
struct Party<'a, const L: usize> {
    lanes: u64,
    inst: &'a Inst,
    regs: Regs<L>,
}

/// Executes a warp operation of the current group.
///
/// # Safety
/// The instruction was checked for the frame behind `regs`; `exec` is not zero.
#[inline(always)]
pub(crate) unsafe fn execute<const L: usize>(
    x: &Exec<'_, L>,
    warp: &mut Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
) -> Result<Outcome, Box<FaultAt>> {
    let op = WarpOp::unpack(inst.mods);
    if inst.op == Op::ActiveMask {
        // SAFETY: the caller's promise.
        unsafe { regs.write32(inst.dst, exec, &[exec as u32; L]) };
        return Ok(Outcome::Done);
    }
    if op.sync {
        // SAFETY: the caller's promise.
        let members = unsafe { regs.first(inst.d, false, exec) };
        // The common case: all live members are here, and agree on the mask.
        // SAFETY: the caller's promise.
        let agree = unsafe { agree(regs, inst, exec, members) };
        if !agree || exec & !members != 0 || members & warp.live() & !exec != 0 {
            // SAFETY: the caller's promise.
            return unsafe { rendezvous(x, warp, regs, inst, exec) };
        }
    }
    if inst.op == Op::Shfl {
        // SAFETY: the caller's promise.
        unsafe { shuffle_here(regs, inst, op, exec) };
    } else {
        let party = Party {
            lanes: exec,
            inst,
            regs: *regs,
        };
        // SAFETY: the caller's promise.
        unsafe { perform(op, std::slice::from_ref(&party)) };
    }
    Ok(Outcome::Done)
}

/// Whether all executing lanes name the same members.
#[inline(always)]
unsafe fn agree<const L: usize>(regs: &Regs<L>, inst: &Inst, exec: u64, members: u64) -> bool {
    if inst.d.is_constant() {
        return true;
    }
    let mut difference = 0;
    // SAFETY: the caller's promise.
    let row = unsafe { &*regs.row(inst.d).cast::<[u32; L]>() };
    for lane in 0..L {
        let on = exec >> lane & 1 != 0;
        difference |= if on { row[lane] ^ members as u32 } else { 0 };
    }
    difference == 0
}

/// A shuffle whose members are all in the executing group.
#[inline(always)]
unsafe fn shuffle_here<const L: usize>(regs: &Regs<L>, inst: &Inst, op: WarpOp, exec: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let value = *regs.row(inst.a).cast::<[u32; L]>();
        let lane_operand = &*regs.row(inst.b).cast::<[u32; L]>();
        let clamp = &*regs.row(inst.c).cast::<[u32; L]>();
        let mut result = [0; L];
        let mut valid = 0;
        for lane in 0..L {
            let (source, ok) =
                shuffle_source(op.kind, lane as u32, lane_operand[lane], clamp[lane]);
            result[lane] = value[source as usize % L];
            valid |= u64::from(ok) << lane;
        }
        regs.write32(inst.dst, exec, &result);
        regs.set_mask(inst.dst2, exec, valid);
    }
}

/// The lane that a shuffle reads, and whether it is in range (else the lane itself).
///
/// PTX: bits 0 to 4 of `c` clamp the source lane, bits 8 to 12 fix the lane bits of a segment.
#[inline(always)]
fn shuffle_source(kind: WarpKind, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let b = b & 31;
    let clamp = c & 31;
    let segment = c >> 8 & 31;
    let max = lane & segment | clamp & !segment;
    let min = lane & segment;
    let (source, ok) = match kind {
        WarpKind::ShflUp => {
            let source = lane.wrapping_sub(b);
            (source, source as i32 >= max as i32)
        }
        WarpKind::ShflDown => (lane + b, lane + b <= max),
        WarpKind::ShflBfly => (lane ^ b, lane ^ b <= max),
        _ => {
            let source = min | b & !segment;
            (source, source <= max)
        }
    };
    (if ok { source } else { lane }, ok)
}

/// Waits for the members, or carries the operation out if the executing lanes are the last.
#[inline(never)]
unsafe fn rendezvous<const L: usize>(
    x: &Exec<'_, L>,
    warp: &mut Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
) -> Result<Outcome, Box<FaultAt>> {
    // One mask at a time: the lanes that name another one split off and come back here.
    // SAFETY: the caller's promise.
    let members = unsafe { regs.first(inst.d, false, exec) };
    let mut same = 0;
    let mut missing_self = 0;
    for lane in (0..L).filter(|lane| exec >> lane & 1 != 0) {
        // SAFETY: the caller's promise.
        let mask = unsafe { regs.lane(inst.d, false, lane) };
        if mask >> lane & 1 == 0 {
            missing_self |= 1 << lane;
        }
        if mask == members {
            same |= 1 << lane;
        }
    }
    if missing_self != 0 {
        // SAFETY: the caller's promise.
        let mask = unsafe { regs.first(inst.d, false, missing_self) };
        let kind = FaultKind::MemberMaskWithoutSelf { mask };
        return Err(Box::new(FaultAt {
            kind,
            lanes: missing_self,
        }));
    }
    let current = warp.current;
    let group = warp.groups[current];
    let wanted = members & warp.live();
    if x.env.divergence != Divergence::Its && wanted & !exec != 0 {
        let kind = FaultKind::MemberNotActive {
            mask: members,
            missing: wanted & !exec,
        };
        return Err(Box::new(FaultAt { kind, lanes: same }));
    }
    // SAFETY: the caller's promise.
    if same != exec && unsafe { several(warp, regs, inst, exec) } {
        return Ok(Outcome::Done);
    }
    // Lanes that do not execute, or name other members, are a group of their own.
    let others = group.mask & !same;
    if others != 0 && others & exec == 0 {
        // Their guard is false: they go on behind the instruction.
        warp.groups.push(crate::warp::Group {
            mask: others,
            pc: group.pc + 1,
            ..group
        });
    } else if others != 0 {
        let idle = group.mask & !exec;
        if idle != 0 {
            warp.groups.push(crate::warp::Group {
                mask: idle,
                pc: group.pc + 1,
                ..group
            });
        }
        warp.groups.push(crate::warp::Group {
            mask: others & exec,
            issued: group.pc,
            ..group
        });
    }
    warp.groups[current].mask = same;
    // Who waits already?
    let mut party_groups = vec![(current, group.pc)];
    let mut here = same;
    for i in 0..warp.groups.len() {
        let other = warp.groups[i];
        if i == current || other.state != GroupState::WarpSync {
            continue;
        }
        let theirs = &x.program.code[other.pc as usize];
        let regs = warp.regs(other.frame, &x.env.constants);
        // SAFETY: the group waits at a checked instruction of its frame.
        let their_members = unsafe { regs.first(theirs.d, false, other.mask) };
        if theirs.op == inst.op && theirs.mods == inst.mods && their_members == members {
            here |= other.mask;
            party_groups.push((i, other.pc));
        }
    }
    if wanted & !here != 0 {
        warp.groups[current].state = GroupState::WarpSync;
        warp.groups[current].issued = group.pc;
        return Ok(Outcome::Changed);
    }
    let parties: Vec<Party<'_, L>> = party_groups
        .iter()
        .map(|&(i, pc)| Party {
            lanes: warp.groups[i].mask,
            inst: &x.program.code[pc as usize],
            regs: warp.regs(warp.groups[i].frame, &x.env.constants),
        })
        .collect();
    // SAFETY: each party's instruction was checked for its frame.
    unsafe { perform(WarpOp::unpack(inst.mods), &parties) };
    for &(i, pc) in &party_groups {
        warp.groups[i].pc = pc + 1;
        warp.groups[i].issued = EXIT_PC;
        warp.groups[i].state = GroupState::Ready;
    }
    join(warp, &party_groups);
    Ok(Outcome::Met(here))
}

/// Calls `each` with the executing lanes that name the same members, for each members that are named.
///
/// # Safety
/// As for [`execute`].
pub(crate) unsafe fn each_members<const L: usize>(
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
    mut each: impl FnMut(u64),
) {
    let mut rest = exec;
    while rest != 0 {
        // SAFETY: the caller's promise.
        let members = unsafe { regs.first(inst.d, false, rest) };
        // SAFETY: the caller's promise.
        let named = |lane: usize| unsafe { regs.lane(inst.d, false, lane) };
        let lanes = (0..L)
            .filter(|&lane| rest >> lane & 1 != 0 && named(lane) == members)
            .fold(0, |mask, lane| mask | 1 << lane);
        each(lanes);
        rest &= !lanes;
    }
}

/// Lanes that name several masks: carries out an operation for each, if each has all its live
/// members here; whether it has.
///
/// # Safety
/// As for [`execute`].
unsafe fn several<const L: usize>(warp: &Warp<L>, regs: &Regs<L>, inst: &Inst, exec: u64) -> bool {
    let mut parties: Vec<Party<'_, L>> = Vec::new();
    let mut all_here = true;
    // SAFETY: the caller's promise.
    unsafe {
        each_members(regs, inst, exec, |lanes| {
            let members = regs.first(inst.d, false, lanes);
            all_here &= members & warp.live() & !lanes == 0;
            parties.push(Party {
                lanes,
                inst,
                regs: *regs,
            });
        });
    }
    if !all_here {
        return false;
    }
    for party in &parties {
        // SAFETY: the caller's promise.
        unsafe { perform(WarpOp::unpack(inst.mods), std::slice::from_ref(party)) };
    }
    true
}

/// Groups that left a rendezvous through the same instruction, in the same scope, are one again.
fn join<const L: usize>(warp: &mut Warp<L>, parties: &[(usize, Pc)]) {
    let me = warp.groups[warp.current];
    let mut gone: Vec<usize> = Vec::new();
    for &(i, _) in parties {
        let other = warp.groups[i];
        let same = other.pc == me.pc && other.scope == me.scope && other.frame == me.frame;
        if i != warp.current && same {
            let current = warp.current;
            warp.groups[current].mask |= other.mask;
            warp.groups[current].worked |= other.worked;
            gone.push(i);
        }
    }
    gone.sort_unstable();
    for i in gone.into_iter().rev() {
        warp.groups.remove(i);
        if warp.current > i {
            warp.current -= 1;
        }
    }
}

/// Carries an operation out for all its members.
///
/// # Safety
/// Each party's instruction was checked for the frame of its registers.
unsafe fn perform<const L: usize>(op: WarpOp, parties: &[Party<'_, L>]) {
    let all = parties.iter().fold(0, |mask, party| mask | party.lanes);
    let mut value = [0u64; L];
    let mut bits = 0;
    for Party { lanes, inst, regs } in parties {
        // SAFETY: the caller's promise.
        unsafe {
            match inst.op {
                Op::Vote => {
                    let mask = regs.mask(inst.a);
                    bits |= (if op.negated { !mask } else { mask }) & lanes;
                }
                Op::Match | Op::Shfl | Op::Redux => {
                    for lane in (0..L).filter(|lane| lanes >> lane & 1 != 0) {
                        value[lane] = regs.lane(inst.a, op.wide, lane);
                    }
                }
                _ => {}
            }
        }
    }
    let members = || (0..L).filter(move |lane| all >> lane & 1 != 0);
    let mut result = [0u32; L];
    let mut flags = 0;
    match op.kind {
        WarpKind::VoteAll => flags = if bits == all { !0 } else { 0 },
        WarpKind::VoteAny => flags = if bits != 0 { !0 } else { 0 },
        WarpKind::VoteUni => flags = if bits == all || bits == 0 { !0 } else { 0 },
        WarpKind::VoteBallot => result = [bits as u32; L],
        WarpKind::MatchAny => {
            for lane in members() {
                let equal = members().filter(|&other| value[other] == value[lane]);
                result[lane] = equal.fold(0, |mask, other| mask | 1 << other);
            }
        }
        WarpKind::MatchAll => {
            let first = all.trailing_zeros() as usize % L;
            if members().all(|lane| value[lane] == value[first]) {
                flags = !0;
                result = [all as u32; L];
            }
        }
        WarpKind::Elect => {
            let leader = all.trailing_zeros();
            flags = 1 << leader;
            result = [leader; L];
        }
        WarpKind::ShflUp | WarpKind::ShflDown | WarpKind::ShflBfly | WarpKind::ShflIdx => {
            for Party { lanes, inst, regs } in parties {
                for lane in (0..L).filter(|lane| lanes >> lane & 1 != 0) {
                    // SAFETY: the caller's promise.
                    let (b, c) = unsafe {
                        (
                            regs.lane(inst.b, false, lane),
                            regs.lane(inst.c, false, lane),
                        )
                    };
                    let (source, ok) = shuffle_source(op.kind, lane as u32, b as u32, c as u32);
                    result[lane] = value[source as usize % L] as u32;
                    flags |= u64::from(ok) << lane;
                }
            }
        }
        WarpKind::Bar => {}
        _ => {
            let reduced = members()
                .map(|lane| value[lane] as u32)
                .reduce(|a, b| reduce(op, a, b));
            let reduced = reduced.unwrap_or(0);
            result = [if op.float && op.abs {
                reduced & 0x7fff_ffff
            } else {
                reduced
            }; L];
        }
    }
    for Party { lanes, inst, regs } in parties {
        // SAFETY: the caller's promise.
        unsafe {
            match inst.op {
                Op::Vote if op.kind == WarpKind::VoteBallot => {
                    regs.write32(inst.dst, *lanes, &result);
                }
                Op::Vote => regs.set_mask(inst.dst2, *lanes, flags),
                Op::Match | Op::Shfl | Op::Elect => {
                    regs.write32(inst.dst, *lanes, &result);
                    regs.set_mask(inst.dst2, *lanes, flags);
                }
                Op::Redux => regs.write32(inst.dst, *lanes, &result),
                _ => {}
            }
        }
    }
}

fn reduce(op: WarpOp, a: u32, b: u32) -> u32 {
    let float = |f: fn(f32, f32, bool, bool, bool) -> f32| {
        let value = |bits: u32| f32::from_bits(if op.abs { bits & 0x7fff_ffff } else { bits });
        f(value(a), value(b), false, op.nan, false).to_bits()
    };
    match op.kind {
        WarpKind::ReduxAdd => a.wrapping_add(b),
        WarpKind::ReduxAnd => a & b,
        WarpKind::ReduxOr => a | b,
        WarpKind::ReduxXor => a ^ b,
        WarpKind::ReduxMin if op.float => float(arith::min_f32),
        WarpKind::ReduxMax if op.float => float(arith::max_f32),
        WarpKind::ReduxMin if op.signed => (a as i32).min(b as i32) as u32,
        WarpKind::ReduxMax if op.signed => (a as i32).max(b as i32) as u32,
        WarpKind::ReduxMin => a.min(b),
        _ => a.max(b),
    }
}
