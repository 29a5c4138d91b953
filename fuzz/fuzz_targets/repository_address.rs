//! See `repository_address` in `tests/fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| millrace_fuzz::run("repository_address", data));
