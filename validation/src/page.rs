//! Reports as a page of documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use warploom::device::{DeviceError, source_text};

use crate::report::{PointReport, TargetReport, figure, percent};

const HEAD: &str = "\
# Accuracy

What the timing model predicts beside what was measured on the chips. This page is written by
`cargo xtask accuracy`; do not edit it. `warploom validate` prints the same tables; with `--target V3`
or `--device v100` only a part of them.

A published figure that set a parameter of a device file is *calibration*: its error says how well
the model meets what it was given. A *test* figure set none: its error says how accurate the model
is. Errors are signed, model over published less one; means are of absolute values.

";

/// The whole page.
///
/// # Errors
/// When a point names a device that is not there.
pub fn page(reports: &[TargetReport]) -> Result<String, DeviceError> {
    let mut text = HEAD.to_owned();
    text.push_str(&summary(reports));
    for report in reports {
        target(&mut text, report);
    }
    parameters(&mut text, reports)?;
    Ok(text)
}

fn summary(reports: &[TargetReport]) -> String {
    let mut text = String::from(
        "## In short\n\n| target | what | points | test error | calibration error | bars |\n\
         | --- | --- | --: | --: | --: | --- |\n",
    );
    for report in reports {
        let missed = report.bars.iter().filter(|bar| !bar.holds).count();
        let bars = match (missed, report.bars.len()) {
            (0, 1) => "holds".to_owned(),
            (0, all) => format!("all {all} hold"),
            (missed, all) => format!("{missed} of {all} missed"),
        };
        let _ = writeln!(
            text,
            "| [{}](#{}) | {} | {} | {} | {} | {bars} |",
            report.id,
            anchor(report),
            report.title,
            report.points.len(),
            percent(report.test_mape_percent),
            percent(report.calibration_mape_percent),
        );
    }
    text.push('\n');
    text
}

fn heading(report: &TargetReport) -> String {
    format!("{}: {}", report.id, report.title)
}

/// The name by which a heading is linked to: lower case, blanks as hyphens, no punctuation.
fn anchor(report: &TargetReport) -> String {
    heading(report)
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' => Some(c),
            _ => None,
        })
        .collect()
}

fn target(text: &mut String, report: &TargetReport) {
    let _ = write!(
        text,
        "## {}\n\nPublished by: {}.\n\nHow it was cut: {}\n\n",
        heading(report),
        report.source,
        report.cut
    );
    if !report.remarks.is_empty() {
        let _ = write!(text, "Known deviations: {}\n\n", report.remarks);
    }
    for bar in &report.bars {
        let holds = if bar.holds { "holds" } else { "**missed**" };
        let _ = writeln!(text, "- {holds}: {} ({})", bar.bar, bar.detail);
    }
    text.push_str(
        "\n| device | point | published | model | unit | error | role |\n\
         | --- | --- | --: | --: | --- | --: | --- |\n",
    );
    for point in &report.points {
        let [device, label, published, model, unit, error, role] = cells(point);
        let _ = writeln!(
            text,
            "| {device} | {label} | {published} | {model} | {unit} | {error} | {role} |"
        );
    }
    text.push('\n');
}

/// Device, point, published, model, unit, error, role.
pub fn cells(point: &PointReport) -> [String; 7] {
    let error = point.error_percent;
    [
        point.device.to_owned(),
        point.label.clone(),
        point.published.map_or(String::new(), figure),
        figure(point.model),
        point.unit.to_owned(),
        error.map_or(String::new(), |error| format!("{error:+.1} %")),
        point.role.to_owned(),
    ]
}

/// Where the figures of the devices come from that the points were measured on.
fn parameters(text: &mut String, reports: &[TargetReport]) -> Result<(), DeviceError> {
    let points = reports.iter().flat_map(|report| &report.points);
    let names: BTreeSet<&str> = points.map(|point| point.device).collect();
    // By figure, value and source: the devices that share them.
    let mut rows: BTreeMap<(String, String, String), Vec<&str>> = BTreeMap::new();
    let mut keys = BTreeSet::new();
    for name in names {
        for figure in crate::rig::device(name)?.figures() {
            let path = figure.path;
            if !["timing.", "lanes.", "memory."]
                .iter()
                .any(|part| path.starts_with(part))
            {
                continue;
            }
            let source = match figure.provenance.estimated {
                true => "estimated".to_owned(),
                false => figure.provenance.sources.join(", "),
            };
            if !figure.provenance.estimated {
                keys.extend(figure.provenance.sources);
            }
            rows.entry((path, figure.value, source))
                .or_default()
                .push(name);
        }
    }
    text.push_str(
        "## Where each parameter comes from\n\nThe figures of these devices; \
         [devices.md](devices.md) says which of them the model does not use yet. \
         `warploom devices show NAME --figures` lists those of any device, and the comments in its \
         file say why a figure was chosen where sources differ.\n\n\
         | figure | value | from | devices |\n| --- | --- | --- | --- |\n",
    );
    for ((path, value, source), devices) in rows {
        let value = value.replace('\n', " ");
        let _ = writeln!(
            text,
            "| `{path}` | {value} | {source} | {} |",
            devices.join(", ")
        );
    }
    text.push_str("\nSources:\n\n");
    for key in keys {
        let full = source_text(&key);
        if full != key {
            let _ = writeln!(text, "- `{key}`: {full}");
        }
    }
    Ok(())
}
