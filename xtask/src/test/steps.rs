//! The steps of a test run.

use anyhow::{Context as _, Result, ensure};

use super::Run;
use super::cluster::Cluster;
use crate::cargo::{self, Programs, cargo};
use crate::workspace::Workspace;
use crate::{conformance, contract, environment, layers};

/// Packages whose tests need the programs of the test bench.
const ON_CLUSTER: [&str; 2] = ["millrace-harness", "millrace-e2e"];
/// End-to-end tests wait more than they compute.
const CLUSTER_THREADS: &str = "6";

pub(super) fn format(run: &mut Run<'_>) -> Result<()> {
    plain(run.workspace, &["fmt", "--all", "--check"], None)
}

pub(super) fn layers(run: &mut Run<'_>) -> Result<()> {
    layers::check(run.workspace)
}

pub(super) fn dependencies(run: &mut Run<'_>) -> Result<()> {
    let mut command = environment::command(run.workspace.tool("cargo-deny"));
    command.current_dir(run.workspace.root()).args([
        "check",
        "--hide-inclusion-graph",
        "bans",
        "licenses",
        "sources",
    ]);
    let status = command.status().context("cannot start cargo-deny")?;
    ensure!(status.success(), "cargo deny: {status}");
    Ok(())
}

pub(super) fn lints(run: &mut Run<'_>) -> Result<()> {
    plain(run.workspace, &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"], None)
}

pub(super) fn documentation(run: &mut Run<'_>) -> Result<()> {
    plain(
        run.workspace,
        &["doc", "--quiet", "--workspace", "--no-deps"],
        Some(("RUSTDOCFLAGS", "-D warnings")),
    )
}

pub(super) fn build(run: &mut Run<'_>) -> Result<()> {
    cargo::build_all(run.workspace)
}

pub(super) fn crate_tests(run: &mut Run<'_>) -> Result<()> {
    let mut command = nextest(run.workspace);
    command.args(["--filterset", &format!("not ({})", on_cluster())]);
    run.tally.run("unit and crate tests", &mut command)
}

pub(super) fn documentation_tests(run: &mut Run<'_>) -> Result<()> {
    plain(run.workspace, &["test", "--quiet", "--workspace", "--doc"], None)
}

pub(super) fn conformance(run: &mut Run<'_>) -> Result<()> {
    let mut command = conformance::promised(run.workspace)?;
    run.tally.run("conformance", &mut command)
}

pub(super) fn cluster_tests(run: &mut Run<'_>) -> Result<()> {
    let program = Programs::Built.get(run.workspace, "millrace")?;
    let cluster = Cluster::start(run.workspace)?;
    let mut command = nextest(run.workspace);
    command.args(["--filterset", &on_cluster(), "--test-threads", CLUSTER_THREADS]);
    command.env("MILLRACE_CLUSTER", cluster.description()).env("MILLRACE_BIN", program);
    run.cluster = Some(cluster);
    let result = run.tally.run("harness and end-to-end tests", &mut command);
    run.cluster = None;
    result
}

pub(super) fn scenarios(run: &mut Run<'_>) -> Result<()> {
    let mut command = conformance::promised_scenarios(run.workspace)?;
    run.tally.run("scenarios", &mut command)
}

pub(super) fn contract(run: &mut Run<'_>) -> Result<()> {
    contract::run(run.workspace, contract::Options { open: false, summary: true })
}

/// The packages of [`ON_CLUSTER`] in nextest's words.
fn on_cluster() -> String {
    ON_CLUSTER.map(|package| format!("package({package})")).join(" or ")
}

/// The runner over the whole workspace: a part of it would be built with other features of its dependencies.
fn nextest(workspace: &Workspace) -> std::process::Command {
    let mut command = environment::command(workspace.tool("cargo-nextest"));
    command.current_dir(workspace.root()).env("CARGO_TARGET_DIR", workspace.target());
    command.args(["nextest", "run", "--workspace", "--cargo-quiet", "--hide-progress-bar"]);
    command.args(["--status-level", "slow", "--final-status-level", "fail"]);
    command
}

fn plain(workspace: &Workspace, arguments: &[&str], variable: Option<(&str, &str)>) -> Result<()> {
    let mut command = cargo(workspace, arguments);
    command.envs(variable);
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "cargo {}: {status}", arguments.join(" "));
    Ok(())
}
