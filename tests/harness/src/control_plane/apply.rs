//! Objects from YAML: applied, read and deleted without a Rust type for each kind.

use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::discovery::v2::APIGroupDiscovery;
use kube::core::gvk::GroupVersionKind;
use kube::discovery::{ApiResource, Scope};
use serde_json::Value;

use super::ControlPlane;
use crate::{Result, tools, wait};

const FIELD_MANAGER: &str = "bench";
const ESTABLISH_LIMIT: Duration = Duration::from_secs(30);
const DELETE_LIMIT: Duration = Duration::from_mins(1);
const PARALLEL: usize = 8;

impl ControlPlane {
    /// Applies all documents of a YAML text (server-side, forced); `namespace` is for objects that name none.
    pub async fn apply(&self, namespace: &str, yaml: &str) -> Result<Vec<DynamicObject>> {
        let mut applied = Vec::new();
        for document in documents(yaml)? {
            applied.push(self.apply_one(namespace, document).await?);
        }
        Ok(applied)
    }

    async fn apply_one(&self, namespace: &str, document: Value) -> Result<DynamicObject> {
        let object: DynamicObject =
            serde_json::from_value(document).context("a document is no Kubernetes object")?;
        let types = object.types.as_ref().context("a document without apiVersion and kind")?;
        let name = object.metadata.name.as_deref().context("an object without a name")?;
        let what = format!("{}/{name}", types.kind);
        let namespace = object.metadata.namespace.as_deref().unwrap_or(namespace);
        let api = self.api(&types.api_version, &types.kind, namespace).await?;
        let params = PatchParams::apply(FIELD_MANAGER).force();
        api.patch(name, &params, &Patch::Apply(&object)).await.with_context(|| format!("cannot apply {what}"))
    }

    /// Reads an object; `None` if it is not there.
    pub async fn find(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<DynamicObject>> {
        Ok(self.api(api_version, kind, namespace).await?.get_opt(name).await?)
    }

    /// Deletes an object and waits until it is gone.
    pub async fn delete(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Result<()> {
        let api = self.api(api_version, kind, namespace).await?;
        api.delete(name, &DeleteParams::default()).await?;
        wait::until(&format!("the end of {kind}/{name}"), DELETE_LIMIT, async || {
            matches!(api.get_opt(name).await, Ok(None)).then_some(())
        })
        .await
    }

    /// Access to objects of a kind by its API version (`v1`, `apps/v1`) and name.
    pub async fn api(&self, api_version: &str, kind: &str, namespace: &str) -> Result<Api<DynamicObject>> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let gvk = GroupVersionKind::gvk(group, version, kind);
        let (resource, scope) = self
            .discover(&gvk)
            .await
            .with_context(|| format!("the API server does not know {kind} of {api_version}"))?;
        Ok(match scope {
            Scope::Cluster => Api::all_with(self.client(), &resource),
            Scope::Namespaced => Api::namespaced_with(self.client(), namespace, &resource),
        })
    }

    /// Asks the API server about a kind, once.
    async fn discover(&self, gvk: &GroupVersionKind) -> Result<(ApiResource, Scope)> {
        let known = self.kinds.lock().unwrap_or_else(PoisonError::into_inner).get(gvk).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let (resource, capabilities) = kube::discovery::pinned_kind(&self.client, gvk).await?;
        let found = (resource, capabilities.scope);
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).insert(gvk.clone(), found.clone());
        Ok(found)
    }

    /// Installs the project's CRDs (`crds/`) and waits until the API server serves them.
    pub async fn install_crds(&self) -> Result<()> {
        self.install_crds_from(&tools::repository().join("crds")).await
    }

    /// Installs the CRDs in the YAML files of a folder and waits until the API server serves them.
    pub async fn install_crds_from(&self, folder: &Path) -> Result<()> {
        let mut definitions = Vec::new();
        let entries =
            std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                let text = std::fs::read_to_string(&path)?;
                let found = documents(&text).with_context(|| format!("in {}", path.display()))?;
                definitions.extend(
                    found.into_iter().filter(|document| document["kind"] == "CustomResourceDefinition"),
                );
            }
        }
        ensure!(!definitions.is_empty(), "there is no CRD in {}", folder.display());
        futures::stream::iter(definitions)
            .map(|definition| self.install_crd(definition))
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await
    }

    async fn install_crd(&self, definition: Value) -> Result<()> {
        let resource = ApiResource::erase::<CustomResourceDefinition>(&());
        let api: Api<DynamicObject> = Api::all_with(self.client(), &resource);
        let name = definition["metadata"]["name"].as_str().context("a CRD without a name")?.to_owned();
        api.patch(&name, &PatchParams::apply(FIELD_MANAGER).force(), &Patch::Apply(&definition)).await?;
        let served = served(&definition);
        wait::until(&format!("the CRD {name} to be served"), ESTABLISH_LIMIT, async || {
            for kind in &served {
                self.serves(kind).await?;
            }
            Some(())
        })
        .await
    }

    /// Whether a kind can be listed and is found in both forms of the discovery; the API server fills each on its own.
    async fn serves(&self, kind: &ServedKind) -> Option<()> {
        let ServedKind { group, version, plural } = kind;
        // An established kind still answers 429 until its storage is there.
        self.get(&format!("/apis/{group}/{version}/{plural}?limit=1")).await.ok()?;
        let resources = self.client.list_api_group_resources(&format!("{group}/{version}")).await.ok()?;
        resources.resources.iter().find(|resource| resource.name == *plural)?;
        let groups = self.client.list_api_groups_aggregated().await.ok()?.items;
        let named = |item: &APIGroupDiscovery| {
            item.metadata.as_ref().and_then(|metadata| metadata.name.as_ref()) == Some(group)
        };
        let mut versions = groups.iter().find(|item| named(item))?.versions.iter();
        let found = versions.find(|item| item.version.as_ref() == Some(version))?;
        found.resources.iter().any(|resource| resource.resource.as_ref() == Some(plural)).then_some(())
    }
}

/// A version of a custom resource as its path names it.
struct ServedKind {
    group: String,
    version: String,
    plural: String,
}

/// The versions that a CRD serves.
fn served(definition: &Value) -> Vec<ServedKind> {
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let versions =
        spec["versions"].as_array().into_iter().flatten().filter(|version| version["served"] == true);
    versions
        .map(|version| ServedKind {
            group: text(&spec["group"]),
            version: text(&version["name"]),
            plural: text(&spec["names"]["plural"]),
        })
        .collect()
}

/// The non-empty documents of a YAML text.
fn documents(yaml: &str) -> Result<Vec<Value>> {
    let all: Vec<Value> = serde_yaml::from_multiple(yaml).context("cannot read YAML")?;
    Ok(all.into_iter().filter(|document| !document.is_null()).collect())
}
