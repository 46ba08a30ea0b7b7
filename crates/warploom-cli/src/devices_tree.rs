//! The hierarchy of a chip, drawn as a tree.

use std::fmt::Write;

use warploom::device::Device;
use warploom::device::schema::Vendor;

use crate::devices_sheet::{Words, mark, plural, words};
use crate::table::count;

/// A size with a power of 1024.
fn bytes(size: u64) -> String {
    const KIB: u64 = 1024;
    match size {
        size if size >= KIB * KIB && size.is_multiple_of(KIB * KIB) => {
            format!("{} MiB", count(size / KIB / KIB))
        }
        size if size >= KIB && size.is_multiple_of(KIB) => format!("{} KiB", count(size / KIB)),
        size => format!("{} B", count(size)),
    }
}

/// A part of the chip and its parts.
struct Node {
    text: String,
    parts: Vec<Node>,
}

impl Node {
    fn leaf(text: String) -> Node {
        let parts = Vec::new();
        Node { text, parts }
    }

    /// Draws the parts below this one, each line behind `indent`. A chip has four levels.
    fn draw_parts(&self, indent: &str, text: &mut String) {
        let last = self.parts.len().saturating_sub(1);
        for (at, part) in self.parts.iter().enumerate() {
            let (branch, below) = match at == last {
                true => ("└─", "   "),
                false => ("├─", "│  "),
            };
            let _ = writeln!(text, "{indent}{branch} {}", part.text);
            part.draw_parts(&format!("{indent}{below}"), text);
        }
    }
}

/// The chip from the device down to the lanes of a partition.
pub fn hierarchy(device: &Device) -> String {
    let words = words(device);
    let memory = &device.memory;
    let mark = |path| mark(device, path);
    let sm = Node {
        text: format!(
            "{}: {}, {} threads a block at most",
            words.sm,
            plural(
                device.limits.warps_per_sm.into(),
                &format!("{} slot", words.warp)
            ),
            count(device.limits.threads_per_block.into()),
        ),
        parts: sm_parts(device, &words),
    };
    let groups = match (&device.cluster, device.vendor) {
        (Some(cluster), _) => Some((cluster.gpcs, "cluster.gpcs")),
        (None, Vendor::Amd) if memory.l2_segments > 1 => {
            Some((memory.l2_segments, "memory.l2_segments"))
        }
        _ => None,
    };
    let sms = match groups {
        None => sm,
        Some((groups, path)) => Node {
            text: format!(
                "{}{}, up to {} each",
                plural(groups.into(), words.group),
                mark(path),
                plural(u64::from(device.sms.div_ceil(groups.max(1))), words.sm),
            ),
            parts: vec![sm],
        },
    };
    let mut parts = vec![sms];
    parts.extend(device_memories(device));
    let root = Node {
        text: format!(
            "GPU: {}{} at {:.0} MHz{}, warps of {}",
            plural(device.sms.into(), words.sm),
            mark("sms"),
            device.clock_mhz,
            mark("clock_mhz"),
            device.warp_width,
        ),
        parts,
    };
    let mut text = format!("{}\n", root.text);
    root.draw_parts("", &mut text);
    text
}

fn device_memories(device: &Device) -> Vec<Node> {
    let (timing, memory) = (&device.timing, &device.memory);
    let mark = |path| mark(device, path);
    let segments = match memory.l2_segments {
        1 => String::new(),
        many => format!(" in {}", plural(many.into(), "segment")),
    };
    let mut lines = vec![format!(
        "L2: {}{}{segments}, {}{} of {} B a cycle, lines of {} B",
        bytes(memory.l2_bytes),
        mark("memory.l2_bytes"),
        plural(timing.l2.slices.into(), "slice"),
        mark("timing.l2.slices"),
        timing.l2.slice_bytes_per_cycle,
        timing.l2.line_bytes,
    )];
    if let Some(llc) = memory.llc_bytes {
        lines.push(format!("memory-side cache: {}", bytes(llc)));
    }
    lines.push(format!(
        "device memory: {:.1} GB{}, {}{}, {} GB/s{} at the pins",
        memory.dram_bytes as f64 / 1e9,
        mark("memory.dram_bytes"),
        plural(timing.dram.channels.into(), "channel"),
        mark("timing.dram.channels"),
        memory.dram_gb_per_s,
        mark("memory.dram_gb_per_s"),
    ));
    lines.into_iter().map(Node::leaf).collect()
}

fn sm_parts(device: &Device, words: &Words) -> Vec<Node> {
    let (memory, shared) = (&device.memory, &device.shared);
    let capacity = bytes(device.shared_capacity_bytes().into());
    let fetch = &device.timing.fetch;
    let banks = format!("{} banks of {} B", shared.banks, shared.bank_bytes);
    let lines = format!(
        "lines of {} B, sectors of {} B",
        memory.line_bytes, memory.sector_bytes
    );
    let l1 = bytes(memory.l1_bytes.into());
    let estimated = mark(device, "memory.l1_bytes");
    let mut parts = vec![partition(device, words)];
    if memory.l1_unified {
        parts.push(Node {
            text: format!("L1 and {}: {l1}{estimated} together", words.shared),
            parts: vec![
                Node::leaf(format!("L1: {lines}")),
                Node::leaf(format!("{}: up to {capacity}, {banks}", words.shared)),
            ],
        });
    } else {
        parts.push(Node::leaf(format!("{}: {capacity}, {banks}", words.shared)));
        parts.push(Node::leaf(format!("L1: {l1}{estimated}, {lines}")));
    }
    parts.push(Node::leaf(format!(
        "instruction caches: {}{} of a {}, {}{} behind",
        bytes(fetch.l0_bytes.into()),
        mark(device, "timing.fetch.l0_bytes"),
        words.partition,
        bytes(fetch.l1_bytes.into()),
        mark(device, "timing.fetch.l1_bytes"),
    )));
    parts
}

fn partition(device: &Device, words: &Words) -> Node {
    let schedulers = device.schedulers_per_sm.max(1);
    let per = |lanes: u32| digits_of(f64::from(lanes) / f64::from(schedulers));
    let mark = |path| mark(device, path);
    let registers = device.registers.per_sm / schedulers;
    let mut lines = vec![
        format!(
            "scheduler `{}`, {}",
            device.timing.issue.scheduler.name(),
            plural(
                u64::from(device.limits.warps_per_sm / schedulers),
                &format!("{} slot", words.warp),
            ),
        ),
        format!(
            "{} registers ({})",
            count(registers.into()),
            bytes(u64::from(registers) * 4),
        ),
    ];
    if let Some(file) = &device.scalar_registers {
        lines.push(format!(
            "{} scalar registers",
            count(file.per_scheduler.into())
        ));
    }
    lines.push(format!(
        "lanes: {} fp32, {} int32, {} fp64{}, {} sfu{}, {} load/store{}",
        per(device.lanes.fp32),
        per(device.lanes.int32),
        per(device.lanes.fp64),
        mark("lanes.fp64"),
        per(device.lanes.sfu),
        mark("lanes.sfu"),
        per(device.lanes.ldst),
        mark("lanes.ldst"),
    ));
    if let Some(tensor) = &device.tensor {
        let units = f64::from(tensor.units_per_sm) / f64::from(schedulers);
        lines.push(format!("matrix units: {}", digits_of(units)));
    }
    Node {
        text: format!("{}, each with", plural(schedulers.into(), words.partition)),
        parts: lines.into_iter().map(Node::leaf).collect(),
    }
}

/// A share without needless decimals.
fn digits_of(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value}")
    }
}
