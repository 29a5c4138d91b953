//! A real API server, an artifact server, and words for what is made and seen there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use millrace_api::meta::Algorithm;
use millrace_artifact::digest;
use millrace_artifact::files::MemoryTree;
use millrace_artifact::ignore::Rules;
use millrace_harness::recorder::{Answer, Rule};
use millrace_harness::{ControlPlane, Profile, Recorder, tools, until};
use serde_json::{Value, json};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

/// The programs that a control plane of an API server alone needs.
pub(crate) const TOOLS: &[&str] = &["etcd", "kube-apiserver"];

/// How long anything may take that waits for nothing itself.
pub(crate) const SOON: Duration = Duration::from_secs(40);

/// A ConfigMap `app` without a namespace.
pub(crate) const CONFIG_MAP: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  k: v1\n";

/// The policy that keeps what is in a namespace, and its binding.
const KEPT: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: "{ns}"}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "{ns}"}}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [configmaps, secrets]}
  validations:
  - {expression: "false", messageExpression: "'it holds ' + string(oldObject.data.k)"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: "{ns}"}
spec: {policyName: "{ns}", validationActions: [Deny]}
"#;

/// A control plane and an artifact server.
pub(crate) struct Bench {
    pub(crate) plane: ControlPlane,
    pub(crate) artifacts: Recorder,
    web: String,
    next: AtomicUsize,
    /// What is served, by path.
    served: Mutex<HashMap<String, Vec<u8>>>,
}

/// An artifact on the server.
#[derive(Clone, Debug)]
pub(crate) struct Artifact {
    pub(crate) path: String,
    pub(crate) url: String,
    pub(crate) digest: String,
}

