//! The corpora, replayed: what a fuzzer found stays found.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what surrounds a test fails like the test")]

mod replay;
