use super::*;

fn check(text: &str, wanted: &[&str]) {
    let error = parse("t.toml", text, Path::new("d")).unwrap_err();
    let found: Vec<String> = error.diagnostics.iter().map(|d| d.to_string()).collect();
    assert_eq!(found, wanted, "{text}");
}

/// A launch file with one part exchanged.
fn with(part: &str, instead: &str) -> String {
    const GOOD: &str = r#"
module = "k.ptx"
[buffers]
x = { iota = "f32[4]" }
[[launch]]
kernel = "k"
grid = [1]
block = [32]
args = [{ buffer = "x" }]
[expect]
x = { ones = "f32[4]" }
"#;
    assert!(GOOD.contains(part), "{part}");
    GOOD.replace(part, instead)
}

#[test]
fn all_keys_are_read() {
    let text = r#"
module = ["k.ptx", "lib.ptx"]
device = "v100"
[buffers]
z = { zeros = "u8[4K]" }
r = { random = "f32[2,3]", seed = 7 }
b = { npy = "b.npy", type = "bf16" }
[[launch]]
kernel = "k"
grid = [4, 2]
block = 128
shared_bytes = 1024
cooperative = true
args = [{ u32 = 7 }, { f32 = 2 }, { f16 = -0.5 }, { bool = true }, { bytes = "00ff" },
        { buffer = "z", offset = 16 }, { u64 = "0xffff_ffff_ffff_ffff" }, { f64 = inf }]
[expect]
r = { npy = "r.npy", rtol = 1e-6, atol = 1 }
[save]
b = "out/b.npy"
"#;
    let plan = parse("t.toml", text, Path::new("d")).unwrap();
    assert_eq!(plan.modules[1].path, Path::new("d/lib.ptx"));
    assert_eq!(plan.device.as_ref().unwrap().name, "v100");
    // In the order of the file.
    assert_eq!(plan.buffer_names().collect::<Vec<_>>(), ["z", "r", "b"]);
    assert_eq!(plan.buffers[2].contents.element, Some(ElementType::Bf16));
    let launch = &plan.launches[0];
    assert_eq!(
        (launch.grid.size, launch.block.size),
        ([4, 2, 1], [128, 1, 1])
    );
    assert_eq!((launch.shared_bytes, launch.cooperative), (1024, true));
    let bits = |i: usize| match &launch.args[i].value {
        ArgValue::Scalar(scalar) => scalar.bits,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        [bits(0), bits(1), bits(2), bits(3)],
        [7, 0x4000_0000, 0xb800, 1]
    );
    assert_eq!([bits(6), bits(7)], [u64::MAX, f64::INFINITY.to_bits()]);
    assert_eq!(launch.args[4].value, ArgValue::Bytes(vec![0, 0xff]));
    let buffer = ArgValue::Buffer {
        name: "z".into(),
        offset_bytes: 16,
    };
    assert_eq!(launch.args[5].value, buffer);
    assert_eq!((plan.expect[0].rtol, plan.expect[0].atol), (1e-6, 1.0));
    assert_eq!(plan.save[0].file.path, Path::new("d/out/b.npy"));
    assert_eq!(plan.save[0].file.shown, "out/b.npy");
}

#[test]
fn unknown_keys_are_errors_everywhere() {
    check(
        &with("[buffers]", "modul = 1\n[buffers]"),
        &[
            "t.toml:3:1: there is no key `modul`\n  help: did you mean `module`? the keys are \
           `module`, `device`, `buffers`, `launch`, `expect` or `save`",
        ],
    );
    check(
        &with("grid = [1]", "gird = [1]"),
        &[
            "t.toml:5:1: `grid` is missing",
            "t.toml:7:1: there is no key `gird` in `launch`\n  \
           help: did you mean `grid`? the keys are `kernel`, `grid`, `block`, `shared_bytes`, \
           `args` or `cooperative`",
        ],
    );
    check(
        &with("{ iota = \"f32[4]\" }", "{ iota = \"f32[4]\", sed = 1 }"),
        &[
            "t.toml:4:24: there is no key `sed` in `x`\n  help: did you mean `seed`? the keys are \
           `zeros`, `ones`, `iota`, `random`, `npy`, `seed` or `type`",
        ],
    );
    check(
        &with("ones = \"f32[4]\" }", "ones = \"f32[4]\", tol = 1 }"),
        &[
            "t.toml:11:24: there is no key `tol` in `x`\n  help: did you mean `atol`? the keys are \
           `zeros`, `ones`, `iota`, `random`, `npy`, `seed`, `type`, `rtol` or `atol`",
        ],
    );
}

