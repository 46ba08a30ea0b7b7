//! How long a large module takes to read. Run with `cargo bench -p warploom-ptx`.

use std::fmt::Write;

const MEGABYTE: usize = 1_000_000;

fn main() {
    divan::main();
}

/// About `bytes` of kernels in the manner of optimised compiler output.
fn module(bytes: usize) -> String {
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n\n".to_owned();
    let mut number = 0;
    while text.len() < bytes {
        kernel(&mut text, number).expect("writing to a string");
        number += 1;
    }
    text
}

fn kernel(text: &mut String, number: usize) -> std::fmt::Result {
    writeln!(
        text,
        ".visible .entry _Z6kernel{number}PKfPfi(\n\
         \t.param .u64 _Z6kernel{number}PKfPfi_param_0,\n\
         \t.param .u64 _Z6kernel{number}PKfPfi_param_1,\n\
         \t.param .u32 _Z6kernel{number}PKfPfi_param_2\n)\n{{\n\
         \t.reg .pred \t%p<41>;\n\t.reg .f32 \t%f<161>;\n\t.reg .b32 \t%r<161>;\n\
         \t.reg .b64 \t%rd<121>;\n\n\
         \tld.param.u64 \t%rd1, [_Z6kernel{number}PKfPfi_param_0];\n\
         \tld.param.u64 \t%rd2, [_Z6kernel{number}PKfPfi_param_1];\n\
         \tld.param.u32 \t%r1, [_Z6kernel{number}PKfPfi_param_2];\n\
         \tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 \t%r3, %ntid.x;\n\tmov.u32 \t%r4, %tid.x;\n\
         \tmad.lo.s32 \t%r5, %r2, %r3, %r4;"
    )?;
    for block in 0..40 {
        let r = 6 + block * 3;
        let rd = 3 + block * 2;
        let f = block * 4;
        writeln!(
            text,
            "$L__BB{number}_{block}:\n\
             \tsetp.ge.s32 \t%p{block}, %r{r}, %r1;\n\
             \t@%p{block} bra \t$L__BB{number}_{};\n\
             \tadd.s32 \t%r{}, %r{r}, {block};\n\
             \tmul.wide.s32 \t%rd{rd}, %r{}, 4;\n\
             \tadd.s64 \t%rd{}, %rd1, %rd{rd};\n\
             \tld.global.nc.f32 \t%f{f}, [%rd{}+{}];\n\
             \tfma.rn.f32 \t%f{}, %f{f}, 0f3F800000, %f{};\n\
             \tst.global.f32 \t[%rd{}], %f{};\n",
            block + 1,
            r + 1,
            r + 1,
            rd + 1,
            rd + 1,
            block * 16,
            f + 1,
            f + 2,
            rd + 1,
            f + 1,
        )?;
    }
    writeln!(text, "$L__BB{number}_40:\n\tret;\n}}\n")
}

/// About `bytes` of a constant table.
fn table(bytes: usize) -> String {
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n\n".to_owned();
    text += ".global .align 1 .b8 table[] = {0";
    let mut value = 0u32;
    while text.len() < bytes {
        value = (value * 37 + 11) % 256;
        write!(text, ", {value}").expect("writing to a string");
    }
    text += "};\n";
    text
}

#[divan::bench]
fn parse_1mb(bencher: divan::Bencher) {
    let source = module(MEGABYTE);
    bencher
        .counter(divan::counter::BytesCount::of_str(&source))
        .bench(|| {
            let (module, diagnostics) = warploom_ptx::parse(&source, "bench.ptx");
            assert!(diagnostics.is_empty());
            module
        });
}

#[divan::bench]
fn parse_1mb_of_tables(bencher: divan::Bencher) {
    let source = table(MEGABYTE);
    bencher
        .counter(divan::counter::BytesCount::of_str(&source))
        .bench(|| {
            let (module, diagnostics) = warploom_ptx::parse(&source, "bench.ptx");
            assert!(diagnostics.is_empty());
            module
        });
}
