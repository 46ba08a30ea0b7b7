//! Damaged modules: whatever the text, parsing ends, gives a tree whose references hold, and
//! leaves no name without a target unless it reported an error.

mod common;

use std::path::{Path, PathBuf};
use warploom_ptx::ast::Module;
use warploom_ptx::diagnostic::Diagnostic;

/// Marsaglia's xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

/// The PTX files of the repository, in a fixed order.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
        &mut paths,
    );
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("the file is readable");
        (path, String::from_utf8_lossy(&bytes).into_owned())
    };
    paths.into_iter().map(read).collect()
}

/// Goes through the whole tree; following a broken reference panics.
fn check(source: &str) -> (Module<'_>, Vec<Diagnostic>) {
    let (module, diagnostics) = warploom_ptx::parse(source, "mutant.ptx");
    for diagnostic in &diagnostics {
        assert!(diagnostic.help.is_some());
        for label in &diagnostic.labels {
            assert!(source.get(label.span.range()).is_some(), "{label:?}");
        }
    }
    let whole = !diagnostics.iter().any(Diagnostic::is_error);
    for function in &module.functions {
        let canonical = module.function(function.canonical);
        assert!(canonical.canonical == function.canonical || !whole);
        let Some(body) = &function.body else { continue };
        for (printed, instruction) in common::print_body(&module, body)
            .iter()
            .zip(&body.instructions)
        {
            assert!(!whole || !printed.contains('?'), "{printed}");
            assert!(source.get(instruction.span.range()).is_some());
        }
        for label in &body.labels {
            assert!(label.position as usize <= body.instructions.len());
        }
    }
    for variable in &module.variables {
        let count = u64::from(variable.vector) * variable.element_count();
        for initial in module.initial_values(variable) {
            assert!(u64::from(initial.index) < count || !whole);
        }
    }
    (module, diagnostics)
}

/// One small change at a random place.
fn mutate(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(text.len());
    let length = 1 + random.below(12);
    let end = (at + length).min(text.len());
    match random.below(7) {
        0 => text.truncate(at),
        1 => drop(text.drain(at..end)),
        2 => {
            let piece = text[at..end].to_vec();
            let to = random.below(text.len());
            text.splice(to..to, piece);
        }
        3 => {
            let from = random.below(other.len());
            let until = (from + length).min(other.len());
            text.splice(at..end, other[from..until].iter().copied());
        }
        4 => {
            const MARKS: &[u8] = b"{}[]()<>;:,.@!|&+-*/%\"'#\0\n_$0x9f";
            let mark = MARKS[random.below(MARKS.len())];
            text.insert(at, mark);
        }
        5 => {
            if let Some(byte) = text.get_mut(at) {
                *byte = (random.next() & 0x7F) as u8;
            }
        }
        _ => {
            let piece = text[at..end].repeat(1 + random.below(200));
            text.splice(at..at, piece);
        }
    }
}

#[test]
fn damaged_modules_are_read_safely() {
    let mut seeds: Vec<String> = files("tests/bad")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    seeds.extend(files("../../examples").into_iter().map(|(_, text)| text));
    assert!(seeds.len() > 20);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..6000 {
        let seed = &seeds[round % seeds.len()];
        let other = &seeds[random.below(seeds.len())];
        let mut text = seed.clone().into_bytes();
        // Long modules are cut to keep the number of rounds high.
        let from = random.below(text.len().saturating_sub(3000));
        if from > 0 && random.below(2) == 0 {
            text.drain(100..from.max(100));
        }
        text.truncate(4000);
        for _ in 0..1 + random.below(4) {
            mutate(&mut text, other.as_bytes(), &mut random);
        }
        check(&String::from_utf8_lossy(&text));
    }
}

#[test]
fn noise_is_read_safely() {
    let mut random = Random(42);
    let header = common::HEADER.as_bytes();
    for _ in 0..2000 {
        let length = random.below(400);
        let noise = (0..length).map(|_| (random.next() & 0x7F) as u8);
        let text: Vec<u8> = header.iter().copied().chain(noise).collect();
        check(&String::from_utf8_lossy(&text));
    }
}

#[test]
fn repetitive_modules_take_linear_time() {
    let many = 20_000;
    let wrap = |text: String| format!("{}.entry k() {{\n{text}\n}}\n", common::HEADER);
    let numbered = |f: &dyn Fn(usize) -> String| (0..many).map(f).collect::<String>();
    let texts = [
        wrap("{".repeat(many)),
        wrap("(".repeat(many)),
        wrap(format!("mov.b32 x, {}1;", "-".repeat(many))),
        wrap(format!("mov.b32 x, {}1;", "1?1:".repeat(many))),
        wrap(format!("mov.b32 x, {}1;", "1+".repeat(many))),
        wrap(format!("mov.b32 {}x;", "{".repeat(many))),
        wrap(format!("ld.b32 x, {}x;", "[x,".repeat(many))),
        wrap(numbered(&|n| format!(".reg .b32 x{n};"))),
        wrap(numbered(&|n| format!(".reg .b32 x{n}<4>;"))),
        wrap(numbered(&|n| {
            format!(".reg .b32 r{n}; .reg .b32 r{n}x<9>;")
        })),
        wrap(numbered(&|_| {
            "{ .reg .b32 x<4>; mov.b32 x1, x2; }".to_owned()
        })),
        wrap(numbered(&|n| format!("L{n}: bra L{n};"))),
        wrap(numbered(&|n| format!("bra M{n};"))),
        wrap(format!("add{} x;", ".x".repeat(many))),
        format!("{}.global .u32 a[] = {}", common::HEADER, "{".repeat(many)),
        format!(
            "{}.global .u32 a{} = 0;",
            common::HEADER,
            "[1]".repeat(many)
        ),
        format!(
            "{}.global .samplerref s = {}",
            common::HEADER,
            "{".repeat(many)
        ),
        numbered(&|n| format!(".global .u32 a{n} = 4;\n")),
        "/*".repeat(many),
        "\"".repeat(many),
        "#line\n".repeat(many),
        "# # #".repeat(many),
    ];
    for text in &texts {
        check(text);
    }
}

#[test]
fn the_examples_of_the_repository_are_right() {
    let examples = files("../../examples");
    assert!(!examples.is_empty());
    for (path, source) in &examples {
        let (module, diagnostics) = check(source);
        let listing = common::listing(source, &diagnostics);
        assert!(diagnostics.is_empty(), "{}:\n{listing}", path.display());
        assert!(module.functions.iter().any(|f| f.body.is_some()));
    }
}
