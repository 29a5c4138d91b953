//! Builds against what the reference recorded, and behaviour beside it.

#![expect(
    clippy::print_stderr,
    reason = "a skipped test says so, and counts of the recorded builds are shown"
)]

mod behaviour;
mod growth;
mod recorded;
mod samples;
