//! Compiled files by content.
//!
//! An entry is the PTX under a name that hashes the source, the compiler and the options, and
//! beside it the hashes of everything that the source included. An entry whose included files have
//! changed is not used.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{CLANG_OPTIONS, NVCC_OPTIONS, PRELUDE, Way};

/// Part of every key; changed when the way of compiling changes otherwise.
const VERSION: &str = "warploom ptx 2";

fn hex(hash: impl AsRef<[u8]>) -> String {
    hash.as_ref().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The name of the entry.
pub(super) fn key(
    way: &Way<'_>,
    capability: Option<(u32, u32)>,
    path: &Path,
    source: &[u8],
) -> String {
    let identity = fs::metadata(&way.tool.path).map(|data| (data.len(), data.modified().ok()));
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let described = format!(
        "{VERSION}\n{way:?}\n{:?}\n{capability:?}\n{CLANG_OPTIONS:?}\n{NVCC_OPTIONS:?}\n\
         {path:?}\n{PRELUDE}\n",
        identity.ok(),
    );
    let mut hash = Sha256::new();
    hash.update((described.len() as u64).to_le_bytes());
    hash.update(described.as_bytes());
    hash.update(source);
    hex(hash.finalize())
}

fn files(folder: &Path, key: &str) -> (PathBuf, PathBuf) {
    (
        folder.join(format!("{key}.ptx")),
        folder.join(format!("{key}.includes")),
    )
}

fn hash_file(path: &Path) -> io::Result<String> {
    Ok(hex(Sha256::digest(fs::read(path)?)))
}

/// The PTX of an entry that is still right.
pub(super) fn load(folder: &Path, key: &str) -> Option<String> {
    let (ptx, includes) = files(folder, key);
    for line in fs::read_to_string(includes).ok()?.lines() {
        let (hash, path) = line.split_once(' ')?;
        if hash_file(Path::new(path)).ok()? != hash {
            return None;
        }
    }
    fs::read_to_string(ptx).ok()
}

/// Keeps an entry. `source_folder` is what the paths in the rule `dependencies` are relative to.
/// What lies beside the rule is temporary and not a dependency.
pub(super) fn store(
    folder: &Path,
    key: &str,
    source_folder: &Path,
    dependencies: &Path,
    text: &str,
) -> io::Result<()> {
    let mut includes = String::new();
    let temporary = dependencies.parent().map(fs::canonicalize).transpose()?;
    for path in parse_dependencies(&fs::read_to_string(dependencies)?) {
        let path = fs::canonicalize(source_folder.join(path))?;
        if path.parent() == temporary.as_deref() {
            continue;
        }
        let Some(name) = path.to_str().filter(|name| !name.contains('\n')) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let _ = writeln!(includes, "{} {name}", hash_file(&path)?);
    }
    fs::create_dir_all(folder)?;
    let (ptx, list) = files(folder, key);
    // The list last: an entry without it is none.
    for (path, content) in [(ptx, text), (list, &includes)] {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(content.as_bytes())?;
        file.persist(path)?;
    }
    Ok(())
}

/// The files after the colon of a rule for `make`.
fn parse_dependencies(rule: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut chars = rule.chars().peekable();
    while let Some(c) = chars.next() {
        let name = names.last_mut();
        match (c, name) {
            ('\\', Some(name)) => match chars.next() {
                Some('\r') | Some('\n') => names.push(String::new()),
                Some(escaped) => name.push(escaped),
                None => {}
            },
            (c, _) if c.is_whitespace() => names.push(String::new()),
            (c, Some(name)) => name.push(c),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    // The target, with the colon at its end or after a space.
    let target = names
        .iter()
        .position(|name| name.ends_with(':'))
        .map_or(0, |at| at + 1);
    names.split_off(target.min(names.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_make_are_read() {
        let nvcc = "n.ptx : t.cu \\\n    /a/b.h \\\n    with\\ space.h\n";
        assert_eq!(parse_dependencies(nvcc), ["t.cu", "/a/b.h", "with space.h"]);
        assert_eq!(parse_dependencies("t.ptx: t.cu h.h\n"), ["t.cu", "h.h"]);
        assert_eq!(parse_dependencies(""), [""; 0]);
    }

    #[test]
    fn an_entry_is_right_until_an_include_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("k.cu"), "source").unwrap();
        fs::write(at("h.h"), "one").unwrap();
        fs::create_dir(at("work")).unwrap();
        fs::write(at("work/k.d"), "k.ptx: k.cu h.h work/prelude.cuh\n").unwrap();
        fs::write(at("work/prelude.cuh"), "").unwrap();
        let cache = at("cache");
        assert_eq!(load(&cache, "abc"), None);
        store(&cache, "abc", folder.path(), &at("work/k.d"), "ptx text").unwrap();
        fs::remove_file(at("work/prelude.cuh")).unwrap();
        assert_eq!(load(&cache, "abc").as_deref(), Some("ptx text"));
        fs::write(at("work/prelude.cuh"), "").unwrap();
        fs::write(at("h.h"), "two").unwrap();
        assert_eq!(load(&cache, "abc"), None);
        store(&cache, "abc", folder.path(), &at("work/k.d"), "new text").unwrap();
        assert_eq!(load(&cache, "abc").as_deref(), Some("new text"));
        fs::remove_file(at("h.h")).unwrap();
        assert_eq!(load(&cache, "abc"), None);
    }
}
