//! The lessons through the front door: reports, sums by path, arrays, and what can go wrong.

use std::path::{Path, PathBuf};

use warploom::error::{InputError, InputErrorKind};
use warploom::lesson::{Keep, PathSum, Played, play, play_file};
use warploom::plan::{FilePlan, Named};
use warploom::report::Outcome;
use warploom::run::Silent;
use warploom::{DivergenceModel, Options};

const KEEP: Keep = Keep {
    warp: None,
    most: 1000,
};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../lessons")
        .join(name)
}

fn try_file(name: &str, options: &Options<'_>) -> Played {
    match play_file(&FilePlan::new(file(name)), options, KEEP, &Silent) {
        Ok(played) => played,
        Err(error) => panic!("{error}"),
    }
}

fn lesson(name: &str) -> Played {
    try_file(name, &Options::default())
}

fn text(text: &str) -> Result<Played, InputError> {
    play("test.simt", text, &Options::default(), KEEP, &Silent)
}

/// Issues, used lanes and lane slots of a whole run.
fn totals(played: &Played) -> (u64, u64, u64) {
    let tally = played.report.launches[0].metrics.tally;
    let (issues, used) = (tally.warp_instructions, tally.thread_instructions);
    (issues, used, issues * u64::from(played.lesson.width))
}

/// Kind, depth, issues, used lanes of each path.
fn paths(played: &Played) -> Vec<(&'static str, u32, u64, u64)> {
    let row = |sum: PathSum| {
        (
            sum.path,
            sum.depth,
            sum.warp_instructions,
            sum.thread_instructions,
        )
    };
    played.paths().into_iter().map(row).collect()
}

#[test]
fn totals_of_every_lesson_under_both_models() {
    let expected = [
        ("01-uniform.simt", (5, 160, 160)),
        ("02-divergent.simt", (7, 160, 224)),
        ("03-alternating.simt", (7, 160, 224)),
        ("04-one-lane.simt", (7, 160, 224)),
        ("05-warp-uniform.simt", (4 * 5, 4 * 160, 4 * 160)),
        ("06-nested.simt", (13, 192, 416)),
        ("07-loop.simt", (13, 272, 416)),
        ("08-filter.simt", (8 * 24, 8 * 200, 8 * 24 * 32)),
        ("08-filter-clustered.simt", (50, 50 * 32, 50 * 32)),
        ("08-filter-where.simt", (8 * 23, 8 * 23 * 32, 8 * 23 * 32)),
        ("12-switch.simt", (67, 160, 67 * 32)),
    ];
    for (name, expected) in expected {
        for model in [DivergenceModel::Ipdom, DivergenceModel::Its] {
            let options = Options {
                divergence: Some(model),
                ..Options::default()
            };
            let played = try_file(name, &options);
            assert_eq!(played.report.outcome, Outcome::Ok);
            assert_eq!(totals(&played), expected, "{name} {}", model.name());
            let issues = played.issues.iter();
            let used: u32 = issues.map(|issue| issue.active.count_ones()).sum();
            let seen = (played.issues.len() as u64, u64::from(used));
            assert_eq!(seen, (expected.0, expected.1));
        }
    }
}

#[test]
fn branches_are_counted_when_evaluated() {
    let branches = |name: &str| {
        let tally = lesson(name).report.launches[0].metrics.tally;
        (tally.branches, tally.divergent_branches)
    };
    assert_eq!(branches("01-uniform.simt"), (1, 0));
    assert_eq!(branches("02-divergent.simt"), (1, 1));
    assert_eq!(branches("05-warp-uniform.simt"), (4, 0));
    assert_eq!(branches("06-nested.simt"), (3, 3));
    // The last evaluation sends all 8 lanes that are left the same way.
    assert_eq!(branches("07-loop.simt"), (4, 3));
    assert_eq!(branches("08-filter-clustered.simt"), (8, 0));
    assert_eq!(branches("08-filter-where.simt"), (0, 0));
    assert_eq!(branches("12-switch.simt"), (1, 1));
}

#[test]
fn sums_by_path() {
    assert_eq!(
        paths(&lesson("08-filter.simt")),
        [
            ("common", 0, 16, 512),
            ("then", 1, 160, 640),
            ("else", 1, 16, 448)
        ]
    );
    let nested = [
        ("common", 0, 3, 96),
        ("then", 1, 1, 16),
        ("then", 2, 4, 32),
        ("else", 2, 4, 32),
        ("else", 1, 1, 16),
    ];
    assert_eq!(paths(&lesson("06-nested.simt")), nested);
    let predicated = lesson("08-filter-where.simt");
    assert_eq!(
        paths(&predicated),
        [("common", 0, 8, 256), ("where", 0, 176, 5632)]
    );
    // 4 lanes of 32 execute 20 lines and 28 execute 2, in 8 warps.
    assert_eq!(predicated.paths()[1].thread_instructions_executed, 8 * 136);
}

