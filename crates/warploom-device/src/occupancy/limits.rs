//! What one block needs of each resource, and how often that fits.

use super::{CarveOut, Footprint, LimitTable, Limiter, OccupancyRefusal, Rule};
use crate::schema::{Accumulators, Device};

/// What one block is given, after rounding.
pub(super) struct Need {
    rule: Rule,
    /// Warps of the block.
    pub(super) warps: u32,
    /// Registers of one warp, vector and accumulation registers together.
    pub(super) registers_per_warp: u64,
    /// Scalar registers of one warp.
    scalars_per_warp: u64,
    /// Shared bytes of the block.
    pub(super) shared_bytes: u64,
}

impl Need {
    pub(super) fn of(device: &Device, footprint: &Footprint, rule: Rule) -> Self {
        let shared = &device.shared;
        let asked = asked_shared_bytes(footprint);
        let scalars = u64::from(footprint.scalar_registers_per_warp);
        let scalar_unit = device.scalar_registers.as_ref().map_or(1, |file| file.unit);
        let (scalars_per_warp, shared_bytes) = match rule {
            Rule::Simple => (scalars, asked),
            Rule::Toolkit => (
                round_up(scalars, scalar_unit),
                round_up(asked + u64::from(shared.reserved_bytes), shared.unit_bytes),
            ),
        };
        Need {
            rule,
            warps: footprint
                .threads_per_block
                .div_ceil(device.warp_width.max(1)),
            registers_per_warp: registers_per_warp(device, footprint, rule),
            scalars_per_warp,
            shared_bytes,
        }
    }

    /// Refuses what no SM can ever hold, first reason first.
    pub(super) fn check_launch(
        &self,
        device: &Device,
        footprint: &Footprint,
    ) -> Result<(), OccupancyRefusal> {
        let threads = u64::from(footprint.threads_per_block);
        if threads == 0 {
            return Err(OccupancyRefusal {
                limiter: Limiter::Warps,
                message: "a block has at least one thread".to_owned(),
                needed: 1,
                available: 0,
                help: "give the block a size".to_owned(),
            });
        }
        let file = &device.registers;
        let granularity = file.launch_granularity.unwrap_or(file.warp_granularity);
        let warps_checked = match self.rule {
            Rule::Toolkit => round_up(u64::from(self.warps), granularity),
            Rule::Simple => u64::from(self.warps),
        };
        let block_registers = match self.rule {
            Rule::Toolkit => self.registers_per_warp * warps_checked,
            Rule::Simple => threads * registers_per_thread(device, footprint),
        };
        let scalar = device.scalar_registers.as_ref();
        let per_thread = u64::from(footprint.registers_per_thread);
        let accumulators = u64::from(footprint.accumulators_per_thread);
        let most_accumulators = match device.registers.accumulators {
            Some(_) => device.registers.max_per_thread,
            None => 0,
        };
        let checks = [
            Check {
                limiter: Limiter::Warps,
                what: "threads in a block",
                needed: threads,
                available: u64::from(device.limits.threads_per_block),
                help: "use smaller blocks",
            },
            Check {
                limiter: Limiter::Warps,
                what: "warp slots for one block",
                needed: u64::from(self.warps),
                available: u64::from(device.limits.warps_per_sm),
                help: "use smaller blocks",
            },
            Check {
                limiter: Limiter::Registers,
                what: "accumulation registers of a thread",
                needed: accumulators,
                available: u64::from(most_accumulators),
                help: "compile for this device",
            },
            Check {
                limiter: Limiter::Registers,
                what: "registers of a thread",
                needed: per_thread.max(registers_per_thread(device, footprint)),
                available: u64::from(device.registers.max_per_thread),
                help: "compile with a register limit (maxrregcount, launch bounds)",
            },
            Check {
                limiter: Limiter::Registers,
                what: "registers of a block",
                needed: block_registers,
                available: u64::from(device.registers.per_block),
                help: "use smaller blocks or fewer registers per thread",
            },
            Check {
                limiter: Limiter::Registers,
                what: "scalar registers of a warp",
                needed: u64::from(footprint.scalar_registers_per_warp),
                available: scalar.map_or(u64::MAX, |file| u64::from(file.max_per_warp)),
                help: "compile with fewer scalar registers",
            },
            Check {
                limiter: Limiter::SharedMemory,
                what: "bytes of shared memory of a block",
                needed: asked_shared_bytes(footprint),
                available: u64::from(device.shared.per_block_optin_bytes),
                help: "use smaller tiles, or fewer stages",
            },
            Check {
                limiter: Limiter::Barriers,
                what: "barriers of a block",
                needed: u64::from(footprint.barriers),
                available: u64::from(device.limits.barriers_per_block),
                help: "use fewer named barriers",
            },
        ];
        checks.into_iter().try_for_each(Check::pass)?;
        // All limits of a whole block; those above keep most from being reached here.
        let limits = self.limits(device, footprint, u64::from(device.shared_capacity_bytes()));
        match limits
            .entries()
            .into_iter()
            .find(|(_, limit)| *limit == Some(0))
        {
            None => Ok(()),
            Some((limiter, _)) => Err(OccupancyRefusal {
                limiter,
                message: format!("one block does not fit the SM's {limiter}"),
                needed: 1,
                available: 0,
                help: "use smaller blocks".to_owned(),
            }),
        }
    }

