//! Many requests at once: throughput ends at the measured plateaus, latency rises with load.
//!
//! Every SM keeps a number of requests on their way and sends another when one is answered, as
//! warps do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use warploom_device::Device;
use warploom_timing::memory::{MemorySystem, Request, RequestKind};

const LINE: u64 = 128;
const ALL: u16 = 0b1111;

/// What the second half of the requests saw.
struct Load {
    /// Requests answered a cycle.
    per_cycle: f64,
    /// Mean cycles until the answer.
    latency_cycles: f64,
}

/// Sends `requests` in all, `in_flight` at a time from each of `sms` SMs. `next` makes the one of a
/// number; its cycle is filled in.
fn load(
    memory: &mut MemorySystem,
    sms: u32,
    in_flight: u32,
    requests: u64,
    mut next: impl FnMut(u64, u32) -> Request,
) -> Load {
    let mut ready: BinaryHeap<Reverse<(u64, u64, u32)>> = (0..sms * in_flight)
        .map(|i| Reverse((0, u64::from(i), i % sms)))
        .collect();
    let (mut start, mut end, mut latency) = (0, 0, 0);
    for number in 0..requests {
        let Reverse((now, order, sm)) = ready.pop().unwrap();
        let request = Request {
            issue_cycle: now,
            sm,
            ..next(number, sm)
        };
        let answer = memory.request(&request);
        assert!(answer >= now + memory.least_latency_cycles());
        if number == requests / 2 {
            start = now;
        }
        if number >= requests / 2 {
            latency += answer - now;
        }
        end = now;
        ready.push(Reverse((answer, order + u64::from(sms * in_flight), sm)));
    }
    let half = (requests - requests / 2) as f64;
    Load {
        per_cycle: half / (end - start) as f64,
        latency_cycles: latency as f64 / half,
    }
}

fn request(line: u64, sectors: u16, kind: RequestKind) -> Request {
    Request {
        issue_cycle: 0,
        sm: 0,
        line: line * LINE,
        sectors,
        kind,
    }
}

fn read(line: u64) -> Request {
    request(line, ALL, RequestKind::Read)
}

fn write(line: u64) -> Request {
    request(line, ALL, RequestKind::Write { bytes: 128 })
}

fn device(name: &str, settings: &[(&str, &str)]) -> Device {
    let mut device = Device::by_name(name).unwrap();
    device.set_all(settings.iter().copied()).unwrap();
    device
}

/// 10⁹ bytes a second of so many lines a cycle.
fn gb_per_s(device: &Device, lines_per_cycle: f64) -> f64 {
    lines_per_cycle * LINE as f64 * device.clock_mhz / 1e3
}

#[track_caller]
fn within(share: f64, what: &str, value: f64, expected: f64) {
    let error = value / expected - 1.0;
    assert!(
        error.abs() <= share,
        "{what}: {value:.1}, expected {expected:.1} ({:+.1} %)",
        100.0 * error
    );
}

/// Reading a long buffer, measured with every warp resident.
#[test]
fn streams_read_at_the_plateau() {
    for (name, measured) in [
        ("v100", 866.0),
        ("a100-40", 1490.0),
        ("a100-80", 1945.0),
        ("a40", 679.0),
        ("l40", 845.0),
        ("h100", 3240.0),
    ] {
        let device = device(name, &[]);
        let mut memory = MemorySystem::new(&device);
        let load = load(&mut memory, device.sms, 64, 200_000, |i, _| read(i));
        within(0.03, name, gb_per_s(&device, load.per_cycle), measured);
    }
}

/// As much written as read: every other request. The L2 is made small, so that it soon writes back.
#[test]
fn copies_run_at_the_mixed_plateau() {
    for (name, measured) in [
        ("v100", 802.0),
        ("a100-40", 1381.0),
        ("a40", 652.0),
        ("l40", 770.0),
    ] {
        let device = device(name, &[("memory.l2_bytes", "1048576")]);
        let mut memory = MemorySystem::new(&device);
        let load = load(&mut memory, device.sms, 64, 200_000, |i, _| match i % 2 {
            0 => read(i / 2),
            _ => write((1 << 24) + i / 2),
        });
        within(0.1, name, gb_per_s(&device, load.per_cycle), measured);
    }
}

/// Writing alone: the L2 takes writes no faster than memory takes what it evicts. Measured 895
/// GB/s on a V100, 679 on an A40.
#[test]
fn writes_wait_for_memory() {
    for (name, measured) in [("v100", 895.0), ("a40", 679.0)] {
        let device = device(name, &[("memory.l2_bytes", "1048576")]);
        let mut memory = MemorySystem::new(&device);
        let load = load(&mut memory, device.sms, 64, 200_000, |i, _| write(i));
        within(0.1, name, gb_per_s(&device, load.per_cycle), measured);
    }
}

/// All SMs read the same 2 MiB over and over: measured GB/s at a clock in MHz.
#[test]
fn the_l2_reads_at_its_plateau() {
    for (name, measured, clock_mhz) in [
        ("v100", 2450.0, 1380.0),
        ("a100-80", 5430.0, 1410.0),
        ("a40", 2430.0, 1740.0),
        ("l40", 5710.0, 2490.0),
        ("h100-pcie", 8300.0, 1755.0),
    ] {
        let device = device(name, &[]);
        let mut memory = MemorySystem::new(&device);
        let load = load(&mut memory, device.sms, 128, 400_000, |i, _| {
            read(i * 7 % (2 << 20 >> 7))
        });
        let bytes_per_cycle = load.per_cycle * LINE as f64;
        within(0.05, name, bytes_per_cycle, measured * 1e3 / clock_mhz);
    }
}

