//! Whether buffers fit, before any of them is allocated.

use sysinfo::System;
use warploom_device::Device;

use crate::error::{InputError, InputErrorKind};
use crate::text::{Diagnostic, Spot, bytes};

/// What limits the buffers of a run.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    device: String,
    device_bytes: u64,
    host_bytes: u64,
    used_bytes: u64,
}

impl Room {
    /// The device's memory, and what the host has free now.
    pub(crate) fn new(device: &Device) -> Room {
        Room {
            device: device.name.clone(),
            device_bytes: device.memory.dram_bytes,
            host_bytes: host_available_bytes(),
            used_bytes: 0,
        }
    }

    /// Takes room for `wanted_bytes` more.
    ///
    /// # Errors
    /// When the device or the host does not have that much; `what` names it, `spot` is where it
    /// was asked for.
    pub(crate) fn take(
        &mut self,
        wanted_bytes: u64,
        what: &str,
        spot: Option<&Spot>,
    ) -> Result<(), InputError> {
        let total = u128::from(self.used_bytes) + u128::from(wanted_bytes);
        let limits = [
            (self.device_bytes, format!("device `{}` has", self.device)),
            (self.host_bytes, "this computer has free".to_owned()),
        ];
        for (limit, whose) in limits {
            if total > u128::from(limit) {
                let (wanted, limit) = (bytes(wanted_bytes.into()), bytes(limit.into()));
                let before = match self.used_bytes {
                    0 => String::new(),
                    used => format!(" beside {} already taken", bytes(used.into())),
                };
                let message = format!("{what} takes {wanted}{before}; {whose} {limit}");
                let diagnostic = Diagnostic::error(message).maybe_at(spot, "");
                return Err(InputError::new(InputErrorKind::Memory, diagnostic));
            }
        }
        self.used_bytes += wanted_bytes;
        Ok(())
    }

    /// Gives room back.
    pub(crate) fn give(&mut self, freed_bytes: u64) {
        self.used_bytes = self.used_bytes.saturating_sub(freed_bytes);
    }
}

/// Memory that the host can still provide, within the limits that this process runs under.
fn host_available_bytes() -> u64 {
    let mut system = System::new();
    system.refresh_memory();
    let limited = system.cgroup_limits().map(|limits| limits.free_memory);
    match (system.available_memory(), limited) {
        // Systems that tell nothing are not restricted here; allocation itself may still fail.
        (0, None) => u64::MAX,
        (0, Some(limited)) => limited,
        (available, limited) => limited.map_or(available, |limited| available.min(limited)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_refused_before_they_are_allocated() {
        let mut room = Room {
            device: "h100".into(),
            device_bytes: 80 << 30,
            host_bytes: 16 << 30,
            used_bytes: 0,
        };
        room.take(12 << 30, "buffer `x`", None).unwrap();
        let error = room.take(5 << 30, "buffer `y`", None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "buffer `y` takes 5 GiB beside 12 GiB already taken; this computer has free 16 GiB"
        );
        room.give(12 << 30);
        let error = room.take(100 << 30, "buffer `y`", None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "buffer `y` takes 100 GiB; device `h100` has 80 GiB"
        );
        assert!(room.take(u64::MAX, "buffer `z`", None).is_err());
    }

    #[test]
    fn the_host_has_memory() {
        assert!(host_available_bytes() > 1 << 20);
    }
}
