//! Prints docs/devices.md: every field of a device description, from the schema.

use std::fmt::Write;

use warploom_device::{Device, Field, source_text};

fn main() {
    print!("{}", page());
}

const HEAD: &str = "\
# Device files

A device is a TOML file. The built-in ones are in `crates/warploom-device/devices/`; `--device` also
takes the path of one of yours. This page is written by `cargo xtask docs`; do not edit it.

```toml
name = \"mine\"
like = \"h100\"                 # takes every figure it does not give from that device
product = \"A card with less\"
sms = 100

estimated = [\"sms\"]           # nobody has seen it in a source; or:
# [sources]
# \"Its data sheet\" = [\"sms\"]
```

- Every figure has a source: under `[sources]` a key of the list at the end of this page, or a whole
  sentence, names field paths, whole tables, or `\"*\"`. The longest path that fits wins. What nobody
  has seen in a source stands in `estimated`. A figure with neither is refused.
- What a device neither gives nor takes from another comes from `defaults.toml`, and says that it is
  estimated there.
- Values are checked against the ranges below when a file is read; errors name the line.
- `--set timing.l2.hit_cycles=250` overrides a field for one run; so does any path below.
- `warploom devices show NAME` draws a device, `--figures` lists every figure with its source.

Vendors' words differ; here SM also means CU, scheduler and partition also SIMD, block also
work-group, warp also wavefront, shared memory also LDS. Cycles are SM clocks. \"Per SM\" rates are
results per clock: how often a pipeline takes a warp instruction follows from `lanes` (the warp's
width over the lanes of a partition, or of the SM where `scope` is `sm`).
";

/// The whole page.
fn page() -> String {
    let mut text = HEAD.to_owned();
    let fields = Device::fields();
    text.push_str("\n## The device itself\n");
    table(
        &mut text,
        fields
            .iter()
            .filter(|f| !f.path.contains('.') && f.kind != "table"),
    );
    for group in fields.iter().filter(|field| field.kind == "table") {
        let below = |field: &&Field| {
            let name = field.path.strip_prefix(group.path.as_str());
            let name = name.and_then(|rest| rest.strip_prefix('.'));
            name.is_some_and(|name| !name.contains('.')) && field.kind != "table"
        };
        let own: Vec<&Field> = fields.iter().filter(below).collect();
        // The pipelines are alike: one stands for all.
        let in_pipes = group.path.starts_with("timing.pipes.");
        if own.is_empty() || (in_pipes && group.path != "timing.pipes.int32") {
            continue;
        }
        let optional = if group.optional {
            " (may be left out)"
        } else {
            ""
        };
        let _ = writeln!(text, "\n## `{}`{optional}\n\n{}", group.path, group.doc);
        if in_pipes {
            text.push_str(&pipes(&fields));
        }
        table(&mut text, own.into_iter());
    }
    text.push_str("\n## Sources\n\n| key | is |\n| --- | --- |\n");
    for key in source_keys() {
        let _ = writeln!(text, "| `{key}` | {} |", cell(&source_text(&key)));
    }
    text
}

fn pipes(fields: &[Field]) -> String {
    let mut text = "\nThe same fields, for other classes of instructions, are in:\n\n".to_owned();
    let pipes = fields.iter().filter(|field| {
        field.kind == "table"
            && field.path.starts_with("timing.pipes.")
            && field.path != "timing.pipes.int32"
    });
    for pipe in pipes {
        let _ = writeln!(text, "- `{}`: {}", pipe.path, pipe.doc);
    }
    text
}

fn table<'f>(text: &mut String, fields: impl Iterator<Item = &'f Field>) {
    text.push_str("\n| field | value | meaning |\n| --- | --- | --- |\n");
    for field in fields {
        let name = field.path.rsplit('.').next().unwrap_or("");
        let range = field
            .range
            .map(|(low, high)| format!(", {low} to {high}"))
            .unwrap_or_default();
        let optional = if field.optional { ", optional" } else { "" };
        let _ = writeln!(
            text,
            "| `{name}` | {}{range}{optional} | {} |",
            field.kind,
            cell(&field.doc)
        );
    }
}

/// One line of a table.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

/// Every key that a built-in device uses and that is no sentence.
fn source_keys() -> Vec<String> {
    let devices = Device::names().filter_map(|name| Device::by_name(name).ok());
    let keys = devices.flat_map(|device| {
        let figures = device.figures().into_iter();
        figures
            .flat_map(|figure| figure.provenance.sources)
            .collect::<Vec<_>>()
    });
    let all: std::collections::BTreeSet<String> = keys
        .filter(|key| !key.contains(char::is_whitespace))
        .collect();
    all.into_iter().collect()
}
