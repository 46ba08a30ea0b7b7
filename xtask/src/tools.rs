//! What the tests need besides Rust: the compilers for `.cu` files, nvcc and clang.
//!
//! An `nvcc` that is there already is used. Otherwise NVIDIA's Python packages go into a virtual
//! environment in the user's cache folder, once per set of versions. clang has to be installed: it
//! is a package of every system.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell;

/// The parts of the CUDA toolkit that turn CUDA C++ into PTX.
const PACKAGES: &[&str] = &[
    "nvidia-cuda-nvcc==13.5.37",
    "nvidia-cuda-crt==13.5.37",
    "nvidia-nvvm==13.5.37",
    "nvidia-cuda-runtime==13.5.37",
    "nvidia-cuda-cccl==13.3.5.0.6",
];

/// Makes sure that there are a working `nvcc` and a clang.
///
/// # Errors
///
/// When one is missing and cannot be set up.
pub fn set_up() -> Result<(), String> {
    set_up_nvcc()?;
    let clang = clang().ok_or(
        "no clang in PATH\ninstall one with the NVPTX target, 16 or newer (Debian: clang-19)",
    )?;
    println!("clang is there: {}", clang.display());
    Ok(())
}

/// `clang`, or `clang-` with a version, in `PATH`.
fn clang() -> Option<PathBuf> {
    let is_clang = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let version = name
            .strip_prefix("clang")
            .map(|rest| rest.strip_prefix('-'));
        match version {
            Some(Some(version)) => version.bytes().all(|byte| byte.is_ascii_digit()),
            Some(None) => name == "clang",
            None => false,
        }
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let entries = env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok());
    let mut files = entries.flatten().flatten().map(|entry| entry.path());
    files.find(is_clang)
}

fn set_up_nvcc() -> Result<(), String> {
    if let Some(nvcc) = installed() {
        println!("nvcc is there: {}", nvcc.display());
        return Ok(());
    }
    let folder = folder();
    let complete = folder.join("complete");
    if complete.is_file() {
        println!("nvcc is in {}", folder.display());
        return Ok(());
    }
    println!(
        "no nvcc: installing it into {} (about 300 MB)",
        folder.display()
    );
    let context = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(context)?;
    }
    fs::create_dir_all(&folder).map_err(context)?;
    shell::run(Command::new("python3").args(["-m", "venv"]).arg(&folder)).map_err(|error| {
        format!("{error}\ninstall Python 3 with its venv module (Debian: python3-venv)")
    })?;
    let mut pip = Command::new(folder.join("bin/python3"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    shell::run(pip.arg("--no-deps").args(PACKAGES))?;
    let nvcc = packaged(&folder).ok_or("the packages hold no nvcc")?;
    shell::run(Command::new(nvcc).arg("--version"))?;
    fs::write(&complete, "").map_err(context)
}

/// What the tests' environment needs so that they find the tools, and insist on them.
pub fn environment() -> Vec<(&'static str, PathBuf)> {
    let folder = folder();
    let ours = installed().is_none() && folder.join("complete").is_file();
    let mut variables = vec![("WARPLOOM_TEST_COMPILERS", PathBuf::from("required"))];
    variables.extend(ours.then_some(("VIRTUAL_ENV", folder)));
    variables
}

/// An `nvcc` in `PATH`, `CUDA_HOME` or the active virtual environment that answers.
fn installed() -> Option<PathBuf> {
    let home = env::var_os("CUDA_HOME").map(|home| Path::new(&home).join("bin/nvcc"));
    let active = env::var_os("VIRTUAL_ENV").and_then(|root| packaged(Path::new(&root)));
    let candidates = [Some(PathBuf::from("nvcc")), home, active];
    candidates.into_iter().flatten().find(|nvcc| {
        let output = Command::new(nvcc).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    })
}

/// `nvcc` among the packages of a virtual environment.
fn packaged(environment: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(environment.join("lib")).ok()?.flatten();
    let mut nvccs = versions.map(|v| v.path().join("site-packages/nvidia/cu13/bin/nvcc"));
    nvccs.find(|nvcc| nvcc.is_file())
}

/// The virtual environment for these versions, shared by all checkouts.
fn folder() -> PathBuf {
    let set = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = set
        .or_else(home)
        .unwrap_or_else(|| shell::root().join("target"));
    let version = PACKAGES[0].rsplit('=').next().unwrap_or_default();
    cache.join("warploom/tools").join(format!("nvcc-{version}"))
}
