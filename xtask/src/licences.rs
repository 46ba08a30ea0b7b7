//! The licence check: every dependency may be used under a permissive licence.

use std::collections::BTreeSet;

use crate::shell;

/// What is permissive enough, as SPDX calls it.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Checks all packages that any part of the workspace uses on any platform.
///
/// # Errors
///
/// The packages whose licence is not allowed.
pub fn check() -> Result<(), String> {
    let tree = [
        "tree",
        "--workspace",
        "--target",
        "all",
        "--all-features",
        "--prefix",
        "none",
    ];
    let text = shell::capture(shell::cargo().args(tree).args(["--format", "{p}\t{l}"]))?;
    let packages: BTreeSet<(&str, &str)> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let refused: Vec<String> = packages
        .iter()
        .filter(|(_, licence)| !allows(licence))
        .map(|(package, licence)| format!("{package}: licence `{licence}` is not in the list"))
        .collect();
    if refused.is_empty() && !packages.is_empty() {
        println!("{} packages", packages.len());
        Ok(())
    } else {
        Err(refused.join("\n"))
    }
}

/// Whether an SPDX expression leaves a choice that is allowed. `/` is an old way to write `OR`.
fn allows(expression: &str) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    any(&mut words) == Some(true) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

/// `None` is malformed, here and below.
fn any(words: &mut Words<'_>) -> Option<bool> {
    let mut allowed = all(words)?;
    while words.next_if_eq(&"OR").is_some() {
        allowed |= all(words)?;
    }
    Some(allowed)
}

fn all(words: &mut Words<'_>) -> Option<bool> {
    let mut allowed = one(words)?;
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words)?;
    }
    Some(allowed)
}

fn one(words: &mut Words<'_>) -> Option<bool> {
    if words.next_if_eq(&"(").is_some() {
        let allowed = any(words)?;
        return (words.next()? == ")").then_some(allowed);
    }
    let mut name = words.next()?.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next()?);
    }
    Some(ALLOWED.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::allows;

    #[test]
    fn expressions() {
        let cases = [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("GPL-3.0-only AND MIT", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND GPL-2.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
            ("Apache-2.0 WITH Some-exception", false),
            ("MIT OR (GPL-2.0", false),
            ("MIT Apache-2.0", false),
            ("", false),
        ];
        for (expression, expected) in cases {
            assert_eq!(allows(expression), expected, "{expression}");
        }
    }
}
