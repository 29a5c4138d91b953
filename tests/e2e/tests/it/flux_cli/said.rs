//! How a command ended, and what it printed.

use std::process::Output;

use anyhow::Result;

/// Exit status and both streams of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) exit: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Said {
    pub(super) fn new(output: Output) -> Result<Self> {
        Ok(Self {
            exit: output.status.code(),
            stdout: String::from_utf8(output.stdout)?,
            stderr: String::from_utf8(output.stderr)?,
        })
    }

    /// Data alone, and success.
    pub(super) fn prints(stdout: impl Into<String>) -> Self {
        Self { exit: Some(0), stdout: stdout.into(), stderr: String::new() }
    }

    /// Progress lines alone, and success.
    pub(super) fn reports(stderr: impl Into<String>) -> Self {
        Self { exit: Some(0), stdout: String::new(), stderr: stderr.into() }
    }

    /// Progress lines that end in an error, and failure.
    pub(super) fn fails(stderr: impl Into<String>) -> Self {
        Self { exit: Some(1), ..Self::reports(stderr) }
    }

    /// One error line, and failure.
    pub(super) fn refuses(error: &str) -> Self {
        Self::fails(format!("✗ {error}\n"))
    }
}
