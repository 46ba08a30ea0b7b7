//! A device as a readable sheet: its hierarchy, and what follows from its figures.

use std::fmt::Write;

use warploom::device::Device;
use warploom::device::model::roofline::{Precision, Roof};
use warploom::device::rates::PipeClass;
use warploom::device::schema::{Scope, Vendor};

use crate::devices_tree::hierarchy;
use crate::model::quantity::{digits, scaled};
use crate::table::{Align, Rows, count};

/// Put behind a figure that nobody has seen in a source.
const ESTIMATED: &str = "~";

/// The sheet.
pub fn sheet(device: &Device) -> String {
    let sections = [
        hierarchy(device),
        peaks(device),
        bandwidths(device),
        latencies(device),
        pipelines(device),
        energies(device),
    ];
    let mut text = sections.join("\n");
    let _ = writeln!(
        text,
        "\n{ESTIMATED} estimated: no source; `--figures` lists every figure and its source"
    );
    text
}

/// The vendor's words.
pub struct Words {
    /// Streaming multiprocessor.
    pub sm: &'static str,
    /// Scheduler partition.
    pub partition: &'static str,
    /// Warp.
    pub warp: &'static str,
    /// Group of SMs.
    pub group: &'static str,
    /// Shared memory.
    pub shared: &'static str,
}

/// The words of the device's vendor.
pub fn words(device: &Device) -> Words {
    match device.vendor {
        Vendor::Amd => Words {
            sm: "CU",
            partition: "SIMD",
            warp: "wave",
            group: "die",
            shared: "LDS",
        },
        Vendor::Nvidia | Vendor::Warploom => Words {
            sm: "SM",
            partition: "partition",
            warp: "warp",
            group: "GPC",
            shared: "shared memory",
        },
    }
}

/// The mark of a figure that is estimated, or nothing.
pub fn mark(device: &Device, path: &str) -> &'static str {
    match device.provenance(path) {
        Some(from) if from.estimated && from.sources.is_empty() && !from.overridden => ESTIMATED,
        _ => "",
    }
}

/// `2 partitions`, `1 partition`.
pub fn plural(number: u64, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{} {word}s", count(number)),
    }
}

fn peaks(device: &Device) -> String {
    let mut rows = Rows::new(&[
        ("peak rate", Align::Left),
        ("OP/s", Align::Right),
        ("", Align::Left),
        ("ridge OP/byte", Align::Right),
    ]);
    let sm = words(device).sm;
    for precision in Precision::ALL {
        let Some(peak) = device.peak(precision) else {
            continue;
        };
        let roof = Roof {
            flop_per_s: peak.flop_per_s,
            bytes_per_s: device.dram_bytes_per_s(),
        };
        let path = rate_path(precision);
        rows.row([
            precision.name().to_owned(),
            format!("{}{}", scaled(peak.flop_per_s), mark(device, path)),
            format!(
                "= {} {sm}s × {} × {} × {:.0} MHz",
                peak.sms, peak.per_cycle_and_sm, peak.flop_per_result, peak.clock_mhz
            ),
            digits(roof.ridge_flop_per_byte()),
        ]);
    }
    rows.draw()
}

/// The field that a peak rate comes from.
fn rate_path(precision: Precision) -> &'static str {
    match precision {
        Precision::Fp64 => "lanes.fp64",
        Precision::Fp32 => "lanes.fp32",
        Precision::Fp32Packed => "lanes.fp32_packed",
        Precision::Fp16Vector => "lanes.half",
        Precision::Int32 => "lanes.int32",
        Precision::Fp64Matrix => "tensor.fp64",
        Precision::Fp32Matrix => "tensor.fp32",
        Precision::Tf32 => "tensor.tf32",
        Precision::Bf16 | Precision::Fp16 => "tensor.fp16",
        Precision::Fp8 => "tensor.fp8",
        Precision::Fp4 => "tensor.fp4",
        Precision::Int8 => "tensor.int8",
    }
}

