//! Address translation: pages that each SM knows, and pages that the device knows.

use warploom_device::Device;
use warploom_device::schema::AddressHash;

use super::cache::Cache;
use super::spread::Divider;

/// Where a page was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Translation {
    /// The SM knows it.
    Sm,
    /// The device knows it.
    Device,
    /// Nobody did.
    Walk,
}

/// Translation buffers of a device, least recently used page first to go.
#[derive(Debug, Clone)]
pub struct Tlb {
    page: Divider,
    sms: Vec<Cache>,
    device: Cache,
    device_cycles: u32,
    walk_cycles: u32,
}

impl Tlb {
    /// None where the device does not model it.
    pub fn new(device: &Device) -> Option<Tlb> {
        let tlb = &device.timing.tlb;
        if !tlb.enabled {
            return None;
        }
        let sm = Cache::new(u64::from(tlb.l1_entries), tlb.l1_entries, AddressHash::Xor);
        let entries = u64::from(tlb.l2_entries);
        Some(Tlb {
            page: Divider::new(tlb.page_bytes),
            sms: vec![sm; device.sms.max(1) as usize],
            device: Cache::new(entries, device.timing.l2.ways, AddressHash::Xor),
            device_cycles: tlb.l1_miss_cycles,
            walk_cycles: tlb.l2_miss_cycles,
        })
    }

    /// Translates an address for an SM, which knows its page from then on. An SM that the device
    /// does not have counts as its first.
    pub fn translate(&mut self, sm: u32, address: u64) -> Translation {
        let (page, _) = self.page.divide(address);
        let sm = if (sm as usize) < self.sms.len() {
            sm as usize
        } else {
            0
        };
        if self.sms[sm].find(page, page).is_some() {
            return Translation::Sm;
        }
        self.sms[sm].place(page, page);
        if self.device.find(page, page).is_some() {
            return Translation::Device;
        }
        self.device.place(page, page);
        Translation::Walk
    }

    /// What it costs beyond the latency of an access, in cycles.
    pub fn cycles(&self, translation: Translation) -> u32 {
        match translation {
            Translation::Sm => 0,
            Translation::Device => self.device_cycles,
            Translation::Walk => self.walk_cycles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_off_unless_asked_for() {
        assert!(Tlb::new(&Device::by_name("v100").unwrap()).is_none());
    }

    #[test]
    fn pages_are_known_to_the_sm_then_to_the_device() {
        let mut device = Device::by_name("v100").unwrap();
        device
            .set_all([
                ("timing.tlb.enabled", "true"),
                ("timing.tlb.l1_entries", "2"),
                ("timing.tlb.page_bytes", "4096"),
            ])
            .unwrap();
        let mut tlb = Tlb::new(&device).unwrap();
        let mut found = |sm, page: u64| tlb.translate(sm, 4096 * page + 100);
        assert_eq!(found(0, 1), Translation::Walk);
        assert_eq!(found(0, 1), Translation::Sm);
        assert_eq!(found(3, 1), Translation::Device);
        assert_eq!(found(0, 2), Translation::Walk);
        assert_eq!(found(0, 3), Translation::Walk);
        // Page 1 had to go.
        assert_eq!(found(0, 1), Translation::Device);
        assert_eq!(tlb.cycles(Translation::Device), 60);
        assert_eq!(tlb.cycles(Translation::Walk), 650);
    }
}
