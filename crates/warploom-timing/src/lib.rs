//! The chip in time: how many cycles a kernel takes, and why.

pub mod chip;
mod costs;
pub mod crew;
mod group;
pub mod latency;
pub mod lower;
pub mod memory;
pub mod schedule;
mod sm;
pub mod stall;
pub mod stream;
mod tally;
pub mod trace;

pub use chip::{Crewed, Timing, TimingError, TimingOptions, run, run_crewed};
pub use crew::Crew;
pub use stall::{Reason, Stalls};
pub use tally::{Issued, Issues, Tally};
