//! What is built from a folder.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{config_map, ready, revise};
use crate::bench::{condition, same};
use crate::live::World;

pub(crate) async fn a_folder_without_a_kustomization_file(w: &World) -> Result<()> {
    let map = |name: &str| config_map(name, "1");
    let files = [
        ("a.yaml", map("a")),
        ("b.yml", map("b")),
        ("c.json", map("c")),
        ("sub/d.yaml", map("d")),
        ("base/kustomization.yaml", "namePrefix: x-\nresources: [e.yaml]\n".to_owned()),
        ("base/e.yaml", map("e")),
        ("base/f.yaml", map("f")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let namespace = ready(w, "generated", &files, &json!({})).await?;
    let mut names = w.bench.names(&namespace, "ConfigMap").await?;
    names.sort();
    ensure!(names == ["a", "b", "d", "x-e"], "{names:?}");

    revise(w, &namespace, "v2", &[("empty/", "")]).await?;
    w.bench.respec(&namespace, json!({ "path": "./empty" })).await?;
    let app = w.bench.ready(&namespace, "v2").await?;
    ensure!(app["status"]["inventory"] == json!({ "entries": [] }), "{:#}", app["status"]);
    let names = w.bench.names(&namespace, "ConfigMap").await?;
    ensure!(names.is_empty(), "{names:?}");
    Ok(())
}

pub(crate) async fn names_and_namespace(w: &World) -> Result<()> {
    let file = "namespace: a\nnamePrefix: x-\nnameSuffix: -y\nresources: [app.yaml]\n";
    let files = [("kustomization.yaml", file), ("app.yaml", &config_map("app", "1"))];
    let spec = json!({ "namePrefix": "p-", "nameSuffix": "-s" });
    let namespace = ready(w, "named", &files, &spec).await?;
    let names = w.bench.names(&namespace, "ConfigMap").await?;
    ensure!(names == ["p-app-s"], "{names:?}");
    Ok(())
}

pub(crate) async fn common_metadata_comes_and_goes(w: &World) -> Result<()> {
    let manifest = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "app", "labels": { "team": "git" } },
    });
    let spec = json!({ "commonMetadata": { "labels": { "team": "spec", "more": "x" }, "annotations": { "note": "n" } } });
    let namespace = ready(w, "common", &[("app.yaml", &manifest.to_string())], &spec).await?;
    let metadata = w.bench.get(&namespace, "ConfigMap/app").await?["metadata"].clone();
    let (labels, annotations) = (&metadata["labels"], &metadata["annotations"]);
    ensure!(labels["team"] == "spec" && labels["more"] == "x" && annotations["note"] == "n", "{metadata:#}");
    w.bench.respec(&namespace, json!({ "commonMetadata": null })).await?;
    w.bench.ready(&namespace, "v1").await?;
    let metadata = w.bench.get(&namespace, "ConfigMap/app").await?["metadata"].clone();
    ensure!(metadata["labels"]["team"] == "git", "{metadata:#}");
    ensure!(
        metadata["labels"].get("more").is_none() && metadata["annotations"].get("note").is_none(),
        "{metadata:#}"
    );
    Ok(())
}

pub(crate) async fn a_file_that_is_no_manifest(w: &World) -> Result<()> {
    let files = [(".sops.yaml", "creation_rules: []\n"), ("app.yaml", &*config_map("app", "1"))];
    let namespace = super::applied(w, "sops", &files, &json!({})).await?;
    let message = w.bench.failed(&namespace, "BuildFailed").await?;
    ensure!(message.starts_with("failed to decode Kubernetes YAML from "), "{message}");
    Ok(())
}

pub(crate) async fn components_that_are_missing(w: &World) -> Result<()> {
    let map = config_map("app", "1");
    let spec = json!({ "components": ["../x"], "path": "./deploy" });
    let namespace = super::applied(w, "components", &[("deploy/app.yaml", &*map)], &spec).await?;
    w.bench.failed(&namespace, "BuildFailed").await?;
    w.bench.respec(&namespace, json!({ "ignoreMissingComponents": true })).await?;
    w.bench.ready(&namespace, "v1").await?;
    w.bench.respec(&namespace, json!({ "components": ["https://example.com/x"] })).await?;
    let message = w.bench.failed(&namespace, "BuildFailed").await?;
    same("message", &message, "component path 'https://example.com/x' must be local and relative")
}

pub(crate) async fn files_outside_and_files_twice(w: &World) -> Result<()> {
    let (map, twice) = (config_map("app", "1"), "resources: [a.yaml, b.yaml]\n");
    let files = [("kustomization.yaml", twice), ("a.yaml", map.as_str()), ("b.yaml", map.as_str())];
    let namespace = super::applied(w, "twice", &files, &json!({})).await?;
    let message = w.bench.failed(&namespace, "BuildFailed").await?;
    ensure!(message.contains("may not add resource with an already registered id"), "{message}");

    let outside = "resources: [../../../etc/passwd]\n";
    revise(w, &namespace, "v2", &[("kustomization.yaml", outside)]).await?;
    let outside = |app: &serde_json::Value| {
        let message = condition(app, "Ready").message;
        message.starts_with("kustomize build failed: ") && message.contains("fs-security-constraint")
    };
    w.bench.until(&namespace, "the second failure", outside).await.map(drop)
}

/// What is wrong is told with the folder in which the file lies, whether the build or what comes before it finds out.
pub(crate) async fn a_broken_file_is_named_with_its_folder(w: &World) -> Result<()> {
    let page = ("deploy/pages/page.yaml", "apiVersion: v1\nkind: [\n");
    let namespace = super::applied(w, "broken-file", &[page], &json!({ "path": "./deploy" })).await?;
    let message = w.bench.failed(&namespace, "BuildFailed").await?;
    let expected = format!(
        "failed to decode Kubernetes YAML from /tmp/kustomization-{namespace}-app/deploy/pages/page.yaml: \
         MalformedYAMLError: yaml: line 2: did not find expected node content\nhint: see deploy/pages/page.yaml:2"
    );
    same("message", &message, &expected)?;

    let base = ("deploy/pages/kustomization.yaml", "resources: [page.yaml]\n");
    let root = ("deploy/kustomization.yaml", "resources: [pages]\n");
    revise(w, &namespace, "v2", &[page, base, root]).await?;
    let app = w.bench.until(&namespace, "the second failure", |app| {
        condition(app, "Ready").message.starts_with("kustomize build failed: ")
    });
    let message = condition(&app.await?, "Ready").message;
    same("message", &message, "…MalformedYAMLError: yaml: line 2: …\nhint: deploy/pages/page.yaml:2: …")
}
