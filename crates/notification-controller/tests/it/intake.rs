//! From a posted event to the request a provider sends.

use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    bench::{ALERTS, Bench, E1, KUSTOMIZATIONS, PROVIDERS, alert, config, provider, settle},
    cluster::Cluster,
    server::{Reply, Server},
};

const D1: &str = r#"{"involvedObject":{"kind":"Kustomization","namespace":"apps","name":"webapp","uid":"7d0cdc51-ddcf-4743-b223-83ca5c699632","apiVersion":"kustomize.toolkit.fluxcd.io/v1"},"severity":"error","timestamp":"2026-01-02T03:04:05Z","message":"Health check failed\nDeployment/apps/webapp \u003c3/5\u003e not ready","reason":"HealthCheckFailed","metadata":{"cluster":"prod-1","revision":"main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1"},"reportingController":"kustomize-controller","reportingInstance":"kustomize-controller-7c7b47f5f-8bhrp"}"#;

/// P1 and A1 of the contract, the alert with other fields.
async fn standard(server: &Server, fields: Value) -> Bench {
    let cluster = Cluster::new();
    cluster.put(
        PROVIDERS,
        provider("prov", json!({ "type": "generic", "address": format!("{}/x", server.url()) })),
    );
    cluster.put(ALERTS, alert("on-call", "prov", fields));
    Bench::start(cluster).await
}

fn e1(message: &str) -> String {
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["message"] = json!(message);
    event.to_string()
}

/// NC-001, NC-002, NC-015, NC-143
#[tokio::test(start_paused = true)]
async fn an_event_is_forwarded_once_and_its_repetition_refused() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({})).await;
    let first = bench.post(E1).await;
    assert_eq!((first.status, first.body.as_str()), (StatusCode::ACCEPTED, ""));
    assert_eq!((first.header("x-ratelimit-limit"), first.header("x-ratelimit-remaining")), ("1", "0"));
    let reset = first.header("x-ratelimit-reset").to_owned();
    assert!(reset.ends_with(" GMT"), "{reset}");
    let again = bench.post(E1).await;
    assert_eq!((again.status, again.body.as_str()), (StatusCode::TOO_MANY_REQUESTS, "Too Many Requests\n"));
    assert_eq!(
        (again.header("retry-after"), again.header("x-ratelimit-reset")),
        (reset.as_str(), reset.as_str())
    );
    assert_eq!(again.header("content-type"), "text/plain; charset=utf-8");
    settle().await;
    let recorded = server.recorded();
    assert_eq!(recorded.len(), 1);
    assert_eq!((recorded[0].method.as_str(), recorded[0].target.as_str()), ("POST", "/x"));
    assert_eq!(String::from_utf8(recorded[0].body.clone()).unwrap(), D1);
    let metrics = bench.metrics.render();
    for code in ["202", "429"] {
        let sample = format!(
            "gotk_event_http_request_duration_seconds_count{{code=\"{code}\",handler=\"/\",method=\"POST\",service=\"\"}} 1"
        );
        assert!(metrics.contains(&sample), "{metrics}");
    }
}

/// NC-008, NC-009, NC-010
#[tokio::test(start_paused = true)]
async fn only_events_of_up_to_three_mebibytes_are_accepted() {
    let bench = Bench::start(Cluster::new()).await;
    for body in ["not json", "", "{}x", r#"{"timestamp":""}"#, r#"{"message":1}"#] {
        let answer = bench.post(body).await;
        assert_eq!((answer.status, answer.body.as_str()), (StatusCode::BAD_REQUEST, ""), "{body}");
    }
    assert_eq!(bench.post("{}").await.status, StatusCode::ACCEPTED);
    assert_eq!(bench.post("null").await.status, StatusCode::TOO_MANY_REQUESTS);
    let padded = format!("{E1}{}", " ".repeat(3_145_728 - E1.len()));
    assert_eq!(bench.post(padded.clone()).await.status, StatusCode::ACCEPTED);
    let answer = bench.post(format!("{padded} ")).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, ""));
}

