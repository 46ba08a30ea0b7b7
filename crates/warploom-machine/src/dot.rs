//! Runs of a dot product over shared memory, executed at once.
//!
//! The inner loop of a tiled matrix product, a convolution or a correlation is, when unrolled, two
//! loads from shared memory and a multiply-add to one sum, again and again. A run of such steps
//! needs none of its values but the last sum: where the loaded registers and the sums between are
//! not read afterwards, the sums stay in the host's registers for the whole run. Every instruction
//! of it is counted as if it had been executed by itself, and a sum that became NaN is the same
//! NaN at the end, whichever step made it.

use warploom_isa::arith::AnyNanF32;
use warploom_isa::{Function, Inst, Module, Op, Pc, RegClass, Slot, lane_fn};

use crate::counters::InstCount;
use crate::flow::{self, Effect, Set};
use crate::lanes::{CHUNK, LaneSink, Regs, full_mask};
use crate::pattern::{Pattern, SEGMENT, Shape};
use crate::program::{MemorySite, Transfer};

/// Instructions of a step.
const STEP: Pc = 3;

/// Lanes that are summed side by side; rows are of 32 or 64.
const PART: usize = 32;

/// Two loads and a multiply-add.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Bytes from the addresses of the loads' leaders to theirs.
    distances: [i32; 2],
}

/// Steps that follow each other.
#[derive(Debug)]
pub(crate) struct DotRun {
    /// The first instruction.
    start: Pc,
    /// The patterns of the loads' leaders.
    leaders: [u32; 2],
    /// The sum at the beginning.
    from: Slot,
    steps: Vec<Step>,
}

impl DotRun {
    /// Instructions after the first.
    pub(crate) fn rest(&self) -> Pc {
        self.steps.len() as Pc * STEP - 1
    }
}

/// A step as it stands in the code.
struct Found {
    loads: [Slot; 2],
    from: Slot,
    to: Slot,
    leaders: [u32; 2],
    step: Step,
}

fn find_step(code: &[Inst], sites: &[MemorySite], pc: Pc) -> Option<Found> {
    let at = pc as usize;
    let [first, second, sum] = code.get(at..at + STEP as usize)? else {
        return None;
    };
    let follows = |inst: &Inst, site: &MemorySite| {
        inst.op == Op::Ld
            && inst.guard().is_always()
            && site.shared
            && site.transfer == Transfer::LoadWord
            && site.follows()
    };
    let sites = [&sites[at], &sites[at + 1]];
    if !follows(first, sites[0]) || !follows(second, sites[1]) {
        return None;
    }
    let loads = [first.dst, second.dst];
    let factors = [sum.a, sum.b];
    let fits = sum.op == Op::FmaF32
        && sum.guard().is_always()
        && (factors == loads || factors == [loads[1], loads[0]])
        && loads[0] != loads[1]
        && !loads.contains(&sum.c);
    fits.then_some(Found {
        loads,
        from: sum.c,
        to: sum.dst,
        leaders: sites.map(|site| site.leader),
        step: Step {
            distances: sites.map(|site| site.distance),
        },
    })
}

/// Finds the runs of a function and lets their first loads lead to them. `plain` is the code
/// before it was folded, whose blocks are simple.
pub(crate) fn find(
    module: &Module,
    function: &Function,
    plain: &[Inst],
    code: &mut [Inst],
    lists: &mut [Vec<Slot>],
    sites: &mut [MemorySite],
    runs: &mut Vec<DotRun>,
) {
    // Registers that a run would leave unwritten.
    let mut dropped: Vec<Slot> = Vec::new();
    let mut found: Vec<(DotRun, Set)> = Vec::new();
    let mut bit = |slot: Slot| -> Option<Set> {
        let number = dropped.iter().position(|&known| known == slot);
        let number = number.unwrap_or(dropped.len());
        if number == dropped.len() {
            dropped.push(slot);
        }
        (number < Set::BITS as usize).then(|| 1 << number)
    };
    let mut pc = function.start;
    while pc < function.end {
        let Some(first) = find_step(code, sites, pc) else {
            pc += 1;
            continue;
        };
        let mut run = DotRun {
            start: pc,
            leaders: first.leaders,
            from: first.from,
            steps: vec![first.step],
        };
        let mut left = first.loads.to_vec();
        let mut last = first.to;
        pc += STEP;
        while let Some(next) = find_step(code, sites, pc)
            .filter(|next| next.leaders == run.leaders && next.from == last)
        {
            left.extend([last, next.loads[0], next.loads[1]]);
            last = next.to;
            run.steps.push(next.step);
            pc += STEP;
        }
        left.retain(|&slot| slot != last);
        if let Some(set) = left
            .iter()
            .map(|&slot| bit(slot))
            .try_fold(0, |set, bit| Some(set | bit?))
        {
            found.push((run, set));
        }
    }
    if found.is_empty() {
        return;
    }
    let Some(nodes) = flow::nodes(module, function, plain) else {
        return;
    };
    let at = |slot: Slot, class: RegClass| {
        let bits = |same: &dyn Fn(Slot) -> bool| {
            let watched = dropped.iter().take(Set::BITS as usize).enumerate();
            watched.fold(0, |set, (n, &known)| set | Set::from(same(known)) << n)
        };
        let rows = if class == RegClass::Lane64 { 2 } else { 1 };
        let touched = bits(&|known| known.0.wrapping_sub(slot.0) < rows);
        let exactly = bits(&|known| known == slot && rows == 1);
        (touched, exactly)
    };
    let effects: Vec<Effect> = code[function.start as usize..function.end as usize]
        .iter_mut()
        .map(|inst| flow::effect(inst, lists, at))
        .collect();
    let live_out = flow::live_out(&nodes, &effects);
    for (run, left) in found {
        let end = run.start + run.rest() + 1;
        let block = nodes.partition_point(|node| node.start <= run.start) - 1;
        let behind = (end..nodes[block].end).rev();
        let live = behind.fold(live_out[block], |live, pc| {
            effects[(pc - function.start) as usize].before(live)
        });
        if live & left == 0 {
            sites[run.start as usize].transfer = Transfer::Dot(runs.len() as u32);
            runs.push(run);
        }
    }
}

