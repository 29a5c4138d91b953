//! From the first run to the next ones.

use anyhow::{Result, ensure};
use millrace_harness::until;
use serde_json::{Value, json};

use super::{applied, ready, revise};
use crate::bench::{CONFIG_MAP, SOON, condition, fits, same};
use crate::live::World;

const APP: &[(&str, &str)] = &[("app.yaml", CONFIG_MAP)];

pub(crate) async fn a_source_that_comes_late(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("late").await?;
    w.bench.kustomization(&namespace, "", &json!({})).await?;
    let message = w.bench.failed(&namespace, "ArtifactFailed").await?;
    same("message", &message, "GitRepository.source.toolkit.fluxcd.io \"repo\" not found")?;
    let app = w.bench.get(&namespace, "Kustomization/app").await?;
    ensure!(condition(&app, "Reconciling").status.is_empty(), "{app:#}");
    ensure!(w.running.events(&namespace).is_empty(), "{:?}", w.running.events(&namespace));
    w.bench.bare_source(&namespace).await?;
    w.bench.reconcile(&namespace, "t1").await?;
    let message = w.bench.failed(&namespace, "ArtifactFailed").await?;
    same("message", &message, "Source artifact not found, retrying in 30s")?;
    ensure!(w.running.events(&namespace).is_empty(), "{:?}", w.running.events(&namespace));
    w.bench.source(&namespace, "v1", &w.bench.artifact(APP)?).await?;
    w.bench.ready(&namespace, "v1").await.map(drop)
}

pub(crate) async fn success_and_once_more_on_request(w: &World) -> Result<()> {
    let namespace = applied(w, "success", APP, &json!({})).await?;
    let app = w.bench.ready(&namespace, "v1").await?;
    let status = &app["status"];
    ensure!(condition(&app, "Ready").reason == "ReconciliationSucceeded", "{status:#}");
    for absent in ["Reconciling", "Stalled"] {
        ensure!(condition(&app, absent).status.is_empty(), "{absent}: {status:#}");
    }
    ensure!(
        (&status["lastAppliedRevision"], &status["lastAttemptedRevision"]) == (&json!("v1"), &json!("v1"))
    );
    let first = &status["history"][0];
    ensure!(first["lastReconciledStatus"] == "ReconciliationSucceeded" && first["totalReconciliations"] == 1);
    ensure!(first["metadata"] == json!({ "revision": "v1" }), "{first:#}");
    let digest = first["digest"].as_str().unwrap_or_default();
    let hex = digest.strip_prefix("sha256:").unwrap_or_default();
    ensure!(hex.len() == 64 && hex.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digest}");
    let live = w.bench.get(&namespace, "ConfigMap/app").await?;
    is_ours(&live, &namespace)?;

    let told = w.told(&namespace, 1).await?;
    let app = w.bench.reconcile(&namespace, "t1").await?;
    ensure!(app["status"]["history"][0]["totalReconciliations"] == 2, "{:#}", app["status"]);
    let again = w.bench.get(&namespace, "ConfigMap/app").await?;
    ensure!(again["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"], "{again:#}");
    w.told(&namespace, 2).await?;
    let events = w.running.events(&namespace).split_off(told);
    let expected = "Reconciliation finished in …, next run in 10m0s";
    ensure!(events.len() == 1 && fits(expected, &events[0].message), "{events:?}");
    Ok(())
}

