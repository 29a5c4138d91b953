//! Recorded cases: a webhook call against the answer and the objects that were annotated.

use std::sync::Arc;

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt as _;
use millrace_api::notification::v1::Receiver;
use millrace_notification_controller::{hook::Hooks, receivers::webhook_path};
use millrace_reconcile::{clock::SystemClock, metrics::Metrics};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::{
    cluster::Cluster,
    shared::{conformance, items, members, text},
};

const AREAS: [&str; 5] = ["generic", "generic-hmac", "github", "limits", "resources"];

/// Needs CEL.
const FILTERS: [&str; 1] = ["github-form-filter"];

/// Among the cases: NC-115, NC-122, NC-138
#[tokio::test]
async fn calls_get_the_recorded_answers() {
    let Some(set) = conformance("receivers") else { return };
    let mut failures = Vec::new();
    let mut ran = 0;
    for case in items(&set, "cases") {
        let id = text(case, "id");
        if !AREAS.contains(&text(case, "area")) || FILTERS.contains(&id) {
            continue;
        }
        ran += 1;
        if let Err(difference) = check(&set, case).await {
            failures.push(format!("{id}: {difference}"));
        }
    }
    assert!(failures.is_empty(), "{} of {ran} cases:\n{}", failures.len(), failures.join("\n"));
    assert!(ran >= 46, "only {ran} cases");
}

async fn check(set: &Value, case: &Value) -> Result<(), String> {
    let cluster = Cluster::new();
    let objects = if case.get("objects").is_some() { case } else { set };
    for object in items(objects, "objects") {
        let group = text(object, "apiVersion");
        let plural = match text(object, "kind") {
            "GitRepository" => "gitrepositories",
            "OCIRepository" => "ocirepositories",
            _ => "imagerepositories",
        };
        cluster.put(&format!("/apis/{group}/{plural}"), object.clone());
    }
    let default_secrets = json!({ "secrets": { "token": { "token": "s3cr3t" } } });
    let secrets = if case.get("secrets").is_some() { case } else { &default_secrets };
    for (name, data) in members(secrets, "secrets") {
        cluster.put("/api/v1/secrets", secret(name, data));
    }
    let path = webhook_path(b"s3cr3t", "rcv", "apps");
    let receiver = Arc::new(receiver(case, &path));
    let known = path.clone();
    let hooks = Hooks {
        client: cluster.client(),
        clock: Arc::new(SystemClock),
        find: Arc::new(move |called| (called == known).then(|| Arc::clone(&receiver))),
        no_cross_namespace_refs: case.get("noCrossNamespaceRefs") == Some(&json!(true)),
    };
    let before = cluster_annotations(&cluster);
    let request = request(&case["request"], &path);
    let response = hooks.router(&Metrics::default(), false).oneshot(request).await.expect("an answer");
    let expect = &case["expect"];
    let location = response.headers().get("location").map(|value| value.to_str().expect("text").to_owned());
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a body").to_bytes();
    let actual = json!({
        "status": status, "location": location.unwrap_or_default(), "body": String::from_utf8_lossy(&body),
        "annotated": annotated(&before, &cluster_annotations(&cluster)),
    });
    let mut names: Vec<_> = items(expect, "annotated").cloned().collect();
    names.sort_by_key(ToString::to_string);
    let expected = json!({
        "status": expect["status"], "location": text(expect, "location"), "body": text(expect, "body"),
        "annotated": names,
    });
    if actual == expected { Ok(()) } else { Err(format!("{actual} instead of {expected}")) }
}

pub(crate) fn secret(name: &str, data: &Value) -> Value {
    use base64::Engine as _;
    let encode = |value: &Value| base64::prelude::BASE64_STANDARD.encode(value.as_str().expect("text"));
    let data: serde_json::Map<_, _> = data
        .as_object()
        .expect("data")
        .iter()
        .map(|(key, value)| (key.clone(), json!(encode(value))))
        .collect();
    json!({ "kind": "Secret", "apiVersion": "v1", "metadata": { "namespace": "apps", "name": name }, "data": data })
}

fn receiver(case: &Value, path: &str) -> Receiver {
    let stamped = |condition: &Value| {
        let mut condition = condition.clone();
        for (key, value) in [("reason", "R"), ("message", ""), ("lastTransitionTime", "2026-01-02T03:04:05Z")]
        {
            condition[key] = json!(value);
        }
        condition
    };
    let mut conditions: Vec<_> = items(&case["receiver"], "conditions").map(stamped).collect();
    if conditions.is_empty() {
        conditions.push(stamped(&json!({ "type": "Ready", "status": "True" })));
    }
    serde_json::from_value(json!({
        "metadata": { "namespace": "apps", "name": "rcv" },
        "spec": case["receiver"]["spec"],
        "status": { "webhookPath": path, "conditions": conditions },
    }))
    .expect("the Receiver decodes")
}

fn request(request: &Value, own_path: &str) -> Request<Body> {
    let path = request.get("path").and_then(Value::as_str).unwrap_or(own_path);
    let mut builder = Request::builder().method(text(request, "method")).uri(path);
    for (name, value) in members(request, "headers") {
        builder = builder.header(name, value.as_str().expect("text"));
    }
    let mut body = text(request, "body").to_owned();
    if let Some(length) = request.get("bodyPaddedTo").and_then(Value::as_u64) {
        body.push_str(&"x".repeat(usize::try_from(length).expect("a length") - body.len()));
    }
    builder.body(Body::from(body)).expect("a request")
}

/// What every object was asked, by kind, namespace and name.
fn cluster_annotations(cluster: &Cluster) -> Vec<(String, Value)> {
    cluster
        .objects()
        .into_iter()
        .map(|object| {
            let metadata = &object["metadata"];
            let name = format!(
                "{}/{}/{}",
                text(&object, "kind"),
                text(metadata, "namespace"),
                text(metadata, "name")
            );
            (name, metadata["annotations"]["reconcile.fluxcd.io/requestedAt"].clone())
        })
        .collect()
}

fn annotated(before: &[(String, Value)], after: &[(String, Value)]) -> Vec<String> {
    let mut names: Vec<_> =
        after.iter().filter(|entry| !before.contains(entry)).map(|(name, _)| name.clone()).collect();
    names.sort();
    names
}
