//! A control plane for other processes: runs until the one that asked for it goes away.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::Result;
use millrace_harness::{ControlPlane, Profile};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where to write how to reach it
    description: PathBuf,
    /// Only etcd and the API server
    #[arg(long)]
    bare: bool,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    let profile = if arguments.bare { Profile::Bare } else { Profile::Full };
    let control_plane = ControlPlane::start(profile).await?;
    control_plane.description().write(&arguments.description)?;
    writeln!(std::io::stdout(), "ready {}", control_plane.kubeconfig().display())?;
    let closed = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        _ = closed => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    control_plane.stop()
}
