//! `warploom check`.

use std::path::PathBuf;

use serde_json::Value;
use snapbox::cmd::{Command, OutputAssert, cargo_bin};

fn check(arguments: &str) -> OutputAssert {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    Command::new(cargo_bin!("warploom"))
        .arg("check")
        .args(arguments.split_whitespace())
        .current_dir(examples)
        .env("NO_COLOR", "1")
        .assert()
}

// Lane t adds cell t + step to cell t, in steps of 32 to 1. In the step of 16, lane 0 reads cell 16
// that lane 16 has stored a step before; byte 64 is the first of cell 16. Cells 16 to 31 are read so,
// then 8, 4, 2 and 1 cells: 31. In the first step each lane reads what it has stored itself.
#[test]
fn a_race_is_drawn_with_both_sides() {
    let report = "\
error: race on byte 64 of variable 'words': nothing orders a store and a load (31 times)
  --> 02-last-warp.ptx:31:2
   |
31 |     @%more st.shared.u32     [%own], %a;
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ (1) store by block (0,0,0), thread (16,0,0)
   |
  ::: 02-last-warp.ptx:29:2
   |
29 |     @%more ld.shared.u32     %b, [%other];
   |     -------------------------------------- (2) load by block (0,0,0), thread (0,0,0)
   |
   = help: put `__syncwarp()` (`bar.warp.sync`) between them, or exchange through shuffles

device h100, divergence its
in_step, grid (1,1,1), block (32,1,1): 1 error
expected `out`: holds, 1 elements, largest error 0
";
    check("cases/02-last-warp.toml")
        .code(1)
        .stdout_eq(report)
        .stderr_eq("");
}

#[test]
fn silence_is_said() {
    let report = "\
device h100, divergence ipdom
in_step, grid (1,1,1), block (32,1,1): nothing found
";
    check("cases/02-last-warp.toml --divergence ipdom")
        .code(0)
        .stdout_eq(report)
        .stderr_eq("");
}

#[test]
fn json_has_all_of_it() {
    let assert = check("cases/03-tile-loop.toml --divergence ipdom --json - --limit 0")
        .code(1)
        .stderr_eq("");
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(report["outcome"], "finding");
    let findings = report["launches"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1);
    let finding = &findings[0];
    assert_eq!(finding["kind"], "race");
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["space"], "shared");
    // The load of the first round, by a warp that is still there, and the store of the second.
    let mut lines: Vec<(&Value, &Value)> = finding["sides"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (&s["access"], &s["line"]))
        .collect();
    lines.sort_by_key(|(_, line)| line.as_u64());
    assert_eq!(
        lines,
        [
            (&Value::from("store"), &Value::from(27)),
            (&"load".into(), &32.into())
        ]
    );
    for side in finding["sides"].as_array().unwrap() {
        assert_eq!(side["block"], serde_json::json!([0, 0, 0]));
        assert_eq!(side["file"], "03-tile-loop.ptx");
    }
    let warps: Vec<u64> = finding["sides"]
        .as_array()
        .unwrap()
        .iter()
        .map(|side| side["thread"][0].as_u64().unwrap() / 32)
        .collect();
    assert_ne!(warps[0], warps[1]);
}

#[test]
fn sarif_and_junit_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (sarif, junit) = (path("o.sarif"), path("o.xml"));
    check(&format!(
        "cases/02-last-warp.toml --sarif {sarif} --junit {junit}"
    ))
    .code(1);
    let text = std::fs::read_to_string(sarif).unwrap();
    let log: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&"race".into(), &"error".into())
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "02-last-warp.ptx");
    assert_eq!(place["region"]["startLine"], 31);
    assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 2);
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "race");
    let text = std::fs::read_to_string(junit).unwrap();
    let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuite name=\"warploom check\" tests=\"1\" failures=\"1\">
  <testcase name=\"in_step (launch 1)\">
    <failure type=\"race\" message=\"race on byte 64 of variable 'words': nothing orders a store and a \
load at 02-last-warp.ptx:31 and 02-last-warp.ptx:29\"/>
  </testcase>
</testsuite>
";
    assert_eq!(text, expected);
    check("saxpy.toml --sarif no/such/o.sarif").code(2);
}

#[test]
fn kinds_can_be_allowed() {
    let allowed = "cases/02-last-warp.toml --allow race";
    check(allowed).code(0).stdout_eq(
        "\
device h100, divergence its
in_step, grid (1,1,1), block (32,1,1): nothing found
",
    );
    let unknown = check("cases/02-last-warp.toml --allow races")
        .code(2)
        .stdout_eq("");
    let said = String::from_utf8_lossy(&unknown.get_output().stderr).into_owned();
    assert!(
        said.contains("[possible values: race, same_value_write"),
        "{said}"
    );
}

#[test]
fn faults_are_reported_as_by_run() {
    let assert = check("cases/04-misaligned.toml").code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.starts_with("fault: "), "{said}");
}

#[test]
fn times_are_not_predicted() {
    check("saxpy.toml --timing")
        .code(2)
        .stdout_eq("")
        .stderr_eq("error: `check` predicts no times; `warploom run --timing` does\n");
}
