//! Files that are generated from the code.

use anyhow::{Context as _, Result, ensure};

use crate::workspace::Workspace;
use crate::{cargo, environment};

/// Writes the CRDs to `crds/`. A test of `millrace-api` proves them current.
pub(crate) fn crds(workspace: &Workspace) -> Result<()> {
    let program = cargo::build(workspace, "millrace-workbench", "millrace-workbench", "dev")?;
    let status = environment::command(program)
        .arg("crds")
        .arg(workspace.root().join("crds"))
        .status()
        .context("cannot start the generator")?;
    ensure!(status.success(), "the generator failed: {status}");
    Ok(())
}
