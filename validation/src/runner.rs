//! Carrying targets out, on all host cores.

use rayon::prelude::*;

use crate::rig::RigError;
use crate::target::{Job, Outcome, Target};

/// Runs the points of a target whose device `wanted` takes; gives them in their order.
///
/// # Errors
/// The first point, in their order, that could not be measured.
pub fn run(target: &Target, wanted: impl Fn(&str) -> bool) -> Result<Vec<Outcome>, RigError> {
    let mut jobs = (target.jobs)()?;
    jobs.retain(|job| wanted(job.point.device));
    let outcomes: Vec<_> = jobs
        .into_par_iter()
        .with_max_len(1)
        .map(|Job { point, measure }| {
            let model = measure()?;
            Ok(Outcome { point, model })
        })
        .collect();
    outcomes.into_iter().collect()
}
