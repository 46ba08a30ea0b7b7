//! Host threads, however many and whoever is first, change no digit.

use std::sync::Mutex;
use std::thread;

use warploom_machine::Outcome;
use warploom_timing::Crew;
use warploom_timing::crew::Alone;

use crate::kit::{Setup, Timed, run_limited, v100};

/// So many threads, whatever there is to do.
struct Threads(usize);

impl Crew for Threads {
    fn takes(&self, _: u64) -> bool {
        true
    }

    fn each<T: Send>(&self, items: &mut [T], job: impl Fn(&mut T) + Sync) {
        let left = Mutex::new(items.iter_mut());
        let next = || left.lock().expect("no panic").next();
        thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| {
                    while let Some(item) = next() {
                        job(item);
                    }
                });
            }
        });
    }
}

/// The last one first.
struct Backwards;

impl Crew for Backwards {
    fn takes(&self, _: u64) -> bool {
        true
    }

    fn each<T: Send>(&self, items: &mut [T], job: impl Fn(&mut T) + Sync) {
        items.iter_mut().rev().for_each(job);
    }
}

/// Everything that a run has found out.
fn digits(run: &Timed) -> String {
    format!("{:?} {:?} {:?}", run.timing, run.outcome, run.counters)
}

/// Runs a body in every way; gives what all of them find.
fn same(blocks: u32, most_instructions: u64, body: &str) -> Timed {
    let setup = Setup {
        warps: 4,
        blocks,
        blocks_per_sm: 2,
        l1_bytes: 64 << 10,
    };
    let device = v100();
    let alone = run_limited(&device, &setup, body, most_instructions, &Alone);
    let check = |other: Timed, how: &str| {
        assert!(digits(&other) == digits(&alone), "{how}");
        assert!(other.buffer == alone.buffer, "{how}: the results");
    };
    for threads in [1, 2, 3, 8] {
        let crew = Threads(threads);
        let other = run_limited(&device, &setup, body, most_instructions, &crew);
        check(other, &format!("{threads} threads"));
    }
    let other = run_limited(&device, &setup, body, most_instructions, &Backwards);
    check(other, "backwards");
    alone
}

/// Thread `%r3` of the grid adds 1 to word 0, and stores what its neighbour left in shared memory at its
/// own word, 4 KiB from the start on.
const EXCHANGE: &str = "ld.param.u64 %d1, [p];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n\
    mad.lo.u32 %r3, %r1, 128, %r2;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d2, %d1;\n\
    mov.u32 %r9, 1;\nred.global.add.u32 [%d1], %r9;\n\
    mov.u32 %r4, tile;\nmad.lo.u32 %r5, %r2, 4, %r4;\nst.shared.u32 [%r5], %r3;\nbar.sync 0;\n\
    xor.b32 %r6, %r2, 1;\nmad.lo.u32 %r5, %r6, 4, %r4;\nld.shared.u32 %r7, [%r5];\n\
    st.global.u32 [%d2+4096], %r7;";

#[test]
fn side_by_side_is_as_one_after_the_other() {
    let blocks = 300;
    let run = same(blocks, 1 << 30, EXCHANGE);
    assert_eq!(run.outcome, Outcome::Completed);
    let word = |at: u32| {
        let bytes = &run.buffer[4 * at as usize..][..4];
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    };
    assert_eq!(word(0), 128 * blocks);
    assert!((0..128 * blocks).all(|thread| word(1024 + thread) == thread ^ 1));
}

/// The old value says who came first.
#[test]
fn what_depends_on_the_order_runs_in_order() {
    let body = "ld.param.u64 %d1, [p];\nmov.u32 %r9, 1;\natom.global.add.u32 %r3, [%d1], %r9;\n\
        mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d2, %d1;\nmov.u32 %r4, %ctaid.x;\n\
        st.global.u32 [%d2+4096], %r4;";
    let run = same(200, 1 << 30, body);
    assert_eq!(run.outcome, Outcome::Completed);
}

/// Blocks 150 and 151 are on different SMs, and both read past the buffer in the same epoch.
#[test]
fn the_first_of_several_faults_counts() {
    let body = "ld.param.u64 %d1, [p];\nmov.u32 %r1, %ctaid.x;\nsetp.lt.u32 %p1, %r1, 150;\n\
        @%p1 ret;\nld.global.u32 %r2, [%d1+1048576];\nst.global.u32 [%d1], %r2;";
    let run = same(152, 1 << 30, body);
    assert!(
        matches!(run.outcome, Outcome::Fault(_)),
        "{:?}",
        run.outcome
    );
}

/// 300 blocks of 128 threads issue 17 instructions each.
#[test]
fn the_limit_is_that_of_all_together() {
    let all = 300 * 128 * 17;
    assert_eq!(same(300, all, EXCHANGE).outcome, Outcome::Completed);
    assert_eq!(same(300, all - 1, EXCHANGE).outcome, Outcome::Limit);
    assert_eq!(same(300, all / 3, EXCHANGE).outcome, Outcome::Limit);
}
