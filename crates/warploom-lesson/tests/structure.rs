//! What a lesson becomes: one counted instruction for each line that issues, and branches that
//! meet where the text says.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use warploom_isa::access::{Access, Special};
use warploom_isa::{EXIT_PC, Inst, Module, Op, Pc, Space};
use warploom_lesson::{Lesson, Path, parse};

fn lesson(text: &str) -> Lesson {
    match parse("test.simt", text) {
        Ok(lesson) => lesson,
        Err(errors) => panic!("{errors:#?}"),
    }
}

/// The counted instructions of each line.
fn counted(module: &Module) -> BTreeMap<u32, Vec<Op>> {
    let mut lines: BTreeMap<u32, Vec<Op>> = BTreeMap::new();
    for (inst, origin) in module.code.iter().zip(&module.origins) {
        assert_eq!(origin.loc.line, origin.text_line);
        if inst.op != Op::Block && !inst.flags.fused() {
            lines.entry(origin.text_line).or_default().push(inst.op);
        }
    }
    lines
}

/// The one counted instruction of a line.
fn instruction(lesson: &Lesson, line: u32) -> Inst {
    let code = lesson.module.code.iter().zip(&lesson.module.origins);
    let mut of_line = code.filter(|(inst, origin)| {
        origin.text_line == line && inst.op != Op::Block && !inst.flags.fused()
    });
    let (inst, _) = of_line.next().expect("a counted instruction");
    assert!(of_line.next().is_none(), "line {line} has two");
    *inst
}

/// The line of the first instruction of the block at `pc`.
fn line_at(lesson: &Lesson, pc: Pc) -> u32 {
    assert_eq!(lesson.module.code[pc as usize].op, Op::Block);
    lesson.module.origins[pc as usize].text_line
}

#[test]
fn every_issuing_line_of_every_lesson_has_one_counted_instruction() {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../lessons");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "simt") {
            continue;
        }
        files += 1;
        let lesson = lesson(&std::fs::read_to_string(&path).unwrap());
        assert!(!lesson.title.is_empty(), "{}", path.display());
        let counted = counted(&lesson.module);
        for line in &lesson.lines {
            let found = counted.get(&line.number).map_or(0, Vec::len);
            assert_eq!(
                found,
                usize::from(line.issues),
                "{}: {line:?}",
                path.display()
            );
        }
    }
    assert_eq!(files, 14);
}

#[test]
fn the_demo_program() {
    let lesson = lesson(
        "x = i\nif i < 16\nx = x * 2\nx = x + 1\nelse\nx = x * 3\nx = x + 2\nend\nx = x + 100\n",
    );
    let expected: [(u32, Vec<Op>); 7] = [
        (1, vec![Op::Special]),
        (2, vec![Op::Bra]),
        (3, vec![Op::MulLoI32]),
        (4, vec![Op::AddI32]),
        (6, vec![Op::MulLoI32]),
        (7, vec![Op::AddI32]),
        (9, vec![Op::AddI32]),
    ];
    assert_eq!(counted(&lesson.module), BTreeMap::from(expected));
    let branch = instruction(&lesson, 2);
    assert!(branch.flags.negated_guard());
    assert_eq!(line_at(&lesson, branch.low), 6);
    assert_eq!(line_at(&lesson, branch.high), 9);
    let first = instruction(&lesson, 1);
    assert_eq!(first.mods.high(), Special::GlobalIndex.code() as u16);
    assert_eq!(lesson.module.files, ["test.simt"]);
}

#[test]
fn paths_and_depths_of_lines() {
    let lesson = lesson(concat!(
        "# A title\n",
        "x = i # a remark\n",
        "while x > 0\n",
        "  if x < 2\n",
        "    x = 0\n",
        "  else\n",
        "    where x > 9: x = 9\n",
        "  end\n",
        "  x = x - 1\n",
        "end\n",
        "switch i\n",
        "case 7\n",
        "  x = 7\n",
        "else\n",
        "  x = 8\n",
        "end\n",
        "x = 9\n",
    ));
    let found: Vec<_> = lesson
        .lines
        .iter()
        .map(|l| (l.path, l.depth, l.issues))
        .collect();
    let expected = [
        (Path::Common, 0, false),
        (Path::Common, 0, true),
        (Path::Loop, 0, true),
        (Path::Loop, 1, true),
        (Path::Then, 2, true),
        (Path::Loop, 1, false),
        (Path::Else, 2, true),
        (Path::Loop, 1, false),
        (Path::Loop, 1, true),
        (Path::Common, 0, false),
        (Path::Common, 0, true),
        (Path::Common, 0, false),
        (Path::Case(7), 1, true),
        (Path::Common, 0, false),
        (Path::Else, 1, true),
        (Path::Common, 0, false),
        (Path::Common, 0, true),
    ];
    assert_eq!(found, expected);
    assert_eq!(lesson.title, "A title");
    assert_eq!(lesson.line(2).unwrap().text, "x = i");
    assert!(lesson.line(7).unwrap().predicated);
    assert!(!lesson.line(5).unwrap().predicated);
    assert!(lesson.line(0).is_none());
    assert!(lesson.line(18).is_none());
}

