//! Module headers, variables with their initialisers, functions and debug directives.

mod common;

use common::{HEADER, listing, valid};
use warploom_ptx::ast::{
    FunctionKind, InlinedAt, Integer, Linkage, Location, Module, OpaqueType, ParameterStorage,
    PointerAttribute, TargetSuffix, Value, Variable, VariableType, Version,
};
use warploom_ptx::types::{ScalarType, StateSpace};

fn with_header(text: &str) -> String {
    format!("{HEADER}{text}\n")
}

fn variable<'m>(module: &'m Module<'_>, name: &str) -> &'m Variable {
    let mut all = module.variables.iter();
    all.find(|v| module.text(v.name) == name)
        .unwrap_or_else(|| panic!("no variable {name}"))
}

/// `INDEX=VALUE` for every initialised scalar.
fn values(module: &Module<'_>, name: &str) -> String {
    let list = module
        .initial_values(variable(module, name))
        .iter()
        .map(|initial| {
            let value = match initial.value {
                Value::Integer(Integer {
                    bits,
                    unsigned: true,
                }) => format!("{bits}U"),
                Value::Integer(value) => value.value().to_string(),
                Value::Single(bits) => format!("0f{bits:08X}"),
                Value::Double(bits) => f64::from_bits(bits).to_string(),
                Value::Address(id) => {
                    let address = &module.initial_addresses[id.index()];
                    let generic = if address.generic { "generic " } else { "" };
                    let byte = address
                        .byte
                        .map_or(String::new(), |b| format!("byte {b} of "));
                    let name = module.text(address.name.symbol);
                    format!("{byte}{generic}{name}{:+}", address.offset)
                }
            };
            format!("{}={value}", initial.index)
        });
    list.collect::<Vec<_>>().join(" ")
}

#[test]
fn headers() {
    let module =
        valid(".version 8.0\n.target sm_90a, texmode_independent, debug\n.address_size 64\n");
    assert_eq!(module.version, Version { major: 8, minor: 0 });
    assert_eq!(module.target.architecture, 90);
    assert_eq!(module.target.suffix, TargetSuffix::Specific);
    assert_eq!(
        module.target.options.as_slice(),
        ["texmode_independent", "debug"]
    );
    assert_eq!(module.address_size_bits, 64);
    let module = valid(".version 8.8\n.target sm_120f\n");
    assert_eq!(module.target.suffix, TargetSuffix::Family);
    let module = valid(".version 7.0\n.target sm_80\n.target debug\n");
    assert_eq!(module.target.architecture, 80);
    assert_eq!(module.target.options.as_slice(), ["debug"]);
}

#[test]
fn old_modules() {
    let module = valid(
        "\t.version 1.4\n\t.target sm_10, map_f64_to_f32\n\
         \t.const[2] .f32 table[2] = { 1.0, 0f40000000 };\n\
         \t.entry k (\n\t\t.param .u32 __cudaparm_k_n)\n\t{\n\
         \t.reg .u16 %rh<4>;\n\t.reg .u32 %r<3>;\n\
         \t.loc\t28\t12\t0\n$LBB1_k:\n\
         \tmov.u16 \t%rh1, %ctaid.x;\n\tld.param.u32 \t%r1, [__cudaparm_k_n];\n\
         \texit;\n$LDWend_k:\n\t} // k\n\
         \t.section\t.debug_info\n\t{\n\t.b8 1\n\t.b32 $LBB1_k-4\n\t}\n\
         @@DWARF .section .debug_pubnames, \"\", @progbits\n@@DWARF .byte 0x2b\n",
    );
    assert_eq!(module.target.architecture, 10);
    assert_eq!(values(&module, "table"), "0=1 1=0f40000000");
}

#[test]
fn line_ends_byte_order_marks_line_markers_and_nul_bytes() {
    let text = "\u{FEFF}// nvcc\r\n#line 1 \"x.cu\"\r\n.version 8.0\r\n.target sm_80\r\n\
                # 7 \"x.cu\"\r\n.address_size 64\r\n/* é */ .global .u32 g;\r\n\0";
    let module = valid(text);
    assert_eq!(variable(&module, "g").space, StateSpace::Global);
    valid(".version 8.0\n.target sm_80\n\0\0 \n\0");
    let (module, diagnostics) = warploom_ptx::parse(".version 8.0\n.target sm_80\n\0.entry", "t");
    assert_eq!(diagnostics.len(), 1);
    assert!(!diagnostics[0].is_error());
    assert!(module.functions.is_empty());
}

