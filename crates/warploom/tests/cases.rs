//! Counters and reports of small cases, against numbers worked out by hand.

use std::path::PathBuf;

use warploom::contents::ContentsPlan;
use warploom::device::Device;
use warploom::fill::Fill;
use warploom::plan::{ArgValue, LaunchPlan};
use warploom::report::{Failure, Report};
use warploom::run::Silent;
use warploom::scalar::Scalar;
use warploom::{Control, DivergenceModel, Options, Outcome, Program, Session, launch_file, run};

use DivergenceModel::{Ipdom, Its};

fn case(file: &str, divergence: DivergenceModel) -> Report {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let plan = launch_file::read(&examples.join(file)).unwrap();
    let options = Options {
        divergence: Some(divergence),
        ..Options::default()
    };
    run(&plan, &options, &Silent).unwrap().report
}

fn failure(file: &str, divergence: DivergenceModel) -> Failure {
    let report = case(file, divergence);
    assert_eq!(report.outcome, Outcome::Fault);
    report.error.unwrap()
}

// Stride s words: gcd(s, 32) passes. 16 bytes a lane are 512 bytes: 4 passes, the minimum.
#[test]
fn shared_passes_follow_the_banks() {
    for divergence in [Ipdom, Its] {
        let report = case("cases/05-bank-conflicts.toml", divergence);
        let counts: Vec<_> = report
            .launches
            .iter()
            .map(|launch| {
                let tally = &launch.metrics.tally;
                assert_eq!(tally.shared_requests, 1);
                (tally.shared_wavefronts, tally.shared_bank_conflicts)
            })
            .collect();
        let strides = [
            (1, 0),
            (2, 1),
            (4, 3),
            (8, 7),
            (16, 15),
            (32, 31),
            (1, 0),
            (32, 31),
        ];
        let others = [(1, 0), (1, 0), (4, 3), (8, 7), (4, 0)];
        assert_eq!(counts, [strides.as_slice(), &others].concat());
    }
}

#[test]
fn an_indexed_branch_is_one_divergent_branch() {
    for divergence in [Ipdom, Its] {
        let divergent = |file| {
            case(file, divergence).launches[0]
                .metrics
                .tally
                .divergent_branches
        };
        assert_eq!(divergent("cases/08-indexed-branch.toml"), 1);
        assert_eq!(divergent("cases/08-indexed-branch-uniform.toml"), 0);
        let past = failure("cases/08-indexed-branch-past-list.toml", divergence);
        assert_eq!((past.kind, past.thread), ("bad_target", Some([3, 0, 0])));
    }
}

#[test]
fn a_misaligned_access_is_told_in_full() {
    for divergence in [Ipdom, Its] {
        let failure = failure("cases/04-misaligned.toml", divergence);
        assert_eq!(failure.kind, "misaligned");
        let access = failure.access.unwrap();
        let told = (
            access.kind.as_str(),
            access.space,
            access.address.as_str(),
            access.bytes,
        );
        assert_eq!(told, ("load", "shared", "0x1396", 4));
        assert_eq!(
            (failure.block, failure.thread),
            (Some([0; 3]), Some([15, 0, 0]))
        );
        assert_eq!(failure.lanes.as_deref(), Some("0x00008000"));
        assert!(
            failure.message.contains("multiple of 4"),
            "{}",
            failure.message
        );
        assert_eq!(
            failure.place.text.as_deref(),
            Some("ld.shared.u32 \t%value, [%at];")
        );
    }
}

#[test]
fn lanes_that_go_round_a_barrier_leave_a_note() {
    for divergence in [Ipdom, Its] {
        let notes = |file: &str| case(file, divergence).launches[0].notes.clone();
        let found = notes("cases/01-barrier-even-lanes.toml");
        assert_eq!(found.len(), 1);
        let place = found[0].place.as_ref().unwrap();
        assert_eq!(place.text.as_deref(), Some("bar.sync \t0;"));
        assert_eq!(notes("cases/01-barrier-odd-lanes-return.toml"), []);
    }
    // Where threads arrive one by one, all of them do.
    assert_eq!(
        case("cases/01-barrier-two-unaligned.toml", Its).launches[0].notes,
        []
    );
}

