//! Webhook calls: the answer, and which objects are asked to reconcile.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Request;
use http_body_util::BodyExt as _;
use millrace_api::notification::v1::Receiver;
use millrace_notification_controller::hook::Hooks;
use millrace_notification_controller::receivers::webhook_path;
use millrace_reconcile::clock::SystemClock;
use millrace_reconcile::metrics::Metrics;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::values::{items, members, text};
use crate::cases::{Case, File, to_json};
use crate::cluster::Cluster;

const TOKEN: &str = "s3cr3t";
const REQUESTED_AT: &str = "reconcile.fluxcd.io/requestedAt";

pub(super) fn check(file: &File, case: &Case) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(call(&to_json(&file.head)?, &to_json(&case.node)?))
}

async fn call(head: &Value, case: &Value) -> Result<(), String> {
    let cluster = Cluster::default();
    let holder = if case.get("objects").is_some() { case } else { head };
    for object in items(holder, "objects") {
        let plural = format!("{}s", text(object, "kind").to_lowercase().replace("repository", "repositorie"));
        cluster.put(&format!("/apis/{}", text(object, "apiVersion")), &plural, object.clone())?;
    }
    let usual = json!({"secrets": {"token": {"token": TOKEN}}});
    let secrets = if case.get("secrets").is_some() { case } else { &usual };
    for (name, data) in members(secrets, "secrets") {
        cluster.put("/api/v1", "secrets", secret(name, data))?;
    }
    let path = webhook_path(TOKEN.as_bytes(), "rcv", "apps");
    let receiver = Arc::new(receiver(case, &path)?);
    let known = path.clone();
    let hooks = Hooks {
        client: cluster.client(),
        clock: Arc::new(SystemClock),
        find: Arc::new(move |called| (called == known).then(|| Arc::clone(&receiver))),
        no_cross_namespace_refs: case["noCrossNamespaceRefs"] == true,
    };
    let before = requests(&cluster);
    let request = request(&case["request"], &path)?;
    let Ok(response) = hooks.router(&Metrics::default(), false).oneshot(request).await;
    let location = response
        .headers()
        .get("location")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
    let mut annotated: Vec<String> = requests(&cluster)
        .into_iter()
        .filter(|entry| !before.contains(entry))
        .map(|(name, _)| name)
        .collect();
    annotated.sort();
    let found = json!({"status": status, "location": location, "body": String::from_utf8_lossy(&body), "annotated": annotated});
    let mut names: Vec<&str> = items(&case["expect"], "annotated").filter_map(Value::as_str).collect();
    names.sort_unstable();
    let expect = &case["expect"];
    let expected = json!({"status": expect["status"], "location": text(expect, "location"), "body": text(expect, "body"), "annotated": names});
    if found == expected { Ok(()) } else { Err(format!("- {expected}\n+ {found}")) }
}

fn secret(name: &str, data: &Value) -> Value {
    let data: BTreeMap<&str, String> = data
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), STANDARD.encode(value.as_str().unwrap_or_default())))
        .collect();
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "apps", "name": name}, "data": data})
}

fn receiver(case: &Value, path: &str) -> Result<Receiver, String> {
    let mut conditions: Vec<Value> = items(&case["receiver"], "conditions").cloned().collect();
    if conditions.is_empty() {
        conditions.push(json!({"type": "Ready", "status": "True"}));
    }
    for condition in &mut conditions {
        for (field, value) in
            [("reason", "Recorded"), ("message", ""), ("lastTransitionTime", "2026-01-02T03:04:05Z")]
        {
            condition[field] = json!(value);
        }
    }
    let object = json!({
        "metadata": {"namespace": "apps", "name": "rcv"},
        "spec": case["receiver"]["spec"],
        "status": {"webhookPath": path, "conditions": conditions},
    });
    serde_json::from_value(object).map_err(|error| format!("the Receiver cannot be read: {error}"))
}

fn request(request: &Value, own_path: &str) -> Result<Request<Body>, String> {
    let path = request.get("path").and_then(Value::as_str).unwrap_or(own_path);
    let mut builder = Request::builder().method(text(request, "method")).uri(path);
    for (name, value) in members(request, "headers") {
        builder = builder.header(name, value.as_str().unwrap_or_default());
    }
    let mut body = text(request, "body").to_owned();
    if let Some(length) = request["bodyPaddedTo"].as_u64().and_then(|length| usize::try_from(length).ok()) {
        body.extend(std::iter::repeat_n('x', length.saturating_sub(body.len())));
    }
    builder.body(Body::from(body)).map_err(|error| error.to_string())
}

/// Every object with the request on it.
fn requests(cluster: &Cluster) -> Vec<(String, Value)> {
    let describe = |object: Value| {
        let metadata = &object["metadata"];
        let name =
            format!("{}/{}/{}", text(&object, "kind"), text(metadata, "namespace"), text(metadata, "name"));
        (name, metadata["annotations"][REQUESTED_AT].clone())
    };
    cluster.objects().into_iter().map(describe).collect()
}
