//! `warploom model roofline`.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use warploom::device::Device;
use warploom::device::model::roofline::{Bound, Peak, Precision, Roof};
use warploom::report::SCHEMA_VERSION;
use warploom::text::{Diagnostic, Spot};

use super::args::{Level, RooflineArgs};
use super::chart::Chart;
use super::chosen;
use super::quantity::{digits, optional, scaled};
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::table::{Align, Rows, percent};

/// A kernel on the chart.
struct Point {
    name: String,
    flops: f64,
    bytes: f64,
    /// Seconds that it took, if that is known.
    time_s: Option<f64>,
}

/// Says what limits a kernel.
pub fn run(args: &RooflineArgs, output: &mut Output) -> Done {
    let device = chosen(&args.device)?;
    let flops = optional("--flops", args.flops.as_ref())?;
    let bytes = optional("--bytes", args.bytes.as_ref())?;
    let peak = optional("--peak", args.peak.as_ref())?;
    let bytes_per_s = match optional("--bandwidth", args.bandwidth.as_ref())? {
        Some(given) => given,
        None if args.level == Level::L2 => device.l2_bytes_per_s(),
        None => device.dram_bytes_per_s(),
    };
    let points = match &args.run {
        Some(path) => read_run(path, flops)?,
        None => flops
            .zip(bytes)
            .map(|(flops, bytes)| Point {
                name: "kernel".to_owned(),
                flops,
                bytes,
                time_s: None,
            })
            .into_iter()
            .collect(),
    };
    let asked = args.precision.is_some() || peak.is_some() || !points.is_empty();
    if !asked {
        return all(&device, bytes_per_s, output);
    }
    let precision = args.precision.unwrap_or(Precision::Fp32);
    let known = device.peak(precision);
    let flop_per_s = match (peak, &known) {
        (Some(given), _) => given,
        (None, Some(peak)) => peak.flop_per_s,
        (None, None) => return Err(no_rate(&device, precision)),
    };
    let roof = Roof {
        flop_per_s,
        bytes_per_s,
    };
    let from = if peak.is_some() { None } else { known };
    let mut text = roof_text(&device, precision, &roof, from.as_ref());
    text.push_str(&points_text(&roof, &points));
    text.push('\n');
    text.push_str(&chart(&roof, &points));
    output.text(&text)?;
    let placed: Vec<Value> = points
        .iter()
        .map(|point| point_json(&roof, point))
        .collect();
    let mut object = json!({
        "schema_version": SCHEMA_VERSION,
        "device": device.name,
        "precision": precision.name(),
        "peak_flop_per_s": roof.flop_per_s,
        "bandwidth_bytes_per_s": roof.bytes_per_s,
        "ridge_flop_per_byte": roof.ridge_flop_per_byte(),
        "kernels": placed,
    });
    // The only kernel's figures stand at the top as well.
    if let (Some(Value::Object(only)), [_], Some(all)) =
        (placed.first(), placed.as_slice(), object.as_object_mut())
    {
        all.extend(only.clone());
    }
    output.json(&object)?;
    Ok(0)
}

fn no_rate(device: &Device, precision: Precision) -> Failure {
    let known: Vec<&str> = Precision::ALL
        .into_iter()
        .filter(|precision| device.peak(*precision).is_some())
        .map(Precision::name)
        .collect();
    let spot = Spot::whole("--precision", precision.name());
    let message = format!("{} has no rate for {}", device.name, precision.name());
    wrong_argument(Diagnostic::error(message).at(&spot, "").help(format!(
        "it has {}; --peak gives any other",
        known.join(", ")
    )))
}

