//! The harness proves itself: each server does what tests rely on.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod control_plane;
mod git_server;
mod process;
mod proxy;
mod recorder;
mod relay;