/// Little's law: with few requests the latency is the unloaded one and throughput follows their
/// number; with many, throughput stands still and latency follows.
#[test]
fn latency_rises_with_load() {
    let device = device("v100", &[]);
    let mut loads = Vec::new();
    for in_flight in [1, 2, 4, 8, 16, 32, 64, 128] {
        let mut memory = MemorySystem::new(&device);
        let load = load(&mut memory, 80, in_flight, 60_000, |i, _| read(i));
        within(
            0.05,
            "Little's law",
            load.per_cycle * load.latency_cycles,
            80.0 * f64::from(in_flight),
        );
        loads.push(load);
    }
    assert!(loads[0].latency_cycles < 430.0 * 1.05);
    assert!(loads[7].latency_cycles > 4.0 * 430.0);
    for pair in loads.windows(2) {
        assert!(pair[1].latency_cycles >= pair[0].latency_cycles * 0.99);
        assert!(pair[1].per_cycle >= pair[0].per_cycle * 0.97);
    }
}

/// One SM alone receives 64 bytes a cycle.
#[test]
fn an_sm_has_only_its_link() {
    let device = device("v100", &[]);
    let mut memory = MemorySystem::new(&device);
    let load = load(&mut memory, 1, 256, 40_000, |i, _| read(i % 4096));
    within(0.02, "bytes a cycle", load.per_cycle * 128.0, 64.0);
}

/// Lines of one slice, read by everybody: the slice's 27.84 bytes a cycle.
#[test]
fn a_slice_has_only_its_port() {
    let device = device("v100", &[("timing.l2.hash", "\"modulo\"")]);
    let mut memory = MemorySystem::new(&device);
    // Slices take turns every 512 bytes: the same one comes again after 32 KiB.
    let load = load(&mut memory, 80, 8, 40_000, |i, _| read(256 * (i % 16)));
    within(0.01, "bytes a cycle", load.per_cycle * 128.0, 27.84);
}

/// Half of what an A100 reads from memory comes from the other segment.
#[test]
fn segments_have_only_their_links() {
    let device = device(
        "a100-80",
        &[("timing.interconnect.segment_bytes_per_cycle", "100")],
    );
    let mut memory = MemorySystem::new(&device);
    let load = load(&mut memory, 108, 32, 60_000, |i, _| read(i));
    within(0.03, "bytes a cycle", load.per_cycle * 128.0, 400.0);
}

/// Everybody adds to one word, one lane a request: one a cycle. To words of one slice's lines each:
/// eight a cycle.
#[test]
fn atomics_at_one_address_go_one_by_one() {
    let device = device("v100", &[("timing.l2.hash", "\"modulo\"")]);
    let add = |line| {
        let kind = RequestKind::Atomic {
            operations: 1,
            same_address: 1,
            returns: true,
        };
        request(line, 1, kind)
    };
    let mut memory = MemorySystem::new(&device);
    let one = load(&mut memory, 80, 8, 40_000, |_, _| add(0));
    // The port takes a sector every 32 / 27.84 cycles, which is less often.
    within(0.01, "one address", one.per_cycle, 27.84 / 32.0);
    let mut memory = MemorySystem::new(&device);
    let warp = RequestKind::Atomic {
        operations: 32,
        same_address: 32,
        returns: false,
    };
    let warps = load(&mut memory, 80, 8, 10_000, |_, _| request(0, 1, warp));
    within(0.01, "32 lanes at one address", warps.per_cycle, 1.0 / 32.0);
    let mut memory = MemorySystem::new(&device);
    let lanes = RequestKind::Atomic {
        operations: 32,
        same_address: 1,
        returns: false,
    };
    let spread = load(&mut memory, 80, 8, 20_000, |i, _| {
        request(256 * (i % 16), ALL, lanes)
    });
    // 128 bytes a request through the port take longer than 32 operations at 8 a cycle.
    within(0.01, "32 words of a line", spread.per_cycle, 27.84 / 128.0);
}

/// A sector here and there opens a row each: 16 banks of 32 channels each every 47 ns.
#[test]
fn random_sectors_are_limited_by_rows() {
    let device = device("v100", &[]);
    let mut memory = MemorySystem::new(&device);
    let load = load(&mut memory, 80, 128, 200_000, |i, _| {
        let line = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 38;
        request(line, 1, RequestKind::Read)
    });
    let gb_per_s = load.per_cycle * 32.0 * 1.53;
    let rows = 32.0 * 16.0 / 47.0 * 32.0;
    assert!(gb_per_s < rows * 1.02, "{gb_per_s} of {rows}");
    assert!(gb_per_s > rows * 0.8, "{gb_per_s} of {rows}");
}

/// A memory-side cache has its own plateau between the L2 and memory: 5800 GB/s on an MI300X,
/// where 64 MiB are more than all L2s have and less than it has. (One line in sixteen is still in
/// the L2 of its reader's die: one time in eight the same die reads it again, and half of what a
/// die read in a round fits its L2.)
#[test]
fn a_memory_side_cache_has_its_plateau() {
    let device = device("mi300x", &[]);
    let mut memory = MemorySystem::new(&device);
    let lines = 64 << 20 >> 7;
    let load = load(&mut memory, device.sms, 128, 3 * lines, |i, _| {
        // Lines of 64 bytes with two sectors each.
        Request {
            line: i * 64 % (64 << 20),
            ..request(0, 0b11, RequestKind::Read)
        }
    });
    let gb_per_s = load.per_cycle * 64.0 * device.clock_mhz / 1e3;
    within(0.02, "MI300X", gb_per_s, 5800.0 * 16.0 / 15.0);
}
