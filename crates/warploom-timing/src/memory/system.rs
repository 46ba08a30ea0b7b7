//! Everything behind the L1s: interconnect, L2, and what is behind that.
//!
//! # How time passes
//!
//! A request is answered at once with the cycle in which it will be done, so requests have to come
//! in the order of their cycles. On its way it takes its share of several servers: its SM's link,
//! its slice's data port and atomic unit, the links between segments, a channel of device memory.
//! Each is a queue of its own that is fed when the request is issued. The answer comes after the
//! latency of the level that had the data, and after the *longest* of the waits: in a row of queues
//! it is the slowest where requests gather, and while they wait there the others catch up.
//!
//! So an idle system answers after exactly the latency of the device's description, latency rises as
//! servers fill up, and each level's throughput ends at its server's bandwidth.
//!
//! Data that are on the way are not asked for again; a request for them waits until they arrive.

use warploom_device::Device;
use warploom_device::schema::{Flat, WritePolicy};

use super::backing::{Backing, Behind, behind, most_row_open};
use super::cache::{Evicted, Slot};
use super::coalesce::LineShape;
use super::counters::MemoryCounters;
use super::queue::{Queue, Rate, Ticks, cycle_from, mean_cycles, ticks, whole_cycles};
use super::slice::{Slice, SliceRates};
use super::tlb::{Tlb, Translation};
use super::topology::{Place, Topology};
use super::way::Way;

/// What an SM wants of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// The sectors' data.
    Read,
    /// To write to the sectors.
    Write {
        /// Bytes that it sends.
        bytes: u32,
    },
    /// Atomics in the L2.
    Atomic {
        /// How many.
        operations: u32,
        /// The most of them that are at one address.
        same_address: u32,
        /// Whether the SM gets the old values.
        returns: bool,
    },
}

/// A request for sectors of one line of the L1's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The SM's cycle from which the latencies of the device's description count.
    pub issue_cycle: u64,
    /// Number of the SM; one that the device does not have counts as the first.
    pub sm: u32,
    /// Address of the line.
    pub line: u64,
    /// Sectors of the line, the first one in the lowest bit.
    pub sectors: u16,
    /// What it is.
    pub kind: RequestKind,
}

/// The memory system behind the L1s of a device.
pub struct MemorySystem {
    flat: Option<Flat>,
    l1_shape: LineShape,
    shape: LineShape,
    topology: Topology,
    rates: SliceRates,
    slices: Vec<Slice>,
    write_policy: WritePolicy,
    backing: Backing,
    tlb: Option<Tlb>,
    /// By SM: what it receives, what it sends.
    links: Vec<[Queue; 2]>,
    receive: Rate,
    send: Rate,
    /// By segment: what comes from the others.
    segment_links: Vec<Queue>,
    segment: Option<Rate>,
    latency: Latency,
    spread_cycles: u64,
    counters: MemoryCounters,
}

/// Unloaded latencies from the issue; of pairs, the second is for a line with a far home.
struct Latency {
    hit: [Ticks; 2],
    /// A write is done for its SM when the near slice has it: half the way of a read.
    write: Ticks,
    atomic: Ticks,
    behind: [Behind; 2],
}

/// Sectors of a line of the L2.
#[derive(Debug, Clone, Copy)]
struct Piece {
    address: u64,
    sectors: u16,
    place: Place,
}

impl Piece {
    /// 1 for a line with a far home.
    fn far(&self) -> usize {
        usize::from(self.place.home != self.place.near)
    }
}