/// NC-011, NC-144
#[tokio::test(start_paused = true)]
async fn any_method_and_path_takes_events() {
    let server = Server::start(vec![]).await;
    let cluster = Cluster::new();
    cluster.put(PROVIDERS, provider("prov", json!({ "type": "generic", "address": server.url() })));
    cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    let mut config = config();
    config.export_http_path_metrics = true;
    let bench = Bench::start_with(cluster, config).await;
    assert_eq!(bench.request(Method::GET, "/any/path", e1("one")).await.status, StatusCode::ACCEPTED);
    assert_eq!(bench.request(Method::PUT, "/any/path", e1("two")).await.status, StatusCode::ACCEPTED);
    server.wait_for(2).await;
    let redirect = bench.request(Method::POST, "//any/../x?y", E1).await;
    assert_eq!((redirect.status, redirect.header("location")), (StatusCode::TEMPORARY_REDIRECT, "/x?y"));
    assert!(bench.metrics.render().contains("handler=\"/any/path\""));
}

/// NC-013
#[tokio::test(start_paused = true)]
async fn an_event_without_alerts_still_counts_as_seen() {
    let server = Server::start(vec![]).await;
    let bench = Bench::start(Cluster::new()).await;
    assert_eq!(bench.post(E1).await.status, StatusCode::ACCEPTED);
    settle().await;
    bench.cluster.put(PROVIDERS, provider("prov", json!({ "type": "generic", "address": server.url() })));
    bench.cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    settle().await;
    assert_eq!(bench.post(E1).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(bench.post(e1("another")).await.status, StatusCode::ACCEPTED);
    assert_eq!(server.wait_for(1).await.len(), 1);
}

/// NC-006
#[tokio::test(start_paused = true)]
async fn the_token_tells_events_apart_and_is_not_forwarded() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({})).await;
    for token in ["a", "b"] {
        let mut event: Value = serde_json::from_str(E1).unwrap();
        event["metadata"]["kustomize.toolkit.fluxcd.io/token"] = json!(token);
        assert_eq!(bench.post(event.to_string()).await.status, StatusCode::ACCEPTED);
    }
    for request in server.wait_for(2).await {
        assert_eq!(request.body, D1.as_bytes());
    }
}

/// NC-023, NC-024, NC-025
#[tokio::test(start_paused = true)]
async fn labels_of_the_object_decide_where_a_source_asks_for_them() {
    let server = Server::start(vec![]).await;
    let sources =
        json!({ "eventSources": [{ "kind": "Kustomization", "name": "*", "matchLabels": { "team": "a" } }] });
    let bench = standard(&server, sources).await;
    bench.post(e1("missing")).await;
    let event = bench.wait_for_event("on-call", "SourceFetchFailed").await;
    assert_eq!(event, "Error SourceFetchFailed error getting source object Kustomization/apps/webapp");
    let labelled = |team: &str| {
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": { "namespace": "apps", "name": "webapp", "labels": { "team": team } },
        })
    };
    bench.cluster.put(KUSTOMIZATIONS, labelled("b"));
    bench.post(e1("other team")).await;
    settle().await;
    bench.cluster.put(KUSTOMIZATIONS, labelled("a"));
    bench.post(e1("our team")).await;
    let recorded = server.wait_for(1).await;
    let body: Value = serde_json::from_slice(&recorded[0].body).unwrap();
    assert_eq!((recorded.len(), &body["message"]), (1, &json!("our team")));
}

/// NC-026: labels that are asked for, but none of them, still need an object to be had on.
#[tokio::test(start_paused = true)]
async fn an_empty_set_of_labels_asks_for_the_object_alone() {
    let server = Server::start(vec![]).await;
    let sources = json!({ "eventSources": [{ "kind": "Kustomization", "name": "*", "matchLabels": {} }] });
    let bench = standard(&server, sources).await;
    bench.post(e1("missing")).await;
    let event = bench.wait_for_event("on-call", "SourceFetchFailed").await;
    assert_eq!(event, "Error SourceFetchFailed error getting source object Kustomization/apps/webapp");
    let unlabelled = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": { "namespace": "apps", "name": "webapp" },
    });
    bench.cluster.put(KUSTOMIZATIONS, unlabelled);
    bench.post(e1("there")).await;
    let recorded = server.wait_for(1).await;
    let body: Value = serde_json::from_slice(&recorded[0].body).unwrap();
    assert_eq!((recorded.len(), &body["message"]), (1, &json!("there")));
}

