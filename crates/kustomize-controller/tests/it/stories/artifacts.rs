//! Artifacts that are late or wrong.

use std::time::Duration;

use anyhow::{Result, ensure};
use millrace_harness::recorder::Answer;
use millrace_harness::until;
use serde_json::json;

use super::{config_map, ready};
use crate::bench::{SOON, archive_of, condition, same};
use crate::live::World;

/// The server answers with other bytes three times, and then with the right ones.
pub(crate) async fn wrong_bytes_lose_nothing_and_right_ones_mend_it(w: &World) -> Result<()> {
    let first = config_map("app", "v1");
    let spec = json!({ "retryInterval": "2s" });
    let namespace = ready(w, "wrong", &[("app.yaml", &first)], &spec).await?;
    let before = w.bench.get(&namespace, "Kustomization/app").await?;
    let live = w.bench.get(&namespace, "ConfigMap/app").await?;

    // Content that no other story has: what is open already is not asked for.
    let second = w.bench.artifact(&[("app.yaml", &config_map("app", &namespace))])?;
    let wrong = archive_of(&[("app.yaml", &config_map("app", "tampered"))])?;
    w.bench.artifacts.answer(&second.path, vec![Answer::status(200)?.body(wrong); 3]);
    w.bench.source(&namespace, "v2", &second).await?;
    let message = w.bench.failed(&namespace, "ArtifactFailed").await?;
    let expected = format!(
        "failed to verify archive: computed digest doesn't match provided '{}' (check whether file size exceeds max \
         download size)",
        second.digest
    );
    same("message", &message, &expected)?;
    let event = until("the event", SOON, async || {
        w.running.events(&namespace).into_iter().find(|event| event.is_warning)
    });
    let event = event.await?;
    ensure!(event.reason == "ArtifactFailed" && event.message == expected, "{event:?}");
    let revision = ("kustomize.toolkit.fluxcd.io/revision".to_owned(), "v2".to_owned());
    ensure!(event.metadata.contains(&revision), "{event:?}");

    let failed = w.bench.get(&namespace, "Kustomization/app").await?;
    for kept in ["inventory", "lastAppliedRevision", "lastAttemptedRevision", "history"] {
        ensure!(failed["status"][kept] == before["status"][kept], "{kept}: {:#}", failed["status"]);
    }
    let now = w.bench.get(&namespace, "ConfigMap/app").await?;
    ensure!(now["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"], "{now:#}");

    w.bench.ready(&namespace, "v2").await?;
    ensure!(w.bench.get(&namespace, "ConfigMap/app").await?["data"] == json!({ "k": namespace }));
    let asked = w.bench.artifacts.requests_for(&second.path).len();
    ensure!(asked == 4, "the server was asked {asked} times");
    Ok(())
}

/// What is shown while the server takes its time, with each kind of timeout.
pub(crate) async fn a_slow_server_is_shown(w: &World) -> Result<()> {
    for (spec, timeout) in
        [(json!({}), "9m30s"), (json!({ "interval": "40s" }), "30s"), (json!({ "timeout": "1s" }), "30s")]
    {
        let namespace = w.bench.namespace("slow").await?;
        let artifact = w.bench.artifact(&[("app.yaml", &config_map("app", &namespace))])?;
        w.bench.delay(&artifact, Duration::from_secs(5))?;
        w.bench.source(&namespace, "v1", &artifact).await?;
        w.bench.kustomization(&namespace, "", &spec).await?;
        let app = w.bench.until(&namespace, "progress", |app| condition(app, "Reconciling").status == "True");
        let app = app.await?;
        let expected = format!("Fetching manifests for revision v1 with a timeout of {timeout}");
        same("Reconciling", &condition(&app, "Reconciling").message, &expected)?;
        ensure!(condition(&app, "Reconciling").reason == "Progressing");
        let unknown = condition(&app, "Ready");
        ensure!(
            (unknown.status.as_str(), unknown.reason.as_str()) == ("Unknown", "Progressing"),
            "{unknown:?}"
        );
        same("Ready", &unknown.message, "Reconciliation in progress")?;
        w.bench.ready(&namespace, "v1").await?;
    }
    Ok(())
}

/// The address answers that it will be there in five minutes; before that, the source advertises another.
pub(crate) async fn an_address_that_died_is_given_up_for_another(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("moved").await?;
    let alive = w.bench.artifact(&[("app.yaml", &config_map("app", &namespace))])?;
    let dead = w.bench.promise(alive.digest.clone());
    w.bench.answer(&dead.path, Answer::status(503)?.header("retry-after", "300")?);
    w.bench.source(&namespace, "v1", &dead).await?;
    w.bench.kustomization(&namespace, "", &json!({ "retryInterval": "1h" })).await?;
    let asked = || w.bench.artifacts.requests_for(&dead.path).len();
    until("the first request", SOON, async || (asked() == 1).then_some(())).await?;
    w.bench.source(&namespace, "v1", &alive).await?;
    w.bench.ready(&namespace, "v1").await?;
    ensure!(asked() == 1, "it was asked {} times", asked());
    let warnings = w.running.events(&namespace).into_iter().filter(|event| event.is_warning).count();
    ensure!(warnings == 0, "{:?}", w.running.events(&namespace));
    Ok(())
}
