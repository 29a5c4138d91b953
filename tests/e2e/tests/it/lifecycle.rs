//! Suspension and deletion.

use anyhow::Result;
use millrace_e2e::config_map;
use serde_json::json;

use crate::story;

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_kustomization_applies_nothing_until_it_is_resumed() -> Result<()> {
    let story = story!("suspend");
    let repository = story.git.create("site")?;
    repository.commit("first").file("a.yaml", config_map("a", "1")).push()?;
    story.git_repository("site").await?;
    story.kustomization("site", "site", "").await?;
    story.ready("Kustomization/site").await?;

    story.patch("Kustomization/site", &json!({ "spec": { "suspend": true } })).await?;
    let second = repository.commit("second").file("a.yaml", config_map("a", "2")).push()?;
    story.reconcile("GitRepository/site").await?;
    story.reconcile("Kustomization/site").await?;
    assert_eq!(story.get("ConfigMap/a").await?["data"]["value"], "1");

    story.patch("Kustomization/site", &json!({ "spec": { "suspend": false } })).await?;
    story.ready_with("Kustomization/site", &second).await?;
    assert_eq!(story.get("ConfigMap/a").await?["data"]["value"], "2");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_kustomization_takes_its_objects_with_it() -> Result<()> {
    let story = story!("delete");
    let repository = story.git.create("site")?;
    repository.commit("first").file("a.yaml", config_map("a", "1")).push()?;
    story.git_repository("site").await?;
    story.kustomization("site", "site", "").await?;
    story.kustomization("orphan", "site", "  namePrefix: left-\n  deletionPolicy: Orphan\n").await?;
    story.ready("Kustomization/site").await?;
    story.ready("Kustomization/orphan").await?;
    let finalizers = story.get("Kustomization/site").await?["metadata"]["finalizers"].clone();
    assert_eq!(finalizers, json!(["finalizers.fluxcd.io"]));

    story.delete("Kustomization/site").await?;
    story.gone("ConfigMap/a").await?;
    story.delete("Kustomization/orphan").await?;
    assert!(story.find("ConfigMap/left-a").await?.is_some());

    let artifact = story.get("GitRepository/site").await?["status"]["artifact"]["path"].clone();
    let folder = story.millrace.storage().join(artifact.as_str().unwrap_or_default());
    assert!(folder.exists());
    story.delete("GitRepository/site").await?;
    assert!(!folder.exists(), "the artifacts of a deleted source go with it");
    Ok(())
}
