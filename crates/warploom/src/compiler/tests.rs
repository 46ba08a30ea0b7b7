use super::*;

/// A folder with empty files.
fn folder_with(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

#[test]
fn compilers_are_found_in_each_place() {
    let folder = folder_with(&[
        "bin/clang-14",
        "bin/clang-19",
        "bin/clang-format-19",
        "cuda/bin/nvcc",
        "cuda/include/cuda_runtime.h",
        "site-packages/nvidia/cu13/bin/nvcc",
        "site-packages/nvidia/cu13/bin/ptxas",
        "site-packages/nvidia/cu13/include/cuda_runtime.h",
    ]);
    let at = |name: &str| folder.path().join(name);
    let mut places = Places::default();
    let found = Toolchain::find(&places);
    assert_eq!((found.ways(), &found.toolkit), (Vec::new(), &None));

    places.path = vec![at("bin")];
    let found = Toolchain::find(&places);
    assert_eq!(found.ways()[0].tool.path, at("bin/clang-19"));

    places.python = vec![at("site-packages")];
    let found = Toolchain::find(&places);
    assert_eq!(
        found.ways()[0].tool.path,
        at("site-packages/nvidia/cu13/bin/nvcc")
    );
    assert_eq!(found.toolkit, Some(at("site-packages/nvidia/cu13")));
    assert_eq!(found.ptxas, Some(at("site-packages/nvidia/cu13/bin/ptxas")));

    places.toolkits = vec![at("cuda")];
    let found = Toolchain::find(&places);
    assert_eq!(found.ways()[0].tool.path, at("cuda/bin/nvcc"));
    assert_eq!(found.toolkit, Some(at("cuda")));

    fs::write(at("bin/clang"), "").unwrap();
    let found = Toolchain::find(&places);
    assert_eq!(found.clang.unwrap().path, at("bin/clang"));
}

#[test]
fn a_missing_compiler_says_what_to_install() {
    let tools = Toolchain::find(&Places::default());
    let error = compile(&FilePlan::new("k.cu"), &tools, None, None).unwrap_err();
    assert_eq!(error.kind, InputErrorKind::Compiler);
    let text = error.to_string();
    assert!(text.starts_with("no compiler for `k.cu` was found\n  help: install the CUDA toolkit"));
    assert!(text.contains("pip install nvidia-cuda-nvcc"), "{text}");
}

#[test]
fn the_newest_target_below_the_device_is_taken() {
    let known = "compute_75\ncompute_80\ncompute_90\ncompute_100\ncompute_86\n";
    let cases = [
        (Some((9, 0)), "compute_90"),
        (Some((8, 9)), "compute_86"),
        (Some((12, 0)), "compute_100"),
        (Some((7, 0)), "compute_75"),
        (None, "compute_75"),
    ];
    for (capability, target) in cases {
        assert_eq!(pick_target(known, capability), target);
    }
    assert_eq!(pick_target("", Some((8, 0))), "compute_80");
}

/// A compiler that is a shell script, in a folder `bin`.
#[cfg(unix)]
fn script(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;

    let path = folder.join("bin").join(name);
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A stand-in for nvcc that counts its runs, and includes a file as nvcc would.
#[cfg(unix)]
#[test]
fn a_file_is_compiled_once() {
    let folder = folder_with(&["k.cu", "k.h", "runs"]);
    let at = |name: &str| folder.path().join(name);
    let text = r#"
[ "$1" = --list-gpu-arch ] && { echo compute_80; exit; }
echo run >> runs
grep -q broken k.cu && { echo "k.cu(1): error" >&2; exit 2; }
while [ $# -gt 1 ]; do
  case "$1" in -MF) echo "k.ptx : k.cu k.h" > "$2";; -o) cat k.cu k.h > "$2";; esac
  shift
done
"#;
    script(folder.path(), "nvcc", text);
    let places = Places {
        path: vec![at("bin")],
        ..Places::default()
    };
    let tools = Toolchain::find(&places);
    let (file, cache) = (FilePlan::new(at("k.cu")), at("cache"));
    let compile = || compile(&file, &tools, Some((8, 0)), Some(&cache)).map(|done| done.text);
    let runs = || fs::read_to_string(at("runs")).unwrap().lines().count();
    fs::write(at("k.cu"), "one ").unwrap();
    fs::write(at("k.h"), "h").unwrap();
    assert_eq!((compile().unwrap().as_str(), runs()), ("one h", 1));
    assert_eq!((compile().unwrap().as_str(), runs()), ("one h", 1));
    fs::write(at("k.h"), "changed").unwrap();
    assert_eq!((compile().unwrap().as_str(), runs()), ("one changed", 2));
    fs::write(at("k.cu"), "two ").unwrap();
    assert_eq!((compile().unwrap().as_str(), runs()), ("two changed", 3));
    fs::write(at("k.cu"), "broken").unwrap();
    let text = compile().unwrap_err().to_string();
    assert!(text.contains("k.cu` does not compile\n  help: "), "{text}");
    assert!(text.ends_with("bin/nvcc says:\nk.cu(1): error"), "{text}");
}

/// A stand-in for clang that takes no toolkit but one with a libdevice, given in one word.
#[cfg(unix)]
const CLANG: &str = r#"
for word in "$@"; do
  case "$word" in
    --cuda-path) echo "error: no such file" >&2; exit 1;;
    --cuda-path=*) way="${word#--cuda-path=}";;
    -nocudainc) way=alone;;
    *.cu) file="$word";;
  esac
