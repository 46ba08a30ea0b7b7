//! Random inputs for whatever reads the texts and files of strangers: nothing may panic, hang, or
//! take memory without bound, and every report must point into its text.
//!
//! A [`Target`] is a function that takes any bytes. Two drivers call it: the program of this crate,
//! a plain loop of mutations that runs on the stable compiler and in `cargo xtask test`, and
//! libFuzzer (`cargo fuzz`, nightly), for long searches. Both start from `corpus/`.
//!
//! A target returns the [`Features`] of its input: which messages it brought about, which
//! operations it executed, how that ended. The loop keeps mutants that show something new, which
//! stands in for the coverage that libFuzzer measures.

pub mod argument;
pub mod features;
pub mod launch_file;
pub mod lesson_text;
pub mod mutate;
pub mod npy;
pub mod ptx_text;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use features::Features;

/// Something that takes any bytes.
pub struct Target {
    /// Its name, which is also that of its folder in `corpus/`.
    pub name: &'static str,
    /// Feeds it an input.
    pub run: fn(&[u8]) -> Features,
    /// Its part of the time of a run over all targets, in percent.
    pub share_percent: u32,
    /// More seeds besides its corpus: folders of the workspace and the ending of the files there.
    seeds: &'static [(&'static str, &'static str)],
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "ptx_text",
        run: ptx_text::run,
        share_percent: 50,
        seeds: &[
            ("examples/cases", "ptx"),
            ("examples/clang", "ptx"),
            ("examples/cuda", "ptx"),
            ("examples/numba", "ptx"),
            ("examples/triton", "ptx"),
            ("crates/warploom-ptx/tests/bad", "ptx"),
        ],
    },
    Target {
        name: "lesson_text",
        run: lesson_text::run,
        share_percent: 20,
        seeds: &[
            ("lessons", "simt"),
            ("crates/warploom-lesson/tests/bad", "simt"),
        ],
    },
    Target {
        name: "launch_file",
        run: launch_file::run,
        share_percent: 15,
        seeds: &[("examples", "toml"), ("examples/cases", "toml")],
    },
    Target {
        name: "argument",
        run: argument::run,
        share_percent: 5,
        seeds: &[],
    },
    Target {
        name: "npy",
        run: npy::run,
        share_percent: 10,
        seeds: &[],
    },
];

/// Longest input that is tried.
pub const MAX_INPUT_BYTES: usize = 16 << 10;

impl Target {
    /// The inputs to start from, in an order that is always the same.
    ///
    /// # Errors
    /// When a folder or file cannot be read.
    pub fn seeds(&self) -> io::Result<Vec<Vec<u8>>> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = files(&here.join("corpus").join(self.name))?;
        for (folder, ending) in self.seeds {
            let more = files(&here.join("..").join(folder))?;
            let fits = |path: &PathBuf| path.extension().is_some_and(|e| e == *ending);
            paths.extend(more.into_iter().filter(fits));
        }
        let mut seeds = Vec::new();
        for path in paths {
            let seed = fs::read(path)?;
            if seed.len() <= MAX_INPUT_BYTES {
                seeds.push(seed);
            }
        }
        Ok(seeds)
    }
}

/// The files of a folder, by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}
