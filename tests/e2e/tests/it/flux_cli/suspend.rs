//! `flux suspend` and `flux resume`.

use anyhow::Result;
use millrace_e2e::config_map;
use serde_json::Value;

use super::fixture;
use super::objects::Fixture;
use super::said::Said;

// CLI-036. In place of two intervals the test waits until the program has handled, and ignored, the new revision.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_kustomization_applies_what_was_pushed_meanwhile() -> Result<()> {
    let fixture = fixture!("park");
    let story = &fixture.story;
    assert_eq!(
        fixture.flux(&["suspend", "ks", "apps"])?,
        Said::reports(suspended(&fixture, "kustomization", "apps"))
    );
    assert_eq!(story.get("Kustomization/apps").await?["spec"]["suspend"], true);
    let second = fixture
        .repository
        .commit("second")
        .file("deploy/settings.yaml", config_map("settings", "2"))
        .push()?;
    story.reconcile("GitRepository/infra").await?;
    story.reconcile("Kustomization/apps").await?;
    assert_eq!(story.get("ConfigMap/settings").await?["data"]["value"], "1");

    let annotations = story.get("Kustomization/apps").await?["metadata"]["annotations"].clone();
    let said = fixture.flux(&["resume", "ks", "apps", "--timeout", "30s"])?;
    let expected = resumed(&fixture, "kustomization", "apps")
        + "◎ waiting for Kustomization reconciliation\n✔ Kustomization apps reconciliation completed\n"
        + &format!("✔ applied revision main@sha1:{second}\n");
    assert_eq!(said, Said::reports(expected));
    let apps = story.get("Kustomization/apps").await?;
    assert_eq!(apps["spec"]["suspend"], Value::Null);
    assert_eq!(apps["metadata"]["annotations"], annotations, "nothing but the spec asked for the run");
    assert_eq!(story.get("ConfigMap/settings").await?["data"]["value"], "2");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_source_is_resumed_with_its_revision() -> Result<()> {
    let fixture = fixture!("source");
    let namespace = fixture.namespace();
    let said = fixture.flux(&["suspend", "source", "git", "infra"])?;
    assert_eq!(said, Said::reports(suspended(&fixture, "source git", "infra")));
    let said = fixture.flux(&["reconcile", "source", "git", "infra"])?;
    assert_eq!(said, Said::refuses("resource is suspended"));
    let said = fixture.flux(&["resume", "source", "git", "infra", "--timeout", "30s"])?;
    let expected = resumed(&fixture, "source git", "infra")
        + "◎ waiting for GitRepository reconciliation\n✔ GitRepository infra reconciliation completed\n"
        + &format!("✔ fetched revision {}\n", fixture.revision());
    assert_eq!(said, Said::reports(expected));

    let said = fixture.flux(&["suspend", "source", "git", "nope"])?;
    assert_eq!(said, Said::reports(format!("✗ GitRepository nope not found in {namespace} namespace\n")));
    let said = fixture.flux(&["resume", "source", "git", "nope"])?;
    assert_eq!(
        said,
        Said::reports(format!("✗ GitRepository object 'nope' not found in {namespace} namespace\n"))
    );
    Ok(())
}

// CLI-037.
#[tokio::test(flavor = "multi_thread")]
async fn unknown_names_are_told_and_are_no_failure() -> Result<()> {
    let fixture = fixture!("unknown");
    let namespace = fixture.namespace();
    let expected = suspended(&fixture, "kustomization", "apps")
        + &format!("✗ Kustomization nope not found in {namespace} namespace\n");
    assert_eq!(fixture.flux(&["suspend", "ks", "apps", "nope"])?, Said::reports(expected));
    let expected = resumed(&fixture, "kustomization", "apps")
        + &format!("✗ Kustomization object 'apps' not found in {namespace} namespace\n");
    assert_eq!(fixture.flux(&["resume", "ks", "apps", "nope"])?, Said::reports(expected));
    let expected = format!("✗ Kustomization object 'nope' not found in {namespace} namespace\n");
    assert_eq!(fixture.flux(&["resume", "ks", "nope"])?, Said::reports(expected));
    assert_eq!(fixture.flux(&["suspend", "ks"])?, Said::refuses("kustomization name is required"));
    Ok(())
}

// CLI-038.
#[tokio::test(flavor = "multi_thread")]
async fn all_are_suspended_and_resumed_in_the_order_of_their_names() -> Result<()> {
    let fixture = fixture!("every");
    let names = ["apps", "broken", "parked"];
    let expected = names.map(|name| suspended(&fixture, "kustomization", name)).concat();
    assert_eq!(fixture.flux(&["suspend", "ks", "--all"])?, Said::reports(expected));

    let said = fixture.flux(&["resume", "ks", "--all", "--wait", "--timeout", "10s"])?;
    let applied = format!("✔ applied revision {}\n", fixture.revision());
    let expected = [
        names.map(|name| resumed(&fixture, "kustomization", name)).concat(),
        "◎ waiting for Kustomization reconciliation\n".repeat(names.len()),
        format!("✔ Kustomization apps reconciliation completed\n{applied}"),
        "✗ Kustomization broken reconciliation failed: context deadline exceeded\n".to_owned(),
        format!("✔ Kustomization parked reconciliation completed\n{applied}"),
        "✗ reconciliation failed for 1 Kustomization(s)\n".to_owned(),
    ];
    assert_eq!(said, Said::fails(expected.concat()));

    let (empty, said) =
        fixture.flux_in_empty(&[&["suspend", "ks", "--all"], &["resume", "ks", "--all"]]).await?;
    let none = format!("✗ no Kustomization objects found in {empty} namespace\n");
    assert_eq!(said, [Said::refuses("no objects found"), Said::reports(none)]);
    Ok(())
}

// CLI-039.
#[tokio::test(flavor = "multi_thread")]
async fn kinds_without_status_are_resumed_at_once() -> Result<()> {
    let fixture = fixture!("static");
    for (command, name, human, kind) in
        [("alert", "a1", "alert", "Alert"), ("alert-provider", "p1", "alert provider", "Provider")]
    {
        let said = fixture.flux(&["suspend", command, name])?;
        assert_eq!(said, Said::reports(suspended(&fixture, human, name)));
        let said = fixture.flux(&["resume", command, name, "--timeout", "10s"])?;
        let expected = resumed(&fixture, human, name)
            + &format!(
                "◎ waiting for {kind} reconciliation\n✔ {kind} {name} reconciliation completed\n\
                 ✔ {kind} reconciliation completed\n"
            );
        assert_eq!(said, Said::reports(expected));
    }
    Ok(())
}

fn suspended(fixture: &Fixture, kind: &str, name: &str) -> String {
    format!("► suspending {kind} {name} in {} namespace\n✔ {kind} suspended\n", fixture.namespace())
}

fn resumed(fixture: &Fixture, kind: &str, name: &str) -> String {
    format!("► resuming {kind} {name} in {} namespace\n✔ {kind} resumed\n", fixture.namespace())
}
