//! The memory of a chip: L1, L2, device memory, and the way between them.
