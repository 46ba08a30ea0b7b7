//! How long things take on the way to device memory.

use serde::{Deserialize, Serialize};

use super::table::{Field, Number, Part, Range, choice, join, table};

table! {
    /// Shared memory. It serves `shared.banks` × `shared.bank_bytes` a pass.
    SharedTiming {
        /// Cycles from the issue of a load of one pass until its result can be used.
        load_cycles: u32 = 1..=100_000,
        /// Cycles from the issue of a store until it is done.
        store_cycles: u32 = 1..=100_000,
        /// Cycles of each pass.
        pass_cycles: u32 = 1..=1024,
    }
}

table! {
    /// Constant caches.
    ConstantCache {
        /// First level, per SM.
        l1_bytes: u32 = 1..=16_777_216,
        /// Line of the first level.
        l1_line_bytes: u32 = 1..=4096,
        /// Cycles of a load that it has.
        l1_cycles: u32 = 1..=100_000,
        /// Second level, per SM.
        l15_bytes: u32 = 1..=16_777_216,
        /// Line of the second level.
        l15_line_bytes: u32 = 1..=4096,
        /// Cycles of a load that it has.
        l15_cycles: u32 = 1..=100_000,
        /// Cycles by which a constant operand that is not in the first level delays its
        /// instruction.
        operand_miss_cycles: u32 = 0..=100_000,
    }
}

choice! {
    /// What a store does to a cache.
    WritePolicy {
        /// It goes on to the next level; a line that is there is kept up to date.
        WriteThrough = "write-through",
        /// It stays until its line is evicted.
        WriteBack = "write-back",
        /// It goes on to the next level, and a line that is there is dropped.
        WriteEvict = "write-evict",
    }
}

table! {
    /// L1 data cache of an SM. Size and line are in `memory`.
    L1 {
        /// Cycles from the issue of a load until its result can be used, on a hit.
        hit_cycles: u32 = 1..=100_000,
        /// Lines of a set.
        ways: u32 = 1..=4096,
        /// Different lines of one instruction that are looked up in a cycle.
        lines_per_cycle: u32 = 1..=64,
        /// Outstanding misses of sectors.
        mshr_entries: u32 = 1..=65_536,
        /// Requests that can wait for one of them.
        mshr_merges: u32 = 1..=65_536,
        /// What a store does.
        write_policy: WritePolicy,
        /// Whether a store that misses brings its line in.
        write_allocate: bool,
    }
}

table! {
    /// Address translation; left out of the account unless it is enabled.
    Tlb {
        /// Whether it is modelled.
        enabled: bool,
        /// Page.
        page_bytes: u64 = 1024..=1_099_511_627_776.0,
        /// Pages that an SM knows.
        l1_entries: u32 = 1..=1_048_576,
        /// Extra cycles for a page that the device knows and the SM does not.
        l1_miss_cycles: u32 = 0..=1_000_000,
        /// Pages that the device knows.
        l2_entries: u32 = 1..=16_777_216,
        /// Extra cycles for any other page.
        l2_miss_cycles: u32 = 0..=1_000_000,
    }
}

table! {
    /// Between the SMs and the L2. Its least latency is part of that of the L2.
    Interconnect {
        /// Cycles between the nearest and the farthest pair of SM and slice, one segment's. The
        /// latencies of the L2 are the means.
        spread_cycles: u32 = 0..=100_000,
        /// Bytes that an SM receives a cycle.
        sm_read_bytes_per_cycle: u32 = 1..=65_536,
        /// Bytes that an SM sends a cycle.
        sm_write_bytes_per_cycle: u32 = 1..=65_536,
        /// Bytes a cycle between two segments of the L2, all slices together and each way.
        segment_bytes_per_cycle: Option<u32> = 1..=1_048_576,
    }
}

choice! {
    /// Which slice and channel an address belongs to.
    AddressHash {
        /// The bits above the interleaving unit, folded by exclusive or.
        Xor = "xor",
        /// The bits above the interleaving unit, as a remainder.
        Modulo = "modulo",
    }
}

