//! The command as its users see it: arguments in, exit code and text out.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::cmd::{Command, cargo_bin};
use tempfile::TempDir;

/// A folder with the test's kernels, where the command runs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        fs::copy("tests/kernels.ptx", folder.path().join("kernels.ptx")).unwrap();
        Folder(folder)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Folder {
        fs::write(self.0.path().join(name), text).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A launch of `fill` in a launch file, with parts exchanged.
    fn with_launch(self, exchanges: &[(&str, &str)]) -> Folder {
        let mut text = "\
module = \"kernels.ptx\"

[buffers]
y = { zeros = \"u32[64]\" }

[[launch]]
kernel = \"fill\"
grid = [1]
block = [64]
args = [{ u32 = 7 }, { f32 = 1.0 }, { buffer = \"y\" }]
"
        .to_owned();
        for (part, instead) in exchanges {
            assert!(text.contains(part), "{part}");
            text = text.replace(part, instead);
        }
        self.with("fill.toml", text)
    }

    fn run(&self, arguments: &str) -> snapbox::cmd::OutputAssert {
        warploom(self.path(), arguments)
    }

    /// The command refuses its input with this message and writes nothing to standard output.
    fn refuses(&self, arguments: &str, message: &str) {
        self.run(arguments)
            .code(2)
            .stdout_eq("")
            .stderr_eq(format!("{message}\n"));
    }
}

fn warploom(folder: &Path, arguments: &str) -> snapbox::cmd::OutputAssert {
    Command::new(cargo_bin!("warploom"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .assert()
}

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn json(assert: &snapbox::cmd::OutputAssert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

// 20 instructions, 11 of them by all 1024 threads and 9 by 1000, in 32 warps: 640 issues with
// 11 * 1024 + 9 * 1000 lanes. The guard of the one branch is false for 1000 lanes. Two loads and
// a store of 4 bytes by 1000 lanes touch 125 sectors each.
#[test]
fn a_run_is_reported_in_tables() {
    let report = "\
device h100, divergence its
[..]saxpy  Nsight Compute
  grid                                    4
  block                                 256
  warp_instructions                     640  smsp__inst_executed.sum
  thread_instructions                20,264  smsp__thread_inst_executed.sum
  thread_instructions_predicated_on  19,264  smsp__thread_inst_executed_pred_on.sum
  branches                               32  smsp__sass_branch_targets.sum
  divergent_branches                      1  smsp__sass_branch_targets_threads_divergent.sum
  global_load_requests                   64  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  global_load_sectors                   250  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
...
  global_store_sectors                  125  l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
...
  simt_efficiency                     98.9%  smsp__thread_inst_executed_per_inst_executed.pct
...
  occupancy_limiter                   warps  launch__occupancy_limit_*

  line        warp instructions  share    simt  divergent  sectors (ideal)  conflicts  source
  saxpy.cu:7                224  35.0%   97.7%                   375 (375)             y[i] = a * x[i] + y[i];
...

expected `y`: holds, 1000 elements, largest error 0
";
    warploom(&examples(), "run saxpy.toml")
        .code(0)
        .stdout_eq(report)
        .stderr_eq("");
}

#[test]
fn json_has_the_keys_that_scripts_rely_on() {
    let assert = warploom(&examples(), "run saxpy.toml --json -")
        .code(0)
        .stderr_eq("");
    let report = json(&assert);
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["outcome"], "ok");
    assert_eq!(report["device"], "h100");
    let launch = &report["launches"][0];
    assert_eq!(launch["kernel"], "saxpy");
    assert_eq!(launch["grid"], serde_json::json!([4, 1, 1]));
    assert_eq!(launch["block"], serde_json::json!([256, 1, 1]));
    let metrics = &launch["metrics"];
    for (key, value) in [
        ("warp_instructions", 640),
        ("thread_instructions", 20264),
        ("thread_instructions_predicated_on", 19264),
        ("branches", 32),
        ("divergent_branches", 1),
        ("global_load_requests", 64),
        ("global_load_sectors", 250),
        ("global_store_requests", 32),
        ("global_store_sectors", 125),
        ("shared_requests", 0),
        ("shared_wavefronts", 0),
        ("shared_bank_conflicts", 0),
        ("local_load_sectors", 0),
        ("local_store_sectors", 0),
        ("atomics", 0),
        ("barriers", 0),
        ("shared_bytes_per_block", 0),
    ] {
        assert_eq!(metrics[key], value, "{key}");
    }
    assert_eq!(metrics["simt_efficiency"], 20264.0 / 20480.0);
    assert_eq!(metrics["theoretical_occupancy"], 1.0);
    assert_eq!(metrics["occupancy_limiter"], "warps");
    assert!(
        metrics["registers_per_thread"]
            .as_u64()
            .is_some_and(|n| (4..=16).contains(&n))
    );
    // The branch is the second of two instructions of line 6.
    let line = &launch["lines"][2];
    let wanted = serde_json::json!({
        "file": "saxpy.cu",
        "line": 6,
        "text": "if (i < n)                    // the last block has threads to spare",
        "warp_instructions": 64,
        "thread_instructions": 2048,
        "thread_instructions_predicated_on": 1048,
        "branches": 32,
        "divergent_branches": 1,
    });
    assert_eq!(line, &wanted);
}

#[test]
fn a_module_is_launched_from_the_command_line() {
    let folder = Folder::new();
    folder
        .run(
            "run kernels.ptx --kernel fill --grid 1 --block 64 --arg u32:9 --arg f32:1 --arg \
             y=zeros:u32[64] --out y=y.npy --json report.json",
        )
        .code(0)
        .stderr_eq("")
        .stdout_eq("device h100[..]\n...\nsaved `y` to y.npy\n");
    let saved = fs::read(folder.path().join("y.npy")).unwrap();
    assert_eq!(saved.len(), 128 + 256);
    assert!(
        saved[128..]
            .chunks(4)
            .all(|element| element == [9, 0, 0, 0])
    );
    let report = fs::read(folder.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["saved"][0]["path"], "y.npy");
    // Without line information a line is one of the PTX text.
    let lines = report["launches"][0]["lines"].as_array().unwrap();
    assert_eq!(lines[0]["file"], "kernels.ptx");
    assert_eq!(lines[0]["text"], "ld.param.u32 %n, [n];");
}

#[test]
fn a_failed_expectation_names_elements_and_the_largest_error() {
    let expect = "\n[expect]\ny = { iota = \"u32[64]\", atol = 5 }\n";
    let folder = Folder::new().with_launch(&[(
        "{ buffer = \"y\" }]\n",
        &format!("{{ buffer = \"y\" }}]\n{expect}"),
    )]);
    // All elements are 7: 0, 1 and from 13 on are more than 5 away, at most 63 - 7 = 56.
    let failed = "\
expected `y`: FAILED, 53 of 64 elements differ by more than 5; largest error 56
  index  found  expected
  [0]        7         0
  [1]        7         1
  [13]       7        13
  [14]       7        14
  [15]       7        15
  [16]       7        16
  [17]       7        17
  [18]       7        18
";
    folder
        .run("run fill.toml")
        .code(1)
        .stderr_eq("")
        .stdout_eq(format!("...\n{failed}"));
    let assert = folder
        .run("run fill.toml --json -")
        .code(1)
        .stderr_eq(failed);
    let report = json(&assert);
    assert_eq!(report["outcome"], "expectation");
    assert_eq!(report["expectations"][0]["buffer"], "y");
    assert_eq!(report["expectations"][0]["ok"], false);
}

#[test]
fn wrong_launches_point_into_the_launch_file() {
    let kernels = "the kernels are `fill`, `endless`, `endless_after_print` and `excluded`";
    Folder::new()
        .with_launch(&[("\"fill\"", "\"fil\"")])
        .refuses(
            "run fill.toml",
            &format!(
                "\
error: there is no kernel `fil`
 --> fill.toml:7:10
  |
7 | kernel = \"fil\"
  |          ^^^^^
  |
  = help: did you mean `fill`? {kernels}"
            ),
        );
    let signature = "it is fill(.u32 n, .f32 unused, .u64 y)";
    Folder::new()
        .with_launch(&[("{ f32 = 1.0 }, ", "")])
        .refuses(
            "run fill.toml",
            &format!(
                "\
error: kernel `fill` takes 3 arguments, 2 given
  --> fill.toml:10:8
   |
10 | args = [{{ u32 = 7 }}, {{ buffer = \"y\" }}]
   |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: {signature}"
            ),
        );
    Folder::new()
        .with_launch(&[("f32 = 1.0", "f64 = 1.0")])
        .refuses(
            "run fill.toml",
            &format!(
                "\
error: argument 2 is f64 of 8 bytes; parameter `unused` is .f32
  --> fill.toml:10:22
   |
10 | args = [{{ u32 = 7 }}, {{ f64 = 1.0 }}, {{ buffer = \"y\" }}]
   |                      ^^^^^^^^^^^^^ expected a floating-point number of 4 bytes
   |
   = help: {signature}"
            ),
        );
    Folder::new()
        .with_launch(&[("block = [64]", "block = [2048]")])
        .refuses(
            "run fill.toml",
            "\
error: a block of 2048 threads along x: device `h100` takes at most 1024
 --> fill.toml:9:9
  |
9 | block = [2048]
  |         ^^^^^^",
        );
    Folder::new().with_launch(&[("block = ", "shared_bytes = 1048576\nblock = ")]).refuses(
        "run fill.toml",
        "\
error: kernel `fill` takes 1048576 bytes of shared memory in a block, 0 of them declared; device `h100` takes at most 232448
 --> fill.toml:9:16
  |
9 | shared_bytes = 1048576
  |                ^^^^^^^",
    );
}

#[test]
fn wrong_launch_files_are_refused() {
    Folder::new().with_launch(&[("grid", "gird"), ("u32[64]", "u33[64]")]).refuses(
        "run fill.toml",
        "\
error: there is no element type `u33`
 --> fill.toml:4:16
  |
4 | y = { zeros = \"u33[64]\" }
  |                ^^^
  |
  = help: it is one of u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64 or bool

error: `grid` is missing
 --> fill.toml:6:1
  |
6 | [[launch]]
  | ^^^^^^^^^^

error: there is no key `gird` in `launch`
 --> fill.toml:8:1
  |
8 | gird = [1]
  | ^^^^
  |
  = help: did you mean `grid`? the keys are `kernel`, `grid`, `block`, `shared_bytes`, `args` or `cooperative`",
    );
    Folder::new().refuses(
        "run none.toml",
        "error: cannot read `none.toml`: there is no such file",
    );
    Folder::new().refuses(
        "run none.ptx --grid 1 --block 1",
        "error: cannot read `none.ptx`: there is no such file",
    );
    Folder::new().refuses(
        "run kernels.ptx --grid 1",
        "\
error: `--block` is missing
 |
 = help: a module needs `--grid` and `--block`; a launch file (.toml) holds them",
    );
    Folder::new().with_launch(&[]).refuses(
        "run fill.toml --grid 2",
        "error: `--grid` is for modules; a launch file has its own launches",
    );
}

#[test]
fn wrong_arrays_are_refused() {
    let npy = [("{ zeros = \"u32[64]\" }", "{ npy = \"y.npy\" }")];
    let header = "{'descr': '<u4', 'fortran_order': False, 'shape': (64,)}";
    let mut broken = b"\x93NUMPY\x01\x00".to_vec();
    broken.extend((header.len() as u16).to_le_bytes());
    broken.extend(header.as_bytes());
    broken.extend([0; 100]);
    Folder::new().with_launch(&npy).with("y.npy", broken).refuses(
        "run fill.toml",
        "\
error: cannot read array `y.npy`: it ends too early: u32[64] takes 256 bytes after the header, 100 follow
 --> fill.toml:4:5
  |
4 | y = { npy = \"y.npy\" }
  |     ^^^^^^^^^^^^^^^^^",
    );
    Folder::new()
        .with_launch(&[("u32[64]", "u32[1024M,1M]")])
        .refuses(
            "run fill.toml",
            "\
error: buffer `y` takes 4 PiB beside 9 bytes already taken; device `h100` has 79.1 GiB
 --> fill.toml:4:5
  |
4 | y = { zeros = \"u32[1024M,1M]\" }
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        );
}

#[test]
fn an_unsupported_instruction_is_named_before_the_launch() {
    let folder = Folder::new();
    // Line 60 is the one with `ldmatrix`.
    let assert = folder
        .run("run kernels.ptx --kernel excluded --grid 1 --block 32 --arg u64:0 --json -")
        .code(2)
        .stderr_eq("unsupported: `ldmatrix[..]` is not supported; kernel `excluded` would reach it at kernels.ptx:[..]\n...\n");
    let report = json(&assert);
    assert_eq!(report["outcome"], "unsupported");
    assert_eq!(report["error"]["kind"], "unsupported");
    let text = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%p];";
    assert_eq!(report["error"]["text"], text);
    assert_eq!(report["launches"], serde_json::json!([]));
    // Other kernels of the module run.
    let fill = "run kernels.ptx --kernel fill --grid 1 --block 1 --arg u32:1 --arg f32:1 --arg zeros:u32[1]";
    folder.run(fill).code(0);
}

#[test]
fn a_fault_is_reported_with_all_that_is_known() {
    let folder = Folder::new().with_launch(&[("u32[64]", "u32[60]")]);
    let assert = folder.run("run fill.toml --json -").code(1).stderr_eq(
        "\
fault: global store of 4 bytes at 0x[..] is out of bounds: [..] past the end of buffer 'y' of 240 bytes at 0x[..]
  in kernel fill, block (0,0,0), thread (60,0,0), lanes 0xf0000000
  at kernels.ptx:20: st.global.u32 [%at], %n;
",
    );
    let report = json(&assert);
    assert_eq!(report["outcome"], "fault");
    let error = &report["error"];
    assert_eq!(error["kind"], "out_of_bounds");
    assert_eq!(error["kernel"], "fill");
    assert_eq!(
        (&error["file"], &error["line"]),
        (&"kernels.ptx".into(), &20.into())
    );
    assert_eq!(error["block"], serde_json::json!([0, 0, 0]));
    assert_eq!(error["thread"], serde_json::json!([60, 0, 0]));
    assert_eq!(error["access"]["space"], "global");
    assert_eq!(error["access"]["kind"], "store");
    assert_eq!(error["access"]["bytes"], 4);
}

#[test]
fn a_buffer_that_cannot_be_saved_does_not_hide_the_report() {
    let folder = Folder::new();
    let run = "run kernels.ptx --kernel fill --grid 1 --block 1 --arg u32:1 --arg f32:1 --arg \
               y=zeros:u32[1] --out y=. --json -";
    let message = "error: cannot write `.`: it is a folder\n";
    let assert = folder.run(run).code(2).stderr_eq(message);
    assert_eq!(json(&assert)["outcome"], "ok");
}

#[test]
fn a_module_for_a_newer_device_runs_with_a_note() {
    let run = "run kernels.ptx --kernel fill --grid 1 --block 1 --arg u32:1 --arg f32:1 --arg \
               zeros:u32[1] --device k40";
    Folder::new().run(run).code(0).stderr_eq("").stdout_eq(
        "\
device k40, divergence ipdom
note: the module is made for sm_75, above sm_35 of device `k40`; it runs as far as its instructions are supported
...
",
    );
}

#[test]
fn an_endless_loop_ends_at_the_limit_and_is_named() {
    let folder = Folder::new();
    let run = "run kernels.ptx --kernel endless --grid 1 --block 32 --max-instructions 100000";
    let assert = folder.run(&format!("{run} --json -")).code(1).stderr_eq(
        "\
stopped: the limit of 100000 thread instructions was reached; most of its work was at kernels.ptx:[..]
  in kernel endless
  at kernels.ptx:[..]: add.u32 %n, %n, 1;
",
    );
    let report = json(&assert);
    assert_eq!(report["outcome"], "limit");
    assert_eq!(report["error"]["kind"], "instruction_limit");
    let issued = report["launches"][0]["metrics"]["thread_instructions"]
        .as_u64()
        .unwrap();
    assert!((90_000..=110_000).contains(&issued), "{issued}");
}

#[test]
fn kernels_print_to_standard_output_unless_json_goes_there() {
    let printed = fs::read_to_string(examples().join("data/printf_stdout.txt")).unwrap();
    let assert = warploom(&examples(), "run printf.toml")
        .code(0)
        .stderr_eq("");
    let stdout = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(stdout.starts_with(&printed), "{stdout}");
    let assert = warploom(&examples(), "run printf.toml --json -")
        .code(0)
        .stderr_eq(printed);
    assert_eq!(json(&assert)["outcome"], "ok");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_a_report() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let mut child = Command::new(cargo_bin!("warploom"))
        .args([
            "run",
            "kernels.ptx",
            "--kernel",
            "endless_after_print",
            "--grid",
            "1",
        ])
        .args(["--block", "1", "--json", "-"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert_eq!(line, "started\n");
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(
        rest.starts_with("stopped: the run was interrupted; most of its work was at "),
        "{rest}"
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["outcome"], "limit");
    assert_eq!(report["error"]["kind"], "interrupted");
    assert!(
        report["launches"][0]["metrics"]["warp_instructions"]
            .as_u64()
            .is_some_and(|n| n > 0)
    );
}

// Registers are handed out by 256 to a warp: 65 * 32 = 2080 becomes 2304, so 28 warps fit, which
// is one block of 16.
#[test]
fn occupancy_says_what_limits() {
    let folder = Folder::new();
    let assert = folder
        .run("occupancy --device h100 --block 512 --regs 65 --json -")
        .code(0);
    let found = json(&assert);
    assert_eq!(found["blocks_per_sm"], 1);
    assert_eq!(found["warps_per_sm"], 16);
    assert_eq!(found["theoretical_occupancy"], 0.25);
    assert_eq!(found["occupancy_limiter"], "registers");
    assert_eq!(found["rounded_registers"], 2304);
    let text = "\
h100: 1 blocks per SM, 16 of 64 warps, 25.0% occupancy, limited by registers
...
2 blocks would fit with at most 64 registers a thread
...
";
    folder
        .run("occupancy --block 512 --regs 65")
        .code(0)
        .stdout_eq(text);
    let assert = folder.run("occupancy --block 2048 --json -").code(1);
    let found = json(&assert);
    assert_eq!(found["blocks_per_sm"], 0);
    assert!(found["reason"].is_string());
}

#[test]
fn devices_are_listed_and_shown() {
    let folder = Folder::new();
    let assert = folder.run("devices --json -").code(0);
    let names: Vec<String> = json(&assert)["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|device| device["name"].as_str().unwrap().to_owned())
        .collect();
    for name in ["k40", "h100", "mi300x", "lesson"] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    folder
        .run("devices show h100 --set sms=20 --figures")
        .code(0)
        .stdout_eq(
            "\
h100: NVIDIA H100 SXM5 80GB, Hopper, sm_90
...
  sms[..] 20  --set
...
",
        );
    folder.run("devices show h101").code(2).stderr_eq(
        "\
error: [..]h101[..]
 --> --device:1:1
  |
1 | h101
  | ^^^^
  |
  = help: did you mean `h100`?[..]
",
    );
}

#[test]
fn the_shell_gets_completions_and_a_manual() {
    let folder = Folder::new();
    folder
        .run("completions bash")
        .code(0)
        .stdout_eq("_warploom() {\n...\n");
    folder
        .run("man run")
        .code(0)
        .stdout_eq("...\n.TH warploom-run 1 [..]\n...\n");
    folder.run("doctor").code(0);
}
