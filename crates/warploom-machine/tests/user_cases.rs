//! Cases that users of real GPUs have met: barriers in branches, misaligned vectors, bank
//! conflicts, spin locks, indexed branches.

mod kit;

use kit::{Arg, Case, Ipdom, Its};
use warploom_isa::Op;
use warploom_machine::{FaultKind, Outcome};

const BARRIER: &str = include_str!("../../../examples/cases/01-barrier.ptx");
const MISALIGNED: &str = include_str!("../../../examples/cases/04-misaligned.ptx");
const CONFLICTS: &str = include_str!("../../../examples/cases/05-bank-conflicts.ptx");
const INDEXED: &str = include_str!("../../../examples/cases/08-indexed-branch.ptx");
const SPIN_LOCK: &str = include_str!("../../../examples/cuda/spin-lock.ptx");

fn barrier(kernel: &'static str) -> Case<'static> {
    Case::new(BARRIER, kernel, vec![Arg::Zeros(32)])
}

#[test]
fn barrier_of_half_a_warp_completes_with_a_note() {
    for ran in barrier("even_lanes").run_both() {
        assert_eq!(ran.words(0), (0..32).collect::<Vec<u32>>());
        assert_eq!(ran.result.notes.len(), 1, "{:?}", ran.result.notes);
        assert!(
            ran.result.notes[0].text.contains("0xaaaaaaaa"),
            "{:?}",
            ran.result.notes
        );
    }
}

#[test]
fn lanes_that_return_early_are_not_worth_a_note() {
    for ran in barrier("odd_lanes_return").run_both() {
        assert_eq!(ran.result.notes, []);
        let expected: Vec<u32> = (0..32).map(|t| if t % 2 == 0 { t } else { 0 }).collect();
        assert_eq!(ran.words(0), expected);
    }
}

#[test]
fn barrier_that_waits_for_spinning_lanes_is_a_deadlock() {
    for divergence in [Ipdom, Its] {
        let ran = barrier("odd_lanes_spin").run(divergence);
        let Outcome::Fault(fault) = &ran.result.outcome else {
            panic!("{:?}", ran.result.outcome)
        };
        let FaultKind::Deadlock { waits } = &fault.kind else {
            panic!("{}", fault.kind)
        };
        assert!(
            waits
                .iter()
                .any(|w| w.lanes == 0xaaaa_aaaa && w.reason.contains("spins"))
        );
        let (_, lanes) = ran.issues();
        assert!(
            lanes < 1 << 22,
            "found at once, not after {lanes} thread instructions"
        );
    }
}

#[test]
fn aligned_barriers_in_two_branches_are_a_fault_and_unaligned_ones_are_not() {
    let ran = barrier("two_aligned").run(Its);
    assert!(
        ran.fault().contains("two different aligned"),
        "{}",
        ran.fault()
    );
    let ran = barrier("two_unaligned").run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(ran.result.notes, []);
}

#[test]
fn misaligned_shared_load_names_the_thread() {
    for divergence in [Ipdom, Its] {
        let ran = Case::new(MISALIGNED, "one_vector_load", vec![Arg::Zeros(32)]).run(divergence);
        let Outcome::Fault(fault) = &ran.result.outcome else {
            panic!("{:?}", ran.result.outcome)
        };
        let FaultKind::Misaligned { access } = &fault.kind else {
            panic!("{}", fault.kind)
        };
        assert_eq!((access.address, access.bytes), (0x1396, 4));
        assert_eq!(access.space, warploom_isa::Space::Shared);
        assert_eq!(
            (fault.block, fault.thread, fault.lanes),
            ([0; 3], [15, 0, 0], 1 << 15)
        );
        assert!(fault.origin.loc.line > 0);
        let text = fault.kind.to_string();
        assert_eq!(
            text,
            "shared load of 4 bytes at 0x1396 is misaligned: it needs a multiple of 4"
        );
    }
}

fn indexed(per_lane: u32, first: u32) -> Case<'static> {
    let args = vec![
        Arg::Zeros(32),
        Arg::Zeros(32),
        Arg::U32(per_lane),
        Arg::U32(first),
    ];
    Case::new(INDEXED, "four_ways", args)
}

#[test]
fn indexed_branch_splits_four_ways_and_meets_again() {
    for ran in indexed(1, 0).run_both() {
        let expected: Vec<u32> = (0..32).map(|t| [7, 15, 23, 31][t % 4]).collect();
        assert_eq!(ran.words(0), expected);
        assert_eq!(
            ran.words(1),
            [u32::MAX; 32],
            "all lanes are together at the exit"
        );
        let brx = ran.total(Op::Brx, |c| c.requests);
        assert_eq!((brx, ran.total(Op::Brx, |c| c.parts)), (1, 1));
    }
}