done
if [ "$way" != alone ] && [ ! -d "$way/nvvm/libdevice" ]; then
  echo "error: cannot find libdevice" >&2; echo "more" >&2; exit 1
fi
grep -q broken "$file" && { echo "k.cu:1: error: broken" >&2; exit 1; }
while [ $# -gt 1 ]; do
  case "$1" in -MF) echo "k.ptx : k.cu" > "$2";; -o) echo "by $way" > "$2";; esac
  shift
done
"#;

#[cfg(unix)]
#[test]
fn a_toolkit_that_clang_cannot_use_takes_nothing_away() {
    let folder = folder_with(&["k.cu", "cuda/include/cuda_runtime.h"]);
    let at = |name: &str| folder.path().join(name);
    script(folder.path(), "clang", CLANG);
    let places = Places {
        path: vec![at("bin")],
        toolkits: vec![at("cuda")],
        ..Places::default()
    };
    let tools = Toolchain::find(&places);
    let ways = tools.ways();
    assert_eq!(ways.len(), 2);
    let (clang, cuda) = (at("bin/clang"), at("cuda"));
    let (clang, cuda) = (clang.display(), cuda.display());
    let file = FilePlan {
        shown: "k.cu".into(),
        ..FilePlan::new(at("k.cu"))
    };
    let compile = || compile(&file, &tools, None, None);

    let done = compile().unwrap();
    assert_eq!(done.text, "by alone\n");
    assert_eq!(
        done.remarks,
        [
            format!(
                "`k.cu` was not compiled by {clang} with the CUDA headers of {cuda}: error: cannot \
                 find libdevice"
            ),
            format!("`k.cu` was compiled by {clang} without CUDA headers"),
        ]
    );
    assert_eq!(
        ways[0].check(),
        Err("error: cannot find libdevice\nmore".into())
    );
    assert_eq!(ways[1].check(), Ok(()));

    // What is wrong with the file is told by the way that works.
    fs::write(at("k.cu"), "broken").unwrap();
    let text = compile().unwrap_err().to_string();
    let wanted = format!("`k.cu` does not compile\n  help: {clang} says:\nk.cu:1: error: broken");
    assert_eq!(text, wanted);

    fs::create_dir_all(at("cuda/nvvm/libdevice")).unwrap();
    fs::write(at("k.cu"), "good").unwrap();
    let done = compile().unwrap();
    assert_eq!(
        (done.text, done.remarks),
        (format!("by {cuda}\n"), Vec::new())
    );
}
