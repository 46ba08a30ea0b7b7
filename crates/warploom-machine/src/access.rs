//! Loads, stores and atomics of a warp.
//!
//! An access is first matched against its instruction's last [`Pattern`]; then bounds, alignment
//! and cost are checked for all lanes at once. Lanes that hit different allocations, different
//! spaces, or something bad, take the slow way, lane by lane.

use std::ptr::NonNull;

use warploom_isa::access::Access;
use warploom_isa::address::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use warploom_isa::{FrameRange, Inst, NO_SLOT, Op, Pc, Slot, Space};

use crate::atomic;
use crate::dot;
use crate::env::LaunchEnv;
use crate::exec::{Exec, FaultAt};
use crate::fault::{AccessInfo, AccessKind, FaultKind};
use crate::lanes::{Regs, full_mask};
use crate::memory::{AllocationKind, Neighbour, Window, cell};
use crate::pattern::{Cost, Pattern, SEGMENT, Shape, local_sectors};
use crate::program::{MemorySite, Program, Transfer};
use crate::warp::Warp;

/// Where each lane's bytes are on the host. The pointers of executing lanes were checked.
struct Places<const L: usize>([*mut u8; L]);

/// The space that a generic address lies in, and the address there.
pub(crate) fn resolve(address: u64) -> (Space, u64) {
    for (space, window) in [
        (Space::Shared, SHARED_WINDOW),
        (Space::Local, LOCAL_WINDOW),
        (Space::Param, PARAM_WINDOW),
    ] {
        if address.wrapping_sub(window) <= WINDOW_BYTES {
            return (space, address - window);
        }
    }
    (Space::Global, address)
}

/// Executes a load, store, atomic or prefetch with an address operand, and perhaps what follows it:
/// returns how many instructions more. `trust` says that no other warp has run since the
/// instruction's leader, if it has one, and that nobody watches single instructions.
///
/// # Safety
/// The instruction was checked for the function of the running group's frame; `exec` is not zero.
#[inline(always)]
pub(crate) unsafe fn memory_op<const L: usize>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
    trust: bool,
) -> Result<Pc, Box<FaultAt>> {
    // SAFETY: the program gives every instruction a site, and every site has its patterns.
    let (site, pattern) = unsafe {
        let site = x.program.sites.get_unchecked(pc as usize);
        (site, x.patterns.get_unchecked_mut(site.leader as usize))
    };
    if trust
        && site.follows()
        && let Some((first, start)) = pattern.follower(site.distance, exec)
    {
        if let Transfer::Dot(number) = site.transfer {
            let code = x.program.code.as_ptr();
            let counts = &mut x.counters.insts;
            // SAFETY: runs are numbered by the program; the caller's promise.
            unsafe {
                let run = x.program.runs.get_unchecked(number as usize);
                if dot::execute(run, code, &x.regs, x.patterns, counts, exec) {
                    return Ok(run.rest());
                }
            }
        }
        // SAFETY: as above.
        let pattern = unsafe { x.patterns.get_unchecked_mut(site.leader as usize) };
        let cost = pattern.cost(site.shared, first, site.bytes);
        let place = Place {
            pattern: site.leader,
            first,
            start,
        };
        // SAFETY: the leader has checked its whole group.
        unsafe { act(x, warp, inst, pc, exec, site, cost, place) };
        return Ok(0);
    }
    // SAFETY: as above.
    let pattern = unsafe { x.patterns.get_unchecked_mut(site.pattern as usize) };
    let lead = exec.trailing_zeros() as usize % L;
    // SAFETY: the address slot was checked.
    let (first, same) = unsafe {
        if site.narrow_address {
            let row = &*x.regs.row(inst.a).cast::<[u32; L]>();
            let first = row[lead];
            let same = pattern.matches32(row, first, exec);
            (u64::from(first.wrapping_add(inst.low)), same)
        } else {
            let row = &*x.regs.row(inst.a).cast::<[u64; L]>();
            let first = row[lead];
            let same = pattern.matches64(row, first, exec);
            (first.wrapping_add_signed(i64::from(inst.offset())), same)
        }
    };
    // Generic and local accesses have a window here only while they go to global memory.
    if same {
        let low = first.wrapping_sub(pattern.below);
        let high = low.saturating_add(pattern.extent);
        let window = &pattern.window;
        let fits = window.holds(low, high);
        let aligned = pattern.aligned && first & u64::from(site.bytes - 1) == 0;
        if fits && aligned && (inst.op == Op::Ld || window.writable) {
            let host = if site.shared {
                x.block.shared_host()
            } else {
                window.host.wrapping_sub(window.low as usize)
            };
            let start = host.wrapping_add(first as usize);
            let [least, greatest] = site.reach.map(i64::from);
            let all_fit = window.holds(
                low.wrapping_add_signed(least),
                high.wrapping_add_signed(greatest),
            ) && (!site.group_writes || window.writable);
            pattern.led = NonNull::new(start)
                .filter(|_| all_fit)
                .map(|start| (first, start));
            let cost = pattern.cost(site.shared, first, site.bytes);
            let place = Place {
                pattern: site.pattern,
                first,
                start,
            };
            // SAFETY: the window holds every executing lane's bytes, which are aligned.
            unsafe { act(x, warp, inst, pc, exec, site, cost, place) };
            return Ok(0);
        }
    }
    // SAFETY: the caller's promise.
    unsafe { slow(x, warp, inst, pc, exec) }.map(|()| 0)
}

