//! Carrying targets out, on all host cores.

use rayon::prelude::*;

use crate::rig::RigError;
use crate::target::{Job, Outcome, Target};

/// Runs the points of a target whose device `wanted` takes, in their order. `done` hears of each
/// that is there, in any order.
///
/// # Errors
/// The first point, in their order, that could not be measured.
pub fn run(
    target: &Target,
    wanted: impl Fn(&str) -> bool,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Outcome>, RigError> {
    let mut jobs = (target.jobs)()?;
    jobs.retain(|job| wanted(job.point.device));
    let outcomes: Vec<_> = jobs
        .into_par_iter()
        .with_max_len(1)
        .map(|Job { point, measure }| {
            let model = measure()?;
            done();
            Ok(Outcome { point, model })
        })
        .collect();
    outcomes.into_iter().collect()
}
