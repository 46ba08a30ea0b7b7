//! From the machine's counts per instruction to counters per launch and per source line.

use std::collections::BTreeMap;

use warploom_isa::access::Access;
use warploom_isa::{Inst, Loc, Module, Op, Space};
use warploom_machine::{Counters, InstCount};

use crate::metrics::Tally;

/// Bytes of a sector.
const SECTOR_BYTES: u64 = 32;

/// Counters of every source line that issued anything, in the order of files and lines.
pub(crate) fn by_line(module: &Module, counters: &Counters) -> BTreeMap<Loc, Tally> {
    let mut lines: BTreeMap<Loc, Tally> = BTreeMap::new();
    let issues = counters.issues(module);
    for (pc, inst) in module.code.iter().enumerate() {
        let (Some(issue), Some(counts)) = (issues.get(pc), counters.insts.get(pc)) else {
            break;
        };
        let Some(origin) = module.origins.get(pc) else {
            break;
        };
        let mut tally = Tally::default();
        if issue.entries > 0 && !inst.flags.fused() {
            tally.warp_instructions = issue.entries;
            tally.thread_instructions = issue.lanes;
            tally.thread_instructions_predicated_on =
                issue.lanes.saturating_sub(counts.guarded_off);
        }
        let empty = InstCount::default();
        let generic = |list: &[InstCount]| list.get(pc).copied().unwrap_or(empty);
        let executing = issue.lanes.saturating_sub(counts.guarded_off);
        let places = Places {
            direct: *counts,
            shared: generic(&counters.generic_shared),
            local: generic(&counters.generic_local),
        };
        requests(inst, &places, executing, &mut tally);
        if tally != Tally::default() {
            lines.entry(origin.loc).or_default().add(&tally);
        }
    }
    lines
}

/// Where an instruction's requests went.
struct Places {
    /// The space that it names; global memory for the generic space.
    direct: InstCount,
    /// Shared memory, by generic addresses.
    shared: InstCount,
    /// Local memory, by generic addresses.
    local: InstCount,
}

/// Adds what an instruction did besides issuing. `executing` is the sum of its lanes.
fn requests(inst: &Inst, places: &Places, executing: u64, tally: &mut Tally) {
    let Places {
        direct,
        shared,
        local,
    } = places;
    let all = direct.requests + shared.requests + local.requests;
    if all == 0 || inst.flags.convention() {
        return;
    }
    let access = Access::unpack(inst.mods);
    match inst.op {
        Op::Bra | Op::Brx => {
            tally.branches = direct.requests;
            tally.divergent_branches = direct.parts;
        }
        Op::Bar => tally.barriers = direct.requests,
        Op::LdFrame => tally.local_load_sectors = direct.parts,
        Op::StFrame => tally.local_store_sectors = direct.parts,
        Op::Ld | Op::St => {
            let load = inst.op == Op::Ld;
            match access.space {
                Space::Global | Space::Generic if direct.requests > 0 => {
                    // Lanes of mixed generic accesses are shared out by requests.
                    let lanes =
                        u128::from(executing) * u128::from(direct.requests) / u128::from(all);
                    let moved = lanes as u64 * u64::from(access.bytes());
                    global(load, direct, moved.div_ceil(SECTOR_BYTES), tally);
                }
                Space::Shared => in_shared(direct, tally),
                Space::Local => in_local(load, direct, tally),
                _ => {}
            }
            in_shared(shared, tally);
            in_local(load, local, tally);
        }
        Op::Atom | Op::Red => {
            tally.atomics = all;
            if access.space == Space::Shared {
                in_shared(direct, tally);
            }
            in_shared(shared, tally);
        }
        _ => {}
    }
}

fn global(load: bool, count: &InstCount, ideal_sectors: u64, tally: &mut Tally) {
    let Tally {
        global_load_requests,
        global_load_sectors,
        global_load_ideal_sectors,
        global_store_requests,
        global_store_sectors,
        global_store_ideal_sectors,
        ..
    } = tally;
    let (requests, sectors, ideal) = match load {
        true => (
            global_load_requests,
            global_load_sectors,
            global_load_ideal_sectors,
        ),
        false => (
            global_store_requests,
            global_store_sectors,
            global_store_ideal_sectors,
        ),
    };
    *requests += count.requests;
    *sectors += count.parts;
    // Lanes that read the same bytes need fewer.
    *ideal += ideal_sectors.min(count.parts);
}

fn in_shared(count: &InstCount, tally: &mut Tally) {
    tally.shared_requests += count.requests;
    tally.shared_wavefronts += count.parts;
    tally.shared_bank_conflicts += count.conflicts;
}

fn in_local(load: bool, count: &InstCount, tally: &mut Tally) {
    match load {
        true => tally.local_load_sectors += count.parts,
        false => tally.local_store_sectors += count.parts,
    }
}

/// The source line whose basic block had the most active lanes: where a launch spent its time.
pub(crate) fn hottest(module: &Module, counters: &Counters) -> Option<Loc> {
    let blocks = module.blocks.iter().zip(&counters.blocks);
    let weight = |(block, count): &(&warploom_isa::BasicBlock, &warploom_machine::BlockCount)| {
        (
            u64::from(block.counted).saturating_mul(count.lanes),
            std::cmp::Reverse(block.start),
        )
    };
    let (block, count) = blocks.max_by_key(weight)?;
    let first = (block.start + 1..block.end).find(|&pc| {
        let inst = module.code.get(pc as usize);
        inst.is_some_and(|inst| !inst.flags.fused())
    })?;
    let origin = module.origins.get(first as usize)?;
    (count.entries > 0).then_some(origin.loc)
}
