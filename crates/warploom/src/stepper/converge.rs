//! Where the lanes of a warp stand, told from what the warp issued.
//!
//! The machine decides who runs; what it issued, with which lanes, says where everyone is. Lanes
//! that a branch parts form a [`Level`] which ends at the branch's reconvergence point: the entry of
//! a reconvergence stack, or the convergence barrier of independent threads.

use warploom_isa::{EXIT_PC, Inst, MaskSlot, Module, Op, Pc};
use warploom_machine::Event;

/// Lanes at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The lanes.
    pub lanes: u64,
    /// The instruction they issue next; behind an indexed branch, the branch itself, until it shows
    /// where they went.
    pub pc: Pc,
}

/// Lanes that meet again at one point, and those of them that are on their way there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Where they meet; none at the outermost level, and for the return of a call.
    pub join: Option<Pc>,
    /// All of them.
    pub members: u64,
    /// Those that wait there.
    pub waiting: u64,
    /// Those that have no further point before it to meet at; the one that parted last is last.
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy)]
enum At {
    Pc(Pc),
    /// Past a branch whose way the next issue shows.
    Behind(Pc),
}

#[derive(Clone, Copy)]
struct Group {
    at: At,
    lanes: u64,
    scope: Option<usize>,
}

#[derive(Clone, Copy)]
struct Scope {
    rpc: Pc,
    call: Option<Pc>,
    parent: Option<usize>,
    members: u64,
    arrived: u64,
}

/// A warp, followed issue by issue.
#[derive(Clone)]
pub struct Convergence {
    groups: Vec<Group>,
    /// Those without members are done.
    scopes: Vec<Scope>,
    /// Lanes that are there.
    lanes: u64,
    exited: u64,
}

/// Most instructions between two issues: fused ones and jumps.
const MOST_FOLLOWED: usize = 100_000;

impl Convergence {
    /// A warp at the entry of a kernel.
    pub fn new(module: &Module, entry: Pc, lanes: u64) -> Convergence {
        let mut warp = Convergence {
            groups: Vec::new(),
            scopes: Vec::new(),
            lanes,
            exited: 0,
        };
        warp.go(module, lanes, entry, None);
        warp
    }

    /// Lanes that have not exited.
    pub fn live(&self) -> u64 {
        self.lanes & !self.exited
    }

    /// The levels, the outermost first. The outermost is always there.
    pub fn levels(&self) -> Vec<Level> {
        let depth = |mut scope: Option<usize>| {
            let mut depth = 0;
            while let Some(at) = scope {
                depth += 1;
                scope = self.scopes[at].parent;
            }
            depth
        };
        let parts = |scope| {
            let own = self.groups.iter().filter(move |group| group.scope == scope);
            own.map(|group| Part {
                lanes: group.lanes,
                pc: match group.at {
                    At::Pc(pc) | At::Behind(pc) => pc,
                },
            })
        };
        let mut levels = vec![Level {
            join: None,
            members: self.live(),
            waiting: 0,
            parts: parts(None).collect(),
        }];
        let mut scopes: Vec<usize> = (0..self.scopes.len())
            .filter(|&scope| self.scopes[scope].members != 0)
            .collect();
        scopes.sort_by_key(|&scope| depth(Some(scope)));
        levels.extend(scopes.into_iter().map(|scope| {
            let state = self.scopes[scope];
            Level {
                join: (state.rpc != EXIT_PC).then_some(state.rpc),
                members: state.members,
                waiting: state.arrived,
                parts: parts(Some(scope)).collect(),
            }
        }));
        levels
    }

    /// The warp has issued an instruction.
    pub fn issued(&mut self, module: &Module, event: &Event) {
        let scope = self.gather(module, event.active);
        let Some(inst) = module.code.get(event.pc as usize) else {
            return;
        };
        let (active, pc) = (event.active, event.pc);
        let executing = active & event.executing;
        match inst.op {
            Op::Bra => {
                let rest = active & !executing;
                let scope = if executing != 0 && rest != 0 {
                    self.part(inst.high, scope, active)
                } else {
                    scope
                };
                self.go(module, executing, inst.low, scope);
                self.go(module, rest, pc + 1, scope);
            }
            Op::Brx | Op::CallIndirect => self.groups.push(Group {
                at: At::Behind(pc),
                lanes: active,
                scope,
            }),
            Op::Call => {
                let callee = module.functions.get(inst.low as usize);
                let scope = self.open(EXIT_PC, Some(pc), scope, active);
                self.go(module, active, callee.map_or(pc + 1, |f| f.start), scope);
            }
            Op::Ret => {
                self.go(module, active & !executing, pc + 1, scope);
                self.leave(module, executing, scope);
            }
            Op::Exit | Op::Trap => {
                self.go(module, active & !executing, pc + 1, scope);
                self.exit(module, executing);
            }
            _ => self.go(module, active, pc + 1, scope),
        }
    }

