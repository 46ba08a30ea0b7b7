//! Which figures fit together. After this nothing downstream can divide by zero or overflow.

use crate::load::Blame;
use crate::schema::{Device, Divergence, Vendor};

/// Largest count that any per-SM or per-device number may have; keeps products within 64 bits.
const MAX_COUNT: u64 = 1 << 31;

/// Checks a whole device; the first fault is returned.
pub(crate) fn check(device: &Device) -> Result<(), Blame> {
    texts(device)?;
    counts(device)?;
    rates(device)?;
    warps(device)?;
    registers(device)?;
    shared(device)?;
    memory(device)?;
    cluster(device)
}

fn fail<T>(field: &str, message: impl Into<String>, help: &str) -> Result<T, Blame> {
    Err(Blame::field(field, message.into()).help(help.to_owned()))
}

fn texts(device: &Device) -> Result<(), Blame> {
    for (field, text) in [
        ("name", &device.name),
        ("product", &device.product),
        ("architecture", &device.architecture),
    ] {
        if text.trim().is_empty() {
            return fail(field, "it is empty", "give it a text");
        }
    }
    let (fits, help) = match device.vendor {
        Vendor::Nvidia => (
            device.compute_capability().is_some(),
            "an NVIDIA target is `sm_` and a number, such as `sm_90`",
        ),
        Vendor::Amd => (
            device.target.starts_with("gfx"),
            "an AMD target starts with `gfx`, such as `gfx942`",
        ),
        Vendor::Warploom => (true, ""),
    };
    if !fits {
        let message = format!("`{}` is no target of this vendor", device.target);
        return fail("target", message, help);
    }
    Ok(())
}

/// Numbers that have to be positive and within bounds.
fn counts(device: &Device) -> Result<(), Blame> {
    let Device {
        limits,
        registers,
        shared,
        memory,
        lanes,
        runtime,
        ..
    } = device;
    let scalar = device.scalar_registers.as_ref();
    let tensor = device.tensor.as_ref();
    let positive = [
        ("sms", device.sms, 1 << 16),
        ("schedulers_per_sm", device.schedulers_per_sm, 64),
        ("limits.warps_per_sm", limits.warps_per_sm, 1024),
        (
            "limits.blocks_per_sm",
            limits.blocks_per_sm.unwrap_or(1),
            1024,
        ),
        (
            "limits.threads_per_block",
            limits.threads_per_block,
            1 << 16,
        ),
        ("limits.grid", least(&limits.grid), MAX_COUNT),
        ("limits.block", least(&limits.block), MAX_COUNT),
        ("limits.barriers_per_block", limits.barriers_per_block, 1024),
        (
            "limits.barriers_per_sm",
            limits.barriers_per_sm.unwrap_or(1),
            1 << 16,
        ),
        (
            "limits.barriers_from_warps",
            limits.barriers_from_warps,
            1024,
        ),
        ("limits.param_bytes", limits.param_bytes, 1 << 20),
        ("limits.constant_bytes", limits.constant_bytes, MAX_COUNT),
        (
            "limits.local_bytes_per_thread",
            limits.local_bytes_per_thread,
            1 << 30,
        ),
        ("registers.per_sm", registers.per_sm, 1 << 30),
        ("registers.per_block", registers.per_block, 1 << 30),
        (
            "registers.max_per_thread",
            registers.max_per_thread,
            1 << 16,
        ),
        ("registers.unit", registers.unit, 1 << 20),
        (
            "registers.launch_granularity",
            registers.launch_granularity.unwrap_or(1),
            64,
        ),
        ("registers.warp_granularity", registers.warp_granularity, 64),
        (
            "scalar_registers.per_scheduler",
            scalar.map_or(1, |s| s.per_scheduler),
            1 << 20,
        ),
        (
            "scalar_registers.unit",
            scalar.map_or(1, |s| s.unit),
            1 << 16,
        ),
        (
            "scalar_registers.max_per_warp",
            scalar.map_or(1, |s| s.max_per_warp),
            1 << 16,
        ),
        ("shared.per_block_bytes", shared.per_block_bytes, 1 << 30),
        (
            "shared.per_block_optin_bytes",
            shared.per_block_optin_bytes,
            1 << 30,
        ),
        ("shared.unit_bytes", shared.unit_bytes, 1 << 20),
        ("shared.banks", shared.banks, 1024),
        ("shared.bank_bytes", shared.bank_bytes, 64),
        ("memory.sector_bytes", memory.sector_bytes, 4096),
        ("memory.line_bytes", memory.line_bytes, 4096),
        ("memory.l1_bytes", memory.l1_bytes, 1 << 30),
        (
            "memory.l1_bytes_per_cycle",
            memory.l1_bytes_per_cycle,
            1 << 16,
        ),
        ("memory.l2_segments", memory.l2_segments, 1024),
        ("lanes.fp32", lanes.fp32, 1 << 16),
        ("lanes.fp32_packed", lanes.fp32_packed.unwrap_or(1), 1 << 16),
        ("lanes.fp64", lanes.fp64, 1 << 16),
        ("lanes.int32", lanes.int32, 1 << 16),
        ("lanes.sfu", lanes.sfu, 1 << 16),
        ("lanes.ldst", lanes.ldst, 1 << 16),
        (
            "tensor.units_per_sm",
            tensor.map_or(1, |t| t.units_per_sm),
            1 << 16,
        ),
    ];
    let large = [
        ("memory.l2_bytes", memory.l2_bytes),
        ("memory.llc_bytes", memory.llc_bytes.unwrap_or(1)),
        ("memory.dram_bytes", memory.dram_bytes),
        ("runtime.heap_bytes", runtime.heap_bytes),
        ("runtime.printf_fifo_bytes", runtime.printf_fifo_bytes),
    ];
    let positive = positive.map(|(field, value, most)| (field, u64::from(value), most));
    let large = large.map(|(field, value)| (field, value, 1 << 48));
    for (field, value, most) in positive.into_iter().chain(large) {
        if value == 0 || value > most {
            let message = format!("{value} is out of range");
            return fail(field, message, &format!("it takes 1 to {most}"));
        }
    }
    Ok(())
}

