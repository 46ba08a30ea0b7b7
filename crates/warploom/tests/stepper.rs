//! Launches, issue by issue: what was issued, where lanes wait, what they hold.

use std::fs;
use std::path::Path;

use warploom::lesson::{Keep, MAX_ISSUES, play};
use warploom::plan::Named;
use warploom::run::Silent;
use warploom::stepper::{PtxLaunch, State, Stepper};
use warploom::{DivergenceModel, Options, Outcome};
use warploom_isa::Op;

fn lesson(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lessons");
    fs::read_to_string(folder.join(file)).unwrap()
}

fn options(divergence: DivergenceModel) -> Options<'static> {
    Options {
        divergence: Some(divergence),
        threads: 1,
        ..Options::default()
    }
}

fn opened(text: &str, divergence: DivergenceModel) -> Stepper {
    Stepper::of_lesson("lesson", text, &options(divergence)).unwrap()
}

/// What a register of a state holds, lane by lane.
fn held<'a>(state: &'a State, name: &str) -> &'a [String] {
    let found = state
        .registers
        .iter()
        .find(|register| register.name == name);
    &found.unwrap().values
}

/// Levels as text: `join members waiting line:lanes…`, lines and masks in hexadecimal.
fn levels(stepper: &Stepper, state: &State) -> Vec<String> {
    let level = |level: &warploom::stepper::Level| {
        let join = level
            .join
            .map_or("-".to_owned(), |pc| stepper.line(pc).to_string());
        let parts = level
            .parts
            .iter()
            .map(|part| format!(" {}:{:x}", stepper.line(part.pc), part.lanes));
        let parts: String = parts.collect();
        format!("{join} {:x} {:x}{parts}", level.members, level.waiting)
    };
    state.levels.iter().map(level).collect()
}

/// Lines 8 and 9 with all lanes, 10 and 11 with the lower half, 13 and 14 with the upper, 16.
#[test]
fn half_the_warp_each_way() {
    let mut stepper = opened(&lesson("02-divergent.simt"), DivergenceModel::Ipdom);
    let issues: Vec<(u32, u64)> = stepper
        .issues()
        .iter()
        .map(|issued| (issued.issue.line, issued.issue.active))
        .collect();
    let (all, low, high) = (0xffff_ffff, 0xffff, 0xffff_0000);
    let expected = [
        (8, all),
        (9, all),
        (10, low),
        (11, low),
        (13, high),
        (14, high),
        (16, all),
    ];
    assert_eq!(issues, expected);
    assert_eq!(stepper.outcome(), Outcome::Ok);

    let together = |line: u32| vec![format!("- ffffffff 0 {line}:ffffffff")];
    let outer = "- ffffffff 0".to_owned();
    let apart = |inner: &str| vec![outer.clone(), format!("16 ffffffff {inner}")];
    // By issues so far. Lane 16 has 3 x 16 + 2 = 50, then 150; lane 15 has 2 x 15 + 1 = 31, then 131.
    let expected = [
        (together(8), ["0", "0"]),
        (together(9), ["15", "16"]),
        (apart("0 13:ffff0000 10:ffff"), ["15", "16"]),
        (apart("0 13:ffff0000 11:ffff"), ["30", "16"]),
        (apart("ffff 13:ffff0000"), ["31", "16"]),
        (apart("ffff 14:ffff0000"), ["31", "48"]),
        (together(16), ["31", "50"]),
        (vec!["- 0 0".to_owned()], ["131", "150"]),
    ];
    // Forward, then back, then in leaps.
    let orders: [Vec<usize>; 3] = [
        (0..=7).collect(),
        (0..=7).rev().collect(),
        vec![3, 7, 0, 5, 2, 6, 1, 4],
    ];
    for order in orders {
        for position in order {
            let state = stepper.state(position).unwrap();
            let (expected_levels, [lane_15, lane_16]) = &expected[position];
            assert_eq!(
                &levels(&stepper, &state),
                expected_levels,
                "after {position}"
            );
            let x = held(&state, "x");
            assert_eq!((&*x[15], &*x[16]), (*lane_15, *lane_16), "after {position}");
        }
    }
}

/// The machine without an eye on it issues the same, for every lesson and model.
#[test]
fn lessons_issue_what_they_issue_unwatched() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lessons");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for divergence in [DivergenceModel::Ipdom, DivergenceModel::Its] {
            let keep = Keep {
                warp: None,
                most: MAX_ISSUES,
            };
            let played = play("lesson", &text, &options(divergence), keep, &Silent).unwrap();
            let stepper = opened(&text, divergence);
            let stepped: Vec<_> = stepper.issues().iter().map(|step| step.issue).collect();
            assert_eq!(stepped, played.issues, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 28);
}

