//! `cargo xtask demo`: a commit flows from a Git server into a cluster, watched step by step.

mod hook;
mod journey;
mod scene;
mod table;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::say::say;
use scene::Scene;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// End after the proof; the exit status is 0 only if every step was seen
    #[arg(long)]
    exit: bool,
    /// Use the cluster of this kubeconfig instead of starting one
    #[arg(long)]
    cluster: Option<PathBuf>,
}

const READY_LIMIT: Duration = Duration::from_mins(2);

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    let started = Instant::now();
    let scene = Scene::set(arguments.cluster.as_deref()).await.context("the scene could not be set")?;
    let shown = tokio::select! {
        shown = show(&scene, started) => shown,
        _ = tokio::signal::ctrl_c() => return scene.clean().await,
    };
    if let Err(error) = shown {
        let logs = scene.keep_logs()?;
        say!("failed: {error:#}");
        say!("logs: {}", logs.display());
        say!("next: less {}", logs.join("millrace.log").display());
        scene.clean().await?;
        anyhow::bail!("a step of the demo was not seen");
    }
    if !arguments.exit {
        say!("\nCtrl-C ends the demo and everything it started.");
        tokio::signal::ctrl_c().await?;
    }
    scene.clean().await
}

async fn show(scene: &Scene, started: Instant) -> Result<()> {
    let done = |what: &str| say!("✔ {what} ({:.1} s)", started.elapsed().as_secs_f64());
    let first = scene.push_sample()?;
    done(&format!("pushed the sample as {}", &first[..7]));
    scene.apply_objects().await?;
    done("told Millrace about it: GitRepository, Kustomization, Receiver, Provider, Alert");
    scene.wait_ready(&first, READY_LIMIT).await?;
    done("first commit is applied and healthy");
    let hook = scene.start_hook().await?;
    done("the Git server calls the webhook on every push from now on");
    let journey = journey::watch(scene, &hook).await?;
    say!("\n{journey}\n");
    say!("{}", table::of(scene).await?);
    say!("{}", scene.hints());
    Ok(())
}
