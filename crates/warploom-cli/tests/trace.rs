//! The trace of a timed run, read back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use snapbox::cmd::{Command, cargo_bin};

/// Runs the example `saxpy` in time with a trace; the report and the trace.
fn traced(folder: &Path, options: &str) -> (Value, Value) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let trace = folder.join("trace.json");
    let assert = Command::new(cargo_bin!("warploom"))
        .args(["run", "saxpy.toml", "--timing", "--json", "-", "--trace"])
        .arg(&trace)
        .args(options.split_whitespace())
        .current_dir(examples)
        .assert()
        .code(0);
    let report = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let trace = serde_json::from_slice(&fs::read(&trace).unwrap()).unwrap();
    (report, trace)
}

/// A slice of a warp.
struct Slice<'a> {
    /// Process and thread.
    track: (u64, u64),
    start: u64,
    cycles: u64,
    category: &'a str,
    name: &'a str,
}

fn slices(trace: &Value) -> Vec<Slice<'_>> {
    let events = trace["traceEvents"].as_array().unwrap();
    let number = |event: &Value, key: &str| event[key].as_u64().unwrap();
    let slices = events
        .iter()
        .filter(|event| event["ph"] == "X" && event["cat"] != "launch");
    slices
        .map(|event| Slice {
            track: (number(event, "pid"), number(event, "tid")),
            start: number(event, "ts"),
            cycles: number(event, "dur"),
            category: event["cat"].as_str().unwrap(),
            name: event["name"].as_str().unwrap(),
        })
        .collect()
}

/// With all SMs and cycles, every cycle of every warp is in the trace, once.
#[test]
fn slices_are_the_stalls_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (report, trace) = traced(folder.path(), "--trace-sms 0-131");
    let slices = slices(&trace);
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let mut tracks: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    for slice in &slices {
        let reason = match slice.category {
            "issue" => "selected",
            _ => slice.name,
        };
        *sums.entry(reason).or_default() += slice.cycles;
        let span = (slice.start, slice.start + slice.cycles);
        tracks.entry(slice.track).or_default().push(span);
    }
    let metrics = &report["launches"][0]["metrics"];
    let stalls = metrics["stalls"].as_object().unwrap();
    let stalls = stalls
        .iter()
        .map(|(name, n)| (name.as_str(), n.as_u64().unwrap()));
    assert_eq!(sums, stalls.collect());
    // 4 blocks of 8 warps, which all have a slot of their own.
    assert_eq!(tracks.len(), 32);
    for spans in tracks.values_mut() {
        spans.sort_unstable();
        assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }
    let issues = slices
        .iter()
        .filter(|slice| slice.category == "issue")
        .count() as u64;
    assert_eq!(metrics["machine_instructions"].as_u64(), Some(issues));
    // Instructions have the text of their lines.
    assert!(
        slices
            .iter()
            .any(|slice| slice.name.starts_with("fma.rn.f32"))
    );
    let events = trace["traceEvents"].as_array().unwrap();
    let counter = |name: &str| events.iter().any(|e| e["ph"] == "C" && e["name"] == name);
    assert!(counter("resident warps") && counter("L1 misses on the way"));
    let about = &report["trace"];
    assert_eq!(
        (&about["left_out"], about.get("complete_to")),
        (&Value::from(0), None)
    );
    let counters = events.iter().filter(|event| event["ph"] == "C").count();
    assert_eq!(
        about["events"].as_u64(),
        Some((slices.len() + counters) as u64)
    );
}

/// One SM in 100 cycles, and no more than 5 events.
#[test]
fn a_trace_is_as_small_as_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--trace-sms 1 --trace-window 700:800 --trace-events 5";
    let (report, trace) = traced(folder.path(), options);
    let slices = slices(&trace);
    assert!(!slices.is_empty() && slices.len() <= 5, "{}", slices.len());
    for slice in slices {
        assert_eq!(slice.track.0, 2);
        assert!(700 <= slice.start && slice.start + slice.cycles <= 800);
    }
    let about = &report["trace"];
    assert_eq!(about["sms"], serde_json::json!([1, 2]));
    assert_eq!(about["window"], serde_json::json!([700, 800]));
    assert_eq!(about["events"], 5);
    assert!(about["left_out"].as_u64() > Some(0));
    let complete = about["complete_to"].as_u64().unwrap();
    assert!((700..800).contains(&complete));
}
