//! Broken modules, each with the reports it has to give written beside the faulty lines:
//! `//~ ERROR CODE: part of the message`, with a `^` after the `~` for each line further up.

mod common;

use std::path::Path;
use warploom_ptx::diagnostic::{LineIndex, Severity};

#[derive(Debug)]
struct Expected {
    line: u32,
    severity: Severity,
    code: String,
    message: String,
}

fn expectations(source: &str) -> Vec<Expected> {
    let lines = (1..).zip(source.split('\n'));
    let annotated = lines.flat_map(|(line, text)| {
        text.split("//~")
            .skip(1)
            .map(move |annotation| (line, annotation.trim_end()))
    });
    let parse = |(line, annotation): (u32, &str)| {
        let text = annotation.trim_start_matches('^');
        let up = (annotation.len() - text.len()) as u32;
        let (head, message) = text.split_once(": ").expect("an annotation has a message");
        let (severity, code) = head
            .trim()
            .split_once(' ')
            .expect("an annotation has a code");
        Expected {
            line: line - up,
            severity: match severity {
                "ERROR" => Severity::Error,
                "WARNING" => Severity::Warning,
                other => panic!("no such severity: {other}"),
            },
            code: code.to_owned(),
            message: message.trim().to_owned(),
        }
    };
    annotated.map(parse).collect()
}

fn check(path: &Path) {
    let source = std::fs::read_to_string(path).expect("the file is text");
    let name = path
        .file_name()
        .and_then(|n| n.to_str())
        .expect("the file has a name");
    let (_, diagnostics) = warploom_ptx::parse(&source, name);
    let listing = common::listing(&source, &diagnostics);
    let lines = LineIndex::new(&source);
    let mut expected = expectations(&source);
    assert!(!expected.is_empty(), "{name} expects nothing");
    for diagnostic in &diagnostics {
        let line = lines.line(diagnostic.span().start);
        let found = expected.iter().position(|e| {
            e.line == line
                && e.severity == diagnostic.severity
                && e.code == diagnostic.code.0
                && diagnostic.message.contains(&e.message)
        });
        match found {
            Some(at) => drop(expected.remove(at)),
            None => panic!("{name}: unexpected report\n{diagnostic:?}\nof\n{listing}"),
        }
        assert!(
            diagnostic.help.as_ref().is_some_and(|h| !h.is_empty()),
            "{name}: no help"
        );
        for label in &diagnostic.labels {
            assert!(!label.text.is_empty(), "{name}: a label says nothing");
            assert!(
                source.get(label.span.range()).is_some(),
                "{name}: a label is outside"
            );
        }
    }
    assert!(
        expected.is_empty(),
        "{name}: not reported: {expected:?}\nbut\n{listing}"
    );
}

#[test]
fn broken_modules_give_the_reports_they_expect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 20, "only {} files", paths.len());
    paths.iter().for_each(|path| check(path));
}
