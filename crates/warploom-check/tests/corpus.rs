//! The corpus: the kernels of `corpus/clean` are silent, and those of `corpus/faulty` have the findings
//! that stand beside their faulty lines.

mod kit;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kit::{check, parse};
use libtest_mimic::{Arguments, Failed, Trial};
use warploom_machine::{Divergence, Outcome};

fn test(path: &Path, divergence: Divergence) -> Result<(), Failed> {
    let case = parse(&fs::read_to_string(path)?)?;
    let (found, outcome) = check(&case, divergence)?;
    if outcome != Outcome::Completed {
        return Err(format!("{outcome:?}").into());
    }
    let of_model =
        |(model, _): &&(Option<Divergence>, String)| model.is_none_or(|model| model == divergence);
    let expected = case.finds.iter().filter(of_model);
    let expected: BTreeSet<String> = expected.map(|(_, found)| found.clone()).collect();
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:#?}, expected {expected:#?}").into())
    }
}

fn main() -> std::process::ExitCode {
    let mut trials = Vec::new();
    for half in ["clean", "faulty"] {
        for file in kit::files(half) {
            for (model, divergence) in [("ipdom", Divergence::Ipdom), ("its", Divergence::Its)] {
                let name = format!("{half}/{} {model}", kit::name(&file));
                let file = file.clone();
                let wants = half == "faulty";
                let run = move || {
                    let says = fs::read_to_string(&file)?.contains("// finds");
                    if says != wants {
                        return Err("finds something where nothing is wrong, or the reverse".into());
                    }
                    test(&file, divergence)
                };
                trials.push(Trial::test(name, run));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
