//! Launches: what is refused, several on one machine, copies of a machine, parts of a grid.

use warploom_machine::{LaunchError, LaunchSpec, LoadError, Machine, MachineConfig, Outcome};

use crate::kit::{Arg, Case, Ipdom, Its, Mode, kernel, module};

/// Why a launch with a change to it is refused.
fn refused(source: &str, change: impl Fn(&mut LaunchSpec)) -> LaunchError {
    let case = Case::new(source, "k", vec![]);
    let (mut machine, mut spec, _) = case.set_up(Its);
    change(&mut spec);
    machine.prepare(&spec).expect_err("an error")
}

#[test]
fn bad_launches_are_refused() {
    let source = kernel(0, "");
    assert_eq!(
        refused(&source, |spec| spec.grid = [2, 0, 1]).to_string(),
        "the launch has no threads: grid [2, 0, 1], block [32, 1, 1]"
    );
    assert_eq!(
        refused(&source, |spec| spec.block = [32, 32, 2]),
        LaunchError::BlockTooLarge(2048)
    );
    assert_eq!(
        refused(&source, |spec| spec.block = [u32::MAX; 3]),
        LaunchError::BlockTooLarge(u64::MAX)
    );
    assert_eq!(
        refused(&source, |spec| spec.grid = [u32::MAX; 3]),
        LaunchError::GridTooLarge
    );
    assert_eq!(
        refused(&source, |spec| spec.params = vec![0; 3]).to_string(),
        "the kernel's parameters take 0 bytes, 3 were given"
    );
    assert_eq!(
        refused(&source, |spec| spec.kernel.0 = 77),
        LaunchError::NoKernel
    );
    assert_eq!(
        refused(&source, |spec| spec.dynamic_shared_bytes = u32::MAX),
        LaunchError::SharedTooLarge(u32::MAX.into())
    );
    assert_eq!(
        refused(&source, |spec| {
            spec.cooperative = true;
            spec.grid = [133, 1, 1];
        })
        .to_string(),
        "a cooperative launch of 133 blocks: the device holds 132 at a time"
    );
    let source = kernel(
        0,
        ".local .align 8 .b8 large[600000]; st.local.u32 [large], %t;",
    );
    assert_eq!(
        refused(&source, |_| {}).to_string(),
        "local memory of 600000 bytes per thread: the limit is 524288"
    );
    let declarations = ".func helper ();";
    let source = module(declarations, 0, "call helper, ();");
    let text = refused(&source, |_| {}).to_string();
    assert!(text.contains("helper"), "{text}");
}

#[test]
fn warps_have_4_to_64_lanes() {
    let source = kernel(1, "vote.ballot.b32 %r1, %p1; st.global.u32 [%out], %t;");
    let case = |width: u32| {
        let mut case = Case::new(&source, "k", vec![Arg::Zeros(64)]).block(64);
        case.config.warp_width = width;
        case
    };
    for width in [4, 8, 16, 32, 64] {
        for ran in case(width).run_both() {
            assert_eq!(ran.words(0), (0..64).collect::<Vec<u32>>());
            let warps = u64::from(64 / width);
            assert_eq!(ran.issues(), (6 * warps, 6 * 64));
        }
    }
    for width in [0, 2, 24, 33, 128] {
        let (machine, ..) = case(32).set_up(Its);
        let config = MachineConfig {
            warp_width: width,
            ..MachineConfig::default()
        };
        let error = Machine::load(machine.module().clone(), config).err();
        assert_eq!(error, Some(LoadError::WarpWidth(width)));
    }
}

/// Global variables and buffers keep their contents from launch to launch; shared memory does not.
#[test]
fn launches_in_a_row() {
    let source = module(
        ".global .align 4 .u32 total;",
        1,
        ".shared .align 4 .u32 here;
         red.global.add.u32 [total], 1;
         ld.shared.u32 %r1, [here];
         ld.global.u32 %r2, [%out];
         add.u32 %r2, %r2, %r1;
         add.u32 %r2, %r2, %t;
         st.global.u32 [%out], %r2;
         st.shared.u32 [here], 100;",
    );
    let case = Case::new(&source, "k", vec![Arg::Zeros(32)]).grid(2);
    for divergence in [Ipdom, Its] {
        let (mut machine, spec, buffers) = case.set_up(divergence);
        for round in 1..=3u32 {
            let ran = case
                .launch_on(machine, &spec, buffers.clone())
                .expect("a good launch");
            assert_eq!(ran.result.outcome, Outcome::Completed);
            // Two blocks add to the same words in each launch.
            let expected: Vec<u32> = (0..32).map(|t| 2 * round * t).collect();
            assert_eq!(ran.words(0), expected);
            assert_eq!(ran.variable("total"), [64 * round]);
            machine = ran.machine;
        }
    }
}

