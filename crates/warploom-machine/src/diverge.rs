//! Divergence and reconvergence: splitting groups, meeting again, calls and exits, and which group
//! of a warp runs next.
//!
//! **Stack model** (`Ipdom`, before Volta). The groups of a warp are a stack: a group runs until it
//! arrives at its reconvergence point, exits or blocks; then the one pushed last runs. At a branch
//! the lanes that fall through run first. Nobody is ever switched out, so lanes that spin for a
//! lane that waits at their reconvergence point spin for ever.
//!
//! **Independent threads** (`Its`, Volta on). The same, with two more rules. After each
//! [`SPIN_LIMIT`](crate::exec::SPIN_LIMIT) backward branches of a warp, the group that runs gives
//! way to the one that has not run for the longest time. When no group can run, or those that can
//! spin in place ([`spins_in_place`]), lanes that wait at a reconvergence point go on without the
//! lanes that are missing, innermost scope first. So every thread makes progress.

use warploom_isa::{EXIT_PC, FrameRange, FunctionId, Inst, Op, Pc};

use crate::deadlock::spins_in_place;
use crate::env::Divergence;
use crate::exec::{Exec, FaultAt};
use crate::fault::FaultKind;
use crate::lanes::Regs;
use crate::program::{Program, function_at_address};
use crate::warp::{
    Arrived, CALL_DEPTH_LIMIT, FrameStart, Group, GroupState, Index, NO_SCOPE, ROW_LIMIT, Row, Warp,
};

/// What became of a group at a reconvergence point.
pub(crate) enum Met {
    /// It is the current group, perhaps with more lanes.
    GoesOn,
    /// It waits, and another group is current.
    Other,
    /// It waits, and nobody else can run.
    Nobody,
}

/// Makes the next group current; false when none is ready.
fn pick<const L: usize>(warp: &mut Warp<L>) -> bool {
    let ready = warp
        .groups
        .iter()
        .rposition(|group| group.state == GroupState::Ready);
    match ready {
        Some(next) => {
            switch(warp, next);
            true
        }
        None => false,
    }
}

fn switch<const L: usize>(warp: &mut Warp<L>, next: usize) {
    warp.turn += 1;
    warp.current = next;
    warp.groups[next].last_turn = warp.turn;
}

/// Whether the warp can go on, with its current group or the next.
pub(crate) fn runnable<const L: usize>(
    program: &Program,
    divergence: Divergence,
    warp: &mut Warp<L>,
) -> bool {
    let current = warp.groups.get(warp.current);
    current.is_some_and(|group| group.state == GroupState::Ready)
        || pick(warp)
        || release_waiters(program, divergence, warp)
}

/// Picks the next group, letting waiting lanes go if the model allows it.
pub(crate) fn pick_or_release<const L: usize>(x: &Exec<'_, L>, warp: &mut Warp<L>) -> bool {
    pick(warp) || release_waiters(x.program, x.env.divergence, warp)
}

/// Lets the lanes of the innermost scope with waiters go on, and makes them current.
pub(crate) fn release_waiters<const L: usize>(
    program: &Program,
    divergence: Divergence,
    warp: &mut Warp<L>,
) -> bool {
    if divergence != Divergence::Its {
        return false;
    }
    let depth = |mut scope: Index| {
        let mut depth = 0;
        while scope != NO_SCOPE {
            depth += 1;
            scope = warp.scopes[scope as usize].parent;
        }
        depth
    };
    let deepest = warp
        .waiting_scopes()
        .map(|(scope, _)| scope)
        .max_by_key(|&scope| depth(scope));
    let Some(arrived) = deepest.and_then(|scope| warp.release(scope)) else {
        return false;
    };
    let next = resume(program, warp, arrived);
    switch(warp, next);
    true
}

fn resume<const L: usize>(program: &Program, warp: &mut Warp<L>, arrived: Arrived) -> usize {
    if arrived.returned.is_some() {
        copy_returns(program, warp, &arrived);
    }
    warp.resume(arrived)
}