/// Both owner labels, and fields that we apply.
fn is_ours(live: &Value, namespace: &str) -> Result<()> {
    let labels = &live["metadata"]["labels"];
    ensure!(labels["kustomize.toolkit.fluxcd.io/name"] == "app", "{live:#}");
    ensure!(labels["kustomize.toolkit.fluxcd.io/namespace"] == namespace, "{live:#}");
    let managers = live["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let ours = |entry: &Value| entry["manager"] == "kustomize-controller" && entry["operation"] == "Apply";
    ensure!(managers.iter().any(ours), "{live:#}");
    Ok(())
}

pub(crate) async fn suspension(w: &World) -> Result<()> {
    let namespace = applied(w, "suspended", APP, &json!({ "suspend": true })).await?;
    let app = w.bench.until(&namespace, "the finalizer", |app| {
        app["metadata"]["finalizers"] == json!(["finalizers.fluxcd.io"])
    });
    ensure!(app.await?["status"]["observedGeneration"] == -1);
    w.bench.respec(&namespace, json!({ "suspend": false })).await?;
    let app = w.bench.ready(&namespace, "v1").await?;
    let managers = app["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    for subresource in [Value::Null, json!("status")] {
        let ours = |entry: &Value| {
            (&entry["manager"], &entry["operation"], &entry["subresource"])
                == (&json!("gotk-kustomize-controller"), &json!("Update"), &subresource)
        };
        ensure!(managers.iter().any(ours), "{subresource}: {managers:#?}");
    }

    w.bench.respec(&namespace, json!({ "suspend": true })).await?;
    revise(w, &namespace, "v2", &[("app.yaml", &CONFIG_MAP.replace("v1\n  k", "v2"))]).await?;
    let told = w.told(&namespace, 1).await?;
    let app = w.bench.reconcile(&namespace, "t1").await?;
    ensure!(app["status"]["lastAttemptedRevision"] == "v1", "{:#}", app["status"]);
    ensure!(w.running.events(&namespace).len() == told, "{:?}", w.running.events(&namespace));
    Ok(())
}

pub(crate) async fn the_path(w: &World) -> Result<()> {
    let files = [("deploy/app.yaml", CONFIG_MAP), ("etc/other.yaml", &super::config_map("other", "1"))];
    let namespace = ready(w, "path", &files, &json!({ "path": "./deploy" })).await?;
    revise(w, &namespace, "v2", &[("elsewhere/app.yaml", CONFIG_MAP), files[1]]).await?;
    let message = w.bench.failed(&namespace, "ArtifactFailed").await?;
    let expected = format!(
        "kustomization path not found: stat /tmp/kustomization-{namespace}-app/deploy: no such file or directory\n\
         hint: the artifact of GitRepository/{namespace}/repo at v2 has no 'deploy'; it has the folders 'elsewhere', 'etc'"
    );
    same("message", &message, &expected)?;
    let event = until("the event", SOON, async || {
        w.running.events(&namespace).into_iter().find(|event| event.is_warning)
    });
    same("event", &event.await?.message, &expected)?;
    let app = w.bench.get(&namespace, "Kustomization/app").await?;
    ensure!(app["status"]["lastAttemptedRevision"] == "v1", "{:#}", app["status"]);
    w.bench.respec(&namespace, json!({ "path": "../../etc" })).await?;
    w.bench.ready(&namespace, "v2").await?;
    w.bench.get(&namespace, "ConfigMap/other").await.map(drop)
}

pub(crate) async fn a_spec_that_breaks_the_build(w: &World) -> Result<()> {
    let namespace = ready(w, "broken", APP, &json!({})).await?;
    w.bench.respec(&namespace, json!({ "components": ["/absolute"] })).await?;
    w.bench.failed(&namespace, "BuildFailed").await?;
    let app = w.bench.get(&namespace, "Kustomization/app").await?;
    let reconciling = condition(&app, "Reconciling");
    ensure!(
        (reconciling.status.as_str(), reconciling.reason.as_str()) == ("True", "ProgressingWithRetry"),
        "{reconciling:?}"
    );
    same("Reconciling", &reconciling.message, "Building manifests for revision v1 with a timeout of 9m30s")?;
    let generation = app["metadata"]["generation"].as_i64().unwrap_or_default();
    ensure!(app["status"]["observedGeneration"] == generation - 1, "{:#}", app["status"]);
    for condition in app["status"]["conditions"].as_array().into_iter().flatten() {
        ensure!(condition["observedGeneration"] == generation, "{condition:#}");
    }
    Ok(())
}

pub(crate) async fn a_dependency_that_comes_late(w: &World) -> Result<()> {
    let spec = json!({ "dependsOn": [{ "name": "dep" }] });
    let namespace = applied(w, "dependent", APP, &spec).await?;
    let message = w.bench.failed(&namespace, "DependencyNotReady").await?;
    let expected = format!(
        "dependency '{namespace}/dep' not found: kustomizations.kustomize.toolkit.fluxcd.io \"dep\" not found"
    );
    same("message", &message, &expected)?;
    let told = "Dependencies do not meet ready condition, retrying in 30s";
    let event = until("the event", SOON, async || {
        w.running.events(&namespace).into_iter().find(|event| event.message == told)
    });
    ensure!(!event.await?.is_warning);
    let dependency = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": { "name": "dep" },
        "spec": {
            "interval": "10m", "prune": true, "targetNamespace": namespace, "nameSuffix": "-dep",
            "sourceRef": { "kind": "GitRepository", "name": "repo" },
        },
    });
    w.bench.apply(&namespace, &dependency.to_string()).await?;
    w.bench.ready(&namespace, "v1").await.map(drop)
}

/// Nothing that is no change makes a run: a label, another URL for the same revision.
pub(crate) async fn what_is_no_change_makes_no_run(w: &World) -> Result<()> {
    let namespace = ready(w, "quiet", APP, &json!({})).await?;
    let labels = json!({ "metadata": { "labels": { "a": "b" }, "annotations": { "c": "d" } } });
    w.bench.patch(&namespace, "Kustomization/app", &labels).await?;
    let moved = w.bench.artifact(&[("app.yaml", &super::config_map("app", &namespace))])?;
    w.bench.source(&namespace, "v1", &moved).await?;
    w.quiet(&namespace).await?;
    w.bench.source(&namespace, "v2", &moved).await?;
    w.bench
        .until(&namespace, "the attempt", |app| app["status"]["lastAttemptedRevision"] == "v2")
        .await
        .map(drop)
}

