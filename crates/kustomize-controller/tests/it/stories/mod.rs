//! The stories: what is made, what follows, what is seen.

pub(crate) mod artifacts;
pub(crate) mod build;
pub(crate) mod lifecycle;
pub(crate) mod masking;
pub(crate) mod objects;
pub(crate) mod variables;

use anyhow::Result;
use serde_json::{Value, json};

use crate::live::World;

/// A namespace with a source at `v1` of these files, and a Kustomization of it.
async fn applied(w: &World, name: &str, files: &[(&str, &str)], spec: &Value) -> Result<String> {
    let namespace = w.bench.namespace(name).await?;
    w.bench.source(&namespace, "v1", &w.bench.artifact(files)?).await?;
    w.bench.kustomization(&namespace, "", spec).await?;
    Ok(namespace)
}

/// Like [`applied`], when it is Ready.
async fn ready(w: &World, name: &str, files: &[(&str, &str)], spec: &Value) -> Result<String> {
    let namespace = applied(w, name, files, spec).await?;
    w.bench.ready(&namespace, "v1").await?;
    Ok(namespace)
}

/// Moves the source to other files.
async fn revise(w: &World, namespace: &str, revision: &str, files: &[(&str, &str)]) -> Result<()> {
    w.bench.source(namespace, revision, &w.bench.artifact(files)?).await
}

/// A manifest of a ConfigMap with one value.
fn config_map(name: &str, value: &str) -> String {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "k": value },
    })
    .to_string()
}
