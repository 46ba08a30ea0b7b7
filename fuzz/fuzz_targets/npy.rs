//! `cargo +nightly fuzz run --features libfuzzer npy`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    warploom_fuzz::npy::run(data);
});
