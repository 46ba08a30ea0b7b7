//! Estimated registers of a thread beside those of `ptxas`, for all kernels of some PTX files.
//!
//! ```text
//! cargo run -p warploom-timing --example registers -- [--ptxas PATH] [--arch sm_80] FILE...
//! ```
//!
//! Without files it takes all of `examples/`. With `--list KERNEL` it prints that kernel's machine
//! instructions instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::stream::Stream;

struct Options {
    ptxas: PathBuf,
    arch: String,
    list: Option<String>,
    max_registers: Option<u32>,
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        ptxas: "ptxas".into(),
        arch: "sm_80".to_owned(),
        list: None,
        max_registers: None,
        files: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--ptxas" => options.ptxas = value()?.into(),
            "--arch" => options.arch = value()?,
            "--list" => options.list = Some(value()?),
            "--regs" => {
                let regs = value()?.parse().map_err(|_| "--regs needs a number")?;
                options.max_registers = Some(regs);
            }
            _ => options.files.push(word.into()),
        }
    }
    if options.files.is_empty() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        collect(&examples, &mut options.files)?;
    }
    Ok(options)
}

/// Finds all PTX files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(path);
        }
    }
    Ok(())
}

fn run(options: &Options) -> Result<(), String> {
    let mut errors: Vec<(u32, i64)> = Vec::new();
    if options.list.is_none() {
        println!(
            "{:28} {:>9} {:>6} {:>6} {:>7}",
            "kernel", "estimated", "true", "error", "spilled"
        );
    }
    for path in &options.files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        let loaded = warploom_ptx::load(&[(&name, &text)])
            .map_err(|problems| format!("{name}: {problems:?}"))?;
        let known = match options.list {
            None => measured(options, path)?,
            Some(_) => BTreeMap::new(),
        };
        for (id, function) in loaded.module.kernels() {
            let lowering = LowerOptions {
                max_registers: options.max_registers,
                ..LowerOptions::default()
            };
            if options
                .list
                .as_ref()
                .is_some_and(|list| *list != function.name)
            {
                continue;
            }
            let stream = lower(&loaded.module, id, lowering);
            if options.list.is_some() {
                list(&loaded.module, &stream);
                continue;
            }
            let estimated = stream.registers_per_thread;
            let measured = known.get(&function.name).copied();
            let error = measured.map(|measured| i64::from(estimated) - i64::from(measured));
            errors.extend(measured.zip(error));
            let cell = |value: Option<i64>| value.map_or("-".to_owned(), |v| v.to_string());
            println!(
                "{:28.28} {estimated:>9} {:>6} {:>6} {:>7}",
                function.name,
                cell(measured.map(i64::from)),
                cell(error),
                stream.spill_bytes_per_thread,
            );
        }
    }
    summary(&mut errors);
    Ok(())
}

/// What `ptxas` says of each kernel of a file.
fn measured(options: &Options, path: &Path) -> Result<BTreeMap<String, u32>, String> {
    let mut command = Command::new(&options.ptxas);
    command.arg("-v").arg(format!("-arch={}", options.arch));
    if let Some(most) = options.max_registers {
        command.arg(format!("--maxrregcount={most}"));
    }
    let output = command
        .arg(path)
        .args(["-o", "/dev/null"])
        .output()
        .map_err(|e| format!("{}: {e}", options.ptxas.display()))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut kernel = String::new();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().unwrap_or_default().to_owned();
        }
        if let Some((_, rest)) = line.split_once("Used ") {
            let number = rest.split(' ').next().and_then(|word| word.parse().ok());
            found.extend(number.map(|number| (kernel.clone(), number)));
        }
    }
    Ok(found)
}

fn list(module: &warploom_isa::Module, stream: &Stream) {
    for segment in &stream.segments {
        println!("{}..{}:", segment.source.start, segment.source.end);
        for inst in &stream.insts[segment.insts.start as usize..segment.insts.end as usize] {
            println!(
                "  {:9} {:?} <- {:?}{}{}   {}",
                format!("{:?}", inst.class),
                inst.defs.as_slice(),
                inst.uses.as_slice(),
                if inst.leads { "" } else { " part" },
                if inst.accesses > 1 {
                    format!(" x{}", inst.accesses)
                } else {
                    String::new()
                },
                warploom_isa::listing::line(module, inst.source).trim(),
            );
        }
    }
    println!(
        "{} machine instructions, {} registers",
        stream.insts.len(),
        stream.registers_per_thread
    );
}

fn summary(errors: &mut [(u32, i64)]) {
    if errors.is_empty() {
        return;
    }
    let mut sizes: Vec<i64> = errors.iter().map(|(_, error)| error.abs()).collect();
    sizes.sort_unstable();
    println!(
        "median error {}, within 4: {} of {}",
        sizes[sizes.len() / 2],
        sizes.iter().filter(|&&size| size <= 4).count(),
        sizes.len()
    );
    let large: Vec<i64> = errors
        .iter()
        .filter(|(measured, _)| *measured > 64)
        .map(|(_, error)| error.abs())
        .collect();
    if !large.is_empty() {
        println!(
            "above 64 registers, within one allocation unit of 8: {} of {}",
            large.iter().filter(|&&size| size <= 8).count(),
            large.len()
        );
    }
}
