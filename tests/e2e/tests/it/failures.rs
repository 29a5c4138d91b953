//! What goes wrong shows as the contract says, loses nothing, and mends without a restart.

use anyhow::Result;
use millrace_e2e::{Story, config_map};
use serde_json::json;

use crate::story;

async fn deployed(story: &Story) -> Result<millrace_harness::git::Repository> {
    let repository = story.git.create("site")?;
    repository.commit("first").file("deploy/a.yaml", config_map("a", "1")).push()?;
    story.git_repository("site").await?;
    story.kustomization("site", "site", "  path: ./deploy\n").await?;
    story.ready("Kustomization/site").await?;
    Ok(repository)
}

async fn assert_nothing_lost(story: &Story) -> Result<()> {
    assert_eq!(story.get("ConfigMap/a").await?["data"], json!({ "value": "1" }));
    let entries = story.get("Kustomization/site").await?["status"]["inventory"]["entries"].clone();
    assert_eq!(entries.as_array().map(Vec::len), Some(1));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_yaml_names_the_file_and_mends_with_the_next_commit() -> Result<()> {
    let story = story!("broken");
    let repository = deployed(&story).await?;
    repository.commit("broken").file("deploy/b.yaml", "apiVersion: v1\nkind: [\n").push()?;
    story.reconcile("GitRepository/site").await?;
    let ready = story.failing("Kustomization/site", "BuildFailed").await?;
    assert!(ready.message.starts_with("failed to decode Kubernetes YAML from "), "{}", ready.message);
    assert!(ready.message.contains("/deploy/b.yaml: "), "{}", ready.message);
    assert_nothing_lost(&story).await?;
    let fixed = repository.commit("fixed").delete("deploy/b.yaml").push()?;
    story.reconcile("GitRepository/site").await?;
    story.ready_with("Kustomization/site", &fixed).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_path_is_an_artifact_failure() -> Result<()> {
    let story = story!("nopath");
    deployed(&story).await?;
    story.patch("Kustomization/site", &json!({ "spec": { "path": "./nope" } })).await?;
    let ready = story.failing("Kustomization/site", "ArtifactFailed").await?;
    assert!(ready.message.starts_with("kustomization path not found: stat "), "{}", ready.message);
    assert!(ready.message.ends_with("/nope: no such file or directory"), "{}", ready.message);
    assert_nothing_lost(&story).await?;
    story.patch("Kustomization/site", &json!({ "spec": { "path": "./deploy" } })).await?;
    story.ready("Kustomization/site").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_and_a_wrong_password_are_told_apart() -> Result<()> {
    let story = story!("login");
    let repository = story.git.create("site")?;
    repository.commit("first").file("a.yaml", config_map("a", "1")).push()?;
    let source = |secret: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: site\nspec:\n  interval: \
             1h\n  url: {}\n  ref:\n    branch: main\n  secretRef:\n    name: {secret}\n",
            story.git.tls_url("site")
        )
    };
    story.apply(&source("missing")).await?;
    let ready = story.failing("GitRepository/site", "AuthenticationFailed").await?;
    let prefix = format!("failed to get secret '{}/missing': ", story.namespace);
    let expected = format!("{prefix}{prefix}secrets \"missing\" not found");
    assert_eq!(ready.message, expected);

    let secret = |name: &str, password: &str| {
        let authority = story.git.authority().lines().map(|line| format!("    {line}\n"));
        let authority = authority.collect::<Vec<_>>().concat();
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\nstringData:\n  username: {}\n  password: \
             {password}\n  ca.crt: |\n{authority}",
            millrace_harness::git::USER
        )
    };
    story.apply(&secret("wrong", "wrong")).await?;
    story.apply(&source("wrong")).await?;
    let ready = story.failing("GitRepository/site", "GitOperationFailed").await?;
    assert!(ready.message.contains("authentication required"), "{}", ready.message);

    story.apply(&secret("right", millrace_harness::git::PASSWORD)).await?;
    story.apply(&source("right")).await?;
    story.ready("GitRepository/site").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_branch_keeps_the_artifact_and_what_was_applied() -> Result<()> {
    let story = story!("noref");
    deployed(&story).await?;
    story.patch("GitRepository/site", &json!({ "spec": { "ref": { "branch": "nope" } } })).await?;
    let ready = story.failing("GitRepository/site", "GitOperationFailed").await?;
    assert!(ready.message.contains("couldn't find remote ref"), "{}", ready.message);
    assert!(story.get("GitRepository/site").await?["status"]["artifact"].is_object());
    let stored = story.condition("GitRepository/site", "ArtifactInStorage").await?;
    assert_eq!(stored.map(|stored| stored.status).as_deref(), Some("True"));
    assert_nothing_lost(&story).await?;
    story.patch("GitRepository/site", &json!({ "spec": { "ref": { "branch": "main" } } })).await?;
    story.ready("GitRepository/site").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_is_retried_until_it_is_back() -> Result<()> {
    let mut story = story!("down");
    deployed(&story).await?;
    story.git.stop().await?;
    story.request("GitRepository/site").await?;
    let ready = story.failing("GitRepository/site", "GitOperationFailed").await?;
    assert!(ready.message.contains("connection refused"), "{}", ready.message);
    assert_nothing_lost(&story).await?;
    story.git.resume().await?;
    story.ready("GitRepository/site").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tampered_artifact_is_noticed_and_stored_anew() -> Result<()> {
    let story = story!("digest");
    deployed(&story).await?;
    let artifact = story.get("GitRepository/site").await?["status"]["artifact"].clone();
    let file = story.millrace.storage().join(artifact["path"].as_str().unwrap_or_default());
    std::fs::write(&file, b"something else")?;
    story.reconcile("GitRepository/site").await?;
    story
        .event("GitRepository/site", |type_, reason, message| {
            (type_, reason) == ("Warning", "ArtifactVerificationFailed")
                && message
                    .starts_with("failed to verify integrity of artifact: computed digest doesn't match")
        })
        .await?;
    story.ready("GitRepository/site").await?;
    let again = story.get("GitRepository/site").await?["status"]["artifact"].clone();
    assert_eq!(again["digest"], artifact["digest"], "archives are deterministic");
    assert_nothing_lost(&story).await
}
