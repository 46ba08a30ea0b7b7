//! What the machine does, topic by topic: small kernels with results worked out by hand, under
//! both divergence models.

#[path = "../kit/mod.rs"]
mod kit;

mod atomics;
mod barriers;
mod calls;
mod memory;
mod progress;
mod warp_ops;
