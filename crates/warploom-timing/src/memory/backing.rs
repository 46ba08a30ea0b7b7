//! What is behind the L2: device memory, and a memory-side cache where there is one.

use warploom_device::Device;

use super::coalesce::LineShape;
use super::counters::MemoryCounters;
use super::dram::{Dram, DramWait};
use super::filling::FillingCache;
use super::queue::{Queue, Rate, Ticks, ticks, whole_cycles};
use super::topology::{MemoryPlace, Topology};
use super::way::Way;

/// Unloaded latencies of a read, from its issue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Behind {
    /// From device memory, without opening a row.
    pub dram: Ticks,
    /// From the memory-side cache.
    pub llc: Ticks,
}

pub(crate) struct Backing {
    llc: Option<Llc>,
    dram: Dram,
    shape: LineShape,
}

struct Llc {
    /// By channel.
    parts: Vec<(FillingCache, Queue)>,
    rate: Rate,
}

impl Backing {
    /// Device memory itself.
    pub(crate) fn dram(&self) -> &Dram {
        &self.dram
    }

    /// `most_row_open` as for [`Dram::new`].
    pub(crate) fn new(device: &Device, most_row_open: Ticks) -> Backing {
        let shape = LineShape::l2(device);
        let llc = device.timing.llc.as_ref().map(|llc| {
            let channels = device.timing.dram.channels.max(1);
            let bytes = device.memory.llc_bytes.unwrap_or(0) / u64::from(channels);
            let lines = bytes / shape.line_bytes();
            // Nobody gives its ways; those of the L2 stand in.
            let l2 = &device.timing.l2;
            let part = (FillingCache::new(lines, l2.ways, l2.hash), Queue::default());
            let bytes_per_cycle = llc.gb_per_s * 1e3 / device.clock_mhz;
            Llc {
                parts: vec![part; channels as usize],
                rate: Rate::new(bytes_per_cycle / f64::from(channels)),
            }
        });
        Backing {
            llc,
            dram: Dram::new(device, most_row_open),
            shape,
        }
    }

    /// Time to open a row of device memory.
    pub(crate) fn row_open(&self) -> Ticks {
        self.dram.row_open()
    }

    /// Reads sectors of a line at `now`.
    pub(crate) fn read(
        &mut self,
        now: Ticks,
        topology: &Topology,
        address: u64,
        sectors: u16,
        behind: Behind,
        counters: &mut MemoryCounters,
    ) -> Way {
        let place = topology.memory_place(address);
        let Some(llc) = &mut self.llc else {
            return Way {
                latency: behind.dram,
                wait: self.read_dram(now, place, sectors, counters),
                ready: 0,
            };
        };
        let (tags, queue) = &mut llc.parts[place.channel];
        let wait = queue.take(now, llc.rate.cost(self.shape.bytes(sectors)));
        let found = tags.look_up(place.index, self.shape.number(address), sectors, now);
        counters.llc_sectors += u64::from(sectors.count_ones());
        counters.llc_hit_sectors += u64::from((sectors & !found.missing).count_ones());
        counters.llc_wait_cycles += whole_cycles(wait);
        let mut way = Way {
            latency: behind.llc,
            wait,
            ready: found.ready,
        };
        if let Some(evicted) = found.evicted {
            let address = evicted.line * self.shape.line_bytes();
            let place = topology.memory_place(address);
            way = way.waiting(self.write_dram(now, place, evicted.dirty, counters));
        }
        if found.missing != 0 {
            way = way.join(Way {
                latency: behind.dram,
                wait: self.read_dram(now, place, found.missing, counters),
                ready: 0,
            });
            if let Some(llc) = &mut self.llc {
                let (tags, _) = &mut llc.parts[place.channel];
                tags.fill(found.slot, found.missing, now, way.done(now));
            }
        }
        way
    }

