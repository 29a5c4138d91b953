//! `cargo xtask demo`: a commit flows from a Git server into a cluster, watched step by step.

mod guest;
mod hook;
mod journey;
mod place;
mod scene;
mod table;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::say::say;
use hook::Hook;
use place::Place;
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
    // Ends at Ctrl-C without a word: until here, nothing has been changed.
    let place = Place::open(arguments.cluster.as_deref()).await.context("the demo can't play there")?;
    let played = tokio::select! {
        played = play(&place, arguments) => played,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    let cleared = place.clear().await;
    played.and(cleared)
}

/// Plays the demo; unless it is told to end, it goes on until it is dropped.
async fn play(place: &Place, arguments: &Arguments) -> Result<()> {
    let started = Instant::now();
    let kubeconfig = place.prepare().await.context("the cluster could not be prepared")?;
    let scene = Scene::set(place, &kubeconfig).await.context("the scene could not be set")?;
    // Pushes are told to Millrace as long as this is there.
    let _hook = match show(&scene, started).await {
        Ok(hook) => hook,
        Err(error) => {
            let logs = scene.keep_logs()?;
            say!("failed: {error:#}");
            say!("logs: {}", logs.display());
            say!("next: less {}", logs.join("millrace.log").display());
            anyhow::bail!("a step of the demo was not seen");
        }
    };
    if arguments.exit {
        say!("\nNext: the same without --exit stays, and says what to try.");
    } else {
        say!("{}", scene.hints());
        say!("\nCtrl-C ends the demo and everything it started.");
        std::future::pending::<()>().await;
    }
    Ok(())
}

/// Shows the whole way of a commit; what it returns is the webhook, which is called on later pushes, too.
async fn show(scene: &Scene<'_>, started: Instant) -> Result<Arc<Hook>> {
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
    Ok(hook)
}
