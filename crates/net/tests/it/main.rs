//! The HTTP client against local servers.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what surrounds a test fails like the test")]

mod redirects;
mod server;
mod tls;
mod transport;
