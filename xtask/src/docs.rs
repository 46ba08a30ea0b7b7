//! Pages of docs/ that programs write.

use std::fs;
use std::path::PathBuf;

use crate::shell;

/// A page and the cargo example that prints it.
struct Page {
    path: &'static str,
    package: &'static str,
    example: &'static str,
}

const PAGES: &[Page] = &[
    Page {
        path: "docs/ptx-support.md",
        package: "warploom-ptx",
        example: "support_table",
    },
    Page {
        path: "docs/devices.md",
        package: "warploom-device",
        example: "field_reference",
    },
    Page {
        path: "docs/counters.md",
        package: "warploom",
        example: "counters_page",
    },
];

/// Writes the pages.
///
/// # Errors
///
/// When a program fails or a file cannot be written.
pub fn write() -> Result<(), String> {
    for page in PAGES {
        let path = path(page);
        fs::write(&path, print(page)?).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", page.path);
    }
    Ok(())
}

/// Checks that the committed pages are what the programs print.
///
/// # Errors
///
/// The pages that are not.
pub fn check() -> Result<(), String> {
    let mut stale = Vec::new();
    for page in PAGES {
        let committed = fs::read_to_string(path(page)).unwrap_or_default();
        if committed != print(page)? {
            stale.push(format!("{} is stale: run `cargo xtask docs`", page.path));
        }
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(stale.join("\n"))
    }
}

fn path(page: &Page) -> PathBuf {
    shell::root().join(page.path)
}

fn print(page: &Page) -> Result<String, String> {
    let mut command = shell::cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        page.package,
        "--example",
        page.example,
    ]);
    shell::capture(&mut command)
}
