//! Rows of the contract's table that end in `cond`.

use serde_json::{Value, json};

use super::canary::{self, HOOK};
use crate::{
    bench::{Bench, RECEIVERS},
    cluster::Cluster,
    hook_conformance::secret,
    hooks::{RECEIVER, receiver},
    logs::Logs,
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

/// Reconciles a Receiver with these fields and this Secret until it has a verdict.
async fn verdict(row: &str, fields: Value, token: Option<Value>) -> (Value, Bench, Logs) {
    let logs = Logs::capture();
    let cluster = Cluster::new();
    if let Some(data) = token {
        cluster.put("/api/v1/secrets", secret("token", &data));
    }
    let mut object = receiver(fields);
    object["spec"].as_object_mut().unwrap().retain(|_, value| !value.is_null());
    cluster.put(RECEIVERS, object);
    let bench = Bench::start(cluster).await;
    let found = bench.wait_for(RECEIVER, row, |found| !conditions(found).is_empty()).await;
    (found, bench, logs)
}

/// Row: Receiver: secret absent / key absent.
///
/// Part of NC-108.
#[tokio::test(start_paused = true)]
async fn a_token_that_can_not_be_read_is_missed_and_looked_for_again() {
    let absent = "unable to read token from secret 'apps/token' error: secrets \"token\" not found";
    let no_key = "invalid 'apps/token' secret data: required fields 'token'";
    for type_ in ["generic", "generic-hmac", "github"] {
        for (row, data, message) in [
            ("secret absent", None, absent),
            ("key absent", Some(json!({ "password": HOOK })), no_key),
            ("empty", Some(json!({ "token": "" })), no_key),
        ] {
            let (found, bench, logs) = verdict(row, json!({ "type": type_ }), data).await;
            assert_eq!(
                conditions(&found),
                [
                    "Reconciling=True ProgressingWithRetry Reconciliation in progress".to_owned(),
                    format!("Ready=False TokenNotFound {message}"),
                ],
                "{type_}: {row}"
            );
            assert_eq!(found["status"].get("webhookPath"), None, "{type_}: {row}");
            assert_eq!(found["status"]["observedGeneration"], -1, "{type_}: {row}");
            let event = bench.wait_for_event("rcv", "Failed").await;
            assert_eq!(event, format!("Error Failed {message}"), "{type_}: {row}");
            assert!(!logs.with(&["ERROR Reconciler error", message]).is_empty(), "{type_}: {row}");
            canary::search(row, &bench, &logs);
        }
    }
}

/// Row: Receiver: bad CEL / OIDC fields wrong (only past an old API server).
#[tokio::test(start_paused = true)]
async fn a_spec_that_can_not_work_stalls_the_receiver() {
    let unsupported = "is set, but CEL expressions are not supported by this version";
    let one_of = "spec.type must be one of: generic, generic-hmac, github";
    let oidc =
        json!([{ "issuerURL": "https://i", "validations": [{ "expression": "true", "message": "m" }] }]);
    let entry = json!([{ "kind": "GitRepository", "name": "app", "filter": "has(" }]);
    let rows = [
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
    ];
    for (fields, reason, message) in rows {
        let row = fields.to_string();
        let (found, bench, logs) = verdict(&row, fields, Some(json!({ "token": HOOK }))).await;
        let text = format!("{reason} Reconciliation failed terminally due to configuration error: {message}");
        assert_eq!(
            conditions(&found),
            [format!("Stalled=True {text}"), format!("Ready=False {text}")],
            "{row}"
        );
        assert_eq!(found["status"]["observedGeneration"], 1, "{row}");
        let event = bench.wait_for_event("rcv", reason).await;
        assert_eq!(event, format!("Error {text}"), "{row}");
        let logged = "ERROR Reconciliation failed terminally due to configuration error";
        assert!(!logs.with(&[logged, &message]).is_empty(), "{row}");
        canary::search(&row, &bench, &logs);
    }
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_works_shows_its_path_and_not_its_token() {
    for type_ in ["generic", "generic-hmac", "github"] {
        let (found, bench, logs) =
            verdict("success", json!({ "type": type_ }), Some(json!({ "token": HOOK }))).await;
        let path = found["status"]["webhookPath"].as_str().expect("a path").to_owned();
        assert_eq!(
            conditions(&found),
            [format!("Ready=True Succeeded Receiver initialized for path: {path}")]
        );
        canary::search(type_, &bench, &logs);
    }
}
