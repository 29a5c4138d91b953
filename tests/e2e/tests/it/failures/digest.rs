//! An artifact that isn't what its digest says.

use anyhow::Result;
use millrace_e2e::{SOON, Story};
use millrace_harness::until;
use serde_json::json;

use super::Site;
use crate::story;

/// No archive has this digest.
const WRONG: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

#[tokio::test(flavor = "multi_thread")]
async fn a_tampered_artifact_is_noticed_and_stored_anew() -> Result<()> {
    let story = story!("tampered");
    let site = Site::deploy(&story).await?;
    let artifact = story.get("GitRepository/site").await?["status"]["artifact"].clone();
    let file = story.millrace.storage().join(artifact["path"].as_str().unwrap_or_default());
    std::fs::write(&file, b"something else")?;
    story.reconcile("GitRepository/site").await?;
    verification_failed(&story, artifact["digest"].as_str().unwrap_or_default()).await?;
    site.mends(&story, &site.commit).await?;
    let again = story.get("GitRepository/site").await?["status"]["artifact"].clone();
    assert_eq!(again["digest"], artifact["digest"], "archives are deterministic");
    site.is_served(&story).await?;
    site.is_intact(&story).await
}

/// KC-008. The source is suspended, so that its controller is out of the way while its status lies.
#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_that_is_not_what_its_source_says_is_not_applied() -> Result<()> {
    let story = story!("digest");
    let site = Site::deploy(&story).await?;
    suspend(&story, true).await?;
    let forged = json!({ "digest": WRONG, "revision": "main@sha1:0000000000000000000000000000000000000000" });
    story.patch_status("GitRepository/site", &json!({ "artifact": forged })).await?;
    let mismatch = format!(
        "failed to verify archive: computed digest doesn't match provided '{WRONG}' (check whether file size exceeds max \
         download size)"
    );
    site.kustomization_fails(&story, "ArtifactFailed", &mismatch).await?;
    story.told("Kustomization/site", ("Warning", "ArtifactFailed", &mismatch)).await?;

    suspend(&story, false).await?;
    verification_failed(&story, WRONG).await?;
    site.mends(&story, &site.commit).await?;
    site.is_served(&story).await?;
    site.is_intact(&story).await
}

async fn suspend(story: &Story, suspend: bool) -> Result<()> {
    story.patch("GitRepository/site", &json!({ "spec": { "suspend": suspend } })).await?;
    until("the source to see it", SOON, async || {
        let found = story.get("GitRepository/site").await.ok()?;
        (found["status"]["observedGeneration"] == found["metadata"]["generation"]).then_some(())
    })
    .await
}

async fn verification_failed(story: &Story, digest: &str) -> Result<()> {
    let expected =
        format!("failed to verify integrity of artifact: computed digest doesn't match '{digest}'");
    story.told("GitRepository/site", ("Warning", "ArtifactVerificationFailed", &expected)).await
}
