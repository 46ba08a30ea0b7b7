//! Where residency changes as one number of the footprint grows: the cliffs.

use super::{Footprint, Options, Vary, occupancy_with};
use crate::schema::Device;

/// Values of the varied number that give the same residency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Step {
    /// The first.
    pub from: u32,
    /// The last.
    pub to: u32,
    /// Blocks per SM; 0 where such a launch cannot run.
    pub blocks_per_sm: u32,
    /// Warps per SM at `from`.
    pub warps_per_sm: u32,
}

/// All steps of a number that only lowers residency as it grows (registers, shared memory), from
/// `least` to `most`.
pub fn steps(
    device: &Device,
    footprint: &Footprint,
    options: &Options,
    vary: Vary,
    least: u32,
    most: u32,
) -> Vec<Step> {
    let at = |value| {
        let held = occupancy_with(device, &vary.apply(footprint, value), options);
        held.map_or((0, 0), |held| (held.blocks_per_sm, held.warps_per_sm))
    };
    let mut found = Vec::new();
    let mut from = least;
    while from <= most {
        let held = at(from);
        let to = last_alike(from, most, |value| at(value) == held);
        found.push(Step {
            from,
            to,
            blocks_per_sm: held.0,
            warps_per_sm: held.1,
        });
        let Some(next) = to.checked_add(1) else {
            break;
        };
        from = next;
    }
    found
}

/// The last value from `from` to `most` that is `alike`, given that those which are come first.
fn last_alike(from: u32, most: u32, alike: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (from, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if alike(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}
