//! `cargo xtask conformance SET`: recorded cases through the code that ships.
//!
//! Sets of single functions run in the program of `tests/conformance`, stories against a cluster in that of `tests/workbench`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::cargo::Programs;
use crate::workspace::Workspace;
use crate::{environment, tools};

/// The set of stories that are played against a control plane.
const SCENARIOS: &str = "scenarios";

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of the set, such as `envsubst`; `all` runs what is promised of every set but the scenarios
    set: String,
    /// Only these areas
    #[arg(long, value_delimiter = ',')]
    area: Vec<String>,
    /// Only the cases with these ids
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How many scenarios at a time
    #[arg(long, default_value_t = 6)]
    jobs: u32,
    /// Scenarios: hold back every request of the controllers to the API server by this much
    #[arg(long)]
    delay_ms: Option<u64>,
    /// Scenarios: restart the controllers after every step
    #[arg(long)]
    restart_between_steps: bool,
    /// Files or folders of cases instead of the recorded ones
    paths: Vec<PathBuf>,
}

/// Runs a set; the program's exit status is not zero when a case fails.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let mut command = if arguments.set == SCENARIOS {
        let mut command = stories(workspace, Programs::OnDemand)?;
        command.args(["--jobs", &arguments.jobs.to_string()]);
        if let Some(delay) = arguments.delay_ms {
            command.args(["--delay-ms", &delay.to_string()]);
        }
        command.args(arguments.restart_between_steps.then_some("--restart-between-steps"));
        command
    } else {
        let mut command = functions(workspace, Programs::OnDemand)?;
        command.arg(&arguments.set).args(list("--area", &arguments.area));
        command
    };
    command.args(list("--only", &arguments.only));
    for path in &arguments.paths {
        // The programs run at the top of the checkout, the user may stand elsewhere.
        command.arg(std::path::absolute(path)?);
    }
    let status = command.status().context("cannot start the runner")?;
    if !status.success() {
        bail!("{} does not conform", arguments.set);
    }
    Ok(())
}

/// The command that runs what is promised of every set of functions.
pub(crate) fn promised(workspace: &Workspace) -> Result<Command> {
    let mut command = functions(workspace, Programs::Built)?;
    command.arg("all");
    Ok(command)
}

/// The command that plays the scenarios that are promised to pass, and a few of them under harder conditions.
pub(crate) fn promised_scenarios(workspace: &Workspace) -> Result<Command> {
    let mut command = stories(workspace, Programs::Built)?;
    command.args(["--promised", "--sample"]);
    Ok(command)
}

fn functions(workspace: &Workspace, programs: Programs) -> Result<Command> {
    let program = programs.get(workspace, "millrace-conformance")?;
    let mut command = environment::command(program);
    command.current_dir(workspace.root());
    Ok(command)
}

fn stories(workspace: &Workspace, programs: Programs) -> Result<Command> {
    tools::ensure(workspace, tools::BENCH)?;
    tools::ensure(workspace, &["kubectl", "scenario-python"])?;
    let millrace = programs.get(workspace, "millrace")?;
    let program = programs.get(workspace, "millrace-workbench")?;
    let mut command = environment::command(program);
    command.current_dir(workspace.root()).arg("scenarios").env("MILLRACE_BIN", millrace);
    Ok(command)
}

fn list(flag: &str, values: &[String]) -> Vec<OsString> {
    if values.is_empty() { Vec::new() } else { vec![flag.into(), values.join(",").into()] }
}
