//! The page: the engine as WebAssembly, its JavaScript module, and the static site around it.
//!
//! The toolchain's own WebAssembly target is used, and added by `rustup` where it is missing. Where
//! that cannot be had, Debian's compiler for the web builds the standard library along.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell;

const TARGET: &str = "wasm32-unknown-unknown";
/// The profile of the engine in the browser.
const PROFILE: &str = "web";
/// Debian's compiler for the web, and what it needs.
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "wasm-ld-19";
const DEBIAN_PACKAGES: &str = "rustc-web cargo-web rust-web-src lld-19";

/// Builds the page into `web/dist`.
///
/// # Errors
///
/// When a tool is missing, which is then named, or fails.
pub fn build() -> Result<(), String> {
    let wasm = engine()?;
    let folder = page().join("src/engine/pkg");
    let mut bindgen = shell::cargo();
    bindgen.args(["run", "--quiet", "--package", "warploom-bindgen", "--"]);
    shell::run(bindgen.args([&wasm, &folder]))?;
    packages()?;
    shell::run(npm().args(["run", "--silent", "build"]))?;
    println!("the page is in {}", page().join("dist").display());
    Ok(())
}

/// Builds the page and tests it: types, views, the whole in a browser, and as part of a program.
///
/// # Errors
///
/// When something does not build or hold.
pub fn check() -> Result<(), String> {
    build()?;
    for script in ["check", "test", "e2e"] {
        shell::run(npm().args(["run", "--silent", script]))?;
    }
    let mut served = shell::cargo();
    served.args(["test", "--quiet", "--package", "warploom-serve"]);
    shell::run(served.args(["--features", "page"]))
}

/// Builds the engine; the path of the WebAssembly.
fn engine() -> Result<PathBuf, String> {
    let mut command = if has_target() || add_target() {
        shell::cargo()
    } else if [DEBIAN_CARGO, DEBIAN_RUSTC]
        .iter()
        .all(|p| Path::new(p).is_file())
    {
        debian()
    } else {
        return Err(format!(
            "no compiler for WebAssembly\ninstall the target (`rustup target add {TARGET}`), or \
             Debian's {DEBIAN_PACKAGES}"
        ));
    };
    command.args(["build", "--package", "warploom-web", "--lib"]);
    shell::run(command.args(["--target", TARGET, "--profile", PROFILE]))?;
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| shell::root().join("target"));
    Ok(target.join(TARGET).join(PROFILE).join("warploom_web.wasm"))
}

/// Whether the toolchain has the target's standard library.
fn has_target() -> bool {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.current_dir(shell::root());
    let folder = shell::capture(rustc.args(["--print", "target-libdir", "--target", TARGET]));
    let files = folder.ok().and_then(|path| fs::read_dir(path.trim()).ok());
    files.is_some_and(|mut files| files.next().is_some())
}

fn add_target() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.current_dir(shell::root());
    shell::run(rustup.args(["target", "add", TARGET])).is_ok()
}

fn debian() -> Command {
    let mut command = Command::new(DEBIAN_CARGO);
    command.current_dir(shell::root());
    command.env("RUSTC", DEBIAN_RUSTC);
    // Building the standard library is not yet a stable feature of cargo.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
    command.arg("-Zbuild-std=std,panic_abort");
    command
}

/// Installs what the lock file names, unless it is there already.
fn packages() -> Result<(), String> {
    let modified = |path: PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let installed = modified(page().join("node_modules/.package-lock.json"));
    let wanted = modified(page().join("package-lock.json"));
    if installed.is_some() && installed >= wanted {
        return Ok(());
    }
    shell::run(npm().args(["ci", "--no-audit", "--no-fund"])).map_err(|error| {
        format!("{error}\ninstall Node.js 20 or later with npm (Debian: nodejs npm)")
    })
}

fn npm() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(page());
    command
}

fn page() -> PathBuf {
    shell::root().join("web")
}