/// Executes a run, if its loads are as regular as it takes; whether they are.
///
/// # Safety
/// The program was checked, and the run is of the running frame's function. All loads' leaders
/// have been executed by these lanes, and no other warp has run since.
#[inline(always)]
pub(crate) unsafe fn execute<const L: usize>(
    run: &DotRun,
    code: *const Inst,
    regs: &Regs<L>,
    patterns: &mut [Pattern<L>],
    counts: &mut [InstCount],
    exec: u64,
) -> bool {
    if exec != full_mask::<L>() {
        return false;
    }
    let mut starts = [std::ptr::null_mut(); 2];
    let mut costs = [Default::default(); 2];
    let mut shapes = [Shape::General; 2];
    for side in 0..2 {
        // SAFETY: every site has its patterns.
        let pattern = unsafe { patterns.get_unchecked_mut(run.leaders[side] as usize) };
        let Some((first, start)) = pattern.follower(0, exec) else {
            return false;
        };
        // Elements of words: all have the same place in theirs.
        costs[side] = pattern.cost(true, first, 4);
        shapes[side] = pattern.shape;
        starts[side] = start;
    }
    let same = |shape| matches!(shape, Shape::Uniform | Shape::UniformSegments);
    let unit = |shape| shape == Shape::UnitSegments;
    // SAFETY: every site has its patterns.
    let [first, second] = run
        .leaders
        .map(|leader| unsafe { patterns.get_unchecked(leader as usize) });
    let sides = [(starts[0], &first.delta), (starts[1], &second.delta)];
    // SAFETY: the caller's promises; the factors of a product may change places.
    unsafe {
        match shapes {
            [a, b] if unit(a) && same(b) => sum::<false, L>(run, code, regs, sides, [0, 1]),
            [a, b] if same(a) && unit(b) => sum::<false, L>(run, code, regs, sides, [1, 0]),
            [a, b] if unit(a) && unit(b) => sum::<true, L>(run, code, regs, sides, [0, 1]),
            _ => return false,
        }
    }
    for pc in (run.start..run.start + run.rest()).step_by(STEP as usize) {
        for side in 0..2 {
            // SAFETY: there is a count for each instruction.
            let count = unsafe { counts.get_unchecked_mut(pc as usize + side) };
            count.requests += 1;
            count.parts += u64::from(costs[side].parts);
            count.conflicts += u64::from(costs[side].conflicts);
        }
    }
    true
}

/// The sum of a run, whose factors are one element after the other in each segment on the first
/// side of `order`, and likewise (`UNIT`) or the same in each segment on the second.
///
/// # Safety
/// As for [`execute`]; the host's addresses of the sides' leaders' first lanes are `sides`, with
/// the distances of their lanes.
#[inline(always)]
unsafe fn sum<const UNIT: bool, const L: usize>(
    run: &DotRun,
    code: *const Inst,
    regs: &Regs<L>,
    sides: [(*mut u8, &[u64; L]); 2],
    order: [usize; 2],
) {
    let [(a, a_delta), (b, b_delta)] = order.map(|side| sides[side]);
    // SAFETY: the caller's promise.
    unsafe {
        let last = &*code.add((run.start + run.rest()) as usize);
        let mut sink = <AnyNanF32 as LaneSink<L>>::open(regs, last);
        // As many lanes at a time as have their sums and places in host registers.
        for part in (0..L).step_by(PART) {
            let segments: [usize; PART / SEGMENT] = std::array::from_fn(|n| part + n * SEGMENT);
            let from = regs.row(run.from).cast::<f32>();
            let mut sums = segments.map(|lane| from.add(lane).cast::<[f32; SEGMENT]>().read());
            let a = segments.map(|lane| a.wrapping_add(a_delta[lane] as usize));
            let b = segments.map(|lane| b.wrapping_add(b_delta[lane] as usize));
            for step in &run.steps {
                let [a_distance, b_distance] = order.map(|side| step.distances[side] as isize);
                for (n, sum) in sums.iter_mut().enumerate() {
                    let at = a[n].wrapping_offset(a_distance).cast::<[f32; SEGMENT]>();
                    let factors = at.read_unaligned();
                    let others = b[n].wrapping_offset(b_distance);
                    let others = match UNIT {
                        true => others.cast::<[f32; SEGMENT]>().read_unaligned(),
                        false => [others.cast::<f32>().read(); SEGMENT],
                    };
                    for lane in 0..SEGMENT {
                        sum[lane] = fused(factors[lane], others[lane], sum[lane]);
                    }
                }
            }
            for chunk in (0..PART).step_by(CHUNK) {
                let values = std::array::from_fn(|n| {
                    let lane = chunk + n;
                    AnyNanF32(sums[lane / SEGMENT][lane % SEGMENT])
                });
                <AnyNanF32 as LaneSink<L>>::put(&mut sink, part + chunk, values);
            }
        }
    }
}

/// The step's own operation, before its NaN is made canonical.
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    lane_fn::FmaF32(warploom_isa::Mods::NONE, a, b, c).0
}