#[test]
fn variables() {
    let source = with_header(
        ".visible .global .align 16 .b8 a[4][6];\n\
         .extern .shared .align 128 .b8 dynamic[];\n\
         .const .f64 c;\n\
         .common .global .u32 common;\n\
         .weak .visible .global .v4 .f32 v[2];\n\
         .global .attribute(.managed) .s32 m, n[3];\n\
         .global .align 4 .attribute(.unified(19, 95)) .f32 u;\n\
         .global .texref t;\n\
         .global .samplerref s = { addr_mode_0 = wrap, filter_mode = nearest };\n\
         .global .surfref f[2];\n\
         .global .b8 sized[2+3*2];\n\
         .tex .u32 old;\n\
         .local .b64 scratch;\n\
         .visible .common .global .b128 wide;",
    );
    let module = valid(&source);
    let a = variable(&module, "a");
    assert_eq!(
        (a.align_bytes, a.dimensions.as_slice()),
        (16, [4, 6].as_slice())
    );
    assert_eq!((a.linkage, a.size_bytes()), (Linkage::Visible, 24));
    let dynamic = variable(&module, "dynamic");
    assert_eq!(
        (dynamic.linkage, dynamic.unsized_array),
        (Linkage::Extern, true)
    );
    assert_eq!(
        (dynamic.space, dynamic.size_bytes()),
        (StateSpace::Shared, 0)
    );
    let c = variable(&module, "c");
    assert_eq!((c.align_bytes, c.size_bytes()), (8, 8));
    assert_eq!(variable(&module, "common").linkage, Linkage::Common);
    let v = variable(&module, "v");
    assert_eq!((v.vector, v.align_bytes, v.size_bytes()), (4, 16, 32));
    assert_eq!(v.linkage, Linkage::Weak);
    assert!(variable(&module, "m").managed && variable(&module, "n").managed);
    assert!(!variable(&module, "u").managed);
    assert_eq!(
        variable(&module, "t").ty,
        VariableType::Opaque(OpaqueType::Texture)
    );
    assert_eq!(
        variable(&module, "s").ty,
        VariableType::Opaque(OpaqueType::Sampler)
    );
    assert_eq!(variable(&module, "f").size_bytes(), 16);
    assert_eq!(variable(&module, "sized").size_bytes(), 8);
    assert_eq!(variable(&module, "old").space, StateSpace::Tex);
    assert_eq!(variable(&module, "wide").linkage, Linkage::Common);
    assert_eq!(variable(&module, "wide").align_bytes, 16);
}

#[test]
fn initial_values() {
    let source = with_header(
        ".global .u32 one = 5, two = -1 + 3;\n\
         .global .u32 big = 0xFFFFFFFFFFFFFFFF;\n\
         .global .b8 bytes[4] = {1, 0x2, 0b11};\n\
         .global .u32 open[] = {7, 8, 9};\n\
         .global .u32 grid[2][3] = {{1, 2}, {3}};\n\
         .global .u32 rows[][2] = {{}, {4}, {5, 6}};\n\
         .global .v2 .f32 pairs[2] = {{1.0, 2.0}, {0f40400000, -4.0}};\n\
         .global .v4 .u32 single = {1, 2, 3, 4};\n\
         .global .f64 d = 0d3FF8000000000000;\n\
         .global .b32 bits = 0f3F800000;\n\
         .global .u32 none[4] = {};\n\
         .const .u8 flag = 1 ? 2 : 3;\n\
         .global .u32 lanes = WARP_SZ * 2;",
    );
    let module = valid(&source);
    let cases = [
        ("one", "0=5"),
        ("two", "0=2"),
        ("big", "0=18446744073709551615U"),
        ("bytes", "0=1 1=2 2=3"),
        ("open", "0=7 1=8 2=9"),
        ("grid", "0=1 1=2 3=3"),
        ("rows", "2=4 4=5 5=6"),
        ("pairs", "0=1 1=2 2=0f40400000 3=-4"),
        ("single", "0=1 1=2 2=3 3=4"),
        ("d", "0=1.5"),
        ("bits", "0=0f3F800000"),
        ("none", ""),
        ("flag", "0=2"),
        ("lanes", "0=64"),
    ];
    for (name, expected) in cases {
        assert_eq!(values(&module, name), expected, "{name}");
    }
    assert_eq!(variable(&module, "open").dimensions.as_slice(), [3]);
    assert_eq!(variable(&module, "rows").dimensions.as_slice(), [3, 2]);
    assert!(!variable(&module, "open").unsized_array);
}

