//! Webhook calls against a Receiver that the reconciler has made ready.

use axum::body::Body;
use http::{Request, StatusCode};
use millrace_notification_controller::{receivers::webhook_path, signature::sign_sha256};
use serde_json::{Value, json};

use crate::{
    bench::{Answer, Bench, GIT_REPOSITORIES, RECEIVERS, config, settle},
    cluster::Cluster,
    hook_conformance::secret,
};

pub(crate) const RECEIVER: &str = "/apis/notification.toolkit.fluxcd.io/v1/namespaces/apps/receivers/rcv";
pub(crate) const APP: &str = "/apis/source.toolkit.fluxcd.io/v1/namespaces/apps/gitrepositories/app";
const BODY: &str = r#"{"action":"push"}"#;

pub(crate) fn receiver(fields: Value) -> Value {
    let mut spec = json!({
        "type": "github", "interval": "10m", "secretRef": { "name": "token" },
        "resources": [{ "kind": "GitRepository", "name": "app" }],
    });
    for (key, value) in fields.as_object().expect("fields") {
        spec[key] = value.clone();
    }
    json!({
        "apiVersion": "notification.toolkit.fluxcd.io/v1", "kind": "Receiver",
        "metadata": { "namespace": "apps", "name": "rcv", "generation": 1 }, "spec": spec,
        "status": { "observedGeneration": -1 },
    })
}

fn repository(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": { "namespace": "apps", "name": name, "labels": labels, "annotations": { "mine": "kept" } },
    })
}

pub(crate) fn path() -> String {
    webhook_path(b"s3cr3t", "rcv", "apps")
}

/// A cluster with a Receiver, its Secret and its target.
pub(crate) fn cluster(fields: Value) -> Cluster {
    let cluster = Cluster::new();
    cluster.put("/api/v1/secrets", secret("token", &json!({ "token": "s3cr3t" })));
    cluster.put(GIT_REPOSITORIES, repository("app", &json!({ "team": "a" })));
    cluster.put(RECEIVERS, receiver(fields));
    cluster
}

pub(crate) async fn ready(bench: &Bench) {
    bench.wait_for(RECEIVER, "the Receiver is ready", is_ready).await;
    settle().await;
}

pub(crate) fn is_ready(receiver: &Value) -> bool {
    receiver["status"]["conditions"] != Value::Null
        && receiver["status"]["conditions"].as_array().is_some_and(|all| {
            all.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
        })
}

pub(crate) async fn push(bench: &Bench, target: &str) -> Answer {
    let signature = format!("sha256={}", sign_sha256(b"s3cr3t", BODY.as_bytes()));
    let request = Request::post(target)
        .header("content-type", "application/json")
        .header("x-hub-signature-256", signature)
        .body(Body::from(BODY))
        .expect("a request");
    bench.hook(request).await
}

fn requested(bench: &Bench, path: &str) -> Value {
    bench.cluster.get(path)["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"].clone()
}

/// NC-114, NC-116
#[tokio::test(start_paused = true)]
async fn a_signed_call_wakes_the_target_and_keeps_its_annotations() {
    let bench = Bench::start(cluster(json!({}))).await;
    ready(&bench).await;
    assert_eq!(bench.call(&path(), BODY).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(requested(&bench, APP), Value::Null);
    let answer = push(&bench, &path()).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::OK, ""));
    let first = requested(&bench, APP);
    assert!(first.is_string());
    assert_eq!(push(&bench, &path()).await.status, StatusCode::OK);
    assert_ne!(requested(&bench, APP), first);
    assert_eq!(bench.cluster.get(APP)["metadata"]["annotations"]["mine"], "kept");
    let reads = format!("GET {APP}");
    assert!(!bench.cluster.requests().contains(&reads), "the target is written without being read");
}

/// NC-119, NC-120, NC-121, NC-122
#[tokio::test(start_paused = true)]
async fn only_the_exact_path_is_known() {
    let bench = Bench::start(cluster(json!({ "type": "generic" }))).await;
    ready(&bench).await;
    let path = path();
    for target in [format!("{path}?a=b"), format!("{path}/"), path.to_uppercase().replace("/HOOK", "/hook")] {
        let answer = push(&bench, &target).await;
        assert_eq!((answer.status, answer.body.as_str()), (StatusCode::NOT_FOUND, ""), "{target}");
    }
    let answer = push(&bench, &format!("/{path}")).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::TEMPORARY_REDIRECT, path.as_str()));
    let answer = push(&bench, "/foo").await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::NOT_FOUND, "404 page not found\n"));
    let answer = bench.call("/hook/none", &"x".repeat(3_145_729)).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, ""));
    let metrics = bench.metrics.render();
    assert!(
        metrics.contains("gotk_receiver_http_request_duration_seconds_count{code=\"404\",handler=\"/hook/\"")
    );
}

