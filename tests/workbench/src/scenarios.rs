//! Plays the recorded stories against the program as one process, with the runner that lies beside the recordings.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use millrace_harness::millrace::{Ports, find_program};
use millrace_harness::{ControlPlane, Profile, tools};
use serde_json::{Value, json};

/// The stories that must pass, one id a line; an id with `: text` behind it waits for what the text says.
const EXPECTATIONS: &str = include_str!("../scenarios.txt");

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only the stories with these ids
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only the stories that are promised to pass
    #[arg(long, conflicts_with = "only")]
    promised: bool,
    /// How many at a time
    #[arg(long, default_value_t = 6)]
    jobs: u32,
    /// Folders with `cases.yaml` and `expect.yaml` instead of the recorded ones
    folders: Vec<PathBuf>,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    let recorded = tools::repository().join("../shared/conformance/scenarios");
    if !recorded.join("run.py").exists() {
        writeln!(
            std::io::stdout(),
            "skipped: there is no recorded data at {}\n0 passed, 0 failed",
            recorded.display()
        )?;
        return Ok(());
    }
    let control_plane = ControlPlane::start(Profile::Full).await?;
    control_plane.install_crds().await?;
    let work = work_folder()?;
    let controllers = work.join("controllers.json");
    std::fs::write(&controllers, serde_json::to_string_pretty(&controllers_of(&find_program()?)?)?)?;
    let mut command = runner(&recorded, &work)?;
    command.arg("--kubeconfig").arg(control_plane.kubeconfig()).arg("--controllers").arg(&controllers);
    let folders = if arguments.folders.is_empty() { vec![recorded] } else { arguments.folders.clone() };
    for (flag, file) in [("--cases", "cases.yaml"), ("--check", "expect.yaml")] {
        command.arg(flag).args(folders.iter().map(|folder| folder.join(file)));
    }
    let only = if arguments.promised { promised() } else { arguments.only.clone() };
    if arguments.promised && only.is_empty() {
        writeln!(std::io::stdout(), "no story is promised yet\n0 passed, 0 failed")?;
        return Ok(());
    }
    if !only.is_empty() {
        command.args(["--only", &only.join(",")]);
    }
    command.args(["--jobs", &arguments.jobs.to_string()]);
    let outcome = play(command)?;
    report(&outcome, &work)
}

/// The runner, with the environment it needs and no more.
fn runner(recorded: &Path, work: &Path) -> Result<Command> {
    let tools = tools::folder()?;
    let python = tools.join("scenario-python/bin/python");
    ensure!(python.exists(), "the runner's Python is not installed: run `cargo xtask tools scenario-python`");
    let mut command = Command::new(python);
    command.env_clear().env("HOME", work).env("LANG", "C.UTF-8").env("PYTHONDONTWRITEBYTECODE", "1");
    // The runner calls kubectl and git by name.
    command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", tools.join("bin").display()));
    command.arg(recorded.join("run.py")).arg("--work").arg(work.join("run"));
    Ok(command)
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

/// How the runner starts the program: all controllers in one process, with the flags of the recording.
fn controllers_of(program: &Path) -> Result<Value> {
    let ports = Ports::take()?;
    let address = |port: u16| format!("127.0.0.1:{port}");
    let arguments = [
        program.display().to_string(),
        "controllers".to_owned(),
        "--watch-all-namespaces=true".to_owned(),
        "--log-encoding=json".to_owned(),
        "--storage-path={work}/store".to_owned(),
        format!("--storage-addr={}", address(ports.storage)),
        format!("--storage-adv-addr={}", address(ports.storage)),
        format!("--notification-events-addr={}", address(ports.events)),
        format!("--receiverAddr={}", address(ports.receiver)),
        format!("--metrics-addr={}", address(ports.metrics)),
        format!("--health-addr={}", address(ports.health)),
        "--concurrent=20".to_owned(),
        "--requeue-dependency=3s".to_owned(),
        "--kube-api-qps=1000".to_owned(),
        "--kube-api-burst=2000".to_owned(),
    ];
    Ok(json!({
        "controllers": {"millrace": arguments},
        "addresses": {
            "storage": address(ports.storage), "events": address(ports.events), "receiver": address(ports.receiver),
        },
        "ready": [format!("http://{}/readyz", address(ports.health))],
        "variants": {
            "strict-substitution": {"millrace": ["--feature-gates=StrictPostBuildSubstitutions=true"]},
            "no-cross-namespace-refs": {"millrace": ["--no-cross-namespace-refs=true"]},
        },
    }))
}

/// Which stories passed.
struct Outcome {
    passed: BTreeMap<String, bool>,
    /// Whether the runner came to its end.
    is_whole: bool,
}

/// Runs the runner, prints what it prints, and reads the verdicts.
fn play(mut command: Command) -> Result<Outcome> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start the runner")?;
    let stdout = child.stdout.take().context("the output is piped")?;
    let mut passed = BTreeMap::new();
    let mut is_whole = false;
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        if let Some((id, verdict)) = verdict(&line) {
            passed.insert(id.to_owned(), verdict);
        }
        // Its closing line comes with a duration; ours follows.
        if line.contains(" passed, ") {
            is_whole = true;
        } else {
            writeln!(std::io::stdout(), "{line}")?;
        }
    }
    child.wait()?;
    Ok(Outcome { passed, is_whole })
}

/// Reads `ok   ID (1.2s)` and `FAIL ID (1.2s)`.
fn verdict(line: &str) -> Option<(&str, bool)> {
    let mut words = line.split_whitespace();
    let passed = match words.next()? {
        "ok" if line.starts_with("ok") => true,
        "FAIL" if line.starts_with("FAIL") => false,
        _ => return None,
    };
    Some((words.next()?, passed))
}

fn report(outcome: &Outcome, work: &Path) -> Result<()> {
    let mut out = std::io::stdout();
    let failed: Vec<&String> =
        outcome.passed.iter().filter(|(_, passed)| !**passed).map(|(id, _)| id).collect();
    let must: BTreeSet<String> = promised().into_iter().collect();
    let broken: Vec<&str> = failed.iter().filter(|id| must.contains(**id)).map(|id| id.as_str()).collect();
    for (id, _) in outcome.passed.iter().filter(|(id, passed)| **passed && !must.contains(*id)) {
        writeln!(out, "{id} passes and is not promised yet")?;
    }
    if !failed.is_empty() {
        writeln!(out, "logs: {}", work.join("run").display())?;
    }
    writeln!(out, "{} passed, {} failed", outcome.passed.len() - failed.len(), failed.len())?;
    ensure!(outcome.is_whole, "the runner broke off: some stories were not played");
    if !broken.is_empty() {
        bail!("promised and failed: {}", broken.join(", "));
    }
    Ok(())
}

fn promised() -> Vec<String> {
    let lines = EXPECTATIONS.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter(|line| !line.contains(':')).map(str::to_owned).collect()
}
