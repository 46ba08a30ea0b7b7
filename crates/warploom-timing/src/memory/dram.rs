//! Device memory: channels with a data bus each, banks with an open row each.
//!
//! A channel's bus has the bandwidth at the pins, less what refresh and turning the bus round take:
//! that share is documented for reads alone and for as much writing as reading, and lies between
//! them in proportion to the smaller of the two. A row that is not open has to be opened first,
//! which takes time and is limited in frequency by its bank. The controller takes requests for the
//! same row together: who asks for a row that others still wait for goes along with them.

use warploom_device::Device;
use warploom_device::schema::AddressHash;

use super::queue::{Queue, Rate, Ticks, ticks_f64};
use super::spread::Spread;

/// Steps in which the share of the scarcer direction is told apart.
const MIX_STEPS: u64 = 32;

/// Wait for device memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DramWait {
    /// Beyond the latency of an access whose row is open.
    pub wait: Ticks,
    /// What a write has to wait because the controller's queue is full.
    pub overflow: Ticks,
    /// Whether it opened a row.
    pub opened: bool,
}

pub(crate) struct Dram {
    channels: Vec<Channel>,
    banks: Vec<Bank>,
    rows: Vec<Row>,
    by_bank: Spread,
    rows_per_bank: usize,
    /// Bus time by the share of the scarcer direction, 0 to one half.
    bus: Vec<Rate>,
    burst_bytes: u32,
    horizon_bytes: u64,
    queue: Ticks,
    row_open: Ticks,
    row_cycle: Ticks,
}

#[derive(Debug, Clone, Default)]
struct Channel {
    bus: Queue,
    /// Bytes of the recent past.
    read_bytes: u64,
    written_bytes: u64,
}

#[derive(Debug, Clone, Default)]
struct Bank {
    /// When the next row can be opened.
    next: Ticks,
    /// Where among the bank's rows the newest one is.
    newest: usize,
}

#[derive(Debug, Clone)]
struct Row {
    row: u64,
    /// When it is open.
    ready: Ticks,
}

impl Dram {
    /// `most_row_open` bounds the time to open a row, so that it is no more than what an access to
    /// memory takes longer than one to the level before.
    pub(crate) fn new(device: &Device, most_row_open: Ticks) -> Dram {
        let dram = &device.timing.dram;
        let cycles_per_ns = device.clock_mhz / 1e3;
        let channel_bytes_per_cycle =
            device.memory.dram_gb_per_s / f64::from(dram.channels) / cycles_per_ns;
        let bus: Vec<Rate> = (0..=MIX_STEPS)
            .map(|step| {
                let mixed = step as f64 / MIX_STEPS as f64;
                let share =
                    dram.read_efficiency + (dram.mixed_efficiency - dram.read_efficiency) * mixed;
                Rate::new(channel_bytes_per_cycle * share)
            })
            .collect();
        let channels = dram.channels as usize;
        let banks = channels * dram.banks_per_channel as usize;
        let rows_per_bank = (dram.queue_entries / dram.banks_per_channel).max(1) as usize;
        let nothing = Row {
            row: u64::MAX,
            ready: 0,
        };
        Dram {
            channels: vec![Channel::default(); channels],
            banks: vec![Bank::default(); banks],
            rows: vec![nothing; banks * rows_per_bank],
            by_bank: Spread::new(u64::from(dram.banks_per_channel), AddressHash::Xor),
            rows_per_bank,
            queue: bus[0].cost(dram.burst_bytes) * u64::from(dram.queue_entries),
            bus,
            burst_bytes: dram.burst_bytes,
            horizon_bytes: u64::from(dram.banks_per_channel) * u64::from(dram.row_bytes),
            row_open: ticks_f64(dram.row_miss_ns * cycles_per_ns).min(most_row_open),
            row_cycle: ticks_f64(dram.row_cycle_ns * cycles_per_ns),
        }
    }

    /// How long each channel's bus is taken beyond `now`.
    pub(crate) fn backlogs(&self, now: Ticks) -> impl ExactSizeIterator<Item = Ticks> {
        let channels = self.channels.iter();
        channels.map(move |channel| channel.bus.backlog(now))
    }

    /// Time to open a row.
    pub(crate) fn row_open(&self) -> Ticks {
        self.row_open
    }

    /// Reads or writes `bytes` of a row; gives also how many bytes the bus moves for it.
    pub(crate) fn access(
        &mut self,
        now: Ticks,
        channel: usize,
        row: u64,
        bytes: u32,
        write: bool,
    ) -> (DramWait, u32) {
        let bytes = bytes.next_multiple_of(self.burst_bytes);
        let (bank_wait, opened) = self.open(now, channel, row);
        let channel = &mut self.channels[channel];
        if write {
            channel.written_bytes += u64::from(bytes);
        } else {
            channel.read_bytes += u64::from(bytes);
        }
        let sum = channel.read_bytes + channel.written_bytes;
        let scarcer = channel.read_bytes.min(channel.written_bytes);
        let step = scarcer * 2 * MIX_STEPS / sum.max(1);
        if sum > self.horizon_bytes {
            channel.read_bytes /= 2;
            channel.written_bytes /= 2;
        }
        let bus_wait = channel.bus.take(now, self.bus[step as usize].cost(bytes));
        let wait = DramWait {
            wait: bus_wait.max(bank_wait),
            overflow: bus_wait.saturating_sub(self.queue),
            opened,
        };
        (wait, bytes)
    }

