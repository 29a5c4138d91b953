//! Rows of the contract's table that end in `cond`.

use std::time::Duration;

use millrace_matrix::{canary::Canaries, logs::Logs};
use serde_json::{Value, json};

use super::{
    canary::{self, HOOK},
    catalogue::Catalogue,
};
use crate::{
    bench::{Bench, RECEIVERS},
    cluster::Cluster,
    hook_conformance::secret,
    hooks::{RECEIVER, is_ready, receiver},
};

/// What a Receiver's status says: condition, reason and message of each condition.
fn conditions(found: &Value) -> Vec<String> {
    let all = found["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let shown = |one: &Value| {
        format!(
            "{}={} {} {}",
            text(one, "type"),
            text(one, "status"),
            text(one, "reason"),
            text(one, "message")
        )
    };
    all.iter().map(shown).collect()
}

/// A Receiver with these fields and this Secret, and the verdict on it.
struct Row {
    name: String,
    fields: Value,
    secret: Option<Value>,
    conditions: Vec<String>,
    observed_generation: i64,
    event: String,
    logged: String,
    next: Next,
}

/// What makes the next pass.
#[derive(PartialEq)]
enum Next {
    /// A backoff: the Receiver becomes ready without a word once its token can be read.
    Backoff,
    /// An edit and nothing else.
    Edit,
    /// Its interval.
    Interval,
}

/// NC-107, part of NC-108
#[tokio::test(start_paused = true)]
async fn every_failure_of_a_receiver_shows_what_the_contract_says_and_no_secret() {
    let mut catalogue = Catalogue::new(canary::OF_RECEIVERS);
    for row in [without_token(), stalled(), ready()].into_iter().flatten() {
        let name = row.name.clone();
        catalogue.row(&name, async |canaries| run(row, canaries).await).await;
    }
    catalogue.finish();
}

/// Reconciles a Receiver until it has a verdict, and looks at what comes later.
async fn run(row: Row, canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    let cluster = Cluster::new();
    if let Some(data) = &row.secret {
        canaries.give(&data.to_string());
        cluster.put("/api/v1/secrets", secret("token", data));
    }
    let mut object = receiver(row.fields.clone());
    object["spec"].as_object_mut().unwrap().retain(|_, value| !value.is_null());
    cluster.put(RECEIVERS, object);
    let bench = Bench::start(cluster).await;
    let found = bench.wait_for(RECEIVER, "a verdict", |found| !conditions(found).is_empty()).await;
    let path = found["status"]["webhookPath"].as_str().unwrap_or_default();
    let expected: Vec<_> = row.conditions.iter().map(|text| text.replace("{path}", path)).collect();
    assert_eq!(conditions(&found), expected);
    assert_eq!(path.is_empty(), row.next != Next::Interval, "a path: {path:?}");
    assert_eq!(found["status"]["observedGeneration"], row.observed_generation);
    assert_eq!(bench.wait_for_event("rcv", "").await, row.event);
    assert!(!logs.with(&[&row.logged]).is_empty(), "{:?}", logs.with(&["ERROR "]));
    check_next(&row, &bench).await;
    canary::search(canaries, &row.name, &bench, &logs);
}

async fn check_next(row: &Row, bench: &Bench) {
    let long_enough =
        if row.next == Next::Backoff { Duration::from_secs(10) } else { Duration::from_hours(1) };
    tokio::time::sleep(long_enough).await;
    let events = bench.events_about("rcv");
    assert!(events.iter().all(|event| *event == row.event), "{events:?}");
    match row.next {
        Next::Edit => assert_eq!(events.len(), 1, "passes"),
        Next::Interval => assert!((6..=7).contains(&events.len()), "{} passes in an hour", events.len()),
        Next::Backoff => {
            assert!(events.len() > 2, "{} passes", events.len());
            bench.cluster.put("/api/v1/secrets", secret("token", &json!({ "token": HOOK })));
            bench.wait_for(RECEIVER, "the token is found", is_ready).await;
        }
    }
}

