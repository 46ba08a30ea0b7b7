//! PTX text to warp programs.

pub mod ast;
pub mod diagnostic;
mod names;
pub mod special;
pub mod types;
