//! From syntax trees to a program that the machine runs.
//!
//! An opcode is decoded once, however often it is written: its parts become a `Form`, which says
//! everything but the operands. A family of instructions is a module with a type `Form` and two
//! functions: `decode` turns the parts of an opcode into a form, or nothing where the opcode
//! belongs to another family; `lower` writes the code of one instruction of that form.

mod arith;
mod context;
pub mod error;
mod link;
mod operand;
mod parts;
mod special;