impl MemorySystem {
    /// The memory system of a device, with empty caches.
    pub fn new(device: &Device) -> MemorySystem {
        let timing = &device.timing;
        let topology = Topology::new(device);
        let slices = topology.slice_count();
        let backing = Backing::new(device, most_row_open(device));
        let interconnect = &timing.interconnect;
        let hit = timing.l2.hit_cycles;
        let far = timing.l2.far_cycles.unwrap_or(hit);
        MemorySystem {
            flat: timing.flat.clone(),
            l1_shape: LineShape::l1(device),
            shape: LineShape::l2(device),
            rates: SliceRates::new(device),
            slices: (0..slices).map(|_| Slice::new(device, slices)).collect(),
            write_policy: timing.l2.write_policy,
            tlb: Tlb::new(device),
            links: vec![[Queue::default(); 2]; device.sms.max(1) as usize],
            receive: Rate::new(f64::from(interconnect.sm_read_bytes_per_cycle)),
            send: Rate::new(f64::from(interconnect.sm_write_bytes_per_cycle)),
            segment_links: vec![Queue::default(); topology.segment_count()],
            segment: interconnect
                .segment_bytes_per_cycle
                .map(|bytes| Rate::new(f64::from(bytes))),
            latency: Latency {
                hit: [hit, far].map(|cycles| ticks(u64::from(cycles))),
                write: ticks(u64::from(hit)) / 2,
                atomic: ticks(u64::from(timing.atomics.global_cycles)),
                behind: behind(device, backing.row_open()),
            },
            spread_cycles: u64::from(interconnect.spread_cycles),
            topology,
            backing,
            counters: MemoryCounters::default(),
        }
    }

    /// No answer comes in fewer cycles than this after its request. At least 1.
    pub fn least_latency_cycles(&self) -> u64 {
        let least = match &self.flat {
            Some(flat) => u64::from(flat.load_cycles.min(flat.store_cycles)),
            None => {
                let answer = self.latency.hit[0].min(self.latency.atomic);
                let spread = self.spread_cycles.div_ceil(2);
                let answer = whole_cycles(answer).saturating_sub(spread);
                let write = whole_cycles(self.latency.write);
                answer.min(write.saturating_sub(spread.div_ceil(2)))
            }
        };
        least.max(1)
    }

    /// The cycle in which the data of a read or atomic are usable, or a write is done. Requests
    /// come in ascending `issue_cycle`.
    pub fn request(&mut self, request: &Request) -> u64 {
        let counters = &mut self.counters;
        match request.kind {
            RequestKind::Read => counters.reads += 1,
            RequestKind::Write { .. } => counters.writes += 1,
            RequestKind::Atomic { operations, .. } => {
                counters.atomics += 1;
                counters.atomic_operations += u64::from(operations);
            }
        }
        if let Some(flat) = &self.flat {
            let cycles = match request.kind {
                RequestKind::Write { .. } => flat.store_cycles,
                _ => flat.load_cycles,
            };
            return request.issue_cycle + u64::from(cycles);
        }
        let known = (request.sm as usize) < self.links.len();
        let request = Request {
            sm: if known { request.sm } else { 0 },
            sectors: request.sectors.max(1),
            ..*request
        };
        let done = if self.l1_shape == self.shape {
            self.piece(&request, request.line, request.sectors)
        } else {
            self.pieces(&request)
        };
        let done = done + u64::from(self.translate(&request));
        if answered(request.kind) {
            self.counters.answers += 1;
            self.counters.answer_cycles += done - request.issue_cycle;
        }
        done
    }

    fn translate(&mut self, request: &Request) -> u32 {
        let Some(tlb) = &mut self.tlb else {
            return 0;
        };
        let translation = tlb.translate(request.sm, request.line);
        self.counters.tlb_l1_misses += u64::from(translation != Translation::Sm);
        self.counters.tlb_l2_misses += u64::from(translation == Translation::Walk);
        tlb.cycles(translation)
    }

