//! The state of one warp: registers, lane groups, convergence scopes, call frames.
//!
//! Lanes of a warp that execute together are a [`Group`]: a program counter and a mask. A warp
//! starts as one group. When a branch sends its lanes different ways, the group splits and a
//! [`Scope`] remembers where the parts meet again: the branch's reconvergence point. A group that
//! arrives there waits; once every member of the scope that still lives has arrived, they go on
//! as one group in the scope around. A call opens a scope too, which its return closes.
//!
//! The reconvergence stack of machines before Volta and the convergence barriers of later ones
//! are both walks over this tree; they differ in which group runs next (see [`crate::Divergence`]).

use warploom_isa::{EXIT_PC, FunctionId, Pc};

use crate::deadlock::SpinWatch;
use crate::lanes::{Regs, Select};

/// One row of the lane register file.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row<const L: usize>(pub [u32; L]);

/// Names a scope or a frame of a warp.
pub type Index = u32;

/// No scope: the outermost level.
pub const NO_SCOPE: Index = Index::MAX;

/// Why a group does not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupState {
    /// It can run.
    Ready,
    /// It waits at a synchronising warp instruction for the other members.
    WarpSync,
    /// It waits at a block barrier.
    Barrier {
        /// The barrier's number.
        id: u8,
    },
}

/// Lanes that execute together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Next instruction; the instruction itself while waiting at it.
    pub pc: Pc,
    /// The lanes.
    pub mask: u64,
    /// The scope whose reconvergence point it runs to.
    pub scope: Index,
    /// The call it runs in.
    pub frame: Index,
    /// Whether it can run.
    pub state: GroupState,
    /// It stored something since it split from others.
    pub worked: bool,
    /// When it last ran, in turns of the warp.
    pub last_turn: u64,
    /// An instruction that it has issued and is to execute again, with fewer lanes or when others
    /// have arrived; [`EXIT_PC`] for none.
    pub issued: Pc,
}

/// Lanes that meet again at a reconvergence point.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The reconvergence point, or [`EXIT_PC`] for the return of a call.
    pub rpc: Pc,
    /// The call that the point lies in; for a call's own scope, the call.
    pub frame: Index,
    /// The scope around.
    pub parent: Index,
    /// Lanes that have not exited and still belong to it.
    pub members: u64,
    /// Members that wait at the point.
    pub arrived: u64,
    /// Some arrived lane stored something since the split.
    pub worked: bool,
    live: bool,
}

/// A call in progress, of one group and what split off it.
#[derive(Clone, Debug)]
pub struct Frame<const L: usize> {
    /// The function.
    pub function: FunctionId,
    /// The caller's frame.
    pub parent: Index,
    /// The call instruction in the caller.
    pub call_pc: Pc,
    /// Nesting depth; 0 for the kernel.
    pub depth: u32,
    /// First row in the register file.
    pub rows: u32,
    /// First mask register.
    pub masks: u32,
    /// Where the frame starts in each lane's local memory, in bytes.
    pub base_bytes: [u32; L],
    live: bool,
}

/// A warp of up to `L` lanes.
#[derive(Clone)]
pub struct Warp<const L: usize> {
    /// Its number in the block.
    pub index: u32,
    /// Lanes that exist.
    pub lanes: u64,
    /// Lanes that have exited.
    pub exited: u64,
    /// Lanes that exited after storing something since they split from others.
    pub exited_after_work: u64,
    /// Lane registers of all frames.
    pub rows: Vec<Row<L>>,
    /// Mask registers of all frames.
    pub masks: Vec<u64>,
    /// The last mask of a write to some of the lanes, spread out.
    pub(crate) select: Select<L>,
    /// Groups that have not merged or exited; the last is the one pushed last.
    pub groups: Vec<Group>,
    /// The running group's place in `groups`.
    pub current: usize,
    /// Scopes.
    pub scopes: Vec<Scope>,
    free_scopes: Vec<Index>,
    /// Calls.
    pub frames: Vec<Frame<L>>,
    free_frames: Vec<Index>,
    /// Past the last byte in use of each lane's stack.
    pub stack_bytes: [u32; L],
    /// Local memory, lane after lane.
    pub local: Vec<u8>,
    /// Bytes of local memory that each lane has in `local`.
    pub local_stride_bytes: u32,
    /// Turns taken: changes of the running group.
    pub turn: u64,
    /// Backward branches since a group last gave way.
    pub spins: u32,
    /// What the groups' spinning looked like.
    pub spin_watch: SpinWatch,
    /// Backward branches since memory was last seen to change.
    pub quiet_spins: u32,
    /// The block's count of changes at that time.
    pub mutations_seen: u64,
    /// The last atomic: its instruction and the first lane's address.
    pub last_atomic: Option<(Pc, u64)>,
}

/// Calls that may be nested.
pub const CALL_DEPTH_LIMIT: u32 = 1024;

/// Rows that a warp's register file may grow to by nested calls.
pub const ROW_LIMIT: usize = 1 << 17;

