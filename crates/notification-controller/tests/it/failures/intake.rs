//! Rows of the contract's table that the event endpoint answers.

use http::StatusCode;
use serde_json::{Value, json};

use super::canary::{self, TOKEN};
use crate::{
    bench::{ALERTS, Bench, E1, PROVIDERS, alert, provider, settle},
    cluster::Cluster,
    logs::Logs,
    server::Server,
};

/// Row: event body not JSON, empty, trailing garbage, wrong types, timestamp `""`.
///
/// NC-008
#[tokio::test(start_paused = true)]
async fn bodies_that_are_no_event_are_refused_and_logged() {
    let logs = Logs::capture();
    let bench = Bench::start(Cluster::new()).await;
    let bodies = [
        format!("not json {TOKEN}"),
        String::new(),
        format!("{{\"metadata\":{{\"/token\":\"{TOKEN}\"}}}}x"),
        format!("{{\"message\":[\"{TOKEN}\"]}}"),
        r#"{"message":1}"#.to_owned(),
        r#"{"involvedObject":[]}"#.to_owned(),
        r#"{"metadata":{"a":1}}"#.to_owned(),
        r#"{"timestamp":""}"#.to_owned(),
        format!("{{\"x\":{}{}}}", "[".repeat(10_001), "]".repeat(10_001)),
    ];
    for (at, body) in bodies.iter().enumerate() {
        let answer = bench.post(body.clone()).await;
        assert_eq!((answer.status, answer.body.as_str()), (StatusCode::BAD_REQUEST, ""), "{body}");
        let logged = logs.with(&["ERROR decoding the request body failed", "logger=event-server"]);
        assert_eq!(logged.len(), at + 1, "{body}");
    }
    canary::search("undecodable events", &bench, &logs);
}

/// Row: event body 3 MiB + 1.
///
/// NC-010
#[tokio::test(start_paused = true)]
async fn a_body_that_is_too_long_is_refused_and_logged() {
    let logs = Logs::capture();
    let bench = Bench::start(Cluster::new()).await;
    let answer = bench.post(format!("{E1}{}", " ".repeat(3_145_729 - E1.len()))).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, ""));
    let error = "error=request body exceeds the maximum size of 3145728 bytes";
    assert_eq!(logs.with(&["ERROR reading the request body failed", error]).len(), 1);
}

/// Row: duplicate event in window. The token that tells events apart goes nowhere.
///
/// NC-002, NC-006
#[tokio::test(start_paused = true)]
async fn a_repeated_event_is_refused_and_logged_for_debugging() {
    let logs = Logs::capture();
    let server = Server::start(vec![]).await;
    let cluster = Cluster::new();
    cluster.put(PROVIDERS, provider("prov", json!({ "type": "slack", "address": server.url() })));
    cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    let bench = Bench::start(cluster).await;
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["metadata"]["kustomize.toolkit.fluxcd.io/token"] = json!(TOKEN);
    assert_eq!(bench.post(event.to_string()).await.status, StatusCode::ACCEPTED);
    let answer = bench.post(event.to_string()).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::TOO_MANY_REQUESTS, "Too Many Requests\n"));
    assert_eq!(logs.with(&["DEBUG Discarding event, rate limiting duplicate events", "webapp"]).len(), 1);
    let sent = server.wait_for(1).await;
    assert!(!String::from_utf8_lossy(&sent[0].body).contains(TOKEN));
    canary::search("duplicate event", &bench, &logs);
}

/// Row: Alert: bad regex.
///
/// NC-029
#[tokio::test(start_paused = true)]
async fn a_pattern_that_does_not_compile_is_told_once_per_event() {
    let logs = Logs::capture();
    let bench = Bench::start(Cluster::new()).await;
    let lists = json!({ "inclusionList": ["["], "exclusionList": ["(?x)a"] });
    bench.cluster.put(ALERTS, alert("on-call", "prov", lists));
    settle().await;
    bench.post(E1).await;
    let event = bench.wait_for_event("on-call", "InvalidConfig").await;
    assert_eq!(event, "Error InvalidConfig failed to compile inclusion regex: [");
    assert_eq!(logs.with(&["ERROR failed to compile inclusion regex: ["]).len(), 1, "{:?}", logs.lines());
}
