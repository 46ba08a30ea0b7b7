//! What to change so that one more block fits an SM.

use super::limits::Need;
use super::{Footprint, LimitTable, OccupancyRefusal, Options, occupancy_with};
use crate::schema::Device;

/// Ways to a higher residency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// Blocks per SM now.
    pub now: u32,
    /// Trimming each thread's registers and each block's shared memory; `None` where block
    /// size, block slots, barriers or clusters stand in the way as well.
    pub trim: Option<Trim>,
    /// The largest smaller block, in whole warps, of which more fit, other things equal.
    pub threads_per_block: Option<u32>,
}

/// Amounts to trim to; all that are given are needed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trim {
    /// Blocks per SM that result.
    pub blocks_per_sm: u32,
    /// The most registers per thread, where the present number is too high.
    pub registers_per_thread: Option<u32>,
    /// The most shared bytes of a block (static and dynamic), where the present number is too high.
    pub shared_bytes: Option<u32>,
}

/// What would let one more block fit. `Err` if not even one does now.
pub fn one_more_block(
    device: &Device,
    footprint: &Footprint,
    options: &Options,
) -> Result<Gain, OccupancyRefusal> {
    let now = occupancy_with(device, footprint, options)?;
    let target = now.blocks_per_sm + 1;
    let blocks = |changed: &Footprint| {
        occupancy_with(device, changed, options).map_or(0, |occupancy| occupancy.blocks_per_sm)
    };
    let width = device.warp_width.max(1);
    let fewer_warps = largest(now.warps_per_block.saturating_sub(1), |warps| {
        let smaller = Footprint {
            threads_per_block: warps * width,
            ..*footprint
        };
        blocks(&smaller) >= target
    });
    Ok(Gain {
        now: now.blocks_per_sm,
        trim: trim(device, footprint, options, &now.limits, target, blocks),
        threads_per_block: fewer_warps.map(|warps| warps * width),
    })
}

fn trim(
    device: &Device,
    footprint: &Footprint,
    options: &Options,
    limits: &LimitTable,
    target: u32,
    blocks: impl Fn(&Footprint) -> u32,
) -> Option<Trim> {
    let allows = |limit: Option<u32>| limit.is_none_or(|limit| limit >= target);
    let mut trimmed = *footprint;
    let mut registers_per_thread = None;
    let mut shared_bytes = None;
    if !allows(limits.registers) {
        let most = largest(
            footprint.registers_per_thread.saturating_sub(1),
            |registers| {
                let fewer = Footprint {
                    registers_per_thread: registers,
                    ..*footprint
                };
                let need = Need::of(device, &fewer, options.rule);
                allows(need.register_limit(device, &fewer))
            },
        )?;
        trimmed.registers_per_thread = most;
        registers_per_thread = Some(most);
    }
    if !allows(limits.shared_memory) {
        let asked = footprint
            .shared_static_bytes
            .saturating_add(footprint.shared_dynamic_bytes);
        let with = |bytes| Footprint {
            shared_static_bytes: bytes,
            shared_dynamic_bytes: 0,
            ..trimmed
        };
        let most = largest(asked.saturating_sub(1), |bytes| {
            blocks(&with(bytes)) >= target
        })?;
        trimmed = with(most);
        shared_bytes = Some(most);
    }
    let reached = blocks(&trimmed);
    (reached >= target).then_some(Trim {
        blocks_per_sm: reached,
        registers_per_thread,
        shared_bytes,
    })
}

/// The largest value from 1 to `most` that is `enough`, given that smaller ones never do worse.
fn largest(most: u32, enough: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if enough(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    (low > 0).then_some(low)
}
