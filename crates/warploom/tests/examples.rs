//! Every launch file of the examples, under both divergence models, as a test each; and a test
//! for each file that both leave the same bits in every buffer.
//!
//! A launch file says in its comment what must come of it: `Outcome: ipdom = fault, its = ok`;
//! without that it is `ok` for both.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use warploom::report::Severity;
use warploom::{DivergenceModel, Finished, Options, Watcher, launch_file, run};

/// Files that only measure speed.
const SLOW: [&str; 1] = ["matmul-512.toml"];

/// Buffers whose contents depend on the order in which atomics arrive.
const ORDER_OPEN: [(&str, &str); 1] = [("compaction.toml", "list_lost")];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() >= 35, "there are only {} examples", files.len());
    let trials = files.iter().flat_map(|file| trials(&root, file)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension() == Some(OsStr::new("toml"))
            && !SLOW.iter().any(|slow| path.ends_with(slow))
        {
            files.push(path);
        }
    }
}

fn trials(root: &Path, file: &Path) -> Vec<Trial> {
    let name = file
        .strip_prefix(root)
        .unwrap_or(file)
        .display()
        .to_string();
    let mut trials = Vec::new();
    for model in [DivergenceModel::Ipdom, DivergenceModel::Its] {
        let file = file.to_owned();
        let test = move || outcome(&file, model);
        trials.push(Trial::test(format!("{name} {}", model.name()), test));
    }
    let file = file.to_owned();
    let timed_file = file.clone();
    trials.push(Trial::test(format!("{name} same bits"), move || {
        same_bits(&file)
    }));
    for model in [DivergenceModel::Ipdom, DivergenceModel::Its] {
        let file = timed_file.clone();
        let name = format!("{name} checked {}", model.name());
        trials.push(Trial::test(name, move || checked(&file, model)));
    }
    // What a fault cuts off depends on the order of warps.
    let text = fs::read_to_string(&timed_file).unwrap_or_default();
    let ends_well = wanted(&text, DivergenceModel::Its) == "ok";
    if ends_well && !TOO_LONG_IN_TIME.contains(&name.as_str()) {
        trials.push(Trial::test(format!("{name} in time"), move || {
            in_time(&timed_file)
        }));
    }
    trials
}

/// Examples that would take minutes in time, in a build for tests.
const TOO_LONG_IN_TIME: [&str; 1] = ["matmul-512.toml"];

/// Kernels whose threads wait for each other by spinning.
const SPINNING: [&str; 2] = ["lock_inside", "lock_outside"];

/// With timing, a launch does the same, and every launch takes some cycles, the same on any number of
/// host threads.
fn in_time(file: &Path) -> Result<(), Failed> {
    let model = DivergenceModel::Its;
    let (function, _) = finish(file, model, 1, false)?;
    let (timed, printed) = finish(file, model, 1, true)?;
    let report = serde_json::to_string(&timed.report)?;
    let left = contents(&timed)?;
    for threads in [2, 3, 8] {
        let (again, printed_again) = finish(file, model, threads, true)?;
        if serde_json::to_string(&again.report)? != report {
            return Err(format!("the report differs on {threads} threads").into());
        }
        if printed_again != printed || contents(&again)? != left {
            return Err(format!("what it leaves differs on {threads} threads").into());
        }
    }
    let (function, time) = (function.report, timed.report);
    if function.outcome != time.outcome {
        return Err(format!("{:?} in time: {:?}", time.outcome, time.error).into());
    }
    for (function, time) in function.launches.iter().zip(&time.launches) {
        let timing = time.metrics.timing.as_ref().ok_or("not timed")?;
        if timing.cycles == 0 || timing.machine_instructions == 0 {
            return Err(format!("{} takes no time", time.kernel).into());
        }
        // Threads that wait for each other spin as long as it takes.
        if !SPINNING.contains(&time.kernel.as_str()) && function.metrics.tally != time.metrics.tally
        {
            return Err(format!("{} counts something else in time", time.kernel).into());
        }
    }
    Ok(())
}

