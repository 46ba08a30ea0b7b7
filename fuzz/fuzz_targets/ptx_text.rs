//! `cargo +nightly fuzz run --features libfuzzer ptx_text`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    warploom_fuzz::ptx_text::run(data);
});