#[test]
fn indexed_branch_of_equal_lanes_is_not_divergent() {
    for ran in indexed(0, 2).run_both() {
        assert_eq!(ran.words(0), [23; 32]);
        assert_eq!(ran.total(Op::Brx, |c| c.parts), 0);
    }
}

#[test]
fn indexed_branch_past_its_list_is_a_fault() {
    for divergence in [Ipdom, Its] {
        let ran = indexed(1, 1).run(divergence);
        let Outcome::Fault(fault) = &ran.result.outcome else {
            panic!("{:?}", ran.result.outcome)
        };
        assert_eq!(fault.lanes.trailing_zeros(), 3, "lane 3 takes case 4");
        assert_eq!(
            fault.kind.to_string(),
            "0x4 is not an index into its list of 4 labels"
        );
    }
}

#[test]
fn spin_lock_released_in_the_branch_works_in_both_models() {
    for blocks in [1, 3] {
        let case = Case::new(SPIN_LOCK, "lock_inside", vec![Arg::Zeros(1), Arg::Zeros(1)]);
        for ran in case.grid(blocks).block(96).run_both() {
            assert_eq!((ran.words(0)[0], ran.words(1)[0]), (0, 96 * blocks));
        }
    }
}

#[test]
fn spin_lock_released_outside_needs_independent_threads() {
    let case = Case::new(
        SPIN_LOCK,
        "lock_outside",
        vec![Arg::Zeros(1), Arg::Zeros(1)],
    );
    let ran = case.run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!((ran.words(0)[0], ran.words(1)[0]), (0, 32));
    let ran = case.clone().grid(4).block(96).run(Its);
    assert_eq!(ran.result.outcome, Outcome::Completed, "{}", ran.fault());
    assert_eq!(ran.words(1)[0], 4 * 96);

    let ran = case.run(Ipdom);
    let Outcome::Fault(fault) = &ran.result.outcome else {
        panic!("{:?}", ran.result.outcome)
    };
    let FaultKind::Deadlock { waits } = &fault.kind else {
        panic!("{}", fault.kind)
    };
    // Lane 0 took the lock and waits where the loop ends; the others spin on it.
    assert!(
        waits
            .iter()
            .any(|w| w.lanes == 1 && w.reason.contains("reconvergence point"))
    );
    let spinning = waits
        .iter()
        .find(|w| w.lanes == 0xffff_fffe)
        .expect("the spinning lanes");
    let lock = warploom_isa::address::GLOBAL_BASE;
    let name = ran
        .machine
        .memory
        .allocations()
        .iter()
        .find(|a| a.bytes == 4)
        .expect("the lock");
    assert!(name.base >= lock);
    assert!(
        spinning.reason.contains(&format!("{:#x}", name.base)),
        "{}",
        spinning.reason
    );
}

/// The degrees of the table in the case: passes, and passes beyond the minimum.
#[test]
fn bank_conflict_degrees() {
    let passes = |kernel: &'static str, args: Vec<Arg>| {
        let [stack, threads] = Case::new(CONFLICTS, kernel, args).run_both();
        let of = |ran: &kit::Ran| {
            let both = [Op::Ld, Op::St];
            let sum = |f: fn(&warploom_machine::InstCount) -> u64| -> u64 {
                both.iter().map(|&op| ran.total(op, f)).sum()
            };
            assert_eq!(sum(|c| c.requests), 1, "one shared instruction");
            (sum(|c| c.parts), sum(|c| c.conflicts))
        };
        assert_eq!(of(&stack), of(&threads));
        of(&stack)
    };
    // Stride in words, degree. Stride 0: all lanes read one word.
    let strides = [
        (1, 1),
        (2, 2),
        (4, 4),
        (8, 8),
        (16, 16),
        (32, 32),
        (33, 1),
        (64, 32),
        (0, 1),
    ];
    for (stride, degree) in strides {
        assert_eq!(
            passes("stride", vec![Arg::U32(stride)]),
            (degree, degree - 1),
            "{stride}"
        );
    }
    // Bits of the row that the column is XORed with, as a mask.
    for (bits, degree) in [(31, 1), (7, 4), (3, 8)] {
        assert_eq!(
            passes("swizzle", vec![Arg::U32(bits)]),
            (degree, degree - 1),
            "{bits}"
        );
    }
    assert_eq!(passes("wide", vec![]), (4, 0));
}
