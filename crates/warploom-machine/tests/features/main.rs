//! What the machine does, topic by topic: small kernels with results worked out by hand, under
//! both divergence models.

#[path = "../kit/mod.rs"]
mod kit;

mod atomics;
mod barriers;
mod calls;
mod counting;
mod host_calls;
mod lanes;
mod launches;
mod memory;
mod progress;
mod shortcuts;
mod special_registers;
mod warp_ops;
