//! The interpreter's loop: one warp, from where it stands to where it must stop.
//!
//! [`run`] exists once in source. It is inlined into one function per host instruction set
//! ([`run_warp`] picks one at run time), so that the lane loops of hot operations become that set's
//! vector code, with register rows as the only memory traffic.

use warploom_isa::{EXIT_PC, FunctionId, Inst, NO_SLOT, Op, Pc, Slot, lane_fn};

use crate::access;
use crate::block::BlockParts;
use crate::counters::Counters;
use crate::diverge;
use crate::env::LaunchEnv;
use crate::fault::FaultKind;
use crate::lanes::{
    Regs, cold_lanes1, cold_lanes2, cold_lanes3, cold_lanes4, lanes1, lanes2, lanes3,
};
use crate::memory::Memory;
use crate::observe::{Issue, Observer};
use crate::pattern::Pattern;
use crate::program::{GUARDED, Program};
use crate::show;
use crate::special;
use crate::warp::{GroupState, Warp};
use crate::warp_op;

/// A fault before its place is worked out.
#[derive(Clone, Debug)]
pub(crate) struct FaultAt {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u64,
}

/// What the interpreter works with, besides the warp.
pub(crate) struct Exec<'a, const L: usize> {
    pub(crate) program: &'a Program,
    pub(crate) env: &'a LaunchEnv<L>,
    pub(crate) memory: &'a Memory,
    pub(crate) counters: &'a mut Counters,
    pub(crate) patterns: &'a mut [Pattern<L>],
    pub(crate) block: &'a mut BlockParts,
    /// No other host thread runs blocks of this launch.
    pub(crate) exclusive: bool,
    /// Thread instructions that may still issue in this turn.
    pub(crate) fuel: i64,
    /// The registers of the running group's frame. Kept here rather than in a local variable of the
    /// loop, so that operations outside of it can be handed them as they are.
    pub(crate) regs: Regs<L>,
}

/// Why the loop came back.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// Every lane has exited.
    Exited,
    /// Every group of the warp waits.
    Blocked,
    /// A group arrived at a block barrier, or lanes that others may wait for exited.
    Barrier,
    /// The fuel is used up.
    Fuel,
    /// The current group calls the host.
    HostCall,
    /// The current group spins while nobody else of the warp can run.
    Spinning,
    /// The current group's instruction is at fault.
    Fault(Box<FaultAt>),
}

/// Backward branches of a warp after which the running group gives way to another one.
pub(crate) const SPIN_LIMIT: u32 = 64;

/// Backward branches of a warp, with memory standing still all the while, after which the runner
/// looks whether anybody can make progress.
const QUIET_SPIN_LIMIT: u32 = 1024;

/// Runs a warp's current group, and the groups it gives way to, until the warp must stop.
///
/// The group's pc in `warp.groups` is exact when this returns.
pub(crate) fn run_warp<const L: usize, O: Observer>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    observer: &mut O,
) -> Stop {
    #[cfg(target_arch = "x86_64")]
    {
        if L == 32
            && !O::ACTIVE
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
        {
            // SAFETY: the processor has the features.
            return unsafe { x86::run_avx512(x, warp, observer) };
        }
        if L == 32 && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the features.
            return unsafe { x86::run_avx2(x, warp, observer) };
        }
    }
    // SAFETY: no feature is needed.
    unsafe { run(x, warp, observer) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Exec, Observer, Stop, Warp, run};

    /// # Safety
    /// The processor has AVX2 and FMA (and with them BMI and POPCNT).
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn run_avx2<const L: usize, O: Observer>(
        x: &mut Exec<'_, L>,
        warp: &mut Warp<L>,
        observer: &mut O,
    ) -> Stop {
        // SAFETY: the caller's promise.
        unsafe { run(x, warp, observer) }
    }

    /// # Safety
    /// The processor has AVX-512 F, VL, BW and DQ (and with them the features of AVX2).
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn run_avx512<const L: usize, O: Observer>(
        x: &mut Exec<'_, L>,
        warp: &mut Warp<L>,
        observer: &mut O,
    ) -> Stop {
        // SAFETY: the caller's promise.
        unsafe { run(x, warp, observer) }
    }
}

/// What the loop keeps at hand of the running group.
struct Running {
    pc: Pc,
    active: u64,
    rpc: Pc,
    /// The warp has other groups, or lanes that wait at a reconvergence point.
    company: bool,
}

impl Running {
    fn load<const L: usize>(x: &mut Exec<'_, L>, warp: &mut Warp<L>) -> Running {
        let group = warp.groups[warp.current];
        x.regs = warp.regs(group.frame, &x.env.constants);
        Running {
            pc: group.pc,
            active: group.mask,
            rpc: warp.rpc(group.scope),
            company: warp.groups.len() > 1 || warp.waiting_scopes().next().is_some(),
        }
    }
}

