//! Takes each barrier, fence and wait out of the clean kernels in turn: either the checker or the
//! machine notices, or the reason why it does not matter stands here.

mod kit;

use std::collections::BTreeSet;
use std::fs;

use kit::{check, parse};
use warploom_machine::{Divergence, Outcome};

/// Instructions that order, and what is left of them.
const CHANGES: [(&str, &str); 7] = [
    ("bar.sync", "//"),
    ("bar.arrive", "//"),
    ("bar.warp.sync", "//"),
    ("membar.", "//"),
    ("fence.", "//"),
    ("ld.acquire.", "ld.relaxed."),
    ("st.release.", "st.relaxed."),
];

/// Changes that do not matter: the file, which of its changes, from 1, and why.
const HARMLESS: [(&str, usize, &str); 2] = [
    (
        "warp_reduction_with_warp_barriers",
        1,
        "in the first step each lane reads the two cells that it has stored itself",
    ),
    (
        "warp_reduction_with_warp_barriers",
        2,
        "a step reads cells that no lane stores in the same step, besides its own",
    ),
];

/// The text with its `n`-th change, from 0.
fn changed(text: &str, n: usize) -> Option<String> {
    let mut seen = 0;
    let mut done = false;
    let lines = text.lines().map(|line| {
        let change = CHANGES.iter().find(|(from, _)| line.starts_with(from));
        match change {
            Some((from, to)) => {
                seen += 1;
                match seen == n + 1 {
                    true => {
                        done = true;
                        line.replacen(from, to, 1)
                    }
                    false => line.to_owned(),
                }
            }
            None => line.to_owned(),
        }
    });
    let lines: Vec<String> = lines.collect();
    done.then(|| lines.join("\n"))
}

#[test]
fn what_orders_is_missed() {
    let mut silent = BTreeSet::new();
    let mut changes = 0;
    for file in kit::files("clean") {
        let text = fs::read_to_string(&file).expect("a file");
        for n in 0.. {
            let Some(text) = changed(&text, n) else {
                break;
            };
            changes += 1;
            let case = parse(&text).expect("a case");
            let noticed = [Divergence::Ipdom, Divergence::Its].iter().any(|&model| {
                let (found, outcome) = check(&case, model).expect("a kernel");
                !found.is_empty() || outcome != Outcome::Completed
            });
            if !noticed {
                silent.insert((kit::name(&file), n + 1));
            }
        }
    }
    let harmless: BTreeSet<(String, usize)> = HARMLESS
        .iter()
        .map(|&(file, n, _)| (file.to_owned(), n))
        .collect();
    assert_eq!(silent, harmless, "of {changes} changes");
    assert!(changes >= 30, "there are only {changes} changes");
}