    /// Blocks per SM by each resource, clusters aside, with `capacity` bytes of shared memory.
    pub(super) fn limits(
        &self,
        device: &Device,
        footprint: &Footprint,
        capacity: u64,
    ) -> LimitTable {
        let vector = self.register_limit(device, footprint);
        let scalar = self.scalar_limit(device);
        LimitTable {
            warps: device.limits.warps_per_sm / self.warps.max(1),
            registers: [vector, scalar].into_iter().flatten().min(),
            shared_memory: capacity.checked_div(self.shared_bytes).map(narrow),
            blocks: device.limits.blocks_per_sm,
            barriers: self.barrier_limit(device, footprint),
            cluster: None,
        }
    }

    pub(super) fn register_limit(&self, device: &Device, footprint: &Footprint) -> Option<u32> {
        match self.rule {
            Rule::Toolkit => {
                let warps = register_warps(device, self.registers_per_warp)?;
                Some(narrow(warps / u64::from(self.warps.max(1))))
            }
            Rule::Simple => {
                let threads = u64::from(footprint.threads_per_block);
                let block = threads * registers_per_thread(device, footprint);
                let all = u64::from(device.registers.per_sm);
                all.checked_div(block).map(narrow)
            }
        }
    }

    fn scalar_limit(&self, device: &Device) -> Option<u32> {
        let file = device.scalar_registers.as_ref()?;
        let warps = u64::from(file.per_scheduler).checked_div(self.scalars_per_warp)?;
        let all = warps * u64::from(device.schedulers_per_sm);
        Some(narrow(all / u64::from(self.warps.max(1))))
    }

    fn barrier_limit(&self, device: &Device, footprint: &Footprint) -> Option<u32> {
        if self.warps < device.limits.barriers_from_warps {
            return None;
        }
        device
            .limits
            .barriers_per_sm?
            .checked_div(footprint.barriers)
    }
}

/// One comparison of what a launch asks for with what it may have.
struct Check {
    limiter: Limiter,
    what: &'static str,
    needed: u64,
    available: u64,
    help: &'static str,
}

impl Check {
    fn pass(self) -> Result<(), OccupancyRefusal> {
        if self.needed <= self.available {
            return Ok(());
        }
        Err(OccupancyRefusal {
            limiter: self.limiter,
            message: format!("too many {}", self.what),
            needed: self.needed,
            available: self.available,
            help: self.help.to_owned(),
        })
    }
}

/// Warps that the register file holds, by whole allocations in each part of each pool.
fn register_warps(device: &Device, per_warp: u64) -> Option<u64> {
    let file = &device.registers;
    let parts = u64::from(file.warp_granularity);
    let pool = u64::from(file.pool.unwrap_or(file.per_block));
    let warps_per_part = pool.checked_div(parts)?.checked_div(per_warp)?;
    let pools = u64::from(file.per_sm).checked_div(pool)?;
    Some(warps_per_part * parts * pools)
}

fn registers_per_warp(device: &Device, footprint: &Footprint, rule: Rule) -> u64 {
    let width = u64::from(device.warp_width);
    let registers = registers_per_thread(device, footprint) * width;
    match rule {
        Rule::Simple => registers,
        Rule::Toolkit => round_up(registers, device.registers.unit),
    }
}