/// Row: Receiver: secret absent / key absent.
fn without_token() -> Vec<Row> {
    let absent = "unable to read token from secret 'apps/token' error: secrets \"token\" not found";
    let no_key = "invalid 'apps/token' secret data: required fields 'token'";
    let mut rows = Vec::new();
    for type_ in ["generic", "generic-hmac", "github"] {
        for (name, secret, message) in [
            ("secret absent", None, absent),
            ("key absent", Some(json!({ "password": HOOK })), no_key),
            ("empty key", Some(json!({ "token": "" })), no_key),
        ] {
            rows.push(Row {
                name: format!("Receiver: {name} ({type_})"),
                fields: json!({ "type": type_ }),
                secret,
                conditions: vec![
                    "Reconciling=True ProgressingWithRetry Reconciliation in progress".to_owned(),
                    format!("Ready=False TokenNotFound {message}"),
                ],
                observed_generation: -1,
                event: format!("Error Failed {message}"),
                logged: format!("ERROR Reconciler error error={message}"),
                next: Next::Backoff,
            });
        }
    }
    rows
}

/// Row: Receiver: bad CEL / OIDC fields wrong (only past an old API server).
fn stalled() -> Vec<Row> {
    let unsupported = "is set, but CEL expressions are not supported by this version";
    let one_of = "spec.type must be one of: generic, generic-hmac, github";
    let oidc =
        json!([{ "issuerURL": "https://i", "validations": [{ "expression": "true", "message": "m" }] }]);
    let entry = json!([{ "kind": "GitRepository", "name": "app", "filter": "has(" }]);
    let unvalidated = json!([{ "issuerURL": "https://i", "validations": [] }]);
    let no_validation = "at least one validation is required; without validations any caller able to obtain a token from \
                         this issuer can trigger the Receiver";
    [
        (
            json!({ "resourceFilter": "has(" }),
            "InvalidCELExpression",
            format!("invalid resourceFilter expression: spec.resourceFilter {unsupported}"),
        ),
        (
            json!({ "resources": entry }),
            "InvalidCELExpression",
            format!("invalid filter expression: spec.resources[0].filter {unsupported}"),
        ),
        (
            json!({ "type": "generic-oidc", "secretRef": null }),
            "ValidationFailed",
            "generic-oidc receiver requires at least one oidcProvider".to_owned(),
        ),
        (
            json!({ "type": "generic-oidc", "oidcProviders": oidc }),
            "ValidationFailed",
            "secretRef cannot be set when type is generic-oidc".to_owned(),
        ),
        (
            json!({ "type": "generic-oidc", "secretRef": null, "oidcProviders": unvalidated }),
            "ValidationFailed",
            format!("oidcProviders[0] (issuerURL=\"https://i\"): {no_validation}"),
        ),
        (
            json!({ "oidcProviders": oidc }),
            "ValidationFailed",
            "oidcProviders can only be set when type is generic-oidc".to_owned(),
        ),
        (
            json!({ "secretRef": null }),
            "ValidationFailed",
            "secretRef is required when type is not generic-oidc".to_owned(),
        ),
        (
            json!({ "type": "gitlab" }),
            "ValidationFailed",
            format!("receiver type \"gitlab\" is not supported by this version\n{one_of}"),
        ),
    ]
    .into_iter()
    .map(|(fields, reason, message)| {
        let text = format!("{reason} Reconciliation failed terminally due to configuration error: {message}");
        Row {
            name: format!("Receiver: {fields}"),
            fields,
            secret: Some(json!({ "token": HOOK })),
            conditions: vec![format!("Stalled=True {text}"), format!("Ready=False {text}")],
            observed_generation: 1,
            event: format!("Error {text}"),
            logged: format!(
                "ERROR Reconciliation failed terminally due to configuration error error={message}"
            ),
            next: Next::Edit,
        }
    })
    .collect()
}

/// Receivers that work, which show their paths.
fn ready() -> Vec<Row> {
    let row = |type_| Row {
        name: format!("success ({type_})"),
        fields: json!({ "type": type_ }),
        secret: Some(json!({ "token": HOOK })),
        conditions: vec!["Ready=True Succeeded Receiver initialized for path: {path}".to_owned()],
        observed_generation: 1,
        event: "Info Succeeded Reconciliation finished, next run in 10m0s".to_owned(),
        logged: "INFO Receiver initialized for path: /hook/".to_owned(),
        next: Next::Interval,
    };
    ["generic", "generic-hmac", "github"].map(row).into()
}
