//! Nothing gets lost: every request is answered, bytes and sectors add up at every level, and the
//! same requests give the same answers.

use warploom_device::Device;
use warploom_timing::memory::{MemoryCounters, MemorySystem, Request, RequestKind};

/// Numbers without order (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// What the requests asked for.
#[derive(Default)]
struct Asked {
    read_sectors: u64,
    write_sectors: u64,
    atomic_sectors: u64,
    returned_sectors: u64,
    written_bytes: u64,
    operations: u64,
}

/// A mixture over twice the L2, so that lines come and go.
fn mixture(device: &Device, requests: u64) -> (Vec<u64>, Asked, MemoryCounters) {
    let mut memory = MemorySystem::new(device);
    let mut numbers = Numbers(7);
    let line_bytes = u64::from(device.memory.line_bytes);
    let sectors = device.memory.line_bytes / device.memory.sector_bytes;
    let lines = 2 * device.memory.l2_bytes / line_bytes;
    let mut asked = Asked::default();
    let mut answers = Vec::new();
    let mut issue_cycle = 0;
    for _ in 0..requests {
        issue_cycle += numbers.below(3);
        let mask = 1 + numbers.below((1 << sectors) - 1) as u16;
        let count = u64::from(mask.count_ones());
        let kind = match numbers.below(8) {
            0..5 => {
                asked.read_sectors += count;
                RequestKind::Read
            }
            5..7 => {
                let bytes = 32 * mask.count_ones();
                asked.write_sectors += count;
                asked.written_bytes += u64::from(bytes);
                RequestKind::Write { bytes }
            }
            _ => {
                let operations = mask.count_ones();
                let returns = numbers.below(2) == 0;
                asked.atomic_sectors += count;
                asked.operations += u64::from(operations);
                if returns {
                    asked.returned_sectors += count;
                }
                RequestKind::Atomic {
                    operations,
                    same_address: 1,
                    returns,
                }
            }
        };
        let request = Request {
            issue_cycle,
            sm: numbers.below(u64::from(device.sms)) as u32,
            line: line_bytes * numbers.below(lines),
            sectors: mask,
            kind,
        };
        let answer = memory.request(&request);
        assert!(answer >= issue_cycle + memory.least_latency_cycles());
        answers.push(answer - issue_cycle);
    }
    (answers, asked, *memory.counters())
}

/// The shapes differ: one segment, two, eight private ones with a cache behind them, lines of the
/// L1 that are half of the L2's.
const DEVICES: [&str; 6] = ["v100", "a100-80", "h100", "l40", "mi210", "mi300x"];

fn small(name: &str) -> Device {
    let mut device = Device::by_name(name).unwrap();
    device.set("memory.l2_bytes", "2097152").unwrap();
    if device.timing.llc.is_some() {
        device.set("memory.llc_bytes", "1048576").unwrap();
    }
    device
}

#[test]
fn bytes_and_sectors_add_up() {
    for name in DEVICES {
        let device = small(name);
        let (answers, asked, counters) = mixture(&device, 60_000);
        assert_eq!(answers.len(), 60_000);
        assert_eq!(
            counters.reads + counters.writes + counters.atomics,
            60_000,
            "{name}"
        );
        assert_eq!(counters.atomic_operations, asked.operations);
        let received = 32 * (asked.read_sectors + asked.returned_sectors);
        assert_eq!(counters.sm_read_bytes, received, "{name}");
        let sent = asked.written_bytes + 32 * asked.atomic_sectors;
        assert_eq!(counters.sm_write_bytes, sent, "{name}");
        assert_eq!(counters.l2_write_sectors, asked.write_sectors);
        // Each sector that is read is found in one place.
        assert_eq!(
            counters.l2_sectors,
            asked.read_sectors + asked.atomic_sectors
        );
        let found =
            counters.l2_hit_sectors + counters.l2_far_hit_sectors + counters.l2_miss_sectors;
        assert_eq!(found, counters.l2_sectors, "{name}");
        assert!(counters.l2_hit_sectors > 0 && counters.l2_miss_sectors > 0);
        // What the L2 misses comes from memory, or from the cache before it.
        let behind = counters.l2_miss_sectors - counters.llc_hit_sectors;
        assert_eq!(counters.dram_read_bytes, 32 * behind, "{name}");
        if device.timing.llc.is_some() {
            assert_eq!(counters.llc_sectors, counters.l2_miss_sectors, "{name}");
        }
        // What was changed is written at most as often as it was changed.
        let changed = 32 * (asked.write_sectors + asked.atomic_sectors);
        assert!(counters.dram_write_bytes > 0 && counters.dram_write_bytes <= changed);
        assert!(counters.row_hits + counters.row_misses > 0);
    }
}

