//! From PTX to the machine's stream, rule by rule.
//!
//! Expected instructions are worked out by hand from the rules in `docs/timing-lowering.md`.

mod fold;
mod memory;
mod order;
mod recipes;
mod registers;
mod segments;
mod support;
