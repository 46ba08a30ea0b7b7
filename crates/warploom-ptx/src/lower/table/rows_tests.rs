//! Every row, written out as instructions in each of its alternatives.

use super::grammar::Types;
use super::*;
use crate::lower::parts::Parts;
use crate::types::ScalarType;

/// Registers of every kind, five of each, named by the kind's letter.
const REGISTERS: &str = "
    .reg .pred p<5>; .reg .b8 c<5>; .reg .b16 h<5>; .reg .b32 r<5>; .reg .b64 d<5>;
    .reg .f32 f<5>; .reg .f64 g<5>;
";

/// A register that an operand of this type can be.
fn register(ty: ScalarType, n: usize) -> String {
    let letter = match (ty, ty.width_bits()) {
        (ScalarType::Pred, _) => 'p',
        (ScalarType::F32, _) => 'f',
        (ScalarType::F64, _) => 'g',
        (_, 8) => 'c',
        (_, 16) => 'h',
        (_, 64) => 'd',
        _ => 'r',
    };
    format!("{letter}{n}")
}

/// Each list with one of its positions varied through all choices, the others at their first.
fn varied<T: Copy>(choices: &[Vec<T>]) -> Vec<Vec<T>> {
    let first: Vec<T> = choices.iter().map(|all| all[0]).collect();
    let mut lists = vec![first.clone()];
    for (at, all) in choices.iter().enumerate() {
        for &choice in &all[1..] {
            let mut list = first.clone();
            list[at] = choice;
            lists.push(list);
        }
    }
    lists
}

fn all_types(set: Types) -> Vec<ScalarType> {
    let all = ScalarType::ALL.iter().copied();
    all.filter(|&ty| set.has(ty)).collect()
}

/// The opcodes of a row, with the types of each.
fn opcodes(family: &Family, row: &Row) -> Vec<(String, Vec<ScalarType>)> {
    let groups: Vec<Vec<Option<Word>>> = {
        let groups = row.grammar.groups().iter();
        groups
            .map(|group| {
                let none = group.optional.then_some(None);
                none.into_iter()
                    .chain(group.words.iter().map(Some))
                    .collect()
            })
            .collect()
    };
    let types: Vec<Vec<ScalarType>> = {
        let sets = row.grammar.types().iter();
        sets.map(|&set| all_types(set)).collect()
    };
    let mut opcodes = Vec::new();
    for words in varied(&groups) {
        for types in varied(&types) {
            let words = words.iter().flatten().map(|word| word.text());
            let parts = words.chain(types.iter().map(|ty| ty.name()));
            let text = parts.fold(family.opcode.to_owned(), |text, part| {
                format!("{text}.{part}")
            });
            opcodes.push((text, types));
        }
    }
    opcodes
}

/// Operands for a row with these types.
fn operands(row: &Row, opcode: &str, types: &[ScalarType]) -> String {
    let base = opcode.split('.').next().unwrap_or_default();
    match (base, row.written) {
        ("lop3", Some(written)) if written.contains('q') => {
            return "r0|p0, r1, r2, r3, 0xE8, !p1".into();
        }
        ("lop3", _) => return "r0, r1, r2, r3, 0xE8".into(),
        ("cvt", Some(_)) => return format!("{}, {{f1, f2, f3, f4}}, r1", register(types[0], 0)),
        _ => {}
    }
    let all = row.grammar.operands().iter().enumerate();
    let combined = ["and", "or", "xor"]
        .iter()
        .any(|word| opcode.split('.').any(|part| part == *word));
    let list: Vec<String> = all
        .filter(|&(n, ty)| {
            let is_predicate = *ty == OperandType::Fixed(ScalarType::Pred);
            n < row.grammar.required_operands() || !is_predicate || combined
        })
        .map(|(n, ty)| match *ty {
            OperandType::Fixed(ty) => register(ty, n),
            OperandType::Opcode(of) => register(types[usize::from(of)], n),
        })
        .collect();
    list.join(", ")
}

/// A header that promises what the row needs.
fn header(row: &Row) -> String {
    let needs = row.needs;
    let suffix = if needs.suffix { "a" } else { "" };
    let architecture = match needs.architecture {
        // Three operands of `min` and `max` need more than two do.
        0 if !matches!(row.lowering, Lowering::Custom(_)) => 13,
        architecture => architecture.max(if row.modifiers == "ftz? sat? f32" {
            13
        } else {
            100
        }),
    };
    let version = needs.version.max(94);
    format!(
        ".version {}.{}\n.target sm_{architecture}{suffix}\n.address_size 64\n",
        version / 10,
        version % 10
    )
}

#[test]
fn every_row_decodes_to_itself_and_lowers() {
    let mut count = 0;
    for family in SECTIONS.iter().flat_map(|(_, families)| families.iter()) {
        for row in family.rows() {
            let opcodes = opcodes(family, row);
            let mut body = String::new();
            for (opcode, types) in &opcodes {
                body += &format!("{opcode} {};\n", operands(row, opcode, types));
            }
            let text = format!("{}.entry k()\n{{{REGISTERS}{body}}}\n", header(row));
            let (module, diagnostics) = crate::parse(&text, "t");
            assert!(
                !diagnostics.iter().any(|d| d.is_error()),
                "{diagnostics:#?}\n{text}"
            );
            for opcode in &module.opcodes {
                let mut parts = Parts::new(opcode, 0).unwrap();
                let form = decode(&mut parts).unwrap().unwrap();
                assert!(std::ptr::eq(form.row, row), "{} is shadowed", opcode.text);
            }
            let lowered = crate::lower::lower(&[module]);
            let lowered = lowered.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
            let counted: u32 = lowered.blocks.iter().map(|block| block.counted).sum();
            assert_eq!(counted as usize, opcodes.len(), "{text}");
            count += opcodes.len();
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn rows_need_what_their_headers_say() {
    let version = |major, minor| Version { major, minor };
    let target = |text: &'static str, suffix| TargetPlatform {
        architecture: text.parse().unwrap(),
        suffix,
        options: Default::default(),
    };
    let row = row("f32", "T T", lane(Op::MovB32))
        .since(86, 100)
        .specific();
    let cases = [
        (version(8, 6), target("100", TargetSuffix::Specific), true),
        (version(9, 0), target("120", TargetSuffix::Family), true),
        (version(8, 5), target("100", TargetSuffix::Specific), false),
        (version(8, 6), target("100", TargetSuffix::Baseline), false),
        (version(8, 6), target("90", TargetSuffix::Specific), false),
        (version(8, 6), target("0", TargetSuffix::Baseline), true),
    ];
    for (version, target, expected) in cases {
        assert_eq!(
            row.needs.met_by(version, &target),
            expected,
            "{version:?} {target:?}"
        );
    }
    assert_eq!(row.needs.text(), "PTX 8.6, sm_100a");
}
