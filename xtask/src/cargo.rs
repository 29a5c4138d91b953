//! Cargo, as this program calls it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::environment;
use crate::workspace::Workspace;

/// A cargo command in the checkout.
pub(crate) fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = environment::command("cargo");
    command.current_dir(workspace.root()).args(arguments);
    command
}

/// Builds a program of the workspace and returns where it is. What cargo prints goes to the user.
pub(crate) fn build(workspace: &Workspace, package: &str, program: &str, profile: &str) -> Result<PathBuf> {
    let status =
        cargo(workspace, &["build", "--quiet", "--package", package, "--bin", program, "--profile", profile])
            .status()
            .context("cannot start cargo")?;
    ensure!(status.success(), "{package} does not build");
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(workspace.target().join(folder).join(program))
}
