//! `flux reconcile`.

use std::time::{Duration, Instant};

use anyhow::Result;
use millrace_e2e::config_map;
use millrace_harness::until;
use serde_json::{Value, json};

use super::fixture;
use super::said::Said;

// CLI-026, CLI-027, CLI-028.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_ends_with_the_revision_that_was_fetched_and_applied() -> Result<()> {
    let fixture = fixture!("reconcile");
    let (story, namespace) = (&fixture.story, fixture.namespace());
    let fetch = |revision: &str| {
        format!(
            "► annotating GitRepository infra in {namespace} namespace\n✔ GitRepository annotated\n\
             ◎ waiting for GitRepository reconciliation\n✔ fetched revision {revision}\n"
        )
    };
    let said = fixture.flux(&["reconcile", "source", "git", "infra", "--timeout", "15s"])?;
    assert_eq!(said, Said::reports(fetch(&fixture.revision())));

    let second = fixture
        .repository
        .commit("second")
        .file("deploy/settings.yaml", config_map("settings", "2"))
        .push()?;
    let revision = format!("main@sha1:{second}");
    let said = fixture.flux(&["reconcile", "ks", "apps", "--with-source", "--timeout", "30s"])?;
    let apply = format!(
        "► annotating Kustomization apps in {namespace} namespace\n✔ Kustomization annotated\n\
         ◎ waiting for Kustomization reconciliation\n✔ applied revision {revision}\n"
    );
    assert_eq!(said, Said::reports(fetch(&revision) + &apply));
    assert_eq!(story.get("ConfigMap/settings").await?["data"]["value"], "2");
    for object in ["GitRepository/infra", "Kustomization/apps"] {
        let found = story.get(object).await?;
        let requested = &found["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"];
        assert!(requested.is_string(), "{object}");
        assert_eq!(*requested, found["status"]["lastHandledReconcileAt"], "{object}");
    }

    // CLI-034.
    let said = fixture.flux(&["reconcile", "receiver", "hook", "--timeout", "15s"])?;
    let expected = format!(
        "► annotating Receiver hook in {namespace} namespace\n✔ Receiver annotated\n\
         ◎ waiting for Receiver reconciliation\n✔ Receiver reconciliation completed\n"
    );
    assert_eq!(said, Said::reports(expected));
    Ok(())
}

// CLI-029.
#[tokio::test(flavor = "multi_thread")]
async fn the_words_of_any_request_are_repeated_in_status() -> Result<()> {
    let fixture = fixture!("words");
    let story = &fixture.story;
    fixture.repository.commit("second").file("deploy/settings.yaml", config_map("settings", "2")).push()?;
    story.reconcile("GitRepository/infra").await?;
    let parked = story.get("ConfigMap/p-settings").await?;
    let requests = [
        "By Argo CD at: 2026-03-02T09:41:17",
        "x",
        "2026-03-02T09:41:17.123Z",
        "2026-11-29 14:16:40.137997458 +0000 UTC m=+273.6",
    ];
    for words in requests {
        let annotations = json!({ "reconcile.fluxcd.io/requestedAt": words });
        for object in ["GitRepository/infra", "Kustomization/apps", "Kustomization/parked", "Receiver/hook"] {
            story.patch(object, &json!({ "metadata": { "annotations": annotations } })).await?;
            until(&format!("{words:?} in the status of {object}"), Duration::from_secs(10), async || {
                let found = story.get(object).await.ok()?;
                (found["status"]["lastHandledReconcileAt"] == words).then_some(())
            })
            .await?;
        }
    }
    assert_eq!(story.get("ConfigMap/p-settings").await?, parked, "nothing is applied while suspended");
    let log = story.millrace.log();
    let errors = log.lines().filter(|line| line.contains("\"level\":\"error\""));
    let errors: Vec<&str> = errors.filter(|line| !line.contains("\"name\":\"broken\"")).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    Ok(())
}

// CLI-030, with a shorter timeout.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_waited_out_and_a_terminal_one_ends_the_wait() -> Result<()> {
    let fixture = fixture!("fails");
    let waiting = |name: &str| {
        format!(
            "► annotating Kustomization {name} in {} namespace\n✔ Kustomization annotated\n\
             ◎ waiting for Kustomization reconciliation\n",
            fixture.namespace()
        )
    };
    let started = Instant::now();
    let said = fixture.flux(&["reconcile", "ks", "broken", "--timeout", "6s"])?;
    assert!(said.has_run_out_of_time_after(&waiting("broken")), "{said:?}");
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(4) && took <= Duration::from_secs(10), "{took:?}");

    let expression = "  path: ./deploy\n  healthCheckExprs:\n  - apiVersion: v1\n    kind: ConfigMap\n    current: \"(((\"\n";
    fixture.story.kustomization("typo", "infra", expression).await?;
    let stalled =
        fixture.story.until("Kustomization/typo", "Stalled", |stalled| stalled.status == "True").await?;
    let said = fixture.flux(&["reconcile", "ks", "typo", "--timeout", "30s"])?;
    assert_eq!(said, Said::fails(waiting("typo") + &format!("✗ {}\n", stalled.message)));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_or_unknown_object_is_refused() -> Result<()> {
    let fixture = fixture!("refused");
    let story = &fixture.story;
    // CLI-032.
    assert_eq!(fixture.flux(&["reconcile", "ks", "parked"])?, Said::refuses("resource is suspended"));
    let parked = story.get("Kustomization/parked").await?;
    assert_eq!(parked["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"], Value::Null);

    let error = "kustomizations.kustomize.toolkit.fluxcd.io \"nope\" not found";
    assert_eq!(fixture.flux(&["reconcile", "ks", "nope"])?, Said::refuses(error));
    assert_eq!(fixture.flux(&["reconcile", "ks"])?, Said::refuses("Kustomization name is required"));
    let error = "gitrepositories.source.toolkit.fluxcd.io \"nope\" not found";
    assert_eq!(fixture.flux(&["reconcile", "source", "git", "nope"])?, Said::refuses(error));

    fixture.flux(&["suspend", "source", "git", "infra"])?;
    let said = fixture.flux(&["reconcile", "ks", "apps", "--with-source"])?;
    assert_eq!(said, Said::refuses("resource is suspended"));
    let apps = story.get("Kustomization/apps").await?;
    assert_eq!(apps["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"], Value::Null);
    Ok(())
}
