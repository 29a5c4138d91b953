//! The cluster of the demo: one of its own, or somebody's.

use std::path::{Path, PathBuf};

use anyhow::Result;
use millrace_harness::{ControlPlane, Profile, chart, tools};

use super::guest::Guest;
use super::scene::NAMESPACE;
use crate::say::say;

/// Where the demo plays.
pub(super) struct Place {
    pub(super) cluster: ControlPlane,
    /// Present in a cluster of somebody else.
    guest: Option<Guest>,
}

impl Place {
    /// Starts a control plane, or looks at the cluster of `kubeconfig` without changing anything in it.
    pub(super) async fn open(kubeconfig: Option<&Path>) -> Result<Self> {
        let (cluster, guest) = match kubeconfig {
            Some(kubeconfig) => {
                let (cluster, guest) = Guest::arrive(kubeconfig).await?;
                (cluster, Some(guest))
            }
            None => (ControlPlane::start(Profile::Full).await?, None),
        };
        say!("✔ control plane at {}", cluster.server());
        Ok(Self { cluster, guest })
    }

    /// Makes what the sample takes for granted, and returns the kubeconfig for the program.
    pub(super) async fn prepare(&self) -> Result<PathBuf> {
        if let Some(guest) = &self.guest {
            guest.settle(&self.cluster).await?;
            return Ok(self.cluster.kubeconfig().to_owned());
        }
        self.cluster.install_crds().await?;
        self.cluster.create_namespace(NAMESPACE).await?;
        Ok(chart::access(&self.cluster).await?.kubeconfig)
    }

    /// The kubectl to show to people: theirs for their cluster.
    pub(super) fn kubectl(&self) -> String {
        let ours = tools::program("kubectl").ok().filter(|_| self.guest.is_none());
        ours.map_or_else(|| "kubectl".to_owned(), |path| path.display().to_string())
    }

    /// Takes away what a borrowed cluster should not keep; a control plane of our own ends with this value.
    pub(super) async fn clear(self) -> Result<()> {
        match self.guest {
            Some(guest) => guest.leave(&self.cluster).await,
            None => Ok(()),
        }
    }
}
