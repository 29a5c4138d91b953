//! The notification controller against a scripted API server and recording HTTP servers.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    reason = "helpers of tests fail the test, and read better with values written in place"
)]

mod bench;
mod cluster;
mod egress;
mod failures;
mod hook_conformance;
mod hooks;
mod intake;
mod isolation;
mod lifecycle;
mod limits;
mod provider_conformance;
mod sending;
mod server;
mod shared;
mod tls;
