//! Hand edits, deleted files, and what is kept from pruning.

use anyhow::Result;
use millrace_e2e::{config_map, deployment};
use serde_json::json;

use crate::story;

#[tokio::test(flavor = "multi_thread")]
async fn a_hand_edit_is_corrected_on_the_next_reconcile() -> Result<()> {
    let story = story!("drift");
    let repository = story.git.create("site")?;
    repository.commit("first").file("web.yaml", deployment("web", 1)).push()?;
    story.git_repository("site").await?;
    story.kustomization("site", "site", "").await?;
    story.ready("Kustomization/site").await?;
    let before = story.get("Deployment/web").await?["metadata"]["resourceVersion"].clone();

    story.reconcile("Kustomization/site").await?;
    let unchanged = story.get("Deployment/web").await?;
    assert_eq!(unchanged["spec"]["replicas"], 1);
    let generation = unchanged["metadata"]["generation"].clone();

    story.patch("Deployment/web", &json!({ "spec": { "replicas": 3 } })).await?;
    story.reconcile("Kustomization/site").await?;
    let corrected = story.get("Deployment/web").await?;
    assert_eq!(corrected["spec"]["replicas"], 1);
    assert_ne!(corrected["metadata"]["generation"], generation);
    assert_ne!(corrected["metadata"]["resourceVersion"], before);
    let subject = format!("Deployment/{}/web configured", story.namespace);
    story
        .event("Kustomization/site", |type_, reason, message| {
            (type_, reason) == ("Normal", "Progressing") && message == subject
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_prunes_its_object_unless_it_is_to_be_kept() -> Result<()> {
    let story = story!("prune");
    let repository = story.git.create("site")?;
    let kept = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  annotations:\n    \
                kustomize.toolkit.fluxcd.io/prune: disabled\n";
    repository
        .commit("first")
        .file("a.yaml", config_map("a", "1"))
        .file("b.yaml", config_map("b", "1"))
        .file("kept.yaml", kept)
        .push()?;
    story.git_repository("site").await?;
    story.kustomization("site", "site", "").await?;
    story.ready("Kustomization/site").await?;
    let entries = story.get("Kustomization/site").await?["status"]["inventory"]["entries"].clone();
    let id = |name: &str| json!({ "id": format!("{}_{name}__ConfigMap", story.namespace), "v": "v1" });
    assert_eq!(entries, json!([id("a"), id("b"), id("kept")]));

    let second = repository.commit("second").delete("b.yaml").delete("kept.yaml").push()?;
    story.reconcile("GitRepository/site").await?;
    story.ready_with("Kustomization/site", &second).await?;
    story.gone("ConfigMap/b").await?;
    assert!(story.find("ConfigMap/kept").await?.is_some());
    assert!(story.find("ConfigMap/a").await?.is_some());
    let lines = format!("ConfigMap/{0}/kept skipped\nConfigMap/{0}/b deleted", story.namespace);
    story
        .event("Kustomization/site", |type_, reason, message| {
            (type_, reason) == ("Normal", "Progressing") && message == lines
        })
        .await
}
