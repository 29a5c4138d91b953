//! A cluster that belongs to somebody else: looked at before anything is changed, and left as it was found.

mod look;
mod rights;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::discovery::ApiResource;
use millrace_harness::{ControlPlane, until};
use serde_json::json;

use super::scene::NAMESPACE;
use crate::say::say;

/// What the demo makes bears this label, and nothing without it is deleted.
const MARK: (&str, &str) = ("app.kubernetes.io/managed-by", "millrace-demo");
const SERVE_LIMIT: Duration = Duration::from_secs(30);
const DELETE_LIMIT: Duration = Duration::from_mins(1);

/// What the demo brings into a cluster, decided before it changes anything.
pub(super) struct Guest {
    /// Definitions that the cluster does not have.
    missing: Vec<CustomResourceDefinition>,
}

impl Guest {
    /// Connects and looks whether the demo may play here. Changes nothing.
    ///
    /// # Errors
    /// When the cluster can't be reached, the login may too little, or the demo would get in somebody's way.
    pub(super) async fn arrive(kubeconfig: &Path) -> Result<(ControlPlane, Self)> {
        let cluster = ControlPlane::existing(kubeconfig)
            .await
            .with_context(|| format!("{} leads to no cluster", kubeconfig.display()))?;
        look::answers(&cluster).await?;
        rights::check(&cluster, rights::ALWAYS).await?;
        let missing = look::missing_definitions(&cluster).await?;
        if !missing.is_empty() {
            rights::check(&cluster, rights::TO_INSTALL).await?;
        }
        look::namespace_is_free(&cluster).await?;
        look::nobody_reconciles(&cluster).await?;
        Ok((cluster, Self { missing }))
    }

    /// Makes the namespace, and the definitions that were not there.
    pub(super) async fn settle(&self, cluster: &ControlPlane) -> Result<()> {
        let namespaces: Api<Namespace> = Api::all(cluster.client());
        let namespace = Namespace { metadata: marked(NAMESPACE), ..Namespace::default() };
        namespaces
            .create(&PostParams::default(), &namespace)
            .await
            .with_context(|| format!("cannot create the namespace {NAMESPACE}"))?;
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
        for definition in &self.missing {
            let mut definition = definition.clone();
            let mark = (MARK.0.to_owned(), MARK.1.to_owned());
            definition.metadata.labels.get_or_insert_default().extend([mark]);
            definitions
                .create(&PostParams::default(), &definition)
                .await
                .with_context(|| format!("cannot install the CRD {}", name(&definition)))?;
        }
        for definition in &self.missing {
            let api = objects(cluster, definition)?;
            until(&format!("the CRD {} to be served", name(definition)), SERVE_LIMIT, async || {
                api.list(&ListParams::default().limit(1)).await.ok().map(drop)
            })
            .await?;
        }
        if !self.missing.is_empty() {
            say!("✔ installed {} CRDs that the cluster did not have", self.missing.len());
        }
        Ok(())
    }

    /// Takes away what [`Guest::settle`] and the sample made, and says what is left.
    pub(super) async fn leave(&self, cluster: &ControlPlane) -> Result<()> {
        let outcome = self.remove_namespace(cluster).await;
        if let Err(error) = &outcome {
            say!("left in the cluster: the namespace {NAMESPACE} ({error:#})");
        }
        let mut left = Vec::new();
        for definition in &self.missing {
            if let Err(error) = remove_definition(cluster, definition).await {
                left.push(format!("the CRD {} ({error:#})", name(definition)));
            }
        }
        for what in &left {
            say!("left in the cluster: {what}");
        }
        match (outcome, left.is_empty()) {
            (Ok(()), true) => {
                say!("✔ the cluster is as it was");
                Ok(())
            }
            _ => bail!("the cluster is not as it was"),
        }
    }

    async fn remove_namespace(&self, cluster: &ControlPlane) -> Result<()> {
        let namespaces: Api<Namespace> = Api::all(cluster.client());
        let Some(found) = namespaces.get_opt(NAMESPACE).await? else { return Ok(()) };
        if !is_marked(&found.metadata) {
            return Ok(());
        }
        namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
        // Nobody is there any more who would answer to the finalizers.
        for definition in millrace_api::crds() {
            let api = objects(cluster, &definition)?;
            let Ok(list) = api.list(&ListParams::default()).await else { continue };
            for object in list.items.iter().filter(|object| object.metadata.finalizers.is_some()) {
                let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
                let name = object.metadata.name.as_deref().unwrap_or_default();
                api.patch(name, &PatchParams::default(), &patch).await?;
            }
        }
        until(&format!("the end of the namespace {NAMESPACE}"), DELETE_LIMIT, async || {
            matches!(namespaces.get_opt(NAMESPACE).await, Ok(None)).then_some(())
        })
        .await
    }
}

/// Deletes a definition that the demo installed, unless somebody uses it.
async fn remove_definition(cluster: &ControlPlane, definition: &CustomResourceDefinition) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
    let Some(found) = definitions.get_opt(name(definition)).await? else { return Ok(()) };
    if !is_marked(&found.metadata) {
        return Ok(());
    }
    let all = Api::<DynamicObject>::all_with(cluster.client(), &resource(definition)?);
    if let Some(used) = all.list(&ListParams::default().limit(1)).await?.items.first() {
        let namespace = used.metadata.namespace.as_deref().unwrap_or_default();
        bail!("in use: {namespace}/{}", used.metadata.name.as_deref().unwrap_or_default());
    }
    definitions.delete(name(definition), &DeleteParams::default()).await?;
    until("its end", DELETE_LIMIT, async || {
        matches!(definitions.get_opt(name(definition)).await, Ok(None)).then_some(())
    })
    .await
}

fn objects(cluster: &ControlPlane, definition: &CustomResourceDefinition) -> Result<Api<DynamicObject>> {
    Ok(Api::namespaced_with(cluster.client(), NAMESPACE, &resource(definition)?))
}

fn resource(definition: &CustomResourceDefinition) -> Result<ApiResource> {
    let spec = &definition.spec;
    let version = spec.versions.iter().find(|version| version.storage).context("a CRD stores a version")?;
    let kind = GroupVersionKind::gvk(&spec.group, &version.name, &spec.names.kind);
    Ok(ApiResource::from_gvk_with_plural(&kind, &spec.names.plural))
}

fn marked(name: &str) -> ObjectMeta {
    let labels = [(MARK.0.to_owned(), MARK.1.to_owned())].into();
    ObjectMeta { name: Some(name.to_owned()), labels: Some(labels), ..ObjectMeta::default() }
}

fn is_marked(metadata: &ObjectMeta) -> bool {
    metadata.labels.as_ref().and_then(|labels| labels.get(MARK.0)).is_some_and(|value| value == MARK.1)
}

fn name(definition: &CustomResourceDefinition) -> &str {
    definition.metadata.name.as_deref().unwrap_or_default()
}
