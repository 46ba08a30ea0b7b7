//! Lists the files of the built page, for the feature `page`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    if env::var_os("CARGO_FEATURE_PAGE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
        println!("cargo::rerun-if-changed={}", folder.display());
        if !folder.join("index.html").is_file() {
            println!("cargo::error=the page is not built: run `cargo xtask web` first");
            return;
        }
        collect(&folder, &folder, &mut files);
        files.sort();
    }
    let mut table = String::from("&[\n");
    for (name, path) in files {
        let _ = writeln!(table, "    ({name:?}, include_bytes!({path:?})),");
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = fs::write(out.join("page.rs"), table) {
        println!("cargo::error=cannot write the list of the page's files: {error}");
    }
}

/// All files below a folder: their names from the root, and where they are.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if let (Ok(name), Ok(full)) = (path.strip_prefix(root), path.canonicalize()) {
            files.push((name.to_string_lossy().replace('\\', "/"), full));
        }
    }
}