/// Where an access goes.
struct Place {
    /// The pattern that its lanes' addresses have.
    pattern: u32,
    /// The first lane's address.
    first: u64,
    /// Where that is on the host.
    start: *mut u8,
}

/// Counts an access that was checked, and moves its data.
///
/// # Safety
/// `start + delta[lane]`, of the pattern, is aligned, live memory for every executing lane.
#[allow(
    clippy::too_many_arguments,
    reason = "the parts of one warp access, not worth a type"
)]
#[inline(always)]
unsafe fn act<const L: usize>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
    site: &MemorySite,
    cost: Cost,
    place: Place,
) {
    // SAFETY: there is a count for each instruction; the caller's promise.
    unsafe {
        let pattern = x.patterns.get_unchecked(place.pattern as usize);
        let counts = x.counters.insts.get_unchecked_mut(pc as usize);
        counts.requests += 1;
        counts.parts += u64::from(cost.parts);
        counts.conflicts += u64::from(cost.conflicts);
        let alone = site.shared || x.exclusive;
        match site.transfer {
            Transfer::LoadWord | Transfer::Dot(_) => {
                load_word(&x.regs, inst.dst, exec, place.start, pattern, alone);
            }
            Transfer::StoreWord => {
                store_word(&x.regs, inst.b, exec, place.start, pattern, alone);
                x.block.mutations += 1;
            }
            Transfer::Other => {
                let delta = &pattern.delta;
                let places = Places(std::array::from_fn(|lane| {
                    place.start.wrapping_add(delta[lane] as usize)
                }));
                let changed = transfer(x, inst, exec, site.shared, &places);
                x.block.mutations += u64::from(changed);
                if inst.op == Op::Atom {
                    warp.last_atomic = Some((pc, place.first));
                }
            }
        }
    }
}

/// Loads a 32-bit element per lane. `alone` says that no other host thread reaches the memory.
///
/// # Safety
/// `start + delta[lane]` is aligned, live memory for every executing lane.
#[inline(always)]
unsafe fn load_word<const L: usize>(
    regs: &Regs<L>,
    dst: Slot,
    exec: u64,
    start: *mut u8,
    pattern: &Pattern<L>,
    alone: bool,
) {
    let at = |lane: usize| start.wrapping_add(pattern.delta[lane] as usize);
    // SAFETY: the caller's promise. A row is written only after the addresses were matched.
    unsafe {
        match pattern.shape {
            Shape::Uniform => regs.fill32(dst, exec, cell::load32(start)),
            Shape::UniformSegments => {
                let row = regs.row_mut(dst);
                for segment in (0..L).step_by(SEGMENT) {
                    let value = cell::load32(at(segment));
                    *row.add(segment).cast::<[u32; SEGMENT]>() = [value; SEGMENT];
                }
            }
            Shape::UnitSegments if alone => {
                let row = regs.row_mut(dst);
                for segment in (0..L).step_by(SEGMENT) {
                    let values = at(segment).cast::<[u32; SEGMENT]>().read_unaligned();
                    *row.add(segment).cast::<[u32; SEGMENT]>() = values;
                }
            }
            Shape::UnitSegments => load_segments(regs.row_mut(dst), start, pattern),
            _ if exec == full_mask::<L>() => {
                let row = regs.row_mut(dst);
                for lane in 0..L {
                    *row.add(lane) = cell::load32(at(lane));
                }
            }
            _ => {
                let row = regs.row_mut(dst);
                let mut rest = exec;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    *row.add(lane) = cell::load32(at(lane));
                }
            }
        }
    }
}

