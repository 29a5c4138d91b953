//! `cargo xtask test`: everything that must hold before a change lands.

mod cluster;
mod matrices;
mod steps;
mod tally;
mod tenants;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::say::{say, spell};
use crate::tools;
use crate::workspace::Workspace;
use cluster::Cluster;
use matrices::{Matrices, Sum};
use tally::Tally;

/// How much to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Level {
    /// What needs no cluster
    Fast,
    /// Everything
    Full,
    /// Every row of the kill matrix, which the full run tries some of, without and with tenants
    Kills,
}

/// What the steps share.
struct Run<'a> {
    workspace: &'a Workspace,
    tally: Tally,
    matrices: Matrices,
    cluster: Option<Cluster>,
}

/// One step: its name and what it does.
type Step = (&'static str, fn(&mut Run<'_>) -> Result<()>);

const FAST: &[Step] = &[
    ("format", steps::format),
    ("layers", steps::layers),
    ("pages", steps::pages),
    ("dependencies", steps::dependencies),
    ("lints", steps::lints),
    ("documentation", steps::documentation),
    ("build", steps::build),
    ("unit and crate tests", steps::crate_tests),
    ("conformance", steps::conformance),
];

const CLUSTER: &[Step] = &[
    ("documentation tests", steps::documentation_tests),
    ("controller tests", steps::controller_tests),
    ("harness and end-to-end tests", steps::cluster_tests),
    ("end-to-end tests of tenants", steps::tenant_tests),
    ("faults", steps::faults),
    ("scenarios", steps::scenarios),
    ("contract", steps::contract),
];

const KILLS: &[Step] = &[
    ("build", steps::build),
    ("kill matrix", steps::kills),
    ("kill matrix of tenants", steps::tenant_kills),
];

/// Runs the steps one after the other, all of them, and ends with a summary.
///
/// # Errors
/// When a step failed.
pub(crate) fn run(workspace: &Workspace, level: Level) -> Result<()> {
    let started = Instant::now();
    let mut needed = vec!["cargo-nextest", "cargo-deny"];
    let steps = match level {
        Level::Fast => FAST.to_vec(),
        Level::Full => [FAST, CLUSTER].concat(),
        Level::Kills => KILLS.to_vec(),
    };
    if level != Level::Fast {
        needed.extend(tools::BENCH);
        needed.extend(["kubectl", "flux", "helm", "kustomize", "scenario-python"]);
    }
    tools::ensure(workspace, &needed)?;
    let mut run =
        Run { workspace, tally: Tally::default(), matrices: Matrices::new(workspace)?, cluster: None };
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
    summarize(&outcomes, &run, started.elapsed())
}

fn summarize(outcomes: &[(&str, bool, Duration)], run: &Run<'_>, total: Duration) -> Result<()> {
    let Run { tally, matrices, .. } = run;
    say!("\n== summary ({})", spell(total));
    for (name, passed, duration) in outcomes {
        say!("{}  {name:<30} {}", if *passed { "ok    " } else { "FAILED" }, spell(*duration));
    }
    let mut failed: Vec<String> =
        outcomes.iter().filter(|(_, passed, _)| !passed).map(|(name, ..)| (*name).to_owned()).collect();
    match matrices.sums() {
        Ok(sums) => {
            for line in sums.iter().flat_map(Sum::lines) {
                say!("{line}");
            }
            failed.extend(sums.into_iter().filter(Sum::has_failed).map(|sum| sum.name));
        }
        Err(error) => failed.push(format!("{error:#}")),
    }
    for line in &tally.lines {
        say!("{line}");
    }
    say!("{} passed, {} failed", tally.passed, tally.failed);
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}
