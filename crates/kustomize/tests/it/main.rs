//! Behaviour of builds. Recorded builds of the reference are played by `tests/conformance`.

#![expect(clippy::format_collect, reason = "inputs are built once, speed is of no interest")]

mod behaviour;
mod differences;
mod differences_in_brackets;
mod differences_in_configurations;
mod differences_in_ids;
mod differences_in_keys;
mod differences_in_lists;
mod differences_in_merges;
mod differences_in_metadata;
mod differences_in_nulls;
mod differences_in_patches;
mod differences_in_plugins;
mod differences_in_replacements;
mod differences_in_tags;
mod differences_in_text;
mod differences_in_values;
mod differences_more;
mod differences_of_reading;
mod differences_of_writing;
mod growth;
mod hints;
mod hostile;
mod remote;
mod samples;
mod structured;

/// Counts allocations, so that tests can bound what hostile input costs.
#[global_allocator]
static MEMORY: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);