#[test]
fn values_of_the_wrong_kind_say_what_is_expected() {
    let cases = [
        (
            "module = \"k.ptx\"",
            "module = 1",
            "2:10: `module` is a whole number: expected a path",
        ),
        (
            "module = \"k.ptx\"",
            "module = []",
            "2:10: the list of modules is empty",
        ),
        (
            "module = \"k.ptx\"",
            "device = \"h100\"",
            "11:24: `module` is missing",
        ),
        (
            "{ iota = \"f32[4]\" }",
            "\"x.npy\"",
            "4:5: `x` is a string: expected a table",
        ),
        (
            "{ iota = \"f32[4]\" }",
            "{}",
            "4:5: there is no value in `x`\n  help: give one of `zeros`, `ones`, `iota`, `random` \
             or `npy`",
        ),
        (
            "{ iota = \"f32[4]\" }",
            "{ iota = \"f32[4]\", ones = \"f32[4]\" }",
            "4:24: `iota` and `ones` exclude each other",
        ),
        (
            "{ iota = \"f32[4]\" }",
            "{ iota = \"f32[4]\", seed = 1 }",
            "4:24: `iota` has no seed",
        ),
        (
            "iota = \"f32[4]\"",
            "iota = \"f32[four]\"",
            "4:19: `four` is not a length\n  help: arrays are written like `f32[1024]` or \
             `u8[4K,16]`",
        ),
        (
            "iota = \"f32[4]\"",
            "iota = \"f32[4]\", type = \"fp8\"",
            "4:32: there is no element type `fp8`\n  help: it is one of u8, s8, u16, s16, u32, \
             s32, u64, s64, f16, bf16, f32, f64 or bool",
        ),
        (
            "kernel = \"k\"",
            "kernel = 4",
            "6:10: `kernel` is a whole number: expected a name",
        ),
        (
            "grid = [1]",
            "grid = [1, 1, 1, 1]",
            "7:8: `grid` has 4 sizes: expected one to three",
        ),
        (
            "grid = [1]",
            "grid = []",
            "7:8: `grid` has 0 sizes: expected one to three",
        ),
        (
            "grid = [1]",
            "grid = [0]",
            "7:9: `grid` is out of range: expected 1 to 4294967295",
        ),
        (
            "grid = [1]",
            "grid = 1.5",
            "7:8: `grid` is a fraction: expected a whole number",
        ),
        (
            "block = [32]",
            "block = [\"32\"]",
            "8:10: `block` is a string: expected a whole number",
        ),
        (
            "block = [32]",
            "block = [32]\nshared_bytes = -1",
            "9:16: `shared_bytes` is out of range: expected 0 to 4294967295",
        ),
        (
            "block = [32]",
            "block = [32]\ncooperative = 1",
            "9:15: `cooperative` is a whole number: expected true or false",
        ),
        (
            "[[launch]]",
            "[launch]",
            "5:1: `launch` is a table: expected a list",
        ),
        (
            "{ buffer = \"x\" }",
            "{ buffer = \"y\" }",
            "9:20: there is no buffer `y`\n  help: the buffers are x",
        ),
        (
            "{ buffer = \"x\" }",
            "{ u8 = 256 }",
            "9:16: `256` does not fit u8: expected 0 to 255",
        ),
        (
            "{ buffer = \"x\" }",
            "{ u32 = 1.5 }",
            "9:17: `u32` is a fraction: expected a whole number",
        ),
        (
            "{ buffer = \"x\" }",
            "{ f32 = true }",
            "9:17: `f32` is true or false: expected a number",
        ),
        (
            "{ buffer = \"x\" }",
            "{ bool = 1 }",
            "9:18: `bool` is a whole number: expected true or false",
        ),
        (
            "{ buffer = \"x\" }",
            "{ u32 = 1, offset = 4 }",
            "9:20: only a buffer has an offset",
        ),
        (
            "{ buffer = \"x\" }",
            "{ bytes = \"0g\" }",
            "9:21: bytes are written in hexadecimal: this is no hexadecimal digit",
        ),
        (
            "ones = \"f32[4]\" }",
            "ones = \"f32[4]\", rtol = -1.0 }",
            "11:31: `rtol` is negative or no number: expected 0 or more",
        ),
        (
            "x = { ones",
            "y = { ones",
            "11:1: there is no buffer `y`\n  help: the buffers are x",
        ),
        (
            "x = { ones",
            "\"\\n\" = { ones",
            "11:1: there is no buffer `\n`\n  help: the buffers are x",
        ),
    ];
    for (part, instead, wanted) in cases {
        check(&with(part, instead), &[&format!("t.toml:{wanted}")]);
    }
}

