//! Every arithmetic opcode that real programs have is accepted and counted once.

#[path = "lower_machine/support.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod support;

use support::{counted, function, kernel};

const OPCODES: &str = include_str!("data/arith_opcodes.txt");

/// A register of a type.
fn register(ty: &str, n: usize) -> String {
    let kind = match ty {
        "pred" => "p",
        "f32" => "f",
        "f64" => "fd",
        "f16" | "bf16" | "e4m3x2" | "e5m2x2" => "rs",
        "f16x2" | "bf16x2" | "tf32" | "u16x2" | "s16x2" => "r",
        _ => match ty.trim_start_matches(|c: char| !c.is_ascii_digit()) {
            "64" => "rd",
            "8" | "16" => "rs",
            "32" => "r",
            _ => panic!("no type {ty}"),
        },
    };
    format!("%{kind}{n}")
}

fn doubled(ty: &str) -> &'static str {
    match ty {
        "u16" | "s16" => "b32",
        _ => "b64",
    }
}

/// The operands of an instruction with this opcode.
fn operands(opcode: &str) -> String {
    let parts: Vec<&str> = opcode.split('.').collect();
    let has = |part: &str| parts.contains(&part);
    let base = parts[0];
    let is_type = |part: &&&str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        ["u", "s", "b", "f", "bf", "tf"].contains(&letters) && **part != letters
            || [
                "pred", "f16x2", "bf16x2", "u16x2", "s16x2", "e4m3x2", "e5m2x2",
            ]
            .contains(part)
    };
    let types: Vec<&str> = parts.iter().skip(1).filter(is_type).copied().collect();
    let (ty, last) = (types[0], types[types.len() - 1]);
    let same = |count: usize| {
        let all: Vec<String> = (0..count).map(|n| register(ty, n)).collect();
        all.join(", ")
    };
    let d = register(ty, 0);
    match base {
        "abs" | "neg" | "not" | "cnot" | "brev" => same(2),
        "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" => same(2),
        "popc" | "clz" | "bfind" => format!("%r0, {}", register(ty, 1)),
        "mad" | "madc" | "fma" | "sad" | "prmt" | "mad24" | "dp2a" | "dp4a" | "fns"
            if !has("wide") =>
        {
            same(4)
        }
        "testp" => format!("%p0, {}", register(ty, 1)),
        "slct" => format!("{}, {}", same(3), register(last, 3)),
        "mul" if has("wide") => {
            let d = register(doubled(ty), 0);
            format!("{d}, {}, {}", register(ty, 1), register(ty, 2))
        }
        "mad" => {
            let [d, c] = [0, 3].map(|n| register(doubled(ty), n));
            format!("{d}, {}, {}, {c}", register(ty, 1), register(ty, 2))
        }
        "shl" | "shr" => format!("{d}, {}, %r2", register(ty, 1)),
        "shf" => format!("{}, %r3", same(3)),
        "bfe" => format!("{}, %r2, %r3", same(2)),
        "bfi" => format!("{}, %r3, %r4", same(3)),
        "bmsk" | "szext" => "%r0, %r1, %r2".to_owned(),
        "lop3" => "%r0, %r1, %r2, %r3, 0x96".to_owned(),
        "setp" if has("and") || has("or") || has("xor") => {
            format!("%p0|%p1, {}, {}, !%p2", register(ty, 1), register(ty, 2))
        }
        "setp" => format!("%p0, {}, {}", register(ty, 1), register(ty, 2)),
        "set" => format!("{d}, {}, {}", register(last, 1), register(last, 2)),
        "selp" => format!("{}, %p1", same(3)),
        "cvt" if has("pack") => "%r0, %r1, %r2, %r3".to_owned(),
        "cvt" if last == "f32" && ty.ends_with("x2") => {
            format!("{d}, %f1, %f2")
        }
        "cvt" => format!("{d}, {}", register(last, 1)),
        _ if base.starts_with('v') => "%r0, %r1, %r2, %r3".to_owned(),
        _ => same(3),
    }
}

#[test]
fn opcodes_of_real_programs_are_accepted() {
    assert!(OPCODES.lines().count() > 400);
    for opcode in OPCODES.lines() {
        let module = kernel("", &format!("{opcode} {};", operands(opcode)));
        let (_, k) = function(&module, "k");
        assert!(k.unsupported.is_empty(), "{opcode}");
        assert_eq!(counted(&module, "k"), 1, "{opcode}");
    }
}
