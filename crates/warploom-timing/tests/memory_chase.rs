//! One thread walks in a circle through a buffer, line by line in no order: the latency of each
//! level shows as a plateau, its capacity as an edge.
//!
//! Expected values are the published pointer chases of each chip (median of several runs, the
//! clock in brackets); a plateau may be 10 % off.

use warploom_device::Device;
use warploom_timing::memory::{
    L1, L1Access, L1Outcome, LineAccess, MemorySystem, Request, RequestKind,
};

const KB: u64 = 1024;
const MB: u64 = 1024 * KB;

/// Mean cycles of a step on SM `sm`, after a round to fill the caches.
fn chase(device: &Device, sm: u32, bytes: u64) -> f64 {
    let mut l1 = L1::new(device, L1::bytes_beside(device, 0));
    let mut memory = MemorySystem::new(device);
    let line_bytes = u64::from(device.memory.line_bytes);
    let lines = bytes / line_bytes;
    // A step near the golden section of the buffer is far from every line that was read lately.
    let step = (1..)
        .map(|i| (lines as f64 * 0.618_033_988_7) as u64 + i)
        .find(|step| coprime(*step, lines))
        .unwrap();
    let (mut now, mut at, mut start) = (0, 0, 0);
    for i in 0..2 * lines {
        if i == lines {
            start = now;
        }
        let access = LineAccess {
            line: at * line_bytes,
            sectors: 1,
        };
        now = match l1.access(&access, L1Access::Load) {
            L1Outcome::Hit { ready_cycles } => now + u64::from(ready_cycles),
            L1Outcome::Miss { id, sectors } => {
                let answer = memory.request(&Request {
                    issue_cycle: now,
                    sm,
                    line: access.line,
                    sectors,
                    kind: RequestKind::Read,
                });
                l1.fill(id);
                answer
            }
            other => panic!("{other:?}"),
        };
        at = (at + step) % lines;
    }
    (now - start) as f64 / lines as f64
}

fn coprime(mut a: u64, mut b: u64) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

fn plateau(device: &str, bytes: u64, measured: f64) {
    let device = Device::by_name(device).unwrap();
    let cycles = chase(&device, 0, bytes);
    let error = cycles / measured - 1.0;
    assert!(
        error.abs() <= 0.1,
        "{} at {} kB: {cycles:.1} cycles, measured {measured} ({:+.1} %)",
        device.name,
        bytes / KB,
        100.0 * error
    );
}

/// Below an edge everything is as on the plateau before it, one sample (17 %) above it nothing is.
fn edge(device: &str, bytes: u64, before: f64, after: f64) {
    let device = Device::by_name(device).unwrap();
    let below = chase(&device, 0, bytes);
    assert!(below < before + 1.0, "{below} cycles below the edge");
    let above = chase(&device, 0, bytes * 117 / 100);
    assert!(above > after * 0.97, "{above} cycles above the edge");
}

#[test]
fn v100_1380_mhz() {
    plateau("v100", 8 * KB, 27.9);
    plateau("v100", MB, 212.0);
    plateau("v100", 16 * MB, 425.0);
    plateau("v100", 64 * MB, 430.0);
    edge("v100", 128 * KB, 28.0, 212.0);
    edge("v100", 6 * MB, 212.0, 430.0);
}

/// Beyond 20 MB the near half of the L2 no longer has everything: half of the lines come from the
/// far one, half from memory; measured 391 to 412 cycles from 24 to 38 MB.
#[test]
fn a100_1410_mhz() {
    plateau("a100-80", 8 * KB, 33.1);
    plateau("a100-80", MB, 206.0);
    plateau("a100-80", 16 * MB, 206.0);
    plateau("a100-80", 26 * MB, 400.0);
    plateau("a100-80", 35 * MB, 400.0);
    plateau("a100-80", 64 * MB, 547.0);
    edge("a100-80", 192 * KB, 33.0, 206.0);
    edge("a100-80", 20 * MB, 206.0, 400.0);
}

#[test]
fn a40_1740_mhz() {
    plateau("a40", 8 * KB, 33.1);
    plateau("a40", MB, 250.0);
    plateau("a40", 16 * MB, 547.0);
    plateau("a40", 64 * MB, 552.0);
    edge("a40", 128 * KB, 33.0, 250.0);
    edge("a40", 6 * MB, 250.0, 547.0);
}

/// Latencies at large sizes from a GH200 (1980 MHz); the far step from a PCIe card, 475 of its 265
/// near cycles.
#[test]
fn h100_1980_mhz() {
    plateau("h100", 8 * KB, 32.1);
    plateau("h100", MB, 281.0);
    plateau("h100", 16 * MB, 280.0);
    plateau("h100", 36 * MB, 475.0 * 281.0 / 265.0);
    plateau("h100", 72 * MB, 689.0);
    edge("h100", 256 * KB, 32.0, 281.0);
}

