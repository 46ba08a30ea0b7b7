//! Estimated registers of a thread beside those of `ptxas`, for all kernels of some PTX files.
//!
//! ```text
//! cargo run -p warploom-timing --example registers -- [OPTIONS] [FILE...]
//!
//! --ptxas PATH       the assembler; otherwise the one in PATH
//! --arch sm_80       what it assembles for
//! --regs N           registers that a thread may have
//! --nvdisasm PATH    counts the machine instructions of the assembled code as well
//! --list KERNEL      prints that kernel's estimated machine code instead
//! ```
//!
//! Without files it takes those of the project's `examples` and `large.ptx` beside this program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use warploom_isa::Module;
use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::stream::Stream;

#[derive(Default)]
struct Options {
    ptxas: PathBuf,
    arch: String,
    nvdisasm: Option<PathBuf>,
    list: Option<String>,
    max_registers: Option<u32>,
    files: Vec<PathBuf>,
}

/// What a kernel really takes.
#[derive(Clone, Copy, Default)]
struct Measured {
    registers: u32,
    instructions: Option<usize>,
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
        ..Options::default()
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--ptxas" => options.ptxas = value()?.into(),
            "--arch" => options.arch = value()?,
            "--nvdisasm" => options.nvdisasm = Some(value()?.into()),
            "--list" => options.list = Some(value()?),
            "--regs" => {
                let regs = value()?.parse().map_err(|_| "--regs needs a number")?;
                options.max_registers = Some(regs);
            }
            _ => options.files.push(word.into()),
        }
    }
    if options.files.is_empty() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        collect(&own.join("../../examples"), &mut options.files)?;
        options.files.push(own.join("examples/registers/large.ptx"));
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
    let mut ratios: Vec<f64> = Vec::new();
    if options.list.is_none() {
        println!("| kernel | registers | true | error | spilled bytes | instructions | true |");
        println!("| --- | --: | --: | --: | --: | --: | --: |");
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
            let other = |list: &String| *list != function.name;
            if options.list.as_ref().is_some_and(other) {
                continue;
            }
            let lowering = LowerOptions {
                max_registers: options.max_registers,
                ..LowerOptions::default()
            };
            let stream = lower(&loaded.module, id, lowering);
            if options.list.is_some() {
                list(&loaded.module, &stream);
                continue;
            }
            let (estimated, issued) = (stream.registers_per_thread, stream.insts.len());
            let measured = known.get(&function.name).copied();
            let registers = measured.map(|measured| measured.registers);
            let instructions = measured.and_then(|measured| measured.instructions);
            let error = registers.map(|registers| i64::from(estimated) - i64::from(registers));
            errors.extend(registers.zip(error));
            ratios.extend(instructions.map(|real| issued as f64 / real as f64));
            println!(
                "| {:.24} | {estimated} | {} | {} | {} | {issued} | {} |",
                function.name,
                cell(registers),
                cell(error),
                stream.spill_bytes_per_thread,
                cell(instructions),
            );
        }
    }
    summary(&errors, ratios);
    Ok(())
}

fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Assembles a file: what is true of each of its kernels.
fn measured(options: &Options, path: &Path) -> Result<BTreeMap<String, Measured>, String> {
    let object = std::env::temp_dir().join(format!("registers-{}.cubin", std::process::id()));
    let mut command = Command::new(&options.ptxas);
    command.arg("-v").arg(format!("-arch={}", options.arch));
    if let Some(most) = options.max_registers {
        command.arg(format!("--maxrregcount={most}"));
    }
    let said = said_by(command.arg(path).arg("-o").arg(&object))?;
    let mut kernel = String::new();
    let mut found: BTreeMap<String, Measured> = BTreeMap::new();
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().unwrap_or_default().to_owned();
        }
        let used = line.split_once("Used ").map(|(_, rest)| rest);
        let used = used.and_then(|rest| rest.split(' ').next()?.parse().ok());
        if let Some(registers) = used {
            let instructions = None;
            let measured = Measured {
                registers,
                instructions,
            };
            found.insert(kernel.clone(), measured);
        }
    }
    if let Some(nvdisasm) = &options.nvdisasm {
        let said = said_by(Command::new(nvdisasm).arg("-c").arg(&object))?;
        for (name, count) in instructions(&said) {
            if let Some(measured) = found.get_mut(&name) {
                measured.instructions = Some(count);
            }
        }
    }
    // The file may not be there: an assembler that fails has left none.
    let _ = std::fs::remove_file(&object);
    Ok(found)
}

/// All that a program prints.
fn said_by(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    let said = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// Machine instructions of each section of a disassembly. What fills up its end is left out: a
/// branch to itself and instructions that do nothing.
fn instructions(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        if let Some(section) = line.strip_prefix(".text.") {
            name = section.trim_end_matches(':').to_owned();
            found.insert(name.clone(), 0);
        }
        let instruction = line.trim_start().starts_with("/*") && line.contains(';');
        if let Some(count) = found.get_mut(&name).filter(|_| instruction) {
            *count += usize::from(!line.contains(" NOP"));
        }
    }
    for count in found.values_mut() {
        *count = count.saturating_sub(1);
    }
    found
}

fn list(module: &Module, stream: &Stream) {
    for segment in &stream.segments {
        println!("{}..{}:", segment.source.start, segment.source.end);
        for inst in &stream.insts[segment.insts.start as usize..segment.insts.end as usize] {
            let part = if inst.leads { "" } else { " part" };
            let merged = match inst.accesses {
                1 => String::new(),
                more => format!(" x{more}"),
            };
            println!(
                "  {:9} {:?} <- {:?}{part}{merged}   {}",
                format!("{:?}", inst.class),
                inst.defs.as_slice(),
                inst.uses.as_slice(),
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

fn summary(errors: &[(u32, i64)], mut ratios: Vec<f64>) {
    let within = |least: u32, most: i64| {
        let mut sizes: Vec<i64> = errors
            .iter()
            .filter(|(registers, _)| *registers > least)
            .map(|(_, error)| error.abs())
            .collect();
        sizes.sort_unstable();
        let median = sizes.get(sizes.len() / 2).copied();
        let good = sizes.iter().filter(|&&size| size <= most).count();
        (cell(median), good, sizes.len())
    };
    let (median, good, all) = within(0, 4);
    println!("\nregisters: median error {median}; at most 4: {good} of {all}");
    let (median, good, all) = within(64, 8);
    println!("above 64 registers: median error {median}; at most 8: {good} of {all}");
    ratios.sort_unstable_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        println!("instructions: median of estimated over true {median:.2}");
    }
}