/// The checkers find the errors that a file's comment names, and no others: `Check: ipdom = silent,
/// its = race`; without that, none.
fn checked(file: &Path, model: DivergenceModel) -> Result<(), Failed> {
    let mut plan = launch_file::read(file).map_err(|error| error.to_string())?;
    plan.save.clear();
    let options = Options {
        divergence: Some(model),
        check: true,
        ..Options::default()
    };
    let done = run(&plan, &options, &Printed::default()).map_err(|error| error.to_string())?;
    let launches = done.report.launches.iter();
    let found = launches.flat_map(|launch| &launch.findings);
    let errors = found.filter(|finding| finding.severity == Severity::Error);
    let kinds: BTreeSet<&str> = errors.map(|finding| finding.kind).collect();
    let text = fs::read_to_string(file)?;
    let wanted = said(&text, "Check:", model).filter(|&kind| kind != "silent");
    match kinds == wanted.into_iter().collect() {
        true => Ok(()),
        false => Err(format!("found {kinds:?}").into()),
    }
}

/// Keeps what kernels print.
#[derive(Default)]
struct Printed(Mutex<Vec<u8>>);

impl Watcher for Printed {
    fn output(&self, bytes: &[u8]) {
        if let Ok(mut printed) = self.0.lock() {
            printed.extend_from_slice(bytes);
        }
    }
}

fn finish(
    file: &Path,
    model: DivergenceModel,
    threads: usize,
    timing: bool,
) -> Result<(Finished, Vec<u8>), Failed> {
    let mut plan = launch_file::read(file).map_err(|error| error.to_string())?;
    plan.save.clear();
    let options = Options {
        divergence: Some(model),
        threads,
        timing,
        ..Options::default()
    };
    let printed = Printed::default();
    let finished = run(&plan, &options, &printed).map_err(|error| error.to_string())?;
    let printed = printed.0.into_inner().unwrap_or_default();
    Ok((finished, printed))
}

/// `fault` or `ok`, as the comment of the file says.
fn wanted(text: &str, model: DivergenceModel) -> &'static str {
    match said(text, "Outcome:", model) {
        Some("fault") => "fault",
        _ => "ok",
    }
}

/// The word that the comment of a file says of a model behind `topic`.
fn said<'t>(text: &'t str, topic: &str, model: DivergenceModel) -> Option<&'t str> {
    let comments = text.lines().filter_map(|line| line.strip_prefix('#'));
    let mut rest = comments.skip_while(|line| !line.contains(topic));
    let first = rest.next()?.split_once(topic)?.1;
    let key = format!("{} = ", model.name());
    let mut lines = std::iter::once(first).chain(rest);
    let word = lines.find_map(|line| Some(line.split_once(&key)?.1))?;
    word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
}

fn outcome(file: &Path, model: DivergenceModel) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let (finished, printed) = finish(file, model, 1, false)?;
    let report = &finished.report;
    let found = serde_json::to_value(report.outcome)?;
    let wanted = wanted(&text, model);
    if found != wanted {
        let error = report.error.as_ref().map(|error| &error.message);
        let failed: Vec<_> = report.expectations.iter().filter(|e| !e.ok).collect();
        return Err(format!("the outcome is {found}, not {wanted}: {error:?} {failed:?}").into());
    }
    let expected_print = file.with_file_name("data").join("printf_stdout.txt");
    if file.ends_with("printf.toml") && fs::read(expected_print)? != printed {
        return Err(format!("it printed:\n{}", String::from_utf8_lossy(&printed)).into());
    }
    // The number of host threads never shows.
    let (again, printed_again) = finish(file, model, 3, false)?;
    if serde_json::to_string(report)? != serde_json::to_string(&again.report)? {
        return Err("the report depends on the number of threads".into());
    }
    if printed != printed_again || contents(&finished)? != contents(&again)? {
        return Err("what it leaves depends on the number of threads".into());
    }
    Ok(())
}

fn contents(finished: &Finished) -> Result<BTreeMap<String, Arc<[u8]>>, Failed> {
    let mut all = BTreeMap::new();
    for name in finished.session.buffer_names() {
        let mut bytes = Vec::new();
        let read = finished.session.read_buffer(name, |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        read.map_err(|error| error.to_string())?;
        all.insert(name.to_owned(), bytes.into());
    }
    Ok(all)
}

fn same_bits(file: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    if wanted(&text, DivergenceModel::Ipdom) != wanted(&text, DivergenceModel::Its) {
        return Ok(());
    }
    let (ipdom, _) = finish(file, DivergenceModel::Ipdom, 1, false)?;
    let (its, _) = finish(file, DivergenceModel::Its, 1, false)?;
    let its = contents(&its)?;
    for (name, bytes) in contents(&ipdom)? {
        let open = ORDER_OPEN
            .iter()
            .any(|(f, buffer)| file.ends_with(f) && *buffer == name);
        if !open && its.get(&name) != Some(&bytes) {
            return Err(format!("buffer `{name}` differs").into());
        }
    }
    Ok(())
}
