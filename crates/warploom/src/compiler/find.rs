//! Where compilers may be.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler for `.cu` files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Which one.
    pub kind: ToolKind,
    /// The program.
    pub path: PathBuf,
}

/// Which compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// NVIDIA's.
    Nvcc,
    /// LLVM's.
    Clang,
}

/// The compilers that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchain {
    /// NVIDIA's compiler.
    pub nvcc: Option<Tool>,
    /// LLVM's compiler.
    pub clang: Option<Tool>,
    /// NVIDIA's assembler.
    pub ptxas: Option<PathBuf>,
    /// A folder with `include/cuda_runtime.h`, which clang uses.
    pub toolkit: Option<PathBuf>,
    /// Where they were looked for, for messages.
    pub looked_in: Vec<String>,
}

/// One way of making PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way<'t> {
    /// The compiler.
    pub tool: &'t Tool,
    /// The CUDA toolkit that clang is to use; without one it gets the names that kernels need most.
    pub toolkit: Option<&'t Path>,
}

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tool.path.display().fmt(f)?;
        match (self.tool.kind, self.toolkit) {
            (ToolKind::Nvcc, _) => Ok(()),
            (ToolKind::Clang, None) => f.write_str(" without CUDA headers"),
            (ToolKind::Clang, Some(toolkit)) => {
                write!(f, " with the CUDA headers of {}", toolkit.display())
            }
        }
    }
}

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folders of programs.
    pub path: Vec<PathBuf>,
    /// Roots of CUDA toolkits.
    pub toolkits: Vec<PathBuf>,
    /// Folders of Python packages.
    pub python: Vec<PathBuf>,
}

impl Places {
    /// `PATH`, `CUDA_HOME`, `CUDA_PATH`, the usual folder, and the active virtual environment.
    pub fn of_this_process() -> Places {
        let path: Vec<PathBuf> =
            env::var_os("PATH").map_or(Vec::new(), |path| env::split_paths(&path).collect());
        let named = ["CUDA_HOME", "CUDA_PATH"]
            .into_iter()
            .filter_map(env::var_os);
        let toolkits = named
            .map(PathBuf::from)
            .chain([PathBuf::from("/usr/local/cuda")]);
        let mut python = Vec::new();
        if let Some(root) = env::var_os("VIRTUAL_ENV").map(PathBuf::from) {
            python.extend(site_packages(&root));
        }
        Places {
            toolkits: toolkits.collect(),
            path,
            python,
        }
    }
}

/// `lib/python3.*/site-packages` below a virtual environment.
fn site_packages(root: &Path) -> Vec<PathBuf> {
    let versions = children(&root.join("lib"), |name| name.starts_with("python"));
    let folders = versions
        .into_iter()
        .map(|version| version.join("site-packages"));
    folders
        .chain([root.join("Lib").join("site-packages")])
        .filter(|f| f.is_dir())
        .collect()
}

/// Where the Python in `PATH` looks for packages.
fn python_folders(path: &[PathBuf]) -> Vec<PathBuf> {
    let Some(python) = program(path, "python3") else {
        return Vec::new();
    };
    let script = "import sys; print('\\n'.join(p for p in sys.path if p))";
    let output = Command::new(python).args(["-I", "-c", script]).output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .map(PathBuf::from)
        .filter(|p| p.join("nvidia").is_dir())
        .collect()
}

/// Entries of a folder whose names pass, sorted.
fn children(folder: &Path, passes: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(&passes));
    let mut paths: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn program(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    folders
        .iter()
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

/// `clang`, or the `clang-N` with the highest number.
fn clang(folders: &[PathBuf]) -> Option<PathBuf> {
    let version = |path: &PathBuf| {
        let name = path.file_stem()?.to_str()?;
        name.strip_prefix("clang-")?.parse::<u32>().ok()
    };
    let numbered = folders
        .iter()
        .flat_map(|folder| children(folder, |n| n.starts_with("clang-")));
    let best = numbered
        .filter(|path| version(path).is_some())
        .max_by_key(version);
    program(folders, "clang").or(best)
}

impl Toolchain {
    /// Looks where this process's environment says; asks Python for its packages only if nvcc is
    /// nowhere else, since starting it takes longer than everything else together.
    pub fn of_this_process() -> Toolchain {
        let mut places = Places::of_this_process();
        let found = Toolchain::find(&places);
        if found.nvcc.is_some() && found.ptxas.is_some() {
            return found;
        }
        places.python.extend(python_folders(&places.path));
        Toolchain::find(&places)
    }

    /// Looks in `places`.
    pub fn find(places: &Places) -> Toolchain {
        let packages = places
            .python
            .iter()
            .flat_map(|f| children(&f.join("nvidia"), |_| true));
        let mut roots = places.toolkits.clone();
        roots.extend(packages);
        let bins: Vec<PathBuf> = roots.iter().map(|root| root.join("bin")).collect();
        let in_path = program(&places.path, "nvcc");
        let nvcc = in_path.or_else(|| program(&bins, "nvcc"));
        // nvcc may be a link in PATH; its toolkit is around the real one.
        let around = nvcc.as_ref().and_then(|path| fs::canonicalize(path).ok());
        let around = around.and_then(|path| Some(path.parent()?.parent()?.to_owned()));
        let beside = around.iter().map(|root| root.join("bin"));
        let bins: Vec<PathBuf> = bins.into_iter().chain(beside).collect();
        let ptxas = program(&places.path, "ptxas").or_else(|| program(&bins, "ptxas"));
        let mut toolkits = roots.iter().chain(&around);
        let toolkit = toolkits
            .find(|root| root.join("include/cuda_runtime.h").is_file())
            .cloned();
        let tool = |kind| move |path| Tool { kind, path };
        Toolchain {
            nvcc: nvcc.map(tool(ToolKind::Nvcc)),
            clang: clang(&places.path).map(tool(ToolKind::Clang)),
            ptxas,
            toolkit,
            looked_in: vec![
                "PATH".into(),
                "CUDA_HOME".into(),
                "the Python package nvidia-cuda-nvcc".into(),
            ],
        }
    }

    /// The ways to compile, best first: nvcc, clang with the toolkit, clang alone.
    pub fn ways(&self) -> Vec<Way<'_>> {
        let toolkit = self.toolkit.as_deref();
        let clang = self.clang.as_ref();
        let with = clang.filter(|_| toolkit.is_some());
        let way = |toolkit| move |tool| Way { tool, toolkit };
        let nvcc = self.nvcc.iter().map(way(None));
        let with = with.into_iter().map(way(toolkit));
        nvcc.chain(with)
            .chain(clang.into_iter().map(way(None)))
            .collect()
    }
}
