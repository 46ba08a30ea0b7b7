//! Programs: loaded modules with their texts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use warploom_device::Device;
use warploom_isa::{FunctionId, Module};
use warploom_ptx::Problem;

use crate::compiler::{self, Toolchain};
use crate::error::{InputError, InputErrorKind};
use crate::files::read_text;
use crate::plan::{FilePlan, Named};
use crate::sources::Sources;
use crate::text::{Diagnostic, Severity, SourceText, Spot, did_you_mean, list};

/// Longest module text that is read.
const MAX_MODULE_BYTES: u64 = 1 << 30;
/// Kernels that a message lists.
const LISTED_KERNELS: usize = 20;

/// A loaded program, ready for a [`Session`](crate::session::Session).
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) module: Arc<Module>,
    pub(crate) sources: Sources,
    /// What its author should know.
    pub warnings: Vec<Diagnostic>,
    /// A line of the source is an instruction of the machine.
    as_written: bool,
    /// How its files were compiled, where that did not go the usual way.
    pub remarks: Vec<String>,
}

impl Program {
    /// Whether a line of the source is an instruction of the machine, as in lessons, so that no
    /// compiler stands between the two.
    pub fn is_lesson(&self) -> bool {
        self.as_written
    }

    /// PTX texts, given as (name, text) and linked together. Files that their line information
    /// names are looked for in `folders`.
    ///
    /// # Errors
    /// All that is wrong with the texts.
    pub fn from_ptx(texts: &[(&str, &str)], folders: Vec<PathBuf>) -> Result<Program, InputError> {
        let texts: Vec<Arc<SourceText>> = texts.iter().map(|(n, t)| source_text(n, t)).collect();
        let pairs: Vec<_> = texts
            .iter()
            .map(|t| (t.origin.as_str(), t.text.as_str()))
            .collect();
        let located = |problems| ptx_diagnostics(&texts, problems);
        let sources = Sources::new(texts.clone(), folders);
        match warploom_ptx::load_with(&pairs, &|file| sources.is_own(file)) {
            Ok(loaded) => Ok(Program {
                warnings: located(loaded.warnings),
                module: Arc::new(loaded.module),
                sources,
                as_written: false,
                remarks: Vec::new(),
            }),
            Err(problems) => Err(InputError {
                kind: InputErrorKind::Module,
                diagnostics: located(problems),
            }),
        }
    }