/// Stores a 32-bit element per lane, the highest lane last.
///
/// # Safety
/// As for [`load_word`].
#[inline(always)]
unsafe fn store_word<const L: usize>(
    regs: &Regs<L>,
    src: Slot,
    exec: u64,
    start: *mut u8,
    pattern: &Pattern<L>,
    alone: bool,
) {
    let at = |lane: usize| start.wrapping_add(pattern.delta[lane] as usize);
    // SAFETY: the caller's promise.
    unsafe {
        let row = regs.row(src);
        if pattern.shape == Shape::UnitSegments {
            if !alone {
                return store_segments(row, start, pattern);
            }
            for segment in (0..L).step_by(SEGMENT) {
                let values = *row.add(segment).cast::<[u32; SEGMENT]>();
                at(segment).cast::<[u32; SEGMENT]>().write_unaligned(values);
            }
            return;
        }
        let mut rest = exec;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            cell::store32(at(lane), *row.add(lane));
        }
    }
}

/// Loads whole segments of elements that other host threads may be storing.
///
/// # Safety
/// As for [`load_word`], for all lanes.
#[inline(never)]
unsafe fn load_segments<const L: usize>(row: *mut u32, start: *mut u8, pattern: &Pattern<L>) {
    for segment in (0..L).step_by(SEGMENT) {
        let from = start.wrapping_add(pattern.delta[segment] as usize);
        // SAFETY: the caller's promise.
        unsafe { cell::copy_octet(from, row.add(segment).cast()) };
    }
}

/// Stores whole segments of elements that other host threads may reach.
///
/// # Safety
/// As for [`load_segments`].
#[inline(never)]
unsafe fn store_segments<const L: usize>(row: *const u32, start: *mut u8, pattern: &Pattern<L>) {
    for segment in (0..L).step_by(SEGMENT) {
        let to = start.wrapping_add(pattern.delta[segment] as usize);
        // SAFETY: the caller's promise.
        unsafe { cell::copy_octet(row.add(segment).cast(), to) };
    }
}

/// Moves the data of any access whose places are known; whether memory can have changed.
///
/// # Safety
/// The places of executing lanes are aligned, live memory of the access's size.
#[inline(never)]
unsafe fn transfer<const L: usize>(
    x: &Exec<'_, L>,
    inst: &Inst,
    exec: u64,
    private: bool,
    places: &Places<L>,
) -> bool {
    let access = Access::unpack(inst.mods);
    let regs = &x.regs;
    // SAFETY: the caller's promise; lists were checked.
    unsafe {
        match inst.op {
            Op::Ld | Op::LdFrame => {
                let list = register_list(x, inst, access, &inst.dst);
                for (k, &slot) in list.iter().enumerate() {
                    load_elements(regs, slot, exec, access, |lane| {
                        places.0[lane].add(k << access.width_log2)
                    });
                }
            }
            Op::St | Op::StFrame => {
                let list = register_list(x, inst, access, &inst.b);
                for (k, &slot) in list.iter().enumerate() {
                    store_elements(regs, slot, exec, access, |lane| {
                        places.0[lane].add(k << access.width_log2)
                    });
                }
            }
            Op::Atom | Op::Red => return atomic::execute(x, regs, inst, exec, private, &places.0),
            _ => {}
        }
    }
    matches!(inst.op, Op::St | Op::StFrame)
}

pub(crate) fn register_list<'a, const L: usize>(
    x: &'a Exec<'_, L>,
    inst: &'a Inst,
    access: Access,
    single: &'a Slot,
) -> &'a [Slot] {
    if access.count_log2 == 0 {
        std::slice::from_ref(single)
    } else {
        &x.program.lists[inst.high as usize]
    }
}

