//! Occupancy: worked cases, the vendor's calculator, and properties that hold on every device.

use proptest::prelude::*;
use warploom_device::rates::in_flight;
use warploom_device::{
    CarveOut, Device, Footprint, Limiter, Options, Rule, Vary, occupancy, occupancy_with,
    one_more_block, sweep, warps_per_scheduler,
};

fn device(name: &str) -> Device {
    Device::by_name(name).unwrap_or_else(|error| panic!("{error}"))
}

fn block(threads: u32, registers: u32, shared: u32) -> Footprint {
    Footprint {
        threads_per_block: threads,
        registers_per_thread: registers,
        shared_dynamic_bytes: shared,
        ..Footprint::default()
    }
}

const SIMPLE: Options = Options {
    rule: Rule::Simple,
    carve_out: CarveOut::Auto,
};

/// Blocks, warps, limiter under both rules.
fn check_both(name: &str, footprint: Footprint, blocks: u32, warps: u32, limiter: Limiter) {
    for options in [Options::default(), SIMPLE] {
        let result = occupancy_with(&device(name), &footprint, &options).unwrap();
        assert_eq!(
            (result.blocks_per_sm, result.warps_per_sm),
            (blocks, warps),
            "{options:?}"
        );
        assert_eq!(result.occupancy_limiter, limiter);
        assert_eq!(result.theoretical_occupancy, f64::from(warps) / 64.0);
    }
}

// Worked cases of the text: 65,536 registers, 64 warp slots, as on all chips from GK180 to GV100.

#[test]
fn registers_that_just_fit_two_blocks() {
    for name in ["k40", "p100", "v100", "a100-40", "h100"] {
        check_both(name, block(512, 64, 0), 2, 32, Limiter::Registers);
    }
}

#[test]
fn one_register_more_costs_half_the_warps() {
    check_both("v100", block(512, 65, 0), 1, 16, Limiter::Registers);
    let result = occupancy(&device("v100"), &block(512, 65, 0)).unwrap();
    assert_eq!(
        (
            result.rounded_registers,
            result.rounded_registers_per_thread
        ),
        (2304, 72)
    );
}

#[test]
fn warps_per_scheduler_without_granularity() {
    let v100 = device("v100");
    for registers in 1..=255 {
        let formula = (512 / registers).min(16);
        assert_eq!(
            warps_per_scheduler(&v100, registers, Rule::Simple),
            formula,
            "{registers}"
        );
    }
}

#[test]
fn warps_per_scheduler_with_the_allocation_unit() {
    let v100 = device("v100");
    let warps = |registers| warps_per_scheduler(&v100, registers, Rule::Toolkit);
    assert!((33..=40).all(|registers| warps(registers) == 12));
    assert!((41..=48).all(|registers| warps(registers) == 10));
    assert_eq!((warps(51), warps(73)), (9, 6));
    for registers in (8..=248).step_by(8) {
        assert_eq!(
            warps(registers),
            warps_per_scheduler(&v100, registers, Rule::Simple)
        );
    }
    assert_eq!(warps(0), 16);
}

#[test]
fn work_in_flight_by_littles_law() {
    let (v100, gtx_980) = (device("v100"), device("gtx-980"));
    // Four schedulers, four cycles of latency; Maxwell's math of six; its memory at 0.0815 loads
    // per cycle.
    assert_eq!(in_flight(4.0, f64::from(v100.schedulers_per_sm)), 16.0);
    assert_eq!(in_flight(6.0, f64::from(gtx_980.schedulers_per_sm)), 24.0);
    assert_eq!(in_flight(368.0, 0.0815).round(), 30.0);
}

#[test]
fn cycles_that_a_warp_occupies_a_partition() {
    let v100 = device("v100");
    assert_eq!(v100.registers.per_sm / v100.schedulers_per_sm, 16_384);
    assert_eq!(v100.issue_cycles(v100.lanes.fp32), 2);
    assert_eq!(v100.issue_cycles(v100.lanes.fp64), 4);
    assert_eq!(v100.issue_cycles(v100.lanes.int32), 2);
    for name in ["mi100", "mi250x", "mi300x"] {
        let cdna = device(name);
        assert_eq!(cdna.issue_cycles(cdna.lanes.fp32), 4, "{name}");
    }
}

