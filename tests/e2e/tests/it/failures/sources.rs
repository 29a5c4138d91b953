//! A source that can't be had.

use anyhow::Result;
use millrace_e2e::Story;
use millrace_harness::git::{PASSWORD, USER};
use serde_json::json;

use super::Site;
use crate::story;

const CHECKOUT: &str = "failed to checkout and determine revision";

/// Makes the source one that needs a login, with this Secret.
async fn log_in_with(story: &Story, secret: &str) -> Result<()> {
    let spec = json!({ "url": story.git.tls_url("site"), "secretRef": { "name": secret } });
    story.patch("GitRepository/site", &json!({ "spec": spec })).await
}

async fn secret(story: &Story, name: &str, password: &str) -> Result<()> {
    let data = json!({ "username": USER, "password": password, "ca.crt": story.git.authority() });
    let secret =
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": data });
    story.apply(&secret.to_string()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_and_a_wrong_password_are_told_apart() -> Result<()> {
    let story = story!("login");
    let site = Site::deploy(&story).await?;
    log_in_with(&story, "login").await?;
    let prefix = format!("failed to get secret '{}/login': ", story.namespace);
    let missing = format!("{prefix}{prefix}secrets \"login\" not found");
    site.source_fails(&story, "AuthenticationFailed", &missing).await?;

    secret(&story, "login", "not-the-password").await?;
    story.request("GitRepository/site").await?;
    let url = story.git.tls_url("site");
    let refused = format!(
        "{CHECKOUT}: unable to list remote for '{url}': authentication required: {}",
        refusal(&story).await?
    );
    site.source_fails(&story, "GitOperationFailed", &refused).await?;

    // Only the Secret changes: nobody touches the source, and nothing is restarted.
    secret(&story, "login", PASSWORD).await?;
    site.mends(&story, &site.commit).await?;
    site.is_intact(&story).await
}

/// What the Git server says to whoever does not know the password.
async fn refusal(story: &Story) -> Result<String> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let answer = client.get(format!("{}/info/refs", story.git.login_url("site"))).send().await?;
    anyhow::ensure!(answer.status() == reqwest::StatusCode::UNAUTHORIZED, "{}", answer.status());
    Ok(answer.text().await?.trim().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_branch_keeps_the_artifact_and_what_was_applied() -> Result<()> {
    let story = story!("noref");
    let site = Site::deploy(&story).await?;
    let branch = |name: &str| json!({ "spec": { "ref": { "branch": name } } });
    story.patch("GitRepository/site", &branch("nope")).await?;
    let url = story.git.public_url("site");
    let missing =
        format!("{CHECKOUT}: unable to clone '{url}': couldn't find remote ref \"refs/heads/nope\"");
    site.source_fails(&story, "GitOperationFailed", &missing).await?;
    story.patch("GitRepository/site", &branch("main")).await?;
    site.mends(&story, &site.commit).await?;
    site.is_intact(&story).await
}

/// SC-021.
#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_is_retried_until_it_is_back() -> Result<()> {
    let mut story = story!("down");
    let site = Site::deploy(&story).await?;
    let url = story.git.public_url("site");
    let server = url.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
    story.git.stop().await?;
    story.request("GitRepository/site").await?;
    let refused = format!(
        "{CHECKOUT}: unable to list remote for '{url}': Get \"{url}/info/refs?service=git-upload-pack\": dial tcp {server}: \
         connect: connection refused"
    );
    site.source_fails(&story, "GitOperationFailed", &refused).await?;
    story.git.resume().await?;
    site.mends(&story, &site.commit).await?;
    let recovered = format!("stored artifact for commit '{}'", site.revision());
    story.told("GitRepository/site", ("Normal", "Succeeded", &recovered)).await?;
    site.is_intact(&story).await
}
