//! Deadlocks of a launch that is advanced step by step.
//!
//! While memory stands still, nobody arrives at a barrier and no warp exits or starts, a warp is in a cycle
//! that nobody can break if its whole state comes back. When every resident warp waits or is in such a
//! cycle, the launch can never end. Nothing is executed for the sake of finding out: the states are
//! those between the steps that the driver makes anyway. They are only looked at after many steps in
//! which nothing has changed, ever more rarely while that finds nothing.

use rustc_hash::FxHashMap;
use warploom_isa::Op;

use crate::block::Block;
use crate::deadlock::Watch;
use crate::diverge;
use crate::env::Divergence;
use crate::program::Program;
use crate::warp::Warp;

/// A warp by the place of its block and its number there.
type Key = (usize, usize);

/// Steps without a change after which warps are watched for the first time.
const FIRST_STEPS: u64 = 1 << 16;

/// States of each warp that the first look compares, and that any look does at most.
const FIRST_STATES: u32 = 64;
const MOST_STATES: u32 = 1 << 14;

/// Looks for the standstill of a launch.
pub(crate) struct Standstill {
    /// Steps since something has changed.
    steps: u64,
    /// When to look next.
    look_at: u64,
    states: u32,
    /// While it looks: the warps whose state has not come back yet.
    watched: Option<FxHashMap<Key, Watch>>,
}

impl Standstill {
    pub(crate) fn new() -> Standstill {
        Standstill {
            steps: 0,
            look_at: FIRST_STEPS,
            states: FIRST_STATES,
            watched: None,
        }
    }

    /// Something has changed that a warp may wait for.
    pub(crate) fn progress(&mut self) {
        *self = Standstill::new();
    }

    /// A warp has made a step that changed nothing but itself; whether nobody can ever go on.
    pub(crate) fn step<const L: usize>(
        &mut self,
        program: &Program,
        divergence: Divergence,
        places: &mut [Option<Block<L>>],
        key: Key,
    ) -> bool {
        self.steps += 1;
        if self.steps < self.look_at {
            return false;
        }
        let states = self.states;
        let watched = self.watched.get_or_insert_with(|| {
            let mut watched = FxHashMap::default();
            for (place, block) in places.iter_mut().enumerate() {
                for (warp, state) in block
                    .iter_mut()
                    .flat_map(|b| b.warps.iter_mut().enumerate())
                {
                    if !state.groups.is_empty() && diverge::runnable(program, divergence, state) {
                        watched.insert((place, warp), Watch::new(states));
                    }
                }
            }
            watched
        });
        let block = places.get_mut(key.0).and_then(Option::as_mut);
        let warp = block.and_then(|block| block.warps.get_mut(key.1));
        let (Some(watch), Some(warp)) = (watched.get_mut(&key), warp) else {
            return watched.is_empty();
        };
        let seen = if !diverge::runnable(program, divergence, warp) {
            Some(true)
        } else if at_block(program, warp) {
            watch.see(warp)
        } else {
            None
        };
        match seen {
            Some(true) => {
                watched.remove(&key);
            }
            Some(false) => {
                self.watched = None;
                self.look_at = self.steps * 2;
                self.states = (self.states * 2).min(MOST_STATES);
                return false;
            }
            None => {}
        }
        watched.is_empty()
    }
}

/// Whether a warp is at the entry of a basic block, where every loop comes by.
fn at_block<const L: usize>(program: &Program, warp: &Warp<L>) -> bool {
    let group = warp.groups.get(warp.current);
    let inst = group.and_then(|group| program.code.get(group.pc as usize));
    inst.is_some_and(|inst| inst.op == Op::Block)
}