#[test]
fn l40_2490_mhz() {
    plateau("l40", 8 * KB, 34.1);
    plateau("l40", MB, 274.0);
    plateau("l40", 64 * MB, 279.0);
    plateau("l40", 115 * MB, 623.0);
    edge("l40", 128 * KB, 34.0, 274.0);
}

/// Each level's latency is exactly the device's, averaged over all slices: whatever the SM, a
/// device reads all of its chunks once.
#[test]
fn unloaded_latencies_are_the_figures() {
    for name in ["v100", "a40", "l40", "gtx-980", "mi100"] {
        let device = Device::by_name(name).unwrap();
        let l2 = &device.timing.l2;
        let mut memory = MemorySystem::new(&device);
        let slices = u64::from(l2.slices);
        let chunk_bytes = u64::from(l2.interleave_bytes);
        let mut issue_cycle = 0;
        for sm in [0, device.sms - 1] {
            let mut read = |i: u64| {
                issue_cycle += 100_000;
                let answer = memory.request(&Request {
                    issue_cycle,
                    sm,
                    line: (u64::from(sm) * slices + i % slices) * chunk_bytes,
                    sectors: 1,
                    kind: RequestKind::Read,
                });
                answer - issue_cycle
            };
            // The first round opens rows and fills the L2; the second finds everything there.
            let cold: u64 = (0..slices).map(&mut read).sum();
            let hits: u64 = (slices..2 * slices).map(&mut read).sum();
            assert_eq!(hits, slices * u64::from(l2.hit_cycles), "{name}");
            let most = slices * u64::from(device.timing.dram.latency_cycles);
            assert!(cold <= most, "{name}: {cold} of {most}");
        }
    }
}

/// Hits by SM and slice lie within the spread about the mean: 175 to 248 cycles on a V100.
#[test]
fn distances_spread_the_latency() {
    let device = Device::by_name("v100").unwrap();
    let mut memory = MemorySystem::new(&device);
    let mut seen = Vec::new();
    for i in 0..128u64 {
        let issue_cycle = 10_000 * i;
        let answer = memory.request(&Request {
            issue_cycle,
            sm: 7,
            line: 512 * (i % 64),
            sectors: 1,
            kind: RequestKind::Read,
        });
        if i >= 64 {
            seen.push(answer - issue_cycle);
        }
    }
    assert_eq!(seen.iter().min(), Some(&(212 - 36)));
    assert_eq!(seen.iter().max(), Some(&(212 + 36)));
    assert_eq!(seen.iter().sum::<u64>(), 64 * 212);
}

/// 64 chunks of 512 bytes are two rows of each of 32 channels' first banks: the second row of a
/// channel is in another bank, so that 64 reads of different rows each take the whole latency.
#[test]
fn a_new_row_takes_the_whole_latency() {
    let device = Device::by_name("v100").unwrap();
    let mut memory = MemorySystem::new(&device);
    let mut read = |i: u64, line: u64| {
        let issue_cycle = 10_000 * i;
        let answer = memory.request(&Request {
            issue_cycle,
            sm: 0,
            line,
            sectors: 1,
            kind: RequestKind::Read,
        });
        answer - issue_cycle
    };
    // Rows of all channels together change every 32 KiB; each slice is visited twice.
    let cold: u64 = (0..64).map(|i| read(i, 512 * i)).sum();
    let chunk_twice: u64 = (64..128).map(|i| read(i, 512 * (i - 64) + 128)).sum();
    let saved = (28.0 * 1.53_f64).floor() as u64;
    // Every other chunk of a channel finds the row that its neighbour opened.
    assert!(cold <= 64 * 430 && cold >= 64 * 430 - 32 * (saved + 1));
    assert!(chunk_twice <= 64 * (430 - saved) && chunk_twice >= 64 * (430 - saved - 1));
}

/// Translation costs nothing unless it is modelled; then a page that only the device knows costs
/// 60 cycles more on a V100, and one that nobody knows 650.
#[test]
fn translation_is_an_option() {
    let mut device = Device::by_name("v100").unwrap();
    let answers = |device: &Device| -> Vec<u64> {
        let mut memory = MemorySystem::new(device);
        let reads = [(0, 0), (0, 0), (9, 0), (9, 0)];
        let reads = reads.into_iter().zip(1..).map(|((sm, line), i)| {
            let issue_cycle = 10_000 * i;
            memory.request(&Request {
                issue_cycle,
                sm,
                line,
                sectors: 1,
                kind: RequestKind::Read,
            }) - issue_cycle
        });
        reads.collect()
    };
    let without = answers(&device);
    device.set("timing.tlb.enabled", "true").unwrap();
    let with: Vec<u64> = answers(&device);
    let more: Vec<u64> = with.iter().zip(&without).map(|(w, o)| w - o).collect();
    assert_eq!(more, [650, 0, 60, 0]);
}