fn bandwidths(device: &Device) -> String {
    let mut rows = Rows::new(&[
        ("bandwidth", Align::Left),
        ("B/cycle/SM", Align::Right),
        ("B/s", Align::Right),
        ("", Align::Left),
    ]);
    let cycles_per_s = device.clock_mhz * 1e6;
    let sms = f64::from(device.sms);
    let mut row = |name: &str, bytes_per_s: f64, note: String| {
        rows.row([
            name.to_owned(),
            digits(bytes_per_s / cycles_per_s / sms),
            scaled(bytes_per_s),
            note,
        ]);
    };
    let per_sm = |bytes: u32| f64::from(bytes) * sms * cycles_per_s;
    let shared = device.shared.banks * device.shared.bank_bytes;
    let pass = device.timing.shared.pass_cycles;
    row(
        words(device).shared,
        per_sm(shared) / f64::from(pass),
        String::new(),
    );
    row(
        "L1",
        per_sm(device.memory.l1_bytes_per_cycle),
        mark(device, "memory.l1_bytes_per_cycle").to_owned(),
    );
    let measured = device.memory.l2_gb_per_s.is_some();
    let l2_note = match measured {
        true => "measured".to_owned(),
        false => format!(
            "{:.0}% of the slices' peak{}",
            100.0 * device.timing.l2.efficiency,
            mark(device, "timing.l2.efficiency")
        ),
    };
    row("L2", device.l2_bytes_per_s(), l2_note);
    if let Some(llc) = &device.timing.llc {
        let note = mark(device, "timing.llc.gb_per_s").to_owned();
        row("memory-side cache", llc.gb_per_s * 1e9, note);
    }
    let dram = device.dram_bytes_per_s();
    let efficiency =
        |share: f64, path| format!("{:.1}% of the pins{}", 100.0 * share, mark(device, path));
    let timing = &device.timing.dram;
    row(
        "device memory, reading",
        dram * timing.read_efficiency,
        efficiency(timing.read_efficiency, "timing.dram.read_efficiency"),
    );
    row(
        "device memory, half writing",
        dram * timing.mixed_efficiency,
        efficiency(timing.mixed_efficiency, "timing.dram.mixed_efficiency"),
    );
    rows.draw()
}

fn latencies(device: &Device) -> String {
    let timing = &device.timing;
    let mut rows = Rows::new(&[
        ("latency of a load", Align::Left),
        ("cycles", Align::Right),
        ("ns", Align::Right),
    ]);
    let mut row = |name: &str, cycles: Option<u32>, path: &str| {
        if let Some(cycles) = cycles {
            let ns = f64::from(cycles) / device.clock_mhz * 1e3;
            rows.row([
                name.to_owned(),
                format!("{cycles}{}", mark(device, path)),
                format!("{ns:.0}"),
            ]);
        }
    };
    if let Some(flat) = &timing.flat {
        row(
            "any memory",
            Some(flat.load_cycles),
            "timing.flat.load_cycles",
        );
        return rows.draw();
    }
    for (name, cycles, path) in [
        (
            words(device).shared,
            Some(timing.shared.load_cycles),
            "timing.shared.load_cycles",
        ),
        (
            "constant, first level",
            Some(timing.constant.l1_cycles),
            "timing.constant.l1_cycles",
        ),
        (
            "constant, second level",
            Some(timing.constant.l15_cycles),
            "timing.constant.l15_cycles",
        ),
        ("L1", Some(timing.l1.hit_cycles), "timing.l1.hit_cycles"),
        ("L2", Some(timing.l2.hit_cycles), "timing.l2.hit_cycles"),
        (
            "L2, far segment",
            timing.l2.far_cycles,
            "timing.l2.far_cycles",
        ),
        (
            "memory-side cache",
            timing.llc.as_ref().map(|llc| llc.hit_cycles),
            "timing.llc.hit_cycles",
        ),
        (
            "device memory",
            Some(timing.dram.latency_cycles),
            "timing.dram.latency_cycles",
        ),
        (
            "another block of the cluster",
            timing.cluster.as_ref().map(|c| c.remote_load_cycles),
            "timing.cluster.remote_load_cycles",
        ),
        (
            "global atomic",
            Some(timing.atomics.global_cycles),
            "timing.atomics.global_cycles",
        ),
    ] {
        row(name, cycles, path);
    }
    rows.draw()
}

fn pipelines(device: &Device) -> String {
    let words = words(device);
    let mut rows = Rows::new(&[
        ("pipeline", Align::Left),
        ("a warp every", Align::Right),
        ("", Align::Left),
        ("then the same", Align::Right),
        ("another", Align::Right),
        ("unit", Align::Left),
    ]);
    for class in PipeClass::ALL {
        let pipeline = device.pipeline(class);
        let pipe = &pipeline.pipe;
        let path = format!("timing.pipes.{}.latency_cycles", class.name());
        let cycles = match pipeline.units {
            1 => plural(pipeline.initiation_cycles.into(), "cycle"),
            units => format!("1/{units} cycle"),
        };
        let scope = match pipe.scope {
            Scope::Partition => format!("and {}", words.partition),
            Scope::Sm => format!("and {}", words.sm),
        };
        rows.row([
            class.name().to_owned(),
            cycles,
            scope,
            format!("{}{}", pipe.latency_cycles, mark(device, &path)),
            pipe.other_cycles.to_string(),
            pipe.unit.name().to_owned(),
        ]);
    }
    rows.draw()
}

fn energies(device: &Device) -> String {
    let energy = &device.energy;
    let mut rows = Rows::new(&[
        ("energy (45 nm, for ratios)", Align::Left),
        ("pJ", Align::Right),
    ]);
    for (name, pj) in [
        (
            "32-bit float multiply-add",
            energy.fp32_mul_pj + energy.fp32_add_pj,
        ),
        ("an instruction around it", energy.instruction_pj),
        ("word from a small SRAM", energy.sram_word_pj),
        ("word from DRAM", energy.dram_word_pj),
    ] {
        rows.row([name.to_owned(), digits(pj)]);
    }
    rows.draw()
}
