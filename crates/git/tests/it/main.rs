//! Git over HTTP(S) against `git http-backend` behind Apache. Skipped, loudly, where Apache is absent.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "what surrounds a test fails like the test"
)]

mod auth;
mod cache;
mod content;
mod failures;
mod fixture;
mod names;
mod references;
mod semver;
mod stores;
