//! A story on a real control plane: a Git server, the program, a namespace, and words for what happens in it.
//!
//! Every test has a namespace and an instance of the program of its own, scoped to that namespace, so that tests run side by
//! side on one control plane.

use std::process::Output;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use kube::api::{DynamicObject, Patch, PatchParams};
use millrace_harness::control_plane::Access;
use millrace_harness::millrace::Options;
use millrace_harness::{ControlPlane, GitServer, Millrace, Recorder, tools, until};
use serde_json::{Value, json};

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
}

/// A condition as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason.
    pub reason: String,
    /// The message.
    pub message: String,
}

impl Story {
    /// A story with the default flags.
    pub async fn begin(name: &str) -> Result<Self> {
        Self::begin_with(name, |options| options).await
    }

    /// A story whose program gets more flags.
    pub async fn begin_with(name: &str, flags: impl FnOnce(Options) -> Options) -> Result<Self> {
        let cluster = ControlPlane::shared().await?;
        cluster.install_crds().await?;
        let namespace = cluster.namespace(name).await?.name().to_owned();
        let git = GitServer::start().await?;
        let access = chart_access(&cluster).await?;
        let options = Options::new(&access.kubeconfig).scoped(&namespace).arg("--requeue-dependency=2s");
        let millrace = Millrace::start(flags(options)).await?;
        Ok(Self { cluster, git, millrace, sink: Recorder::start()?, namespace })
    }

    /// Applies manifests to the namespace; `{sink}` is the address of the recording receiver.
    pub async fn apply(&self, yaml: &str) -> Result<()> {
        let yaml = yaml.replace("{sink}", &self.sink.url()).replace("{ns}", &self.namespace);
        self.cluster.apply(&self.namespace, &yaml).await?;
        Ok(())
    }

    /// Applies a GitRepository over anonymous HTTP.
    pub async fn git_repository(&self, name: &str) -> Result<()> {
        self.apply(&format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: {name}\nspec:\n  \
             interval: 1h\n  url: {}\n  ref:\n    branch: main\n",
            self.git.public_url(name)
        ))
        .await
    }

    /// Applies a Kustomization of the GitRepository `source`; `more` is added to its spec, indented by two.
    pub async fn kustomization(&self, name: &str, source: &str, more: &str) -> Result<()> {
        self.apply(&format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\nspec:\n  \
             interval: 1h\n  retryInterval: 2s\n  prune: true\n  targetNamespace: {}\n  sourceRef:\n    kind: \
             GitRepository\n    name: {source}\n{more}",
            self.namespace
        ))
        .await
    }

    /// Reads an object of the namespace, `Kind/name`.
    pub async fn find(&self, object: &str) -> Result<Option<DynamicObject>> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        self.cluster.find(api_version(kind)?, kind, &self.namespace, name).await
    }

    /// Reads an object that has to be there.
    pub async fn get(&self, object: &str) -> Result<Value> {
        let found = self.find(object).await?.with_context(|| format!("{object} is not there"))?;
        Ok(serde_json::to_value(found)?)
    }

    /// A condition of an object; `None` if it has none of that type, or is not there.
    pub async fn condition(&self, object: &str, type_: &str) -> Result<Option<Condition>> {
        let Some(found) = self.find(object).await? else { return Ok(None) };
        let found = serde_json::to_value(found)?;
        let conditions = found["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(conditions.iter().find(|condition| condition["type"] == type_).map(|condition| Condition {
            status: text(&condition["status"]),
            reason: text(&condition["reason"]),
            message: text(&condition["message"]),
        }))
    }

    /// Waits until a condition is as wanted.
    pub async fn until(
        &self,
        object: &str,
        type_: &str,
        wanted: impl Fn(&Condition) -> bool,
    ) -> Result<Condition> {
        let mut last = None;
        let outcome = until(&format!("{type_} of {object}"), SOON, async || {
            last = self.condition(object, type_).await.ok().flatten();
            last.clone().filter(|condition| wanted(condition))
        })
        .await;
        match outcome {
            Ok(condition) => Ok(condition),
            Err(error) => bail!("{error}; last seen: {last:?}\n{}", tail(&self.millrace.log())),
        }
    }

    /// Waits until an object is Ready at its generation.
    pub async fn ready(&self, object: &str) -> Result<Condition> {
        self.until(object, "Ready", |ready| ready.status == "True").await
    }

    /// Waits until an object is Ready with a message that ends so.
    pub async fn ready_with(&self, object: &str, end: &str) -> Result<Condition> {
        self.until(object, "Ready", |ready| ready.status == "True" && ready.message.ends_with(end)).await
    }

    /// Waits until Ready is False for this reason.
    pub async fn failing(&self, object: &str, reason: &str) -> Result<Condition> {
        self.until(object, "Ready", |ready| ready.status == "False" && ready.reason == reason).await
    }

    /// Asks for a reconciliation and waits until it is handled.
    pub async fn reconcile(&self, object: &str) -> Result<()> {
        let token = self.request(object).await?;
        until(&format!("the handling of {object}"), SOON, async || {
            let found = self.get(object).await.ok()?;
            (found["status"]["lastHandledReconcileAt"] == token.as_str()).then_some(())
        })
        .await
        .with_context(|| tail(&self.millrace.log()))
    }

    /// Asks for a reconciliation and returns the token.
    pub async fn request(&self, object: &str) -> Result<String> {
        let token = uuid_like();
        let annotations = json!({ "reconcile.fluxcd.io/requestedAt": token });
        self.patch(object, &json!({ "metadata": { "annotations": annotations } })).await?;
        Ok(token)
    }

    /// Merges a patch into an object, as a user would by hand.
    pub async fn patch(&self, object: &str, patch: &Value) -> Result<()> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        let api = self.cluster.api(api_version(kind)?, kind, &self.namespace).await?;
        let params = PatchParams { field_manager: Some("by-hand".to_owned()), ..PatchParams::default() };
        api.patch(name, &params, &Patch::Merge(patch)).await?;
        Ok(())
    }

    /// Deletes an object and waits until it is gone.
    pub async fn delete(&self, object: &str) -> Result<()> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        self.cluster.delete(api_version(kind)?, kind, &self.namespace, name).await
    }

    /// Waits until an object is gone.
    pub async fn gone(&self, object: &str) -> Result<()> {
        until(&format!("the end of {object}"), SOON, async || {
            matches!(self.find(object).await, Ok(None)).then_some(())
        })
        .await
        .with_context(|| tail(&self.millrace.log()))
    }

    /// Runs the upstream command line in the story's namespace, with all rights.
    pub fn flux(&self, arguments: &[&str]) -> Result<Output> {
        self.flux_in(&self.namespace, arguments)
    }

    /// Runs the upstream command line in another namespace.
    pub fn flux_in(&self, namespace: &str, arguments: &[&str]) -> Result<Output> {
        let arguments = [arguments, &["--namespace", namespace]].concat();
        tools::run("flux", self.cluster.kubeconfig(), &arguments)
    }

    /// The messages of core Events about an object, with type and reason, oldest first.
    pub async fn events(&self, object: &str) -> Result<Vec<(String, String, String)>> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        let api = self.cluster.api("v1", "Event", &self.namespace).await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut found = Vec::new();
        for event in api.list(&kube::api::ListParams::default()).await? {
            let event = serde_json::to_value(event)?;
            if event["involvedObject"]["kind"] == kind && event["involvedObject"]["name"] == name {
                let first = text(&event["firstTimestamp"]);
                found.push((first, (text(&event["type"]), text(&event["reason"]), text(&event["message"]))));
            }
        }
        found.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(found.into_iter().map(|(_, event)| event).collect())
    }

    /// Waits for a core Event about an object.
    pub async fn event(&self, object: &str, wanted: impl Fn(&str, &str, &str) -> bool) -> Result<()> {
        let outcome = until(&format!("an event of {object}"), SOON, async || {
            let events = self.events(object).await.ok()?;
            events.iter().any(|(type_, reason, message)| wanted(type_, reason, message)).then_some(())
        })
        .await;
        match outcome {
            Ok(()) => Ok(()),
            Err(error) => bail!("{error}; there are: {:#?}", self.events(object).await?),
        }
    }
}

