//! Special registers, blocks and grids of every shape.

use crate::kit::{Arg, Case, Ran, kernel};

/// One 32-bit register's values over a block.
fn values(register: &str, grid: [u32; 3], block: [u32; 3]) -> Vec<u32> {
    let body = format!(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
         mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
         mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
         mov.u32 %r7, %ntid.z; mul.lo.u32 %r8, %r4, %r5; mul.lo.u32 %r8, %r8, %r7;
         mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ctaid.y; mov.u32 %r11, %ctaid.z;
         mov.u32 %r12, %nctaid.x; mov.u32 %r13, %nctaid.y;
         mad.lo.u32 %r14, %r11, %r13, %r10; mad.lo.u32 %r14, %r14, %r12, %r9;
         mad.lo.u32 %r6, %r14, %r8, %r6;
         mad.wide.u32 %rd1, %r6, 4, %b0;
         {register}
         st.global.u32 [%rd1], %r20;"
    );
    let count = grid.iter().chain(&block).product::<u32>() as usize;
    let source = kernel(1, &body);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(count)]);
    (case.grid, case.block) = (grid, block);
    let [stack, threads] = case.run_both();
    assert_eq!(stack.words(0), threads.words(0));
    threads.words(0)
}

#[test]
fn threads_and_blocks_of_three_dimensions() {
    let (grid, block) = ([2, 3, 2], [4, 3, 5]);
    let read = |register: &str| values(&format!("mov.u32 %r20, %{register};"), grid, block);
    // Threads number x first, then y, then z.
    let places: Vec<[u32; 6]> = (0..12)
        .flat_map(|b| (0..60).map(move |t| [t % 4, t / 4 % 3, t / 12, b % 2, b / 2 % 3, b / 6]))
        .collect();
    for (n, name) in ["tid.x", "tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z"]
        .iter()
        .enumerate()
    {
        let expected: Vec<u32> = places.iter().map(|place| place[n]).collect();
        assert_eq!(read(name), expected, "{name}");
    }
    for (name, value) in [
        ("ntid.x", 4),
        ("ntid.y", 3),
        ("ntid.z", 5),
        ("nctaid.x", 2),
        ("nctaid.y", 3),
        ("nctaid.z", 2),
    ] {
        assert_eq!(read(name), vec![value; 720], "{name}");
    }
    // Warps take threads in order, whatever the block's shape; the second has 28.
    let lane = |t: u32| t % 60 % 32;
    let warp = |t: u32| t % 60 / 32;
    let expected = |f: &dyn Fn(u32) -> u32| (0..720).map(f).collect::<Vec<u32>>();
    assert_eq!(read("laneid"), expected(&lane));
    assert_eq!(read("warpid"), expected(&warp));
    assert_eq!(
        values("activemask.b32 %r20;", grid, block),
        expected(&|t| if warp(t) == 0 { u32::MAX } else { 0x0fff_ffff })
    );
}

#[test]
fn lane_masks() {
    let read = |register: &str| values(&format!("mov.u32 %r20, %{register};"), [1; 3], [32, 1, 1]);
    let expected = |f: fn(u32) -> u32| (0..32).map(f).collect::<Vec<u32>>();
    assert_eq!(read("lanemask_eq"), expected(|l| 1 << l));
    assert_eq!(read("lanemask_lt"), expected(|l| (1 << l) - 1));
    assert_eq!(read("lanemask_le"), expected(|l| u32::MAX >> (31 - l)));
    assert_eq!(read("lanemask_ge"), expected(|l| u32::MAX << l));
    assert_eq!(read("lanemask_gt"), expected(|l| (u32::MAX << l) ^ 1 << l));
}

#[test]
fn the_device() {
    let read =
        |register: &str| values(&format!("mov.u32 %r20, %{register};"), [3, 1, 1], [2, 1, 1]);
    assert_eq!(read("nwarpid"), [64; 6]);
    assert_eq!(read("nsmid"), [132; 6]);
    assert!(read("smid").iter().all(|sm| *sm < 132));
    assert_eq!(read("total_smem_size"), [0; 6]);
    assert_eq!(read("dynamic_smem_size"), [0; 6]);
    // No performance monitors, no graphs, and environment registers without a meaning are zero.
    for name in ["pm0", "pm7", "envreg0", "envreg1", "envreg2", "envreg31"] {
        assert_eq!(read(name), [0; 6], "{name}");
    }
}

