//! Temporary folders that do not outlive the harness.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;
use tempfile::TempDir;

use crate::Result;

/// Waits for the end of the harness, gives its servers a moment to die, and deletes the folder.
const SWEEPER: &str = r#"trap '' INT TERM HUP; read -r _; sleep 0.5; rm -rf -- "$1""#;

/// A temporary folder. It goes when this value does, and also when the process is interrupted or killed.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    folder: TempDir,
    /// Reads from a pipe that closes with this value.
    _sweeper: Child,
}

impl WorkFolder {
    /// Makes an empty folder whose name starts with `prefix`.
    pub(crate) fn new(prefix: &str) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SWEEPER, "sweeper"]).arg(folder.path()).current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let sweeper = command.spawn().context("cannot start /bin/sh")?;
        Ok(Self { folder, _sweeper: sweeper })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}
