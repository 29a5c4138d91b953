//! What the reconcilers of the three kinds leave in the cluster.

use std::sync::Arc;

use http::StatusCode;
use millrace_matrix::logs::Logs;
use millrace_notification_controller::{NotificationController, receivers::webhook_path};
use serde_json::{Value, json};

use crate::{
    bench::{ALERTS, Bench, PROVIDERS, RECEIVERS, alert, config, context, provider, settle},
    cluster::Cluster,
    hook_conformance::secret,
    hooks::{RECEIVER, cluster, path, push, ready, receiver},
};

fn condition(receiver: &Value, type_: &str) -> String {
    let found =
        receiver["status"]["conditions"].as_array().into_iter().flatten().find(|one| one["type"] == type_);
    found.map_or_else(String::new, |one| {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text("status"), text("reason"), text("message"))
    })
}

/// NC-107
#[tokio::test(start_paused = true)]
async fn a_new_receiver_gets_its_finalizer_its_path_and_one_condition() {
    let bench = Bench::start(cluster(json!({}))).await;
    ready(&bench).await;
    let found = bench.cluster.get(RECEIVER);
    assert_eq!(found["metadata"]["finalizers"], json!(["finalizers.fluxcd.io"]));
    assert_eq!(found["status"]["webhookPath"], json!(path()));
    assert_eq!(found["status"]["observedGeneration"], 1);
    assert_eq!(found["status"]["conditions"].as_array().map(Vec::len), Some(1));
    let text = format!("True Succeeded Receiver initialized for path: {}", path());
    assert_eq!(condition(&found, "Ready"), text);
    let event = bench.wait_for_event("rcv", "Succeeded").await;
    assert_eq!(event, "Info Succeeded Reconciliation finished, next run in 10m0s");
}

/// NC-108
#[tokio::test(start_paused = true)]
async fn a_receiver_that_loses_its_secret_can_not_be_called() {
    let bench = Bench::start(cluster(json!({}))).await;
    ready(&bench).await;
    bench.cluster.delete("/api/v1/namespaces/apps/secrets/token");
    let mut asked = bench.cluster.get(RECEIVER);
    asked["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"] = json!("now");
    bench.cluster.put(RECEIVERS, asked);
    let found = bench
        .wait_for(RECEIVER, "the token is missed", |found| {
            condition(found, "Ready").starts_with("False TokenNotFound")
        })
        .await;
    let text = "False TokenNotFound unable to read token from secret 'apps/token' error: secrets \"token\" not found";
    assert_eq!(condition(&found, "Ready"), text);
    assert_eq!(condition(&found, "Reconciling"), "True ProgressingWithRetry Reconciliation in progress");
    assert_eq!(found["status"].get("webhookPath"), None);
    assert_eq!(found["status"]["lastHandledReconcileAt"], "now");
    let event = bench.wait_for_event("rcv", "Failed").await;
    assert!(event.starts_with("Error Failed unable to read token"), "{event}");
    settle().await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::NOT_FOUND);
    bench.cluster.put("/api/v1/secrets", secret("token", &json!({ "token": "s3cr3t" })));
    ready(&bench).await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_token_is_no_token() {
    let cluster = cluster(json!({}));
    cluster.put("/api/v1/secrets", secret("token", &json!({ "token": "" })));
    let bench = Bench::start(cluster).await;
    let found = bench.wait_for(RECEIVER, "a verdict", |found| !condition(found, "Ready").is_empty()).await;
    let text = "False TokenNotFound invalid 'apps/token' secret data: required fields 'token'";
    assert_eq!(condition(&found, "Ready"), text);
}

/// NC-109
#[tokio::test(start_paused = true)]
async fn a_labelled_secret_that_changes_moves_the_path_at_once() {
    let cluster = cluster(json!({}));
    let labelled = |token: &str| {
        let mut labelled = secret("token", &json!({ "token": token }));
        labelled["metadata"]["labels"] = json!({ "reconcile.fluxcd.io/watch": "Enabled" });
        labelled
    };
    cluster.put("/api/v1/secrets", labelled("s3cr3t"));
    let bench = Bench::start(cluster).await;
    ready(&bench).await;
    bench.cluster.put("/api/v1/secrets", labelled("other"));
    let moved = webhook_path(b"other", "rcv", "apps");
    bench.wait_for(RECEIVER, "the new path", |found| found["status"]["webhookPath"] == json!(moved)).await;
    settle().await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(start_paused = true)]
