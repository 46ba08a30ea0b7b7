//! What the memory system counts.

macro_rules! counters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: u64,)*
        }

        impl $name {
            /// Adds the counts of another part or launch.
            pub fn add(&mut self, other: &$name) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

counters! {
    /// Counts of a memory system or of an L1. All of them add up over parts and launches.
    MemoryCounters {
        /// Lines that loads looked up in an L1.
        l1_lines,
        /// Their sectors.
        l1_sectors,
        /// Those that it had.
        l1_hit_sectors,
        /// Those that were on the way already.
        l1_merged_sectors,
        /// Lines that had to wait because misses had no room.
        l1_stalls,
        /// Sectors that stores sent on.
        l1_write_sectors,
        /// Read requests.
        reads,
        /// Write requests.
        writes,
        /// Atomic requests.
        atomics,
        /// Reads, and atomics that return values.
        answers,
        /// Operations of atomic requests.
        atomic_operations,
        /// Bytes that SMs received.
        sm_read_bytes,
        /// Bytes that SMs sent.
        sm_write_bytes,
        /// Sectors looked up in the L2 by reads and atomics, once each.
        l2_sectors,
        /// Those that the SM's own segment had, or was about to have.
        l2_hit_sectors,
        /// Those that another segment had, or was about to have.
        l2_far_hit_sectors,
        /// Those that no part of the L2 had.
        l2_miss_sectors,
        /// Sectors written to the L2.
        l2_write_sectors,
        /// Bytes that went from one segment to another.
        segment_bytes,
        /// Sectors looked up in the memory-side cache by reads.
        llc_sectors,
        /// Those that it had.
        llc_hit_sectors,
        /// Bytes read from device memory.
        dram_read_bytes,
        /// Bytes written to device memory.
        dram_write_bytes,
        /// Accesses to device memory that found their row open or about to be opened.
        row_hits,
        /// Accesses that opened a row.
        row_misses,
        /// Pages that an SM did not know.
        tlb_l1_misses,
        /// Pages that the device did not know.
        tlb_l2_misses,
        /// Cycles that requests would have waited for their SM's links alone; waits at different
        /// places overlap.
        link_wait_cycles,
        /// The same for the links between segments.
        segment_wait_cycles,
        /// The same for slices of the L2: data port, atomics, outstanding misses.
        l2_wait_cycles,
        /// The same for the memory-side cache.
        llc_wait_cycles,
        /// The same for device memory.
        dram_wait_cycles,
        /// Cycles from reads, and from atomics that return values, to their answers.
        answer_cycles,
    }
}
