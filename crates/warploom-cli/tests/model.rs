//! Closed forms, sheets and sweeps as the command's users see them.

use std::fs;
use std::path::Path;

use serde_json::Value;
use snapbox::cmd::{Command, OutputAssert, cargo_bin};

fn warploom(arguments: &str) -> OutputAssert {
    warploom_in(Path::new("."), arguments)
}

fn warploom_in(folder: &Path, arguments: &str) -> OutputAssert {
    Command::new(cargo_bin!("warploom"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .assert()
}

fn json(arguments: &str) -> Value {
    let assert = warploom(&format!("{arguments} --json -")).code(0);
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

fn percent(value: &Value) -> String {
    format!("{:.2}", 100.0 * value.as_f64().unwrap())
}

#[test]
fn latency_by_littles_law() {
    // P = 200 + 4 × 16, I = 17.
    let found = json("model latency --warps 16 --latency 200 --math 16 --math-latency 4");
    assert_eq!(
        (&found["loop_cycles"], &found["loop_instructions"]),
        (&264.into(), &17.into())
    );
    assert_eq!(found["warps_needed"], 16);
    assert_eq!(found["ideal_utilization"], 1.0);
    // Four loads: P = 375 + 4 × 32, I = 36.
    let loads = json("model latency --latency 375 --math 8 --loads 4");
    assert_eq!(
        (&loads["loop_cycles"], &loads["loop_instructions"]),
        (&503.into(), &36.into())
    );
    assert_eq!(loads["warps_needed"], 14);
    // 16 × 9 / 407.
    let few = json("model latency --latency 375 --math 8");
    assert_eq!(percent(&few["ideal_utilization"]), "35.38");
    // 512 / 33 = 15 warps.
    let registers = json("model latency --regs 33 --scheduler ideal");
    assert_eq!(registers["warps"], 15);
    assert_eq!(percent(&registers["issue_slot_utilization"]), "96.59");
    let diverged = json("model latency --divergent --scheduler ideal");
    assert_eq!(percent(&diverged["useful_lane_utilization"]), "51.52"); // 17/33
    // A load every 128 / 8 cycles, 17 slots each: more than there are.
    let bytes = json("model latency --bytes-per-load 128 --bytes-per-cycle 2");
    assert_eq!(bytes["bytes_in_flight_needed"], 400.0);
    assert_eq!(percent(&bytes["ideal_utilization"]), "26.56"); // 17 × 2 / 128
    warploom("model latency --latency 375 --math 8 --loads 2")
        .code(0)
        .stdout_eq(
            "\
P = L + A·k·C = 375 + 4·2·8 = 439 cycles of a round
I = k·(1 + C) = 2·(1 + 8) = 18 issue slots of a round
warps needed = ⌈P / I⌉ = ⌈439 / 18⌉ = 25

  warps  at best[..]
      1    4.10%[..]
...
     16   65.60%[..]
",
        );
    warploom("model latency --bytes-per-load 128").code(2);
    warploom("model latency --bytes-per-load 0 --bytes-per-cycle 1").code(2);
}

#[test]
fn lanes_of_a_filter() {
    let found = json("model lanes --taken 4 --then 20 --else 2 --warps 8 --inside 0.5");
    assert_eq!(
        (&found["issues"], &found["lanes_used"]),
        (&22.into(), &136.into())
    );
    assert_eq!(percent(&found["efficiency"]), "19.32");
    assert_eq!(percent(&found["nested_efficiency"]), "9.66");
    assert_eq!(
        (&found["warps_issues"], &found["sorted_issues"]),
        (&176.into(), &34.into())
    );
    assert_eq!(found["predicated_issues"], 22);
    warploom("model lanes --taken 33 --then 1").code(2);
    warploom("model lanes --taken 3 --then 1 --inside 2").code(2);
}

#[test]
fn rooflines() {
    let given = json("model roofline --peak 1000T --bandwidth 3TB/s --precision fp16");
    assert_eq!(
        given["ridge_flop_per_byte"].as_f64().unwrap().round(),
        333.0
    );
    let decode = json("model roofline --device mi300x --precision fp16 --flops 2 --bytes 2");
    assert_eq!(decode["bound"], "memory");
    assert_eq!(decode["intensity_flop_per_byte"], 1.0);
    assert_eq!(decode["attainable_flop_per_s"], 5.3e12);
    let all = json("model roofline --device v100");
    let named = |name: &str| {
        let precisions = all["precisions"].as_array().unwrap();
        precisions.iter().any(|p| p["precision"] == name)
    };
    assert!(named("fp16") && named("fp64") && !named("fp8"));
    warploom("model roofline --precision fp4")
        .code(2)
        .stderr_eq(
            "\
error: h100 has no rate for fp4
...
",
        );
    warploom("model roofline --precision fp5").code(2);
    warploom("model roofline --peak fast").code(2);
}

#[test]
fn kernels_of_a_run_are_placed() {
    let folder = tempfile::tempdir().unwrap();
    let report = r#"{"launches": [
        {"kernel": "copy", "metrics": {"dram_bytes": 8000, "time_us": 4.0, "flops": 1000}},
        {"kernel": "bare", "metrics": {}}
    ]}"#;
    fs::write(folder.path().join("run.json"), report).unwrap();
    let place = "model roofline --peak 1G --bandwidth 4G --run run.json --json -";
    let assert = warploom_in(folder.path(), place).code(0);
    let found: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(found["kernel"], "copy");
    // 1000 operations in 4 µs; 1/8 of an operation a byte at 4 GB/s.
    assert_eq!(found["reached_flop_per_s"], 2.5e8);
    assert_eq!(found["attainable_flop_per_s"], 5e8);
    fs::write(
        folder.path().join("run.json"),
        r#"{"launches": [{"kernel": "k", "metrics": {}}]}"#,
    )
    .unwrap();
    warploom_in(folder.path(), place).code(2).stderr_eq(
        "\
error: no kernel can be placed: k has no `flops` and no `dram_bytes`
...
  = help: `run --timing` gives `dram_bytes`; --flops gives a kernel's operations
",
    );
}

#[test]
fn tiles_and_energies() {
    let found = json("model gemm --tile 128x256x64 --threads 256 --stages 3");
    assert_eq!(
        format!("{:.1}", found["macs_per_element"].as_f64().unwrap()),
        "85.3"
    );
    assert_eq!(found["elements_per_step"], (128 + 256) * 64);
    assert_eq!(found["accumulator_registers"], 128);
    assert_eq!(found["shared_bytes"], 3 * (128 + 256) * 64 * 2);
    // 227 KiB of 2-byte elements: 116 224 / (4 × 128).
    assert_eq!(found["attention"]["key_rows"], 227);
    assert_eq!(found["attention"]["query_rows"], 128);
    warploom("model gemm --tile 256x256x64 --stages 8").code(1);
    warploom("model gemm --tile 128x128").code(2);
    let energy = json("model energy --fmas 10 --dram-words 1");
    assert_eq!(energy["dram_over_sram"], 128.0);
    assert_eq!(energy["overheads"][0]["over_math"], 20.0);
    assert_eq!(energy["budget"]["dram_pj"], 640.0);
}

#[test]
fn occupancy_with_all_its_options() {
    // 1024 threads and 65 registers: more than 65,536 for a block once rounded.
    let rounded = warploom("occupancy --device v100 --block 1024 --regs 65").code(1);
    assert!(rounded.get_output().stdout.is_empty());
    // 512 threads of 64 registers, textbook and toolkit; 65 differ.
    for (options, blocks) in [
        ("--block 512 --regs 64", 2),
        ("--block 512 --regs 64 --rule simple", 2),
        // 28 warps by allocation units, 31 by the formula: one block of 16 either way.
        ("--block 512 --regs 65 --rule simple", 1),
        // 128 threads at 33: 5120 or 4224 registers a block: 12 or 15.
        ("--block 128 --regs 33", 12),
        ("--block 128 --regs 33 --rule simple", 15),
        ("--block 128 --shared 24K", 4),
        ("--block 128 --shared 24K --carve-out 32K", 1),
    ] {
        let found = json(&format!("occupancy --device v100 {options}"));
        assert_eq!(found["blocks_per_sm"], blocks, "{options}");
    }
    let cluster = json("occupancy --block 128 --shared 200000 --cluster 16");
    assert_eq!(cluster["active_clusters"], 8);
    let waves = json("occupancy --device mi300x --block 256 --regs 61 --accumulators 128");
    assert_eq!(waves["warps_per_sm"], 8);
    let scalars = json("occupancy --device mi300x --block 256 --regs 32 --scalars 102");
    assert_eq!(scalars["warps_per_sm"], 28);
    let gain = json("occupancy --device v100 --block 512 --regs 65");
    assert_eq!(gain["gain"]["registers_per_thread"], 64);
    let steps = gain["cliffs"]["registers"].as_array().unwrap();
    let at = steps.iter().find(|step| step["from"] == 65).unwrap();
    assert_eq!((&at["to"], &at["blocks_per_sm"]), (&128.into(), &1.into()));
}

#[test]
fn occupancy_sweeps() {
    let registers = json("occupancy --device v100 --block 512 --sweep registers");
    let points = registers["points"].as_array().unwrap();
    assert_eq!(points.len(), 255);
    assert_eq!(points[39]["registers_per_thread"], 40);
    assert_eq!(points[39]["blocks_per_sm"], 3);
    assert_eq!(points[199]["blocks_per_sm"], 0);
    let blocks = json(
        "occupancy --device v100 --block 1 --regs 32 --sweep block --from 96 --to 256 --step 32",
    );
    assert_eq!(blocks["points"].as_array().unwrap().len(), 6);
    assert_eq!(blocks["points"][0]["blocks_per_sm"], 21); // 64 / 3
    warploom("occupancy --device v100 --block 128 --sweep shared --to 96K --step 32K")
        .code(0)
        .stdout_eq(
            "\
[..]shared bytes      to  blocks per SM  warps  occupancy  limited by
             0       0             16     64     100.0%  warps          ################
        32,768  32,768              3     12      18.8%  shared_memory  ###.............
        65,536  98,304              1      4       6.2%  shared_memory  #...............
...
",
        );
    warploom("occupancy --block 128 --sweep shared --step 0").code(2);
}

#[test]
fn sheets_of_all_devices() {
    warploom("devices show h100").code(0).stdout_eq(
        "\
h100: NVIDIA H100 SXM5 80GB, Hopper, sm_90

GPU: 132 SMs at 1980 MHz, warps of 32
├─ 8 GPCs~, up to 17 SMs each
│  └─ SM: 64 warp slots, 1,024 threads a block at most
│     ├─ 4 partitions, each with
│     │  ├─ scheduler `youngest`, 16 warp slots
│     │  ├─ 16,384 registers (64 KiB)
│     │  ├─ lanes: 32 fp32, 16 int32, 16 fp64, 4 sfu~, 8 load/store~
│     │  └─ matrix units: 1
│     ├─ L1 and shared memory: 256 KiB together
│     │  ├─ L1: lines of 128 B, sectors of 32 B
│     │  └─ shared memory: up to 228 KiB, 32 banks of 4 B
│     └─ instruction caches: 32 KiB~ of a partition, 128 KiB~ behind
├─ L2: 50 MiB in 2 segments, 80 slices~ of 64 B a cycle, lines of 128 B
└─ device memory: 84.9 GB, 80 channels~, 3352.32 GB/s at the pins
...
  fp16         989.2 T  = 132 SMs × 2048 × 2 × 1830 MHz          295.1
...
",
    );
    let names = json("devices");
    for device in names["devices"].as_array().unwrap() {
        let name = device["name"].as_str().unwrap();
        let assert = warploom(&format!("devices show {name}")).code(0);
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        assert!(
            text.contains("device memory") && text.contains("ridge"),
            "{text}"
        );
    }
}
