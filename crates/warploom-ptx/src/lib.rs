//! PTX text to warp programs.
//!
//! A module goes through four rooms, each of which knows only those before it:
//!
//! 1. `lexer`: text to tokens. A dotted opcode is one token; comments, line markers and debug
//!    lines vanish here.
//! 2. `parser`: tokens to the syntax tree in [`ast`], by recursive descent, one token at a time.
//!    The grammar has no list of opcodes: an instruction is a guard, dotted parts and operands.
//!    Constant expressions are folded (`constant`), initialisers flattened. After an error the
//!    parser skips to the next statement, so that one run reports many.
//! 3. `resolve`: every name in the tree gets its target: a register, variable, label, function,
//!    or [special register](special). Unknown, doubled and misused names are errors here.
//! 4. [`lower`]: opcodes and types get their meaning, and the tree becomes a program.
//!
//! [`parse`] is the first three rooms, [`load`] all of them. Reports are plain data
//! ([`diagnostic`]), with a code ([`codes`]), places and a help line; printing them is left to the
//! caller. Spans are byte ranges of the text, and a [`diagnostic::LineIndex`] turns them into lines
//! and columns.
//!
//! Text comes from strangers: nothing here panics on it, recursion is bounded, the number of
//! reports is limited, and `%r<1000000>` costs no more than `%r<1>`: registers of a range exist
//! when they are mentioned.
//!
//! # What is accepted
//!
//! PTX 1.0 to 9.5, with everything that assemblers let pass and a few things that they don't:
//! `-` in addresses, `.global` variables inside functions, prototypes and branch tables after
//! their use. Where compilers disagree with the manual, the compilers win. Addresses are 64 bits.

pub mod ast;
pub mod codes;
mod constant;
pub mod diagnostic;
mod lexer;
pub mod lower;
mod names;
mod parser;
mod resolve;
pub mod special;
mod suggest;
mod target;
pub mod types;

pub use lower::{Loaded, Problem, load, load_watched, load_with, support_table};

use ast::Module;
use diagnostic::{Diagnostic, Span};

/// Reads a PTX module and ties its names to their declarations.
///
/// `file_name` is only for messages. The module can be used if none of the diagnostics
/// [is an error](Diagnostic::is_error); otherwise it holds what could be read. Never panics, and
/// takes time and memory in proportion to the text.
pub fn parse<'s>(source: &'s str, file_name: &str) -> (Module<'s>, Vec<Diagnostic>) {
    if u32::try_from(source.len()).is_err() {
        let message = "the file is larger than 4 GiB";
        let report = Diagnostic::new(codes::TOO_LONG, Span::default(), message, "starts here");
        let report = report.with_help("split the module");
        return (parser::empty_module("", file_name), vec![report]);
    }
    let mut parsed = parser::parse_syntax(source, file_name);
    resolve::resolve(
        &mut parsed.module,
        &mut parsed.diagnostics,
        parsed.names_lost,
    );
    (parsed.module, parsed.diagnostics.finish())
}
