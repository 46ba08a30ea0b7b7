//! Block barriers.
//!
//! A barrier has a number and counts threads. It completes when every participating thread that
//! has not exited has arrived: all threads of the block, or as many as the instruction says. Under
//! the stack model a warp arrives as a whole, whichever lanes are active (the rule before Volta).

use warploom_isa::access::{Bar, BarKind};
use warploom_isa::{Inst, Pc};

use crate::env::{Divergence, LaunchEnv};
use crate::exec::{Exec, FaultAt};
use crate::fault::FaultKind;
use crate::lanes::Regs;
use crate::observe::Observer;
use crate::warp::{GroupState, Warp};

/// Barriers of a block.
pub const BARRIERS: usize = 16;

/// One barrier's present phase.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// Arrived lanes, by warp.
    pub arrived: Vec<u64>,
    /// How many they are.
    pub threads: u32,
    /// Threads that must arrive, when the instruction says so.
    pub count: Option<u32>,
    /// The first instruction through which a thread arrived in this phase.
    pub first_pc: Option<Pc>,
    /// That instruction, or another of this phase, wants the whole warp to meet it.
    pub aligned_pc: Vec<Option<Pc>>,
    /// Threads whose predicate was true.
    pub votes: u32,
    /// Threads that brought a predicate.
    pub voters: u32,
    /// Somebody waits at it, rather than only having arrived.
    pub waiting: bool,
}

impl Barrier {
    /// Starts the next phase, keeping the allocations.
    pub(crate) fn reset(&mut self) {
        let Barrier {
            mut arrived,
            mut aligned_pc,
            ..
        } = std::mem::take(self);
        arrived.clear();
        aligned_pc.clear();
        *self = Barrier {
            arrived,
            aligned_pc,
            ..Barrier::default()
        };
    }
}

/// The current group arrives at a barrier; which. Completion is for the caller to look after.
///
/// # Safety
/// The instruction was checked for the frame behind `regs`; `exec` is not zero.
#[inline(never)]
pub(crate) unsafe fn arrive<const L: usize>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
) -> Result<u8, Box<FaultAt>> {
    let bar = Bar::unpack(inst.mods);
    let width = x.env.warp_width;
    let fault = |what: String| {
        Err(Box::new(FaultAt {
            kind: FaultKind::Barrier { what },
            lanes: exec,
        }))
    };
    // SAFETY: the caller's promise.
    let (id, count) = unsafe {
        let id = regs.first(inst.a, false, exec);
        let count = if bar.has_count {
            Some(regs.first(inst.b, false, exec) as u32)
        } else {
            None
        };
        (id, count)
    };
    if id as usize >= BARRIERS {
        return fault(format!(
            "barrier {id}: there are barriers 0 to {}",
            BARRIERS - 1
        ));
    }
    if !inst.a.is_constant() {
        for lane in (0..L).filter(|lane| exec >> lane & 1 != 0) {
            // SAFETY: the caller's promise.
            if unsafe { regs.lane(inst.a, false, lane) } != id {
                return fault("lanes of one warp name different barriers".to_owned());
            }
        }
    }
    if let Some(count) = count {
        let most = x.env.warps_per_block() * width;
        if count == 0 || count % width != 0 {
            return fault(format!(
                "barrier count {count} is not a positive multiple of {width}"
            ));
        }
        if count > most {
            return fault(format!(
                "barrier count {count} is more than the block's {most} threads"
            ));
        }
    }
    let live = warp.live();
    let lanes = if x.env.divergence == Divergence::Its {
        exec
    } else {
        live
    };
    if lanes & !exec != 0 {
        x.block.note(pc, format!(
            "block barrier {id} in divergent code: the whole warp counts as arrived, though lanes \
             {:#010x} did not execute it",
            lanes & !exec
        ));
    }
    x.counters.insts[pc as usize].requests += 1;
    let warps = x.env.warps_per_block() as usize;
    x.block.begun |= 1 << id;
    let state = &mut x.block.barriers[id as usize];
    if state.arrived.is_empty() {
        state.arrived.resize(warps, 0);
        state.aligned_pc.resize(warps, None);
        state.count = count;
        state.first_pc = Some(pc);
    } else if state.count != count {
        let text = |count: Option<u32>| count.map_or("all".to_owned(), |count| count.to_string());
        let (old, new) = (text(state.count), text(count));
        return fault(format!(
            "barrier {id} is waited for by {old} threads, and now by {new}"
        ));
    }
    if bar.aligned {
        let seen = &mut state.aligned_pc[warp.index as usize];
        if seen.is_some_and(|seen| seen != pc) {
            return fault(format!(
                "lanes of one warp meet barrier {id} at two different aligned instructions"
            ));
        }
        *seen = Some(pc);
    }
    if state.arrived[warp.index as usize] & lanes != 0 {
        return fault(format!("barrier {id}: threads arrive twice in one phase"));
    }
    state.arrived[warp.index as usize] |= lanes;
    state.threads += lanes.count_ones();
    if is_reduction(bar.kind) {
        // SAFETY: the caller's promise.
        let mask = unsafe { regs.mask(inst.c) };
        let votes = if bar.negated { !mask } else { mask } & exec;
        state.votes += votes.count_ones();
        state.voters += exec.count_ones();
    }
    // Lanes whose guard is false are not held up, except that they wait where the rest does under
    // the stack model, which cannot run them.
    let group = &mut warp.groups[warp.current];
    let idle = group.mask & !exec;
    if bar.kind == BarKind::Arrive {
        group.pc = pc + 1;
        return Ok(id as u8);
    }
    state.waiting = true;
    x.block.waiters |= 1 << id;
    group.state = GroupState::Barrier { id: id as u8 };
    group.worked = false;
    if idle != 0 && x.env.divergence == Divergence::Its {
        let rest = crate::warp::Group {
            mask: idle,
            pc: pc + 1,
            state: GroupState::Ready,
            ..*group
        };
        group.mask = exec;
        warp.groups.push(rest);
    }
    Ok(id as u8)
}