/// A condition as tests look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) status: String,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl Bench {
    /// Starts everything; none where the programs are not installed.
    pub(crate) async fn start() -> Result<Option<Self>> {
        if !tools::available(TOOLS) {
            eprintln!("skipped: {} are not installed (cargo xtask tools)", TOOLS.join(", "));
            return Ok(None);
        }
        millrace_net::install_crypto_provider();
        let plane = ControlPlane::start(Profile::Bare).await?;
        plane.install_crds().await?;
        let artifacts = Recorder::start()?;
        Ok(Some(Self {
            plane,
            web: artifacts.url().trim_start_matches("http://").to_owned(),
            artifacts,
            next: AtomicUsize::new(1),
            served: Mutex::default(),
        }))
    }

    /// A namespace of its own for one story.
    pub(crate) async fn namespace(&self, name: &str) -> Result<String> {
        Ok(self.plane.namespace(name).await?.name().to_owned())
    }

    /// Host and port of the artifact server, which also plays other hosts.
    pub(crate) fn web(&self) -> &str {
        &self.web
    }

    /// Serves files as an artifact.
    pub(crate) fn artifact(&self, files: &[(&str, &str)]) -> Result<Artifact> {
        self.serve(archive_of(files)?)
    }

    /// Serves bytes as an artifact of their own digest.
    pub(crate) fn serve(&self, bytes: Vec<u8>) -> Result<Artifact> {
        let digest = digest::of_reader(Algorithm::Sha256, bytes.as_slice())?.to_string();
        let artifact = self.promise(digest);
        self.answer(&artifact.path, Answer::status(200)?.body(bytes.clone()));
        self.served.lock().unwrap_or_else(PoisonError::into_inner).insert(artifact.path.clone(), bytes);
        Ok(artifact)
    }

    /// An artifact's place and digest; what the server answers there is up to the test.
    pub(crate) fn promise(&self, digest: String) -> Artifact {
        let path = format!("/artifacts/{}.tar.gz", self.next.fetch_add(1, Ordering::Relaxed));
        Artifact { url: format!("{}{path}", self.artifacts.url()), path, digest }
    }

    /// What the server answers from now on where nothing else is said.
    pub(crate) fn answer(&self, path: &str, answer: Answer) {
        let rule = Rule { method: None, target_contains: path.to_owned(), times: usize::MAX, answer };
        self.artifacts.rule(rule);
    }

    /// Has the next answer for an artifact come late.
    pub(crate) fn delay(&self, artifact: &Artifact, delay: Duration) -> Result<()> {
        let bytes = self.served.lock().unwrap_or_else(PoisonError::into_inner).get(&artifact.path).cloned();
        let bytes = bytes.with_context(|| format!("nothing is served at {}", artifact.path))?;
        self.artifacts.answer(&artifact.path, [Answer::status(200)?.body(bytes).delay(delay)]);
        Ok(())
    }

    /// Applies a text of manifests to a namespace.
    pub(crate) async fn apply(&self, namespace: &str, yaml: &str) -> Result<()> {
        self.plane.apply(namespace, &yaml.replace("{ns}", namespace)).await.map(drop)
    }

    /// Makes the GitRepository `repo` with an artifact as its source-controller would, or moves it to one.
    pub(crate) async fn source(&self, namespace: &str, revision: &str, artifact: &Artifact) -> Result<()> {
        self.bare_source(namespace).await?;
        let Artifact { path, url, digest } = artifact;
        let artifact = json!({
            "path": path, "url": url, "digest": digest, "revision": revision, "lastUpdateTime": "2026-01-01T00:00:00Z",
        });
        self.status(namespace, "GitRepository/repo", &json!({ "artifact": artifact })).await
    }

    /// Makes the GitRepository `repo` without an artifact.
    pub(crate) async fn bare_source(&self, namespace: &str) -> Result<()> {
        let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: repo\nspec:\n  \
                      interval: 1h\n  url: http://127.0.0.1/repo\n";
        self.apply(namespace, source).await
    }

    /// Makes the Kustomization `app` of that source; `spec` is merged over a usual one.
    pub(crate) async fn kustomization(&self, namespace: &str, class: &str, spec: &Value) -> Result<()> {
        let mut object = json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": { "name": "app", "labels": { "class": class } },
            "spec": {
                "interval": "10m", "prune": true, "path": "./", "targetNamespace": namespace,
                "sourceRef": { "kind": "GitRepository", "name": "repo" },
            },
        });
        merge(&mut object["spec"], spec);
        self.apply(namespace, &object.to_string()).await
    }

    /// Merges a patch into an object, as a user would by hand.
    pub(crate) async fn patch(&self, namespace: &str, object: &str, patch: &Value) -> Result<()> {
        self.patch_as("by-hand", namespace, object, patch).await
    }

    /// Merges a patch into an object as some field manager.
    pub(crate) async fn patch_as(
        &self,
        manager: &str,
        namespace: &str,
        object: &str,
        patch: &Value,
    ) -> Result<()> {
        let (api, name) = self.api(namespace, object).await?;
        let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
        api.patch(&name, &params, &Patch::Merge(patch)).await?;
        Ok(())
    }

    /// Applies fields of an object as some field manager.
    pub(crate) async fn apply_as(&self, manager: &str, namespace: &str, object: &Value) -> Result<()> {
        let (kind, name) = (object["kind"].as_str(), object["metadata"]["name"].as_str());
        let name = format!("{}/{}", kind.unwrap_or_default(), name.unwrap_or_default());
        let (api, name) = self.api(namespace, &name).await?;
        api.patch(&name, &PatchParams::apply(manager).force(), &Patch::Apply(object)).await?;
        Ok(())
    }

    /// Merges a status into an object, as its controller would.
    pub(crate) async fn status(&self, namespace: &str, object: &str, status: &Value) -> Result<()> {
        let (api, name) = self.api(namespace, object).await?;
        let patch = json!({ "status": status });
        api.patch_status(&name, &PatchParams::default(), &Patch::Merge(patch)).await?;
        Ok(())
    }

    /// Changes the spec of the Kustomization `app`.
    pub(crate) async fn respec(&self, namespace: &str, spec: Value) -> Result<()> {
        self.patch(namespace, "Kustomization/app", &json!({ "spec": spec })).await
    }

    /// Asks for a run of the Kustomization `app` and waits until it has ended.
    pub(crate) async fn reconcile(&self, namespace: &str, token: &str) -> Result<Value> {
        let annotations = json!({ "reconcile.fluxcd.io/requestedAt": token });
        self.patch(namespace, "Kustomization/app", &json!({ "metadata": { "annotations": annotations } }))
            .await?;
        self.until(namespace, "the request's end", |app| app["status"]["lastHandledReconcileAt"] == token)
            .await
    }

    /// An object that may not be there.
    pub(crate) async fn find(&self, namespace: &str, object: &str) -> Result<Option<Value>> {
        let (api, name) = self.api(namespace, object).await?;
        Ok(api.get_opt(&name).await?.map(serde_json::to_value).transpose()?)
    }

    /// An object that has to be there.
    pub(crate) async fn get(&self, namespace: &str, object: &str) -> Result<Value> {
        self.find(namespace, object).await?.with_context(|| format!("{namespace}: {object} is not there"))
    }

    /// The names of a kind's objects in a namespace.
    pub(crate) async fn names(&self, namespace: &str, kind: &str) -> Result<Vec<String>> {
        let (api, _) = self.api(namespace, &format!("{kind}/")).await?;
        let list = api.list(&ListParams::default()).await?;
        Ok(list.items.into_iter().filter_map(|object| object.metadata.name).collect())
    }

    /// Waits until the Kustomization `app` is as wanted.
    pub(crate) async fn until(
        &self,
        namespace: &str,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        let mut last = Value::Null;
        let found = until(what, SOON, async || {
            last = self.find(namespace, "Kustomization/app").await.ok()??;
            wanted(&last).then(|| last.clone())
        });
        found.await.with_context(|| format!("{namespace}: last seen: {:#}", last["status"]))
    }

    /// Waits until the Kustomization `app` is Ready with a revision at its generation.
    pub(crate) async fn ready(&self, namespace: &str, revision: &str) -> Result<Value> {
        self.until(namespace, "readiness", |app| {
            let ready = condition(app, "Ready");
            ready.status == "True"
                && ready.message == format!("Applied revision: {revision}")
                && app["status"]["observedGeneration"] == app["metadata"]["generation"]
        })
        .await
    }

    /// Waits until Ready is False for a reason, and returns its message.
    pub(crate) async fn failed(&self, namespace: &str, reason: &str) -> Result<String> {
        let app = self.until(namespace, reason, |app| {
            let ready = condition(app, "Ready");
            (ready.status.as_str(), ready.reason.as_str()) == ("False", reason)
        });
        Ok(condition(&app.await?, "Ready").message)
    }

    /// Waits until an object is gone.
    pub(crate) async fn gone(&self, namespace: &str, object: &str) -> Result<()> {
        until(&format!("the end of {object} in {namespace}"), SOON, async || {
            matches!(self.find(namespace, object).await, Ok(None)).then_some(())
        })
        .await
    }

    /// Deletes an object; does not wait.
    pub(crate) async fn delete(&self, namespace: &str, object: &str) -> Result<()> {
        let (api, name) = self.api(namespace, object).await?;
        api.delete(&name, &DeleteParams::background()).await?;
        Ok(())
    }

    /// Has a policy keep the ConfigMaps and Secrets of a namespace: who deletes one is told what its key `k` holds. Waits until
    /// that is so for one of them.
    pub(crate) async fn keep(&self, namespace: &str, object: &str) -> Result<()> {
        self.apply("", &KEPT.replace("{ns}", namespace)).await?;
        let (api, name) = self.api(namespace, object).await?;
        let dry_run = DeleteParams { dry_run: true, ..DeleteParams::default() };
        let kept = until("the policy", SOON, async || {
            let refused = api.delete(&name, &dry_run).await.err()?;
            refused.to_string().contains("it holds").then_some(())
        });
        // What this client logs is not what a controller says.
        kept.with_subscriber(NoSubscriber::default()).await
    }

    async fn api(&self, namespace: &str, object: &str) -> Result<(kube::Api<DynamicObject>, String)> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        let version = match kind {
            "GitRepository" | "OCIRepository" => "source.toolkit.fluxcd.io/v1",
            "Kustomization" => "kustomize.toolkit.fluxcd.io/v1",
            "Deployment" => "apps/v1",
            "ValidatingAdmissionPolicyBinding" => "admissionregistration.k8s.io/v1",
            _ => "v1",
        };
        Ok((self.plane.api(version, kind, namespace).await?, name.to_owned()))
    }
}

