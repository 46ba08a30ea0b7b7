//! Every opcode that real programs have is accepted, executed and counted once.

use crate::support::{counted, function, kernel};

const OPCODES: &str = include_str!("../data/machine_opcodes.txt");

/// A register that a type fits, by its last letters.
fn register(ty: &str, n: usize) -> String {
    let kind = match ty {
        "pred" => "p",
        "f32" => "f",
        "f64" => "fd",
        "b128" => "q",
        _ => match ty.trim_start_matches(|c: char| !c.is_ascii_digit()) {
            "64" => "rd",
            "8" | "16" => "rs",
            _ => "r",
        },
    };
    format!("%{kind}{n}")
}

/// The operands of an instruction with this opcode.
fn operands(opcode: &str) -> String {
    let parts: Vec<&str> = opcode.split('.').collect();
    let has = |part: &str| parts.contains(&part);
    let ty = parts.last().copied().unwrap_or_default();
    let count = ["v2", "v4", "v8"]
        .iter()
        .position(|&v| has(v))
        .map_or(1, |n| 2 << n);
    let value = |from: usize| match count {
        1 => register(ty, from),
        _ => {
            let all: Vec<String> = (from..from + count).map(|n| register(ty, n % 8)).collect();
            format!("{{{}}}", all.join(", "))
        }
    };
    let pointer = |parameter: &str| match has("param") {
        true => format!("[{parameter}]"),
        false => "[%rd1]".to_owned(),
    };
    match parts[0] {
        "ld" => format!("{}, {}", value(0), pointer("ks")),
        "st" => format!("{}, {}", pointer("sp"), value(0)),
        "mov" => format!("{}, {}", value(0), value(8 % (8 / count))),
        "atom" if has("cas") => format!("{}, [%rd1], {}, {}", value(0), value(2), value(3)),
        "atom" => format!("{}, [%rd1], {}", value(0), value(2)),
        "red" => format!("[%rd1], {}", value(0)),
        "cvta" if has("param") => "%rd1, kp".to_owned(),
        "cvta" => "%rd1, %rd2".to_owned(),
        "bar" if has("red") => format!("{}, 0, %p2", value(1)),
        "bar" if has("warp") => "-1".to_owned(),
        "bar" | "barrier" => "0".to_owned(),
        "shfl" => "%r1|%p1, %r2, 1, 31, -1".to_owned(),
        "vote" if has("sync") => format!("{}, %p2, -1", value(1)),
        "vote" => format!("{}, %p2", value(1)),
        "match" | "redux" => format!("%r1, {}, -1", value(2)),
        "elect" => "%r1|%p1, -1".to_owned(),
        "activemask" => "%r1".to_owned(),
        "bra" => "L".to_owned(),
        "call" => "f".to_owned(),
        "nanosleep" => "10".to_owned(),
        _ => String::new(),
    }
}

#[test]
fn opcodes_of_real_programs_run() {
    let declarations = ".func f() { ret; }";
    for opcode in OPCODES.lines() {
        let body = format!(
            ".param .align 32 .b8 sp[64];\n{opcode} {};\nL: ret;",
            operands(opcode)
        );
        let module = kernel(declarations, &body);
        let (_, k) = function(&module, "k");
        assert!(k.unsupported.is_empty(), "{opcode}");
        assert_eq!(counted(&module, "k"), 2, "{opcode}");
    }
}
