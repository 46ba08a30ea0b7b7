//! The little languages of the command line: `--arg`, `--grid`, `--out`. An input is a list of
//! words, one a line.

use warploom::Plan;
use warploom::arg::Arg;
use warploom::plan::{Extent, LaunchPlan};
use warploom::text::Spot;

use crate::Features;

/// Reads each line as an argument, as sizes, and as a place to save to.
///
/// # Panics
/// On a mistake of Warploom's.
pub fn run(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    let (mut plan, mut launch) = (Plan::default(), LaunchPlan::default());
    for line in text.lines().take(64) {
        match Arg::parse(&Spot::whole("--arg", line)) {
            Ok(arg) => match plan.add_args(&mut launch, [arg]) {
                Ok(()) => features.add(launch.args.len().min(4)),
                Err(error) => features.add_diagnostics(&error.diagnostics),
            },
            Err(error) => features.add_diagnostics(&[error]),
        }
        match Extent::parse(Spot::whole("--grid", line)) {
            Ok(extent) => assert!(extent.count() >= 1),
            Err(error) => features.add_diagnostics(&[error]),
        }
        if let Err(error) = plan.add_save(&Spot::whole("--out", line)) {
            features.add_diagnostics(&error.diagnostics);
        }
    }
    features
}
