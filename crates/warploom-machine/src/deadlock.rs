//! Telling that a warp spins in place or will spin for ever, and who waits for whom.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use warploom_isa::access::Access;
use warploom_isa::address::{GLOBAL_BASE, SHARED_WINDOW, WINDOW_BYTES};
use warploom_isa::{Inst, Op, Pc, Slot, Space};

use crate::block::{Block, BlockParts};
use crate::env::{Divergence, LaunchEnv};
use crate::fault::{AccessInfo, AccessKind, Wait};
use crate::program::Program;
use crate::warp::{Group, GroupState, Row, Warp};

/// Looks for a state that comes back, by Brent's method: compare with one remembered state, and
/// remember anew at every power of two.
pub(crate) struct Watch {
    seen: u32,
    limit: u32,
    remembered: Option<(Key, u64)>,
}

/// What is cheap to compare; the hash is only taken when it agrees.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    pc: u32,
    mask: u64,
    groups: usize,
    spins: u32,
    /// One lane's registers, roughly.
    sample: u32,
}

impl Watch {
    /// Gives up after `limit` states.
    pub(crate) fn new(limit: u32) -> Watch {
        Watch {
            seen: 0,
            limit,
            remembered: None,
        }
    }

    /// Sees the next state: `Some(true)` if it has been seen before, `Some(false)` to give up.
    pub(crate) fn see<const L: usize>(&mut self, warp: &Warp<L>) -> Option<bool> {
        let Some(group) = warp.groups.get(warp.current) else {
            return Some(false);
        };
        // Alone, a group's spins change nothing.
        let spins = if warp.groups.len() > 1 { warp.spins } else { 0 };
        let key = Key {
            pc: group.pc,
            mask: group.mask,
            groups: warp.groups.len(),
            spins,
            sample: sample(warp, group.mask),
        };
        if let Some((old, hash)) = self.remembered
            && old == key
            && state_hash(warp) == hash
        {
            return Some(true);
        }
        self.seen += 1;
        if self.seen.is_power_of_two() {
            self.remembered = Some((key, state_hash(warp)));
        }
        (self.seen > self.limit).then_some(false)
    }
}

/// A digest of the registers of the first lane of `mask`. A loop that counts changes it.
fn sample<const L: usize>(warp: &Warp<L>, mask: u64) -> u32 {
    let lane = mask.trailing_zeros() as usize % L;
    warp.rows.iter().fold(0u32, |digest, row| {
        digest.rotate_left(5).wrapping_add(row.0[lane])
    })
}

/// What a warp remembers of the turns in which its groups have spun while lanes of it waited at a
/// reconvergence point.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpinWatch {
    /// The lanes that waited.
    waiting: u64,
    /// Turns since others began to wait.
    turns: u32,
    /// A state that may come back.
    remembered: u64,
}

/// Turns after which groups are taken to spin in place though their state changes: they may count
/// or look at the clock while they wait.
const SPIN_TURN_LIMIT: u32 = 1024;

/// Whether the groups of a warp spin, and will for ever unless the lanes that wait at a
/// reconvergence point go on: the warp's state has come back, or they have spun for very long.
/// Called at the end of a turn of spinning. A loop that gets on is not disturbed: the lanes that
/// have left it wait for the others.
pub(crate) fn spins_in_place<const L: usize>(warp: &mut Warp<L>) -> bool {
    let waiting = warp.waiting_scopes();
    let waiting = waiting.fold(0, |lanes, (_, scope)| lanes | scope.arrived);
    let SpinWatch {
        waiting: before,
        turns,
        remembered,
    } = warp.spin_watch;
    let turns = if waiting == before { turns + 1 } else { 1 };
    warp.spin_watch.waiting = waiting;
    warp.spin_watch.turns = turns;
    if waiting == 0 {
        return false;
    }
    // As in `Watch`; but looking is not free, and hardly any loop is caught late.
    let look = turns <= 8 || turns % 16 == 0;
    let hash = if look { state_hash(warp) } else { 0 };
    let in_place = turns >= SPIN_TURN_LIMIT || look && turns > 1 && hash == remembered;
    if in_place {
        warp.spin_watch = SpinWatch::default();
    } else if turns.is_power_of_two() {
        warp.spin_watch.remembered = hash;
    }
    in_place
}

