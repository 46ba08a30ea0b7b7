//! Bad programs, with what must be said about them beside the faulty line: `#! column: message`,
//! where the message is the beginning of the one reported. Nothing else may be reported.

use std::path::Path;

use warploom_lesson::{Diagnostic, parse};

fn annotations(text: &str) -> Vec<(u32, u32, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for note in line.split("#!").skip(1) {
            let (column, message) = note.split_once(':').expect("`column: message`");
            found.push((
                number,
                column.trim().parse().unwrap(),
                message.trim().to_owned(),
            ));
        }
    }
    found
}

fn check(name: &str, text: &str) {
    let expected = annotations(text);
    assert!(!expected.is_empty(), "{name} expects nothing");
    let Err(found) = parse(name, text) else {
        panic!("{name} was accepted");
    };
    let places =
        |list: &[Diagnostic]| -> String { list.iter().map(|d| format!("{d}\n")).collect() };
    assert_eq!(found.len(), expected.len(), "{name}:\n{}", places(&found));
    for (found, (line, column, message)) in found.iter().zip(&expected) {
        let matches = (found.line, found.column) == (*line, *column);
        assert!(
            matches && found.message.starts_with(message.as_str()),
            "{name}: expected {line}:{column}: {message}\nfound {found}"
        );
        assert!(!found.expected.is_empty() && !found.help.is_empty());
        assert_eq!(found.text, text.lines().nth(*line as usize - 1).unwrap());
        assert!(text.get(found.span.clone()).is_some());
    }
}

#[test]
fn bad_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files += 1;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        check(&name, &std::fs::read_to_string(&path).unwrap());
    }
    assert!(files >= 10);
}

fn first(text: &str) -> Diagnostic {
    parse("t", text).unwrap_err().swap_remove(0)
}

#[test]
fn a_report_in_full() {
    let found = first("x = 1\ny = (x + zahl) * 2\n");
    let expected = Diagnostic {
        file: "t".to_owned(),
        line: 2,
        column: 10,
        span: 15..19,
        text: "y = (x + zahl) * 2".to_owned(),
        message: "`zahl` has no value yet".to_owned(),
        expected: "expected a variable with a value".to_owned(),
        help: "assign it on a line above: `zahl = 0`".to_owned(),
    };
    assert_eq!(found, expected);
    assert_eq!(found.to_string(), "t:2:10: `zahl` has no value yet");
}

#[test]
fn help_names_what_was_meant() {
    for (text, help) in [
        ("counter = 1\nx = countr\n", "there is a variable `counter`"),
        (
            "array data 8\nx = load dat[0]\n",
            "there is an array `data`",
        ),
        ("x = 1 && 2\n", "write `and`"),
        ("x = tan(1)\n", "the functions are "),
        (
            "x = true\n",
            "write a comparison that holds, such as 0 == 0",
        ),
    ] {
        assert!(
            first(text).help.starts_with(help),
            "{text}: {}",
            first(text).help
        );
    }
}

#[test]
fn columns_count_characters() {
    let found = first("# ä\nx = ü\n");
    assert_eq!((found.line, found.column), (2, 5));
    let found = first("x = 'ä' + ß\n");
    assert_eq!(found.column, 5);
}

#[test]
fn limits() {
    let nested = "if i < 1\n".repeat(33) + &"end\n".repeat(33);
    assert_eq!(first(&nested).message, "too many blocks inside one another");
    let parentheses = format!("x = {}1{}\n", "(".repeat(40), ")".repeat(40));
    assert_eq!(
        first(&parentheses).message,
        "the expression is nested too deeply"
    );
    let prefixes = format!("x = {}1\n", "- ".repeat(100_000));
    assert_eq!(
        first(&prefixes).message,
        "the expression is nested too deeply"
    );
    let sum = format!("x = 1{}\n", " + 1".repeat(101));
    assert_eq!(first(&sum).message, "the expression is nested too deeply");
    let statements = "x = 1\n".repeat(2001);
    assert_eq!(first(&statements).message, "the program is too long");
    let operations = format!("x = 1{}\n", " + 1".repeat(99)).repeat(300);
    assert_eq!(first(&operations).message, "the program is too long");
    assert_eq!(first(&" ".repeat(300_000)).message, "the text is too long");
    let arrays: String = (0..17).map(|k| format!("array a{k} 1\n")).collect();
    assert_eq!(first(&arrays).message, "too many arrays");
    let many = "x = y\n".repeat(100);
    assert_eq!(parse("t", &many).unwrap_err().len(), 20);
}

#[test]
fn the_largest_programs_are_accepted() {
    let nested = "if i < 1\n".repeat(32) + "x = 1\n" + &"end\n".repeat(32);
    assert!(parse("t", &nested).is_ok());
    let statements = "x = 1\n".repeat(2000);
    assert!(parse("t", &statements).is_ok());
    let sum = format!("x = 1{}\n", " + 1".repeat(100));
    assert!(parse("t", &sum).is_ok());
}

#[test]
fn empty_texts() {
    for text in ["", "\n\n", "# only a remark", "threads 64\r\n"] {
        let lesson = parse("t", text).unwrap();
        assert!(lesson.lines.iter().all(|line| !line.issues));
    }
}