    /// Takes lanes from wherever they are; the scope in which they run now.
    fn gather(&mut self, module: &Module, lanes: u64) -> Option<usize> {
        let mut found = None;
        for at in 0..self.groups.len() {
            let group = self.groups[at];
            if group.lanes & lanes == 0 {
                continue;
            }
            let rest = group.lanes & !lanes;
            let mut scope = group.scope;
            if let (true, At::Behind(branch)) = (rest != 0, group.at) {
                let rpc = module.code.get(branch as usize).map_or(EXIT_PC, |i| i.high);
                scope = self.part(rpc, scope, group.lanes);
                self.groups[at].scope = scope;
            }
            self.groups[at].lanes = rest;
            found.get_or_insert(scope);
        }
        self.groups.retain(|group| group.lanes != 0);
        // Under independent threads, waiting lanes may go on without the others.
        for at in 0..self.scopes.len() {
            let state = &mut self.scopes[at];
            if state.arrived & lanes != 0 {
                state.arrived &= !lanes;
                state.members &= !lanes;
                found.get_or_insert(state.parent);
            }
        }
        found.flatten()
    }

    fn open(
        &mut self,
        rpc: Pc,
        call: Option<Pc>,
        parent: Option<usize>,
        members: u64,
    ) -> Option<usize> {
        self.scopes.push(Scope {
            rpc,
            call,
            parent,
            members,
            arrived: 0,
        });
        Some(self.scopes.len() - 1)
    }

    /// The scope of lanes that part: a new one, unless theirs ends at the same point.
    fn part(&mut self, rpc: Pc, scope: Option<usize>, lanes: u64) -> Option<usize> {
        let same = match scope {
            None => rpc == EXIT_PC,
            Some(at) => self.scopes[at].rpc == rpc,
        };
        if same {
            scope
        } else {
            self.open(rpc, None, scope, lanes)
        }
    }

    /// Lanes run on from `pc` to their next issue, or to the point where they wait.
    fn go(&mut self, module: &Module, mut lanes: u64, mut pc: Pc, mut scope: Option<usize>) {
        for _ in 0..MOST_FOLLOWED {
            if lanes == 0 {
                return;
            }
            if let Some(at) = scope
                && self.scopes[at].rpc == pc
            {
                match self.arrive(at, lanes) {
                    Some(all) => (lanes, scope) = (all, self.scopes[at].parent),
                    None => return,
                }
                continue;
            }
            let Some(inst) = module.code.get(pc as usize) else {
                return;
            };
            let at = match inst.op {
                Op::Block => {
                    pc += 1;
                    continue;
                }
                _ if !inst.flags.fused() => At::Pc(pc),
                Op::Bra if always(inst) => {
                    pc = inst.low;
                    continue;
                }
                Op::Bra => At::Behind(pc),
                Op::Ret => return self.leave(module, lanes, scope),
                _ => {
                    pc += 1;
                    continue;
                }
            };
            return self.groups.push(Group { at, lanes, scope });
        }
    }

    /// Lanes wait at their scope's point; all of them, if they were the last.
    fn arrive(&mut self, scope: usize, lanes: u64) -> Option<u64> {
        let state = &mut self.scopes[scope];
        state.arrived |= lanes;
        if state.arrived != state.members {
            return None;
        }
        let all = std::mem::take(&mut state.arrived);
        state.members = 0;
        Some(all)
    }

    /// Lanes return from a function, or end with the kernel.
    fn leave(&mut self, module: &Module, lanes: u64, mut scope: Option<usize>) {
        while let Some(at) = scope {
            let Scope { call, parent, .. } = self.scopes[at];
            if let Some(call) = call {
                if let Some(all) = self.arrive(at, lanes) {
                    self.go(module, all, call + 1, parent);
                }
                return;
            }
            self.scopes[at].members &= !lanes;
            self.complete(module, at);
            scope = parent;
        }
        self.exit(module, lanes);
    }

    fn exit(&mut self, module: &Module, lanes: u64) {
        self.exited |= lanes;
        for at in 0..self.scopes.len() {
            let state = &mut self.scopes[at];
            if state.members & lanes != 0 {
                state.members &= !lanes;
                state.arrived &= !lanes;
                self.complete(module, at);
            }
        }
    }

    /// Lets the lanes that wait go on if nobody is missing any more.
    fn complete(&mut self, module: &Module, scope: usize) {
        let Scope {
            rpc, call, parent, ..
        } = self.scopes[scope];
        if let Some(all) = self.arrive(scope, 0).filter(|&all| all != 0) {
            let pc = call.map_or(rpc, |call| call + 1);
            self.go(module, all, pc, parent);
        }
    }
}

/// Whether a branch is taken whatever the lanes hold.
fn always(inst: &Inst) -> bool {
    let guard = inst.guard();
    guard.mask == MaskSlot::TRUE && !guard.negated
}