/// Whether the current group, about to enter a block, could join another that is there.
#[inline(always)]
pub(crate) fn mergeable<const L: usize>(warp: &Warp<L>, pc: Pc) -> bool {
    warp.groups.len() > 1 && partner(warp, pc).is_some()
}

fn partner<const L: usize>(warp: &Warp<L>, pc: Pc) -> Option<usize> {
    let me = warp.groups[warp.current];
    warp.groups.iter().enumerate().position(|(i, group)| {
        i != warp.current
            && group.pc == pc
            && group.state == GroupState::Ready
            && group.scope == me.scope
            && group.frame == me.frame
    })
}

/// The current group is at a block where it can join another group, or at its scope's
/// reconvergence point.
pub(crate) fn meet<const L: usize>(x: &Exec<'_, L>, warp: &mut Warp<L>) -> Met {
    let pc = warp.groups[warp.current].pc;
    if let Some(other) = partner(warp, pc) {
        let Group { mask, worked, .. } = warp.groups[other];
        let me = &mut warp.groups[warp.current];
        me.mask |= mask;
        me.worked |= worked;
        remove(warp, other);
        return Met::GoesOn;
    }
    let current = warp.current;
    // Order matters to the stack model: keep it.
    let group = warp.groups.remove(current);
    warp.groups.push(group);
    let last = warp.groups.len() - 1;
    if let Some(arrived) = warp.arrive(last) {
        let next = resume(x.program, warp, arrived);
        switch(warp, next);
        return Met::GoesOn;
    }
    warp.current = usize::MAX;
    if pick_or_release(x, warp) {
        Met::Other
    } else {
        Met::Nobody
    }
}

/// Takes a group out, keeping the order and the current group.
fn remove<const L: usize>(warp: &mut Warp<L>, index: usize) {
    warp.groups.remove(index);
    if warp.current != usize::MAX && warp.current > index {
        warp.current -= 1;
    } else if warp.current == index {
        warp.current = usize::MAX;
    }
}

/// Opens a scope for a branch unless the current one already ends where it does.
fn scope_for<const L: usize>(warp: &mut Warp<L>, rpc: Pc) -> Index {
    let group = warp.groups[warp.current];
    if group.scope == NO_SCOPE {
        if rpc == EXIT_PC {
            return NO_SCOPE;
        }
    } else {
        let scope = &warp.scopes[group.scope as usize];
        if scope.rpc == rpc && scope.frame == group.frame {
            return group.scope;
        }
    }
    warp.open_scope(rpc, group.frame, group.scope, group.mask)
}

/// Splits the current group at a branch: `taken` goes to the target, the rest falls through and
/// stays current.
pub(crate) fn split<const L: usize>(warp: &mut Warp<L>, pc: Pc, taken: u64, inst: &Inst) {
    let scope = scope_for(warp, inst.high);
    let group = &mut warp.groups[warp.current];
    group.scope = scope;
    group.worked = false;
    let branch = Group {
        pc: inst.low,
        mask: group.mask & taken,
        ..*group
    };
    group.pc = pc + 1;
    group.mask &= !taken;
    warp.groups.push(branch);
}

