//! The page of counters against reports as they are.

use std::path::PathBuf;

use serde_json::Value;
use warploom::run::Silent;
use warploom::{Options, launch_file, run};

fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        Value::Object(map) => {
            for (key, value) in map {
                found.push(key.clone());
                keys(value, found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_page_has_every_key_of_a_report() {
    let page = include_str!("../../../docs/counters.md");
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for file in [
        "saxpy.toml",
        "cases/04-misaligned.toml",
        "cases/01-barrier-odd-lanes-spin.toml",
    ] {
        let plan = launch_file::read(&examples.join(file)).unwrap();
        let report = run(&plan, &Options::default(), &Silent).unwrap().report;
        keys(&serde_json::to_value(report).unwrap(), &mut found);
    }
    assert!(found.iter().any(|key| key == "waits"));
    for key in found {
        assert!(
            page.contains(&format!("`{key}`")),
            "docs/counters.md has no `{key}`"
        );
    }
}
