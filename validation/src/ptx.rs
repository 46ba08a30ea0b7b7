//! Texts of micro-benchmarks, for the targets that vary the code itself.

use std::fmt::Write;

/// A kernel of the given parameters, registers and body.
///
/// `params` and `registers` are PTX declarations: `.param .u64 p` joined by commas, and `.reg`
/// statements. The target is the first that has all arithmetic.
pub fn kernel(entry: &str, params: &str, registers: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_53\n.address_size 64\n\
         .visible .entry {entry}({params}) {{\n{registers}\n{body}\nret;\n}}\n"
    )
}

/// As many rounds of `body` as the parameter `trips` says, at least one.
pub fn counted_loop(body: &str) -> String {
    loop_over("trips", body)
}

/// The same for another parameter. Declares what it needs in a scope of its own.
pub fn loop_over(param: &str, body: &str) -> String {
    format!(
        "{{\n.reg .b32 %trip;\n.reg .pred %more;\nld.param.u32 %trip, [{param}];\n\
         AGAIN:\n{body}add.u32 %trip, %trip, -1;\nsetp.ne.u32 %more, %trip, 0;\n\
         @%more bra AGAIN;\n}}\n"
    )
}

/// Every block waits until all have come here: a barrier of the grid through the counter at the
/// parameter `arrived`. Declares what it needs itself; once in a kernel.
pub fn grid_barrier() -> &'static str {
    ".reg .b32 %thread, %come, %all;\n.reg .b64 %arrived;\n.reg .pred %other, %early;\n\
     mov.u32 %thread, %tid.x;\nmov.u32 %all, %nctaid.x;\nsetp.ne.u32 %other, %thread, 0;\n\
     bar.sync 0;\n@%other bra TOGETHER;\n\
     ld.param.u64 %arrived, [arrived];\natom.global.add.u32 %come, [%arrived], 1;\n\
     SPIN:\nld.volatile.global.u32 %come, [%arrived];\nsetp.lt.u32 %early, %come, %all;\n\
     @%early bra SPIN;\nTOGETHER:\nbar.sync 0;\n"
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