#[test]
fn wave_slots_of_cdna() {
    assert_eq!(device("mi100").limits.warps_per_sm, 4 * 10);
    for name in ["mi210", "mi250x", "mi300x", "mi300a", "mi355x"] {
        assert_eq!(device(name).limits.warps_per_sm, 4 * 8, "{name}");
    }
}

#[test]
fn the_least_of_all_limits_decides() {
    let v100 = device("v100");
    // 96 threads are 3 warps: 64 / 3 = 21 blocks.
    let warps = occupancy(&v100, &block(96, 16, 0)).unwrap();
    assert_eq!(
        (warps.blocks_per_sm, warps.occupancy_limiter),
        (21, Limiter::Warps)
    );
    assert_eq!((warps.warps_per_block, warps.warps_per_sm), (3, 63));
    // 32 block slots hold 32 of the 64 one-warp blocks.
    let slots = occupancy(&v100, &block(20, 16, 0)).unwrap();
    assert_eq!(
        (slots.blocks_per_sm, slots.occupancy_limiter),
        (32, Limiter::Blocks)
    );
    assert_eq!(slots.theoretical_occupancy, 0.5);
    // 20,000 bytes become 20,224 (79 × 256): 98,304 hold 4.
    let shared = occupancy(&v100, &block(128, 16, 20_000)).unwrap();
    assert_eq!(
        (shared.blocks_per_sm, shared.occupancy_limiter),
        (4, Limiter::SharedMemory)
    );
    assert_eq!(shared.rounded_shared_bytes, 20_224);
    let limits = shared.limits;
    assert_eq!((limits.warps, limits.registers), (16, Some(32)));
    assert_eq!((limits.shared_memory, limits.blocks), (Some(4), Some(32)));
    assert_eq!((limits.barriers, limits.cluster), (None, None));
}

#[test]
fn reserved_shared_memory_is_counted_from_ampere_on() {
    // 16 KiB and the reserved 1 KiB: 164 / 17 = 9 blocks on an A100, 96 / 16 = 6 on a V100.
    for (name, bytes, blocks) in [("v100", 16_384, 6), ("a100-40", 17_408, 9)] {
        let result = occupancy(&device(name), &block(64, 16, 16_384)).unwrap();
        assert_eq!(
            (result.rounded_shared_bytes, result.blocks_per_sm),
            (bytes, blocks)
        );
    }
    // The whole opt-in size is one block's to ask for.
    let most = occupancy(&device("h100"), &block(256, 32, 232_448)).unwrap();
    assert_eq!(
        (most.blocks_per_sm, most.rounded_shared_bytes),
        (1, 233_472)
    );
}

// A user's case: two chips of one family, of which one limits the registers of a block.

fn chip_50() -> Device {
    let mut chip = device("gtx-980");
    let changes = [("target", "sm_50"), ("registers.per_block", "65536")];
    chip.set_all(changes).unwrap();
    chip
}

#[test]
fn register_limit_per_block_halves_the_pool() {
    for (chip, blocks) in [(chip_50(), 5), (device("gtx-980"), 4)] {
        let result = occupancy(&chip, &block(128, 85, 0)).unwrap();
        assert_eq!(
            (result.blocks_per_sm, result.occupancy_limiter),
            (blocks, Limiter::Registers)
        );
        assert_eq!(
            (
                result.rounded_registers,
                result.rounded_registers_per_thread
            ),
            (2816, 88)
        );
        let gain = one_more_block(&chip, &block(128, 85, 0), &Options::default()).unwrap();
        let trim = gain.trim.unwrap();
        assert_eq!(
            (trim.registers_per_thread, trim.shared_bytes),
            (Some(80), None)
        );
        assert_eq!(trim.blocks_per_sm, 6);
        assert_eq!(
            occupancy(&chip, &block(128, 80, 0)).unwrap().blocks_per_sm,
            6
        );
    }
}

// One more block.

