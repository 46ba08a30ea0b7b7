//! Launch files. What they name is not opened.

use std::path::Path;

use warploom::launch_file::parse;

use crate::Features;

/// Reads the text as a launch file.
///
/// # Panics
/// On a mistake of Warploom's.
pub fn run(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    match parse("input.toml", &text, Path::new("")) {
        Ok(plan) => {
            features.add(plan.launches.len().min(4));
            features.add((
                plan.device.is_some(),
                plan.expect.len().min(3),
                plan.save.len().min(3),
            ));
            for launch in &plan.launches {
                assert!(launch.grid.count() >= 1 && launch.block.count() >= 1);
                let kinds = launch
                    .args
                    .iter()
                    .map(|arg| std::mem::discriminant(&arg.value));
                kinds.for_each(|kind| features.add(kind));
            }
        }
        Err(error) => {
            assert!(!error.diagnostics.is_empty());
            features.add_diagnostics(&error.diagnostics);
        }
    }
    features
}
