//! `.cu` files: found compilers turn them into PTX, which is kept by content. And what NVIDIA's
//! assembler would make of PTX, where somebody asks.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{InputError, InputErrorKind, io_reason};
use crate::plan::FilePlan;
use crate::text::{Diagnostic, list};

mod assemble;
mod cache;
mod find;

pub use assemble::{Assembled, assemble};
pub use find::{Places, Tool, ToolKind, Toolchain, Way};

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

/// A file as PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The PTX.
    pub text: String,
    /// Why a way that comes before the one that was taken did not do, a line each.
    pub remarks: Vec<String>,
}

/// Why one way did not make PTX.
enum Refusal {
    /// The compiler does not take the file; what it says.
    Refused(String),
    /// It cannot be run at all.
    Io(std::io::Error),
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Refusal {
        Refusal::Io(error)
    }
}

impl Refusal {
    fn text(&self) -> String {
        match self {
            Refusal::Refused(messages) => messages.clone(),
            Refusal::Io(error) => io_reason(error),
        }
    }
}

/// The PTX of a `.cu` file for a device of compute capability `capability`, from the cache if the
/// file, what it includes and the compiler are unchanged.
///
/// The ways of the toolchain are tried in their order, so that one that is installed but broken
/// takes nothing away.
///
/// # Errors
/// When no compiler is found, or all refuse the file; the messages of the first that works for
/// other files are in the help.
pub fn compile(
    file: &FilePlan,
    tools: &Toolchain,
    capability: Option<(u32, u32)>,
    cache: Option<&Path>,
) -> Result<Compiled, InputError> {
    let wrong = |message: String, help: String| {
        let diagnostic = Diagnostic::error(message)
            .maybe_at(file.spot.as_ref(), "")
            .help(help);
        InputError::new(InputErrorKind::Compiler, diagnostic)
    };
    let shown = &file.shown;
    let ways = tools.ways();
    if ways.is_empty() {
        return Err(wrong(
            format!("no compiler for `{shown}` was found"),
            advice(tools),
        ));
    }
    let source = fs::read(&file.path)
        .map_err(|error| InputError::file("read", shown, &error, file.spot.as_ref()))?;
    let mut refusals = Vec::new();
    for way in &ways {
        let key = cache::key(way, capability, &file.path, &source);
        let kept = cache.and_then(|folder| cache::load(folder, &key));
        let text = match kept {
            Some(text) => Ok(text),
            None => way.compile(&file.path, capability, cache.map(|folder| (folder, &*key))),
        };
        match text {
            Ok(text) => {
                let remark = |(way, refusal): (&Way<'_>, Refusal)| {
                    let text = refusal.text();
                    let first = text.lines().next().unwrap_or_default().to_owned();
                    format!("`{shown}` was not compiled by {way}: {first}")
                };
                let mut remarks: Vec<String> = ways.iter().zip(refusals).map(remark).collect();
                if !remarks.is_empty() {
                    remarks.push(format!("`{shown}` was compiled by {way}"));
                }
                return Ok(Compiled { text, remarks });
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    // A way that refuses everything says nothing about this file.
    let telling = match ways.len() {
        1 => 0,
        _ => ways.iter().position(|way| way.check().is_ok()).unwrap_or(0),
    };
    let (way, refusal) = (&ways[telling], &refusals[telling]);
    Err(match refusal {
        Refusal::Refused(messages) => wrong(
            format!("`{shown}` does not compile"),
            format!("{} says:\n{messages}", way.tool.path.display()),
        ),
        Refusal::Io(error) => wrong(
            format!("cannot compile `{shown}`: {}", io_reason(error)),
            "the compiler writes to a temporary folder".into(),
        ),
    })
}

/// A kernel that every compiler takes.
const PROBE: &str = "extern \"C\" __global__ void probe(float *x) { x[threadIdx.x] = 1.0f; }\n";

impl Way<'_> {
    /// Whether it makes PTX of a small kernel.
    ///
    /// # Errors
    /// What the compiler says instead.
    pub fn check(&self) -> Result<(), String> {
        let probe = || -> Result<String, Refusal> {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("probe.cu");
            fs::write(&path, PROBE)?;
            self.compile(&path, None, None)
        };
        probe().map(|_| ()).map_err(|refusal| refusal.text())
    }

    /// Compiles, and keeps the result under a name in a folder.
    fn compile(
        &self,
        path: &Path,
        capability: Option<(u32, u32)>,
        keep: Option<(&Path, &str)>,
    ) -> Result<String, Refusal> {
        let work = tempfile::tempdir()?;
        let (ptx, dependencies) = (work.path().join("out.ptx"), work.path().join("out.d"));
        let mut command = command(self, capability, work.path())?;
        let (folder, name) = split(path);
        command
            .args(["-MMD", "-MF"])
            .arg(&dependencies)
            .arg("-o")
            .arg(&ptx)
            .arg(name);
        command.current_dir(folder).stdin(Stdio::null());
        let output = command.output()?;
        if !output.status.success() {
            let messages = [output.stderr, output.stdout].concat();
            let messages = String::from_utf8_lossy(&messages);
            return Err(Refusal::Refused(messages.trim_end().to_owned()));
        }
        let text = fs::read_to_string(&ptx)?;
        if let Some((cache, key)) = keep {
            // The result is right without being kept.
            let _ = cache::store(cache, key, folder, &dependencies, &text);
        }
        Ok(text)
    }
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

fn command(way: &Way<'_>, capability: Option<(u32, u32)>, work: &Path) -> std::io::Result<Command> {
    let tool = way.tool;
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
            if let Some(toolkit) = way.toolkit {
                let mut option = OsString::from("--cuda-path=");
                option.push(toolkit);
                command.arg(option);
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