#[test]
fn trimming_names_all_that_has_to_change() {
    let v100 = device("v100");
    let gain = |footprint| one_more_block(&v100, &footprint, &Options::default()).unwrap();
    // Two blocks of 16 warps by both registers (64) and shared memory (48 KiB): a third needs
    // 48 warps of registers, 12 in each partition (40), and 96 KiB / 3.
    let both = gain(block(512, 64, 49_152));
    let trim = both.trim.unwrap();
    assert_eq!((both.now, trim.blocks_per_sm), (2, 3));
    assert_eq!(
        (trim.registers_per_thread, trim.shared_bytes),
        (Some(40), Some(32_768))
    );
    // Smaller blocks alone don't help against shared memory.
    assert_eq!(both.threads_per_block, None);
    // Warp slots full: only smaller blocks help.
    let full = gain(block(512, 32, 0));
    assert_eq!(
        (full.now, full.trim, full.threads_per_block),
        (4, None, Some(384))
    );
    // Block slots full: nothing helps.
    let slots = gain(block(32, 16, 0));
    assert_eq!(
        (slots.now, slots.trim, slots.threads_per_block),
        (32, None, None)
    );
}

#[test]
fn sweep_gives_a_point_per_value() {
    let v100 = device("v100");
    let points = |vary, values: [u32; 4]| {
        let swept = sweep(&v100, &block(512, 32, 0), &Options::default(), vary, values);
        swept
            .map(|point| (point.value, point.result.map(|o| o.blocks_per_sm).ok()))
            .collect::<Vec<_>>()
    };
    let registers = points(Vary::RegistersPerThread, [32, 64, 128, 256]);
    assert_eq!(
        registers,
        [(32, Some(4)), (64, Some(2)), (128, Some(1)), (256, None)]
    );
    let threads = points(Vary::ThreadsPerBlock, [0, 256, 1024, 1025]);
    assert_eq!(
        threads,
        [(0, None), (256, Some(8)), (1024, Some(2)), (1025, None)]
    );
    let shared = points(Vary::SharedDynamicBytes, [0, 32_768, 98_304, 98_305]);
    assert_eq!(
        shared,
        [
            (0, Some(4)),
            (32_768, Some(3)),
            (98_304, Some(1)),
            (98_305, None)
        ]
    );
}

// Carve-out.

#[test]
fn carve_out_takes_the_smallest_step_that_costs_nothing() {
    let h100 = device("h100");
    // 4 blocks (by registers) of 9 KiB + 1 KiB: 40 KiB go into the 64 KiB step.
    let result = occupancy(&h100, &block(256, 64, 9216)).unwrap();
    assert_eq!(
        (result.blocks_per_sm, result.shared_carve_out_bytes),
        (4, 65_536)
    );
    // The largest step holds 3 of 64 KiB + 1 KiB, and so does the one of 196 KiB.
    let result = occupancy(&h100, &block(256, 64, 65_536)).unwrap();
    assert_eq!(
        (result.blocks_per_sm, result.shared_carve_out_bytes),
        (3, 200_704)
    );
    assert_eq!(result.occupancy_limiter, Limiter::SharedMemory);
    let none = occupancy(&device("v100"), &block(256, 64, 0)).unwrap();
    assert_eq!(
        (none.rounded_shared_bytes, none.shared_carve_out_bytes),
        (0, 0)
    );
}

#[test]
fn chosen_carve_out_limits_but_holds_one_block() {
    let h100 = device("h100");
    let blocks = |carve_out, shared| {
        let options = Options {
            carve_out: CarveOut::AtLeast(carve_out),
            ..Options::default()
        };
        let result = occupancy_with(&h100, &block(256, 64, shared), &options).unwrap();
        (result.blocks_per_sm, result.shared_carve_out_bytes)
    };
    assert_eq!(blocks(20_000, 9216), (3, 32_768));
    assert_eq!(blocks(0, 9216), (1, 16_384));
    assert_eq!(blocks(8192, 100_000), (1, 102_400));
    assert_eq!(blocks(u32::MAX, 9216), (4, 233_472));
}

// Refusals.