#[test]
fn an_if_without_else_meets_after_its_end() {
    let lesson = lesson("x = i\nif x > 3\nx = 1\nend\nx = 2\n");
    let branch = instruction(&lesson, 2);
    assert_eq!(line_at(&lesson, branch.low), 5);
    assert_eq!(branch.high, branch.low);
}

#[test]
fn a_loop_meets_after_its_end_and_jumps_back_for_nothing() {
    let lesson = lesson("k = i\nwhile k > 0\nk = k - 1\nend\nk = 7\n");
    let branch = instruction(&lesson, 2);
    assert_eq!(line_at(&lesson, branch.low), 5);
    assert_eq!(branch.high, branch.low);
    let mut jumps = lesson
        .module
        .code
        .iter()
        .filter(|inst| inst.op == Op::Bra && inst.flags.fused());
    assert_eq!(line_at(&lesson, jumps.next().unwrap().low), 2);
    assert!(jumps.next().is_none());
}

#[test]
fn blocks_that_end_together_meet_at_one_place() {
    let lesson = lesson("if i < 8\nif i < 4\nx = 1\nelse\nx = 2\nend\nend\nx = 3\n");
    let (outer, inner) = (instruction(&lesson, 1), instruction(&lesson, 2));
    assert_eq!(line_at(&lesson, outer.high), 8);
    assert_eq!(inner.high, outer.high);
    assert_eq!(line_at(&lesson, inner.low), 5);
}

#[test]
fn a_block_at_the_end_of_the_text() {
    let lesson = lesson("x = 0\nif i < 8\nx = 1\nend");
    let branch = instruction(&lesson, 2);
    let after = lesson.module.code[branch.high as usize + 1];
    assert_ne!(branch.high, EXIT_PC);
    assert_eq!((after.op, after.flags.fused()), (Op::Ret, true));
}

#[test]
fn a_switch_has_a_table_over_its_cases() {
    let lesson = lesson("switch i\ncase 2\nx = 1\ncase 0\nx = 2\nelse\nx = 3\nend\nx = 4\n");
    let branch = instruction(&lesson, 1);
    let table = &lesson.module.branch_tables[branch.low as usize];
    // 0, 1, 2, and all other numbers.
    let lines: Vec<u32> = table.iter().map(|&pc| line_at(&lesson, pc)).collect();
    assert_eq!(lines, [5, 7, 3, 7]);
    assert_eq!(line_at(&lesson, branch.high), 9);
}

#[test]
fn a_switch_without_else_skips_other_numbers() {
    let lesson = lesson("switch i\ncase 1\nx = 1\nend\nx = 4\n");
    let table = &lesson.module.branch_tables[instruction(&lesson, 1).low as usize];
    let lines: Vec<u32> = table.iter().map(|&pc| line_at(&lesson, pc)).collect();
    assert_eq!(lines, [5, 3, 5]);
}

#[test]
fn where_guards_the_counted_instruction() {
    let text = "array a 64\nkeep = i > 3\nwhere keep: x = i + 1\nwhere not keep: store a[i] = x\n";
    let lesson = lesson(text);
    assert_eq!(instruction(&lesson, 2).op, Op::SetLtS32);
    for (line, op) in [(3, Op::AddI32), (4, Op::St)] {
        let inst = instruction(&lesson, line);
        assert_eq!(inst.op, op);
        assert!(!inst.guard().is_always());
    }
    assert!(lesson.module.code.iter().all(|inst| inst.op != Op::Bra));
}

