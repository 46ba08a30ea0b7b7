//! `.cu` files: found compilers turn them into PTX, which is kept by content.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{InputError, InputErrorKind, io_reason};
use crate::plan::FilePlan;
use crate::text::{Diagnostic, list};

mod cache;
mod find;

pub use find::{Places, Tool, ToolKind, Toolchain};

/// What clang needs of CUDA where no toolkit is found: attributes and index variables.
const PRELUDE: &str = include_str!("compiler/prelude.cuh");

/// Options of clang; nvcc's are beside them.
const CLANG_OPTIONS: [&str; 7] = [
    "-x",
    "cuda",
    "--cuda-device-only",
    "-S",
    "-O3",
    "-gline-tables-only",
    "-Wno-unknown-cuda-version",
];
const NVCC_OPTIONS: [&str; 2] = ["-ptx", "-lineinfo"];

/// Newest compute capability that every clang in use knows.
const CLANG_NEWEST: (u32, u32) = (9, 0);

/// The PTX of a `.cu` file for a device of compute capability `capability`, from the cache if the
/// file, what it includes and the compiler are unchanged.
///
/// # Errors
/// When no compiler is found, or it refuses the file; its messages are in the help.
pub fn compile(
    file: &FilePlan,
    tools: &Toolchain,
    capability: Option<(u32, u32)>,
    cache: Option<&Path>,
) -> Result<String, InputError> {
    let wrong = |message: String, help: String| {
        let diagnostic = Diagnostic::error(message)
            .maybe_at(file.spot.as_ref(), "")
            .help(help);
        InputError::new(InputErrorKind::Compiler, diagnostic)
    };
    let shown = &file.shown;
    let Some(tool) = tools.best() else {
        return Err(wrong(
            format!("no compiler for `{shown}` was found"),
            advice(tools),
        ));
    };
    let source = fs::read(&file.path)
        .map_err(|error| InputError::file("read", shown, &error, file.spot.as_ref()))?;
    let key = cache::key(tool, tools, capability, &file.path, &source);
    if let Some(text) = cache.and_then(|folder| cache::load(folder, &key)) {
        return Ok(text);
    }
    let io = |error: std::io::Error| {
        let message = format!("cannot compile `{shown}`: {}", io_reason(&error));
        wrong(message, "the compiler writes to a temporary folder".into())
    };
    let work = tempfile::tempdir().map_err(io)?;
    let (ptx, dependencies) = (work.path().join("out.ptx"), work.path().join("out.d"));
    let mut command = command(tool, tools, capability, work.path()).map_err(io)?;
    let (folder, name) = split(&file.path);
    command
        .args(["-MMD", "-MF"])
        .arg(&dependencies)
        .arg("-o")
        .arg(&ptx)
        .arg(name);
    command.current_dir(folder).stdin(Stdio::null());
    let output = command.output().map_err(io)?;
    if !output.status.success() {
        let messages = [output.stderr, output.stdout].concat();
        let messages = String::from_utf8_lossy(&messages);
        let tool = tool.path.display();
        return Err(wrong(
            format!("`{shown}` does not compile"),
            format!("{tool} says:\n{}", messages.trim_end()),
        ));
    }
    let text = fs::read_to_string(&ptx).map_err(io)?;
    if let Some(cache) = cache {
        // The result is right without being kept.
        let _ = cache::store(cache, &key, folder, &dependencies, &text);
    }
    Ok(text)
}

/// The user's folder for compiled files, if the system has one: in `XDG_CACHE_HOME`, the local
/// application data of Windows, or `.cache` in the home folder.
pub fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("LOCALAPPDATA"));
    let cache = cache.or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(cache.join("warploom").join("ptx"))
}

fn split(path: &Path) -> (&Path, OsString) {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name().unwrap_or_default();
    // A name that starts with a dash is no option.
    let name = Path::new(".").join(name).into_os_string();
    (folder.unwrap_or(Path::new(".")), name)
}

fn advice(tools: &Toolchain) -> String {
    let looked = list(&tools.looked_in, "and");
    format!(
        "install the CUDA toolkit, or `pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm \
         nvidia-cuda-runtime nvidia-cuda-cccl`, or clang; or compile it elsewhere with `nvcc -ptx \
         -lineinfo` and run the .ptx\nlooked in {looked}"
    )
}

fn command(
    tool: &Tool,
    tools: &Toolchain,
    capability: Option<(u32, u32)>,
    work: &Path,
) -> std::io::Result<Command> {
    let mut command = Command::new(&tool.path);
    match tool.kind {
        ToolKind::Nvcc => {
            let target = nvcc_target(tool, capability);
            command.args(NVCC_OPTIONS).arg(format!("-arch={target}"));
        }
        ToolKind::Clang => {
            let (major, minor) = capability.unwrap_or((7, 0)).min(CLANG_NEWEST);
            command
                .args(CLANG_OPTIONS)
                .arg(format!("--cuda-gpu-arch=sm_{major}{minor}"));
            if let Some(toolkit) = &tools.toolkit {
                command.arg("--cuda-path").arg(toolkit);
            } else {
                let prelude = work.join("prelude.cuh");
                fs::write(&prelude, PRELUDE)?;
                command
                    .args(["-nocudainc", "-nocudalib", "-include"])
                    .arg(prelude);
            }
        }
    }
    Ok(command)
}

/// The newest target of nvcc that is not above `capability`, or its oldest. A device without a
/// compute capability takes the oldest.
fn nvcc_target(tool: &Tool, capability: Option<(u32, u32)>) -> String {
    let output = Command::new(&tool.path).arg("--list-gpu-arch").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    pick_target(&String::from_utf8_lossy(&text), capability)
}

fn pick_target(known: &str, capability: Option<(u32, u32)>) -> String {
    let number = |line: &str| line.trim().strip_prefix("compute_")?.parse::<u32>().ok();
    let mut known: Vec<u32> = known.lines().filter_map(number).collect();
    known.sort_unstable();
    let wanted = capability.map_or(0, |(major, minor)| 10 * major + minor);
    let below = known.iter().rev().find(|&&target| target <= wanted);
    match below.or(known.first()) {
        Some(target) => format!("compute_{target}"),
        None => format!("compute_{}", wanted.max(75)),
    }
}

#[cfg(test)]
mod tests;
