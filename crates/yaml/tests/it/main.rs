//! Reading and printing as a whole: recorded outputs, properties, limits, error texts.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails fails its test")]
#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "inputs are built once, speed is of no interest"
)]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

mod errors;
mod hostile;
mod kubernetes;
mod kustomize;
mod limits;
mod recorded;
mod round_trip;
mod styled;

/// Counts allocations, so that tests can bound what hostile text costs.
#[global_allocator]
static MEMORY: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);