impl<const L: usize> Warp<L> {
    /// A warp at the entry of a kernel.
    pub fn new(index: u32, lanes: u64, kernel: FunctionId, entry: &Entry) -> Warp<L> {
        let mut warp = Warp {
            index,
            lanes,
            exited: 0,
            exited_after_work: 0,
            rows: Vec::new(),
            masks: Vec::new(),
            select: Select::new(),
            groups: Vec::new(),
            current: 0,
            scopes: Vec::new(),
            free_scopes: Vec::new(),
            frames: Vec::new(),
            free_frames: Vec::new(),
            stack_bytes: [0; L],
            local: Vec::new(),
            local_stride_bytes: 0,
            turn: 0,
            spins: 0,
            spin_watch: SpinWatch::default(),
            quiet_spins: 0,
            mutations_seen: 0,
            last_atomic: None,
        };
        warp.enter(lanes, kernel, entry);
        warp
    }

    /// Starts anew at the entry of a kernel, keeping the allocations.
    pub fn enter(&mut self, lanes: u64, kernel: FunctionId, entry: &Entry) {
        self.lanes = lanes;
        self.exited = 0;
        self.exited_after_work = 0;
        // A front end zeroes what a thread reads before it writes it. What the block before left
        // can only be seen through other lanes.
        if entry.clear_rows {
            self.rows.clear();
        }
        self.rows.resize(entry.rows as usize, Row([0; L]));
        self.masks.clear();
        self.masks.resize(entry.masks as usize, 0);
        self.masks[0] = !0;
        self.groups.clear();
        self.groups.push(Group {
            pc: entry.pc,
            mask: lanes,
            scope: NO_SCOPE,
            frame: 0,
            state: GroupState::Ready,
            worked: false,
            last_turn: 0,
            issued: EXIT_PC,
        });
        self.current = 0;
        self.scopes.clear();
        self.free_scopes.clear();
        self.frames.truncate(1);
        match self.frames.first_mut() {
            // The kernel's frame stays as it was.
            Some(frame) => frame.live = true,
            None => self.frames.push(Frame {
                function: kernel,
                parent: Index::MAX,
                call_pc: 0,
                depth: 0,
                rows: 0,
                masks: 0,
                base_bytes: [0; L],
                live: true,
            }),
        }
        self.free_frames.clear();
        self.stack_bytes = [entry.frame_bytes; L];
        self.local.fill(0);
        self.reserve_local(entry.frame_bytes);
        self.turn = 0;
        self.spins = 0;
        self.spin_watch = SpinWatch::default();
        self.quiet_spins = 0;
        self.mutations_seen = 0;
        self.last_atomic = None;
    }

    /// Lanes that have not exited.
    pub fn live(&self) -> u64 {
        self.lanes & !self.exited
    }

    /// Makes room for `bytes` of local memory in each lane.
    pub fn reserve_local(&mut self, bytes: u32) {
        if bytes <= self.local_stride_bytes {
            return;
        }
        let stride = bytes.next_multiple_of(16).max(2 * self.local_stride_bytes);
        let old = self.local_stride_bytes as usize;
        // Room past the last lane, so that an aligned access never leaves the vector.
        let mut grown = vec![0; stride as usize * L + 64];
        if old > 0 {
            for lane in 0..L {
                let from = &self.local[lane * old..(lane + 1) * old];
                grown[lane * stride as usize..][..old].copy_from_slice(from);
            }
        }
        self.local = grown;
        self.local_stride_bytes = stride;
    }

    /// A new scope.
    pub fn open_scope(&mut self, rpc: Pc, frame: Index, parent: Index, members: u64) -> Index {
        let scope = Scope {
            rpc,
            frame,
            parent,
            members,
            arrived: 0,
            worked: false,
            live: true,
        };
        if let Some(index) = self.free_scopes.pop() {
            self.scopes[index as usize] = scope;
            index
        } else {
            self.scopes.push(scope);
            self.scopes.len() as Index - 1
        }
    }

    /// A new frame.
    pub fn open_frame(&mut self, frame: FrameStart<L>) -> Index {
        let FrameStart {
            function,
            parent,
            call_pc,
            rows,
            masks,
            base_bytes,
        } = frame;
        let depth = self.frames[parent as usize].depth + 1;
        let frame = Frame {
            function,
            parent,
            call_pc,
            depth,
            rows,
            masks,
            base_bytes,
            live: true,
        };
        if let Some(index) = self.free_frames.pop() {
            self.frames[index as usize] = frame;
            index
        } else {
            self.frames.push(frame);
            self.frames.len() as Index - 1
        }
    }

    /// The registers of a frame, with the launch's constant file. They stay good while no frame is
    /// opened or closed.
    pub(crate) fn regs(&mut self, frame: Index, constants: &[Row<L>]) -> Regs<L> {
        let frame = &self.frames[frame as usize];
        Regs::new(
            &mut self.rows[frame.rows as usize..],
            constants,
            &mut self.masks[frame.masks as usize..],
            &mut self.select,
        )
    }

    /// Calls in progress, the kernel first.
    pub fn live_frames(&self) -> impl Iterator<Item = &Frame<L>> {
        self.frames.iter().filter(|frame| frame.live)
    }