#[test]
fn what_is_no_toml_has_its_place_too() {
    check(
        "module = \"k.ptx",
        &["t.toml:1:16: invalid basic string, expected `\"`"],
    );
    check(
        "",
        &[
            "t.toml:1:1: `module` is missing",
            "t.toml:1:1: there is nothing to launch: expected `[[launch]]`",
        ],
    );
    check(
        "a.b.c.d.e.f.g.h.i = 1",
        &["t.toml:1:16: the key has too many parts"],
    );
    // Dots of strings, comments and numbers are no keys.
    let dots = "# ............\nmodule = \"k............ptx\" # ........\n";
    check(
        dots,
        &["t.toml:2:39: there is nothing to launch: expected `[[launch]]`"],
    );
}

#[test]
fn several_errors_come_in_the_order_of_the_text() {
    let text = with("grid = [1]", "grid = [0]").replace("\"f32[4]\"", "\"f32\"");
    let help = "\n  help: arrays are written like `f32[1024]` or `u8[4K,16]`";
    let no_length = "`f32` has no length: expected `[` and the lengths";
    check(
        &text,
        &[
            &format!("t.toml:4:15: {no_length}{help}"),
            "t.toml:7:9: `grid` is out of range: expected 1 to 4294967295",
            &format!("t.toml:11:15: {no_length}{help}"),
        ],
    );
}

mod never_panics {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::parse;

    proptest! {
        #[test]
        fn on_any_text(text in "\\PC{0,200}") {
            let _ = parse("t.toml", &text, Path::new(""));
        }

        /// A right launch file with a few bytes exchanged, cut or repeated.
        #[test]
        fn on_mutated_launch_files(
            edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12, "\\PC{0,6}|[\\[\\]{}\"'=.,#\n]{1,3}"), 1..8),
        ) {
            let mut text = super::with("[expect]", "[expect]");
            for (at, cut, insert) in edits {
                let mut start = at.index(text.len() + 1);
                while !text.is_char_boundary(start) { start -= 1; }
                let mut end = (start + cut).min(text.len());
                while !text.is_char_boundary(end) { end -= 1; }
                text.replace_range(start..end.max(start), &insert);
            }
            match parse("t.toml", &text, Path::new("")) {
                Ok(plan) => prop_assert!(!plan.modules.is_empty()),
                Err(error) => prop_assert!(error.diagnostics.iter().all(|d| !d.labels.is_empty())),
            }
        }

        /// Deep nesting in any of TOML's ways.
        #[test]
        fn on_deep_nesting(part in "(a\\.){1,40}|\\[|\\{a=|(a\\.){1,7}a=\\{|\\[\\[a\\.b\\]\\]\n", times in 1usize..3000) {
            let _ = parse("t.toml", &part.repeat(times), Path::new(""));
        }
    }
}

#[test]
fn a_misspelt_table_is_one_error() {
    let keys = "the keys are `module`, `device`, `buffers`, `launch`, `expect` or `save`";
    for (right, wrong, name, at) in [
        ("[buffers]", "[bufers]", "buffers", "3:2"),
        ("[[launch]]", "[[lanch]]", "launch", "5:3"),
        ("module =", "modul =", "module", "2:1"),
    ] {
        let typo = wrong.trim_matches(['[', ']', ' ', '=']);
        let wanted =
            format!("t.toml:{at}: there is no key `{typo}`\n  help: did you mean `{name}`? {keys}");
        check(&with(right, wrong), &[&wanted]);
    }
}

#[test]
fn a_device_file_is_relative_to_the_launch_file() {
    let device = |name: &str| {
        let text = with("[buffers]", &format!("device = \"{name}\"\n[buffers]"));
        parse("t.toml", &text, Path::new("d"))
            .unwrap()
            .device
            .unwrap()
            .name
    };
    assert_eq!(
        Path::new(&device("mine.toml")),
        Path::new("d").join("mine.toml")
    );
    assert_eq!(device("h100"), "h100");
}

/// The reference of launch files.
const PAGE: &str = include_str!("../../../../docs/launch-file.md");

#[test]
fn the_reference_has_every_key() {
    let keys = ROOT_KEYS
        .iter()
        .chain(&LAUNCH_KEYS)
        .chain(&SOURCES)
        .chain(&ARRAY_KEYS)
        .chain(&TOLERANCES)
        .chain(&ARG_KEYS)
        .chain([&OFFSET]);
    let types = ElementType::ALL.iter().map(|ty| ty.name());
    for key in keys.copied().chain(types) {
        let row = format!("| `{key}` |");
        assert!(PAGE.contains(&row), "docs/launch-file.md has no row {row}");
    }
}

#[test]
fn the_examples_of_the_reference_are_launch_files() {
    let blocks = PAGE.split("```toml\n").skip(1);
    let texts: Vec<&str> = blocks
        .filter_map(|block| block.split("```").next())
        .collect();
    assert_eq!(texts.len(), 2);
    for text in texts {
        if let Err(error) = parse("page", text, Path::new("")) {
            panic!("{error}\n{text}");
        }
    }
}
