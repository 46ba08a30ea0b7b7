//! `warploom model lanes`.

use std::fmt::Write;

use serde_json::json;
use warploom::device::model::lanes::{Branch, branch_efficiency, nested_efficiency};
use warploom::report::SCHEMA_VERSION;
use warploom::text::{Diagnostic, Spot};

use super::args::LanesArgs;
use super::chart::bar;
use crate::output::{Done, Output, wrong_argument};
use crate::table::count;

/// Says which share of the lanes works.
pub fn run(args: &LanesArgs, output: &mut Output) -> Done {
    if args.taken > args.width {
        let spot = Spot::whole("--taken", args.taken.to_string());
        let message = format!("a warp has only {} lanes", args.width);
        return Err(wrong_argument(Diagnostic::error(message).at(&spot, "")));
    }
    for share in &args.inside {
        if !(0.0..=1.0).contains(share) {
            let spot = Spot::whole("--inside", share.to_string());
            let diagnostic = Diagnostic::error("an efficiency is a share from 0 to 1");
            return Err(wrong_argument(diagnostic.at(&spot, "")));
        }
    }
    let branch = Branch {
        width: args.width,
        taken: args.taken,
        then_issues: args.then_issues,
        else_issues: args.else_issues,
        common_issues: args.common_issues,
    };
    let cost = branch.cost();
    let efficiency = cost.efficiency();
    let nested = nested_efficiency(args.inside.iter().copied().chain([efficiency]));
    let before = branch.issues_of(args.warps);
    let sorted = branch.sorted_issues_of(args.warps);
    let speedup = before as f64 / sorted.max(1) as f64;
    let share = f64::from(args.taken) / f64::from(args.width);
    let sides = branch_efficiency(share, args.then_issues, args.else_issues);
    let mut text = format!(
        "a warp issues {} instructions; {} of {} lane slots work\n{} {:.2}%\n",
        count(cost.issues),
        count(cost.lanes_used),
        count(cost.lane_slots),
        bar(efficiency, 40),
        100.0 * efficiency,
    );
    if args.taken > 0 && args.taken < args.width {
        let _ = writeln!(
            text,
            "in the two sides alone {:.2}%; with every lane predicated {} instructions are issued",
            100.0 * sides,
            count(branch.predicated_issues()),
        );
    }
    if !args.inside.is_empty() {
        let _ = writeln!(
            text,
            "inside the regions around it {:.2}% of all lanes",
            100.0 * nested
        );
    }
    if args.warps > 1 {
        let _ = writeln!(
            text,
            "{} warps issue {} instructions; sorted by side {}: {speedup:.2} times fewer \
             (the sorting is not counted)",
            count(args.warps.into()),
            count(before),
            count(sorted),
        );
    }
    output.text(&text)?;
    output.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "issues": cost.issues,
        "lanes_used": cost.lanes_used,
        "lane_slots": cost.lane_slots,
        "efficiency": efficiency,
        "sides_efficiency": sides,
        "nested_efficiency": nested,
        "predicated_issues": branch.predicated_issues(),
        "warps": args.warps,
        "warps_issues": before,
        "sorted_issues": sorted,
        "sorted_speedup": speedup,
    }))?;
    Ok(0)
}
