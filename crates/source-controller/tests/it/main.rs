//! The controller against a real API server and a real Git server. Skipped, loudly, where their programs are absent.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod bench;
mod content;
mod failures;
mod includes;
mod kills;
mod lifecycle;
mod proxies;
mod references;
mod stalls;
mod surface;
mod writers;
