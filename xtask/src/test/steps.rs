//! The steps of a test run.

use anyhow::{Context as _, Result, ensure};

use super::Run;
use super::cluster::Cluster;
use super::tenants;
use crate::cargo::{self, Programs, cargo};
use crate::workspace::Workspace;
use crate::{conformance, contract, docs, environment, layers};

/// Tests of the whole, in nextest's words.
const ON_CLUSTER: &str =
    "(package(millrace-harness) or package(millrace-e2e) or package(millrace-workbench))";
/// Tests of a controller, most of which start an API server of their own.
const OF_CONTROLLERS: &str =
    "((package(millrace-source-controller) or package(millrace-kustomize-controller)) and kind(test))";
const KILL_MATRIX: &str = "package(millrace-e2e) and test(/^faults::kills::/)";
/// Asks for all of its rows.
const ALL_KILLS: (&str, &str) = ("MILLRACE_KILLS", "all");
/// End-to-end tests wait more than they compute.
const CLUSTER_THREADS: &str = "6";
/// So do these, but each has servers to start.
const CONTROLLER_THREADS: &str = "3";

pub(super) fn format(run: &mut Run<'_>) -> Result<()> {
    plain(run.workspace, &["fmt", "--all", "--check"], None)
}

pub(super) fn layers(run: &mut Run<'_>) -> Result<()> {
    layers::check(run.workspace)
}

pub(super) fn pages(run: &mut Run<'_>) -> Result<()> {
    docs::check(run.workspace)
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
    command.args(["--filterset", &format!("not {ON_CLUSTER} and not {OF_CONTROLLERS}")]);
    run.matrices.tell(&mut command);
    run.tally.run("unit and crate tests", &mut command)
}

pub(super) fn controller_tests(run: &mut Run<'_>) -> Result<()> {
    let mut command = nextest(run.workspace);
    command.args(["--filterset", OF_CONTROLLERS, "--test-threads", CONTROLLER_THREADS]);
    run.matrices.tell(&mut command);
    run.tally.run("controller tests", &mut command)
}

pub(super) fn documentation_tests(run: &mut Run<'_>) -> Result<()> {
    plain(run.workspace, &["test", "--quiet", "--workspace", "--doc"], None)
}

pub(super) fn conformance(run: &mut Run<'_>) -> Result<()> {
    let mut command = conformance::promised(run.workspace)?;
    run.tally.run("conformance", &mut command)
}

pub(super) fn cluster_tests(run: &mut Run<'_>) -> Result<()> {
    on_shared_cluster(run, "harness and end-to-end tests", ON_CLUSTER, &[])
}

pub(super) fn tenant_tests(run: &mut Run<'_>) -> Result<()> {
    let before = (run.tally.passed, run.tally.failed);
    let result =
        on_shared_cluster(run, "end-to-end tests of tenants", &tenants::filter(), &[tenants::VARIABLE]);
    tenants::note(&run.matrices, before, &run.tally)?;
    result
}

/// A minute of `cargo xtask bench faults`, whose full length is twenty.
pub(super) fn faults(run: &mut Run<'_>) -> Result<()> {
    let millrace = Programs::Built.get(run.workspace, "millrace")?;
    let mut command = environment::command(Programs::Built.get(run.workspace, "millrace-workbench")?);
    command.current_dir(run.workspace.root()).env("MILLRACE_BIN", millrace);
    command.args(["bench", "faults", "--minutes", "1", "--n", "40"]);
    run.tally.run("faults", &mut command)
}

pub(super) fn kills(run: &mut Run<'_>) -> Result<()> {
    on_shared_cluster(run, "kill matrix", KILL_MATRIX, &[ALL_KILLS])
}

pub(super) fn tenant_kills(run: &mut Run<'_>) -> Result<()> {
    on_shared_cluster(run, "kill matrix of tenants", KILL_MATRIX, &[ALL_KILLS, tenants::VARIABLE])
}

/// Runs tests on one control plane that they share.
fn on_shared_cluster(run: &mut Run<'_>, what: &str, filter: &str, variables: &[(&str, &str)]) -> Result<()> {
    let program = Programs::Built.get(run.workspace, "millrace")?;
    let cluster = Cluster::start(run.workspace)?;
    let mut command = nextest(run.workspace);
    command.args(["--filterset", filter, "--test-threads", CLUSTER_THREADS]);
    command.env("MILLRACE_CLUSTER", cluster.description()).env("MILLRACE_BIN", program);
    command.envs(variables.iter().copied());
    run.matrices.tell(&mut command);
    run.cluster = Some(cluster);
    let result = run.tally.run(what, &mut command);
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