/// The archive of files.
pub(crate) fn archive_of(files: &[(&str, &str)]) -> Result<Vec<u8>> {
    let mut tree = MemoryTree::default();
    for (path, content) in files {
        if path.ends_with('/') {
            tree.add_folder(path);
        } else {
            tree.add_file(path, *content, false);
        }
    }
    Ok(millrace_artifact::archive::write(&tree, &Rules::none(), Vec::new())?.0)
}

/// A condition of an object; all fields are empty if it has none of that type.
pub(crate) fn condition(object: &Value, type_: &str) -> Condition {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let conditions = object["status"]["conditions"].as_array();
    let found = conditions.into_iter().flatten().find(|condition| condition["type"] == type_);
    found.map_or_else(Condition::default, |found| Condition {
        status: text(&found["status"]),
        reason: text(&found["reason"]),
        message: text(&found["message"]),
    })
}

/// Whether `text` is what `pattern` says; `…` stands for anything.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = pattern.split('…').collect();
    let [first, between @ .., last] = parts.as_slice() else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    between.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// An error unless `text` is what `pattern` says.
pub(crate) fn same(what: &str, text: &str, pattern: &str) -> Result<()> {
    ensure!(fits(pattern, text), "{what}\n   found {text:?}\nexpected {pattern:?}");
    Ok(())
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(key);
                } else {
                    merge(target.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (target, patch) => target.clone_from(patch),
    }
}

#[test]
fn patterns_match_whole_texts() {
    for (pattern, text, expected) in [
        ("a b", "a b", true),
        ("a b", "a b c", false),
        ("a … c", "a b c", true),
        ("a …", "a ", true),
        ("…b…d", "abcd", true),
        ("a…b", "ab c", false),
        ("ab…ba", "aba", false),
    ] {
        assert_eq!(fits(pattern, text), expected, "{pattern:?} {text:?}");
    }
}
