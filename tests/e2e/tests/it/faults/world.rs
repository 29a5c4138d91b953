//! One test's world: the program behind an API proxy, a Git server, a namespace.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use millrace_e2e::tenants;
use millrace_harness::millrace::Options;
use millrace_harness::proxy::Match;
use millrace_harness::{ApiProxy, ControlPlane, GitServer, Millrace, until};
use serde_json::{Value, json};

/// How long the program may take to recover, whatever happened.
pub(super) const RECOVERY: Duration = Duration::from_mins(1);

pub(super) const SOURCE: &str = "source.toolkit.fluxcd.io/v1";
pub(super) const KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io/v1";

/// The label that says which Kustomization owns an object.
const OWNER: &str = "kustomize.toolkit.fluxcd.io/name";

/// The program behind a proxy, scoped to a namespace of its own.
pub(super) struct World {
    pub(super) cluster: ControlPlane,
    pub(super) git: GitServer,
    pub(super) proxy: ApiProxy,
    pub(super) millrace: Millrace,
    pub(super) namespace: String,
    client: reqwest::Client,
}

impl World {
    /// On the control plane that tests share.
    pub(super) async fn begin(name: &str) -> Result<Self> {
        Self::begin_on(ControlPlane::shared().await?, name, |options| options).await
    }

    /// On a control plane, with more flags; `name` begins the name of the namespace.
    pub(super) async fn begin_on(
        cluster: ControlPlane,
        name: &str,
        flags: impl FnOnce(Options) -> Options,
    ) -> Result<Self> {
        cluster.install_crds().await?;
        let namespace = cluster.namespace(name).await?.name().to_owned();
        let access = tenants::access(&cluster).await?;
        let proxy = ApiProxy::start(&access.kubeconfig).await?;
        // What is superseded is garbage at once, so that collecting it is part of every run.
        let options = program(&proxy, &namespace)
            .arg("--artifact-retention-ttl=1ms")
            .arg("--artifact-retention-records=1");
        if tenants::are_wanted() {
            tenants::settle(&cluster, &namespace).await?;
        }
        let millrace = Millrace::start(flags(options)).await?;
        let client = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { cluster, git: GitServer::start().await?, proxy, millrace, namespace, client })
    }

    pub(super) async fn apply(&self, yaml: &str) -> Result<()> {
        self.cluster.apply(&self.namespace, yaml).await.map(drop)
    }

    /// Reads an object; `Null` if it is not there.
    pub(super) async fn get(&self, api_version: &str, kind: &str, name: &str) -> Result<Value> {
        let found = self.cluster.find(api_version, kind, &self.namespace, name).await?;
        found.map_or(Ok(Value::Null), |found| Ok(serde_json::to_value(found)?))
    }

    /// Changes an object with a merge patch, around the proxy.
    pub(super) async fn patch(&self, api_version: &str, kind: &str, name: &str, patch: &Value) -> Result<()> {
        let api = self.cluster.api(api_version, kind, &self.namespace).await?;
        api.patch(name, &by_hand(), &Patch::Merge(patch)).await?;
        Ok(())
    }

    /// Changes the status of an object with a merge patch, around the proxy.
    pub(super) async fn patch_status(
        &self,
        api_version: &str,
        kind: &str,
        name: &str,
        patch: &Value,
    ) -> Result<()> {
        let api = self.cluster.api(api_version, kind, &self.namespace).await?;
        api.patch_status(name, &by_hand(), &Patch::Merge(patch)).await?;
        Ok(())
    }

    /// Asks an object's controller for a run.
    pub(super) async fn request(&self, api_version: &str, kind: &str, name: &str) -> Result<()> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let token = format!("fault-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let patch = json!({ "metadata": { "annotations": { "reconcile.fluxcd.io/requestedAt": token } } });
        self.patch(api_version, kind, name, &patch).await
    }

    /// The ConfigMaps that bear a Kustomization's labels.
    pub(super) async fn owned_by(&self, kustomization: &str) -> Result<Vec<DynamicObject>> {
        let api = self.cluster.api("v1", "ConfigMap", &self.namespace).await?;
        let labelled = ListParams::default().labels(&format!("{OWNER}={kustomization}"));
        Ok(api.list(&labelled).await?.items)
    }

    /// Fails if something of a tenant's was written, through this proxy so far, in another name than the tenant's.
    pub(super) fn writes_for_tenants(&self) -> Result<()> {
        let tenant = format!("system:serviceaccount:{}:{}", self.namespace, tenants::NAMED_ACCOUNT);
        let content = Match::writes().resource("configmaps").namespace(&self.namespace);
        for write in self.proxy.seen().iter().filter(|seen| tenants::are_wanted() && content.fits(seen)) {
            ensure!(write.impersonated == tenant, "{write} in the name of {:?}", write.impersonated);
        }
        Ok(())
    }

    /// Fetches an artifact as the status of its source advertises it, and returns status code and length.
    ///
    /// A program that has just been started is given the time to open its port; after that the first answer counts.
    pub(super) async fn download(&self, url: &str) -> Result<(u16, u64)> {
        let answer =
            until("an answer to a download", RECOVERY, async || self.client.get(url).send().await.ok());
        let answer = answer.await?;
        let status = answer.status().as_u16();
        Ok((status, u64::try_from(answer.bytes().await?.len())?))
    }

    /// Kills the program and what it had under way.
    pub(super) fn kill(&mut self) -> Result<()> {
        self.millrace.kill().map(drop)
    }

    /// Waits until something is so; the error tells what was last in the way, and the end of the log.
    pub(super) async fn until<T>(
        &self,
        what: &str,
        mut probe: impl AsyncFnMut(&Self) -> Result<T>,
    ) -> Result<T> {
        let mut last = None;
        let outcome = until(what, RECOVERY, async || match probe(self).await {
            Ok(value) => Some(value),
            Err(error) => {
                last = Some(error);
                None
            }
        })
        .await;
        outcome.with_context(|| {
            let last = last.map(|error| format!("{error:#}")).unwrap_or_default();
            format!("{last}; the log ends:\n{}", tail(&self.millrace.log()))
        })
    }
}

/// How every program of a world is started.
pub(super) fn program(proxy: &ApiProxy, namespace: &str) -> Options {
    let options = Options::new(&proxy.kubeconfig()).scoped(namespace);
    if tenants::are_wanted() { tenants::confine(options) } else { options }
}

/// The writes that are steps of a reconcile. Events are none: nothing reads them back.
pub(super) fn steps() -> Match {
    Match::writes().except("events")
}

fn by_hand() -> PatchParams {
    PatchParams { field_manager: Some("by-hand".to_owned()), ..PatchParams::default() }
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
