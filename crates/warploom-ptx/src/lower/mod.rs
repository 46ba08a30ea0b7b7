//! From syntax trees to a program that the machine runs.
//!
//! An opcode is decoded once, however often it is written: its parts become a `Form`, which
//! says everything but the operands. A family of instructions is a module with a type `Form` and
//! two functions: `decode` turns the parts of an opcode into a form, or nothing where the opcode
//! belongs to another family; `lower` writes the code of one instruction of that form.

mod address;
mod arith;
mod atomic;
mod call;
mod context;
mod control;
pub mod error;
mod excluded;
mod frame;
mod function;
mod generic;
mod initial;
mod lines;
mod link;
mod load;
mod memory;
mod mov;
mod operand;
mod parts;
mod policy;
mod qualifiers;
mod special;
mod sync;
mod table;
mod warp;

use warploom_isa as isa;

pub use self::load::{Loaded, load, load_watched, load_with};
pub use self::table::support_table;

use self::context::Lower;
use self::function::Source;
use self::link::Link;
use self::parts::Parts;
use crate::ast::{FunctionId, Instruction, ListRange, Module, Opcode, OpcodeId, VariableId};
use crate::diagnostic::{Diagnostic, Diagnostics, LineIndex, Span};
use crate::suggest::nearest;

macro_rules! families {
    ($($variant:ident $module:ident;)*) => {
        /// A decoded opcode.
        #[derive(Clone, Copy, Debug)]
        enum Form {
            $($variant($module::Form),)*
            /// PTX has it, the machine does not.
            Unsupported,
        }

        impl Form {
            fn decode(opcode: &Opcode<'_>, parts: &mut Parts<'_>) -> Result<Form, Diagnostic> {
                if excluded::is_excluded(opcode) {
                    return Ok(Form::Unsupported);
                }
                $(
                    if let Some(form) = $module::decode(parts)? {
                        return Ok(Form::$variant(form));
                    }
                )*
                Err(unknown(parts))
            }

            fn lower(&self, ctx: &mut Lower<'_>) -> Result<(), Diagnostic> {
                match self {
                    $(Form::$variant(form) => $module::lower(ctx, form),)*
                    Form::Unsupported => {
                        ctx.unsupported();
                        Ok(())
                    }
                }
            }
        }
    };
}

families! {
    Arith arith;
    Mov mov;
    Memory memory;
    Policy policy;
    Generic generic;
    Atomic atomic;
    Control control;
    Call call;
    Sync sync;
    Warp warp;
}

/// Operations outside arithmetic that the machine has.
const OPERATIONS: &[&str] = &[
    "activemask",
    "alloca",
    "applypriority",
    "atom",
    "bar",
    "barrier",
    "bra",
    "brkpt",
    "brx",
    "call",
    "createpolicy",
    "cvta",
    "discard",
    "elect",
    "exit",
    "fence",
    "griddepcontrol",
    "isspacep",
    "ld",
    "ldu",
    "match",
    "membar",
    "mov",
    "nanosleep",
    "pmevent",
    "prefetch",
    "prefetchu",
    "red",
    "redux",
    "ret",
    "shfl",
    "st",
    "stackrestore",
    "stacksave",
    "trap",
    "vote",
];

fn unknown(parts: &Parts<'_>) -> Diagnostic {
    let name = parts.base();
    let message = format!("`{name}` is not an instruction of PTX");
    let diagnostic = Diagnostic::new(error::OPCODE, parts.base_span(), message, "unknown");
    let known = OPERATIONS.iter().copied();
    let known = known
        .chain(excluded::operations())
        .chain(arith::operations());
    match nearest(name, known) {
        Some(name) => diagnostic.with_help(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}

/// A problem of one of several modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which module, counted in the order they were given.
    pub text: usize,
    /// What is wrong in it.
    pub diagnostic: Diagnostic,
}

/// Links modules into one program.
///
/// Instructions that PTX has and the machine does not are no problem here: the functions that
/// hold them say so, and a launch that can reach one is to be refused.
///
/// # Errors
/// What is wrong with the modules, up to [`Diagnostics::LIMIT`] of each, in the order of the text.
pub fn lower(modules: &[Module<'_>]) -> Result<isa::Module, Vec<Problem>> {
    lower_with(modules, &|_| false, false)
}

/// [`lower`], with what [`load_with`] and [`load_watched`] are told.
fn lower_with(
    modules: &[Module<'_>],
    is_own: &dyn Fn(&str) -> bool,
    watched: bool,
) -> Result<isa::Module, Vec<Problem>> {
    let mut sources: Vec<Source<'_>> = modules
        .iter()
        .enumerate()
        .map(|(number, module)| Source {
            module,
            number,
            lines: LineIndex::new(module.source),
            forms: vec![None; module.opcodes.len()],
            owned: owned(module),
            is_own,
            watched,
            before: nothing(),
        })
        .collect();
    let mut problems: Vec<Diagnostics> = modules.iter().map(|_| Diagnostics::new()).collect();
    let mut link = Link::new(&sources, &mut |text, diagnostic| {
        if let Some(problems) = problems.get_mut(text) {
            problems.push(diagnostic);
        }
    });
    for (source, problems) in sources.iter_mut().zip(&mut problems) {
        lower_functions(&mut link, source, problems);
    }
    let problems: Vec<Problem> = (0..)
        .zip(problems)
        .flat_map(|(text, problems)| {
            let problems = problems.finish().into_iter();
            problems.map(move |mut diagnostic| {
                let general = || error::general_help(diagnostic.code).to_owned();
                diagnostic.help.get_or_insert_with(general);
                Problem { text, diagnostic }
            })
        })
        .collect();
    if problems.is_empty() {
        Ok(link.finish())
    } else {
        Err(problems)
    }
}

fn lower_functions(link: &mut Link, source: &mut Source<'_>, problems: &mut Diagnostics) {
    let module = source.module;
    for (number, function) in (0..).zip(&module.functions) {
        if let Some(body) = &function.body
            && link.is_chosen(source.number, FunctionId(number))
            && !problems.is_full()
        {
            function::lower(link, source, FunctionId(number), body, problems);
        }
    }
}

/// An instruction without anything.
fn nothing<'a>() -> (Instruction, Opcode<'a>) {
    let instruction = Instruction {
        span: Span::default(),
        guard: None,
        opcode: OpcodeId(0),
        opcode_start: 0,
        operands: ListRange::default(),
        location: None,
    };
    let opcode = Opcode {
        text: "",
        parts: Vec::new(),
    };
    (instruction, opcode)
}

/// The variables declared in each function.
fn owned(module: &Module<'_>) -> Vec<Vec<VariableId>> {
    let mut owned = vec![Vec::new(); module.functions.len()];
    for (number, variable) in (0..).zip(&module.variables) {
        if let Some(list) = variable.owner.and_then(|id| owned.get_mut(id.index())) {
            list.push(VariableId(number));
        }
    }
    owned
}
