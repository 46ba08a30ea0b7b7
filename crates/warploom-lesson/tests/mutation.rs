//! No text makes the parser panic, and every report lies inside the text.

use std::path::Path;

use warploom_lesson::parse;

/// A small pseudo-random sequence (xorshift), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

const PIECES: &[&str] = &[
    "if",
    "else",
    "end",
    "while",
    "where",
    "switch",
    "case",
    "store",
    "load",
    "array",
    "threads",
    "i",
    "n",
    "x",
    "data",
    "(",
    ")",
    "[",
    "]",
    "=",
    "==",
    "<",
    "<<",
    "-",
    "not",
    "and",
    "min",
    "select",
    "sqrt",
    "1",
    "0x",
    "1e9",
    "4294967296",
    "1.5",
    ":",
    ",",
    "#",
    "\n",
    "\r",
    "\t",
    "ä",
    "\0",
    "&&",
    "!",
    "case 3\n",
    "end\n",
    "if i < 3\n",
    "while i < 3\n",
    "switch i\n",
    "else\n",
];

fn try_parse(text: &str) {
    match parse("mutant", text) {
        Ok(lesson) => {
            assert!((4..=64).contains(&lesson.width));
            assert_eq!(lesson.module.code.len(), lesson.module.origins.len());
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(text.get(error.span.clone()).is_some(), "{error:?}");
                assert!(error.line >= 1 && error.column >= 1);
            }
        }
    }
}

#[test]
fn mutants_of_good_and_bad_programs() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for folder in ["../../lessons", "tests/bad"] {
        let mut paths: Vec<_> = std::fs::read_dir(here.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "simt")
            })
            .collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(path).unwrap();
            for _ in 0..150 {
                let mut mutant: Vec<char> = text.chars().collect();
                for _ in 0..1 + random.below(4) {
                    let at = random.below(mutant.len() + 1);
                    let until = (at + random.below(12)).min(mutant.len());
                    let piece = PIECES[random.below(PIECES.len())];
                    mutant.splice(at..until, piece.chars());
                }
                try_parse(&mutant.into_iter().collect::<String>());
            }
        }
    }
}

#[test]
fn soups_of_pieces() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..5000 {
        let count = random.below(60);
        let pieces = (0..count).map(|_| PIECES[random.below(PIECES.len())]);
        try_parse(&pieces.collect::<Vec<_>>().join(" "));
    }
}