#[test]
fn a_copy_of_a_machine_goes_its_own_way() {
    let source = kernel(1, "red.global.add.u32 [%out], 1;");
    let case = Case::new(&source, "k", vec![Arg::Zeros(32)]);
    let (machine, spec, buffers) = case.set_up(Its);
    let first = case
        .launch_on(machine, &spec, buffers.clone())
        .expect("a good launch");
    let copy = first.machine.clone();
    let second = case
        .launch_on(copy, &spec, buffers.clone())
        .expect("a good launch");
    assert_eq!(first.words(0), [1; 32]);
    assert_eq!(second.words(0), [2; 32]);
    // And the one that was copied, after its copy.
    let copy = first.machine.clone();
    let third = case
        .launch_on(first.machine, &spec, buffers.clone())
        .expect("a good launch");
    let fourth = case.launch_on(copy, &spec, buffers).expect("a good launch");
    assert_eq!(third.words(0), [2; 32]);
    assert_eq!(fourth.words(0), [2; 32]);
    assert_eq!(second.words(0), [2; 32]);
}

/// A grid that may run in parts says the same, and ends the same, as one in order.
#[test]
fn parts_of_a_grid() {
    let body = "
        mov.u32 %r1, %ctaid.x;
        mad.lo.u32 %r1, %r1, 64, %t;
        mad.wide.u32 %rd1, %r1, 4, %b0;
        st.global.u32 [%rd1], %r1;
        red.global.add.u32 [%b1], %r1;";
    let source = kernel(2, body);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(320), Arg::Zeros(1)]);
    case = case.grid(5).block(64);
    let [serial, _] = case.run_both();
    case.mode = Mode::Chunk;
    for ran in case.run_both() {
        assert_eq!(ran.words(0), (0..320).collect::<Vec<u32>>());
        assert_eq!(ran.words(1), [(0..320).sum()]);
        assert_eq!(ran.result.counters, serial.result.counters);
        assert_eq!(ran.result.blocks_done, 5);
    }
    // A fault in the fourth block, a limit in the third, a deadlock.
    let faulty = body.replace(
        "%b1], %r1;",
        "%b1], %r1; setp.eq.u32 %p1, %r1, 200; @%p1 trap;",
    );
    let source = kernel(2, &faulty);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(320), Arg::Zeros(1)]);
    case = case.grid(5).block(64);
    case.mode = Mode::Chunk;
    for ran in case.run_each() {
        assert_eq!(ran.the_fault().block, [3, 0, 0]);
        assert_eq!(ran.the_fault().thread, [8, 0, 0]);
        assert_eq!(ran.result.blocks_done, 3);
    }
    // A block takes 12 instructions of 64 threads.
    case.limit = 64 * 30;
    for ran in case.run_each() {
        assert_eq!(ran.result.outcome, Outcome::Limit);
        assert_eq!(ran.result.blocks_done, 2);
    }
    let source = kernel(
        1,
        "ld.global.u32 %r1, [%b0]; LOOP: setp.eq.u32 %p1, %r1, 0; @%p1 bra LOOP;",
    );
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(1)]).grid(2);
    case.mode = Mode::Chunk;
    for ran in case.run_each() {
        assert_eq!(ran.waits().len(), 1, "{}", ran.fault());
    }
    case.interrupted = true;
    for ran in case.run_each() {
        assert!(matches!(
            ran.result.outcome,
            Outcome::Interrupted | Outcome::Fault(_)
        ));
    }
}

/// The largest block, whose warps meet at a barrier.
#[test]
fn a_block_of_1024_threads() {
    let body = "
        .shared .align 4 .b32 box[1024];
        mov.u32 %r1, box;
        mad.lo.u32 %r2, %t, 4, %r1;
        st.shared.u32 [%r2], %t;
        bar.sync 0;
        sub.u32 %r3, 1023, %t;
        mad.lo.u32 %r3, %r3, 4, %r1;
        ld.shared.u32 %r4, [%r3];
        st.global.u32 [%out], %r4;";
    let source = kernel(1, body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(1024)])
        .block(1024)
        .run_both()
    {
        assert_eq!(ran.words(0), (0..1024).rev().collect::<Vec<u32>>());
    }
}