/// Without clusters, each block is a cluster of its own.
#[test]
fn clusters() {
    let read = |register: &str| values(&format!("mov.u32 %r20, %{register};"), [3, 2, 1], [1; 3]);
    assert_eq!(read("clusterid.x"), read("ctaid.x"));
    assert_eq!(read("clusterid.y"), read("ctaid.y"));
    assert_eq!(read("nclusterid.x"), [3; 6]);
    assert_eq!(read("cluster_ctaid.x"), [0; 6]);
    assert_eq!(read("cluster_ctarank"), [0; 6]);
    assert_eq!(read("cluster_nctaid.y"), [1; 6]);
    assert_eq!(read("cluster_nctarank"), [1; 6]);
    let explicit = "mov.pred %p1, %is_explicit_cluster; selp.u32 %r20, 1, 0, %p1;";
    assert_eq!(values(explicit, [2, 1, 1], [1; 3]), [0; 2]);
}

#[test]
fn shared_sizes() {
    let body = "
        .shared .align 4 .b32 box[25];
        ld.shared.u32 %r1, [box];
        mov.u32 %r2, %total_smem_size;
        mov.u32 %r3, %dynamic_smem_size;
        mov.u32 %r4, %aggr_smem_size;
        st.global.v2.u32 [%b0], {%r2, %r3};
        st.global.u32 [%b0+8], %r4;";
    let source = kernel(1, body);
    let mut case = Case::new(&source, "k", vec![Arg::Zeros(3)]);
    case.dynamic_shared_bytes = 48;
    for ran in case.run_both() {
        let words = ran.words(0);
        assert!(words[0] >= 148, "{words:?}");
        assert_eq!((words[1], words[2]), (48, words[0] + 1024));
    }
}

/// Clocks only move on, at every read, in every warp.
#[test]
fn clocks() {
    let body = "
        mov.u64 %rd1, %clock64;
        mov.u32 %r1, %clock;
        mov.u64 %rd2, %globaltimer;
        mov.u32 %r5, %clock_hi;
        mov.u32 %r6, %globaltimer_hi;
        mov.u32 %r3, 0;
        LOOP:
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 10;
        @%p1 bra LOOP;
        mov.u64 %rd3, %clock64;
        mov.u32 %r2, %clock;
        mov.u64 %rd4, %globaltimer;
        mov.u32 %r7, %globaltimer_lo;
        setp.gt.u64 %p2, %rd3, %rd1;
        setp.gt.u32 %p3, %r2, %r1;
        setp.gt.u64 %p4, %rd4, %rd2;
        selp.u32 %r4, 1, 0, %p2;
        @%p3 add.u32 %r4, %r4, 2;
        @%p4 add.u32 %r4, %r4, 4;
        or.b32 %r5, %r5, %r6;
        setp.eq.u32 %p5, %r5, 0;
        @%p5 add.u32 %r4, %r4, 8;
        cvt.u32.u64 %r8, %rd4;
        setp.ge.u32 %p6, %r7, %r8;
        @%p6 add.u32 %r4, %r4, 16;
        st.global.u32 [%out], %r4;";
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(64)]).block(64);
    for ran in case.run_both() {
        assert_eq!(ran.words(0), [31; 64]);
    }
    // And say the same in every run.
    let body = "
        mov.u64 %rd1, %clock64; mov.u64 %rd2, %globaltimer; add.u64 %rd1, %rd1, %rd2;
        mad.wide.u32 %rd3, %t, 8, %b0; st.global.u64 [%rd3], %rd1;";
    let source = kernel(1, body);
    let case = Case::new(&source, "k", vec![Arg::Zeros(128)]).block(64);
    let first: Vec<u64> = case
        .run_both()
        .iter()
        .flat_map(|ran: &Ran| ran.longs(0))
        .collect();
    let second: Vec<u64> = case
        .run_both()
        .iter()
        .flat_map(|ran: &Ran| ran.longs(0))
        .collect();
    assert_eq!(first, second);
}

#[test]
fn partial_warps() {
    let body = "
        st.global.u32 [%out], %t;
        setp.ge.u32 %p1, %t, 32;
        vote.ballot.b32 %r1, %p1;
        @%p1 st.global.u32 [%out+160], %r1;";
    let source = kernel(1, body);
    for ran in Case::new(&source, "k", vec![Arg::Zeros(80)])
        .block(40)
        .run_both()
    {
        let words = ran.words(0);
        assert_eq!(words[..40], (0..40).collect::<Vec<u32>>());
        assert_eq!(words[72..], [0xff; 8]);
        // Two warps of eight instructions, of 32 and 8 lanes.
        assert_eq!(ran.issues(), (16, 8 * 40));
    }
}
