//! End-to-end tests: the program against a real API server and a real Git server.

mod bases;
mod chain;
mod dependencies;
mod drift;
mod failures;
mod faults;
mod flux_cli;
mod install;
mod lifecycle;
mod tenancy;
mod waiting;

/// Begins a story, or skips the test where the programs it needs are not installed.
macro_rules! story {
    ($name:literal) => {
        story!($name, |options| options)
    };
    ($name:literal, $flags:expr) => {{
        if !millrace_harness::tools::available(millrace_e2e::TOOLS) {
            eprintln!("skipped: {} are not installed (cargo xtask tools)", millrace_e2e::TOOLS.join(", "));
            return Ok(());
        }
        millrace_e2e::Story::begin_with($name, $flags).await?
    }};
}
pub(crate) use story;