fn least(dimensions: &[u32; 3]) -> u32 {
    dimensions.iter().copied().min().unwrap_or(0)
}

fn rates(device: &Device) -> Result<(), Blame> {
    let factor = device
        .tensor
        .as_ref()
        .map_or(1.0, |tensor| tensor.clock_factor);
    for (field, value) in [
        ("clock_mhz", device.clock_mhz),
        (
            "memory.l2_gb_per_s",
            device.memory.l2_gb_per_s.unwrap_or(1.0),
        ),
        ("memory.dram_gb_per_s", device.memory.dram_gb_per_s),
        ("tensor.clock_factor", factor),
    ] {
        if !(value > 0.0 && value <= 1e7) {
            let message = format!("{value} is out of range");
            return fail(field, message, "it takes a positive number up to 1e7");
        }
    }
    Ok(())
}

fn warps(device: &Device) -> Result<(), Blame> {
    let width = |width: u32| width.is_power_of_two() && (4..=64).contains(&width);
    if device.warp_widths.is_empty() || !device.warp_widths.iter().all(|w| width(*w)) {
        let help = "widths are powers of two from 4 to 64";
        return fail("warp_widths", "it has a width no warp can have", help);
    }
    if !device.warp_widths.contains(&device.warp_width) {
        let message = format!("this device has no warps of {}", device.warp_width);
        let help = format!("its `warp_widths` are {:?}", device.warp_widths);
        return fail("warp_width", message, &help);
    }
    if (device.divergence == Divergence::ExecMask) != (device.vendor == Vendor::Amd) {
        let help = "`exec-mask` is for AMD devices, `ipdom` and `its` for the others";
        return fail("divergence", "the model does not fit the vendor", help);
    }
    if !device
        .limits
        .warps_per_sm
        .is_multiple_of(device.schedulers_per_sm)
    {
        let help = "make it a multiple of `schedulers_per_sm`";
        return fail(
            "limits.warps_per_sm",
            "schedulers would have unequal shares",
            help,
        );
    }
    Ok(())
}

fn registers(device: &Device) -> Result<(), Blame> {
    let registers = &device.registers;
    if !registers.per_sm.is_multiple_of(registers.per_block) {
        let help = "make `registers.per_sm` a whole multiple of it";
        return fail(
            "registers.per_block",
            "it is no fraction of the SM's registers",
            help,
        );
    }
    if registers.per_block / registers.warp_granularity < registers.unit {
        let help = "a part of the pool has to hold one unit";
        return fail("registers.unit", "no warp could get registers", help);
    }
    Ok(())
}

fn shared(device: &Device) -> Result<(), Blame> {
    let shared = &device.shared;
    let steps = &shared.capacity_steps_bytes;
    if steps.is_empty() || !steps.is_sorted_by(|a, b| a < b) {
        let help = "list the sizes once each, smallest first";
        return fail(
            "shared.capacity_steps_bytes",
            "the steps do not ascend",
            help,
        );
    }
    if shared.per_block_bytes > shared.per_block_optin_bytes {
        let help = "opting in cannot give less than `shared.per_block_bytes`";
        return fail("shared.per_block_optin_bytes", "it is too small", help);
    }
    let most = u64::from(shared.per_block_optin_bytes) + u64::from(shared.reserved_bytes);
    if most > u64::from(device.shared_capacity_bytes()) {
        let help = "with `shared.reserved_bytes` it has to fit the largest capacity step";
        return fail(
            "shared.per_block_optin_bytes",
            "no SM could hold such a block",
            help,
        );
    }
    for (field, value) in [
        ("shared.banks", shared.banks),
        ("shared.bank_bytes", shared.bank_bytes),
    ] {
        if !value.is_power_of_two() {
            return fail(
                field,
                format!("{value} is no power of two"),
                "use a power of two",
            );
        }
    }
    Ok(())
}

fn memory(device: &Device) -> Result<(), Blame> {
    let memory = &device.memory;
    for (field, value) in [
        ("memory.sector_bytes", memory.sector_bytes),
        ("memory.line_bytes", memory.line_bytes),
    ] {
        if !value.is_power_of_two() {
            return fail(
                field,
                format!("{value} is no power of two"),
                "use a power of two",
            );
        }
    }
    if memory.line_bytes < memory.sector_bytes {
        let help = "a line holds at least one sector";
        return fail("memory.line_bytes", "it is smaller than a sector", help);
    }
    Ok(())
}

fn cluster(device: &Device) -> Result<(), Blame> {
    let Some(cluster) = &device.cluster else {
        return Ok(());
    };
    if cluster.max_blocks == 0 || cluster.max_blocks > cluster.max_blocks_nonportable {
        let help = "it is positive and at most `cluster.max_blocks_nonportable`";
        return fail("cluster.max_blocks", "it is out of range", help);
    }
    if cluster.gpcs == 0 {
        return fail(
            "cluster.gpcs",
            "it is 0",
            "there is at least one group of SMs",
        );
    }
    Ok(())
}
