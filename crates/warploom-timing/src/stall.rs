//! Why a warp does not issue, under the profiler's names.

/// What a resident warp does in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// It issues.
    Selected,
    /// It could issue, and another warp of its scheduler does.
    NotSelected,
    /// It waits for a result whose time is fixed, or for its next turn.
    Wait,
    /// It waits for global, local or texture memory.
    LongScoreboard,
    /// It waits for shared memory, a special function, a conversion, or another lane.
    ShortScoreboard,
    /// It waits at a barrier for other warps of its block, or for lanes of its own.
    Barrier,
    /// Its pipeline is busy.
    MathPipeThrottle,
    /// The queue for shared memory and special operations is full.
    MioThrottle,
    /// The queue for global and local memory is full.
    LgThrottle,
    /// Its next instruction has not been fetched.
    NoInstruction,
    /// It waits for a constant.
    ConstantMiss,
    /// It waits for the target of a branch.
    BranchResolving,
    /// It waits at a fence.
    Membar,
    /// It sleeps.
    Sleeping,
    /// It has exited and waits for its stores.
    Drain,
}

impl Reason {
    /// All reasons, in the order of reports.
    pub const ALL: [Reason; 15] = [
        Reason::Selected,
        Reason::NotSelected,
        Reason::Wait,
        Reason::LongScoreboard,
        Reason::ShortScoreboard,
        Reason::Barrier,
        Reason::MathPipeThrottle,
        Reason::MioThrottle,
        Reason::LgThrottle,
        Reason::NoInstruction,
        Reason::ConstantMiss,
        Reason::BranchResolving,
        Reason::Membar,
        Reason::Sleeping,
        Reason::Drain,
    ];

    /// The key in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Selected => "selected",
            Reason::NotSelected => "not_selected",
            Reason::Wait => "wait",
            Reason::LongScoreboard => "long_scoreboard",
            Reason::ShortScoreboard => "short_scoreboard",
            Reason::Barrier => "barrier",
            Reason::MathPipeThrottle => "math_pipe_throttle",
            Reason::MioThrottle => "mio_throttle",
            Reason::LgThrottle => "lg_throttle",
            Reason::NoInstruction => "no_instruction",
            Reason::ConstantMiss => "imc_miss",
            Reason::BranchResolving => "branch_resolving",
            Reason::Membar => "membar",
            Reason::Sleeping => "sleeping",
            Reason::Drain => "drain",
        }
    }
}

/// Warp-cycles by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stalls([u64; Reason::ALL.len()]);

impl Stalls {
    /// Adds cycles of one warp.
    pub fn add(&mut self, reason: Reason, cycles: u64) {
        self.0[reason as usize] += cycles;
    }

    /// The warp-cycles of a reason.
    pub fn get(&self, reason: Reason) -> u64 {
        self.0[reason as usize]
    }

    /// Adds all of another's.
    pub fn add_all(&mut self, other: &Stalls) {
        for (sum, part) in self.0.iter_mut().zip(other.0) {
            *sum += part;
        }
    }

    /// All warp-cycles.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Reasons that occur, with their warp-cycles.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        let all = Reason::ALL
            .into_iter()
            .map(|reason| (reason, self.get(reason)));
        all.filter(|&(_, cycles)| cycles > 0)
    }
}