table! {
    /// L2 cache. Size and segments are in `memory`.
    L2 {
        /// Cycles from the issue of a load until its result can be used, on a hit in the SM's own
        /// segment.
        hit_cycles: u32 = 1..=100_000,
        /// The same for a line that only another segment has.
        far_cycles: Option<u32> = 1..=100_000,
        /// Slices of the device.
        slices: u32 = 1..=4096,
        /// Bytes that a slice reads or writes in a cycle of its clock.
        slice_bytes_per_cycle: u32 = 1..=4096,
        /// Share of the slices' bandwidth that is reached: measured plateau over all slices at once.
        efficiency: f64 = 0.01..=1,
        /// Clock, where it is not the SM's, MHz.
        clock_mhz: Option<f64> = 1..=100_000,
        /// Lines of a set.
        ways: u32 = 1..=4096,
        /// Line.
        line_bytes: u32 = 1..=4096,
        /// Outstanding misses of a slice.
        mshr_entries: u32 = 1..=65_536,
        /// Requests that wait before a slice.
        queue_entries: u32 = 1..=65_536,
        /// Bytes in a row that belong to one slice.
        interleave_bytes: u32 = 32..=1_048_576,
        /// How addresses are spread over slices and channels.
        hash: AddressHash,
        /// What a store does.
        write_policy: WritePolicy,
    }
}

table! {
    /// Memory-side cache behind the L2.
    Llc {
        /// Cycles from the issue of a load until its result can be used, on a hit.
        hit_cycles: u32 = 1..=100_000,
        /// Read bandwidth, 10⁹ bytes a second.
        gb_per_s: f64 = 0.001..=10_000_000,
    }
}

table! {
    /// Device memory. Size and bandwidth at the pins are in `memory`.
    Dram {
        /// Cycles from the issue of a load until its result can be used, unloaded, past all caches.
        latency_cycles: u32 = 1..=1_000_000,
        /// Channels that work side by side.
        channels: u32 = 1..=65_536,
        /// Share of the bandwidth at the pins that reads alone reach: refresh, and the measured
        /// plateau.
        read_efficiency: f64 = 0.01..=1,
        /// The same when as much is written as read: turning the bus round costs the rest.
        mixed_efficiency: f64 = 0.01..=1,
        /// Bytes of a transfer.
        burst_bytes: u32 = 1..=4096,
        /// Banks of a channel.
        banks_per_channel: u32 = 1..=4096,
        /// Row of a bank.
        row_bytes: u32 = 32..=1_048_576,
        /// Time by which opening another row delays an access, nanoseconds.
        row_miss_ns: f64 = 0..=10_000,
        /// Least time between openings of two rows of one bank, nanoseconds.
        row_cycle_ns: f64 = 0..=10_000,
        /// Requests that wait before a channel.
        queue_entries: u32 = 1..=65_536,
    }
}

table! {
    /// Atomics on global and shared memory.
    Atomics {
        /// Cycles of a global atomic that returns a value, in the L2, undisturbed.
        global_cycles: u32 = 1..=100_000,
        /// 32-bit atomics that a slice performs in a cycle, at different addresses.
        slice_per_cycle: u32 = 1..=1024,
        /// Cycles between two atomics at one address.
        same_address_cycles: u32 = 1..=10_000,
        /// Cycles of an atomic on shared memory that returns a value.
        shared_cycles: u32 = 1..=100_000,
        /// Cycles between two of them at one address.
        shared_same_address_cycles: u32 = 1..=10_000,
    }
}

table! {
    /// Shared memory of other blocks of a cluster, and bulk copies.
    ClusterTiming {
        /// Cycles of a load from another block's shared memory.
        remote_load_cycles: u32 = 1..=100_000,
        /// Bytes a cycle that an SM receives from others.
        remote_bytes_per_cycle: f64 = 0.01..=65_536,
        /// Cycles of a bulk copy beyond those of a load from the same level.
        bulk_copy_cycles: u32 = 0..=100_000,
    }
}
