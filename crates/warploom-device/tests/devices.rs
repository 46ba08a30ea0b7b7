//! The built-in devices: all load, each figure has a source, and the list is the folder.

use std::collections::BTreeSet;

use warploom_device::{Device, Divergence, Vendor, source_text};

/// Names in the order that users see.
const NAMES: &str = "k40 gtx-980 p100 v100 t4 rtx-2080-ti a100-40 a100-80 a40 rtx-3090 rtx-a6000 \
    rtx-4090 l40 l40s h100 h100-pcie h200 gh200 b200 rtx-pro-6000 mi100 mi210 mi250x mi300x \
    mi300a mi355x rx-6900-xt rx-7900-xtx lesson";

fn device(name: &str) -> Device {
    Device::by_name(name).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn names_are_those_promised() {
    assert_eq!(Device::names().collect::<Vec<_>>().join(" "), NAMES);
}

#[test]
fn every_file_in_the_folder_is_listed() {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/devices")).unwrap();
    let files: BTreeSet<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|file| file != "sources.toml" && file != "defaults.toml")
        .collect();
    let listed = Device::names().map(|name| format!("{name}.toml")).collect();
    assert_eq!(files, listed);
}

#[test]
fn every_device_loads_under_its_own_name() {
    for name in Device::names() {
        assert_eq!(device(name).name, name);
    }
}

#[test]
fn every_figure_has_a_source_or_is_estimated() {
    for name in Device::names() {
        let figures = device(name).figures();
        assert!(
            figures.len() > 40,
            "{name} has only {} figures",
            figures.len()
        );
        for figure in figures {
            let known = !figure.provenance.sources.is_empty();
            assert!(
                known || figure.provenance.estimated,
                "{name}: {}",
                figure.path
            );
            assert!(!figure.value.is_empty(), "{name}: {}", figure.path);
        }
    }
}

#[test]
fn source_keys_are_spelt_out_and_sentences_stand_for_themselves() {
    assert!(source_text("occ").contains("cuda_occupancy.h"));
    assert_eq!(source_text("A data sheet of 2031"), "A data sheet of 2031");
}

/// SMs, MHz, warp width, schedulers, L2 KiB, device memory GB/s, FP32 lanes, FP64 lanes.
#[test]
fn headline_figures() {
    for (name, sms, mhz, width, schedulers, l2_kib, gb_per_s, fp32, fp64) in [
        ("k40", 15, 875.0, 32, 4, 1536, 288.0, 192, 64),
        ("gtx-980", 16, 1216.0, 32, 4, 2048, 224.0, 128, 4),
        ("p100", 56, 1480.5, 32, 2, 4096, 732.16, 64, 32),
        ("v100", 80, 1530.0, 32, 4, 6144, 898.05, 64, 32),
        ("t4", 40, 1590.0, 32, 4, 4096, 320.0, 64, 2),
        ("rtx-2080-ti", 68, 1545.0, 32, 4, 5632, 616.0, 64, 2),
        ("a100-40", 108, 1410.0, 32, 4, 40960, 1555.2, 64, 32),
        ("a100-80", 108, 1410.0, 32, 4, 40960, 2039.04, 64, 32),
        ("rtx-3090", 82, 1695.0, 32, 4, 6144, 936.2, 128, 2),
        ("rtx-a6000", 84, 1800.0, 32, 4, 6144, 768.1, 128, 2),
        ("rtx-4090", 128, 2520.0, 32, 4, 73728, 1008.0, 128, 2),
        ("l40s", 142, 2520.0, 32, 4, 98304, 864.0, 128, 2),
        ("l40", 142, 2490.0, 32, 4, 98304, 864.0, 128, 2),
        ("h100-pcie", 114, 1755.0, 32, 4, 51200, 2039.04, 128, 64),
        ("h100", 132, 1980.0, 32, 4, 51200, 3352.32, 128, 64),
        ("h200", 132, 1980.0, 32, 4, 51200, 4800.0, 128, 64),
        ("gh200", 132, 1980.0, 32, 4, 61440, 4000.0, 128, 64),
        ("b200", 148, 1965.0, 32, 4, 129536, 7672.32, 128, 64),
        ("rtx-pro-6000", 188, 2600.0, 32, 4, 131072, 1792.0, 128, 2),
        ("mi100", 120, 1502.0, 64, 4, 8192, 1228.8, 64, 32),
        ("mi210", 104, 1700.0, 64, 4, 8192, 1638.4, 64, 64),
        ("mi250x", 110, 1700.0, 64, 4, 8192, 1638.4, 64, 64),
        ("mi300x", 304, 2100.0, 64, 4, 32768, 5300.0, 64, 64),
        ("mi300a", 228, 2100.0, 64, 4, 24576, 5300.0, 64, 64),
        ("mi355x", 256, 2400.0, 64, 4, 32768, 8000.0, 64, 64),
        ("rx-6900-xt", 80, 2250.0, 32, 2, 4096, 512.0, 64, 4),
        ("rx-7900-xtx", 96, 2500.0, 32, 2, 6144, 960.0, 64, 4),
    ] {
        let d = device(name);
        assert_eq!(
            (d.sms, d.warp_width, d.schedulers_per_sm),
            (sms, width, schedulers),
            "{name}"
        );
        assert_eq!(
            (d.clock_mhz, d.memory.dram_gb_per_s),
            (mhz, gb_per_s),
            "{name}"
        );
        assert_eq!(d.memory.l2_bytes, l2_kib * 1024, "{name}");
        assert_eq!((d.lanes.fp32, d.lanes.fp64), (fp32, fp64), "{name}");
    }
}