/// Registers of one thread in the file that decides: with separate files the fuller one.
fn registers_per_thread(device: &Device, footprint: &Footprint) -> u64 {
    let vector = u64::from(footprint.registers_per_thread);
    let accumulators = u64::from(footprint.accumulators_per_thread);
    match device.registers.accumulators {
        Some(Accumulators::Unified) if accumulators > 0 => round_up(vector, 4) + accumulators,
        Some(Accumulators::Separate) => vector.max(accumulators),
        _ => vector,
    }
}

fn asked_shared_bytes(footprint: &Footprint) -> u64 {
    u64::from(footprint.shared_static_bytes) + u64::from(footprint.shared_dynamic_bytes)
}

/// Bytes that shared memory limits are counted against.
pub(super) fn shared_capacity(device: &Device, need: &Need, carve_out: CarveOut) -> u64 {
    match carve_out {
        CarveOut::Auto => u64::from(device.shared_capacity_bytes()),
        CarveOut::AtLeast(bytes) => smallest_step(device, u64::from(bytes).max(need.shared_bytes)),
    }
}

/// The smallest capacity step with at least `bytes`, or the largest there is.
pub(super) fn smallest_step(device: &Device, bytes: u64) -> u64 {
    let mut steps = device
        .shared
        .capacity_steps_bytes
        .iter()
        .map(|step| u64::from(*step));
    let fitting = steps.find(|step| *step >= bytes);
    fitting.unwrap_or_else(|| u64::from(device.shared_capacity_bytes()))
}

/// Clusters placed on the device.
pub(super) struct Placed {
    /// Blocks of the fullest SM.
    pub(super) blocks_per_sm: u32,
    /// Clusters on the whole device.
    pub(super) clusters: u32,
}

/// Places clusters of `size` blocks in groups of SMs that hold `blocks` blocks each. Groups are
/// taken as equally large, SMs left over by that as unused.
pub(super) fn place_clusters(
    device: &Device,
    size: u32,
    blocks: u32,
) -> Result<Placed, OccupancyRefusal> {
    let (most, gpcs) = match &device.cluster {
        Some(cluster) => (cluster.max_blocks_nonportable, cluster.gpcs),
        None => (1, 1),
    };
    let groups = u64::from(gpcs.min(device.sms)).max(1);
    let sms = u64::from(device.sms) / groups;
    let held = sms * u64::from(blocks);
    let refuse = |message: &str, available: u64, help: &str| OccupancyRefusal {
        limiter: Limiter::Cluster,
        message: message.to_owned(),
        needed: u64::from(size),
        available,
        help: help.to_owned(),
    };
    if size == 0 || size > most {
        let help = match device.cluster {
            Some(_) => "use a cluster size within the device's limits",
            None => "launch without clusters; this device has none",
        };
        return Err(refuse("no such cluster size", u64::from(most), help));
    }
    let per_group = held / u64::from(size);
    if per_group == 0 {
        let help = "use smaller clusters, or blocks of which more fit an SM";
        return Err(refuse("a cluster does not fit a group of SMs", held, help));
    }
    Ok(Placed {
        blocks_per_sm: narrow((per_group * u64::from(size)).div_ceil(sms.max(1))),
        clusters: narrow(per_group * groups),
    })
}

/// Warps that the registers and warp slots of one scheduler partition allow.
pub fn warps_per_scheduler(device: &Device, registers_per_thread: u32, rule: Rule) -> u32 {
    let schedulers = u64::from(device.schedulers_per_sm.max(1));
    let slots = u64::from(device.limits.warps_per_sm) / schedulers;
    let footprint = Footprint {
        registers_per_thread,
        ..Footprint::default()
    };
    let per_warp = registers_per_warp(device, &footprint, rule);
    let held = match rule {
        Rule::Toolkit => register_warps(device, per_warp).map(|warps| warps / schedulers),
        Rule::Simple => (u64::from(device.registers.per_sm) / schedulers).checked_div(per_warp),
    };
    narrow(held.unwrap_or(slots).min(slots))
}

fn round_up(value: u64, unit: u32) -> u64 {
    let unit = u64::from(unit.max(1));
    value.div_ceil(unit).saturating_mul(unit)
}

/// Counts that the checks before have bounded; saturates rather than wraps.
pub(super) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
