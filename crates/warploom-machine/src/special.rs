//! Special registers and the thread's stack.

use warploom_isa::access::Special;
use warploom_isa::{Inst, Op, Pc};

use crate::env::LaunchEnv;
use crate::exec::{Exec, FaultAt};
use crate::fault::FaultKind;
use crate::lanes::Regs;
use crate::warp::Warp;

/// Reads a special register into the executing lanes.
///
/// # Safety
/// The instruction was checked for the frame behind `x.regs`.
#[inline(always)]
pub(crate) unsafe fn read<const L: usize>(
    x: &Exec<'_, L>,
    warp: &Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
) {
    // What nearly every kernel begins with: its place in the grid.
    let special = u32::from(inst.mods.high());
    let [tid, ctaid] =
        [Special::TidX, Special::CtaidX].map(|first| special.wrapping_sub(first.code()));
    // SAFETY: the caller's promise.
    unsafe {
        if tid < 3 && !inst.mods.variant() {
            let row = 3 * warp.index as usize + tid as usize;
            x.regs.write32(inst.dst, exec, &x.env.thread_rows[row].0);
        } else if ctaid < 3 && !inst.mods.variant() {
            x.regs.fill32(inst.dst, exec, x.block.index[ctaid as usize]);
        } else {
            read_any(x, warp, &{ x.regs }, inst, pc, exec);
        }
    }
}

/// # Safety
/// As for [`read`].
#[inline(never)]
unsafe fn read_any<const L: usize>(
    x: &Exec<'_, L>,
    warp: &Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
) {
    let special = Special::from_code(u32::from(inst.mods.high()));
    let write32 = |values: &[u32; L]| {
        // SAFETY: the caller's promise.
        unsafe {
            if inst.mods.variant() {
                regs.write64(inst.dst, exec, &values.map(u64::from));
            } else {
                regs.write32(inst.dst, exec, values);
            }
        }
    };
    match special {
        Special::TidX | Special::TidY | Special::TidZ => {
            let axis = (special.code() - Special::TidX.code()) as usize;
            write32(&x.env.thread_rows[3 * warp.index as usize + axis].0);
        }
        _ if per_lane(special) => {
            let values = std::array::from_fn(|lane| of_lane(x, warp, special, lane as u32));
            // SAFETY: the caller's promise.
            unsafe { write(regs, inst, exec, &values) }
        }
        _ => {
            let value = of_block(x, special, inst, warp, pc);
            // SAFETY: the caller's promise.
            unsafe {
                if inst.mods.variant() {
                    regs.fill64(inst.dst, exec, value);
                } else {
                    regs.fill32(inst.dst, exec, value as u32);
                }
            }
        }
    }
}

/// Whether an instruction asks for the time.
pub(crate) fn reads_clock(inst: &Inst) -> bool {
    use Special::*;
    inst.op == Op::Special
        && matches!(
            Special::from_code(u32::from(inst.mods.high())),
            Clock | ClockHi | Clock64 | GlobalTimer | GlobalTimerLo | GlobalTimerHi
        )
}

/// Writes a special register's values.
///
/// # Safety
/// As for [`read`].
unsafe fn write<const L: usize>(regs: &Regs<L>, inst: &Inst, exec: u64, values: &[u64; L]) {
    // SAFETY: the caller's promise.
    unsafe {
        if inst.mods.variant() {
            regs.write64(inst.dst, exec, values);
        } else {
            regs.write32(inst.dst, exec, &values.map(|v| v as u32));
        }
    }
}

fn per_lane(special: Special) -> bool {
    use Special::*;
    matches!(
        special,
        LaneId | LaneMaskEq | LaneMaskLe | LaneMaskLt | LaneMaskGe | LaneMaskGt | GlobalIndex
    )
}

fn of_lane<const L: usize>(x: &Exec<'_, L>, warp: &Warp<L>, special: Special, lane: u32) -> u64 {
    let width = x.env.warp_width;
    let thread = warp.index * width + lane;
    let all = if width >= 64 { !0 } else { (1u64 << width) - 1 };
    let me = 1u64 << lane;
    match special {
        Special::LaneMaskEq => me,
        Special::LaneMaskLt => me - 1,
        Special::LaneMaskLe => me | (me - 1),
        Special::LaneMaskGe => all & !(me - 1),
        Special::LaneMaskGt => all & !(me | (me - 1)),
        Special::GlobalIndex => {
            let block = x.block.number;
            block * u64::from(x.env.threads_per_block()) + u64::from(thread)
        }
        _ => lane.into(),
    }
}

fn of_block<const L: usize>(
    x: &Exec<'_, L>,
    special: Special,
    inst: &Inst,
    warp: &Warp<L>,
    pc: Pc,
) -> u64 {
    // One cycle per issued instruction of the block: deterministic, and it always moves on.
    let clock = || x.block.clock + u64::from(pc.wrapping_sub(x.block.clock_pc));
    let index = x.block.index;
    let nanoseconds = || clock() + x.block.number;
    match special {
        Special::CtaidX | Special::ClusterIdX => index[0].into(),
        Special::CtaidY | Special::ClusterIdY => index[1].into(),
        Special::CtaidZ | Special::ClusterIdZ => index[2].into(),
        Special::WarpId => warp.index.into(),
        Special::SmId => x.block.number % u64::from(x.env.sms.max(1)),
        Special::Clock => u64::from(clock() as u32),
        Special::ClockHi => clock() >> 32,
        Special::Clock64 => clock(),
        Special::GlobalTimer => nanoseconds(),
        Special::GlobalTimerLo => u64::from(nanoseconds() as u32),
        Special::GlobalTimerHi => nanoseconds() >> 32,
        _ => of_launch(x.env, special, inst.low),
    }
}

