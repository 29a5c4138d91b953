//! A story on a real control plane: a Git server, the program, a namespace, and words for what happens in it.
//!
//! Every test has a namespace and an instance of the program of its own, scoped to that namespace, so that tests run side by
//! side on one control plane.
//!
//! With [`tenants::TENANTS_VARIABLE`] set, the same stories are told of tenants: what they apply is applied with the rights of a
//! ServiceAccount that is admin of the story's namespace and nothing else.

mod conditions;
mod events;
mod manifests;
mod objects;

pub mod tenants;

use std::time::Duration;

use anyhow::Result;
use millrace_harness::control_plane::Access;
use millrace_harness::millrace::Options;
use millrace_harness::{ControlPlane, GitServer, Millrace, Profile, Recorder, chart};

pub use conditions::{Condition, Verdict, says};
pub use manifests::{config_map, deployment};
pub use tenants::NAMED_ACCOUNT;

/// How long anything may take that needs no timeout of its own.
pub const SOON: Duration = Duration::from_secs(30);

/// The programs that these tests need.
pub const TOOLS: &[&str] =
    &["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "helm"];

/// One test's world.
pub struct Story {
    /// The control plane, shared with other tests.
    pub cluster: ControlPlane,
    /// The Git server, this test's own.
    pub git: GitServer,
    /// The program.
    pub millrace: Millrace,
    /// What receives notifications.
    pub sink: Recorder,
    /// The namespace.
    pub namespace: String,
    /// Whether its Kustomizations are a tenant's.
    is_tenant: bool,
}

impl Story {
    /// A story whose program gets these flags, too.
    pub async fn begin_with(name: &str, flags: impl FnOnce(Options) -> Options) -> Result<Self> {
        Self::begin_for(name, tenants::are_wanted(), flags).await
    }

    /// A story of tenants, whatever [`tenants::TENANTS_VARIABLE`] says.
    pub async fn begin_of_tenants(name: &str) -> Result<Self> {
        Self::begin_for(name, true, |options| options).await
    }

    async fn begin_for(name: &str, is_tenant: bool, flags: impl FnOnce(Options) -> Options) -> Result<Self> {
        let cluster = ControlPlane::shared().await?;
        cluster.install_crds().await?;
        let namespace = cluster.namespace(name).await?.name().to_owned();
        let access = tenants::access(&cluster).await?;
        let options = options(&access).scoped(&namespace);
        Self::tell(cluster, namespace, is_tenant, flags(options)).await
    }

    /// A story on a control plane of its own, whose program watches all namespaces.
    pub async fn begin_alone(namespace: &str, flags: impl FnOnce(Options) -> Options) -> Result<Self> {
        let cluster = ControlPlane::start(Profile::Full).await?;
        cluster.install_crds().await?;
        cluster.create_namespace(namespace).await?;
        let access = chart::access(&cluster).await?;
        Self::tell(cluster, namespace.to_owned(), false, flags(options(&access))).await
    }

    /// A story in a namespace of a cluster that has everything: the program gets the rights of this account.
    pub async fn begin_in(cluster: ControlPlane, namespace: &str, access: &Access) -> Result<Self> {
        cluster.create_namespace(namespace).await?;
        Self::tell(cluster, namespace.to_owned(), tenants::are_wanted(), options(access)).await
    }

    async fn tell(
        cluster: ControlPlane,
        namespace: String,
        is_tenant: bool,
        mut options: Options,
    ) -> Result<Self> {
        let git = GitServer::start().await?;
        if is_tenant {
            tenants::settle(&cluster, &namespace).await?;
            options = tenants::confine(options);
        }
        let millrace = Millrace::start(options).await?;
        Ok(Self { cluster, git, millrace, sink: Recorder::start()?, namespace, is_tenant })
    }

    /// The ServiceAccount that [`Story::kustomization`] names, in a story of tenants.
    pub fn account(&self) -> Option<&'static str> {
        self.is_tenant.then_some(NAMED_ACCOUNT)
    }
}

/// How every program of a story is started; flags of a story come later, and win.
fn options(access: &Access) -> Options {
    Options::new(&access.kubeconfig).arg("--requeue-dependency=2s")
}

/// The end of a log, for the message of a failed wait.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}
