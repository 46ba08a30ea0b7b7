//! What the timing model reads of a device: pipelines, and figures that have to fit together.

use warploom_device::Device;
use warploom_device::rates::PipeClass;
use warploom_device::schema::{Scheduler, Scope, Unit};

fn device(name: &str) -> Device {
    Device::by_name(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Units and cycles of a warp instruction, by hand: width × partitions (or 1) over lanes.
#[test]
fn initiation_intervals() {
    use PipeClass::*;
    for (name, class, units, cycles) in [
        ("v100", Fp32, 1, 2),      // 32 × 4 / 64
        ("v100", Fp64, 1, 4),      // 32 × 4 / 32
        ("v100", Int32, 1, 2),     //
        ("v100", Sfu, 1, 8),       // 32 × 4 / 16
        ("v100", Half, 1, 2),      // 128 results are 64 lanes of pairs
        ("v100", Uniform, 1, 2),   // the integer pipeline
        ("v100", Shuffle, 1, 1),   // 32 / 32, once per SM
        ("a100-40", Half, 1, 1),   // 256 results
        ("rtx-3090", Fp32, 1, 1),  // 32 × 4 / 128
        ("rtx-3090", Int32, 1, 2), //
        ("rtx-3090", Fp64, 1, 16), // 32 / 2, once per SM
        ("h100", Fp64, 1, 2),      // 32 × 4 / 64
        ("k40", Fp32, 6, 1),       // 192 / 32, once per SM
        ("k40", Half, 6, 1),       // as 32-bit
        ("p100", Fp32, 1, 1),      // 32 × 2 / 64
        ("mi100", Fp32, 1, 4),     // 64 × 4 / 64
        ("mi100", Fp64, 1, 8),     //
        ("mi300x", Sfu, 1, 16),    // 64 × 4 / 16
        ("rx-6900-xt", Fp32, 1, 1),
        ("lesson", Fp32, 2, 1), // 64 lanes, warps of 32
    ] {
        let pipeline = device(name).pipeline(class);
        assert_eq!(
            (pipeline.units, pipeline.initiation_cycles),
            (units, cycles),
            "{name} {class:?}"
        );
    }
}

/// Producer to consumer distances of the compiler's tables.
#[test]
fn fixed_latencies() {
    for (name, int32, fp32, half) in [
        ("rtx-2080-ti", (4, 5), (4, 5), (6, 8)),
        ("a100-40", (4, 5), (4, 5), (5, 5)),
        ("rtx-4090", (4, 5), (4, 5), (5, 5)),
        ("b200", (4, 5), (4, 5), (4, 5)),
        ("rtx-pro-6000", (5, 6), (5, 6), (5, 6)),
        ("gtx-980", (6, 6), (6, 6), (6, 6)),
        ("lesson", (1, 1), (1, 1), (1, 1)),
    ] {
        let d = device(name);
        let cycles = |class| {
            let pipe = d.pipeline(class).pipe;
            assert!(pipe.fixed, "{name}");
            (pipe.latency_cycles, pipe.other_cycles)
        };
        assert_eq!(cycles(PipeClass::Int32), int32, "{name}");
        assert_eq!(cycles(PipeClass::Fp32), fp32, "{name}");
        assert_eq!(cycles(PipeClass::Half), half, "{name}");
    }
    let v100 = device("v100").pipeline(PipeClass::Fp64).pipe;
    assert_eq!((v100.unit, v100.scope), (Unit::Fp64, Scope::Partition));
    assert_eq!(v100.latency_cycles, 8);
}

/// A warp's m16n8k16 of 16-bit floats has 2048 multiply-adds; a group's m64n256k16 has 262 144,
/// a quarter of them for each partition.
#[test]
fn matrix_instructions() {
    let rate = |d: &Device| d.tensor.as_ref().and_then(|t| t.fp16);
    let a100 = device("a100-40");
    assert_eq!(a100.matrix_cycles(rate(&a100), 2048, true), Some(8));
    let rtx = device("rtx-4090");
    assert_eq!(rtx.matrix_cycles(rate(&rtx), 2048, true), Some(16));
    let mut h100 = device("h100");
    // 2048 / (512 × 0.629 × 0.924) = 6.88
    assert_eq!(h100.matrix_cycles(rate(&h100), 2048, true), Some(7));
    h100.set("tensor.clock_factor", "1.0").unwrap();
    assert_eq!(
        h100.matrix_cycles(rate(&h100), 262_144 / 4, false),
        Some(128)
    );
    let k40 = device("k40");
    assert_eq!(k40.matrix_cycles(rate(&k40), 2048, true), None);
}

/// L1, L2, far L2, device memory: the plateaus of the pointer chase.
#[test]
fn measured_plateaus() {
    for (name, l1, l2, far, dram) in [
        ("v100", 28, 212, None, 430),
        ("a100-40", 33, 206, Some(357), 552),
        ("a100-80", 33, 206, Some(357), 552),
        ("a40", 33, 250, None, 552),
        ("rtx-a6000", 33, 250, None, 552),
        ("l40", 34, 274, None, 625),
        ("rtx-4090", 36, 285, None, 572),
        ("h100", 32, 281, Some(430), 689),
        ("h100-pcie", 34, 265, Some(414), 652),
        ("gh200", 32, 281, Some(430), 689),
        ("mi100", 135, 264, None, 635),
        ("mi210", 125, 254, None, 700),
        ("mi300x", 120, 213, None, 906),
        ("mi300a", 116, 213, None, 824),
    ] {
        let t = device(name).timing;
        assert_eq!(
            (
                t.l1.hit_cycles,
                t.l2.hit_cycles,
                t.l2.far_cycles,
                t.dram.latency_cycles
            ),
            (l1, l2, far, dram),
            "{name}"
        );
    }
    let lesson = device("lesson").timing;
    let flat = lesson.flat.unwrap();
    assert_eq!((flat.load_cycles, flat.store_cycles), (8, 1));
    assert_eq!(lesson.issue.scheduler, Scheduler::Lrr);
}

/// Slices can carry what was measured for the whole L2.
#[test]
fn slices_carry_the_measured_bandwidth() {
    for name in Device::names() {
        let d = device(name);
        if let Some(measured) = d.memory.l2_gb_per_s {
            let l2 = &d.timing.l2;
            let clock_mhz = l2.clock_mhz.unwrap_or(d.clock_mhz);
            let bytes = f64::from(l2.slices) * f64::from(l2.slice_bytes_per_cycle);
            let peak = bytes * clock_mhz / 1e3;
            assert!(peak > measured, "{name}: {peak} for {measured}");
        }
    }
}

#[test]
fn levels_that_answer_in_the_wrong_order_are_refused() {
    let mut d = device("v100");
    for (key, value, field) in [
        ("timing.l2.hit_cycles", "20", "timing.l2.hit_cycles"),
        ("timing.l2.far_cycles", "100", "timing.l2.far_cycles"),
        (
            "timing.dram.latency_cycles",
            "200",
            "timing.dram.latency_cycles",
        ),
        (
            "timing.constant.l15_cycles",
            "10",
            "timing.constant.l15_cycles",
        ),
        ("timing.l2.line_bytes", "16", "timing.l2.line_bytes"),
        ("timing.dram.burst_bytes", "48", "timing.dram.burst_bytes"),
        (
            "timing.dram.read_efficiency",
            "1.5",
            "timing.dram.read_efficiency",
        ),
        ("timing.l1.mshr_entries", "0", "timing.l1.mshr_entries"),
    ] {
        let error = d.set(key, value).expect_err(key);
        assert_eq!(error.field, field, "{error}");
        assert!(error.help.is_some(), "{error}");
    }
    let error = d.set("timing.issue.scheduler", "fifo").unwrap_err();
    assert!(error.message.contains("unknown variant"), "{error}");
    d.set("timing.issue.scheduler", "two-level").unwrap();
    d.set("timing.tlb.enabled", "true").unwrap();
    d.set("timing.pipes.fp32.latency_cycles", "6").unwrap();
    assert_eq!(d.timing.issue.scheduler.name(), "two-level");
    assert_eq!(d.pipeline(PipeClass::Fp32).pipe.latency_cycles, 6);
}

/// What nobody has measured for a chip says so.
#[test]
fn defaults_are_marked_as_estimates() {
    let v100 = device("v100");
    for (path, estimated) in [
        ("timing.l2.hit_cycles", false),
        ("timing.pipes.fp64.latency_cycles", false),
        ("timing.launch.block_start_cycles", true),
        ("timing.fetch.l1_cycles", true),
        ("energy.dram_word_pj", false),
    ] {
        let from = v100.provenance(path).unwrap();
        assert_eq!(from.estimated, estimated, "{path}");
        assert_ne!(from.sources.is_empty(), !estimated, "{path}");
    }
}

#[test]
fn every_field_is_described_and_has_a_range_if_it_is_a_number() {
    let fields = Device::fields();
    assert!(fields.len() > 200, "{}", fields.len());
    for field in &fields {
        assert!(!field.doc.is_empty() && !field.kind.is_empty(), "{field:?}");
        let number = field.kind.contains("number");
        assert!(!number || field.range.is_some(), "{field:?}");
    }
    // Every figure of every device is one of them.
    for name in Device::names() {
        for figure in device(name).figures() {
            assert!(
                fields.iter().any(|field| field.path == figure.path),
                "{name}: {}",
                figure.path
            );
        }
    }
}