#[test]
fn refusals_name_the_resource_and_both_amounts() {
    let with = |change: fn(&mut Footprint)| {
        let mut footprint = block(128, 32, 0);
        change(&mut footprint);
        footprint
    };
    let chips = ["v100", "h100", "mi100", "lesson"].map(device);
    let [v100, h100, mi100, lesson] = &chips;
    for (device, footprint, limiter, needed, available) in [
        (
            v100,
            with(|f| f.threads_per_block = 0),
            Limiter::Warps,
            1,
            0,
        ),
        (
            v100,
            with(|f| f.threads_per_block = 1025),
            Limiter::Warps,
            1025,
            1024,
        ),
        (
            v100,
            with(|f| f.registers_per_thread = 256),
            Limiter::Registers,
            256,
            255,
        ),
        // 65 registers are 72: 32 warps of 2304.
        (v100, block(1024, 65, 0), Limiter::Registers, 73_728, 65_536),
        // 21 warps count as 24 of 2816.
        (v100, block(672, 88, 0), Limiter::Registers, 67_584, 65_536),
        (
            v100,
            block(128, 32, 98_305),
            Limiter::SharedMemory,
            98_305,
            98_304,
        ),
        (v100, with(|f| f.barriers = 17), Limiter::Barriers, 17, 16),
        (v100, with(|f| f.cluster = Some(2)), Limiter::Cluster, 2, 1),
        (
            v100,
            with(|f| f.accumulators_per_thread = 1),
            Limiter::Registers,
            1,
            0,
        ),
        (
            h100,
            with(|f| f.cluster = Some(17)),
            Limiter::Cluster,
            17,
            16,
        ),
        (h100, with(|f| f.cluster = Some(0)), Limiter::Cluster, 0, 16),
        (
            mi100,
            with(|f| f.scalar_registers_per_warp = 113),
            Limiter::Registers,
            113,
            112,
        ),
        (
            lesson,
            block(u32::MAX, u32::MAX, u32::MAX),
            Limiter::Warps,
            u64::from(u32::MAX),
            1024,
        ),
    ] {
        let refusal = occupancy(device, &footprint).unwrap_err();
        assert_eq!(refusal.limiter, limiter, "{refusal}");
        assert_eq!(
            (refusal.needed, refusal.available),
            (needed, available),
            "{refusal}"
        );
    }
}

#[test]
fn refusal_reads_well() {
    let refusal = occupancy(&device("v100"), &block(1024, 65, 0)).unwrap_err();
    let text = "too many registers of a block: needs 73728, available 65536\n  \
        help: use smaller blocks or fewer registers per thread";
    assert_eq!(refusal.to_string(), text);
}

#[test]
fn limiters_are_spelt_as_in_reports() {
    let all = [
        (Limiter::Warps, "warps"),
        (Limiter::Registers, "registers"),
        (Limiter::SharedMemory, "shared_memory"),
        (Limiter::Blocks, "blocks"),
        (Limiter::Barriers, "barriers"),
        (Limiter::Cluster, "cluster"),
    ];
    for (limiter, spelling) in all {
        assert_eq!(limiter.to_string(), spelling);
        let serialized = toml::Value::try_from(limiter).unwrap();
        assert_eq!(serialized.as_str(), Some(spelling));
    }
}

// Barriers and clusters.

#[test]
fn barriers_limit_where_the_sm_has_few() {
    let with = |barriers| Footprint {
        barriers,
        ..block(32, 16, 0)
    };
    // 64 barriers on an H100, 24 on a chip of capability 12.0.
    let h100 = occupancy(&device("h100"), &with(16)).unwrap();
    assert_eq!(
        (h100.blocks_per_sm, h100.occupancy_limiter),
        (4, Limiter::Barriers)
    );
    let pro = occupancy(&device("rtx-pro-6000"), &with(2)).unwrap();
    assert_eq!(
        (pro.blocks_per_sm, pro.occupancy_limiter),
        (12, Limiter::Barriers)
    );
    assert_eq!(
        occupancy(&device("v100"), &with(16))
            .unwrap()
            .limits
            .barriers,
        None
    );
}

