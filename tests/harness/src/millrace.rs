//! The program under test as a child process.

use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::Context as _;

use crate::process::{Launch, Process};
use crate::work::WorkFolder;
use crate::{Result, environment, ports};

/// The variable that names the program to run; else it is looked for beside the running test.
pub const PROGRAM_VARIABLE: &str = "MILLRACE_BIN";

const START_LIMIT: Duration = Duration::from_secs(30);
const STOP_GRACE: Duration = Duration::from_secs(30);

/// The loopback ports of one process that runs all controllers.
#[derive(Debug, Clone, Copy)]
pub struct Ports {
    /// Artifacts.
    pub storage: u16,
    /// Event intake.
    pub events: u16,
    /// Webhooks.
    pub receiver: u16,
    /// Metrics.
    pub metrics: u16,
    /// Health.
    pub health: u16,
}

impl Ports {
    /// Takes five free ports.
    pub fn take() -> Result<Self> {
        Ok(Self {
            storage: ports::take()?,
            events: ports::take()?,
            receiver: ports::take()?,
            metrics: ports::take()?,
            health: ports::take()?,
        })
    }
}

/// How to start the program.
#[derive(Debug, Clone)]
pub struct Options {
    kubeconfig: PathBuf,
    program: Option<PathBuf>,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    runtime_namespace: String,
    watch_all_namespaces: bool,
}

impl Options {
    /// All controllers in one process, with the rights of `kubeconfig`, for all namespaces.
    pub fn new(kubeconfig: &Path) -> Self {
        Self {
            kubeconfig: kubeconfig.to_owned(),
            program: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            runtime_namespace: "flux-system".to_owned(),
            watch_all_namespaces: true,
        }
    }

    /// Adds a flag; the last one of a name wins.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs this program instead of the one the environment names.
    #[must_use]
    pub fn program(mut self, path: &Path) -> Self {
        self.program = Some(path.to_owned());
        self
    }

    /// Runs for one namespace alone, so that other instances on the same control plane are not disturbed.
    #[must_use]
    pub fn scoped(mut self, namespace: &str) -> Self {
        namespace.clone_into(&mut self.runtime_namespace);
        self.watch_all_namespaces = false;
        self
    }
}

/// A running instance. Dropping it kills it.
pub struct Millrace {
    process: Process,
    ports: Ports,
    work: WorkFolder,
}

