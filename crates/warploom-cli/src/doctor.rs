//! `warploom doctor`: what is installed, and what each missing thing would enable.

use serde::Serialize;
use serde_json::json;
use warploom::compiler::{Toolchain, cache_folder};
use warploom::report::SCHEMA_VERSION;

use crate::output::{Done, Output};
use crate::table::{Align, Rows};

/// A thing that can be installed.
#[derive(Serialize)]
struct Part {
    name: &'static str,
    found: bool,
    path: Option<String>,
    enables: &'static str,
    install: &'static str,
}

/// Looks and tells. Nothing that is missing is a failure: PTX needs none of it.
pub fn run(output: &mut Output) -> Done {
    let tools = Toolchain::of_this_process();
    let parts = [
        Part {
            name: "nvcc",
            found: tools.nvcc.is_some(),
            path: tools
                .nvcc
                .as_ref()
                .map(|tool| tool.path.display().to_string()),
            enables: "`.cu` files",
            install: "the CUDA toolkit, or `pip install nvidia-cuda-nvcc nvidia-cuda-crt \
                      nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl`",
        },
        Part {
            name: "clang",
            found: tools.clang.is_some(),
            path: tools
                .clang
                .as_ref()
                .map(|tool| tool.path.display().to_string()),
            enables: "`.cu` files without nvcc",
            install: "clang 14 or newer, with the NVPTX target",
        },
        Part {
            name: "CUDA headers",
            found: tools.toolkit.is_some(),
            path: tools
                .toolkit
                .as_ref()
                .map(|path| path.display().to_string()),
            enables: "`.cu` files that include CUDA headers, with clang",
            install: "the CUDA toolkit, or `pip install nvidia-cuda-runtime`",
        },
    ];
    let mut table = Rows::new(&[
        ("", Align::Left),
        ("found", Align::Left),
        ("enables", Align::Left),
    ]);
    for part in &parts {
        let found = part.path.clone().unwrap_or_else(|| "no".to_owned());
        table.row([part.name.to_owned(), found, part.enables.to_owned()]);
    }
    let mut text = table.draw();
    for part in parts.iter().filter(|part| !part.found) {
        text.push_str(&format!("\n{}: install {}\n", part.name, part.install));
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