    /// The scope's reconvergence point, or none at the outermost level.
    pub fn rpc(&self, scope: Index) -> Pc {
        if scope == NO_SCOPE {
            EXIT_PC
        } else {
            self.scopes[scope as usize].rpc
        }
    }

    /// Takes the lanes of a group out of the running and lets them wait at their scope's point.
    /// Returns the group that goes on if they were the last.
    pub fn arrive(&mut self, group: usize) -> Option<Arrived> {
        let Group {
            mask,
            scope,
            worked,
            ..
        } = self.groups.swap_remove(group);
        let state = &mut self.scopes[scope as usize];
        state.arrived |= mask;
        state.worked |= worked;
        self.complete(scope)
    }

    /// Lets a scope's arrived lanes go on if all its members have arrived, or if `force`.
    pub(crate) fn complete(&mut self, scope: Index) -> Option<Arrived> {
        let state = self.scopes[scope as usize];
        if state.members == 0 {
            self.close_scope(scope);
            return None;
        }
        (state.arrived == state.members)
            .then(|| self.release(scope))
            .flatten()
    }

    /// Lets a scope's arrived lanes go on without the rest.
    pub fn release(&mut self, scope: Index) -> Option<Arrived> {
        let state = &mut self.scopes[scope as usize];
        let mask = std::mem::take(&mut state.arrived);
        if mask == 0 {
            return None;
        }
        state.members &= !mask;
        let Scope {
            rpc,
            frame,
            parent,
            members,
            worked,
            ..
        } = *state;
        let arrived = if rpc == EXIT_PC {
            let Frame {
                parent: caller,
                call_pc,
                ..
            } = self.frames[frame as usize];
            Arrived {
                pc: call_pc + 1,
                mask,
                scope: parent,
                frame: caller,
                returned: Some(frame),
                worked,
            }
        } else {
            Arrived {
                pc: rpc,
                mask,
                scope: parent,
                frame,
                returned: None,
                worked,
            }
        };
        if members == 0 {
            self.close_scope(scope);
        }
        Some(arrived)
    }

    fn close_scope(&mut self, scope: Index) {
        let state = &mut self.scopes[scope as usize];
        if !std::mem::replace(&mut state.live, false) {
            return;
        }
        let Scope { rpc, frame, .. } = *state;
        self.free_scopes.push(scope);
        // The frame's contents are still needed by the lanes that return from it now; nothing
        // opens a frame before they have copied their results.
        if rpc == EXIT_PC && std::mem::replace(&mut self.frames[frame as usize].live, false) {
            self.free_frames.push(frame);
        }
    }

    /// Adds a group that goes on.
    pub fn resume(&mut self, arrived: Arrived) -> usize {
        let Arrived {
            pc,
            mask,
            scope,
            frame,
            worked,
            ..
        } = arrived;
        self.groups.push(Group {
            pc,
            mask,
            scope,
            frame,
            state: GroupState::Ready,
            worked,
            last_turn: self.turn,
            issued: EXIT_PC,
        });
        self.groups.len() - 1
    }

    /// Ends lanes: takes them out of every scope. Returns what goes on because only they were
    /// missing.
    pub fn exit_lanes(&mut self, lanes: u64) -> Vec<Arrived> {
        self.exited |= lanes;
        let mut resumed = Vec::new();
        for scope in 0..self.scopes.len() {
            let state = &mut self.scopes[scope];
            if state.live && state.members & lanes != 0 {
                state.members &= !lanes;
                state.arrived &= !lanes;
                resumed.extend(self.complete(scope as Index));
            }
        }
        resumed
    }

    /// Scopes in which lanes wait, the innermost last.
    pub fn waiting_scopes(&self) -> impl DoubleEndedIterator<Item = (Index, &Scope)> {
        self.scopes
            .iter()
            .enumerate()
            .filter(|(_, scope)| scope.live && scope.arrived != 0)
            .map(|(index, scope)| (index as Index, scope))
    }
}

/// What a kernel needs of a warp at its entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// First instruction.
    pub pc: Pc,
    /// Rows of lane registers.
    pub rows: u32,
    /// Lanes can see the registers of lanes that do not execute: rows start as zero.
    pub clear_rows: bool,
    /// Mask registers.
    pub masks: u32,
    /// Bytes of local memory.
    pub frame_bytes: u32,
}

/// A frame to open.
pub struct FrameStart<const L: usize> {
    /// The function.
    pub function: FunctionId,
    /// The caller's frame.
    pub parent: Index,
    /// The call instruction.
    pub call_pc: Pc,
    /// First row.
    pub rows: u32,
    /// First mask register.
    pub masks: u32,
    /// Where it starts in each lane's local memory.
    pub base_bytes: [u32; L],
}

/// Lanes that go on from a reconvergence point.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Where.
    pub pc: Pc,
    /// The lanes.
    pub mask: u64,
    /// The scope around.
    pub scope: Index,
    /// The frame they run in.
    pub frame: Index,
    /// The frame they return from.
    pub returned: Option<Index>,
    /// Some of them stored something since the split.
    pub worked: bool,
}
