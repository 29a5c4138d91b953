//! How test processes share one control plane: a file that says how to reach it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::Profile;
use crate::Result;

/// The variable that holds the path of a [`Description`].
pub const CLUSTER_VARIABLE: &str = "MILLRACE_CLUSTER";

/// What a process needs to use a control plane that another one runs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Description {
    /// How much of it runs.
    pub profile: Profile,
    /// The API server's address.
    pub server: String,
    /// The certificate of its authority, as PEM.
    pub authority: String,
    /// A kubeconfig file with all rights.
    pub kubeconfig: PathBuf,
    /// The audit log.
    pub audit_log: PathBuf,
    /// The folder of its logs and files.
    pub work: PathBuf,
}

impl Description {
    /// Writes the description for other processes.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads a description.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} describes no control plane", path.display()))
    }
}