#[test]
fn clusters_are_placed_whole_within_a_group() {
    // 132 SMs in 8 groups: 16 each. One block per SM: one cluster of 16 per group.
    let h100 = device("h100");
    let with = |cluster, shared| {
        let footprint = Footprint {
            cluster: Some(cluster),
            ..block(128, 32, shared)
        };
        occupancy(&h100, &footprint)
    };
    let large = with(16, 200_000).unwrap();
    assert_eq!((large.blocks_per_sm, large.active_clusters), (1, Some(8)));
    // Clusters of 6 leave four of 16 SMs empty.
    let odd = with(6, 200_000).unwrap();
    assert_eq!((odd.blocks_per_sm, odd.active_clusters), (1, Some(16)));
    let mut small = h100.clone();
    small.set("sms", "8").unwrap();
    let footprint = Footprint {
        cluster: Some(2),
        ..block(128, 32, 200_000)
    };
    // One SM to a group, one block to an SM: no room for two.
    let refusal = occupancy(&small, &footprint).unwrap_err();
    assert_eq!(
        (refusal.limiter, refusal.needed, refusal.available),
        (Limiter::Cluster, 2, 1)
    );
}

// AMD.

fn waves(name: &str, footprint: Footprint) -> u32 {
    occupancy(&device(name), &footprint).unwrap().warps_per_sm
}

#[test]
fn vector_registers_of_cdna() {
    let with = |vector, accumulators| Footprint {
        accumulators_per_thread: accumulators,
        ..block(256, vector, 0)
    };
    // One file of 512 per SIMD, in eights: floor(512 / 72) = 7 of 8 waves on each of 4 SIMDs.
    assert_eq!(waves("mi300x", with(64, 0)), 32);
    assert_eq!(waves("mi300x", with(65, 0)), 28);
    // 61 vector registers become 64, and 128 accumulators come behind: floor(512 / 192) = 2.
    assert_eq!(waves("mi300x", with(61, 128)), 8);
    let result = occupancy(&device("mi300x"), &with(61, 128)).unwrap();
    assert_eq!(result.rounded_registers_per_thread, 192);
    // Two files of 256 on CDNA 1, in fours: the fuller one decides, 256 / 64 = 4, 256 / 128 = 2.
    assert_eq!(waves("mi100", with(61, 64)), 16);
    assert_eq!(waves("mi100", with(61, 128)), 8);
    assert_eq!(waves("mi100", with(24, 0)), 40);
    assert_eq!(waves("mi100", with(25, 0)), 36);
}

#[test]
fn scalar_registers_of_cdna() {
    // 800 per SIMD in sixteens: floor(800 / 112) = 7.
    let footprint = Footprint {
        scalar_registers_per_warp: 102,
        ..block(256, 32, 0)
    };
    assert_eq!(waves("mi300x", footprint), 28);
    let result = occupancy(&device("mi300x"), &footprint).unwrap();
    assert_eq!(result.occupancy_limiter, Limiter::Registers);
    // RDNA gives every wave its full set.
    assert_eq!(waves("rx-7900-xtx", footprint), 32);
}

#[test]
fn vector_registers_of_rdna() {
    // 1024 per SIMD and lane in sixteens, 1536 in twenty-fours: 1024 / 80 = 12, 1536 / 96 = 16.
    assert_eq!(waves("rx-6900-xt", block(32, 65, 0)), 24);
    assert_eq!(waves("rx-7900-xtx", block(32, 96, 0)), 32);
    assert_eq!(waves("rx-7900-xtx", block(32, 97, 0)), 24);
    // Waves of 64 take twice as much: 1024 / 2 / 72 = 7 on each of two SIMDs.
    let mut wide = device("rx-6900-xt");
    wide.set("warp_width", "64").unwrap();
    assert_eq!(
        occupancy(&wide, &block(64, 65, 0)).unwrap().warps_per_sm,
        14
    );
}

#[test]
fn local_data_share_and_work_group_barriers() {
    // LDS in units of 512, on CDNA 4 of 1280 bytes: 33,280 × 4 fit 160 KiB.
    assert_eq!(waves("mi300x", block(256, 32, 20_001)), 12);
    let cdna4 = occupancy(&device("mi355x"), &block(256, 32, 32_768)).unwrap();
    assert_eq!(
        (cdna4.rounded_shared_bytes, cdna4.blocks_per_sm),
        (33_280, 4)
    );
    // 16 barriers per CU, but a group of one wave needs none.
    let mut many_slots = device("mi300x");
    many_slots.set("limits.warps_per_sm", "64").unwrap();
    let two = occupancy(&many_slots, &block(128, 16, 0)).unwrap();
    assert_eq!(
        (two.blocks_per_sm, two.occupancy_limiter),
        (16, Limiter::Barriers)
    );
    assert_eq!(
        occupancy(&many_slots, &block(64, 16, 0))
            .unwrap()
            .blocks_per_sm,
        64
    );
}

