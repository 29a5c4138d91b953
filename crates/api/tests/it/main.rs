//! Compares the API types with the reference CRDs and with recorded values.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail loudly, and skips loudly"
)]

mod conformance;
mod crds;
mod objects;

use std::path::PathBuf;

use serde_json::Value;

/// A file of the shared reference data, or nothing if that isn't checked out beside the repository.
fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn read_yaml(path: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