/// Splits the current group at an indexed branch; whether it diverged.
///
/// # Safety
/// The index slot was checked.
pub(crate) unsafe fn branch_indexed<const L: usize>(
    program: &Program,
    warp: &mut Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
) -> Result<bool, Box<FaultAt>> {
    let table = &program.module.branch_tables[inst.low as usize];
    let group = warp.groups[warp.current];
    let mut parts: Vec<(Pc, u64)> = Vec::new();
    let mut add = |target: Pc, lanes: u64| match parts.iter_mut().find(|(pc, _)| *pc == target) {
        Some((_, mask)) => *mask |= lanes,
        None => parts.push((target, lanes)),
    };
    for lane in (0..L).filter(|lane| exec >> lane & 1 != 0) {
        // SAFETY: the caller's promise.
        let index = unsafe { regs.lane(inst.a, false, lane) };
        let Some(&target) = table.get(index as usize) else {
            let expected = format!("an index into its list of {} labels", table.len());
            let kind = FaultKind::BadTarget {
                value: index,
                expected,
            };
            return Err(Box::new(FaultAt {
                kind,
                lanes: 1 << lane,
            }));
        };
        add(target, 1 << lane);
    }
    if group.mask & !exec != 0 {
        add(group.pc + 1, group.mask & !exec);
    }
    if let [(target, _)] = parts[..] {
        warp.groups[warp.current].pc = target;
        return Ok(false);
    }
    let scope = scope_for(warp, inst.high);
    // The first part stays current; the others follow so that the second is picked next.
    for &(pc, mask) in parts[1..].iter().rev() {
        warp.groups.push(Group {
            pc,
            mask,
            scope,
            worked: false,
            ..group
        });
    }
    let (pc, mask) = parts[0];
    warp.groups[warp.current] = Group {
        pc,
        mask,
        scope,
        worked: false,
        ..group
    };
    Ok(true)
}

/// The current group has spun: lets another run. False when it must go on itself.
pub(crate) fn give_way<const L: usize>(x: &Exec<'_, L>, warp: &mut Warp<L>, next_pc: Pc) -> bool {
    if x.env.divergence != Divergence::Its {
        return false;
    }
    let current = warp.current;
    warp.groups[current].pc = next_pc;
    if spins_in_place(warp) {
        return release_waiters(x.program, x.env.divergence, warp);
    }
    let others = warp.groups.iter().enumerate();
    let others = others.filter(|(i, group)| *i != current && group.state == GroupState::Ready);
    if let Some((next, _)) = others.min_by_key(|(_, group)| group.last_turn) {
        switch(warp, next);
        return true;
    }
    false
}

/// Ends the executing lanes of the current group; whether the warp has a group to go on with.
pub(crate) fn exit<const L: usize>(x: &mut Exec<'_, L>, warp: &mut Warp<L>, exec: u64) -> bool {
    let current = warp.current;
    let group = &mut warp.groups[current];
    let lanes = group.mask & exec;
    x.block.live -= lanes.count_ones();
    if group.worked {
        warp.exited_after_work |= lanes;
    }
    if warp.scopes.is_empty() && warp.groups.len() == 1 && warp.groups[0].mask == lanes {
        // The usual end: all at once, and nobody waits for them.
        warp.exited |= lanes;
        warp.groups.clear();
        return false;
    }
    let group = &mut warp.groups[current];
    group.mask &= !lanes;
    group.pc += 1;
    let gone = group.mask == 0;
    if gone {
        remove(warp, current);
    }
    for arrived in warp.exit_lanes(lanes) {
        resume(x.program, warp, arrived);
    }
    // Who waits for these lanes at a warp barrier looks again.
    for group in &mut warp.groups {
        if group.state == GroupState::WarpSync {
            group.state = GroupState::Ready;
        }
    }
    !gone || pick_or_release(x, warp)
}

/// The current group returns from a function; whether the warp has a group to go on with.
pub(crate) fn function_return<const L: usize>(x: &Exec<'_, L>, warp: &mut Warp<L>) -> bool {
    let group = warp.groups[warp.current];
    let scope = group.scope;
    // Every path of a function passes the points of the scopes inside it before it returns, so the
    // group's scope is the call's own.
    let own = scope != NO_SCOPE
        && warp.scopes[scope as usize].rpc == EXIT_PC
        && warp.scopes[scope as usize].frame == group.frame;
    if !own {
        // Code that leaves an endless loop's region in an unforeseen way.
        leave_inner_scopes(x.program, warp);
    }
    matches!(meet(x, warp), Met::GoesOn | Met::Other)
}

