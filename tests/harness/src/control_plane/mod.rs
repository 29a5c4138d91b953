//! A Kubernetes control plane on loopback: the real programs, RBAC on, an audit log that tests can read.

mod access;
mod apply;
mod audit;
mod namespace;
mod nodes;
mod rights;
mod running;
mod servers;
mod shared;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context as _;
use kube::Client;
use kube::core::gvk::GroupVersionKind;
use kube::discovery::{ApiResource, Scope};

use crate::process::Process;
use crate::work::WorkFolder;
use crate::{Relay, Result, ports};
use servers::EtcdPorts;

pub use access::Access;
pub use audit::{AuditEvent, AuditLog, Mark};
pub use namespace::Namespace;
pub use nodes::OUTCOME_LABEL;
pub use rights::RUNTIME_NAMESPACE;
pub use shared::{CLUSTER_VARIABLE, Description};

/// How much of a control plane to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Controllers, scheduler and a node: Deployments become available, deletions finish.
    Full,
    /// etcd and API server only, for tests that play the controllers themselves.
    Bare,
}

/// A running control plane, or a connection to one that another process runs.
pub struct ControlPlane {
    description: Description,
    client: Client,
    /// Kinds that the API server was asked about.
    kinds: Mutex<HashMap<GroupVersionKind, (ApiResource, Scope)>>,
    /// Absent where another process owns the servers.
    servers: Option<Servers>,
}

/// What an owner keeps alive; the fields are dropped in this order.
struct Servers {
    processes: Vec<Process>,
    _work: WorkFolder,
}

impl ControlPlane {
    /// Starts a control plane and waits until it is ready.
    ///
    /// # Errors
    /// When a program is not installed or does not become ready.
    pub async fn start(profile: Profile) -> Result<Self> {
        let port = ports::take()?;
        Self::start_with(profile, EtcdPorts { own: port, seen: port }).await
    }

    /// The same with a relay between API server and etcd, which can be slowed down, and has to live as long.
    ///
    /// # Errors
    /// When a program is not installed or does not become ready.
    pub async fn start_relayed(profile: Profile) -> Result<(Self, Relay)> {
        let own = ports::take()?;
        let relay = Relay::start(own)?;
        let control_plane = Self::start_with(profile, EtcdPorts { own, seen: relay.port() }).await?;
        Ok((control_plane, relay))
    }

    async fn start_with(profile: Profile, etcd: EtcdPorts) -> Result<Self> {
        let work = WorkFolder::new("millrace-")?;
        let (description, processes) = servers::start(profile, work.path(), etcd).await?;
        let client = access::admin_client(&description).await?;
        let servers = Some(Servers { processes, _work: work });
        Ok(Self { description, client, kinds: Mutex::default(), servers })
    }

    /// Connects to the control plane that the environment names in [`CLUSTER_VARIABLE`], or starts a full one.
    ///
    /// This is what tests call: a whole run shares one control plane, and a single test started by hand has its own.
    pub async fn shared() -> Result<Self> {
        match crate::environment::variable(CLUSTER_VARIABLE) {
            Some(path) => Self::attach(Path::new(&path)).await,
            None => Self::start(Profile::Full).await,
        }
    }

    /// Connects to a control plane by the file its owner wrote with [`Description::write`].
    pub async fn attach(path: &Path) -> Result<Self> {
        let description = Description::read(path)?;
        let client = access::admin_client(&description).await?;
        Ok(Self { description, client, kinds: Mutex::default(), servers: None })
    }

    /// Uses a cluster that is there already, with the rights of `kubeconfig`; it has no audit log that can be read.
    pub async fn existing(kubeconfig: &Path) -> Result<Self> {
        let work = WorkFolder::new("millrace-")?;
        let client = access::client(kubeconfig).await?;
        let description = Description {
            profile: Profile::Full,
            server: access::server_of(kubeconfig)?,
            authority: String::new(),
            kubeconfig: std::path::absolute(kubeconfig)?,
            audit_log: work.path().join("audit.log"),
            work: work.path().to_owned(),
        };
        let servers = Some(Servers { processes: Vec::new(), _work: work });
        Ok(Self { description, client, kinds: Mutex::default(), servers })
    }

    /// What other processes need to connect.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// A client with all rights.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The API server's address, `https://127.0.0.1:PORT`.
    pub fn server(&self) -> &str {
        &self.description.server
    }

    /// A kubeconfig file with all rights.
    pub fn kubeconfig(&self) -> &Path {
        &self.description.kubeconfig
    }

    /// The audit log: every request but those of the control plane's own programs.
    pub fn audit(&self) -> AuditLog {
        AuditLog::new(self.description.audit_log.clone())
    }

    /// The logs of the servers that this process owns.
    pub fn logs(&self) -> Vec<PathBuf> {
        let processes = self.servers.iter().flat_map(|servers| &servers.processes);
        processes.map(|process| process.log_path().to_owned()).collect()
    }

    /// Runs `kubectl` with all rights and returns its standard output.
    ///
    /// # Errors
    /// When it fails; the message is what it printed.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        let output = crate::tools::run("kubectl", self.kubeconfig(), arguments)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "kubectl {}: {}", arguments.join(" "), error.trim());
        Ok(text)
    }

    /// Asks the API server for a path such as `/readyz` and returns the text of its answer.
    pub async fn get(&self, path: &str) -> Result<String> {
        let request = http::Request::get(path).body(Vec::new())?;
        self.client.request_text(request).await.with_context(|| format!("GET {path}"))
    }

    /// Ends all servers and waits for them; dropping does the same without a word about failures.
    pub fn stop(mut self) -> Result<()> {
        for process in self.servers.iter_mut().flat_map(|servers| servers.processes.iter_mut().rev()) {
            process.kill()?;
        }
        Ok(())
    }
}
