//! Plays the recorded stories against the program as one process, with the runner that lies beside the recordings.
//!
//! They can be made harder than they were recorded: with a slow API server (`--delay-ms`, by the API proxy), and with the
//! controllers restarted after every step (`--restart-between-steps`, by rewriting the stories).

mod controllers;
mod pardons;
mod play;
mod restarts;
mod verdict;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use millrace_harness::{ControlPlane, Profile, tools};

use play::{Play, Stage};
use verdict::Outcome;

/// The stories that must pass, one id a line; an id with `: text` behind it waits for what the text says.
const EXPECTATIONS: &str = include_str!("../../scenarios.txt");

/// What a sample of the harder modes plays: a story per part of the program, none of them slow.
const SAMPLE: [&str; 5] = ["apply-move", "delete-prune", "drift-env-edit", "git-include", "notify-generic"];
/// The delay of the sample.
const SAMPLE_DELAY_MS: u64 = 50;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only the stories with these ids
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only the stories that are promised to pass
    #[arg(long, conflicts_with = "only")]
    promised: bool,
    /// How many at a time; one if the controllers are restarted
    #[arg(long, default_value_t = 6)]
    jobs: u32,
    /// Hold back every request of the controllers to the API server by this much
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// Restart the controllers after every step
    #[arg(long)]
    restart_between_steps: bool,
    /// Then play a handful with a slow API server, and with restarts
    #[arg(long)]
    sample: bool,
    /// Folders with `cases.yaml` and `expect.yaml` instead of the recorded ones
    folders: Vec<PathBuf>,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    let recorded = tools::repository().join("../shared/conformance/scenarios");
    let mut out = std::io::stdout();
    if !recorded.join("run.py").exists() {
        writeln!(out, "skipped: there is no recorded data at {}\n0 passed, 0 failed", recorded.display())?;
        return Ok(());
    }
    let plays = plays(arguments);
    if plays.iter().any(|play| play.only.as_ref().is_some_and(Vec::is_empty)) {
        writeln!(out, "no story is promised yet\n0 passed, 0 failed")?;
        return Ok(());
    }
    let control_plane = ControlPlane::start(Profile::Full).await?;
    control_plane.install_crds().await?;
    let folders =
        if arguments.folders.is_empty() { vec![recorded.clone()] } else { arguments.folders.clone() };
    let stage = Stage { control_plane: &control_plane, runner: recorded, folders, work: work_folder()? };
    let mut broken = Vec::new();
    for (at, play) in plays.iter().enumerate() {
        let work = stage.work.join(format!("run-{}", at + 1));
        if let Some(mode) = play.mode() {
            writeln!(out, "{mode}:")?;
        }
        let outcome = stage.play(play, &work).await?;
        broken.extend(report(&outcome, &work)?);
    }
    if !broken.is_empty() {
        bail!("promised and failed: {}", broken.join(", "));
    }
    Ok(())
}

/// What the flags ask for, in order.
fn plays(arguments: &Arguments) -> Vec<Play> {
    let only = if arguments.promised {
        Some(promised())
    } else {
        (!arguments.only.is_empty()).then(|| arguments.only.clone())
    };
    let main = Play {
        only,
        jobs: arguments.jobs,
        delay: Duration::from_millis(arguments.delay_ms),
        restarts: arguments.restart_between_steps,
    };
    let mut plays = vec![main];
    if arguments.sample {
        let only = Some(SAMPLE.map(str::to_owned).to_vec());
        let delay = Duration::from_millis(SAMPLE_DELAY_MS);
        plays.push(Play { only: only.clone(), jobs: arguments.jobs, delay, restarts: false });
        plays.push(Play { only, jobs: arguments.jobs, delay: Duration::ZERO, restarts: true });
    }
    plays
}

/// An empty folder that stays after the run, for its logs.
fn work_folder() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().context("a program lies in a folder")?.join("scenarios");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Prints the figures and returns the stories that are promised and failed.
fn report(outcome: &Outcome, work: &Path) -> Result<Vec<String>> {
    let mut out = std::io::stdout();
    let failed = outcome.failed();
    let must: BTreeSet<String> = promised().into_iter().collect();
    for (id, _) in outcome.passed.iter().filter(|(id, passed)| **passed && !must.contains(*id)) {
        writeln!(out, "{id} passes and is not promised yet")?;
    }
    if !failed.is_empty() {
        writeln!(out, "logs: {}", work.display())?;
    }
    writeln!(out, "{} passed, {} failed", outcome.passed.len() - failed.len(), failed.len())?;
    ensure!(outcome.is_whole, "the runner broke off: some stories were not played");
    Ok(failed.into_iter().filter(|id| must.contains(id)).collect())
}

fn promised() -> Vec<String> {
    let lines = EXPECTATIONS.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter(|line| !line.contains(':')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_promised() {
        let promised = promised();
        for id in SAMPLE {
            assert!(promised.iter().any(|one| one == id), "{id}");
        }
    }
}