/// Extends a loaded element to its register.
#[inline(always)]
fn extend(access: Access, value: u64) -> u64 {
    if !access.signed || access.width_log2 == 3 {
        return value;
    }
    let unused = 64 - (8 << access.width_log2);
    ((value << unused) as i64 >> unused) as u64
}

/// Runs `body` for each executing lane, lowest first.
#[inline(always)]
fn for_lanes<const L: usize>(exec: u64, mut body: impl FnMut(usize)) {
    if exec == full_mask::<L>() {
        for lane in 0..L {
            body(lane);
        }
        return;
    }
    let mut rest = exec;
    while rest != 0 {
        body(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

/// # Safety
/// The places of executing lanes and the slot were checked.
#[inline(always)]
unsafe fn load_elements<const L: usize>(
    regs: &Regs<L>,
    slot: Slot,
    exec: u64,
    access: Access,
    at: impl Fn(usize) -> *mut u8,
) {
    // SAFETY: the caller's promise; rows are aligned for both widths.
    unsafe {
        let row = regs.row_mut(slot);
        match (access.width_log2, access.wide_registers) {
            (2, false) => for_lanes::<L>(exec, |lane| *row.add(lane) = cell::load32(at(lane))),
            (3, _) => {
                let row = row.cast::<u64>();
                for_lanes::<L>(exec, |lane| *row.add(lane) = cell::load64(at(lane)));
            }
            _ => for_lanes::<L>(exec, |lane| {
                let value = extend(access, cell::load(at(lane), access.width_log2));
                regs.set_lane(slot, access.wide_registers, lane, value);
            }),
        }
    }
}

/// # Safety
/// As for [`load_elements`].
#[inline(always)]
unsafe fn store_elements<const L: usize>(
    regs: &Regs<L>,
    slot: Slot,
    exec: u64,
    access: Access,
    at: impl Fn(usize) -> *mut u8,
) {
    // SAFETY: the caller's promise; rows are aligned for both widths.
    unsafe {
        let row = regs.row(slot);
        match (access.width_log2, access.wide_registers) {
            (2, false) => for_lanes::<L>(exec, |lane| cell::store32(at(lane), *row.add(lane))),
            (3, _) => {
                let row = row.cast::<u64>();
                for_lanes::<L>(exec, |lane| cell::store64(at(lane), *row.add(lane)));
            }
            _ => for_lanes::<L>(exec, |lane| {
                let value = regs.lane(slot, access.wide_registers, lane);
                cell::store(at(lane), access.width_log2, value);
            }),
        }
    }
}

/// The address of each lane, in the space that the instruction names.
///
/// # Safety
/// As for [`memory_op`].
pub(crate) unsafe fn lane_addresses<const L: usize>(
    regs: &Regs<L>,
    inst: &Inst,
    access: Access,
) -> [u64; L] {
    std::array::from_fn(|lane| {
        // SAFETY: the slot was checked.
        let value = unsafe { regs.lane(inst.a, !access.narrow_address, lane) };
        if access.narrow_address {
            u64::from((value as u32).wrapping_add(inst.low))
        } else {
            value.wrapping_add_signed(i64::from(inst.offset()))
        }
    })
}

pub(crate) fn kind_of(op: Op) -> AccessKind {
    match op {
        Op::St | Op::StFrame => AccessKind::Store,
        Op::Atom | Op::Red => AccessKind::Atomic,
        _ => AccessKind::Load,
    }
}

/// The way of accesses that the last pattern does not cover.
#[inline(never)]
unsafe fn slow<const L: usize>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
) -> Result<(), Box<FaultAt>> {
    let access = Access::unpack(inst.mods);
    let site = x.program.sites[pc as usize];
    x.patterns[site.pattern as usize].forget();
    // SAFETY: the caller's promise.
    let mut address = unsafe { lane_addresses(&x.regs, inst, access) };
    if inst.op == Op::Prefetch {
        // A prefetch of an unmapped address does nothing, as on the hardware.
        x.counters.insts[pc as usize].requests += 1;
        return Ok(());
    }
    if access.space != Space::Generic {
        // SAFETY: the caller's promise.
        return unsafe { in_space(x, warp, inst, pc, exec, access.space, &address) };
    }
    let mut resolved = [Space::Global; L];
    for lane in 0..L {
        (resolved[lane], address[lane]) = resolve(address[lane]);
    }
    let mut rest = exec;
    // Results of one part must not change the addresses of the next: they are copied already.
    while rest != 0 {
        let space = resolved[rest.trailing_zeros() as usize];
        let part = (0..L)
            .filter(|&lane| resolved[lane] == space)
            .fold(0, |m, lane| m | 1 << lane);
        // SAFETY: the caller's promise.
        unsafe { in_space(x, warp, inst, pc, rest & part, space, &address)? };
        rest &= !part;
    }
    Ok(())
}

/// An access whose executing lanes are all in one space.
#[allow(
    clippy::too_many_arguments,
    reason = "the parts of one warp access, not worth a type"
)]
unsafe fn in_space<const L: usize>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
    space: Space,
    address: &[u64; L],
) -> Result<(), Box<FaultAt>> {
    let access = Access::unpack(inst.mods);
    let bytes = access.bytes();
    let lanes = || (0..L).filter(move |lane| exec >> lane & 1 != 0);
    let kind = kind_of(inst.op);
    let info = |lane: usize| AccessInfo {
        kind,
        space,
        address: address[lane],
        bytes,
    };
    let mut places = Places([std::ptr::null_mut(); L]);
    let mut bad: Option<FaultAt> = None;
    let mut accuse = |lane: usize, kind: FaultKind| match &mut bad {
        None => {
            bad = Some(FaultAt {
                kind,
                lanes: 1 << lane,
            })
        }
        Some(fault) if std::mem::discriminant(&fault.kind) == std::mem::discriminant(&kind) => {
            fault.lanes |= 1 << lane;
        }
        Some(_) => {}
    };
    let mut window = Window::EMPTY;
    for lane in lanes() {
        let low = address[lane];
        if low & u64::from(bytes - 1) != 0 {
            accuse(lane, FaultKind::Misaligned { access: info(lane) });
            continue;
        }
        let high = low.saturating_add(u64::from(bytes));
        match space {
            Space::Shared => {
                if !window.holds(low, high) {
                    window = x.env.shared_window(low).unwrap_or(Window::EMPTY);
                }
                if window.holds(low, high) {
                    // SAFETY: shared variables lie inside the block's shared memory.
                    places.0[lane] = unsafe { x.block.shared_host().add(low as usize) };
                } else {
                    let nearest = x.env.shared_neighbour(low);
                    accuse(
                        lane,
                        FaultKind::OutOfBounds {
                            access: info(lane),
                            nearest,
                        },
                    );
                }
            }
            Space::Local => {
                let bytes = u64::from(warp.stack_bytes[lane]);
                if high > bytes {
                    accuse(lane, outside(info(lane), THREAD_STACK, bytes));
                } else if let Some(nearest) = beside_variables(x.program, warp, lane, low, high) {
                    let (access, nearest) = (info(lane), Some(nearest));
                    accuse(lane, FaultKind::OutOfBounds { access, nearest });
                } else {
                    places.0[lane] = local_place(warp, lane, low as u32);
                }
            }
            Space::Param => {
                if kind != AccessKind::Load {
                    accuse(lane, FaultKind::ReadOnly { access: info(lane) });
                } else if high <= x.env.param_bytes {
                    // SAFETY: the parameter block was padded past its end.
                    places.0[lane] = unsafe { x.env.params_host().add(low as usize) };
                } else {
                    accuse(lane, outside(info(lane), PARAMETERS, x.env.param_bytes));
                }
            }
            Space::Global | Space::Const | Space::Generic => {
                if !window.holds(low, high) {
                    window = x.memory.window(low).unwrap_or(Window::EMPTY);
                }
                let constant = space != Space::Const || !window.writable;
                if !window.holds(low, high) || !constant {
                    let nearest = x.memory.neighbour(low);
                    let access = info(lane);
                    let kind = match nearest {
                        Some(freed) if freed.freed && freed.distance_bytes == 0 => {
                            FaultKind::UseAfterFree { access, freed }
                        }
                        nearest => FaultKind::OutOfBounds { access, nearest },
                    };
                    accuse(lane, kind);
                } else if kind != AccessKind::Load && !window.writable {
                    accuse(lane, FaultKind::ReadOnly { access: info(lane) });
                } else {
                    // SAFETY: the window holds the address.
                    places.0[lane] = unsafe { window.host.add((low - window.low) as usize) };
                }
            }
        }
    }
    if let Some(fault) = bad {
        return Err(Box::new(fault));
    }
    let site = x.program.sites[pc as usize];
    let pattern = &mut x.patterns[site.pattern as usize];
    pattern.learn(address, exec, bytes);
    pattern.window = window;
    let first = address[exec.trailing_zeros() as usize];
    let parts = match space {
        Space::Local => local_sectors::<L>(|lane| address[lane], exec, bytes),
        _ => 0,
    };
    let cost = match space {
        Space::Local => Cost {
            parts,
            conflicts: 0,
        },
        _ => pattern.cost(space == Space::Shared, first, bytes),
    };
    if access.space == Space::Generic && space == Space::Shared {
        // Its addresses are offsets: the fast way would take them for generic ones.
        pattern.window = Window::EMPTY;
    }
    let list = match (access.space, space) {
        (Space::Generic, Space::Shared) => &mut x.counters.generic_shared,
        (Space::Generic, Space::Local) => &mut x.counters.generic_local,
        _ => &mut x.counters.insts,
    };
    let counts = &mut list[pc as usize];
    counts.requests += 1;
    counts.parts += u64::from(cost.parts);
    counts.conflicts += u64::from(cost.conflicts);
    let private = matches!(space, Space::Shared | Space::Local);
    // SAFETY: every executing lane's place was checked above.
    let changed = unsafe { transfer(x, inst, exec, private, &places) };
    x.block.mutations += u64::from(changed);
    if inst.op == Op::Atom {
        warp.last_atomic = Some((pc, first));
    }
    Ok(())
}

