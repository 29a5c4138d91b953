//! Runs long child programs: output into a log, a sign of life now and then, the end of the log on failure.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::say::{say, spell};

const HEARTBEAT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);
const TAIL_LINES: usize = 25;

/// Runs `command` to its end and writes its output to `log`.
///
/// # Errors
/// When the program cannot start or fails; the message then holds the last lines of the log.
pub(crate) fn run(what: &str, command: &mut Command, log: &Path) -> Result<()> {
    if let Some(folder) = log.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let started = Instant::now();
    let mut spoke = started;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if spoke.elapsed() >= HEARTBEAT {
            spoke = Instant::now();
            say!("  … {what}: {} so far", spell(started.elapsed()));
        }
        std::thread::sleep(POLL);
    };
    if !status.success() {
        bail!("{what}: {status}; the end of {}:\n{}", log.display(), tail(log));
    }
    Ok(())
}

/// Runs `command` and returns what it printed, trimmed.
///
/// # Errors
/// When the program cannot start or fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().display().to_string();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn tail(log: &Path) -> String {
    let text =
        std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("    {}", lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n    "))
}
