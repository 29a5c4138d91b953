//! `flux create` and `flux delete`.

use anyhow::Result;
use millrace_e2e::config_map;
use serde_json::json;

use super::fixture;
use super::said::Said;

// CLI-011.
#[tokio::test(flavor = "multi_thread")]
async fn a_created_source_is_waited_for_until_it_has_its_revision() -> Result<()> {
    let fixture = fixture!("made");
    let url = fixture.story.git.public_url("infra");
    for done in ["created", "updated"] {
        let said = fixture.flux(&[
            "create",
            "source",
            "git",
            "made",
            "--url",
            &url,
            "--branch",
            "main",
            "--interval",
            "30s",
        ])?;
        let expected = format!(
            "✚ generating GitRepository source\n\
             ⚠️ insecure configuration: credentials configured for an HTTP URL\n► applying GitRepository source\n\
             ✔ GitRepository source {done}\n◎ waiting for GitRepository source reconciliation\n\
             ✔ GitRepository source reconciliation completed\n✔ fetched revision: {}\n",
            fixture.revision()
        );
        assert_eq!(said, Said::reports(expected));
    }
    let said = fixture.flux(&["create", "source", "git", "made", "--url", &url])?;
    let error = "a Git ref is required, use one of the following: --branch, --tag, --commit, --ref-name or --tag-semver";
    assert_eq!(said, Said::refuses(error));
    Ok(())
}

// CLI-014.
#[tokio::test(flavor = "multi_thread")]
async fn a_created_kustomization_is_waited_for_until_it_is_healthy() -> Result<()> {
    let fixture = fixture!("make");
    let story = &fixture.story;
    let second =
        fixture.repository.commit("second").file("made/made.yaml", config_map("made", "1")).push()?;
    story.reconcile("GitRepository/infra").await?;
    let create = |name: &'static str, path: &'static str, timeout: &'static str| {
        let what =
            ["create", "kustomization", name, "--source", "GitRepository/infra", "--path", path, "--prune"];
        let how = ["--wait", "--health-check-timeout", "90s", "--target-namespace", fixture.namespace()];
        fixture.flux(&[&what[..], &how, &["--timeout", timeout]].concat())
    };
    let made = "✚ generating Kustomization\n► applying Kustomization\n✔ Kustomization created\n\
                ◎ waiting for Kustomization reconciliation\n";
    let expected = format!("{made}✔ Kustomization made is ready\n✔ applied revision main@sha1:{second}\n");
    assert_eq!(create("made", "./made", "30s")?, Said::reports(expected));
    let spec = story.get("Kustomization/made").await?["spec"].clone();
    assert_eq!((&spec["timeout"], &spec["wait"]), (&json!("1m30s"), &json!(true)));

    let expected = format!("{made}✗ context deadline exceeded\n");
    assert_eq!(create("lost", "./lost", "6s")?, Said::fails(expected));
    assert!(story.find("Kustomization/lost").await?.is_some());
    Ok(())
}

// CLI-059.
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_kustomization_goes_with_its_objects() -> Result<()> {
    let fixture = fixture!("remove");
    let story = &fixture.story;
    let said = fixture.flux(&["delete", "ks", "apps"])?;
    assert_eq!((said.exit, said.stderr.as_str()), (Some(1), "✗ aborting\n"));
    assert!(story.get("Kustomization/apps").await?["metadata"]["deletionTimestamp"].is_null());

    let expected = format!(
        "► deleting kustomization apps in {} namespace\n✔ kustomization deleted\n",
        fixture.namespace()
    );
    assert_eq!(fixture.flux(&["delete", "ks", "apps", "-s"])?, Said::reports(expected));
    story.gone("Kustomization/apps").await?;
    story.gone("Deployment/web").await?;
    story.gone("ConfigMap/settings").await?;
    let error = "kustomizations.kustomize.toolkit.fluxcd.io \"nope\" not found";
    assert_eq!(fixture.flux(&["delete", "ks", "nope", "-s"])?, Said::refuses(error));
    Ok(())
}
