//! Logs that outlive the servers that wrote them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Copies logs to a folder of this name beside the program, and returns the folder.
pub(crate) fn keep<'a>(name: &str, logs: impl IntoIterator<Item = &'a Path>) -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().context("a program lies in a folder")?.join(name);
    fs::create_dir_all(&folder)?;
    for log in logs {
        fs::copy(log, folder.join(log.file_name().context("a log has a name")?))?;
    }
    Ok(folder)
}
