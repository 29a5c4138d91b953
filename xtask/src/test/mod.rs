//! `cargo xtask test`: everything that must hold before a change lands.

mod cluster;
mod steps;
mod tally;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::say::{say, spell};
use crate::tools;
use crate::workspace::Workspace;
use cluster::Cluster;
use tally::Tally;

/// How much to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Level {
    /// What needs no cluster
    Fast,
    /// Everything
    Full,
}

/// What the steps share.
struct Run<'a> {
    workspace: &'a Workspace,
    tally: Tally,
    cluster: Option<Cluster>,
}

/// One step: its name and what it does.
type Step = (&'static str, fn(&mut Run<'_>) -> Result<()>);

const FAST: &[Step] = &[
    ("format", steps::format),
    ("layers", steps::layers),
    ("dependencies", steps::dependencies),
    ("lints", steps::lints),
    ("documentation", steps::documentation),
    ("build", steps::build),
    ("unit and crate tests", steps::crate_tests),
    ("conformance", steps::conformance),
];

const CLUSTER: &[Step] = &[
    ("documentation tests", steps::documentation_tests),
    ("harness and end-to-end tests", steps::cluster_tests),
    ("scenarios", steps::scenarios),
    ("contract", steps::contract),
];

/// Runs the steps one after the other, all of them, and ends with a summary.
///
/// # Errors
/// When a step failed.
pub(crate) fn run(workspace: &Workspace, level: Level) -> Result<()> {
    let started = Instant::now();
    let mut needed = vec!["cargo-nextest", "cargo-deny"];
    let mut steps = FAST.to_vec();
    if level == Level::Full {
        needed.extend(tools::BENCH);
        needed.extend(["kubectl", "flux", "helm", "scenario-python"]);
        steps.extend(CLUSTER);
    }
    tools::ensure(workspace, &needed)?;
    let mut run = Run { workspace, tally: Tally::default(), cluster: None };
    let mut outcomes = Vec::new();
    for (name, step) in steps {
        say!("\n== {name}");
        let began = Instant::now();
        let result = step(&mut run);
        if let Err(error) = &result {
            say!("{name} failed: {error:#}");
        }
        outcomes.push((name, result.is_ok(), began.elapsed()));
    }
    run.cluster = None;
    summarize(&outcomes, &run.tally, started.elapsed())
}

fn summarize(outcomes: &[(&str, bool, Duration)], tally: &Tally, total: Duration) -> Result<()> {
    say!("\n== summary ({})", spell(total));
    for (name, passed, duration) in outcomes {
        say!("{}  {name:<30} {}", if *passed { "ok    " } else { "FAILED" }, spell(*duration));
    }
    let failed: Vec<&str> =
        outcomes.iter().filter(|(_, passed, _)| !passed).map(|(name, ..)| *name).collect();
    for line in &tally.lines {
        say!("{line}");
    }
    say!("{} passed, {} failed", tally.passed, tally.failed);
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}
