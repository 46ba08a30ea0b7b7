//! The files of the corpus: small kernels, and what is found in them.
//!
//! A file holds the body of a kernel. Its first lines say how it is launched and what is found:
//!
//! - `// run: GRID BLOCK WORDS…`: blocks, threads of a block, and for each buffer its zeroed words
//! - `// finds: KIND (1) (2)`: a finding with its two lines, which are marked `// (1)` and `// (2)`;
//!   `// finds under its:` and `// finds under ipdom:` are of one model alone
//!
//! The body finds the buffers' addresses in `%b0` to `%b3`, the thread in `%t`, its block in `%c`,
//! threads of a block in `%n`, and free registers: `%h` of 16 bits, `%r` and `%f` of 32, `%rd` of
//! 64, `%p` predicates.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::Failed;
use warploom_check::{RaceChecker, Shape};
use warploom_isa::Module;
use warploom_machine::{
    AllocationKind, Divergence, Host, LaunchSpec, Limits, Machine, MachineConfig, Outcome,
};

const PREAMBLE: &str = "\
    .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<32>, %t, %c, %n; .reg .f32 %f<16>;
    .reg .b64 %rd<32>, %b<4>;
    mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x;";

/// What a file says of itself.
pub struct Case {
    pub grid: u32,
    block: u32,
    words: Vec<u64>,
    /// The model it is of, or both; the kind; the marks, in order.
    pub finds: Vec<(Option<Divergence>, String)>,
    source: String,
    /// The mark of each line of `source`, from 1.
    marks: Vec<String>,
}

fn numbers(text: &str) -> Result<Vec<u64>, Failed> {
    let number = |word: &str| {
        word.parse()
            .map_err(|_| format!("`{word}` is no number").into())
    };
    text.split_whitespace().map(number).collect()
}

pub fn parse(text: &str) -> Result<Case, Failed> {
    let after = |start: &'static str| {
        text.lines()
            .filter_map(move |line| line.strip_prefix(start))
    };
    let run = after("// run:").next().ok_or("no `// run:` line")?;
    let [grid, block, words @ ..] = &numbers(run)?[..] else {
        return Err("`// run:` needs a grid and a block".into());
    };
    let mut finds = Vec::new();
    for (start, model) in [
        ("// finds:", None),
        ("// finds under its:", Some(Divergence::Its)),
        ("// finds under ipdom:", Some(Divergence::Ipdom)),
    ] {
        finds.extend(after(start).map(|found| (model, found.trim().to_owned())));
    }
    let params: Vec<String> = (0..words.len())
        .map(|n| format!(".param .u64 p{n}"))
        .collect();
    let loads: String = (0..words.len())
        .map(|n| format!("ld.param.u64 %b{n}, [p{n}];"))
        .collect();
    let head = format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k({})\n{{\n{PREAMBLE}\n{loads}\n",
        params.join(", ")
    );
    let source = format!("{head}{text}\nret;\n}}\n");
    let mark = |line: &str| {
        line.rsplit_once("// ")
            .map_or("", |(_, mark)| mark)
            .to_owned()
    };
    let marks = source.lines().map(mark).collect();
    Ok(Case {
        grid: *grid as u32,
        block: *block as u32,
        words: words.to_vec(),
        finds,
        source,
        marks,
    })
}

/// What is found under a model, as the files write it, and how the launch ended.
pub fn check(case: &Case, divergence: Divergence) -> Result<(BTreeSet<String>, Outcome), Failed> {
    let loaded = warploom_ptx::load(&[("case.ptx", &case.source)])
        .map_err(|problems| format!("{problems:#?}"))?;
    let module: Arc<Module> = Arc::new(loaded.module);
    let config = MachineConfig {
        divergence,
        ..MachineConfig::default()
    };
    let width = config.warp_width;
    let mut machine = Machine::load(module.clone(), config).map_err(|e| e.to_string())?;
    let mut params = Vec::new();
    for (n, words) in case.words.iter().enumerate() {
        let kind = AllocationKind::Buffer(format!("b{n}"));
        let address = machine
            .memory
            .allocate(4 * words, 256, kind)
            .map_err(|e| e.to_string())?;
        params.extend(address.to_le_bytes());
    }
    let spec = LaunchSpec {
        kernel: module.kernel("k").ok_or("no kernel")?,
        grid: [case.grid, 1, 1],
        block: [case.block, 1, 1],
        dynamic_shared_bytes: 0,
        params,
        cooperative: false,
        resident_blocks: 132,
    };
    let launch = machine.prepare(&spec).map_err(|e| e.to_string())?;
    let shape = Shape {
        grid: spec.grid,
        threads_per_block: case.block,
        warp_width: width,
        in_step: divergence == Divergence::Ipdom,
    };
    let mut checker = RaceChecker::new(module.clone(), shape);
    let limits = Limits {
        max_thread_instructions: 1 << 24,
        interrupt: None,
    };
    let host = &mut Host {
        output: &mut |_| {},
        progress: &mut |_| {},
    };
    let result = machine.run_observed(&launch, limits, host, &mut checker);
    let mark = |pc: u32| {
        let line = module.origins[pc as usize].text_line as usize;
        let mark = case.marks.get(line - 1).map_or("", String::as_str);
        match mark {
            "" => format!("line {line}"),
            mark => mark.to_owned(),
        }
    };
    let found = checker.findings().iter().map(|finding| {
        let mut sides = [mark(finding.first.pc), mark(finding.second.pc)];
        sides.sort();
        format!("{} {}", finding.kind.name(), sides.join(" "))
    });
    Ok((found.collect(), result.outcome))
}

/// The files of a half of the corpus, `clean` or `faulty`, by name.
pub fn files(half: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let files = fs::read_dir(folder.join(half)).expect("the corpus");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
}

/// A file's name without its ending.
pub fn name(file: &Path) -> String {
    file.file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}
