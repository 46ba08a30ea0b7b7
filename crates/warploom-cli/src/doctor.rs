//! `warploom doctor`: what is installed, and what each missing thing would enable.

use std::path::Path;

use serde::Serialize;
use serde_json::json;
use warploom::compiler::{Toolchain, Way, cache_folder};
use warploom::report::SCHEMA_VERSION;

use crate::output::{Done, Output};
use crate::table::{Align, Rows};

/// A thing that can be installed.
#[derive(Serialize)]
struct Part {
    name: &'static str,
    found: bool,
    path: Option<String>,
    /// Whether a small kernel was compiled with it; `None` where nothing can be tried.
    works: Option<bool>,
    /// What the compiler said instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    enables: &'static str,
    install: &'static str,
}

impl Part {
    /// With where it is, and what a trial of it says.
    fn tried(self, path: Option<&Path>, way: Option<Way<'_>>) -> Part {
        let trial = way.map(|way| way.check());
        Part {
            found: path.is_some(),
            path: path.map(|path| path.display().to_string()),
            works: trial.as_ref().map(Result::is_ok),
            problem: trial.and_then(Result::err),
            ..self
        }
    }

    const fn new(name: &'static str, enables: &'static str, install: &'static str) -> Part {
        Part {
            name,
            found: false,
            path: None,
            works: None,
            problem: None,
            enables,
            install,
        }
    }
}

/// Looks, tries and tells. Nothing that is missing is a failure: PTX needs none of it.
pub fn run(output: &mut Output) -> Done {
    let tools = Toolchain::of_this_process();
    let toolkit = tools.toolkit.as_deref();
    let way = |tool, toolkit| Way { tool, toolkit };
    let (nvcc, clang) = (tools.nvcc.as_ref(), tools.clang.as_ref());
    let parts = [
        Part::new(
            "nvcc",
            "`.cu` files",
            "the CUDA toolkit, or `pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm \
             nvidia-cuda-runtime nvidia-cuda-cccl`",
        )
        .tried(
            nvcc.map(|tool| tool.path.as_path()),
            nvcc.map(|tool| way(tool, None)),
        ),
        Part::new(
            "clang",
            "`.cu` files without nvcc",
            "clang 14 or newer, with the NVPTX target",
        )
        .tried(
            clang.map(|tool| tool.path.as_path()),
            clang.map(|tool| way(tool, None)),
        ),
        Part::new(
            "CUDA headers",
            "`.cu` files that include CUDA headers, with clang",
            "the CUDA toolkit, of a version that this clang knows",
        )
        .tried(
            toolkit,
            clang
                .filter(|_| toolkit.is_some())
                .map(|tool| way(tool, toolkit)),
        ),
        Part::new(
            "ptxas",
            "true register counts (`run --timing --ptxas`)",
            "the CUDA toolkit, or `pip install nvidia-cuda-nvcc`",
        )
        .tried(tools.ptxas.as_deref(), None),
    ];
    let mut table = Rows::new(&[
        ("", Align::Left),
        ("found", Align::Left),
        ("works", Align::Left),
        ("enables", Align::Left),
    ]);
    for part in &parts {
        let works = match part.works {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        };
        table.row([
            part.name.to_owned(),
            part.path.clone().unwrap_or_else(|| "no".to_owned()),
            works.to_owned(),
            part.enables.to_owned(),
        ]);
    }
    let mut text = table.draw();
    for part in &parts {
        if let Some(problem) = &part.problem {
            let problem = crate::table::clean(problem.lines().next().unwrap_or_default());
            text.push_str(&format!("\n{}: does not work: {problem}\n", part.name));
        }
        if !part.found {
            text.push_str(&format!("\n{}: install {}\n", part.name, part.install));
        }
    }
    let cache = cache_folder().map(|path| path.display().to_string());
    if let Some(path) = &cache {
        text.push_str(&format!("\ncompiled files are kept in {path}\n"));
    }
    output.text(&text)?;
    output.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "parts": parts,
        "cache": cache,
    }))?;
    Ok(0)
}
