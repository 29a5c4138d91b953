//! The HTTP client against local servers.

mod redirects;
mod server;
mod tls;
mod transport;