#[test]
fn divergence_follows_the_generation() {
    for name in Device::names() {
        let d = device(name);
        let expected = match (d.vendor, d.compute_capability()) {
            (Vendor::Amd, _) => Divergence::ExecMask,
            (_, Some((major, _))) if major >= 7 => Divergence::Its,
            _ => Divergence::Ipdom,
        };
        assert_eq!(d.divergence, expected, "{name}");
    }
    assert_eq!(device("rtx-pro-6000").compute_capability(), Some((12, 0)));
    assert_eq!(device("mi300x").compute_capability(), None);
}

#[test]
fn launch_limits_of_the_manual() {
    for name in Device::names() {
        let d = device(name);
        assert_eq!(d.limits.threads_per_block, 1024, "{name}");
        assert_eq!(d.limits.grid, [2_147_483_647, 65_535, 65_535], "{name}");
        assert_eq!((d.shared.banks, d.shared.bank_bytes), (32, 4), "{name}");
        assert_eq!(d.memory.sector_bytes, 32, "{name}");
        if let Some((major, _)) = d.compute_capability() {
            assert_eq!(d.limits.block, [1024, 1024, 64], "{name}");
            assert_eq!(
                d.limits.param_bytes,
                if major >= 7 { 32_764 } else { 4096 },
                "{name}"
            );
            assert_eq!(d.limits.constant_bytes, 65_536, "{name}");
            assert_eq!(d.limits.barriers_per_block, 16, "{name}");
        }
    }
}

/// Registers, warps, blocks, shared memory: the table of limits per compute capability.
#[test]
fn limits_per_compute_capability() {
    let v35: &[u32] = &[16, 32, 48];
    let v80: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164];
    let v86: &[u32] = &[0, 8, 16, 32, 64, 100];
    let v90: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228];
    // capability, warps, blocks, partitions, shared unit, reserved, steps KiB, most per block KiB
    for (capability, warps, blocks, partitions, unit, reserved, steps, most) in [
        ((3, 5), 64, 16, 4, 256, 0, v35, 48),
        ((5, 2), 64, 32, 4, 256, 0, &[96], 48),
        ((6, 0), 64, 32, 2, 256, 0, &[64], 48),
        ((7, 0), 64, 32, 4, 256, 0, &[0, 8, 16, 32, 64, 96], 96),
        ((7, 5), 32, 16, 4, 256, 0, &[32, 64], 64),
        ((8, 0), 64, 32, 4, 128, 1024, v80, 163),
        ((8, 6), 48, 16, 4, 128, 1024, v86, 99),
        ((8, 9), 48, 24, 4, 128, 1024, v86, 99),
        ((9, 0), 64, 32, 4, 128, 1024, v90, 227),
        ((10, 0), 64, 32, 4, 128, 1024, v90, 227),
        ((12, 0), 48, 24, 4, 128, 1024, v86, 99),
    ] {
        let all = Device::names().map(device);
        let same: Vec<_> = all
            .filter(|d| d.compute_capability() == Some(capability))
            .collect();
        assert!(!same.is_empty(), "{capability:?} has no device");
        for d in same {
            let name = &d.name;
            assert_eq!(d.limits.warps_per_sm, warps, "{name}");
            assert_eq!(d.limits.blocks_per_sm, Some(blocks), "{name}");
            assert_eq!(d.registers.per_sm, 65_536, "{name}");
            assert_eq!(d.registers.max_per_thread, 255, "{name}");
            assert_eq!(d.registers.unit, 256, "{name}");
            assert_eq!(d.registers.warp_granularity, partitions, "{name}");
            assert_eq!(d.shared.unit_bytes, unit, "{name}");
            assert_eq!(d.shared.reserved_bytes, reserved, "{name}");
            let kib: Vec<_> = d
                .shared
                .capacity_steps_bytes
                .iter()
                .map(|b| b / 1024)
                .collect();
            assert_eq!(kib, steps, "{name}");
            assert_eq!(d.shared.per_block_bytes, 48 * 1024, "{name}");
            assert_eq!(d.shared.per_block_optin_bytes, most * 1024, "{name}");
        }
    }
}

/// Dense 16-bit matrix peaks in TFLOP/s as the vendors print them: SMs × FMA × 2 × clock.
#[test]
fn matrix_peaks_match_the_vendors_figures() {
    for (name, tflops) in [
        ("v100", 125.3),
        ("a100-40", 311.9),
        ("h100", 989.4),
        ("b200", 2225.0),
        ("mi100", 184.6),
        ("mi250x", 191.5),
        ("mi300x", 1307.4),
    ] {
        let d = device(name);
        let tensor = d.tensor.unwrap();
        let clock_hz = d.clock_mhz * 1e6 * tensor.clock_factor.unwrap_or(1.0);
        let peak = f64::from(d.sms) * f64::from(tensor.fp16.unwrap()) * 2.0 * clock_hz / 1e12;
        assert!((peak / tflops - 1.0).abs() < 1e-3, "{name}: {peak}");
    }
}