#[test]
fn loads_and_stores() {
    let lesson = lesson("array a 8\narray b 8 float\ny = load b[i + 1]\nstore a[0] = 7\n");
    let (load, store) = (instruction(&lesson, 3), instruction(&lesson, 4));
    assert_eq!((load.op, store.op), (Op::Ld, Op::St));
    for inst in [load, store] {
        let access = Access::unpack(inst.mods);
        assert_eq!(access.space, Space::Global);
        assert_eq!(access.bytes(), 4);
    }
    let code = &lesson.module.code;
    let params: Vec<u32> = code
        .iter()
        .filter(|i| i.op == Op::LdParam)
        .map(|i| i.low)
        .collect();
    assert_eq!(params, [8, 0]);
    let kernel = lesson
        .module
        .function(lesson.module.kernel("lesson").unwrap());
    assert_eq!(kernel.param_bytes, 16);
    let names: Vec<&str> = kernel
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn the_launch() {
    let defaults = lesson("x = i\n");
    assert_eq!(
        (defaults.threads, defaults.blocks, defaults.width),
        (32, 1, 32)
    );
    let set = lesson("blocks 3\nwidth 16\nthreads 100\nx = n\n");
    assert_eq!((set.threads, set.blocks, set.width), (100, 3, 16));
    let kernel = set.module.kernel("lesson").unwrap();
    assert_eq!(
        set.module.function(kernel).bounds.required_block,
        Some([100, 1, 1])
    );
}

#[test]
fn arrays_and_their_patterns() {
    let lesson = lesson(concat!(
        "threads 10\n",
        "array zero 3\n",
        "array half 4 = i * 0.5\n",
        "array whole 3 float = i - 1\n",
        "array bits n = select(i % 4 == 1 and not i > 5, 0 - i, ~i)\n",
        "x = i\n",
    ));
    let contents = |k: usize| -> Vec<u32> {
        let bytes = lesson.arrays[k].initial_bytes();
        bytes
            .chunks(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    };
    let floats = |k: usize| -> Vec<f32> { contents(k).into_iter().map(f32::from_bits).collect() };
    assert_eq!(contents(0), [0, 0, 0]);
    assert_eq!(floats(1), [0.0, 0.5, 1.0, 1.5]);
    assert_eq!(floats(2), [-1.0, 0.0, 1.0]);
    let ints: Vec<i32> = contents(3).into_iter().map(|bits| bits as i32).collect();
    assert_eq!(ints, [-1, -1, -3, -4, -5, -5, -7, -8, -9, -10]);
}

#[test]
fn precedence_in_patterns() {
    let cases: &[(&str, i32)] = &[
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("10 - 4 - 3", 3),
        ("100 / 7 / 2", 7),
        ("0 - 7 / 2", -3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1 << 3 + 1", 16),
        ("select(6 & 3 == 2, 5, 6)", 5),
        ("6 & 2 | 1 ^ 8", 11),
        ("~5 & 0xff", 250),
        ("-1 >> 28", -1),
        ("1 << 33", 0),
        ("0x8000_0000", i32::MIN),
        ("- -3", 3),
        ("min(3, max(1, 2))", 2),
        ("select(1 < 2, 5, 6)", 5),
        ("select(not 1 < 2 or 2 <= 2 and 3 != 3, 5, 6)", 6),
        ("select(1.5 > 1, 5, 6)", 5),
        ("2147483647 + 1", i32::MIN),
    ];
    for (text, expected) in cases {
        let lesson = lesson(&format!("array a 1 = {text}\n"));
        assert_eq!(lesson.arrays[0].initial_bits(0) as i32, *expected, "{text}");
    }
}

#[test]
fn floats_in_patterns() {
    let cases: &[(&str, f32)] = &[
        ("1.5 + 2", 3.5),
        ("1 - 0.25", 0.75),
        ("7 / 2", 3.0),
        ("7 / 2.0", 3.5),
        ("-1.5 * 4", -6.0),
        ("min(1.5, -2)", -2.0),
        ("max(1.5, 2)", 2.0),
        ("abs(0.5 - 2)", 1.5),
        ("sqrt(16)", 4.0),
        ("sqrt(2.25)", 1.5),
        ("fma(2, 3.0, 4)", 10.0),
        ("fma(2, 3, 4)", 10.0),
        ("float(int(-2.75)) / 4", -0.5),
        ("exp2(3)", 8.0),
        ("log2(8)", 3.0),
        ("sin(0)", 0.0),
        ("cos(0)", 1.0),
        ("select(2 > 1.5, 0.5, 1)", 0.5),
        ("select(sqrt(-1.0) == sqrt(-1.0), 1, 2)", 2.0),
        ("select(sqrt(-1.0) != sqrt(-1.0), 1, 2)", 1.0),
        (
            "select(1.0 <= 1.0 and 2.0 >= 1.0 and not 2.0 < 1.0, 1, 2)",
            1.0,
        ),
        ("1e-3 * 1_000", 1.0),
    ];
    for (text, expected) in cases {
        let lesson = lesson(&format!("array a 1 float = {text}\n"));
        let found = f32::from_bits(lesson.arrays[0].initial_bits(0));
        assert_eq!(found, *expected, "{text}");
    }
}
