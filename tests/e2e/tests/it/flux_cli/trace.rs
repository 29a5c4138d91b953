//! `flux trace`.

use anyhow::{Context as _, Result};
use kube::api::ListParams;
use millrace_e2e::SOON;
use millrace_harness::until;

use super::fixture;
use super::objects::Fixture;
use super::said::Said;

// CLI-041.
#[tokio::test(flavor = "multi_thread")]
async fn an_object_is_traced_to_its_kustomization_and_source() -> Result<()> {
    let fixture = fixture!("trace");
    let web = report(&fixture, "Deployment/web");
    let calls: [&[&str]; 3] = [
        &["trace", "deployment/web"],
        &["trace", "deployment", "web"],
        &["trace", "web", "--kind", "Deployment", "--api-version", "apps/v1"],
    ];
    for arguments in calls {
        assert_eq!(trace(&fixture, arguments)?, Said::prints(web.as_str()), "{arguments:?}");
    }

    let pods = fixture.story.cluster.api("v1", "Pod", fixture.namespace()).await?;
    let pod = until("a pod of the Deployment", SOON, async || {
        let listed = pods.list(&ListParams::default()).await.ok()?;
        listed.into_iter().filter_map(|pod| pod.metadata.name).find(|name| name.starts_with("web-"))
    })
    .await?;
    let expected = report(&fixture, &format!("Pod/{pod}"));
    assert_eq!(trace(&fixture, &["trace", &format!("pod/{pod}")])?, Said::prints(expected));

    let both = report(&fixture, "ConfigMap/settings");
    let said = trace(&fixture, &["trace", "configmap/settings", "deployment/web"])?;
    assert_eq!(said, Said::prints(format!("{both}---\n{web}")));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_traced_is_told() -> Result<()> {
    let fixture = fixture!("stray");
    until("the authority's ConfigMap", SOON, async || {
        fixture.story.find("ConfigMap/kube-root-ca.crt").await.ok().flatten()
    })
    .await?;
    // CLI-042.
    let namespace = fixture.namespace();
    let untraced = format!(
        "failed to trace ConfigMap/kube-root-ca.crt in namespace {namespace}: object not managed by Flux"
    );
    assert_eq!(fixture.flux(&["trace", "cm/kube-root-ca.crt"])?, Said::reports(untraced));

    let calls: [(&[&str], &str); 5] = [
        (&["deployment/nope"], "x: deployments.apps \"nope\" not found"),
        (&[], "either `<resource>/<name>` or `<resource> <name>` is required as an argument"),
        (&["web"], "the server doesn't have a resource type \"web\""),
        (&["deployment"], "resource(s) were provided, but no name was specified"),
        (&["web", "--kind", "Deployment"], "object apiVersion is required (--api-version)"),
    ];
    for (arguments, error) in calls {
        let said = fixture.flux(&[&["trace"], arguments].concat())?;
        assert_eq!(said, Said::refuses(error), "{arguments:?}");
    }
    Ok(())
}

/// Runs `flux trace`; the times of reconciliations are masked.
fn trace(fixture: &Fixture, arguments: &[&str]) -> Result<Said> {
    let mut said = fixture.flux(arguments)?;
    said.stdout = said.stdout.split_inclusive('\n').map(masked).collect::<Result<Vec<_>>>()?.concat();
    Ok(said)
}

fn masked(line: &str) -> Result<String> {
    let known = "Status:          Last reconciled at ";
    let Some(time) = line.strip_prefix(known) else { return Ok(line.to_owned()) };
    let (date, rest) = time.split_once(' ').context("a date and a time")?;
    assert!(date.len() == "2026-03-02".len() && rest.len() > "09:41:17 +0000".len(), "{line}");
    Ok(format!("{known}TIME\n"))
}

fn report(fixture: &Fixture, object: &str) -> String {
    let (namespace, revision) = (fixture.namespace(), fixture.revision());
    let url = fixture.story.git.public_url("infra");
    format!(
        "
Object:          {object}
Namespace:       {namespace}
Status:          Managed by Flux
---
Kustomization:   apps
Namespace:       {namespace}
Target:          {namespace}
Path:            ./deploy
Revision:        {revision}
Status:          Last reconciled at TIME
Message:         Applied revision: {revision}
---
GitRepository:   infra
Namespace:       {namespace}
URL:             {url}
Branch:          main
Revision:        {revision}
Status:          Last reconciled at TIME
Message:         stored artifact for revision '{revision}'
"
    )
}