/// NC-029
#[tokio::test(start_paused = true)]
async fn a_broken_pattern_is_told_to_the_owner_of_the_alert() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({ "inclusionList": ["["] })).await;
    bench.post(E1).await;
    let event = bench.wait_for_event("on-call", "InvalidConfig").await;
    assert_eq!(event, "Error InvalidConfig failed to compile inclusion regex: [");
    settle().await;
    assert!(server.recorded().is_empty());
}

/// NC-032
#[tokio::test(start_paused = true)]
async fn suspended_alerts_and_providers_are_silent() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({ "suspend": true })).await;
    let suspended = json!({ "type": "generic", "address": server.url(), "suspend": true });
    bench.cluster.put(PROVIDERS, provider("off", suspended));
    bench.cluster.put(ALERTS, alert("quiet", "off", json!({})));
    settle().await;
    bench.post(E1).await;
    settle().await;
    assert!(server.recorded().is_empty());
    assert!(bench.events_about("on-call").is_empty() && bench.events_about("quiet").is_empty());
}

/// NC-033, NC-042, NC-045
#[tokio::test(start_paused = true)]
async fn an_alert_that_can_not_be_served_keeps_no_other_from_it() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({})).await;
    for (name, spec) in [
        ("no-key", json!({ "type": "generic-hmac", "address": server.url() })),
        ("no-secret", json!({ "type": "slack", "address": server.url(), "secretRef": { "name": "n" } })),
        ("unknown", json!({ "type": "discord", "address": server.url() })),
    ] {
        bench.cluster.put(PROVIDERS, provider(name, spec));
        bench.cluster.put(ALERTS, alert(name, name, json!({})));
    }
    bench.cluster.put(ALERTS, alert("no-provider", "absent", json!({})));
    settle().await;
    assert_eq!(bench.post(E1).await.status, StatusCode::ACCEPTED);
    for (name, cause) in [
        (
            "no-key",
            "failed to initialize notifier for provider 'no-key': failed to initialize notifier: HMAC key is empty",
        ),
        (
            "no-secret",
            "failed to initialize notifier for provider 'no-secret': failed to get secret 'apps/n': secrets \"n\" not found",
        ),
        (
            "unknown",
            "failed to initialize notifier for provider 'unknown': failed to initialize notifier: provider discord not supported\nspec.type is \"discord\", this version knows: generic, generic-hmac, msteams, slack",
        ),
        (
            "no-provider",
            "failed to read provider: Provider.notification.toolkit.fluxcd.io \"absent\" not found",
        ),
    ] {
        let event = bench.wait_for_event(name, "NotificationDispatchFailed").await;
        let start = "Error NotificationDispatchFailed failed to dispatch notification for Kustomization/apps/webapp: ";
        assert_eq!(event, format!("{start}{cause}"));
    }
    assert_eq!(server.wait_for(1).await.len(), 1);
    assert!(bench.events_about("on-call").is_empty());
}

/// NC-036
#[tokio::test(start_paused = true)]
async fn metadata_in_dispute_is_sent_and_told() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({ "eventMetadata": { "env": "y" } })).await;
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["metadata"]["event.toolkit.fluxcd.io/env"] = json!("x");
    bench.post(event.to_string()).await;
    let recorded = server.wait_for(1).await;
    let body: Value = serde_json::from_slice(&recorded[0].body).unwrap();
    assert_eq!(body["metadata"]["env"], "y");
    bench.wait_for_event("on-call", "MetadataAppendFailed").await;
    let annotations = bench.annotations_of("MetadataAppendFailed");
    assert_eq!(
        annotations,
        json!({ "env": "involved object annotations, Alert object .spec.eventMetadata" })
    );
}

