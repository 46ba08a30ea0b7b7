//! From PTX texts to a program, in one step.

use warploom_isa as isa;

use super::{Problem, lower_with};
use crate::ast::Module;
use crate::diagnostic::Diagnostic;

/// A program and what its author should know about it.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub module: isa::Module,
    /// Warnings, text by text.
    pub warnings: Vec<Problem>,
}

/// Reads PTX texts, given as (name, source), and links them into one program.
///
/// Names are only for messages. Never panics, and takes time and memory in proportion to the
/// texts.
///
/// # Errors
/// All that is wrong, and the warnings with it, text by text in the order of the source.
pub fn load(texts: &[(&str, &str)]) -> Result<Loaded, Vec<Problem>> {
    load_with(texts, &|_| false)
}

/// [`load`], with a say in the source lines of inlined code.
///
/// Code that was inlined counts for the first place, from the innermost outward, whose file is the
/// author's, as `is_own` tells of its name, or is that of the outermost place. Code of a header
/// thus counts for the line that calls it.
///
/// # Errors
/// As [`load`].
pub fn load_with(
    texts: &[(&str, &str)],
    is_own: &dyn Fn(&str) -> bool,
) -> Result<Loaded, Vec<Problem>> {
    load_as(texts, is_own, false)
}

/// [`load`], for whoever shows the registers: kernels copy them to memory as they change
/// ([`warploom_isa::watch`]), and take the address of the copies behind their own parameters.
///
/// # Errors
/// As [`load`].
pub fn load_watched(texts: &[(&str, &str)]) -> Result<Loaded, Vec<Problem>> {
    load_as(texts, &|_| false, true)
}

fn load_as(
    texts: &[(&str, &str)],
    is_own: &dyn Fn(&str) -> bool,
    watched: bool,
) -> Result<Loaded, Vec<Problem>> {
    let mut modules: Vec<Module<'_>> = Vec::with_capacity(texts.len());
    let mut found = Vec::new();
    for (text, (name, source)) in texts.iter().enumerate() {
        let (module, diagnostics) = crate::parse(source, name);
        modules.push(module);
        let problem = |diagnostic: Diagnostic| Problem { text, diagnostic };
        found.extend(diagnostics.into_iter().map(problem));
    }
    if found.iter().any(|problem| problem.diagnostic.is_error()) {
        return Err(found);
    }
    match lower_with(&modules, is_own, watched) {
        Ok(module) => Ok(Loaded {
            module,
            warnings: found,
        }),
        Err(problems) => {
            found.extend(problems);
            found.sort_by_key(|problem| (problem.text, problem.diagnostic.span().start));
            Err(found)
        }
    }
}
