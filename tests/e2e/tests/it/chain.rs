//! The whole chain: push → webhook → artifact → applied → healthy → message.

use anyhow::Result;
use millrace_e2e::{NAMED_ACCOUNT, SOON, Story, TOOLS, config_map, deployment};
use millrace_harness::control_plane::RUNTIME_NAMESPACE;
use serde_json::json;

use crate::story;

const PROVIDER: &str = "
apiVersion: v1
kind: Secret
metadata:
  name: token
stringData:
  token: webhook-token
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata:
  name: push
spec:
  type: generic
  secretRef:
    name: token
  resources:
  - kind: GitRepository
    name: site
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata:
  name: slack
spec:
  type: slack
  channel: general
  address: {sink}/slack
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata:
  name: all
spec:
  providerRef:
    name: slack
  eventSeverity: info
  eventSources:
  - kind: GitRepository
    name: '*'
  - kind: Kustomization
    name: '*'
";

#[tokio::test(flavor = "multi_thread")]
async fn a_push_becomes_a_healthy_deployment_and_a_message() -> Result<()> {
    push(&story!("chain")).await
}

/// What is applied is applied in the tenant's name; all else in the program's own.
#[tokio::test(flavor = "multi_thread")]
async fn a_tenants_push_takes_the_same_way_in_the_tenants_name() -> Result<()> {
    if !millrace_harness::tools::available(TOOLS) {
        return Ok(());
    }
    let story = Story::begin_of_tenants("tenants").await?;
    let audit = story.cluster.audit();
    let mark = audit.mark()?;
    push(&story).await?;
    let program = format!("system:serviceaccount:{RUNTIME_NAMESPACE}:millrace");
    let tenant = format!("system:serviceaccount:{}:{NAMED_ACCOUNT}", story.namespace);
    let mut applied = 0;
    for request in audit.since(mark)?.iter().filter(|request| request.user.username == program) {
        let Some(object) = request.object_ref.as_ref().filter(|object| object.namespace == story.namespace)
        else {
            continue;
        };
        let is_content = matches!(object.resource.as_str(), "deployments" | "configmaps");
        if is_content && request.verb == "patch" {
            let user = request.impersonated_user.as_ref().map(|user| user.username.as_str());
            assert_eq!(user, Some(tenant.as_str()), "{}", request.request_uri);
            applied += 1;
        }
    }
    assert!(applied >= 4, "two objects, each tried and applied: {applied} requests");
    Ok(())
}

async fn push(story: &Story) -> Result<()> {
    let repository = story.git.create("site")?;
    repository.commit("first").file("deploy/app.yaml", deployment("web", 1)).push()?;
    story.apply(PROVIDER).await?;
    story.git_repository("site").await?;
    story.kustomization("site", "site", "  path: ./deploy\n  wait: true\n  timeout: 1m\n").await?;
    let first = repository.resolve("main")?;
    story.ready_with("Kustomization/site", &first).await?;

    let second =
        repository.commit("second").file("deploy/settings.yaml", config_map("settings", "on")).push()?;
    let receiver = story.ready("Receiver/push").await?;
    let path =
        story.get("Receiver/push").await?["status"]["webhookPath"].as_str().unwrap_or_default().to_owned();
    assert_eq!(receiver.message, format!("Receiver initialized for path: {path}"));
    let answer = reqwest_post(&format!("{}{path}", story.millrace.receiver_url())).await?;
    assert_eq!(answer, 200);

    story.ready_with("Kustomization/site", &second).await?;
    let settings = story.get("ConfigMap/settings").await?;
    assert_eq!(settings["data"], json!({ "value": "on" }));
    let revision = format!("main@sha1:{second}");
    let artifact = story.get("GitRepository/site").await?["status"]["artifact"].clone();
    assert_eq!(artifact["revision"], revision.as_str());
    assert_eq!(story.get("Kustomization/site").await?["status"]["lastAppliedRevision"], revision.as_str());
    let web = story.get("Deployment/web").await?;
    assert_eq!(web["metadata"]["labels"]["kustomize.toolkit.fluxcd.io/name"], "site");
    assert_eq!(web["status"]["availableReplicas"], 1);

    let created = format!("ConfigMap/{}/settings created", story.namespace);
    let message = story
        .sink
        .wait_for(SOON, |request| {
            request.path() == "/slack" && String::from_utf8_lossy(&request.body).contains(&created)
        })
        .await?;
    let body = message.json()?;
    assert_eq!(body["channel"], "general");
    assert_eq!(body["attachments"][0]["color"], "good");
    assert!(body["attachments"][0]["fields"].to_string().contains(&revision), "{body}");
    Ok(())
}

async fn reqwest_post(url: &str) -> Result<u16> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    Ok(client.post(url).body("{}").send().await?.status().as_u16())
}
