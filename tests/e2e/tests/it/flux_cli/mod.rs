//! The upstream command line (`flux`) against a cluster that the program runs: exit status, both streams, every word.
//!
//! Contract: cli §A0.1, §A2.3–A2.8, §A2.10, §A2.15–A2.17, §A2.23, §A3. A text that differs is a difference in what the program
//! leaves in the cluster: the command line itself is the original.

mod create;
mod events;
mod export;
mod get;
mod objects;
mod reconcile;
mod said;
mod stats;
mod suspend;
mod table;
mod trace;
mod tree;
mod trigger;

/// The contract's fixture in a namespace of its own, or the end of the test where `flux` is not installed.
macro_rules! fixture {
    ($name:literal) => {{
        if !millrace_harness::tools::available(&["flux"]) {
            return Ok(());
        }
        crate::flux_cli::objects::Fixture::begin(crate::story!($name, |options| options)).await?
    }};
}
use fixture;
