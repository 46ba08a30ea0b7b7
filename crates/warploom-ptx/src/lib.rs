//! PTX text to warp programs.

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

pub use lower::{Loaded, Problem, load};

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
