//! What the harness reads from its environment.

use std::ffi::OsString;

/// Reads a variable; an empty one counts as absent.
#[expect(clippy::disallowed_methods, reason = "the one place of the harness that reads the environment")]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
