//! Cargo, as this program calls it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::environment;
use crate::workspace::Workspace;

/// The profile of what people watch and of what is measured: optimised, and linked faster than a release.
pub(crate) const OPTIMISED: &str = "bench-fast";

/// A cargo command in the checkout.
pub(crate) fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = environment::command("cargo");
    command.current_dir(workspace.root()).env("CARGO_TARGET_DIR", workspace.target()).args(arguments);
    command
}

/// How a program comes to be there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Programs {
    /// It is built when it is asked for, with no more than it needs.
    OnDemand,
    /// [`build_all`] has built it. Asking for it alone would build its dependencies again, with fewer features.
    Built,
}

impl Programs {
    /// A program of the workspace, with debug information.
    pub(crate) fn get(self, workspace: &Workspace, package: &str) -> Result<PathBuf> {
        match self {
            Self::OnDemand => build(workspace, package, package, "dev"),
            Self::Built => Ok(workspace.target().join("debug").join(package)),
        }
    }
}

/// Builds all programs and tests of the workspace at once, so that all use the same dependencies.
pub(crate) fn build_all(workspace: &Workspace) -> Result<()> {
    let status = cargo(workspace, &["build", "--quiet", "--workspace", "--all-targets"])
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the workspace does not build");
    Ok(())
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

/// Builds an example of the workspace and returns where it is.
pub(crate) fn build_example(
    workspace: &Workspace,
    package: &str,
    example: &str,
    profile: &str,
) -> Result<PathBuf> {
    let arguments = ["build", "--quiet", "--package", package, "--example", example, "--profile", profile];
    let status = cargo(workspace, &arguments).status().context("cannot start cargo")?;
    ensure!(status.success(), "the example {example} of {package} does not build");
    Ok(workspace.target().join(profile).join("examples").join(example))
}
