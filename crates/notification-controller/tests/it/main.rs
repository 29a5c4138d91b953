//! The notification controller against a scripted API server and recording HTTP servers.

mod cluster;
mod hook_conformance;
mod provider_conformance;
mod server;
mod shared;