/// Random launches, answered by the CUDA toolkit's own calculator (version 13.5). Its block
/// limits on shared memory were given without the reserved kilobyte, as hardware has them.
#[test]
fn agrees_with_the_toolkits_calculator() {
    let table = include_str!("data/toolkit_occupancy.csv");
    for line in table.lines().skip(1) {
        let (name, numbers) = line.split_once(',').unwrap();
        let numbers: Vec<i64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        let of = |index: usize| u32::try_from(numbers[index]).unwrap();
        let limit = |index: usize| u32::try_from(numbers[index]).ok();
        let mut chip = device(name);
        // The calculator knows no register limit per block on this chip.
        chip.set("registers.per_block", "65536").unwrap();
        let footprint = Footprint {
            threads_per_block: of(0),
            registers_per_thread: of(1),
            shared_static_bytes: of(2),
            shared_dynamic_bytes: of(3),
            barriers: of(4),
            ..Footprint::default()
        };
        match occupancy(&chip, &footprint) {
            Err(refusal) => assert_eq!(of(5), 0, "{line}: {refusal}"),
            Ok(result) => {
                assert_eq!(result.blocks_per_sm, of(5), "{line}");
                assert_eq!(Some(result.limits.warps), limit(6), "{line}");
                assert_eq!(result.limits.registers, limit(7), "{line}");
                assert_eq!(result.limits.shared_memory, limit(8), "{line}");
                assert_eq!(result.limits.blocks, limit(9), "{line}");
                let registers = result.rounded_registers * result.warps_per_block;
                assert_eq!(registers, of(10), "{line}");
                assert_eq!(result.rounded_shared_bytes, of(11), "{line}");
            }
        }
    }
}

// Properties.

fn any_device() -> impl Strategy<Value = Device> {
    let names: Vec<_> = Device::names().collect();
    prop::sample::select(names).prop_map(device)
}

fn any_options() -> impl Strategy<Value = Options> {
    let rule = prop_oneof![Just(Rule::Toolkit), Just(Rule::Simple)];
    let carve_out = prop_oneof![
        Just(CarveOut::Auto),
        (0u32..300_000).prop_map(CarveOut::AtLeast)
    ];
    (rule, carve_out).prop_map(|(rule, carve_out)| Options { rule, carve_out })
}

prop_compose! {
    fn any_footprint()(
        threads_per_block in 1u32..=1024,
        registers_per_thread in 0u32..=260,
        accumulators_per_thread in prop_oneof![4 => Just(0u32), 1 => 0u32..=256],
        scalar_registers_per_warp in 0u32..=112,
        shared_static_bytes in 0u32..=50_000,
        shared_dynamic_bytes in prop_oneof![Just(0u32), 0u32..=200_000],
        barriers in 0u32..=2,
    ) -> Footprint {
        Footprint {
            threads_per_block,
            registers_per_thread,
            accumulators_per_thread,
            scalar_registers_per_warp,
            shared_static_bytes,
            shared_dynamic_bytes,
            barriers,
            cluster: None,
        }
    }
}

fn blocks(device: &Device, footprint: &Footprint, options: &Options) -> u32 {
    occupancy_with(device, footprint, options).map_or(0, |result| result.blocks_per_sm)
}