/// Ridge points of every kind of arithmetic.
fn all(device: &Device, bytes_per_s: f64, output: &mut Output) -> Done {
    let mut rows = Rows::new(&[
        ("precision", Align::Left),
        ("peak FLOP/s", Align::Right),
        ("ridge FLOP/byte", Align::Right),
    ]);
    let mut ridges = Vec::new();
    for precision in Precision::ALL {
        let Some(peak) = device.peak(precision) else {
            continue;
        };
        let roof = Roof {
            flop_per_s: peak.flop_per_s,
            bytes_per_s,
        };
        let ridge = roof.ridge_flop_per_byte();
        rows.row([
            precision.name().to_owned(),
            scaled(peak.flop_per_s),
            digits(ridge),
        ]);
        ridges.push(json!({
            "precision": precision.name(),
            "peak_flop_per_s": peak.flop_per_s,
            "ridge_flop_per_byte": ridge,
        }));
    }
    output.text(&format!(
        "{}: {}B/s\n\n{}",
        device.name,
        scaled(bytes_per_s),
        rows.draw()
    ))?;
    output.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "device": device.name,
        "bandwidth_bytes_per_s": bytes_per_s,
        "precisions": ridges,
    }))?;
    Ok(0)
}

fn roof_text(device: &Device, precision: Precision, roof: &Roof, peak: Option<&Peak>) -> String {
    let mut text = format!(
        "{}, {}: {}FLOP/s",
        device.name,
        precision.name(),
        scaled(roof.flop_per_s)
    );
    if let Some(peak) = peak {
        let _ = write!(
            text,
            " = {} SMs × {} × {} × {:.0} MHz",
            peak.sms, peak.per_cycle_and_sm, peak.flop_per_result, peak.clock_mhz
        );
    }
    let _ = writeln!(
        text,
        "\n{}B/s; ridge at {} operations a byte",
        scaled(roof.bytes_per_s),
        digits(roof.ridge_flop_per_byte())
    );
    text
}

fn points_text(roof: &Roof, points: &[Point]) -> String {
    if points.is_empty() {
        return String::new();
    }
    let timed = points.iter().any(|point| point.time_s.is_some());
    let mut columns = vec![
        ("kernel", Align::Left),
        ("FLOP/byte", Align::Right),
        ("limited by", Align::Left),
        ("attainable FLOP/s", Align::Right),
        ("least time s", Align::Right),
    ];
    if timed {
        columns.extend([
            ("reached FLOP/s", Align::Right),
            ("of attainable", Align::Right),
        ]);
    }
    let mut rows = Rows::new(&columns);
    for point in points {
        let intensity = point.flops / point.bytes;
        let attainable = roof.attainable_flop_per_s(intensity);
        let reached = point.time_s.map(|time| point.flops / time);
        let mut row = vec![
            point.name.clone(),
            digits(intensity),
            bound_name(roof.bound(intensity)).to_owned(),
            scaled(attainable),
            scaled(roof.least_time_s(point.flops, point.bytes)),
        ];
        if timed {
            row.push(reached.map(scaled).unwrap_or_default());
            row.push(
                reached
                    .map(|rate| percent(rate / attainable))
                    .unwrap_or_default(),
            );
        }
        rows.row(row);
    }
    format!("\n{}", rows.draw())
}

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Memory => "memory",
        Bound::Compute => "compute",
    }
}

fn point_json(roof: &Roof, point: &Point) -> Value {
    let intensity = point.flops / point.bytes;
    let attainable = roof.attainable_flop_per_s(intensity);
    let reached = point.time_s.map(|time| point.flops / time);
    json!({
        "kernel": point.name,
        "flops": point.flops,
        "bytes": point.bytes,
        "intensity_flop_per_byte": intensity,
        "bound": roof.bound(intensity),
        "attainable_flop_per_s": attainable,
        "least_time_s": roof.least_time_s(point.flops, point.bytes),
        "reached_flop_per_s": reached,
        "reached_share": reached.map(|rate| rate / attainable),
    })
}

