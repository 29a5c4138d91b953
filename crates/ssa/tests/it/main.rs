//! The engine against recorded answers of the original programs, and against a scripted API server.

#![expect(
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail tests, and say what they skip"
)]

mod api;
mod apply;
mod cases;
mod kstatus;
mod live;
mod prune;
mod ssa_diff;
mod wait;
