//! What the command says to a command line that is nearly right.

use std::fs;
use std::path::Path;

use snapbox::cmd::{Command, OutputAssert, cargo_bin};
use tempfile::TempDir;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("tests/kernels.ptx", folder.path().join("kernels.ptx")).unwrap();
    folder
}

fn run(folder: &Path, arguments: &str) -> OutputAssert {
    Command::new(cargo_bin!("warploom"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .assert()
}

/// The command refuses its input with this error and help, before anything runs.
fn refuses(arguments: &str, error: &str, help: &str) {
    let folder = folder();
    run(folder.path(), arguments)
        .code(2)
        .stdout_eq("")
        .stderr_eq(format!("error: {error}\n |\n = help: {help}\n"));
}

const FILL: &str = "run kernels.ptx --kernel fill --block 32 --arg u32:9 --arg f32:1";

#[test]
fn a_file_of_another_kind_is_told_by_its_ending() {
    let takes = "`run` and `check` take a launch file (.toml) or a module (.ptx, .cu, .simt)";
    refuses(
        "run kernels.py",
        "`kernels.py` is neither a launch file nor a module",
        &format!(
            "{takes}; Triton and Numba write the PTX of their kernels, see examples/README.md"
        ),
    );
    refuses(
        "run kernels",
        "`kernels` is neither a launch file nor a module",
        takes,
    );
    refuses(
        "run a.cubin",
        "`a.cubin` is neither a launch file nor a module",
        &format!("{takes}; compile the kernel with `nvcc -ptx -lineinfo` instead"),
    );
    refuses(
        "run first.simt",
        "`--grid` is missing",
        "`warploom lesson first.simt` runs a lesson with the grid that it names",
    );
    refuses(
        "lesson saxpy.toml",
        "`saxpy.toml` is no lesson",
        "`warploom run saxpy.toml` runs a launch file",
    );
    refuses(
        "lesson kernels.ptx",
        "`kernels.ptx` is no lesson",
        "`warploom run kernels.ptx` runs a module",
    );
}

#[test]
fn a_device_is_shown_with_show() {
    refuses(
        "devices h100",
        "there is no command `h100` of `devices`",
        "`warploom devices show h100` shows a device",
    );
    refuses(
        "devices sho h100",
        "there is no command `sho` of `devices`",
        "`warploom devices show NAME` shows a device",
    );
}

#[test]
fn device_names_are_the_same_in_upper_case() {
    let folder = folder();
    run(
        folder.path(),
        &format!("{FILL} --grid 1 --arg zeros:u32[32] --device H100"),
    )
    .code(0)
    .stdout_eq("device h100, divergence its\n...\n");
}

#[test]
fn a_grid_may_be_written_with_an_x() {
    let folder = folder();
    for grid in ["1x2", "1,2"] {
        run(
            folder.path(),
            &format!("{FILL} --grid {grid} --arg zeros:u32[32]"),
        )
        .code(0)
        .stdout_eq("...\n  grid[..]  1x2\n...\n");
    }
}

#[test]
fn missing_folders_are_found_before_the_run() {
    let folder = folder();
    let fill = format!("{FILL} --grid 1 --arg y=zeros:u32[32]");
    run(folder.path(), &format!("{fill} --out y=none/y.npy"))
        .code(2)
        .stdout_eq("")
        .stderr_eq("error: cannot write `none/y.npy`: there is no folder `none`\n");
    run(folder.path(), &format!("{fill} --json some/where/r.json"))
        .code(2)
        .stdout_eq("")
        .stderr_eq(
            "\
error: cannot write `some/where/r.json`: there is no folder `some/where`
 --> --json:1:1
  |
1 | some/where/r.json
  | ^^^^^^^^^^^^^^^^^
",
        );
    let launch = "\
module = \"kernels.ptx\"
[buffers]
y = { zeros = \"u32[32]\" }
[[launch]]
kernel = \"endless\"
grid = 1
block = 32
[save]
y = \"none/y.npy\"
";
    fs::write(folder.path().join("endless.toml"), launch).unwrap();
    run(folder.path(), "run endless.toml")
        .code(2)
        .stdout_eq("")
        .stderr_eq(
            "\
error: cannot write `none/y.npy`: there is no folder `none`
 --> endless.toml:9:5
  |
9 | y = \"none/y.npy\"
  |     ^^^^^^^^^^^^
",
        );
}

#[test]
fn expectations_say_how_they_were_compared() {
    let folder = folder();
    let launch = "\
module = \"kernels.ptx\"
[buffers]
y = { zeros = \"u32[32]\" }
d = { ones = \"f64[4]\" }
[[launch]]
kernel = \"fill\"
grid = 1
block = 32
args = [{ u32 = 7 }, { f32 = 1.0 }, { buffer = \"y\" }]
[expect]
y = { ones = \"u32[32]\" }
d = { ones = \"f32[4]\" }
";
    fs::write(folder.path().join("fill.toml"), launch).unwrap();
    run(folder.path(), "run fill.toml").code(1).stdout_eq(
        "\
device h100, divergence its
note: buffer `d` holds f64 and is compared with f32, which is coarser: only a tolerance allows for the rounding
...
expected `y`: FAILED, 32 of 32 elements differ (exact comparison); largest error 6
...
expected `d`: holds, 4 elements, largest error 0
",
    );
}

// The divergent line of saxpy.cu is its fourth by instructions, 64 of 640.
#[test]
fn lines_with_something_to_see_are_always_shown() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    run(&examples, "run saxpy.toml --lines 1").code(0).stdout_eq(
        "\
...
  line        warp instructions  share    simt  divergent  sectors (ideal)  conflicts  source
  saxpy.cu:7                224  35.0%   97.7%                   375 (375)             y[i] = a * x[i] + y[i];
  saxpy.cu:6                 64  10.0%  100.0%          1[..]
  … and 3 lines more; `--lines all` shows them
...
",
    );
    run(&examples, "run saxpy.toml --lines all")
        .code(0)
        .stdout_eq("...\n  saxpy.cu:8[..]}\n\n...\n");
    run(&examples, "run saxpy.toml --lines some")
        .code(2)
        .stderr_eq("...\n[..]expected a number or `all`\n...\n");
}

#[test]
fn the_help_shows_a_launch_file() {
    let folder = folder();
    run(folder.path(), "help run")
        .code(0)
        .stdout_eq("...\n  module = \"saxpy.ptx\"\n  [buffers]\n...\n  [expect]\n...\n");
}