fn is_reduction(kind: BarKind) -> bool {
    matches!(kind, BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr)
}

/// Completes every barrier of a block whose threads have all arrived or exited; whether there was
/// one.
pub(crate) fn complete<const L: usize, O: Observer>(
    program: &crate::program::Program,
    env: &LaunchEnv<L>,
    block: &mut crate::block::BlockParts,
    warps: &mut [Warp<L>],
    observer: &mut O,
) -> bool {
    let mut any = false;
    let mut begun = block.begun;
    while begun != 0 {
        let id = begun.trailing_zeros() as usize;
        begun &= begun - 1;
        let state = &block.barriers[id];
        if !full(state, block.live, env.warp_width, warps) {
            continue;
        }
        any = true;
        note_rounders(block, id, warps);
        let state = &block.barriers[id];
        let (votes, voters) = (state.votes, state.voters);
        if O::ACTIVE {
            let at = GroupState::Barrier { id: id as u8 };
            let waiting = |warp: &Warp<L>| {
                let groups = warp.groups.iter().filter(|group| group.state == at);
                groups.fold(0, |lanes, group| lanes | group.mask)
            };
            let waiting: Vec<u64> = warps.iter().map(waiting).collect();
            observer.barrier(block.index, id as u8, &waiting);
        }
        for warp in warps.iter_mut() {
            for i in 0..warp.groups.len() {
                if warp.groups[i].state != (GroupState::Barrier { id: id as u8 }) {
                    continue;
                }
                let pc = warp.groups[i].pc;
                let inst = &program.code[pc as usize];
                let mask = warp.groups[i].mask;
                let all_if = |yes: bool| if yes { !0 } else { 0 };
                let kind = Bar::unpack(inst.mods).kind;
                if is_reduction(kind) {
                    let regs = warp.regs(warp.groups[i].frame, &env.constants);
                    // SAFETY: the group waits at a checked instruction of its frame.
                    unsafe {
                        match kind {
                            BarKind::RedPopc => regs.fill32(inst.dst, mask, votes),
                            BarKind::RedAnd => {
                                regs.set_mask(inst.dst2, mask, all_if(votes == voters));
                            }
                            _ => regs.set_mask(inst.dst2, mask, all_if(votes > 0)),
                        }
                    }
                }
                warp.groups[i].pc = pc + 1;
                warp.groups[i].state = GroupState::Ready;
            }
            // Groups that arrived apart and leave together are one again.
            if warp.groups.len() > 1 {
                merge_same(warp);
            }
            warp.exited_after_work = 0;
        }
        block.barriers[id].reset();
        block.waiters &= !(1 << id);
        block.begun &= !(1 << id);
    }
    any
}

fn merge_same<const L: usize>(warp: &mut Warp<L>) {
    let mut i = 0;
    while i < warp.groups.len() {
        let me = warp.groups[i];
        let twin = warp.groups[i + 1..].iter().position(|other| {
            other.pc == me.pc
                && other.scope == me.scope
                && other.frame == me.frame
                && other.state == me.state
        });
        if let (Some(twin), GroupState::Ready) = (twin, me.state) {
            let other = warp.groups.remove(i + 1 + twin);
            warp.groups[i].mask |= other.mask;
            warp.groups[i].worked |= other.worked;
            if warp.current != usize::MAX && warp.current >= i + 1 + twin {
                warp.current = i;
            }
        } else {
            i += 1;
        }
    }
}

/// Whether all participants have arrived; `live` threads of the block have not exited.
fn full<const L: usize>(state: &Barrier, live: u32, width: u32, warps: &[Warp<L>]) -> bool {
    match state.count {
        None => {
            // At least one live thread must have arrived: exits alone complete nothing. Those that
            // arrived and went on may have exited, so that the number alone does not tell.
            state.waiting
                && state.threads >= live
                && warps
                    .iter()
                    .zip(&state.arrived)
                    .all(|(warp, arrived)| warp.live() & !arrived == 0)
        }
        Some(count) => {
            let arrived = warps.iter().zip(&state.arrived);
            arrived
                .map(|(warp, &arrived)| counted(warp, arrived, width))
                .sum::<u32>()
                >= count
        }
    }
}

/// Threads that a warp's arrivals stand for: a warp that has arrived as a whole counts as a full
/// one, whatever its size.
fn counted<const L: usize>(warp: &Warp<L>, arrived: u64, width: u32) -> u32 {
    if arrived != 0 && warp.live() & !arrived == 0 {
        width
    } else {
        arrived.count_ones()
    }
}

/// Notes threads that did some work, went round the barrier and exited.
fn note_rounders<const L: usize>(
    block: &mut crate::block::BlockParts,
    id: usize,
    warps: &[Warp<L>],
) {
    let Some(pc) = block.barriers[id].first_pc else {
        return;
    };
    for warp in warps {
        let arrived = block.barriers[id].arrived[warp.index as usize];
        let rounders = warp.exited_after_work & !arrived;
        if rounders != 0 && arrived != 0 {
            let text = format!(
                "block barrier {id}: lanes {rounders:#010x} of warp {} went round it, did more \
                 work and exited, while lanes {arrived:#010x} waited",
                warp.index
            );
            block.note(pc, text);
        }
    }
}