proptest! {
    #[test]
    fn more_of_anything_never_gives_more_blocks(
        device in any_device(),
        footprint in any_footprint(),
        rule in prop_oneof![Just(Rule::Toolkit), Just(Rule::Simple)],
        more in 1u32..=64,
    ) {
        let options = Options { rule, ..Options::default() };
        let now = blocks(&device, &footprint, &options);
        for change in [
            (|f, more| f.registers_per_thread += more) as fn(&mut Footprint, u32),
            |f, more| f.threads_per_block += more,
            |f, more| f.shared_dynamic_bytes += more,
            |f, more| f.shared_static_bytes += more * 64,
            |f, more| f.accumulators_per_thread += more,
            |f, more| f.scalar_registers_per_warp += more,
            |f, more| f.barriers += more,
        ] {
            let mut larger = footprint;
            change(&mut larger, more);
            prop_assert!(blocks(&device, &larger, &options) <= now, "{larger:?}");
        }
    }

    #[test]
    fn residency_is_the_least_limit_and_fits(
        device in any_device(),
        footprint in any_footprint(),
        options in any_options(),
    ) {
        let Ok(result) = occupancy_with(&device, &footprint, &options) else {
            return Ok(());
        };
        let limits = result.limits.entries();
        let least = limits.iter().filter_map(|(_, limit)| *limit).min();
        prop_assert_eq!(least, Some(result.blocks_per_sm));
        let named = limits.iter().find(|(limiter, _)| *limiter == result.occupancy_limiter);
        prop_assert_eq!(named.and_then(|(_, limit)| *limit), least);
        prop_assert!(result.blocks_per_sm >= 1);
        prop_assert!(result.warps_per_sm <= device.limits.warps_per_sm);
        prop_assert!(result.theoretical_occupancy > 0.0 && result.theoretical_occupancy <= 1.0);
        let bytes = result.rounded_shared_bytes * result.blocks_per_sm;
        prop_assert!(bytes <= result.shared_carve_out_bytes);
        prop_assert!(device.shared.capacity_steps_bytes.contains(&result.shared_carve_out_bytes));
    }

    #[test]
    fn rounding_never_gives_more_blocks(device in any_device(), footprint in any_footprint()) {
        let toolkit = blocks(&device, &footprint, &Options::default());
        prop_assert!(toolkit <= blocks(&device, &footprint, &SIMPLE));
    }

    #[test]
    fn one_more_block_keeps_its_promise_and_is_tight(
        device in any_device(),
        footprint in any_footprint(),
        options in any_options(),
    ) {
        let Ok(gain) = one_more_block(&device, &footprint, &options) else {
            return Ok(());
        };
        if let Some(threads) = gain.threads_per_block {
            let at = |threads_per_block| {
                blocks(&device, &Footprint { threads_per_block, ..footprint }, &options)
            };
            prop_assert!(threads < footprint.threads_per_block);
            prop_assert!(at(threads) > gain.now);
            let next = threads + device.warp_width;
            prop_assert!(next >= footprint.threads_per_block || at(next) <= gain.now);
        }
        if let Some(trim) = gain.trim {
            let at = |registers: u32, shared: u32| {
                let changed = Footprint {
                    registers_per_thread: registers,
                    shared_static_bytes: shared,
                    shared_dynamic_bytes: 0,
                    ..footprint
                };
                blocks(&device, &changed, &options)
            };
            let registers = trim.registers_per_thread.unwrap_or(footprint.registers_per_thread);
            let asked = footprint.shared_static_bytes + footprint.shared_dynamic_bytes;
            let shared = trim.shared_bytes.unwrap_or(asked);
            prop_assert_eq!(at(registers, shared), trim.blocks_per_sm);
            prop_assert!(trim.blocks_per_sm > gain.now);
            if trim.registers_per_thread.is_some() {
                prop_assert!(at(registers + 1, shared) <= gain.now);
            }
            if trim.shared_bytes.is_some() {
                prop_assert!(at(registers, shared + 1) <= gain.now);
            }
        }
    }

    #[test]
    fn any_footprint_is_answered(
        device in any_device(),
        options in any_options(),
        numbers in prop::array::uniform8(any::<u32>()),
    ) {
        let [threads, registers, accumulators, scalars, fixed, dynamic, barriers, cluster] = numbers;
        let footprint = Footprint {
            threads_per_block: threads % 2048,
            registers_per_thread: registers,
            accumulators_per_thread: accumulators,
            scalar_registers_per_warp: scalars,
            shared_static_bytes: fixed,
            shared_dynamic_bytes: dynamic,
            barriers,
            cluster: Some(cluster),
        };
        let _ = occupancy_with(&device, &footprint, &options);
        let _ = one_more_block(&device, &footprint, &options);
    }
}