#[test]
fn addresses_as_initial_values() {
    let source = with_header(
        ".global .u32 x[4];\n\
         .extern .func f;\n\
         .global .u64 plain = x, table[4] = {x+4, generic(x), generic(x)+8, f};\n\
         .global .u64 inside = generic(x+4);\n\
         .global .u8 bytes[3] = {0xFF(x), 0xFF00(x+4), 0xFF00000000000000(generic(x))};\n\
         .global .u64 self = self;",
    );
    let module = valid(&source);
    assert_eq!(values(&module, "plain"), "0=x+0");
    assert_eq!(
        values(&module, "table"),
        "0=x+4 1=generic x+0 2=generic x+8 3=f+0"
    );
    assert_eq!(values(&module, "inside"), "0=generic x+4");
    assert_eq!(
        values(&module, "bytes"),
        "0=byte 0 of x+0 1=byte 1 of x+4 2=byte 7 of generic x+0"
    );
}

#[test]
fn functions() {
    let source = with_header(
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
         .visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[12],\n\
           .param .u64 .ptr q, .param .f32 x) .maxntid 128, 2 .minnctapersm 3 .maxnreg 64\n\
           .reqnctapercluster 2 .pragma \"nounroll\"; { ret; }\n\
         .entry bare { ret; }\n\
         .entry fixed() .reqntid 32, 4, 2 .explicitcluster .maxclusterrank 8 .blocksareclusters\n\
           { ret; }\n\
         .weak .func .attribute(.unified(1, 2)) stop(.param .b32 code) .noreturn .abi_preserve 8\n\
           .abi_preserve_control 4 { trap; }\n\
         .func (.reg .f32 r0, .reg .v2 .b32 r1) pair(.param .b8 rest[]) { ret; }",
    );
    let module = valid(&source);
    let all = &module.functions;
    let names: Vec<_> = all.iter().map(|f| module.text(f.name)).collect();
    assert_eq!(names, ["vprintf", "k", "bare", "fixed", "stop", "pair"]);
    assert_eq!(
        (all[0].linkage, all[0].body.is_some()),
        (Linkage::Extern, false)
    );
    assert_eq!(all[0].signature.results.len(), 1);
    let k = &all[1];
    assert_eq!((k.kind, k.linkage), (FunctionKind::Entry, Linkage::Visible));
    assert_eq!(k.bounds.max_threads, Some([128, 2, 1]));
    assert_eq!(k.bounds.min_blocks_per_sm, Some(3));
    assert_eq!(k.bounds.max_registers, Some(64));
    assert_eq!(k.bounds.required_cluster, Some([2, 1, 1]));
    let pointers: Vec<_> = k
        .signature
        .parameters
        .iter()
        .map(|parameter| match parameter.storage {
            ParameterStorage::Variable(id) => module.variable(id).pointer,
            ParameterStorage::Register { .. } => panic!("kernel parameters are variables"),
        })
        .collect();
    let global = PointerAttribute {
        space: Some(StateSpace::Global),
        align_bytes: 16,
    };
    let generic = PointerAttribute {
        space: None,
        align_bytes: 4,
    };
    assert_eq!(pointers, [Some(global), None, Some(generic), None]);
    assert_eq!(variable(&module, "s").size_bytes(), 12);
    assert_eq!(variable(&module, "s").align_bytes, 8);
    let fixed = &all[3].bounds;
    assert_eq!(fixed.required_threads, Some([32, 4, 2]));
    assert_eq!(fixed.max_cluster_rank, Some(8));
    assert!(fixed.explicit_cluster && fixed.blocks_are_clusters);
    assert!(all[4].signature.no_return);
    assert_eq!(all[4].linkage, Linkage::Weak);
    let results: Vec<_> = all[5].signature.results.iter().map(|r| r.storage).collect();
    assert_eq!(
        results,
        [
            ParameterStorage::Register {
                ty: ScalarType::F32,
                vector: 1
            },
            ParameterStorage::Register {
                ty: ScalarType::B32,
                vector: 2
            },
        ]
    );
    assert!(variable(&module, "rest").unsized_array);
}