    /// Writes sectors of a line at `now`; gives how long the writer has to wait because queues are
    /// full.
    pub(crate) fn write(
        &mut self,
        now: Ticks,
        topology: &Topology,
        address: u64,
        sectors: u16,
        counters: &mut MemoryCounters,
    ) -> Ticks {
        if sectors == 0 {
            return 0;
        }
        let place = topology.memory_place(address);
        let Some(llc) = &mut self.llc else {
            return self.write_dram(now, place, sectors, counters);
        };
        let (tags, queue) = &mut llc.parts[place.channel];
        let wait = queue.take(now, llc.rate.cost(self.shape.bytes(sectors)));
        let found = tags.look_up(place.index, self.shape.number(address), sectors, now);
        tags.write(found.slot, sectors);
        counters.llc_wait_cycles += whole_cycles(wait);
        match found.evicted {
            None => wait,
            Some(evicted) => {
                let address = evicted.line * self.shape.line_bytes();
                let place = topology.memory_place(address);
                wait.max(self.write_dram(now, place, evicted.dirty, counters))
            }
        }
    }

    fn read_dram(
        &mut self,
        now: Ticks,
        place: MemoryPlace,
        sectors: u16,
        counters: &mut MemoryCounters,
    ) -> Ticks {
        let (wait, bytes) = self.access(now, place, sectors, false, counters);
        counters.dram_read_bytes += u64::from(bytes);
        // Opening a row is no waiting for others.
        let open = if wait.opened { self.dram.row_open() } else { 0 };
        counters.dram_wait_cycles += whole_cycles(wait.wait.saturating_sub(open));
        wait.wait
    }

    fn write_dram(
        &mut self,
        now: Ticks,
        place: MemoryPlace,
        sectors: u16,
        counters: &mut MemoryCounters,
    ) -> Ticks {
        if sectors == 0 {
            return 0;
        }
        let (wait, bytes) = self.access(now, place, sectors, true, counters);
        counters.dram_write_bytes += u64::from(bytes);
        wait.overflow
    }

    fn access(
        &mut self,
        now: Ticks,
        place: MemoryPlace,
        sectors: u16,
        write: bool,
        counters: &mut MemoryCounters,
    ) -> (DramWait, u32) {
        let bytes = self.shape.bytes(sectors);
        let (wait, bytes) = self
            .dram
            .access(now, place.channel, place.row, bytes, write);
        if wait.opened {
            counters.row_misses += 1;
        } else {
            counters.row_hits += 1;
        }
        (wait, bytes)
    }

    /// All queues are empty and everything has arrived.
    pub(crate) fn settle(&mut self) {
        self.dram.settle();
        if let Some(llc) = &mut self.llc {
            for (tags, queue) in &mut llc.parts {
                tags.settle();
                *queue = Queue::default();
            }
        }
    }
}

/// Latencies behind the L2 for lines whose home is near (first) and far (second).
///
/// The figure for device memory is the mean over all homes: where there are several, those in other
/// segments take longer by as much as an L2 hit there does, and those in the own segment less.
/// It includes opening a row, since it was measured by random accesses.
pub(crate) fn behind(device: &Device, row_open: Ticks) -> [Behind; 2] {
    let timing = &device.timing;
    let hit = timing.l2.hit_cycles;
    let segments = match timing.l2.far_cycles {
        Some(_) => u64::from(device.memory.l2_segments.max(1)),
        None => 1,
    };
    let farther = ticks(u64::from(
        timing.l2.far_cycles.unwrap_or(hit).saturating_sub(hit),
    ));
    let own_share = farther / segments;
    let mean = ticks(u64::from(timing.dram.latency_cycles));
    let llc = timing.llc.as_ref().map_or(hit, |llc| llc.hit_cycles);
    let llc = ticks(u64::from(llc));
    let near = (mean + own_share).saturating_sub(farther);
    [near, mean + own_share].map(|latency| Behind {
        dram: latency.saturating_sub(row_open).max(llc),
        llc,
    })
}

/// What opening a row may take at most, so that it is part of a near access's latency.
pub(crate) fn most_row_open(device: &Device) -> Ticks {
    let [near, _] = behind(device, 0);
    near.dram - near.llc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_memory_have_the_measured_mean() {
        let device = Device::by_name("a100-80").unwrap();
        let [near, far] = behind(&device, 0);
        assert_eq!(near.dram + far.dram, ticks(2 * 552));
        assert_eq!(far.dram - near.dram, ticks(357 - 206));
        let v100 = Device::by_name("v100").unwrap();
        let [near, far] = behind(&v100, ticks(40));
        assert_eq!((near.dram, far.dram), (ticks(390), ticks(390)));
        assert_eq!(most_row_open(&v100), ticks(430 - 212));
    }
}