#[test]
fn a_deadlock_tells_who_waits_for_whom() {
    for divergence in [Ipdom, Its] {
        let failure = failure("cases/01-barrier-odd-lanes-spin.toml", divergence);
        assert_eq!(failure.kind, "deadlock");
        let mut lanes: Vec<_> = failure
            .waits
            .iter()
            .map(|wait| wait.lanes.as_str())
            .collect();
        lanes.sort_unstable();
        assert_eq!(lanes, ["0x55555555", "0xaaaaaaaa"]);
    }
    // One lane got the lock and waits for the 31 that spin on it.
    let failure = failure("cases/07-spin-lock-outside.toml", Ipdom);
    let holder = failure
        .waits
        .iter()
        .find(|wait| wait.lanes == "0x00000001")
        .unwrap();
    assert_eq!(holder.place.text.as_deref(), Some("*counter += 1;"));
    let spinning = failure
        .waits
        .iter()
        .find(|wait| wait.lanes == "0xfffffffe")
        .unwrap();
    let access = spinning.access.as_ref().unwrap();
    assert_eq!((access.kind.as_str(), access.space), ("atomic", "global"));
    let lock = format!("last atomic at {} (line ", access.address);
    assert!(spinning.reason.contains(&lock), "{}", spinning.reason);
    let name = "; the address is byte 0 of buffer 'lock' of 4 bytes";
    assert!(spinning.reason.ends_with(name), "{}", spinning.reason);
}

/// The reason of the one wait of a warp that runs `body` until it spins. `%x` is the buffer `x`
/// of 8 words, zeros.
fn hopeless(body: &str, divergence: DivergenceModel) -> String {
    let ptx = format!(
        "
        .version 8.0
        .target sm_70
        .address_size 64
        .extern .shared .align 8 .b8 rest[];
        .shared .align 8 .b8 first[12];
        .shared .align 8 .b8 flags[16];
        .visible .entry spin(.param .u64 x) {{
            .reg .pred %p;
            .reg .b32 %v, %s;
            .reg .b64 %x, %at;
            ld.param.u64 %x, [x];
            mov.u32 %v, first;
            {body}
            ret;
        }}"
    );
    let program = Program::from_ptx(&[("spin.ptx", &ptx)], Vec::new()).unwrap();
    let device = Device::by_name("h100").unwrap();
    let mut session = Session::new(program, device, divergence).unwrap();
    let contents = ContentsPlan::fill(Fill::Zeros, "u32[8]".parse().unwrap());
    session.add_buffer("x", &contents.open().unwrap()).unwrap();
    let x = ArgValue::Buffer {
        name: "x".into(),
        offset_bytes: 0,
    };
    let launch = LaunchPlan {
        block: [32, 1, 1].into(),
        shared_bytes: 64,
        args: vec![x.into()],
        ..LaunchPlan::default()
    };
    let report = session
        .launch(&launch, &mut Control::new(&mut |_| {}))
        .unwrap();
    let [wait] = report.error.unwrap().waits.try_into().unwrap();
    wait.reason
}