/// The loop.
///
/// # Safety
/// The host has the features that the caller was compiled with.
#[inline(always)]
unsafe fn run<const L: usize, O: Observer>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    observer: &mut O,
) -> Stop {
    // An observer hears of every instruction.
    let code = match O::ACTIVE {
        true => x.program.plain.as_ptr(),
        false => x.program.code.as_ptr(),
    };
    // Picks the next group if the current one cannot run.
    if warp
        .groups
        .get(warp.current)
        .is_none_or(|group| group.state != GroupState::Ready)
        && !diverge::pick_or_release(x, warp)
    {
        return if warp.groups.is_empty() {
            Stop::Exited
        } else {
            Stop::Blocked
        };
    }
    let Running {
        mut pc,
        mut active,
        mut rpc,
        mut company,
    } = Running::load(x, warp);

    macro_rules! stop {
        ($pc:expr, $stop:expr) => {{
            warp.groups[warp.current].pc = $pc;
            return $stop;
        }};
    }
    // Goes on with whichever group is now current.
    macro_rules! reload {
        () => {{
            Running {
                pc,
                active,
                rpc,
                company,
            } = Running::load(x, warp);
            // SAFETY: as below.
            if O::STEPS && unsafe { (*code.add(pc as usize)).op } != Op::Block {
                return Stop::Fuel;
            }
            continue;
        }};
    }
    macro_rules! fault {
        ($fault:expr) => {
            stop!(pc, Stop::Fault($fault))
        };
    }

    loop {
        // SAFETY: the program counter is inside the code: targets and function ends were checked.
        let inst: &Inst = unsafe { &*code.add(pc as usize) };
        if O::STEPS && inst.op != Op::Block && observer.stops_before(pc) {
            stop!(pc, Stop::Fuel);
        }
        let mut exec = active;
        if inst.flags.0 & GUARDED != 0 {
            // SAFETY: the guard's slot was checked.
            let guard = unsafe { x.regs.mask(Slot(inst.guard.0)) };
            exec &= if inst.flags.negated_guard() {
                !guard
            } else {
                guard
            };
            if exec != active {
                let counts = &mut x.counters.insts[pc as usize];
                counts.guarded_off += u64::from((active & !exec).count_ones());
                if exec == 0 && inst.op != Op::Bra {
                    if O::ACTIVE && !inst.flags.fused() {
                        observer.issue(&Issue::new(x.block, warp, pc, active, 0));
                    }
                    pc += 1;
                    continue;
                }
            }
        }
        if O::ACTIVE && inst.op != Op::Block && !inst.flags.fused() {
            let issued = &mut warp.groups[warp.current].issued;
            if std::mem::replace(issued, EXIT_PC) != pc {
                observer.issue(&Issue::new(x.block, warp, pc, active, exec));
            }
        }

        macro_rules! lane_op {
            ($f:ident, $one:ident, $two:ident, $three:ident, $four:ident, ($A:ty)) => {
                // SAFETY: the instruction was checked against this signature.
                unsafe { $one::<$A, _, L>(&x.regs, inst, exec, lane_fn::$f) }
            };
            ($f:ident, $one:ident, $two:ident, $three:ident, $four:ident, ($A:ty, $B:ty)) => {
                // SAFETY: the instruction was checked against this signature.
                unsafe { $two::<$A, $B, _, L>(&x.regs, inst, exec, lane_fn::$f) }
            };
            ($f:ident, $one:ident, $two:ident, $three:ident, $four:ident, ($A:ty, $B:ty, $C:ty)) => {
                // SAFETY: the instruction was checked against this signature.
                unsafe { $three::<$A, $B, $C, _, L>(&x.regs, inst, exec, lane_fn::$f) }
            };
            ($f:ident, $one:ident, $two:ident, $three:ident, $four:ident,
             ($A:ty, $B:ty, $C:ty, $D:ty)) => {
                // SAFETY: the instruction was checked against this signature.
                unsafe { $four::<$A, $B, $C, $D, _, L>(&x.regs, inst, exec, lane_fn::$f) }
            };
        }

        macro_rules! dispatch {
            (
                hot { $( $(#[$hdoc:meta])* $hot:ident($hname:literal, $hclass:ident) = ($hm:pat_param $(, $ha:ident : $hat:ty)*) -> $hr:ty $hbody:block )* }
                cold { $( $(#[$cdoc:meta])* $cold:ident($cname:literal, $cclass:ident) = ($cm:pat_param $(, $ca:ident : $cat:ty)*) -> $cr:ty $cbody:block )* }
                machine { $($machine:tt)* }
            ) => {
                match inst.op {
                    $( Op::$hot => lane_op!($hot, lanes1, lanes2, lanes3, cold_lanes4, ($($hat),*)), )*
                    $( Op::$cold => lane_op!(
                        $cold, cold_lanes1, cold_lanes2, cold_lanes3, cold_lanes4, ($($cat),*)
                    ), )*
                    Op::Block => {
                        if pc == rpc || (company && diverge::mergeable(warp, pc)) {
                            warp.groups[warp.current].pc = pc;
                            match diverge::meet(x, warp) {
                                diverge::Met::GoesOn => {
                                    // The merged group has not entered the block yet.
                                    Running { pc, active, rpc, company } = Running::load(x, warp);
                                    if pc == rpc {
                                        continue;
                                    }
                                }
                                diverge::Met::Other => reload!(),
                                diverge::Met::Nobody => {
                                    return if warp.groups.is_empty() {
                                        Stop::Exited
                                    } else {
                                        Stop::Blocked
                                    };
                                }
                            }
                        }
                        // SAFETY: block numbers were checked.
                        let counts = unsafe {
                            let inst = &*code.add(pc as usize);
                            let lanes = u64::from(active.count_ones());
                            x.fuel -= i64::from(inst.high) * lanes as i64;
                            x.block.clock = x.block.clock.wrapping_add(u64::from(inst.high));
                            x.block.clock_pc = pc;
                            let counts = x.counters.blocks.get_unchecked_mut(inst.low as usize);
                            (counts, lanes)
                        };
                        counts.0.entries += 1;
                        counts.0.lanes += counts.1;
                        if O::STEPS || x.fuel < 0 {
                            // Counted, so go on behind the block's entry next time.
                            warp.groups[warp.current].issued = EXIT_PC;
                            stop!(pc + 1, Stop::Fuel);
                        }
                    }
                    Op::Bra => {
                        let counts = &mut x.counters.insts[pc as usize];
                        if !inst.flags.fused() {
                            counts.requests += 1;
                        }
                        let next = if exec == active {
                            inst.low
                        } else if exec == 0 {
                            pc + 1
                        } else {
                            if !inst.flags.fused() {
                                counts.parts += 1;
                            }
                            diverge::split(warp, pc, exec, inst);
                            reload!();
                        };
                        if next <= pc {
                            warp.spins += 1;
                            if warp.spins >= SPIN_LIMIT {
                                warp.quiet_spins += SPIN_LIMIT;
                                warp.spins = 0;
                                if warp.quiet_spins >= QUIET_SPIN_LIMIT {
                                    warp.quiet_spins = 0;
                                    if warp.mutations_seen == x.block.mutations {
                                        if company {
                                            warp.groups[warp.current].pc = next;
                                            diverge::give_way(x, warp, next);
                                            return Stop::Spinning;
                                        }
                                        stop!(next, Stop::Spinning);
                                    }
                                    warp.mutations_seen = x.block.mutations;
                                }
                                if company && diverge::give_way(x, warp, next) {
                                    reload!();
                                }
                            }
                        }
                        pc = next;
                        continue;
                    }
                    Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch => {
                        if inst.op != Op::Ld && company {
                            warp.groups[warp.current].worked = true;
                        }
                        if O::ACTIVE {
                            // SAFETY: the instruction was checked.
                            unsafe { show::show(x, inst, pc, exec, observer) };
                        }
                        // SAFETY: the instruction was checked; `exec` is not zero.
                        match unsafe { access::memory_op(x, warp, inst, pc, exec, !O::ACTIVE) } {
                            Ok(more) => pc += more,
                            Err(fault) => fault!(fault),
                        }
                    }
                    Op::LdParam => {
                        // SAFETY: the instruction was checked.
                        if let Err(fault) = unsafe { access::load_param(x, inst, exec) } {
                            fault!(fault);
                        }
                    }
                    Op::LdFrame | Op::StFrame => {
                        if O::ACTIVE && !inst.flags.convention() {
                            show::show_frame(warp, inst, pc, exec, observer);
                        }
                        // SAFETY: the instruction was checked; `exec` is not zero.
                        let done = unsafe { access::frame_op(x, warp, inst, pc, exec) };
                        if let Err(fault) = done {
                            fault!(fault);
                        }
                    }
                    Op::Special => {
                        // SAFETY: the instruction was checked.
                        unsafe { special::read(x, warp, inst, pc, exec) }
                    }
                    Op::MaskMov | Op::MaskAnd | Op::MaskOr | Op::MaskXor | Op::MaskNot => {
                        // SAFETY: the slots were checked.
                        unsafe {
                            let a = x.regs.mask(inst.a);
                            let b = if inst.b == NO_SLOT { 0 } else { x.regs.mask(inst.b) };
                            let bits = match inst.op {
                                Op::MaskMov => a,
                                Op::MaskAnd => a & b,
                                Op::MaskOr => a | b,
                                Op::MaskXor => a ^ b,
                                _ => !a,
                            };
                            x.regs.set_mask(inst.dst, exec, bits);
                        }
                    }
                    Op::Nop | Op::Fence => {}
                    Op::Nanosleep => warp.spins = (warp.spins + SPIN_LIMIT / 4).min(SPIN_LIMIT),
                    Op::FrameAddress | Op::StackSave | Op::StackRestore | Op::Alloca => {
                        // SAFETY: the instruction was checked.
                        let done = unsafe { special::stack_op(x, warp, &{ x.regs }, inst, exec) };
                        if let Err(fault) = done {
                            fault!(fault);
                        }
                    }
                    Op::Vote | Op::Match | Op::Shfl | Op::Redux | Op::Elect | Op::BarWarp
                    | Op::ActiveMask => {
                        warp.groups[warp.current].pc = pc;
                        // SAFETY: the instruction was checked.
                        match unsafe { warp_op::execute(x, warp, &{ x.regs }, inst, exec) } {
                            Ok(warp_op::Outcome::Done) => {
                                if O::ACTIVE && inst.op == Op::BarWarp {
                                    // SAFETY: the instruction was checked.
                                    unsafe {
                                        warp_op::each_members(&x.regs, inst, exec, |lanes| {
                                            observer.warp_barrier(lanes);
                                        });
                                    }
                                }
                            }
                            Ok(changed) => {
                                if let warp_op::Outcome::Met(lanes) = changed
                                    && O::ACTIVE
                                    && inst.op == Op::BarWarp
                                {
                                    observer.warp_barrier(lanes);
                                }
                                if warp.groups.get(warp.current).is_none_or(|g| g.state != GroupState::Ready)
                                    && !diverge::pick_or_release(x, warp)
                                {
                                    return Stop::Blocked;
                                }
                                reload!();
                            }
                            Err(fault) => fault!(fault),
                        }
                    }
                    Op::Bar => {
                        warp.groups[warp.current].pc = pc;
                        // SAFETY: the instruction was checked.
                        match unsafe { crate::barrier::arrive(x, warp, &{ x.regs }, inst, pc, exec) } {
                            Ok(id) => {
                                if O::ACTIVE {
                                    observer.arrive(id, exec);
                                }
                                return Stop::Barrier;
                            }
                            Err(fault) => fault!(fault),
                        }
                    }
                    Op::HostCall => {
                        // All lanes of the group call: guarded calls are branched around.
                        stop!(pc, Stop::HostCall);
                    }
                    Op::Exit | Op::Ret => {
                        warp.groups[warp.current].pc = pc;
                        let ends = inst.op == Op::Exit || warp.groups[warp.current].frame == 0;
                        let goes_on = if ends {
                            diverge::exit(x, warp, exec)
                        } else {
                            diverge::function_return(x, warp)
                        };
                        if warp.groups.is_empty() {
                            return Stop::Exited;
                        }
                        if ends && x.block.waiters != 0 {
                            return Stop::Barrier;
                        }
                        if !goes_on {
                            return Stop::Blocked;
                        }
                        reload!();
                    }
                    Op::Call => {
                        warp.groups[warp.current].pc = pc;
                        if let Err(fault) = diverge::call(x, warp, FunctionId(inst.low), inst) {
                            fault!(fault);
                        }
                        reload!();
                    }
                    Op::CallIndirect => {
                        warp.groups[warp.current].pc = pc;
                        // SAFETY: the slot was checked.
                        let done = unsafe { diverge::call_indirect(x, warp, &{ x.regs }, inst, exec) };
                        if let Err(fault) = done {
                            fault!(fault);
                        }
                        reload!();
                    }
                    Op::Brx => {
                        warp.groups[warp.current].pc = pc;
                        let counts = &mut x.counters.insts[pc as usize];
                        counts.requests += 1;
                        // SAFETY: the slot was checked.
                        match unsafe { diverge::branch_indexed(x.program, warp, &{ x.regs }, inst, exec) } {
                            Ok(divergent) => counts.parts += u64::from(divergent),
                            Err(fault) => fault!(fault),
                        }
                        reload!();
                    }
                    Op::Trap => {
                        fault!(Box::new(FaultAt { kind: FaultKind::Trap, lanes: exec }))
                    }
                    Op::Brkpt => {
                        fault!(Box::new(FaultAt { kind: FaultKind::Breakpoint, lanes: exec }))
                    }
                }
            };
        }
        warploom_isa::with_op_table!(dispatch);
        pc += 1;
    }
}