/// Looks for a block that goes round barriers for ever: while no memory changes, the state of all
/// its warps comes back.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundWatch {
    /// Changes of memory up to when it began to look.
    changes: u64,
    seen: u32,
    remembered: u64,
    /// The block's state has come back.
    pub(crate) circles: bool,
}

impl RoundWatch {
    /// Sees the next state, when memory has changed `changes` times in this run; whether it has
    /// come back. As in [`Watch`].
    pub(crate) fn see<const L: usize>(
        &mut self,
        parts: &BlockParts,
        warps: &[Warp<L>],
        changes: u64,
    ) -> bool {
        if self.changes != changes {
            *self = RoundWatch {
                changes,
                ..RoundWatch::default()
            };
        }
        let mut hasher = FxHasher::default();
        for warp in warps {
            hasher.write_u64(state_hash(warp));
            for group in &warp.groups {
                hasher.write_u8(u8::from(group.state == GroupState::Ready));
            }
            if warp.groups.len() > 1 {
                hasher.write_u32(warp.spins);
            }
        }
        for barrier in parts.barriers.iter() {
            for &lanes in &barrier.arrived {
                hasher.write_u64(lanes);
            }
        }
        let hash = hasher.finish();
        self.circles = self.seen > 0 && hash == self.remembered;
        self.seen += 1;
        if self.seen.is_power_of_two() {
            self.remembered = hash;
        }
        self.circles
    }
}

fn state_hash<const L: usize>(warp: &Warp<L>) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(warp.current);
    for row in &warp.rows {
        for pair in row.0.chunks_exact(2) {
            hasher.write_u64(u64::from(pair[0]) | u64::from(pair[1]) << 32);
        }
    }
    for &mask in &warp.masks {
        hasher.write_u64(mask);
    }
    for group in &warp.groups {
        hasher.write_u64(u64::from(group.pc) | u64::from(group.scope) << 32);
        hasher.write_u64(group.mask);
    }
    hasher.write(&warp.local);
    hasher.finish()
}

/// What a spinning group looks at: the first load or atomic of the block where it spins, if its
/// address can still be told, or else the warp's last atomic. With the instruction.
fn polled<const L: usize>(
    program: &Program,
    env: &LaunchEnv<L>,
    warp: &Warp<L>,
    group: &Group,
) -> Option<(Pc, AccessInfo)> {
    let atomic = || {
        let (pc, address) = warp.last_atomic?;
        Some((pc, access_at(program.code.get(pc as usize)?, address)))
    };
    let in_block = || {
        let frame = warp.frames.get(group.frame as usize)?;
        let mut written: Vec<Slot> = Vec::new();
        for (pc, inst) in (0..).zip(&program.code).skip(group.pc as usize) {
            match inst.op {
                Op::Block if pc != group.pc => return None,
                Op::Atom => return atomic().filter(|&(last, _)| last == pc),
                Op::Ld if written.contains(&inst.a) => return None,
                Op::Ld => {
                    let narrow = Access::unpack(inst.mods).narrow_address;
                    let file = match inst.a.is_constant() {
                        true => &env.constants,
                        false => warp.rows.get(frame.rows as usize..)?,
                    };
                    let lane = group.mask.trailing_zeros() as usize;
                    let base = lane_value(file, inst.a.row(), lane, narrow)?;
                    let address = base.wrapping_add_signed(inst.offset().into());
                    return Some((pc, access_at(inst, address)));
                }
                _ => written.extend([inst.dst, inst.dst2]),
            }
        }
        None
    };
    in_block().or_else(atomic)
}

/// A lane's value in a row, or in a pair of rows: there its lanes follow each other.
fn lane_value<const L: usize>(
    file: &[Row<L>],
    row: usize,
    lane: usize,
    narrow: bool,
) -> Option<u64> {
    let word = |index: usize| Some(file.get(row + index / L)?.0[index % L]);
    if narrow {
        return word(lane).map(u64::from);
    }
    Some(u64::from(word(2 * lane)?) | u64::from(word(2 * lane + 1)?) << 32)
}

