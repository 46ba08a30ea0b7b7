//! What a published experiment is: points to rebuild, and what must hold of them.

use std::fmt;

use crate::rig::RigError;

/// What a published figure was used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A figure of the same measurement set a parameter of the device.
    Calibration,
    /// No parameter comes from it.
    Test,
}

impl Role {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Calibration => "calibration",
            Role::Test => "test",
        }
    }
}

/// One measured point.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The device of the model.
    pub device: &'static str,
    /// What was measured, and where on its axis.
    pub label: String,
    /// Unit of the published figure and of the model's.
    pub unit: &'static str,
    /// The published figure; none where only the shape of the points can be judged.
    pub published: Option<f64>,
    /// What the figure was used for.
    pub role: Role,
}

/// How the model rebuilds a point: the value in the point's unit.
pub type Measure = Box<dyn Fn() -> Result<f64, RigError> + Send + Sync>;

/// A point and how the model rebuilds it.
pub struct Job {
    /// The point.
    pub point: Point,
    /// Runs it. Jobs know nothing of each other and run side by side.
    pub measure: Measure,
}

impl Job {
    /// A point whose value `measure` gives.
    pub fn new(
        point: Point,
        measure: impl Fn() -> Result<f64, RigError> + Send + Sync + 'static,
    ) -> Job {
        let measure = Box::new(measure);
        Job { point, measure }
    }
}

/// A point with the model's value.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The point.
    pub point: Point,
    /// What the model gave, in the point's unit.
    pub model: f64,
}

impl Outcome {
    /// The signed relative error; none where nothing was published.
    pub fn error(&self) -> Option<f64> {
        let published = self.point.published?;
        Some(self.model / published - 1.0)
    }
}

/// Whether something that must hold does.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// What must hold.
    pub bar: String,
    /// Whether it does.
    pub holds: bool,
    /// The figures that decide; empty where none of its points was run, and then nothing is said of
    /// it.
    pub detail: String,
}

/// A published experiment.
#[derive(Clone, Copy)]
pub struct Target {
    /// The short name by which it is asked for.
    pub id: &'static str,
    /// What was measured.
    pub title: &'static str,
    /// Who published it, and where.
    pub source: &'static str,
    /// How the runs were cut to what a simulator can afford, and why that changes nothing.
    pub cut: &'static str,
    /// What is known of the larger errors; empty if there is nothing to say.
    pub remarks: &'static str,
    /// The points.
    pub jobs: fn() -> Result<Vec<Job>, RigError>,
    /// What must hold of them. The outcomes are those of the devices that were asked for, in the
    /// order of `jobs`.
    pub judge: fn(&[Outcome]) -> Vec<Verdict>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.id)
    }
}

/// The mean of the absolute errors of the points that `keep` takes; none if there are none.
pub fn mean_absolute_error(outcomes: &[Outcome], keep: impl Fn(&Point) -> bool) -> Option<f64> {
    let kept = outcomes.iter().filter(|outcome| keep(&outcome.point));
    let errors: Vec<f64> = kept.filter_map(Outcome::error).map(f64::abs).collect();
    let count = errors.len();
    (count > 0).then(|| errors.iter().sum::<f64>() / count as f64)
}

/// Each error is at most `bar`, relative.
pub fn each_within(what: &str, outcomes: &[&Outcome], bar: f64) -> Verdict {
    let errors = outcomes
        .iter()
        .filter_map(|outcome| Some((outcome.error()?, *outcome)));
    let worst = errors.max_by(|(a, _), (b, _)| a.abs().total_cmp(&b.abs()));
    Verdict {
        bar: format!("{what}: each point within {}", percent(bar)),
        holds: worst.is_none_or(|(error, _)| error.abs() <= bar),
        detail: worst.map_or_else(String::new, |(error, outcome)| {
            let point = &outcome.point;
            format!(
                "largest error {:+.1} % at {} {}",
                100.0 * error,
                point.device,
                point.label
            )
        }),
    }
}

/// The mean of the absolute errors is at most `bar`, relative.
pub fn mean_within(what: &str, outcomes: &[Outcome], bar: f64) -> Verdict {
    let mean = mean_absolute_error(outcomes, |_| true);
    Verdict {
        bar: format!("{what}: mean error within {}", percent(bar)),
        holds: mean.is_none_or(|mean| mean <= bar),
        detail: mean.map_or_else(String::new, |mean| format!("mean {:.1} %", 100.0 * mean)),
    }
}

/// The model puts the points into the order of the published figures.
pub fn same_order(what: &str, outcomes: &[&Outcome]) -> Verdict {
    let mut published = outcomes.to_vec();
    let figure = |outcome: &Outcome| outcome.point.published.unwrap_or(f64::NAN);
    published.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
    let fault = published
        .windows(2)
        .find(|pair| pair[0].model >= pair[1].model);
    Verdict {
        bar: format!("{what}: same order"),
        holds: fault.is_none(),
        detail: fault.map_or_else(
            || "all in order".to_owned(),
            |pair| {
                format!(
                    "{} gives {:.4}, {} gives {:.4}",
                    pair[0].point.label, pair[0].model, pair[1].point.label, pair[1].model
                )
            },
        ),
    }
}

fn percent(part: f64) -> String {
    format!("{} %", (1000.0 * part).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(published: f64, model: f64) -> Outcome {
        let point = Point {
            device: "v100",
            label: format!("at {published}"),
            unit: "cycles",
            published: Some(published),
            role: Role::Test,
        };
        Outcome { point, model }
    }

    #[test]
    fn errors_are_signed_and_relative() {
        assert_eq!(outcome(200.0, 150.0).error(), Some(-0.25));
        let mixed = [outcome(200.0, 150.0), outcome(100.0, 175.0)];
        assert_eq!(mean_absolute_error(&mixed, |_| true), Some(0.5));
        assert_eq!(mean_absolute_error(&mixed, |_| false), None);
        let verdict = mean_within("all", &mixed, 0.5);
        assert!(verdict.holds && verdict.detail == "mean 50.0 %");
    }

    #[test]
    fn the_worst_point_decides() {
        let (near, far) = (outcome(100.0, 101.0), outcome(100.0, 88.0));
        assert!(each_within("x", &[&near], 0.011).holds);
        let verdict = each_within("x", &[&near, &far], 0.1);
        assert!(!verdict.holds);
        assert_eq!(verdict.detail, "largest error -12.0 % at v100 at 100");
    }

    /// A bar that no point was run for says nothing, instead of holding.
    #[test]
    fn what_was_not_run_is_not_reported() {
        let target = Target {
            id: "x",
            title: "",
            source: "",
            cut: "",
            remarks: "",
            jobs: || Ok(Vec::new()),
            judge: |outcomes| {
                let run: Vec<&Outcome> = outcomes.iter().collect();
                vec![
                    each_within("run", &run, 0.5),
                    each_within("not run", &[], 0.5),
                ]
            },
        };
        let report = crate::report::TargetReport::new(&target, &[outcome(100.0, 110.0)]);
        assert_eq!(report.bars.len(), 1);
        assert_eq!(report.bars[0].bar, "run: each point within 50 %");
    }

    #[test]
    fn an_order_must_be_strict() {
        let (a, b, c) = (outcome(1.0, 10.0), outcome(2.0, 20.0), outcome(3.0, 20.0));
        assert!(same_order("x", &[&b, &a]).holds);
        assert!(!same_order("x", &[&a, &b, &c]).holds);
    }
}
