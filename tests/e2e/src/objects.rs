//! What users do to objects, with files or by hand.

use std::process::Output;

use anyhow::{Context as _, Result, bail};
use kube::api::{DynamicObject, Patch, PatchParams};
use millrace_harness::{tools, until};
use serde_json::{Value, json};

use crate::{SOON, Story, tail};

impl Story {
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
        let account = self.account().map(|account| format!("  serviceAccountName: {account}\n"));
        self.apply(&format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\nspec:\n  \
             interval: 1h\n  retryInterval: 2s\n  prune: true\n  targetNamespace: {}\n  sourceRef:\n    kind: \
             GitRepository\n    name: {source}\n{more}{}",
            self.namespace,
            account.unwrap_or_default()
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
        api.patch(name, &by_hand(), &Patch::Merge(patch)).await?;
        Ok(())
    }

    /// Merges a patch into the status of an object, as only somebody who means harm would.
    pub async fn patch_status(&self, object: &str, status: &Value) -> Result<()> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        let api = self.cluster.api(api_version(kind)?, kind, &self.namespace).await?;
        api.patch_status(name, &by_hand(), &Patch::Merge(&json!({ "status": status }))).await?;
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
}

fn by_hand() -> PatchParams {
    PatchParams { field_manager: Some("by-hand".to_owned()), ..PatchParams::default() }
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
