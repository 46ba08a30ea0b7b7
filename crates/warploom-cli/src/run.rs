//! `warploom run`.

use std::path::Path;

use warploom::arg::Arg;
use warploom::plan::{Extent, FilePlan, LaunchPlan, Named};
use warploom::report::Outcome;
use warploom::shape::length;
use warploom::text::{Diagnostic, Spot};
use warploom::{Finished, Plan, launch_file};

use crate::args::{LaunchArgs, RunArgs};
use crate::human::{self, View};
use crate::interrupt;
use crate::output::{Done, Failure, Output, wrong_argument};
use crate::progress::Progress;
use crate::table::terminal_columns;

/// Runs it.
pub fn run(args: &RunArgs, output: &mut Output) -> Done {
    let mut plan = plan(&args.file, &args.launch)?;
    for out in &args.out {
        plan.add_save(&Spot::whole("--out", out.as_str()))?;
    }
    let mut options = args.machine.options();
    options.interrupt = Some(interrupt::flag());
    options.ptxas = args.ptxas;
    options.trace = args.trace.plan();
    let progress = Progress::begin(plan.launches.len(), output.json_on_stdout());
    let finished = warploom::run(&plan, &options, &progress);
    progress.end();
    let Finished {
        report,
        session,
        times,
        unsaved,
    } = finished?;
    output.diagnostics_if_any(&session.program().warnings);
    output.json(&report)?;
    let view = View {
        lines: args.lines,
        width: terminal_columns(),
    };
    output.text(&human::report(&report, view))?;
    if let Some(failure) = &report.error {
        output.message(&human::failure(failure, report.outcome));
    }
    if output.json_on_stdout() && report.outcome == Outcome::Expectation {
        output.message(human::expectations(&report.expectations).trim_end());
    }
    let steps = [
        ("load", times.load),
        ("fill", times.fill),
        ("launch", times.launch),
        ("finish", times.finish),
    ];
    output.times(&steps);
    if output.verbose() {
        for remark in &session.program().remarks {
            output.message(remark);
        }
        let issued: u64 = report
            .launches
            .iter()
            .map(|l| l.metrics.tally.warp_instructions)
            .sum();
        let rate = issued as f64 / times.launch.as_secs_f64().max(1e-9) / 1e6;
        output.message(&format!("{rate:.1} M warp instructions a second"));
    }
    if !unsaved.is_empty() {
        output.diagnostics(&unsaved);
        return Ok(2);
    }
    Ok(report.outcome.exit_code())
}

/// What a launch file says, or the options of a module's launch.
pub fn plan(file: &Path, launch: &LaunchArgs) -> Result<Plan, Failure> {
    match ending(file).as_str() {
        "toml" => {}
        "ptx" | "cu" | "simt" => return module_plan(file, launch),
        other => return Err(wrong_file(file, other)),
    }
    if let Some(option) = launch.first_given() {
        let message = format!("`{option}` is for modules; a launch file has its own launches");
        return Err(wrong_argument(Diagnostic::error(message)));
    }
    Ok(launch_file::read(file)?)
}

/// A file's ending in lower case, or nothing.
pub fn ending(file: &Path) -> String {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.unwrap_or("").to_ascii_lowercase()
}

fn wrong_file(file: &Path, ending: &str) -> Failure {
    let message = format!("`{}` is neither a launch file nor a module", file.display());
    let more = match ending {
        "py" => "; Triton and Numba write the PTX of their kernels, see examples/README.md",
        "cubin" | "fatbin" | "o" | "so" | "out" => {
            "; compile the kernel with `nvcc -ptx -lineinfo` instead"
        }
        "npy" => "; arrays go into one or into `--arg npy:PATH`",
        _ => "",
    };
    let help = format!(
        "`run` and `check` take a launch file (.toml) or a module (.ptx, .cu, .simt){more}"
    );
    wrong_argument(Diagnostic::error(message).help(help))
}

fn module_plan(file: &Path, args: &LaunchArgs) -> Result<Plan, Failure> {
    let need = |value: &Option<String>, option: &str| {
        let missing = || {
            let message = format!("`{option}` is missing");
            let help = match ending(file).as_str() {
                "simt" => format!(
                    "`warploom lesson {}` runs a lesson with the grid that it names",
                    file.display()
                ),
                _ => "a module needs `--grid` and `--block`; a launch file (.toml) holds them"
                    .to_owned(),
            };
            wrong_argument(Diagnostic::error(message).help(help))
        };
        let text = value.as_deref().ok_or_else(missing)?;
        Extent::parse(Spot::whole(option, text)).map_err(wrong_argument)
    };
    let mut launch = LaunchPlan {
        kernel: args.kernel.as_ref().map(|name| Named {
            name: name.clone(),
            spot: Some(Spot::whole("--kernel", name.as_str())),
        }),
        grid: need(&args.grid, "--grid")?,
        block: need(&args.block, "--block")?,
        cooperative: args.cooperative,
        ..LaunchPlan::default()
    };
    if let Some(text) = &args.shared {
        let spot = Spot::whole("--shared", text.as_str());
        launch.shared_bytes = shared_bytes(&spot)?;
        launch.shared_spot = Some(spot);
    }
    let mut plan = Plan::default();
    plan.modules.push(FilePlan::new(file));
    let parse = |text: &String| Arg::parse(&Spot::whole("--arg", text.as_str()));
    let parsed: Vec<Arg> = args
        .arg
        .iter()
        .map(parse)
        .collect::<Result<_, _>>()
        .map_err(wrong_argument)?;
    plan.add_args(&mut launch, parsed)?;
    plan.launches.push(launch);
    Ok(plan)
}

/// A number of bytes, with `K` and `M`.
pub fn shared_bytes(spot: &Spot) -> Result<u32, Failure> {
    let bytes = length(spot.text()).and_then(|bytes| u32::try_from(bytes).ok());
    bytes.ok_or_else(|| {
        let message = format!("`{}` is not a number of bytes", spot.text());
        wrong_argument(
            Diagnostic::error(message).at(spot, "expected a number like `1024` or `48K`"),
        )
    })
}

impl LaunchArgs {
    /// The first option that was given.
    fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--kernel", self.kernel.is_some()),
            ("--grid", self.grid.is_some()),
            ("--block", self.block.is_some()),
            ("--shared", self.shared.is_some()),
            ("--arg", !self.arg.is_empty()),
            ("--cooperative", self.cooperative),
        ];
        given
            .into_iter()
            .find_map(|(option, given)| given.then_some(option))
    }
}