/// The dependency is Ready, but at the revision before; nobody moves it on while it is suspended.
pub(crate) async fn a_dependency_that_stays_behind(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("behind").await?;
    w.bench.source(&namespace, "v1", &w.bench.artifact(APP)?).await?;
    let dependency = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": { "name": "dep" },
        "spec": {
            "interval": "10m", "prune": true, "targetNamespace": namespace, "nameSuffix": "-dep",
            "sourceRef": { "kind": "GitRepository", "name": "repo" },
        },
    });
    w.bench.apply(&namespace, &dependency.to_string()).await?;
    w.bench.kustomization(&namespace, "", &json!({ "dependsOn": [{ "name": "dep" }] })).await?;
    w.bench.ready(&namespace, "v1").await?;
    w.bench.patch(&namespace, "Kustomization/dep", &json!({ "spec": { "suspend": true } })).await?;
    // Its status follows the new generation before the source moves.
    until("the suspension", SOON, async || {
        let dependency = w.bench.get(&namespace, "Kustomization/dep").await.ok()?;
        (dependency["status"]["observedGeneration"] == dependency["metadata"]["generation"]).then_some(())
    })
    .await?;
    revise(w, &namespace, "v2", &[("app.yaml", &super::config_map("app", "v2"))]).await?;
    let message = w.bench.failed(&namespace, "DependencyNotReady").await?;
    same("message", &message, &format!("dependency '{namespace}/dep' revision is not up to date"))?;
    w.bench.patch(&namespace, "Kustomization/dep", &json!({ "spec": { "suspend": false } })).await?;
    w.bench.ready(&namespace, "v2").await.map(drop)
}

/// A policy of the API server refuses the progress patches of one phase each: the fetch's, which takes long enough to be
/// shown, and the health check's.
pub(crate) async fn a_status_that_cannot_be_written(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("unshown").await?;
    let policy = POLICY.replace("{ns}", &namespace);
    w.bench.apply("", &policy).await?;
    let probe = |message: &str| {
        json!({ "conditions": [{
            "type": "Reconciling", "status": "True", "reason": "Progressing", "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }] })
    };
    w.bench.source(&namespace, "v1", &w.bench.artifact(APP)?).await?;
    let spec = json!({
        "suspend": true, "timeout": "30s", "retryInterval": "1h",
        "healthChecks": [{ "apiVersion": "v1", "kind": "ConfigMap", "name": "x", "namespace": namespace }],
    });
    w.bench.kustomization(&namespace, "", &spec).await?;
    until("the policy", SOON, async || {
        let refused = w.bench.status(&namespace, "Kustomization/app", &probe("Running health checks")).await;
        refused.is_err().then_some(())
    })
    .await?;
    w.bench.respec(&namespace, json!({ "suspend": false })).await?;
    let message = w.bench.failed(&namespace, "HealthCheckFailed").await?;
    same("message", &message, "unable to update the healthy status to progressing: …not to be shown…")?;

    let slow =
        w.bench.artifact(&[("app.yaml", CONFIG_MAP), ("more.yaml", &super::config_map("more", "1"))])?;
    w.bench.delay(&slow, std::time::Duration::from_secs(3))?;
    w.bench.source(&namespace, "v2", &slow).await?;
    let event = until("the event", SOON, async || {
        let mut events = w.running.events(&namespace).into_iter();
        events.find(|event| event.is_warning && event.reason == "Progressing")
    });
    same("event", &event.await?.message, "failed to update status: …not to be shown…")?;
    let unknown = |app: &Value| {
        let ready = condition(app, "Ready");
        (ready.status.as_str(), ready.reason.as_str()) == ("Unknown", "Progressing")
    };
    let app = w.bench.until(&namespace, "Ready to be unknown", unknown).await?;
    same("message", &condition(&app, "Ready").message, "Reconciliation in progress")
}

const POLICY: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: "{ns}"}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "{ns}"}}
    resourceRules:
    - {apiGroups: [kustomize.toolkit.fluxcd.io], apiVersions: ["*"], operations: [UPDATE], resources: [kustomizations/status]}
  validations:
  - message: not to be shown
    expression: >-
      !has(object.status) || !has(object.status.conditions) || !object.status.conditions.exists(c,
      c.type == 'Reconciling' && c.reason == 'Progressing' &&
      (c.message.startsWith('Running health checks') || c.message.startsWith('Fetching manifests')))
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: "{ns}"}
spec: {policyName: "{ns}", validationActions: [Deny]}
"#;