/// An access as messages name it. A generic address may be that of shared memory, or already
/// stand for its place there.
fn access_at(inst: &Inst, address: u64) -> AccessInfo {
    let access = Access::unpack(inst.mods);
    let (space, address) = match access.space {
        Space::Generic if address >= GLOBAL_BASE => (Space::Global, address),
        Space::Generic => match address.wrapping_sub(SHARED_WINDOW) {
            offset if offset <= WINDOW_BYTES => (Space::Shared, offset),
            _ => (Space::Shared, address),
        },
        space => (space, address),
    };
    AccessInfo {
        kind: match inst.op {
            Op::Ld => AccessKind::Load,
            _ => AccessKind::Atomic,
        },
        space,
        address,
        bytes: access.bytes(),
    }
}

/// Parties of a deadlock that a report lists.
const WAIT_LIMIT: usize = 16;

/// Who waits where.
pub(crate) fn waits<const L: usize>(
    program: &Program,
    env: &LaunchEnv<L>,
    blocks: &[&mut Block<L>],
) -> Vec<Wait> {
    let module = &program.module;
    let mut all = Vec::new();
    for block in blocks {
        for warp in &block.warps {
            let mut add = |lanes: u64, pc: u32, reason: String, polled: Option<AccessInfo>| {
                if all.len() < WAIT_LIMIT {
                    all.push(Wait {
                        block: block.parts.index,
                        warp: warp.index,
                        lanes,
                        pc,
                        origin: module.origins.get(pc as usize).copied().unwrap_or_default(),
                        reason,
                        polled,
                    });
                }
            };
            for (number, group) in warp.groups.iter().enumerate() {
                let inst = &program.code[group.pc as usize];
                let line = module.origins[group.pc as usize].loc.line;
                let mut looks_at = None;
                let reason = match group.state {
                    GroupState::Barrier { id } => {
                        let barrier = &block.parts.barriers[usize::from(id)];
                        let missing: Vec<String> = block
                            .warps
                            .iter()
                            .filter_map(|other| {
                                let arrived = barrier.arrived.get(other.index as usize)?;
                                let rest = other.live() & !arrived;
                                (rest != 0).then(|| format!("warp {} {rest:#010x}", other.index))
                            })
                            .collect();
                        format!(
                            "waits at block barrier {id} (line {line}) for lanes of {}",
                            missing.join(", ")
                        )
                    }
                    GroupState::WarpSync => {
                        let name = inst.op.name();
                        let rest = warp.live() & !group.mask;
                        format!("waits at {name} (line {line}) for lanes among {rest:#010x}")
                    }
                    GroupState::Ready
                        if env.divergence == Divergence::Ipdom && number != warp.current =>
                    {
                        format!(
                            "held back (line {line}): the stack model finishes the other lanes \
                             of the warp first"
                        )
                    }
                    GroupState::Ready => {
                        let found = polled(program, env, warp, group);
                        let lock = found.map(|(pc, AccessInfo { kind, address, .. })| {
                            let last = match kind {
                                AccessKind::Atomic => "last ",
                                _ => "",
                            };
                            let line = module.origins[pc as usize].loc.line;
                            format!(", {last}{kind} at {address:#x} (line {line})")
                        });
                        looks_at = found.map(|(_, access)| access);
                        let lock = lock.unwrap_or_default();
                        format!("spins (line {line}){lock}; nothing it reads will change")
                    }
                };
                add(group.mask, group.pc, reason, looks_at);
            }
            for (_, scope) in warp.waiting_scopes() {
                let rest = scope.members & !scope.arrived;
                let pc = if (scope.rpc as usize) < module.code.len() {
                    scope.rpc
                } else {
                    0
                };
                let line = module.origins[pc as usize].loc.line;
                add(
                    scope.arrived,
                    pc,
                    format!(
                        "waits at the reconvergence point (line {line}) for lanes {rest:#010x}"
                    ),
                    None,
                );
            }
        }
    }
    all
}