/// The namespace and name of the chart's ServiceAccount when everything is one process.
const ACCOUNT: (&str, &str) = ("flux-system", "millrace");

/// Installs the ServiceAccount and the rights that the chart gives it, and logs in with it.
async fn chart_access(cluster: &ControlPlane) -> Result<Access> {
    let (namespace, account) = ACCOUNT;
    cluster.create_namespace(namespace).await?;
    let chart = tools::repository().join("charts/millrace");
    let chart = chart.to_str().context("a path in UTF-8")?;
    let arguments = ["template", "millrace", chart, "--namespace", namespace, "--set", "topology=single"];
    let rendered = tools::run("helm", cluster.kubeconfig(), &arguments)?;
    anyhow::ensure!(rendered.status.success(), "helm: {}", String::from_utf8_lossy(&rendered.stderr));
    let text = String::from_utf8(rendered.stdout)?;
    let is_access = |document: &&str| {
        ["ServiceAccount", "ClusterRole", "ClusterRoleBinding"]
            .iter()
            .any(|kind| document.lines().any(|line| line.strip_prefix("kind: ") == Some(kind)))
    };
    for document in text.split("\n---").filter(is_access) {
        cluster.apply(namespace, document).await?;
    }
    cluster.access(namespace, account).await
}

/// A manifest of a ConfigMap with one key.
pub fn config_map(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  value: {value:?}\n")
}

/// A manifest of a Deployment.
pub fn deployment(name: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: {replicas}\n  selector:\n    \
         matchLabels:\n      app: {name}\n  template:\n    metadata:\n      labels:\n        app: {name}\n    spec:\n      \
         containers:\n      - name: app\n        image: registry.example.com/app:1.0\n"
    )
}

fn api_version(kind: &str) -> Result<&'static str> {
    Ok(match kind {
        "GitRepository" => "source.toolkit.fluxcd.io/v1",
        "Kustomization" => "kustomize.toolkit.fluxcd.io/v1",
        "Receiver" => "notification.toolkit.fluxcd.io/v1",
        "Alert" | "Provider" => "notification.toolkit.fluxcd.io/v1beta3",
        "Deployment" => "apps/v1",
        "ConfigMap" | "Secret" | "Service" | "ServiceAccount" | "Namespace" | "Event" => "v1",
        other => bail!("tests know no API version of {other}"),
    })
}

fn uuid_like() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("request-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}
