//! Every module under `examples` loads, and each of its instructions counts once.

use std::fs;
use std::path::{Path, PathBuf};

use warploom_isa::FunctionId;
use warploom_ptx::{ast, load, parse};

use crate::support::lines;

fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

/// Instructions of a function as the text has them.
fn written(module: &ast::Module<'_>, name: &str) -> Option<usize> {
    let named = module
        .functions
        .iter()
        .filter(|f| module.text(f.name) == name);
    named
        .filter_map(|f| f.body.as_ref())
        .map(|body| body.instructions.len())
        .next()
}

#[test]
fn examples_load() {
    let mut paths = Vec::new();
    modules(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"),
        &mut paths,
    );
    assert!(paths.len() >= 20, "{paths:?}");
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let module = match load(&[("example.ptx", &text)]) {
            Ok(loaded) => loaded.module,
            Err(problems) => panic!("{}: {:#?}", path.display(), lines(&text, &problems)),
        };
        let (tree, _) = parse(&text, "example.ptx");
        for (number, function) in (0..).zip(&module.functions) {
            let place = format!("{} in {}", function.name, path.display());
            assert!(
                function.unsupported.is_empty(),
                "{place}: {:?}",
                function.unsupported
            );
            let blocks = module
                .blocks
                .iter()
                .filter(|block| block.function == FunctionId(number));
            let counted: u32 = blocks.map(|block| block.counted).sum();
            assert_eq!(
                counted as usize,
                written(&tree, &function.name).unwrap_or(0),
                "{place}"
            );
        }
    }
}
