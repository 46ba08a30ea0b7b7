//! Outcomes as plain data.

use serde::Serialize;

use crate::target::{Outcome, Role, Target, Verdict, mean_absolute_error};

/// A target with its outcomes and verdicts.
#[derive(Clone, Debug, Serialize)]
pub struct TargetReport {
    /// The short name.
    pub id: &'static str,
    /// What was measured.
    pub title: &'static str,
    /// Who published it.
    pub source: &'static str,
    /// How the runs were cut.
    pub cut: &'static str,
    /// What is known of the larger errors.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub remarks: &'static str,
    /// The points, in their order.
    pub points: Vec<PointReport>,
    /// Mean absolute error of the test points, percent; none if there are none.
    pub test_mape_percent: Option<f64>,
    /// The same of the calibration points.
    pub calibration_mape_percent: Option<f64>,
    /// What must hold.
    pub bars: Vec<BarReport>,
}

/// One point.
#[derive(Clone, Debug, Serialize)]
pub struct PointReport {
    /// The device.
    pub device: &'static str,
    /// What was measured.
    pub label: String,
    /// Unit of both figures.
    pub unit: &'static str,
    /// `calibration` or `test`.
    pub role: &'static str,
    /// The published figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<f64>,
    /// The model's.
    pub model: f64,
    /// The signed relative error, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_percent: Option<f64>,
}

/// One thing that must hold.
#[derive(Clone, Debug, Serialize)]
pub struct BarReport {
    /// What.
    pub bar: String,
    /// Whether it does.
    pub holds: bool,
    /// The figures that decide.
    pub detail: String,
}

impl TargetReport {
    /// Of a target that was run.
    pub fn new(target: &Target, outcomes: &[Outcome]) -> TargetReport {
        let mape = |role: Role| {
            mean_absolute_error(outcomes, |point| point.role == role).map(|mean| 100.0 * mean)
        };
        TargetReport {
            id: target.id,
            title: target.title,
            source: target.source,
            cut: target.cut,
            remarks: target.remarks,
            points: outcomes.iter().map(point).collect(),
            test_mape_percent: mape(Role::Test),
            calibration_mape_percent: mape(Role::Calibration),
            bars: (target.judge)(outcomes)
                .into_iter()
                .filter(|verdict| !verdict.detail.is_empty())
                .map(bar)
                .collect(),
        }
    }

    /// Everything that must hold does.
    pub fn holds(&self) -> bool {
        self.bars.iter().all(|bar| bar.holds)
    }
}

fn point(outcome: &Outcome) -> PointReport {
    let point = &outcome.point;
    PointReport {
        device: point.device,
        label: point.label.clone(),
        unit: point.unit,
        role: point.role.name(),
        published: point.published,
        model: outcome.model,
        error_percent: outcome.error().map(|error| 100.0 * error),
    }
}

fn bar(verdict: Verdict) -> BarReport {
    BarReport {
        bar: verdict.bar,
        holds: verdict.holds,
        detail: verdict.detail,
    }
}

/// Four digits, as many as any of the published figures has.
pub fn figure(value: f64) -> String {
    let digits = match value.abs() {
        value if value >= 1000.0 => 0,
        value if value >= 100.0 => 1,
        value if value >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

/// A mean in percent, if there is one.
pub fn percent(mean: Option<f64>) -> String {
    mean.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.1} %"))
}
