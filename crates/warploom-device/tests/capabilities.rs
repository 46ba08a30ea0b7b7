//! Residency under the toolkit's rules for every compute capability from 3.5 to 12.1.
//!
//! The table was worked with the rules as the vendor's header states them, apart from this crate:
//! a warp takes `registers × 32` rounded up to 256; a part of the file holds whole warps; a block
//! takes its shared memory and what is reserved, rounded up to the unit; a launch fails if its
//! warps, rounded up to the parts, have more registers than a block may have.

use warploom_device::{Device, Footprint, Options, Vary, occupancy, steps};

/// The nearest built-in device with the limits of a capability.
fn chip(like: &str, limits: &[u32]) -> Device {
    let [
        warps,
        blocks,
        per_sm,
        per_block,
        parts,
        launch,
        unit,
        reserved,
        kib,
        optin,
    ] = limits
    else {
        panic!("{limits:?}");
    };
    let mut chip = Device::by_name(like).unwrap();
    let changes = [
        ("limits.warps_per_sm", warps.to_string()),
        ("limits.blocks_per_sm", blocks.to_string()),
        ("registers.per_sm", per_sm.to_string()),
        ("registers.per_block", per_block.to_string()),
        // The toolkit counts warps over the whole file.
        ("registers.pool", per_sm.to_string()),
        ("registers.warp_granularity", parts.to_string()),
        ("registers.launch_granularity", launch.to_string()),
        ("shared.unit_bytes", unit.to_string()),
        ("shared.reserved_bytes", reserved.to_string()),
        ("shared.capacity_steps_bytes", format!("[{}]", kib * 1024)),
        ("shared.per_block_optin_bytes", optin.to_string()),
    ];
    let pairs = changes.iter().map(|(key, value)| (*key, value.as_str()));
    chip.set_all(pairs)
        .unwrap_or_else(|error| panic!("{error}"));
    chip
}

#[test]
fn every_compute_capability() {
    let table = include_str!("data/capabilities.csv");
    let mut capabilities = std::collections::BTreeSet::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        capabilities.insert(fields[0]);
        let numbers: Vec<u32> = fields[2..].iter().map(|n| n.parse().unwrap()).collect();
        let (limits, launch) = numbers.split_at(10);
        let chip = chip(fields[1], limits);
        let &[threads, registers, shared, expected] = launch else {
            panic!("{line}");
        };
        let footprint = Footprint {
            threads_per_block: threads,
            registers_per_thread: registers,
            shared_static_bytes: shared,
            ..Footprint::default()
        };
        let blocks = occupancy(&chip, &footprint).map_or(0, |held| held.blocks_per_sm);
        assert_eq!(blocks, expected, "{line}");
    }
    assert_eq!(capabilities.len(), 21);
}

/// Built-in devices have the limits of their capability, so they give the table's answers as they
/// are; only the Maxwell chip counts in halves of its file.
#[test]
fn devices_are_of_their_capability() {
    let table = include_str!("data/capabilities.csv");
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let device = Device::by_name(fields[1]).unwrap();
        let own = device.compute_capability().map(|(a, b)| format!("{a}.{b}"));
        if own.as_deref() != Some(fields[0]) || fields[1] == "gtx-980" {
            continue;
        }
        let [threads, registers, shared, expected] =
            [12, 13, 14, 15].map(|column: usize| fields[column].parse().unwrap());
        let footprint = Footprint {
            threads_per_block: threads,
            registers_per_thread: registers,
            shared_dynamic_bytes: shared,
            ..Footprint::default()
        };
        let blocks = occupancy(&device, &footprint).map_or(0, |held| held.blocks_per_sm);
        assert_eq!(blocks, expected, "{line}");
    }
}

/// 512 threads on a V100: 16 warps, 4 in each part of 16,384 registers.
#[test]
fn cliffs_of_registers_and_shared_memory() {
    let v100 = Device::by_name("v100").unwrap();
    let block = Footprint {
        threads_per_block: 512,
        registers_per_thread: 32,
        ..Footprint::default()
    };
    let options = Options::default();
    let found: Vec<_> = steps(&v100, &block, &options, Vary::RegistersPerThread, 1, 256)
        .iter()
        .map(|step| (step.from, step.to, step.blocks_per_sm, step.warps_per_sm))
        .collect();
    // 16384 / (4 n) registers a warp: 1024 for 4 blocks, 1365 → 1280 for 3, 2048 for 2, 4096 for
    // 1; what exceeds 65,536 for a block (128 a thread) does not run.
    assert_eq!(
        found,
        [
            (1, 32, 4, 64),
            (33, 40, 3, 48),
            (41, 64, 2, 32),
            (65, 128, 1, 16),
            (129, 256, 0, 0)
        ]
    );
    let found: Vec<_> = steps(&v100, &block, &options, Vary::SharedDynamicBytes, 0, 98_304)
        .iter()
        .map(|step| (step.from, step.to, step.blocks_per_sm))
        .collect();
    // 96 KiB over 4, 3, 2, 1.
    assert_eq!(
        found,
        [
            (0, 24_576, 4),
            (24_577, 32_768, 3),
            (32_769, 49_152, 2),
            (49_153, 98_304, 1)
        ]
    );
    let one = steps(&v100, &block, &options, Vary::RegistersPerThread, 7, 7);
    assert_eq!((one.len(), one[0].from, one[0].to), (1, 7, 7));
    assert!(steps(&v100, &block, &options, Vary::RegistersPerThread, 8, 7).is_empty());
    let end = steps(
        &v100,
        &block,
        &options,
        Vary::SharedDynamicBytes,
        u32::MAX,
        u32::MAX,
    );
    assert_eq!(end[0].blocks_per_sm, 0);
}
