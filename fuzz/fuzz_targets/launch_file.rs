//! `cargo +nightly fuzz run --features libfuzzer launch_file`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    warploom_fuzz::launch_file::run(data);
});