/// The roof on logarithmic axes; kernels as letters, in order.
fn chart(roof: &Roof, points: &[Point]) -> String {
    const COLUMNS: usize = 64;
    const ROWS: usize = 14;
    let ridge = roof.ridge_flop_per_byte();
    let intensities = points.iter().map(|point| point.flops / point.bytes);
    let rates = points
        .iter()
        .filter_map(|point| Some(point.flops / point.time_s?));
    let left = intensities.clone().fold(ridge / 32.0, f64::min).log10();
    let right = intensities.fold(ridge * 8.0, f64::max).log10();
    let top = roof.flop_per_s.log10();
    let bottom = rates
        .fold(roof.attainable_flop_per_s(10f64.powf(left)), f64::min)
        .log10();
    let across = |intensity: f64| (intensity.log10() - left) / (right - left);
    let up = |rate: f64| (rate.log10() - bottom) / (top - bottom);
    let mut chart = Chart::new(COLUMNS, ROWS);
    for column in 0..COLUMNS {
        let share = column as f64 / (COLUMNS - 1) as f64;
        let intensity = 10f64.powf(left + share * (right - left));
        let mark = if intensity < ridge { '/' } else { '-' };
        chart.mark(share, up(roof.attainable_flop_per_s(intensity)), mark);
    }
    chart.mark(across(ridge), 1.0, '+');
    for (letter, point) in ('A'..='Z').zip(points) {
        let intensity = point.flops / point.bytes;
        let attainable = roof.attainable_flop_per_s(intensity);
        let rate = point.time_s.map_or(attainable, |time| point.flops / time);
        chart.mark(across(intensity), up(rate).min(1.0), letter);
    }
    let labels = [
        (0, format!("{}FLOP/s", scaled(roof.flop_per_s))),
        (ROWS - 1, format!("{}FLOP/s", scaled(10f64.powf(bottom)))),
    ];
    let below = format!(
        "{} to {} operations a byte, ridge + at {}",
        digits(10f64.powf(left)),
        digits(10f64.powf(right)),
        digits(ridge)
    );
    let names: Vec<String> = ('A'..='Z')
        .zip(points)
        .map(|(letter, point)| format!("{letter} {}", point.name))
        .collect();
    let mut text = chart.draw(&labels, &below);
    if !names.is_empty() {
        let _ = writeln!(text, "  {}", names.join(", "));
    }
    text
}

/// The kernels of a run's report that can be placed. Operations are those of the report, or
/// `flops` of every launch.
fn read_run(path: &Path, flops: Option<f64>) -> Result<Vec<Point>, Failure> {
    let shown = path.display().to_string();
    let spot = Spot::whole("--run", shown.as_str());
    let wrong = |message: String| Diagnostic::error(message).at(&spot, "");
    let text = std::fs::read_to_string(path)
        .map_err(|error| wrong_argument(wrong(format!("cannot read `{shown}`: {error}"))))?;
    let report: Value = serde_json::from_str(&text)
        .map_err(|error| wrong_argument(wrong(format!("`{shown}` is no JSON: {error}"))))?;
    let launches = report["launches"].as_array().ok_or_else(|| {
        let message = format!("`{shown}` has no `launches`");
        wrong_argument(wrong(message).help("it takes what `warploom run --json` writes"))
    })?;
    let mut points = Vec::new();
    let mut missing = Vec::new();
    for launch in launches {
        let metrics = &launch["metrics"];
        let number = |key: &str| metrics[key].as_f64().filter(|value| *value > 0.0);
        let name = launch["kernel"].as_str().unwrap_or("kernel").to_owned();
        match (flops.or_else(|| number("flops")), number("dram_bytes")) {
            (Some(flops), Some(bytes)) => points.push(Point {
                name,
                flops,
                bytes,
                time_s: number("time_us").map(|time_us| time_us / 1e6),
            }),
            (found, bytes) => {
                let lacks = [
                    found.is_none().then_some("`flops`"),
                    bytes.is_none().then_some("`dram_bytes`"),
                ];
                let lacks: Vec<&str> = lacks.into_iter().flatten().collect();
                missing.push(format!("{name} has no {}", lacks.join(" and no ")));
            }
        }
    }
    if points.is_empty() {
        let message = match missing.is_empty() {
            true => format!("`{shown}` has no launches"),
            false => format!("no kernel can be placed: {}", missing.join("; ")),
        };
        let help = "`run --timing` gives `dram_bytes`; --flops gives a kernel's operations";
        return Err(wrong_argument(wrong(message).help(help)));
    }
    Ok(points)
}