#[test]
fn a_hopeless_spin_names_the_memory_it_waits_for() {
    let cases = [
        (
            "LOOP: ld.volatile.global.u32 %v, [%x+20]; setp.eq.u32 %p, %v, 0; @%p bra LOOP;",
            ", load at 0x",
            "byte 20 of buffer 'x' of 32 bytes",
        ),
        (
            "LOOP: atom.cas.b32 %v, [%x+4], 1, 2; setp.eq.u32 %p, %v, 0; @%p bra LOOP;",
            ", last atomic at 0x",
            "byte 4 of buffer 'x' of 32 bytes",
        ),
        // Behind the 12 bytes of `first` lies, at 16, `flags` or else the dynamic array.
        (
            "mov.u32 %s, flags;
             LOOP: ld.shared.u32 %v, [%s+8]; setp.eq.u32 %p, %v, 0; @%p bra LOOP;",
            ", load at 0x18 (",
            "byte 8 of variable 'flags' of 16 bytes",
        ),
        (
            "mov.u32 %s, rest;
             LOOP: atom.shared.exch.b32 %v, [%s], 0; setp.eq.u32 %p, %v, 0; @%p bra LOOP;",
            ", last atomic at 0x10 (",
            "byte 0 of variable 'rest' of 64 bytes",
        ),
        (
            "mov.u64 %at, flags; cvta.shared.u64 %at, %at;
             LOOP: ld.u32 %v, [%at+4]; setp.eq.u32 %p, %v, 0; @%p bra LOOP;",
            ", load at 0x14 (",
            "byte 4 of variable 'flags' of 16 bytes",
        ),
    ];
    for (body, at, name) in cases {
        for divergence in [Ipdom, Its] {
            let reason = hopeless(body, divergence);
            assert!(reason.contains(at), "{reason}");
            let name = format!("; nothing it reads will change; the address is {name}");
            assert!(reason.ends_with(&name), "{reason}");
        }
    }
    // What is computed anew each time round is not told.
    let reason = hopeless(
        "LOOP: add.u64 %at, %x, 8; ld.global.u32 %v, [%at]; bra LOOP;",
        Its,
    );
    assert!(
        reason.ends_with("); nothing it reads will change"),
        "{reason}"
    );
}

/// Lane i of a warp loads word i * stride, by a global or a generic address.
fn load_with_stride(space: &str, stride: u64) -> warploom::metrics::Tally {
    let ptx = format!(
        "
        .version 8.0
        .target sm_70
        .address_size 64
        .visible .entry load(.param .u64 x, .param .u32 stride) {{
            .reg .b32 %i, %stride, %v;
            .reg .b64 %x, %at;
            ld.param.u64 %x, [x];
            ld.param.u32 %stride, [stride];
            mov.u32 %i, %tid.x;
            mul.lo.u32 %i, %i, %stride;
            mul.wide.u32 %at, %i, 4;
            add.u64 %at, %at, %x;
            ld{space}.u32 %v, [%at];
            ret;
        }}"
    );
    let program = Program::from_ptx(&[("load.ptx", &ptx)], Vec::new()).unwrap();
    let device = Device::by_name("h100").unwrap();
    let mut session = Session::new(program, device, Its).unwrap();
    let contents = ContentsPlan::fill(Fill::Zeros, "u32[1024]".parse().unwrap());
    session.add_buffer("x", &contents.open().unwrap()).unwrap();
    let buffer = ArgValue::Buffer {
        name: "x".into(),
        offset_bytes: 0,
    };
    let stride = ArgValue::Scalar(Scalar {
        ty: warploom::element::ElementType::U32,
        bits: stride,
    });
    let launch = LaunchPlan {
        block: [32, 1, 1].into(),
        args: vec![buffer.into(), stride.into()],
        ..LaunchPlan::default()
    };
    let report = session
        .launch(&launch, &mut Control::new(&mut |_| {}))
        .unwrap();
    report.metrics.tally
}

// 32 lanes of 4 bytes fill 4 sectors of 32 bytes at best.
#[test]
fn global_sectors_follow_the_stride() {
    for space in [".global", ""] {
        for (stride, sectors, ideal) in [(1, 4, 4), (2, 8, 4), (8, 32, 4), (16, 32, 4), (0, 1, 1)] {
            let tally = load_with_stride(space, stride);
            assert_eq!(tally.global_load_requests, 1, "{space} {stride}");
            assert_eq!(tally.global_load_sectors, sectors, "{space} {stride}");
            assert_eq!(tally.global_load_ideal_sectors, ideal, "{space} {stride}");
            assert_eq!(tally.shared_requests, 0, "{space} {stride}");
        }
    }
}

// A matrix of 96 rows and 64 columns is 6 tiles of 32 x 32, so 6 x 32 rows of a warp each.
#[test]
fn three_ways_to_transpose_cost_what_they_must() {
    let report = case("transpose.toml", Its);
    let rows = 6 * 32;
    let counts: Vec<_> = report
        .launches
        .iter()
        .map(|launch| {
            let tally = &launch.metrics.tally;
            assert_eq!(tally.global_load_sectors, 4 * rows);
            (
                tally.global_store_sectors,
                tally.shared_requests,
                tally.shared_bank_conflicts,
            )
        })
        .collect();
    // A warp writes a column in the first, reads one from shared memory in the others.
    assert_eq!(
        counts,
        [
            (32 * rows, 0, 0),
            (4 * rows, 2 * rows, 31 * rows),
            (4 * rows, 2 * rows, 0)
        ]
    );
}