impl Millrace {
    /// Starts the program and waits until it says that it is ready.
    ///
    /// # Errors
    /// When it is not built, ends early, or does not become ready; the message holds the end of its log.
    pub async fn start(options: Options) -> Result<Self> {
        let work = WorkFolder::new("millrace-run-")?;
        let ports = Ports::take()?;
        let process = launch(&options, work.path(), ports)?.start()?;
        let mut instance = Self { process, ports, work };
        instance.wait_ready().await?;
        Ok(instance)
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Everything it has logged, over all its starts.
    pub fn log(&self) -> String {
        self.process.log()
    }

    /// The file it logs to.
    pub fn log_path(&self) -> &Path {
        self.process.log_path()
    }

    /// The folder of its artifacts.
    pub fn storage(&self) -> PathBuf {
        self.work.path().join("storage")
    }

    /// The address that webhooks go to: `http://127.0.0.1:PORT`.
    pub fn receiver_url(&self) -> String {
        url(self.ports.receiver)
    }

    /// The address that events go to.
    pub fn events_url(&self) -> String {
        url(self.ports.events)
    }

    /// The address of its artifacts.
    pub fn storage_url(&self) -> String {
        url(self.ports.storage)
    }

    /// Where its metrics are.
    pub fn metrics_url(&self) -> String {
        format!("{}/metrics", url(self.ports.metrics))
    }

    /// Where it says that it is ready.
    pub fn health_url(&self) -> String {
        format!("{}/readyz", url(self.ports.health))
    }

    /// The text of its metrics.
    pub async fn metrics(&self) -> Result<String> {
        let client = reqwest::Client::builder().no_proxy().build()?;
        let answer = client.get(self.metrics_url()).send().await?;
        Ok(answer.error_for_status()?.text().await?)
    }

    /// Its resident memory in KiB: now, and the highest so far.
    pub fn memory_kib(&self) -> Result<(u64, u64)> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id()))
            .context("the process has ended")?;
        let field = |name: &str| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .context("an unexpected process status")?;
            line.trim().trim_end_matches(" kB").parse::<u64>().context("an unexpected process status")
        };
        Ok((field("VmRSS:")?, field("VmHWM:")?))
    }

    /// The CPU time it has used so far.
    pub fn cpu(&self) -> Result<Duration> {
        let text =
            std::fs::read_to_string(format!("/proc/{}/stat", self.id())).context("the process has ended")?;
        let after_name = text.rsplit(')').next().unwrap_or_default();
        // Fields 14 and 15 of the line: user and system time in hundredths of a second; the name was field 2.
        let ticks: u64 =
            after_name.split_whitespace().skip(11).take(2).map_while(|field| field.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Sends a signal by name, such as `STOP`.
    pub fn signal(&mut self, name: &str) -> Result<()> {
        self.process.signal(name)
    }

    /// Asks it to end, waits, and returns its exit status.
    pub async fn stop(&mut self) -> Result<ExitStatus> {
        self.process.stop(STOP_GRACE).await
    }

    /// Kills it without a warning, as a crash would.
    pub fn kill(&mut self) -> Result<ExitStatus> {
        self.process.kill()
    }

    /// Starts it again after [`Millrace::stop`] or [`Millrace::kill`], with the same flags, ports and storage.
    pub async fn restart(&mut self) -> Result<()> {
        self.process.start_again()?;
        self.wait_ready().await
    }

    async fn wait_ready(&mut self) -> Result<()> {
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(2)).build()?;
        let ready = self.health_url();
        self.process
            .ready(START_LIMIT, async || {
                client.get(&ready).send().await.is_ok_and(|answer| answer.status().is_success())
            })
            .await
    }
}

fn launch(options: &Options, work: &Path, ports: Ports) -> Result<Launch> {
    let program = options.program.clone().map_or_else(find_program, Ok)?;
    let storage = work.join("storage");
    std::fs::create_dir(&storage)?;
    let mut launch = Launch::new("millrace", program, work)
        .arg("controllers")
        .arg(format!("--watch-all-namespaces={}", options.watch_all_namespaces))
        .arg(format!("--storage-path={}", storage.display()))
        .arg(format!("--storage-addr={}", address(ports.storage)))
        .arg(format!("--storage-adv-addr={}", address(ports.storage)))
        .arg(format!("--notification-events-addr={}", address(ports.events)))
        .arg(format!("--receiverAddr={}", address(ports.receiver)))
        .arg(format!("--metrics-addr={}", address(ports.metrics)))
        .arg(format!("--health-addr={}", address(ports.health)))
        .args(&options.arguments)
        .env("KUBECONFIG", &options.kubeconfig)
        .env("RUNTIME_NAMESPACE", &options.runtime_namespace)
        .env("TMPDIR", work);
    for (name, value) in &options.environment {
        launch = launch.env(name, value);
    }
    Ok(launch)
}

/// The program that the environment names ([`PROGRAM_VARIABLE`]), or the one that was built beside this one.
pub fn find_program() -> Result<PathBuf> {
    if let Some(path) = environment::variable(PROGRAM_VARIABLE).map(|path: OsString| PathBuf::from(path)) {
        return Ok(path);
    }
    let own = std::env::current_exe()?;
    let beside =
        own.ancestors().skip(1).take(2).map(|folder| folder.join("millrace")).find(|path| path.exists());
    beside.context("the program is not built: run `cargo build -p millrace`, or set MILLRACE_BIN")
}

fn address(port: u16) -> String {
    format!("{}:{port}", Ipv4Addr::LOCALHOST)
}

fn url(port: u16) -> String {
    format!("http://{}", address(port))
}
