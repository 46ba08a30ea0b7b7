//! `warploom lesson` as its users see it.

use std::fs;

use serde_json::Value;
use snapbox::cmd::{Command, cargo_bin};

/// Runs a lesson text with further arguments.
fn lesson(text: &str, arguments: &str) -> snapbox::cmd::OutputAssert {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("test.simt"), text).unwrap();
    Command::new(cargo_bin!("warploom"))
        .current_dir(folder.path())
        .args(["lesson", "test.simt"])
        .args(arguments.split_whitespace())
        .assert()
}

const DIVERGENT: &str = "\
# Half of eight lanes
threads 8
width 8
x = i
if i < 4
  x = x * 2
else
  x = x + 3
end
x = 0
";

#[test]
fn the_grid() {
    lesson(DIVERGENT, "").success().stdout_eq(
        "\
Half of eight lanes
1 block of 8 threads, warps of 8 lanes; device lesson, divergence ipdom

warp line active lanes     source
   0    4 FF     ########  x = i
   0    5 FF     ########  if i < 4
   0    6 0F     TTTT....    x = x * 2
   0    8 F0     ....EEEE    x = x + 3
   0   10 FF     ########  x = 0

# common   T then   E else   . idle

  path    depth  issues  lanes used  lane slots  efficiency
  common      0       3          24          24    100.00 %
  then        1       1           4           8     50.00 %
  else        1       1           4           8     50.00 %
  all                 5          32          40     80.00 %
",
    );
}

#[test]
fn predicates_missing_threads_and_blocks() {
    let text = "threads 6\nblocks 2\nwidth 4\nwhere i % 2 == 0: x = 1\n";
    lesson(text, "--divergence its").success().stdout_eq(
        "\
2 blocks of 6 threads, warps of 4 lanes; device lesson, divergence its

block warp line active lanes  source
    0    0    4 F      W-W-   where i % 2 == 0: x = 1
    0    1    4 3      W-     where i % 2 == 0: x = 1
    1    0    4 F      W-W-   where i % 2 == 0: x = 1
    1    1    4 3      W-     where i % 2 == 0: x = 1

W where   - where not

  path   depth  issues  lanes used  lane slots  efficiency  executed
  where      0       4          12          16     75.00 %         6
  all                4          12          16     75.00 %         6
",
    );
}

#[test]
fn one_warp_and_few_rows() {
    let text = "threads 12\nwidth 4\nx = 1\nx = 2\n";
    lesson(text, "--warp 1 --rows 1").success().stdout_eq(
        "\
1 block of 12 threads, warps of 4 lanes; device lesson, divergence ipdom

warp line active lanes  source
   1    3 F      ####   x = 1

# common
… and 1 issue more: `--rows N` draws more

  path    depth  issues  lanes used  lane slots  efficiency
  common      0       6          24          24    100.00 %
  all                 6          24          24    100.00 %
",
    );
    lesson(text, "--warp 3")
        .code(2)
        .stdout_eq("")
        .stderr_eq("error: there is no warp 3: a block has 3, counted from 0\n");
}

#[test]
fn json() {
    let done = lesson(DIVERGENT, "--json -").success();
    let json: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!(json["outcome"], "ok");
    assert_eq!(json["launches"][0]["metrics"]["warp_instructions"], 5);
    assert_eq!(json["lesson"]["title"], "Half of eight lanes");
    let active: Vec<&str> = json["lesson"]["issues"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|issue| issue["active"].as_str())
        .collect();
    assert_eq!(active, ["FF", "FF", "0F", "F0", "FF"]);
}

#[test]
fn mistakes_are_drawn_with_their_lines() {
    lesson("x = 1\nif x\nend\n", "")
        .code(2)
        .stdout_eq("")
        .stderr_eq(
            "\
error: `if` needs a condition, this is an int
 --> test.simt:2:4
  |
2 | if x
  |    ^ expected a comparison, or a variable that holds one
  |
  = help: compare it: x != 0
",
        );
}

#[test]
fn a_fault_ends_with_1_and_shows_what_was_done() {
    let done = lesson("array a 8\nx = i\nstore a[i] = x\n", "").code(1);
    let output = done.get_output();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("   0    2 FFFFFFFF"), "{text}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("fault: "), "{error}");
    assert!(error.contains("thread (8,0,0)"), "{error}");
    assert!(error.contains("test.simt:3: store a[i] = x"), "{error}");
}