/// Whether blocks, warps, lanes or moments of a launch can read different values.
pub(crate) fn varies(special: Special) -> bool {
    use Special::*;
    per_lane(special)
        || matches!(
            special,
            TidX | TidY
                | TidZ
                | CtaidX
                | CtaidY
                | CtaidZ
                | ClusterIdX
                | ClusterIdY
                | ClusterIdZ
                | WarpId
                | SmId
                | Clock
                | ClockHi
                | Clock64
                | GlobalTimer
                | GlobalTimerLo
                | GlobalTimerHi
        )
}

/// The value of a special register that does not vary; `number` is that of an environment register.
pub(crate) fn of_launch<const L: usize>(env: &LaunchEnv<L>, special: Special, number: u32) -> u64 {
    match special {
        Special::NtidX => env.block[0].into(),
        Special::NtidY => env.block[1].into(),
        Special::NtidZ => env.block[2].into(),
        Special::NctaidX | Special::NclusterIdX => env.grid[0].into(),
        Special::NctaidY | Special::NclusterIdY => env.grid[1].into(),
        Special::NctaidZ | Special::NclusterIdZ => env.grid[2].into(),
        Special::ClusterNctaIdX
        | Special::ClusterNctaIdY
        | Special::ClusterNctaIdZ
        | Special::ClusterNctaRank => 1,
        Special::NwarpId => env.max_warps_per_sm.into(),
        Special::NsmId => env.sms.into(),
        Special::GridId => env.grid_id,
        Special::TotalSmemSize => env.shared_bytes.into(),
        Special::AggrSmemSize => u64::from(env.shared_bytes + env.reserved_shared_bytes),
        Special::DynamicSmemSize => env.dynamic_shared_bytes.into(),
        Special::ReservedSmemEnd | Special::ReservedSmemCap => env.reserved_shared_bytes.into(),
        // Cooperative groups find the grid's workspace through these two.
        Special::EnvReg if number == 1 => env.workspace >> 32,
        Special::EnvReg if number == 2 => u64::from(env.workspace as u32),
        _ => 0,
    }
}

/// Executes the operations on the thread's stack.
///
/// # Safety
/// The instruction was checked for the frame behind `regs`.
#[inline(never)]
pub(crate) unsafe fn stack_op<const L: usize>(
    x: &Exec<'_, L>,
    warp: &mut Warp<L>,
    regs: &Regs<L>,
    inst: &Inst,
    exec: u64,
) -> Result<(), Box<FaultAt>> {
    let lanes = || (0..L).filter(move |lane| exec >> lane & 1 != 0);
    let frame = warp.groups[warp.current].frame as usize;
    let base = warp.frames[frame].base_bytes;
    let function = warp.frames[frame].function;
    let frame_bytes = x.program.module.function(function).frame_bytes;
    let limit = u64::from(x.env.local_limit_bytes);
    match inst.op {
        Op::FrameAddress => {
            let mut values = [0; L];
            for lane in 0..L {
                values[lane] = u64::from(base[lane]) + u64::from(inst.low);
            }
            // SAFETY: the caller's promise.
            unsafe { regs.write64(inst.dst, exec, &values) };
        }
        Op::StackSave => {
            for lane in lanes() {
                // SAFETY: the caller's promise.
                unsafe { regs.set_lane(inst.dst, true, lane, warp.stack_bytes[lane].into()) };
            }
        }
        Op::StackRestore => {
            for lane in lanes() {
                // SAFETY: the caller's promise.
                let to = unsafe { regs.lane(inst.a, true, lane) };
                let floor = u64::from(base[lane] + frame_bytes);
                if to < floor || to > u64::from(warp.stack_bytes[lane]) {
                    let expected = "a stack pointer that stacksave returned".to_owned();
                    let kind = FaultKind::BadTarget {
                        value: to,
                        expected,
                    };
                    return Err(Box::new(FaultAt {
                        kind,
                        lanes: 1 << lane,
                    }));
                }
                warp.stack_bytes[lane] = to as u32;
            }
        }
        _ => {
            let align = u64::from(inst.low.max(1));
            let mut values = [0; L];
            let mut most = 0;
            for lane in lanes() {
                // SAFETY: the caller's promise.
                let bytes = unsafe { regs.lane(inst.a, true, lane) };
                let start = u64::from(warp.stack_bytes[lane]).next_multiple_of(align);
                let end = start.saturating_add(bytes);
                if end > limit {
                    let kind = FaultKind::StackOverflow {
                        bytes: end,
                        limit_bytes: limit,
                    };
                    return Err(Box::new(FaultAt {
                        kind,
                        lanes: 1 << lane,
                    }));
                }
                values[lane] = start;
                warp.stack_bytes[lane] = end as u32;
                most = most.max(end as u32);
            }
            warp.reserve_local(most);
            // SAFETY: the caller's promise.
            unsafe { regs.write64(inst.dst, exec, &values) };
        }
    }
    Ok(())
}
