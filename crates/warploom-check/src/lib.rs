//! Checkers: observers of a machine that find what a kernel does wrong though this run of it came
//! out right.
//!
//! | module | holds |
//! | --- | --- |
//! | `race` | the race checker, and the essay on how it decides |
//! | `meet` | an access against what is known of its places |
//! | `clock` | what a thread knows of what others have done |
//! | `sync` | releases that wait in memory to be acquired |
//! | `shadow` | the last writes and the reads since of every byte |
//! | `record` | accesses and sets of readers, each kept once |
//! | `finding` | what was found |

mod clock;
mod finding;
mod meet;
mod race;
mod record;
mod shadow;
mod sync;

pub use finding::{Finding, Kind, Side};
pub use race::{RaceChecker, Shape};
