//! A report as JUnit's XML, which test runners read: a test for each launch.

use std::fmt::Write;

use crate::report::{LaunchReport, Report, Severity};

/// The launches of a checked run.
pub fn of(report: &Report) -> String {
    let failures = report
        .launches
        .iter()
        .filter(|launch| !problems(launch).is_empty());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"warploom check\" tests=\"{}\" failures=\"{}\">\n",
        report.launches.len(),
        failures.count()
    );
    for (launch, number) in report.launches.iter().zip(1..) {
        let name = format!("{} (launch {number})", launch.kernel);
        let _ = write!(text, "  <testcase name=\"{}\"", escaped(&name));
        let problems = problems(launch);
        if problems.is_empty() {
            text.push_str("/>\n");
            continue;
        }
        text.push_str(">\n");
        for (kind, message) in problems {
            let _ = writeln!(
                text,
                "    <failure type=\"{}\" message=\"{}\"/>",
                escaped(kind),
                escaped(&message)
            );
        }
        text.push_str("  </testcase>\n");
    }
    text.push_str("</testsuite>\n");
    text
}

/// Kinds and messages of what is wrong with a launch.
fn problems(launch: &LaunchReport) -> Vec<(&'static str, String)> {
    let wrong = launch
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let found = wrong.map(|finding| {
        let places: Vec<String> = finding.sides.iter().map(|side| side.place.at()).collect();
        (
            finding.kind,
            format!("{} at {}", finding.message, places.join(" and ")),
        )
    });
    let failure = launch.error.iter().map(|failure| {
        (
            failure.kind,
            format!("{} at {}", failure.message, failure.place.at()),
        )
    });
    found.chain(failure).collect()
}

/// Text as it stands in an attribute. Characters that XML cannot hold are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_strangers_stay_inside_their_attribute() {
        assert_eq!(
            escaped("a<b> & \"c\"\u{1b}[31m\nd"),
            "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}[31m&#10;d"
        );
    }
}