const THREAD_STACK: &str = "the thread's local memory";
const PARAMETERS: &str = "the kernel's parameters";

/// The fault of an access outside of a space that starts at 0 and is one piece.
fn outside(access: AccessInfo, name: &'static str, bytes: u64) -> FaultKind {
    let nearest = Neighbour::new(AllocationKind::System(name), 0, bytes, access.address);
    FaultKind::OutOfBounds {
        access,
        nearest: (bytes > 0).then_some(nearest),
    }
}

/// The local variable or parameter nearest to an access that lies in a frame of the warp but not
/// inside one of what lies there; nothing for an access that is fine, or in no frame, as what
/// `alloca` has given out.
fn beside_variables<const L: usize>(
    program: &Program,
    warp: &Warp<L>,
    lane: usize,
    low: u64,
    high: u64,
) -> Option<Neighbour> {
    let mut index = warp.groups[warp.current].frame;
    while let Some(frame) = warp.frames.get(index as usize) {
        let function = program.module.function(frame.function);
        let base = u64::from(frame.base_bytes[lane]);
        if low < base || low >= base + u64::from(function.frame_bytes) {
            index = frame.parent;
            continue;
        }
        let (from, to) = (low - base, high - base);
        let after = function
            .frame_places
            .partition_point(|place| u64::from(place.offset) <= from);
        let before = function.frame_places.get(after.wrapping_sub(1));
        let end = |place: &FrameRange| u64::from(place.offset) + u64::from(place.bytes);
        if function.frame_places.is_empty() || before.is_some_and(|place| to <= end(place)) {
            return None;
        }
        let nearest = before.or(function.frame_places.first())?;
        let start = base + u64::from(nearest.offset);
        let kind = AllocationKind::System("a local variable");
        return Some(Neighbour::new(kind, start, nearest.bytes.into(), low));
    }
    None
}

