//! Short texts in, short listings out.

use warploom_isa::{Function, FunctionId, Module, Op, listing};
use warploom_ptx::{Loaded, Problem};

/// What every test kernel can name.
const REGISTERS: &str = "
    .reg .pred %p<8>;
    .reg .b16 %rs<16>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<32>;
    .reg .b128 %q<4>;
    .reg .f32 %f<16>;
    .reg .f64 %fd<16>;
";

/// A module with declarations and the kernel `k`, which has two parameters and a body.
pub fn text(declarations: &str, body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 kp, .param .align 32 .b8 ks[64])\n{{{REGISTERS}\n{body}\n}}\n"
    )
}

/// Loads a text that has no errors.
pub fn load(text: &str) -> Module {
    match warploom_ptx::load(&[("test.ptx", text)]) {
        Ok(Loaded { module, .. }) => module,
        Err(problems) => panic!("{:#?}\n{text}", lines(text, &problems)),
    }
}

/// The kernel `k` of a module with `declarations`.
pub fn kernel(declarations: &str, body: &str) -> Module {
    load(&text(declarations, body))
}

/// The function called `name`.
pub fn function<'m>(module: &'m Module, name: &str) -> (FunctionId, &'m Function) {
    let at = module.functions.iter().position(|f| f.name == name);
    let at = at.unwrap_or_else(|| panic!("no function {name}"));
    (FunctionId(at as u32), &module.functions[at])
}

/// The listing of a function from its first block on, without the return at its end.
pub fn code(module: &Module, name: &str) -> Vec<String> {
    let (id, _) = function(module, name);
    let listing = listing::function(module, id);
    let mut lines: Vec<String> = listing
        .lines()
        .skip_while(|line| !line.ends_with(':'))
        .skip(1)
        .map(|line| {
            line.strip_prefix("    ")
                .unwrap_or(line.trim_start())
                .to_owned()
        })
        .collect();
    assert_eq!(lines.pop().as_deref(), Some("| ret"));
    lines
}

/// The registers that a body names, in order of their names.
fn named(body: &str) -> Vec<String> {
    let mut names: Vec<String> = body
        .split('%')
        .skip(1)
        .map(|rest| {
            rest.chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect()
        })
        .filter(|name: &String| {
            let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
            ["p", "rs", "r", "rd", "q", "f", "fd"].contains(&kind) && kind != name
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// An instruction that writes a register, and one that reads it.
fn first_and_last_use(name: &str) -> (String, String) {
    let ty = match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "p" => {
            return (
                format!("vote.any.pred %{name}, %p7;"),
                format!("vote.any.pred %p7, %{name};"),
            );
        }
        "rs" => "b16",
        "rd" => "b64",
        "q" => "b128",
        "f" => "f32",
        "fd" => "f64",
        _ => "b32",
    };
    (
        format!("ld.global.{ty} %{name}, [0];"),
        format!("st.global.{ty} [0], %{name};"),
    )
}

/// Gives the rows of a listing's line the names that `rows` has for them, and `t0`, `t1` to those
/// it does not have.
fn rename(line: &str, rows: &[(String, String)], temporaries: &mut Vec<String>) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for c in line.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            word.push(c);
            continue;
        }
        let is_row = word.len() > 1
            && word.starts_with(['r', 'd', 'm'])
            && word[1..].chars().all(|c| c.is_ascii_digit());
        match rows.iter().find(|(row, _)| *row == word) {
            Some((_, name)) => text += name,
            None if is_row => {
                let known = temporaries.iter().position(|temporary| *temporary == word);
                let number = known.unwrap_or(temporaries.len());
                if known.is_none() {
                    temporaries.push(word.clone());
                }
                text += &format!("t{number}");
            }
            None => text += &word,
        }
        text.push(c);
        word.clear();
    }
    text.trim_end().to_owned()
}

/// The code of the kernel must be these lines. Registers stand under their names in the text,
/// temporary ones as `t0`, `t1`; all registers that the body names are alive around it.
pub fn check_with(declarations: &str, body: &str, expected: &[&str]) {
    let names = named(body);
    let uses: Vec<_> = names.iter().map(|name| first_and_last_use(name)).collect();
    let first: String = uses.iter().map(|(first, _)| first.as_str()).collect();
    let last: String = uses.iter().map(|(_, last)| last.as_str()).collect();
    let module = kernel(declarations, &format!("{first}\n{body}\n{last}"));
    let lines = code(&module, "k");
    let mut rows = Vec::new();
    for (name, line) in names.iter().zip(&lines) {
        let operands = line.split_once(' ').map_or("", |(_, operands)| operands);
        let halves = operands.trim_start_matches('{').split([',', '}']);
        let halves: Vec<&str> = halves.map(str::trim).take(2).collect();
        rows.push((halves[0].to_owned(), name.clone()));
        if name.starts_with('q') {
            rows[..].last_mut().unwrap().1 += ".lo";
            rows.push((halves[1].to_owned(), format!("{name}.hi")));
        }
    }
    let mut temporaries = Vec::new();
    let lines = &lines[names.len()..lines.len() - names.len()];
    let found: Vec<String> = lines
        .iter()
        .map(|line| rename(line, &rows, &mut temporaries))
        .collect();
    assert_eq!(found, expected, "{body}");
}

/// As [`check_with`], without declarations.
pub fn check(body: &str, expected: &[&str]) {
    check_with("", body, expected);
}

/// The code of the kernel must be these lines, with rows as they are.
pub fn check_rows(body: &str, expected: &[&str]) {
    assert_eq!(code(&kernel("", body), "k"), expected, "{body}");
}

/// Instructions of a function that count as issued.
pub fn counted(module: &Module, name: &str) -> u32 {
    let (id, _) = function(module, name);
    let blocks = module.blocks.iter().filter(|block| block.function == id);
    blocks.map(|block| block.counted).sum()
}

/// Whether a function holds an operation.
pub fn holds(module: &Module, name: &str, op: Op) -> bool {
    let (_, function) = function(module, name);
    let code = &module.code[function.start as usize..function.end as usize];
    code.iter().any(|inst| inst.op == op)
}

/// Problems as `CODE at TEXT: message`.
pub fn lines(text: &str, problems: &[Problem]) -> Vec<String> {
    let lines = problems.iter().map(|problem| {
        let d = &problem.diagnostic;
        format!("{} at `{}`: {}", d.code, d.span().text(text), d.message)
    });
    lines.collect()
}

/// What is wrong with a text that has errors.
pub fn problems(text: &str) -> Vec<Problem> {
    match warploom_ptx::load(&[("test.ptx", text)]) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(problems) => problems,
    }
}