/// Moves the current group out to the scope of its call, leaving scopes that it did not finish.
fn leave_inner_scopes<const L: usize>(program: &Program, warp: &mut Warp<L>) {
    let Group {
        mask,
        frame,
        mut scope,
        ..
    } = warp.groups[warp.current];
    while scope != NO_SCOPE {
        let state = warp.scopes[scope as usize];
        if state.rpc == EXIT_PC && state.frame == frame {
            break;
        }
        warp.scopes[scope as usize].members &= !mask;
        if let Some(arrived) = warp.complete(scope) {
            resume(program, warp, arrived);
        }
        scope = state.parent;
    }
    let current = warp.current;
    warp.groups[current].scope = scope;
}

/// The current group calls a function.
pub(crate) fn call<const L: usize>(
    x: &Exec<'_, L>,
    warp: &mut Warp<L>,
    callee: FunctionId,
    inst: &Inst,
) -> Result<(), Box<FaultAt>> {
    let program = x.program;
    let function = program.module.function(callee);
    let group = warp.groups[warp.current];
    let fault = |kind| {
        Box::new(FaultAt {
            kind,
            lanes: group.mask,
        })
    };
    if function.start == function.end {
        let expected = format!(
            "a function with a body ('{}' is only declared)",
            function.name
        );
        let value = crate::program::function_address(callee);
        return Err(fault(FaultKind::BadTarget { value, expected }));
    }
    let caller = &warp.frames[group.frame as usize];
    if caller.depth >= CALL_DEPTH_LIMIT {
        return Err(fault(FaultKind::CallDepth {
            limit: CALL_DEPTH_LIMIT,
        }));
    }
    // Above all calls in progress: lanes that parted may be in several functions at once, and
    // registers of two functions must not share a row.
    let (mut rows, mut masks) = (0, 0);
    for frame in warp.live_frames() {
        let function = frame.function.index();
        rows = rows.max(frame.rows + program.rows[function]);
        masks = masks.max(frame.masks + program.masks[function]);
    }
    let row_end = rows as usize + program.rows[callee.index()] as usize;
    let mask_end = masks as usize + program.masks[callee.index()] as usize;
    if row_end > ROW_LIMIT {
        return Err(fault(FaultKind::CallDepth {
            limit: caller.depth,
        }));
    }
    let caller_base = caller.base_bytes;
    let base_bytes = warp.stack_bytes;
    let mut most = 0;
    for lane in (0..L).filter(|lane| group.mask >> lane & 1 != 0) {
        most = most.max(u64::from(base_bytes[lane]) + u64::from(function.frame_bytes));
    }
    let limit_bytes = u64::from(x.env.local_limit_bytes);
    if most > limit_bytes {
        return Err(fault(FaultKind::StackOverflow {
            bytes: most,
            limit_bytes,
        }));
    }
    warp.reserve_local(most as u32);
    for lane in (0..L).filter(|lane| group.mask >> lane & 1 != 0) {
        warp.stack_bytes[lane] = base_bytes[lane] + function.frame_bytes;
    }
    if warp.rows.len() < row_end {
        warp.rows.resize(row_end, Row([0; L]));
    }
    if warp.masks.len() < mask_end {
        warp.masks.resize(mask_end, 0);
    }
    warp.masks[masks as usize] = !0;
    let site = &program.module.call_sites[inst.high as usize];
    let pairs = site.arguments.iter().zip(&function.formals);
    copy_ranges(warp, group.mask, &caller_base, &base_bytes, pairs);
    let frame = warp.open_frame(FrameStart {
        function: callee,
        parent: group.frame,
        call_pc: group.pc,
        rows,
        masks,
        base_bytes,
    });
    let scope = warp.open_scope(EXIT_PC, frame, group.scope, group.mask);
    let group = &mut warp.groups[warp.current];
    group.pc = function.start;
    group.scope = scope;
    group.frame = frame;
    Ok(())
}