    /// Divides a request by lines of the L2, where they are not those of the L1.
    fn pieces(&mut self, request: &Request) -> u64 {
        let mut done = 0;
        let mut rest = *request;
        let mut line = self.shape.line(request.line);
        let mut mask = 0;
        for sector in (0..u16::BITS as u64).filter(|s| request.sectors >> s & 1 != 0) {
            let sector_bytes = self.l1_shape.sector_bytes();
            let start = request.line.saturating_add(sector * sector_bytes);
            let end = start.saturating_add(sector_bytes);
            let mut at = start;
            while at < end {
                if self.shape.line(at) != line {
                    if mask != 0 {
                        done = done.max(self.piece(&rest, line, mask));
                        rest.kind = without_payload(rest.kind);
                    }
                    line = self.shape.line(at);
                    mask = 0;
                }
                mask |= self.shape.sector(at);
                at = at.saturating_add(self.shape.sector_bytes());
            }
        }
        done.max(self.piece(&rest, line, mask.max(1)))
    }

    /// What a request for sectors of one line of the L2 does; the cycle in which it is done.
    fn piece(&mut self, request: &Request, address: u64, sectors: u16) -> u64 {
        let now = ticks(request.issue_cycle);
        let place = self.topology.place(request.sm, address);
        let piece = Piece {
            address,
            sectors,
            place,
        };
        let sm = request.sm as usize;
        let way = match request.kind {
            RequestKind::Read => {
                let link = self.receive(now, sm, sectors);
                self.read(now, piece).waiting(link)
            }
            RequestKind::Write { bytes } => {
                let link = self.send(now, sm, bytes);
                self.write(now, piece).waiting(link)
            }
            RequestKind::Atomic {
                operations,
                same_address,
                returns,
            } => {
                let mut link = self.send(now, sm, self.shape.bytes(sectors));
                if returns {
                    link = link.max(self.receive(now, sm, sectors));
                }
                let same_address = same_address.min(operations);
                self.atomic(now, piece, operations, same_address)
                    .waiting(link)
            }
        };
        let offset = match request.kind {
            RequestKind::Write { .. } => place.offset_cycles / 2,
            _ => place.offset_cycles,
        };
        cycle_from(way.done(now)).saturating_add_signed(offset)
    }

    fn read(&mut self, now: Ticks, piece: Piece) -> Way {
        let Piece { place, sectors, .. } = piece;
        let wait = self.transfer(now, place.near, sectors);
        let (way, slot, missing) = self.look_up(now, place.near, piece, self.latency.hit[0]);
        let mut way = way.waiting(wait);
        self.counters.l2_sectors += u64::from(sectors.count_ones());
        self.counters.l2_hit_sectors += u64::from((sectors & !missing).count_ones());
        if missing == 0 {
            return way;
        }
        let missing = Piece {
            sectors: missing,
            ..piece
        };
        way = way.join(if missing.far() == 0 {
            self.fetch(now, missing)
        } else {
            self.read_far(now, missing)
        });
        let near = &mut self.slices[place.near];
        near.tags.fill(slot, missing.sectors, now, way.done(now));
        way
    }

    /// Reads from the home in another segment what the own segment does not have.
    fn read_far(&mut self, now: Ticks, piece: Piece) -> Way {
        let Piece { place, sectors, .. } = piece;
        let wait = self
            .cross(now, place.near, sectors)
            .max(self.transfer(now, place.home, sectors));
        let (way, slot, missing) = self.look_up(now, place.home, piece, self.latency.hit[1]);
        let mut way = way.waiting(wait);
        self.counters.l2_far_hit_sectors += u64::from((sectors & !missing).count_ones());
        if missing != 0 {
            let missing = Piece {
                sectors: missing,
                ..piece
            };
            way = way.join(self.fetch(now, missing));
            // SMs of that segment have it earlier.
            let farther = self.latency.hit[1] - self.latency.hit[0];
            let arrival = way.done(now).saturating_sub(farther);
            let home = &mut self.slices[place.home];
            home.tags.fill(slot, missing.sectors, now, arrival);
        }
        way
    }