/// NC-123
#[tokio::test(start_paused = true)]
async fn a_generic_receiver_takes_any_method() {
    let bench = Bench::start(cluster(json!({ "type": "generic" }))).await;
    ready(&bench).await;
    let before = requested(&bench, APP);
    let answer = bench.hook(Request::get(path()).body(Body::empty()).expect("a request")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_ne!(requested(&bench, APP), before);
}

/// NC-133, NC-135
#[tokio::test(start_paused = true)]
async fn a_wildcard_wakes_those_with_the_labels() {
    let wildcard =
        |team: &str| json!([{ "kind": "GitRepository", "name": "*", "matchLabels": { "team": team } }]);
    let bench = Bench::start(cluster(json!({ "resources": wildcard("a") }))).await;
    bench.cluster.put(GIT_REPOSITORIES, repository("second", &json!({ "team": "a" })));
    bench.cluster.put(GIT_REPOSITORIES, repository("third", &json!({ "team": "b" })));
    ready(&bench).await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::OK);
    let woken = ["app", "second", "third"].map(|name| {
        let path = format!("/apis/source.toolkit.fluxcd.io/v1/namespaces/apps/gitrepositories/{name}");
        requested(&bench, &path).is_string()
    });
    assert_eq!(woken, [true, true, false]);
    let mut none = bench.cluster.get(RECEIVER);
    none["spec"]["resources"] = wildcard("z");
    none["metadata"]["generation"] = json!(2);
    bench.cluster.put(RECEIVERS, none);
    bench.wait_for(RECEIVER, "generation 2", |found| found["status"]["observedGeneration"] == 2).await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_wildcard_with_an_empty_set_of_labels_wakes_all() {
    let wildcard = json!([{ "kind": "GitRepository", "name": "*", "matchLabels": {} }]);
    let bench = Bench::start(cluster(json!({ "resources": wildcard }))).await;
    bench.cluster.put(GIT_REPOSITORIES, repository("second", &json!({})));
    ready(&bench).await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::OK);
    for name in ["app", "second"] {
        let path = format!("/apis/source.toolkit.fluxcd.io/v1/namespaces/apps/gitrepositories/{name}");
        assert!(requested(&bench, &path).is_string(), "{name}");
    }
}

/// NC-134, NC-138
#[tokio::test(start_paused = true)]
async fn an_entry_that_fails_keeps_the_others_alive() {
    for bad in [
        json!({ "kind": "GitRepository", "name": "*" }),
        json!({ "kind": "Kustomization", "name": "x" }),
        json!({ "kind": "GitRepository", "name": "absent" }),
        json!({ "kind": "GitRepository", "name": "x", "namespace": "other" }),
    ] {
        let resources = json!([bad, { "kind": "GitRepository", "name": "app", "namespace": "apps" }]);
        let mut config = config();
        config.policy.no_cross_namespace_refs = true;
        let bench = Bench::start_with(cluster(json!({ "resources": resources })), config).await;
        ready(&bench).await;
        assert_eq!(push(&bench, &path()).await.status, StatusCode::INTERNAL_SERVER_ERROR, "{bad}");
        assert!(requested(&bench, APP).is_string(), "{bad}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_target_that_may_not_be_written_fails_the_call() {
    let cluster = cluster(json!({}));
    cluster.forbid(APP);
    let bench = Bench::start(cluster).await;
    ready(&bench).await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::INTERNAL_SERVER_ERROR);
}

/// A filter can't be evaluated here, and must not be ignored: a Receiver that another program left ready wakes nobody.
#[tokio::test(start_paused = true)]
async fn a_ready_receiver_with_a_filter_wakes_nobody() {
    let cluster = cluster(json!({ "type": "generic", "resourceFilter": "true" }));
    let mut filtered = cluster.get(RECEIVER);
    filtered["status"] = json!({ "webhookPath": path(), "conditions": [{
        "type": "Ready", "status": "True", "reason": "Succeeded", "message": "m",
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }] });
    cluster.put(RECEIVERS, filtered);
    let (bench, _leader) = Bench::follow(cluster, config()).await;
    assert_eq!(bench.call(&path(), "").await.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(requested(&bench, APP), Value::Null);
}

/// NC-113
#[tokio::test(start_paused = true)]
async fn a_suspended_receiver_refuses_calls() {
    let bench = Bench::start(cluster(json!({}))).await;
    ready(&bench).await;
    let mut suspended = bench.cluster.get(RECEIVER);
    suspended["spec"]["suspend"] = json!(true);
    suspended["metadata"]["generation"] = json!(2);
    bench.cluster.put(RECEIVERS, suspended);
    bench.wait_for(RECEIVER, "it is seen", |found| found["status"]["observedGeneration"] == 2).await;
    assert_eq!(push(&bench, &path()).await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(requested(&bench, APP), Value::Null);
}
