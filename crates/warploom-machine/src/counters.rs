//! What a launch did, counted exactly.
//!
//! Issues are counted when a basic block is entered: all its instructions issue with the same
//! active mask, since everything that changes the mask ends a block. Only what differs inside a
//! block (guards, memory requests, divergence) is counted at the instruction.

use warploom_isa::Module;

/// Counts of one basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlockCount {
    /// Times that a warp entered it.
    pub entries: u64,
    /// Sum of active lanes over the entries.
    pub lanes: u64,
}

/// Counts of one instruction that its block does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InstCount {
    /// Executions with at least one lane whose guard is true; for a branch, all executions.
    pub requests: u64,
    /// Memory: distinct 32-byte sectors, or shared-memory passes. Branches: divergent executions.
    pub parts: u64,
    /// Shared memory: passes beyond the minimum.
    pub conflicts: u64,
    /// Sum of active lanes whose guard was false.
    pub guarded_off: u64,
}

/// Counts of a launch, or of a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// By [`warploom_isa::BlockId`].
    pub blocks: Vec<BlockCount>,
    /// By program counter.
    pub insts: Vec<InstCount>,
    /// By program counter, for generic accesses: requests that went to shared memory (`requests`,
    /// `parts`, `conflicts`) and to local memory (`guarded_off` is unused there).
    pub generic_shared: Vec<InstCount>,
    /// Local sectors of generic accesses.
    pub generic_local: Vec<InstCount>,
    /// Issues and lanes that a fault or limit cut off a block that had been counted whole, by
    /// program counter: subtract them.
    pub cut: Vec<(u32, BlockCount)>,
}

impl Counters {
    /// All zero, for a module.
    pub fn new(module: &Module) -> Counters {
        Counters {
            blocks: vec![BlockCount::default(); module.blocks.len()],
            insts: vec![InstCount::default(); module.code.len()],
            generic_shared: vec![InstCount::default(); module.code.len()],
            generic_local: vec![InstCount::default(); module.code.len()],
            cut: Vec::new(),
        }
    }

    /// Adds another part of the same launch.
    pub fn add(&mut self, other: &Counters) {
        for (sum, part) in self.blocks.iter_mut().zip(&other.blocks) {
            sum.entries += part.entries;
            sum.lanes += part.lanes;
        }
        let lists = [
            (&mut self.insts, &other.insts),
            (&mut self.generic_shared, &other.generic_shared),
            (&mut self.generic_local, &other.generic_local),
        ];
        for (sums, parts) in lists {
            for (sum, part) in sums.iter_mut().zip(parts) {
                sum.requests += part.requests;
                sum.parts += part.parts;
                sum.conflicts += part.conflicts;
                sum.guarded_off += part.guarded_off;
            }
        }
        self.cut.extend_from_slice(&other.cut);
    }

    /// Sets everything to zero, keeping the allocations.
    pub fn clear(&mut self) {
        self.blocks.fill(BlockCount::default());
        self.insts.fill(InstCount::default());
        self.generic_shared.fill(InstCount::default());
        self.generic_local.fill(InstCount::default());
        self.cut.clear();
    }

    /// Issues of each counted instruction: `(pc, entries and lanes)`.
    pub fn issues(&self, module: &Module) -> Vec<BlockCount> {
        let mut all = vec![BlockCount::default(); module.code.len()];
        for (block, count) in module.blocks.iter().zip(&self.blocks) {
            for pc in block.start + 1..block.end {
                if !module.code[pc as usize].flags.fused() {
                    all[pc as usize] = *count;
                }
            }
        }
        for (pc, cut) in &self.cut {
            let issue = &mut all[*pc as usize];
            issue.entries = issue.entries.saturating_sub(cut.entries);
            issue.lanes = issue.lanes.saturating_sub(cut.lanes);
        }
        all
    }

    /// Sum of active lanes over all issues.
    pub fn thread_instructions(&self, module: &Module) -> u64 {
        let blocks = module.blocks.iter().zip(&self.blocks);
        let whole: u64 = blocks
            .map(|(block, count)| u64::from(block.counted) * count.lanes)
            .sum();
        whole.saturating_sub(self.cut.iter().map(|(_, cut)| cut.lanes).sum())
    }
}