#[test]
fn requests_of_the_filter() {
    // A warp's 32 elements of 4 bytes lie in 4 sectors. The lanes that pass are 8 elements apart,
    // one to a sector; those that don't touch all 4.
    let tally = lesson("08-filter.simt").report.launches[0].metrics.tally;
    assert_eq!(
        (tally.global_load_requests, tally.global_load_sectors),
        (8, 32)
    );
    assert_eq!(
        (tally.global_store_requests, tally.global_store_sectors),
        (16, 64)
    );
}

#[test]
fn json_has_the_report_and_the_issues() {
    let json = serde_json::to_value(lesson("02-divergent.simt")).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["outcome"], "ok");
    assert_eq!(json["device"], "lesson");
    assert_eq!(json["divergence"], "ipdom");
    let metrics = &json["launches"][0]["metrics"];
    assert_eq!(metrics["warp_instructions"], 7);
    assert_eq!(metrics["thread_instructions"], 160);
    assert_eq!(metrics["simt_efficiency"], 160.0 / 224.0);
    let own = &json["lesson"];
    assert_eq!(own["warp_width"], 32);
    assert_eq!(own["issues_left_out"], 0);
    let issue = |k: usize| {
        let issue = &own["issues"][k];
        let text = |key: &str| issue[key].as_str().unwrap().to_owned();
        (
            issue["line"].as_u64().unwrap(),
            text("path"),
            text("active"),
        )
    };
    assert_eq!(issue(1), (9, "common".into(), "FFFFFFFF".into()));
    assert_eq!(issue(3), (11, "then".into(), "0000FFFF".into()));
    assert_eq!(issue(4), (13, "else".into(), "FFFF0000".into()));
}

#[test]
fn kept_issues() {
    let keep = |warp, most| {
        let keep = Keep { warp, most };
        let file = FilePlan::new(file("05-warp-uniform.simt"));
        play_file(&file, &Options::default(), keep, &Silent)
    };
    let one = keep(Some(2), 100).unwrap();
    assert_eq!((one.issues.len(), one.left_out), (5, 0));
    assert!(one.issues.iter().all(|issue| issue.warp == 2));
    assert_eq!(totals(&one).0, 20);
    let few = keep(None, 8).unwrap();
    assert_eq!((few.issues.len(), few.left_out), (8, 12));
    let Err(error) = keep(Some(4), 8) else {
        panic!("there are four warps");
    };
    assert_eq!(error.kind, InputErrorKind::Argument);
}

#[test]
fn arrays_are_buffers() {
    let played = text("threads 8\nwidth 8\narray out n\nstore out[n - 1 - i] = 3 * i\n").unwrap();
    let mut bytes = Vec::new();
    let session = &played.session;
    session
        .read_buffer("out", |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
    let found: Vec<i32> = bytes
        .chunks(4)
        .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    assert_eq!(found, [21, 18, 15, 12, 9, 6, 3, 0]);
}

#[test]
fn a_fault_names_the_line() {
    let played = text("array a 32\nx = i\n\nstore a[x + 1] = x # past the end\n").unwrap();
    assert_eq!(played.report.outcome, Outcome::Fault);
    let failure = played.report.error.as_ref().unwrap();
    assert_eq!((failure.kind, failure.place.line), ("out_of_bounds", 4));
    assert_eq!(failure.thread, Some([31, 0, 0]));
    assert!(
        failure.message.contains("`a`") || failure.message.contains("'a'"),
        "{}",
        failure.message
    );
}

#[test]
fn an_endless_loop_is_stopped() {
    let options = Options {
        max_thread_instructions: Some(10_000),
        ..Options::default()
    };
    let text = "x = 1\nwhile x != 0\nx = x + 2\nend\n";
    let played = play("test.simt", text, &options, KEEP, &Silent).unwrap();
    assert_eq!(played.report.outcome, Outcome::Limit);
    assert!(played.left_out == 0 && played.issues.len() <= 10_000 / 32 + 1);
}

#[test]
fn mistakes_have_their_place() {
    let Err(error) = text("x = 1\ny = x + z\nif x\nend\n") else {
        panic!("z has no value");
    };
    assert_eq!(error.kind, InputErrorKind::Module);
    let places: Vec<_> = error
        .diagnostics
        .iter()
        .map(|d| d.labels[0].spot.line_column())
        .collect();
    assert_eq!(places, [(2, 9), (3, 4)]);
    assert!(error.diagnostics.iter().all(|d| d.help.is_some()));
}

#[test]
fn the_device_must_have_such_warps() {
    let options = Options {
        device: Some(Named::new("h100")),
        ..Options::default()
    };
    let played = |text: &str| play("test.simt", text, &options, KEEP, &Silent);
    assert_eq!(played("x = i\n").unwrap().report.divergence, "its");
    assert!(played("width 8\nx = i\n").is_err());
}