/// NC-053, NC-058
#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_without_the_token() {
    let server = Server::start(vec![Reply::status(400, "bad abc")]).await;
    let bench = standard(&server, json!({})).await;
    let spec = json!({ "type": "slack", "address": server.url(), "secretRef": { "name": "cred" } });
    bench.cluster.put(PROVIDERS, provider("prov", spec));
    bench.cluster.put("/api/v1/secrets", crate::hook_conformance::secret("cred", &json!({ "token": "abc" })));
    settle().await;
    bench.post(E1).await;
    let event = bench.wait_for_event("on-call", "NotificationDispatchFailed").await;
    assert_eq!(
        event,
        "Error NotificationDispatchFailed failed to send notification for Kustomization/apps/webapp: postMessage failed: \
         request failed: request failed with status code 400: bad *****"
    );
    assert_eq!(server.recorded().len(), 1);
    assert_eq!(server.recorded()[0].headers["authorization"], "Bearer abc");
}

/// NC-060
#[tokio::test(start_paused = true)]
async fn the_answer_does_not_wait_for_the_provider() {
    let slow = Reply { delay: Duration::from_secs(10), ..Reply::default() };
    let server = Server::start(vec![slow]).await;
    let bench = standard(&server, json!({})).await;
    let began = tokio::time::Instant::now();
    assert_eq!(bench.post(E1).await.status, StatusCode::ACCEPTED);
    assert_eq!(began.elapsed(), Duration::ZERO);
    server.wait_for(1).await;
}

/// NC-145
#[tokio::test(start_paused = true)]
async fn a_replica_that_does_not_lead_delivers_events() {
    let server = Server::start(vec![]).await;
    let cluster = Cluster::new();
    cluster.put(PROVIDERS, provider("prov", json!({ "type": "generic", "address": server.url() })));
    cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    let (bench, _leader) = Bench::follow(cluster, config()).await;
    assert_eq!(bench.post(E1).await.status, StatusCode::ACCEPTED);
    assert_eq!(server.wait_for(1).await[0].body, D1.as_bytes());
}

#[tokio::test(start_paused = true)]
async fn events_of_this_process_come_in_without_http_and_count_as_seen() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({})).await;
    bench.sink.deliver(E1.as_bytes().to_vec()).await;
    bench.sink.deliver(E1.as_bytes().to_vec()).await;
    assert_eq!(bench.post(E1).await.status, StatusCode::TOO_MANY_REQUESTS);
    settle().await;
    let recorded = server.recorded();
    assert_eq!((recorded.len(), recorded[0].body.as_slice()), (1, D1.as_bytes()));
}

/// NC-034
#[tokio::test(start_paused = true)]
async fn alerts_of_other_namespaces_may_be_kept_out() {
    let server = Server::start(vec![]).await;
    let cluster = Cluster::new();
    let moved = |mut object: Value| {
        object["metadata"]["namespace"] = json!("flux-system");
        object
    };
    let sources = json!({ "eventSources": [{ "kind": "Kustomization", "name": "*", "namespace": "apps" }] });
    cluster.put(PROVIDERS, moved(provider("prov", json!({ "type": "generic", "address": server.url() }))));
    cluster.put(ALERTS, moved(alert("on-call", "prov", sources)));
    let mut config = config();
    config.policy.no_cross_namespace_refs = true;
    let bench = Bench::start_with(cluster, config).await;
    bench.post(E1).await;
    let event = bench.wait_for_event("on-call", "NotificationDispatchFailed").await;
    assert!(event.contains("cross-namespace references have been blocked"), "{event}");
    assert!(server.recorded().is_empty());
}

/// NC-098
#[tokio::test(start_paused = true)]
async fn commit_status_updates_are_for_generic_providers() {
    let server = Server::start(vec![]).await;
    let bench = standard(&server, json!({})).await;
    let chat = Server::start(vec![]).await;
    bench.cluster.put(PROVIDERS, provider("chat", json!({ "type": "slack", "address": chat.url() })));
    bench.cluster.put(ALERTS, alert("chat", "chat", json!({})));
    settle().await;
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["severity"] = json!("info");
    event["metadata"]["kustomize.toolkit.fluxcd.io/commit_status"] = json!("update");
    bench.post(event.to_string()).await;
    server.wait_for(1).await;
    settle().await;
    assert!(chat.recorded().is_empty());
    assert!(bench.events_about("chat").is_empty());
}
