//! Builds against what the reference recorded, and behaviour beside it.

#![expect(
    clippy::print_stderr,
    reason = "a skipped test says so, and counts of the recorded builds are shown"
)]
#![expect(clippy::format_collect, reason = "inputs are built once, speed is of no interest")]

mod behaviour;
mod growth;
mod hostile;
mod recorded;
mod samples;

/// Counts allocations, so that tests can bound what hostile input costs.
#[global_allocator]
static MEMORY: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);