/// Every state of a nested lesson has the lanes of its next issue in one part of one level, at the
/// line that issues next; so the followed lanes are where the machine has them.
#[test]
fn lanes_are_followed_through_every_lesson() {
    for file in [
        "06-nested.simt",
        "07-loop.simt",
        "12-switch.simt",
        "08-filter-where.simt",
    ] {
        for divergence in [DivergenceModel::Ipdom, DivergenceModel::Its] {
            let mut stepper = opened(&lesson(file), divergence);
            let count = stepper.issues().len();
            for position in 1..count {
                let (last, next) = {
                    let issues = stepper.issues();
                    (issues[position - 1].issue, issues[position].issue)
                };
                if (last.block, last.warp) != (next.block, next.warp) {
                    continue;
                }
                let state = stepper.state(position).unwrap();
                let mut parts = state.levels.iter().flat_map(|level| &level.parts);
                let there = |part: &warploom::stepper::Part| {
                    // Behind a switch, the next issue shows who went where.
                    let switch = stepper.module().code[part.pc as usize].op == Op::Brx;
                    let line = stepper.line(part.pc);
                    part.lanes & next.active == next.active && (switch || line == next.line)
                };
                assert!(parts.any(there), "{file} after {position}: {state:?}");
                assert_eq!(state.live, next.live, "{file} after {position}");
            }
        }
    }
}

#[test]
fn memory_changes_with_the_store() {
    let text = "threads 32\narray out n\n\nx = i * 3\nstore out[i] = x\n";
    let mut stepper = opened(text, DivergenceModel::Ipdom);
    let before = stepper.state(1).unwrap();
    assert_eq!(before.arrays[0].values, vec!["0"; 32]);
    assert_eq!(before.accesses, []);
    let after = stepper.state(2).unwrap();
    let expected: Vec<String> = (0..32).map(|lane| (3 * lane).to_string()).collect();
    assert_eq!(after.arrays[0].values, expected);
    let [access] = after.accesses.as_slice() else {
        panic!("one store: {:?}", after.accesses);
    };
    assert_eq!((&*access.kind, access.space), ("store", "global"));
    assert_eq!(access.buffer.as_deref(), Some("out"));
    // 32 lanes of 4 bytes are 128 bytes: 4 sectors.
    assert_eq!(access.sectors, 4);
    assert_eq!(access.offsets[31], Some(124));
}

const PTX: &str = "
.version 8.0
.target sm_70
.address_size 64
.visible .entry abs_diff(.param .u64 out) {
    .reg .pred %p;
    .reg .b32 %i, %v;
    .reg .b64 %out, %at;
    ld.param.u64 %out, [out];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %at, %i, 4;
    add.u64 %at, %at, %out;
    setp.lt.u32 %p, %i, 8;
    @%p bra LOW;
    sub.u32 %v, %i, 8;
    bra.uni DONE;
LOW:
    sub.u32 %v, 8, %i;
DONE:
    st.global.u32 [%at], %v;
    ret;
}
";

/// Both sides of the branch: 8 - i below 8, i - 8 from there.
#[test]
fn a_ptx_kernel_shows_its_registers() {
    let launch = PtxLaunch {
        block: "32".to_owned(),
        args: vec!["out=zeros:u32[32]".to_owned()],
        ..PtxLaunch::default()
    };
    let options = Options {
        device: Some(Named::new("v100")),
        ..options(DivergenceModel::Its)
    };
    let mut stepper = Stepper::of_ptx("k.ptx", PTX, &launch, &options).unwrap();
    // ld, mov, mul, add, setp, bra; sub and bra for 24 lanes, sub for 8; st and ret.
    let active: Vec<u64> = stepper.issues().iter().map(|i| i.issue.active).collect();
    let all = 0xffff_ffff;
    let mut expected = vec![all; 6];
    expected.extend([0xffff_ff00, 0xffff_ff00, 0xff, all, all]);
    assert_eq!(active, expected);
    let state = stepper.state(9).unwrap();
    let v: Vec<&str> = held(&state, "%v").iter().map(String::as_str).collect();
    let expected: Vec<String> = (0..32i32).map(|i| (i - 8).abs().to_string()).collect();
    assert_eq!(v, expected);
    assert_eq!(held(&state, "%p")[7..9], ["true", "false"]);
    assert_eq!(state.arrays[0].values, vec!["0"; 32]);
    let end = stepper.state(11).unwrap();
    assert_eq!(end.arrays[0].values, expected);
    assert_eq!(end.live, 0);
    assert_eq!(stepper.state(9).unwrap(), state);
}

#[test]
fn endless_loops_end_at_the_limit() {
    let text = "threads 32\n\nx = 0\nwhile x == 0\n  x = x * 2\nend\n";
    let stepper = opened(text, DivergenceModel::Ipdom);
    assert_eq!(stepper.outcome(), Outcome::Limit);
    assert_eq!(stepper.issues().len(), warploom::stepper::MAX_ISSUES);
}

#[test]
fn wrong_texts_are_refused_with_their_place() {
    let error = Stepper::of_lesson(
        "lesson",
        "threads 32\n\nx = y\n",
        &options(DivergenceModel::Ipdom),
    );
    let Err(error) = error else {
        panic!("`y` is nowhere assigned");
    };
    assert!(error.to_string().starts_with("lesson:3:5: "), "{error}");
}
