//! Kustomizations that come after others.

use std::time::Duration;

use anyhow::Result;
use millrace_e2e::{Story, config_map};
use serde_json::json;

use crate::story;

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_three_is_woken_by_watch() -> Result<()> {
    // The poll is far away: what wakes a dependent within the test is the watch.
    let story = story!("depends", |options| options.arg("--requeue-dependency=10m"));
    let repository = story.git.create("site")?;
    let commit = repository.commit("first");
    let commit = ["one", "two", "three"]
        .iter()
        .fold(commit, |commit, name| commit.file(&format!("{name}/map.yaml"), config_map(name, "1")));
    commit.push()?;
    story.git_repository("site").await?;
    dependent(&story, "three", Some("two")).await?;
    waits(&story, "three", "two' not found: kustomizations.kustomize.toolkit.fluxcd.io \"two\" not found")
        .await?;
    dependent(&story, "two", Some("one")).await?;
    waits(&story, "two", "one' not found: kustomizations.kustomize.toolkit.fluxcd.io \"one\" not found")
        .await?;
    assert!(story.find("ConfigMap/three").await?.is_none());

    let began = std::time::Instant::now();
    dependent(&story, "one", None).await?;
    story.ready("Kustomization/three").await?;
    assert!(began.elapsed() < Duration::from_secs(20), "took {:?}", began.elapsed());
    story
        .event("Kustomization/two", |type_, reason, message| {
            (type_, reason, message)
                == (
                    "Normal",
                    "DependencyNotReady",
                    "Dependencies do not meet ready condition, retrying in 10m0s",
                )
        })
        .await?;

    let second = repository.commit("second").file("three/map.yaml", config_map("three", "2")).push()?;
    story.reconcile("GitRepository/site").await?;
    story.ready_with("Kustomization/three", &second).await?;
    assert_eq!(story.get("ConfigMap/three").await?["data"], json!({ "value": "2" }));
    Ok(())
}

/// Waits until a Kustomization waits for another one, and says exactly why.
async fn waits(story: &Story, name: &str, why: &str) -> Result<()> {
    let message = format!("dependency '{}/{why}", story.namespace);
    story
        .until(&format!("Kustomization/{name}"), "Ready", |ready| {
            (ready.status.as_str(), ready.reason.as_str()) == ("False", "DependencyNotReady")
                && ready.is_current
                && ready.message == message
        })
        .await?;
    Ok(())
}

async fn dependent(story: &Story, name: &str, on: Option<&str>) -> Result<()> {
    let depends_on = on.map(|on| format!("  dependsOn:\n  - name: {on}\n")).unwrap_or_default();
    story.kustomization(name, "site", &format!("  path: ./{name}\n{depends_on}")).await
}
