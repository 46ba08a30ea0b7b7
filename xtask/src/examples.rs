//! Re-creates the PTX that is committed beside the sources of examples and of validation.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What turns the sources of one folder into PTX, and how.
struct Recipe {
    /// From the root of the workspace.
    folder: &'static str,
    /// Programs that can do it, the preferred one first.
    programs: fn() -> Vec<PathBuf>,
    /// Arguments that succeed, without effect, where the program is fit for the job.
    probe: &'static [&'static str],
    /// Arguments before the input file.
    arguments: &'static [&'static str],
    /// Inputs: every file of the folder with this extension.
    extension: &'static str,
    /// Whether the output is named by `-o` (else the input is a script that writes its own).
    named_output: bool,
    /// What to install where no program is fit.
    needs: &'static str,
}

/// What nvcc makes; the folder is still to be named.
const NVCC: Recipe = Recipe {
    folder: "",
    programs: nvcc,
    probe: &["--version"],
    arguments: &["-ptx", "-arch=compute_80", "-lineinfo"],
    extension: "cu",
    named_output: true,
    needs: "nvcc 13 (in PATH, in CUDA_HOME, or as the Python packages that examples/README.md names)",
};

const RECIPES: &[Recipe] = &[
    Recipe {
        folder: "examples/cuda",
        ..NVCC
    },
    Recipe {
        folder: "validation/kernels",
        ..NVCC
    },
    Recipe {
        folder: "examples/clang",
        programs: || vec!["clang-19".into(), "clang".into()],
        probe: &["--version"],
        arguments: &[
            "-x",
            "cuda",
            "--cuda-device-only",
            "--cuda-gpu-arch=sm_80",
            "--cuda-feature=+ptx75",
            "-nocudainc",
            "-nocudalib",
            "-O2",
            "-gline-tables-only",
            "-fdebug-compilation-dir=.",
            "-S",
        ],
        extension: "cu",
        named_output: true,
        needs: "clang 19 with the NVPTX back end",
    },
    Recipe {
        folder: "examples/triton",
        programs: python,
        probe: &["-c", "import triton"],
        arguments: &[],
        extension: "py",
        named_output: false,
        needs: "the Python package triton",
    },
    Recipe {
        folder: "examples/numba",
        programs: python,
        probe: &["-c", "import numba.cuda"],
        arguments: &[],
        extension: "py",
        named_output: false,
        needs: "the Python package numba-cuda",
    },
];

/// Rebuilds what the installed compilers can, and says what was skipped and why.
///
/// # Errors
///
/// When a compiler that is there fails, or a file cannot be read or written.
pub fn rebuild() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    for recipe in RECIPES {
        let folder = root.join(recipe.folder);
        let Some(program) = (recipe.programs)()
            .into_iter()
            .find(|p| answers(p, &folder, recipe.probe))
        else {
            println!("{}: skipped, needs {}", recipe.folder, recipe.needs);
            continue;
        };
        for input in files(&folder, recipe.extension)? {
            compile(recipe, &program, &folder, &input)?;
        }
        for output in files(&folder, "ptx")? {
            drop_directories(&output)?;
        }
        println!("{}: rebuilt with {}", recipe.folder, program.display());
    }
    Ok(())
}

/// Runs inside the folder and with relative names, which are what debug information records.
fn compile(recipe: &Recipe, program: &Path, folder: &Path, input: &Path) -> Result<(), String> {
    let name = PathBuf::from(input.file_name().unwrap_or_default());
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(recipe.arguments)
        .arg(&name);
    if recipe.named_output {
        command.arg("-o").arg(name.with_extension("ptx"));
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// Cuts `.file` directives down to the file's name: the PTX must not tell where it was made.
fn drop_directories(path: &Path) -> Result<(), String> {
    let context = |error| format!("{}: {error}", path.display());
    let old = fs::read_to_string(path).map_err(context)?;
    let lines = old.lines().map(|line| match line.split_once('"') {
        Some((head, name)) if head.trim_start().starts_with(".file") => {
            let name = name.rsplit('/').next().unwrap_or(name);
            format!("{head}\"{name}\n")
        }
        _ => format!("{line}\n"),
    });
    let new: String = lines.collect();
    if new == old {
        return Ok(());
    }
    fs::write(path, new).map_err(context)
}

/// The files of a folder with an extension, in order of their names.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    Ok(files)
}

/// Asks inside the folder, since Python takes a folder beside it for the package of its name.
fn answers(program: &Path, folder: &Path, probe: &[&str]) -> bool {
    let output = Command::new(program)
        .current_dir(folder)
        .args(probe)
        .output();
    output.is_ok_and(|output| output.status.success())
}

fn python() -> Vec<PathBuf> {
    vec![env::var_os("PYTHON").map_or_else(|| "python3".into(), PathBuf::from)]
}

fn nvcc() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    found.extend(env::var_os("CUDA_HOME").map(|home| Path::new(&home).join("bin/nvcc")));
    found.push("nvcc".into());
    let where_packages_are = "import sysconfig; print(sysconfig.get_path('purelib'), end='')";
    for python in python() {
        let Ok(output) = Command::new(python)
            .args(["-c", where_packages_are])
            .output()
        else {
            continue;
        };
        let packages = String::from_utf8_lossy(&output.stdout).into_owned();
        found.push(Path::new(&packages).join("nvidia/cu13/bin/nvcc"));
    }
    found
}
