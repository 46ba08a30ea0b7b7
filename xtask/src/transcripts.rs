//! Transcripts in the documents: a fenced block marked `console` shows commands and what they
//! print. Those that start with [`PREFIX`] are run, and must print that to the letter.
//!
//! A line `…` in the shown output stands for any number of lines.

use std::fs;
use std::path::PathBuf;

use crate::shell;

/// What the commands that are checked begin with.
const PREFIX: &str = "cargo run --release -- ";

/// The line that stands for any number of lines.
const ELISION: &str = "…";

/// A command and the output that a document shows for it.
#[derive(Debug, PartialEq, Eq)]
struct Transcript {
    line: usize,
    command: String,
    output: Vec<String>,
}

/// Runs the commands of all transcripts in README.md, docs/ and examples/README.md.
///
/// # Errors
///
/// The commands that print something else, and shown output that no command gives.
pub fn check() -> Result<(), String> {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for path in documents()? {
        let name = path
            .strip_prefix(shell::root())
            .unwrap_or(&path)
            .display()
            .to_string();
        let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        for transcript in transcripts(&text) {
            let place = format!("{name}:{}", transcript.line);
            match transcript.command.strip_prefix(PREFIX) {
                Some(arguments) => {
                    println!("{place}: {}", transcript.command);
                    checked += 1;
                    if let Err(message) = replay(arguments, &transcript.output) {
                        wrong.push(format!("{place}: `{}` {message}", transcript.command));
                    }
                }
                None if transcript.output.is_empty() => {}
                None => wrong.push(format!(
                    "{place}: output is shown for `{}`, which cannot be checked: it does not \
                     start with `{PREFIX}`",
                    transcript.command
                )),
            }
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n\n"));
    }
    if checked == 0 {
        return Err("no document holds a transcript".into());
    }
    Ok(())
}

fn documents() -> Result<Vec<PathBuf>, String> {
    let root = shell::root();
    let mut paths = vec![root.join("README.md"), root.join("examples/README.md")];
    let entries = fs::read_dir(root.join("docs")).map_err(|error| format!("docs: {error}"))?;
    let pages = entries.flatten().map(|entry| entry.path());
    paths.extend(pages.filter(|path| path.extension().is_some_and(|e| e == "md")));
    paths.sort();
    Ok(paths)
}

/// The transcripts of a Markdown text. Commands without output are among them.
fn transcripts(text: &str) -> Vec<Transcript> {
    let mut found: Vec<Transcript> = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        if inside && line.trim_end() == "```" {
            inside = false;
        } else if !inside && line.trim_end() == "```console" {
            inside = true;
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push(Transcript {
                line: number,
                command: command.trim_end().to_owned(),
                output: Vec::new(),
            });
        } else if inside && let Some(transcript) = found.last_mut() {
            transcript.output.push(line.trim_end().to_owned());
        }
    }
    for transcript in &mut found {
        while transcript.output.last().is_some_and(String::is_empty) {
            transcript.output.pop();
        }
    }
    found
}

/// Runs a command and compares; its exit code is part of neither.
fn replay(arguments: &str, shown: &[String]) -> Result<(), String> {
    let mut command = shell::cargo();
    command.args(["run", "--release", "--quiet", "--"]);
    command.args(arguments.split_whitespace());
    let output = command.output().map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    while printed.last().is_some_and(|line| line.is_empty()) {
        printed.pop();
    }
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    if matches(&shown, &printed) {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "prints something else ({}):\n{}\n{stderr}",
        output.status,
        printed.join("\n")
    ))
}

/// Whether a shown text with elisions fits a printed one.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&ELISION, rest)) => (0..=printed.len()).any(|n| matches(rest, &printed[n..])),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| line == first && matches(rest, others)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Transcript, matches, transcripts};

    #[test]
    fn only_console_blocks_are_transcripts() {
        let text = "\
Text
```console
$ one
a

b

$ two
```
$ not this
```toml
$ nor this
```
";
        let transcript = |line, command: &str, output: &[&str]| Transcript {
            line,
            command: command.to_owned(),
            output: output.iter().map(|line| line.to_string()).collect(),
        };
        let expected = [
            transcript(3, "one", &["a", "", "b"]),
            transcript(8, "two", &[]),
        ];
        assert_eq!(transcripts(text), expected);
    }

    #[test]
    fn elisions() {
        assert!(matches(&["a", "b"], &["a", "b"]));
        assert!(!matches(&["a"], &["a", "b"]));
        assert!(!matches(&["a", "b"], &["a"]));
        assert!(matches(&["a", "…"], &["a", "b", "c"]));
        assert!(matches(&["…", "c"], &["a", "b", "c"]));
        assert!(matches(&["a", "…", "b"], &["a", "b"]));
        assert!(!matches(&["…", "d"], &["a", "b", "c"]));
    }
}
