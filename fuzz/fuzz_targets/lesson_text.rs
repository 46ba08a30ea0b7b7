//! `cargo +nightly fuzz run --features libfuzzer lesson_text`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    warploom_fuzz::lesson_text::run(data);
});