#[test]
fn the_same_requests_get_the_same_answers() {
    for name in DEVICES {
        let device = small(name);
        let (first, _, counted) = mixture(&device, 20_000);
        let (second, _, again) = mixture(&device, 20_000);
        assert!(first == second && counted == again, "{name}");
    }
}

/// Every device answers, and its figures are in order: memory takes longer than the L2, a second
/// read less than a first.
#[test]
fn every_device_answers() {
    for name in Device::names() {
        let device = Device::by_name(name).unwrap();
        let mut memory = MemorySystem::new(&device);
        let mut read = |issue_cycle, sectors| {
            let request = Request {
                issue_cycle,
                sm: 0,
                line: 1 << 20,
                sectors,
                kind: RequestKind::Read,
            };
            memory.request(&request) - issue_cycle
        };
        let first = read(0, 0b1);
        let second = read(1_000_000, 0b1);
        let other_sector = read(2_000_000, 0b10);
        if device.timing.flat.is_some() {
            assert_eq!((first, second, other_sector), (8, 8, 8));
        } else {
            assert!(second < first && second < other_sector, "{name}");
        }
    }
}

/// All SMs ask for one line at once: memory is read once, and everybody has it about when the first
/// one has.
#[test]
fn data_on_the_way_are_not_asked_for_again() {
    let device = Device::by_name("v100").unwrap();
    let mut memory = MemorySystem::new(&device);
    let answers: Vec<u64> = (0..80)
        .map(|sm| {
            memory.request(&Request {
                issue_cycle: 0,
                sm,
                line: 4096,
                sectors: 0b1111,
                kind: RequestKind::Read,
            })
        })
        .collect();
    assert_eq!(memory.counters().dram_read_bytes, 128);
    assert_eq!(memory.counters().l2_hit_sectors, 79 * 4);
    // The slice needs 128 / 27.84 cycles for each, distances differ by 73 at most.
    let least = answers.iter().min().unwrap();
    let most = answers.iter().max().unwrap();
    assert!(
        *least >= 430 - 36 && *most <= 212 + 36 + 80 * 5,
        "{least}, {most}"
    );
}

/// A write makes its sectors known to the L2: reading them goes no farther.
#[test]
fn what_was_written_is_in_the_l2() {
    let device = Device::by_name("a100-80").unwrap();
    let mut memory = MemorySystem::new(&device);
    let mut request = |issue_cycle, sm, kind| {
        memory.request(&Request {
            issue_cycle,
            sm,
            line: 0,
            sectors: 0b0011,
            kind,
        })
    };
    request(0, 0, RequestKind::Write { bytes: 64 });
    request(10_000, 0, RequestKind::Read);
    request(20_000, 107, RequestKind::Read);
    let counters = memory.counters();
    assert_eq!(counters.dram_read_bytes + counters.dram_write_bytes, 0);
    assert_eq!(counters.l2_hit_sectors + counters.l2_far_hit_sectors, 4);
    assert_eq!(counters.l2_far_hit_sectors, 2);
}

/// After a launch nobody waits, but the L2 still has what was read.
#[test]
fn caches_outlive_a_launch() {
    let device = Device::by_name("v100").unwrap();
    let mut memory = MemorySystem::new(&device);
    let read = |memory: &mut MemorySystem, issue_cycle| {
        memory.request(&Request {
            issue_cycle,
            sm: 3,
            line: 0,
            sectors: 1,
            kind: RequestKind::Read,
        })
    };
    for i in 0..1000 {
        read(&mut memory, 1_000_000 + i);
    }
    memory.settle();
    let offset = 36;
    assert!(read(&mut memory, 0) <= 212 + offset);
    assert_eq!(memory.counters().dram_read_bytes, 32);
}
