//! `cargo xtask demo` and `cargo xtask bench`: builds what they need, says beforehand how long that takes, and hands over.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::say::{say, spell};
use crate::workspace::Workspace;
use crate::{cargo, environment, tools};

/// Seconds of a build from nothing on two cores.
const COLD_BUILD: u32 = 600;
const COLD_WORKBENCH: u32 = 240;
/// Seconds of either build when only some of it has changed.
const WARM_BUILD: u32 = 60;
const START: u32 = 20;
const PLAY: u32 = 15;

/// What to show.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// End after the proof; the exit status is 0 only if every step was seen
    #[arg(long)]
    exit: bool,
    /// Use the cluster of $KUBECONFIG instead of starting one; builds nothing but Rust
    #[arg(long)]
    cluster: bool,
}

/// Shows how a commit gets into a cluster.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let kubeconfig = if arguments.cluster { Some(borrowed()?) } else { None };
    let needed = if kubeconfig.is_some() { tools::GUEST.to_vec() } else { own() };
    announce(workspace, &needed, kubeconfig.is_some())?;
    tools::ensure(workspace, &needed)?;
    let mut command = workbench(workspace)?;
    command.arg("demo");
    if arguments.exit {
        command.arg("--exit");
    }
    if let Some(path) = kubeconfig {
        command.arg("--cluster").arg(path);
    }
    // In place of this program, so that Ctrl-C reaches the demo alone and it can tidy up.
    Err(command.exec()).context("cannot start the demo")
}

/// Measures; the arguments are the workbench's.
pub(crate) fn bench(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let compares = arguments.first().is_some_and(|name| name == "build");
    tools::ensure(workspace, &if compares { vec!["kustomize"] } else { own() })?;
    let mut command = workbench(workspace)?;
    command.arg("bench").args(arguments);
    if compares {
        let example =
            cargo::build_example(workspace, "millrace-kustomize-command", "side_by_side", cargo::OPTIMISED)?;
        command.env("MILLRACE_SIDE_BY_SIDE", example);
        command
            .env("MILLRACE_LAUNCH", cargo::build(workspace, "millrace-workbench", "millrace-launch", "dev")?);
    }
    Err(command.exec()).context("cannot start the benchmark")
}

/// The kubeconfig of the cluster to use, checked before minutes of building.
fn borrowed() -> Result<PathBuf> {
    let path = environment::variable("KUBECONFIG").context("set KUBECONFIG to the cluster to use")?;
    let path = std::path::absolute(path)?;
    ensure!(path.is_file(), "KUBECONFIG has to name one file: {} is none", path.display());
    Ok(path)
}

/// What a control plane of our own needs, with the rights of the chart.
fn own() -> Vec<&'static str> {
    [tools::BENCH, &["kubectl", "helm"]].concat()
}

fn workbench(workspace: &Workspace) -> Result<std::process::Command> {
    let build = |package: &str, profile: &str| {
        say!("building {package} ({profile}) …");
        let started = Instant::now();
        let program = cargo::build(workspace, package, package, profile)?;
        say!("✔ built {package} ({})", spell(started.elapsed()));
        anyhow::Ok(program)
    };
    let millrace = build("millrace", cargo::OPTIMISED)?;
    let program = build("millrace-workbench", "dev")?;
    let mut command = environment::command(program);
    command.current_dir(workspace.root()).env("MILLRACE_BIN", millrace);
    Ok(command)
}

fn announce(workspace: &Workspace, needed: &[&str], is_borrowed: bool) -> Result<()> {
    let seconds = |folder: &str, program: &str, cold| {
        if workspace.target().join(folder).join(program).exists() { WARM_BUILD } else { cold }
    };
    let cluster = if is_borrowed { "use your cluster" } else { "start a control plane" };
    let steps = [
        ("install the programs of the test bench".to_owned(), tools::missing_seconds(workspace, needed)?),
        ("build Millrace, optimised".to_owned(), seconds(cargo::OPTIMISED, "millrace", COLD_BUILD)),
        (
            "build the workbench, which plays the demo".to_owned(),
            seconds("debug", "millrace-workbench", COLD_WORKBENCH),
        ),
        (format!("{cluster}, a Git server with a webhook, a chat receiver, and Millrace"), START),
        ("push a sample and a change to it, and watch the change arrive".to_owned(), PLAY),
    ];
    let total: u32 = steps.iter().map(|(_, seconds)| seconds).sum();
    say!("The demo takes about {}:", spell(Duration::from_secs(u64::from(total))));
    for (number, (step, seconds)) in (1..).zip(&steps) {
        let time = if *seconds == 0 {
            "done already".to_owned()
        } else {
            spell(Duration::from_secs(u64::from(*seconds)))
        };
        say!("  {number}. {step} ({time})");
    }
    say!("");
    Ok(())
}