    /// A lesson.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn from_lesson(name: &str, text: &str) -> Result<Program, InputError> {
        match warploom_lesson::parse(name, text) {
            Ok(lesson) => {
                let texts = vec![source_text(name, text)];
                Ok(Program::of_lesson(lesson.module, texts))
            }
            Err(found) => Err(InputError {
                kind: InputErrorKind::Module,
                diagnostics: lesson_diagnostics(name, text, found),
            }),
        }
    }

    /// The module of a lesson, with its text.
    pub(crate) fn of_lesson(module: Module, texts: Vec<Arc<SourceText>>) -> Program {
        Program {
            as_written: true,
            ..Program::from_module(module, texts, Vec::new(), Vec::new())
        }
    }

    /// A module that a front end has made already, with the texts that its files name.
    pub fn from_module(
        module: Module,
        texts: Vec<Arc<SourceText>>,
        folders: Vec<PathBuf>,
        warnings: Vec<Diagnostic>,
    ) -> Program {
        Program {
            module: Arc::new(module),
            sources: Sources::new(texts, folders),
            warnings,
            as_written: false,
            remarks: Vec::new(),
        }
    }

    /// Files: `.ptx`, `.cu` (compiled for `device`), or one `.simt`; several are linked together.
    ///
    /// # Errors
    /// When a file cannot be read, compiled, parsed or linked.
    pub fn load(files: &[FilePlan], device: &Device) -> Result<Program, InputError> {
        let mut tools = None;
        let mut texts = Vec::new();
        let mut remarks = Vec::new();
        for file in files {
            let spot = file.spot.as_ref();
            let text = match ending(&file.path).as_str() {
                "cu" => {
                    let tools = tools.get_or_insert_with(Toolchain::of_this_process);
                    let cache = compiler::cache_folder();
                    let capability = device.compute_capability();
                    let done = compiler::compile(file, tools, capability, cache.as_deref())?;
                    remarks.extend(done.remarks);
                    done.text
                }
                "ptx" | "simt" => read_text(&file.path, &file.shown, MAX_MODULE_BYTES, spot)?,
                _ => return Err(wrong_ending(file)),
            };
            texts.push(text);
        }
        if let [file] = files
            && ending(&file.path) == "simt"
        {
            return Program::from_lesson(&file.shown, &texts[0]);
        }
        if let Some(file) = files.iter().find(|file| ending(&file.path) == "simt") {
            let message = format!(
                "the lesson `{}` cannot be linked with other files",
                file.shown
            );
            let diagnostic = Diagnostic::error(message).maybe_at(file.spot.as_ref(), "");
            return Err(InputError::new(InputErrorKind::Module, diagnostic));
        }
        let folder = |file: &FilePlan| file.path.parent().map(Path::to_owned).unwrap_or_default();
        let mut folders: Vec<PathBuf> = files.iter().map(folder).collect();
        folders.dedup();
        // What was compiled is not the file that it was compiled from.
        let text_name = |file: &FilePlan| match ending(&file.path).as_str() {
            "cu" => format!("{}.ptx", file.shown),
            _ => file.shown.clone(),
        };
        let names: Vec<String> = files.iter().map(text_name).collect();
        let texts = texts.iter().map(String::as_str);
        let pairs: Vec<_> = names.iter().map(String::as_str).zip(texts).collect();
        let program = Program::from_ptx(&pairs, folders)?;
        Ok(Program { remarks, ..program })
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Names of the kernels, in the order of the source.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.module
            .kernels()
            .map(|(_, function)| function.name.as_str())
    }

    /// The kernel of this name; or the one whose C++ name this is, if there is just one; or the
    /// only kernel, for `None`.
    ///
    /// # Errors
    /// When there is none or it is not clear which; the kernels that there are are listed.
    pub fn kernel(&self, wanted: Option<&Named>) -> Result<FunctionId, InputError> {
        let kernels: Vec<(FunctionId, &str)> = self
            .module
            .kernels()
            .map(|(id, function)| (id, function.name.as_str()))
            .collect();
        let name = wanted.map(|named| named.name.as_str());
        let mut unknown = false;
        let message = match (name, kernels.as_slice()) {
            (_, []) => "the module has no kernels".to_owned(),
            (None, [(only, _)]) => return Ok(*only),
            (None, _) => "the module has several kernels".to_owned(),
            (Some(name), _) => {
                if let Some((id, _)) = kernels.iter().find(|(_, kernel)| *kernel == name) {
                    return Ok(*id);
                }
                let mut unmangled = kernels
                    .iter()
                    .filter(|(_, kernel)| is_cpp_name(kernel, name));
                match (unmangled.next(), unmangled.next()) {
                    (Some((id, _)), None) => return Ok(*id),
                    (Some(_), Some(_)) => format!("several kernels are called `{name}`"),
                    _ => {
                        unknown = true;
                        format!("there is no kernel `{name}`")
                    }
                }
            }
        };
        let names: Vec<&str> = kernels.iter().map(|(_, kernel)| *kernel).collect();
        let mut shown: Vec<String> = names
            .iter()
            .take(LISTED_KERNELS)
            .map(|kernel| format!("`{kernel}`"))
            .collect();
        if names.len() > LISTED_KERNELS {
            shown.push(format!("{} more", names.len() - LISTED_KERNELS));
        }
        let mut diagnostic =
            Diagnostic::error(message).maybe_at(wanted.and_then(|named| named.spot.as_ref()), "");
        if !shown.is_empty() {
            let all = match shown.as_slice() {
                [only] => format!("the only kernel is {only}"),
                _ => format!("the kernels are {}", list(shown, "and")),
            };
            let known = if unknown { names } else { Vec::new() };
            diagnostic = diagnostic.help(did_you_mean(name.unwrap_or(""), known, all));
        }
        Err(InputError::new(InputErrorKind::Kernel, diagnostic))
    }
}

/// The kind of module that a file's name tells: `ptx`, `cu`, `simt`, or anything else.
fn ending(path: &Path) -> String {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.unwrap_or("").to_ascii_lowercase()
}

fn wrong_ending(file: &FilePlan) -> InputError {
    let message = format!("`{}` is no module", file.shown);
    let diagnostic = Diagnostic::error(message).maybe_at(file.spot.as_ref(), "");
    let help = "a module is a `.ptx`, `.cu` or `.simt` file";
    InputError::new(InputErrorKind::Module, diagnostic.help(help))
}

pub(crate) fn source_text(origin: &str, text: &str) -> Arc<SourceText> {
    let (origin, text) = (origin.to_owned(), text.to_owned());
    Arc::new(SourceText { origin, text })
}

