//! Rows of the contract's table that the event endpoint answers, or that come of an event before any Provider is asked.

use http::StatusCode;
use millrace_matrix::{canary::Canaries, logs::Logs};
use serde_json::{Value, json};

use super::{
    canary::{self, EVENT},
    catalogue::Catalogue,
};
use crate::{
    bench::{ALERTS, Bench, E1, PROVIDERS, alert, provider, settle},
    cluster::Cluster,
    server::Server,
};

/// NC-002, NC-006, NC-008, NC-010, NC-029
#[tokio::test(start_paused = true)]
async fn every_failure_of_an_event_is_answered_as_the_contract_says_and_shows_no_secret() {
    let mut catalogue = Catalogue::new(canary::OF_EVENTS);
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(10_001), "]".repeat(10_001));
    for (row, body) in [
        ("event body not JSON", format!("not json {EVENT}")),
        ("event body empty", String::new()),
        ("event body with trailing garbage", format!("{{\"metadata\":{{\"/token\":\"{EVENT}\"}}}}x")),
        ("event body with wrong types", format!("{{\"message\":[\"{EVENT}\"]}}")),
        ("event body with a number for a text", r#"{"message":1}"#.to_owned()),
        ("event body with a list for an object", r#"{"involvedObject":[]}"#.to_owned()),
        ("event body with a number in metadata", r#"{"metadata":{"a":1}}"#.to_owned()),
        ("event body with timestamp ``", r#"{"timestamp":""}"#.to_owned()),
        ("event body nested too deep", deep),
    ] {
        catalogue.row(row, async |canaries| undecodable(body, row, canaries).await).await;
    }
    catalogue.row("event body 3 MiB + 1", too_long).await;
    catalogue.row("duplicate event in window", duplicate).await;
    catalogue.row("Alert: bad regex", bad_regex).await;
    catalogue.finish();
}

async fn undecodable(body: String, row: &str, canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    canaries.give(&body);
    let bench = Bench::start(Cluster::new()).await;
    let answer = bench.post(body).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::BAD_REQUEST, ""));
    assert_eq!(logs.with(&["ERROR decoding the request body failed", "logger=event-server"]).len(), 1);
    canary::search(canaries, row, &bench, &logs);
}

async fn too_long(canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    let bench = Bench::start(Cluster::new()).await;
    let start = format!("{E1}{EVENT}");
    let answer = bench.post(format!("{start}{}", " ".repeat(3_145_729 - start.len()))).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, ""));
    let error = "error=request body exceeds the maximum size of 3145728 bytes";
    assert_eq!(logs.with(&["ERROR reading the request body failed", error]).len(), 1);
    canary::search(canaries, "event body 3 MiB + 1", &bench, &logs);
}

/// The token that tells events apart goes nowhere.
async fn duplicate(canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    let server = Server::start(vec![]).await;
    let cluster = Cluster::new();
    cluster.put(PROVIDERS, provider("prov", json!({ "type": "slack", "address": server.url() })));
    cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    let bench = Bench::start(cluster).await;
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["metadata"]["kustomize.toolkit.fluxcd.io/token"] = json!(EVENT);
    canaries.give(&event.to_string());
    assert_eq!(bench.post(event.to_string()).await.status, StatusCode::ACCEPTED);
    let answer = bench.post(event.to_string()).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::TOO_MANY_REQUESTS, "Too Many Requests\n"));
    assert_eq!(logs.with(&["DEBUG Discarding event, rate limiting duplicate events", "webapp"]).len(), 1);
    let sent = server.wait_for(1).await;
    let messages = sent.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned());
    canaries.search("duplicate event: the message", messages);
    canary::search(canaries, "duplicate event", &bench, &logs);
}

/// It is told once per event.
async fn bad_regex(canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    let bench = Bench::start(Cluster::new()).await;
    let lists = json!({ "inclusionList": ["["], "exclusionList": ["(?x)a"] });
    bench.cluster.put(ALERTS, alert("on-call", "prov", lists));
    settle().await;
    bench.post(E1).await;
    bench.wait_for_event("on-call", "InvalidConfig").await;
    settle().await;
    let text = "failed to compile inclusion regex: [";
    assert_eq!(bench.events_about("on-call"), [format!("Error InvalidConfig {text}")]);
    assert_eq!(logs.with(&[&format!("ERROR {text}")]).len(), 1, "{:?}", logs.with(&["ERROR "]));
    canary::search(canaries, "bad regex", &bench, &logs);
}
