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

    /// Whether it failed after these progress lines because its time was up. The original tells it in its client's words where
    /// that happens just as it is about to ask again.
    pub(super) fn has_run_out_of_time_after(&self, progress: &str) -> bool {
        let client =
            "client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline";
        ["context deadline exceeded", client]
            .iter()
            .any(|words| *self == Self::fails(format!("{progress}✗ {words}\n")))
    }

    /// One error line, and failure.
    pub(super) fn refuses(error: &str) -> Self {
        Self::fails(format!("✗ {error}\n"))
    }
}
