//! Children end with the harness, grandchildren too.

use std::path::Path;
use std::time::Duration;

use millrace_harness::process::{Launch, Process};
use millrace_harness::until;

/// Tells a copy of this program that it is the one to be killed.
const VICTIM: &str = "HARNESS_VICTIM";
const LIMIT: Duration = Duration::from_secs(10);

/// A shell that starts a child of its own, prints that child's id, and waits.
fn family(work: &Path) -> Process {
    let script = "sleep 1000 & echo $!; trap 'echo asked; exit 7' TERM; while true; do sleep 0.05; done";
    Launch::new("family", "/bin/sh".into(), work).args(["-c", script]).start().unwrap()
}

async fn grandchild(process: &Process) -> String {
    until("the grandchild", LIMIT, async || process.log().lines().next().map(str::to_owned)).await.unwrap()
}

fn runs(id: &str) -> bool {
    // A zombie has no command line.
    std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| !line.is_empty())
}

#[tokio::test]
async fn dropping_a_process_kills_what_it_started() {
    let work = tempfile::tempdir().unwrap();
    let process = family(work.path());
    let grandchild = grandchild(&process).await;
    assert!(runs(&grandchild));
    drop(process);
    until("the end of the grandchild", LIMIT, async || (!runs(&grandchild)).then_some(())).await.unwrap();
}

#[tokio::test]
async fn stopping_asks_first_and_returns_the_exit_status() {
    let work = tempfile::tempdir().unwrap();
    let mut process = family(work.path());
    let grandchild = grandchild(&process).await;
    let status = process.stop(LIMIT).await.unwrap();
    assert_eq!(status.code(), Some(7));
    assert!(process.log().contains("asked"));
    until("the end of the grandchild", LIMIT, async || (!runs(&grandchild)).then_some(())).await.unwrap();
}

/// Run in a process of its own by the test below; by itself it has nothing to do.
#[test]
fn a_harness_that_is_killed() {
    if std::env::vars_os().any(|(name, _)| name == VICTIM) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = millrace_harness::GitServer::start().await.unwrap();
            println!("serving {}", server.repositories().display());
            std::future::pending::<()>().await;
        });
    }
}

#[tokio::test]
async fn a_killed_harness_leaves_neither_processes_nor_folders() {
    use std::io::{BufRead as _, BufReader};
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "process::a_harness_that_is_killed", "--nocapture"])
        .env(VICTIM, "1")
        .stdout(std::process::Stdio::piped());
    let mut harness = command.spawn().unwrap();
    let lines = BufReader::new(harness.stdout.take().unwrap()).lines();
    let line = lines
        .map_while(Result::ok)
        .find_map(|line| line.split_once("serving ").map(|(_, path)| path.to_owned()));
    let repositories = std::path::PathBuf::from(line.unwrap());
    let file = repositories.parent().unwrap().join("run/httpd.pid");
    let id = until("the server's id", LIMIT, async || {
        std::fs::read_to_string(&file).ok().filter(|id| id.ends_with('\n'))
    })
    .await;
    let id = id.unwrap();
    assert!(runs(id.trim()));
    harness.kill().unwrap();
    harness.wait().unwrap();
    until("the end of the server", LIMIT, async || (!runs(id.trim())).then_some(())).await.unwrap();
    until("the end of the folder", LIMIT, async || (!repositories.exists()).then_some(())).await.unwrap();
}

#[tokio::test]
async fn a_program_that_ends_early_is_reported_with_its_log() {
    let work = tempfile::tempdir().unwrap();
    let mut process = Launch::new("typo", "/bin/sh".into(), work.path())
        .args(["-c", "echo no such flag; exit 2"])
        .start()
        .unwrap();
    let error = process.ready(LIMIT, async || false).await.unwrap_err().to_string();
    assert!(error.contains("ended") && error.contains("no such flag"), "{error}");
}

#[tokio::test]
async fn a_child_sees_nothing_of_the_environment_but_what_it_needs() {
    let work = tempfile::tempdir().unwrap();
    let mut process =
        Launch::new("env", "/usr/bin/env".into(), work.path()).env("EXTRA", "1").start().unwrap();
    until("the end of env", LIMIT, async || process.exited().unwrap()).await.unwrap();
    let log = process.log();
    let mut names: Vec<&str> = log.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    names.retain(|name| !["PWD", "_", "OLDPWD", "SHLVL"].contains(name)); // the shell's own
    assert_eq!(names, ["EXTRA", "HOME", "LANG", "PATH", "TMPDIR"]);
}