// 1000 lanes of 1024 pass the guard; the last warp's 8 lanes go on alone.
#[test]
fn lines_add_up_to_the_launch() {
    let report = case("saxpy.toml", Its);
    let launch = &report.launches[0];
    let mut sum = warploom::metrics::Tally::default();
    launch.lines.iter().for_each(|line| sum.add(&line.tally));
    assert_eq!(sum, launch.metrics.tally);
    let lines: Vec<u32> = launch.lines.iter().map(|line| line.place.line).collect();
    assert_eq!(lines, [3, 5, 6, 7, 8]);
}

// The atomics of the histogram are a toolkit's inline functions, whose header is not there.
#[test]
fn inlined_code_of_unknown_headers_counts_for_the_call() {
    let report = case("histogram.toml", Its);
    for launch in &report.launches {
        let mut sum = warploom::metrics::Tally::default();
        launch.lines.iter().for_each(|line| sum.add(&line.tally));
        assert_eq!(sum, launch.metrics.tally);
        for line in &launch.lines {
            assert_eq!(line.place.file, "histogram.cu");
            let atomic = line.place.text.as_deref().unwrap().contains("atomicAdd");
            assert_eq!(line.tally.atomics > 0, atomic, "{}", line.place.line);
        }
    }
}

#[test]
fn modules_are_linked_and_keep_their_lines() {
    let main = "\
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) twice (.param .b32 a);
.visible .entry k(.param .u64 x) {
    .reg .b32 %v;
    .reg .b64 %x;
    ld.param.u64 %x, [x];
    ld.global.u32 %v, [%x];
    {
    .param .b32 a;
    .param .b32 r;
    st.param.b32 [a], %v;
    call.uni (r), twice, (a);
    ld.param.b32 %v, [r];
    }
    st.global.u32 [%x], %v;
    ret;
}
";
    let library = "\
.version 8.0
.target sm_70
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 a) {
    .reg .b32 %v;
    ld.param.b32 %v, [a];
    add.u32 %v, %v, %v;
    st.param.b32 [r], %v;
    ret;
}
";
    let texts = [("main.ptx", main), ("library.ptx", library)];
    let program = Program::from_ptx(&texts, Vec::new()).unwrap();
    let device = Device::by_name("v100").unwrap();
    let mut session = Session::new(program, device, Its).unwrap();
    let seven = ContentsPlan::bytes("u32[1]".parse().unwrap(), 7u32.to_le_bytes().to_vec());
    session.add_buffer("x", &seven.open().unwrap()).unwrap();
    let x = ArgValue::Buffer {
        name: "x".into(),
        offset_bytes: 0,
    };
    let launch = LaunchPlan {
        args: vec![x.into()],
        ..LaunchPlan::default()
    };
    let report = session
        .launch(&launch, &mut Control::new(&mut |_| {}))
        .unwrap();
    let mut found = Vec::new();
    session
        .read_buffer("x", |piece| {
            found.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
    assert_eq!(found, 14u32.to_le_bytes());
    let add = report
        .lines
        .iter()
        .find(|line| line.place.text.as_deref() == Some("add.u32 %v, %v, %v;"));
    let place = &add.unwrap().place;
    assert_eq!((place.file.as_str(), place.line), ("library.ptx", 7));

    // Without the library the call leads nowhere.
    let error = Program::from_ptx(&texts[..1], Vec::new()).map(|program| {
        let device = Device::by_name("v100").unwrap();
        let mut session = Session::new(program, device, Its).unwrap();
        session.add_buffer("x", &seven.open().unwrap()).unwrap();
        session
            .launch(&launch, &mut Control::new(&mut |_| {}))
            .unwrap_err()
            .to_string()
    });
    let error = error.unwrap_or_else(|error| error.to_string());
    assert!(error.contains("twice"), "{error}");
}
