//! The loop of mutations.
//!
//! `warploom-fuzz TARGET SECONDS` tries mutants of one target's seeds, `warploom-fuzz all SECONDS`
//! shares the time among all targets, and `warploom-fuzz TARGET FILE` tries one file. The sequence
//! of mutants is always the same; the time only says where it ends.
//!
//! Before an input is tried it is written to `artifacts/TARGET`. Whatever then ends the process (a
//! panic, an overflown stack, the system for want of memory, the watchdog below), the input is
//! there.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use warploom_fuzz::mutate::{Random, mutant};
use warploom_fuzz::{TARGETS, Target};

/// Longest that one input may take.
const MAX_SECONDS: u64 = 20;
/// Most memory that the process may ever have touched.
const MAX_BYTES: u64 = 1 << 30;
/// Most inputs that mutants are made of.
const MAX_POOL: usize = 4000;

/// Inputs that were begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (name, rest) = match arguments.as_slice() {
        [name, rest] => (name.as_str(), rest.as_str()),
        _ => return usage(),
    };
    let chosen: Vec<&Target> = TARGETS
        .iter()
        .filter(|t| name == "all" || name == t.name)
        .collect();
    if chosen.is_empty() {
        return usage();
    }
    watch();
    let result = match rest.parse::<u64>() {
        Ok(seconds) => chosen.iter().try_for_each(|target| {
            let share = if name == "all" {
                target.share_percent
            } else {
                100
            };
            search(
                target,
                Duration::from_millis(seconds * u64::from(share) * 10),
            )
        }),
        Err(_) => fs::read(rest)
            .map_err(|error| format!("{rest}: {error}"))
            .and_then(|input| {
                chosen
                    .iter()
                    .try_for_each(|target| attempt(target, &input).map(drop))
            }),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    eprintln!(
        "warploom-fuzz TARGET SECONDS|FILE; the targets are {} and all",
        names.join(", ")
    );
    ExitCode::from(2)
}

/// Tries the seeds, then mutants until the time is over.
fn search(target: &Target, time: Duration) -> Result<(), String> {
    let start = Instant::now();
    let mut pool = target
        .seeds()
        .map_err(|error| format!("{}: {error}", target.name))?;
    let seeds = pool.len();
    let mut known = HashSet::new();
    let mut tried = 0;
    for input in &pool {
        known.extend(attempt(target, input)?.0);
        tried += 1;
    }
    let mut random = Random::new(1);
    while start.elapsed() < time {
        let input = mutant(&mut random, &pool);
        let features = attempt(target, &input)?.0;
        tried += 1;
        let before = known.len();
        known.extend(features);
        if known.len() > before && pool.len() < MAX_POOL {
            pool.push(input);
        }
    }
    fs::remove_file(artifact(target)).map_err(|error| error.to_string())?;
    println!(
        "{}: {tried} inputs from {seeds} seeds, {} features, {} kept, {} s, {} MB at most",
        target.name,
        known.len(),
        pool.len() - seeds,
        start.elapsed().as_secs(),
        peak_bytes() >> 20
    );
    Ok(())
}

/// Tries one input.
fn attempt(target: &Target, input: &[u8]) -> Result<warploom_fuzz::Features, String> {
    let path = artifact(target);
    let shown = path.display();
    fs::write(&path, input).map_err(|error| format!("{shown}: {error}"))?;
    BEGUN.fetch_add(1, Ordering::Relaxed);
    let features = (target.run)(input);
    if peak_bytes() > MAX_BYTES {
        return Err(format!(
            "{shown} took the memory over {} MB",
            MAX_BYTES >> 20
        ));
    }
    Ok(features)
}

/// Where the input is that is being tried.
fn artifact(target: &Target) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("artifacts");
    // If this fails, writing the file says why.
    let _ = fs::create_dir_all(&folder);
    folder.join(target.name)
}

/// Ends the process when an input takes too long.
fn watch() {
    thread::spawn(|| {
        let mut last = (BEGUN.load(Ordering::Relaxed), Instant::now());
        loop {
            thread::sleep(Duration::from_millis(500));
            let begun = BEGUN.load(Ordering::Relaxed);
            if begun != last.0 {
                last = (begun, Instant::now());
            } else if begun > 0 && last.1.elapsed().as_secs() >= MAX_SECONDS {
                eprintln!("the input in artifacts/ takes more than {MAX_SECONDS} s");
                std::process::exit(1);
            }
        }
    });
}

/// The most memory that this process has had at a time; 0 where the system does not tell.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