/// Host address of a byte of a lane's local memory.
fn local_place<const L: usize>(warp: &mut Warp<L>, lane: usize, offset: u32) -> *mut u8 {
    let at = lane * warp.local_stride_bytes as usize + offset as usize;
    // Local memory is reserved up to the stack pointer, and padded past its end.
    warp.local.as_mut_ptr().wrapping_add(at)
}

/// Executes `LdFrame` and `StFrame`: access to the current frame at a fixed offset.
///
/// # Safety
/// As for [`memory_op`].
#[inline(never)]
pub(crate) unsafe fn frame_op<const L: usize>(
    x: &mut Exec<'_, L>,
    warp: &mut Warp<L>,
    inst: &Inst,
    pc: Pc,
    exec: u64,
) -> Result<(), Box<FaultAt>> {
    let access = Access::unpack(inst.mods);
    let bytes = access.bytes();
    let base = warp.frames[warp.groups[warp.current].frame as usize].base_bytes;
    let mut places = Places([std::ptr::null_mut(); L]);
    let mut fault: Option<FaultAt> = None;
    for lane in (0..L).filter(|lane| exec >> lane & 1 != 0) {
        let low = u64::from(base[lane]) + u64::from(inst.low);
        let kind = kind_of(inst.op);
        let info = AccessInfo {
            kind,
            space: Space::Local,
            address: low,
            bytes,
        };
        let kind = if low & u64::from(bytes - 1) != 0 {
            FaultKind::Misaligned { access: info }
        } else if low + u64::from(bytes) > u64::from(warp.stack_bytes[lane]) {
            outside(info, THREAD_STACK, warp.stack_bytes[lane].into())
        } else if let Some(nearest) =
            beside_variables(x.program, warp, lane, low, low + u64::from(bytes))
        {
            FaultKind::OutOfBounds {
                access: info,
                nearest: Some(nearest),
            }
        } else {
            places.0[lane] = local_place(warp, lane, low as u32);
            continue;
        };
        fault.get_or_insert(FaultAt { kind, lanes: 0 }).lanes |= 1 << lane;
    }
    if let Some(fault) = fault {
        return Err(Box::new(fault));
    }
    if !inst.flags.convention() {
        let sectors = local_sectors::<L>(|lane| u64::from(base[lane] + inst.low), exec, bytes);
        let counts = &mut x.counters.insts[pc as usize];
        counts.requests += 1;
        counts.parts += u64::from(sectors);
    }
    // SAFETY: every executing lane's place was checked above.
    unsafe { transfer(x, inst, exec, true, &places) };
    Ok(())
}