#[test]
fn declarations_lead_to_definitions() {
    let source = with_header(
        ".func f(.param .b32 x);\n\
         .extern .global .u32 g[];\n\
         .func f(.param .b32 y) { ret; }\n\
         .visible .global .u32 g[2] = {1, 2};\n\
         .func f(.param .b32 z);\n\
         .extern .func f2();\n.alias f2, f;",
    );
    let module = valid(&source);
    let canonical: Vec<_> = module
        .functions
        .iter()
        .map(|f| f.canonical.index())
        .collect();
    // The alias is a declaration of what it stands for.
    assert_eq!(canonical, [1, 1, 1, 1]);
    let globals = module.variables.iter().filter(|v| v.owner.is_none());
    let canonical: Vec<_> = globals
        .map(|v| module.variable(v.canonical).size_bytes())
        .collect();
    assert_eq!(canonical, [8, 8]);
    assert_eq!(module.text(module.aliases[0].name.symbol), "f2");
}

#[test]
fn debug_information() {
    let source = "\
.version 8.4
.target sm_80
.address_size 64
.file 1 \"/src/a b.cu\"
.file 2 \"b.cu\", 1600000000, 512
.pragma \"nounroll\", \"other\";
.entry k()
{
$L__func_begin0:
.loc 1 7 3
mov.u32 %r1, 0;
.loc\t2 9 0, function_name $L__info_string0+4, inlined_at 1 7 5
$L__tmp0:
.pragma \"nounroll\";
mov.u32 %r1, 1;
ret;
$L__func_end0:
}
.section .debug_str
{
$L__info_string0:
.b8 98,97,114,0
.b32 $L__func_begin0
.b64 $L__func_end0-$L__func_begin0
}
.section .debug_loc { }
"
    .replace("k()\n{", "k()\n{ .reg .b32 %r<2>;");
    let module = valid(&source);
    let paths: Vec<_> = module.files.iter().map(|f| (f.number, f.path)).collect();
    assert_eq!(paths, [(1, "/src/a b.cu"), (2, "b.cu")]);
    assert_eq!(module.pragmas, ["nounroll", "other"]);
    let sections: Vec<_> = module.sections.iter().map(|s| s.name).collect();
    assert_eq!(sections, [".debug_str", ".debug_loc"]);
    let body = module.functions[0].body.as_ref().unwrap();
    let places: Vec<_> = body
        .instructions
        .iter()
        .map(|i| i.location.map(|id| body.locations[id.index()]))
        .collect();
    let first = Location {
        file: 1,
        line: 7,
        column: 3,
        inlined_at: None,
    };
    let second = Location {
        file: 2,
        line: 9,
        column: 0,
        inlined_at: Some(InlinedAt {
            file: 1,
            line: 7,
            column: 5,
        }),
    };
    assert_eq!(places, [Some(first), Some(second), Some(second)]);
    let labels: Vec<_> = body
        .labels
        .iter()
        .map(|l| (module.text(l.name), l.position))
        .collect();
    assert_eq!(
        labels,
        [
            ("$L__func_begin0", 0),
            ("$L__tmp0", 1),
            ("$L__func_end0", 3)
        ]
    );
}

#[test]
fn nothing_is_expanded() {
    let source = with_header(
        ".global .b8 huge[1099511627776];\n\
         .entry k() { .reg .b32 %r<4294967295>; .reg .b32 none<0>; mov.b32 %r4294967294, 0; }",
    );
    let module = valid(&source);
    assert_eq!(variable(&module, "huge").size_bytes(), 1 << 40);
    assert_eq!(
        module.functions[0].body.as_ref().unwrap().registers.len(),
        1
    );
}

#[test]
fn the_number_of_reports_is_limited() {
    let bad = "mov.b32 %r1, ;\n".repeat(200);
    let source = with_header(&format!(".entry k() {{\n.reg .b32 %r<2>;\n{bad}}}"));
    let (_, diagnostics) = warploom_ptx::parse(&source, "t");
    assert_eq!(diagnostics.len(), 51, "{}", listing(&source, &diagnostics));
    assert_eq!(diagnostics[50].code, warploom_ptx::codes::STOPPED);
}
