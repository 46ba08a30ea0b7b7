//! `warploom validate`: predicted times beside published measurements.

use std::fmt::Write;

use serde_json::json;
use warploom::report::SCHEMA_VERSION;
use warploom::text::{Diagnostic, Spot, did_you_mean, list};
use warploom_validate::page::{cells, page};
use warploom_validate::report::{TargetReport, percent};
use warploom_validate::{Target, targets};

use crate::args::ValidateArgs;
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::table::{Align, Rows};

/// Runs the targets that were asked for.
pub fn run(args: &ValidateArgs, output: &mut Output) -> Done {
    let targets = chosen(&args.target)?;
    if let Some(name) = &args.device {
        let spot = Spot::whole("--device", name.as_str());
        warploom_validate::device(name).map_err(|error| {
            let diagnostic = Diagnostic::error(error.message).at(&spot, "");
            wrong_argument(match error.help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            })
        })?;
    }
    if args.list {
        output.text(&listed(&targets))?;
        let entry = |target: &&Target| json!({ "id": target.id, "title": target.title });
        let entries: Vec<_> = targets.iter().map(entry).collect();
        output.json(&json!({ "schema_version": SCHEMA_VERSION, "targets": entries }))?;
        return Ok(0);
    }
    let wanted = |device: &str| args.device.as_deref().is_none_or(|name| name == device);
    let mut reports = Vec::new();
    for target in targets {
        if output.verbose() {
            output.message(&format!("{}: {}", target.id, target.title));
        }
        let outcomes = warploom_validate::run(target, wanted)
            .map_err(|error| wrong_argument(Diagnostic::error(error.to_string())))?;
        if outcomes.is_empty() {
            continue;
        }
        let report = TargetReport::new(target, &outcomes);
        if !args.page {
            output.text(&text(&report))?;
        }
        reports.push(report);
    }
    if reports.is_empty() {
        let name = args.device.as_deref().unwrap_or_default();
        let message = format!("none of these targets has a point on `{name}`");
        let spot = Spot::whole("--device", name);
        let diagnostic = Diagnostic::error(message).at(&spot, "");
        return Err(wrong_argument(
            diagnostic.help("`warploom validate --list` names the targets"),
        ));
    }
    if args.page {
        let page =
            page(&reports).map_err(|error| wrong_argument(Diagnostic::error(error.to_string())))?;
        output.text(&page)?;
    }
    output.json(&json!({ "schema_version": SCHEMA_VERSION, "targets": reports }))?;
    Ok(u8::from(!reports.iter().all(TargetReport::holds)))
}

/// The targets of these names; all if there are none. `V3` takes `V3-latency` too.
fn chosen(names: &[String]) -> Result<Vec<&'static Target>, Failure> {
    let takes = |name: &str, target: &Target| {
        let id = target.id.to_lowercase();
        let name = name.to_lowercase();
        id == name
            || id
                .strip_prefix(&name)
                .is_some_and(|rest| rest.starts_with('-'))
    };
    for name in names {
        if !targets::ALL.iter().any(|target| takes(name, target)) {
            let known = || targets::ALL.iter().map(|target| target.id);
            let spot = Spot::whole("--target", name.as_str());
            let all = format!("the targets are {}", list(known(), "and"));
            let diagnostic = Diagnostic::error(format!("there is no target `{name}`"));
            let help = did_you_mean(name, known(), all);
            return Err(wrong_argument(diagnostic.at(&spot, "").help(help)));
        }
    }
    let all = targets::ALL.iter();
    let chosen =
        all.filter(|target| names.is_empty() || names.iter().any(|name| takes(name, target)));
    Ok(chosen.collect())
}

fn listed(targets: &[&Target]) -> String {
    let mut rows = Rows::new(&[("target", Align::Left), ("what is compared", Align::Left)]);
    for target in targets {
        rows.row([target.id.to_owned(), target.title.to_owned()]);
    }
    rows.draw()
}

fn text(report: &TargetReport) -> String {
    let mut rows = Rows::new(&[
        ("device", Align::Left),
        ("point", Align::Left),
        ("published", Align::Right),
        ("model", Align::Right),
        ("unit", Align::Left),
        ("error", Align::Right),
        ("role", Align::Left),
    ]);
    for point in &report.points {
        rows.row(cells(point));
    }
    let mut text = format!(
        "{}: {}\n{}\n{}",
        report.id,
        report.title,
        report.cut,
        rows.draw()
    );
    let _ = writeln!(
        text,
        "mean absolute error: {} of test points, {} of calibration points",
        percent(report.test_mape_percent),
        percent(report.calibration_mape_percent)
    );
    for bar in &report.bars {
        let holds = if bar.holds { "holds" } else { "MISSED" };
        let _ = writeln!(text, "{holds}: {} ({})", bar.bar, bar.detail);
    }
    text.push('\n');
    text
}
