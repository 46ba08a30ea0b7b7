//! A report in SARIF 2.1.0, which code hosts and editors show beside the source.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::report::{Failure, Finding, Place, Report, Severity, Side};

/// The findings and the failure of a checked run.
pub fn of(report: &Report) -> Value {
    let findings = report.launches.iter().flat_map(|launch| &launch.findings);
    let mut results: Vec<Value> = findings.map(of_finding).collect();
    results.extend(report.error.as_ref().map(of_failure));
    let rules: BTreeSet<&str> = results
        .iter()
        .filter_map(|result| result["ruleId"].as_str())
        .collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    let driver = json!({
        "name": "warploom",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    })
}

fn of_finding(finding: &Finding) -> Value {
    let sides = finding.sides.iter().zip(1..);
    let related = sides.map(|(side, number)| {
        let mut location = location(&side.place);
        location["id"] = json!(number);
        location["message"] = json!({ "text": who(side) });
        location
    });
    json!({
        "ruleId": finding.kind,
        "level": match finding.severity {
            Severity::Error => "error",
            Severity::Note => "note",
        },
        "message": { "text": format!("{}; {}", finding.message, finding.help) },
        "locations": finding.sides.first().map(|side| location(&side.place)).into_iter().collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
        "occurrenceCount": finding.count,
    })
}

fn of_failure(failure: &Failure) -> Value {
    json!({
        "ruleId": failure.kind,
        "level": "error",
        "message": { "text": failure.message },
        "locations": [location(&failure.place)],
    })
}

fn who(side: &Side) -> String {
    let index = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    let access = side.access.as_deref().unwrap_or("barrier");
    match (side.block, side.thread) {
        (Some(block), Some(thread)) => {
            format!(
                "{access} by block {}, thread {}",
                index(block),
                index(thread)
            )
        }
        _ => access.to_owned(),
    }
}

fn location(place: &Place) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": place.file } });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
    }
    json!({ "physicalLocation": physical })
}
