//! Child processes that never outlive the harness.
//!
//! A child is started by a one-line shell watcher that shares its process group and holds the read end of a pipe. When the
//! write end closes, because the harness dropped it, panicked, was interrupted or killed, the watcher kills the whole group. That
//! covers what `PR_SET_PDEATHSIG` does not: grandchildren, and parents whose threads come and go.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail};

use crate::{Result, tools, wait};

/// Reads signal names from the lifeline and passes them on; at its end kills the group, itself included.
const WATCHER: &str = r#"
exec 3<&0 </dev/null
main=$$
(
  trap '' TERM INT HUP
  while read -r signal <&3; do kill -s "$signal" "$main"; done
  kill -s KILL 0
) >/dev/null 2>&1 &
exec "$@" 3<&-
"#;

/// How to start a child.
#[derive(Debug, Clone)]
pub struct Launch {
    name: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    work: PathBuf,
}

impl Launch {
    /// Describes a child called `name` that works in, has its home in, and logs to the folder `work`.
    pub fn new(name: &str, program: PathBuf, work: &Path) -> Self {
        Self {
            name: name.to_owned(),
            program,
            arguments: Vec::new(),
            environment: Vec::new(),
            work: work.to_owned(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable; the child sees no other but PATH, HOME, LANG and TMPDIR.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Starts the child; its output is appended to `<work>/<name>.log`.
    pub fn start(&self) -> Result<Process> {
        let log = self.work.join(format!("{}.log", self.name));
        let output = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = Command::new("/bin/sh");
        tools::clear(&mut command, &self.work);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
            .args(["-c", WATCHER, &self.name])
            .arg(&self.program)
            .args(&self.arguments)
            .current_dir(&self.work);
        command.stdin(Stdio::piped()).stdout(output.try_clone()?).stderr(output).process_group(0);
        let mut child =
            command.spawn().with_context(|| format!("cannot start {}", self.program.display()))?;
        let lifeline = child.stdin.take();
        Ok(Process { launch: self.clone(), child, lifeline, log })
    }
}

/// A running child. Dropping it kills its whole process group.
#[derive(Debug)]
pub struct Process {
    launch: Launch,
    child: Child,
    lifeline: Option<ChildStdin>,
    log: PathBuf,
}

impl Process {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.launch.name
    }

    /// Starts it again after its end, with everything as it was.
    ///
    /// # Errors
    /// When it still runs, or can't be started.
    pub fn start_again(&mut self) -> Result<()> {
        if self.exited()?.is_none() {
            bail!("{} still runs", self.name());
        }
        *self = self.launch.start()?;
        Ok(())
    }

    /// The process id of the program itself.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The file its output goes to.
    pub fn log_path(&self) -> &Path {
        &self.log
    }

    /// What it has printed so far.
    pub fn log(&self) -> String {
        std::fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Its exit status, once it has ended.
    pub fn exited(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Sends a signal by name, such as `HUP`, to the program.
    pub fn signal(&mut self, name: &str) -> Result<()> {
        let lifeline = self.lifeline.as_mut().context("the process was killed")?;
        writeln!(lifeline, "{name}").with_context(|| format!("{} has ended", self.launch.name))
    }

    /// Waits until `probe` says that the program is ready.
    ///
    /// # Errors
    /// When the program ends or `limit` passes first; the message holds the end of its log.
    pub async fn ready(&mut self, limit: Duration, mut probe: impl AsyncFnMut() -> bool) -> Result<()> {
        let started = std::time::Instant::now();
        loop {
            if probe().await {
                return Ok(());
            }
            if let Some(status) = self.exited()? {
                bail!(
                    "{} ended ({status}) before it was ready; the end of its log:\n{}",
                    self.name(),
                    self.tail()
                );
            }
            if started.elapsed() > limit {
                bail!(
                    "{} was not ready after {} s; the end of its log:\n{}",
                    self.name(),
                    limit.as_secs(),
                    self.tail()
                );
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Asks the program to end and waits; after `grace` the group is killed. Returns the program's exit status.
    pub async fn stop(&mut self, grace: Duration) -> Result<ExitStatus> {
        let _ = self.signal("TERM");
        let ended =
            wait::until("the end of a process", grace, async || self.child.try_wait().ok().flatten()).await;
        match ended {
            Ok(status) => {
                self.lifeline = None;
                Ok(status)
            }
            Err(_) => self.kill(),
        }
    }

    /// Kills the program and everything it started, at once, and returns its exit status.
    pub fn kill(&mut self) -> Result<ExitStatus> {
        let _ = self.child.kill();
        self.lifeline = None;
        Ok(self.child.wait()?)
    }

    fn tail(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
