//! `cargo +nightly fuzz run --features libfuzzer argument`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    warploom_fuzz::argument::run(data);
});
