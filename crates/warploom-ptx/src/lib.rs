//! PTX text to warp programs.

pub mod ast;
pub mod codes;
mod constant;
pub mod diagnostic;
mod lexer;
mod names;
mod parser;
pub mod special;
mod suggest;
mod target;
pub mod types;
