//! Texts of micro-benchmarks, for the targets that vary the code itself.

use std::fmt::Write;

/// A kernel of the given parameters, registers and body.
///
/// `params` and `registers` are PTX declarations: `.param .u64 p` joined by commas, and `.reg`
/// statements. Written for the oldest target, so that every device takes it.
pub fn kernel(entry: &str, params: &str, registers: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_50\n.address_size 64\n\
         .visible .entry {entry}({params}) {{\n{registers}\n{body}\nret;\n}}\n"
    )
}

/// A loop over `%trip`, which counts down from the parameter `trips` to 0 in steps of one.
/// Declares what it needs itself; `body` must keep `%trip` and `%more` as they are.
pub fn counted_loop(body: &str) -> String {
    format!(
        ".reg .b32 %trip;\n.reg .pred %more;\nld.param.u32 %trip, [trips];\n\
         AGAIN:\n{body}add.u32 %trip, %trip, -1;\nsetp.ne.u32 %more, %trip, 0;\n@%more bra AGAIN;\n"
    )
}

/// `count` instructions over `chains` independent registers `%x0`, `%x1`, …: `{x}` in
/// `instruction` is the register, each instruction depends on the one `chains` before it.
pub fn chained(instruction: &str, chains: usize, count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        let register = format!("%x{}", i % chains);
        let _ = writeln!(text, "{}", instruction.replace("{x}", &register));
    }
    text
}
