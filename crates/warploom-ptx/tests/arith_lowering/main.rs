//! Which lane operations arithmetic instructions become, with which operands and modifiers.
//!
//! A case is an instruction and the line of the listing that it becomes, or lines with `;` between
//! them. Modifiers stand in braces after the operation, by the names of [`modifier`].

mod compare;
mod convert;
mod float;
mod integer;
mod newest;
#[path = "../lower_machine/support.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod support;
mod video;

use support::check;
use warploom_isa::Mods;
use warploom_isa::arith::{Cmp, IntType, Narrow, Round};

/// The modifier word with one more modifier.
fn modifier(mods: Mods, name: &str) -> Mods {
    let int = |name: &str| match name {
        "u8" => IntType::U8,
        "s8" => IntType::S8,
        "u16" => IntType::U16,
        "s16" => IntType::S16,
        "u32" => IntType::U32,
        "s32" => IntType::S32,
        "u64" => IntType::U64,
        "s64" => IntType::S64,
        _ => panic!("no integer type {name}"),
    };
    let cmp = |name: &str| match name {
        "eq" => Cmp::Eq,
        "ne" => Cmp::Ne,
        "lt" => Cmp::Lt,
        "le" => Cmp::Le,
        "gt" => Cmp::Gt,
        "ge" => Cmp::Ge,
        "equ" => Cmp::Equ,
        "neu" => Cmp::Neu,
        "ltu" => Cmp::Ltu,
        "leu" => Cmp::Leu,
        "gtu" => Cmp::Gtu,
        "geu" => Cmp::Geu,
        "num" => Cmp::Num,
        "nan" => Cmp::Nan,
        _ => panic!("no comparison {name}"),
    };
    match name.split_once(':') {
        Some(("from", ty)) => return mods.with_from_int(int(ty)),
        Some(("to", ty)) => return mods.with_to_int(int(ty)),
        Some(("cmp", name)) => return mods.with_cmp(cmp(name)),
        Some(("high", number)) => return mods.with_high(number.parse().unwrap()),
        _ => {}
    }
    match name {
        "rz" => mods.with_round(Round::Zero),
        "rm" => mods.with_round(Round::Down),
        "rp" => mods.with_round(Round::Up),
        "rna" => mods.with_round(Round::NearestAway),
        "ftz" => mods.with_ftz(true),
        "sat" => mods.with_sat(true),
        "relu" => mods.with_relu(true),
        "nan" => mods.with_nan(true),
        "xorsign" => mods.with_xorsign(true),
        "satfinite" => mods.with_satfinite(true),
        "bf16" => mods.with_format(Narrow::Bf16),
        "variant" => mods.with_variant(true),
        "a_signed" => mods.with_a_signed(true),
        "b_signed" => mods.with_b_signed(true),
        _ => panic!("no modifier {name}"),
    }
}

/// `NAME{MODIFIERS} OPERANDS` as the listing has it.
fn listed(line: &str) -> String {
    let line = line.trim();
    let Some((name, rest)) = line.split_once('{') else {
        return line.to_owned();
    };
    let (names, operands) = rest.split_once('}').unwrap();
    let mods = names.split(' ').fold(Mods::NONE, modifier);
    match mods.raw() {
        0 => format!("{name}{operands}"),
        bits => format!("{name}/{bits:#x}{operands}"),
    }
}

fn check_all(cases: &[(&str, &str)]) {
    for (instruction, expected) in cases {
        let lines: Vec<String> = expected.split(';').map(listed).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(&format!("{instruction};"), &lines);
    }
}