/// What is wrong with a PTX text.
pub(crate) fn ptx_error(source: &Arc<SourceText>, problems: Vec<Problem>) -> InputError {
    InputError {
        kind: InputErrorKind::Module,
        diagnostics: ptx_diagnostics(std::slice::from_ref(source), problems),
    }
}

fn ptx_diagnostics(texts: &[Arc<SourceText>], problems: Vec<Problem>) -> Vec<Diagnostic> {
    let known = problems.into_iter().filter_map(|problem| {
        let text = texts.get(problem.text)?;
        Some(from_ptx_diagnostic(text, problem.diagnostic))
    });
    known.collect()
}

fn from_ptx_diagnostic(
    source: &Arc<SourceText>,
    found: warploom_ptx::diagnostic::Diagnostic,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(found.message);
    if found.severity == warploom_ptx::diagnostic::Severity::Warning {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic.code = Some(found.code.0);
    diagnostic.help = found.help;
    for label in found.labels {
        diagnostic = diagnostic.at(&Spot::new(source, label.span.range()), label.text);
    }
    diagnostic
}

/// What is wrong with a lesson, as diagnostics.
pub fn lesson_diagnostics(
    name: &str,
    text: &str,
    found: Vec<warploom_lesson::Diagnostic>,
) -> Vec<Diagnostic> {
    let source = source_text(name, text);
    let one = |found: warploom_lesson::Diagnostic| {
        let spot = Spot::new(&source, found.span);
        Diagnostic::error(found.message)
            .at(&spot, found.expected)
            .help(found.help)
    };
    found.into_iter().map(one).collect()
}

/// Whether `mangled` is the C++ name of a function called `name` in any namespace.
fn is_cpp_name(mangled: &str, name: &str) -> bool {
    let Some(rest) = mangled.strip_prefix("_Z") else {
        return false;
    };
    let mut rest = rest.strip_prefix('N').unwrap_or(rest);
    let mut last = "";
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(length) = rest[..digits].parse::<usize>() else {
            break;
        };
        let Some(part) = rest.get(digits..digits + length) else {
            break;
        };
        last = part;
        rest = &rest[digits + length..];
        if mangled.as_bytes().get(2) != Some(&b'N') {
            break;
        }
    }
    last == name && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warploom_isa::Function;

    fn program(kernels: &[&str]) -> Program {
        let function = |name: &&str| Function {
            name: (*name).to_owned(),
            kernel: true,
            ..Function::default()
        };
        let functions = kernels.iter().map(function).collect();
        let module = Module {
            functions,
            ..Module::default()
        };
        Program::from_module(module, Vec::new(), Vec::new(), Vec::new())
    }

    fn find(program: &Program, name: Option<&str>) -> Result<u32, String> {
        let named = name.map(Named::new);
        program
            .kernel(named.as_ref())
            .map(|id| id.0)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn kernels_are_found_by_either_name() {
        let program = program(&[
            "scan",
            "_Z5saxpyjfPKfPf",
            "_ZN3app4sortEPi",
            "_Z4sortPf",
            "_Z4sortPfi",
        ]);
        assert_eq!(find(&program, Some("scan")), Ok(0));
        assert_eq!(find(&program, Some("saxpy")), Ok(1));
        assert_eq!(find(&program, Some("_Z4sortPf")), Ok(3));
        let all = "`scan`, `_Z5saxpyjfPKfPf`, `_ZN3app4sortEPi`, `_Z4sortPf` and `_Z4sortPfi`";
        assert_eq!(
            find(&program, Some("sort")),
            Err(format!(
                "several kernels are called `sort`\n  help: the kernels are {all}"
            ))
        );
        assert_eq!(
            find(&program, Some("scam")),
            Err(format!(
                "there is no kernel `scam`\n  help: did you mean `scan`? the kernels are {all}"
            ))
        );
        assert_eq!(
            find(&program, None),
            Err(format!(
                "the module has several kernels\n  help: the kernels are {all}"
            ))
        );
    }

    #[test]
    fn a_single_kernel_needs_no_name() {
        assert_eq!(find(&program(&["k"]), None), Ok(0));
        assert_eq!(
            find(&program(&["k"]), Some("other")),
            Err("there is no kernel `other`\n  help: the only kernel is `k`".into())
        );
        assert_eq!(
            find(&program(&[]), None),
            Err("the module has no kernels".into())
        );
    }
}