    /// Looks a line up in a slice and gives it a place there; tells which sectors are missing.
    fn look_up(
        &mut self,
        now: Ticks,
        slice: usize,
        piece: Piece,
        latency: Ticks,
    ) -> (Way, Slot, u16) {
        let line = self.shape.number(piece.address);
        let tags = &mut self.slices[slice].tags;
        let found = tags.look_up(piece.place.index, line, piece.sectors, now);
        let wait = match found.evicted {
            Some(evicted) => self.write_back(now, evicted),
            None => 0,
        };
        let way = Way {
            latency,
            wait,
            ready: found.ready,
        };
        (way, found.slot, found.missing)
    }

    /// Reads into the home slice what no part of the L2 has.
    fn fetch(&mut self, now: Ticks, piece: Piece) -> Way {
        self.counters.l2_miss_sectors += u64::from(piece.sectors.count_ones());
        let entry = self.slices[piece.place.home].miss_wait(now);
        self.counters.l2_wait_cycles += whole_cycles(entry);
        let behind = self.latency.behind[piece.far()];
        let way = self
            .backing
            .read(
                now,
                &self.topology,
                piece.address,
                piece.sectors,
                behind,
                &mut self.counters,
            )
            .waiting(entry);
        // An entry is held for what the miss takes beyond a hit.
        let end = way.done(now).saturating_sub(self.latency.hit[piece.far()]);
        self.slices[piece.place.home].miss_until(end);
        way
    }

    fn write(&mut self, now: Ticks, piece: Piece) -> Way {
        let Piece { place, sectors, .. } = piece;
        let mut wait = self.transfer(now, place.home, sectors);
        if piece.far() == 1 {
            wait = wait.max(self.cross(now, place.home, sectors));
        }
        self.counters.l2_write_sectors += u64::from(sectors.count_ones());
        let latency = self.latency.write;
        let line = self.shape.number(piece.address);
        let mut way = Way {
            latency,
            wait,
            ready: 0,
        };
        match self.write_policy {
            WritePolicy::WriteBack => {
                let (found, slot, _) = self.look_up(now, place.home, piece, latency);
                // It waits for room, but not for what was there before.
                way = way.waiting(found.wait);
                self.slices[place.home].tags.write(slot, sectors);
            }
            WritePolicy::WriteThrough => way = way.waiting(self.write_on(now, piece)),
            WritePolicy::WriteEvict => {
                self.slices[place.home].tags.remove(place.index, line);
                way = way.waiting(self.write_on(now, piece));
            }
        }
        way
    }

    fn atomic(&mut self, now: Ticks, piece: Piece, operations: u32, same_address: u32) -> Way {
        let Piece { place, sectors, .. } = piece;
        let far = piece.far();
        let mut wait = self.transfer(now, place.home, sectors);
        if far == 1 {
            wait = wait.max(self.cross(now, place.home, sectors));
        }
        let line = self.shape.number(piece.address);
        let slice = &mut self.slices[place.home];
        let (unit, longer) = slice.perform(now, line, operations, same_address, &self.rates);
        self.counters.l2_wait_cycles += whole_cycles(unit);
        let (way, slot, missing) = self.look_up(now, place.home, piece, self.latency.hit[far]);
        let mut way = way.waiting(wait.max(unit));
        let there = u64::from((sectors & !missing).count_ones());
        self.counters.l2_sectors += u64::from(sectors.count_ones());
        if far == 1 {
            self.counters.l2_far_hit_sectors += there;
        } else {
            self.counters.l2_hit_sectors += there;
        }
        if missing != 0 {
            let missing = Piece {
                sectors: missing,
                ..piece
            };
            way = way.join(self.fetch(now, missing));
            let slice = &mut self.slices[place.home];
            slice.tags.fill(slot, missing.sectors, now, way.done(now));
        }
        match self.write_policy {
            WritePolicy::WriteBack => self.slices[place.home].tags.write(slot, sectors),
            _ => way = way.waiting(self.write_on(now, piece)),
        }
        // A level farther away costs an atomic as much more as a read.
        way.latency = (way.latency + self.latency.atomic + longer) - self.latency.hit[0];
        way
    }

