//! The control plane that all tests of a run share.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::cargo::Programs;
use crate::environment;
use crate::say::say;
use crate::workspace::Workspace;

/// A control plane that another process runs for as long as this value lives.
pub(super) struct Cluster {
    child: Child,
    description: PathBuf,
}

impl Cluster {
    pub(super) fn start(workspace: &Workspace) -> Result<Self> {
        let program = Programs::Built.get(workspace, "millrace-workbench")?;
        let description = workspace.target().join(format!("cluster-{}.json", std::process::id()));
        let mut command: Command = environment::command(program);
        command.arg("cluster").arg(&description).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the control plane")?;
        let stdout = child.stdout.take().context("the output is piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let Some(kubeconfig) = line.trim().strip_prefix("ready ") else {
            bail!("the control plane did not start: {}", child.wait()?);
        };
        say!("control plane ready, kubeconfig {kubeconfig}");
        Ok(Self { child, description })
    }

    /// The file that test processes find it by.
    pub(super) fn description(&self) -> &Path {
        &self.description
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Its standard input closes: it stops its servers and ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.description);
    }
}
