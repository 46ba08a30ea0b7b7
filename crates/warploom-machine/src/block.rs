//! A resident block: its warps, shared memory and barriers.

use crate::barrier::{BARRIERS, Barrier};
use crate::deadlock::RoundWatch;
use crate::env::LaunchEnv;
use crate::fault::Note;
use crate::warp::Warp;

/// What the warps of a block share.
#[derive(Clone, Debug)]
pub struct BlockParts {
    /// Position in the grid, in one dimension.
    pub number: u64,
    /// Position in the grid.
    pub index: [u32; 3],
    /// Shared memory, padded past its end; 64-bit words, so that every access is aligned on the
    /// host as on the device.
    shared: Vec<[u64; 4]>,
    /// Barriers.
    pub barriers: Box<[Barrier; BARRIERS]>,
    /// Barriers that somebody has arrived at in the present phase, one bit each.
    pub(crate) begun: u32,
    /// Barriers that somebody waits at, one bit each.
    pub(crate) waiters: u32,
    /// Threads that have not exited.
    pub(crate) live: u32,
    /// Issued instructions, up to the last block entry.
    pub(crate) clock: u64,
    /// Where that was.
    pub(crate) clock_pc: u32,
    /// Stores and atomics executed: while it stands still, nobody can see a change.
    pub(crate) mutations: u64,
    /// Oddities seen.
    pub notes: Vec<Note>,
}

/// Notes that a block keeps.
const NOTE_LIMIT: usize = 16;

impl BlockParts {
    fn new<const L: usize>(env: &LaunchEnv<L>, number: u64, shared: Vec<[u64; 4]>) -> BlockParts {
        BlockParts {
            number,
            index: env.block_index(number),
            shared,
            barriers: Default::default(),
            begun: 0,
            waiters: 0,
            live: env.threads_per_block(),
            clock: 0,
            clock_pc: 0,
            mutations: 0,
            notes: Vec::new(),
        }
    }

    /// Becomes those of another block of the same launch.
    fn enter<const L: usize>(&mut self, env: &LaunchEnv<L>, number: u64) {
        self.number = number;
        self.index = env.block_index(number);
        self.shared.fill([0; 4]);
        for id in (0..BARRIERS).filter(|id| self.begun >> id & 1 != 0) {
            self.barriers[id].reset();
        }
        self.begun = 0;
        self.waiters = 0;
        self.live = env.threads_per_block();
        self.clock = 0;
        self.clock_pc = 0;
        self.mutations = 0;
        self.notes.clear();
    }

    /// The host address of shared memory.
    #[inline(always)]
    pub(crate) fn shared_host(&mut self) -> *mut u8 {
        self.shared.as_mut_ptr().cast()
    }

    /// Copies bytes of shared memory; the range lies inside.
    pub(crate) fn read_shared(&self, start: usize, into: &mut [u8]) {
        for (i, byte) in into.iter_mut().enumerate() {
            let at = start + i;
            *byte = (self.shared[at / 32][at / 8 % 4] >> (8 * (at % 8))) as u8;
        }
    }

    pub(crate) fn note(&mut self, pc: u32, text: String) {
        let note = Note { pc, text };
        if self.notes.len() < NOTE_LIMIT && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// A resident block.
#[derive(Clone)]
pub struct Block<const L: usize> {
    /// What the warps share.
    pub parts: BlockParts,
    /// The warps.
    pub warps: Vec<Warp<L>>,
    /// The warp that runs next.
    pub(crate) next_warp: usize,
    /// Whether it goes round barriers for ever.
    pub(crate) rounds: RoundWatch,
}

impl<const L: usize> Block<L> {
    /// Block number `number` of a launch, at its entry.
    pub fn new(env: &LaunchEnv<L>, number: u64) -> Block<L> {
        let words = (env.shared_bytes as usize).div_ceil(32) + 1;
        let warps = (0..env.warps_per_block())
            .map(|warp| Warp::new(warp, env.warp_lanes(warp), env.kernel, &env.entry))
            .collect();
        Block {
            parts: BlockParts::new(env, number, vec![[0; 4]; words]),
            warps,
            next_warp: 0,
            rounds: RoundWatch::default(),
        }
    }

    /// Block number `number`, in the allocations of one that has finished, if there is one.
    pub(crate) fn enter_or_new(kept: Option<Block<L>>, env: &LaunchEnv<L>, number: u64) -> Self {
        match kept {
            Some(mut block) => {
                block.enter(env, number);
                block
            }
            None => Block::new(env, number),
        }
    }

    /// Becomes another block of the same launch, keeping the allocations.
    fn enter(&mut self, env: &LaunchEnv<L>, number: u64) {
        self.parts.enter(env, number);
        for warp in &mut self.warps {
            warp.enter(env.warp_lanes(warp.index), env.kernel, &env.entry);
        }
        self.next_warp = 0;
        self.rounds = RoundWatch::default();
    }

    /// Whether every thread has exited.
    pub fn finished(&self) -> bool {
        self.warps.iter().all(|warp| warp.groups.is_empty())
    }
}