/// The current group calls through addresses: the lanes that agree with the first call now, the
/// others after them.
///
/// # Safety
/// The address slot was checked.
pub(crate) unsafe fn call_indirect<const L: usize>(
    x: &Exec<'_, L>,
    warp: &mut Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
) -> Result<(), Box<FaultAt>> {
    let module = &x.program.module;
    // SAFETY: the caller's promise.
    let address = |lane: usize| unsafe { regs.lane(inst.a, true, lane) };
    let target = address(exec.trailing_zeros() as usize);
    let lanes = (0..L).filter(|lane| exec >> lane & 1 != 0);
    let same = lanes
        .filter(|&lane| address(lane) == target)
        .fold(0, |m, lane| m | 1 << lane);
    let fault = |expected: &str| {
        let kind = FaultKind::BadTarget {
            value: target,
            expected: expected.to_owned(),
        };
        Err(Box::new(FaultAt { kind, lanes: same }))
    };
    let Some(callee) = function_at_address(module, target) else {
        return fault("the address of a function");
    };
    let function = module.function(callee);
    let site = &module.call_sites[inst.high as usize];
    let fits = |places: &[FrameRange], formals: &[FrameRange]| {
        places.len() == formals.len()
            && places
                .iter()
                .zip(formals)
                .all(|(place, formal)| place.bytes == formal.bytes)
    };
    if !fits(&site.arguments, &function.formals) || !fits(&site.returns, &function.returns) {
        return fault(&format!(
            "a function with the signature of this call ('{}' has another)",
            function.name
        ));
    }
    let group = warp.groups[warp.current];
    if same != group.mask {
        let scope = scope_for(warp, group.pc + 1);
        let group = &mut warp.groups[warp.current];
        group.scope = scope;
        let rest = Group {
            mask: group.mask & !same,
            issued: group.pc,
            ..*group
        };
        group.mask = same;
        warp.groups.push(rest);
    }
    call(x, warp, callee, inst)
}

/// Copies what a function returns into its caller's frame, and takes its frame off the stack.
fn copy_returns<const L: usize>(program: &Program, warp: &mut Warp<L>, arrived: &Arrived) {
    let Some(frame) = arrived.returned else {
        return;
    };
    let callee = &warp.frames[frame as usize];
    let (base, call_pc) = (callee.base_bytes, callee.call_pc);
    let function = program.module.function(callee.function);
    let caller_base = warp.frames[arrived.frame as usize].base_bytes;
    let call = &program.code[call_pc as usize];
    debug_assert!(matches!(call.op, Op::Call | Op::CallIndirect));
    let site = &program.module.call_sites[call.high as usize];
    let pairs = function.returns.iter().zip(&site.returns);
    copy_ranges(warp, arrived.mask, &base, &caller_base, pairs);
    for lane in (0..L).filter(|lane| arrived.mask >> lane & 1 != 0) {
        warp.stack_bytes[lane] = base[lane];
    }
}

/// Copies ranges between frames, in each lane of `mask`.
fn copy_ranges<'a, const L: usize>(
    warp: &mut Warp<L>,
    mask: u64,
    from_base: &[u32; L],
    to_base: &[u32; L],
    pairs: impl Iterator<Item = (&'a FrameRange, &'a FrameRange)> + Clone,
) {
    let stride = warp.local_stride_bytes as usize;
    for lane in (0..L).filter(|lane| mask >> lane & 1 != 0) {
        let Some(local) = warp.local.get_mut(lane * stride..(lane + 1) * stride) else {
            continue;
        };
        for (from, to) in pairs.clone() {
            let start = (from_base[lane] + from.offset) as usize;
            let target = (to_base[lane] + to.offset) as usize;
            let bytes = from.bytes.min(to.bytes) as usize;
            if start + bytes <= stride && target + bytes <= stride {
                local.copy_within(start..start + bytes, target);
            }
        }
    }
}