    /// How long it takes until a row is open, and whether this access opened it.
    fn open(&mut self, now: Ticks, channel: usize, row: u64) -> (Ticks, bool) {
        let bank = channel * self.by_bank.count() + self.by_bank.part(row);
        let first = bank * self.rows_per_bank;
        let bank = &mut self.banks[bank];
        let rows = &mut self.rows[first..first + self.rows_per_bank];
        let found = rows.iter().enumerate().find(|(at, known)| {
            // An older row is closed, unless its turn is still to come.
            known.row == row && (*at == bank.newest || known.ready > now)
        });
        if let Some((_, known)) = found {
            return (known.ready.saturating_sub(now), false);
        }
        let start = bank.next.max(now);
        bank.next = start + self.row_cycle;
        bank.newest = (bank.newest + 1) % self.rows_per_bank;
        let ready = start + self.row_open;
        rows[bank.newest] = Row { row, ready };
        (ready - now, true)
    }

    /// All queues are empty; rows stay open.
    pub(crate) fn settle(&mut self) {
        for channel in &mut self.channels {
            channel.bus = Queue::default();
        }
        for bank in &mut self.banks {
            bank.next = 0;
        }
        for row in &mut self.rows {
            row.ready = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::ticks;
    use super::*;

    /// One channel at a gigahertz: 32 bytes a nanosecond at the pins, 16 on reads, 8 when mixed.
    fn dram() -> Dram {
        let mut device = Device::by_name("v100").unwrap();
        device
            .set_all([
                ("clock_mhz", "1000"),
                ("memory.dram_gb_per_s", "32"),
                ("timing.dram.channels", "1"),
                ("timing.dram.banks_per_channel", "2"),
                ("timing.dram.row_bytes", "1024"),
                ("timing.dram.read_efficiency", "0.5"),
                ("timing.dram.mixed_efficiency", "0.25"),
                ("timing.dram.row_miss_ns", "20"),
                ("timing.dram.row_cycle_ns", "50"),
                ("timing.dram.queue_entries", "4"),
            ])
            .unwrap();
        Dram::new(&device, ticks(1000))
    }

    fn read(dram: &mut Dram, now: u64, row: u64) -> (u64, bool) {
        let (wait, _) = dram.access(ticks(now), 0, row, 32, false);
        (wait.wait >> 12, wait.opened)
    }

    #[test]
    fn opening_a_row_takes_time() {
        let mut dram = dram();
        assert_eq!(read(&mut dram, 0, 0), (20, true));
        assert_eq!(read(&mut dram, 100, 0), (0, false));
        // The other bank.
        assert_eq!(read(&mut dram, 200, 1), (20, true));
        // Another row of the first bank: 0 and 3 fold to the same bit.
        assert_eq!(read(&mut dram, 300, 3), (20, true));
        assert_eq!(read(&mut dram, 400, 0), (20, true));
    }

    #[test]
    fn a_bank_opens_rows_only_so_often() {
        let mut dram = dram();
        assert_eq!(read(&mut dram, 0, 0), (20, true));
        // The bank can open its next row at 50.
        assert_eq!(read(&mut dram, 10, 3), (60, true));
        // Row 0 is no longer open; row 3 is still waited for, so that others can go along.
        assert_eq!(read(&mut dram, 30, 3), (40, false));
        assert_eq!(read(&mut dram, 60, 0), (60, true));
    }

    /// Each 32 bytes take two cycles of the bus when all are reads.
    #[test]
    fn the_bus_takes_one_after_the_other() {
        let mut dram = dram();
        read(&mut dram, 0, 0);
        let waits: Vec<u64> = (0..4).map(|_| read(&mut dram, 100, 0).0).collect();
        assert_eq!(waits, [0, 2, 4, 6]);
    }

    /// A thousand reads and writes by turns take four cycles each, or 3.88 when the shares are one
    /// step from even.
    #[test]
    fn turning_the_bus_round_costs() {
        let mut dram = dram();
        let mut last = DramWait {
            wait: 0,
            overflow: 0,
            opened: false,
        };
        for i in 0..1000 {
            last = dram.access(0, 0, 0, 32, i % 2 == 1).0;
        }
        let wait = last.wait >> 12;
        assert!((3850..=4000).contains(&wait), "{wait}");
        // The queue holds four transfers of two cycles.
        assert_eq!(last.overflow >> 12, wait - 8);
    }

    #[test]
    fn transfers_are_whole_bursts() {
        let mut dram = dram();
        dram.burst_bytes = 64;
        assert_eq!(dram.access(0, 0, 0, 32, false).1, 64);
        assert_eq!(dram.access(0, 0, 0, 128, false).1, 128);
    }
}