async fn a_filter_stalls_the_receiver_until_it_is_gone() {
    let bench = Bench::start(cluster(json!({ "type": "generic" }))).await;
    ready(&bench).await;
    let mut filtered = bench.cluster.get(RECEIVER);
    filtered["spec"]["resourceFilter"] = json!("has(");
    filtered["metadata"]["generation"] = json!(2);
    bench.cluster.put(RECEIVERS, filtered);
    let found = bench.wait_for(RECEIVER, "it stalls", |found| !condition(found, "Stalled").is_empty()).await;
    let stalled = condition(&found, "Stalled");
    assert!(stalled.starts_with("True InvalidCELExpression "), "{stalled}");
    assert!(stalled.contains("spec.resourceFilter"), "{stalled}");
    assert!(condition(&found, "Ready").starts_with("False InvalidCELExpression "));
    assert_eq!(found["status"]["webhookPath"], json!(path()));
    settle().await;
    assert_eq!(bench.call(&path(), "").await.status, StatusCode::SERVICE_UNAVAILABLE);
    let mut mended = bench.cluster.get(RECEIVER);
    mended["spec"].as_object_mut().unwrap().remove("resourceFilter");
    mended["metadata"]["generation"] = json!(3);
    bench.cluster.put(RECEIVERS, mended);
    bench
        .wait_for(RECEIVER, "it is ready again", |found| condition(found, "Ready").starts_with("True"))
        .await;
}