/// An element of the parameter block, extended to its register; 0 past the block's padding.
#[inline(always)]
pub(crate) fn param_element<const L: usize>(
    env: &LaunchEnv<L>,
    offset: usize,
    access: Access,
) -> u64 {
    let raw = env.params.get(offset..).and_then(|rest| rest.first_chunk());
    let raw = u64::from_le_bytes(raw.copied().unwrap_or_default());
    extend(access, raw & !0 >> (64 - (8 << access.width_log2)))
}

/// Executes `LdParam`: one value for all lanes.
///
/// # Safety
/// As for [`memory_op`].
#[inline(always)]
pub(crate) unsafe fn load_param<const L: usize>(
    x: &Exec<'_, L>,
    inst: &Inst,
    exec: u64,
) -> Result<(), Box<FaultAt>> {
    let access = Access::unpack(inst.mods);
    let offset = u64::from(inst.low);
    if offset + u64::from(access.bytes()) > x.env.param_bytes {
        let access = AccessInfo {
            kind: AccessKind::Load,
            space: Space::Param,
            address: offset,
            bytes: access.bytes(),
        };
        let kind = outside(access, PARAMETERS, x.env.param_bytes);
        return Err(Box::new(FaultAt { kind, lanes: exec }));
    }
    if offset & u64::from(access.bytes() - 1) != 0 {
        let access = AccessInfo {
            kind: AccessKind::Load,
            space: Space::Param,
            address: offset,
            bytes: access.bytes(),
        };
        let kind = FaultKind::Misaligned { access };
        return Err(Box::new(FaultAt { kind, lanes: exec }));
    }
    let width = 1usize << access.width_log2;
    for (k, &slot) in register_list(x, inst, access, &inst.dst).iter().enumerate() {
        let value = param_element(x.env, offset as usize + k * width, access);
        debug_assert!(slot != NO_SLOT);
        // SAFETY: the slot was checked.
        unsafe {
            if access.wide_registers {
                x.regs.fill64(slot, exec, value);
            } else {
                x.regs.fill32(slot, exec, value as u32);
            }
        }
    }
    Ok(())
}