    /// Writes what an evicted line has changed to the next level; gives the wait for room there.
    fn write_back(&mut self, now: Ticks, evicted: Evicted) -> Ticks {
        let address = evicted.line * self.shape.line_bytes();
        self.write_behind(now, address, evicted.dirty)
    }

    /// Writes sectors to the next level at once.
    fn write_on(&mut self, now: Ticks, piece: Piece) -> Ticks {
        self.write_behind(now, piece.address, piece.sectors)
    }

    fn write_behind(&mut self, now: Ticks, address: u64, sectors: u16) -> Ticks {
        let counters = &mut self.counters;
        self.backing
            .write(now, &self.topology, address, sectors, counters)
    }

    /// Moves sectors to an SM; gives the wait.
    fn receive(&mut self, now: Ticks, sm: usize, sectors: u16) -> Ticks {
        let bytes = self.shape.bytes(sectors);
        self.counters.sm_read_bytes += u64::from(bytes);
        let wait = self.links[sm][0].take(now, self.receive.cost(bytes));
        self.counters.link_wait_cycles += whole_cycles(wait);
        wait
    }

    /// Moves bytes from an SM; gives the wait.
    fn send(&mut self, now: Ticks, sm: usize, bytes: u32) -> Ticks {
        self.counters.sm_write_bytes += u64::from(bytes);
        let wait = self.links[sm][1].take(now, self.send.cost(bytes));
        self.counters.link_wait_cycles += whole_cycles(wait);
        wait
    }

    /// Moves sectors through a slice's data port; gives the wait.
    fn transfer(&mut self, now: Ticks, slice: usize, sectors: u16) -> Ticks {
        let bytes = self.shape.bytes(sectors);
        let wait = self.slices[slice].transfer(now, bytes, &self.rates);
        self.counters.l2_wait_cycles += whole_cycles(wait);
        wait
    }

    /// Moves sectors from another segment to that of a slice; gives the wait.
    fn cross(&mut self, now: Ticks, to_slice: usize, sectors: u16) -> Ticks {
        let bytes = self.shape.bytes(sectors);
        self.counters.segment_bytes += u64::from(bytes);
        let Some(rate) = self.segment else {
            return 0;
        };
        let segment = self.topology.segment_of_slice(to_slice);
        let wait = self.segment_links[segment].take(now, rate.cost(bytes));
        self.counters.segment_wait_cycles += whole_cycles(wait);
        wait
    }

    /// Cycles for which the data ports of the L2 and the channels of device memory are taken beyond
    /// `now`, on average.
    pub fn backlog_cycles(&self, now: u64) -> [f64; 2] {
        let now = ticks(now);
        let ports = self.slices.iter().map(|slice| slice.backlog(now));
        [
            mean_cycles(ports),
            mean_cycles(self.backing.dram().backlogs(now)),
        ]
    }

    /// What was counted since the system was made.
    pub fn counters(&self) -> &MemoryCounters {
        &self.counters
    }

    /// Makes cycles begin anew, as for another launch: nothing is on the way and nobody waits, but
    /// the caches keep their lines.
    pub fn settle(&mut self) {
        self.links.fill([Queue::default(); 2]);
        self.segment_links.fill(Queue::default());
        self.slices.iter_mut().for_each(Slice::settle);
        self.backing.settle();
    }
}

/// Whether the SM gets data.
fn answered(kind: RequestKind) -> bool {
    match kind {
        RequestKind::Read => true,
        RequestKind::Write { .. } => false,
        RequestKind::Atomic { returns, .. } => returns,
    }
}

/// A request whose bytes and operations have been counted already.
fn without_payload(kind: RequestKind) -> RequestKind {
    match kind {
        RequestKind::Read => RequestKind::Read,
        RequestKind::Write { .. } => RequestKind::Write { bytes: 0 },
        RequestKind::Atomic { returns, .. } => RequestKind::Atomic {
            operations: 0,
            same_address: 0,
            returns,
        },
    }
}
