//! Module level: variables, kernels, several modules as one program, source lines.

use warploom_isa::{FileId, Loc, Module, Op, RelocationValue, Space, Variable};
use warploom_ptx::{Problem, load};

use crate::support::{code, function, kernel};

const HEAD: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n";

fn linked(texts: &[&str]) -> Result<Module, Vec<Problem>> {
    let texts: Vec<String> = texts.iter().map(|text| format!("{HEAD}{text}")).collect();
    let named: Vec<(&str, &str)> = ["a.ptx", "b.ptx", "c.ptx"]
        .into_iter()
        .zip(texts.iter().map(String::as_str))
        .collect();
    load(&named).map(|loaded| loaded.module)
}

fn variable<'m>(module: &'m Module, name: &str) -> &'m Variable {
    let found = module
        .variables
        .iter()
        .find(|variable| variable.name == name);
    found.unwrap_or_else(|| panic!("no variable {name}"))
}

#[test]
fn the_module_says_what_it_was_made_for() {
    let module = linked(&[""]).unwrap();
    assert_eq!(module.name, "a.ptx");
    assert_eq!(module.target, "sm_90a");
    assert_eq!(module.language_version, "8.0");
    assert_eq!(module.files, ["a.ptx"]);
}

#[test]
fn variables_with_their_values() {
    let module = linked(&["
        .global .align 16 .b8 bytes[8] = {1, 2, 0, 255};
        .const .f32 half = 0.5;
        .global .v2 .u16 pair = {7, 513};
        .shared .align 8 .b8 tile[100];
        .extern .shared .align 16 .b8 dynamic[];
        .extern .global .u32 elsewhere;
        .global .f64 list[2][2] = {{1.0}, {0d4000000000000000}};
    "])
    .unwrap();
    let bytes = variable(&module, "bytes");
    assert_eq!(
        (bytes.space, bytes.bytes, bytes.align_bytes),
        (Space::Global, 8, 16)
    );
    assert_eq!(bytes.init, [1, 2, 0, 255]);
    assert_eq!(variable(&module, "half").init, 0.5f32.to_le_bytes());
    assert_eq!(variable(&module, "half").space, Space::Const);
    assert_eq!(variable(&module, "pair").init, [7, 0, 1, 2]);
    let tile = variable(&module, "tile");
    assert_eq!(
        (tile.space, tile.bytes, tile.dynamic_shared),
        (Space::Shared, 100, false)
    );
    let dynamic = variable(&module, "dynamic");
    assert_eq!((dynamic.bytes, dynamic.align_bytes), (0, 16));
    assert!(dynamic.dynamic_shared && !dynamic.external);
    assert!(variable(&module, "elsewhere").external);
    let list = [1.0f64.to_le_bytes(), [0; 8], 2.0f64.to_le_bytes()].concat();
    assert_eq!(variable(&module, "list").init, list);
}

#[test]
fn addresses_in_initial_values() {
    let module = linked(&["
        .global .u32 x[4];
        .func f() { ret; }
        .global .u64 table[4] = {x, generic(x)+8, f, 5};
        .global .u8 pieces[2] = {0xFF(x), 0xFF00(x)};
    "])
    .unwrap();
    let table = variable(&module, "table");
    assert_eq!(table.init[24..], 5u64.to_le_bytes());
    let values: Vec<_> = table
        .relocations
        .iter()
        .map(|r| (r.offset, r.bytes, r.value))
        .collect();
    let x = |addend, generic| RelocationValue::Variable {
        variable: warploom_isa::VariableId(0),
        addend,
        generic,
    };
    let f = RelocationValue::Function(function(&module, "f").0);
    assert_eq!(
        values,
        [(0, 8, x(0, false)), (8, 8, x(8, true)), (16, 8, f)]
    );
    let pieces: Vec<_> = variable(&module, "pieces")
        .relocations
        .iter()
        .map(|r| (r.offset, r.bytes, r.shift))
        .collect();
    assert_eq!(pieces, [(0, 1, 0), (1, 1, 8)]);
}

#[test]
fn variables_of_functions() {
    let module = kernel(
        "",
        ".shared .u32 s; { .global .u32 s; st.global.u32 [s], 1; } st.shared.u32 [s], 2;",
    );
    assert_eq!(
        code(&module, "k"),
        ["st.global.b32 [&s], 1", "st.shared.b32 [&s], 2"]
    );
    let (_, k) = function(&module, "k");
    let spaces: Vec<Space> = k
        .variables
        .iter()
        .map(|id| module.variables[id.index()].space)
        .collect();
    assert_eq!(spaces.len(), 2);
    assert!(spaces.contains(&Space::Global) && spaces.contains(&Space::Shared));
}

#[test]
fn kernels_and_what_they_demand() {
    let module = linked(&["
        .visible .entry k(.param .u64 .ptr .global .align 4 p, .param .u8 b, .param .align 8 .b8 s[12], .param .v2 .f32 v)
        .reqntid 32, 2 .minnctapersm 3 .maxnreg 64
        { ret; }
        .entry plain() .maxntid 128, 2, 4 { ret; }
    "])
    .unwrap();
    let (id, k) = function(&module, "k");
    assert_eq!(module.kernel("k"), Some(id));
    let params: Vec<_> = k
        .params
        .iter()
        .map(|p| {
            (
                p.name.as_str(),
                p.ty.as_str(),
                p.offset,
                p.bytes,
                p.align_bytes,
                p.pointer,
            )
        })
        .collect();
    assert_eq!(
        params,
        [
            ("p", ".u64", 0, 8, 8, true),
            ("b", ".u8", 8, 1, 1, false),
            ("s", ".align 8 .b8[12]", 16, 12, 8, false),
            ("v", ".v2 .f32", 32, 8, 8, false),
        ]
    );
    assert_eq!(k.param_bytes, 40);
    assert_eq!(k.bounds.required_block, Some([32, 2, 1]));
    assert_eq!(k.bounds.min_blocks_per_sm, Some(3));
    assert_eq!(k.bounds.max_registers, Some(64));
    assert_eq!(
        function(&module, "plain").1.bounds.max_block,
        Some([128, 2, 4])
    );
}

#[test]
fn an_empty_body_returns() {
    let module = linked(&[".visible .entry k(.param .u64 a, .param .u32 b) {}"]).unwrap();
    let (_, k) = function(&module, "k");
    assert_eq!((k.params.len(), k.param_bytes), (2, 12));
    assert_eq!(code(&module, "k"), ["| ret", "b1:"]);
    assert_eq!(module.origins[k.start as usize].text_line, 4);
}

#[test]
fn names_of_other_modules() {
    let user = "
        .extern .global .u32 counter;
        .extern .func bump(.param .b32 by);
        .visible .entry k() {
            .reg .b32 %r<2>; .param .b32 p;
            ld.global.u32 %r1, [counter];
            st.param.b32 [p], %r1;
            call bump, (p);
            ret;
        }
    ";
    let library = "
        .visible .global .u32 counter = 7;
        .visible .func bump(.param .b32 by) {
            .reg .b32 %r<2>;
            ld.param.b32 %r1, [by];
            red.global.add.u32 [counter], %r1;
            ret;
        }
    ";
    for texts in [[user, library], [library, user]] {
        let module = linked(&texts).unwrap();
        assert_eq!(module.variables.len(), 1);
        assert_eq!(variable(&module, "counter").init, [7, 0, 0, 0]);
        assert_eq!(module.functions.len(), 2);
        let (bump, _) = function(&module, "bump");
        let (_, k) = function(&module, "k");
        assert_eq!(k.callees, [bump]);
        assert!(k.unsupported.is_empty());
        let reached = module.reachable(module.kernel("k").unwrap());
        assert!(reached.contains(&bump));
    }
}

#[test]
fn internal_names_are_apart() {
    let text = |value: u32| format!(".global .u32 x = {value}; .func f() {{ ret; }}");
    let module = linked(&[&text(1), &text(2)]).unwrap();
    assert_eq!(module.variables.len(), 2);
    assert_eq!(module.functions.len(), 2);
}

#[test]
fn weak_and_common_definitions_give_way() {
    let weak =
        ".weak .global .u32 x = 1; .weak .func (.param .b32 r) f() { st.param.b32 [r], 1; ret; }";
    let strong = ".visible .global .u32 x = 2; .visible .func (.param .b32 r) f() { st.param.b32 [r], 2; ret; }";
    let module = linked(&[weak, weak, strong]).unwrap();
    assert_eq!(module.variables.len(), 1);
    assert_eq!(module.variables[0].init, [2, 0, 0, 0]);
    assert_eq!(module.functions.len(), 1);
    assert_eq!(code(&module, "f")[0], "st.frame.call.b32 [0], 2");
    let module = linked(&[".common .global .b8 y[4];", ".common .global .b8 y[16];"]).unwrap();
    assert_eq!((module.variables.len(), module.variables[0].bytes), (1, 16));
    // Two strong ones do not.
    let problems = linked(&[strong, strong]).unwrap_err();
    let codes: Vec<_> = problems
        .iter()
        .map(|p| (p.text, p.diagnostic.code.0))
        .collect();
    assert_eq!(codes, [(1, "E0211"), (1, "E0211")]);
}

#[test]
fn a_declaration_must_agree_with_the_definition_elsewhere() {
    let user = ".extern .func f(.param .b32 a);";
    let library = ".visible .func f(.param .b64 a) { ret; }";
    let problems = linked(&[user, library]).unwrap_err();
    let codes: Vec<_> = problems
        .iter()
        .map(|p| (p.text, p.diagnostic.code.0))
        .collect();
    assert_eq!(codes, [(0, "E0211")]);
}

#[test]
fn an_alias_is_its_function() {
    let module = linked(&["
        .visible .func f() { ret; }
        .visible .func g();
        .alias g, f;
        .visible .entry k() { call g; ret; }
    "])
    .unwrap();
    assert_eq!(code(&module, "k")[0], "call (), f, ()");
}

/// File and line of each counted instruction of `k`; `own` is the author's file.
fn lines_of(body: &str, own: &str) -> Vec<(String, u32)> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.file 2 \"a.h\"\n\
         .file 3 \"b.h\"\n.visible .entry k() {{\n.reg .b32 %r;\n{body}\n}}\n"
    );
    let loaded = warploom_ptx::load_with(&[("k.ptx", &text)], &|name| name == own).unwrap();
    let module = loaded.module;
    let code = module.code.iter().zip(&module.origins);
    let counted = code.filter(|(inst, _)| inst.op != Op::Block && !inst.flags.fused());
    let place = |loc: Loc| (module.files[loc.file.0 as usize].clone(), loc.line);
    counted.map(|(_, origin)| place(origin.loc)).collect()
}

#[test]
fn inlined_code_counts_for_a_line_that_its_author_knows() {
    // Line 5 of the kernel calls line 20 of `a.h`, which calls line 30 of `b.h`; line 6 calls
    // `b.h` directly; a call that no `.loc` tells of; and a line that the compiler did not know.
    let body = "
.loc 1 5 1
mov.u32 %r, 0;
.loc 2 20 1, function_name $L__info_string0, inlined_at 1 5 1
mov.u32 %r, 1;
.loc 3 30 1, function_name $L__info_string1, inlined_at 2 20 1
mov.u32 %r, 2;
.loc 1 6 1
.loc 3 30 1, function_name $L__info_string1, inlined_at 1 6 1
mov.u32 %r, 3;
.loc 3 31 1, function_name $L__info_string1, inlined_at 1 7 1
mov.u32 %r, 4;
.loc 3 0 1, function_name $L__info_string1, inlined_at 1 8 1
mov.u32 %r, 5;
.loc 3 40 1
ret;";
    let with_own = |own, lines: [(&str, u32); 7]| {
        let lines = lines.map(|(file, line)| (file.to_owned(), line));
        assert_eq!(lines_of(body, own), lines, "{own}");
    };
    let k = |line| ("k.cu", line);
    with_own("", [k(5), k(5), k(5), k(6), k(7), k(8), ("b.h", 40)]);
    let a = ("a.h", 20);
    with_own("a.h", [k(5), a, a, k(6), k(7), k(8), ("b.h", 40)]);
    let b = |line| ("b.h", line);
    with_own("b.h", [k(5), k(5), b(30), b(30), b(31), k(8), b(40)]);
}

#[test]
fn code_inlined_within_a_file_keeps_its_line() {
    let body = "
.loc 2 9 1
.loc 2 3 1, function_name $L__info_string0, inlined_at 2 9 1
mov.u32 %r, 1;
ret;";
    let line = ("a.h".to_owned(), 3);
    assert_eq!(lines_of(body, ""), [line.clone(), line]);
}

#[test]
fn source_lines() {
    let text = "
.file 1 \"saxpy.cu\"
.visible .entry k() {
    .reg .b32 %r<3>;
    mov.u32 %r1, 1;
    .loc 1 12 5
    mov.u32 %r2, 2;
    ret;
}
";
    let module = linked(&[text]).unwrap();
    assert_eq!(module.files, ["a.ptx", "saxpy.cu"]);
    let (_, k) = function(&module, "k");
    let line = |pc: u32| module.origins[pc as usize];
    // The first block, then the two moves. The head of the text has three lines.
    let first = line(k.start + 1);
    assert_eq!(first.text_line, 8);
    assert_eq!(
        first.loc,
        Loc {
            file: FileId(0),
            line: 8
        }
    );
    let second = line(k.start + 2);
    assert_eq!(second.text_line, 10);
    assert_eq!(
        second.loc,
        Loc {
            file: FileId(1),
            line: 12
        }
    );
}
