//! The divergence lab: one branch under three conditions, and what the machine counted, kept in a
//! folder as evidence.

use std::fs;
use std::path::Path;

use crate::shell;

/// What the lab consists of: launch file with block shape and conditions, source, PTX.
const INPUTS: [&str; 3] = [
    "examples/divergence-lab.toml",
    "examples/cuda/divergence-lab.cu",
    "examples/cuda/divergence-lab.ptx",
];

/// Runs the lab under both divergence models and writes inputs, counters (`.json`) and the report
/// as a reader sees it (`.txt`) to a folder, `target/divergence-lab` if none is given.
///
/// # Errors
///
/// When a run fails or the folder cannot be written.
pub fn command(arguments: &[String]) -> Result<(), String> {
    let folder = match arguments {
        [] => shell::root().join("target/divergence-lab"),
        [folder] => Path::new(folder).to_owned(),
        _ => return Err("usage: cargo xtask lab [FOLDER]".to_owned()),
    };
    let failed = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let folder = fs::canonicalize(&folder).map_err(failed)?;
    for input in INPUTS {
        let from = shell::root().join(input);
        let name = from.file_name().unwrap_or_default();
        fs::copy(&from, folder.join(name)).map_err(failed)?;
    }
    for model in ["ipdom", "its"] {
        let json = folder.join(format!("{model}.json"));
        let mut run = shell::cargo();
        run.args([
            "run",
            "--quiet",
            "--release",
            "-p",
            "warploom-cli",
            "--",
            "run",
        ]);
        run.args([INPUTS[0], "--divergence", model, "--json"])
            .arg(&json);
        let report = shell::capture(&mut run)?;
        fs::write(folder.join(format!("{model}.txt")), report).map_err(failed)?;
    }
    println!("evidence in {}", folder.display());
    Ok(())
}
