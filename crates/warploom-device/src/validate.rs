//! Which figures fit together. After this nothing downstream can divide by zero or overflow.

use crate::load::Blame;
use crate::schema::{Device, Divergence, Vendor};

/// Checks a whole device; the first fault is returned.
pub(crate) fn check(device: &Device) -> Result<(), Blame> {
    texts(device)?;
    ranges(device)?;
    warps(device)?;
    registers(device)?;
    shared(device)?;
    memory(device)?;
    timing(device)?;
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

/// Numbers are within the ranges of the schema.
fn ranges(device: &Device) -> Result<(), Blame> {
    let mut fault = None;
    device.numbers(&mut |number| {
        let (low, high) = number.range;
        if !(low..=high).contains(&number.value) && fault.is_none() {
            let message = format!("{} is out of range", number.value);
            let help = format!("it takes {low} to {high}");
            fault = Some(Blame::field(number.path, message).help(help));
        }
    });
    fault.map_or(Ok(()), Err)
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
    let pool = registers.pool.unwrap_or(registers.per_block);
    if !registers.per_sm.is_multiple_of(pool) {
        let help = "make `registers.per_sm` a whole multiple of it";
        return fail(
            "registers.pool",
            "it is no fraction of the SM's registers",
            help,
        );
    }
    if pool / registers.warp_granularity < registers.unit {
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

fn timing(device: &Device) -> Result<(), Blame> {
    let timing = &device.timing;
    for (field, line) in [
        ("timing.l2.line_bytes", timing.l2.line_bytes),
        ("timing.l2.interleave_bytes", timing.l2.interleave_bytes),
        ("timing.fetch.line_bytes", timing.fetch.line_bytes),
        (
            "timing.constant.l1_line_bytes",
            timing.constant.l1_line_bytes,
        ),
        (
            "timing.constant.l15_line_bytes",
            timing.constant.l15_line_bytes,
        ),
        ("timing.dram.burst_bytes", timing.dram.burst_bytes),
    ] {
        if !line.is_power_of_two() {
            return fail(
                field,
                format!("{line} is no power of two"),
                "use a power of two",
            );
        }
    }
    if timing.l2.line_bytes < device.memory.sector_bytes {
        let help = "a line holds at least one sector";
        return fail("timing.l2.line_bytes", "it is smaller than a sector", help);
    }
    if !timing.l2.slices.is_multiple_of(device.memory.l2_segments) {
        let help = "make it a multiple of `memory.l2_segments`";
        return fail("timing.l2.slices", "segments would be unequal", help);
    }
    if timing.flat.is_some() {
        return Ok(());
    }
    // Further levels take longer: otherwise a miss would come back before a hit.
    let far = timing.l2.far_cycles.unwrap_or(timing.l2.hit_cycles);
    let llc = timing.llc.as_ref().map_or(far, |llc| llc.hit_cycles);
    for (field, nearer, farther) in [
        (
            "timing.l2.hit_cycles",
            timing.l1.hit_cycles,
            timing.l2.hit_cycles,
        ),
        ("timing.l2.far_cycles", timing.l2.hit_cycles, far),
        ("timing.llc.hit_cycles", timing.l2.hit_cycles, llc),
        (
            "timing.dram.latency_cycles",
            timing.l2.hit_cycles.max(llc),
            timing.dram.latency_cycles,
        ),
        (
            "timing.constant.l15_cycles",
            timing.constant.l1_cycles,
            timing.constant.l15_cycles,
        ),
    ] {
        if farther < nearer {
            let message = format!("{farther} is less than the {nearer} of the level before");
            return fail(
                field,
                message,
                "a level takes at least as long as the one before",
            );
        }
    }
    Ok(())
}

fn cluster(device: &Device) -> Result<(), Blame> {
    let Some(cluster) = &device.cluster else {
        return Ok(());
    };
    if cluster.max_blocks > cluster.max_blocks_nonportable {
        let help = "it is at most `cluster.max_blocks_nonportable`";
        return fail("cluster.max_blocks", "it is out of range", help);
    }
    Ok(())
}