/// NC-113
#[tokio::test(start_paused = true)]
async fn a_receiver_created_suspended_is_left_alone() {
    let bench = Bench::start(cluster(json!({ "suspend": true }))).await;
    let has_finalizer = |found: &Value| found["metadata"]["finalizers"] == json!(["finalizers.fluxcd.io"]);
    bench.wait_for(RECEIVER, "its finalizer", has_finalizer).await;
    settle().await;
    let found = bench.cluster.get(RECEIVER);
    assert_eq!((found["status"].get("conditions"), found["status"].get("webhookPath")), (None, None));
    assert_eq!(push(&bench, &path()).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_receiver_goes() {
    let bench = Bench::start(cluster(json!({}))).await;
    ready(&bench).await;
    let mut deleted = bench.cluster.get(RECEIVER);
    deleted["metadata"]["deletionTimestamp"] = json!("2026-01-02T03:04:05Z");
    bench.cluster.put(RECEIVERS, deleted);
    bench.wait_for(RECEIVER, "it is gone", Value::is_null).await;
}

const PROVIDER: &str = "/apis/notification.toolkit.fluxcd.io/v1beta3/namespaces/apps/providers/prov";

/// NC-140
#[tokio::test(start_paused = true)]
async fn a_provider_keeps_its_finalizer_until_it_is_deleted() {
    let bench = Bench::start(Cluster::new()).await;
    bench.cluster.put(PROVIDERS, provider("prov", json!({ "type": "generic", "suspend": true })));
    let has_finalizer = |found: &Value| found["metadata"]["finalizers"] == json!(["finalizers.fluxcd.io"]);
    let mut found = bench.wait_for(PROVIDER, "the finalizer", has_finalizer).await;
    found["metadata"]["finalizers"] = json!([]);
    bench.cluster.put(PROVIDERS, found);
    let mut found = bench.wait_for(PROVIDER, "the finalizer again", has_finalizer).await;
    found["metadata"]["deletionTimestamp"] = json!("2026-01-02T03:04:05Z");
    bench.cluster.put(PROVIDERS, found);
    bench.wait_for(PROVIDER, "it is gone", Value::is_null).await;
}

/// A type of a later release is refused event by event; the log names it before the first one.
#[tokio::test(start_paused = true)]
async fn a_provider_of_a_type_that_is_not_built_in_is_logged_once() {
    let logs = Logs::of_thread();
    let cluster = Cluster::new();
    for (name, spec) in [
        ("prov", json!({ "type": "discord" })),
        ("asleep", json!({ "type": "discord", "suspend": true })),
        ("fine", json!({ "type": "slack" })),
    ] {
        cluster.put(PROVIDERS, provider(name, spec));
    }
    let bench = Bench::start(cluster).await;
    settle().await;
    let told = |type_: &str| {
        let known = "spec.type must be one of: generic, generic-hmac, msteams, slack";
        let error = format!("error=provider type \"{type_}\" is not supported by this version\n{known}");
        let object =
            "controllerGroup=notification.toolkit.fluxcd.io controllerKind=Provider namespace=apps name=prov";
        logs.with(&["ERROR provider can't work controller=provider ", object, &error]).len()
    };
    assert_eq!(told("discord"), 1);
    let edit = async |pointer: &str, value: Value| {
        let mut edited = bench.cluster.get(PROVIDER);
        *edited.pointer_mut(pointer).expect("a field") = value;
        bench.cluster.put(PROVIDERS, edited);
        settle().await;
    };
    edit("/metadata/finalizers", json!(["finalizers.fluxcd.io", "other"])).await;
    assert_eq!(told("discord"), 1, "again, though nothing has changed");
    edit("/spec/type", json!("zulip")).await;
    assert_eq!((told("discord"), told("zulip")), (1, 1));
    edit("/spec/type", json!("slack")).await;
    edit("/spec/type", json!("zulip")).await;
    assert_eq!(told("zulip"), 2);
    assert_eq!(logs.with(&["is not supported by this version"]).len(), 3, "of others, too");
    assert_eq!(bench.everything_recorded(), [] as [&str; 0]);
}

/// NC-141
#[tokio::test(start_paused = true)]
async fn alerts_lose_the_finalizer_of_earlier_versions() {
    let bench = Bench::start(Cluster::new()).await;
    for (name, suspend) in [("old", false), ("asleep", true)] {
        let mut old = alert(name, "prov", json!({ "suspend": suspend }));
        old["metadata"]["finalizers"] = json!(["finalizers.fluxcd.io"]);
        bench.cluster.put(ALERTS, old);
    }
    let event = bench.wait_for_event("old", "Migration").await;
    assert_eq!(event, "Trace Migration removed finalizer from Alert to migrate to static Alert");
    let finalizers = |name: &str| {
        let path = format!("/apis/notification.toolkit.fluxcd.io/v1beta3/namespaces/apps/alerts/{name}");
        bench.cluster.get(&path)["metadata"]["finalizers"].clone()
    };
    assert_eq!(finalizers("old"), json!([]));
    assert_eq!(finalizers("asleep"), json!(["finalizers.fluxcd.io"]));
    assert!(bench.events_about("asleep").is_empty());
}

/// A Provider deleted while nobody led is seen to at the start.
#[tokio::test(start_paused = true)]
async fn what_was_deleted_before_the_start_goes_too() {
    let cluster = Cluster::new();
    let mut deleted = provider("prov", json!({ "type": "generic" }));
    deleted["metadata"]["finalizers"] = json!(["finalizers.fluxcd.io"]);
    deleted["metadata"]["deletionTimestamp"] = json!("2026-01-02T03:04:05Z");
    cluster.put(PROVIDERS, deleted);
    let bench = Bench::start(cluster).await;
    bench.wait_for(PROVIDER, "it is gone", Value::is_null).await;
}

/// One object that does not decode keeps none of the others from working.
#[tokio::test(start_paused = true)]
async fn a_malformed_object_is_skipped() {
    let cluster = cluster(json!({}));
    let mut malformed = receiver(json!({ "interval": "9999999999m" }));
    malformed["metadata"]["name"] = json!("broken");
    cluster.put(RECEIVERS, malformed);
    let bench = Bench::start(cluster).await;
    ready(&bench).await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::OK);
}

/// Its endpoints may be switched off: it goes on without them, and ends with the process.
#[tokio::test(start_paused = true)]
async fn a_controller_that_nobody_can_reach_goes_on() {
    let (context, _captured) = context(&Cluster::new());
    let tasks = context.tasks.clone();
    let _leader = NotificationController::new(context, config(), Arc::default()).start();
    let hour = std::time::Duration::from_hours(1);
    assert!(tokio::time::timeout(hour, tasks.broken()).await.is_err(), "a part of it is gone");
    tasks.finish().await;
}
