//! A Kustomization that can't be built.

use anyhow::Result;
use millrace_e2e::{Story, Verdict, config_map};
use serde_json::json;

use super::Site;
use crate::story;

/// What messages call the root of the artifact that the Kustomization builds.
fn root(story: &Story) -> String {
    let temporary =
        story.millrace.storage().with_file_name(format!("kustomization-{}-site", story.namespace));
    temporary.display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_yaml_names_the_file_and_mends_with_the_next_commit() -> Result<()> {
    let story = story!("broken");
    let site = Site::deploy(&story).await?;
    site.repository.commit("broken").file("deploy/b.yaml", "apiVersion: v1\nkind: [\n").push()?;
    story.reconcile("GitRepository/site").await?;
    let broken = format!(
        "failed to decode Kubernetes YAML from {}/deploy/b.yaml: MalformedYAMLError: yaml: line 2: did not find expected node \
         content",
        root(&story)
    );
    site.kustomization_fails(&story, "BuildFailed", &broken).await?;
    let fixed = site.repository.commit("fixed").delete("deploy/b.yaml").push()?;
    story.reconcile("GitRepository/site").await?;
    site.mends(&story, &fixed).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_path_is_an_artifact_failure() -> Result<()> {
    let story = story!("nopath");
    let site = Site::deploy(&story).await?;
    story.patch("Kustomization/site", &json!({ "spec": { "path": "./nope" } })).await?;
    let missing =
        format!("kustomization path not found: stat {}/nope: no such file or directory", root(&story));
    site.kustomization_fails(&story, "ArtifactFailed", &missing).await?;
    story.patch("Kustomization/site", &json!({ "spec": { "path": "./deploy" } })).await?;
    site.mends(&story, &site.commit).await?;
    site.is_intact(&story).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_with_variables_is_waited_for() -> Result<()> {
    let story = story!("novars");
    let site = Site::deploy(&story).await?;
    let from = json!([{ "kind": "Secret", "name": "values" }]);
    story
        .patch("Kustomization/site", &json!({ "spec": { "postBuild": { "substituteFrom": from } } }))
        .await?;
    let missing = "post build failed for 'ConfigMap.v1.[noGrp]/a': substitute from 'Secret/values' error: secrets \"values\" \
                   not found";
    site.kustomization_fails(&story, "BuildFailed", missing).await?;
    story
        .apply("apiVersion: v1\nkind: Secret\nmetadata:\n  name: values\nstringData:\n  color: blue\n")
        .await?;
    site.mends(&story, &site.commit).await?;
    site.is_intact(&story).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_source_leaves_what_was_applied() -> Result<()> {
    let story = story!("nosource");
    let site = Site::deploy(&story).await?;
    let source = |name: &str| json!({ "spec": { "sourceRef": { "name": name } } });
    story.patch("Kustomization/site", &source("nope")).await?;
    let missing = "GitRepository.source.toolkit.fluxcd.io \"nope\" not found";
    // A run that ends before it has begun to fetch shows no progress, and none to come.
    let verdict = Verdict { type_: "Ready", status: "False", reason: "ArtifactFailed", message: missing };
    story.verdict("Kustomization/site", verdict).await?;
    site.is_intact(&story).await?;
    let second = site.repository.commit("second").file("deploy/b.yaml", config_map("b", "1")).push()?;
    story.patch("Kustomization/site", &source("site")).await?;
    story.reconcile("GitRepository/site").await?;
    site.mends(&story, &second).await
}
